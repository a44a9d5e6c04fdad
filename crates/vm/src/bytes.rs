//! The bytes of memories, which know where they were written.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::ops::{Deref, Range};

/// Bytes of a block: the unit of sharing, hashing, and of knowing what was written.
pub(crate) const BLOCK: usize = 4096;

/// The bytes of a memory. They can be read as a slice; who gets them to write says where.
#[derive(Clone, Debug)]
pub(crate) struct Bytes {
    all: Vec<u8>,
    written: Written,
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.all
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Bytes) -> bool {
        self.all == other.all
    }
}

impl Eq for Bytes {}

impl Bytes {
    pub(crate) fn new(all: Vec<u8>) -> Bytes {
        Bytes {
            all,
            written: Written::default(),
        }
    }

    /// The bytes, and where whoever writes them notes it.
    pub(crate) fn parts(&mut self) -> (&mut [u8], &mut Written) {
        (&mut self.all, &mut self.written)
    }

    /// All bytes, anywhere of which may be written.
    pub(crate) fn all_mut(&mut self) -> &mut [u8] {
        self.written.note(0, self.all.len());
        &mut self.all
    }

    /// The bytes of a range, to be written; nothing if they are not all there.
    pub(crate) fn range_mut(&mut self, range: Range<usize>) -> Option<&mut [u8]> {
        self.written.note(range.start, range.len());
        self.all.get_mut(range)
    }

    /// Copies bytes, all of which are there, to others.
    pub(crate) fn copy(&mut self, from: Range<usize>, to: usize) {
        self.written.note(to, from.len());
        self.all.copy_within(from, to);
    }

    /// Has so many bytes from now on: new ones are zero.
    pub(crate) fn resize(&mut self, length: usize) {
        self.all.resize(length, 0);
    }

    /// Has so many bytes from now on, which are not more.
    #[cfg(feature = "host")]
    pub(crate) fn truncate(&mut self, length: usize) {
        self.all.truncate(length);
    }

    /// Has these bytes too from now on.
    #[cfg(feature = "host")]
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.all.extend_from_slice(bytes);
    }

    /// So many bytes there is room for.
    #[cfg(feature = "host")]
    pub(crate) fn room(&self) -> usize {
        self.all.capacity()
    }

    /// Makes room for so many bytes, so that having them cannot fail.
    pub(crate) fn reserve(&mut self, length: usize) -> Result<(), TryReserveError> {
        let more = length.saturating_sub(self.all.len());
        self.all.try_reserve_exact(more)
    }

    /// Where they were written since that was forgotten last.
    #[cfg(feature = "host")]
    pub(crate) fn written(&self) -> &Written {
        &self.written
    }
}

#[cfg(feature = "host")]
pub(crate) use noted::Written;

#[cfg(feature = "host")]
mod noted {
    use core::sync::atomic::{AtomicU64, Ordering};

    use super::BLOCK;

    /// In which blocks something was written: a bit stands for every 64th block, so that noting costs next to nothing and
    /// a memory of up to 256 KiB is known exactly. What was not written is never said to be; not the other way round.
    #[derive(Debug, Default)]
    pub(crate) struct Written(AtomicU64);

    /// Nothing is known of a clone's bytes that is not known of these.
    impl Clone for Written {
        fn clone(&self) -> Written {
            Written(AtomicU64::new(self.0.load(Ordering::Relaxed)))
        }
    }

    fn bit(block: usize) -> u64 {
        1 << (block % 64)
    }

    impl Written {
        /// So many bytes from here on are written.
        #[inline]
        pub(crate) fn note(&mut self, start: usize, length: usize) {
            let (first, last) = (start / BLOCK, (start + length.max(1) - 1) / BLOCK);
            let bits = self.0.get_mut();
            *bits |= bit(first) | bit(last);
            if last - first > 1 {
                let more = (first..last).take(64);
                *bits |= more.fold(0, |bits, block| bits | bit(block));
            }
        }

        /// Whether something in this block may have been written.
        pub(crate) fn has(&self, block: usize) -> bool {
            self.0.load(Ordering::Relaxed) & bit(block) != 0
        }

        /// Begins anew: nothing was written.
        pub(crate) fn forget(&self) {
            self.0.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(not(feature = "host"))]
#[derive(Clone, Debug, Default)]
pub(crate) struct Written;

#[cfg(not(feature = "host"))]
impl Written {
    /// Nobody asks.
    #[inline(always)]
    pub(crate) fn note(&mut self, _start: usize, _length: usize) {}
}

#[cfg(all(test, feature = "host"))]
mod tests {
    use super::*;

    #[test]
    fn every_block_that_is_written_is_noted() {
        for blocks in [1, 2, 63, 64, 65, 200] {
            let mut bytes = Bytes::new(alloc::vec![0; blocks * BLOCK]);
            for (start, length) in [
                (0, 1),
                (BLOCK - 1, 1),
                (BLOCK - 1, 2),
                (5, 0),
                (BLOCK, 3 * BLOCK),
                (100, 70 * BLOCK),
                (blocks * BLOCK - 1, 1),
            ] {
                let end = (start + length).min(blocks * BLOCK);
                bytes.written().forget();
                let range = start.min(end)..end;
                bytes.range_mut(range.clone()).unwrap().fill(1);
                let written = bytes.written();
                for block in 0..blocks {
                    let whole = block * BLOCK..(block + 1) * BLOCK;
                    let is_touched = whole.start < range.end && range.start < whole.end;
                    assert!(
                        written.has(block) || range.is_empty() || !is_touched,
                        "{block} of {range:?}"
                    );
                }
            }
        }
    }
}
