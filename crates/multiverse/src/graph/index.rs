//! Which node has a state: a hash table in parts.

use hashbrown::HashTable;

/// A table of two million nodes is copied in a tenth of a second when it grows, and whoever presses Ctrl-C then waits for it.
/// Of so many tables one after the other grows.
const PARTS: u64 = 64;

/// The numbers of nodes by the hash of what they are.
pub(super) struct Index(Vec<HashTable<u32>>);

impl Index {
    pub(super) fn new() -> Self {
        Self((0..PARTS).map(|_| HashTable::new()).collect())
    }

    /// The node with this hash that is the `same`.
    pub(super) fn find(&self, hash: u64, same: impl FnMut(&u32) -> bool) -> Option<u32> {
        self.0[part(hash)].find(hash, same).copied()
    }

    /// Adds a node that is not there yet; `hash_of` is the hash of one that is.
    pub(super) fn insert(&mut self, hash: u64, node: u32, hash_of: impl Fn(&u32) -> u64) {
        self.0[part(hash)].insert_unique(hash, node, hash_of);
    }

    /// Bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        let parts = self.0.iter().map(HashTable::allocation_size);
        parts.sum::<usize>() + self.0.len() * size_of::<HashTable<u32>>()
    }
}

/// Bits that a part's table does not look at itself: it has its lowest and its highest ones.
const fn part(hash: u64) -> usize {
    (hash >> 40 & (PARTS - 1)) as usize
}
