//! The report of an exploration.

use std::collections::BTreeMap;

use borges_multiverse::graph::Pause;
use borges_multiverse::language::Label;
use serde::Serialize;

use super::debug::Refused;
use super::goal::Finding;
use crate::datum::Datum;
use crate::source;

/// What an exploration found. Its JSON is a contract: fields are added, never changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The language.
    pub language: &'static str,
    /// What a step was: `rule` or `visible`.
    pub grain: &'static str,
    /// How runs were left out: `none` (all were followed, equal states merged) or `dpor` (one run
    /// of each class).
    pub reduction: &'static str,
    /// When messages between actors arrived: `immediate`, `fifo` or `unordered`.
    pub delivery: &'static str,
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
    /// Where a breakpoint was met that the exploration went toward; left out if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub met: Option<Met>,
    /// What became of the goals; left out if there were none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<Finding>,
    /// A goal about what no state had.
    #[serde(skip)]
    pub refused: Option<Refused>,
}

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

/// Why an exploration is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Why {
    /// The limit of states was reached.
    States,
    /// The limit of depth was reached.
    Depth,
    /// It was cancelled.
    Cancelled,
    /// The time was used up.
    Time,
    /// It came to the breakpoint that it looked for.
    Met,
}

impl Report {
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

impl Why {
    /// Why an exploration that paused so knows less than everything.
    pub(super) const fn of(pause: Pause) -> Option<Self> {
        match pause {
            Pause::Complete => None,
            Pause::Depth => Some(Self::Depth),
            Pause::States | Pause::Full => Some(Self::States),
            Pause::Cancelled => Some(Self::Cancelled),
        }
    }
}

/// An outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct End {
    /// `finished`, `stuck` or `deadlock`.
    pub kind: &'static str,
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

/// A step of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Step {
    /// Who takes it.
    pub agent: String,
    /// The rule.
    pub rule: &'static str,
    /// What it does.
    pub text: String,
    /// Where in the source, from 1.
    pub line: Option<u32>,
    /// The column there.
    pub column: Option<u32>,
    /// Its position among what could happen, from 0.
    pub option: u32,
    /// How many things could happen.
    pub options: u32,
    /// How many rules it stands for.
    pub rules: u64,
}

impl Step {
    /// A step of `agent`, of the program with this text: the `option`th of so many, which stands for so many rules.
    pub(super) fn new(
        text: &str,
        agent: String,
        label: Label,
        (option, options): (usize, usize),
        rules: u64,
    ) -> Self {
        let at = label.span.map(|span| source::position(text, span.start));
        Self {
            agent,
            rule: label.rule,
            text: label.text,
            line: at.map(|at| at.line),
            column: at.map(|at| at.column),
            // There are fewer than 2^32 options: their list is in memory.
            option: option as u32,
            options: options as u32,
            rules,
        }
    }
}
