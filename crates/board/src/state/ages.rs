//! How long ago something happened, as far as limits of time ask: only a host keeps it, since only a host knows limits.
//!
//! What is kept is a difference, and it ends where it makes no difference any more, so that a program whose states come
//! back comes back to them.

use super::BoardState;
use crate::{Board, LimitBound, VecMap};

/// By the number of a limit: how long ago what it is about changed, if that is less than it asks for; or how long its pin
/// has been high, and at most a microsecond more than it allows. In microseconds.
pub(super) type Ages = VecMap<u32, u64>;

impl BoardState {
    /// What a limit of time asks about; nothing if it is long ago, or never was.
    pub(crate) fn age_us(&self, limit: u32) -> Option<u64> {
        self.ages.get(&limit).copied()
    }

    /// Whether it makes a difference to a limit of the board how much time passes next.
    pub fn has_ages(&self, board: &Board) -> bool {
        let mut limits = board.invariants.iter();
        !self.ages.is_empty()
            || limits.any(|limit| {
                matches!(limit.bound, LimitBound::HighAtMost(pin, _) if self.level(board, pin))
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
            self.ages.set(number, age);
        }
    }

    /// What the board's time is at least: what was waited, or what a clock showed.
    fn now_us(&self) -> u64 {
        self.elapsed_us().max(self.clock_floor_us())
    }
}
