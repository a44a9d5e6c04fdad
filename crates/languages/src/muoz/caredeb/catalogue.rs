//! What halts a run.

use std::convert::Infallible;

use borges_multiverse::debug::{Arrival, Catalogue};

use super::Rest;
use crate::muoz::{Act, Reversible, Stuck, ThreadName};

/// What halts a run, at a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// It executed `<br>`.
    Break,
    /// It came to an assertion that is false.
    Assertion,
}

impl Halt {
    /// Why a run came to rest at a thread.
    pub(super) fn rest(self, thread: &ThreadName) -> Rest {
        match self {
            Self::Break => Rest::Break(thread.to_string()),
            Self::Assertion => Rest::Assertion(thread.to_string()),
        }
    }
}

/// A program under CaReDeb. Its universes know their past.
#[derive(Debug)]
pub struct Runs(pub(super) Reversible);

impl Catalogue for Runs {
    type Program = Reversible;
    type Breakpoint = Halt;
    /// Where a thread stops, the user says: paths are led, and no step waits for anything.
    type Goal = Infallible;
    type Step = Infallible;

    const REMEMBERS_STEPS: bool = false;

    fn program(&self) -> &Reversible {
        &self.0
    }

    fn hits(&self, halt: &Halt, arrival: &Arrival<'_, Reversible>) -> Vec<Option<ThreadName>> {
        let Some(event) = arrival.after.last() else {
            return Vec::new();
        };
        let (program, state) = (arrival.after.program(), arrival.after.state());
        let halts = |thread: &&ThreadName| match halt {
            Halt::Break => event.act == Act::Break && **thread == event.thread,
            Halt::Assertion => program.stuck(state, thread) == Some(Stuck::Assertion),
        };
        let mut able = [Some(&event.thread), event.act.creates()]
            .into_iter()
            .flatten();
        able.find(halts)
            .map(|thread| Some(thread.clone()))
            .into_iter()
            .collect()
    }

    fn advance(&self, goal: Infallible, _: &Arrival<'_, Reversible>) -> Option<Infallible> {
        match goal {}
    }

    fn step_of(&self, goal: &Infallible) -> (Infallible, ThreadName) {
        match *goal {}
    }
}
