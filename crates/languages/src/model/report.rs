//! The report of an exploration.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use borges_multiverse::graph::Apart;
use borges_multiverse::language::{Verdict, Verdicts};
use serde::{Deserialize, Serialize};

use super::debug::Refused;
use super::goal::Finding;
use super::step::{Delivery, Grain, Reduction, Step, Why};
use crate::datum::Datum;

/// What an exploration found. Its JSON is a contract: fields are added, never changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The language.
    pub language: &'static str,
    /// What a step was: `rule` or `visible`.
    pub grain: Grain,
    /// How runs were left out: `none` (all were followed, equal states merged) or `dpor` (one run
    /// of each class).
    pub reduction: Reduction,
    /// When messages between actors arrived: `immediate`, `fifo` or `unordered`.
    pub delivery: Delivery,
    /// Whether the program was under the stepping debugger: its states are those of the debugger, and
    /// steps are paused and resumed. Left out if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub debugger: bool,
    /// The abstraction through which the program was seen: universes were left out, and other outcomes
    /// may be among them. Left out if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abstraction: Option<String>,
    /// Values that were to be kept and that no state had: names that mean nothing in this program.
    #[serde(skip)]
    pub unmet: Vec<String>,
    /// The number of different states; without merging (`dpor`) the number of states visited.
    pub states: u64,
    /// The number of steps between them; without merging the number of steps taken.
    pub edges: u64,
    /// The number of maximal paths, as a decimal number of any length; none if it is unknown, as
    /// where the program can go round for ever.
    pub paths: Option<String>,
    /// The number of classes of runs that differ in more than the order of independent steps; none
    /// if they were too many to count.
    pub classes: Option<u64>,
    /// Whether everything was explored.
    pub complete: bool,
    /// Why not.
    pub why: Option<Why>,
    /// Whether a run can go on for ever.
    pub cyclic: Option<bool>,
    /// Each outcome once.
    pub ends: Vec<End>,
    /// That states were surveyed, and their graph not kept: then nothing is known of paths and cycles. Left out if not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub survey: Option<SurveyNote>,
    /// Why a survey did not come to say anything; none if it did.
    #[serde(skip)]
    pub apart: Option<Apart>,
    /// The breakpoint that the exploration went toward; left out if it went toward none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toward: Option<String>,
    /// Where that was met first; left out if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub met: Option<Met>,
    /// What became of the goals; left out if there were none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<Finding>,
    /// A goal about what no state had.
    #[serde(skip)]
    pub refused: Option<Refused>,
}

/// What a report says of a survey.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SurveyNote {
    /// How many bits stood for a state.
    pub bits: u32,
    /// How probable it is that two different states had the same ones, and one was not followed.
    pub collision_risk: f64,
    /// How many steps lie between the start and the farthest states.
    pub depth: u32,
    /// How many cores computed.
    pub workers: usize,
    /// How often one of them asked another one whether a state is new.
    pub asks: u64,
    /// Bytes that processes sent to each other.
    pub sent_bytes: u64,
}

/// A number that a calculation gave is equal to itself: it is never one that is none.
impl Eq for SurveyNote {}

/// Where a breakpoint was met first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Met {
    /// The breakpoint.
    pub breakpoint: String,
    /// How many states were known then.
    pub states: u64,
    /// A way there.
    pub trace: Vec<Step>,
}

impl Report {
    /// That a value was to be kept that no state had, in words; none if all had one.
    #[must_use]
    pub fn unmet_in_words(&self) -> Option<String> {
        let name = self.unmet.first()?;
        Some(format!(
            "no state that was explored has anything called '{name}'"
        ))
    }

    /// Takes what became of goals, up to one that is about nothing.
    pub(super) fn hold(&mut self, findings: impl Iterator<Item = Result<Finding, Refused>>) {
        for finding in findings {
            match finding {
                Ok(finding) => self.goals.push(finding),
                Err(refused) => self.refused = Some(refused),
            }
        }
    }
}

/// An outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct End {
    /// How.
    #[serde(flatten)]
    pub how: How,
    /// The printed lines; actor after actor, where there are several.
    pub output: Vec<String>,
    /// The final values: fields of objects, variables, queues; the value of an expression is called
    /// `value`.
    pub values: BTreeMap<String, Datum>,
    /// Who waits or is stuck, and why.
    pub waiting: BTreeMap<String, String>,
    /// The outcome in one line.
    pub text: String,
    /// How many states have it; without merging, how many classes of runs.
    pub states: u64,
    /// A shortest way there (without merging, the shortest that was taken).
    pub trace: Vec<Step>,
}

/// How runs ended, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct How {
    /// The worst: `finished`, `deadlock`, `stuck` or `failed`.
    pub kind: &'static str,
    /// Where agents ended differently, all of them, the worst first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<String>>"))]
    pub verdicts: Vec<&'static str>,
}

impl How {
    /// Whether everybody is done.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.kind == Verdict::Finished.name()
    }
}

impl From<Verdicts> for How {
    fn from(verdicts: Verdicts) -> Self {
        let all: Vec<&str> = verdicts.iter().map(Verdict::name).collect();
        Self {
            kind: verdicts.worst().name(),
            verdicts: if all.len() > 1 { all } else { Vec::new() },
        }
    }
}

impl Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.verdicts.is_empty() {
            true => f.write_str(self.kind),
            false => f.write_str(&self.verdicts.join(" and ")),
        }
    }
}
