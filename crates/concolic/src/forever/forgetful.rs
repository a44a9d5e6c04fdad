//! Looking at states of which nobody keeps any: for more of them than memory has room for.

use std::cell::{Cell, RefCell};

use super::{Device, DeviceState, DeviceWay};
use crate::budget::Budget;
use crate::shadow::Touched;

/// The ways from a state.
type Ways = Vec<(DeviceWay, DeviceState)>;

/// What a program has that remembers no states.
///
/// States that are found stand for what they are all of, as in a graph, as far as the last ones at a place say. Which these
/// are depends on what was looked at before, but a state that is found anew is always just what a way leads to: whoever
/// goes the same ways once more, on which nothing stands for anything else, comes to the same states.
pub(super) struct Forgetful {
    unlimited: Budget<'static>,
    /// Ways that were gone are gone once more: nothing may cut that short.
    goes_again: Cell<bool>,
    /// The state that was asked for its ways last: who goes one of them asks again.
    last: RefCell<Option<(DeviceState, Ways)>>,
    /// How many ways only some of the values take that a state stands for.
    partial: Cell<u64>,
    /// How many states were followed.
    followed: Cell<u64>,
    /// What was told of what handlers touch, and how many words hold times.
    pub(super) told: RefCell<(Touched, usize)>,
}

impl Forgetful {
    fn new() -> Self {
        Self {
            unlimited: Budget::unlimited(),
            goes_again: Cell::new(false),
            last: RefCell::default(),
            partial: Cell::default(),
            followed: Cell::default(),
            told: RefCell::default(),
        }
    }

    /// A budget without limits, while ways are gone once more.
    pub(super) fn unlimited(&self) -> Option<&Budget<'static>> {
        self.goes_again.get().then_some(&self.unlimited)
    }

    /// The ways from a state, which it had before.
    pub(super) fn once_more(&self, state: &DeviceState, look: impl FnOnce() -> Ways) -> Ways {
        let known = self.last.borrow();
        if let Some((_, ways)) = known.as_ref().filter(|(known, _)| known == state) {
            return ways.clone();
        }
        drop(known);
        let before = self.goes_again.replace(true);
        let ways = look();
        self.goes_again.set(before);
        self.last.replace(Some((state.clone(), ways.clone())));
        ways
    }

    /// A state was followed from which so many such ways lead.
    pub(super) fn count(&self, partial: u64) {
        self.partial.set(self.partial.get() + partial);
        self.followed.set(self.followed.get() + 1);
    }
}

impl Device<'_> {
    /// The same, but no state is remembered, only a few hundred at each place.
    pub(super) fn forgetful(self) -> Self {
        self.known.borrow_mut().clear();
        Device {
            forgetful: Some(Forgetful::new()),
            ..self
        }
    }

    /// So many ways from states that were followed are open to only some of the values of their state, as far as is known;
    /// only if it is forgetful.
    #[must_use]
    pub fn partial(&self) -> u64 {
        let forgetful = self.forgetful.as_ref();
        forgetful.map_or(0, |forgetful| forgetful.partial.get())
    }

    /// So many states were followed; only if it [keeps account](super::FarDevice).
    #[must_use]
    pub fn followed(&self) -> u64 {
        let forgetful = self.forgetful.as_ref();
        forgetful.map_or(0, |forgetful| forgetful.followed.get())
    }

    pub(super) fn set_counted(&mut self, partial: u64, followed: u64) {
        if let Some(forgetful) = &mut self.forgetful {
            forgetful.partial.set(partial);
            forgetful.followed.set(followed);
        }
    }
}
