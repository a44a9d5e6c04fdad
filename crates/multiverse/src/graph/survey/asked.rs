//! What a share asks others.

use std::collections::HashMap;

/// A question of one share to another, which owns these digests: which are new?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsure<F> {
    /// Its number among those of who asks.
    pub number: u32,
    /// What it is about.
    pub digests: Vec<F>,
}

/// The answer: a bit for each digest, the lowest first, set where it is new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// Which question this answers.
    pub number: u32,
    /// Words of 64 bits.
    pub is_new: Vec<u64>,
}

/// Questions that are to be asked, and those that were and are not answered yet.
pub(super) struct Asked<F> {
    /// By owner, what is to be asked.
    asking: Vec<Vec<Step<F>>>,
    /// By number, what was asked.
    asked: HashMap<u32, Vec<Step<F>>>,
    asks: u32,
}

/// A step to a state of which its owner knows whether it is new.
pub(super) struct Step<F> {
    /// The number of the state before it.
    pub(super) parent: u32,
    /// Which of the steps from there.
    pub(super) option: u32,
    /// The place in its level where the state waits.
    pub(super) place: usize,
    pub(super) digest: F,
}

impl<F: Copy> Asked<F> {
    /// Nothing, among so many shares.
    pub(super) fn new(of: u32) -> Self {
        Self {
            asking: (0..of).map(|_| Vec::new()).collect(),
            asked: HashMap::new(),
            asks: 0,
        }
    }

    /// The owner is to be asked where this leads.
    pub(super) fn add(&mut self, owner: u32, step: Step<F>) {
        self.asking[owner as usize].push(step);
    }

    /// What is to be asked of an owner, if anything.
    pub(super) fn ask(&mut self, owner: u32) -> Option<Unsure<F>> {
        let asking = std::mem::take(self.asking.get_mut(owner as usize)?);
        if asking.is_empty() {
            return None;
        }
        let digests = asking.iter().map(|step| step.digest).collect();
        let number = self.asks;
        self.asks = self.asks.wrapping_add(1);
        self.asked.insert(number, asking);
        Some(Unsure { number, digests })
    }

    /// What was asked and is answered now, each with whether it is new; nothing if it was answered before.
    pub(super) fn answered(&mut self, answer: &News) -> impl Iterator<Item = (Step<F>, bool)> {
        let asked = self.asked.remove(&answer.number).unwrap_or_default();
        asked.into_iter().enumerate().map(|(nth, step)| {
            let word = answer.is_new.get(nth / 64);
            let is_new = word.is_some_and(|word| word >> (nth % 64) & 1 == 1);
            (step, is_new)
        })
    }

    /// Whether nothing is to be asked, and no answer to come.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// States of which nobody has said yet whether they are new.
    pub(super) fn len(&self) -> usize {
        let asked = self.asked.values().chain(&self.asking);
        asked.map(Vec::len).sum()
    }

    /// Bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        let asked = self.asked.values().chain(&self.asking).map(Vec::capacity);
        asked.sum::<usize>() * size_of::<Step<F>>()
    }
}
