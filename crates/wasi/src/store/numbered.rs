//! Things with numbers, of which a new one gets the lowest that is free.

use super::{Digest, Held, Sparse};
use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A persistent table of things by number: inodes, descriptors.
#[derive(Clone, Debug)]
pub(crate) struct Numbered<T> {
    things: Sparse<T>,
    /// One more than the greatest number in use.
    end: u32,
    /// The numbers below that are not. Follows from `things`.
    free: Arc<BTreeSet<u32>>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered {
            things: Sparse::default(),
            end: 0,
            free: Arc::default(),
        }
    }
}

impl<T> Numbered<T> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.end as usize - self.free.len()
    }

    /// The number of the next one.
    pub(crate) fn next(&self) -> u32 {
        self.free.first().copied().unwrap_or(self.end)
    }

    /// The thing of this number.
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.things.get(u64::from(number))
    }

    /// All, by number.
    pub(crate) fn for_each(&self, mut each: impl FnMut(u32, &T)) {
        self.things
            .for_each(&mut |number, thing| each(number as u32, thing));
    }
}

impl<T: Clone> Numbered<T> {
    /// Puts a thing in and says its number. The caller sees to it that there are fewer than 2^32.
    pub(crate) fn insert(&mut self, thing: T) -> u32 {
        let number = self.next();
        self.put(number, thing);
        number
    }

    /// Puts a thing at a number that was in use, or is the next one.
    pub(crate) fn put(&mut self, number: u32, thing: T) {
        if number == self.end {
            self.end += 1;
        } else if self.free.contains(&number) {
            Arc::make_mut(&mut self.free).remove(&number);
        }
        self.things.set(u64::from(number), Some(thing));
    }

    /// Takes a thing out.
    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        let thing = self.get(number)?.clone();
        self.things.set(u64::from(number), None);
        if number + 1 == self.end {
            self.end -= 1;
            if !self.free.is_empty() {
                let free = Arc::make_mut(&mut self.free);
                while self.end > 0 && free.remove(&(self.end - 1)) {
                    self.end -= 1;
                }
            }
        } else {
            Arc::make_mut(&mut self.free).insert(number);
        }
        Some(thing)
    }

    /// Moves a thing to a number that is not in use; false if it is. The numbers between become free ones.
    pub(crate) fn renumber(&mut self, from: u32, to: u32) -> bool {
        if self.get(to).is_some() {
            return false;
        }
        let Some(thing) = self.remove(from) else {
            return false;
        };
        self.place(to, thing);
        true
    }

    /// Puts a thing at any number: those below it that are not in use become free ones.
    pub(crate) fn place(&mut self, number: u32, thing: T) {
        if number > self.end {
            Arc::make_mut(&mut self.free).extend(self.end..number);
            self.end = number;
        }
        self.put(number, thing);
    }

    /// Changes a thing that is there.
    pub(crate) fn change(&mut self, number: u32, change: impl FnOnce(&mut T)) {
        if self.get(number).is_some() {
            self.things.update(u64::from(number), |slot| {
                if let Some(thing) = slot {
                    change(thing);
                }
            });
        }
    }
}

impl<T: PartialEq> Numbered<T> {
    /// The numbers at which the two have not the same.
    pub(crate) fn differing(&self, other: &Numbered<T>) -> Vec<u32> {
        let numbers = self.things.differing(&other.things, usize::MAX).into_iter();
        numbers.map(|number| number as u32).collect()
    }
}

impl<T: PartialEq> PartialEq for Numbered<T> {
    fn eq(&self, other: &Numbered<T>) -> bool {
        self.things == other.things
    }
}

impl<T: Digest> Digest for Numbered<T> {
    fn digest(&self) -> u64 {
        self.things.digest()
    }
}

impl<T: Held> Held for Numbered<T> {
    fn pieces(&self, visit: &mut dyn FnMut(usize, usize) -> bool) {
        self.things.pieces(visit);
    }

    fn beyond(&self, other: Option<&Numbered<T>>) -> usize {
        self.things.beyond(other.map(|other| &other.things))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    impl Digest for u64 {
        fn digest(&self) -> u64 {
            *self
        }
    }

    proptest! {
        /// The lowest free number is given, and what is in the table alone says what it is.
        #[test]
        fn a_table_is_a_map_with_the_lowest_free_number(acts in prop::collection::vec((any::<bool>(), 0..400u32), 0..900)) {
            let mut table = Numbered::default();
            let mut map = BTreeMap::new();
            for (inserts, number) in acts {
                if inserts {
                    let lowest = (0..).find(|at| !map.contains_key(at)).unwrap_or(0);
                    prop_assert_eq!(table.insert(u64::from(number)), lowest);
                    map.insert(lowest, u64::from(number));
                } else {
                    prop_assert_eq!(table.remove(number), map.remove(&number));
                }
                prop_assert_eq!(table.len(), map.len());
                table.digest();
            }
            let mut seen = BTreeMap::new();
            table.for_each(|number, thing| { seen.insert(number, *thing); });
            prop_assert_eq!(&seen, &map);
            let mut fresh = Numbered::default();
            let end = map.last_key_value().map_or(0, |(last, _)| last + 1);
            for at in 0..end {
                fresh.insert(map.get(&at).copied().unwrap_or(0));
            }
            for at in 0..end {
                if !map.contains_key(&at) {
                    fresh.remove(at);
                }
            }
            prop_assert!(fresh == table);
            prop_assert_eq!(fresh.digest(), table.digest());
            prop_assert_eq!(fresh.insert(1), table.insert(1));
        }
    }
}
