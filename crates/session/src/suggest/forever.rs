//! Questions that the graph of a program's states answers, over all inputs for ever, before any path is looked for.

use borges_concolic::{Budget, Comparing, End, Explored, Passing, Watched};
use borges_multiverse::graph::NodeId;
use borges_vm::CodeOffset;

use super::conditions::Conditions;
use super::exploring::{Effort, Found, Nearest, StatesOptions};
use super::inquiry::{Goal, Inquiry};
use crate::command::proof::{Demand, Proved};
use crate::command::question::Question;

/// States that are enough to see that a graph does not close soon.
const MOST_STATES: usize = 50_000;

/// All runs of a program: a shortest one to each end that is asked for, and what any of them executes.
pub(super) struct Forever {
    pub(super) explored: Explored,
}

impl Forever {
    fn executed(&self) -> impl Iterator<Item = CodeOffset> + '_ {
        let instructions = self.explored.coverage.instructions();
        instructions.filter_map(|(offset, witness)| witness.map(|_| offset))
    }

    /// Whether some run executes one of these instructions.
    pub(super) fn executes(&self, offsets: &[CodeOffset]) -> bool {
        self.executed().any(|offset| offsets.contains(&offset))
    }

    /// Whether whatever some run executes was executed by these.
    pub(super) fn is_all_in(&self, explored: &Explored) -> bool {
        // Both are lists of all instructions of one module.
        let all = self.explored.coverage.instructions();
        let mut both = all.zip(explored.coverage.instructions());
        both.all(|((_, some), (_, known))| some.is_none() || known.is_some())
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
        let options = StatesOptions {
            states: Some(MOST_STATES),
            ..self.states_options()
        };
        let subject = self.subject();
        let effort = Effort::new(budget, budget, &|_| ());
        let none = Conditions::new(&subject, &[]).ok()?;
        let conditions = match self.question {
            Question::Bugs => none.with_limits().ok()?,
            _ => none,
        };
        let about = Comparing {
            watched: (conditions.count() > 0).then_some(&conditions as &dyn Watched),
            ..Comparing::default()
        };
        let found = Found::explore(&subject, &about, &options, &effort).ok()?;
        let device = found.graph.language();
        if !found.holds_all() || !device.maybe().is_empty() {
            return None;
        }
        // A shortest run to each trap that is asked for.
        let nearest = Nearest::new(&found.graph);
        let is_asked = |end: &End| {
            matches!(end, End::Trapped(..))
                && !matches!(self.goal, Goal::Any)
                && self.goal.is_met(end)
        };
        let traps = found.where_is(&nearest, |state| state.end().is_some_and(is_asked));
        let run = |(_, node): (u32, NodeId)| {
            let way = nearest.way_to(&found.graph, node);
            device.run_through(&way, Passing::Nothing, budget)
        };
        let runs: Option<Vec<_>> = traps.into_iter().map(run).collect();
        let mut runs = runs?;
        for number in conditions.limits() {
            let (said, run) = found.demanded(&conditions, Demand::Limit, number, &nearest);
            if !matches!(said.verdict, Proved::Holds | Proved::Fails) {
                return None;
            }
            runs.extend(run);
        }
        Some(Forever {
            explored: device.explored(runs)?,
        })
    }
}
