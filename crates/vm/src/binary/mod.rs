//! Reading the binary format: bytes to numbers, names and instructions.

mod instr;
mod reader;

pub use instr::{BlockType, BranchTargets, Instr, MemoryArg};
pub(crate) use instr::{memory_width, ref_type, val_type};
pub use reader::{Malformed, MalformedKind};
pub(crate) use reader::{Reader, error_at};
