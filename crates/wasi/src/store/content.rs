//! The bytes of a file.

use super::cache::{Cache, Digest, Hasher};
use super::held::Held;
use super::sparse::Sparse;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

/// The bytes of a block, the unit that files share between states.
pub const BLOCK: usize = 4096;

/// The bytes of a file or of what a program has written to a stream: a persistent sequence of blocks. A clone is free,
/// a write copies the blocks that it touches, what was never written takes no room and reads as zeros.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Content {
    len: u64,
    blocks: Sparse<Arc<Block>>,
}

/// Some bytes without the zeros at their end; never without any, so that equal contents have equal blocks.
#[derive(Clone, Debug, Default)]
struct Block {
    digest: Cache,
    bytes: Vec<u8>,
}

impl PartialEq for Block {
    fn eq(&self, other: &Block) -> bool {
        self.bytes == other.bytes
    }
}

impl Digest for Arc<Block> {
    fn digest(&self) -> u64 {
        self.digest.get(|| {
            let mut hasher = Hasher::default();
            hasher.bytes(&self.bytes);
            hasher.finish()
        })
    }
}

impl Content {
    /// These bytes.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Content {
        let mut content = Content::default();
        content.write(0, bytes);
        content
    }

    /// How many bytes there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes from `offset` on: `most` of them, or fewer at the end.
    #[must_use]
    pub fn read(&self, offset: u64, most: usize) -> Vec<u8> {
        let len = self.len.saturating_sub(offset).min(most as u64) as usize;
        let mut bytes = vec![0; len];
        for (block, within, at, count) in parts(offset, len) {
            if let Some(block) = self.blocks.get(block) {
                let there = block.bytes.get(within..).unwrap_or(&[]);
                let count = count.min(there.len());
                bytes[at..at + count].copy_from_slice(&there[..count]);
            }
        }
        bytes
    }

    /// All bytes.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        self.read(0, usize::try_from(self.len).unwrap_or(usize::MAX))
    }

    /// The blocks that are not as they were in `first`, by number: their bytes without the zeros at their end.
    pub(super) fn blocks_beyond(&self, first: &Content) -> Vec<(u64, Vec<u8>)> {
        let differing = self.blocks.differing(&first.blocks, usize::MAX).into_iter();
        let bytes = |block| {
            self.blocks
                .get(block)
                .map_or_else(Vec::new, |block| block.bytes.clone())
        };
        differing.map(|block| (block, bytes(block))).collect()
    }

    /// Writes bytes; what lies between the end and `offset` becomes zeros. The caller sees to it that the end fits 64
    /// bits.
    pub(crate) fn write(&mut self, offset: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        for (block, within, at, count) in parts(offset, bytes.len()) {
            self.blocks.update(block, |slot| {
                let block = Arc::make_mut(slot.get_or_insert_default());
                block.digest.clear();
                let end = within + count;
                if block.bytes.len() < end {
                    block.bytes.resize(end, 0);
                }
                block.bytes[within..end].copy_from_slice(&bytes[at..at + count]);
                trim(slot);
            });
        }
        self.len = self.len.max(offset + bytes.len() as u64);
    }

    /// Makes it so long: cuts the rest off, or adds zeros.
    pub(crate) fn set_len(&mut self, len: u64) {
        if len < self.len {
            self.blocks.truncate(len.div_ceil(BLOCK as u64));
            let within = (len % BLOCK as u64) as usize;
            let last = len / BLOCK as u64;
            if within != 0 && self.blocks.get(last).is_some() {
                self.blocks.update(last, |slot| {
                    if let Some(block) = slot {
                        let block = Arc::make_mut(block);
                        block.digest.clear();
                        block.bytes.truncate(within);
                    }
                    trim(slot);
                });
            }
        }
        self.len = len;
    }

    /// The offset of the first byte that differs, or that only one of them has.
    #[must_use]
    pub fn first_difference(&self, other: &Content) -> Option<u64> {
        let shorter = self.len.min(other.len);
        let longer = (self.len != other.len).then_some(shorter);
        let Some(&block) = self.blocks.differing(&other.blocks, 1).first() else {
            return longer;
        };
        let base = block * BLOCK as u64;
        let empty = Vec::new();
        let one = self.blocks.get(block).map_or(&empty, |block| &block.bytes);
        let other = other.blocks.get(block).map_or(&empty, |block| &block.bytes);
        (0..BLOCK)
            .find(|&at| one.get(at).unwrap_or(&0) != other.get(at).unwrap_or(&0))
            .map(|at| (base + at as u64).min(longer.unwrap_or(u64::MAX)))
            .or(longer)
    }
}

impl Digest for Content {
    fn digest(&self) -> u64 {
        let mut hasher = Hasher::default();
        hasher.word(self.len);
        hasher.word(self.blocks.digest());
        hasher.finish()
    }
}

impl Held for Content {
    fn pieces(&self, visit: &mut dyn FnMut(usize, usize) -> bool) {
        self.blocks.pieces(visit);
    }

    fn beyond(&self, other: Option<&Content>) -> usize {
        self.blocks.beyond(other.map(|other| &other.blocks))
    }
}

impl Held for Arc<Block> {
    fn pieces(&self, visit: &mut dyn FnMut(usize, usize) -> bool) {
        visit(Arc::as_ptr(self) as usize, self.size());
    }

    fn beyond(&self, other: Option<&Arc<Block>>) -> usize {
        let shared = other.is_some_and(|other| Arc::ptr_eq(self, other));
        if shared { 0 } else { self.size() }
    }
}

impl Block {
    fn size(&self) -> usize {
        size_of::<Block>() + self.bytes.capacity()
    }
}

/// Takes zeros away from the end of a block, and a block without bytes from its slot.
fn trim(slot: &mut Option<Arc<Block>>) {
    let Some(block) = slot else { return };
    if block.bytes.last() == Some(&0) {
        let bytes = &mut Arc::make_mut(block).bytes;
        let end = bytes
            .iter()
            .rposition(|&byte| byte != 0)
            .map_or(0, |last| last + 1);
        bytes.truncate(end);
    }
    if block.bytes.is_empty() {
        *slot = None;
    }
}

/// The blocks that `len` bytes from `offset` on lie in: number, offset within, offset in the bytes, length.
fn parts(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, usize, usize)> {
    let mut at = 0;
    core::iter::from_fn(move || {
        if at >= len {
            return None;
        }
        let position = offset + at as u64;
        let within = (position % BLOCK as u64) as usize;
        let count = (BLOCK - within).min(len - at);
        let part = (position / BLOCK as u64, within, at, count);
        at += count;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Change {
        Write(u64, Vec<u8>),
        Resize(u64),
    }

    fn change() -> impl Strategy<Value = Change> {
        let at = prop_oneof![
            0..10u64,
            4090..4100u64,
            60_000..140_000u64,
            1_000_000..1_100_000u64
        ];
        let bytes = prop_oneof![
            prop::collection::vec(0..3u8, 0..20),
            prop::collection::vec(0..3u8, 4000..9000),
            Just(vec![0; 5000]),
        ];
        prop_oneof![
            3 => (at.clone(), bytes).prop_map(|(at, bytes)| Change::Write(at, bytes)),
            1 => at.prop_map(Change::Resize),
        ]
    }

    fn apply(content: &mut Content, bytes: &mut Vec<u8>, change: &Change) {
        match change {
            Change::Write(_, written) if written.is_empty() => {}
            Change::Write(at, written) => {
                content.write(*at, written);
                let end = *at as usize + written.len();
                bytes.resize(bytes.len().max(end), 0);
                bytes[*at as usize..end].copy_from_slice(written);
            }
            Change::Resize(len) => {
                content.set_len(*len);
                bytes.resize(*len as usize, 0);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn equal_bytes_are_equal_contents_with_equal_hashes(
            changes in prop::collection::vec(change(), 1..12),
            more in change(),
        ) {
            let (mut content, mut bytes) = (Content::default(), Vec::new());
            for change in &changes {
                apply(&mut content, &mut bytes, change);
                // The hash is kept from here on, where nothing changes.
                content.digest();
            }
            prop_assert_eq!(content.to_vec(), bytes.clone());
            let fresh = Content::new(&bytes);
            prop_assert!(content == fresh);
            prop_assert_eq!(content.digest(), fresh.digest());
            prop_assert_eq!(content.first_difference(&fresh), None);

            let (before, bytes_before) = (content.clone(), bytes.clone());
            apply(&mut content, &mut bytes, &more);
            prop_assert_eq!(before.to_vec(), bytes_before.clone());
            let differs = (0..bytes.len().max(bytes_before.len()))
                .find(|&at| bytes.get(at) != bytes_before.get(at))
                .map(|at| at as u64);
            prop_assert_eq!(before.first_difference(&content), differs);
            prop_assert_eq!(content.first_difference(&before), differs);
            prop_assert_eq!(before == content, differs.is_none());
            prop_assert_eq!(before.digest() == content.digest(), differs.is_none());
        }
    }

    #[test]
    fn a_write_into_a_large_file_copies_one_block() {
        let large = Content::new(&vec![7; 20 << 20]);
        let mut changed = large.clone();
        changed.write(10 << 20, b"x");
        let (mut shared, mut copied) = (0, 0);
        large.blocks.for_each(&mut |index, block| {
            if Arc::ptr_eq(block, changed.blocks.get(index).unwrap()) {
                shared += 1;
            } else {
                copied += 1;
            }
        });
        assert_eq!((shared, copied), (5119, 1));
    }

    #[test]
    fn what_was_never_written_takes_no_room() {
        let mut content = Content::default();
        content.write((1 << 40) - 3, b"abc");
        assert_eq!(content.len(), 1 << 40);
        assert_eq!(content.read(1 << 39, 4), [0; 4]);
        assert_eq!(content.read((1 << 40) - 4, 9), b"\0abc");
        content.set_len(1 << 39);
        assert_eq!(content.blocks, Sparse::default());
        content.set_len(0);
        assert_eq!(content, Content::default());
    }
}
