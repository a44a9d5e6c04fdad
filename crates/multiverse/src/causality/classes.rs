//! One run for each class of runs: partial-order reduction without a graph.
//!
//! The method is source-set DPOR with sleep sets (Abdulla, Aronis, Jonsson, Sagonas: *Optimal
//! Dynamic Partial Order Reduction*, POPL 2014, algorithm 1). It runs the program to an end, finds
//! the races in that run (pairs of dependent steps that could have come in the other order), and
//! goes back to try the other order. Sleep sets keep it from coming to one class twice.
//!
//! Two things are added to the algorithm. An agent may have several choices, which are all tried; each
//! sleeps by itself, for what it touches. And a step may leave another agent waiting for good (it takes
//! the last message from a port, say): no later step tells of that race, so where a run ends or is given
//! up, the steps that agents still wait for ([`Language::waiting`]) race like those that happened.
//!
//! # Programs that go round
//! A run that comes to a state it has come through before ([`Language::recurring`]) is given up: what
//! can happen from there on can happen from the first time on, and a shortest run to any end comes
//! to no state twice. Since its future was not looked at, it tells of no race with the steps of the
//! round; so in every state of the round all agents are tried. Where nothing else decides, the agents
//! take turns: a run does not follow one that goes round for ever while others wait.
//!
//! # Costs
//! A step costs what it touches, not what came before it; a race costs the steps between the two
//! that race.

use std::fmt;

use hashbrown::HashTable;

use super::Causality;
use crate::fingerprint::Fingerprint;
use crate::language::{Footprint, Language, Stepped, Waiting};

/// What [`Classes::advance`] came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The end of a run of a new class; see [`Classes::run`] and [`Classes::state`].
    End,
    /// A run that is longer than the limit. What races beyond it is not explored.
    Cut,
    /// All classes are found (of runs within the limit).
    Done,
    /// The caller asked to stop.
    Cancelled,
}

/// A choice in a node.
struct Ready<L: Language> {
    agent: L::Agent,
    choice: L::Choice,
    /// Once it was taken, here or where it fell asleep.
    footprint: Option<Footprint<L::Resource>>,
    /// To be tried, since a race was found (or as the first).
    wanted: bool,
    /// Not to be tried (again): it leads only to classes that were found elsewhere.
    asleep: bool,
}

/// A state on the current run.
struct Node<L: Language> {
    state: L::State,
    /// Of what recurs of it.
    fingerprint: Fingerprint,
    ready: Vec<Ready<L>>,
    /// The choice that the run takes here.
    taken: Option<usize>,
}

/// The classes of a program's runs, found one by one.
///
/// Each class is found exactly once. The effort is that of the runs found, plus some that turn out
/// to belong to known classes half way ([`Classes::blocked`]); paths and states do not matter, so
/// this works where neither can be listed.
pub struct Classes<L: Language> {
    language: L,
    /// The states on the current run; one more than it has events.
    nodes: Vec<Node<L>>,
    run: Causality<L>,
    /// The nodes by their fingerprints; of those with equal states the first.
    known: HashTable<usize>,
    started: bool,
    blocked: u64,
    rounds: u64,
    steps: u64,
}

impl<L: Language> fmt::Debug for Classes<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Classes")
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}

impl<L: Language> Classes<L> {
    /// The classes of `language`'s runs, none found yet.
    pub fn new(language: L) -> Self {
        let state = language.initial();
        let mut classes = Self {
            language,
            nodes: Vec::new(),
            run: Causality::default(),
            known: HashTable::new(),
            started: false,
            blocked: 0,
            rounds: 0,
            steps: 0,
        };
        let ready = classes.ready(&state);
        classes.push(state, ready);
        classes
    }

    /// The run found last (or the one that is being tried).
    pub const fn run(&self) -> &Causality<L> {
        &self.run
    }

    /// The state at the end of the run found last.
    #[must_use]
    pub fn state(&self) -> Option<&L::State> {
        self.nodes.last().map(|node| &node.state)
    }

    /// How many runs were given up half way, since their classes were known.
    pub const fn blocked(&self) -> u64 {
        self.blocked
    }

    /// How many runs were given up where they came to a state again. If there are any, some runs of
    /// the program never end, and the classes of those that do may be without number: what is found
    /// is at least one run to each end.
    pub const fn rounds(&self) -> u64 {
        self.rounds
    }

    /// How many steps were taken in all.
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// Goes on to the next class. Runs are cut after `limit` steps; `keep_going` is asked before
    /// every step. A cancelled search goes on with the next call.
    pub fn advance(&mut self, limit: usize, mut keep_going: impl FnMut() -> bool) -> Found {
        if !self.started {
            self.started = true;
            match self.nodes.last_mut() {
                Some(root) if !root.ready.is_empty() => root.wake(&self.run),
                _ => return Found::End,
            };
        }
        while let Some(node) = self.nodes.last_mut() {
            let next = node
                .ready
                .iter()
                .position(|ready| ready.wanted && !ready.asleep);
            let Some(option) = next else {
                self.pop();
                self.run.pop();
                if let Some(node) = self.nodes.last_mut()
                    && let Some(taken) = node.taken.take()
                {
                    node.ready[taken].asleep = true;
                }
                continue;
            };
            if !keep_going() {
                return Found::Cancelled;
            }
            if !self.step(option) {
                // The language refuses what it enables; skip the choice.
                debug_assert!(false, "an enabled choice was refused");
                continue;
            }
            let depth = self.nodes.len() - 1;
            if let Some(before) = self.came_back() {
                self.rounds += 1;
                let round = self.nodes[before..depth].iter_mut();
                round.for_each(|node| node.ready.iter_mut().for_each(|r| r.wanted = true));
                self.race_waiting();
                continue;
            }
            let Some(node) = self.nodes.last_mut() else {
                break;
            };
            let end = node.ready.is_empty();
            if depth < limit && node.wake(&self.run) {
                continue;
            }
            // Here the run ends, one way or another.
            self.race_waiting();
            if end {
                return Found::End;
            }
            if depth >= limit {
                return Found::Cut;
            }
            self.blocked += 1;
        }
        Found::Done
    }

    /// Takes an option of the last node; false if the language refuses it.
    fn step(&mut self, option: usize) -> bool {
        let Some(node) = self.nodes.last_mut() else {
            return false;
        };
        let ready = &mut node.ready[option];
        let Some(step) = self.language.step(&node.state, &ready.choice) else {
            ready.asleep = true;
            return false;
        };
        let Stepped {
            next,
            agent,
            footprint,
        } = step;
        ready.footprint = Some(footprint.clone());
        node.taken = Some(option);
        self.steps += 1;
        self.run.push(agent, ready.choice.clone(), footprint);
        self.races();
        let mut ready = self.ready(&next.state);
        let Some(node) = self.nodes.last() else {
            return false;
        };
        for later in &mut ready {
            node.let_sleep(option, later);
        }
        self.push(next.state, ready);
        true
    }

    /// Goes on to a state.
    fn push(&mut self, state: L::State, ready: Vec<Ready<L>>) {
        let fingerprint = Fingerprint::of(&self.language.recurring(&state));
        self.nodes.push(Node {
            state,
            fingerprint,
            ready,
            taken: None,
        });
        if self.came_back().is_none() {
            let nodes = &self.nodes;
            let hash = |node: &usize| nodes[*node].fingerprint.0;
            self.known
                .insert_unique(fingerprint.0, nodes.len() - 1, hash);
        }
    }

    /// Forgets the last state.
    fn pop(&mut self) {
        let Some(last) = self.nodes.pop() else {
            return;
        };
        let at = self.nodes.len();
        let known = self
            .known
            .find_entry(last.fingerprint.0, |node| *node == at);
        if let Ok(known) = known {
            known.remove();
        }
    }

    /// The earlier node on the run to whose state the last one came again.
    fn came_back(&self) -> Option<usize> {
        let (last, before) = self.nodes.split_last()?;
        let same = |node: &usize| {
            before.get(*node).is_some_and(|node| {
                node.fingerprint == last.fingerprint
                    && self.language.recurring(&node.state) == self.language.recurring(&last.state)
            })
        };
        self.known.find(last.fingerprint.0, same).copied()
    }

    /// Finds the races of the last event.
    ///
    /// An event between may stand in the way of a race only if it races itself: a message that the
    /// last event needed, say, does not, since without it the agent might have taken another.
    fn races(&mut self) {
        let Some(last) = self.run.events.len().checked_sub(1) else {
            return;
        };
        let number = self.run.events[last].number;
        let turns = &self.run.turns[number];
        let before = turns.len().checked_sub(2).and_then(|nth| turns.get(nth));
        let mut known = before.map_or_else(Vec::new, |index| self.run.events[*index].clock.clone());
        known.resize(self.run.agents.len(), 0);
        let mut before = last;
        while let Some(earlier) = self.run.conflict(before, &known) {
            before = earlier;
            if self.race(earlier) {
                for (mine, theirs) in known.iter_mut().zip(&self.run.events[earlier].clock) {
                    *mine = (*mine).max(*theirs);
                }
            }
        }
    }

    /// The run goes no further: lets the steps race that agents still wait for.
    fn race_waiting(&mut self) {
        let Some(last) = self.run.events.last().map(|event| event.choice.clone()) else {
            return;
        };
        let mut waiting = Vec::new();
        if let Some(state) = self.state() {
            self.language.waiting(state, &mut waiting);
        }
        for Waiting {
            agent, footprint, ..
        } in waiting
        {
            // Nobody looks at the choice of a step that will not happen: any will do.
            self.run.push(agent, last.clone(), footprint);
            self.races();
            self.run.pop();
        }
    }

    /// The last event depends on event `cause` of another agent: sees to it that the other order is
    /// tried. False if there is no other order.
    fn race(&mut self, cause: usize) -> bool {
        let last = self.run.events.len() - 1;
        let agent = &self.run.events[last].agent;
        // What does not depend on `cause` can happen without it, up to the last event's agent.
        let without: Vec<_> = (cause + 1..last)
            .filter(|event| !self.run.happens_before(cause, *event))
            .collect();
        if !self.can_act(cause, &without, agent) {
            return false;
        }
        let mut able = without;
        able.push(last);
        let firsts = self.run.firsts(&able).into_iter();
        let firsts: Vec<_> = firsts
            .map(|event| self.run.events[event].agent.clone())
            .collect();
        let node = &mut self.nodes[cause];
        if node
            .ready
            .iter()
            .any(|ready| ready.wanted && firsts.contains(&ready.agent))
        {
            return true;
        }
        let found = firsts
            .iter()
            .find(|agent| node.ready.iter().any(|r| r.agent == **agent));
        match found {
            Some(agent) => node.want(agent),
            // The footprints are coarser than what enables what: try everything.
            None => node.ready.iter_mut().for_each(|ready| ready.wanted = true),
        }
        true
    }

    /// Whether `agent` has a choice after the run up to `cause` and then the events `without` it.
    fn can_act(&self, cause: usize, without: &[usize], agent: &L::Agent) -> bool {
        let node = &self.nodes[cause];
        if without.is_empty() {
            return node.ready.iter().any(|ready| ready.agent == *agent);
        }
        let mut state = node.state.clone();
        for event in without {
            match self.language.apply(&state, &self.run.events[*event].choice) {
                Some(next) => state = next.state,
                // Footprints too fine: do not miss a class for that.
                None => return true,
            }
        }
        let mut choices = Vec::new();
        self.language.enabled(&state, &mut choices);
        choices
            .iter()
            .any(|choice| self.language.agent(&state, choice) == *agent)
    }

    fn ready(&self, state: &L::State) -> Vec<Ready<L>> {
        let mut choices = Vec::new();
        self.language.enabled(state, &mut choices);
        let ready = |choice| Ready {
            agent: self.language.agent(state, &choice),
            footprint: None,
            choice,
            wanted: false,
            asleep: false,
        };
        choices.into_iter().map(ready).collect()
    }
}

impl<L: Language> Node<L> {
    /// Wants the choices of an agent.
    fn want(&mut self, agent: &L::Agent) {
        self.ready
            .iter_mut()
            .filter(|r| r.agent == *agent)
            .for_each(|r| r.wanted = true);
    }

    /// Wants the choices of the agent that did not act for the longest time, of those that are not
    /// asleep; false if all are.
    ///
    /// Of an agent whose choices touch different things, some may sleep while others do not. Had it decided for one
    /// that sleeps, others would have to go on here: so it is no first step for all that can come, and where there is
    /// no better one, everybody is tried.
    fn wake(&mut self, run: &Causality<L>) -> bool {
        let awake = |ready: &&Ready<L>| !ready.asleep;
        let sleeps = |agent: &L::Agent| {
            let mut own = self.ready.iter().filter(|ready| ready.agent == *agent);
            own.any(|ready| ready.asleep)
        };
        let whole = self.ready.iter().filter(|ready| !sleeps(&ready.agent));
        let next = whole.min_by_key(|ready| run.last_of(&ready.agent));
        match next.map(|ready| ready.agent.clone()) {
            Some(agent) => self.want(&agent),
            None if self.ready.iter().find(awake).is_none() => return false,
            None => self.ready.iter_mut().for_each(|ready| ready.wanted = true),
        }
        true
    }

    /// Lets `later`, a choice after `option` was taken, sleep if it slept here and `option` is independent of it. What
    /// it touches is then the same there.
    fn let_sleep(&self, option: usize, later: &mut Ready<L>) {
        let taken = &self.ready[option];
        let sleeper = self.ready.iter().find(|ready| {
            let conflicts = || match (&ready.footprint, &taken.footprint) {
                (Some(slept), Some(taken)) => slept.conflicts(taken),
                _ => true,
            };
            ready.asleep && ready.is(later) && ready.agent != taken.agent && !conflicts()
        });
        if let Some(sleeper) = sleeper {
            later.asleep = true;
            later.footprint.clone_from(&sleeper.footprint);
        }
    }
}

impl<L: Language> Ready<L> {
    /// Whether both are the same step at two times.
    fn is(&self, other: &Self) -> bool {
        self.agent == other.agent && self.choice == other.choice
    }
}
