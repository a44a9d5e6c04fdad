//! Ways from the start that share their beginnings: what one worker gives to another, and what is kept in a file.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::NoWay;
use super::log::Log;
use crate::language::Language;

/// States by the ways that lead to them, as a tree of steps. Node 0 is the start. It says nothing in the words of a
/// language, so it can be written anywhere; who has the same program comes to the same states by it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prefixes {
    /// Of nodes 1, 2, … the node before, which has a smaller number, and the option taken there.
    pub steps: Vec<(u32, u32)>,
    /// The states that are to be followed in the level that is explored.
    pub now: Vec<u32>,
    /// Those of the level after it.
    pub next: Vec<u32>,
    /// Ends.
    pub ends: Vec<EndNode>,
}

/// Ends of one outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndNode {
    /// How many states end so.
    pub states: u64,
    /// The length of a shortest way there.
    pub depth: u32,
    /// The node of one with such a way.
    pub node: u32,
}

impl Prefixes {
    /// Of a log, what leads to these of its states.
    pub(super) fn of(
        log: &Log,
        now: impl Iterator<Item = u32>,
        next: impl Iterator<Item = u32>,
        ends: impl Iterator<Item = EndNode>,
    ) -> Self {
        let picked = Self {
            steps: Vec::new(),
            now: now.collect(),
            next: next.collect(),
            ends: ends.collect(),
        };
        picked.with_steps(log.len(), |id| log.get(id))
    }

    /// The same nodes, of `len` of which `step` says how they are reached, with those before them and no others.
    fn with_steps(mut self, len: usize, step: impl Fn(u32) -> (u32, u32)) -> Self {
        let mut marks = Marks::new(len);
        marks.set(0);
        let ends = self.ends.iter().map(|end| &end.node);
        for node in self.now.iter().chain(&self.next).chain(ends) {
            let mut at = *node;
            while !marks.has(at) {
                marks.set(at);
                at = step(at).0;
            }
        }
        let ranks = marks.ranks();
        let number = |node: u32| marks.rank(&ranks, node);
        let kept = marks.iter().skip(1).map(|node| {
            let (before, option) = step(node);
            (number(before), option)
        });
        self.steps = kept.collect();
        let ends = self.ends.iter_mut().map(|end| &mut end.node);
        for node in self.now.iter_mut().chain(&mut self.next).chain(ends) {
            *node = number(*node);
        }
        self
    }

    /// The same with so many of its states at most, and with its ends if they are wanted.
    #[must_use]
    pub(super) fn first(&self, states: usize, ends: bool) -> Self {
        let now = self.now.iter().copied().take(states);
        let next = self.next.iter().copied();
        let part = Self {
            steps: Vec::new(),
            now: now.collect(),
            next: next.take(states.saturating_sub(self.now.len())).collect(),
            ends: self.ends.iter().copied().filter(|_| ends).collect(),
        };
        part.with_steps(self.steps.len() + 1, |node| self.steps[node as usize - 1])
    }

    /// Parts of about the same size, the ends with the first.
    #[must_use]
    pub fn split(&self, parts: usize) -> Vec<Self> {
        let range = |all: &[u32], nth: usize| {
            all[all.len() * nth / parts..all.len() * (nth + 1) / parts].to_vec()
        };
        let step = |node: u32| self.steps[node as usize - 1];
        (0..parts)
            .map(|nth| {
                let part = Self {
                    steps: Vec::new(),
                    now: range(&self.now, nth),
                    next: range(&self.next, nth),
                    ends: if nth == 0 {
                        self.ends.clone()
                    } else {
                        Vec::new()
                    },
                };
                part.with_steps(self.steps.len() + 1, step)
            })
            .collect()
    }

    /// Goes all ways, and shows `visit` the state of each node, in the order of their numbers, until it says that it is
    /// enough. A state is there as long as its turn has not come.
    ///
    /// # Errors
    /// The program has no such way, or it was enough.
    pub(super) fn go<L: Language>(
        &self,
        language: &L,
        mut visit: impl FnMut(u32, L::State) -> bool,
    ) -> Result<(), NoWay> {
        let step = |node: u32| self.steps[node as usize - 1];
        let nodes = self.steps.len() as u32 + 1;
        // The steps from each node lie side by side.
        let mut order: Vec<u32> = (1..nodes).collect();
        order.sort_by_key(|node| step(*node).0);
        let mut order = order.into_iter().peekable();
        let start = language.canonical(language.initial());
        let mut live = HashMap::from([(0, start)]);
        let mut choices = Vec::new();
        for node in 0..nodes {
            let state = live.remove(&node).ok_or(NoWay)?;
            choices.clear();
            if order.peek().is_some_and(|next| step(*next).0 == node) {
                language.enabled(&state, &mut choices);
            }
            while let Some(next) = order.next_if(|next| step(*next).0 == node) {
                let choice = choices.get(step(next).1 as usize).ok_or(NoWay)?;
                let there = language.apply(&state, choice).ok_or(NoWay)?;
                live.insert(next, language.canonical(there.state));
            }
            if !visit(node, state) {
                return Err(NoWay);
            }
        }
        Ok(())
    }

    /// Whether all numbers are those of nodes, and each node comes after the one before it. What was read from outside
    /// may say anything.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let nodes = self.steps.len() as u64 + 1;
        let mut steps = (1_u64..).zip(&self.steps);
        let ends = self.ends.iter().map(|end| &end.node);
        nodes <= u64::from(u32::MAX)
            && steps.all(|(node, (before, _))| u64::from(*before) < node)
            && self
                .now
                .iter()
                .chain(&self.next)
                .chain(ends)
                .all(|node| u64::from(*node) < nodes)
    }
}

/// A set of numbers below a bound.
struct Marks(Vec<u64>);

impl Marks {
    fn new(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    fn set(&mut self, number: u32) {
        self.0[number as usize / 64] |= 1 << (number % 64);
    }

    fn has(&self, number: u32) -> bool {
        self.0[number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// They in their order.
    fn iter(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.0).flat_map(|(nth, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(nth * 64 + bit)
            })
        })
    }

    /// How many there are before each word.
    fn ranks(&self) -> Vec<u32> {
        let mut before = 0;
        let rank = |word: &u64| {
            let rank = before;
            before += word.count_ones();
            rank
        };
        self.0.iter().map(rank).collect()
    }

    /// How many there are below a number.
    fn rank(&self, ranks: &[u32], number: u32) -> u32 {
        let (word, bit) = (number as usize / 64, number % 64);
        ranks[word] + (self.0[word] & ((1 << bit) - 1)).count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree in which the number before `n` is `n / 2`.
    fn halves() -> Log {
        let mut log = Log::new();
        for id in 1..200 {
            log.push(id / 2, id % 2);
        }
        log
    }

    /// The options on the way to a node.
    fn way(prefixes: &Prefixes, mut node: u32) -> Vec<u32> {
        let mut way = Vec::new();
        while node != 0 {
            let (before, option) = prefixes.steps[node as usize - 1];
            way.push(option);
            node = before;
        }
        way.reverse();
        way
    }

    #[test]
    fn ways_are_kept_and_nothing_else() {
        let log = halves();
        let end = EndNode {
            states: 3,
            depth: 2,
            node: 5,
        };
        let kept = Prefixes::of(
            &log,
            [100, 101, 199].into_iter(),
            [7].into_iter(),
            [end].into_iter(),
        );
        assert!(kept.is_sound());
        // 1 3 6 12 25 50 100 101, 24 49 99 199, 7, 2 5.
        assert_eq!(kept.steps.len(), 15);
        for (ours, theirs) in kept.now.iter().zip([100, 101, 199]) {
            assert_eq!(way(&kept, *ours), log.way(theirs));
        }
        assert_eq!(way(&kept, kept.next[0]), log.way(7));
        assert_eq!(way(&kept, kept.ends[0].node), log.way(5));
    }

    #[test]
    fn parts_have_the_same_ways() {
        let log = halves();
        let all = Prefixes::of(&log, 90..150, 150..200, std::iter::empty());
        let ways = |prefixes: &Prefixes, nodes: &[u32]| {
            nodes
                .iter()
                .map(|node| way(prefixes, *node))
                .collect::<Vec<_>>()
        };
        let parts = all.split(7);
        let now: Vec<_> = parts
            .iter()
            .flat_map(|part| ways(part, &part.now))
            .collect();
        let next: Vec<_> = parts
            .iter()
            .flat_map(|part| ways(part, &part.next))
            .collect();
        assert_eq!((now, next), (ways(&all, &all.now), ways(&all, &all.next)));
        assert!(
            parts
                .iter()
                .all(|part| part.is_sound() && part.steps.len() < 60)
        );
    }

    #[test]
    fn numbers_from_outside_are_checked() {
        let sound = Prefixes {
            steps: vec![(0, 0), (1, 0)],
            now: vec![2],
            ..Prefixes::default()
        };
        assert!(sound.is_sound());
        for unsound in [
            Prefixes {
                steps: vec![(0, 0), (2, 0)],
                ..Prefixes::default()
            },
            Prefixes {
                now: vec![3],
                ..sound.clone()
            },
            Prefixes {
                ends: vec![EndNode {
                    states: 1,
                    depth: 0,
                    node: 3,
                }],
                ..sound.clone()
            },
        ] {
            assert!(!unsound.is_sound());
        }
    }
}
