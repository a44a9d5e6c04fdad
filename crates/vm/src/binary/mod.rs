//! Reading the binary format: bytes to numbers, names and instructions.

mod access;
#[cfg(feature = "exceptions")]
mod catches;
#[cfg(feature = "memories")]
mod elsewhere;
mod instr;
mod reader;

pub use access::MemoryArg;
pub(crate) use access::{NAMES_MEMORY, memory_width, offset};
#[cfg(feature = "exceptions")]
pub use catches::{Catch, Catches};
#[cfg(feature = "memories")]
pub use elsewhere::Elsewhere;
pub use instr::{BlockType, BranchTargets, Instr};
pub(crate) use instr::{ref_type, val_type};
pub use reader::{Malformed, MalformedKind};
pub(crate) use reader::{Reader, error_at};
