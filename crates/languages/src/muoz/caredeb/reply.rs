//! What commands answer: as data for programs, and as text for people.

use std::fmt;

use borges_multiverse::language::Span;
use serde::Serialize;

/// A step that was done or undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Whose.
    pub thread: String,
    /// By which rule, forward or backward.
    pub rule: &'static str,
    /// The step in words.
    pub text: String,
    /// The statement.
    #[serde(with = "Bytes")]
    pub span: Span,
}

/// Why going forward came to rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Rest {
    /// All steps that were asked for are taken.
    Done,
    /// A thread executed `<br>`.
    Break {
        /// Which.
        thread: String,
    },
    /// A thread came to an assertion that is false.
    Assertion {
        /// Which.
        thread: String,
    },
    /// A breakpoint of the user's was met.
    Breakpoint {
        /// Its number.
        id: u32,
        /// What it waits for.
        what: String,
    },
    /// The thread can go no further now, others can.
    Stopped {
        /// Which.
        thread: String,
    },
    /// All threads are done.
    Finished,
    /// No thread can go on, but these are not done.
    Hang,
    /// The limit of steps is reached.
    Limit,
    /// The user interrupted it.
    Cancelled,
}

/// What a thread is up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It can take a step.
    Ready,
    /// It waits for a message.
    Waiting,
    /// An assertion is false.
    Failed,
    /// No rule applies to it.
    Stuck,
    /// It has done all.
    Done,
}

impl Status {
    /// The status in a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Waiting => "waiting",
            Self::Failed => "failed",
            Self::Stuck => "stuck",
            Self::Done => "done",
        }
    }
}

/// A line of `threads`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ThreadLine {
    /// Its name.
    pub thread: String,
    /// What it is up to.
    pub status: Status,
    /// Its next statement, and why it cannot be executed; empty if it is done.
    pub text: String,
    /// The line of that statement in the source, from 1; 0 if it is done.
    pub line: u32,
}

/// A variable with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Binding {
    /// Its name.
    pub name: String,
    /// Its value: a number, `true`, `port k`, `proc f`; for a port of its own name, its queue.
    pub value: String,
}

/// A message of a port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MessageLine {
    /// Which of the port's messages, from 1.
    pub number: u32,
    /// The variable that was sent.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Who sent it.
    pub sender: String,
    /// Who received it, and as which variable.
    pub received: Option<(String, String)>,
}

/// A receive with what could have been otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RaceLine {
    /// The message that was received.
    pub message: MessageLine,
    /// Messages that could have been received instead.
    pub others: Vec<MessageLine>,
    /// Threads that could have received it instead, with their variable if they received later.
    pub rivals: Vec<(String, Option<String>)>,
}

/// A thread that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitLine {
    /// Who.
    pub thread: String,
    /// On which port.
    pub port: String,
    /// Who could send to it.
    pub senders: Vec<String>,
    /// Whether nobody will.
    pub forever: bool,
}

/// A statement that a thread will come back to, or its next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Where in the source.
    #[serde(with = "Bytes")]
    pub span: Span,
    /// The source with the place marked.
    pub excerpt: String,
}

/// What a command answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum Reply {
    /// Steps were taken.
    Went {
        /// The last of them, in order.
        steps: Vec<Step>,
        /// How many there were in all.
        total: u64,
        /// Why there were no more.
        rest: Rest,
        /// The threads that are not done, if all rest; the one that stopped, if others can go on.
        unfinished: Vec<ThreadLine>,
    },
    /// These steps were undone, in this order.
    Undid {
        /// The steps.
        steps: Vec<Step>,
    },
    /// The threads.
    Threads {
        /// In the order of their names.
        threads: Vec<ThreadLine>,
    },
    /// Variables: all, or those in a thread's scope.
    Variables {
        /// In the order of their birth, or of the scopes.
        variables: Vec<Binding>,
    },
    /// A procedure's code.
    Procedure {
        /// Its name.
        name: String,
        /// Its text.
        text: String,
    },
    /// A port with the messages that wait, or with those that were received.
    Port {
        /// Its name.
        name: String,
        /// The messages, the oldest first.
        messages: Vec<MessageLine>,
        /// Whether these are the messages that were received.
        past: bool,
    },
    /// The code that a thread has still to execute.
    Code {
        /// The thread.
        thread: ThreadLine,
        /// The code.
        text: String,
    },
    /// What a thread has done.
    History {
        /// The thread.
        thread: String,
        /// Its steps, the oldest first.
        steps: Vec<Step>,
    },
    /// The receives from a port with what could have been otherwise.
    Races {
        /// The port.
        port: String,
        /// In the order in which they happened.
        receives: Vec<RaceLine>,
    },
    /// Who waits for whom.
    Waits {
        /// Those who wait, in the order of their names.
        waits: Vec<WaitLine>,
    },
    /// Where a thread stands, the innermost place first.
    Where {
        /// The thread.
        thread: ThreadLine,
        /// Its places.
        places: Vec<Place>,
    },
    /// A run is kept for replay.
    Recorded {
        /// The run, as `record` reads it.
        run: String,
    },
    /// The commands that led here.
    Path {
        /// In order.
        commands: Vec<Given>,
    },
}

/// A command that led to a universe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Given {
    /// The universe.
    pub universe: u32,
    /// The command, as it was typed.
    pub command: String,
}

/// A place in the source as `{"start": …, "end": …}`, in bytes.
#[derive(Serialize)]
#[serde(remote = "Span")]
struct Bytes {
    start: u32,
    end: u32,
}

/// Steps that a run shows at most; it says how many there were.
pub(super) const SHOWN: u32 = 20;

impl fmt::Display for Reply {
    /// The answer for people; every line ends with a line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Went {
                steps,
                total,
                rest,
                unfinished,
            } => went(f, steps, *total, rest, unfinished),
            Self::Undid { steps } => {
                for step in steps {
                    writeln!(f, "undid {}: {}", step.thread, step.text)?;
                }
                Ok(())
            }
            Self::Threads { threads } => lines(f, threads),
            Self::Variables { variables } if variables.is_empty() => writeln!(f, "no variables"),
            Self::Variables { variables } => variables
                .iter()
                .try_for_each(|b| writeln!(f, "{} = {}", b.name, b.value)),
            Self::Procedure { name, text } => writeln!(f, "{name} = {text}"),
            Self::Port {
                name,
                messages,
                past,
            } => {
                let many = if messages.len() == 1 { "" } else { "s" };
                let what = if *past { "received" } else { "waiting" };
                writeln!(f, "port {name}: {} message{many} {what}", messages.len())?;
                messages
                    .iter()
                    .try_for_each(|message| writeln!(f, "  {message}"))
            }
            Self::Code { thread, text } if text.is_empty() => writeln!(f, "{thread}"),
            Self::Code { text, .. } => writeln!(f, "{text}"),
            Self::History { thread, steps } if steps.is_empty() => {
                writeln!(f, "{thread} has done nothing")
            }
            Self::History { steps, .. } => {
                for (nth, step) in (1_u32..).zip(steps) {
                    writeln!(f, "{nth:3}  {}", step.text)?;
                }
                Ok(())
            }
            Self::Races { port, receives } if receives.is_empty() => {
                writeln!(f, "nothing was received from {port}")
            }
            Self::Races { receives, .. } => receives.iter().try_for_each(|race| race.fmt(f)),
            Self::Waits { waits } if waits.is_empty() => writeln!(f, "nobody waits"),
            Self::Waits { waits } => show_waits(f, waits),
            Self::Where { thread, places } => {
                writeln!(f, "{thread}")?;
                places
                    .iter()
                    .try_for_each(|place| f.write_str(&place.excerpt))
            }
            Self::Recorded { run } => writeln!(f, "recorded {run}"),
            Self::Path { commands } => commands
                .iter()
                .try_for_each(|one| writeln!(f, "  {:<6}  {}", one.universe, one.command)),
        }
    }
}

fn lines(f: &mut fmt::Formatter<'_>, lines: &[ThreadLine]) -> fmt::Result {
    lines.iter().try_for_each(|line| writeln!(f, "{line}"))
}

fn went(
    f: &mut fmt::Formatter<'_>,
    steps: &[Step],
    total: u64,
    rest: &Rest,
    unfinished: &[ThreadLine],
) -> fmt::Result {
    if total > steps.len() as u64 {
        writeln!(f, "{} steps, then:", total - steps.len() as u64)?;
    }
    for step in steps {
        writeln!(f, "{}: {}", step.thread, step.text)?;
    }
    match rest {
        Rest::Done if total == 0 => writeln!(f, "nothing to do: that has happened"),
        Rest::Done => Ok(()),
        Rest::Break { thread } => writeln!(f, "{thread} is at <br>"),
        Rest::Assertion { thread } => writeln!(f, "the assertion of {thread} is false"),
        Rest::Breakpoint { id, what } => writeln!(f, "breakpoint {id}: {what}"),
        Rest::Stopped { .. } => lines(f, unfinished),
        Rest::Finished => writeln!(f, "all threads are done"),
        Rest::Hang => {
            writeln!(f, "no thread can go on; not done:")?;
            lines(f, unfinished)
        }
        Rest::Limit => writeln!(f, "stopped after {total} steps; continue goes on"),
        Rest::Cancelled => writeln!(f, "interrupted"),
    }
}

fn show_waits(f: &mut fmt::Formatter<'_>, waits: &[WaitLine]) -> fmt::Result {
    for wait in waits {
        let senders = match &wait.senders[..] {
            [] => "nobody could send to it".to_owned(),
            senders => format!("a message could come from {}", senders.join(", ")),
        };
        writeln!(f, "{} waits on {}: {senders}", wait.thread, wait.port)?;
    }
    let lost = waits.iter().filter(|wait| wait.forever);
    let lost: Vec<_> = lost.map(|wait| &wait.thread[..]).collect();
    match lost[..] {
        [] => Ok(()),
        [one] => writeln!(f, "deadlock: {one} waits for ever"),
        _ => writeln!(f, "deadlock: {} wait for ever", lost.join(", ")),
    }
}

impl fmt::Display for ThreadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.status == Status::Done {
            return write!(f, "{:4} done", self.thread);
        }
        let Self {
            thread,
            status,
            line,
            text,
        } = self;
        write!(f, "{thread:4} {:8} line {line}: {text}", status.word())
    }
}

impl MessageLine {
    /// The message, and who sent it.
    fn sent(&self) -> String {
        let Self {
            number,
            name,
            value,
            sender,
            ..
        } = self;
        format!("{number}: {name} = {value}, from {sender}")
    }
}

impl fmt::Display for MessageLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sent())?;
        match &self.received {
            Some((reader, variable)) => write!(f, ", received by {reader} as {variable}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for RaceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.message)?;
        for other in &self.others {
            writeln!(f, "  could have been {}", other.sent())?;
        }
        for (rival, variable) in &self.rivals {
            match variable {
                Some(variable) => writeln!(f, "  {rival} could have received it as {variable}")?,
                None => writeln!(f, "  {rival}, which waits, could have received it")?,
            }
        }
        if self.others.is_empty() && self.rivals.is_empty() {
            writeln!(f, "  could not be otherwise")?;
        }
        Ok(())
    }
}
