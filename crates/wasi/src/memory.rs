//! The program's memory, as a call sees it.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Bytes for the memory of the program, all within it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MemoryWrite {
    /// Where they go.
    pub address: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl MemoryWrite {
    pub(crate) fn fits(&self, memory: &dyn Memory) -> bool {
        u64::from(self.address) + self.bytes.len() as u64 <= memory.size()
    }
}

/// A view of the memory of a program. Calls only ever read it: what they write they hand back.
pub trait Memory {
    /// How many bytes it has.
    fn size(&self) -> u64;

    /// `len` bytes from `address` on, or `None` if they are not all within it.
    fn bytes(&self, address: u64, len: u64) -> Option<&[u8]>;
}

impl Memory for &[u8] {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn bytes(&self, address: u64, len: u64) -> Option<&[u8]> {
        let start = usize::try_from(address).ok()?;
        let end = usize::try_from(address.checked_add(len)?).ok()?;
        self.get(start..end)
    }
}

/// Why a call ends the program: the specification lets a call with a pointer that cannot be followed trap, and wasmtime
/// does. The world is what it was before the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPointer {
    /// The bytes are not all within the memory.
    #[error("{len} bytes at {address:#x} are not all within the memory")]
    OutOfBounds {
        /// Where they begin.
        address: u64,
        /// How many they are.
        len: u64,
    },
    /// The address is no multiple of the alignment of what should be there.
    #[error("{address:#x} is no multiple of {align}")]
    Misaligned {
        /// The address.
        address: u64,
        /// The alignment.
        align: u32,
    },
}
