//! A list that grows at its end without ever copying, or reserving, more than one chunk.

use std::cell::OnceCell;
use std::fmt::{self, Debug};
use std::ops::Range;
use std::rc::Rc;

/// Entries of a full chunk. A power of two, so that an index splits into shifts and masks.
const CHUNK: usize = 512;

/// Reads entries that are kept elsewhere: so many as the range is long, or none if they cannot be had.
pub type Load<E> = Rc<dyn Fn(Range<usize>) -> Option<Vec<E>>>;

/// An append-only list in chunks, some of which may still be elsewhere.
///
/// A plain `Vec` doubles: a long trace would hold up to twice its size, and three times while it
/// moves. Here the waste is at most one chunk, and elements never move once their chunk is full.
/// A chunk that was not asked for yet is loaded when it is; one that cannot be loaded is empty.
#[derive(Clone)]
pub(super) struct Entries<E> {
    /// Every chunk but the last holds exactly `CHUNK` entries.
    chunks: Vec<OnceCell<Vec<E>>>,
    len: usize,
    load: Option<Load<E>>,
}

impl<E: Debug> Debug for Entries<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loaded = self.chunks.iter().filter_map(OnceCell::get).flatten();
        f.debug_list().entries(loaded).finish()
    }
}

impl<E> Entries<E> {
    pub(super) const fn new() -> Self {
        Self {
            chunks: Vec::new(),
            len: 0,
            load: None,
        }
    }

    /// A list of `len` entries that `load` reads when they are asked for.
    pub(super) fn elsewhere(len: usize, load: Load<E>) -> Self {
        Self {
            chunks: (0..len.div_ceil(CHUNK)).map(|_| OnceCell::new()).collect(),
            len,
            load: Some(load),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn get(&self, index: usize) -> Option<&E> {
        self.chunk(index / CHUNK)?.get(index % CHUNK)
    }

    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut E> {
        self.chunk(index / CHUNK)?;
        let chunk = self.chunks.get_mut(index / CHUNK)?.get_mut()?;
        chunk.get_mut(index % CHUNK)
    }

    fn chunk(&self, number: usize) -> Option<&Vec<E>> {
        let start = number * CHUNK;
        let chunk = self.chunks.get(number)?;
        Some(chunk.get_or_init(|| {
            let range = start..self.len.min(start + CHUNK);
            let wanted = range.len();
            let loaded = self.load.as_ref().and_then(|load| load(range));
            loaded
                .filter(|entries| entries.len() == wanted)
                .unwrap_or_default()
        }))
    }

    pub(super) fn push(&mut self, entry: E) {
        let room = !self.len.is_multiple_of(CHUNK);
        if room {
            // The last chunk may still be elsewhere.
            self.chunk(self.len / CHUNK);
        }
        self.len += 1;
        match self.chunks.last_mut().and_then(OnceCell::get_mut) {
            Some(last) if room => {
                // Doubling, but never past the chunk: `Vec` alone would round 512 up for some sizes.
                if last.len() == last.capacity() {
                    last.reserve_exact(last.len().min(CHUNK - last.len().min(CHUNK - 1)).max(1));
                }
                last.push(entry);
            }
            _ => {
                // Short branches are the common case: the first chunk starts with one entry.
                let capacity = if self.chunks.is_empty() { 1 } else { CHUNK };
                let mut chunk = Vec::with_capacity(capacity);
                chunk.push(entry);
                self.chunks.push(OnceCell::from(chunk));
            }
        }
    }

    /// The number of leading entries for which `keep` holds; `keep` must be monotone, and only the
    /// first `limit` entries are looked at.
    pub(super) fn partition_point(&self, limit: usize, keep: impl Fn(&E) -> bool) -> usize {
        let (mut low, mut high) = (0, limit.min(self.len()));
        while low < high {
            let middle = low + (high - low) / 2;
            match self.get(middle) {
                Some(entry) if keep(entry) => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }

    /// Bytes reserved on the heap for the list itself (not what its entries own).
    pub(super) fn heap_bytes(&self) -> usize {
        let loaded = self.chunks.iter().filter_map(OnceCell::get);
        let entries: usize = loaded.map(Vec::capacity).sum();
        entries * size_of::<E>() + self.chunks.capacity() * size_of::<OnceCell<Vec<E>>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaves_like_a_vec() {
        let mut list = Entries::new();
        let mut model = Vec::new();
        for n in 0..3 * CHUNK + 7 {
            assert_eq!(list.len(), model.len());
            list.push(n);
            model.push(n);
            assert_eq!(list.get(n), model.last());
        }
        for n in 0..=model.len() {
            assert_eq!(list.get(n), model.get(n));
            assert_eq!(list.partition_point(model.len(), |e| *e < n), n);
        }
    }

    #[test]
    fn entries_elsewhere_come_when_they_are_asked_for() {
        let asked = Rc::new(std::cell::RefCell::new(Vec::new()));
        let log = asked.clone();
        let load: Load<usize> = Rc::new(move |range: Range<usize>| {
            log.borrow_mut().push((range.start, range.end));
            (range.start < 3 * CHUNK).then(|| range.collect())
        });
        let list = Entries::elsewhere(4 * CHUNK + 7, load);
        assert_eq!(
            (list.len(), list.get(CHUNK + 3)),
            (4 * CHUNK + 7, Some(&(CHUNK + 3)))
        );
        assert_eq!(list.get(CHUNK + 4), Some(&(CHUNK + 4)));
        assert_eq!(*asked.borrow(), [(CHUNK, 2 * CHUNK)]);
        // What is added to a chunk that is elsewhere brings it first.
        let mut short = Entries::elsewhere(CHUNK + 5, list.load.clone().expect("it was given"));
        short.push(99);
        assert_eq!(*asked.borrow(), [(CHUNK, 2 * CHUNK), (CHUNK, CHUNK + 5)]);
        assert_eq!(short.get(CHUNK + 5), Some(&99));
        assert_eq!(short.get(CHUNK + 4), Some(&(CHUNK + 4)));
        // What cannot be had is not there, and nothing else breaks.
        assert_eq!(list.get(3 * CHUNK), None);
    }

    #[test]
    fn short_lists_reserve_little_and_long_ones_waste_at_most_a_chunk() {
        let mut list = Entries::new();
        list.push(0_u64);
        assert!(list.heap_bytes() <= 8 + 4 * size_of::<Vec<u64>>());
        for n in 0..1_000_000_u64 {
            list.push(n);
        }
        assert!(
            list.heap_bytes() < 8_000_000 * 11 / 10,
            "{}",
            list.heap_bytes()
        );
    }
}
