//! Exploring a program's states, and again whenever a word turns out to count for ever.

use borges_multiverse::graph::{Exploration, Limits, Pause, Strategy};

use super::{Comparing, Device, DeviceState};
use crate::budget::Budget;
use crate::explore::{Bounds, Start};
use crate::solver::Solver;

/// States after which counters are looked for, again whenever there are twice as many.
const LOOKS_FOR_COUNTERS: usize = 125;

/// Explores a program's states, nearest first, as far as `limits` and the budget allow: what came of it, and why it ended.
/// What counts for ever is taken for anything from the start on, besides what `about` says ([`Device::anything`]). `solver` makes who answers what
/// trying values cannot; `heard` is told how many states there are. Nothing if there is no program.
pub fn explore_states<'d>(
    start: &Start,
    bounds: &Bounds,
    solver: &dyn Fn() -> Option<Box<dyn Solver>>,
    about: &Comparing<'d>,
    limits: &Limits,
    budget: &'d Budget<'d>,
    heard: &mut dyn FnMut(usize),
) -> Option<(Exploration<Device<'d>>, Pause)> {
    let mut about = about.clone();
    'anew: loop {
        let device = Device::new(
            start.clone(),
            bounds.clone(),
            solver(),
            about.clone(),
            budget,
        )?;
        let mut exploration = Exploration::new(device, Strategy::BreadthFirst);
        let mut look = LOOKS_FOR_COUNTERS;
        loop {
            let graph = exploration.graph();
            heard(graph.len());
            if budget.is_spent() {
                return Some((exploration, Pause::Cancelled));
            }
            if graph.len() >= look {
                look *= 2;
                let states = graph.nodes().filter_map(|node| graph.state(node).cloned());
                let states: Vec<DeviceState> = states.collect();
                if let Some(word) = graph.language().counter(&states) {
                    about.anything.push(word);
                    continue 'anew;
                }
            }
            if let Err(pause) = exploration.advance(limits) {
                return Some((exploration, pause));
            }
        }
    }
}
