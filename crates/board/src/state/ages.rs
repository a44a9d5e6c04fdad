//! How long ago something happened, as far as limits of time ask: only a host keeps it, since only a host knows limits.
//!
//! What is kept are differences, and they end where they make no difference any more, so that a program whose states come
//! back comes back to them.

use core::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::{BoardState, pulses::Pulses};
use crate::{Board, LimitBound, VecMap};

/// What limits of time ask about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Past {
    /// By the number of a limit: how long ago what it is about changed, if that is less than it asks for; or how long its pin
    /// has been high, and at most a microsecond more than it allows. In microseconds.
    ages: VecMap<u32, u64>,
    /// By the number of a limit: when its pin was high within its window, as far as that can still count.
    pulses: VecMap<u32, Pulses>,
}

impl Past {
    fn is_empty(&self) -> bool {
        self.ages.is_empty() && self.pulses.is_empty()
    }

    /// Whether a state of a board can have it; what arrived may be anything.
    pub(super) fn is_of(&self, board: &Board) -> bool {
        let limits = board.invariants.len();
        let mut pulses = self.pulses.iter();
        self.ages
            .iter()
            .all(|(limit, _)| (*limit as usize) < limits)
            && pulses.all(|(limit, pulses)| {
                let limit = board.invariants.get(*limit as usize);
                limit.is_some_and(|limit| match &limit.bound {
                    LimitBound::HighShare(_, share) => pulses.are_of(*share),
                    _ => false,
                })
            })
    }
}

/// What is empty adds nothing, so that the hash of a state without limits is that of a device.
impl Hash for Past {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        if !self.ages.is_empty() {
            self.ages.hash(hasher);
        }
        if !self.pulses.is_empty() {
            self.pulses.hash(hasher);
        }
    }
}

impl BoardState {
    /// What a limit of time asks about; nothing if it is long ago, or never was.
    pub(crate) fn age_us(&self, limit: u32) -> Option<u64> {
        self.past.ages.get(&limit).copied()
    }

    /// What a limit on a window of time asks about; nothing if its pin was low for so long that it starts anew.
    pub(crate) fn pulses(&self, limit: u32) -> Option<&Pulses> {
        self.past.pulses.get(&limit)
    }

    /// Whether it makes a difference to a limit of the board how much time passes next.
    pub fn has_ages(&self, board: &Board) -> bool {
        let mut limits = board.invariants.iter();
        !self.past.is_empty()
            || limits.any(|limit| match limit.bound {
                LimitBound::HighAtMost(pin, _) | LimitBound::HighShare(pin, _) => {
                    self.level(board, pin)
                }
                _ => false,
            })
    }

    /// This state, if what happens next may change an age.
    pub(super) fn before_ageing(&self, board: &Board) -> Option<BoardState> {
        let mut limits = board.invariants.iter();
        limits
            .any(crate::Limit::is_timed)
            .then(|| self.without_sights())
    }

    /// An action led from a state to this one.
    pub(super) fn age(&mut self, board: &Board, before: &BoardState) {
        let waited_us = self.elapsed_us().saturating_sub(before.elapsed_us());
        let passed_us = self.now_us().saturating_sub(before.now_us());
        for (number, limit) in (0..).zip(&board.invariants) {
            let known = before.age_us(number);
            let age = match &limit.bound {
                LimitBound::Within(..) | LimitBound::NeverBoth(..) => continue,
                LimitBound::HighShare(pin, share) => {
                    let mut pulses = before.pulses(number).cloned().unwrap_or_default();
                    // Nothing that waits writes to a pin.
                    pulses.pass(before.level(board, *pin), waited_us, *share);
                    let pulses = Some(pulses).filter(|pulses| !pulses.is_empty());
                    self.past.pulses.set(number, pulses);
                    continue;
                }
                LimitBound::Apart(quantity, _)
                    if quantity.value(board, before) != quantity.value(board, self) =>
                {
                    Some(0)
                }
                LimitBound::Apart(_, apart_us) => known
                    .map(|age| age.saturating_add(passed_us))
                    .filter(|age| age < apart_us),
                LimitBound::HighAtMost(pin, most_us) => {
                    let has_been_high = before.level(board, *pin) && self.level(board, *pin);
                    let age = known.unwrap_or(0).saturating_add(waited_us);
                    Some(age.min(most_us.saturating_add(1))).filter(|age| has_been_high && *age > 0)
                }
            };
            self.past.ages.set(number, age);
        }
    }

    /// What the board's time is at least: what was waited, or what a clock showed.
    fn now_us(&self) -> u64 {
        self.elapsed_us().max(self.clock_floor_us())
    }
}
