//! Compensations: what undoes an output, and what had to be captured for it.

use alloc::vec::Vec;

use borges_vm::Value;
use serde::{Deserialize, Serialize};

use super::{
    Angle, BoardState, ConsolePatch, DisplayPatch, PixelsPatch, PwmChannel, Subscription, Timer,
};
use crate::{Board, PrimitiveId, PrimitiveKind, Refusal};

/// What an output found in the environment that the model could not know. Nothing, most of the time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Captured {
    /// The environment is as the model says.
    #[default]
    Nothing,
    /// The level of a pin before its first write, where the board says another.
    Level(bool),
    /// Motors whose encoders stand elsewhere than the model says.
    Motors(Vec<CapturedMotor>),
}

/// Where a motor really stood, if not where the model says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapturedMotor {
    /// Its number, below [`Board::motors`].
    pub motor: u8,
    /// Its encoder before the call.
    pub before: Option<Angle>,
    /// Its encoder after the call.
    pub after: Option<Angle>,
}

impl Captured {
    /// Whether there is nothing to report: zero bytes on the wire.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Captured::Nothing)
    }
}

/// What undoes one call.
///
/// For an output it restores the environment to what it was before that very call, and the model with it. For an input
/// it leaves the environment alone (MIO's `r_nop`) and at most makes the model forget the reading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compensation {
    /// What to restore, in this order.
    pub steps: Vec<Restore>,
}

/// One thing to restore. `None` always means: as if nothing had ever been done to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Restore {
    /// A pin's mode.
    PinMode {
        /// Its number, below [`Board::pins`].
        pin: u8,
        /// The mode before.
        mode: Option<i32>,
    },
    /// A pin's level.
    Level {
        /// Its number, below [`Board::pins`].
        pin: u8,
        /// What the program had written before.
        written: Option<bool>,
        /// The level to bring the pin to: what was written, or else what the pin had before its first write.
        level: bool,
    },
    /// A pin's duty.
    Duty {
        /// Its number, below [`Board::pins`].
        pin: u8,
        /// The duty before.
        duty: Option<u8>,
    },
    /// The PWM channel that a pin follows.
    PinChannel {
        /// Its number, below [`Board::pins`].
        pin: u8,
        /// The channel before.
        channel: Option<u8>,
    },
    /// A PWM channel.
    Channel {
        /// Its number: any is a channel.
        channel: u8,
        /// Its setting before.
        setting: Option<PwmChannel>,
    },
    /// Motors: drive them back, then let them run as they did.
    Motors(Vec<MotorRestore>),
    /// The tone in Hz; none if nothing sounded.
    Tone(Option<i32>),
    /// The subscription to a pin.
    Interrupt {
        /// Its number, below [`Board::pins`].
        pin: u8,
        /// The subscription before.
        subscription: Option<Subscription>,
    },
    /// The timer as it was set, if it was.
    Timer(Option<Timer>),
    /// A sensor's mode.
    SensorMode {
        /// Its number, below [`Board::ports`].
        port: u8,
        /// The mode before.
        mode: Option<i32>,
    },
    /// A declared output: call it again with the state before.
    Register {
        /// The output.
        primitive: PrimitiveId,
        /// The key whose state it is.
        key: Vec<Value>,
        /// The arguments to call it with.
        args: Vec<Value>,
        /// Whether the program had called it for this key before.
        written: bool,
    },
    /// The model's memory of a reading; nothing in the environment.
    Reading {
        /// The input.
        primitive: PrimitiveId,
        /// Its arguments.
        args: Vec<Value>,
        /// The reading before.
        value: Option<Value>,
    },
    /// The clock. A simulated board goes back in time; a real one cannot, and need not: no program can tell.
    Time {
        /// How long the program had waited.
        elapsed_us: u64,
        /// What a clock showed at the earliest.
        clock_floor_us: u64,
    },
    /// The console.
    Console(ConsolePatch),
    /// The pixel strip.
    Pixels(PixelsPatch),
    /// The display.
    Display(DisplayPatch),
}

/// A motor as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MotorRestore {
    /// Its number, below [`Board::motors`].
    pub motor: u8,
    /// Its speed before.
    pub speed: i32,
    /// Its angle before, according to the model.
    pub angle: Angle,
    /// How much further it really stood, in microdegrees.
    pub drift: i64,
}

impl MotorRestore {
    /// The angle to drive back to.
    pub fn target(&self) -> Angle {
        self.angle.plus(self.drift)
    }
}

impl Compensation {
    /// What undoes a call, given the state before it. For an input `memory` and `captured` do not matter, and `value`
    /// is what it answered.
    ///
    /// # Errors
    /// The [`Refusal`] with which the call itself is refused: there is nothing to undo then.
    pub fn of(
        board: &Board,
        before: &BoardState,
        id: PrimitiveId,
        args: &[Value],
        memory: &[u8],
        captured: &Captured,
    ) -> Result<Self, Refusal> {
        let mut after = before.clone();
        after.apply(board, id, args, memory, captured)?;
        Ok(Self::between(board, before, &after, captured))
    }

    /// What makes the model forget a reading: the compensation of an input.
    pub fn of_input(
        board: &Board,
        before: &BoardState,
        id: PrimitiveId,
        args: &[Value],
        value: Value,
    ) -> Self {
        let mut after = before.clone();
        if board
            .primitive(id)
            .is_some_and(|p| p.kind == PrimitiveKind::Input)
        {
            after.observe(board, id, args, value);
        }
        Self::between(board, before, &after, &Captured::Nothing)
    }

    /// What leads from `after` back to `before`, when one call with this `captured` lies between them.
    pub fn between(
        board: &Board,
        before: &BoardState,
        after: &BoardState,
        captured: &Captured,
    ) -> Self {
        Compensation {
            steps: before.differences(board, after, captured),
        }
    }

    /// Whether there is nothing to undo.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}
