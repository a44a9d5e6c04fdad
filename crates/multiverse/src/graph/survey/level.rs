//! The states of a level that are still to be followed.

use std::collections::VecDeque;

use super::log::NONE;

/// The number of a state of which somebody else knows whether it is new.
const UNSURE: u32 = NONE + 1;

/// States in the order in which they were found, each with its number in the log. Of those beyond what is held only the
/// number is kept: four bytes for some hundred. Who follows them goes their ways once more.
///
/// Also those that are perhaps not new stand in this order, without a number, until that is known; those that turn out not
/// to be stay until they would come: so states are freed in the order in which they were allocated, which allocators like best.
pub(super) struct Level<S> {
    held: VecDeque<(u32, S)>,
    /// The numbers of those after them.
    later: VecDeque<u32>,
    /// How many have a number.
    sure: usize,
}

impl<S> Level<S> {
    pub(super) const fn new() -> Self {
        Self {
            held: VecDeque::new(),
            later: VecDeque::new(),
            sure: 0,
        }
    }

    /// How many there are that are sure.
    pub(super) const fn len(&self) -> usize {
        self.sure
    }

    /// Adds a state behind all others, of which `most` are held.
    pub(super) fn push(&mut self, most: usize, id: u32, state: S) {
        self.sure += usize::from(id < NONE);
        if self.later.is_empty() && self.held.len() < most {
            self.held.push_back((id, state));
        } else {
            self.later.push_back(id);
        }
    }

    /// As [`Level::push`], of a state that is perhaps not new. Gives its place, for as long as no other is taken out.
    pub(super) fn push_unsure(&mut self, most: usize, state: S) -> usize {
        self.push(most, UNSURE, state);
        self.held.len() + self.later.len() - 1
    }

    /// The state in this place, which was not sure, has that number; or none, and then it is not in the level.
    pub(super) fn make_sure(&mut self, place: usize, id: Option<u32>) {
        let held = self.held.len();
        let number = match self.held.get_mut(place) {
            Some((number, _)) => number,
            None => &mut self.later[place - held],
        };
        debug_assert_eq!(*number, UNSURE, "a place is told once");
        *number = id.unwrap_or(NONE);
        self.sure += usize::from(id.is_some());
    }

    /// Adds one of which only the number is known.
    pub(super) fn push_later(&mut self, id: u32) {
        self.sure += 1;
        self.later.push_back(id);
    }

    /// The first state, if it is held.
    pub(super) fn pop(&mut self) -> Option<(u32, S)> {
        loop {
            let (id, state) = self.held.pop_front()?;
            if id < NONE {
                self.sure -= 1;
                return Some((id, state));
            }
        }
    }

    /// Puts the state back that was the first.
    pub(super) fn put_back(&mut self, id: u32, state: S) {
        self.sure += 1;
        self.held.push_front((id, state));
    }

    /// Where none is held, the numbers of the next so many.
    pub(super) fn recall(&mut self, most: usize) -> Vec<u32> {
        if !self.held.is_empty() {
            return Vec::new();
        }
        let numbers = std::iter::from_fn(|| self.later.pop_front());
        let ids: Vec<u32> = numbers.filter(|id| *id < NONE).take(most).collect();
        self.sure -= ids.len();
        ids
    }

    /// Holds states before all others.
    pub(super) fn hold(&mut self, states: VecDeque<(u32, S)>) {
        self.sure += states.len();
        self.held = states;
    }

    /// The last so many: their numbers, and the first of them that are held.
    pub(super) fn split_last(&mut self, count: usize) -> (Vec<u32>, Vec<S>) {
        let (mut ids, mut states) = (Vec::new(), Vec::new());
        while ids.len() < count
            && let Some(id) = self.later.pop_back()
        {
            ids.extend(Some(id).filter(|id| *id < NONE));
        }
        while ids.len() < count
            && let Some((id, state)) = self.held.pop_back()
        {
            if id < NONE {
                ids.push(id);
                states.push(state);
            }
        }
        self.sure -= ids.len();
        ids.reverse();
        states.reverse();
        (ids, states)
    }

    /// The numbers of all.
    pub(super) fn ids(&self) -> impl Iterator<Item = u32> {
        let later = self.later.iter().copied().filter(|id| *id < NONE);
        self.numbered().map(|(id, _)| id).chain(later)
    }

    /// Those that are held.
    pub(super) fn held(&self) -> impl Iterator<Item = &S> {
        self.numbered().map(|(_, state)| state)
    }

    /// Those that are held, with their numbers.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u32, &S)> {
        let all = self.held.iter().map(|(id, state)| (*id, state));
        all.filter(|(id, _)| *id < NONE)
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

    #[test]
    fn who_turns_out_not_to_be_new_is_not_there() {
        let mut level = Level::new();
        level.push(3, 1, 10);
        let places: Vec<_> = [20, 30, 40, 50]
            .map(|state| level.push_unsure(3, state))
            .into();
        level.push(3, 2, 60);
        let has = |level: &Level<i32>, ids: &[u32]| {
            assert_eq!(level.len(), ids.len());
            assert_eq!(level.ids().collect::<Vec<_>>(), ids);
        };
        has(&level, &[1, 2]);
        level.make_sure(places[1], Some(3));
        level.make_sure(places[3], None);
        level.make_sure(places[0], None);
        has(&level, &[1, 3, 2]);
        level.make_sure(places[2], Some(4));
        has(&level, &[1, 3, 4, 2]);
        assert_eq!(level.numbered().collect::<Vec<_>>(), [(1, &10), (3, &30)]);
        assert_eq!(level.split_last(1), (vec![2], vec![]));
        assert_eq!((level.pop(), level.pop()), (Some((1, 10)), Some((3, 30))));
        assert_eq!(
            (level.pop(), level.recall(5), level.len()),
            (None, vec![4], 0)
        );
        let place = level.push_unsure(1, 70);
        level.push(1, 5, 80);
        level.make_sure(place, None);
        // What is given is what is there.
        assert_eq!(level.split_last(2), (vec![5], vec![]));
        assert_eq!((level.pop(), level.len()), (None, 0));
    }
}
