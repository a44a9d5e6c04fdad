//! Memories beside the one that a machine works on, each as some moment left it. Going from one moment to another that has
//! little to do with it begins at the one that differs least: between moments that are far apart nearly all of a large
//! memory differs, and copying it takes longer than everything else.

use alloc::vec::Vec;
use core::mem;

use crate::blocks::Blocks;
use crate::bytes::Bytes;
use crate::kept::Kept;

/// Blocks that are copied sooner than another memory is looked for.
const NEAR: usize = 256;

/// Bytes that all memories have together that wait beside one.
const MOST_BYTES: usize = 96 << 20;

/// Bytes that wait until they are the nearest to what is wanted.
#[derive(Debug)]
struct Waiting {
    bytes: Bytes,
    kept: Kept,
    /// What they were when they were last kept,
    base: Blocks,
    /// and where they may have been written since.
    changed: Vec<usize>,
}

/// Memories that wait.
#[derive(Debug, Default)]
pub(crate) struct Parked(Vec<Waiting>);

/// A clone has none of them.
impl Clone for Parked {
    fn clone(&self) -> Parked {
        Parked::default()
    }
}

/// No part of the state.
impl PartialEq for Parked {
    fn eq(&self, _: &Parked) -> bool {
        true
    }
}

impl Eq for Parked {}

impl Parked {
    /// Bytes that will become these blocks, so many, and differ from them in so many now, give way to others that differ
    /// in fewer, or to new ones while there is room. Whether they did; what there is room for then is so many bytes.
    pub(crate) fn give_way(
        &mut self,
        bytes: &mut Bytes,
        kept: &mut Kept,
        (wanted, length): (&Blocks, usize),
        differing: usize,
    ) -> bool {
        if differing <= NEAR {
            return false;
        }
        let Some((base, changed)) = kept.since(bytes) else {
            return false;
        };
        let far = self.0.iter().map(|one| one.differs_in(wanted)).enumerate();
        let nearest = far.min_by_key(|(_, differing)| *differing);
        let is_near = nearest.is_some_and(|(_, differing)| differing <= NEAR);
        let (mut others, mut known) = match nearest {
            _ if !is_near && self.has_room_for(length.max(bytes.len())) => {
                (Bytes::new(Vec::new()), Kept::default())
            }
            Some((at, fewer)) if fewer < differing => {
                let one = self.0.swap_remove(at);
                (one.bytes, one.kept)
            }
            _ => return false,
        };
        if others.reserve(length.max(bytes.len())).is_err() {
            return false;
        }
        mem::swap(bytes, &mut others);
        mem::swap(kept, &mut known);
        self.0.push(Waiting {
            bytes: others,
            kept: known,
            base,
            changed,
        });
        true
    }

    fn has_room_for(&self, length: usize) -> bool {
        let waiting = self.0.iter().map(|one| one.bytes.room());
        waiting.sum::<usize>() + length <= MOST_BYTES
    }
}

impl Waiting {
    /// How many of these blocks it has otherwise, at most.
    fn differs_in(&self, wanted: &Blocks) -> usize {
        wanted.differing(&self.base).count() + self.changed.len()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::blocks::{BLOCK, Block};

    fn blocks_of(bytes: &[u8]) -> Blocks {
        let blocks = bytes.chunks(BLOCK).map(|bytes| Block::new(bytes, None));
        let blocks: Vec<_> = blocks.enumerate().collect();
        Blocks::new(None, blocks.len(), &blocks)
    }

    #[test]
    fn the_nearest_is_gone_on_with() {
        let length = (NEAR + 2) * BLOCK;
        let (mut parked, mut kept) = (Parked::default(), Kept::default());
        let mut bytes = Bytes::new(vec![0; length]);
        let zeros = blocks_of(&bytes);
        kept.keep(&bytes, &zeros);
        let ones = blocks_of(&vec![1; length]);
        // Not while so few differ, and from one on more.
        assert!(!parked.give_way(&mut bytes, &mut kept, (&ones, length), NEAR));
        assert!(parked.give_way(&mut bytes, &mut kept, (&ones, length), NEAR + 1));
        assert!(bytes.is_empty() && bytes.room() >= length);
        bytes.extend(&vec![1; length]);
        kept.keep(&bytes, &ones);
        // Written since, which counts as well.
        bytes.range_mut(0..1).unwrap().fill(2);
        let near_zeros = Blocks::new(Some(&zeros), zeros.len(), &[(5, Block::new(&[7], None))]);
        let wanted = (&near_zeros, length);
        assert!(parked.give_way(&mut bytes, &mut kept, wanted, NEAR + 2));
        assert_eq!(*bytes, vec![0; length]);
        let (base, changed) = kept.since(&bytes).expect("it is known");
        // Pages at its ends belong to others as well, and are looked at.
        assert!(base == zeros && changed.len() <= 2);
        assert!(parked.give_way(&mut bytes, &mut kept, (&ones, length), NEAR + 2));
        assert_eq!(bytes.first(), Some(&2));
        assert_eq!(parked.0.len(), 1);
    }

    #[test]
    fn there_is_room_for_so_many_bytes() {
        let most = MOST_BYTES / (8 << 20);
        let length = 8 << 20;
        let (mut parked, mut kept) = (Parked::default(), Kept::default());
        let mut bytes = Bytes::new(vec![0; length]);
        for number in 0..=most {
            bytes.all_mut().fill(number as u8);
            let now = blocks_of(&bytes);
            kept.keep(&bytes, &now);
            let wanted = blocks_of(&vec![number as u8 + 1; length]);
            let gives_way = parked.give_way(&mut bytes, &mut kept, (&wanted, length), NEAR * 8);
            assert_eq!(gives_way, number < most, "{number}");
            bytes.resize(length);
        }
    }
}
