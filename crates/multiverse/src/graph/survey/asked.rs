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
    /// By owner, what is to be asked: digests, and the steps that lead to their states.
    asking: Vec<(Vec<F>, Vec<Step>)>,
    /// By number, what was asked.
    asked: HashMap<u32, Vec<Step>>,
    asks: u32,
}

/// A step to a state of which its owner knows whether it is new.
pub(super) struct Step {
    /// The number of the state before it.
    pub(super) parent: u32,
    /// Which of the steps from there.
    pub(super) option: u32,
    /// The place in its level where the state waits.
    pub(super) place: usize,
}

impl<F> Asked<F> {
    /// Nothing, among so many shares.
    pub(super) fn new(of: u32) -> Self {
        Self {
            asking: (0..of).map(|_| Default::default()).collect(),
            asked: HashMap::new(),
            asks: 0,
        }
    }

    /// The owner is to be asked about the state that a step leads to.
    pub(super) fn add(&mut self, owner: u32, digest: F, step: Step) {
        let (digests, steps) = &mut self.asking[owner as usize];
        digests.push(digest);
        steps.push(step);
    }

    /// What is to be asked of an owner, if anything.
    pub(super) fn ask(&mut self, owner: u32) -> Option<Unsure<F>> {
        let (digests, steps) = std::mem::take(self.asking.get_mut(owner as usize)?);
        if steps.is_empty() {
            return None;
        }
        let number = self.asks;
        self.asks = self.asks.wrapping_add(1);
        self.asked.insert(number, steps);
        Some(Unsure { number, digests })
    }

    /// What was asked and is answered now, each with whether it is new; nothing if it was answered before.
    pub(super) fn answered(&mut self, answer: &News) -> impl Iterator<Item = (Step, bool)> {
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
        self.steps().map(Vec::len).sum()
    }

    fn steps(&self) -> impl Iterator<Item = &Vec<Step>> {
        let asking = self.asking.iter().map(|(_, steps)| steps);
        self.asked.values().chain(asking)
    }

    /// Bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        let digests = self.asking.iter().map(|(digests, _)| digests.capacity());
        self.steps().map(Vec::capacity).sum::<usize>() * size_of::<Step>()
            + digests.sum::<usize>() * size_of::<F>()
    }
}
