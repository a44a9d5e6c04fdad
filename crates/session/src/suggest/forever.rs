//! Questions that the graph of a program's states answers, over all inputs for ever, before any path is looked for.

use borges_concolic::{Budget, End, Explored, Passing, Start, SystemChoices};
use borges_multiverse::graph::NodeId;
use borges_vm::CodeOffset;

use super::Subject;
use super::conditions::Conditions;
use super::exploring::{Effort, Found, Nearest};
use super::inquiry::{Goal, Inquiry};
use super::options::StatesOptions;
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

/// What all runs from a state come to, for ever.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lasting {
    /// The goal.
    Goal,
    /// The goal, or another way, for ever.
    Both,
    /// Never the goal.
    Other,
}

impl Inquiry {
    /// Whether a bound is set by whoever asks, other than the time.
    pub(super) fn is_bounded(&self) -> bool {
        let within = &self.within;
        within.inputs.is_some()
            || within.events.is_some_and(|most| most > 0)
            || within.steps.is_some()
            || within.paths.is_some()
            || within.rounds.is_some()
            || within.order.is_some()
            || !self.stops.is_empty()
            // Where no call fails that must be said with the answer, and no graph says that all is known.
            || self.calls_system() && self.start.choices.faults == 0
    }

    fn calls_system(&self) -> bool {
        self.start.board.system().is_some()
    }

    /// The program at a start, for all its runs. Of an operating system that is more than was asked for: any number of
    /// errors, standard input of any bytes and any length. What none of these runs comes to, none of the fewer does; what
    /// one of them comes to need not be an answer.
    fn of_all_runs(&self, start: &Start) -> Subject {
        let mut subject = Subject {
            start: start.clone(),
            ..self.subject()
        };
        if self.calls_system() {
            subject.start.choices = SystemChoices::any_input(start.choices.faults > 0, None);
        }
        subject
    }

    /// What all runs from a state come to, if the goal is a trap and the states that follow are soon known.
    pub(super) fn lasting(&self, start: &Start, budget: &Budget<'_>) -> Option<Lasting> {
        if self.is_bounded() || !matches!(self.goal, Goal::Trap(_) | Goal::TrapAt(..)) {
            return None;
        }
        let subject = self.of_all_runs(start);
        let options = StatesOptions {
            states: Some(MOST_STATES),
            ..self.states_options()
        };
        let effort = Effort::new(budget, budget);
        let conditions = Conditions::new(&subject, &[]).ok()?;
        let found = Found::explore(&subject, (&conditions, true), &options, &effort);
        // What follows is about paths.
        budget.note_states(0);
        let found = found.ok()?;
        if !found.holds_all() || !found.graph.language().maybe().is_empty() {
            return None;
        }
        let is_asked = |end: &End| self.goal.is_met(end);
        let ends = found
            .graph
            .nodes()
            .filter_map(|node| found.graph.state(node)?.end());
        if !ends.into_iter().any(is_asked) {
            return Some(Lasting::Other);
        }
        match found.all_come_to(&conditions, &is_asked)? {
            true => Some(Lasting::Goal),
            false if self.calls_system() => None,
            false => Some(Lasting::Both),
        }
    }

    /// All runs from where the question is asked, if nobody set a bound, the states are soon known, and nothing that was
    /// taken for anything matters.
    pub(super) fn forever(&self, budget: &Budget<'_>) -> Option<Forever> {
        let is_answered = matches!(
            self.question,
            Question::Bugs | Question::Reach { .. } | Question::Cover
        );
        if self.is_bounded() || !is_answered {
            return None;
        }
        let options = StatesOptions {
            states: Some(MOST_STATES),
            ..self.states_options()
        };
        let subject = self.of_all_runs(&self.start);
        let effort = Effort::new(budget, budget);
        let none = Conditions::new(&subject, &[]).ok()?;
        let conditions = match self.question {
            Question::Bugs => none.with_limits().ok()?,
            _ => none,
        };
        let found = Found::explore(&subject, (&conditions, false), &options, &effort);
        // What follows is about paths.
        budget.note_states(0);
        let found = found.ok()?;
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
        if self.calls_system() && !runs.is_empty() {
            return None;
        }
        Some(Forever {
            explored: device.explored(runs)?,
        })
    }
}
