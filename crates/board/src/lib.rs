//! What a program can see and do of the outside: primitives, codomains, rules, effects and compensations.
//!
//! A program's imports are *primitives*. An **input** brings a value from its *codomain* into the program; an
//! **output** changes the environment and can be undone by a *compensation* (MIO, section 3.4).
//!
//! | type | what it is |
//! |---|---|
//! | [`Board`] | the description: which primitives there are, what they may answer, what is connected |
//! | [`BoardState`] | the model: what the calls so far have done to the environment |
//! | [`Driver`] | performs calls on a [`Hardware`] (simulated or real) and keeps the model beside it |
//! | [`Captured`] | what an output found that the model could not know; usually nothing |
//! | [`Compensation`] | what undoes one output |
//!
//! # Invariants
//! - [`BoardState`] is a pure function of the board and the sequence of calls (outputs with what they captured,
//!   inputs with the value they answered): device and twin agree without talking about it.
//! - The model predicts, the device reports only deviations: an empty [`Captured`] is zero bytes.
//! - A compensation restores the environment to what it was before *that very call* (device rule
//!   `STEP-BACK-COMPENSATE`): [`Driver::output`] followed by [`Driver::compensate`] is the identity on the environment
//!   and on the model, for every primitive and all arguments. Undoing a sequence in reverse order, in full or in
//!   part, is therefore the same as never having performed the undone calls.
//! - Whether a call is refused depends on the board, the arguments and the memory alone, so that both sides refuse alike.
//! - Motors move only inside primitives (a delay, a timed drive, a turn), never by elapsed instructions.
//! - Nothing here does I/O, reads a clock or panics on any argument.
#![no_std]

extern crate alloc;
#[cfg(feature = "typescript")]
extern crate std;

mod action;
mod answers;
mod bind;
mod board;
#[cfg(feature = "host")]
mod breaks;
mod calls;
#[cfg(feature = "host")]
mod choice;
mod codomain;
mod driver;
#[cfg(feature = "host")]
mod file;
mod fill;
mod filling;
mod font;
mod hardware;
mod limit;
mod mix;
mod payload;
mod portable;
mod primitive;
mod rule;
mod sampling;
mod source;
mod state;
#[cfg(feature = "host")]
mod system;
mod table;
mod vec_map;
#[cfg(feature = "host")]
mod view;

pub use borges_vm::Shared;

pub use action::{Action, Refusal};
pub use bind::{BindError, ProgramImport, describe_missing};
#[cfg(feature = "host")]
pub use board::SystemStart;
pub use board::{Board, DisplayBoard, ProgramLimits, Range, Rect, SpiWiring, scaled};
pub use calls::Calls;
#[cfg(feature = "host")]
pub use choice::{choice_text, replaced_before, unmocked, yielded};
pub use codomain::Codomain;
pub use driver::{Done, Driver, Event};
#[cfg(feature = "host")]
pub use file::{
    BoardFileError, Carries, FileFault, LineEnd, NetworkBoard, NetworkFile, NetworkLine, Queueing,
    Spot,
};
pub use fill::{FillLength, Fills};
pub use filling::Misfit;
pub use font::glyph;
pub use hardware::{EventSource, Hardware, Reading, Sensor};
#[cfg(feature = "host")]
pub(crate) use limit::duration_text;
pub use limit::{BrokenLimit, Limit, LimitBound, TimeShare};
pub use mix::{GOLDEN, mix};
pub use payload::{Payload, SystemCall, Yield};
pub use portable::PortableBoard;
pub use primitive::{Primitive, PrimitiveId, PrimitiveKind, Register};
pub use rule::{Bound, InputCall, Quantity, Rule, RuleClaim, RuleCondition};
pub use sampling::Sampling;
pub use source::{
    ReadingSource, Script, ScriptEnd, Sector, Shape, Simulation, Timeline, Wave, WorldModel,
};
#[cfg(feature = "host")]
pub use state::PortableState;
pub use state::{
    Angle, BoardState, Captured, CapturedMotor, Compensation, Console, ConsolePatch, Display,
    DisplayPatch, Fill, Framebuffer, Motor, MotorRestore, Panel, Pin, Pixels, PixelsPatch,
    PwmChannel, Restore, St7735, Subscription, Timer,
};
#[cfg(feature = "host")]
pub use system::MemoryRead;
pub use vec_map::VecMap;
#[cfg(feature = "host")]
pub use view::{
    BoardView, ConsoleView, DisplayView, EventView, MotorView, PinView, SensorView, StripView,
};
