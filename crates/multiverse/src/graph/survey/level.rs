//! The states of a level that are still to be followed.

use std::collections::VecDeque;

/// States in the order in which they were found, each with its number in the log. Of those beyond what is held only the
/// number is kept: four bytes for some hundred. Who follows them goes their ways once more.
pub(super) struct Level<S> {
    held: VecDeque<(u32, S)>,
    /// The numbers of those after them.
    later: VecDeque<u32>,
}

impl<S> Level<S> {
    pub(super) const fn new() -> Self {
        Self {
            held: VecDeque::new(),
            later: VecDeque::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.held.len() + self.later.len()
    }

    /// Adds a state behind all others, of which `most` are held.
    pub(super) fn push(&mut self, most: usize, id: u32, state: S) {
        if self.later.is_empty() && self.held.len() < most {
            self.held.push_back((id, state));
        } else {
            self.later.push_back(id);
        }
    }

    /// Adds one of which only the number is known.
    pub(super) fn push_later(&mut self, id: u32) {
        self.later.push_back(id);
    }

    /// The first state, if it is held.
    pub(super) fn pop(&mut self) -> Option<(u32, S)> {
        self.held.pop_front()
    }

    /// Puts the state back that was the first.
    pub(super) fn put_back(&mut self, id: u32, state: S) {
        self.held.push_front((id, state));
    }

    /// Where none is held, the numbers of the next so many.
    pub(super) fn recall(&mut self, most: usize) -> Vec<u32> {
        if !self.held.is_empty() {
            return Vec::new();
        }
        let rest = self.later.split_off(most.min(self.later.len()));
        std::mem::replace(&mut self.later, rest).into()
    }

    /// Holds states before all others.
    pub(super) fn hold(&mut self, states: VecDeque<(u32, S)>) {
        self.held = states;
    }

    /// The last so many: their numbers, and the first of them that are held.
    pub(super) fn split_last(&mut self, count: usize) -> (Vec<u32>, Vec<S>) {
        let kept = self.len().saturating_sub(count);
        let later = self.later.split_off(kept.saturating_sub(self.held.len()));
        let held = self.held.split_off(kept.min(self.held.len()));
        let (mut ids, states): (Vec<_>, Vec<_>) = held.into_iter().unzip();
        ids.extend(later);
        (ids, states)
    }

    /// The numbers of all.
    pub(super) fn ids(&self) -> impl Iterator<Item = u32> {
        let held = self.held.iter().map(|(id, _)| *id);
        held.chain(self.later.iter().copied())
    }

    /// Those that are held.
    pub(super) fn held(&self) -> impl Iterator<Item = &S> {
        self.held.iter().map(|(_, state)| state)
    }

    /// Those that are held, with their numbers.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u32, &S)> {
        self.held.iter().map(|(id, state)| (*id, state))
    }

    /// Whether all are held.
    pub(super) fn is_held(&self) -> bool {
        self.later.is_empty()
    }

    /// Bytes on the heap, without what states own.
    pub(super) fn heap_bytes(&self) -> usize {
        self.held.capacity() * size_of::<(u32, S)>() + self.later.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_and_so_many_are_held() {
        let mut level = Level::new();
        (1..=10).for_each(|id| level.push(4, id, id * 10));
        assert_eq!((level.len(), level.held().count()), (10, 4));
        assert_eq!(
            level.ids().collect::<Vec<_>>(),
            (1..=10).collect::<Vec<_>>()
        );
        assert_eq!(level.recall(3), []);
        // The last seven, of which one is held.
        assert_eq!(level.split_last(7), ((4..=10).collect(), vec![40]));
        level.push_later(4);
        assert_eq!(level.pop(), Some((1, 10)));
        // Nothing comes before what came earlier.
        level.push(4, 5, 50);
        assert_eq!(
            (level.pop(), level.pop(), level.pop()),
            (Some((2, 20)), Some((3, 30)), None)
        );
        assert_eq!(level.recall(1), [4]);
        level.hold(VecDeque::from([(4, 40)]));
        assert_eq!(level.pop(), Some((4, 40)));
        level.put_back(4, 40);
        assert_eq!((level.recall(9), level.len()), (vec![], 2));
        assert_eq!(level.pop(), Some((4, 40)));
        assert_eq!((level.recall(9), level.len()), (vec![5], 0));
    }
}
