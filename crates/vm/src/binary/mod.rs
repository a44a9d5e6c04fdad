//! Reading the binary format: bytes to numbers, names and instructions.

#[cfg(feature = "exceptions")]
mod catches;
mod instr;
mod reader;

#[cfg(feature = "exceptions")]
pub use catches::{Catch, Catches};
pub use instr::{BlockType, BranchTargets, Instr, MemoryArg};
pub(crate) use instr::{memory_width, ref_type, val_type};
pub use reader::{Malformed, MalformedKind};
pub(crate) use reader::{Reader, error_at};
