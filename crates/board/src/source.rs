//! Sources: where the readings of a simulated board come from. Descriptions only; `borges-sim` brings them to life.

use alloc::vec::Vec;

use borges_vm::Value;

use crate::Calls;

/// How a simulated board behaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// All chance derives from it.
    pub seed: u64,
    /// How long one step of the program takes, in nanoseconds.
    pub step_ns: u32,
    /// Pins that start with the other level than the board says: what a debugger must find out and restore.
    pub surprising_pins: Vec<u8>,
    /// By how much motors miss where they should go, in thousandths.
    pub motor_slip: u16,
    /// Where readings come from; the first that fits counts.
    pub sources: Vec<(Calls, ReadingSource)>,
    /// Things in the world that outputs change and inputs see.
    pub models: Vec<WorldModel>,
}

impl Default for Simulation {
    fn default() -> Self {
        Simulation {
            seed: 1,
            // Ten million steps a second: about what an interpreter does on a microcontroller.
            step_ns: 100,
            surprising_pins: Vec::new(),
            motor_slip: 0,
            sources: Vec::new(),
            models: Vec::new(),
        }
    }
}

/// Where readings come from. Where nothing is said, a pin reads as the level that was written to it, and anything else
/// as noise within its codomain.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadingSource {
    /// Always the same.
    Constant(Value),
    /// One value after the other, a read each.
    Script(Script),
    /// Values that change at given times. On a pin, each change is an event for programs that subscribed.
    Timeline(Timeline),
    /// A periodic signal.
    Wave(Wave),
    /// Random values; with a step, each at most so far from the one before.
    Noise {
        /// The least value.
        low: f64,
        /// The greatest value.
        high: f64,
        /// The greatest change between two reads.
        step: Option<f64>,
    },
}

/// Values in the order in which they are read.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// The values, at least one.
    pub values: Vec<Value>,
    /// The bytes that come with each of the values, of an input that brings some.
    pub payloads: Vec<Vec<u8>>,
    /// What comes after the last one.
    pub end: ScriptEnd,
}

/// What a script answers when it has come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptEnd {
    /// The last value again and again.
    Hold,
    /// All values once more.
    Repeat,
    /// Another value from then on.
    Then(Value),
}

/// A value that changes at given times.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// The value before the first change.
    pub initial: Value,
    /// When it changes (in microseconds, ascending) and to what.
    pub changes: Vec<(u64, Value)>,
    /// Start again after so many microseconds, no less than the last change.
    pub repeat_us: Option<u64>,
}

/// A periodic signal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wave {
    /// Its shape.
    pub shape: Shape,
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
    /// Its period in microseconds, at least 1.
    pub period_us: u64,
    /// How far into the period it starts, in microseconds.
    pub phase_us: u64,
}

/// The shape of a periodic signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Begins in the middle, going up.
    Sine,
    /// Low in the first half, high in the second.
    Square,
    /// Up in the first half, down in the second.
    Triangle,
    /// Up all the time, then down at once.
    Saw,
}

/// Something in the world that outputs change and inputs see.
#[derive(Clone, Debug, PartialEq)]
pub enum WorldModel {
    /// A disc of coloured sectors that a motor turns under a sensor (or a needle turned over a dial).
    Disc {
        /// Its number, below [`crate::Board::motors`].
        motor: u8,
        /// The input that sees it.
        sensor: Calls,
        /// The sectors, by ascending end; the last ends at 360 degrees.
        sectors: Vec<Sector>,
    },
    /// A room that a heater warms: its temperature goes towards where it would end up, faster the further away it is.
    Room {
        /// The pin of the heater: full on when high, or as far as its duty says.
        heater: u8,
        /// The input that sees it.
        sensor: Calls,
        /// Temperature without heating.
        ambient: f64,
        /// By how much the heater warms the room in the end.
        gain: f64,
        /// How long it takes to come to within 37 % of where it goes, in microseconds, at least 1.
        inertia_us: u64,
        /// The reading at temperature 0.
        reading_at_zero: f64,
        /// By how much the reading grows with each degree.
        reading_per_degree: f64,
    },
    /// A lamp that shines on a light sensor.
    Light {
        /// The pin of the lamp: full on when high, or as far as its duty says.
        lamp: u8,
        /// The input that sees it.
        sensor: Calls,
        /// The reading while it is dark.
        dark: f64,
        /// The reading while the lamp is full on.
        lit: f64,
    },
    /// A wire: one pin reads what is written to another.
    Wire {
        /// The pin that is written.
        from: u8,
        /// The pin that is read.
        to: u8,
    },
}

/// A sector of a disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sector {
    /// Where it ends, in degrees.
    pub until_degrees: u16,
    /// What the sensor reads over it.
    pub reading: Value,
}
