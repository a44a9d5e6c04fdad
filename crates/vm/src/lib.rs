//! A WebAssembly virtual machine that counts exactly, stops anywhere and can be saved and restored
//! between any two instructions.
//!
//! It runs WebAssembly 2.0 with extended constants, tail calls, relaxed SIMD, exceptions, several memories and 64-bit
//! addresses, without an operating system if need be, and knows nothing of debugging beyond stopping and states. Three
//! properties matter more than any other:
//!
//! - **It returns, and never calls out.** [`Machine::run`] executes until the program ends, traps,
//!   calls the embedder, or a step count is reached, and says which; the embedder answers with
//!   [`Machine::answer`] and runs on.
//! - **A step is an instruction.** Steps are counted exactly and alike on every machine; to stop
//!   after the nth and to replay to the nth give the same state, down to the last bit.
//! - **The state is all there is.** Between two steps it can be read ([`Machine::frame`]), hashed,
//!   saved and loaded, kept and shared in snapshots, moved to another machine as a difference.
//!   Loading checks everything: bytes from outside give a valid state or an error.
//!
//! ```
//! use borges_vm::{Exit, Limits, Machine, Module, Outcome, Shared, Value};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let bytes = wat::parse_str(r#"(module (import "env" "read" (func (result i32)))
//! #     (func (export "twice") (result i32) (i32.mul (call 0) (i32.const 2))))"#)?;
//! let module = Shared::new(Module::new(&bytes, &Limits::default())?);
//! let twice = module.exported_func("twice").ok_or("no such function")?;
//! let mut machine = Machine::new(module, Limits::default())?;
//! machine.begin(twice, &[])?;
//! // The program wants to read something: the machine waits for the answer.
//! assert_eq!(machine.run(u64::MAX), Exit::HostCall);
//! let before = machine.snapshot(None);
//! machine.answer(&[Value::I32(21)])?;
//! assert_eq!(machine.run(u64::MAX), Exit::Finished);
//! assert_eq!(machine.outcome(), Some(&Outcome::Finished(vec![Value::I32(42)])));
//! // Back, and on with another answer.
//! machine.restore(&before)?;
//! machine.answer(&[Value::I32(-1)])?;
//! machine.run(u64::MAX);
//! assert_eq!(machine.outcome(), Some(&Outcome::Finished(vec![Value::I32(-2)])));
//! # Ok(())
//! # }
//! ```
//!
//! # Inside
//! A [`Module`] is parsed, validated and given a *side table* of branch targets in one pass
//! (`module`); the bytes are then interpreted where they lie. A [`Machine`] holds instances and one
//! state (`machine::state`): frames and 64-bit cells in memory of its own, no native recursion.
//! Cells are canonical (narrow numbers zero-extended, references as index plus one), floats too
//! (every NaN that arithmetic gives is the same), so that equal states are equal bytes. The types of
//! cells are known from validation, which can be repeated up to any instruction (`module::typing`):
//! that is how frames are shown and incoming states checked.
#![cfg_attr(
    feature = "memory64",
    allow(
        clippy::useless_conversion,
        reason = "an `Offset` has 32 bits where devices leave out those of 64"
    )
)]
#![no_std]

extern crate alloc;
#[cfg(any(test, feature = "host"))]
extern crate std;

pub mod binary;
mod blocks;
mod bytes;
#[cfg(borges_fast)]
mod fast;
mod hash;
mod ids;
#[cfg(feature = "host")]
mod kept;
mod limits;
mod machine;
mod module;
pub mod num;
#[cfg(feature = "host")]
mod parked;
mod state;
mod trap;
mod types;
mod value;
#[cfg(feature = "host")]
mod written;

pub use ids::{CodeOffset, FuncIdx, Shared, StateHash};
pub use limits::{LimitExceeded, Limits};
#[cfg(feature = "exceptions")]
pub use machine::Thrown;
pub use machine::{
    Activation, AnswerError, BeginError, Exit, Extern, FrameView, HostCall, InstanceId,
    InterruptError, Location, Machine, NoInstruction, Observer, Outcome, Site, StartError,
    Transfer, Until, Watch, Write,
};
pub use module::{
    Export, ExternType, GlobalType, HOST_SECTION, Import, InvalidKind, Lent, LoadCause, LoadError,
    MemoryType, Module, TableType,
};
#[cfg(feature = "host")]
pub use state::Snapshot;
pub use state::{Delta, FrameProblem, StateError};
pub use trap::Trap;
pub use types::{Offset, ValType};
pub use value::{FuncType, Value, Vector};
