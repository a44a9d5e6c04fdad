//! The plain run: the VM, a driver and a simulated board, and nothing else.
//!
//! No stub, no link, no twin: what a program does here is what it does without a debugger. It is the oracle that sessions
//! are tested against (theorems 1 to 3), and what `borges run` shows.

mod report;

use std::collections::VecDeque;
use std::path::Path;

use borges_board::{Action, Driver, Event as BoardEvent, EventSource, Kind, PrimitiveId};
use borges_debuginfo::{DebugInfo, Folders};
use borges_sim::{Environment, SimBoard};
use borges_stub::Program;
use borges_vm::{Exit, Machine, Outcome as Ended, StateHash, Trap, Value};
use thiserror::Error;

use crate::command::{Event, Flow};
use crate::inspect::Look;
use crate::open::{Board, OpenError, read};
use crate::values::{parse, show};
pub(crate) use report::json;
pub use report::{EventDelivered, InputRead, OutputDone, RunOutcome, RunReport, TrapAt};

/// Steps between two looks at whether to go on.
const SLICE: u64 = 1 << 22;
/// Without a bound of the caller's, so many inputs, outputs and events end a run: most device programs never end, and all
/// of them are kept.
const MOST_ENTRIES: usize = 1_000_000;
/// Without a bound of the caller's, so many steps end a run.
const MOST_STEPS: u64 = 100_000_000_000;

/// Where inputs come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Inputs {
    /// The board's sources.
    #[default]
    Board,
    /// These texts in turn, whatever is read; then the run ends.
    Texts(Vec<String>),
    /// These values in turn; then the run ends.
    Values(Vec<Value>),
}

/// Where events come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Events {
    /// The board.
    #[default]
    Board,
    /// These, before the instruction after so many steps.
    At(Vec<(u64, BoardEvent)>),
}

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// The exported function to call; without one, `main` or `_start`.
    pub entry: Option<String>,
    /// Where inputs come from.
    pub inputs: Inputs,
    /// Where events come from.
    pub events: Events,
    /// The most steps to take; without it, the run ends after a million inputs, outputs and events.
    pub steps: Option<u64>,
    /// Seeds the simulated board; without it, the board's own seed.
    pub seed: Option<u64>,
}

/// Why a plain run cannot be carried out.
#[derive(Debug, Error)]
pub enum RunError {
    /// The program or its board cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// An input that was given is none that this primitive can read there.
    #[error("input {number} cannot be '{text}': {call} at step {step} {why}")]
    Input {
        /// Which of the given inputs, from 1.
        number: usize,
        /// What was given.
        text: String,
        /// The call that reads it.
        call: String,
        /// Steps before it.
        step: u64,
        /// What it can be.
        why: String,
    },
}

/// A program that runs plainly.
pub struct PlainRun {
    program: Program,
    machine: Machine,
    driver: Driver<SimBoard>,
    info: DebugInfo,
    inputs: VecDeque<Given>,
    live: bool,
    /// Inputs taken from those that were given.
    taken: usize,
    scripted: Option<VecDeque<(u64, BoardEvent)>>,
    report: RunReport,
}

/// An input that was given.
enum Given {
    Text(String),
    Value(Value),
}

/// Why the loop came to rest.
enum Rest {
    Outcome(RunOutcome),
    /// An output, input or event happened; look around and go on.
    GoOn,
}

/// Opens a program and runs it.
///
/// `observer` hears what is printed as it is printed, how far the run has come, and may pause it.
///
/// # Errors
/// [`RunError`]: the program does not open, or an input that was given is none.
pub fn run(
    program: &Path,
    board: Option<&Path>,
    options: &RunOptions,
    observer: &mut dyn FnMut(Event) -> Flow,
) -> Result<RunReport, RunError> {
    let mut run = PlainRun::open(program, board, options)?;
    run.go(options.steps, observer)?;
    Ok(run.into_report())
}

impl PlainRun {
    /// A program at its start.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(
        program: &Path,
        named: Option<&Path>,
        options: &RunOptions,
    ) -> Result<Self, OpenError> {
        let bytes = read(program)?;
        let board = Board::find(program, named)?;
        let bound = board.program(program, &bytes)?;
        let mut run = Self::start(program, bound, &board, options)?;
        run.report.board_file = board_file(program, named);
        Ok(run)
    }

    /// A program that is bound to its board, at its start; `path` is for its sources and for messages.
    pub(crate) fn start(
        path: &Path,
        program: Program,
        board: &Board,
        options: &RunOptions,
    ) -> Result<Self, OpenError> {
        let entry = program.entry(options.entry.as_deref())?;
        let info =
            DebugInfo::load(program.module.bytes(), &Folders::around(path)).map_err(|e| {
                OpenError::Session {
                    path: path.to_owned(),
                    message: e.to_string(),
                }
            })?;
        let mut machine = Machine::new(program.module.clone(), board.vm_limits())?;
        machine.begin(entry, &program.entry_arguments(entry))?;
        let mut description = board.description.clone();
        if let Some(seed) = options.seed {
            description.simulation.seed = seed;
        }
        let hardware = SimBoard::new(&description);
        let report = RunReport {
            outcome: RunOutcome::Budget,
            steps: 0,
            state_hash: String::new(),
            results: Vec::new(),
            trap: None,
            outputs: Vec::new(),
            inputs: Vec::new(),
            events: Vec::new(),
            console: String::new(),
            board: description.name.clone(),
            board_file: None,
            module: program.module.hash(),
            entry: match &options.entry {
                Some(name) => name.clone(),
                None => entry_name(&program).to_owned(),
            },
        };
        let (live, inputs) = match &options.inputs {
            Inputs::Board => (true, VecDeque::new()),
            Inputs::Texts(texts) => (false, texts.iter().cloned().map(Given::Text).collect()),
            Inputs::Values(values) => (false, values.iter().copied().map(Given::Value).collect()),
        };
        let scripted = match &options.events {
            Events::Board => None,
            Events::At(events) => Some(events.iter().copied().collect()),
        };
        Ok(Self {
            driver: Driver::new(&program.board, hardware),
            program,
            machine,
            info,
            inputs,
            live,
            taken: 0,
            scripted,
            report,
        })
    }

    /// Runs until the end, or until `steps` were taken since the start.
    ///
    /// # Errors
    /// [`RunError::Input`].
    pub fn go(
        &mut self,
        steps: Option<u64>,
        observer: &mut dyn FnMut(Event) -> Flow,
    ) -> Result<RunOutcome, RunError> {
        let outcome = self.loop_until(steps, observer)?;
        self.report.outcome = outcome;
        self.report.steps = self.machine.steps();
        self.report.state_hash = self.machine.hash().to_string();
        if let Some(Ended::Finished(results)) = self.machine.outcome() {
            self.report.results = results.iter().map(|value| json(*value)).collect();
        }
        Ok(outcome)
    }

    /// All that happened.
    #[must_use]
    pub fn into_report(self) -> RunReport {
        self.report
    }

    /// What happened so far.
    #[must_use]
    pub fn report(&self) -> &RunReport {
        &self.report
    }

    /// What the program has done to the outside.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        self.driver.hardware.environment()
    }

    /// The state of the program.
    #[must_use]
    pub fn hash(&self) -> StateHash {
        self.machine.hash()
    }

    /// The machine, to compare in full.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    fn loop_until(
        &mut self,
        steps: Option<u64>,
        observer: &mut dyn FnMut(Event) -> Flow,
    ) -> Result<RunOutcome, RunError> {
        let until = steps.unwrap_or(MOST_STEPS);
        let mut next_look = SLICE;
        loop {
            self.deliver_due();
            let now = self.machine.steps();
            if now >= next_look {
                next_look = now + SLICE;
                let progress = Event::Progress {
                    what: "steps".to_owned(),
                    done: now,
                    total: steps,
                };
                if observer(progress) == Flow::Pause {
                    return Ok(RunOutcome::Paused);
                }
            }
            if steps.is_none() && self.entries() >= MOST_ENTRIES {
                return Ok(RunOutcome::Budget);
            }
            let limit = until.min(next_look).min(self.next_event(now));
            match self.machine.run(limit) {
                Exit::Budget if self.machine.steps() >= until => return Ok(RunOutcome::Budget),
                // No breakpoint and no watch is ever set.
                Exit::Budget | Exit::Breakpoint(_) | Exit::Watch { .. } => {}
                Exit::Finished => return Ok(RunOutcome::Returned),
                Exit::Trapped(trap) => {
                    self.note_trap(trap);
                    return Ok(RunOutcome::Trapped);
                }
                Exit::HostCall => match self.call(observer)? {
                    Rest::GoOn => {}
                    Rest::Outcome(outcome) => return Ok(outcome),
                },
            }
        }
    }

    fn entries(&self) -> usize {
        self.report.outputs.len() + self.report.inputs.len() + self.report.events.len()
    }

    /// The step before which an event may have to be delivered.
    fn next_event(&mut self, now: u64) -> u64 {
        match &self.scripted {
            Some(events) => match events.front() {
                Some((step, _)) if *step > now => *step,
                _ => u64::MAX,
            },
            // While a handler runs, an event that is due waits for its end.
            None => match self.driver.steps_to_event() {
                Some(distance) => now.saturating_add(distance.max(1)),
                None => u64::MAX,
            },
        }
    }

    /// Enters the handler of an event that is due, unless one runs already.
    fn deliver_due(&mut self) {
        let now = self.machine.steps();
        self.driver.at(now);
        let event = match &mut self.scripted {
            Some(events) => match events.front() {
                Some((step, _)) if *step <= now => events.pop_front().map(|(_, event)| event),
                _ => None,
            },
            None if self.machine.in_handler() => None,
            None => self.driver.poll_event(),
        };
        let Some(event) = event else {
            return;
        };
        if event.enter(&mut self.machine) {
            self.report.events.push(EventDelivered {
                step: now,
                source: match event.source {
                    EventSource::Pin(pin) => format!("pin {pin}"),
                    EventSource::Timer => "timer".to_owned(),
                },
                handler: event.handler,
            });
        }
    }

    /// Lets the pending call happen.
    fn call(&mut self, observer: &mut dyn FnMut(Event) -> Flow) -> Result<Rest, RunError> {
        let Some(pending) = self.machine.pending() else {
            return Ok(Rest::Outcome(RunOutcome::Returned));
        };
        let id = self.program.primitive(pending.func.0);
        let (step, args) = (self.machine.steps(), pending.args);
        let Some((id, primitive)) = id.and_then(|id| Some((id, self.program.board.primitive(id)?)))
        else {
            return Ok(self.refuse());
        };
        let name = primitive.name.to_string();
        match primitive.kind {
            Kind::Input => self.input(step, id, name, &args),
            Kind::Output => Ok(self.output(step, id, name, &args, observer)),
            Kind::Constant(value) => {
                self.answer(Some(value));
                Ok(Rest::GoOn)
            }
            Kind::Trap => Ok(self.refuse()),
        }
    }

    fn input(
        &mut self,
        step: u64,
        id: PrimitiveId,
        name: String,
        args: &[Value],
    ) -> Result<Rest, RunError> {
        let board = self.program.board.clone();
        let value = if self.live {
            self.driver.input(&board, id, args)
        } else {
            if board.check_input(id, args).is_err() {
                return Ok(self.refuse());
            }
            let Some(given) = self.inputs.pop_front() else {
                return Ok(Rest::Outcome(RunOutcome::InputsExhausted));
            };
            self.taken += 1;
            let value = self.given(step, id, &name, args, given)?;
            self.driver.mocked(&board, id, args, value).map(|()| value)
        };
        let Ok(value) = value else {
            return Ok(self.refuse());
        };
        self.answer(Some(value));
        self.report.inputs.push(InputRead {
            step,
            primitive: name,
            args: args.iter().map(|value| json(*value)).collect(),
            value: json(value),
            answer: value,
        });
        Ok(Rest::GoOn)
    }

    /// A given input as a value of the primitive's codomain there.
    fn given(
        &self,
        step: u64,
        id: PrimitiveId,
        name: &str,
        args: &[Value],
        given: Given,
    ) -> Result<Value, RunError> {
        let codomain = self
            .program
            .board
            .codomain_at(id, args, self.driver.state());
        let (text, value) = match given {
            Given::Value(value) => (show(value), Ok(value)),
            Given::Text(text) => {
                let value = parse(&text, codomain.ty());
                (text, value)
            }
        };
        match value {
            Ok(value) if codomain.contains(value) => Ok(value),
            _ => {
                let arguments: Vec<String> = args.iter().map(|value| show(*value)).collect();
                Err(RunError::Input {
                    number: self.taken,
                    text,
                    call: format!("{name}({})", arguments.join(", ")),
                    step,
                    why: format!("yields {}", codomain.describe()),
                })
            }
        }
    }

    fn output(
        &mut self,
        step: u64,
        id: PrimitiveId,
        name: String,
        args: &[Value],
        observer: &mut dyn FnMut(Event) -> Flow,
    ) -> Rest {
        let board = self.program.board.clone();
        let memory = self.machine.memory();
        let (text, printed) = match board.action(id, args, memory) {
            Ok(Action::Number(number)) => (Some(format!("{number}\n")), true),
            Ok(Action::Text(text)) => (Some(String::from_utf8_lossy(text).into_owned()), true),
            Ok(Action::DisplayText { text, .. }) => {
                (Some(String::from_utf8_lossy(text).into_owned()), false)
            }
            _ => (None, false),
        };
        if board.check_handler(id, args, &self.machine).is_err() {
            return self.refuse();
        }
        let Ok(done) = self.driver.output(&board, id, args, memory) else {
            return self.refuse();
        };
        self.answer(done.result);
        let mut flow = Flow::Continue;
        if let Some(text) = text.clone().filter(|_| printed) {
            self.report.console.push_str(&text);
            flow = observer(Event::Console { text });
        }
        self.report.outputs.push(OutputDone {
            step,
            primitive: name,
            args: args.iter().map(|value| json(*value)).collect(),
            result: done.result.map(json),
            text,
        });
        match flow {
            Flow::Continue => Rest::GoOn,
            Flow::Pause => Rest::Outcome(RunOutcome::Paused),
        }
    }

    fn answer(&mut self, value: Option<Value>) {
        let answered = self.machine.answer(value.as_slice());
        // Imports were bound by their types.
        debug_assert_eq!(answered, Ok(()));
    }

    /// The board refuses the call: the program traps.
    fn refuse(&mut self) -> Rest {
        self.machine.trap(Trap::Host);
        self.note_trap(Trap::Host);
        Rest::Outcome(RunOutcome::Trapped)
    }

    fn note_trap(&mut self, trap: Trap) {
        let offset = self.machine.location().map(|location| location.offset);
        let place = offset.and_then(|offset| self.info.place_at(offset));
        let file = place.and_then(|place| self.info.file(place.file));
        let function = offset.and_then(|offset| self.info.function_at(offset));
        let message = Look {
            program: &self.program,
            info: &self.info,
            machine: &self.machine,
        }
        .said();
        self.report.trap = Some(TrapAt {
            reason: trap.to_string(),
            message,
            function: function.map(|function| self.info.function(function).name),
            file: file.map(|file| file.path.clone()),
            line: place.map(|place| place.line),
            offset: offset.map(|offset| offset.0),
        });
    }
}

/// The board file that is used for a program, if there is one.
pub(crate) fn board_file(program: &Path, named: Option<&Path>) -> Option<String> {
    let beside = program.with_file_name("board.toml");
    let file = named.or_else(|| beside.is_file().then_some(beside.as_path()))?;
    Some(file.display().to_string())
}

/// The export that runs if none is named.
fn entry_name(program: &Program) -> &'static str {
    match program.module.exported_func("main") {
        Some(_) => "main",
        None => "_start",
    }
}
