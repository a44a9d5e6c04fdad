//! Bytes of the memory that will be written before they are read: found by trial, and proved.
//!
//! Nothing is known of allocators, buffers or stacks. Bytes in which states at one place differ are left out of the
//! comparison there: they have the value of the first run that came, and whatever depends on them is followed from the state
//! on. What decides anything, or comes to lie in something that is compared, is *read*: it is compared from then on, as is
//! all that flowed into it, and exploring begins again. What comes to lie in bytes that are left out there as well is not
//! (so a count that nobody asks is left out too). Where nothing is read any more, states that differ in nothing else go on
//! in the same ways: that is the proof. A byte that was once read is never tried again, so there is an end to it.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, Serialize};

use super::anything::StateWord;

/// A byte of the memory where a program stands: the place, and its address.
pub(super) type At = (u64, u32);

/// Which bytes of the memory are left out of states, by where the program stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// Left out.
    pub(super) tried: BTreeMap<u64, BTreeSet<u32>>,
    /// They turned out to be read.
    read: BTreeMap<u64, BTreeSet<u32>>,
}

impl Unread {
    /// How many bytes are left out, in all places together.
    #[must_use]
    pub fn count(&self) -> usize {
        self.tried.values().map(BTreeSet::len).sum()
    }
}

/// What exploring learns of it.
#[derive(Debug, Default)]
pub(super) struct Learning {
    unread: Unread,
    /// They are compared wherever the program stands.
    compared: BTreeSet<u32>,
    /// Where what lies in a byte came from.
    flows: HashMap<At, HashSet<At>>,
    /// Something was learnt: exploring must begin again.
    is_news: bool,
}

impl Learning {
    /// With what was learnt before; words that are something else are compared.
    pub(super) fn new(unread: Unread, words: impl Iterator<Item = StateWord>) -> Self {
        let bytes = words.flat_map(|word| match word {
            StateWord::Memory(at) => at..at + 4,
            _ => 0..0,
        });
        let compared: BTreeSet<u32> = bytes.collect();
        let mut learning = Learning {
            unread,
            compared,
            ..Learning::default()
        };
        for tried in learning.unread.tried.values_mut() {
            tried.retain(|at| !learning.compared.contains(at));
        }
        learning
    }

    /// What was learnt.
    pub(super) fn unread(&self) -> &Unread {
        &self.unread
    }

    /// What was learnt, if that is news.
    pub(super) fn news(&self) -> Option<Unread> {
        self.is_news.then(|| self.unread.clone())
    }

    /// What is left out at a place.
    pub(super) fn at(&self, place: u64) -> impl Iterator<Item = u32> + '_ {
        self.unread.tried.get(&place).into_iter().flatten().copied()
    }

    /// Whether a byte is left out.
    pub(super) fn leaves_out(&self, (place, byte): At) -> bool {
        let tried = self.unread.tried.get(&place);
        tried.is_some_and(|tried| tried.contains(&byte))
    }

    /// Whether a byte is compared, whatever states suggest.
    pub(super) fn is_read(&self, (place, byte): At) -> bool {
        let read = self.unread.read.get(&place);
        self.compared.contains(&byte) || read.is_some_and(|read| read.contains(&byte))
    }

    /// What lies in a byte has come from another, which was left out: so is this one, or the other is read.
    pub(super) fn flows(&mut self, from: At, to: At) {
        if !self.flows.entry(to).or_default().insert(from) {
            return;
        }
        match self.is_read(to) {
            true => self.reads(from),
            false => self.is_news |= self.unread.tried.entry(to.0).or_default().insert(to.1),
        }
    }

    /// A byte is read, and so is all that flows into it.
    pub(super) fn reads(&mut self, at: At) {
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            if self.unread.read.entry(at.0).or_default().insert(at.1) {
                self.is_news = true;
                if let Some(tried) = self.unread.tried.get_mut(&at.0) {
                    tried.remove(&at.1);
                }
                open.extend(self.flows.get(&at).into_iter().flatten());
            }
        }
    }
}
