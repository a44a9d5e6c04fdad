//! What halts a run.

use std::convert::Infallible;
use std::fmt;

use borges_multiverse::debug::{Arrival, Catalogue};

use crate::muoz::{Act, MuOz, Reversible, Stuck, ThreadName};
use crate::predicate::{Condition, NoCondition};

/// What halts a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// A thread executed `<br>`.
    Break,
    /// A thread came to an assertion that is false.
    Assertion,
    /// A predicate begins to hold, or the state or the step to it mentions a text.
    When(Condition),
}

impl Halt {
    /// Reads `<br>`, `assertion`, or a condition.
    pub(super) fn parse(program: &MuOz, text: &str) -> Result<Self, NoCondition> {
        Ok(match text.trim() {
            "<br>" => Self::Break,
            "assertion" => Self::Assertion,
            text => Self::When(Condition::parse(program, text)?),
        })
    }
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Break => f.write_str("<br>"),
            Self::Assertion => f.write_str("assertion"),
            Self::When(condition) => condition.fmt(f),
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
            Halt::When(_) => false,
        };
        if let (Halt::When(condition), Some((before, choice))) = (halt, arrival.before) {
            let before = Some((before.state(), choice));
            let arrived = Arrival {
                before,
                after: state,
            };
            let is_met = condition.halts(&**program, &arrived);
            return is_met.then_some(None).into_iter().collect();
        }
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
