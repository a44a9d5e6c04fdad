//! Primitives: the imports that a board offers to programs.

use alloc::{borrow::Cow, boxed::Box, vec::Vec};

use borges_vm::{FuncType, ValType, Value};
use serde::{Deserialize, Serialize};

use crate::{Codomain, Fills};

/// A primitive's place in its board's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PrimitiveId(pub u16);

/// What calling a primitive means for a debugger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrimitiveKind {
    /// Brings in a value that the program cannot know: a choice.
    Input,
    /// Changes the environment, deterministically; can be undone.
    Output,
    /// Always answers the same value and changes nothing.
    Constant(Value),
    /// Ends the program.
    Trap,
    /// Calls an operating system: what it answers follows from the system's state, the arguments and the program's memory,
    /// and where that is not enough, from a choice.
    System,
}

/// One import that a board offers. The same name may occur with several types (`millis` as i32 or as i64).
#[derive(Clone, Debug, PartialEq)]
pub struct Primitive {
    /// The import's module, `env` for all the listed ones.
    pub module: Cow<'static, str>,
    /// The import's name.
    pub name: Cow<'static, str>,
    /// Types of the arguments.
    pub params: Cow<'static, [ValType]>,
    /// Type of the result, if there is one.
    pub result: Option<ValType>,
    /// What calling it means.
    pub kind: PrimitiveKind,
    /// What an input may answer, before ranges and rules narrow it.
    pub codomain: Codomain,
    /// For an output that the user declared: the state that it sets.
    pub register: Option<Box<Register>>,
    /// For an input that puts bytes into memory: where, and which.
    pub fills: Option<Box<Fills>>,
    /// What it does.
    pub(crate) op: Op,
}

/// How a declared output sets state: like a register file, a key names the register and some arguments are its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Positions of the arguments that say *which* register is set.
    pub key: Vec<u8>,
    /// Positions of the arguments that are its new state.
    pub state: Vec<u8>,
    /// The state before the first call, one value for each position in `state`.
    pub initial: Vec<Value>,
}

impl Primitive {
    /// Whether a call may read or write what its arguments point to in the program's memory.
    pub fn touches_memory(&self) -> bool {
        let has_texts = matches!(self.op, Op::PrintString | Op::DisplayDrawString);
        has_texts || self.fills.is_some() || self.kind == PrimitiveKind::System
    }

    /// Whether an import of type `ty` is this primitive.
    pub fn has_type(&self, ty: &FuncType) -> bool {
        *self.params == *ty.params && self.result.as_slice() == ty.results
    }

    /// The primitive's type.
    pub fn func_type(&self) -> FuncType {
        FuncType {
            params: self.params.to_vec(),
            results: self.result.into_iter().collect(),
        }
    }

    /// Whether `args` have the types of the parameters.
    pub fn accepts(&self, args: &[Value]) -> bool {
        args.len() == self.params.len()
            && args
                .iter()
                .zip(self.params.iter())
                .all(|(a, p)| a.ty() == *p)
    }

    /// Whether this is one that the user declared in the board file.
    pub fn is_declared(&self) -> bool {
        self.op == Op::Declared
    }

    /// Whether it lets interrupts or timers call the program.
    pub fn subscribes(&self) -> bool {
        matches!(self.op, Op::SubscribeInterrupt | Op::SubscribeTimer)
    }

    /// An input that the user declares.
    pub fn declared_input(
        module: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        params: Vec<ValType>,
        codomain: Codomain,
    ) -> Self {
        Primitive {
            module: module.into(),
            name: name.into(),
            params: params.into(),
            result: Some(codomain.ty()),
            kind: PrimitiveKind::Input,
            codomain,
            register: None,
            fills: None,
            op: Op::Declared,
        }
    }

    /// An output (with `register: None` one that nothing undoes), a constant or a trap that the user declares.
    pub fn declared(
        module: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        ty: FuncType,
        kind: PrimitiveKind,
        register: Option<Register>,
    ) -> Self {
        let result = ty.results.first().copied();
        Primitive {
            module: module.into(),
            name: name.into(),
            params: ty.params.into(),
            result,
            kind,
            codomain: Codomain::Full(result.unwrap_or(ValType::I32)),
            register: register.map(Box::new),
            fills: None,
            op: Op::Declared,
        }
    }
}

/// What the listed primitives do; see `table.rs` for which name and type has which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Abort,
    AnalogRead,
    AnalogWrite,
    ClearPixels,
    ColorSensor,
    DelayMs,
    DelayUs,
    DigitalRead,
    DigitalWrite,
    DisplayDrawString,
    DisplayFillRect,
    DisplayHeight,
    DisplaySetOrientation,
    DisplaySetup,
    DisplayWidth,
    DriveMotor,
    DriveMotorDegrees,
    DriveMotorMs,
    Ev3Touch,
    InitPixels,
    LedcAttach,
    LedcAttachPin,
    LedcSetDuty,
    LedcSetup,
    Micros,
    Millis,
    NoTone,
    NxtTouch,
    PinMode,
    PrintInt,
    PrintString,
    Random,
    RandomBelow,
    RandomBetween,
    ReadUartSensor,
    Rotate,
    SetPixelColor,
    SetupUartSensor,
    ShowPixels,
    SpiBegin,
    SpiByte,
    SpiWords,
    StopMotor,
    SubscribeInterrupt,
    SubscribeTimer,
    Tone,
    UnsubscribeInterrupt,
    UnsubscribeTimer,
    Declared,
    #[cfg(feature = "host")]
    System(borges_wasi::WasiImport),
}
