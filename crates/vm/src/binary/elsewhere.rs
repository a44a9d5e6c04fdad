//! Instructions on other memories than the first.

use core::fmt;

use super::instr::{self, Instr, MemoryArg, access};
#[cfg(feature = "simd")]
use crate::num::{WideArg, WideOp};

/// An instruction on another memory than the first, whose index is named: whoever knows of one memory only does not take it
/// for one on that.
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
    /// `memory.copy`; one of the two may be the first memory.
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
    /// The instruction on the first memory that does the same there.
    pub(crate) fn like(self) -> Instr<'static> {
        match self {
            Elsewhere::Load(opcode, arg, _) => Instr::Load(opcode, arg),
            Elsewhere::Store(opcode, arg, _) => Instr::Store(opcode, arg),
            #[cfg(feature = "simd")]
            Elsewhere::Wide(op, arg, _) => Instr::Wide(op, arg),
            Elsewhere::Size(_) => Instr::MemorySize,
            Elsewhere::Grow(_) => Instr::MemoryGrow,
            Elsewhere::Init { data, .. } => Instr::MemoryInit(data),
            Elsewhere::Copy { .. } => Instr::MemoryCopy,
            Elsewhere::Fill(_) => Instr::MemoryFill,
        }
    }

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

    /// Its name in the text format.
    pub(super) fn name(self) -> &'static str {
        match self {
            Elsewhere::Load(opcode, ..) | Elsewhere::Store(opcode, ..) => access(opcode).0,
            #[cfg(feature = "simd")]
            Elsewhere::Wide(op, ..) => op.name(),
            _ => self.like().name(),
        }
    }
}

/// The immediates, as in the text format.
impl fmt::Display for Elsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " {}", self.memory())?;
        match *self {
            Elsewhere::Load(opcode, arg, _) | Elsewhere::Store(opcode, arg, _) => {
                instr::write_access(f, opcode, arg)
            }
            #[cfg(feature = "simd")]
            Elsewhere::Wide(op, arg, _) => instr::write_wide(f, op, &arg),
            Elsewhere::Init { data: second, .. } | Elsewhere::Copy { from: second, .. } => {
                write!(f, " {second}")
            }
            Elsewhere::Size(_) | Elsewhere::Grow(_) | Elsewhere::Fill(_) => Ok(()),
        }
    }
}

/// What an instruction on the first memory is on this one.
pub(super) fn of_memory(instr: Instr<'_>, memory: u32) -> Instr<'_> {
    if memory == 0 {
        return instr;
    }
    Instr::Elsewhere(match instr {
        Instr::Load(opcode, arg) => Elsewhere::Load(opcode, arg, memory),
        Instr::Store(opcode, arg) => Elsewhere::Store(opcode, arg, memory),
        #[cfg(feature = "simd")]
        Instr::Wide(op, arg) => Elsewhere::Wide(op, arg, memory),
        Instr::MemorySize => Elsewhere::Size(memory),
        Instr::MemoryGrow => Elsewhere::Grow(memory),
        Instr::MemoryInit(data) => Elsewhere::Init { data, memory },
        Instr::MemoryFill => Elsewhere::Fill(memory),
        // It is on no memory, or on two.
        _ => return instr,
    })
}

/// `memory.copy`.
pub(super) fn copy(to: u32, from: u32) -> Instr<'static> {
    match (to, from) {
        (0, 0) => Instr::MemoryCopy,
        _ => Instr::Elsewhere(Elsewhere::Copy { to, from }),
    }
}
