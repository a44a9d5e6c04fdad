//! Values that are looked into, a part at a time: whoever shows a tree of them asks for what is unfolded, and no more.

use std::ops::Range;

use borges_debuginfo::{Evaluated, FramePoint, Object, ValuePlace, Variable};

use super::{Machines, Scene};
use crate::command::Whole;
use crate::command::listing::{ChildListing, ExpandedListing};
use crate::error::CommandError;

/// What is looked into: an object, or some elements of one.
enum Opened {
    One(Object),
    Elements(Vec<Object>),
}

impl Scene<'_> {
    /// What a value, or the part of it that `path` leads to, has in it.
    pub(crate) fn expanded(
        &self,
        of: &Whole,
        frame: u32,
        path: &[u64],
        range: Range<u64>,
    ) -> Result<ExpandedListing, CommandError> {
        let state = Machines(self.machine);
        let none = || CommandError::NoSuch("the value has no such part".to_owned());
        let mut opened = self.opened(of, frame)?;
        for number in path {
            let child = match &opened {
                Opened::One(object) => {
                    let children = self.info.children(object, &state, *number, 1);
                    children.into_iter().next().map(|child| child.object)
                }
                Opened::Elements(elements) => {
                    let number = usize::try_from(*number).ok();
                    number.and_then(|number| elements.get(number).cloned())
                }
            };
            opened = Opened::One(child.ok_or_else(none)?);
        }
        let object = match opened {
            Opened::One(object) => object,
            Opened::Elements(elements) => {
                let shown = elements.iter().enumerate();
                let shown = shown.map(|(number, object)| self.child(format!("[{number}]"), object));
                let count = elements.len() as u64;
                let children = shown.skip(range.start.min(count) as usize);
                return Ok(ExpandedListing {
                    count,
                    address: None,
                    memory: 0,
                    children: children.take((range.end - range.start) as usize).collect(),
                });
            }
        };
        let children = self
            .info
            .children(&object, &state, range.start, range.end - range.start);
        let lies = self.lies(&object);
        Ok(ExpandedListing {
            count: self.info.child_count(&object, &state),
            address: lies.address(),
            memory: lies.memory,
            children: children
                .into_iter()
                .map(|child| self.child(child.name, &child.object))
                .collect(),
        })
    }

    fn child(&self, name: String, object: &Object) -> ChildListing {
        let state = Machines(self.machine);
        let lies = self.lies(object);
        ChildListing {
            name,
            value: self.info.show(object, &state),
            type_name: self.info.type_name(object.ty),
            count: self.info.child_count(object, &state),
            address: lies.address(),
            memory: lies.memory,
        }
    }

    /// What a pointer points to; where anything else lies, if it lies in memory.
    fn lies(&self, object: &Object) -> ValuePlace {
        let first = self.info.children(object, &Machines(self.machine), 0, 1);
        let target = first.first().filter(|child| child.name == "*");
        let lies = target.map_or(object, |child| &child.object);
        lies.place.clone()
    }

    fn opened(&self, of: &Whole, frame: u32) -> Result<Opened, CommandError> {
        let none = || CommandError::NoSuch("there is no such variable here".to_owned());
        let stop = self.stop(frame)?;
        match of {
            Whole::Local { number } => {
                let locals = self.info.variables_at(stop);
                self.located(locals.get(*number as usize).ok_or_else(none)?, stop)
            }
            Whole::Global { number } => {
                let (own, at) = self.own_globals();
                self.located(own.get(*number as usize).ok_or_else(none)?, at)
            }
            Whole::Expression { text } => match self.evaluate(text, frame)? {
                Evaluated::Object(object) => Ok(Opened::One(object)),
                Evaluated::Elements(elements) => Ok(Opened::Elements(elements)),
                Evaluated::Pointer { .. } => match self.evaluate(&format!("*({text})"), frame)? {
                    Evaluated::Object(object) => Ok(Opened::One(object)),
                    _ => Ok(Opened::Elements(Vec::new())),
                },
                Evaluated::Number(_) | Evaluated::Text(_) => Ok(Opened::Elements(Vec::new())),
            },
        }
    }

    fn located(&self, variable: &Variable, stop: FramePoint) -> Result<Opened, CommandError> {
        let located = self.info.locate(variable, stop, &Machines(self.machine));
        let gone = |reason: borges_debuginfo::Unavailable| {
            CommandError::NoSuch(format!(
                "'{}' cannot be looked into: {reason}",
                variable.name
            ))
        };
        located.map(Opened::One).map_err(gone)
    }
}
