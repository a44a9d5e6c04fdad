//! Long lists that grow without being copied.

use std::ops::{Index, IndexMut};

/// How many items a full chunk holds, as a power of two.
const BITS: u32 = 14;
const MASK: usize = (1 << BITS) - 1;

/// A list that keeps its items where they are when it grows, in chunks: a vector would hold them
/// twice while it does, and up to half of it would be empty afterwards.
#[derive(Clone, Debug)]
pub(super) struct Chunks<T> {
    chunks: Vec<Vec<T>>,
    len: usize,
}

impl<T> Chunks<T> {
    pub(super) const fn new() -> Self {
        Self {
            chunks: Vec::new(),
            len: 0,
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push(&mut self, item: T) {
        if self.len & MASK == 0 {
            // The first one grows, since most lists are short; later ones will be filled.
            let room = if self.len == 0 { 0 } else { 1 << BITS };
            self.chunks.push(Vec::with_capacity(room));
        }
        if let Some(last) = self.chunks.last_mut() {
            last.push(item);
            self.len += 1;
        }
    }

    pub(super) fn get(&self, at: usize) -> Option<&T> {
        self.chunks.get(at >> BITS)?.get(at & MASK)
    }

    pub(super) fn truncate(&mut self, len: usize) {
        while self.len > len {
            if let Some(last) = self.chunks.last_mut() {
                last.pop();
                self.len -= 1;
                if last.is_empty() {
                    self.chunks.pop();
                }
            }
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.chunks.iter_mut().flatten()
    }

    /// Bytes that the list holds on the heap, without what its items own there.
    pub(super) fn heap_bytes(&self) -> usize {
        let items: usize = self.chunks.iter().map(Vec::capacity).sum();
        items * size_of::<T>() + self.chunks.capacity() * size_of::<Vec<T>>()
    }
}

impl<T> Index<usize> for Chunks<T> {
    type Output = T;

    fn index(&self, at: usize) -> &T {
        &self.chunks[at >> BITS][at & MASK]
    }
}

impl<T> IndexMut<usize> for Chunks<T> {
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self.chunks[at >> BITS][at & MASK]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stay_where_they_are_put() {
        let mut list = Chunks::new();
        let many = (2 << BITS) + 3;
        for nth in 0..many {
            assert_eq!((list.len(), list.get(nth)), (nth, None));
            list.push(nth);
        }
        assert!((0..many).all(|nth| list[nth] == nth && list.get(nth) == Some(&nth)));
        assert!(list.iter().copied().eq(0..many));
        let first: *const usize = &raw const list[5 << 11];
        list.truncate(1 << BITS);
        assert_eq!((list.len(), list.get(1 << BITS)), (1 << BITS, None));
        list.push(7);
        list[1 << BITS] += 1;
        for item in list.iter_mut() {
            *item += 1;
        }
        assert_eq!((list[0], list[1 << BITS]), (1, 9));
        assert!(std::ptr::eq(first, &raw const list[5 << 11]));
        list.truncate(0);
        assert_eq!(list.iter().count(), 0);
    }
}
