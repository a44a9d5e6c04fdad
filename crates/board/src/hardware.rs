//! The hardware: what a simulated board and the firmware of a real one implement.

use alloc::vec::Vec;

use borges_vm::Value;

use crate::{Action, Angle, Board, BoardState, Primitive, PrimitiveId, Restore};

/// A reading that a program asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading<'a> {
    /// Where it comes from.
    pub sensor: Sensor,
    /// The primitive that was called.
    pub id: PrimitiveId,
    /// Its description.
    pub primitive: &'a Primitive,
    /// Its arguments.
    pub args: &'a [Value],
}

/// Where a reading comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sensor {
    /// The level of a pin.
    Level(u8),
    /// The voltage at a pin, as a number.
    Analog(u8),
    /// The colour sensor at a port.
    Colour(u8),
    /// Any UART sensor at a port.
    Uart(u8),
    /// The NXT touch sensor at a port.
    NxtTouch(u8),
    /// The EV3 touch sensor at a port.
    Ev3Touch(u8),
    /// The time since the start, in microseconds.
    Clock,
    /// A random number.
    Random,
    /// An input that the user declared.
    Declared,
}

/// Where an event comes from.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum EventSource {
    /// A pin has changed.
    Pin(u8),
    /// The timer has fired.
    Timer,
}

/// Simulated or real hardware. [`crate::Driver`] calls it; what it is asked for has been checked against the board.
pub trait Hardware {
    /// The program has come to this step. A simulated board computes its clock from it; it may lie before the last one
    /// after a jump. Real hardware has a clock of its own.
    fn at(&mut self, steps: u64) {
        let _ = steps;
    }

    /// Reads a sensor. The answer has the primitive's type, or is an i64 for [`Sensor::Clock`].
    fn sense(&mut self, board: &Board, reading: Reading<'_>) -> Value;

    /// The bytes that come with the reading that was just made, about so many: what is missing is zero.
    fn fill(&mut self, reading: Reading<'_>, length: usize) -> Vec<u8> {
        let _ = (reading, length);
        Vec::new()
    }

    /// What happens where a call of the operating system wants to know what nobody knows.
    #[cfg(feature = "host")]
    fn choose(
        &mut self,
        system: &borges_wasi::World,
        wants: &borges_wasi::Wants,
    ) -> borges_wasi::Chosen {
        system.usual(wants)
    }

    /// Performs an output, to its end: a motor has arrived when this returns. Only a delay may still last:
    /// [`Hardware::settled`].
    fn perform(&mut self, board: &Board, action: &Action<'_>);

    /// Whether a delay that was begun has passed. Until it has, the program does not go on, but its device answers; what
    /// restores anything ends the delay.
    fn settled(&mut self) -> bool {
        true
    }

    /// Restores one thing to what it was.
    fn restore(&mut self, board: &Board, restore: &Restore);

    /// Where a motor's encoder stands.
    fn motor_angle(&mut self, motor: u8) -> Angle;

    /// The level that a pin has before anything was written to it.
    fn pin_level(&mut self, pin: u8) -> bool;

    /// Brings a reading into the codomain that the board's rules give it in `state`. Only a simulated board does: its
    /// rules are its physics. Real hardware reports what it measured.
    fn lawful(
        &mut self,
        board: &Board,
        (id, args): (PrimitiveId, &[Value]),
        state: &BoardState,
        reading: Value,
    ) -> Value {
        let _ = (board, id, args, state);
        reading
    }

    /// An event that has come since the last call, the oldest first; each is returned once.
    fn poll_event(&mut self) -> Option<EventSource>;

    /// How many more steps the program can take before the next event, if the hardware knows: then it comes at exactly
    /// that step, whenever it is polled.
    fn steps_to_event(&mut self) -> Option<u64> {
        None
    }

    /// Forgets the events that have come and were not polled: after a jump, they belong to another universe.
    fn discard_events(&mut self);
}
