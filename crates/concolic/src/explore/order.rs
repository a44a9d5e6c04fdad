//! Which path is gone on with next.
//!
//! Breadth first goes by levels: a path that would read one more input than the level waits at the *frontier* until
//! all others with so many inputs have been looked at. What is known is then known of all paths with so many inputs, and
//! nothing is explored twice when the level rises.

use std::collections::VecDeque;

use borges_vm::CodeOffset;
use hashbrown::HashSet;
use serde::{Deserialize, Serialize};

use super::found::Found;
use super::prefix::{Prefix, Unsure};
use super::{Explorer, State, Waiting};
use crate::path::{Cut, End, Path};

/// In which order paths are explored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchOrder {
    /// A path to its end, then the last branch before that.
    #[default]
    DepthFirst,
    /// Fewest inputs first: all paths with so many inputs before any with one more. Where that leads nowhere (more
    /// branches than anybody can look at, and no end), it goes on depth first.
    BreadthFirst,
    /// Code that was not executed yet first.
    CoverageFirst,
    /// Nearest to these instructions first, by the number of branches in between.
    Towards(Vec<CodeOffset>),
    /// In an order that the seed determines.
    Random(u64),
}

/// How an order has come along: most of it is about breadth first.
#[derive(Default)]
pub(super) struct Levels {
    /// Coverage first: the first so many of those that wait lead to nothing new.
    stale: usize,
    /// Paths with more inputs wait; without a level, none do.
    pub(super) level: Option<u32>,
    /// Those that do.
    pub(super) frontier: Vec<Waiting>,
    /// The frontier of a level as paths that would read one more: what can be shown of paths without end.
    prefixes: Found,
    /// The prefixes that a path with an end goes through.
    extended: HashSet<u32>,
    /// The fewest inputs before something that was left out.
    shallowest: Option<usize>,
}

/// The branches that were left where an exploration ended early.
#[derive(Default)]
pub(super) struct Unvisited {
    pub(super) waiting: VecDeque<Waiting>,
    pub(super) levels: Levels,
    pub(super) origins: VecDeque<Prefix>,
    pub(super) unsure: Option<Unsure>,
}

/// So many branches take milliseconds to be thrown away.
const MANY: usize = 1000;

impl Drop for Unvisited {
    fn drop(&mut self) {
        if self.waiting.len() + self.levels.frontier.len() >= MANY {
            let waiting = std::mem::take(&mut self.waiting);
            let all = (waiting, std::mem::take(&mut self.levels));
            std::thread::spawn(move || drop(all));
        }
    }
}

impl Levels {
    pub(super) fn new(strategy: &SearchOrder, inputs: u32) -> Self {
        Levels {
            level: (*strategy == SearchOrder::BreadthFirst).then_some(inputs.min(1)),
            ..Levels::default()
        }
    }

    /// None but those with at most so many inputs are gone on with.
    pub(super) fn up_to(level: u32) -> Self {
        Levels {
            level: Some(level),
            ..Levels::default()
        }
    }

    /// Something was left out after so many inputs.
    pub(super) fn left_out(&mut self, inputs: usize) {
        self.shallowest = Some(self.shallowest.map_or(inputs, |known| known.min(inputs)));
    }

    /// The fewest inputs before something that was left out.
    pub(super) fn shallowest(&self) -> Option<usize> {
        self.shallowest
    }

    /// Up to so many inputs nothing waits and nothing was left out, if this goes by levels.
    pub(super) fn known(&self) -> u32 {
        let level = self.level.unwrap_or(0);
        let below = self.shallowest.map_or(level, |left| level.min(left as u32));
        below.saturating_sub(1)
    }

    /// A path has ended that began with a prefix.
    pub(super) fn ended(&mut self, state: &State) {
        self.extended.extend(state.prefix);
    }
}

impl Explorer<'_, '_> {
    /// Whether a path that is about to read an input has to wait for others.
    pub(super) fn is_beyond(&self, state: &State) -> bool {
        let level = self.levels.level;
        self.followed.is_none() && level.is_some_and(|level| state.inputs() >= level as usize)
    }

    /// Lets a path wait before it reads.
    pub(super) fn wait_before_input(&mut self, state: &State) {
        let snapshot = self.machine.snapshot(self.last_snapshot.as_ref());
        self.last_snapshot = Some(snapshot.clone());
        let waiting = Waiting::at(snapshot, state.clone(), true);
        self.levels.frontier.push(waiting);
    }

    /// Takes the next of the waiting paths.
    pub(super) fn choose(&mut self) -> Option<Waiting> {
        if self.waiting.is_empty() {
            self.rise();
        }
        match &self.strategy {
            SearchOrder::DepthFirst => self.waiting.pop_back(),
            SearchOrder::BreadthFirst if self.levels.level.is_none() => self.waiting.pop_back(),
            SearchOrder::BreadthFirst => {
                // A path on which nothing arrives must not run away from those on which something does.
                let choices = |state: &State| state.inputs() + state.moments as usize;
                let key = |at: &usize| choices(&self.waiting[*at].state);
                let first = match self.bounds.events {
                    None | Some(0) => 0,
                    Some(_) => (0..self.waiting.len()).min_by_key(key)?,
                };
                self.waiting.remove(first)
            }
            SearchOrder::CoverageFirst => {
                let is_new = |waiting: &Waiting| {
                    let number = waiting.next.and_then(|next| self.code.number(next));
                    number.is_some_and(|number| !self.coverage.is_executed(number))
                };
                // What was executed once will never be new again.
                let known = self.levels.stale.min(self.waiting.len());
                let at = self.waiting.iter().skip(known).position(is_new);
                self.levels.stale = known + at.unwrap_or(self.waiting.len() - known);
                match at {
                    Some(at) => self.waiting.remove(known + at),
                    None => self.waiting.pop_back(),
                }
            }
            SearchOrder::Towards(_) => {
                let distances = self.distances.as_ref();
                let key = |at: &usize| {
                    let waiting = &self.waiting[*at];
                    let distance = distances.and_then(|d| d.from(waiting.next?));
                    (distance.unwrap_or(u32::MAX), waiting.state.inputs())
                };
                let first = (0..self.waiting.len()).min_by_key(key)?;
                self.waiting.remove(first)
            }
            SearchOrder::Random(_) => {
                let random = self.random.next();
                let at = random.checked_rem(self.waiting.len() as u64)? as usize;
                self.waiting.swap_remove_back(at)
            }
        }
    }

    /// Goes on with the paths of the frontier, if there are any: with one more input, or depth first if they are too many.
    fn rise(&mut self) {
        let Some(level) = self.levels.level.filter(|_| !self.is_round) else {
            return;
        };
        let frontier = std::mem::take(&mut self.levels.frontier);
        if frontier.is_empty() {
            return;
        }
        let fits = frontier.len() + self.found.paths.len() <= self.bounds.paths;
        if fits {
            self.levels.prefixes = Found::default();
            self.levels.extended.clear();
        }
        for mut waiting in frontier {
            if fits {
                let number = waiting.add_to(&mut self.levels.prefixes, End::Inputs);
                waiting.state.prefix = Some(number);
            }
            self.waiting.push_back(waiting);
        }
        let leads_nowhere = !fits && self.found.paths.is_empty();
        self.levels.level = match leads_nowhere || self.waiting.len() > self.bounds.waiting {
            true => None,
            false => Some(level + 1),
        };
    }

    /// The number of inputs up to which everything was looked at. `current`: the inputs of the path that was under way
    /// when it ended early.
    pub(super) fn looked(&self, current: Option<usize>) -> Option<u32> {
        let cut = self.found.paths.iter().filter_map(Path::cut_after);
        let waiting = self.waiting.iter().chain(&self.levels.frontier);
        // Where something waits before an input, all that reads no further is known.
        let waiting =
            waiting.map(|waiting| waiting.state.inputs() + usize::from(waiting.is_at_call));
        let origins = self.origins.iter().map(|prefix| prefix.reads as usize);
        let open = cut.chain(waiting).chain(current).chain(origins);
        match open.chain(self.levels.shallowest).min() {
            None => Some(self.bounds.inputs),
            Some(open) => open.checked_sub(1).map(|inputs| inputs as u32),
        }
    }

    /// What can be shown of paths that have no end yet: those of the last level that few enough have reached; if nothing
    /// else was found, all that wait.
    pub(super) fn unfinished(&mut self) -> Vec<Path> {
        let extended = &self.levels.extended;
        let prefixes = std::mem::take(&mut self.levels.prefixes);
        let prefixes = (0..).zip(prefixes.paths);
        let left = prefixes.filter(|(number, _)| !extended.contains(number));
        let left: Vec<Path> = left.map(|(_, path)| path).collect();
        if !left.is_empty() || !self.found.paths.is_empty() {
            return left;
        }
        let mut cut = Found::default();
        for waiting in self.waiting.iter().chain(&self.levels.frontier) {
            if waiting.event.is_none() && cut.paths.len() < self.bounds.paths {
                waiting.add_to(&mut cut, End::Cut(Cut::Waits));
            }
        }
        cut.paths
    }
}

impl Waiting {
    /// Notes the path, as far as it has come; its number.
    fn add_to(&self, found: &mut Found, end: End) -> u32 {
        let state = &self.state;
        let (number, _) = found.add(state, state.outcomes.clone(), end, self.snapshot.steps());
        number as u32
    }
}
