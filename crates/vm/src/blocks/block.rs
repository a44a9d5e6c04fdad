//! A block of memory on the host: what it has like others, it shares with them.

use alloc::boxed::Box;
use alloc::sync::Arc;
use std::sync::OnceLock;

use super::{BLOCK, LINE};
use crate::hash;

/// So many lines may differ from a whole block: with more, a block is a whole of its own.
const MOST_OWN: usize = 16;

type Whole = Arc<[u8; BLOCK]>;
type Line = [u8; LINE];

/// A block; the last one of a memory has zeros behind its end. Cloning it is cheap.
#[derive(Clone, Debug)]
pub(crate) struct Block(Arc<Content>);

#[derive(Debug)]
struct Content {
    /// Most of the bytes.
    whole: Whole,
    /// Which lines are others, a bit each.
    which: u64,
    /// These, in order. None is what the whole has there.
    own: Box<[Line]>,
    hash: OnceLock<u64>,
}

/// The lines of some bytes; the last one has zeros behind their end.
fn lines(bytes: &[u8]) -> impl Iterator<Item = Line> {
    bytes.chunks(LINE).map(|chunk| {
        let mut line = [0; LINE];
        let part = line.iter_mut().zip(chunk);
        part.for_each(|(to, from)| *to = *from);
        line
    })
}

impl Block {
    /// A block with these bytes, which shares what it can with another.
    pub(crate) fn new(bytes: &[u8], like: Option<&Block>) -> Block {
        let mut all = [0; BLOCK];
        let part = all.get_mut(..bytes.len());
        part.expect("at most a block").copy_from_slice(bytes);
        let shared = like.and_then(|like| {
            let whole = &like.0.whole;
            let pairs = whole.as_chunks::<LINE>().0.iter().zip(all.as_chunks().0);
            let differs = |(at, (old, new)): (usize, (&Line, &Line))| u64::from(old != new) << at;
            let which = pairs.enumerate().map(differs).fold(0, |all, one| all | one);
            (which.count_ones() as usize <= MOST_OWN).then(|| (whole.clone(), which))
        });
        let (whole, which) = shared.unwrap_or_else(|| (Arc::new(all), 0));
        let is_own = |at: &usize| which >> at & 1 == 1;
        let own = all.as_chunks::<LINE>().0.iter().enumerate();
        let own = own.filter(|(at, _)| is_own(at)).map(|(_, line)| *line);
        Block(Arc::new(Content {
            whole,
            which,
            own: own.collect(),
            hash: OnceLock::new(),
        }))
    }

    /// One of its lines, by its number.
    pub(crate) fn line(&self, number: usize) -> &Line {
        let Content {
            whole, which, own, ..
        } = &*self.0;
        let before = which & ((1 << number) - 1);
        match which >> number & 1 {
            1 => &own[before.count_ones() as usize],
            _ => &whole.as_chunks::<LINE>().0[number],
        }
    }

    fn all_lines(&self) -> impl Iterator<Item = &Line> {
        (0..BLOCK / LINE).map(|number| self.line(number))
    }

    /// The lines in which two blocks differ: the number, and what each of them has.
    pub(crate) fn differing<'b>(
        &'b self,
        other: &'b Block,
    ) -> impl Iterator<Item = (usize, &'b Line, &'b Line)> {
        let pairs = self.all_lines().zip(other.all_lines()).enumerate();
        pairs
            .filter(|(_, (a, b))| a != b)
            .map(|(at, (a, b))| (at, a, b))
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> [u8; BLOCK] {
        let mut bytes = *self.0.whole;
        self.write_own(&mut bytes);
        bytes
    }

    /// Whether it begins with these bytes.
    pub(crate) fn begins_with(&self, bytes: &[u8]) -> bool {
        match self.0.which {
            0 => self.0.whole.starts_with(bytes),
            _ => self
                .all_lines()
                .zip(bytes.chunks(LINE))
                .all(|(line, chunk)| line.starts_with(chunk)),
        }
    }

    /// Whether it has these bytes, and zeros behind.
    pub(crate) fn has(&self, bytes: &[u8]) -> bool {
        let behind = bytes.len() / LINE..BLOCK / LINE;
        self.begins_with(bytes)
            && (bytes.len() == BLOCK
                || lines(bytes)
                    .skip(behind.start)
                    .chain(core::iter::repeat([0; LINE]))
                    .zip(behind.map(|number| self.line(number)))
                    .all(|(wanted, line)| wanted == *line))
    }

    /// Makes these bytes, which are at most as many, its own.
    pub(crate) fn write(&self, bytes: &mut [u8]) {
        let length = bytes.len().min(BLOCK);
        let (to, from) = (bytes.get_mut(..length), self.0.whole.get(..length));
        if let (Some(to), Some(from)) = (to, from) {
            to.copy_from_slice(from);
        }
        self.write_own(bytes);
    }

    /// Makes these bytes, which are another block's, its own: as little is looked at and written as can be.
    pub(crate) fn write_over(&self, other: &Block, bytes: &mut [u8]) {
        if !Arc::ptr_eq(&self.0.whole, &other.0.whole) {
            return self.write(bytes);
        }
        let mut which = self.0.which | other.0.which;
        while which != 0 {
            let number = which.trailing_zeros() as usize;
            which &= which - 1;
            let start = bytes.len().min(number * LINE);
            let end = bytes.len().min(start + LINE);
            if let Some(chunk) = bytes.get_mut(start..end) {
                let line = self.line(number);
                chunk.copy_from_slice(line.get(..chunk.len()).unwrap_or_default());
            }
        }
    }

    fn write_own(&self, bytes: &mut [u8]) {
        let mut own = self.0.own.iter();
        for (number, chunk) in bytes.chunks_mut(LINE).enumerate() {
            if self.0.which >> number & 1 == 1
                && let Some(line) = own.next()
            {
                chunk.copy_from_slice(line.get(..chunk.len()).unwrap_or_default());
            }
        }
    }

    /// The hash of its bytes; it is computed once.
    pub(crate) fn hash(&self) -> u64 {
        *self.0.hash.get_or_init(|| match self.0.which {
            0 => hash::of_block(&*self.0.whole),
            _ => hash::of_block(&self.bytes()),
        })
    }

    /// Whether the two are one.
    pub(crate) fn is(&self, other: &Block) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn own_bytes(&self) -> usize {
        size_of::<Content>() + size_of_val(&*self.0.own)
    }

    /// Bytes that it has to itself, or together with all but another.
    pub(crate) fn bytes_beside(&self, other: Option<&Block>) -> usize {
        let is_shared = other.is_some_and(|other| Arc::ptr_eq(&self.0.whole, &other.0.whole));
        self.own_bytes() + if is_shared { 0 } else { BLOCK }
    }

    /// Visits every piece of memory that it holds, as [`crate::Snapshot::for_each_piece`] does.
    pub(crate) fn for_each_piece(&self, visit: &mut dyn FnMut(usize, usize) -> bool) {
        if visit(Arc::as_ptr(&self.0) as usize, self.own_bytes()) {
            visit(Arc::as_ptr(&self.0.whole) as usize, BLOCK);
        }
    }
}

impl PartialEq for Block {
    fn eq(&self, other: &Block) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        if Arc::ptr_eq(&a.whole, &b.whole) {
            return a.which == b.which && a.own == b.own;
        }
        self.all_lines().eq(other.all_lines())
    }
}

impl Eq for Block {}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// Blocks made of one another, in all ways in which bytes can differ in a few lines or in many, are what was asked for.
    #[test]
    fn blocks_have_their_bytes_whatever_they_share() {
        let random = |at: usize, seed: usize| (at * 131 + seed * 17 + at / 64 * seed) as u8;
        let mut bytes: Vec<u8> = (0..BLOCK).map(|at| random(at, 1)).collect();
        let mut last = Block::new(&bytes, None);
        let mut blocks = Vec::from([(bytes.clone(), last.clone())]);
        for (seed, changed) in [0, 1, 1, 15, 16, 17, 64, 3, 1].into_iter().enumerate() {
            for line in 0..changed {
                bytes[(line * 61 + seed) % 64 * LINE + seed] ^= 0x55;
            }
            let block = Block::new(&bytes, Some(&last));
            assert_eq!(block.bytes(), *bytes);
            assert_eq!(block.hash(), Block::new(&bytes, None).hash());
            assert_eq!(block, Block::new(&bytes, None));
            assert_eq!(
                block.bytes_beside(Some(&last)) < BLOCK,
                Arc::ptr_eq(&block.0.whole, &last.0.whole)
            );
            blocks.push((bytes.clone(), block.clone()));
            last = block;
        }
        for (bytes, block) in &blocks {
            for (others, other) in &blocks {
                assert_eq!(block == other, bytes == others);
                let lines = block.differing(other).map(|(line, _, _)| line);
                let wanted = (0..64).filter(|line| {
                    let range = line * LINE..(line + 1) * LINE;
                    bytes[range.clone()] != others[range]
                });
                assert_eq!(lines.collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
                let mut written = others.clone();
                block.write(&mut written);
                assert_eq!(written, *bytes);
                assert_eq!(block.begins_with(others), bytes == others);
                assert_eq!(block.has(others), bytes == others);
            }
        }
    }

    #[test]
    fn a_block_that_is_not_full_has_zeros_behind() {
        for length in [0, 1, 63, 64, 65, 4000, BLOCK - 1, BLOCK] {
            let bytes: Vec<u8> = (0..length).map(|at| at as u8 | 1).collect();
            let block = Block::new(&bytes, None);
            assert!(block.has(&bytes) && block.begins_with(&bytes));
            let mut longer = bytes.clone();
            longer.resize(BLOCK, 0);
            assert_eq!(block.bytes(), *longer);
            assert!(block.has(&longer));
            if length < BLOCK {
                longer[length] = 1;
                let longer = Block::new(&longer, Some(&block));
                assert!(longer.begins_with(&bytes) && !longer.has(&bytes));
                assert_ne!(longer, block);
            }
            let mut shorter = alloc::vec![7; length / 2];
            block.write(&mut shorter);
            assert_eq!(shorter, bytes[..length / 2]);
        }
    }
}
