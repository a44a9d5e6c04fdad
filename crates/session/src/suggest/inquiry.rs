//! A question with all that is needed to answer it, so that it can be answered on a thread of its own.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use borges_concolic::{
    Bounds, End, Explored, Flow as Goes, MOST_INPUTS, News, Path, Start, Strategy, explore,
    explore_until, solver,
};
use borges_debuginfo::DebugInfo;
use borges_stub::Program;
use borges_vm::{CodeOffset, Machine, Trap};

use super::listing::Lister;
use super::question::{Order, Question, SuggestionListing, Turn, UnexploredReport, Within};
use crate::command::{Flow, UniverseId};
use crate::inspect::Look;
use crate::moments::MomentText;

/// Time without a bound of the caller's.
const TIME: Duration = Duration::from_secs(10);
/// Inputs on a path without one.
pub(super) const INPUTS: u32 = 4;
/// Paths without one: enough for a person.
const PATHS: usize = 1000;
/// Paths looked at for a question that shows only some of them.
const MOST_LOOKED_AT: usize = 100_000;
/// Ways to a goal that are enough to choose the shortest from.
const ENOUGH: usize = 8;
/// Between two looks at what was found so far.
const TELL: Duration = Duration::from_millis(150);
/// Time for one question to a solver.
const SOLVER_TIME: Duration = Duration::from_secs(5);

/// What a path must come to.
#[derive(Clone, Debug, Default)]
pub(crate) enum Goal {
    /// Anything.
    #[default]
    Any,
    /// These instructions, perhaps only while a condition holds.
    Places {
        offsets: Vec<CodeOffset>,
        condition: Option<String>,
    },
    /// A trap, perhaps one whose name contains a text.
    Trap(Option<String>),
    /// This trap.
    TrapAt(Trap, Option<CodeOffset>),
}

impl Goal {
    pub(super) fn is_met(&self, path: &Path) -> bool {
        match (self, &path.end) {
            (Goal::Any, _) => true,
            (Goal::Places { offsets, .. }, End::Stopped(at)) => offsets.contains(at),
            (Goal::Trap(None), End::Trapped(..)) => true,
            (Goal::Trap(Some(named)), End::Trapped(trap, _)) => trap
                .to_string()
                .to_lowercase()
                .contains(&named.to_lowercase()),
            (Goal::TrapAt(trap, at), End::Trapped(now, here)) => trap == now && at == here,
            _ => false,
        }
    }

    fn condition(&self) -> Option<&str> {
        match self {
            Goal::Places { condition, .. } => condition.as_deref(),
            _ => None,
        }
    }

    fn offsets(&self) -> &[CodeOffset] {
        match self {
            Goal::Places { offsets, .. } => offsets,
            _ => &[],
        }
    }
}

/// A question about the futures of one universe.
pub struct Inquiry {
    pub(super) question: Question,
    pub(super) words: String,
    pub(super) within: Within,
    pub(super) from: UniverseId,
    pub(super) program: Program,
    pub(super) info: Arc<DebugInfo>,
    pub(super) start: Start,
    /// Where paths end because the user says so.
    pub(super) stops: Vec<CodeOffset>,
    pub(super) goal: Goal,
    /// The way to the start.
    pub(super) trace: MomentText,
    /// For a `why`: the choices on the way, with the state after each; the start first.
    pub(super) turns: Vec<(Turn, Start)>,
    /// What came of evaluating the goal's condition.
    pub(super) evaluated: RefCell<Evaluated>,
}

/// What came of evaluating a condition.
#[derive(Debug, Default)]
pub(super) struct Evaluated {
    /// It had a value once.
    had_value: bool,
    /// Why it had none.
    error: Option<String>,
}

/// How to look for an answer.
pub(super) struct Plan {
    pub(super) strategy: Strategy,
    pub(super) inputs: u32,
    pub(super) paths: usize,
    pub(super) deadline: Instant,
}

/// Hears how far an answer has come, and may end it.
pub(super) type Tell<'t> = &'t mut dyn FnMut(SuggestionListing) -> Flow;

impl Inquiry {
    /// Answers the question. `tell` hears what is known so far every now and then, and may end it: what was found by
    /// then is the answer.
    pub fn answer(&self, tell: Tell<'_>) -> SuggestionListing {
        let began = Instant::now();
        let time = self.within.time_ms;
        let time = time.map_or(TIME, |ms| Duration::from_millis(ms.into()));
        let deadline = began + time;
        let mut listing = match &self.question {
            Question::Why { .. } => self.why(deadline, tell),
            Question::Paths => {
                let (mut explored, _) = self.look(self.plan(deadline), usize::MAX, tell);
                let suggestions = borges_concolic::suggest(&mut explored);
                Lister::new(self, &explored).tree(&suggestions)
            }
            Question::Cover => {
                let (explored, _) = self.look(self.plan(deadline), usize::MAX, tell);
                let mut listing = Lister::new(self, &explored).facts();
                listing.cover = Some(super::cover::listing(&self.info, &explored));
                listing
            }
            Question::Bugs => {
                let (explored, _) = self.look(self.plan(deadline), usize::MAX, tell);
                Lister::new(self, &explored).goals()
            }
            Question::Reach { .. } => self.reach(deadline, tell),
        };
        let evaluated = self.evaluated.borrow();
        if let (false, Some(error)) = (evaluated.had_value, &evaluated.error) {
            listing.complete = false;
            listing.unexplored.push(UnexploredReport {
                reason: format!("the condition has no value there: {error}"),
                place: None,
                inputs: Vec::new(),
            });
        }
        listing.question.clone_from(&self.words);
        listing.from = Some(self.from);
        listing.time_ms = u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX);
        listing
    }

    /// The nearest way first; then, with the time that is left, whether there is one with fewer inputs.
    fn reach(&self, deadline: Instant, tell: Tell<'_>) -> SuggestionListing {
        let (explored, cancelled) = self.look(self.plan(deadline), ENOUGH, tell);
        let inputs = |explored: &Explored| {
            let met = explored.paths.iter().filter(|path| self.goal.is_met(path));
            met.filter_map(|path| Some(path.ways.first()?.reads.len()))
                .min()
        };
        let shortest = inputs(&explored);
        let fewer = shortest.and_then(|count| count.checked_sub(1));
        let Some(fewer) = fewer.filter(|_| !cancelled && !explored.is_complete()) else {
            return Lister::new(self, &explored).goals();
        };
        let plan = Plan {
            strategy: Strategy::BreadthFirst,
            inputs: fewer as u32,
            ..self.plan(deadline)
        };
        let (shorter, _) = self.look(plan, 1, tell);
        if inputs(&shorter).is_some() {
            return Lister::new(self, &shorter).goals();
        }
        let mut listing = Lister::new(self, &explored).goals();
        // All that is shorter was looked at: the first is the shortest.
        listing.complete = shorter.is_complete();
        listing
    }

    pub(super) fn plan(&self, deadline: Instant) -> Plan {
        let few = matches!(self.question, Question::Paths | Question::Bugs);
        let most = if few { INPUTS } else { MOST_INPUTS };
        let strategy = match (self.within.order, &self.question, &self.goal) {
            (Some(Order::Depth), ..) => Strategy::DepthFirst,
            (Some(Order::Breadth), ..) => Strategy::BreadthFirst,
            (Some(Order::Random(seed)), ..) => Strategy::Random(seed),
            (Some(Order::Coverage), ..) | (None, Question::Cover, _) => Strategy::CoverageFirst,
            // Where a condition must hold too, the nearest path is not the likeliest.
            (
                None,
                Question::Reach { .. },
                Goal::Places {
                    offsets,
                    condition: None,
                },
            ) => Strategy::Towards(offsets.clone()),
            _ => Strategy::BreadthFirst,
        };
        let usual = match self.question {
            Question::Paths => PATHS,
            _ => MOST_LOOKED_AT,
        };
        Plan {
            strategy,
            inputs: self.within.inputs.unwrap_or(most),
            paths: self.within.paths.map_or(usual, |paths| paths as usize),
            deadline,
        }
    }

    /// Explores until `enough` paths meet the goal, and tells of them meanwhile; whether the caller ended it.
    fn look(&self, plan: Plan, enough: usize, tell: Tell<'_>) -> (Explored, bool) {
        let mut lister = super::listing::Partial::new(self);
        let (mut met, mut cancelled) = (0, false);
        let mut told = Instant::now();
        let explored = self.explore(&self.start, plan, &mut |news| {
            if let News::Found(path) = news
                && self.goal.is_met(path)
            {
                met += 1;
                lister.add(path);
                if met >= enough {
                    return Goes::Stop;
                }
            }
            if let News::Working(progress) = news {
                lister.note(progress);
            }
            if told.elapsed() < TELL {
                return Goes::Continue;
            }
            told = Instant::now();
            match tell(lister.listing()) {
                Flow::Continue => Goes::Continue,
                Flow::Pause => {
                    cancelled = true;
                    Goes::Stop
                }
            }
        });
        (explored, cancelled)
    }

    /// Explores from a state.
    pub(super) fn explore(
        &self,
        start: &Start,
        plan: Plan,
        heard: &mut dyn FnMut(News<'_>) -> Goes,
    ) -> Explored {
        let usual = Bounds::default();
        let mut stops = self.stops.clone();
        stops.extend(self.goal.offsets());
        let bounds = Bounds {
            inputs: plan.inputs,
            events: self.within.events,
            moments: usual.moments,
            steps: self.within.steps.unwrap_or(usual.steps),
            paths: plan.paths,
            rounds: self.within.rounds,
            stops,
            selects_fork: self.within.selects,
        };
        // The name was looked at when the question was asked.
        let solver = solver::named(self.within.solver.as_deref(), SOLVER_TIME).unwrap_or_default();
        let mut observer = |news: News<'_>| match Instant::now() >= plan.deadline {
            true => Goes::Stop,
            false => heard(news),
        };
        match self.goal.condition() {
            Some(condition) => explore_until(
                start,
                bounds,
                plan.strategy,
                solver,
                &mut |machine| self.holds(machine, condition),
                &mut observer,
            ),
            None => explore(start, bounds, plan.strategy, solver, &mut observer),
        }
    }

    /// Whether a condition holds in a state; where it means nothing, it does not.
    fn holds(&self, machine: &Machine, condition: &str) -> bool {
        let offset = machine.location().map(|location| location.offset);
        if !offset.is_some_and(|offset| self.goal.offsets().contains(&offset)) {
            return true;
        }
        let look = Look {
            program: &self.program,
            info: &self.info,
            machine,
        };
        let mut evaluated = self.evaluated.borrow_mut();
        match look.holds(condition) {
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
