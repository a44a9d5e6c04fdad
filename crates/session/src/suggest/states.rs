//! A device program's states: all that it can do, for ever.

use std::path::Path;

use borges_concolic::{Budget, Comparing, DeviceState, End, Passing};
use borges_multiverse::graph::NodeId;
use serde::Serialize;

use super::conditions::Conditions;
use super::demands::{Demand, DemandReport};
use super::exploring::{Found, Nearest, StatesOptions, subject_of, within, wrong};
use super::walk::{Alarm, Check, Walk};
use super::{ProgramNames, answering, cuts};
use crate::command::question::{SuggestedInput, UnexploredReport};
use crate::command::{Event, Flow};
use crate::program::OpenError;
use crate::scene::place_of;
use crate::values::json;

/// All states of a program, for ever. The names are kept stable.
#[derive(Clone, Debug, Serialize)]
pub struct StatesReport {
    /// The program.
    #[serde(flatten)]
    pub about: ProgramNames,
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
    demands: &[(Demand, String)],
    observer: &mut dyn FnMut(Event) -> Flow,
) -> Result<StatesReport, OpenError> {
    let subject = subject_of(path, board, options)?;
    let texts: Vec<String> = demands.iter().map(|(_, text)| text.clone()).collect();
    let conditions = Conditions::new(&subject, &texts);
    let conditions = conditions.map_err(|message| wrong(path, message))?;
    within(options, observer, 90, |effort| {
        let about = Comparing {
            watched: (!texts.is_empty()).then_some(&conditions),
            ..Comparing::default()
        };
        let found = Found::explore(&subject, &about, options, effort)?;
        let nearest = Nearest::new(&found.graph);
        let mut report = found.report(&nearest);
        let demanded = (0..).zip(demands);
        report.demands = demanded
            .map(|(number, (demand, _))| found.demanded(&conditions, *demand, number, &nearest))
            .collect();
        report.seconds = effort.seconds();
        Ok(report)
    })
}

impl Found<'_> {
    /// All but what was asked of conditions, and the time it took.
    fn report(&self, nearest: &Nearest) -> StatesReport {
        let end = |node: NodeId| self.graph.state(node).and_then(DeviceState::end);
        let trapped = self.where_is(nearest, |state| {
            matches!(state.end(), Some(End::Trapped(..)))
        });
        let tidying = answering::tidying(self.budget);
        // One end is several states where conditions differ in it.
        let mut traps: Vec<(&End, TrapReport)> = Vec::new();
        for (inputs, node) in trapped {
            let Some(end) = end(node) else { continue };
            let known = traps.iter().position(|(known, _)| *known == end);
            if known.is_some_and(|at| traps[at].1.certain) {
                continue;
            }
            let report = self.trap(end, inputs, &nearest.way_to(&self.graph, node), &tidying);
            match known {
                None => traps.push((end, report)),
                Some(at) if report.certain => traps[at].1 = report,
                Some(_) => {}
            }
        }
        let traps: Vec<TrapReport> = traps.into_iter().map(|(_, report)| report).collect();
        let mut unexplored = self.unexplored.clone();
        let maybe = self.maybe();
        if maybe.is_empty() && traps.iter().any(|trap| !trap.certain) {
            unexplored.extend(cuts::for_want_of_time(
                1,
                "which leads to a trap and was not run",
            ));
        }
        let language = self.graph.language();
        StatesReport {
            about: self.subject.named(),
            states: self.states(),
            edges: self.graph.edge_count(),
            depth: self.depth,
            complete: self.holds_all() && unexplored.is_empty() && maybe.is_empty(),
            demands: Vec::new(),
            maybe,
            anything: self.words(language.anything()),
            traps,
            returns: self
                .graph
                .nodes()
                .any(|node| end(node) == Some(&End::Returned)),
            unexplored,
            seconds: 0.0,
            steps: language.steps(),
        }
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
        let run = self
            .graph
            .language()
            .run_through(way, Passing::Nothing, tidying);
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
}
