//! Who decides what the user does not.

use std::collections::HashMap;
use std::fmt::{self, Display};
use std::hash::Hash;
use std::str::FromStr;

use crate::language::Language;
use crate::random::Random;

/// Who chooses where the user does not, as it is said in a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chooser<A> {
    /// The first choice, always.
    First,
    /// The agents in turn.
    Turns,
    /// Chance, from a seed.
    Random(u64),
    /// An order of agents.
    Order(Order<A>),
}

/// Which agents go first, and which do not go at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order<A> {
    /// The first of these that can act does; the others only where none of these can.
    pub first: Vec<A>,
    /// These do not act.
    pub held: Vec<A>,
}

impl<A: PartialEq> Order<A> {
    /// The place of an agent among all: who has a lower one goes first. The held ones are the last.
    pub fn rank(&self, agent: &A) -> usize {
        match self.held.contains(agent) {
            true => usize::MAX,
            false => {
                let first = self.first.iter().position(|first| first == agent);
                first.unwrap_or(self.first.len())
            }
        }
    }
}

/// In words.
impl<A: Display> Display for Order<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |agents: &[A], joint: &str| {
            let agents: Vec<_> = agents.iter().map(ToString::to_string).collect();
            agents.join(joint)
        };
        let mut parts = Vec::new();
        if !self.first.is_empty() {
            parts.push(format!("{} first", listed(&self.first, ", then ")));
        }
        if !self.held.is_empty() {
            let held = listed(&self.held, " and ");
            parts.push(format!("{held} only where no other can act"));
        }
        f.write_str(&parts.join(", "))
    }
}

/// `A,-B`: who is held has a `-` before it.
impl FromStr for Order<String> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mut first, mut held) = (Vec::new(), Vec::new());
        for agent in text.split(',').map(str::trim) {
            let (agents, agent) = match agent.strip_prefix('-') {
                Some(agent) => (&mut held, agent),
                None => (&mut first, agent),
            };
            if agent.is_empty() {
                return Err("an order is agents with commas between them: t2,-t1".to_owned());
            }
            agents.push(agent.to_owned());
        }
        Ok(Self { first, held })
    }
}

impl<A> Chooser<A> {
    /// The same with other names for the agents.
    ///
    /// # Errors
    /// The first of `named`.
    pub fn named<B, E>(self, mut named: impl FnMut(A) -> Result<B, E>) -> Result<Chooser<B>, E> {
        let mut all = |agents: Vec<A>| agents.into_iter().map(&mut named).collect::<Result<_, E>>();
        Ok(match self {
            Self::First => Chooser::First,
            Self::Turns => Chooser::Turns,
            Self::Random(seed) => Chooser::Random(seed),
            Self::Order(order) => Chooser::Order(Order {
                first: all(order.first)?,
                held: all(order.held)?,
            }),
        })
    }
}

impl<L: Language> From<Chooser<L::Agent>> for Schedule<L> {
    fn from(chooser: Chooser<L::Agent>) -> Self {
        match chooser {
            Chooser::First => Self::First,
            Chooser::Turns => Self::round_robin(),
            Chooser::Random(seed) => Self::random(seed),
            Chooser::Order(order) => Self::Order(order),
        }
    }
}

/// How a run chooses among several options. A single option is always taken.
pub enum Schedule<L: Language> {
    /// It leaves the choice to the user.
    Ask,
    /// The first option.
    First,
    /// Any option, evenly.
    Random(Random),
    /// The agents take turns in the order of their names; each takes its first option.
    RoundRobin {
        /// The agent whose turn it was last.
        last: Option<L::Agent>,
    },
    /// The agent with the highest priority, any of its options.
    Priorities(Priorities<L::Agent>),
    /// The agents in this order, each its first option; where only held ones could act, the user chooses.
    Order(Order<L::Agent>),
}

/// Priorities of agents that are drawn at random, and lowered at few steps that are drawn too.
///
/// Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte: *A Randomized Scheduler with
/// Probabilistic Guarantees of Finding Bugs*, ASPLOS 2010): of n agents in runs of k steps, a bug that needs d orders of
/// two steps is met by a run with a probability of at least 1 / (n · k^(d-1)), however rare it is among all runs.
#[derive(Clone, Debug)]
pub struct Priorities<A> {
    random: Random,
    of: HashMap<A, u64>,
    /// The steps, from 1, before which whoever would take them gets a priority below all that were drawn.
    changes: Vec<(u64, u64)>,
    taken: u64,
}

impl<A: Clone + Eq + Hash> Priorities<A> {
    /// For bugs that need `depth` orders of two steps, in runs of about so many steps.
    #[must_use]
    pub fn new(depth: u32, steps: u64, seed: u64) -> Self {
        let mut random = Random::from_seed(seed);
        let steps = usize::try_from(steps).unwrap_or(usize::MAX);
        let changes = (1..u64::from(depth)).map(|low| (1 + random.below(steps) as u64, low));
        Self {
            changes: changes.collect(),
            of: HashMap::new(),
            taken: 0,
            random,
        }
    }

    /// One of the options, of which each is taken by one of these agents.
    fn pick(&mut self, agents: &[A]) -> Option<usize> {
        self.taken += 1;
        for agent in agents {
            if !self.of.contains_key(agent) {
                let drawn = self.random.next() | 1 << 63;
                self.of.insert(agent.clone(), drawn);
            }
        }
        loop {
            let agent = agents.iter().max_by_key(|agent| self.of.get(*agent))?;
            let now = |(at, _): &(u64, u64)| *at == self.taken;
            if let Some(change) = self.changes.iter().position(now) {
                let (_, low) = self.changes.swap_remove(change);
                self.of.insert(agent.clone(), low);
                continue;
            }
            let theirs = agents
                .iter()
                .enumerate()
                .filter(|(_, other)| *other == agent);
            let theirs: Vec<_> = theirs.map(|(option, _)| option).collect();
            return theirs.get(self.random.below(theirs.len())).copied();
        }
    }
}

impl<L: Language> Schedule<L> {
    /// Even choices from a seed.
    #[must_use]
    pub const fn random(seed: u64) -> Self {
        Self::Random(Random::from_seed(seed))
    }

    /// The agents in turn, from the first on.
    #[must_use]
    pub const fn round_robin() -> Self {
        Self::RoundRobin { last: None }
    }

    /// The option of a state that is taken next, of those that there are; none to leave it to the user.
    pub fn pick(&mut self, language: &L, state: &L::State, options: &[L::Choice]) -> Option<usize> {
        if let Self::RoundRobin { last } = self {
            let agents = options
                .iter()
                .map(|choice| language.agent(state, choice))
                .enumerate();
            // The next agent after the last, or else the first of all.
            let (option, agent) = agents.min_by(|(_, a), (_, b)| {
                let rank = |agent: &L::Agent| last.as_ref().is_some_and(|last| agent <= last);
                (rank(a), a).cmp(&(rank(b), b))
            })?;
            *last = Some(agent);
            return Some(option);
        }
        if let Self::Priorities(priorities) = self {
            let agent = |choice| language.agent(state, choice);
            let agents: Vec<_> = options.iter().map(agent).collect();
            return priorities.pick(&agents);
        }
        if let Self::Order(order) = self {
            let able = options.iter().enumerate();
            let able = able.map(|(option, choice)| (option, language.agent(state, choice)));
            let able = able.filter(|(_, agent)| !order.held.contains(agent));
            return able
                .min_by_key(|(_, agent)| order.rank(agent))
                .map(|(option, _)| option);
        }
        match self {
            // A number for every step, so that a seed means the same wherever it is given.
            Self::Random(random) => Some(random.below(options.len())),
            Self::Ask if options.len() > 1 => None,
            _ => Some(0),
        }
    }
}
