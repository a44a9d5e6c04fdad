//! What a memory was when it was last kept or restored, so that the next time only what was written since is looked at.

use alloc::vec::Vec;
use std::sync::{Mutex, PoisonError};

use crate::blocks::{BLOCK, Blocks};
use crate::bytes::Bytes;
use crate::written;

/// Bytes from which on this is worth the system's help: below, what the machine notes says enough.
const LARGE: usize = 1 << 20;

/// Blocks whose writing is worth to have all of a memory unprotected first.
const MANY: usize = 300;

/// What a memory was when it was last kept or restored. What was written since says the system, or the machine itself.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<Option<Base>>);

#[derive(Debug)]
struct Base {
    blocks: Blocks,
    /// Where the bytes were.
    address: usize,
    length: usize,
    /// The system watches them.
    is_watched: bool,
}

/// What a memory was when it was last kept or restored, and what may be different now.
#[derive(Debug)]
pub(crate) struct Since {
    pub(crate) base: Blocks,
    /// The numbers of the blocks, those that it had not among them, in order.
    pub(crate) changed: Vec<usize>,
}

impl Since {
    /// The numbers of the blocks of a memory that may not be these.
    pub(crate) fn differing(&self, blocks: &Blocks) -> impl Iterator<Item = usize> {
        let changed = self.changed.iter().copied();
        blocks.differing(&self.base).chain(changed)
    }
}

impl Kept {
    /// What the memory was, and what may be different now. Nothing if that is not known.
    pub(crate) fn since(&self, bytes: &Bytes) -> Option<Since> {
        let base = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let base = base.as_ref()?;
        if base.address != bytes.as_ptr().addr() {
            return None;
        }
        let count = bytes.len().div_ceil(BLOCK);
        // Where it ends or ended, and what it has more.
        let common = bytes.len().min(base.length);
        let end = if base.length == bytes.len() {
            count
        } else {
            common / BLOCK
        };
        let mut changed: Vec<usize> = Vec::new();
        if base.is_watched {
            written::since(bytes.get(..common)?, &mut |range| {
                let first = (range.start / BLOCK).max(changed.last().map_or(0, |last| last + 1));
                changed.extend(first..range.end.div_ceil(BLOCK).min(end));
            })?;
        } else {
            changed.extend((0..end).filter(|block| bytes.written().has(*block)));
        }
        changed.extend(end..count);
        Some(Since {
            base: base.blocks.clone(),
            changed,
        })
    }

    /// So many blocks will be written before the memory, which will be so long, is kept again.
    pub(crate) fn expect(&self, bytes: &[u8], length: usize, blocks: usize) {
        if length >= LARGE && blocks >= MANY {
            let start = bytes.as_ptr().addr();
            written::forget(start..start + length);
        }
    }

    /// The memory is these blocks now.
    pub(crate) fn keep(&self, bytes: &Bytes, blocks: &Blocks) {
        let base = Base {
            blocks: blocks.clone(),
            address: bytes.as_ptr().addr(),
            length: bytes.len(),
            is_watched: bytes.len() >= LARGE && written::watch(bytes),
        };
        bytes.written().forget();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(base);
    }
}
