//! What remains of a program that ended.

use std::fmt;

use super::semantics::{MuOz, Ready};
use super::state::State;
use crate::source;

/// A message in a queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message {
    /// The variable that was sent.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// What remains of a program that ended: every variable, every queue, and who is not done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Answer {
    /// Variables with their values: numbers, `true`, `false`, `port k` (another name of it),
    /// `proc {x y}`; ports under the names for which they were made are among the queues.
    pub variables: Vec<(String, String)>,
    /// Ports with the messages that nobody received, the oldest first.
    pub queues: Vec<(String, Vec<Message>)>,
    /// Threads that are not done, with the reason.
    pub waiting: Vec<(String, String)>,
}

impl Answer {
    pub(super) fn of(program: &MuOz, state: &State) -> Self {
        let names = program.names(state);
        let mut remains = Self::default();
        for (name, variable) in state.variables() {
            let shown = names.show(&name).into_owned();
            match program.value(&name, variable, &names) {
                Some(value) => remains.variables.push((shown, value)),
                None => {
                    let queue = state.queue(&name).into_iter().map(|slot| Message {
                        name: names.show(&slot.name).into_owned(),
                        value: slot.value.show(&names),
                    });
                    remains.queues.push((shown, queue.collect()));
                }
            }
        }
        for thread in &state.threads {
            let name = &thread.name;
            let reason = match program.ready(state, thread) {
                Ready::Done | Ready::Step(_) => continue,
                Ready::Waits(port) => format!("waits on {}", names.show(&port)),
                Ready::Stuck(stuck) => stuck.show(&names),
            };
            let span = program.next_span(state, name);
            let starts = &program.program().line_starts;
            let line = span.map(|span| format!(", line {}", source::line_of(starts, span)));
            let reason = reason + &line.unwrap_or_default();
            remains.waiting.push((name.to_string(), reason));
        }
        remains
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variables = self
            .variables
            .iter()
            .map(|(name, value)| format!("{name} = {value}"));
        let queues = self.queues.iter().map(|(name, queue)| {
            let queue: Vec<_> = queue.iter().map(|message| &message.name[..]).collect();
            format!("{name} = [{}]", queue.join(", "))
        });
        let store: Vec<_> = variables.chain(queues).collect();
        f.write_str(&store.join(", "))?;
        for (thread, reason) in &self.waiting {
            write!(f, "; {thread}: {reason}")?;
        }
        Ok(())
    }
}
