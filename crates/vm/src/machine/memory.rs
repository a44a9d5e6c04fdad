//! A linear memory.

use alloc::vec::Vec;
#[cfg(any(feature = "memories", feature = "simd"))]
use core::ops::Range;

#[cfg(any(feature = "memories", feature = "simd"))]
use super::slow::memory_fault;
#[cfg(any(feature = "memories", feature = "simd"))]
use crate::Trap;
use crate::bytes::Bytes;
#[cfg(any(feature = "memories", feature = "simd"))]
use crate::types::Offset;

/// A linear memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    /// Declared size.
    pub(crate) pages: u32,
    /// The bytes that exist: all pages, or as many as the limits allow.
    pub(crate) bytes: Bytes,
    /// No part of the state.
    #[cfg(feature = "host")]
    pub(crate) beside: Beside,
}

/// What a host has beside a memory's state.
#[cfg(feature = "host")]
#[derive(Debug, Default)]
pub(crate) struct Beside {
    /// What is known of the bytes.
    pub(crate) kept: crate::kept::Kept,
    /// Others that the memory may go on with after a restore.
    pub(crate) parked: crate::parked::Parked,
}

/// A clone's bytes lie elsewhere, and it has nothing of this.
#[cfg(feature = "host")]
impl Clone for Beside {
    fn clone(&self) -> Beside {
        Beside::default()
    }
}

#[cfg(feature = "host")]
impl PartialEq for Beside {
    fn eq(&self, _: &Beside) -> bool {
        true
    }
}

#[cfg(feature = "host")]
impl Eq for Beside {}

impl Memory {
    pub(crate) fn new(pages: u32, bytes: Vec<u8>) -> Memory {
        Memory {
            pages,
            bytes: Bytes::new(bytes),
            #[cfg(feature = "host")]
            beside: Beside::default(),
        }
    }

    /// Where an access of so many bytes is.
    #[cfg(any(feature = "memories", feature = "simd"))]
    pub(super) fn place(
        &self,
        base: Offset,
        offset: Offset,
        width: u32,
    ) -> Result<Range<usize>, Trap> {
        let start = u64::from(base).saturating_add(offset.into());
        let end = start.checked_add(width.into());
        match end.filter(|end| *end <= self.bytes.len() as u64) {
            Some(end) => Ok(start as usize..end as usize),
            None => Err(memory_fault(self.pages, start, width.into())),
        }
    }
}
