//! The plain run: a program on a simulated board without any debugger.
//!
//! It shares the VM, the board's driver and the simulated board with the device, and nothing with the session: no stub,
//! no link, no twin, no difference, no keyframe. What a moment string says is all that it is told of a path.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use borges_board::{
    Board, Captured, Compensation, Driver, Event, EventSource, MotorRestore, PrimitiveId,
    PrimitiveKind, Restore,
};
use borges_sim::{Environment, SimBoard};
use borges_vm::{Exit, FuncIdx, InterruptError, Limits, Machine, Module, Shared, Trap, Value};
use borges_wire::{Bytes, Record, RecordKind, TraceDecoder, TraceEncoder};

/// What decides a path, and how far to go on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    pub steps: u64,
    pub records: Vec<Record>,
}

impl Path {
    /// What a moment string says.
    pub fn of(moment: &str) -> Self {
        let parts: Vec<&str> = moment.splitn(4, '-').collect();
        let [_, _, steps, packed] = parts[..] else {
            panic!("a moment has four parts: {moment}");
        };
        let packed = URL_SAFE_NO_PAD
            .decode(packed)
            .expect("packed records are base64");
        let records =
            TraceDecoder::new(0, &packed).map(|record| record.expect("packed records are whole"));
        Self {
            steps: steps.parse().expect("a moment has a step count"),
            records: records.collect(),
        }
    }
}

/// Something that happened in a plain run.
#[derive(Clone, Debug, PartialEq)]
pub struct Happened {
    /// Instructions retired before it.
    pub steps: u64,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    Input {
        primitive: PrimitiveId,
        args: Vec<Value>,
        value: Value,
        mocked: bool,
    },
    Output {
        primitive: PrimitiveId,
        captured: Captured,
    },
    Event(Event),
}

/// A mock, as a plain run does it.
#[derive(Clone, Debug)]
pub struct Mock {
    pub primitive: PrimitiveId,
    pub args: Option<Vec<Value>>,
    pub values: Vec<Value>,
    /// After the last value, that one again and again, or else the board.
    pub again: bool,
    pub used: usize,
}

/// How a plain run came to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// At the step that was wanted.
    There,
    Finished,
    Trapped(Trap),
}

pub struct Plain {
    pub machine: Machine,
    pub driver: Driver<SimBoard>,
    pub board: Board,
    primitives: Vec<PrimitiveId>,
    pub happened: Vec<Happened>,
}

impl Plain {
    /// A module as a board limits it.
    pub fn load(wasm: &[u8], board: &Board) -> Shared<Module> {
        Shared::new(Module::new(wasm, &limits(board)).expect("the module loads"))
    }

    /// A program at its start.
    pub fn new(module: Shared<Module>, board: &Board) -> Self {
        let primitive = |import: borges_vm::Import<'_>| match import.ty {
            borges_vm::ExternType::Func(ty) => board
                .bind(import.module, import.name, ty)
                .expect("the board has it"),
            _ => panic!("programs import functions only"),
        };
        let primitives = module.imports().map(primitive).collect();
        let main = module
            .exported_func("main")
            .expect("there is a main function");
        let mut machine = Machine::new(module, limits(board)).expect("the program can be started");
        machine.begin(main, &[]).expect("main takes nothing");
        Self {
            machine,
            driver: Driver::new(board, SimBoard::new(board)),
            board: board.clone(),
            primitives,
            happened: Vec::new(),
        }
    }

    pub fn environment(&self) -> &Environment {
        self.driver.hardware.environment()
    }

    /// Follows a path to its end.
    ///
    /// Motors go where the path says that they went: `board` must have none that slip by themselves.
    pub fn follow(&mut self, path: &Path) -> Result<Rest, String> {
        let mut records = path.records.iter().peekable();
        loop {
            let steps = self.machine.steps();
            while let Some(Record {
                kind: RecordKind::Event { kind, payload },
                ..
            }) = records.next_if(|record| {
                record.steps == steps && matches!(record.kind, RecordKind::Event { .. })
            }) {
                let event = self.subscribed(*kind, payload)?;
                if !self.enter(&event) {
                    return Err(format!(
                        "the handler of the event at step {steps} cannot be entered"
                    ));
                }
                self.happened.push(Happened {
                    steps,
                    what: What::Event(event),
                });
            }
            let next = records.peek();
            if steps >= path.steps && next.is_none() {
                self.driver.at(steps);
                return Ok(self.rest(path.steps));
            }
            if steps > path.steps {
                return Err(format!("{next:?} lies behind step {}", path.steps));
            }
            // A call is a step of its own, an event is none.
            let until = next.map_or(path.steps, |record| match record.kind {
                RecordKind::Event { .. } => record.steps,
                _ => record.steps + 1,
            });
            let exit = self.machine.run(until.min(path.steps));
            match exit {
                Exit::Budget => {}
                Exit::HostCall => {
                    let steps = self.machine.steps();
                    let own = records.next_if(|record| {
                        record.steps == steps && !matches!(record.kind, RecordKind::Event { .. })
                    });
                    if let Some(trap) = self.call(own.map(|record| &record.kind))? {
                        return Ok(Rest::Trapped(trap));
                    }
                }
                Exit::Finished | Exit::Trapped(_) => {
                    if records.next().is_some() || self.machine.steps() != path.steps {
                        return Err(format!(
                            "{exit:?} at step {}, before the end of the path",
                            self.machine.steps()
                        ));
                    }
                    return Ok(self.rest(path.steps));
                }
                exit => return Err(format!("{exit:?} in a machine without breakpoints")),
            }
        }
    }

    /// How it stands at a step: an end that lies there is met by trying the next instruction.
    fn rest(&mut self, steps: u64) -> Rest {
        match self.machine.run(steps) {
            Exit::Finished => Rest::Finished,
            Exit::Trapped(trap) => Rest::Trapped(trap),
            _ => Rest::There,
        }
    }

    /// What a record says of an event, which the program must have asked for.
    fn subscribed(&self, kind: u8, payload: &[u8]) -> Result<Event, String> {
        let (source, handler) = match (kind, payload) {
            (0, [pin, handler @ ..]) => (EventSource::Pin(*pin), handler),
            (1, handler) => (EventSource::Timer, handler),
            _ => return Err("an event of no kind".to_owned()),
        };
        let handler =
            u32::from_le_bytes(handler.try_into().map_err(|_| "an event without handler")?);
        let wanted = match source {
            EventSource::Pin(pin) => self
                .driver
                .state()
                .subscription(pin)
                .map(|subscription| subscription.handler),
            EventSource::Timer => self.driver.state().timer().map(|timer| timer.handler),
        };
        if wanted != Some(handler) {
            return Err(format!(
                "an event of {source:?} for handler {handler}; the program wants {wanted:?}"
            ));
        }
        Ok(Event { source, handler })
    }

    fn enter(&mut self, event: &Event) -> bool {
        let Some(Value::FuncRef(Some(func))) =
            self.machine.table(0).get(event.handler as usize).copied()
        else {
            return false;
        };
        let module = self.machine.module().expect("there is a program").clone();
        let types = module
            .func_type(FuncIdx(func))
            .expect("a table holds functions of the module");
        let mut args: Vec<Value> = types
            .params
            .iter()
            .map(|ty| Value::default_of(*ty))
            .collect();
        if let (Some(first @ Value::I32(_)), EventSource::Pin(pin)) =
            (args.first_mut(), event.source)
        {
            *first = Value::I32(pin.into());
        }
        let entered = self.machine.interrupt(event.handler, &args);
        if entered == Err(InterruptError::Stack) {
            self.machine.trap(Trap::StackOverflow);
            return true;
        }
        entered.is_ok()
    }

    /// Lets the pending call happen as a path says; a trap if the board refuses it.
    fn call(&mut self, record: Option<&RecordKind>) -> Result<Option<Trap>, String> {
        let steps = self.machine.steps();
        let (primitive, args) = self.pending();
        let kind = self.board.primitive(primitive).expect("it was bound").kind;
        self.driver.at(steps);
        let answer = match (kind, record) {
            (PrimitiveKind::Constant(value), None) => Some(Some(value)),
            (PrimitiveKind::Trap, None) => None,
            (PrimitiveKind::Input, Some(RecordKind::Input(value))) => {
                let value = plain_value(*value);
                let memory = self.machine.memory().len();
                let taken = self
                    .driver
                    .mocked(&self.board, primitive, &args, memory, value.into());
                self.happened.push(Happened {
                    steps,
                    what: What::Input {
                        primitive,
                        args,
                        value,
                        mocked: false,
                    },
                });
                taken.is_ok().then_some(Some(value))
            }
            (PrimitiveKind::Input, None)
                if self
                    .board
                    .check_input(primitive, &args, self.machine.memory().len())
                    .is_err() =>
            {
                None
            }
            (PrimitiveKind::Output, None) => self.output(primitive, &args, &Captured::Nothing)?,
            (PrimitiveKind::Output, Some(RecordKind::Captured(bytes))) => {
                let captured = postcard::from_bytes(bytes).map_err(|e| e.to_string())?;
                self.output(primitive, &args, &captured)?
            }
            (kind, record) => {
                return Err(format!(
                    "{record:?} for a call of kind {kind:?} at step {steps}"
                ));
            }
        };
        match answer {
            Some(value) => {
                self.machine
                    .answer(value.as_slice())
                    .map_err(|e| e.to_string())?;
                Ok(None)
            }
            None => {
                self.machine.trap(Trap::Host);
                Ok(Some(Trap::Host))
            }
        }
    }

    fn output(
        &mut self,
        primitive: PrimitiveId,
        args: &[Value],
        captured: &Captured,
    ) -> Result<Option<Option<Value>>, String> {
        if self
            .board
            .check_handler(primitive, args, &self.machine)
            .is_err()
        {
            return Ok(None);
        }
        self.put_motors(captured, false);
        let steps = self.machine.steps();
        let done = self
            .driver
            .output(&self.board, primitive, args, self.machine.memory());
        let Ok(done) = done else {
            return Ok(None);
        };
        self.put_motors(captured, true);
        let agrees = match (captured, &done.captured) {
            // Where motors really went is what this run is told, not what it finds.
            (Captured::Motors(_) | Captured::Nothing, Captured::Nothing) => true,
            (said, found) => said == found,
        };
        if !agrees {
            return Err(format!(
                "{:?} was found at step {steps}, not {captured:?}",
                done.captured
            ));
        }
        let captured = captured.clone();
        self.happened.push(Happened {
            steps,
            what: What::Output {
                primitive,
                captured,
            },
        });
        Ok(Some(done.result))
    }

    /// Puts motors where a path says that they stood before or after a call.
    fn put_motors(&mut self, captured: &Captured, after: bool) {
        let Captured::Motors(motors) = captured else {
            return;
        };
        for seen in motors {
            let angle = if after { seen.after } else { seen.before };
            if let (Some(angle), Some(motor)) = (angle, self.driver.state().motor(seen.motor)) {
                let put = MotorRestore {
                    motor: seen.motor,
                    speed: motor.speed,
                    angle,
                    drift: 0,
                };
                let steps = vec![Restore::Motors(vec![put])];
                self.driver.compensate(&self.board, &Compensation { steps });
            }
        }
    }

    fn pending(&self) -> (PrimitiveId, Vec<Value>) {
        let call = self.machine.pending().expect("a call is pending");
        (self.primitives[call.func.0 as usize], call.args)
    }

    /// Runs as the board has it, mocks aside, to a step count or the end. Outcomes of events are the board's own.
    pub fn go(&mut self, until: u64, mocks: &mut [Mock]) -> Rest {
        loop {
            let steps = self.machine.steps();
            if steps >= until {
                return self.rest(until);
            }
            self.driver.at(steps);
            if !self.machine.in_handler()
                && let Some(event) = self.driver.poll_event()
                && self.enter(&event)
            {
                self.happened.push(Happened {
                    steps,
                    what: What::Event(event),
                });
            }
            // Where an event may be due, every step counts.
            let distance = self
                .driver
                .steps_to_event()
                .map_or(u64::MAX, |distance| distance.max(1));
            match self.machine.run(until.min(steps.saturating_add(distance))) {
                Exit::Budget => {}
                Exit::HostCall => {
                    if let Some(trap) = self.live_call(mocks) {
                        return Rest::Trapped(trap);
                    }
                }
                Exit::Finished => return Rest::Finished,
                Exit::Trapped(trap) => return Rest::Trapped(trap),
                exit => panic!("{exit:?} in a machine without breakpoints"),
            }
        }
    }

    fn live_call(&mut self, mocks: &mut [Mock]) -> Option<Trap> {
        let steps = self.machine.steps();
        let (primitive, args) = self.pending();
        self.driver.at(steps);
        let answer = match self.board.primitive(primitive).expect("it was bound").kind {
            PrimitiveKind::Constant(value) => Some(Some(value)),
            PrimitiveKind::System | PrimitiveKind::Trap => None,
            PrimitiveKind::Output => {
                let handled = self.board.check_handler(primitive, &args, &self.machine);
                let memory = self.machine.memory();
                let done = handled
                    .and_then(|()| self.driver.output(&self.board, primitive, &args, memory));
                done.ok().map(|done| {
                    let captured = done.captured;
                    self.happened.push(Happened {
                        steps,
                        what: What::Output {
                            primitive,
                            captured,
                        },
                    });
                    done.result
                })
            }
            PrimitiveKind::Input => self.live_input(steps, primitive, args, mocks),
        };
        match answer {
            Some(value) => self
                .machine
                .answer(value.as_slice())
                .expect("the board has the type it was bound with"),
            None => self.machine.trap(Trap::Host),
        }
        answer.is_none().then_some(Trap::Host)
    }

    fn live_input(
        &mut self,
        steps: u64,
        primitive: PrimitiveId,
        args: Vec<Value>,
        mocks: &mut [Mock],
    ) -> Option<Option<Value>> {
        let memory = self.machine.memory().len();
        self.board.check_input(primitive, &args, memory).ok()?;
        let (yielded, mocked) = match mock(mocks, primitive, &args) {
            Some(value) => {
                let taken = self
                    .driver
                    .mocked(&self.board, primitive, &args, memory, value.into());
                (taken.ok()?, true)
            }
            None => {
                let read = self.driver.input(&self.board, primitive, &args, memory);
                (read.ok()?, false)
            }
        };
        let value = yielded.value;
        self.happened.push(Happened {
            steps,
            what: What::Input {
                primitive,
                args,
                value,
                mocked,
            },
        });
        Some(Some(value))
    }
}

fn limits(board: &Board) -> Limits {
    let usual = Limits::default();
    Limits {
        call_depth: board.limits.call_depth.unwrap_or(usual.call_depth),
        ..usual
    }
}

/// What a mock yields for a call: the one that names the arguments before one that does not, the newest first.
fn mock(mocks: &mut [Mock], primitive: PrimitiveId, args: &[Value]) -> Option<Value> {
    for exact in [true, false] {
        for mock in mocks
            .iter_mut()
            .rev()
            .filter(|mock| mock.primitive == primitive)
        {
            let fits = match &mock.args {
                Some(wanted) => exact && wanted == args,
                None => !exact,
            };
            let value = match mock.values.get(mock.used) {
                None if mock.again => mock.values.last(),
                value => value,
            };
            if let (true, Some(value)) = (fits, value) {
                mock.used += 1;
                return Some(*value);
            }
        }
    }
    None
}

fn wire_value(value: Value) -> borges_wire::Value {
    match value {
        Value::I32(v) => borges_wire::Value::I32(v),
        Value::I64(v) => borges_wire::Value::I64(v),
        Value::F32(bits) => borges_wire::Value::F32(bits),
        Value::F64(bits) => borges_wire::Value::F64(bits),
        Value::FuncRef(index) => borges_wire::Value::FuncRef(index),
        Value::ExternRef(index) => borges_wire::Value::ExternRef(index),
        Value::V128(_) | Value::ExnRef(_) => unreachable!("the entries of the tests give none"),
    }
}

fn plain_value(value: borges_wire::Value) -> Value {
    match value {
        borges_wire::Value::I32(v) => Value::I32(v),
        borges_wire::Value::I64(v) => Value::I64(v),
        borges_wire::Value::F32(bits) => Value::F32(bits),
        borges_wire::Value::F64(bits) => Value::F64(bits),
        borges_wire::Value::FuncRef(index) => Value::FuncRef(index),
        borges_wire::Value::ExternRef(index) => Value::ExternRef(index),
    }
}

impl Plain {
    /// The moment string of where it stands: what happened, packed.
    pub fn moment(&self) -> String {
        let mut trace = TraceEncoder::new(0, 0);
        for happened in &self.happened {
            let kind = match &happened.what {
                What::Input { value, .. } => RecordKind::Input(wire_value(*value)),
                What::Output {
                    captured: Captured::Nothing,
                    ..
                } => continue,
                What::Output { captured, .. } => RecordKind::Captured(Bytes(
                    postcard::to_allocvec(captured).expect("what was captured can be written"),
                )),
                What::Event(event) => {
                    let (kind, mut payload) = match event.source {
                        EventSource::Pin(pin) => (0, vec![pin]),
                        EventSource::Timer => (1, Vec::new()),
                    };
                    payload.extend(event.handler.to_le_bytes());
                    RecordKind::Event {
                        kind,
                        payload: Bytes(payload),
                    }
                }
            };
            let steps = happened.steps;
            trace
                .push(&Record { steps, kind })
                .expect("a run goes forward");
        }
        let packed = trace.take().map_or_else(Vec::new, |batch| batch.bytes.0);
        let module = self.machine.module().expect("there is a program").hash();
        let packed = URL_SAFE_NO_PAD.encode(packed);
        format!("m1-{module:016x}-{}-{packed}", self.machine.steps())
    }

    /// Tries the next instruction, which does not come to its end.
    pub fn attempt(&mut self) {
        let steps = self.machine.steps();
        if self.machine.run(steps + 1) == Exit::HostCall {
            let trap = self.call(None);
            assert!(
                matches!(trap, Ok(Some(_))),
                "the board refuses no call at step {steps}: {trap:?}"
            );
        }
        assert_eq!(self.machine.steps(), steps, "nothing traps at step {steps}");
    }
}
