//! What a plain run's program sees: a simulated board, or the inputs and events that were given; and what it did there.

use std::collections::VecDeque;

use borges_board::{
    Action, Board as Table, BrokenLimit, Driver, Event as BoardEvent, EventSource, PrimitiveId,
    Shared, SystemCall, Yield,
};
use borges_sim::{Environment, SimBoard};
use borges_stub::{Answer, Call, World};
use borges_vm::Machine;
use borges_wasi::{Output, Rewritten};

use super::{
    EventDelivered, Events, InputRead, Inputs, MOST_ENTRIES, OutputDone, RunError, RunOptions,
    RunOutcome, RunReport,
};
use crate::command::{Event, Flow};
use crate::program::Board;
use crate::values::{json, parse_yield, show_all};

/// The outside of a plain run.
pub(super) struct Outside {
    board: Shared<Table>,
    driver: Driver<SimBoard>,
    /// The inputs that were given and not yet taken; the board's sources if none were.
    inputs: Option<VecDeque<String>>,
    /// Inputs taken from those that were given.
    taken: usize,
    /// The events that were given; the board's if none were.
    scripted: Option<VecDeque<(u64, BoardEvent)>>,
    pub(super) report: RunReport,
    /// The step of the last call that broke a limit: the run halted before it, and goes over it then.
    broke_at: Option<u64>,
}

/// The outside while someone listens.
pub(super) struct Heard<'a> {
    pub(super) outside: &'a mut Outside,
    pub(super) observer: &'a mut dyn FnMut(Event) -> Flow,
    /// Why the run ends here, if the outside says so.
    pub(super) rest: Option<Result<RunOutcome, RunError>>,
    /// The limits of the board that the call which comes next breaks.
    pub(super) breaks: Vec<BrokenLimit>,
}

impl Outside {
    pub(super) fn new(
        table: Shared<Table>,
        board: &Board,
        options: &RunOptions,
        report: RunReport,
    ) -> Self {
        let mut description = board.description.clone();
        if let Some(seed) = options.seed {
            description.simulation.seed = seed;
        }
        let mut hardware = SimBoard::new(&description);
        if options.real_time {
            hardware = hardware.in_real_time();
        }
        let inputs = match &options.inputs {
            Inputs::Board => None,
            Inputs::Texts(texts) => Some(texts.iter().cloned().collect()),
        };
        let scripted = match &options.events {
            Events::Board => None,
            Events::At(events) => Some(events.iter().copied().collect()),
        };
        Self {
            driver: Driver::new(&table, hardware),
            board: table,
            inputs,
            taken: 0,
            scripted,
            report,
            broke_at: None,
        }
    }

    /// What the program has done to the simulated world.
    pub(super) fn environment(&self) -> &Environment {
        self.driver.hardware.environment()
    }

    /// What the program did to its files.
    pub(super) fn rewritten(&self) -> Vec<Rewritten> {
        match (self.board.first_system(), self.driver.state().system()) {
            (Some(begins), Some(ends)) => begins.rewritten(ends),
            _ => Vec::new(),
        }
    }

    /// The step before which an event may have to be delivered.
    pub(super) fn next_event(&mut self, now: u64) -> u64 {
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
    pub(super) fn deliver_due(&mut self, machine: &mut Machine) {
        let now = machine.steps();
        self.driver.at(now);
        let event = match &mut self.scripted {
            Some(events) => match events.front() {
                Some((step, _)) if *step <= now => events.pop_front().map(|(_, event)| event),
                _ => None,
            },
            None if machine.in_handler() => None,
            None => self.driver.poll_event(),
        };
        let Some(event) = event else {
            return;
        };
        if event.enter(machine) {
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

    /// A given input as a value of the primitive's codomain there.
    fn given(&self, call: &Call<'_>, text: String) -> Result<Yield, RunError> {
        let state = self.driver.state();
        let codomain = self.board.codomain_at(call.primitive, call.args, state);
        let (id, args) = (call.primitive, call.args);
        let yielded = parse_yield(&text, codomain.ty())
            .ok()
            .and_then(|(value, bytes)| self.board.yielding(id, args, value, bytes).ok());
        match yielded {
            Some(yielded) if codomain.contains(yielded.value) => Ok(yielded),
            _ => {
                let name = self.name(call.primitive);
                Err(RunError::Input {
                    number: self.taken,
                    text,
                    call: format!("{name}({})", show_all(call.args)),
                    step: call.steps,
                    why: format!("yields {}", codomain.describe()),
                })
            }
        }
    }

    fn name(&self, primitive: PrimitiveId) -> String {
        let primitive = self.board.primitive(primitive);
        primitive.map_or_else(String::new, |primitive| primitive.name.to_string())
    }
}

impl Heard<'_> {
    fn end(&mut self, rest: Result<RunOutcome, RunError>) -> Answer {
        self.rest = Some(rest);
        Answer::Leave
    }
}

impl World for Heard<'_> {
    fn input(&mut self, call: &Call<'_>) -> Answer {
        let outside = &mut *self.outside;
        outside.driver.at(call.steps);
        let (primitive, args) = (call.primitive, call.args);
        let memory = call.memory.len();
        let yielded = match &mut outside.inputs {
            None => outside
                .driver
                .input(&outside.board, primitive, args, memory),
            Some(inputs) => {
                if outside.board.check_input(primitive, args, memory).is_err() {
                    return Answer::Trap;
                }
                let Some(given) = inputs.pop_front() else {
                    return self.end(Ok(RunOutcome::InputsExhausted));
                };
                outside.taken += 1;
                let value = match outside.given(call, given) {
                    Ok(value) => value,
                    Err(error) => return self.end(Err(error)),
                };
                outside
                    .driver
                    .mocked(&outside.board, primitive, args, memory, value)
            }
        };
        let Ok(yielded) = yielded else {
            return Answer::Trap;
        };
        let read = InputRead {
            step: call.steps,
            primitive: outside.name(primitive),
            args: args.iter().map(|value| json(*value)).collect(),
            value: json(yielded.value),
            bytes: yielded.bytes.to_vec(),
            answer: yielded.value,
        };
        outside.report.inputs.push(read);
        Answer::brought(&outside.board, call, &yielded)
    }

    fn output(&mut self, call: &Call<'_>) -> Answer {
        let outside = &mut *self.outside;
        outside.driver.at(call.steps);
        let (primitive, args) = (call.primitive, call.args);
        let (text, printed) = match outside.board.action(primitive, args, call.memory) {
            Ok(Action::Number(number)) => (Some(format!("{number}\n")), true),
            Ok(Action::Text(text)) => (Some(String::from_utf8_lossy(text).into_owned()), true),
            Ok(Action::DisplayText { text, .. }) => {
                (Some(String::from_utf8_lossy(text).into_owned()), false)
            }
            _ => (None, false),
        };
        let done = outside
            .driver
            .output(&outside.board, primitive, args, call.memory);
        let Ok(done) = done else {
            return Answer::Trap;
        };
        if let Some(text) = text.clone().filter(|_| printed) {
            outside.report.console.push_str(&text);
            if (self.observer)(Event::Console { text }) == Flow::Pause {
                self.rest = Some(Ok(RunOutcome::Paused));
            }
        }
        let performed = OutputDone {
            step: call.steps,
            primitive: outside.name(primitive),
            args: args.iter().map(|value| json(*value)).collect(),
            result: done.result.map(json),
            text,
        };
        outside.report.outputs.push(performed);
        Answer::Value(done.result)
    }

    fn system(&mut self, call: &Call<'_>) -> Answer {
        let outside = &mut *self.outside;
        outside.driver.at(call.steps);
        let (primitive, args) = (call.primitive, call.args);
        let system = outside.driver.state().system();
        let before = system.map_or([0; 2], borges_wasi::World::printed);
        let done = outside
            .driver
            .system(&outside.board, primitive, args, call.memory, None);
        let Ok((called, chosen)) = done else {
            return Answer::Trap;
        };
        let SystemCall::Answers { result, .. } = &called else {
            return called.into();
        };
        let args = args.iter().map(|value| json(*value)).collect();
        let (step, name) = (call.steps, outside.name(primitive));
        match chosen {
            // The run goes on: who stands in for a runtime does not end it because of what nobody will read.
            _ if outside.report.entries() >= MOST_ENTRIES => {}
            Some(chosen) => outside.report.inputs.push(InputRead {
                step,
                primitive: name,
                args,
                value: json(chosen.value),
                bytes: chosen.bytes.to_vec(),
                answer: chosen.value,
            }),
            None => outside.report.outputs.push(OutputDone {
                step,
                primitive: name,
                args,
                result: result.map(json),
                text: None,
            }),
        }
        let system = outside.driver.state().system();
        for (output, bytes) in system
            .into_iter()
            .flat_map(|system| system.printed_since(before))
        {
            let is_error = output == Output::Error;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            outside.report.console.push_str(&text);
            if (self.observer)(Event::Stream { is_error, bytes }) == Flow::Pause {
                self.rest = Some(Ok(RunOutcome::Paused));
            }
        }
        called.into()
    }

    /// Before a call that breaks a limit, so that it can be said where that is.
    fn stops_before(&mut self, call: &Call<'_>) -> bool {
        let outside = &mut *self.outside;
        if outside.broke_at == Some(call.steps) {
            return false;
        }
        let (state, called) = (outside.driver.state(), (call.primitive, call.args));
        self.breaks = outside.board.breaks(state, called, call.memory);
        if self.breaks.is_empty() {
            return false;
        }
        outside.broke_at = Some(call.steps);
        true
    }

    /// After every call: an event may be due, and a run is bounded by what happened in it.
    fn yields(&mut self) -> bool {
        true
    }
}
