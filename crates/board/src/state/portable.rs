//! A state as it travels from one process of a host to another.

use serde::{Deserialize, Serialize};

use super::ages::Ages;
use super::{BoardState, Core};
use crate::{Board, Shared};

/// A lean state of a board without an operating system, in a form that can be sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortableState {
    core: Core,
    ages: Ages,
}

impl BoardState {
    /// It, to be sent; nothing if it has what is not: screen, strip and console, or an operating system.
    pub fn portable(&self) -> Option<PortableState> {
        (self.sights.is_none() && self.system.is_none()).then(|| PortableState {
            core: (*self.core).clone(),
            ages: self.ages.clone(),
        })
    }
}

impl PortableState {
    /// The state that arrived; nothing if this board cannot be in it.
    pub fn on(self, board: &Board) -> Option<BoardState> {
        let PortableState { core, ages } = self;
        let limits = board.invariants.len();
        let is_one = core.motors.len() == usize::from(board.motors)
            && core.timer.is_none_or(|timer| timer.period_us != 0)
            && ages.iter().all(|(limit, _)| (*limit as usize) < limits)
            && board.system.is_none();
        is_one.then(|| BoardState {
            core: Shared::new(core),
            system: None,
            ages,
            sights: None,
        })
    }
}
