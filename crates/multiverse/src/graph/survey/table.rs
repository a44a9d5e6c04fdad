//! A set of digests that takes little more than they do.

use crate::fingerprint::Digest;

/// Where a table grows it is copied, and whoever presses Ctrl-C then waits for it. Of so many one after the other grows.
const PARTS: usize = 64;

/// Bits of a hash that say in which part.
const PART_BITS: u32 = PARTS.trailing_zeros();

/// Slots of a part that nothing is in yet.
const FIRST: usize = 16;

/// A set of digests: open addressing in tables of any size, which grow by a quarter when they are 85 % full. So there
/// are 1.18 to 1.47 slots for each.
pub(super) struct Table<F>(Vec<Part<F>>);

struct Part<F> {
    /// Zeros are free.
    slots: Vec<F>,
    len: usize,
    /// Whether zeros are in the set.
    zero: bool,
}

impl<F: Digest> Table<F> {
    /// How many parts it has.
    pub(super) const PARTS: usize = PARTS;

    pub(super) fn new() -> Self {
        let part = || Part {
            slots: vec![F::default(); FIRST],
            len: 0,
            zero: false,
        };
        Self((0..PARTS).map(|_| part()).collect())
    }

    /// Adds a digest; false if it was there.
    pub(super) fn insert(&mut self, digest: F) -> bool {
        let hash = spread(digest);
        self.0[(hash >> (64 - PART_BITS)) as usize].insert(digest, hash << PART_BITS)
    }

    /// Whether a digest is there.
    pub(super) fn has(&self, digest: F) -> bool {
        let hash = spread(digest);
        let part = &self.0[(hash >> (64 - PART_BITS)) as usize];
        match digest == F::default() {
            true => part.zero,
            false => part.seek(digest, hash << PART_BITS).is_none(),
        }
    }

    /// Some word of where a digest is or would be: who wants to look at several has them all fetched.
    #[inline]
    pub(super) fn near(&self, digest: F) -> u64 {
        let hash = spread(digest);
        let part = &self.0[(hash >> (64 - PART_BITS)) as usize];
        part.slots[part.first(hash << PART_BITS)].word()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|part| part.len).sum()
    }

    /// Bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        let slots: usize = self.0.iter().map(|part| part.slots.capacity()).sum();
        slots * size_of::<F>() + self.0.capacity() * size_of::<Part<F>>()
    }

    /// Those of one part, sorted.
    pub(super) fn sorted(&self, part: usize) -> Vec<F> {
        let part = &self.0[part];
        let taken = part
            .slots
            .iter()
            .copied()
            .filter(|slot| *slot != F::default());
        let zero = part.zero.then(F::default);
        let mut all: Vec<F> = zero.into_iter().chain(taken).collect();
        all.sort_unstable();
        all
    }
}

impl<F: Digest> Part<F> {
    fn insert(&mut self, digest: F, hash: u64) -> bool {
        if digest == F::default() {
            let is_new = !self.zero;
            self.len += usize::from(is_new);
            self.zero = true;
            return is_new;
        }
        let Some(free) = self.seek(digest, hash) else {
            return false;
        };
        self.slots[free] = digest;
        self.len += 1;
        if self.len * 20 > self.slots.len() * 17 {
            self.grow();
        }
        true
    }

    /// Where it is looked for first.
    fn first(&self, hash: u64) -> usize {
        // Any number of slots will do: multiply and shift.
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    /// The free slot where it belongs; none if it is there.
    fn seek(&self, digest: F, hash: u64) -> Option<usize> {
        let mut at = self.first(hash);
        loop {
            let slot = self.slots[at];
            if slot == digest {
                return None;
            }
            if slot == F::default() {
                return Some(at);
            }
            at = if at + 1 == self.slots.len() {
                0
            } else {
                at + 1
            };
        }
    }

    fn grow(&mut self) {
        let slots = self.slots.len() + self.slots.len() / 4;
        let old = std::mem::replace(&mut self.slots, vec![F::default(); slots]);
        for digest in old {
            if digest != F::default()
                && let Some(free) = self.seek(digest, spread(digest) << PART_BITS)
            {
                self.slots[free] = digest;
            }
        }
    }
}

/// The high bits of a digest say who owns its state: those of one worker are alike, so they are mixed once more.
fn spread<F: Digest>(digest: F) -> u64 {
    let word = digest.word();
    (word ^ (word >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::{Fingerprint, WideFingerprint};
    use std::collections::BTreeSet;

    fn holds_what_was_put_in<F: Digest>() {
        let digests = (0..20_000_u64).map(|n| F::digest(&(n % 15_000)));
        let digests: Vec<F> = digests
            .chain([F::default(), F::default(), F::of_bits(1)])
            .collect();
        let (mut table, mut known) = (Table::new(), BTreeSet::new());
        for digest in &digests {
            assert_eq!(table.has(*digest), known.contains(digest));
            assert_eq!(table.insert(*digest), known.insert(*digest));
            assert_eq!(table.len(), known.len());
        }
        let mut all: Vec<F> = (0..PARTS).flat_map(|part| table.sorted(part)).collect();
        all.sort_unstable();
        assert_eq!(all, known.into_iter().collect::<Vec<_>>());
        let each = table.heap_bytes() as f64 / table.len() as f64 / size_of::<F>() as f64;
        assert!((1.17..1.7).contains(&each), "{each}");
    }

    #[test]
    fn a_table_holds_what_was_put_in() {
        holds_what_was_put_in::<Fingerprint>();
        holds_what_was_put_in::<WideFingerprint>();
    }

    #[test]
    fn digests_of_one_owner_are_spread_over_all_parts() {
        let mut table = Table::new();
        let own = (0..)
            .map(|n: u64| Fingerprint::of(&n))
            .filter(|print| print.owner(7) == 3);
        own.take(64_000)
            .for_each(|print| assert!(table.insert(print)));
        for part in &table.0 {
            assert!((800..1200).contains(&part.len), "{}", part.len);
        }
    }
}
