//! The stage: a program with what was recorded of it. Any recorded moment can be shown on it; no device is needed.

mod inputs;
mod moments;
mod places;
#[cfg(test)]
mod tests;
mod words;

use borges_board::Board;
use borges_debuginfo::DebugInfo;
use borges_multiverse::tree::End;
use borges_stub::Program;
use borges_vm::Outcome;

use crate::command::{Event, Observer, StopReason, unobserved};
use crate::error::CommandError;
use crate::history::History;
use crate::history::entry::Moment;
use crate::history::twin::Twin;
use crate::options::Options;
use crate::program::Opened;
use crate::program::loaded::Loaded;
use crate::scene::Scene;

pub(crate) use inputs::Branched;
pub(crate) use moments::{MomentText, ONLY_AGENT, known_agent, moment_of_id, universe_id};
pub(crate) use words::event_text;

/// A program with what was recorded of it. Both keep their own invariants; what needs both is here.
pub(crate) struct Stage {
    pub(crate) loaded: Loaded,
    pub(crate) history: History,
}

/// A stage that is only looked at, perhaps while its history goes on.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'s> {
    pub(crate) loaded: &'s Loaded,
    pub(crate) history: &'s History,
}

/// Where the program stands, as steps by line compare it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) line: Option<(u32, u32)>,
    pub(crate) depth: usize,
    /// How many calls around the place were inlined into its function.
    pub(crate) inlined: usize,
    /// The next instruction.
    pub(crate) offset: Option<borges_vm::CodeOffset>,
    pub(crate) moment: Moment,
}

impl Origin {
    /// How deep the source says that it is: calls that were inlined are calls.
    pub(crate) fn source_depth(&self) -> (usize, usize) {
        (self.depth, self.inlined)
    }
}

impl Stage {
    /// A program at its start, of which nothing is recorded yet.
    pub(crate) fn new(opened: Opened, version: u32, options: &Options) -> Self {
        let (loaded, machine) = Loaded::new(opened, version);
        let twin = Twin::new(loaded.program().clone(), machine);
        let history = History::new(twin, options);
        Self { loaded, history }
    }

    /// What there is to be seen.
    pub(crate) fn sight(&self) -> Sight<'_> {
        Sight {
            loaded: &self.loaded,
            history: &self.history,
        }
    }

    pub(crate) fn program(&self) -> &Program {
        self.loaded.program()
    }

    pub(crate) fn board(&self) -> &Board {
        self.loaded.board()
    }

    pub(crate) fn info(&self) -> &DebugInfo {
        self.loaded.info()
    }

    /// The moment shown, with the names of its source.
    pub(crate) fn scene(&self) -> Scene<'_> {
        Scene {
            program: self.program(),
            info: self.info(),
            machine: &self.history.twin().machine,
        }
    }

    /// Looks elsewhere and comes back to where the user is, whatever comes of it.
    pub(crate) fn elsewhere<T>(
        &mut self,
        look: impl FnOnce(&mut Self) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        let here = self.history.hold();
        let seen = look(self);
        let back = self.history.seek(here, &mut unobserved);
        self.history.release();
        back?;
        seen
    }

    /// Shows a moment on the current path.
    pub(crate) fn arrive(
        &mut self,
        moment: Moment,
        observer: Observer<'_>,
    ) -> Result<StopReason, CommandError> {
        self.history.seek(moment, observer)?;
        Ok(self.ended().unwrap_or(StopReason::Done))
    }

    /// How the program ended, if it has ended here.
    pub(crate) fn ended(&self) -> Option<StopReason> {
        let here = self.history.here();
        let at_tip = self.history.tip_of(here.place.branch) == here;
        let end = self.history.tree().end(here.place.branch);
        match end.filter(|_| at_tip) {
            Some(End::Finished(_)) => Some(self.finished()),
            Some(End::Trapped(trap)) => Some(self.trapped(trap)),
            // The branch may go on with an event that did not come this time.
            _ => match self.history.twin().machine.outcome()? {
                Outcome::Finished(_) | Outcome::Exited(_) => Some(self.finished()),
                Outcome::Trapped(trap) => Some(self.trapped(&trap.to_string())),
            },
        }
    }

    fn finished(&self) -> StopReason {
        StopReason::Finished {
            results: self.scene().results(),
        }
    }

    fn trapped(&self, trap: &str) -> StopReason {
        let said = self.scene().said();
        let trap = said.map_or_else(|| trap.to_owned(), |said| format!("{trap}: {said}"));
        StopReason::Trapped { trap }
    }

    pub(crate) fn origin(&self) -> Origin {
        let machine = &self.history.twin().machine;
        let offset = machine.location().map(|location| location.offset);
        let place = offset.and_then(|offset| self.info().place_at(offset));
        Origin {
            line: place.map(|place| (place.file.0, place.line)),
            depth: machine.depth(),
            inlined: offset.map_or(0, |offset| self.info().inlined_at(offset)),
            offset,
            moment: self.history.here(),
        }
    }

    /// How far the program is, for whoever waits.
    pub(crate) fn progress(&self, what: &str) -> Event {
        Event::Progress {
            what: what.to_owned(),
            done: self.history.twin().steps(),
            total: None,
        }
    }
}
