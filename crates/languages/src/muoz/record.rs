//! Recorded runs, and replaying parts of them with exactly their causes.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write};
use std::str::FromStr;
use std::sync::Arc;

use super::event::Event;
use super::machine::{EventId, Machine};
use super::name::{NoThreadName, ThreadName};
use super::semantics::MuOz;

/// A run as a text: who took a step, in order. `t0*6 t2 t1` is six steps of the first thread, one
/// of its second child, one of its first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording(pub Vec<ThreadName>);

/// The most steps that are read from a text.
const MAX_STEPS: usize = 10_000_000;

/// Why a text is no recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordingError {
    /// A word that names no thread.
    #[error("{0} is no thread of a recording; a recording looks like t0*6 t2 t1")]
    Thread(String, #[source] NoThreadName),
    /// A wrong number of steps.
    #[error("in {0} comes no number of steps after *; a recording looks like t0*6 t2 t1")]
    Count(String),
    /// Too many steps.
    #[error("recordings have at most {MAX_STEPS} steps")]
    Long,
    /// The program does not run so.
    #[error("the program cannot take step {0} of this recording: it was made of another program")]
    Step(usize),
}

impl Recording {
    /// The run that led a machine to where it is.
    #[must_use]
    pub fn of(machine: &Machine) -> Self {
        let events = machine.events();
        Self(events.map(|(_, event)| event.thread.clone()).collect())
    }

    /// Runs it.
    ///
    /// # Errors
    /// [`RecordingError::Step`] with the first step, counted from 1, that cannot be taken.
    pub fn run(&self, program: &Arc<MuOz>) -> Result<Machine, RecordingError> {
        let mut machine = Machine::new(program.clone());
        for (nth, thread) in self.0.iter().enumerate() {
            machine
                .forward(thread)
                .map_err(|_| RecordingError::Step(nth + 1))?;
        }
        Ok(machine)
    }
}

impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, turns) in self.0.chunk_by(|a, b| a == b).enumerate() {
            if nth > 0 {
                f.write_char(' ')?;
            }
            if let Some(thread) = turns.first() {
                write!(f, "{thread}")?;
            }
            if turns.len() > 1 {
                write!(f, "*{}", turns.len())?;
            }
        }
        Ok(())
    }
}

impl FromStr for Recording {
    type Err = RecordingError;

    fn from_str(text: &str) -> Result<Self, RecordingError> {
        let mut run = Vec::new();
        for word in text.split_whitespace() {
            let (thread, count) = match word.split_once('*') {
                Some((thread, count)) => {
                    let wrong = |_| RecordingError::Count(word.to_owned());
                    (thread, count.parse::<usize>().map_err(wrong)?)
                }
                None => (word, 1),
            };
            let thread: ThreadName = thread
                .parse()
                .map_err(|e| RecordingError::Thread(word.to_owned(), e))?;
            if count > MAX_STEPS - run.len() {
                return Err(RecordingError::Long);
            }
            run.extend(std::iter::repeat_n(thread, count));
        }
        Ok(Self(run))
    }
}

impl Machine {
    /// Whether what has happened here also happened in `recorded`, with the same order on every
    /// port: then everything else of that run can still happen.
    #[must_use]
    pub fn is_part_of(&self, recorded: &Self) -> bool {
        let events = recorded.events();
        let theirs: HashMap<_, _> = events
            .map(|(_, event)| ((&event.thread, event.nth), &event.act))
            .collect();
        // What a step did says which message of its port it was.
        let mut mine = self.events();
        mine.all(|(_, event)| theirs.get(&(&event.thread, event.nth)) == Some(&&event.act))
    }

    /// What must still happen here so that an event of `recorded` happens, or all of them do: it and
    /// exactly its causes, in the order in which they happened there.
    #[must_use]
    pub fn missing(&self, recorded: &Self, target: Option<EventId>) -> Vec<ThreadName> {
        let turns = self.events();
        let done: HashSet<_> = turns.map(|(_, event)| (&event.thread, event.nth)).collect();
        let is_done = |event: &Event| done.contains(&(&event.thread, event.nth));
        let run = target.map(|target| (recorded.causality(EventId(0)), target.0 as usize));
        let is_cause = |id: EventId| {
            let run = run.as_ref();
            run.is_none_or(|(run, target)| run.happens_before(id.0 as usize, *target))
        };
        let events = recorded.events();
        let missing = events.filter(|(id, event)| !is_done(event) && is_cause(*id));
        missing.map(|(_, event)| event.thread.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_are_read_as_they_are_written() {
        for text in ["", "t0", "t0*6 t2 t1", "t0*2 t1.1*10 t0"] {
            assert_eq!(text.parse::<Recording>().unwrap().to_string(), text);
        }
        assert_eq!(
            "t1 t1\nt1*0".parse::<Recording>().unwrap().to_string(),
            "t1*2"
        );
        let wrong = |text: &str| text.parse::<Recording>().unwrap_err().to_string();
        assert!(wrong("x").starts_with("x is no thread"));
        assert!(wrong("t1*").starts_with("in t1* comes no number"));
        assert!(wrong("t1*99999999999").starts_with("recordings have at most"));
    }
}
