//! Names of actors by causal birth.

use std::fmt;

/// An actor, named by its birth: the n-th actor that its creator made, and so on up to the main
/// actor.
///
/// The path is packed into one word, each number as a run of ones, a zero and the bits that
/// follow, from the highest bit on. So names are equal in every run that makes the same actors,
/// cost eight bytes, and sort creators before what they created. Where the word is full, no further
/// actor can be made ([`ActorId::child`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActorId(u64);

impl ActorId {
    /// The actor that the program starts with.
    pub const MAIN: Self = Self(0);

    /// The name of the `nth` actor (from 0) that this one creates; none where names end: after 32
    /// generations of only children, or fewer of many.
    #[must_use]
    pub fn child(self, nth: u32) -> Option<Self> {
        let number = u64::from(nth) + 1;
        let bits = 64 - number.leading_zeros();
        // `bits` ones, a zero, and the bits of the number after its first.
        let length = 2 * bits;
        let free = 64 - self.used();
        if length > free {
            return None;
        }
        let ones = (1_u64 << bits) - 1;
        let rest = number & !(1 << (bits - 1));
        let code = ones << bits | rest;
        Some(Self(self.0 | code << (free - length)))
    }

    /// The numbers from the main actor down; none for the main actor itself.
    #[must_use]
    pub fn path(self) -> Vec<u32> {
        let mut path = Vec::new();
        let mut word = self.0;
        while word != 0 {
            let (number, length) = first(word);
            path.push(number);
            word = word.checked_shl(length).unwrap_or(0);
        }
        path
    }

    fn used(self) -> u32 {
        let (mut word, mut used) = (self.0, 0);
        while word != 0 {
            let (_, length) = first(word);
            used += length;
            word = word.checked_shl(length).unwrap_or(0);
        }
        used
    }
}

/// The first number in a word that is not 0, and the bits that it takes.
fn first(word: u64) -> (u32, u32) {
    let bits = word.leading_ones();
    let rest = if bits <= 1 {
        0
    } else {
        word << (bits + 1) >> (64 - (bits - 1))
    };
    let number = (1_u64 << (bits - 1) | rest) - 1;
    (u32::try_from(number).unwrap_or(u32::MAX), 2 * bits)
}

impl fmt::Display for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("main")?;
        self.path()
            .iter()
            .try_for_each(|number| write!(f, ".{}", number + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_paths() {
        for path in [vec![], vec![0], vec![1, 0, 6], vec![900, 3], vec![0; 32]] {
            let name = path
                .iter()
                .try_fold(ActorId::MAIN, |actor, nth| actor.child(*nth));
            assert_eq!(name.map(ActorId::path), Some(path));
        }
        assert_eq!(ActorId::MAIN.child(4).unwrap().to_string(), "main.5");
    }

    #[test]
    fn creators_sort_before_what_they_create_and_names_end() {
        let children: Vec<_> = (0..2000)
            .filter_map(|nth| ActorId::MAIN.child(nth))
            .collect();
        assert_eq!(children.len(), 2000);
        assert!(children.is_sorted());
        assert!(ActorId::MAIN < children[0]);
        let grandchild = children[3].child(7).unwrap();
        assert!(children[3] < grandchild && grandchild < children[4]);
        let mut last = ActorId::MAIN;
        while let Some(next) = last.child(0) {
            last = next;
        }
        assert_eq!(last.path().len(), 32);
        assert_eq!(ActorId::MAIN.child(u32::MAX).map(|a| a.path()), None);
    }
}
