//! A state as it travels from one process of a host to another.

use serde::{Deserialize, Serialize};

use super::ages::Past;
use super::{BoardState, Core};
use crate::{Board, Shared};

/// A lean state of a board without an operating system, in a form that can be sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortableState {
    core: Core,
    past: Past,
}

impl BoardState {
    /// It, to be sent; nothing if it has what is not: screen, strip and console, or an operating system.
    pub fn portable(&self) -> Option<PortableState> {
        (self.sights.is_none() && self.system.is_none()).then(|| PortableState {
            core: (*self.core).clone(),
            past: self.past.clone(),
        })
    }
}

impl PortableState {
    /// The state that arrived; nothing if this board cannot be in it.
    pub fn on(self, board: &Board) -> Option<BoardState> {
        let PortableState { core, past } = self;
        let is_one = core.motors.len() == usize::from(board.motors)
            && core.timer.is_none_or(|timer| timer.period_us != 0)
            && past.is_of(board)
            && board.system.is_none();
        is_one.then(|| BoardState {
            core: Shared::new(core),
            system: None,
            past,
            sights: None,
        })
    }
}
