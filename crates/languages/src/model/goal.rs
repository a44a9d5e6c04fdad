//! What a program is held to: goals with a verdict, for scripts.

use std::collections::BTreeSet;

use borges_multiverse::graph::{EdgeId, Graph, NodeId};
use borges_multiverse::language::Verdict;
use serde::Serialize;

use super::debug::Refused;
use super::report::Step;
use super::reported::Reported;
use super::{Model, judge};
use crate::predicate::{Predicate, PredicateError};

/// What a program is held to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    text: String,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// Every run ends, or there is an end, and each end satisfies it.
    Ends(Predicate),
    /// No state that a run comes to satisfies it.
    Never(Predicate),
    /// No run ends so.
    NoEnd(Verdict),
    /// No two steps race.
    NoRace,
}

/// What became of a goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The goal in the user's words.
    pub goal: String,
    /// Whether the program keeps to it; unknown where nothing speaks against it but not everything was explored.
    pub holds: Option<bool>,
    /// What speaks against it: the end or state.
    pub found: Option<String>,
    /// Its number in the graph.
    pub state: Option<u32>,
    /// A shortest way there.
    pub trace: Vec<Step>,
    /// The pairs of steps that race, those of the same two places of the source once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub races: Vec<[Step; 2]>,
}

impl Goal {
    /// Every outcome satisfies a predicate.
    ///
    /// # Errors
    /// It is no predicate about this program.
    pub fn expect(model: &Model, text: &str) -> Result<Self, PredicateError> {
        Ok(Self {
            text: format!("expect {text}"),
            what: What::Ends(model.program().predicate(text)?),
        })
    }

    /// No run comes to a `deadlock`, gets `stuck`, has a `failed` assertion, comes to a `race`, or to a state that
    /// satisfies a predicate.
    ///
    /// # Errors
    /// It is neither.
    pub fn forbid(model: &Model, text: &str) -> Result<Self, PredicateError> {
        let what = match text.trim() {
            "deadlock" => What::NoEnd(Verdict::Deadlock),
            "stuck" => What::NoEnd(Verdict::Stuck),
            "failed" => What::NoEnd(Verdict::Failed),
            "race" => What::NoRace,
            other => What::Never(model.program().predicate(other)?),
        };
        let text = format!("forbid {text}");
        Ok(Self { text, what })
    }

    /// What the known part of a graph says.
    pub(super) fn judge<P: Reported>(
        &self,
        graph: &Graph<P>,
        complete: bool,
        way: impl Fn(NodeId) -> Vec<Step>,
        step: impl Fn(EdgeId) -> Option<Step>,
    ) -> Result<Finding, Refused> {
        if let What::Ends(predicate) | What::Never(predicate) = &self.what {
            let names = predicate.names().into_iter();
            let names = names.map(|(kind, name)| (kind, name.to_owned()));
            judge::ever(graph, names.collect())?;
        }
        let holds = |predicate: &Predicate, node: NodeId| {
            let state = graph.state(node);
            state.is_some_and(|state| predicate.holds(graph.language(), state))
        };
        let mut races = Vec::new();
        let against = match &self.what {
            What::NoRace => {
                let first;
                (first, races) = racing(graph, step);
                first.map(|node| (node, Vec::new()))
            }
            What::Ends(predicate) => graph.nearest(NodeId::ROOT, |node| {
                graph.is_end(node) && !holds(predicate, node)
            }),
            What::Never(predicate) => graph.nearest(NodeId::ROOT, |node| holds(predicate, node)),
            What::NoEnd(verdict) => graph.nearest(NodeId::ROOT, |node| {
                let outcome = graph.outcome(node);
                outcome.is_some_and(|outcome| outcome.verdict == *verdict)
            }),
        };
        let node = against.map(|(node, _)| node);
        let endless = matches!(self.what, What::Ends(_)) && graph.ends().next().is_none();
        let found = match node {
            Some(_) if !races.is_empty() => Some(match races.len() {
                1 => "two steps can come in either order, and it matters".to_owned(),
                pairs => format!("{pairs} pairs of steps can come in either order, and it matters"),
            }),
            Some(node) => match graph.outcome(node) {
                Some(outcome) => Some(outcome.to_string()),
                None => graph.state(node).map(|state| graph.language().show(state)),
            },
            None if endless && complete => Some("no run ends, so there is no outcome".to_owned()),
            None => None,
        };
        Ok(Finding {
            goal: self.text.clone(),
            holds: match (&found, complete) {
                (Some(_), _) => Some(false),
                (None, true) => Some(true),
                (None, false) => None,
            },
            found,
            state: node.map(|node| node.0),
            trace: node.map(way).unwrap_or_default(),
            races,
        })
    }
}

/// Where two steps stand in the source, or what they do if they stand nowhere.
fn places(one: &Step, other: &Step) -> [String; 2] {
    let mut places = [one, other].map(|step| match (step.line, step.column) {
        (Some(line), Some(column)) => format!("{line}:{column}"),
        _ => step.text.clone(),
    });
    places.sort();
    places
}

/// Where steps race first, and the pairs that do.
fn racing<P: Reported>(
    graph: &Graph<P>,
    step: impl Fn(EdgeId) -> Option<Step>,
) -> (Option<NodeId>, Vec<[Step; 2]>) {
    let (mut known, mut first, mut races) = (BTreeSet::new(), None, Vec::new());
    for node in graph.nodes() {
        let pairs = graph
            .state(node)
            .map(|state| graph.language().racing(state));
        for options in pairs.into_iter().flatten() {
            let edge = |option| {
                let mut edges = graph.edges_from(node);
                edges.find_map(|(id, edge)| (edge.option == option).then_some(id))
            };
            let [Some(one), Some(other)] = options.map(|option| step(edge(option)?)) else {
                continue;
            };
            if known.insert(places(&one, &other)) {
                first.get_or_insert(node);
                races.push([one, other]);
            }
        }
    }
    (first, races)
}
