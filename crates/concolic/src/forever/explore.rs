//! Exploring a program's states, and again whenever a word turns out to count for ever, or to hold times.

use std::rc::Rc;

use borges_board::PrimitiveId;
use borges_multiverse::graph::{Exploration, Graph, Limits, Pause, Refined, Refining, refine};

use super::anything::StateWord;
use super::{Comparing, Device, DeviceState, Unread};
use crate::budget::Budget;
use crate::explore::{Bounds, Start};
use crate::shadow::Touched;
use crate::solver::Solver;

/// A program whose counters are taken for anything once they are found.
struct Counters<'c, 'd> {
    start: &'c Start,
    bounds: &'c Bounds,
    solver: &'c dyn Fn() -> Option<Box<dyn Solver>>,
    about: &'c Comparing<'d>,
    budget: &'d Budget<'d>,
}

/// What a program's words turn out to be.
#[derive(PartialEq)]
enum Change {
    /// One counts for ever.
    Counts(StateWord),
    /// Handlers touch these bytes.
    Touched(Touched),
    /// These hold times of clocks.
    Times(Vec<(StateWord, PrimitiveId)>),
    /// This much of the memory is written before it is read.
    Unread(Unread),
}

/// Graphs with fewer states are not asked for counters: what counts to a bound comes to it.
const FEW_STATES: usize = 125;

impl<'d> Refining for Counters<'_, 'd> {
    type Program = Rc<Device<'d>>;
    type Change = Change;

    fn program(&mut self, changes: &[Change]) -> Option<Rc<Device<'d>>> {
        let mut about = self.about.clone();
        about.touched.get_or_insert_default();
        for change in changes {
            match change {
                Change::Touched(bytes) => about.touched = Some(bytes.clone()),
                Change::Counts(word) => about.anything.push(*word),
                Change::Times(words) => about.times.clone_from(words),
                Change::Unread(unread) => about.unread.clone_from(unread),
            }
        }
        let (start, bounds) = (self.start.clone(), self.bounds.clone());
        Device::new(start, bounds, (self.solver)(), about, self.budget).map(Rc::new)
    }

    /// What counts shows while the graph grows; one that rests has closed, or was cut.
    fn change(&mut self, graph: &Graph<Rc<Device<'d>>>, rests: Option<Pause>) -> Option<Change> {
        // What was left out for want of these comes before what that may have shown.
        if let Some(bytes) = graph.language().newly_touched() {
            return Some(Change::Touched(bytes));
        }
        if let Some(words) = graph.language().new_times() {
            return Some(Change::Times(words));
        }
        if let Some(unread) = graph.language().learned() {
            return Some(Change::Unread(unread));
        }
        if rests.is_some() {
            return None;
        }
        let states = graph.nodes().filter_map(|node| graph.state(node).cloned());
        let states: Vec<DeviceState> = states.collect();
        if let Some(unread) = graph.language().suggested(&states) {
            return Some(Change::Unread(unread));
        }
        if states.len() < FEW_STATES {
            return None;
        }
        graph.language().counter(&states).map(Change::Counts)
    }

    fn first_look(&self) -> usize {
        16
    }
}

/// Explores a program's states, nearest first, as far as `limits` and the budget allow: what came of it, and why it ended.
/// What counts for ever is taken for anything from the start on, besides what `about` says ([`Device::anything`]).
/// `solver` makes who answers what trying values cannot; `heard` is told how many states there are. Nothing if there is
/// no program.
pub fn explore_states<'d>(
    start: &Start,
    bounds: &Bounds,
    solver: &dyn Fn() -> Option<Box<dyn Solver>>,
    about: &Comparing<'d>,
    limits: &Limits,
    budget: &'d Budget<'d>,
    heard: &mut dyn FnMut(usize),
) -> Option<(Exploration<Rc<Device<'d>>>, Pause)> {
    let mut counters = Counters {
        start,
        bounds,
        solver,
        about,
        budget,
    };
    let Refined {
        exploration, pause, ..
    } = refine(&mut counters, limits, |come, _| {
        heard(come.states);
        !budget.is_spent()
    })?;
    Some((exploration, pause))
}
