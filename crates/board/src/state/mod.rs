//! The model: what the calls so far have done to the environment.

#[cfg(feature = "host")]
mod ages;
mod change;
mod compensation;
mod console;
mod difference;
mod display;
mod frame;
mod hasher;
mod limited;
mod pixels;
#[cfg(feature = "host")]
mod portable;
#[cfg(feature = "host")]
mod pulses;
mod st7735;

use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

use borges_vm::Value;
use serde::{Deserialize, Serialize};

pub use compensation::{Captured, CapturedMotor, Compensation, MotorRestore, Restore};
pub use console::{Console, ConsolePatch};
pub use display::{Display, DisplayPatch, Panel};
pub use frame::{Fill, Framebuffer};
pub use pixels::{Pixels, PixelsPatch};
#[cfg(feature = "host")]
pub use portable::PortableState;
pub use st7735::St7735;

use hasher::PortableHasher;

use crate::{Board, PrimitiveId, Refusal, Shared, VecMap, primitive::Op};

/// What the calls so far have done to the environment.
///
/// A pure function of the board and the sequence of calls; cloning it costs a few reference counts. A device keeps a
/// *lean* one without screen, strip and console; [`BoardState::hash64`] covers what both have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardState {
    core: Shared<Core>,
    /// The operating system that the program calls.
    #[cfg(feature = "host")]
    pub(crate) system: Option<Shared<borges_wasi::World>>,
    /// How long ago something happened about which there is a limit of time.
    #[cfg(feature = "host")]
    past: ages::Past,
    /// `None` on a device.
    pub(crate) sights: Option<Sights>,
}

/// The part that device and twin both keep.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Core {
    pins: VecMap<u8, Pin>,
    channels: VecMap<u8, PwmChannel>,
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

/// What can be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sights {
    /// Without `host` there is no value of this type: a device has the things themselves, and no code for models of them.
    #[cfg(not(feature = "host"))]
    nowhere: core::convert::Infallible,
    pub(crate) console: Console,
    pixels: Shared<Pixels>,
    display: Shared<Display>,
}

/// What was done to a pin; `None` where nothing was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
pub struct PwmChannel {
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    #[cfg(feature = "host")]
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

    /// Whether a call is about something: never, on a chip, where there is no operating system.
    #[cfg(not(feature = "host"))]
    pub fn is_about(&self, _: &Board, _: PrimitiveId, _: &[Value], _: &[u8], _: &str) -> bool {
        false
    }

    /// How much standard input a call wants: none, on a chip.
    #[cfg(not(feature = "host"))]
    pub fn input_wanted(
        &self,
        _: &Board,
        _: PrimitiveId,
        _: &[Value],
        _: &[u8],
    ) -> Option<(u64, u32)> {
        None
    }

    /// The choice that files were replaced before a call: none, on a chip.
    #[cfg(not(feature = "host"))]
    pub fn replaces<'f>(
        &self,
        _: &Board,
        _: (PrimitiveId, &[Value]),
        _: &[u8],
        _: impl Iterator<Item = (&'f str, u64, &'f [u8])>,
        _: Option<&crate::Yield>,
    ) -> Option<crate::Yield> {
        None
    }

    /// The same without screen, strip and console: what fits on a device.
    pub fn lean(board: &Board) -> Self {
        let core = Core {
            motors: alloc::vec![Motor::default(); usize::from(board.motors)],
            ..Core::default()
        };
        BoardState {
            core: Shared::new(core),
            #[cfg(feature = "host")]
            system: board
                .system
                .as_ref()
                .map(|system| Shared::new(system.world.clone())),
            #[cfg(feature = "host")]
            past: ages::Past::default(),
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
            #[cfg(feature = "host")]
            let before = self.before_ageing(board);
            self.core_mut().clock_floor_us = us;
            #[cfg(feature = "host")]
            if let Some(before) = before {
                self.age(board, &before);
            }
        }
        if board.remembers(id, args) {
            self.core_mut()
                .readings
                .set((id, args.to_vec()), Some(value));
        }
    }

    /// What of the state inputs and events to come can depend on, and nothing else: what was written, shown and printed
    /// matters if the board has rules, which may be about it, or limits that are about just that; the time that has passed,
    /// if there `are_clocks` to read.
    #[must_use]
    pub fn influence(&self, board: &Board, are_clocks: bool) -> BoardState {
        let mut core = (*self.core).clone();
        if board.rules.is_empty() {
            core.pins = VecMap::default();
            core.channels = VecMap::default();
            core.motors.fill(Motor::default());
            core.tone = None;
            core.registers = VecMap::default();
            core.keep_limited(board, &self.core);
        }
        core.forget_lost_angles(board);
        if !are_clocks {
            core.elapsed_us = 0;
            core.clock_floor_us = 0;
        }
        BoardState {
            core: Shared::new(core),
            #[cfg(feature = "host")]
            system: self.system.clone(),
            #[cfg(feature = "host")]
            past: self.past.clone(),
            sights: None,
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
    pub fn channels(&self) -> impl Iterator<Item = &(u8, PwmChannel)> + '_ {
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

    /// How many bytes of the heap this state holds for itself alone, not shared with another state.
    pub fn heap_bytes(&self) -> usize {
        let core = match Shared::strong_count(&self.core) {
            1 => self.core.heap_bytes() + size_of::<Core>(),
            _ => 0,
        };
        let Some(sights) = &self.sights else {
            return core;
        };
        let pixels = match Shared::strong_count(&sights.pixels) {
            1 => 4 * (sights.pixels.buffer.len() + sights.pixels.shown.len()),
            _ => 0,
        };
        let display = match Shared::strong_count(&sights.display) {
            1 => sights.display.frame().heap_bytes(),
            _ => 0,
        };
        core + pixels + display + sights.console.heap_bytes()
    }

    /// Visits every piece of memory that this state holds: its address and about its size in bytes. Pieces that states
    /// share have the same address, so that a sum over several can count them once; what a piece holds is only visited if
    /// the answer is yes.
    pub fn for_each_piece(&self, visit: &mut dyn FnMut(usize, usize) -> bool) {
        fn address<T>(shared: &Shared<T>) -> usize {
            &raw const **shared as usize
        }
        visit(
            address(&self.core),
            self.core.heap_bytes() + size_of::<Core>(),
        );
        #[cfg(feature = "host")]
        if let Some(system) = &self.system {
            system.for_each_piece(visit);
        }
        if let Some(sights) = &self.sights {
            let pixels = sights.pixels.buffer.len() + sights.pixels.shown.len();
            visit(address(&sights.pixels), 4 * pixels);
            visit(
                address(&sights.display),
                sights.display.frame().heap_bytes(),
            );
            visit(
                &raw const sights.console as usize,
                sights.console.heap_bytes(),
            );
        }
    }

    /// A hash of all that a lean state has too: equal on device and twin, whatever their word size, but for what limits of
    /// time ask, which only a host keeps.
    pub fn hash64(&self) -> u64 {
        let mut hasher = PortableHasher::default();
        self.core.hash(&mut hasher);
        #[cfg(feature = "host")]
        if let Some(system) = &self.system {
            system.hash(&mut hasher);
        }
        #[cfg(feature = "host")]
        self.past.hash(&mut hasher);
        hasher.finish()
    }

    /// Whether any motor runs on while time passes.
    pub fn motors_run(&self) -> bool {
        self.core.motors.iter().any(|m| m.speed != 0)
    }

    fn core_mut(&mut self) -> &mut Core {
        Shared::make_mut(&mut self.core)
    }
}
