//! The bytes of memories, which know where they were written.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::ops::{Deref, Range};

/// Bytes of a block: the unit of sharing, hashing, and of knowing what was written.
pub(crate) const BLOCK: usize = 4096;

/// The bytes of a memory. They can be read as a slice; who gets them to write says where.
#[derive(Debug)]
pub(crate) struct Bytes {
    all: Vec<u8>,
    /// So many of them are the memory's. What is behind them is left over from when it was longer, and zero up to the end of
    /// the block: a restore that makes it longer again may find there what it wants.
    #[cfg(feature = "host")]
    length: usize,
    written: Written,
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.all.get(..self.length()).unwrap_or_default()
    }
}

/// What is left over is not cloned.
impl Clone for Bytes {
    fn clone(&self) -> Bytes {
        Bytes {
            written: self.written.clone(),
            ..Bytes::new(self.to_vec())
        }
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Bytes) -> bool {
        **self == **other
    }
}

impl Eq for Bytes {}

impl Bytes {
    pub(crate) fn new(all: Vec<u8>) -> Bytes {
        Bytes {
            #[cfg(feature = "host")]
            length: all.len(),
            written: Written::of(all.len()),
            all,
        }
    }

    #[inline(always)]
    fn length(&self) -> usize {
        #[cfg(feature = "host")]
        return self.length;
        #[cfg(not(feature = "host"))]
        self.all.len()
    }

    /// The bytes, and where whoever writes them notes it.
    pub(crate) fn parts(&mut self) -> (&mut [u8], &mut Written) {
        let length = self.length();
        let bytes = self.all.get_mut(..length).unwrap_or_default();
        (bytes, &mut self.written)
    }

    /// All bytes, anywhere of which may be written.
    pub(crate) fn all_mut(&mut self) -> &mut [u8] {
        let (bytes, written) = self.parts();
        written.note_all();
        bytes
    }

    /// The bytes of a range, to be written; nothing if they are not all there.
    pub(crate) fn range_mut(&mut self, range: Range<usize>) -> Option<&mut [u8]> {
        let (bytes, written) = self.parts();
        written.note(range.start, range.len());
        bytes.get_mut(range)
    }

    /// Copies bytes, all of which are there, to others.
    pub(crate) fn copy(&mut self, from: Range<usize>, to: usize) {
        let (bytes, written) = self.parts();
        written.note(to, from.len());
        bytes.copy_within(from, to);
    }

    /// Makes room for so many bytes, so that having them cannot fail.
    pub(crate) fn reserve(&mut self, length: usize) -> Result<(), TryReserveError> {
        let more = length.saturating_sub(self.all.len());
        self.all.try_reserve_exact(more)
    }
}

#[cfg(not(feature = "host"))]
impl Bytes {
    /// Has so many bytes from now on: new ones are zero.
    pub(crate) fn resize(&mut self, length: usize) {
        self.all.resize(length, 0);
    }
}

#[cfg(feature = "host")]
impl Bytes {
    /// Has so many bytes from now on: new ones are zero.
    pub(crate) fn resize(&mut self, length: usize) {
        let old = self.length;
        self.uncover(length);
        self.clear(old..self.length);
        if length > self.length {
            self.all.resize(length, 0);
            self.length = length;
            self.written.cover(length);
        }
    }

    /// Has so many bytes from now on, or as many as there are with what is left over, which is what it was.
    pub(crate) fn uncover(&mut self, length: usize) {
        self.clear(length..length.next_multiple_of(BLOCK).min(self.length));
        self.length = length.min(self.all.len());
    }

    fn clear(&mut self, range: Range<usize>) {
        if let Some(bytes) = self.all.get_mut(range.clone())
            && !bytes.is_empty()
        {
            self.written.note(range.start, range.len());
            bytes.fill(0);
        }
    }

    /// Has these bytes too from now on, where nothing is left over.
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        debug_assert!(bytes.is_empty() || self.length == self.all.len());
        self.all.extend_from_slice(bytes);
        self.length += bytes.len();
        self.written.cover(self.length);
    }

    /// The bytes and what is left over.
    pub(crate) fn with_left_over(&self) -> &[u8] {
        &self.all
    }

    /// So many bytes there is room for.
    pub(crate) fn room(&self) -> usize {
        self.all.capacity()
    }

    /// Where they were written since that was forgotten last.
    pub(crate) fn written(&self) -> &Written {
        &self.written
    }
}

#[cfg(feature = "host")]
pub(crate) use noted::Written;

#[cfg(feature = "host")]
mod noted {
    use alloc::vec::Vec;
    use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};

    use super::BLOCK;

    /// In which blocks something was written: a byte for each, so that running code notes one with a single store. What was
    /// not written may be said to be; not the other way round.
    #[derive(Debug, Default)]
    pub(crate) struct Written {
        blocks: Vec<AtomicU8>,
        /// Any of them.
        all: AtomicBool,
    }

    /// Nothing is known of a clone's bytes that is not known of these.
    impl Clone for Written {
        fn clone(&self) -> Written {
            let copy = |block: &AtomicU8| AtomicU8::new(block.load(Ordering::Relaxed));
            Written {
                blocks: self.blocks.iter().map(copy).collect(),
                all: AtomicBool::new(self.all.load(Ordering::Relaxed)),
            }
        }
    }

    impl Written {
        /// Of so many bytes, none of which was written.
        pub(crate) fn of(length: usize) -> Written {
            let mut written = Written::default();
            written.cover(length);
            written
        }

        /// There are so many bytes now, if that is more: new ones were not written.
        pub(crate) fn cover(&mut self, length: usize) {
            let count = length.div_ceil(BLOCK).max(self.blocks.len());
            self.blocks.resize_with(count, AtomicU8::default);
        }

        /// So many bytes from here on are written.
        #[inline]
        pub(crate) fn note(&mut self, start: usize, length: usize) {
            let end = start.saturating_add(length).div_ceil(BLOCK);
            let blocks = start / BLOCK..end.min(self.blocks.len());
            for block in self.blocks.get_mut(blocks).unwrap_or_default() {
                *block.get_mut() = 1;
            }
        }

        /// Any bytes may be written.
        pub(crate) fn note_all(&mut self) {
            *self.all.get_mut() = true;
        }

        /// Whether something in this block may have been written.
        pub(crate) fn has(&self, block: usize) -> bool {
            let is_noted = |block: &AtomicU8| block.load(Ordering::Relaxed) != 0;
            self.all.load(Ordering::Relaxed) || self.blocks.get(block).is_none_or(is_noted)
        }

        /// Begins anew: nothing was written.
        pub(crate) fn forget(&self) {
            self.all.store(false, Ordering::Relaxed);
            for block in &self.blocks {
                block.store(0, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(not(feature = "host"))]
#[derive(Clone, Debug, Default)]
pub(crate) struct Written;

#[cfg(not(feature = "host"))]
impl Written {
    #[inline(always)]
    pub(crate) fn of(_length: usize) -> Written {
        Written
    }

    /// Nobody asks.
    #[inline(always)]
    pub(crate) fn note(&mut self, _start: usize, _length: usize) {}

    #[inline(always)]
    pub(crate) fn note_all(&mut self) {}
}

#[cfg(all(test, feature = "host"))]
mod tests {
    use super::*;

    /// However long they were before.
    #[test]
    fn new_bytes_are_zero_and_others_what_they_were() {
        let mut bytes = Bytes::new(alloc::vec![1; 3 * BLOCK]);
        for (length, known) in [
            (BLOCK, BLOCK),
            (2 * BLOCK, BLOCK),
            (BLOCK + 5, BLOCK + 5),
            (BLOCK + 6, BLOCK + 5),
            (4 * BLOCK, BLOCK + 6),
        ] {
            let before = bytes.to_vec();
            bytes.written().forget();
            bytes.resize(length);
            assert_eq!(bytes.len(), length);
            assert_eq!(bytes[..known], before[..known]);
            assert!(bytes[known..].iter().all(|byte| *byte == 0));
            let mut new = known / BLOCK..length.div_ceil(BLOCK).min(3);
            assert!(length == known || new.all(|block| bytes.written().has(block)));
            bytes.all_mut().fill(2);
        }
        // What is left over is what it was, but for the rest of the last block.
        bytes.uncover(BLOCK + 9);
        assert_eq!(bytes.clone().with_left_over().len(), BLOCK + 9);
        bytes.uncover(5 * BLOCK);
        assert_eq!(bytes.len(), 4 * BLOCK);
        let zeros = BLOCK + 9..2 * BLOCK;
        let is_zero = |(at, byte): (usize, &u8)| (*byte == 0) == zeros.contains(&at);
        assert!(bytes.iter().enumerate().all(is_zero));
        bytes.extend(&[3]);
        assert_eq!(bytes.len(), 4 * BLOCK + 1);
    }

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
