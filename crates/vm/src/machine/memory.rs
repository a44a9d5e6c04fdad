//! A linear memory.

use alloc::vec::Vec;

use crate::bytes::Bytes;

/// A linear memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    /// Declared size.
    pub(crate) pages: u32,
    /// The bytes that exist: all pages, or as many as the limits allow.
    pub(crate) bytes: Bytes,
    /// What is known of the bytes: no part of the state.
    #[cfg(feature = "host")]
    pub(crate) kept: crate::kept::Kept,
    /// Others that it may go on with after a restore: no part of the state either.
    #[cfg(feature = "host")]
    pub(crate) parked: crate::parked::Parked,
}

impl Memory {
    pub(crate) fn new(pages: u32, bytes: Vec<u8>) -> Memory {
        Memory {
            pages,
            bytes: Bytes::new(bytes),
            #[cfg(feature = "host")]
            kept: crate::kept::Kept::default(),
            #[cfg(feature = "host")]
            parked: crate::parked::Parked::default(),
        }
    }
}
