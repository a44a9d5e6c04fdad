//! What a memory was when it was last kept or restored, so that the next time only what was written since is looked at.

use alloc::vec::Vec;
use std::sync::{Mutex, PoisonError};

use crate::blocks::{BLOCK, Block, Blocks};
use crate::bytes::Bytes;
use crate::written;

/// Bytes from which on this is worth the system's help: below, what the machine notes says enough.
const LARGE: usize = 1 << 20;

/// Blocks that are written one after the other, which is worth to have them unprotected first.
const MANY: usize = 4;

/// Blocks between two that are written that may as well be unprotected.
const BETWEEN: usize = 8;

/// What a memory was when it was last kept or restored. What was written since says the system, or the machine itself.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<Option<Base>>);

#[derive(Debug)]
struct Base {
    /// With what is left over behind the memory's end, as far as that is known.
    blocks: Blocks,
    /// The numbers of blocks that are left over and may not be these, in order.
    unsure: Vec<usize>,
    /// Where the bytes were.
    address: usize,
    /// So many were there, with those left over.
    length: usize,
    /// The system watches them.
    is_watched: bool,
}

/// What a memory was when it was last kept or restored, and what may be different now: of what is left over too.
#[derive(Debug)]
pub(crate) struct Since {
    pub(crate) base: Blocks,
    /// The numbers of the blocks, those that it had not among them, in order.
    pub(crate) changed: Vec<usize>,
}

impl Since {
    /// The numbers of the blocks of a memory that may not be these.
    pub(crate) fn differing(&self, blocks: &Blocks) -> impl Iterator<Item = usize> {
        blocks
            .differing(&self.base)
            .chain(self.changed_before(blocks.len()))
    }

    /// The numbers of the changed blocks of a memory that has so many, in order.
    pub(crate) fn changed_before(&self, count: usize) -> impl Iterator<Item = usize> {
        let changed = self.changed.iter().copied();
        changed.take_while(move |number| *number < count)
    }

    /// What a block of the memory is, if it is what it was.
    pub(crate) fn known(&self, number: usize) -> Option<&Block> {
        let is_changed = self.changed.binary_search(&number).is_ok();
        self.base.get(number).filter(|_| !is_changed)
    }
}

impl Kept {
    /// What the memory was, and what may be different now. Nothing if that is not known.
    pub(crate) fn since(&self, bytes: &Bytes) -> Option<Since> {
        let base = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let base = base.as_ref()?;
        let all = bytes.with_left_over();
        if base.address != all.as_ptr().addr() {
            return None;
        }
        let count = all.len().div_ceil(BLOCK);
        // Where it ends or ended, and what it has more.
        let common = all.len().min(base.length);
        let end = if base.length == all.len() {
            count
        } else {
            common / BLOCK
        };
        let end = end.min(base.blocks.len());
        let mut changed: Vec<usize> = Vec::new();
        if base.is_watched {
            written::since(all.get(..common)?, &mut |range| {
                let first = (range.start / BLOCK).max(changed.last().map_or(0, |last| last + 1));
                changed.extend(first..range.end.div_ceil(BLOCK).min(end));
            })?;
        } else {
            changed.extend((0..end).filter(|block| bytes.written().has(*block)));
        }
        changed.extend(end..count);
        if !base.unsure.is_empty() {
            changed.extend(&base.unsure);
            changed.sort_unstable();
            changed.dedup();
        }
        Some(Since {
            base: base.blocks.clone(),
            changed,
        })
    }

    /// These blocks, in order, will be written before the memory is kept again.
    pub(crate) fn expect(&self, bytes: &Bytes, numbers: &[usize]) {
        let all = bytes.with_left_over();
        if all.len() < LARGE {
            return;
        }
        let start = all.as_ptr().addr();
        for run in numbers.chunk_by(|before, after| after - before <= BETWEEN) {
            if let [first, .., last] = run
                && run.len() >= MANY
            {
                let end = all.len().min((last + 1) * BLOCK);
                written::forget(start + first * BLOCK..start + end);
            }
        }
    }

    /// The memory is these blocks now. What is left over is what it was, as far as that is known.
    pub(crate) fn keep(&self, bytes: &Bytes, blocks: &Blocks, since: Option<Since>) {
        let all = bytes.with_left_over();
        let is_longer = all.len() > bytes.len();
        let (blocks, unsure) = match since.filter(|_| is_longer) {
            Some(Since { base, mut changed }) => {
                changed.retain(|number| *number >= blocks.len());
                (blocks.before(&base), changed)
            }
            None => (blocks.clone(), Vec::new()),
        };
        let base = Base {
            blocks,
            unsure,
            address: all.as_ptr().addr(),
            length: all.len(),
            is_watched: all.len() >= LARGE && written::watch(all),
        };
        bytes.written().forget();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(base);
    }
}
