//! What to explore, how far, and what came of it.

use borges_board::{Board, BoardState, PrimitiveId, Shared};
use borges_vm::{CodeOffset, Machine};
use serde::{Deserialize, Serialize};

use super::learned::Learned;
use super::order::{SearchOrder, Unvisited};
use super::prefix::Prefix;
use crate::budget::{Progress, Spent};
use crate::coverage::Coverage;
use crate::dag::Dag;
use crate::decide::{Decider, Effort};
use crate::path::{Cut, End, Path, Unexplored};
use crate::solver::Solver;

/// What is looked at of what a program's operating system may come to; of a path, what is left of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SystemChoices {
    /// So many bytes of standard input may be anything, and it may end before any of them; without a number, it is as it was
    /// given.
    pub stdin: Option<u32>,
    /// So many calls may fail that do not by themselves.
    pub faults: u32,
    /// Whether nobody asked for just so many bytes, so that it is said where more would be read.
    pub more: bool,
    /// Standard input goes on for ever, or until it ends: then a read brings as many bytes as are wanted or fewer, and the
    /// end is a read that brings none.
    pub is_endless: bool,
    /// Such input comes in pieces of at most so many bytes: 1 is one by one. Without a number it comes as it may, as far as
    /// that is looked at, and the rest is said.
    pub piece: Option<u32>,
}

impl SystemChoices {
    /// Standard input is anything, for ever, in pieces of at most so many bytes or as it may; any number of calls may fail, or
    /// none does.
    #[must_use]
    pub fn any_input(faults: bool, piece: Option<u32>) -> Self {
        SystemChoices {
            stdin: Some(u32::MAX),
            faults: if faults { u32::MAX } else { 0 },
            more: false,
            is_endless: true,
            piece,
        }
    }

    /// How many bytes may come where at most so many are wanted: fewer only at the end.
    pub fn most_input(&self, wanted: u32) -> Option<u32> {
        self.stdin.map(|left| left.min(wanted))
    }

    /// Where states are compared: standard input that may be anything goes on for ever, or until it ends.
    pub(crate) fn of_states(self, input_is_over: bool) -> Self {
        let left = if input_is_over { 0 } else { u32::MAX };
        SystemChoices {
            stdin: self.stdin.map(|_| left),
            is_endless: true,
            ..self
        }
    }

    /// Whether there is no more of endless standard input; nothing if it is as it was given.
    pub fn input_is_over(&self) -> Option<bool> {
        let left = self.stdin.filter(|_| self.is_endless)?;
        Some(left == 0)
    }

    /// So many bytes have come of at most so many: fewer are the last.
    pub fn came(&mut self, count: u32, most: u32) {
        let left = self.stdin.unwrap_or(0);
        if self.is_endless && count > 0 {
            return;
        }
        let is_end = count < most;
        self.stdin = Some(if is_end { 0 } else { left - count });
        self.more &= !is_end;
    }
}

/// Where exploration starts.
#[derive(Clone, Debug)]
pub struct Start {
    /// The program; it runs, and no event handler is active.
    pub machine: Machine,
    /// Its board.
    pub board: Shared<Board>,
    /// The primitive of every imported function.
    pub primitives: Vec<PrimitiveId>,
    /// What was done to the outside so far.
    pub state: BoardState,
    /// What is looked at of its operating system.
    pub choices: SystemChoices,
}

/// How far to go. What a bound cuts off is marked in the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Inputs on a path: one that would read another one ends.
    pub inputs: u32,
    /// Events (interrupts and timers that the program subscribed to) on a path; without a bound none arrive, and that is
    /// noted as unexplored.
    pub events: Option<u32>,
    /// Moments on a path at which events may arrive, where their arrival makes a difference.
    pub moments: u32,
    /// Instructions on a path.
    pub steps: u64,
    /// Paths in all.
    pub paths: usize,
    /// Branches that wait while it goes breadth first; with more, it goes on depth first.
    pub waiting: usize,
    /// Rounds of each loop on a path.
    pub rounds: Option<u32>,
    /// Instructions before which a path ends.
    pub stops: Vec<CodeOffset>,
    /// Whether a `select` that depends on inputs counts as a branch.
    pub selects_fork: bool,
    /// Whether a path ends before a call that breaks a limit of the board.
    pub limits_end: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            inputs: MOST_INPUTS,
            events: None,
            moments: MOST_MOMENTS,
            steps: MOST_STEPS,
            paths: MOST_PATHS,
            waiting: MOST_WAITING,
            rounds: None,
            stops: Vec::new(),
            selects_fork: false,
            limits_end: false,
        }
    }
}

/// No path has more inputs.
pub const MOST_INPUTS: u32 = 1000;

/// Of an input that puts more bytes into memory, none is followed.
pub const MOST_BYTES: usize = 256;
/// Moments of a path at which events arrive, without another bound.
pub const MOST_MOMENTS: u32 = 100;

/// Instructions on a path, without another bound.
pub const MOST_STEPS: u64 = 10_000_000;

/// Paths in all, without another bound.
pub const MOST_PATHS: usize = 1000;

/// Branches that wait, breadth first: a few kilobytes each.
const MOST_WAITING: usize = 1 << 15;

/// Whether a path ends at a stop where the program is in this state.
pub type Accepts<'a> = &'a mut dyn FnMut(&Machine) -> bool;

/// What to look for, and how.
#[derive(Default)]
pub struct Search<'s> {
    /// How far.
    pub bounds: Bounds,
    /// In which order.
    pub strategy: SearchOrder,
    /// Who answers what trying values cannot; `None`: nobody.
    pub solver: Option<Box<dyn Solver>>,
    /// If given, a path ends at a stop only where this says so: other inputs that lead there are tried too.
    pub accepts: Option<Accepts<'s>>,
    /// What inputs answer, as cells, on runs that are followed before anything is searched: a path that one of them takes
    /// to its end is found at once.
    pub examples: Vec<Vec<u64>>,
    /// What to explore, if it is not everything: the paths that begin with one of these. No other exploration's are looked
    /// at, so that what is found by all of them is to be put together.
    pub prefixes: Vec<Prefix>,
    /// What explorations of the same program have learned, and their solver.
    pub learned: Option<Learned>,
    /// Asked between two paths whether to end here: others go on with what is left.
    pub pauses: Option<&'s dyn Fn(Progress) -> bool>,
}

/// What ended an exploration before everything within its bounds was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ended {
    /// The bound on paths.
    Paths,
    /// Its budget.
    Spent(Spent),
    /// Who hears of paths, or is asked between them, has had enough.
    Enough,
}

/// All that an exploration found.
pub struct Explored {
    /// The expressions in the paths' constraints.
    pub dag: Dag,
    /// The paths, in the order in which they were found; last those that were not followed to their ends.
    pub paths: Vec<Path>,
    /// What was left out, and why; what was only cut off is told by the paths' ends.
    pub unexplored: Vec<Unexplored>,
    /// What ended it early, if something did.
    pub ended: Option<Ended>,
    /// Branches that were left where it ended early.
    pub waiting: usize,
    /// All paths with so many inputs (or fewer) were looked at, if even those with none were: all there are within the
    /// bounds, if it did not end early.
    pub looked: Option<u32>,
    /// What was executed, and with which inputs.
    pub coverage: Coverage,
    /// Instructions executed.
    pub steps: u64,
    /// How far it was to go.
    pub bounds: Bounds,
    pub(crate) decider: Decider,
    /// What the branches of each path come to, in the order of the paths: two with the same, and the same end and events,
    /// are one. Those that were not followed to their ends have none.
    pub trails: Vec<u128>,
    /// Lives as long as this: to throw it away takes time that whoever ended the exploration would wait for.
    pub(super) unvisited: Unvisited,
}

impl Explored {
    /// These paths, and nothing else that is known.
    pub(crate) fn of_paths(paths: Vec<Path>, bounds: Bounds) -> Self {
        Explored {
            dag: Dag::default(),
            paths,
            unexplored: Vec::new(),
            ended: None,
            waiting: 0,
            looked: None,
            coverage: Coverage::default(),
            steps: 0,
            bounds,
            decider: Decider::new(None),
            trails: Vec::new(),
            unvisited: Unvisited::default(),
        }
    }

    /// What deciding has cost so far.
    #[must_use]
    pub fn effort(&self) -> Effort {
        self.decider.effort
    }

    /// Whether these are all paths: nothing was cut off but by the bound on inputs and the places to stop at.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let cut = |path: &Path| matches!(path.end, End::Cut(_));
        self.ended.is_none() && self.unexplored.is_empty() && !self.paths.iter().any(cut)
    }

    /// How many paths a bound of theirs cut off.
    #[must_use]
    pub fn cut(&self, by: Cut) -> usize {
        let paths = self.paths.iter();
        paths.filter(|path| path.end == End::Cut(by)).count()
    }
}
