//! CaReDeb: causal-consistent reversible debugging of μOz programs.
//!
//! The commands are those of the paper's table 1, and what its descendant for Erlang added:
//! recording and causal replay, rolling by message, schedulers, race sets, and who waits for
//! whom. A [`Session`] reads a line, carries it out, and answers with a [`Reply`]; a face only
//! reads and prints.
//!
//! ```
//! use borges_languages::muoz::caredeb::Session;
//!
//! let mut session = Session::parse("let k = port in thread {send k 1} end end")?;
//! let mut told = String::new();
//! for line in ["run", "rollsend k", "list"] {
//!     told += &session.execute(line, || true)?.to_string();
//! }
//! assert!(told.contains("undid t1: {send k arg}"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod command;
mod look;
mod reply;

use std::sync::Arc;

use borges_multiverse::language::Language;
use borges_multiverse::random::Random;

pub use command::{COMMANDS, Command, CommandError, Scheduler, Spec, Target, find};
pub use reply::{
    Binding, MessageLine, Place, RaceLine, Reply, Rest, Status, Step, ThreadLine, WaitLine,
};

use super::{
    Act, Event, EventId, Machine, MuOz, Names, NoStep, ParseError, Recording, RecordingError,
    Refusal, Stuck, ThreadName, Value, VariableName,
};

/// Steps that one run takes at most, unless it is told otherwise: a program may never end.
const FAR: u64 = 1_000_000;

/// How many steps are taken between two looks at whether to go on.
const BEAT: u64 = 1_024;

/// A debugging session with one program.
#[derive(Clone, Debug)]
pub struct Session {
    machine: Machine,
    names: Names,
    source: String,
    /// The recorded run at its end.
    recorded: Option<Machine>,
    /// The last line, which an empty one repeats.
    last: Option<String>,
}

/// Why a command changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The line is no command.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// There is no line to repeat.
    #[error("there is no command to repeat yet; help lists them all")]
    NothingToRepeat,
    /// There is no such thread now.
    #[error("there is no thread {0} now; list shows those there are")]
    NoThread(ThreadName),
    /// There is no such variable now.
    #[error("there is no {0} now; store shows the variables, list the threads")]
    NoVariable(String),
    /// The variable's value is no port.
    #[error("{0} is no port")]
    NoPort(String),
    /// Variables do not change.
    #[error("{0} has no history: variables never change; print {0} shows it")]
    NoHistory(String),
    /// The thread has done all.
    #[error("{0} is done")]
    Done(ThreadName),
    /// The thread waits.
    #[error("{0} waits on {1}, which is empty; waits says for whom")]
    Waits(ThreadName, String),
    /// No rule applies to the thread.
    #[error("{0} cannot go on: {1}")]
    Stuck(ThreadName, String),
    /// Others depend on the step.
    #[error("{}", refusal(.thread, .step, .first))]
    Consequences {
        /// Whose step.
        thread: ThreadName,
        /// The step in words.
        step: String,
        /// What must be undone first, in this order.
        first: Vec<Step>,
    },
    /// The thread has taken no step, or fewer.
    #[error("{thread} has taken {few}", thread = .0, few = few(*.1, "step"))]
    FewSteps(ThreadName, usize),
    /// Fewer messages went through the port.
    #[error("{few} went {way} {port}", few = few(*.1, "message"), way = .2, port = .0)]
    FewMessages(String, usize, &'static str),
    /// Nobody created the first thread.
    #[error("nothing created the first thread; roll t0 undoes all that it did")]
    FirstThread,
    /// Nothing is recorded.
    #[error("nothing is recorded; record keeps the run so far")]
    NoRecording,
    /// The recorded run has no such event.
    #[error("the recorded run has no more of that")]
    NotRecorded,
    /// The session went another way.
    #[error("this run has left the recorded one; roll back what differs, or record anew")]
    Diverged,
    /// The recording does not fit the program.
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

fn few(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what} yet"),
        1 => format!("only one {what}"),
        _ => format!("only {number} {what}s"),
    }
}

fn refusal(thread: &ThreadName, step: &str, first: &[Step]) -> String {
    let first: Vec<_> = first
        .iter()
        .map(|s| format!("  {}: {}", s.thread, s.text))
        .collect();
    format!(
        "{thread} cannot go back over {step} before these are undone:\n{}\n\
         (roll {thread} 1 undoes all)",
        first.join("\n")
    )
}

type Result<T> = std::result::Result<T, SessionError>;

impl Session {
    /// A session at the start of the program that `source` is.
    ///
    /// # Errors
    /// [`ParseError`] if it is none.
    pub fn parse(source: &str) -> std::result::Result<Self, ParseError> {
        Ok(Self::new(MuOz::parse(source)?, source.to_owned()))
    }

    /// A session at the start of `program`, which was parsed from `source`.
    #[must_use]
    pub fn new(program: MuOz, source: String) -> Self {
        Self {
            machine: Machine::new(Arc::new(program)),
            names: Names::default(),
            source,
            recorded: None,
            last: None,
        }
    }

    /// The machine, with its state and its histories.
    #[must_use]
    pub const fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The names of its variables.
    #[must_use]
    pub const fn names(&self) -> &Names {
        &self.names
    }

    /// The program's text.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Reads a line and carries it out; an empty line repeats the last. `keep_going` is asked
    /// every thousand steps of a run.
    ///
    /// # Errors
    /// [`SessionError`]; nothing has changed then.
    pub fn execute(&mut self, line: &str, keep_going: impl FnMut() -> bool) -> Result<Reply> {
        let line = match line.trim() {
            "" => self.last.clone().ok_or(SessionError::NothingToRepeat)?,
            line => line.to_owned(),
        };
        let command = Command::parse(&line)?;
        self.last = Some(line);
        self.carry_out(command, keep_going)
    }

    /// Carries out a command.
    ///
    /// # Errors
    /// [`SessionError`]; nothing has changed then.
    pub fn carry_out(
        &mut self,
        command: Command,
        keep_going: impl FnMut() -> bool,
    ) -> Result<Reply> {
        match command {
            Command::Forth { thread, count } => self.forth(&thread, count),
            Command::Run {
                scheduler: Scheduler::ByHand(threads),
                ..
            } => self.in_order(threads.iter(), true),
            Command::Run {
                scheduler: Scheduler::Random { seed },
                steps,
            } => Ok(self.run(Some(Random::from_seed(seed)), steps, keep_going)),
            Command::Run {
                scheduler: Scheduler::RoundRobin,
                steps,
            } => Ok(self.run(None, steps, keep_going)),
            Command::Back(thread) => self.back(&thread),
            Command::Roll(target) => self.roll(&target),
            Command::List => Ok(Reply::Threads {
                threads: self.threads(),
            }),
            Command::Store => Ok(Reply::Variables {
                variables: self.store(),
            }),
            Command::Print(id) => self.print(&id),
            Command::History(id) => self.history(&id),
            Command::Races(id) => self.races(&id),
            Command::Waits => Ok(Reply::Waits {
                waits: self.waits(),
            }),
            Command::Where(thread) => self.place(&thread),
            Command::Bindings(thread) => self.bindings(&thread),
            Command::Record(recording) => self.record(recording),
            Command::Replay(target) => self.replay(&target),
            Command::Help(of) => Ok(Reply::Help {
                text: reply::help(of.as_deref())?,
            }),
            Command::Quit => Ok(Reply::Quit),
        }
    }

    /// Takes a step, and names what it binds.
    fn step(&mut self, thread: &ThreadName) -> std::result::Result<EventId, NoStep> {
        let id = self.machine.forward(thread)?;
        if let Some(name) = self.machine.event(id).and_then(|event| event.act.binds())
            && let Some(variable) = self.machine.state().variable(name)
        {
            let program = self.machine.program().program();
            self.names.bind(program, name.clone(), variable.ident);
        }
        Ok(id)
    }

    fn told(&self, event: &Event, rule: &'static str) -> Step {
        Step {
            thread: event.thread.to_string(),
            rule,
            text: event.show(self.machine.program(), &self.names),
            span: event.span,
        }
    }

    fn told_forward(&self, id: EventId) -> Option<Step> {
        let event = self.machine.event(id)?;
        Some(self.told(event, event.act.rule().forward()))
    }

    fn no_step(&self, thread: &ThreadName, reason: &NoStep) -> SessionError {
        let thread = thread.clone();
        match reason {
            NoStep::NoThread => SessionError::NoThread(thread),
            NoStep::Done => SessionError::Done(thread),
            NoStep::Waits(port) => SessionError::Waits(thread, self.names.show(port).to_owned()),
            NoStep::Stuck(stuck) => SessionError::Stuck(thread, stuck.show(&self.names)),
        }
    }

    fn forth(&mut self, thread: &ThreadName, count: u32) -> Result<Reply> {
        self.in_order(std::iter::repeat_n(thread, count as usize), false)
    }

    /// Takes a step of each of these threads; with `stops`, as far as a run would go.
    fn in_order<'t>(
        &mut self,
        threads: impl Iterator<Item = &'t ThreadName>,
        stops: bool,
    ) -> Result<Reply> {
        let mut taken = Vec::new();
        for thread in threads {
            match self.step(thread) {
                Ok(id) => {
                    taken.push(id);
                    if let Some(stop) = self.stops_run(id).filter(|_| stops) {
                        return Ok(self.went(&taken, stop));
                    }
                }
                // Steps that were taken stay; the answer says what stops the thread.
                Err(reason) if taken.is_empty() => return Err(self.no_step(thread, &reason)),
                Err(_) => {
                    let rest = match self.rest() {
                        Rest::Done => Rest::Stopped(thread.to_string()),
                        rest => rest,
                    };
                    return Ok(self.went(&taken, rest));
                }
            }
        }
        Ok(self.went(&taken, Rest::Done))
    }

    /// Why nothing more happens, as far as the whole program can say.
    fn rest(&self) -> Rest {
        let (program, state) = (self.machine.program(), self.machine.state());
        if state
            .threads()
            .any(|thread| program.can_step(state, thread))
        {
            Rest::Done
        } else if state
            .threads()
            .all(|thread| state.is_done(thread) == Some(true))
        {
            Rest::Finished
        } else {
            Rest::Hang
        }
    }

    fn went(&self, taken: &[EventId], rest: Rest) -> Reply {
        let total = taken.len() as u64;
        let last = taken.len().saturating_sub(reply::SHOWN);
        let steps = taken[last..]
            .iter()
            .filter_map(|id| self.told_forward(*id))
            .collect();
        let unfinished = match &rest {
            Rest::Stopped(thread) => {
                let mut threads = self.threads();
                threads.retain(|line| line.thread == *thread);
                threads
            }
            Rest::Hang => {
                let threads = self.threads().into_iter();
                threads
                    .filter(|thread| thread.status != Status::Done)
                    .collect()
            }
            _ => Vec::new(),
        };
        Reply::Went {
            steps,
            total,
            rest,
            unfinished,
        }
    }

    /// Runs by chance, or by turns.
    fn run(
        &mut self,
        mut random: Option<Random>,
        steps: Option<u64>,
        mut keep_going: impl FnMut() -> bool,
    ) -> Reply {
        let mut taken = Vec::new();
        let mut able = Vec::new();
        let mut last: Option<ThreadName> = None;
        let limit = steps.unwrap_or(FAR);
        let rest = loop {
            able.clear();
            self.machine
                .program()
                .enabled(self.machine.state(), &mut able);
            let after_last = || {
                able.iter()
                    .find(|thread| last.as_ref().is_none_or(|l| *thread > l))
            };
            let next = match &mut random {
                Some(random) => able.get(random.below(able.len())),
                None => after_last().or_else(|| able.first()),
            };
            let Some(thread) = next.cloned() else {
                break self.rest();
            };
            if taken.len() as u64 == limit {
                break if steps.is_some() {
                    Rest::Done
                } else {
                    Rest::Limit
                };
            }
            if (taken.len() as u64 + 1).is_multiple_of(BEAT) && !keep_going() {
                break Rest::Cancelled;
            }
            let Ok(id) = self.step(&thread) else {
                break self.rest();
            };
            taken.push(id);
            if let Some(stop) = self.stops_run(id) {
                break stop;
            }
            last = Some(thread);
        };
        self.went(&taken, rest)
    }

    /// Whether a run stops after this event: at `<br>`, and where an assertion turns out false.
    fn stops_run(&self, id: EventId) -> Option<Rest> {
        let event = self.machine.event(id)?;
        if event.act == Act::Break {
            return Some(Rest::Break(event.thread.to_string()));
        }
        let (program, state) = (self.machine.program(), self.machine.state());
        let fails = |thread: &ThreadName| program.stuck(state, thread) == Some(Stuck::Assertion);
        let child = match &event.act {
            Act::Thread(child) => Some(child),
            _ => None,
        };
        let failed = [Some(&event.thread), child]
            .into_iter()
            .flatten()
            .find(|t| fails(t));
        failed.map(|thread| Rest::Assertion(thread.to_string()))
    }

    fn back(&mut self, thread: &ThreadName) -> Result<Reply> {
        match self.machine.backward(thread) {
            Ok(event) => Ok(Reply::Undid {
                steps: vec![self.told(&event, event.act.rule().backward())],
            }),
            Err(Refusal::NoThread) => Err(SessionError::NoThread(thread.clone())),
            Err(Refusal::Nothing) => Err(SessionError::FewSteps(thread.clone(), 0)),
            Err(Refusal::Consequences(first)) => {
                let events = first.iter().filter_map(|id| self.machine.event(*id));
                let first = events.map(|event| self.told(event, event.act.rule().backward()));
                let last = self.machine.history(thread).last();
                let step = last
                    .and_then(|id| self.told_forward(*id))
                    .map(|step| step.text);
                Err(SessionError::Consequences {
                    thread: thread.clone(),
                    step: step.unwrap_or_default(),
                    first: first.collect(),
                })
            }
        }
    }

    fn roll(&mut self, target: &Target) -> Result<Reply> {
        let targets = self.past(target)?;
        let undone = self.machine.roll(targets);
        let told = undone
            .iter()
            .map(|event| self.told(event, event.act.rule().backward()));
        Ok(Reply::Undid {
            steps: told.collect(),
        })
    }

    /// The events at which a roll aims; undoing the first of them undoes all.
    fn past(&self, target: &Target) -> Result<Option<EventId>> {
        let last = |events: &[EventId], count: u32| {
            let first = events.len().checked_sub(count as usize)?;
            events.get(first).copied()
        };
        match target {
            Target::Steps { thread, count } => {
                self.machine
                    .state()
                    .is_done(thread)
                    .ok_or(SessionError::NoThread(thread.clone()))?;
                let history = self.machine.history(thread);
                let few = SessionError::FewSteps(thread.clone(), history.len());
                match count {
                    Some(count) => last(history, *count).ok_or(few).map(Some),
                    None => history.first().copied().ok_or(few).map(Some),
                }
            }
            Target::Variable(id) => Ok(self.machine.binding(&self.variable(id)?)),
            Target::Sends { port, count } => {
                let sends = self.machine.sends(&self.port(port)?);
                let few = SessionError::FewMessages(port.clone(), sends.len(), "to");
                last(sends, *count).ok_or(few).map(Some)
            }
            Target::Receives { port, count } => {
                let receives = self.machine.receives(&self.port(port)?);
                let few = SessionError::FewMessages(port.clone(), receives.len(), "out of");
                last(receives, *count).ok_or(few).map(Some)
            }
            Target::Message { port, number } => {
                let sends = self.machine.sends(&self.port(port)?);
                let few = SessionError::FewMessages(port.clone(), sends.len(), "to");
                sends
                    .get(*number as usize - 1)
                    .copied()
                    .ok_or(few)
                    .map(Some)
            }
            Target::Thread(thread) => {
                if *thread == ThreadName::MAIN {
                    return Err(SessionError::FirstThread);
                }
                let creation = self.machine.creation(thread);
                creation
                    .ok_or_else(|| SessionError::NoThread(thread.clone()))
                    .map(Some)
            }
            Target::All => Ok(self.machine.events().next().map(|(id, _)| id)),
        }
    }

    fn record(&mut self, recording: Option<Recording>) -> Result<Reply> {
        let recorded = match recording {
            Some(recording) => recording.run(self.machine.program())?,
            None => self.machine.clone(),
        };
        // Names are given at once, so that replays can be asked for by name.
        let program = self.machine.program().clone();
        for (_, event) in recorded.events() {
            if let Some(name) = event.act.binds()
                && let Some(variable) = recorded.state().variable(name)
                && self.machine.state().variable(name).is_none()
            {
                self.names
                    .bind(program.program(), name.clone(), variable.ident);
            }
        }
        let text = Recording::of(&recorded).to_string();
        self.recorded = Some(recorded);
        Ok(Reply::Recorded { run: text })
    }

    fn replay(&mut self, target: &Target) -> Result<Reply> {
        let recorded = self.recorded.as_ref().ok_or(SessionError::NoRecording)?;
        if !self.machine.is_part_of(recorded) {
            return Err(SessionError::Diverged);
        }
        let targets = self.future(recorded, target)?;
        let mut taken = Vec::new();
        for thread in self.machine.missing(recorded, targets) {
            let id = self
                .step(&thread)
                .map_err(|reason| self.no_step(&thread, &reason))?;
            taken.push(id);
        }
        let rest = if *target == Target::All {
            self.rest()
        } else {
            Rest::Done
        };
        Ok(self.went(&taken, rest))
    }

    /// The events of the recorded run at which a replay aims.
    fn future(&self, recorded: &Machine, target: &Target) -> Result<Vec<EventId>> {
        let next = |theirs: &[EventId], mine: usize, count: u32| {
            let last = mine.checked_add(count as usize)?.checked_sub(1)?;
            theirs.get(last).copied()
        };
        let one = match target {
            Target::Steps { thread, count } => {
                let (theirs, mine) = (recorded.history(thread), self.machine.history(thread).len());
                next(theirs, mine, count.unwrap_or(1))
            }
            Target::Variable(id) => self
                .names
                .find(id)
                .and_then(|variable| recorded.binding(variable)),
            Target::Sends { port, count } => {
                let port = self.recorded_port(recorded, port)?;
                next(
                    recorded.sends(&port),
                    self.machine.sends(&port).len(),
                    *count,
                )
            }
            Target::Receives { port, count } => {
                let port = self.recorded_port(recorded, port)?;
                next(
                    recorded.receives(&port),
                    self.machine.receives(&port).len(),
                    *count,
                )
            }
            Target::Message { port, number } => {
                let port = self.recorded_port(recorded, port)?;
                next(recorded.sends(&port), 0, *number)
            }
            Target::Thread(thread) => recorded.creation(thread),
            Target::All => return Ok(recorded.events().map(|(id, _)| id).collect()),
        };
        Ok(vec![one.ok_or(SessionError::NotRecorded)?])
    }

    fn recorded_port(&self, recorded: &Machine, id: &str) -> Result<VariableName> {
        let name = self
            .names
            .find(id)
            .ok_or_else(|| SessionError::NoVariable(id.to_owned()))?;
        match recorded
            .state()
            .variable(name)
            .map(|variable| &variable.value)
        {
            Some(Value::Port(port)) => Ok(port.clone()),
            Some(_) => Err(SessionError::NoPort(id.to_owned())),
            None => Err(SessionError::NotRecorded),
        }
    }
}
