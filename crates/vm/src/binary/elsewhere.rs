//! Instructions that name their memory.

use core::fmt;

#[cfg(feature = "simd")]
use super::access::write_wide;
use super::access::{MemoryArg, write_access};
#[cfg(feature = "simd")]
use crate::num::{WideArg, WideOp};

/// An instruction on another memory than the first, or on the first if its addresses have 64 bits. The memory's index is
/// named: whoever knows of one memory only does not take it for one on that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Elsewhere {
    /// A load; the opcode (0x28 to 0x35) tells which.
    Load(u8, MemoryArg, u32),
    /// A store; the opcode (0x36 to 0x3e) tells which.
    Store(u8, MemoryArg, u32),
    /// A load or store of vectors.
    #[cfg(feature = "simd")]
    Wide(WideOp, WideArg, u32),
    /// `memory.size`.
    Size(u32),
    /// `memory.grow`.
    Grow(u32),
    /// `memory.init`.
    Init {
        /// The data segment.
        data: u32,
        /// The memory that it is copied to.
        memory: u32,
    },
    /// `memory.copy`; one of the two may be the first memory, whatever its addresses.
    Copy {
        /// The memory that is written.
        to: u32,
        /// The memory that is read.
        from: u32,
    },
    /// `memory.fill`.
    Fill(u32),
}

impl Elsewhere {
    /// The memory that it reads or writes; of a copy, the one that it writes.
    pub(crate) fn memory(self) -> u32 {
        match self {
            Elsewhere::Load(_, _, memory)
            | Elsewhere::Store(_, _, memory)
            | Elsewhere::Size(memory)
            | Elsewhere::Grow(memory)
            | Elsewhere::Init { memory, .. }
            | Elsewhere::Copy { to: memory, .. }
            | Elsewhere::Fill(memory) => memory,
            #[cfg(feature = "simd")]
            Elsewhere::Wide(_, _, memory) => memory,
        }
    }
}

/// The immediates, as in the text format.
impl fmt::Display for Elsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {}", self.memory())?;
        match *self {
            Elsewhere::Load(opcode, arg, _) | Elsewhere::Store(opcode, arg, _) => {
                write_access(f, opcode, arg)
            }
            #[cfg(feature = "simd")]
            Elsewhere::Wide(op, arg, _) => write_wide(f, op, &arg),
            Elsewhere::Init { data: second, .. } | Elsewhere::Copy { from: second, .. } => {
                write!(f, " {second}")
            }
            Elsewhere::Size(_) | Elsewhere::Grow(_) | Elsewhere::Fill(_) => Ok(()),
        }
    }
}
