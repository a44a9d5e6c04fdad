//! The driver: performs a program's calls on the hardware and keeps the model beside it.

use alloc::vec::Vec;

use borges_vm::{FuncIdx, InterruptError, Machine, Trap, ValType, Value};

use crate::{
    Action, Angle, Board, BoardState, Captured, CapturedMotor, Codomain, Compensation, EventSource,
    Hardware, PrimitiveId, PrimitiveKind, Reading, Refusal, Sensor, SystemCall, Yield,
    primitive::Op,
};

/// Performs calls on a [`Hardware`] and keeps the model beside it, to notice what it cannot know.
#[derive(Clone, Debug)]
pub struct Driver<H> {
    /// The hardware.
    pub hardware: H,
    state: BoardState,
}

/// An output that was performed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// What it answers, if its type has a result.
    pub result: Option<Value>,
    /// What the model could not know.
    pub captured: Captured,
}

/// An event, with the handler that the program gave for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Event {
    /// Where it comes from.
    pub source: EventSource,
    /// The handler, as an index into the program's table.
    pub handler: u32,
}

impl Event {
    /// Enters the handler before the next instruction; false if the event is lost, on the device as on the twin: nothing
    /// runs, another handler runs, or the table is not so long.
    ///
    /// A handler that was there when the program subscribed, and is no more, is a trap of the program, as is one for which
    /// the stack has no room: without that the event would be lost, and nobody would know.
    ///
    /// A handler may take nothing, or the pin that changed (0 for a timer), followed by zeros.
    pub fn enter(&self, machine: &mut Machine) -> bool {
        if !machine.is_running() || machine.in_handler() {
            return false;
        }
        let function = match handler(machine, self.handler) {
            Ok(function) => function,
            Err(Refusal::NoHandler { .. }) => return false,
            Err(Refusal::NullHandler(_)) => {
                machine.trap(Trap::UninitializedElement);
                return true;
            }
            Err(_) => {
                machine.trap(Trap::IndirectCallType);
                return true;
            }
        };
        let ty = machine
            .module()
            .and_then(|module| module.func_type(function));
        let params = ty.map_or(&[][..], |ty| &ty.params);
        let zeros = params.iter().map(|ty| Value::default_of(*ty));
        let mut args: Vec<Value> = zeros.collect();
        if let (Some(first), EventSource::Pin(pin)) = (args.first_mut(), self.source) {
            *first = Value::I32(i32::from(pin));
        }
        match machine.interrupt(self.handler, &args) {
            Ok(()) => true,
            Err(InterruptError::Stack) => {
                machine.trap(Trap::StackOverflow);
                true
            }
            Err(_) => false,
        }
    }
}

/// The function of the program's own that an element of its table names, if it can be a handler.
fn handler(machine: &Machine, index: u32) -> Result<FuncIdx, Refusal> {
    let function = match machine.table_element(0, index) {
        Some(Value::FuncRef(Some(function))) => FuncIdx(function),
        Some(_) => return Err(Refusal::NullHandler(index)),
        None => {
            let size = machine.table_size(0);
            return Err(Refusal::NoHandler { index, size });
        }
    };
    let module = machine.module();
    let ty = module.and_then(|module| module.func_type(function));
    let takes_pin = ty.is_some_and(|ty| matches!(ty.params.first(), None | Some(ValType::I32)));
    let is_own = module.is_some_and(|module| function.0 >= module.imported_funcs());
    if takes_pin && is_own {
        Ok(function)
    } else {
        Err(Refusal::WrongHandler(index))
    }
}

impl<H: Hardware> Driver<H> {
    /// A driver on hardware to which nothing has been done. Its model is a lean one.
    pub fn new(board: &Board, hardware: H) -> Self {
        Driver {
            hardware,
            state: BoardState::lean(board),
        }
    }

    /// Goes on with another board, to which nothing has been done.
    pub fn adopt(&mut self, board: &Board) {
        self.state = BoardState::lean(board);
    }

    /// A program begins: it finds the operating system as it is at its start. What else it did is undone otherwise.
    pub fn begin(&mut self, board: &Board) {
        #[cfg(feature = "host")]
        self.state.begin_system(board);
        #[cfg(not(feature = "host"))]
        let _ = board;
    }

    /// The model.
    pub fn state(&self) -> &BoardState {
        &self.state
    }

    /// Tells the hardware how far the program is. Call it before a call, before polling, and after a jump.
    pub fn at(&mut self, steps: u64) {
        self.hardware.at(steps);
    }

    /// Reads an input of a program whose memory has so many bytes.
    ///
    /// # Errors
    /// A [`Refusal`] if the arguments make no sense on this board; the program traps then, here as on the twin.
    pub fn input(
        &mut self,
        board: &Board,
        id: PrimitiveId,
        args: &[Value],
        memory: usize,
    ) -> Result<Yield, Refusal> {
        let reading = board.reading(id, args)?;
        board.check_filling(id, args, memory)?;
        let ty = reading.primitive.codomain.ty();
        let raw = self.hardware.sense(board, reading);
        let mut value = match (reading.primitive.op, raw) {
            (Op::Millis, Value::I64(us)) => integer(ty, us / 1000),
            (Op::Micros, Value::I64(us)) => integer(ty, us),
            (Op::RandomBelow | Op::RandomBetween, Value::I32(random)) => {
                folded(&board.codomain(id, args), random)
            }
            (_, value) if value.ty() == ty => value,
            // Hardware that answers with a wrong type is wrong, but must not bring the VM down.
            _ => Value::default_of(ty),
        };
        value = self.hardware.lawful(board, (id, args), &self.state, value);
        self.state.observe(board, id, args, value);
        let Some(filling) = board.filling(id, args) else {
            return Ok(value.into());
        };
        let bytes = self.hardware.fill(reading, filling.length(value));
        Ok(Yield {
            value,
            bytes: filling.fitted(value, bytes),
        })
    }

    /// Takes note of what stands in for an input's reading, in a program whose memory has so many bytes: what the input
    /// yields then, which has as many bytes as the value says.
    ///
    /// # Errors
    /// A [`Refusal`] where [`Driver::input`] would refuse.
    pub fn mocked(
        &mut self,
        board: &Board,
        id: PrimitiveId,
        args: &[Value],
        memory: usize,
        mock: Yield,
    ) -> Result<Yield, Refusal> {
        board.check_input(id, args, memory)?;
        self.state.observe(board, id, args, mock.value);
        Ok(board.with_bytes(id, args, mock.value, mock.bytes.to_vec()))
    }

    /// Lets a call of the operating system happen: as `mock` says if it says something, else as the hardware chooses where
    /// something has to be chosen. What it came to, with what was chosen.
    ///
    /// # Errors
    /// A [`Refusal`] if the call makes no sense on this board; the program traps then, here as on the twin.
    #[cfg(feature = "host")]
    pub fn system(
        &mut self,
        board: &Board,
        id: PrimitiveId,
        args: &[Value],
        memory: &[u8],
        mock: Option<Yield>,
    ) -> Result<(SystemCall, Option<Yield>), Refusal> {
        if let Some(mock) = mock
            && let Ok(call) = self.state.call_system(board, id, args, memory, Some(&mock))
            && !matches!(call, SystemCall::Wants(_))
        {
            return Ok((call, Some(mock)));
        }
        let wants = match self.state.call_system(board, id, args, memory, None)? {
            SystemCall::Wants(wants) => wants,
            call => return Ok((call, None)),
        };
        let system = self.state.system().ok_or(Refusal::WrongKind)?;
        let chosen = crate::yielded(&self.hardware.choose(system, &wants));
        let call = self
            .state
            .call_system(board, id, args, memory, Some(&chosen))?;
        Ok((call, Some(chosen)))
    }

    /// A device has no operating system.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "host"))]
    pub fn system(
        &mut self,
        _board: &Board,
        _id: PrimitiveId,
        _args: &[Value],
        _memory: &[u8],
        _mock: Option<Yield>,
    ) -> Result<(SystemCall, Option<Yield>), Refusal> {
        Err(Refusal::WrongKind)
    }

    /// Performs an output (or answers a constant).
    ///
    /// # Errors
    /// A [`Refusal`] if the arguments make no sense on this board, or the primitive is one that traps. Nothing has
    /// happened then.
    pub fn output(
        &mut self,
        board: &Board,
        id: PrimitiveId,
        args: &[Value],
        memory: &[u8],
    ) -> Result<Done, Refusal> {
        let action = board.action(id, args, memory)?;
        let captured = match action {
            Action::Level { pin, .. } => {
                let found = self.level_before_first_write(board, pin);
                self.perform(board, &action);
                found.map_or(Captured::Nothing, Captured::Level)
            }
            Action::MotorSpeed { .. } | Action::MotorFor { .. } | Action::MotorTurn { .. } => {
                self.perform_moving(board, &action)
            }
            // A delay while motors run moves them.
            Action::Wait { .. } if self.state.motors_run() => self.perform_moving(board, &action),
            _ => {
                self.perform(board, &action);
                Captured::Nothing
            }
        };
        Ok(Done {
            result: board.result(id),
            captured,
        })
    }

    /// Whether a delay that was begun has passed, so that the program may go on.
    pub fn settled(&mut self) -> bool {
        self.hardware.settled()
    }

    /// Undoes a call: the environment is then what it was before it, and so is the model.
    pub fn compensate(&mut self, board: &Board, compensation: &Compensation) {
        for step in &compensation.steps {
            self.hardware.restore(board, step);
            self.state.restore(step);
        }
    }

    /// The next event that the program has subscribed to.
    pub fn poll_event(&mut self) -> Option<Event> {
        loop {
            let source = self.hardware.poll_event()?;
            let handler = match source {
                EventSource::Pin(pin) => self.state.subscription(pin).map(|s| s.handler),
                EventSource::Timer => self.state.timer().map(|t| t.handler),
            };
            // An event may have come just before its subscription ended.
            if let Some(handler) = handler {
                return Some(Event { source, handler });
            }
        }
    }

    /// How many more steps the program can take before the next event, if the hardware knows.
    pub fn steps_to_event(&mut self) -> Option<u64> {
        self.hardware.steps_to_event()
    }

    /// Forgets events that were not polled, after a jump.
    pub fn discard_events(&mut self) {
        self.hardware.discard_events();
    }

    fn perform(&mut self, board: &Board, action: &Action<'_>) {
        self.hardware.perform(board, action);
        self.state.perform(board, action);
    }

    /// The level that a pin has before its first write, if it is not what the board says.
    fn level_before_first_write(&mut self, board: &Board, pin: u8) -> Option<bool> {
        if self.state.pin(pin).level.is_some() {
            return None;
        }
        let found = self.hardware.pin_level(pin);
        (found != self.state.level(board, pin)).then_some(found)
    }

    /// Performs an output that moves motors, and compares all encoders with the model before and after.
    fn perform_moving(&mut self, board: &Board, action: &Action<'_>) -> Captured {
        let before = self.deviations(board);
        self.state.correct_motors(&before);
        self.perform(board, action);
        let after = self.deviations(board);
        self.state.correct_motors(&after);
        let mut motors = Vec::new();
        for motor in 0..board.motors {
            let at = |list: &[(u8, Angle)]| {
                list.iter()
                    .find(|(m, _)| *m == motor)
                    .map(|(_, angle)| *angle)
            };
            let (before, after) = (at(&before), at(&after));
            if before.is_some() || after.is_some() {
                motors.push(CapturedMotor {
                    motor,
                    before,
                    after,
                });
            }
        }
        if motors.is_empty() {
            Captured::Nothing
        } else {
            Captured::Motors(motors)
        }
    }

    /// The motors whose encoders stand elsewhere than the model says.
    fn deviations(&mut self, board: &Board) -> Vec<(u8, Angle)> {
        let mut list = Vec::new();
        for motor in 0..board.motors {
            let angle = self.hardware.motor_angle(motor);
            if self.state.motor(motor).is_some_and(|m| m.angle != angle) {
                list.push((motor, angle));
            }
        }
        list
    }
}

impl Board {
    /// Whether an input makes sense on this board, in a program whose memory has so many bytes; the value does not matter
    /// for that.
    ///
    /// # Errors
    /// The [`Refusal`] with which [`Driver::input`] traps.
    pub fn check_input(
        &self,
        id: PrimitiveId,
        args: &[Value],
        memory: usize,
    ) -> Result<(), Refusal> {
        self.reading(id, args)?;
        self.check_filling(id, args, memory)
    }

    /// Whether a call that subscribes to events names a function that can be their handler. All other calls are fine.
    ///
    /// # Errors
    /// The [`Refusal`] with which the program traps, on the device and everywhere: without a handler every event would be
    /// lost, and nobody would know.
    pub fn check_handler(
        &self,
        id: PrimitiveId,
        args: &[Value],
        machine: &Machine,
    ) -> Result<(), Refusal> {
        let op = self.primitive(id).map(|primitive| primitive.op);
        let (Some(Op::SubscribeInterrupt | Op::SubscribeTimer), Some(Value::I32(index))) =
            (op, args.get(1))
        else {
            return Ok(());
        };
        handler(machine, *index as u32).map(|_| ())
    }

    /// Where an input's value comes from.
    fn reading<'a>(&'a self, id: PrimitiveId, args: &'a [Value]) -> Result<Reading<'a>, Refusal> {
        let primitive = self.primitive(id).ok_or(Refusal::UnknownPrimitive)?;
        if primitive.kind != PrimitiveKind::Input {
            return Err(Refusal::WrongKind);
        }
        if !primitive.accepts(args) {
            return Err(Refusal::WrongArguments);
        }
        let first = match args {
            [Value::I32(first), ..] => *first,
            _ => 0,
        };
        let sensor = match primitive.op {
            Op::DigitalRead => Sensor::Level(self.pin(first)?),
            Op::AnalogRead => Sensor::Analog(self.pin(first)?),
            Op::ColorSensor => Sensor::Colour(self.port(first)?),
            Op::ReadUartSensor => Sensor::Uart(self.port(first)?),
            Op::NxtTouch => Sensor::NxtTouch(self.port(first)?),
            Op::Ev3Touch => Sensor::Ev3Touch(self.port(first)?),
            Op::Millis | Op::Micros => Sensor::Clock,
            Op::Random | Op::RandomBelow | Op::RandomBetween => Sensor::Random,
            Op::Declared => Sensor::Declared,
            _ => return Err(Refusal::WrongKind),
        };
        Ok(Reading {
            sensor,
            id,
            primitive,
            args,
        })
    }
}

/// A random number brought into a codomain, unless it already is in it.
fn folded(codomain: &Codomain, random: i32) -> Value {
    if codomain.contains(Value::I32(random)) {
        return Value::I32(random);
    }
    let nth = codomain
        .count()
        .map_or(0, |count| u64::from(random as u32) % count.max(1));
    codomain.nth(nth).unwrap_or(Value::I32(0))
}

/// An integer of a type; a 32-bit clock wraps.
fn integer(ty: ValType, value: i64) -> Value {
    match ty {
        ValType::I64 => Value::I64(value),
        _ => Value::I32(value as i32),
    }
}
