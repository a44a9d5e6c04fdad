//! Lists that universes share.
//!
//! A list grows and shrinks at its top; what lies below is shared by all lists that grew from it.
//! Each cell knows the digest of all below, so that comparing and hashing states does not read
//! what they have in common, and has a second pointer further down, so that any item is found in
//! logarithmic time (the skew-binary jump pointers of Myers, 1983).

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::fingerprint::Fingerprint;

/// A persistent list.
pub struct List<T>(Option<Arc<Cell<T>>>);

struct Cell<T> {
    item: T,
    below: List<T>,
    /// A list below from which to go on looking for items far down.
    jump: List<T>,
    /// The number of items up to this one.
    len: u32,
    /// The digest of this item and all below.
    digest: u64,
}

impl<T> List<T> {
    /// The empty list.
    pub const EMPTY: Self = Self(None);

    /// The number of items.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.0.as_ref().map_or(0, |cell| cell.len)
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The item at the top.
    #[must_use]
    pub fn top(&self) -> Option<&T> {
        self.0.as_ref().map(|cell| &cell.item)
    }

    /// The list without its top; the empty list stays empty.
    #[must_use]
    pub fn below(&self) -> Self {
        self.0
            .as_ref()
            .map_or(Self::EMPTY, |cell| cell.below.clone())
    }

    /// The item with this number, counted from 0 at the bottom.
    #[must_use]
    pub fn get(&self, index: u32) -> Option<&T> {
        let mut list = self;
        while let Some(cell) = &list.0 {
            if cell.len == index + 1 {
                return Some(&cell.item);
            }
            list = if cell.jump.len() > index {
                &cell.jump
            } else {
                &cell.below
            };
        }
        None
    }

    /// The items from the top down.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        std::iter::successors(self.0.as_deref(), |cell| cell.below.0.as_deref())
            .map(|cell| &cell.item)
    }

    /// The digest of all items in their order.
    fn digest(&self) -> u64 {
        self.0.as_ref().map_or(0, |cell| cell.digest)
    }
}

impl<T: Hash> List<T> {
    /// The list with `item` on top.
    #[must_use]
    pub fn push(&self, item: T) -> Self {
        let digest = Fingerprint::of(&(self.digest(), &item)).0;
        // Two jumps of one length are bridged by one over both.
        let jump = match &self.0 {
            Some(top) if self.len() - top.jump.len() == top.jump.len() - top.jump.jump_len() => {
                top.jump.jumped()
            }
            _ => self.clone(),
        };
        let len = self.len().saturating_add(1);
        let below = self.clone();
        Self(Some(Arc::new(Cell {
            item,
            below,
            jump,
            len,
            digest,
        })))
    }
}

impl<T> List<T> {
    fn jumped(&self) -> Self {
        self.0
            .as_ref()
            .map_or(Self::EMPTY, |cell| cell.jump.clone())
    }

    fn jump_len(&self) -> u32 {
        self.0.as_ref().map_or(0, |cell| cell.jump.len())
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        let (mut a, mut b) = (self, other);
        loop {
            match (&a.0, &b.0) {
                (None, None) => return true,
                (Some(x), Some(y)) => {
                    if Arc::ptr_eq(x, y) {
                        return true;
                    }
                    if x.digest != y.digest || x.len != y.len || x.item != y.item {
                        return false;
                    }
                    (a, b) = (&x.below, &y.below);
                }
                _ => return false,
            }
        }
    }
}

impl<T: Eq> Eq for List<T> {}

impl<T> Hash for List<T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.digest());
    }
}

impl<T: fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T> Drop for Cell<T> {
    /// Without recursion: a list may be as long as a run.
    fn drop(&mut self) {
        // Jumps first: what they point at is still held from above then.
        self.jump.0 = None;
        let mut below = self.below.0.take();
        while let Some(mut cell) = below.and_then(Arc::into_inner) {
            cell.jump.0 = None;
            below = cell.below.0.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_share_and_find_their_items() {
        let mut list = List::EMPTY;
        let mut shorter = Vec::new();
        for n in 0..200_u32 {
            shorter.push(list.clone());
            list = list.push(n);
        }
        assert_eq!(list.len(), 200);
        for n in 0..200 {
            assert_eq!(list.get(n), Some(&n));
        }
        assert_eq!((list.get(200), list.get(u32::MAX - 1)), (None, None));
        for (len, shorter) in shorter.iter().enumerate() {
            assert_eq!(shorter.len() as usize, len);
            assert!(shorter.iter().copied().eq((0..len as u32).rev()));
        }
        assert_eq!(list.below(), shorter[199]);
        assert_ne!(list, shorter[199]);
        assert!(List::<u32>::EMPTY.below().is_empty());
    }

    #[test]
    fn equality_is_that_of_the_items() {
        let build = |items: &[u8]| {
            items
                .iter()
                .fold(List::EMPTY, |list, item| list.push(*item))
        };
        assert_eq!(build(&[1, 2, 3]), build(&[1, 2, 3]));
        assert_ne!(build(&[1, 2, 3]), build(&[3, 2, 3]));
        assert_ne!(build(&[1, 2, 3]), build(&[2, 3]));
        assert_eq!(build(&[1, 2, 3]).top(), Some(&3));
    }

    #[test]
    fn long_lists_are_dropped_and_searched_at_once() {
        let mut list = List::EMPTY;
        for n in 0..1_000_000_u32 {
            list = list.push(n);
        }
        assert!((0..1_000_000).step_by(997).all(|n| list.get(n) == Some(&n)));
    }
}
