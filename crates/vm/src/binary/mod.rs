//! Reading the binary format: bytes to numbers, names and instructions.

#[cfg(feature = "exceptions")]
mod catches;
#[cfg(feature = "memories")]
mod elsewhere;
mod instr;
mod reader;

#[cfg(feature = "exceptions")]
pub use catches::{Catch, Catches};
#[cfg(feature = "memories")]
pub use elsewhere::Elsewhere;
pub use instr::{BlockType, BranchTargets, Instr, MemoryArg};
pub(crate) use instr::{NAMES_MEMORY, memory_width, ref_type, val_type};
pub use reader::{Malformed, MalformedKind};
pub(crate) use reader::{Reader, error_at};
