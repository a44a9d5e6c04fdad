//! Looking at states of which nobody keeps any: for more of them than memory has room for.

use std::cell::{Cell, RefCell};

use borges_multiverse::language::Next;

use super::state::Stands;
use super::{Device, DeviceState, DeviceWay, MOST_COVERING};
use crate::budget::Budget;

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
}

impl Forgetful {
    fn new(partial: u64) -> Self {
        Self {
            unlimited: Budget::unlimited(),
            goes_again: Cell::new(false),
            last: RefCell::default(),
            partial: Cell::new(partial),
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

    /// These steps lead from a state that was followed.
    pub(super) fn note(&self, steps: &[(DeviceWay, Next<DeviceState>)]) {
        let partial = steps.iter().filter(|(_, next)| next.is_partial).count();
        self.partial.set(self.partial.get() + partial as u64);
    }
}

impl Device<'_> {
    /// The same, but no state is remembered, only a few hundred at each place. A state from which the budget is spent
    /// before all its ways are known shows none: who follows it must put it back.
    #[must_use]
    pub fn forgetful(self) -> Self {
        self.known.borrow_mut().clear();
        Device {
            forgetful: Some(Forgetful::new(0)),
            ..self
        }
    }

    /// So many ways from states that were followed are open to only some of the values of their state, as far as is known;
    /// only if it is [forgetful](Self::forgetful).
    #[must_use]
    pub fn partial(&self) -> u64 {
        let forgetful = self.forgetful.as_ref();
        forgetful.map_or(0, |forgetful| forgetful.partial.get())
    }

    pub(super) fn set_partial(&mut self, partial: u64) {
        if let Some(forgetful) = &mut self.forgetful {
            forgetful.partial.set(partial);
        }
    }

    /// These states were found before: they stand for what they are all of.
    pub fn remember<'s>(&self, states: impl Iterator<Item = &'s DeviceState>) {
        let mut wider = self.wider.borrow_mut();
        for state in states {
            if let Stands::Before(before) = &state.0.stands
                && !before.variables.is_empty()
            {
                let here = wider.entry(before.place).or_default();
                if here.len() < MOST_COVERING && !here.contains(state) {
                    here.push(state.clone());
                }
            }
        }
    }
}
