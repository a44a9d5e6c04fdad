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
const SECONDS: Duration = Duration::from_secs(10);
/// Instructions between two stops: a loop that reads nothing and lets no time pass ends there.
const STEPS: u64 = 1_000_000;
/// Time for one question to a solver.
const SOLVER_TIME: Duration = Duration::from_secs(5);

/// Explores all states of a program, from its start on.
///
/// `observer` hears how far it has come and may end it: what was found by then is reported.
///
/// # Errors
/// [`OpenError`]: the program does not open.
pub fn states_of_program(
    path: &Path,
    board: Option<&Path>,
    options: &StatesOptions,
    observer: &mut dyn FnMut(Event) -> Flow,
) -> Result<StatesReport, OpenError> {
    if let Err(message) = solver::named(options.solver.as_deref(), SOLVER_TIME) {
        let path = path.to_owned();
        return Err(OpenError::Session { path, message });
    }
    let subject = Subject::open(path, board, options.entry.as_deref())?;
    let began = Instant::now();
    let clock = || began.elapsed();
    let states = Cell::new(0);
    let heard = telling(observer, &clock, |_| Event::Progress {
        what: "states".to_owned(),
        done: states.get(),
        total: None,
    });
    let time = options.time.unwrap_or(SECONDS);
    let budget = Budget::new(time, &clock, &heard);
    let looking = budget.part(90);
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
        &Comparing::default(),
        &limits,
        &looking,
        &mut |known| states.set(known as u64),
    );
    let (exploration, pause) = explored.ok_or_else(|| OpenError::Session {
        path: path.to_owned(),
        message: "the file holds no program".to_owned(),
    })?;
    let depth = exploration.progress().depth;
    let found = Found {
        subject: &subject,
        graph: exploration.into_graph(),
        pause,
        budget: &budget,
        spent: looking.spent(),
        limits,
        time,
    };
    Ok(found.report(depth, clock))
}

/// What an exploration found.
struct Found<'f> {
    subject: &'f Subject,
    graph: Graph<Device<'f>>,
    pause: Pause,
    budget: &'f Budget<'f>,
    spent: Option<Spent>,
    limits: Limits,
    time: Duration,
}

impl Found<'_> {
    fn report(&self, depth: u32, clock: impl Fn() -> Duration) -> StatesReport {
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
            states: self
                .graph
                .nodes()
                .filter(|node| state(*node).is_none())
                .count(),
            edges: self.graph.edge_count(),
            depth,
            complete: self.pause == Pause::Complete
                && !self.graph.language().is_cut()
                && unexplored.is_empty()
                && maybe.is_empty(),
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

    /// For every state: the fewest inputs on a way to it, and where the last of its steps comes from.
    fn inputs(&self) -> Vec<(u32, Option<NodeId>)> {
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
    fn way_to(&self, end: NodeId, nearest: &[(u32, Option<NodeId>)]) -> Vec<DeviceState> {
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

    fn reads(&self, walk: &Walk<'_>) -> Vec<SuggestedInput> {
        let scene = Scene {
            program: &self.subject.program,
            info: &self.subject.info,
            machine: &self.subject.start.machine,
        };
        walk.choices()
            .map(|choice| choice.suggested(scene))
            .collect()
    }

    fn word(&self, word: StateWord) -> String {
        let states = self.graph.nodes().filter_map(|node| self.graph.state(node));
        words::named(self.subject, states, word)
    }

    /// Everything that was left out: never empty if the graph is not complete.
    fn left_out(&self) -> Vec<UnexploredReport> {
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
