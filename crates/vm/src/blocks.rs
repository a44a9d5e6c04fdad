//! Memory in blocks: the unit of sharing and hashing.

pub(crate) use crate::bytes::BLOCK;

/// Bytes of a line: blocks that are alike share all lines but those that differ.
#[cfg(feature = "host")]
pub(crate) const LINE: usize = BLOCK / 64;

#[cfg(feature = "host")]
pub(crate) use list::{Block, Blocks};

#[cfg(feature = "host")]
mod block;

#[cfg(feature = "host")]
mod list {
    use alloc::sync::Arc;

    #[cfg(test)]
    use super::BLOCK;
    pub(crate) use super::block::Block;

    /// Blocks that lists share or have of their own together.
    const PART: usize = 32;

    type Part = Arc<[Block]>;

    /// The blocks of a memory. A list costs what differs from the one that it was made of.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) struct Blocks {
        parts: Arc<[Part]>,
        count: usize,
    }

    impl Blocks {
        /// So many blocks: those of `base`, but for these, which are in the order of their numbers and have all that `base`
        /// has not.
        pub(crate) fn new(base: Option<&Blocks>, count: usize, fresh: &[(usize, Block)]) -> Blocks {
            if let Some(base) = base.filter(|base| fresh.is_empty() && base.count == count) {
                return base.clone();
            }
            let mut fresh = fresh.iter().peekable();
            let part = |first: usize| {
                let end = (first + PART).min(count);
                let before = base.and_then(|base| base.parts.get(first / PART));
                if fresh.peek().is_none_or(|(number, _)| *number >= end)
                    && let Some(before) = before.filter(|before| before.len() == end - first)
                {
                    return before.clone();
                }
                let block = |number: usize| {
                    let new = fresh.next_if(|(fresh, _)| *fresh == number);
                    let kept = || before?.get(number - first);
                    new.map(|(_, block)| block).or_else(kept).cloned()
                };
                (first..end).filter_map(block).collect()
            };
            Blocks {
                parts: (0..count).step_by(PART).map(part).collect(),
                count,
            }
        }

        /// These blocks, and behind them those that another list has there.
        pub(crate) fn before(&self, other: &Blocks) -> Blocks {
            if other.count <= self.count {
                return self.clone();
            }
            let part = |first: usize| {
                let end = (first + PART).min(other.count);
                let from = if end <= self.count { self } else { other };
                match from.parts.get(first / PART) {
                    Some(part) if end <= self.count || first >= self.count => part.clone(),
                    _ => (first..end)
                        .filter_map(|number| {
                            self.get(number).or_else(|| other.get(number)).cloned()
                        })
                        .collect(),
                }
            };
            Blocks {
                parts: (0..other.count).step_by(PART).map(part).collect(),
                count: other.count,
            }
        }

        /// Whether these are the very blocks of another list.
        pub(crate) fn is(&self, other: &Blocks) -> bool {
            Arc::ptr_eq(&self.parts, &other.parts)
        }

        pub(crate) fn len(&self) -> usize {
            self.count
        }

        pub(crate) fn get(&self, number: usize) -> Option<&Block> {
            self.parts.get(number / PART)?.get(number % PART)
        }

        pub(crate) fn iter(&self) -> impl Iterator<Item = &Block> {
            self.parts.iter().flat_map(|part| part.iter())
        }

        /// The numbers of the blocks that are not the very ones of the other list, in order.
        pub(crate) fn differing(&self, other: &Blocks) -> impl Iterator<Item = usize> {
            let parts = self.parts.iter().enumerate();
            let differing = parts.filter(|(at, part)| {
                let theirs = other.parts.get(*at);
                theirs.is_none_or(|theirs| !Arc::ptr_eq(part, theirs))
            });
            let numbers = differing.flat_map(|(at, part)| at * PART..at * PART + part.len());
            numbers.filter(|number| match (self.get(*number), other.get(*number)) {
                (Some(ours), Some(theirs)) => !ours.is(theirs),
                _ => true,
            })
        }

        /// Bytes that this list has to itself.
        pub(crate) fn bytes_beside(&self, other: Option<&Blocks>) -> usize {
            let Some(other) = other else {
                let blocks: usize = self.iter().map(|block| block.bytes_beside(None)).sum();
                return blocks + self.count * size_of::<Block>() + size_of_val(&*self.parts);
            };
            if self.is(other) {
                return 0;
            }
            let parts = self.parts.iter().enumerate();
            let own = parts.filter(|(at, part)| {
                let theirs = other.parts.get(*at);
                theirs.is_none_or(|theirs| !Arc::ptr_eq(part, theirs))
            });
            let lists: usize = own.map(|(_, part)| size_of_val(&**part)).sum();
            let blocks = self.differing(other).filter_map(|number| {
                let block = self.get(number)?;
                Some(block.bytes_beside(other.get(number)))
            });
            size_of_val(&*self.parts) + lists + blocks.sum::<usize>()
        }

        /// Visits every piece of memory that the list holds: its address and its size in bytes. Of what is only held by
        /// something for which the answer is no, nothing is visited.
        pub(crate) fn for_each_piece(&self, visit: &mut dyn FnMut(usize, usize) -> bool) {
            let all = Arc::as_ptr(&self.parts).cast::<Part>() as usize;
            if !visit(all, size_of_val(&*self.parts)) {
                return;
            }
            for part in self.parts.iter() {
                let address = Arc::as_ptr(part).cast::<Block>() as usize;
                if visit(address, size_of_val(&**part)) {
                    for block in part.iter() {
                        block.for_each_piece(visit);
                    }
                }
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use alloc::vec::Vec;

        use super::*;

        fn numbered(number: usize) -> Block {
            Block::new(&[number as u8; BLOCK], None)
        }

        #[test]
        fn lists_share_what_is_the_same_and_have_the_rest() {
            for count in [0, 1, 31, 32, 33, 64, 100] {
                let all: Vec<_> = (0..count)
                    .map(|number| (number, numbered(number)))
                    .collect();
                let base = Blocks::new(None, count, &all);
                assert_eq!(base.iter().count(), count);
                for other in [count, count + 1, count + 40, count / 2, 0] {
                    for changed in [0, 1, 30, 31, 32, 63, 99] {
                        let new =
                            (0..other).filter(|number| *number >= count || *number == changed);
                        let new: Vec<_> = new.map(|n| (n, numbered(n + 7))).collect();
                        let list = Blocks::new(Some(&base), other, &new);
                        let wanted = (0..other).map(|number| {
                            let fresh = new.iter().find(|(new, _)| *new == number);
                            fresh.map_or(number, |_| number + 7) as u8
                        });
                        let has: Vec<u8> = list.iter().map(|block| block.line(0)[0]).collect();
                        assert_eq!(has, wanted.collect::<Vec<_>>());
                        assert_eq!(list.len(), other);
                        let differing: Vec<usize> = list.differing(&base).collect();
                        assert_eq!(differing, new.iter().map(|(n, _)| *n).collect::<Vec<_>>());
                        let same = other == 0 || new.is_empty() && other == count;
                        assert_eq!(list.bytes_beside(Some(&base)) == 0, same);
                        assert!(list.bytes_beside(Some(&base)) >= new.len() * BLOCK);
                    }
                }
            }
        }
    }
}
