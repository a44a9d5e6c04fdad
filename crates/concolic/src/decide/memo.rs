//! Answers that are kept, by one who asks or by several on threads of their own: what one of them has found, none looks for
//! again.

use std::hash::{BuildHasher, Hash};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::{DefaultHashBuilder, HashTable};

/// So many are kept; with more, all are forgotten.
pub(super) const KEPT: usize = 1 << 16;

/// Answers to questions.
pub(super) struct Memo<Q, A> {
    hasher: DefaultHashBuilder,
    kept: Arc<Mutex<HashTable<(u64, Q, A)>>>,
}

impl<Q: Hash + Eq, A: Clone> Memo<Q, A> {
    /// Nothing is known.
    pub(super) fn new() -> Self {
        Memo {
            hasher: DefaultHashBuilder::default(),
            kept: Arc::default(),
        }
    }

    /// The same answers, for somebody else.
    pub(super) fn shared(&self) -> Self {
        Memo {
            hasher: self.hasher.clone(),
            kept: Arc::clone(&self.kept),
        }
    }

    /// What is known.
    pub(super) fn answer(&self, question: &Q) -> Option<A> {
        // Whoever else asks does not wait for this: questions are long.
        let hash = self.hasher.hash_one(question);
        let kept = self.kept();
        let found = kept.find(hash, |(_, known, _)| known == question);
        found.map(|(_, _, answer)| answer.clone())
    }

    /// Keeps an answer, unless somebody else has found one meanwhile.
    pub(super) fn keep(&self, question: Q, answer: A) {
        let hash = self.hasher.hash_one(&question);
        let mut kept = self.kept();
        if kept
            .find(hash, |(_, known, _)| *known == question)
            .is_some()
        {
            return;
        }
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert_unique(hash, (hash, question, answer), |(hash, _, _)| *hash);
    }

    /// How many are known.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.kept().len()
    }

    /// What one that panicked left is whole: nothing here can panic half-way.
    fn kept(&self) -> MutexGuard<'_, HashTable<(u64, Q, A)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_has_found_others_know() {
        let memo = Memo::new();
        let other = memo.shared();
        memo.keep("a", 1);
        other.keep("b", 2);
        // Whoever was first.
        other.keep("a", 3);
        assert_eq!([memo.answer(&"a"), memo.answer(&"b")], [Some(1), Some(2)]);
        assert_eq!([other.answer(&"a"), other.answer(&"c")], [Some(1), None]);
        assert_eq!(Memo::<_, i32>::new().answer(&"a"), None);
    }
}
