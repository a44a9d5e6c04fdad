//! A list that grows at its end without ever copying, or reserving, more than one chunk.

/// Entries of a full chunk. A power of two, so that an index splits into shifts and masks.
const CHUNK: usize = 512;

/// An append-only list in chunks.
///
/// A plain `Vec` doubles: a long trace would hold up to twice its size, and three times while it
/// moves. Here the waste is at most one chunk, and elements never move once their chunk is full.
#[derive(Clone, Debug)]
pub(super) struct Entries<E> {
    /// Every chunk but the last holds exactly `CHUNK` entries.
    chunks: Vec<Vec<E>>,
}

impl<E> Entries<E> {
    pub(super) const fn new() -> Self {
        Self { chunks: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        match self.chunks.last() {
            Some(last) => (self.chunks.len() - 1) * CHUNK + last.len(),
            None => 0,
        }
    }

    pub(super) fn get(&self, index: usize) -> Option<&E> {
        self.chunks.get(index / CHUNK)?.get(index % CHUNK)
    }

    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut E> {
        self.chunks.get_mut(index / CHUNK)?.get_mut(index % CHUNK)
    }

    pub(super) fn last(&self) -> Option<&E> {
        self.chunks.last()?.last()
    }

    pub(super) fn push(&mut self, entry: E) {
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => {
                // Doubling, but never past the chunk: `Vec` alone would round 512 up for some sizes.
                if last.len() == last.capacity() {
                    last.reserve_exact(last.len().min(CHUNK - last.len()).max(1));
                }
                last.push(entry);
            }
            _ => {
                // Short branches are the common case: the first chunk starts with one entry.
                let capacity = if self.chunks.is_empty() { 1 } else { CHUNK };
                let mut chunk = Vec::with_capacity(capacity);
                chunk.push(entry);
                self.chunks.push(chunk);
            }
        }
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.chunks.truncate(len.div_ceil(CHUNK));
        if let Some(last) = self.chunks.last_mut() {
            let full = len / CHUNK * CHUNK;
            // A length that is a multiple of the chunk keeps its last chunk whole.
            last.truncate(if full == len { CHUNK } else { len - full });
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
        let entries: usize = self.chunks.iter().map(Vec::capacity).sum();
        entries * size_of::<E>() + self.chunks.capacity() * size_of::<Vec<E>>()
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
            assert_eq!(list.last(), model.last());
        }
        for n in 0..=model.len() {
            assert_eq!(list.get(n), model.get(n));
            assert_eq!(list.partition_point(model.len(), |e| *e < n), n);
        }
        for len in [
            3 * CHUNK + 1,
            3 * CHUNK,
            2 * CHUNK + 1,
            CHUNK,
            CHUNK - 1,
            1,
            0,
        ] {
            list.truncate(len);
            model.truncate(len);
            assert_eq!(list.len(), len);
            assert_eq!(list.last(), model.last());
            assert_eq!(list.get(len), None);
        }
        list.push(9);
        assert_eq!((list.len(), list.get(0)), (1, Some(&9)));
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
