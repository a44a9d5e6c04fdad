//! CaReDeb: causal-consistent reversible debugging of μOz programs.
//!
//! The commands are those of the paper's table 1, and what its descendant for Erlang added:
//! recording and causal replay, rolling by message, schedulers, race sets, and who waits for
//! whom. A [`Session`] carries a [`Command`] out and answers with a [`Reply`]; faces read and print.
//!
//! ```
//! use borges_languages::muoz::caredeb::{Command, Session, Target};
//! use borges_multiverse::walk::Chooser;
//!
//! let mut session = Session::parse("let k = port in thread {send k 1} end end")?;
//! let run = Command::Run { chooser: Chooser::Turns, steps: None };
//! session.execute(run, "run", || true)?;
//! let sends = Target::Sends { port: "k".into(), count: 1 };
//! let told = session.execute(Command::Roll(sends), "rollsend k", || true)?;
//! assert!(told.to_string().contains("undid t1: {send k arg}"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod catalogue;
mod command;
mod look;
mod reply;
mod universes;

use std::sync::Arc;

use borges_multiverse::debug::{Debugger, Hit, Mode};
use borges_multiverse::graph::NodeId;
use borges_multiverse::language::Language;
use borges_multiverse::walk::{Chooser, Schedule};

pub use catalogue::{Halt, Runs};
pub use command::{Command, Target};
pub use reply::{
    Binding, Given, MessageLine, Place, RaceLine, Reply, Rest, Status, Step, ThreadLine, WaitLine,
};

use crate::model::Model;

use super::{
    Event, EventId, Machine, MuOz, Names, NoStep, ParseError, Recording, RecordingError, Refusal,
    Reversible, Rule, ThreadName, VariableName,
};

/// Steps that one run takes at most, unless it is told otherwise: a program may never end.
const FAR: u64 = 1_000_000;

/// How many steps are taken between two looks at whether to go on.
const BEAT: u64 = 1_024;

/// Steps of a run that are named together.
const NAMED: u32 = 256;

/// A debugging session with one program: every command that moves leads from the universe shown to
/// another, and the debugger keeps them all.
#[derive(Debug)]
pub struct Session {
    universes: Debugger<Runs>,
    /// The universe shown. It is paused, as all are to which commands lead.
    at: NodeId,
    names: Names,
    source: String,
    /// The universe at the end of the recorded run.
    recorded: Option<NodeId>,
    /// The command that is carried out, in the user's words.
    said: String,
}

/// Why a command changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// There is no such thread now.
    #[error("there is no thread {0} now; threads shows those there are")]
    NoThread(ThreadName),
    /// There is no such variable now.
    #[error("there is no {0} now; store shows the variables, threads the threads")]
    NoVariable(String),
    /// There is no such universe.
    #[error("there is no universe {0}; there are {1}, from 0")]
    NoUniverse(u32, usize),
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

/// Names what a machine has bound from an event on, if it is `wanted`.
fn name(
    names: &mut Names,
    machine: &Machine,
    from: EventId,
    wanted: impl Fn(&VariableName) -> bool,
) {
    for (_, event) in machine.events_from(from) {
        if let Some(name) = event.act.binds()
            && let Some(variable) = machine.state().variable(name)
            && wanted(name)
        {
            names.bind(name.clone(), variable.ident);
        }
    }
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

    /// A session at the start of a program; none if it is of another language.
    #[must_use]
    pub fn of(model: &Model) -> Option<Self> {
        let program = model.of::<MuOz>()?.clone();
        Some(Self::new(program, model.text().to_owned()))
    }

    /// A session at the start of `program`, which was parsed from `source`.
    #[must_use]
    pub fn new(program: MuOz, source: String) -> Self {
        let names = Names::new(program.program());
        let runs = Runs(Reversible(Arc::new(program)));
        let mut universes = Debugger::new(runs, Mode::Pause, usize::MAX);
        for halt in [Halt::Break, Halt::Assertion] {
            universes.add_breakpoint(halt);
        }
        Self {
            universes,
            at: NodeId::ROOT,
            names,
            source,
            recorded: None,
            said: String::new(),
        }
    }

    /// The machine in the universe shown, with its state and its past.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        self.machine_in(self.at)
    }

    fn machine_in(&self, universe: NodeId) -> &Machine {
        let known = self.universes.configuration(universe);
        &known.expect("no universe is taken away").program
    }

    /// The universe shown.
    #[must_use]
    pub const fn universe(&self) -> NodeId {
        self.at
    }

    /// All universes to which commands have led.
    #[must_use]
    pub const fn universes(&self) -> &Debugger<Runs> {
        &self.universes
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

    /// Carries a command out, which the user calls `said`. `keep_going` is asked every thousand steps
    /// of a run.
    ///
    /// # Errors
    /// [`SessionError`]; nothing has changed then.
    pub fn execute(
        &mut self,
        command: Command,
        said: &str,
        keep_going: impl FnMut() -> bool,
    ) -> Result<Reply> {
        said.clone_into(&mut self.said);
        match command {
            Command::Forth { thread, count } => {
                self.in_order(std::iter::repeat_n(&thread, count as usize), false)
            }
            Command::Run { chooser, steps } => self.run(chooser, steps, keep_going),
            Command::ByHand(threads) => self.in_order(threads.iter(), true),
            Command::Back(thread) => self.back(&thread),
            Command::Roll(target) => self.roll(&target),
            Command::Threads => Ok(self.here()),
            Command::Store => Ok(Reply::Variables {
                variables: self.store().collect(),
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
            Command::Jump(universe) => self.jump(universe),
            Command::Follow(threads) => self.follow(&threads),
        }
    }

    /// Goes to the universe in which `machine` is, if that is another.
    fn go(&mut self, machine: Machine) {
        if machine != *self.machine() {
            let from = self.machine().steps();
            let to = self.universes.go(self.at, machine, self.said.clone());
            self.arrive(to, from);
        }
    }

    /// Takes steps of whomever `next` names, until it names nobody or they cannot; with `halts`, as
    /// far as breakpoints let them. Says which one halted it.
    fn lead(
        &mut self,
        halts: bool,
        mut next: impl FnMut(&Machine) -> Option<ThreadName>,
    ) -> Option<Rest> {
        if halts {
            // A long run has much to name: done on the way, nobody waits for it at the end.
            let mut names = std::mem::take(&mut self.names);
            let mut named = self.machine().steps();
            let to = self.universes.lead(self.at, self.said.clone(), |machine| {
                if machine.steps() >= named + NAMED {
                    name(&mut names, machine, EventId(named), |_| true);
                    named = machine.steps();
                }
                next(machine)
            });
            self.names = names;
            self.arrive(Some(to?), named);
            return self.halted();
        }
        let mut machine = self.machine().clone();
        while let Some(thread) = next(&machine)
            && machine.forward(&thread).is_ok()
        {}
        self.go(machine);
        None
    }

    /// Stands in a universe, and names what is new there: what happened from an event on.
    fn arrive(&mut self, to: Option<NodeId>, from: u32) {
        self.at = to.unwrap_or(self.at);
        let machine = self.machine().clone();
        name(&mut self.names, &machine, EventId(from), |_| true);
    }

    /// A step in words, with the rule that did it or undid it.
    fn told(&self, event: &Event, rule: fn(Rule) -> &'static str) -> Step {
        Step {
            thread: event.thread.to_string(),
            rule: rule(event.act.rule()),
            text: event.show(self.machine().program(), &self.names),
            span: event.span,
        }
    }

    fn no_step(&self, thread: &ThreadName, reason: &NoStep) -> SessionError {
        let thread = thread.clone();
        match reason {
            NoStep::NoThread => SessionError::NoThread(thread),
            NoStep::Done => SessionError::Done(thread),
            NoStep::Waits(port) => SessionError::Waits(thread, self.names.show(port).into_owned()),
            NoStep::Stuck(stuck) => SessionError::Stuck(thread, stuck.show(&self.names)),
        }
    }

    /// Takes a step of each of these threads; with `halts`, as far as a run would go.
    fn in_order<'t>(
        &mut self,
        mut threads: impl Iterator<Item = &'t ThreadName>,
        halts: bool,
    ) -> Result<Reply> {
        let (from, mut asked) = (self.machine().steps(), None);
        let halted = self.lead(halts, |_| {
            asked = threads.next();
            asked.cloned()
        });
        let rest = match (halted, asked) {
            (Some(halted), _) => halted,
            (None, None) => Rest::Done,
            // Steps that were taken stay; the answer says what stops the thread.
            (None, Some(thread)) => {
                let refused = self.machine().clone().forward(thread);
                if let (Err(reason), true) = (refused, self.machine().steps() == from) {
                    return Err(self.no_step(thread, &reason));
                }
                match self.rest() {
                    Rest::Done => Rest::Stopped {
                        thread: thread.to_string(),
                    },
                    rest => rest,
                }
            }
        };
        Ok(self.went(from, rest))
    }

    /// The breakpoint that halted what led here.
    fn halted(&self) -> Option<Rest> {
        let hits = self.universes.configuration(self.at)?.hits();
        let Some(Hit::Breakpoint(id, at)) = hits.first() else {
            return None;
        };
        let mut halts = self.universes.breakpoints();
        let (_, halt, _) = halts.find(|(known, ..)| known == id)?;
        let thread = at.as_ref().map_or_else(String::new, ToString::to_string);
        Some(match halt {
            Halt::Break => Rest::Break { thread },
            Halt::Assertion => Rest::Assertion { thread },
            Halt::When(what) => Rest::Breakpoint {
                id: id.0,
                what: what.to_string(),
            },
        })
    }

    /// Why nothing more happens, as far as the whole program can say.
    fn rest(&self) -> Rest {
        let (program, state) = (self.machine().program(), self.machine().state());
        let mut able = Vec::new();
        program.enabled(state, &mut able);
        match able
            .is_empty()
            .then(|| program.outcome(state).verdicts.finished())
        {
            None => Rest::Done,
            Some(true) => Rest::Finished,
            Some(false) => Rest::Hang,
        }
    }

    /// What happened since there were `from` steps.
    fn went(&self, from: u32, rest: Rest) -> Reply {
        let all = self.machine().steps();
        let shown = EventId(from.max(all.saturating_sub(reply::SHOWN)));
        let events = self.machine().events_from(shown);
        let told = events.map(|(_, event)| self.told(event, Rule::forward));
        let total = u64::from(all - from);
        let is_unfinished = |line: &ThreadLine| match &rest {
            Rest::Stopped { thread } => line.thread == *thread,
            Rest::Hang => line.status != Status::Done,
            _ => false,
        };
        let threads = self.threads().into_iter();
        let unfinished = threads.filter(is_unfinished).collect();
        Reply::Went {
            steps: told.collect(),
            total,
            rest,
            unfinished,
        }
    }

    /// Runs by a rule.
    fn run(
        &mut self,
        chooser: Chooser<ThreadName>,
        steps: Option<u64>,
        mut keep_going: impl FnMut() -> bool,
    ) -> Result<Reply> {
        let chooser = chooser.named(|name| match self.machine().state().thread(&name) {
            Some(_) => Ok(name),
            None => Err(SessionError::NoThread(name)),
        })?;
        let from = self.machine().steps();
        let (mut taken, mut cut) = (0, None);
        let mut schedule = Schedule::<MuOz>::from(chooser);
        let mut able = Vec::new();
        let halted = self.lead(true, |machine| {
            able.clear();
            machine.program().enabled(machine.state(), &mut able);
            let next = schedule.pick(machine.program(), machine.state(), &able)?;
            let next = able.get(next)?;
            if taken == steps.unwrap_or(FAR) {
                cut = Some(steps.map_or(Rest::Limit, |_| Rest::Done));
            } else if (taken + 1).is_multiple_of(BEAT) && !keep_going() {
                cut = Some(Rest::Cancelled);
            }
            taken += 1;
            cut.is_none().then(|| next.clone())
        });
        let rest = halted.or(cut).unwrap_or_else(|| self.rest());
        Ok(self.went(from, rest))
    }

    fn back(&mut self, thread: &ThreadName) -> Result<Reply> {
        let mut machine = self.machine().clone();
        match machine.backward(thread) {
            Ok(event) => {
                let steps = vec![self.told(&event, Rule::backward)];
                self.go(machine);
                Ok(Reply::Undid { steps })
            }
            Err(Refusal::NoThread) => Err(SessionError::NoThread(thread.clone())),
            Err(Refusal::Nothing) => Err(SessionError::FewSteps(thread.clone(), 0)),
            Err(Refusal::Consequences(first)) => {
                let event = |id: &EventId| machine.event(*id);
                let first = first.iter().filter_map(event);
                let last = machine.history(thread);
                let step = last.last().and_then(event);
                Err(SessionError::Consequences {
                    thread: thread.clone(),
                    step: step.map_or_else(String::new, |step| self.told(step, Rule::forward).text),
                    first: first
                        .map(|event| self.told(event, Rule::backward))
                        .collect(),
                })
            }
        }
    }

    fn roll(&mut self, target: &Target) -> Result<Reply> {
        let mut machine = self.machine().clone();
        let undone = self.past(target)?.map(|target| machine.roll(target));
        let told = undone
            .iter()
            .flatten()
            .map(|event| self.told(event, Rule::backward));
        let steps = told.collect();
        self.go(machine);
        Ok(Reply::Undid { steps })
    }

    /// The event at which a roll aims; undoing the first of several undoes all.
    fn past(&self, target: &Target) -> Result<Option<EventId>> {
        let machine = self.machine();
        let missing = |id: &str| SessionError::NoVariable(id.to_owned());
        let events = self.aim(machine, target, machine, missing)?;
        let few = |port: &String, way| SessionError::FewMessages(port.clone(), events.len(), way);
        let (count, few) = match target {
            Target::Steps { thread, count } => {
                let exists = machine.state().is_done(thread);
                exists.ok_or_else(|| SessionError::NoThread(thread.clone()))?;
                let count = count.map_or(events.len().max(1), |count| count as usize);
                (count, SessionError::FewSteps(thread.clone(), events.len()))
            }
            Target::Sends { port, count } => (*count as usize, few(port, "to")),
            Target::Receives { port, count } => (*count as usize, few(port, "out of")),
            Target::Message { port, number } => {
                let nth = events.get(*number as usize - 1).copied();
                return nth.ok_or_else(|| few(port, "to")).map(Some);
            }
            Target::Thread(thread) if *thread == ThreadName::MAIN => {
                return Err(SessionError::FirstThread);
            }
            Target::Thread(thread) => (1, SessionError::NoThread(thread.clone())),
            Target::Variable(_) | Target::All => return Ok(events.first().copied()),
        };
        let first = events.len().checked_sub(count).ok_or(few)?;
        Ok(Some(events[first]))
    }

    /// The events of a run among which a target counts; `machine` knows the names in it, and `missing`
    /// says what is wrong with one that it does not know.
    fn aim(
        &self,
        run: &Machine,
        target: &Target,
        machine: &Machine,
        missing: impl Fn(&str) -> SessionError,
    ) -> Result<Vec<EventId>> {
        let named = |id: &str| self.variable_in(machine, id).ok_or_else(|| missing(id));
        let port = |id: &str| self.port_in(machine, id, named(id)?);
        Ok(match target {
            Target::Steps { thread, .. } => run.history(thread),
            Target::Sends { port: id, .. } | Target::Message { port: id, .. } => {
                run.sends(&port(id)?)
            }
            Target::Receives { port: id, .. } => run.receives(&port(id)?),
            Target::Variable(id) => run.binding(&named(id)?).into_iter().collect(),
            Target::Thread(thread) => run.creation(thread).into_iter().collect(),
            Target::All => run.events().map(|(id, _)| id).collect(),
        })
    }

    fn record(&mut self, recording: Option<Recording>) -> Result<Reply> {
        let at = match recording {
            Some(recording) => {
                let machine = recording.run(self.machine().program())?;
                let to = self.universes.go(self.at, machine, self.said.clone());
                to.unwrap_or(self.at)
            }
            None => self.at,
        };
        self.recorded = Some(at);
        // Names are given at once, so that replays can be asked for by name.
        let (here, recorded) = (self.machine().clone(), self.machine_in(at).clone());
        let is_new = |name: &VariableName| here.state().variable(name).is_none();
        name(&mut self.names, &recorded, EventId(0), is_new);
        let run = Recording::of(&recorded).to_string();
        Ok(Reply::Recorded { run })
    }

    fn replay(&mut self, target: &Target) -> Result<Reply> {
        let recorded = self.recorded.ok_or(SessionError::NoRecording)?;
        let (from, recorded) = (self.machine().steps(), self.machine_in(recorded));
        if !self.machine().is_part_of(recorded) {
            return Err(SessionError::Diverged);
        }
        let missing = self
            .machine()
            .missing(recorded, self.future(recorded, target)?);
        let reply = self.in_order(missing.iter(), false)?;
        Ok(match target {
            Target::All => self.went(from, self.rest()),
            _ => reply,
        })
    }

    /// The event of the recorded run at which a replay aims; none if at all of them.
    fn future(&self, recorded: &Machine, target: &Target) -> Result<Option<EventId>> {
        let missing = |id: &str| match self.names.find(id) {
            None if !matches!(target, Target::Variable(_)) => {
                SessionError::NoVariable(id.to_owned())
            }
            _ => SessionError::NotRecorded,
        };
        let theirs = self.aim(recorded, target, recorded, missing)?;
        let mine = self.aim(self.machine(), target, recorded, missing)?.len();
        let nth = match target {
            Target::All => return Ok(None),
            Target::Steps { count, .. } => mine + count.unwrap_or(1) as usize,
            Target::Sends { count, .. } | Target::Receives { count, .. } => mine + *count as usize,
            Target::Message { number, .. } => *number as usize,
            Target::Variable(_) | Target::Thread(_) => 1,
        };
        let event = theirs.get(nth - 1).copied();
        event.ok_or(SessionError::NotRecorded).map(Some)
    }
}
