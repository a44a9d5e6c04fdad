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

/// Something that a look at a state teaches.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum Lesson {
    /// What lies in the second byte has come from the first, which was left out.
    Flows(At, At),
    /// This byte was read.
    Reads(At),
}

/// What was learnt, as it can be kept: what flows where, and whether exploring must begin again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptLearning {
    unread: Unread,
    flows: BTreeMap<At, BTreeSet<At>>,
    is_news: bool,
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
    /// Nothing is learnt here: lessons are for somebody else.
    lessons: Option<Lessons>,
}

/// Lessons that were not told yet.
#[derive(Debug, Default)]
struct Lessons {
    new: Vec<Lesson>,
    /// Bytes of which it was told that they are read.
    read: HashSet<At>,
}

impl Learning {
    /// From now on nothing is learnt: whatever is left out stays so, and lessons are kept to be told.
    pub(super) fn tell(&mut self) {
        self.lessons = Some(Lessons::default());
    }

    /// The lessons since the last time, each once.
    pub(super) fn lessons(&mut self) -> Vec<Lesson> {
        let lessons = self.lessons.as_mut();
        lessons.map_or_else(Vec::new, |lessons| std::mem::take(&mut lessons.new))
    }

    /// Learns what somebody else was taught.
    pub(super) fn learn(&mut self, lesson: Lesson) {
        match lesson {
            Lesson::Flows(from, to) => self.flows(from, to),
            Lesson::Reads(at) => self.reads(at),
        }
    }

    /// What was learnt, to be kept.
    pub(super) fn kept(&self) -> KeptLearning {
        let flows = self.flows.iter();
        KeptLearning {
            unread: self.unread.clone(),
            flows: flows
                .map(|(to, from)| (*to, from.iter().copied().collect()))
                .collect(),
            is_news: self.is_news,
        }
    }

    /// Goes on from what was kept.
    pub(super) fn go_on(&mut self, kept: &KeptLearning) {
        self.unread = kept.unread.clone();
        let flows = kept.flows.iter();
        self.flows = flows
            .map(|(to, from)| (*to, from.iter().copied().collect()))
            .collect();
        self.is_news = kept.is_news;
    }

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
        if let Some(lessons) = &mut self.lessons {
            lessons.new.push(Lesson::Flows(from, to));
            return;
        }
        match self.is_read(to) {
            true => self.reads(from),
            false => self.is_news |= self.unread.tried.entry(to.0).or_default().insert(to.1),
        }
    }

    /// A byte is read, and so is all that flows into it.
    pub(super) fn reads(&mut self, at: At) {
        if let Some(lessons) = &mut self.lessons {
            if lessons.read.insert(at) {
                lessons.new.push(Lesson::Reads(at));
            }
            return;
        }
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
