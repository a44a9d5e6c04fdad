//! A device program's states: all that it can do, for ever.

use std::cell::Cell;
use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use borges_concolic::{
    Bounds, Budget, Comparing, Cut, Device, DeviceState, End, Spent, StateWord, explore_states,
    solver,
};
use borges_multiverse::graph::{Graph, Limits, NodeId, Pause};
use serde::Serialize;

use super::conditions::Conditions;
use super::demands::{Demand, DemandReport};
use super::walk::{Alarm, Check, Walk};
use super::{Subject, answering, cuts, telling, words};
use crate::command::question::{SuggestedInput, UnexploredReport};
use crate::command::{Event, Flow};
use crate::program::OpenError;
use crate::scene::{Scene, place_of};
use crate::values::json;

/// How far to explore a program's states.
#[derive(Clone, Debug, Default)]
pub struct StatesOptions {
    /// The exported function to call; without one, `main` or `_start`.
    pub entry: Option<String>,
    /// States; without a bound, a million.
    pub states: Option<usize>,
    /// Stops on a path; without a bound, any number.
    pub depth: Option<u32>,
    /// Time for all of it; without a bound, ten seconds.
    pub time: Option<Duration>,
    /// Leave out interrupts and timers: that is no complete answer if the program subscribes to some.
    pub without_events: bool,
    /// Who answers what trying values cannot: `none`, `z3`, `bitwuzla`, `cvc5`; without one, the best there is.
    pub solver: Option<String>,
    /// What to say of conditions: expressions of the source. Of [`super::check_program`], its formula says it.
    pub demands: Vec<(Demand, String)>,
}

/// All states of a program, for ever. The names are kept stable.
#[derive(Clone, Debug, Serialize)]
pub struct StatesReport {
    /// The program's file.
    pub program: String,
    /// Hex hash of the module.
    pub hash: String,
    /// The board's name.
    pub board: String,
    /// The function that was called.
    pub entry: String,
    /// The states in which the program asks for an input, or lets time pass again at one place.
    pub states: usize,
    /// The ways between them.
    pub edges: usize,
    /// The most ways on a shortest path to a state.
    pub depth: u32,
    /// Whether these are all, over all values of all inputs, for ever.
    pub complete: bool,
    /// What was taken for anything and mattered: the program may have fewer runs than the graph.
    pub maybe: Vec<String>,
    /// What was taken for anything because it kept the graph from closing; what did not matter has been proved to have no
    /// influence.
    pub anything: Vec<String>,
    /// The traps, nearest first.
    pub traps: Vec<TrapReport>,
    /// What was asked of conditions, in the order of the question.
    pub demands: Vec<DemandReport>,
    /// Whether the program can return.
    pub returns: bool,
    /// What was left out, and why.
    pub unexplored: Vec<UnexploredReport>,
    /// Time it took.
    pub seconds: f64,
    /// Instructions executed.
    pub steps: u64,
}

/// A trap that some run comes to.
#[derive(Clone, Debug, Serialize)]
pub struct TrapReport {
    /// What is wrong.
    pub what: String,
    /// Where.
    #[serde(rename = "where")]
    pub place: String,
    /// Inputs of a shortest way to it.
    pub inputs: u32,
    /// Whether a run that comes to it was found and run; if not, it is what values that were taken for anything may do.
    pub certain: bool,
    /// The inputs of such a run.
    pub run: Vec<SuggestedInput>,
    /// Their answers, as data.
    pub answers: Vec<serde_json::Value>,
}

/// States without a bound of the caller's.
const STATES: usize = 1_000_000;
/// Time without one.
pub(super) const SECONDS: Duration = Duration::from_secs(10);
/// Instructions between two stops: a loop that reads nothing and lets no time pass ends there.
const STEPS: u64 = 1_000_000;
/// Time for one question to a solver.
const SOLVER_TIME: Duration = Duration::from_secs(5);

/// Explores all states of a program, from its start on.
///
/// `observer` hears how far it has come and may end it: what was found by then is reported.
///
/// # Errors
/// [`OpenError`]: the program does not open, or a demand means nothing.
pub fn states_of_program(
    path: &Path,
    board: Option<&Path>,
    options: &StatesOptions,
    observer: &mut dyn FnMut(Event) -> Flow,
) -> Result<StatesReport, OpenError> {
    let subject = subject_of(path, board, options)?;
    let texts: Vec<String> = options
        .demands
        .iter()
        .map(|(_, text)| text.clone())
        .collect();
    let conditions = Conditions::new(&subject, &texts);
    let conditions = conditions.map_err(|message| wrong(path, message))?;
    let began = Instant::now();
    let clock = || began.elapsed();
    let states = Cell::new(0);
    let heard = telling(observer, &clock, |_| progress(states.get()));
    let time = options.time.unwrap_or(SECONDS);
    let budget = Budget::new(time, &clock, &heard);
    let looking = budget.part(90);
    let about = Comparing {
        watched: (!texts.is_empty()).then_some(&conditions),
        ..Comparing::default()
    };
    let found = Found::explore(&subject, &about, options, (&budget, &looking), &|known| {
        states.set(known);
    })?;
    let mut report = found.report(clock);
    let nearest = found.inputs();
    let demanded = (0..).zip(&options.demands);
    report.demands = demanded
        .map(|(number, (demand, _))| found.demanded(&conditions, *demand, number, &nearest))
        .collect();
    report.seconds = clock().as_secs_f64();
    Ok(report)
}

/// The program that is asked about.
pub(super) fn subject_of(
    path: &Path,
    board: Option<&Path>,
    options: &StatesOptions,
) -> Result<Subject, OpenError> {
    let named = solver::named(options.solver.as_deref(), SOLVER_TIME);
    named.map_err(|message| wrong(path, message))?;
    Subject::open(path, board, options.entry.as_deref())
}

/// Something that cannot be asked of a program.
pub(super) fn wrong(path: &Path, message: String) -> OpenError {
    let path = path.to_owned();
    OpenError::Session { path, message }
}

/// So many states are known.
pub(super) fn progress(states: u64) -> Event {
    Event::Progress {
        what: "states".to_owned(),
        done: states,
        total: None,
    }
}

/// What an exploration found.
pub(super) struct Found<'f> {
    pub(super) subject: &'f Subject,
    pub(super) graph: Graph<Device<'f>>,
    pub(super) budget: &'f Budget<'f>,
    depth: u32,
    pause: Pause,
    spent: Option<Spent>,
    limits: Limits,
    time: Duration,
}

impl<'f> Found<'f> {
    /// Explores. Of the two budgets, the first is for all that is done, the second for exploring alone.
    ///
    /// # Errors
    /// The file holds no program.
    pub(super) fn explore(
        subject: &'f Subject,
        about: &Comparing<'f>,
        options: &StatesOptions,
        (budget, looking): (&'f Budget<'f>, &'f Budget<'f>),
        heard: &dyn Fn(u64),
    ) -> Result<Self, OpenError> {
        let bounds = Bounds {
            steps: STEPS,
            events: (!options.without_events).then_some(u32::MAX),
            ..Bounds::default()
        };
        let limits = Limits {
            states: options.states.unwrap_or(STATES),
            depth: options.depth.unwrap_or(u32::MAX),
        };
        let explored = explore_states(
            &subject.start,
            &bounds,
            // The name was looked at before.
            &|| solver::named(options.solver.as_deref(), SOLVER_TIME).unwrap_or_default(),
            about,
            &limits,
            looking,
            &mut |known| heard(known as u64),
        );
        let nothing = || wrong(&subject.path, "the file holds no program".to_owned());
        let (exploration, pause) = explored.ok_or_else(nothing)?;
        Ok(Found {
            subject,
            depth: exploration.progress().depth,
            graph: exploration.into_graph(),
            pause,
            budget,
            spent: looking.spent(),
            limits,
            time: options.time.unwrap_or(SECONDS),
        })
    }

    fn report(&self, clock: impl Fn() -> Duration) -> StatesReport {
        let nearest = self.inputs();
        let state = |node: NodeId| self.graph.state(node).and_then(DeviceState::end);
        let mut trapped: Vec<(u32, NodeId)> = self
            .graph
            .nodes()
            .filter(|node| matches!(state(*node), Some(End::Trapped(..))))
            .map(|node| (nearest[node.0 as usize].0, node))
            .collect();
        trapped.sort_unstable();
        let tidying = answering::tidying(self.budget);
        let traps = trapped.iter().filter_map(|(inputs, node)| {
            let end = state(*node)?;
            Some(self.trap(end, *inputs, &self.way_to(*node, &nearest), &tidying))
        });
        let traps: Vec<TrapReport> = traps.collect();
        let mut unexplored = self.left_out();
        let anything = self.graph.language().anything();
        let maybe = self.graph.language().maybe();
        let maybe: Vec<String> = maybe.into_iter().map(|word| self.word(word)).collect();
        if maybe.is_empty() && traps.iter().any(|trap| !trap.certain) {
            unexplored.extend(cuts::for_want_of_time(
                1,
                "which leads to a trap and was not run",
            ));
        }
        let program = &self.subject.program;
        StatesReport {
            program: self.subject.path.display().to_string(),
            hash: format!("{:016x}", program.module.hash()),
            board: program.board.name.to_string(),
            entry: self.subject.entry.clone(),
            states: self.states(),
            edges: self.graph.edge_count(),
            depth: self.depth,
            complete: self.holds_all() && unexplored.is_empty() && maybe.is_empty(),
            demands: Vec::new(),
            maybe,
            anything: anything.iter().map(|word| self.word(*word)).collect(),
            traps,
            returns: self
                .graph
                .nodes()
                .any(|node| state(node) == Some(&End::Returned)),
            unexplored,
            seconds: clock().as_secs_f64(),
            steps: self.graph.language().steps(),
        }
    }

    /// The states that are no ends.
    pub(super) fn states(&self) -> usize {
        let states = self.graph.nodes().filter_map(|node| self.graph.state(node));
        states.filter(|state| state.end().is_none()).count()
    }

    /// Whether every run of the program is one of the graph's: it may have more.
    pub(super) fn holds_all(&self) -> bool {
        self.pause == Pause::Complete
            && !self.graph.language().is_cut()
            && self.left_out().is_empty()
    }

    /// For every state: the fewest inputs on a way to it, and where the last of its steps comes from.
    pub(super) fn inputs(&self) -> Vec<(u32, Option<NodeId>)> {
        let mut nearest = vec![(u32::MAX, None); self.graph.len()];
        nearest[0].0 = 0;
        let mut queue = VecDeque::from([NodeId::ROOT]);
        while let Some(node) = queue.pop_front() {
            let (inputs, _) = nearest[node.0 as usize];
            let ways = self
                .graph
                .state(node)
                .map(|state| self.graph.language().ways(state));
            for (_, edge) in self.graph.edges_from(node) {
                let way = ways
                    .as_ref()
                    .and_then(|ways| ways.get(edge.option as usize));
                let reads = way.is_some_and(|way| way.input.is_some());
                let there = inputs.saturating_add(u32::from(reads));
                let known = &mut nearest[edge.to.0 as usize];
                if there < known.0 {
                    *known = (there, Some(node));
                    // Those without an input come first.
                    match reads {
                        true => queue.push_back(edge.to),
                        false => queue.push_front(edge.to),
                    }
                }
            }
        }
        nearest
    }

    /// The states on a nearest way.
    pub(super) fn way_to(
        &self,
        end: NodeId,
        nearest: &[(u32, Option<NodeId>)],
    ) -> Vec<DeviceState> {
        let before = |node: &NodeId| nearest[node.0 as usize].1;
        let nodes = std::iter::successors(Some(end), before);
        let mut states: Vec<DeviceState> = nodes
            .filter_map(|node| self.graph.state(node).cloned())
            .collect();
        states.reverse();
        states
    }

    fn trap(
        &self,
        end: &End,
        inputs: u32,
        way: &[DeviceState],
        tidying: &Budget<'_>,
    ) -> TrapReport {
        let info = &self.subject.info;
        let (trap, at) = match end {
            End::Trapped(trap, at) => (trap.to_string(), *at),
            _ => (String::new(), None),
        };
        let run = self.graph.language().run_through(way, tidying);
        let walk = run.as_ref().and_then(Walk::of);
        let checked = walk.and_then(|walk| Some((self.checked(&walk, tidying)?, walk)));
        let certain = checked.is_some();
        let (alarm, walk) = checked.unzip();
        let alarm = alarm.unwrap_or_default();
        let place = alarm.at.or(at);
        TrapReport {
            what: match alarm.words {
                Some(words) => format!("{trap}: {words}"),
                None => trap,
            },
            place: place.map_or_else(String::new, |at| place_of(info, at)),
            inputs,
            certain,
            run: walk
                .as_ref()
                .map(|walk| self.reads(walk))
                .unwrap_or_default(),
            answers: walk
                .map(|walk| walk.answers.into_iter().map(json).collect())
                .unwrap_or_default(),
        }
    }

    /// What a run that leads to a trap says there, if it does when it is run.
    fn checked(&self, walk: &Walk<'_>, tidying: &Budget<'_>) -> Option<Alarm> {
        let subject = self.subject;
        match walk.check(&subject.program, &subject.info, &subject.start, tidying) {
            Check::True(alarm) => Some(alarm.unwrap_or_default()),
            Check::Untrue | Check::Unknown => None,
        }
    }

    pub(super) fn reads(&self, walk: &Walk<'_>) -> Vec<SuggestedInput> {
        let scene = Scene {
            program: &self.subject.program,
            info: &self.subject.info,
            machine: &self.subject.start.machine,
        };
        walk.choices()
            .map(|choice| choice.suggested(scene))
            .collect()
    }

    pub(super) fn word(&self, word: StateWord) -> String {
        let states = self.graph.nodes().filter_map(|node| self.graph.state(node));
        words::named(self.subject, states, word)
    }

    /// Everything that was left out: never empty if the graph is not complete.
    pub(super) fn left_out(&self) -> Vec<UnexploredReport> {
        let device = self.graph.language();
        let info = &self.subject.info;
        let mut all = Vec::new();
        let left = match self.pause {
            Pause::Complete | Pause::Halted => None,
            Pause::Cancelled if self.spent == Some(Spent::Cancelled) => {
                Some(("cancelled", "it was ended by the user".to_owned()))
            }
            Pause::Cancelled => {
                let seconds = self.time.as_secs_f64();
                Some(("time", format!("the time of {seconds} s")))
            }
            Pause::Depth => Some((
                "depth",
                format!("the bound of {} ways on a path", self.limits.depth),
            )),
            Pause::States | Pause::Full => Some((
                "states",
                format!("the bound of {} states: raise --states", self.limits.states),
            )),
        };
        all.extend(left.map(|(bound, words)| cuts::bound_report(bound, words)));
        let steps = |node: &NodeId| {
            self.graph.state(*node).and_then(DeviceState::end) == Some(&End::Cut(Cut::Steps))
        };
        if self.graph.nodes().any(|node| steps(&node)) {
            let words = format!(
                "somewhere {STEPS} instructions run without an input, and without a wait at the same place twice"
            );
            all.push(cuts::bound_report("instructions", words));
        }
        let unexplored = device.unexplored();
        all.extend(unexplored.iter().map(|left| cuts::single(info, left)));
        all
    }
}
