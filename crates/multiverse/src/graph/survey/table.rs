//! A set of digests that takes little more than they do, and that several can add to at the same time.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

use crate::fingerprint::Digest;

/// Where a table grows it is copied, and whoever presses Ctrl-C then waits for it. Of so many one after the other grows.
const PARTS: usize = 64;

/// Bits of a hash that say in which part.
const PART_BITS: u32 = PARTS.trailing_zeros();

/// Slots of a part that nothing is in yet.
const FIRST: usize = 16;

/// A part with more twentieths of its slots taken should grow.
const TIGHT: usize = 17;

/// More twentieths are never taken: some slot is free, and whoever looks for a digest comes to an end.
const FULL: usize = 19;

/// So many slots of a part a [`Visit`] takes at once: what is free is counted in one place, which all write to.
const TAKEN: usize = 16;

/// A set of digests: open addressing in tables of any size, which grow by a quarter when they are 85 % full. So there
/// are 1.18 to 1.47 slots for each.
///
/// Digests are never taken out, so whoever finds a free slot or another digest in one needs no lock (A. Laarman, J. van
/// de Pol, M. Weber, *Boosting multi-core reachability performance with shared hash tables*, 2010). Growing needs the
/// table alone.
pub(super) struct Table<F> {
    parts: Vec<Part>,
    /// Digests with a word of zeros, which is what free slots have.
    with_zeros: Mutex<BTreeSet<F>>,
    /// Whether somebody found little room.
    is_tight: AtomicBool,
}

struct Part {
    /// One or two a slot. Zeros are free.
    words: Vec<AtomicU64>,
    /// Slots that are taken.
    len: AtomicUsize,
}

/// A digest in words, the lowest first, and the hash that says where it belongs.
#[derive(Clone, Copy)]
struct Item {
    words: [u64; 2],
    hash: u64,
}

/// Adds to a table to which others add at the same time. It does not grow.
pub(super) struct Visit<'t, F> {
    table: RwLockReadGuard<'t, Table<F>>,
    /// Of the slots that were taken of each part, those that are still free.
    left: [u8; PARTS],
}

impl<F: Digest> Table<F> {
    /// How many parts it has.
    pub(super) const PARTS: usize = PARTS;

    /// Words of a slot.
    const WORDS: usize = F::BITS.div_ceil(64) as usize;

    pub(super) fn new() -> Self {
        let part = || Part {
            words: free(FIRST * Self::WORDS),
            len: AtomicUsize::new(0),
        };
        Self {
            parts: (0..PARTS).map(|_| part()).collect(),
            with_zeros: Mutex::default(),
            is_tight: AtomicBool::new(false),
        }
    }

    /// Adds a digest; false if it was there.
    pub(super) fn insert(&mut self, digest: F) -> bool {
        let Some((nth, item)) = item(digest) else {
            return self.apart(|set| set.insert(digest));
        };
        let part = &mut self.parts[nth];
        let is_new = part.insert::<F>(item);
        if is_new {
            *part.len.get_mut() += 1;
            if part.is_tight::<F>() {
                part.grow::<F>();
            }
        }
        is_new
    }

    /// Whether a digest is there.
    pub(super) fn has(&self, digest: F) -> bool {
        match item(digest) {
            Some((nth, item)) => self.parts[nth].has::<F>(item),
            None => self.apart(|set| set.contains(&digest)),
        }
    }

    /// Some word of where a digest is or would be: who wants to look at several has them all fetched.
    #[inline]
    pub(super) fn near(&self, digest: F) -> u64 {
        item(digest).map_or(0, |(nth, item)| {
            let part = &self.parts[nth];
            part.words[part.first::<F>(item) * Self::WORDS].load(Ordering::Relaxed)
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        let parts = self
            .parts
            .iter()
            .map(|part| part.len.load(Ordering::Relaxed));
        parts.sum::<usize>() + self.apart(|set| set.len())
    }

    /// Bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        let words: usize = self.parts.iter().map(|part| part.words.capacity()).sum();
        words * size_of::<AtomicU64>() + self.parts.capacity() * size_of::<Part>()
    }

    /// Those of one part, sorted; those with zeros are with the first.
    pub(super) fn sorted(&self, part: usize) -> Vec<F> {
        let taken = self.parts[part].taken::<F>().map(digest_of);
        let mut all: Vec<F> = taken.collect();
        if part == 0 {
            self.apart(|set| all.extend(set.iter()));
        }
        all.sort_unstable();
        all
    }

    /// Whether it should grow, as whoever added to it noticed.
    pub(super) fn is_tight(&self) -> bool {
        self.is_tight.load(Ordering::Relaxed)
    }

    /// Grows where it is nearly full.
    pub(super) fn make_room(&mut self) {
        if std::mem::take(self.is_tight.get_mut()) {
            for part in &mut self.parts {
                if part.is_tight::<F>() {
                    part.grow::<F>();
                }
            }
        }
    }

    fn apart<R>(&self, look: impl FnOnce(&mut BTreeSet<F>) -> R) -> R {
        let mut set = self.with_zeros.lock();
        look(set.as_mut().unwrap_or_else(|poisoned| poisoned.get_mut()))
    }
}

impl<'t, F: Digest> Visit<'t, F> {
    pub(super) fn of(table: &'t RwLock<Table<F>>) -> Self {
        Self {
            table: table.read().unwrap_or_else(PoisonError::into_inner),
            left: [0; PARTS],
        }
    }

    /// Adds a digest; false if it was there. None where there is no room: the table has to grow first.
    pub(super) fn insert(&mut self, digest: F) -> Option<bool> {
        let Some((nth, item)) = item(digest) else {
            return Some(self.table.apart(|set| set.insert(digest)));
        };
        let part = &self.table.parts[nth];
        if self.left[nth] == 0 {
            let len = part.len.fetch_add(TAKEN, Ordering::Relaxed) + TAKEN;
            if part.is_beyond::<F>(TIGHT, len) {
                self.table.is_tight.store(true, Ordering::Relaxed);
            }
            if part.is_beyond::<F>(FULL, len) {
                part.len.fetch_sub(TAKEN, Ordering::Relaxed);
                return None;
            }
            self.left[nth] = TAKEN as u8;
        }
        let is_new = part.insert::<F>(item);
        self.left[nth] -= u8::from(is_new);
        Some(is_new)
    }

    /// As [`Table::near`].
    #[inline]
    pub(super) fn near(&self, digest: F) -> u64 {
        self.table.near(digest)
    }
}

impl<F> Drop for Visit<'_, F> {
    fn drop(&mut self) {
        for (part, left) in self.table.parts.iter().zip(self.left) {
            if left > 0 {
                part.len.fetch_sub(left.into(), Ordering::Relaxed);
            }
        }
    }
}

impl Part {
    fn slots<F: Digest>(&self) -> usize {
        self.words.len() / Table::<F>::WORDS
    }

    /// Whether so many are more than so many twentieths of its slots.
    fn is_beyond<F: Digest>(&self, twentieths: usize, len: usize) -> bool {
        len * 20 > self.slots::<F>() * twentieths
    }

    /// Whether it should grow.
    fn is_tight<F: Digest>(&mut self) -> bool {
        let len = *self.len.get_mut();
        self.is_beyond::<F>(TIGHT, len)
    }

    /// Where it is looked for first.
    fn first<F: Digest>(&self, item: Item) -> usize {
        // Any number of slots will do: multiply and shift.
        ((u128::from(item.hash) * self.slots::<F>() as u128) >> 64) as usize
    }

    /// Puts it where it belongs; false if it was there. Some slot is free.
    fn insert<F: Digest>(&self, item: Item) -> bool {
        self.probe::<F>(item, |slot| {
            let (free, own) = (0, item.words[0]);
            let put = slot[0].compare_exchange(free, own, Ordering::AcqRel, Ordering::Acquire);
            if put.is_ok()
                && let Some(second) = slot.get(1)
            {
                second.store(item.words[1], Ordering::Release);
            }
            put.err()
        })
    }

    fn has<F: Digest>(&self, item: Item) -> bool {
        !self.probe::<F>(item, |_| None)
    }

    /// Goes along the slots until it is found; then false. True where it would belong: `free` says for a slot that was
    /// free what is in it now, if something is.
    fn probe<F: Digest>(&self, item: Item, free: impl Fn(&[AtomicU64]) -> Option<u64>) -> bool {
        let (words, slots) = (Table::<F>::WORDS, self.slots::<F>());
        let mut at = self.first::<F>(item);
        loop {
            let slot = &self.words[at * words..(at + 1) * words];
            let mut found = slot[0].load(Ordering::Acquire);
            if found == 0 {
                match free(slot) {
                    None => return true,
                    Some(other) => found = other,
                }
            }
            let is_second = |second| written(second) == item.words[1];
            if found == item.words[0] && slot.get(1).is_none_or(is_second) {
                return false;
            }
            at = if at + 1 == slots { 0 } else { at + 1 };
        }
    }

    /// All that are in it.
    fn taken<F: Digest>(&self) -> impl Iterator<Item = [u64; 2]> {
        let slots = self.words.chunks_exact(Table::<F>::WORDS);
        let words = slots.map(|slot| {
            let word = |nth: usize| slot.get(nth).map_or(0, |word| word.load(Ordering::Relaxed));
            [word(0), word(1)]
        });
        words.filter(|words| words[0] != 0)
    }

    fn grow<F: Digest>(&mut self) {
        let slots = self.slots::<F>() + self.slots::<F>() / 4;
        let words = free(slots * Table::<F>::WORDS);
        let len = std::mem::take(&mut self.len);
        let old = std::mem::replace(self, Self { words, len });
        for words in old.taken::<F>() {
            if let Some((_, item)) = item(digest_of::<F>(words)) {
                self.insert::<F>(item);
            }
        }
    }
}

/// The second word of a slot whose first word is there: whoever took the slot is about to write it.
fn written(word: &AtomicU64) -> u64 {
    loop {
        match word.load(Ordering::Acquire) {
            0 => std::thread::yield_now(),
            word => return word,
        }
    }
}

fn free(words: usize) -> Vec<AtomicU64> {
    (0..words).map(|_| AtomicU64::new(0)).collect()
}

/// In which part a digest belongs, and what is put there; none for one with a word of zeros.
#[inline]
fn item<F: Digest>(digest: F) -> Option<(usize, Item)> {
    let bits = digest.bits();
    let words = [bits as u64, (bits >> 64) as u64];
    let hash = spread(digest);
    let item = Item {
        words,
        hash: hash << PART_BITS,
    };
    let mut own = words.iter().take(Table::<F>::WORDS);
    own.all(|word| *word != 0)
        .then_some(((hash >> (64 - PART_BITS)) as usize, item))
}

fn digest_of<F: Digest>([low, high]: [u64; 2]) -> F {
    F::of_bits(u128::from(high) << 64 | u128::from(low))
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
            .chain([
                F::default(),
                F::default(),
                F::of_bits(1),
                F::of_bits(1 << 64 | 7),
            ])
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

    /// Several threads put in the same digests in another order each, and grow the table when it is tight.
    fn holds_what_several_put_in<F: Digest>() {
        const ADDERS: u64 = 4;
        let table = RwLock::new(Table::<F>::new());
        let all: Vec<F> = (0..20_000_u64)
            .map(|n| F::digest(&n))
            .chain([F::default(), F::of_bits(1 << 64 | 7), F::of_bits(7 << 64)])
            .collect();
        let (is_new, is_full) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for adder in 0..ADDERS {
                let (table, all, is_new, is_full) = (&table, &all, &is_new, &is_full);
                scope.spawn(move || {
                    let by = [1, 3, 5, 7][adder as usize];
                    let mut visit = Some(Visit::of(table));
                    for nth in 0..all.len() {
                        let digest = all[nth * by % all.len()];
                        let put = match visit.as_mut().map(|visit| visit.insert(digest)) {
                            Some(Some(put)) => put,
                            _ => {
                                visit = None;
                                let mut alone = table.write().unwrap();
                                alone.make_room();
                                is_full.fetch_add(1, Ordering::Relaxed);
                                alone.insert(digest)
                            }
                        };
                        is_new.fetch_add(put.into(), Ordering::Relaxed);
                        visit.get_or_insert_with(|| Visit::of(table));
                    }
                });
            }
        });
        let table = table.into_inner().unwrap();
        let known: BTreeSet<F> = all.iter().copied().collect();
        assert_eq!(
            (table.len(), is_new.into_inner()),
            (known.len(), known.len())
        );
        assert!(is_full.into_inner() > PARTS && known.iter().all(|digest| table.has(*digest)));
        let mut sorted: Vec<F> = (0..PARTS).flat_map(|part| table.sorted(part)).collect();
        sorted.sort_unstable();
        assert_eq!(sorted, known.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_table_holds_what_several_put_in() {
        for _ in 0..10 {
            holds_what_several_put_in::<Fingerprint>();
            holds_what_several_put_in::<WideFingerprint>();
        }
    }

    #[test]
    fn digests_of_one_owner_are_spread_over_all_parts() {
        let mut table = Table::new();
        let own = (0..)
            .map(|n: u64| Fingerprint::of(&n))
            .filter(|print| print.owner(7) == 3);
        own.take(64_000)
            .for_each(|print| assert!(table.insert(print)));
        for part in &mut table.parts {
            let len = *part.len.get_mut();
            assert!((800..1200).contains(&len), "{len}");
        }
    }
}
