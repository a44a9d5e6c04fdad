//! The plain run: the VM, a driver and a simulated board, and nothing else.
//!
//! No stub, no link, no twin: what a program does here is what it does without a debugger. It is the oracle that sessions
//! are tested against (theorems 1 to 3), and what `borges run` shows.

mod outside;
mod report;

use std::path::{Path, PathBuf};

use borges_board::{BrokenLimit, Event as BoardEvent};
use borges_debuginfo::DebugInfo;
use borges_sim::Environment;
use borges_stub::{Halt, Program, execute};
use borges_vm::{Machine, Outcome as Ended, StateHash, Trap};
use thiserror::Error;

use crate::command::{Event, Flow};
use crate::program::{Board, Library, OpenError, Opened, Provided, WriteBackError, write_back};
use crate::scene::{Scene, place_of};
use crate::values::json;
use outside::{Heard, Outside};
pub use report::{
    EventDelivered, InputRead, LimitBroken, OutputDone, RunOutcome, RunReport, TrapAt,
};

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
    /// The modules that the program is linked with.
    pub libraries: Vec<Library>,
    /// The exported function to call; without one, `main` or `_start`.
    pub entry: Option<String>,
    /// Where inputs come from.
    pub inputs: Inputs,
    /// Where events come from.
    pub events: Events,
    /// The most steps to take; without it, the run ends after a million inputs, outputs and events, unless the program
    /// calls an operating system: then only the first million is in the report.
    pub steps: Option<u64>,
    /// Seeds the simulated board; without it, the board's own seed.
    pub seed: Option<u64>,
    /// What a program finds that calls an operating system; without it, its name is all.
    pub system: Option<Provided>,
    /// Whether clocks of an operating system go as the host's does; else they go as the program takes steps.
    pub real_time: bool,
    /// Whether [`run`] writes what the program did to its files to the folders of the host, when it has ended.
    pub write_back: bool,
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
    /// The files of the host are not as the program left its own.
    #[error(transparent)]
    WriteBack(#[from] WriteBackError),
}

/// A program that runs plainly.
pub struct PlainRun {
    program: Program,
    machine: Machine,
    info: DebugInfo,
    outside: Outside,
}

/// Opens a program and runs it.
///
/// `observer` hears what is printed as it is printed, how far the run has come, and may pause it.
///
/// # Errors
/// [`RunError`]: the program does not open, an input that was given is none, or its files cannot be written back.
pub fn run(
    program: &Path,
    board: Option<&Path>,
    options: &RunOptions,
    observer: &mut dyn FnMut(Event) -> Flow,
) -> Result<RunReport, RunError> {
    let mut run = PlainRun::open(program, board, options)?;
    run.go(options.steps, observer)?;
    if options.write_back {
        let given = options.system.iter().flat_map(|given| &given.folders);
        let folders: Vec<PathBuf> = given.map(|(host, _)| host.clone()).collect();
        let written = write_back(&folders, &run.outside.rewritten())?;
        let written = written.iter().map(|path| path.display().to_string());
        run.outside.report.written = written.collect();
    }
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
        let opened = Opened::read(
            (program, &options.libraries),
            named,
            options.entry.as_deref(),
            options.system.as_ref(),
        )?;
        let report = RunReport {
            outcome: RunOutcome::Budget,
            steps: 0,
            state_hash: String::new(),
            results: Vec::new(),
            exit_code: None,
            trap: None,
            limits: Vec::new(),
            outputs: Vec::new(),
            inputs: Vec::new(),
            events: Vec::new(),
            console: String::new(),
            written: Vec::new(),
            system: opened.program.board.system().is_some(),
            board: opened.board.description.name.clone(),
            board_file: Board::file(program, named).map(|file| file.display().to_string()),
            module: opened.program.module.hash(),
            entry: opened.entry_name,
        };
        let table = opened.program.board.clone();
        Ok(Self {
            outside: Outside::new(table, &opened.board, options, report),
            program: opened.program,
            machine: opened.machine,
            info: opened.info,
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
        let outcome = self.until(steps, observer)?;
        let report = &mut self.outside.report;
        report.outcome = outcome;
        report.steps = self.machine.steps();
        report.state_hash = self.machine.hash().to_string();
        if let Some(Ended::Finished(results)) = self.machine.outcome() {
            report.results = results.iter().map(|value| json(*value)).collect();
        }
        if let Some(Ended::Exited(code)) = self.machine.outcome() {
            report.exit_code = Some(*code);
        }
        Ok(outcome)
    }

    /// All that happened.
    #[must_use]
    pub fn into_report(self) -> RunReport {
        self.outside.report
    }

    /// What happened so far.
    #[must_use]
    pub fn report(&self) -> &RunReport {
        &self.outside.report
    }

    /// What the program has done to the outside.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        self.outside.environment()
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

    /// From one thing to look after to the next: an event, a bound, whether to go on.
    fn until(
        &mut self,
        steps: Option<u64>,
        observer: &mut dyn FnMut(Event) -> Flow,
    ) -> Result<RunOutcome, RunError> {
        let until = steps.unwrap_or(MOST_STEPS);
        let mut next_look = SLICE;
        loop {
            self.outside.deliver_due(&mut self.machine);
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
            let report = &self.outside.report;
            if steps.is_none() && !report.system && report.entries() >= MOST_ENTRIES {
                return Ok(RunOutcome::Budget);
            }
            let limit = until.min(next_look).min(self.outside.next_event(now));
            let mut world = Heard {
                outside: &mut self.outside,
                observer,
                rest: None,
                breaks: Vec::new(),
            };
            let halt = execute(&mut self.machine, &self.program, &mut world, limit);
            let (rest, breaks) = (world.rest, world.breaks);
            for broken in &breaks {
                self.note_limit(broken);
            }
            match halt {
                Halt::Until if self.machine.steps() >= until => return Ok(RunOutcome::Budget),
                Halt::Finished => {
                    return Ok(match self.machine.outcome() {
                        Some(Ended::Exited(_)) => RunOutcome::Exited,
                        _ => RunOutcome::Returned,
                    });
                }
                Halt::Trapped(trap) => {
                    self.note_trap(trap);
                    return Ok(RunOutcome::Trapped);
                }
                // No breakpoint and no watch is ever set.
                Halt::Until | Halt::Stop(_) | Halt::Left | Halt::Yield => {}
            }
            if let Some(rest) = rest {
                return rest;
            }
        }
    }

    /// A limit that the call which comes next breaks, for the report.
    fn note_limit(&mut self, broken: &BrokenLimit) {
        let board = &self.program.board;
        let text = board.invariants.get(broken.limit as usize);
        let limit = text.map_or_else(String::new, |limit| limit.text.clone());
        let limits = &mut self.outside.report.limits;
        if let Some(known) = limits.iter_mut().find(|known| known.limit == limit) {
            known.times += 1;
            return;
        }
        let scene = Scene {
            program: &self.program,
            info: &self.info,
            machine: &self.machine,
        };
        let called = self.machine.pending().and_then(|call| {
            let id = self.program.primitive(call.func.0)?;
            Some(scene.call_text(id, &call.args))
        });
        let place = scene.own_offset();
        limits.push(LimitBroken {
            limit,
            value: broken.value.clone(),
            call: called.unwrap_or_default(),
            place: place.map_or_else(String::new, |at| place_of(&self.info, at)),
            step: self.machine.steps(),
            times: 1,
        });
    }

    /// Where and why the program trapped, for the report.
    fn note_trap(&mut self, trap: Trap) {
        let offset = self.machine.location().map(|location| location.offset);
        let place = offset.and_then(|offset| self.info.place_at(offset));
        let file = place.and_then(|place| self.info.file(place.file));
        let function = offset.and_then(|offset| self.info.function_at(offset));
        let message = Scene {
            program: &self.program,
            info: &self.info,
            machine: &self.machine,
        }
        .said();
        self.outside.report.trap = Some(TrapAt {
            reason: trap.to_string(),
            message,
            function: function.map(|function| self.info.function(function).name),
            file: file.map(|file| file.path.clone()),
            line: place.map(|place| place.line),
            offset: offset.map(|offset| offset.0),
        });
    }
}
