//! The model: what the calls so far have done to the environment.

mod console;
mod display;
mod pixels;
mod st7735;

use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

use borges_vm::Value;
use serde::{Deserialize, Serialize};

pub use console::{Console, ConsolePatch};
pub use display::{Display, DisplayPatch, Fill, Framebuffer, Panel};
pub use pixels::{Pixels, PixelsPatch};
pub use st7735::St7735;

use crate::{
    Action, Board, Captured, Kind, PrimitiveId, Refusal, Restore, Shared, VecMap, primitive::Op,
};

/// What the calls so far have done to the environment.
///
/// A pure function of the board and the sequence of calls; cloning it costs a few reference counts. A device keeps a
/// *lean* one without screen, strip and console; [`BoardState::hash64`] covers what both have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardState {
    core: Shared<Core>,
    /// What can be looked at; `None` on a device.
    sights: Option<Sights>,
}

/// The part that device and twin both keep.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Core {
    pins: VecMap<u8, Pin>,
    channels: VecMap<u8, Channel>,
    motors: Vec<Motor>,
    tone: Option<i32>,
    interrupts: VecMap<u8, Subscription>,
    timer: Option<Timer>,
    sensor_modes: VecMap<u8, i32>,
    /// For each declared output and key, the arguments of the last call.
    registers: VecMap<(PrimitiveId, Vec<Value>), Vec<Value>>,
    /// Last readings, of those inputs whose codomain depends on them.
    readings: VecMap<(PrimitiveId, Vec<Value>), Value>,
    elapsed_us: u64,
    clock_floor_us: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Sights {
    console: Console,
    pixels: Shared<Pixels>,
    display: Shared<Display>,
}

/// What was done to a pin; `None` where nothing was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pin {
    /// Its mode.
    pub mode: Option<i32>,
    /// The level written to it.
    pub level: Option<bool>,
    /// The duty written to it, of 255.
    pub duty: Option<u8>,
    /// The PWM channel that it follows.
    pub channel: Option<u8>,
}

/// A PWM channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Channel {
    /// Frequency in Hz.
    pub frequency_hz: u32,
    /// Resolution.
    pub bits: u32,
    /// Duty, of 4095.
    pub duty: u16,
}

/// An angle in microdegrees.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Angle(pub i64);

impl Angle {
    /// Whole degrees, rounded down.
    pub fn degrees(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// The angle of so many degrees.
    pub fn from_degrees(degrees: i32) -> Self {
        Angle(i64::from(degrees) * 1_000_000)
    }

    /// This angle and so many microdegrees more.
    #[must_use]
    pub fn plus(self, microdegrees: i64) -> Self {
        Angle(self.0.saturating_add(microdegrees))
    }
}

/// A motor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Motor {
    /// The speed at which it moves while time passes, ±10,000 being full.
    pub speed: i32,
    /// Where its encoder stands.
    pub angle: Angle,
}

/// A subscription to the changes of a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Subscription {
    /// The handler, as an index into the program's table.
    pub handler: u32,
    /// Which changes: 1 any, 2 falling, 3 rising.
    pub mode: i32,
}

/// The timer. It fires whenever the board's clock passes a multiple of the period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Timer {
    /// Its period in microseconds.
    pub period_us: u32,
    /// The handler, as an index into the program's table.
    pub handler: u32,
}

impl BoardState {
    /// The state before anything has happened.
    pub fn new(board: &Board) -> Self {
        let sights = Sights {
            console: Console::new(board.console_bytes),
            pixels: Shared::new(Pixels::new(board.pixels)),
            display: Shared::new(Display::new(board.display)),
        };
        BoardState {
            sights: Some(sights),
            ..Self::lean(board)
        }
    }

    /// The same without screen, strip and console: what fits on a device.
    pub fn lean(board: &Board) -> Self {
        let core = Core {
            motors: alloc::vec![Motor::default(); usize::from(board.motors)],
            ..Core::default()
        };
        BoardState {
            core: Shared::new(core),
            sights: None,
        }
    }

    /// Performs an output in the model: what the twin does when the device did it.
    ///
    /// # Errors
    /// A [`Refusal`] exactly if the device refused it; nothing has changed then.
    pub fn apply(
        &mut self,
        board: &Board,
        id: PrimitiveId,
        args: &[Value],
        memory: &[u8],
        captured: &Captured,
    ) -> Result<Option<Value>, Refusal> {
        let action = board.action(id, args, memory)?;
        self.correct(captured, false);
        self.perform(board, &action);
        self.correct(captured, true);
        Ok(board.result(id))
    }

    /// Takes note of an input's value, whether it was read or mocked.
    pub fn observe(&mut self, board: &Board, id: PrimitiveId, args: &[Value], value: Value) {
        let Some(primitive) = board.primitive(id) else {
            return;
        };
        let us = match (primitive.op, value) {
            (Op::Millis, Value::I32(v)) => Some(u64::from(v as u32).saturating_mul(1000)),
            (Op::Millis, Value::I64(v)) => Some((v as u64).saturating_mul(1000)),
            (Op::Micros, Value::I32(v)) => Some(u64::from(v as u32)),
            (Op::Micros, Value::I64(v)) => Some(v as u64),
            _ => None,
        };
        if let Some(us) = us.filter(|us| *us > self.core.clock_floor_us) {
            self.core_mut().clock_floor_us = us;
        }
        if board.remembers(id, args) {
            self.core_mut()
                .readings
                .set((id, args.to_vec()), Some(value));
        }
    }

    /// What was done to a pin.
    pub fn pin(&self, pin: u8) -> Pin {
        self.core.pins.get(&pin).copied().unwrap_or_default()
    }

    /// The pins to which something was done.
    pub fn pins(&self) -> impl Iterator<Item = &(u8, Pin)> + '_ {
        self.core.pins.iter()
    }

    /// The level of a pin: what was written, or what the board starts with.
    pub fn level(&self, board: &Board, pin: u8) -> bool {
        self.pin(pin)
            .level
            .unwrap_or_else(|| board.high_pins.contains(&pin))
    }

    /// The PWM channels that are set up.
    pub fn channels(&self) -> impl Iterator<Item = &(u8, Channel)> + '_ {
        self.core.channels.iter()
    }

    /// A motor.
    pub fn motor(&self, motor: u8) -> Option<Motor> {
        self.core.motors.get(usize::from(motor)).copied()
    }

    /// All motors.
    pub fn motors(&self) -> &[Motor] {
        &self.core.motors
    }

    /// The tone that sounds, in Hz.
    pub fn tone(&self) -> Option<i32> {
        self.core.tone
    }

    /// The subscription to a pin's changes.
    pub fn subscription(&self, pin: u8) -> Option<Subscription> {
        self.core.interrupts.get(&pin).copied()
    }

    /// All subscriptions.
    pub fn subscriptions(&self) -> impl Iterator<Item = &(u8, Subscription)> + '_ {
        self.core.interrupts.iter()
    }

    /// The timer, if it runs.
    pub fn timer(&self) -> Option<Timer> {
        self.core.timer
    }

    /// The mode of the sensor at a port.
    pub fn sensor_mode(&self, port: u8) -> Option<i32> {
        self.core.sensor_modes.get(&port).copied()
    }

    /// The modes of all sensors that have been given one.
    pub fn sensor_modes(&self) -> impl Iterator<Item = &(u8, i32)> + '_ {
        self.core.sensor_modes.iter()
    }

    /// The state that a declared output keeps for a key; `None` if it keeps none.
    pub fn register(&self, board: &Board, id: PrimitiveId, key: &[Value]) -> Option<Vec<Value>> {
        let register = board.primitive(id)?.register.as_ref()?;
        match self.core.registers.get(&(id, key.to_vec())) {
            Some(args) => register
                .state
                .iter()
                .map(|position| args.get(usize::from(*position)).copied())
                .collect(),
            None => Some(register.initial.clone()),
        }
    }

    /// The declared outputs that were called: primitive, key, and the arguments of the last call.
    pub fn registers(&self) -> impl Iterator<Item = (PrimitiveId, &[Value], &[Value])> + '_ {
        self.core
            .registers
            .iter()
            .map(|((id, key), args)| (*id, key.as_slice(), args.as_slice()))
    }

    /// The last reading of an input, if some rule needs it.
    pub fn last_reading(&self, id: PrimitiveId, args: &[Value]) -> Option<Value> {
        if self.core.readings.is_empty() {
            return None;
        }
        self.core.readings.get(&(id, args.to_vec())).copied()
    }

    /// How long the program has waited in outputs, in microseconds.
    pub fn elapsed_us(&self) -> u64 {
        self.core.elapsed_us
    }

    /// What a clock shows at the earliest, in microseconds.
    pub fn clock_floor_us(&self) -> u64 {
        self.core.clock_floor_us
    }

    /// The printed text; `None` in a lean state.
    pub fn console(&self) -> Option<&Console> {
        self.sights.as_ref().map(|s| &s.console)
    }

    /// The pixel strip; `None` in a lean state.
    pub fn pixels(&self) -> Option<&Pixels> {
        self.sights.as_ref().map(|s| &*s.pixels)
    }

    /// The display; `None` in a lean state.
    pub fn display(&self) -> Option<&Display> {
        self.sights.as_ref().map(|s| &*s.display)
    }

    /// A hash of all that a lean state has too: equal on device and twin, whatever their word size.
    pub fn hash64(&self) -> u64 {
        let mut hasher = PortableHasher::default();
        self.core.hash(&mut hasher);
        hasher.finish()
    }

    /// Whether any motor runs on while time passes.
    pub fn motors_run(&self) -> bool {
        self.core.motors.iter().any(|m| m.speed != 0)
    }

    fn core_mut(&mut self) -> &mut Core {
        Shared::make_mut(&mut self.core)
    }

    fn change_pin(&mut self, pin: u8, change: impl FnOnce(&mut Pin)) {
        let mut state = self.pin(pin);
        change(&mut state);
        let kept = (state != Pin::default()).then_some(state);
        self.core_mut().pins.set(pin, kept);
    }

    /// Puts the model right where the device measured something else than it predicts.
    fn correct(&mut self, captured: &Captured, after: bool) {
        let Captured::Motors(motors) = captured else {
            return;
        };
        for seen in motors {
            let angle = if after { seen.after } else { seen.before };
            if let (Some(angle), Some(motor)) = (
                angle,
                self.core_mut().motors.get_mut(usize::from(seen.motor)),
            ) {
                motor.angle = angle;
            }
        }
    }

    /// Sets motors to where their encoders stand.
    pub(crate) fn correct_motors(&mut self, angles: &[(u8, Angle)]) {
        for (motor, angle) in angles {
            if let Some(motor) = self.core_mut().motors.get_mut(usize::from(*motor)) {
                motor.angle = *angle;
            }
        }
    }

    /// Lets time pass: motors that have a speed move.
    fn wait(&mut self, board: &Board, us: u64) {
        let core = self.core_mut();
        core.elapsed_us = core.elapsed_us.saturating_add(us);
        for motor in core.motors.iter_mut().filter(|m| m.speed != 0) {
            motor.angle = motor.angle.plus(board.travel(motor.speed, us));
        }
    }

    fn set_speed(&mut self, motor: u8, speed: i32) {
        if let Some(motor) = self.core_mut().motors.get_mut(usize::from(motor)) {
            motor.speed = speed;
        }
    }

    /// Time that certainly passes: a clock cannot show less than before plus this.
    fn advance_clock(&mut self, us: u64) {
        let core = self.core_mut();
        core.clock_floor_us = core.clock_floor_us.saturating_add(us);
    }

    fn change_channel(&mut self, channel: u8, change: impl FnOnce(&mut Channel)) {
        let mut setting = self
            .core
            .channels
            .get(&channel)
            .copied()
            .unwrap_or_default();
        change(&mut setting);
        self.core_mut().channels.set(channel, Some(setting));
    }

    /// Performs an action that has been checked against the board.
    pub(crate) fn perform(&mut self, board: &Board, action: &Action<'_>) {
        match *action {
            Action::Nothing => {}
            Action::PinMode { pin, mode } => self.change_pin(pin, |p| p.mode = Some(mode)),
            Action::Level { pin, level } => self.change_pin(pin, |p| p.level = Some(level)),
            Action::Duty { pin, duty } => self.change_pin(pin, |p| p.duty = Some(duty)),
            Action::ChannelSetup {
                channel,
                frequency_hz,
                bits,
                pin,
            } => {
                self.change_channel(channel, |c| {
                    *c = Channel {
                        frequency_hz,
                        bits,
                        duty: 0,
                    }
                });
                if let Some(pin) = pin {
                    self.change_pin(pin, |p| p.channel = Some(channel));
                }
            }
            Action::ChannelAttach { pin, channel } => {
                self.change_pin(pin, |p| p.channel = Some(channel))
            }
            Action::ChannelDuty { channel, duty } => {
                self.change_channel(channel, |c| c.duty = duty)
            }
            Action::Wait { us } => {
                self.wait(board, us);
                self.advance_clock(us);
            }
            Action::MotorSpeed { motor, speed } => self.set_speed(motor, speed),
            Action::MotorFor { motor, speed, us } => {
                self.set_speed(motor, speed);
                self.wait(board, us);
                self.advance_clock(us);
                self.set_speed(motor, 0);
            }
            Action::MotorTurn {
                motor,
                speed,
                degrees,
            } => {
                self.set_speed(motor, 0);
                self.wait(board, board.turning_time_us(speed, degrees));
                if let Some(motor) = self.core_mut().motors.get_mut(usize::from(motor)) {
                    motor.angle = motor.angle.plus(Angle::from_degrees(degrees).0);
                }
            }
            Action::Tone(tone) => self.core_mut().tone = tone,
            Action::Subscribe { pin, handler, mode } => {
                self.core_mut()
                    .interrupts
                    .set(pin, Some(Subscription { handler, mode }));
            }
            Action::Unsubscribe { pin } => self.core_mut().interrupts.set(pin, None),
            Action::SubscribeTimer { period_us, handler } => {
                self.core_mut().timer = Some(Timer { period_us, handler });
            }
            Action::UnsubscribeTimer => self.core_mut().timer = None,
            Action::SensorMode { port, mode } => self.core_mut().sensor_modes.set(port, Some(mode)),
            Action::Declared { primitive, args } => {
                if let Some(key) = board.register_key(primitive, args) {
                    self.core_mut()
                        .registers
                        .set((primitive, key), Some(args.to_vec()));
                }
            }
            // These only show on screen, strip and console, see below.
            Action::Number(_)
            | Action::Text(_)
            | Action::PixelsInit
            | Action::PixelSet { .. }
            | Action::PixelsShow
            | Action::PixelsClear
            | Action::DisplaySetup
            | Action::DisplayOrientation(_)
            | Action::DisplayFill { .. }
            | Action::DisplayText { .. }
            | Action::SpiBegin
            | Action::SpiByte(_)
            | Action::SpiWords { .. } => {}
        }
        if let Some(sights) = &mut self.sights {
            let core = &self.core;
            let level = |pin| match core.pins.get(&pin).and_then(|p| p.level) {
                Some(level) => level,
                None => board.high_pins.contains(&pin),
            };
            sights.perform(action, level);
        }
    }

    /// Undoes in the model what a [`Restore`] undoes in the environment.
    pub(crate) fn restore(&mut self, restore: &Restore) {
        match restore {
            Restore::PinMode { pin, mode } => self.change_pin(*pin, |p| p.mode = *mode),
            Restore::Level { pin, written, .. } => self.change_pin(*pin, |p| p.level = *written),
            Restore::Duty { pin, duty } => self.change_pin(*pin, |p| p.duty = *duty),
            Restore::PinChannel { pin, channel } => self.change_pin(*pin, |p| p.channel = *channel),
            Restore::Channel { channel, setting } => {
                self.core_mut().channels.set(*channel, *setting)
            }
            Restore::Motors(motors) => {
                for was in motors {
                    if let Some(motor) = self.core_mut().motors.get_mut(usize::from(was.motor)) {
                        *motor = Motor {
                            speed: was.speed,
                            angle: was.angle,
                        };
                    }
                }
            }
            Restore::Tone(tone) => self.core_mut().tone = *tone,
            Restore::Interrupt { pin, subscription } => {
                self.core_mut().interrupts.set(*pin, *subscription)
            }
            Restore::Timer(timer) => self.core_mut().timer = *timer,
            Restore::SensorMode { port, mode } => self.core_mut().sensor_modes.set(*port, *mode),
            Restore::Register {
                primitive,
                key,
                args,
                written,
            } => {
                let kept = written.then(|| args.clone());
                self.core_mut()
                    .registers
                    .set((*primitive, key.clone()), kept);
            }
            Restore::Reading {
                primitive,
                args,
                value,
            } => {
                self.core_mut()
                    .readings
                    .set((*primitive, args.clone()), *value);
            }
            Restore::Time {
                elapsed_us,
                clock_floor_us,
            } => {
                let core = self.core_mut();
                core.elapsed_us = *elapsed_us;
                core.clock_floor_us = *clock_floor_us;
            }
            Restore::Console(patch) => {
                if let Some(sights) = &mut self.sights {
                    sights.console.restore(patch);
                }
            }
            Restore::Pixels(patch) => {
                if let Some(sights) = &mut self.sights {
                    Shared::make_mut(&mut sights.pixels).restore(patch);
                }
            }
            Restore::Display(patch) => {
                if let Some(sights) = &mut self.sights {
                    Shared::make_mut(&mut sights.display).restore(patch);
                }
            }
        }
    }

    /// Everything that must be restored to get from `after` back to this state.
    pub(crate) fn differences(
        &self,
        board: &Board,
        after: &BoardState,
        captured: &Captured,
    ) -> Vec<Restore> {
        let mut list = Vec::new();
        if !Shared::ptr_eq(&self.core, &after.core) {
            self.core
                .differences(board, &after.core, captured, &mut list);
        }
        let (Some(was), Some(is)) = (&self.sights, &after.sights) else {
            return list;
        };
        list.extend(was.console.patch_from(&is.console).map(Restore::Console));
        if !Shared::ptr_eq(&was.pixels, &is.pixels) {
            list.extend(was.pixels.patch_from(&is.pixels).map(Restore::Pixels));
        }
        if !Shared::ptr_eq(&was.display, &is.display) {
            list.extend(was.display.patch_from(&is.display).map(Restore::Display));
        }
        list
    }
}

impl Core {
    fn differences(
        &self,
        board: &Board,
        after: &Core,
        captured: &Captured,
        list: &mut Vec<Restore>,
    ) {
        self.motor_differences(after, captured, list);
        for (pin, was, is) in self.pins.differences(&after.pins) {
            let (pin, was, is) = (
                *pin,
                was.copied().unwrap_or_default(),
                is.copied().unwrap_or_default(),
            );
            if was.level != is.level {
                // The level that the device found at the first write, or else the one that the model knows.
                let level = match (was.level, captured) {
                    (Some(level), _) => level,
                    (None, Captured::Level(level)) => *level,
                    (None, _) => board.high_pins.contains(&pin),
                };
                list.push(Restore::Level {
                    pin,
                    written: was.level,
                    level,
                });
            }
            if was.duty != is.duty {
                list.push(Restore::Duty {
                    pin,
                    duty: was.duty,
                });
            }
            if was.channel != is.channel {
                list.push(Restore::PinChannel {
                    pin,
                    channel: was.channel,
                });
            }
            if was.mode != is.mode {
                list.push(Restore::PinMode {
                    pin,
                    mode: was.mode,
                });
            }
        }
        for (channel, was, _) in self.channels.differences(&after.channels) {
            list.push(Restore::Channel {
                channel: *channel,
                setting: was.copied(),
            });
        }
        if self.tone != after.tone {
            list.push(Restore::Tone(self.tone));
        }
        for (pin, was, _) in self.interrupts.differences(&after.interrupts) {
            list.push(Restore::Interrupt {
                pin: *pin,
                subscription: was.copied(),
            });
        }
        if self.timer != after.timer {
            list.push(Restore::Timer(self.timer));
        }
        for (port, was, _) in self.sensor_modes.differences(&after.sensor_modes) {
            list.push(Restore::SensorMode {
                port: *port,
                mode: was.copied(),
            });
        }
        for ((id, key), was, _) in self.registers.differences(&after.registers) {
            let args = was
                .cloned()
                .or_else(|| board.initial_call(*id, key))
                .unwrap_or_default();
            list.push(Restore::Register {
                primitive: *id,
                key: key.clone(),
                args,
                written: was.is_some(),
            });
        }
        for ((id, args), was, _) in self.readings.differences(&after.readings) {
            list.push(Restore::Reading {
                primitive: *id,
                args: args.clone(),
                value: was.copied(),
            });
        }
        if (self.elapsed_us, self.clock_floor_us) != (after.elapsed_us, after.clock_floor_us) {
            list.push(Restore::Time {
                elapsed_us: self.elapsed_us,
                clock_floor_us: self.clock_floor_us,
            });
        }
    }

    /// Motors go back to where the device saw them before the call; the model to what it thought then.
    fn motor_differences(&self, after: &Core, captured: &Captured, list: &mut Vec<Restore>) {
        let seen = |motor: u8| match captured {
            Captured::Motors(seen) => seen.iter().find(|m| m.motor == motor).copied(),
            _ => None,
        };
        let mut changed = Vec::new();
        for (i, (was, is)) in self.motors.iter().zip(&after.motors).enumerate() {
            let motor = i as u8;
            let seen = seen(motor);
            if was != is || seen.is_some() {
                let found = seen.and_then(|s| s.before).unwrap_or(was.angle);
                let drift = found.0.saturating_sub(was.angle.0);
                changed.push(crate::MotorRestore {
                    motor,
                    speed: was.speed,
                    angle: was.angle,
                    drift,
                });
            }
        }
        if !changed.is_empty() {
            list.push(Restore::Motors(changed));
        }
    }
}

impl Sights {
    fn perform(&mut self, action: &Action<'_>, level: impl Fn(u8) -> bool) {
        match *action {
            Action::Number(n) => self.console.print(alloc::format!("{n}\n").as_bytes()),
            Action::Text(text) => self.console.print(text),
            Action::PixelsInit
            | Action::PixelSet { .. }
            | Action::PixelsShow
            | Action::PixelsClear => {
                Shared::make_mut(&mut self.pixels).perform(action);
            }
            Action::Level { pin, level } if self.display.resets_on(pin, level) => {
                Shared::make_mut(&mut self.display).reset();
            }
            Action::DisplaySetup
            | Action::DisplayOrientation(_)
            | Action::DisplayFill { .. }
            | Action::DisplayText { .. }
            | Action::SpiByte(_)
            | Action::SpiWords { .. } => Shared::make_mut(&mut self.display).perform(action, level),
            _ => {}
        }
    }
}

impl Board {
    /// What an output answers: a constant, or zero where a program expects a value that nobody defines.
    pub(crate) fn result(&self, id: PrimitiveId) -> Option<Value> {
        let primitive = self.primitive(id)?;
        match primitive.kind {
            Kind::Constant(value) => Some(value),
            _ => primitive.results.first().map(|ty| Value::default_of(*ty)),
        }
    }

    /// The key under which a declared output sets state, if it sets any.
    pub fn register_key(&self, id: PrimitiveId, args: &[Value]) -> Option<Vec<Value>> {
        let register = self.primitive(id)?.register.as_ref()?;
        register
            .key
            .iter()
            .map(|position| args.get(usize::from(*position)).copied())
            .collect()
    }

    /// The call that would bring a declared output's state back to what it is before the first one.
    fn initial_call(&self, id: PrimitiveId, key: &[Value]) -> Option<Vec<Value>> {
        let primitive = self.primitive(id)?;
        let register = primitive.register.as_ref()?;
        let mut args: Vec<Value> = primitive
            .params
            .iter()
            .map(|ty| Value::default_of(*ty))
            .collect();
        let places = register
            .key
            .iter()
            .zip(key)
            .chain(register.state.iter().zip(&register.initial));
        for (position, value) in places {
            *args.get_mut(usize::from(*position))? = *value;
        }
        Some(args)
    }
}

/// FNV-1a over bytes that are the same on every machine: little endian, sizes as 64 bits.
struct PortableHasher(u64);

impl Default for PortableHasher {
    fn default() -> Self {
        PortableHasher(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for PortableHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn write_u16(&mut self, n: u16) {
        self.write(&n.to_le_bytes());
    }

    fn write_u32(&mut self, n: u32) {
        self.write(&n.to_le_bytes());
    }

    fn write_u64(&mut self, n: u64) {
        self.write(&n.to_le_bytes());
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    // Signed numbers and enum discriminants arrive through these by default; they forward to the above.
    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as i64 as u64);
    }
}
