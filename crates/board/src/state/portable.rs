//! A state as it travels from one process of a host to another.

use borges_wasi::PortableWorld;
use serde::{Deserialize, Serialize};

use super::ages::Past;
use super::{BoardState, Core};
use crate::{Board, Shared};

/// A lean state of a board in a form that can be sent: of an operating system, what is not as the program found it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortableState {
    core: Core,
    past: Past,
    system: Option<PortableWorld>,
}

impl BoardState {
    /// It, to be sent to who has this board; nothing if it has what is not: screen, strip and console, or an operating
    /// system that the board does not have.
    pub fn portable(&self, board: &Board) -> Option<PortableState> {
        let first = board.system.as_deref().map(|system| &system.world);
        let system = match (&self.system, first) {
            (Some(world), Some(first)) => Some(world.portable(first)),
            (None, _) => None,
            (Some(_), None) => return None,
        };
        self.sights.is_none().then(|| PortableState {
            core: (*self.core).clone(),
            past: self.past.clone(),
            system,
        })
    }
}

impl PortableState {
    /// The state that arrived; nothing if this board cannot be in it.
    pub fn on(self, board: &Board) -> Option<BoardState> {
        let PortableState { core, past, system } = self;
        let is_one = core.motors.len() == usize::from(board.motors)
            && core.timer.is_none_or(|timer| timer.period_us != 0)
            && past.is_of(board)
            && system.is_some() == board.system.is_some();
        is_one.then_some(())?;
        let first = board.system.as_deref().map(|system| &system.world);
        let world = match system.zip(first) {
            Some((sent, first)) => Some(Shared::new(sent.on(first)?)),
            None => None,
        };
        Some(BoardState {
            core: Shared::new(core),
            system: world,
            past,
            sights: None,
        })
    }
}
