//! How a question is answered: what is explored, in which order, and for how long.

use super::conditions::untold_limits;
use super::cuts::{self, Asked};
use super::exploring::tidying;
use super::forever::Forever;
use super::inquiry::{Goal, Inquiry};
use super::jobs::{Jobs, Part, Task, Workers};
use super::listing::{Lister, Partial};
use super::options::solver_named;
use crate::command::Flow;
use crate::command::broker::Seekers;
use crate::command::question::{Order, Question, SuggestionListing, UnexploredReport};
use crate::scene::Scene;
use borges_concolic::{
    Bounds, Budget, Ended, Explored, Flow as Goes, MOST_INPUTS, Path, Progress, Search,
    SearchOrder, Spent, Start, explore, suggest_on,
};
use borges_vm::Machine;
use std::cell::RefCell;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// So many parts of a hundred of the time are for the graph of all states.
const FOREVER: u32 = 20;
/// So long they are looked at before runs are tried.
const SOON: Duration = Duration::from_secs(2);
/// Paths that are enough for most programs to execute everything that they can.
const FIRST_PATHS: usize = 50;
/// Inputs on a path without one, where all paths are drawn.
const INPUTS: u32 = 4;
/// Paths without one: enough for a person.
const PATHS: usize = 1000;
/// Paths looked at for a question that shows only some of them.
const MOST_LOOKED_AT: usize = 100_000;
/// Ways to a goal that are enough to choose the shortest from.
const ENOUGH: usize = 8;
/// Bounds on inputs up to which everything is soon looked at: no runs are tried before.
const FEW_INPUTS: u32 = 8;

/// How to look for an answer.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) strategy: SearchOrder,
    pub(super) inputs: u32,
    pub(super) paths: usize,
    /// Runs to follow first.
    pub(super) examples: Vec<Vec<u64>>,
}

/// Hears how far an answer has come, with what makes a listing of what is known so far, and may end it. It is asked every
/// few milliseconds; the listing takes longer.
pub type Listener<'t> = &'t mut dyn FnMut(Progress, &dyn Fn() -> SuggestionListing) -> Flow;

impl Inquiry {
    /// Answers the question. `tell` hears what is known so far every now and then, and may end it: what was found by
    /// then is the answer.
    pub fn answer(&self, tell: Listener<'_>) -> SuggestionListing {
        let began = Instant::now();
        let clock = || began.elapsed();
        let partial = RefCell::new(Partial::new(self));
        let tell = RefCell::new(tell);
        let heard = |progress: Progress| {
            let listing = || partial.borrow().listing(progress);
            match (tell.borrow_mut())(progress, &listing) {
                Flow::Continue => Goes::Continue,
                Flow::Pause => Goes::Stop,
            }
        };
        let budget = Budget::new(self.asked().time, &clock, &heard);
        let mut listing = self.answer_within(&budget, &partial);
        let evaluated = self
            .evaluated
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let (false, Some(error)) = (evaluated.had_value, &evaluated.error) {
            listing.complete = false;
            listing.unexplored.push(UnexploredReport {
                reason: format!("the condition has no value there: {error}"),
                place: None,
                inputs: Vec::new(),
                bound: None,
            });
        }
        if matches!(self.question, Question::Bugs) {
            for reason in untold_limits(&self.subject()) {
                listing.complete = false;
                listing.unexplored.push(UnexploredReport {
                    reason,
                    place: None,
                    inputs: Vec::new(),
                    bound: None,
                });
            }
        }
        listing.question.clone_from(&self.words);
        listing.from = Some(self.from);
        listing.time_ms = u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX);
        listing
    }

    fn answer_within<'i>(
        &'i self,
        budget: &Budget<'_>,
        partial: &RefCell<Partial<'i>>,
    ) -> SuggestionListing {
        let mut plan = self.plan();
        let runs = match self.question {
            Question::Bugs => usize::MAX,
            Question::Reach { .. } => 1,
            _ => 0,
        };
        let share = budget.part(FOREVER);
        let forever = match runs {
            0 => self.forever(&share),
            _ => self.forever(&share.at_most(SOON)),
        };
        let answer = |forever: &Option<Forever>| {
            let all = forever.as_ref()?;
            self.once_for_all(all, budget)
        };
        if let Some(answer) = answer(&forever) {
            return answer;
        }
        if runs > 0 {
            plan = self.tried(plan, budget, runs);
            // Nobody waits longer for all states where a run finds what is asked for.
            let share = budget.part(FOREVER);
            if forever.is_none()
                && plan.examples.is_empty()
                && share.left() > 2 * SOON
                && let Some(answer) = answer(&self.forever(&share))
            {
                return answer;
            }
        }
        match &self.question {
            Question::States { .. } | Question::Picture { .. } | Question::Check { .. } => {
                self.proved(budget).unwrap_or_default()
            }
            Question::Why { .. } => self.why(budget),
            Question::Paths => {
                let mut explored = self.look(plan, usize::MAX, &budget.part(75), partial);
                let merging = budget.part(80);
                let threads = self.within.seekers.as_deref().map_or(1, Seekers::threads);
                let solver = || solver_named(self.within.solver.as_deref());
                let suggestions = suggest_on(&mut explored, threads, &solver, &merging);
                let rest = tidying(budget);
                Lister::new(self, &explored, &rest).tree(&suggestions)
            }
            Question::Cover => {
                plan.examples = match plan.inputs > FEW_INPUTS {
                    true => self.some_runs(&budget.part(10)),
                    false => Vec::new(),
                };
                let explored = self.cover(plan, forever.as_ref(), budget, partial);
                let rest = tidying(budget);
                let mut listing = Lister::new(self, &explored, &rest).facts();
                listing.cover = Some(super::cover::listing(self, &explored));
                // What no run executes at all need not be looked for any longer.
                if forever.is_some_and(|all| all.is_all_in(&explored)) {
                    for_ever(&mut listing);
                }
                listing
            }
            Question::Bugs => {
                let explored = self.look(plan, usize::MAX, &budget.part(98), partial);
                let rest = tidying(budget);
                Lister::new(self, &explored, &rest).goals()
            }
            Question::Reach { .. } => self.reach(plan, budget, partial),
        }
    }

    /// Explores until everything that can be executed was, if it is known what that is: a few paths first, then more.
    fn cover<'i>(
        &'i self,
        plan: Plan,
        forever: Option<&Forever>,
        budget: &Budget<'_>,
        partial: &RefCell<Partial<'i>>,
    ) -> Explored {
        let all = plan.paths;
        let mut paths = if forever.is_some() { FIRST_PATHS } else { all };
        loop {
            let plan = Plan {
                paths: paths.min(all),
                ..plan.clone()
            };
            let explored = self.look(plan, usize::MAX, budget, partial);
            let is_all = forever.is_some_and(|forever| forever.is_all_in(&explored));
            if is_all || paths >= all || explored.ended != Some(Ended::Paths) {
                return explored;
            }
            paths *= 10;
            *partial.borrow_mut() = Partial::new(self);
        }
    }

    /// The answer, if all runs are known and say it: what never happens, and the shortest ways to traps.
    fn once_for_all(&self, all: &Forever, budget: &Budget<'_>) -> Option<SuggestionListing> {
        let says_it = match (&self.question, &self.goal) {
            (Question::Cover, _) => false,
            (_, Goal::Places { offsets, .. }) => !all.executes(offsets),
            _ => true,
        };
        says_it.then(|| {
            let rest = tidying(budget);
            let mut listing = Lister::new(self, &all.explored, &rest).goals();
            for_ever(&mut listing);
            listing
        })
    }

    /// The plan with runs to follow that come to the goal, if some do.
    fn tried(&self, mut plan: Plan, budget: &Budget<'_>, most: usize) -> Plan {
        if plan.inputs > FEW_INPUTS {
            plan.examples = self.runs_to_the_goal(&budget.part(15));
            plan.examples.sort_by_key(Vec::len);
            plan.examples.truncate(most);
        }
        plan
    }

    /// The nearest way first; then, with the time that is left, whether there is one with fewer inputs.
    fn reach(
        &self,
        plan: Plan,
        budget: &Budget<'_>,
        partial: &RefCell<Partial<'_>>,
    ) -> SuggestionListing {
        let explored = self.look(plan, ENOUGH, &budget.part(70), partial);
        let inputs = |explored: &Explored| {
            let met = explored.paths.iter();
            let met = met.filter(|path| self.goal.is_met(&path.end));
            met.filter_map(|path| Some(path.ways.first()?.reads.len()))
                .min()
        };
        let rest = tidying(budget);
        let shortest = inputs(&explored);
        // Of paths with fewer inputs than this, all were looked at.
        let known = explored.looked.map_or(0, |looked| looked as usize + 1);
        let is_nearest = shortest.is_some_and(|count| count <= known);
        let is_done = is_nearest || explored.is_complete() || budget.is_spent();
        let fewer = shortest.and_then(|count| count.checked_sub(1));
        let Some(fewer) = fewer.filter(|_| !is_done) else {
            let mut listing = Lister::new(self, &explored, &rest).goals();
            if is_nearest && explored.ended == Some(Ended::Spent(Spent::Time)) {
                nothing_is_missing(&mut listing);
            }
            return listing;
        };
        let plan = Plan {
            strategy: SearchOrder::BreadthFirst,
            inputs: fewer as u32,
            ..self.plan()
        };
        let shorter = self.look(plan, 1, &budget.part(95), partial);
        let rest = tidying(budget);
        if inputs(&shorter).is_some() {
            return Lister::new(self, &shorter, &rest).goals();
        }
        let mut listing = Lister::new(self, &explored, &rest).goals();
        if shorter.is_complete() {
            nothing_is_missing(&mut listing);
        } else if shorter.ended.is_none() {
            // Longer ways do not matter: all that is missing is what is named now.
            let asked = Asked {
                bounds_inputs: true,
                ..self.asked()
            };
            listing.ended = None;
            listing.looked = shorter.looked;
            listing.unexplored = cuts::left_out(&self.info, &shorter, asked);
        }
        listing
    }

    pub(super) fn plan(&self) -> Plan {
        let few = matches!(self.question, Question::Paths);
        let most = if few { INPUTS } else { MOST_INPUTS };
        let strategy = match (self.within.order, &self.question, &self.goal) {
            (Some(Order::Depth), ..) => SearchOrder::DepthFirst,
            (Some(Order::Breadth), ..) => SearchOrder::BreadthFirst,
            (Some(Order::Random(seed)), ..) => SearchOrder::Random(seed),
            (Some(Order::Coverage), ..) | (None, Question::Cover, _) => SearchOrder::CoverageFirst,
            // Where a condition must hold too, the nearest path is not the likeliest.
            (
                None,
                Question::Reach { .. },
                Goal::Places {
                    offsets,
                    condition: None,
                },
            ) => SearchOrder::Towards(offsets.clone()),
            _ => SearchOrder::BreadthFirst,
        };
        let usual = match self.question {
            Question::Paths => PATHS,
            _ => MOST_LOOKED_AT,
        };
        Plan {
            strategy,
            inputs: self.within.inputs.unwrap_or(most),
            paths: self.within.paths.map_or(usual, |paths| paths as usize),
            examples: Vec::new(),
        }
    }

    /// Explores until `enough` paths meet the goal, and keeps them to tell of them meanwhile.
    fn look(
        &self,
        plan: Plan,
        enough: usize,
        budget: &Budget<'_>,
        partial: &RefCell<Partial<'_>>,
    ) -> Explored {
        let mut met = 0;
        self.explore(None, plan, budget, &mut |path| {
            if self.goal.is_met(&path.end) {
                met += 1;
                partial.borrow_mut().add(path);
            }
            match met >= enough {
                true => Goes::Stop,
                false => Goes::Continue,
            }
        })
    }

    /// Who explores, if that is not this thread alone.
    fn workers(&self, turn: Option<usize>) -> Option<Workers<'_>> {
        self.within.inputs?;
        match self.within.seekers.as_deref()? {
            Seekers::Cores(cores) => Workers::here(*cores),
            Seekers::Queue(queue) => {
                let errand = Arc::clone(self.errand.as_ref()?);
                Some(Workers::Away(queue, errand, turn.map(|turn| turn as u32)))
            }
        }
    }

    /// Explores from where the question is asked, or for a `why` from the choice of this number on the way there.
    pub(super) fn explore(
        &self,
        turn: Option<usize>,
        plan: Plan,
        budget: &Budget<'_>,
        heard: &mut dyn FnMut(&Path) -> Goes,
    ) -> Explored {
        let start = turn.map_or(&self.start, |turn| &self.turns[turn].1);
        let usual = Bounds::default();
        let mut stops = self.stops.clone();
        stops.extend(self.goal.offsets());
        let bounds = Bounds {
            inputs: plan.inputs,
            events: self.within.events,
            steps: self.within.steps.unwrap_or(usual.steps),
            paths: plan.paths,
            rounds: self.within.rounds,
            stops,
            selects_fork: self.within.selects,
            limits_end: matches!(self.goal, Goal::Bug),
            ..usual
        };
        let task = Task {
            bounds,
            order: plan.strategy,
            solver: self.within.solver.clone(),
        };
        if let Some(workers) = self.workers(turn) {
            let jobs = Jobs {
                start,
                task: &task,
                workers,
                explore: &|part, budget| {
                    (
                        self.explore_part(start, part, &task, budget),
                        Vec::<()>::new(),
                    )
                },
            };
            return jobs.run(budget, task.solver(), heard).0;
        }
        let mut accepts = |machine: &Machine| self.holds_at_stop(machine);
        let has_condition = self.goal.condition().is_some();
        let search = Search {
            solver: task.solver(),
            bounds: task.bounds,
            strategy: task.order,
            accepts: has_condition.then_some(&mut accepts),
            examples: plan.examples,
            ..Search::default()
        };
        explore(start, search, budget, heard)
    }

    /// Explores one of several jobs.
    pub(super) fn explore_part(
        &self,
        start: &Start,
        part: Part<'_>,
        task: &Task,
        budget: &Budget<'_>,
    ) -> Explored {
        let mut accepts = |machine: &Machine| self.holds_at_stop(machine);
        let mut search = part.search(&task.order, || task.solver());
        search.accepts = self.goal.condition().is_some().then_some(&mut accepts);
        let mut explored = explore(start, search, budget, &mut |_| Goes::Continue);
        // Of many paths all that matters is that there are no others.
        explored.thin(|end| match self.question {
            Question::Paths => true,
            Question::Cover => false,
            _ => self.goal.is_met(end),
        });
        explored
    }

    /// Whether a condition holds in a state; where it means nothing, it does not.
    pub(super) fn holds_at_stop(&self, machine: &Machine) -> bool {
        let Some(condition) = self.goal.condition() else {
            return true;
        };
        let offset = machine.location().map(|location| location.offset);
        if !offset.is_some_and(|offset| self.goal.offsets().contains(&offset)) {
            return true;
        }
        let scene = Scene {
            program: &self.program,
            info: &self.info,
            machine,
        };
        let held = scene.holds(condition);
        let mut evaluated = self
            .evaluated
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match held {
            Ok(holds) => {
                evaluated.had_value = true;
                holds
            }
            Err(error) => {
                evaluated.error.get_or_insert(error.to_string());
                false
            }
        }
    }
}

/// All that matters was looked at.
fn nothing_is_missing(listing: &mut SuggestionListing) {
    listing.complete = true;
    listing.ended = None;
    listing.looked = None;
    listing.unexplored.clear();
}

/// An answer that no further looking would change.
fn for_ever(listing: &mut SuggestionListing) {
    listing.forever = true;
    nothing_is_missing(listing);
}
