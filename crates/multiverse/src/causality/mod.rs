//! What happened before what: the steps of a run as events with a partial order.
//!
//! Two steps depend on each other if the same agent takes both, or if one changes what the other
//! touches ([`Footprint::conflicts`]). In a run, a step *happens before* a later one if a chain of
//! dependent steps leads from it to there. All else is accident: runs that differ in the order of
//! independent steps only belong to one *class* and lead to one state.
//!
//! From this follow causal rollback ([`crate::walk::Walk::undo`]) and the exploration of one run
//! a class ([`Classes`]).

mod accesses;
mod classes;
mod follower;
mod races;

use std::collections::HashMap;
use std::fmt;

pub use classes::{Classes, Found};
pub use follower::{Follower, follow};
pub use races::{Race, races, racing};

use crate::language::{Footprint, Language, StepOf};
use accesses::{Access, Accesses};

/// For each agent of a run, how many of its events are meant: the first so many.
type Clock = Vec<u32>;

/// A step in a run.
pub struct Event<L: Language> {
    /// Who took it.
    pub agent: L::Agent,
    /// What was decided.
    pub choice: L::Choice,
    /// What it touched.
    pub footprint: Footprint<L::Resource>,
    /// The agent's number in its run.
    number: usize,
    /// All events that happened before this one, and this one.
    clock: Clock,
}

/// The events of a run in one of their possible orders.
pub struct Causality<L: Language> {
    events: Vec<Event<L>>,
    /// Agents in the order of their first event.
    agents: Vec<L::Agent>,
    /// The number of each.
    numbers: HashMap<L::Agent, usize>,
    /// The events of each agent.
    turns: Vec<Vec<usize>>,
    accesses: Accesses<L::Resource>,
}

/// What a class of runs has in common: each agent's choices in order, and what had happened before
/// each of them. Two runs are of one class if and only if this is equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Class<A, C> {
    /// In the order of the agents, then of their turns.
    pub events: Vec<ClassEvent<A, C>>,
}

/// An event of a [`Class`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClassEvent<A, C> {
    /// Who.
    pub agent: A,
    /// What was decided.
    pub choice: C,
    /// How many events of each other agent had happened before; agents without any are left out.
    pub after: Vec<(A, u32)>,
}

impl<L: Language> Default for Causality<L> {
    fn default() -> Self {
        Self {
            events: Vec::new(),
            agents: Vec::new(),
            numbers: HashMap::new(),
            turns: Vec::new(),
            accesses: Accesses::default(),
        }
    }
}

impl<L: Language> fmt::Debug for Causality<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.events.iter().map(|e| (&e.agent, &e.choice)))
            .finish()
    }
}

impl<L: Language> Causality<L> {
    /// The events of the run that takes `choices` from `start`; none if one is not enabled.
    pub fn of<'c>(
        language: &L,
        start: &L::State,
        choices: impl IntoIterator<Item = &'c L::Choice>,
    ) -> Option<Self>
    where
        L::Choice: 'c,
    {
        let mut run = Self::default();
        follow(language, start, choices, &mut run)?;
        Some(run)
    }

    /// The events in the order in which they happened.
    #[must_use]
    pub fn events(&self) -> &[Event<L>] {
        &self.events
    }

    /// Whether event `a` is `b` or happened before it.
    #[must_use]
    pub fn happens_before(&self, a: usize, b: usize) -> bool {
        let (Some(earlier), Some(later)) = (self.events.get(a), self.events.get(b)) else {
            return false;
        };
        later.knows(earlier)
    }

    /// The events that cannot stay if event `index` is undone, in the order in which they
    /// happened; without the event itself.
    #[must_use]
    pub fn consequences(&self, index: usize) -> Vec<usize> {
        (index + 1..self.events.len())
            .filter(|later| self.happens_before(index, *later))
            .collect()
    }

    /// The class of the run.
    #[must_use]
    pub fn class(&self) -> Class<L::Agent, L::Choice> {
        let mut order: Vec<_> = (0..self.agents.len()).collect();
        order.sort_unstable_by_key(|agent| &self.agents[*agent]);
        let events = order
            .iter()
            .flat_map(|agent| &self.turns[*agent])
            .map(|index| {
                let event = &self.events[*index];
                let others = order
                    .iter()
                    .filter(|agent| **agent != event.number)
                    .filter_map(|agent| {
                        let known = event
                            .clock
                            .get(*agent)
                            .copied()
                            .filter(|known| *known > 0)?;
                        Some((self.agents[*agent].clone(), known))
                    });
                let (agent, choice) = (event.agent.clone(), event.choice.clone());
                ClassEvent {
                    agent,
                    choice,
                    after: others.collect(),
                }
            });
        Class {
            events: events.collect(),
        }
    }

    /// The same events, of which the order of accesses to one resource is no cause.
    #[must_use]
    pub fn without(&self, resource: &L::Resource) -> Self {
        let mut loose = Self::default();
        for event in &self.events {
            let keep = |resources: &[L::Resource]| {
                let kept = resources.iter().filter(|other| *other != resource);
                kept.cloned().collect()
            };
            let footprint = Footprint {
                reads: keep(&event.footprint.reads),
                writes: keep(&event.footprint.writes),
            };
            loose.push(event.agent.clone(), event.choice.clone(), footprint);
        }
        loose
    }

    /// Adds an event at the end, and says on which events it depends directly: those that happened
    /// before it without another between.
    pub fn push(
        &mut self,
        agent: L::Agent,
        choice: L::Choice,
        mut footprint: Footprint<L::Resource>,
    ) -> Vec<usize> {
        footprint.writes.sort_unstable();
        footprint.writes.dedup();
        footprint.reads.sort_unstable();
        footprint.reads.dedup();
        footprint
            .reads
            .retain(|resource| footprint.writes.binary_search(resource).is_err());

        let index = self.events.len();
        let number = self.number(&agent);
        let mut touched: Vec<usize> = self.turns[number].last().copied().into_iter().collect();
        for resource in &footprint.reads {
            self.accesses.read(resource, index, &mut touched);
        }
        for resource in &footprint.writes {
            self.accesses.write(resource, index, &mut touched);
        }
        // It may overlap itself: read what is a part of what it changes.
        touched.retain(|event| *event != index);
        self.turns[number].push(index);

        // From the latest on: what one of them knows already is no direct cause.
        touched.sort_unstable_by(|a, b| b.cmp(a));
        touched.dedup();
        let mut clock: Clock = vec![0; self.agents.len()];
        let mut causes = Vec::new();
        for earlier in touched {
            let cause = &self.events[earlier];
            if clock[cause.number] < cause.clock[cause.number] {
                for (mine, theirs) in clock.iter_mut().zip(&cause.clock) {
                    *mine = (*mine).max(*theirs);
                }
                causes.push(earlier);
            }
        }
        clock[number] = u32::try_from(self.turns[number].len()).unwrap_or(u32::MAX);
        self.events.push(Event {
            agent,
            choice,
            footprint,
            number,
            clock,
        });
        causes
    }

    /// The number of an agent, which may be new.
    fn number(&mut self, agent: &L::Agent) -> usize {
        if let Some(number) = self.numbers.get(agent) {
            return *number;
        }
        let number = self.agents.len();
        self.agents.push(agent.clone());
        self.turns.push(Vec::new());
        self.numbers.insert(agent.clone(), number);
        number
    }

    /// The number of the last event of an agent.
    #[must_use]
    pub fn last_of(&self, agent: &L::Agent) -> Option<usize> {
        self.turns[*self.numbers.get(agent)?].last().copied()
    }

    /// The latest event before index `before` that conflicts with the last event and does not belong
    /// to `known`, which is closed under what happened before and has the agent's own past.
    ///
    /// Looks at the accesses to what the last event touches only: earlier ones than a known change
    /// of a resource are known.
    fn conflict(&self, before: usize, known: &Clock) -> Option<usize> {
        let last = self.events.last()?;
        let changes = last.footprint.writes.iter().map(|r| (r, true));
        let looks = last.footprint.reads.iter().map(|r| (r, false));
        let is_known = |event: usize| {
            let event = &self.events[event];
            known[event.number] >= event.clock[event.number]
        };
        // Of those of one resource.
        let unknown = |accesses: &[Access], changes: bool| {
            let earlier = accesses.partition_point(|access| access.first() < Some(before));
            for access in accesses[..earlier].iter().rev() {
                if changes {
                    let readers = access.readers.partition_point(|reader| *reader < before);
                    let readers = access.readers[..readers].iter().rev();
                    let unknown = readers.copied().find(|reader| !is_known(*reader));
                    if unknown.is_some() {
                        return unknown;
                    }
                }
                match access.writer {
                    Some(writer) if is_known(writer) => return None,
                    Some(writer) => return Some(writer),
                    None => {}
                }
            }
            None
        };
        let mut found = None;
        for (resource, changes) in changes.chain(looks) {
            let accesses = &self.accesses;
            accesses.overlapping(resource, |accesses| {
                found = found.max(unknown(accesses, changes));
            });
        }
        found
    }

    /// The agents that can be first where `events` (in their order, and for each agent its next ones)
    /// happen in any order that dependence allows; in the order of their first events.
    fn firsts(&self, events: &[usize]) -> Vec<usize> {
        let mut first: Vec<Option<u32>> = vec![None; self.agents.len()];
        let mut of_agents = Vec::new();
        for event in events {
            let Event { number, clock, .. } = &self.events[*event];
            if first[*number].is_none() {
                first[*number] = Some(clock[*number]);
                of_agents.push(*event);
            }
        }
        let is_first = |event: &usize| {
            let Event { number, clock, .. } = &self.events[*event];
            let knows = |(other, known): (usize, &u32)| {
                other != *number && first[other].is_some_and(|first| *known >= first)
            };
            !clock.iter().enumerate().any(knows)
        };
        of_agents.retain(is_first);
        of_agents
    }

    /// Removes the last event.
    pub fn pop(&mut self) -> Option<Event<L>> {
        let event = self.events.pop()?;
        self.turns[event.number].pop();
        let Footprint { reads, writes } = &event.footprint;
        writes.iter().for_each(|r| self.accesses.unwrite(r));
        reads.iter().for_each(|r| self.accesses.unread(r));
        Some(event)
    }
}

impl<L: Language> Follower<L> for Causality<L> {
    fn forward(&mut self, _: &L::State, choice: &L::Choice, step: &StepOf<L>) {
        self.push(step.agent.clone(), choice.clone(), step.footprint.clone());
    }

    fn back(&mut self) {
        self.pop();
    }
}

impl<L: Language> Event<L> {
    /// Whether `other`, an event of the same run, is this one or happened before it.
    fn knows(&self, other: &Self) -> bool {
        self.clock
            .get(other.number)
            .is_some_and(|known| *known >= other.clock[other.number])
    }
}
