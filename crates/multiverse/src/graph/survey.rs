//! All states without keeping them: for multiverses that are too large to be kept as a graph.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use super::index::Index;
use super::{Limits, Pause};
use crate::fingerprint::Fingerprint;
use crate::language::{Language, Outcome};
use crate::workers::{Alone, Workers, map};

/// An outcome that a [`Survey`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// How many states end so.
    pub states: u64,
    /// The length of a shortest way there.
    pub depth: u32,
    /// The number of the end nearest to the start.
    nearest: u32,
}

/// A breadth-first exploration that remembers of each state its fingerprint and how it was reached,
/// 16 bytes and an entry in a table; the states themselves only while their turn is to come.
///
/// Equal fingerprints are taken for equal states. Among n states, two different ones share a
/// fingerprint with probability n²/2⁶⁵ (0.00003 for a million, 0.03 for thirty million); one of
/// them would not be followed. A [`super::Graph`] compares the states themselves.
pub struct Survey<L: Language> {
    language: L,
    seen: Vec<Seen>,
    index: Index,
    frontier: VecDeque<(u32, L::State)>,
    ends: BTreeMap<Outcome<L::Value>, Surveyed>,
    edges: u64,
    /// The depth of the states that are expanded now.
    depth: u32,
    /// The number of the first state that is deeper.
    level_end: u32,
}

#[derive(Clone, Copy)]
struct Seen {
    fingerprint: u64,
    /// From which state it was discovered, and by which of the options there.
    parent: u32,
    option: u32,
}

impl<L: Language> fmt::Debug for Survey<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Survey")
            .field("states", &self.seen.len())
            .field("edges", &self.edges)
            .finish_non_exhaustive()
    }
}

/// What a step leads to, by its option.
type Successor<S> = (u32, Fingerprint, S);

impl<L: Language> Survey<L> {
    /// A survey that stands at the start.
    pub fn new(language: L) -> Self {
        let start = language.canonical(language.initial());
        let mut survey = Self {
            language,
            seen: Vec::new(),
            index: Index::new(),
            frontier: VecDeque::new(),
            ends: BTreeMap::new(),
            edges: 0,
            depth: 0,
            level_end: 1,
        };
        survey.meet(Fingerprint::of(&start), 0, 0);
        survey.frontier.push_back((0, start));
        survey
    }

    /// How many different states were met.
    #[must_use]
    pub const fn states(&self) -> usize {
        self.seen.len()
    }

    /// How many steps lead from the states that were followed.
    #[must_use]
    pub const fn edges(&self) -> u64 {
        self.edges
    }

    /// The outcomes found so far.
    #[must_use]
    pub const fn ends(&self) -> &BTreeMap<Outcome<L::Value>, Surveyed> {
        &self.ends
    }

    /// Bytes held on the heap, without what states own there.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.seen.capacity() * size_of::<Seen>()
            + self.index.heap_bytes()
            + self.frontier.capacity() * size_of::<(u32, L::State)>()
    }

    /// A shortest way to an end: its choices.
    #[must_use]
    pub fn way(&self, end: &Surveyed) -> Vec<L::Choice> {
        let mut options = Vec::new();
        let mut at = end.nearest;
        while at != 0 {
            let Some(seen) = self.seen.get(at as usize) else {
                break;
            };
            options.push(seen.option);
            at = seen.parent;
        }
        let mut state = self.language.canonical(self.language.initial());
        let mut way = Vec::new();
        let mut choices = Vec::new();
        for option in options.into_iter().rev() {
            choices.clear();
            self.language.enabled(&state, &mut choices);
            let Some(choice) = choices.get(option as usize) else {
                break;
            };
            let Some(next) = self.language.apply(&state, choice) else {
                break;
            };
            state = self.language.canonical(next.state);
            way.push(choice.clone());
        }
        way
    }

    /// Explores until done, a limit is reached, or `keep_going` (given the numbers of states and
    /// edges) returns false.
    pub fn run(&mut self, limits: &Limits, keep_going: impl FnMut(usize, u64) -> bool) -> Pause {
        self.slices(&Alone, limits, keep_going, |survey, batch| {
            // One after the other: successors that are known already are dropped at once, while they
            // are still in the cache.
            for (id, state) in batch {
                let next = successors(&survey.language, &state);
                survey.adopt(id, &state, next);
            }
        })
    }

    /// As [`Survey::run`], with the work shared out to `workers`. What is found is the same, down to
    /// the order.
    pub fn run_on(
        &mut self,
        workers: &dyn Workers,
        limits: &Limits,
        keep_going: impl FnMut(usize, u64) -> bool,
    ) -> Pause
    where
        L: Sync,
        L::State: Send + Sync,
        L::Value: Send + Sync,
    {
        self.slices(workers, limits, keep_going, |survey, batch| {
            let language = &survey.language;
            let expanded = map(workers, &batch, |(_, state)| successors(language, state));
            for ((id, state), next) in batch.into_iter().zip(expanded) {
                survey.adopt(id, &state, next);
            }
        })
    }

    fn slices(
        &mut self,
        workers: &dyn Workers,
        limits: &Limits,
        mut keep_going: impl FnMut(usize, u64) -> bool,
        expand: impl Fn(&mut Self, Vec<(u32, L::State)>),
    ) -> Pause {
        loop {
            let Some((first, _)) = self.frontier.front() else {
                return Pause::Complete;
            };
            if *first >= self.level_end {
                self.depth += 1;
                self.level_end = self.seen.len() as u32;
            }
            if self.depth >= limits.depth {
                return Pause::Depth;
            }
            if self.seen.len() >= limits.states {
                return Pause::States;
            }
            if !keep_going(self.seen.len(), self.edges) {
                return Pause::Cancelled;
            }
            // A batch stays within its level, so that depths are known.
            let in_level = self
                .frontier
                .partition_point(|(id, _)| *id < self.level_end);
            let batch: Vec<_> = self
                .frontier
                .drain(..in_level.min(workers.batch()))
                .collect();
            expand(self, batch);
        }
    }

    fn adopt(&mut self, id: u32, state: &L::State, next: Vec<Successor<L::State>>) {
        self.edges += next.len() as u64;
        if next.is_empty() {
            let known = self
                .ends
                .entry(self.language.outcome(state))
                .or_insert(Surveyed {
                    states: 0,
                    depth: self.depth,
                    nearest: id,
                });
            known.states += 1;
        }
        for (option, fingerprint, state) in next {
            if let Some(new) = self.meet(fingerprint, id, option) {
                self.frontier.push_back((new, state));
            }
        }
    }

    /// The number of a state that is new; none if it is known (or numbers are used up).
    fn meet(&mut self, fingerprint: Fingerprint, parent: u32, option: u32) -> Option<u32> {
        let Self { seen, index, .. } = self;
        let same = |id: &u32| seen[*id as usize].fingerprint == fingerprint.0;
        if index.find(fingerprint.0, same).is_some() {
            return None;
        }
        let id = u32::try_from(seen.len()).ok()?;
        index.insert(fingerprint.0, id, |id| seen[*id as usize].fingerprint);
        seen.push(Seen {
            fingerprint: fingerprint.0,
            parent,
            option,
        });
        Some(id)
    }
}

fn successors<L: Language>(language: &L, state: &L::State) -> Vec<Successor<L::State>> {
    let mut steps = Vec::new();
    language.expand(state, &mut steps);
    let next = steps.into_iter().enumerate().map(|(option, (_, next))| {
        let state = language.canonical(next.state);
        (option as u32, Fingerprint::of(&state), state)
    });
    next.collect()
}
