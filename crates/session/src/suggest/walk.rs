//! A path with the answers that lead along it, and its replay on the plain VM.

use borges_board::{
    BoardState, BrokenLimit, Captured, Codomain, EventSource, SystemCall, Yield, choice_text,
};
use borges_concolic::{
    Answered, Budget, Delivered, End, Path, Read, Start, SystemChoices, cell_of, value_of,
};
use borges_debuginfo::DebugInfo;
use borges_stub::{Answer, Call, Halt, Program, World, execute};
use borges_vm::{CodeOffset, Machine, Snapshot, Value};
use serde::{Deserialize, Serialize};

use crate::command::question::SuggestedInput;
use crate::scene::{Scene, breaks, limit_words};
use crate::values::text_of_yield;

/// A path with the answers that lead along it.
pub(super) struct Walk<'p> {
    pub(super) path: &'p Path,
    pub(super) answers: Vec<Value>,
}

/// What was decided on a path.
#[derive(Clone, Debug)]
pub(super) enum Choice<'p> {
    /// An input answered, or brought a byte: with the last of it, all of the call.
    Input(&'p Read, Value, Option<Answered>),
    /// An event arrived.
    Event(&'p Delivered),
}

impl<'p> Walk<'p> {
    /// With the answers of its own model.
    pub(super) fn of(path: &'p Path) -> Option<Self> {
        let way = path.ways.first()?;
        Self::with(path, &way.model)
    }

    /// With these answers, as cells.
    pub(super) fn with(path: &'p Path, cells: &[u64]) -> Option<Self> {
        let way = path.ways.first()?;
        let values = way.reads.iter().zip(cells);
        let answers = values
            .map(|(read, cell)| value_of(read.ty, *cell))
            .collect();
        Some(Walk { path, answers })
    }

    /// Its choices in order.
    pub(super) fn choices(&self) -> impl Iterator<Item = Choice<'_>> + '_ {
        let way = self.path.ways.first();
        let reads = way.map(|way| way.reads.as_slice()).unwrap_or_default();
        let mut inputs = (0_u32..).zip(reads.iter().zip(&self.answers)).peekable();
        let mut calls = Answered::of(reads, self.answers.iter().copied());
        let mut events = self.path.events.iter().peekable();
        std::iter::from_fn(move || {
            let place = inputs.peek().map(|(place, _)| *place);
            let is_next = |event: &&Delivered| place.is_none_or(|place| event.place <= place);
            if let Some(event) = events.next_if(is_next) {
                return Some(Choice::Event(event));
            }
            let (_, (read, value)) = inputs.next()?;
            let goes_on = |(_, (next, _)): &(u32, (&Read, &Value))| next.part.is_byte();
            let call = match inputs.peek().is_some_and(goes_on) {
                true => None,
                false => calls.next(),
            };
            Some(Choice::Input(read, *value, call))
        })
    }

    /// The end of a plain run with these answers, if it is the one that the path says.
    pub(super) fn replayed(
        &self,
        program: &Program,
        start: &Start,
    ) -> Option<(Machine, BoardState)> {
        let mut machine = start.machine.clone();
        let state = self.replayed_on(&mut machine, program, start)?;
        Some((machine, state))
    }

    /// As [`Walk::replayed`], on a machine that stands at the start.
    fn replayed_on(
        &self,
        machine: &mut Machine,
        program: &Program,
        start: &Start,
    ) -> Option<BoardState> {
        let mut answers = self.answers.iter();
        let mut answer = |_: &Codomain| answers.next().copied();
        let mut world = Plain::new(program, start, &mut answer);
        for delivered in &self.path.events {
            let halt = execute(machine, program, &mut world, delivered.step);
            let is_there = halt == Halt::Until && machine.steps() == delivered.step;
            if !is_there || !delivered.event.enter(machine) {
                return None;
            }
        }
        let steps = self.path.steps;
        let until = match self.path.end {
            End::Stopped(_) | End::Broke(..) | End::Cut(_) => steps,
            _ => steps + 1,
        };
        let halt = execute(machine, program, &mut world, until);
        let location = machine.location().map(|location| location.offset);
        let state = world.state;
        let here = machine.steps() == steps && answers.len() == 0;
        let breaks = |limit| broken(program, (machine, &state), limit).is_some();
        let is_so = match (&self.path.end, halt) {
            (End::Returned | End::Exited(_), Halt::Finished) => {
                End::of_finished(machine) == self.path.end
            }
            (End::Inputs, Halt::Left) => true,
            (End::Trapped(trap, at), Halt::Trapped(now)) => *trap == now && *at == location,
            (End::Stopped(at), Halt::Until) => Some(*at) == location,
            (End::Broke(limit, at), Halt::Until) => *at == location && breaks(*limit),
            (End::Cut(_), Halt::Until | Halt::Left) => true,
            _ => false,
        };
        (here && is_so).then_some(state)
    }
}

/// How a trap looks to whoever wrote the program: it is mostly executed by a library.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Alarm {
    /// What was said of it: the message of a panic, an abort or an assertion.
    pub(super) words: Option<String>,
    /// Where the program's own code stands.
    pub(super) at: Option<CodeOffset>,
}

impl Alarm {
    /// That of a machine that has trapped.
    pub(super) fn of(scene: Scene<'_>) -> Self {
        Alarm {
            words: scene.said(),
            at: scene.own_offset(),
        }
    }
}

/// Whether the call that comes next breaks this limit of the board, and how.
pub(super) fn broken(
    program: &Program,
    at: (&Machine, &BoardState),
    limit: u32,
) -> Option<BrokenLimit> {
    let mut broken = breaks(program, at).into_iter();
    broken.find(|broken| broken.limit == limit)
}

/// What an event is called among inputs.
pub(super) const EVENT: &str = "interrupt";

impl Choice<'_> {
    /// The choice in words; of a call that brings bytes, all of it with the last one.
    pub(super) fn suggested(&self, scene: Scene<'_>) -> Option<SuggestedInput> {
        Some(match self {
            Choice::Input(_, _, call) => {
                let call = call.as_ref().filter(|call| !call.goes())?;
                SuggestedInput {
                    call: scene.call_text(call.primitive, &call.args),
                    value: said(call),
                }
            }
            Choice::Event(event) => SuggestedInput {
                call: EVENT.to_owned(),
                value: arrival(event),
            },
        })
    }
}

/// What a call yields, in words: an error of the operating system by its name.
pub(super) fn said(call: &Answered) -> String {
    let Yield { value, bytes } = &call.yielded;
    match choice_text(&call.yielded).filter(|_| call.is_fault) {
        Some(name) => name.to_owned(),
        None if call.goes() => "ok".to_owned(),
        None => text_of_yield(*value, bytes),
    }
}

/// Where an event comes from, in words.
pub(super) fn source(delivered: &Delivered) -> String {
    match delivered.event.source {
        EventSource::Pin(pin) => format!("pin {pin}"),
        EventSource::Timer => "timer".to_owned(),
    }
}

/// An event in words.
pub(super) fn arrival(delivered: &Delivered) -> String {
    format!("{} after {} steps", source(delivered), delivered.step)
}

/// Whether to show a walk: whether it comes true, as long as there is time to find out.
pub(super) enum Check {
    /// It does; if it traps, so.
    True(Option<Alarm>),
    /// It does not.
    Untrue,
    /// There was no time.
    Unknown,
}

/// Runs walks, one after the other, on one machine: what one has changed is put back for the next, since a memory takes
/// longer to copy than most walks to run.
pub(super) struct Rerun<'p> {
    program: &'p Program,
    info: &'p DebugInfo,
    start: &'p Start,
    /// The machine, and what it is at the start; nothing before the first walk, since mostly there is none.
    machine: Option<(Machine, Snapshot)>,
}

impl<'p> Rerun<'p> {
    pub(super) fn new(program: &'p Program, info: &'p DebugInfo, start: &'p Start) -> Self {
        Self {
            program,
            info,
            start,
            machine: None,
        }
    }

    /// Replays a walk, unless nothing is left to spend.
    pub(super) fn check(&mut self, walk: &Walk<'_>, budget: &Budget<'_>) -> Check {
        if budget.is_spent() {
            return Check::Unknown;
        }
        let (machine, at_start) = self.machine.get_or_insert_with(|| {
            let machine = self.start.machine.clone();
            let at_start = machine.snapshot(None);
            (machine, at_start)
        });
        machine
            .restore(at_start)
            .expect("the snapshot is of this machine");
        let program = self.program;
        let Some(state) = walk.replayed_on(machine, program, self.start) else {
            return Check::Untrue;
        };
        let scene = Scene {
            program,
            info: self.info,
            machine,
        };
        Check::True(match walk.path.end {
            End::Trapped(..) => Some(Alarm::of(scene)),
            End::Broke(limit, _) => broken(program, (machine, &state), limit).map(|broken| Alarm {
                words: Some(limit_words(&program.board, &broken)),
                at: scene.own_offset(),
            }),
            _ => None,
        })
    }
}

/// Why a suggestion that did not come true is not shown.
pub(super) const NOT_TRUE: &str =
    "a suggestion did not come true when it was replayed: please report this";

/// The outside of a plain run: inputs as somebody answers them, outputs on the model.
pub(super) struct Plain<'p> {
    program: &'p Program,
    state: BoardState,
    /// What is left to be chosen of its operating system.
    choices: SystemChoices,
    /// The answer to an input that allows these values; without one, the run ends.
    answer: &'p mut dyn FnMut(&Codomain) -> Option<Value>,
    /// What inputs answered.
    pub(super) given: Vec<Value>,
}

impl<'p> Plain<'p> {
    pub(super) fn new(
        program: &'p Program,
        start: &Start,
        answer: &'p mut dyn FnMut(&Codomain) -> Option<Value>,
    ) -> Self {
        Plain {
            program,
            state: start.state.clone(),
            choices: start.choices,
            answer,
            given: Vec::new(),
        }
    }

    /// What a call of the operating system comes to.
    fn called(&mut self, call: &Call<'_>, chosen: Option<&Yield>) -> SystemCall {
        let (id, args) = (call.primitive, call.args);
        let board = &self.program.board;
        let called = self.state.call_system(board, id, args, call.memory, chosen);
        called.unwrap_or(SystemCall::Traps)
    }

    /// Whether it is chosen what a call of the operating system comes to: states are looked at before it.
    pub(super) fn chooses(&self, call: &Call<'_>) -> bool {
        let (board, id, args) = (&self.program.board, call.primitive, call.args);
        let may_fail = || self.state.may_fail_here(board, id, args, call.memory);
        let wanted = || self.state.input_wanted(board, id, args, call.memory);
        self.choices.faults > 0 && may_fail().is_some()
            || self.choices.stdin.is_some() && wanted().is_some()
    }

    /// What is chosen for a call that wants to know something.
    fn chosen(&mut self, called: &SystemCall) -> Option<Yield> {
        let wanted = called.input_wanted();
        if wanted.is_some() && self.choices.input_is_over() == Some(true) {
            let nothing = Value::I32(0);
            self.answered(&Codomain::range(nothing, nothing))?;
            return Some(nothing.into());
        }
        let Some(most) = wanted.and_then(|wanted| self.choices.most_input(wanted)) else {
            let usual = self.state.usual(called)?;
            self.answered(&Codomain::range(usual.value, usual.value))?;
            return Some(usual);
        };
        let lengths = Codomain::range(Value::I32(0), Value::I32(most as i32));
        let value @ Value::I32(count) = self.answered(&lengths)? else {
            return None;
        };
        let any = Codomain::range(Value::I32(0), Value::I32(255));
        let bytes = (0..count).map(|_| self.answered(&any).map(|byte| cell_of(byte) as u8));
        let bytes = bytes.collect::<Option<Vec<u8>>>()?.into();
        self.choices.came(count as u32, most);
        Some(Yield { value, bytes })
    }

    /// The next answer, if it is one of these values.
    fn answered(&mut self, codomain: &Codomain) -> Option<Value> {
        let value = (self.answer)(codomain).filter(|value| codomain.contains(*value))?;
        self.given.push(value);
        Some(value)
    }

    /// What the board's model has come to.
    pub(super) fn state(&self) -> &BoardState {
        &self.state
    }
}

impl World for Plain<'_> {
    fn input(&mut self, call: &Call<'_>) -> Answer {
        let board = &self.program.board;
        if board
            .check_input(call.primitive, call.args, call.memory.len())
            .is_err()
        {
            return Answer::Trap;
        }
        let (id, args) = (call.primitive, call.args);
        let Some(value) = self.answered(&board.codomain_at(id, args, &self.state)) else {
            return Answer::Leave;
        };
        let (count, allowed) = board.bytes_with(id, args, value);
        let bytes = (0..count).map(|_| match self.answered(&allowed)? {
            Value::I32(byte) => Some(byte as u8),
            _ => None,
        });
        let Some(bytes) = bytes.collect::<Option<Vec<u8>>>() else {
            return Answer::Leave;
        };
        let bytes = bytes.into();
        self.state.observe(board, id, args, value);
        Answer::brought(board, call, &Yield { value, bytes })
    }

    fn system(&mut self, call: &Call<'_>) -> Answer {
        let program = self.program;
        let (board, id, args) = (&program.board, call.primitive, call.args);
        if self.choices.faults > 0
            && let Some(errors) = self.state.may_fail_here(board, id, args, call.memory)
        {
            match self.answered(&errors) {
                None => return Answer::Leave,
                Some(Value::I32(0)) => {}
                Some(error) => {
                    self.choices.faults -= 1;
                    return self.called(call, Some(&error.into())).into();
                }
            }
        }
        let called = self.called(call, None);
        if !matches!(called, SystemCall::Wants(_)) {
            return called.into();
        }
        match self.chosen(&called) {
            Some(chosen) => self.called(call, Some(&chosen)).into(),
            None => Answer::Leave,
        }
    }

    fn output(&mut self, call: &Call<'_>) -> Answer {
        let nothing = Captured::default();
        let board = &self.program.board;
        let applied = self
            .state
            .apply(board, call.primitive, call.args, call.memory, &nothing);
        match applied {
            Ok(result) => Answer::Value(result),
            Err(_) => Answer::Trap,
        }
    }
}

/// What is said of paths that there was no time to replay.
pub(super) const NOT_CHECKED: &str = "not run again to check them";
