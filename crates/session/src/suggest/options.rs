//! How a program's states are to be explored.

use std::path::Path;
use std::time::Duration;

use borges_concolic::{
    Bounds, Comparing, SystemChoices,
    solver::{self, Solver},
};

use super::{Subject, words};
use crate::command::question::known_pieces;
use crate::program::{Library, OpenError, Provided};

/// How far to explore a program's states.
#[derive(Clone, Debug, Default)]
pub struct StatesOptions {
    /// The modules that the program is linked with.
    pub libraries: Vec<Library>,
    /// The exported function to call; without one, `main` or `_start`.
    pub entry: Option<String>,
    /// States; without a bound, a million.
    pub states: Option<usize>,
    /// Stops on a path; without a bound, any number.
    pub depth: Option<u32>,
    /// Time for all of it; without a bound, ten seconds.
    pub time: Option<Duration>,
    /// Leave out interrupts and timers: that is no complete answer if the program subscribes to some.
    pub without_events: bool,
    /// Who answers what trying values cannot: `none`, `z3`, `bitwuzla`, `cvc5`; without one, the best there is.
    pub solver: Option<String>,
    /// What to take for anything from the start on: variables of the source, in memory or globals.
    pub anything: Vec<String>,
    /// What a program finds that calls an operating system; without it, its name is all.
    pub system: Option<Provided>,
    /// Any of its calls may fail, any number of times.
    pub faults: bool,
    /// Its standard input comes in pieces of at most so many bytes; without a number, as it may.
    pub piece: Option<u32>,
    /// On how many cores; without a number, on all. What is found is the same.
    pub cores: Option<u16>,
    /// Split states until every way is open to all values of its state, as far as that is possible.
    pub split: bool,
}

/// What is said where a program calls no operating system, and something of one is asked.
const NO_SYSTEM: &str = "stdin, faults and pieces are about calls of an operating system (WASI), and this program makes none";

/// Words that are taken for anything.
const MOST_ANYTHING: usize = 64;
/// Time without one.
pub(super) const SECONDS: Duration = Duration::from_secs(10);
/// Instructions between two stops: a loop that reads nothing and lets no time pass ends there.
pub(super) const STEPS: u64 = 1_000_000;
/// Time for one question to a solver.
const SOLVER_TIME: Duration = Duration::from_secs(5);

/// Whether there is an operating `system`, if something `is_asked` of one.
///
/// # Errors
/// There is none.
pub(super) fn has_system<S>(is_asked: bool, system: Option<&S>) -> Result<(), String> {
    match is_asked && system.is_none() {
        true => Err(NO_SYSTEM.to_owned()),
        false => Ok(()),
    }
}

impl StatesOptions {
    /// What tells states apart, with what is taken for anything.
    ///
    /// # Errors
    /// That is nothing of the program.
    pub(super) fn comparing<'f>(
        &self,
        subject: &Subject,
        about: &Comparing<'f>,
    ) -> Result<Comparing<'f>, OpenError> {
        let mut about = about.clone();
        for text in &self.anything {
            let words = words::meant(subject, text);
            let words = words.map_err(|message| wrong(&subject.path, message))?;
            about.anything.extend(words);
        }
        if about.anything.len() > MOST_ANYTHING {
            let message =
                format!("at most {MOST_ANYTHING} words of four bytes can be taken for anything");
            return Err(wrong(&subject.path, message));
        }
        Ok(about)
    }

    /// The time for all of it.
    pub(super) fn time(&self) -> Duration {
        self.time.unwrap_or(SECONDS)
    }

    /// How far it is from one stop to the next.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            steps: STEPS,
            events: (!self.without_events).then_some(u32::MAX),
            ..Bounds::default()
        }
    }

    /// What is looked at of an operating system.
    pub(super) fn choices(&self) -> SystemChoices {
        SystemChoices::any_input(self.faults, self.piece)
    }

    /// Refuses what means nothing for a program.
    ///
    /// # Errors
    /// It calls no operating system, and something of one is asked; or input comes in no such pieces.
    pub(super) fn fits(&self, subject: &Subject) -> Result<(), OpenError> {
        let is_asked = self.faults || self.piece.is_some();
        has_system(is_asked, subject.start.board.system())
            .and_then(|()| known_pieces(self.piece))
            .map_err(|message| wrong(&subject.path, message))
    }

    /// Who answers what trying values cannot: the name was looked at before.
    pub(super) fn solver(&self) -> Option<Box<dyn Solver>> {
        solver_named(self.solver.as_deref())
    }

    /// Looks at the name of who answers.
    ///
    /// # Errors
    /// There is nobody of that name; `path` is for the message.
    pub(super) fn known_solver(&self, path: &Path) -> Result<(), OpenError> {
        let named = solver::named(self.solver.as_deref(), SOLVER_TIME);
        named.map(|_| ()).map_err(|message| wrong(path, message))
    }
}

/// Who answers what trying values cannot; nobody, if the name was not looked at before and there is none of it.
pub(super) fn solver_named(name: Option<&str>) -> Option<Box<dyn Solver>> {
    solver::named(name, SOLVER_TIME).unwrap_or_default()
}

/// Something that cannot be asked of a program.
pub(super) fn wrong(path: &Path, message: String) -> OpenError {
    let path = path.to_owned();
    OpenError::Session { path, message }
}
