//! Exploring a program's states, and again whenever a word turns out to count for ever, or to hold times.

use std::rc::Rc;

use borges_multiverse::graph::{Exploration, Graph, Limits, Pause, Refined, Refining, refine};

use super::anything::StateWord;
use super::counters::Differing;
use super::{Company, Comparing, Device, DeviceState, Facts};
use crate::budget::Budget;
use crate::explore::{Bounds, Start};
use crate::solver::Solver;

/// A program whose counters are taken for anything once they are found.
struct Counters<'c, 'd> {
    company: &'c dyn Company,
    start: &'c Start,
    bounds: &'c Bounds,
    solver: &'c dyn Fn() -> Option<Box<dyn Solver>>,
    about: &'c Comparing<'d>,
    budget: &'d Budget<'d>,
    /// Words that were taken for anything once, and on which something depended then.
    tried: Vec<StateWord>,
    /// Those that are compared nevertheless, in this try: what counts may come to its bound a little later.
    compared: Vec<StateWord>,
    /// What came of the last try.
    given_up: Option<GivenUp>,
}

/// What came of comparing words that count: too many states.
#[derive(Clone, Debug)]
pub struct GivenUp {
    /// So many, and there were more.
    pub states: usize,
    /// In which words they differ most, and how.
    pub differing: Vec<Differing>,
}

/// Graphs with fewer states are not asked for counters: what counts to a bound comes to it.
const FEW_STATES: usize = 125;

/// With so many states, or after so many instructions, words that count are taken for anything although that matters.
const MANY_TRIED: (usize, u64) = (1 << 12, 20_000_000);

/// With so many states, others may help to look at those that come: before that, most graphs have closed, or begun anew.
const MANY_STATES: usize = 2 * FEW_STATES;

impl<'d> Refining for Counters<'_, 'd> {
    type Program = Rc<Device<'d>>;
    type Change = Facts;

    fn program(&mut self, changes: &[Facts]) -> Option<Rc<Device<'d>>> {
        let facts = changes.last().cloned();
        let facts = facts.unwrap_or_else(|| Facts::of(self.about));
        let (start, bounds) = (self.start.clone(), self.bounds.clone());
        let about = facts.told(self.about);
        let device = Device::new(start, bounds, (self.solver)(), about, self.budget)?;
        let given_up = self.given_up.clone();
        Some(Rc::new(Device { given_up, ..device }))
    }

    /// What counts shows while the graph grows; one that rests has closed, or was cut.
    fn change(&mut self, graph: &Graph<Rc<Device<'d>>>, rests: Option<Pause>) -> Option<Facts> {
        let device = graph.language();
        let change = self.change_of(device, graph, rests);
        change.map(|facts| Facts {
            tried: self.tried.clone(),
            ..facts
        })
    }

    fn first_look(&self) -> usize {
        16
    }
}

impl<'d> Counters<'_, 'd> {
    fn change_of(
        &mut self,
        device: &Device<'d>,
        graph: &Graph<Rc<Device<'d>>>,
        rests: Option<Pause>,
    ) -> Option<Facts> {
        if let Some(news) = device.news() {
            return Some(news);
        }
        if let Some(facts) = self.compares_again(device, rests) {
            return Some(facts);
        }
        let is_many = graph.len() >= MANY_TRIED.0 || device.steps() >= MANY_TRIED.1;
        let is_cut = rests.is_some_and(|rests| rests != Pause::Complete);
        if !self.compared.is_empty() && (is_many || is_cut) {
            let states: Vec<DeviceState> = states_of(graph).collect();
            self.given_up = Some(GivenUp {
                states: states.len(),
                differing: device.differ_most(&states),
            });
            let mut facts = device.facts();
            facts.anything.append(&mut self.compared);
            return Some(facts);
        }
        if rests.is_some() {
            return None;
        }
        let states: Vec<DeviceState> = states_of(graph).collect();
        if let Some(unread) = device.suggested(&states) {
            return Some(Facts {
                unread,
                ..device.facts()
            });
        }
        if states.len() < FEW_STATES {
            return None;
        }
        if let Some(word) = device.counter(&states, &self.compared) {
            let mut facts = device.facts();
            facts.anything.push(word);
            return Some(facts);
        }
        if states.len() >= MANY_STATES && !device.has_company() {
            let lookers = self.company.hire(&device.facts());
            if let Some(lookers) = lookers {
                device.look_ahead_by(lookers, graph);
            }
        }
        None
    }

    /// Once a graph has closed in which something depends on words that count: to try whether it closes with them, too.
    fn compares_again(&mut self, device: &Device<'d>, rests: Option<Pause>) -> Option<Facts> {
        if rests != Some(Pause::Complete) || device.is_cut() {
            return None;
        }
        let is_given = |word: &StateWord| self.about.anything.contains(word);
        let is_clock = |word: &StateWord| matches!(word, StateWord::Clock(_));
        let mut mattered = device.maybe();
        mattered.retain(|word| !is_given(word) && !is_clock(word) && !self.tried.contains(word));
        if mattered.is_empty() {
            return None;
        }
        let mut facts = device.facts();
        facts.anything.retain(|word| !mattered.contains(word));
        self.tried.extend(&mattered);
        self.compared = mattered;
        Some(facts)
    }
}

fn states_of<'g>(graph: &'g Graph<Rc<Device<'_>>>) -> impl Iterator<Item = DeviceState> + 'g {
    let nodes = graph.nodes();
    nodes.filter_map(|node| graph.state(node).cloned())
}

/// Explores a program's states, nearest first, as far as `limits` and the budget allow: what came of it, and why it ended.
/// What counts for ever is taken for anything from the start on, besides what `about` says ([`Device::anything`]).
/// `solver` makes who answers what trying values cannot; `company` may have others look at states: what comes of it is the
/// same. Nothing if there is no program.
pub fn explore_states<'d>(
    start: &Start,
    bounds: &Bounds,
    solver: &dyn Fn() -> Option<Box<dyn Solver>>,
    about: &Comparing<'d>,
    limits: &Limits,
    budget: &'d Budget<'d>,
    company: &dyn Company,
) -> Option<(Exploration<Rc<Device<'d>>>, Pause)> {
    let mut counters = Counters {
        company,
        start,
        bounds,
        solver,
        about,
        budget,
        tried: Vec::new(),
        compared: Vec::new(),
        given_up: None,
    };
    let Refined {
        exploration, pause, ..
    } = refine(&mut counters, limits, |come, _| {
        budget.note_states(come.states);
        !budget.is_spent()
    })?;
    exploration.graph().language().look_alone();
    Some((exploration, pause))
}

/// Explores so many of a program's states, to learn what looking at all of them is told from the start on. Nothing if there
/// is no program.
#[must_use]
pub fn learn_states(
    start: &Start,
    bounds: &Bounds,
    solver: &dyn Fn() -> Option<Box<dyn Solver>>,
    about: &Comparing<'_>,
    states: usize,
    budget: &Budget<'_>,
) -> Option<Facts> {
    let limits = Limits {
        states,
        ..Limits::default()
    };
    let (exploration, _) = explore_states(start, bounds, solver, about, &limits, budget, &())?;
    Some(exploration.graph().language().facts())
}
