//! What values are to a person: a container is its elements, a wrapper what it holds.
//!
//! One table ([`table`]) says for each type of the standard libraries how to find what it holds. A
//! row goes by the names of fields, never by numbers of its own, and checks what it finds: sizes
//! agree, counts fit capacities, walks end where they must. Libraries change; where a layout is
//! not the one that the row expects, the value is shown by its raw fields with a note, never by a
//! guess. What elements are is told by the type's arguments, not by the pointer to them.

mod cpp;
mod cpp_nodes;
mod looking;
mod rust;
mod rust_maps;
mod table;

use crate::DebugInfo;
use crate::child::Child;
use crate::place::{Stopped, Unavailable};
use crate::types::TypeId;
use crate::variables::Object;

pub(crate) use looking::Looking;

/// Wrappers around each other, at the most: a hostile type may hold itself.
pub(crate) const MAX_WRAPPERS: usize = 16;

/// What a value is to a person.
pub(crate) struct View<'a> {
    pub(crate) shape: Shape<'a>,
    /// The type that is not known before the program runs: of a `dyn Trait`.
    pub(crate) label: Option<String>,
    /// What else is to be known, as `borrowed mutably`.
    pub(crate) note: Option<String>,
    /// Children beside those of the shape.
    pub(crate) more: Vec<Child>,
}

/// Finds an element by its number.
pub(crate) type At<'a> = Box<dyn Fn(u64) -> Option<Object> + 'a>;

/// Finds a key and its value by their number.
pub(crate) type EntryAt<'a> = Box<dyn Fn(u64) -> Option<(Object, Object)> + 'a>;

pub(crate) enum Shape<'a> {
    /// A text of `count` units of `unit` each, in memory.
    Text {
        memory: u32,
        address: u32,
        count: u64,
        unit: TypeId,
    },
    /// Elements in their order, `[1, 2]`.
    Sequence { count: u64, at: At<'a> },
    /// Elements without places of their own, `{1, 2}`.
    Set { count: u64, at: At<'a> },
    /// Keys and values, `{1: 2}`.
    Map { count: u64, at: EntryAt<'a> },
    /// One value: whoever asks for this one means that one.
    Holds(Object),
    /// Parts without names, `(1, 2)`.
    Tuple(Vec<Object>),
    /// Nothing that has a value, and why.
    Nothing(&'static str),
    /// A value that has a notation of its own, `1..5`.
    Written(String),
}

impl<'a> Shape<'a> {
    fn plain(self) -> View<'a> {
        View {
            shape: self,
            label: None,
            note: None,
            more: Vec::new(),
        }
    }
}

/// Why a value of a known type is not shown by what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// A part of it cannot be read.
    Unavailable(Unavailable),
    /// Its fields are not those of a library version that is known here.
    Layout,
    /// What it points to could be of several types, and nothing tells which.
    Type,
    /// Its fields contradict each other: it is not initialized yet, dropped already, or overwritten.
    Content,
}

impl From<Unavailable> for Misfit {
    fn from(why: Unavailable) -> Misfit {
        Misfit::Unavailable(why)
    }
}

/// What a row of the table finds.
pub(crate) type Found<'a> = Result<View<'a>, Misfit>;

impl DebugInfo {
    /// What a value is to a person, if its type is one that the table knows. Of containers that
    /// must be walked, only the first `need` elements are looked for.
    pub(crate) fn view<'a>(
        &'a self,
        object: &Object,
        state: &'a dyn Stopped,
        need: u64,
    ) -> Option<Found<'a>> {
        let looking = Looking {
            info: self,
            state,
            memory: object.place.memory,
            need,
        };
        let row = table::row(self.types(), object.ty)?;
        Some(row(looking, object))
    }

    /// The value that a wrapper holds, if the value is a wrapper.
    pub(crate) fn held(&self, object: &Object, state: &dyn Stopped) -> Option<Object> {
        match self.view(object, state, 0)? {
            Ok(View {
                shape: Shape::Holds(held),
                ..
            }) => Some(held),
            _ => None,
        }
    }

    /// What is inside all wrappers.
    pub(crate) fn unwrapped(&self, object: &Object, state: &dyn Stopped) -> Object {
        let mut object = object.clone();
        for _ in 0..MAX_WRAPPERS {
            match self.held(&object, state) {
                Some(held) => object = held,
                None => break,
            }
        }
        object
    }
}
