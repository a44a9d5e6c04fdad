//! Exploring a device program's states: how far, and what came of it.

use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

use borges_concolic::{
    Bounds, Budget, Comparing, Cut, Device, DeviceState, End, Spent, StateWord, explore_states,
    solver,
};
use borges_multiverse::graph::{Edge, Graph, Limits, NodeId, Pause};

use super::walk::Walk;
use super::{Subject, cuts, words};
use crate::command::Event;
use crate::command::question::{SuggestedInput, UnexploredReport};
use crate::program::OpenError;
use crate::scene::Scene;

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
    /// What to take for anything from the start on: variables of the source, in memory or globals.
    pub anything: Vec<String>,
}

/// States without a bound of the caller's.
const STATES: usize = 1_000_000;
/// Words that are taken for anything.
const MOST_ANYTHING: usize = 64;
/// Time without one.
pub(super) const SECONDS: Duration = Duration::from_secs(10);
/// Instructions between two stops: a loop that reads nothing and lets no time pass ends there.
const STEPS: u64 = 1_000_000;
/// Time for one question to a solver.
const SOLVER_TIME: Duration = Duration::from_secs(5);

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
    /// The file holds no program, or what is to be taken for anything is nothing of it.
    pub(super) fn explore(
        subject: &'f Subject,
        about: &Comparing<'f>,
        options: &StatesOptions,
        (budget, looking): (&'f Budget<'f>, &'f Budget<'f>),
        heard: &dyn Fn(u64),
    ) -> Result<Self, OpenError> {
        let mut about = about.clone();
        for text in &options.anything {
            let words = words::meant(subject, text);
            let words = words.map_err(|message| wrong(&subject.path, message))?;
            about.anything.extend(words);
        }
        if about.anything.len() > MOST_ANYTHING {
            let message =
                format!("at most {MOST_ANYTHING} words of four bytes can be taken for anything");
            return Err(wrong(&subject.path, message));
        }
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
            &about,
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
            for (_, edge) in self.graph.edges_from(node) {
                if nearest[edge.to.0 as usize].0 <= inputs {
                    continue;
                }
                let reads = self.reads_input(&edge);
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

    /// Whether an input is read on a step: where one is asked for, unless the program ends before.
    fn reads_input(&self, edge: &Edge) -> bool {
        let Some(state) = self.graph.state(edge.from) else {
            return false;
        };
        if state.asks().is_none() {
            return false;
        }
        let to = self.graph.state(edge.to);
        if to.is_none_or(|to| to.end().is_none()) {
            return true;
        }
        let ways = self.graph.language().ways(state);
        let way = ways.get(edge.option as usize);
        way.is_none_or(|(way, _)| way.input.is_some())
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

    pub(super) fn word(&self, word: StateWord) -> String {
        let states = self.graph.nodes().filter_map(|node| self.graph.state(node));
        words::named(self.subject, states, word)
    }

    /// The inputs of a run.
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

    /// The most ways on a shortest path to a state.
    pub(super) fn depth(&self) -> u32 {
        self.depth
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
