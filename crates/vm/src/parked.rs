//! Memories beside the one that a machine works on, each as some moment left it. Going from one moment to another that has
//! little to do with it begins at the one that differs least: between moments that are far apart nearly all of a large
//! memory differs, and copying it takes longer than everything else.

use alloc::vec::Vec;
use core::mem;

use crate::blocks::Blocks;
use crate::bytes::Bytes;
use crate::kept::Since;

/// Blocks that are copied sooner than another memory is looked for.
const NEAR: usize = 256;

/// Bytes that all memories have together that wait beside one.
const MOST_BYTES: usize = 96 << 20;

/// Bytes that wait until they are the nearest to what is wanted, and what is known of them.
#[derive(Debug)]
struct Waiting {
    bytes: Bytes,
    since: Since,
}

/// Memories that wait.
#[derive(Debug, Default)]
pub(crate) struct Parked(Vec<Waiting>);

impl Parked {
    /// Bytes that will become these blocks, so many, and differ from them in so many now, give way to others that differ
    /// in fewer, or to new ones while there is room, and what is known of them to what is known of those. Whether they did;
    /// what there is room for then is so many bytes.
    pub(crate) fn give_way(
        &mut self,
        bytes: &mut Bytes,
        since: &mut Option<Since>,
        (wanted, length): (&Blocks, usize),
        differing: usize,
    ) -> bool {
        if differing <= NEAR || since.is_none() {
            return false;
        }
        let far = self.0.iter().map(|one| one.since.differing(wanted).count());
        let nearest = far.enumerate().min_by_key(|(_, differing)| *differing);
        let is_near = nearest.is_some_and(|(_, differing)| differing <= NEAR);
        let room = length.max(bytes.room());
        let (mut others, known) = match nearest {
            _ if !is_near && self.has_room_for(room) => (Bytes::new(Vec::new()), None),
            Some((at, fewer)) if fewer < differing => {
                let one = self.0.swap_remove(at);
                (one.bytes, Some(one.since))
            }
            _ => return false,
        };
        if others.reserve(room).is_err() {
            return false;
        }
        mem::swap(bytes, &mut others);
        let given = mem::replace(since, known).map(|since| Waiting {
            bytes: others,
            since,
        });
        self.0.extend(given);
        true
    }

    fn has_room_for(&self, length: usize) -> bool {
        let waiting = self.0.iter().map(|one| one.bytes.room());
        waiting.sum::<usize>() + length <= MOST_BYTES
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::blocks::{BLOCK, Block};
    use crate::kept::Kept;

    fn blocks_of(bytes: &[u8]) -> Blocks {
        let blocks = bytes.chunks(BLOCK).map(|bytes| Block::new(bytes, None));
        let blocks: Vec<_> = blocks.enumerate().collect();
        Blocks::new(None, blocks.len(), &blocks)
    }

    #[test]
    fn the_nearest_is_gone_on_with() {
        let length = (NEAR + 2) * BLOCK;
        let (mut parked, kept) = (Parked::default(), Kept::default());
        let mut bytes = Bytes::new(vec![0; length]);
        let zeros = blocks_of(&bytes);
        kept.keep(&bytes, &zeros, None);
        let ones = blocks_of(&vec![1; length]);
        let mut since = kept.since(&bytes);
        // Not while so few differ, and from one on more.
        assert!(!parked.give_way(&mut bytes, &mut since, (&ones, length), NEAR));
        assert!(parked.give_way(&mut bytes, &mut since, (&ones, length), NEAR + 1));
        assert!(bytes.is_empty() && bytes.room() >= length && since.is_none());
        bytes.extend(&vec![1; length]);
        kept.keep(&bytes, &ones, None);
        // Written since, which counts as well.
        bytes.range_mut(0..1).unwrap().fill(2);
        let mut since = kept.since(&bytes);
        let near_zeros = Blocks::new(Some(&zeros), zeros.len(), &[(5, Block::new(&[7], None))]);
        let wanted = (&near_zeros, length);
        assert!(parked.give_way(&mut bytes, &mut since, wanted, NEAR + 2));
        assert_eq!(*bytes, vec![0; length]);
        // Pages at its ends belong to others as well, and are looked at.
        let known = since.as_ref().expect("it is known");
        assert!(known.base == zeros && known.changed.len() <= 2);
        assert!(parked.give_way(&mut bytes, &mut since, (&ones, length), NEAR + 2));
        assert_eq!(bytes.first(), Some(&2));
        assert_eq!(parked.0.len(), 1);
    }

    #[test]
    fn there_is_room_for_so_many_bytes() {
        let most = MOST_BYTES / (8 << 20);
        let length = 8 << 20;
        let (mut parked, kept) = (Parked::default(), Kept::default());
        let mut bytes = Bytes::new(vec![0; length]);
        for number in 0..=most {
            bytes.all_mut().fill(number as u8);
            let now = blocks_of(&bytes);
            kept.keep(&bytes, &now, None);
            let wanted = blocks_of(&vec![number as u8 + 1; length]);
            let mut since = kept.since(&bytes);
            let gives_way = parked.give_way(&mut bytes, &mut since, (&wanted, length), NEAR * 8);
            assert_eq!(gives_way, number < most, "{number}");
            bytes.resize(length);
        }
    }
}
