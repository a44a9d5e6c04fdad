//! The graph of a program, kept, and questions to it.

use std::any::Any;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use borges_multiverse::graph::{
    EdgeId, Exploration, Graph, Limits, NodeId, Pause, ShortestPaths, Status,
};
use borges_multiverse::heed::{Enough, Impatient, Patient};
use borges_multiverse::language::Outcome;
use serde::{Deserialize, Serialize};

use super::debug::{Judgement, Refused, Watch};
use super::derived::{Derived, cyclic};
use super::explore::is_past;
use super::goal::Judging;
use super::races::Races;
use super::report::How;
use super::reported::Reported;
use super::step::{Step, Why};
use super::{Finding, Goal, Progress, Threads, judge};

/// A question to a graph. States are named by their numbers, outcomes by theirs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// The outcomes, each with the number of its states.
    Ends,
    /// A shortest way to a state.
    Shortest(u32),
    /// A shortest way to each outcome.
    ShortestToEnds,
    /// All states on paths through a state.
    Through(u32),
    /// The nearest state in which a choice rules out one of two outcomes.
    Divergence(u32, u32),
    /// The states from which an outcome can still be reached.
    CanReach(u32),
    /// The states from which all of these can be reached, and the last of them.
    CommonAncestors(Vec<u32>),
    /// The sets of states among which a run can stay for ever.
    Cycles,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// Outcomes.
    Ends(Vec<EndCount>),
    /// Ways, each to a state.
    Ways(Vec<Way>),
    /// States.
    States(Vec<u32>),
    /// Where two outcomes part: the state, and the options after which only the first, only the
    /// second, both, or neither can happen. None if they never do.
    Divergence(Option<Parting>),
    /// All common ancestors, and the last.
    Ancestors {
        /// All.
        all: Vec<u32>,
        /// Those with no step to another.
        last: Vec<u32>,
    },
    /// Sets of states.
    Cycles(Vec<Vec<u32>>),
}

impl Reply {
    /// The states that it names, of each list the first so many.
    #[must_use]
    pub fn states(&self, most: usize) -> Vec<u32> {
        let mut named = Vec::new();
        // Every state is handed in once, and stays what it is.
        let _ = self.renamed(most, &mut |state| {
            named.push(state);
            state
        });
        named
    }

    /// The same answer with other numbers for states, and lists cut to `most`.
    #[must_use]
    pub fn renamed(&self, most: usize, name: &mut dyn FnMut(u32) -> u32) -> Self {
        let mut list = |states: &[u32]| -> Vec<u32> {
            let first = states.iter().take(most);
            first.map(|state| name(*state)).collect()
        };
        match self {
            Self::Ends(ends) => Self::Ends(ends.clone()),
            Self::States(states) => Self::States(list(states)),
            Self::Cycles(cycles) => {
                Self::Cycles(cycles.iter().take(most).map(|cycle| list(cycle)).collect())
            }
            Self::Ancestors { all, last } => Self::Ancestors {
                all: list(all),
                last: list(last),
            },
            Self::Ways(ways) => {
                let mut way = |way: &Way| Way {
                    state: list(&[way.state]).first().copied().unwrap_or(way.state),
                    outcome: way.outcome,
                    steps: way.steps.clone(),
                    through: list(&way.through),
                };
                Self::Ways(ways.iter().map(&mut way).collect())
            }
            Self::Divergence(parting) => Self::Divergence(parting.clone().map(|parting| {
                Parting {
                    state: list(&[parting.state])
                        .first()
                        .copied()
                        .unwrap_or(parting.state),
                    ..parting
                }
            })),
        }
    }
}

/// An outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EndCount {
    /// Its number.
    pub outcome: u32,
    /// How.
    #[serde(flatten)]
    pub how: How,
    /// In one line.
    pub text: String,
    /// How many states have it.
    pub states: u64,
}

/// Where runs end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endings {
    /// The states, each with its outcome's number and how many runs end there; none where `paths` is none.
    pub states: Vec<(u32, u32, Option<String>)>,
    /// How many runs there are; none where they are without number, not everything is known, or counting was stopped.
    pub paths: Option<String>,
}

/// A way to a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Way {
    /// The state.
    pub state: u32,
    /// Its outcome, if it is an end.
    pub outcome: Option<u32>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The states that they leave.
    pub through: Vec<u32>,
}

/// Where two outcomes part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Parting {
    /// The state.
    pub state: u32,
    /// How one gets there.
    pub steps: Vec<Step>,
    /// What can happen there after which only the first outcome can.
    pub first: Vec<Step>,
    /// Only the second.
    pub second: Vec<Step>,
    /// Both.
    pub both: Vec<Step>,
    /// Neither.
    pub neither: Vec<Step>,
}

/// Why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// No such state.
    #[error("there is no state {0}; there are {1}, from 0")]
    State(u32, usize),
    /// No such outcome.
    #[error("there is no outcome {0}; there are {1}, from 0")]
    Outcome(u32, usize),
    /// Whoever waited for it had enough.
    #[error(transparent)]
    Stopped(#[from] Enough),
}

/// A row of the table of states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StateRow {
    /// Its number; 0 is the start.
    pub id: u32,
    /// Steps on a shortest way there.
    pub depth: u32,
    /// The last edge of that way.
    pub via: Option<u32>,
    /// What is known about it.
    pub status: &'static str,
    /// Its outcome, if it is an end.
    pub outcome: Option<u32>,
    /// Which cycle it lies on.
    pub cycle: Option<u32>,
    /// The state in words.
    pub text: Option<String>,
}

/// A row of the table of edges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EdgeRow {
    /// Its number.
    pub id: u32,
    /// The state that it leaves.
    pub source: u32,
    /// The state that it leads to.
    pub target: u32,
    /// The step.
    pub step: Step,
}

/// The graph of a program, explored once and kept.
pub trait Multiverse: Send {
    /// Goes on exploring until done, a limit is reached, or `keep_going` returns false.
    fn explore(&mut self, keep_going: Watch<'_>);

    /// Why not everything is explored; none if it is.
    fn partial(&self) -> Option<Why>;

    /// Whether a breakpoint would halt in some run, and in every run, as far as that was found out before `keep_going`
    /// returned false.
    ///
    /// # Errors
    /// It is no breakpoint of this program.
    fn occurs(&self, spec: &str, keep_going: Watch<'_>) -> Result<Judgement, Refused>;

    /// Whether a temporal formula holds in some run, and in every run, as far as that was found out before `keep_going`
    /// returned false.
    ///
    /// # Errors
    /// It is no formula about this program.
    fn check(&self, formula: &str, keep_going: Watch<'_>) -> Result<Judgement, Refused>;

    /// What races on a way, given by its options, and where it ends; none if there is no such way.
    fn races(&self, options: &[u32]) -> Option<Races>;

    /// The states of a shortest way to a state, without the start.
    fn way_to(&self, state: u32) -> Option<Vec<&dyn Any>>;

    /// The options of that way, each among what could happen.
    fn options_to(&self, state: u32) -> Option<Vec<u32>>;

    /// The number of a state of the language; none if it is not known.
    fn find(&self, state: &dyn Any) -> Option<u32>;

    /// The number of states.
    fn states(&self) -> usize;

    /// Whether there are no others.
    fn is_complete(&self) -> bool;

    /// The outcomes, by their numbers.
    fn ends(&self) -> Vec<EndCount>;

    /// Finds what [`Self::ends`] and the rows of states need of the whole graph; whether `keep_going` let it. What was not
    /// found is found when it is first needed, for as long as that takes.
    fn prepare(&self, keep_going: Watch<'_>) -> bool;

    /// Where runs end. Once `keep_going` returns false, it is not counted on how many there are.
    fn endings(&self, keep_going: Watch<'_>) -> Endings;

    /// Answers a question.
    ///
    /// # Errors
    /// [`NoAnswer`] if there is no such state or outcome, or `keep_going` returned false.
    fn ask(&self, question: &Question, keep_going: Watch<'_>) -> Result<Reply, NoAnswer>;

    /// A state in words; none if there is none of that number.
    fn show(&self, state: u32) -> Option<String>;

    /// How far a state is: the steps of a shortest way there.
    fn depth(&self, state: u32) -> Option<u32>;

    /// A state's status: `expanded` and so on, or the kind of its outcome.
    fn status(&self, state: u32) -> Option<&'static str>;

    /// A state; with words only if asked.
    fn state_row(&self, state: u32, words: bool) -> Option<StateRow>;

    /// The number of edges.
    fn edges(&self) -> usize;

    /// An edge.
    fn edge_row(&self, edge: u32) -> Option<EdgeRow>;

    /// The edges that leave a state.
    fn leaving(&self, state: u32) -> Vec<u32>;
}

/// A graph with what questions need again and again.
pub(super) struct Held<P: Reported> {
    pub(super) text: String,
    pub(super) exploration: Exploration<P>,
    pub(super) limits: Limits,
    pub(super) pause: Pause,
    /// Nothing is done for it any more from then on.
    pub(super) deadline: Option<Instant>,
    pub(super) derived: Derived<P::Value>,
}

/// States that are looked at between two questions whether to go on.
const BEAT: u32 = 8;

/// Whoever ends an exploration wants to know what it found: so long the nearest states are still held to goals.
const GRACE: Duration = Duration::from_millis(4);

impl<P: Reported> Held<P> {
    pub(super) const fn graph(&self) -> &Graph<P> {
        self.exploration.graph()
    }

    fn outcomes(&self) -> &[(Outcome<P::Value>, Vec<NodeId>)] {
        let Ok(outcomes) = self.derived.outcomes(self.graph(), &mut Patient);
        outcomes
    }

    pub(super) fn shortest(&self) -> &ShortestPaths {
        let Ok(shortest) = self.derived.shortest(self.graph(), &mut Patient);
        shortest
    }

    fn node(&self, state: u32) -> Result<NodeId, NoAnswer> {
        let known = (state as usize) < self.graph().len();
        let missing = NoAnswer::State(state, self.graph().len());
        known.then_some(NodeId(state)).ok_or(missing)
    }

    fn outcome(&self, outcome: u32) -> Result<&[NodeId], NoAnswer> {
        let found = self.outcomes().get(outcome as usize);
        let missing = NoAnswer::Outcome(outcome, self.outcomes().len());
        Ok(&found.ok_or(missing)?.1)
    }

    fn outcome_of(&self, node: NodeId) -> Option<u32> {
        let outcome = self.graph().outcome(node)?;
        let outcomes = self.outcomes();
        let at = outcomes.binary_search_by(|(known, _)| known.cmp(&outcome));
        at.ok().map(|at| at as u32)
    }

    fn step(&self, id: EdgeId) -> Option<Step> {
        let edge = self.graph().edge(id)?;
        let state = self.graph().state(edge.from)?;
        let language = self.graph().language();
        let choice = self.graph().choice(id)?;
        let label = language.label(state, &choice);
        let agent = language.agent(state, &choice);
        let option = (
            edge.option as usize,
            self.graph().edges_from(edge.from).len(),
        );
        let agent = language.agent_name(state, &agent);
        Some(Step::new(
            &self.text,
            agent,
            label,
            option,
            edge.steps.into(),
        ))
    }

    pub(super) fn row_of(&self, edge: u32) -> Option<EdgeRow> {
        let step = self.step(EdgeId(edge))?;
        let known = self.graph().edge(EdgeId(edge))?;
        Some(EdgeRow {
            id: edge,
            source: known.from.0,
            target: known.to.0,
            step,
        })
    }

    fn steps(&self, edges: &[EdgeId]) -> Vec<Step> {
        edges.iter().filter_map(|edge| self.step(*edge)).collect()
    }

    fn way(&self, node: NodeId) -> Way {
        let path = self.shortest().path(self.graph(), node).unwrap_or_default();
        let edges = path.iter().filter_map(|edge| self.graph().edge(*edge));
        Way {
            state: node.0,
            outcome: self.outcome_of(node),
            steps: self.steps(&path),
            through: edges.map(|edge| edge.from.0).collect(),
        }
    }

    fn nearest(&self, ends: &[NodeId]) -> Option<NodeId> {
        ends.iter()
            .copied()
            .min_by_key(|end| self.shortest().length(*end).unwrap_or(u32::MAX))
    }

    /// Whether the program keeps to a goal, as far as that was found out before `keep_going` returned false; `complete` if
    /// the graph has all universes that there are.
    pub(super) fn hold_to(
        &self,
        goal: &Goal,
        complete: bool,
        keep_going: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Finding, Refused> {
        let graph = self.graph();
        let mut judging = Judging::new(goal);
        let come = self.come();
        let (mut looked, mut stopped) = (0_u32, None);
        let decided = |node| {
            let Some(state) = graph.state(node) else {
                return false;
            };
            looked += 1;
            if goal.looks_at_steps() && looked.is_multiple_of(BEAT) && !keep_going(&come) {
                let since = stopped.get_or_insert_with(Instant::now);
                if since.elapsed() >= GRACE {
                    return true;
                }
            }
            let step = |option| {
                let mut edges = graph.edges_from(node);
                let edge = edges.find(|(_, edge)| edge.option == option)?;
                self.step(edge.0)
            };
            let (at, outcome) = ((graph.language(), state), graph.outcome(node));
            judging.look(at, outcome.as_ref(), || node, step)
        };
        let Ok(_decided) = graph.nearest(NodeId::ROOT, decided, &mut Patient);
        let complete = complete && stopped.is_none();
        let (finding, node) = judging.finding(complete, graph.len() as u64)?;
        Ok(Finding {
            state: node.map(|node| node.0),
            trace: node.map_or_else(Vec::new, |node| self.way(node).steps),
            ..finding
        })
    }

    pub(super) fn come(&self) -> Progress {
        Progress {
            states: self.graph().len() as u64,
            edges: self.graph().edges().len() as u64,
            ..Progress::default()
        }
    }

    /// What bounded the exploration, or what was asked of it if that was `stopped`; nothing if all is known.
    fn cut(&self, stopped: bool) -> Option<Why> {
        let pause = if stopped {
            Pause::Cancelled
        } else {
            self.pause
        };
        match Why::of(pause) {
            Some(Why::Cancelled) if is_past(self.deadline) => Some(Why::Time),
            why => why,
        }
    }

    /// What faces see of verdicts, which are unknown where the search for them was stopped.
    fn judged(
        &self,
        keep_going: Watch<'_>,
        search: impl FnOnce(&mut dyn FnMut() -> bool) -> Result<judge::Truths, Refused>,
    ) -> Result<Judgement, Refused> {
        let come = self.come();
        let mut stopped = false;
        let truths = search(&mut || {
            stopped = is_past(self.deadline) || !keep_going(&come);
            !stopped
        })?;
        Ok(judge::judgement(self.graph(), truths, self.cut(stopped)))
    }
}

impl<P: Reported<State: 'static>> Multiverse for Held<P> {
    fn states(&self) -> usize {
        self.graph().len()
    }

    fn is_complete(&self) -> bool {
        self.pause == Pause::Complete
    }

    fn explore(&mut self, keep_going: Watch<'_>) {
        let finished = matches!(
            self.pause,
            Pause::Complete | Pause::Depth | Pause::Unfollowed | Pause::Full
        );
        let full = self.pause == Pause::States && self.graph().len() >= self.limits.states;
        if finished || full {
            return;
        }
        let deadline = self.deadline;
        self.pause = self
            .exploration
            .run_on(&Threads::all(), &self.limits, |progress| {
                !is_past(deadline) && keep_going(&progress.into())
            });
        self.derived = Derived::default();
    }

    fn partial(&self) -> Option<Why> {
        self.cut(false)
    }

    fn occurs(&self, spec: &str, keep_going: Watch<'_>) -> Result<Judgement, Refused> {
        let lead = self.graph().language().lead(&self.text, spec)?;
        self.judged(keep_going, |heed| {
            Ok(judge::occurs(self.graph(), &lead, heed))
        })
    }

    fn check(&self, formula: &str, keep_going: Watch<'_>) -> Result<Judgement, Refused> {
        self.judged(keep_going, |heed| judge::check(self.graph(), formula, heed))
    }

    fn races(&self, options: &[u32]) -> Option<Races> {
        self.graph().language().races(&self.text, options)
    }

    fn way_to(&self, state: u32) -> Option<Vec<&dyn Any>> {
        let graph = self.graph();
        let path = self.shortest().path(graph, NodeId(state))?;
        let states = path.iter().map(|edge| {
            let state: &dyn Any = graph.state(graph.edge(*edge)?.to)?;
            Some(state)
        });
        states.collect()
    }

    fn options_to(&self, state: u32) -> Option<Vec<u32>> {
        let graph = self.graph();
        let path = self.shortest().path(graph, NodeId(state))?;
        let options = path.iter().map(|edge| Some(graph.edge(*edge)?.option));
        options.collect()
    }

    fn find(&self, state: &dyn Any) -> Option<u32> {
        let found = self.graph().find(state.downcast_ref()?);
        found.map(|node| node.0)
    }

    fn ends(&self) -> Vec<EndCount> {
        let outcomes = self.outcomes().iter().enumerate();
        let end = |(nth, (outcome, ends)): (usize, &(Outcome<P::Value>, Vec<NodeId>))| EndCount {
            outcome: nth as u32,
            how: outcome.verdicts.into(),
            text: outcome.value.to_string(),
            states: ends.len() as u64,
        };
        outcomes.map(end).collect()
    }

    fn prepare(&self, keep_going: Watch<'_>) -> bool {
        let (graph, come) = (self.graph(), self.come());
        let mut keep_going = || keep_going(&come);
        let heed = &mut Impatient::new(&mut keep_going);
        self.derived.outcomes(graph, heed).is_ok()
            && self.derived.shortest(graph, heed).is_ok()
            && self.derived.cycles(graph, heed).is_ok()
    }

    fn endings(&self, keep_going: Watch<'_>) -> Endings {
        let (graph, come) = (self.graph(), self.come());
        // Of a part there is no number, and looking for one takes long.
        let is_whole = self.partial().is_none();
        let mut keep_going = || keep_going(&come);
        let count = || graph.count_paths(&mut Impatient::new(&mut keep_going));
        let paths = is_whole.then(count).and_then(|counted| counted.ok()?.ok());
        let counted = paths.iter().flat_map(|paths| paths.ends());
        let counts: HashMap<u32, String> = counted
            .map(|(node, paths)| (node.0, paths.to_string()))
            .collect();
        let end = |node: NodeId| {
            let paths = counts.get(&node.0).cloned();
            Some((node.0, self.outcome_of(node)?, paths))
        };
        Endings {
            states: graph.ends().filter_map(end).collect(),
            paths: paths.map(|paths| paths.total().to_string()),
        }
    }

    fn ask(&self, question: &Question, keep_going: Watch<'_>) -> Result<Reply, NoAnswer> {
        let (graph, come) = (self.graph(), self.come());
        let mut keep_going = || keep_going(&come);
        let heed = &mut Impatient::new(&mut keep_going);
        Ok(match question {
            // What was found is told, also by an exploration that was stopped.
            Question::Ends => Reply::Ends(self.ends()),
            Question::Shortest(state) => {
                let node = self.node(*state)?;
                self.derived.shortest(graph, heed)?;
                Reply::Ways(vec![self.way(node)])
            }
            Question::ShortestToEnds => {
                let outcomes = self.derived.outcomes(graph, heed)?.iter();
                self.derived.shortest(graph, heed)?;
                let nearest = outcomes.filter_map(|(_, ends)| self.nearest(ends));
                Reply::Ways(nearest.map(|end| self.way(end)).collect())
            }
            Question::Through(state) => {
                let node = self.node(*state)?;
                let region = graph.through(&graph.predecessors(heed)?, node, heed)?;
                Reply::States(numbers(region.nodes()))
            }
            Question::CanReach(outcome) => {
                let ends = self.outcome(*outcome)?.iter().copied();
                let region = graph.can_reach(&graph.predecessors(heed)?, ends, heed)?;
                Reply::States(numbers(region.nodes()))
            }
            Question::Divergence(first, second) => {
                let (first, second) = (self.outcome(*first)?, self.outcome(*second)?);
                let predecessors = graph.predecessors(heed)?;
                let parting = graph.first_divergence(&predecessors, first, second, heed)?;
                self.derived.shortest(graph, heed)?;
                Reply::Divergence(parting.map(|parting| Parting {
                    state: parting.node.0,
                    steps: self.way(parting.node).steps,
                    first: self.steps(&parting.first),
                    second: self.steps(&parting.second),
                    both: self.steps(&parting.both),
                    neither: self.steps(&parting.neither),
                }))
            }
            Question::CommonAncestors(states) => {
                let nodes = states.iter().map(|state| self.node(*state));
                let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
                let predecessors = graph.predecessors(heed)?;
                let (all, last) = graph.common_ancestors(&predecessors, nodes, heed)?;
                Reply::Ancestors {
                    all: numbers(all.nodes()),
                    last: numbers(last),
                }
            }
            Question::Cycles => {
                let components = graph.components(heed)?;
                let cycles = cyclic(&components).map(|nodes| numbers(nodes.iter().copied()));
                Reply::Cycles(cycles.collect())
            }
        })
    }

    fn show(&self, state: u32) -> Option<String> {
        let state = self.graph().state(NodeId(state))?;
        Some(self.graph().language().show(state))
    }

    fn depth(&self, state: u32) -> Option<u32> {
        self.shortest().length(NodeId(state))
    }

    fn status(&self, state: u32) -> Option<&'static str> {
        let node = NodeId(state);
        let outcome = self.graph().outcome(node);
        let status = outcome.map(|outcome| outcome.verdicts.worst().name());
        status.or_else(|| Some(word(self.graph().status(node)?)))
    }

    fn state_row(&self, state: u32, words: bool) -> Option<StateRow> {
        let node = NodeId(state);
        let status = word(self.graph().status(node)?);
        let shortest = self.shortest();
        let Ok(cycles) = self.derived.cycles(self.graph(), &mut Patient);
        Some(StateRow {
            id: state,
            depth: shortest.length(node).unwrap_or(u32::MAX),
            via: shortest.last_edge(node).map(|edge| edge.0),
            status,
            outcome: self.outcome_of(node),
            cycle: cycles.get(&state).copied(),
            text: words.then(|| self.show(state)).flatten(),
        })
    }

    fn edges(&self) -> usize {
        self.graph().edge_count()
    }

    fn edge_row(&self, edge: u32) -> Option<EdgeRow> {
        self.row_of(edge)
    }

    fn leaving(&self, state: u32) -> Vec<u32> {
        let edges = self.graph().edges_from(NodeId(state));
        edges.map(|(id, _)| id.0).collect()
    }
}

fn numbers(nodes: impl IntoIterator<Item = NodeId>) -> Vec<u32> {
    nodes.into_iter().map(|node| node.0).collect()
}

pub(super) const fn word(status: Status) -> &'static str {
    match status {
        Status::Expanded => "expanded",
        Status::Cut => "cut",
        Status::Waiting => "waiting",
    }
}
