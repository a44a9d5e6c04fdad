//! A WebAssembly virtual machine that counts exactly, stops anywhere and can be saved and restored between any two instructions.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod binary;
#[cfg(borges_fast)]
mod fast;
mod hash;
mod ids;
mod limits;
mod machine;
mod module;
pub mod num;
mod state;
mod trap;
mod types;
mod value;

pub use ids::{CodeOffset, FuncIdx, Shared, StateHash};
pub use limits::{LimitExceeded, Limits};
pub use machine::{
    AnswerError, BeginError, BreakpointError, Exit, Extern, FrameView, HostCall, InstanceId,
    InterruptError, Location, Machine, Outcome, StartError, Watch,
};
pub use module::{
    Export, ExternType, GlobalType, Import, InvalidKind, LoadCause, LoadError, MemoryType, Module,
    TableType,
};
#[cfg(feature = "host")]
pub use state::Snapshot;
pub use state::{Delta, FrameProblem, StateError};
pub use trap::Trap;
pub use types::ValType;
pub use value::{FuncType, Value};
