//! Questions that the graph of a program's states answers, over all inputs for ever, before any path is looked for.

use std::collections::HashSet;

use borges_concolic::{
    Bounds, Budget, Comparing, Device, End, Explored, Passing, explore_states, solver,
};
use borges_multiverse::graph::{Graph, Limits, NodeId, Pause};
use borges_vm::CodeOffset;

use super::exploring::{Nearest, SOLVER_TIME, STEPS};
use super::inquiry::{Goal, Inquiry};
use crate::command::question::Question;

/// States that are enough to see that a graph does not close soon.
const MOST_STATES: usize = 50_000;

/// All runs of a program.
pub(super) struct Forever {
    /// A shortest run to each end that is asked for: all there are.
    pub(super) explored: Explored,
    /// The instructions that some run executes.
    executed: HashSet<CodeOffset>,
}

impl Forever {
    /// Whether some run executes one of these instructions.
    pub(super) fn executes(&self, offsets: &[CodeOffset]) -> bool {
        offsets.iter().any(|offset| self.executed.contains(offset))
    }

    /// Whether whatever some run executes was executed by these.
    pub(super) fn is_all_in(&self, explored: &Explored) -> bool {
        let instructions = explored.coverage.instructions();
        let missing = |(offset, witness): (CodeOffset, Option<_>)| {
            witness.is_none() && self.executed.contains(&offset)
        };
        !instructions.into_iter().any(missing)
    }
}

impl Inquiry {
    /// All runs from where the question is asked, if nobody set a bound, the states are soon known, and nothing that was
    /// taken for anything matters.
    pub(super) fn forever(&self, budget: &Budget<'_>) -> Option<Forever> {
        let within = &self.within;
        let is_bounded = within.inputs.is_some()
            || within.events.is_some_and(|most| most > 0)
            || within.steps.is_some()
            || within.paths.is_some()
            || within.rounds.is_some()
            || within.order.is_some()
            || !self.stops.is_empty();
        let is_answered = matches!(
            self.question,
            Question::Bugs | Question::Reach { .. } | Question::Cover
        );
        if is_bounded || !is_answered {
            return None;
        }
        let bounds = Bounds {
            steps: STEPS,
            events: within.events.is_none().then_some(u32::MAX),
            ..Bounds::default()
        };
        let limits = Limits {
            states: MOST_STATES,
            depth: u32::MAX,
        };
        let (exploration, pause) = explore_states(
            &self.start,
            &bounds,
            // The name was looked at when the question was asked.
            &|| solver::named(within.solver.as_deref(), SOLVER_TIME).unwrap_or_default(),
            &Comparing::default(),
            &limits,
            budget,
            &mut |_| (),
        )?;
        let graph = exploration.graph();
        let device = graph.language();
        let knows_all = pause == Pause::Complete
            && !device.is_cut()
            && device.unexplored().is_empty()
            && device.maybe().is_empty();
        if !knows_all {
            return None;
        }
        let paths = self.runs_to_ends(graph, budget)?;
        let coverage = device.coverage()?;
        let executed = coverage.instructions();
        let executed = executed.filter_map(|(offset, witness)| witness.map(|_| offset));
        Some(Forever {
            executed: executed.collect(),
            explored: device.explored(paths)?,
        })
    }

    /// A shortest run to each trap that is asked for; nothing if one of them was not found.
    fn runs_to_ends(
        &self,
        graph: &Graph<Device<'_>>,
        budget: &Budget<'_>,
    ) -> Option<Vec<borges_concolic::Path>> {
        let nearest = Nearest::new(graph);
        let end = |node: NodeId| graph.state(node).and_then(|state| state.end().cloned());
        let mut wanted: Vec<(u32, NodeId)> = graph
            .nodes()
            .filter(|node| {
                let end = end(*node).filter(|end| matches!(end, End::Trapped(..)));
                end.is_some_and(|end| !matches!(self.goal, Goal::Any) && self.goal.is_met(&end))
            })
            .map(|node| (nearest.inputs(node), node))
            .collect();
        wanted.sort_unstable();
        let run = |(_, node): (u32, NodeId)| {
            let way = nearest.way_to(graph, node);
            graph.language().run_through(&way, Passing::Nothing, budget)
        };
        wanted.into_iter().map(run).collect()
    }
}
