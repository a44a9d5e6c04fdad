//! What is known of all runs of a program, for ever: data for every face.

use serde::{Deserialize, Serialize};

/// The program that a report is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct ProgramNames {
    /// Its file.
    pub program: String,
    /// Hex hash of the module: what is said of it depends on how it was compiled.
    pub hash: String,
    /// The board's name.
    pub board: String,
    /// The function that was called.
    pub entry: String,
}

/// All states of a program, for ever. The names are kept stable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct StatesReport {
    /// The program.
    #[serde(flatten)]
    pub about: ProgramNames,
    /// The states in which the program asks for an input, or lets time pass again at one place.
    pub states: usize,
    /// The ways between them.
    pub edges: usize,
    /// Those of them that only some of the values take that a state stands for, as far as is known: two in a row need not be
    /// one run.
    pub partial: usize,
    /// The most ways on a shortest path to a state.
    pub depth: u32,
    /// Whether these are all, over all values of all inputs, for ever.
    pub complete: bool,
    /// What was taken for anything and mattered: the program may have fewer runs than the graph.
    pub maybe: Vec<String>,
    /// Why that was taken for anything although it matters: what came of comparing it, if that was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
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
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub steps: u64,
}

/// One run for each class of orders in which a program and its interrupts can act. The names are kept stable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrdersReport {
    /// The program.
    #[serde(flatten)]
    pub about: ProgramNames,
    /// So many events come from each source at most.
    pub arrivals: u32,
    /// Classes of runs that end: those of one differ only in the order of steps that touch different things.
    pub classes: u64,
    /// Runs that were given up where they came to a state again: where there are some, the program has runs that never end.
    pub rounds: u64,
    /// Whether these are all.
    pub complete: bool,
    /// The traps, by the first run that came to each.
    pub traps: Vec<TrapReport>,
    /// Whether the program can return.
    pub returns: bool,
    /// What was left out, and why.
    pub unexplored: Vec<UnexploredReport>,
    /// Time it took.
    pub seconds: f64,
    /// Steps of the program and its handlers that were taken for it.
    pub turns: u64,
}

/// A trap that some run comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
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
    #[cfg_attr(feature = "typescript", ts(type = "unknown[]"))]
    pub answers: Vec<serde_json::Value>,
}

/// What is asked of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Demand {
    /// It must hold in no state.
    Never,
    /// It must hold in every state in which it means something.
    Always,
    /// A way to a state in which it holds is looked for.
    Toward,
    /// A limit of the board, which nobody has to ask for: no call must break it.
    Limit,
}

impl Demand {
    /// Those that can be asked for, as users say them.
    pub const NAMED: [(&str, Self); 3] = [
        ("never", Self::Never),
        ("always", Self::Always),
        ("toward", Self::Toward),
    ];

    /// What is asked of a condition.
    pub fn of(self, condition: impl Into<String>) -> Demanded {
        Demanded {
            demand: self,
            condition: condition.into(),
        }
    }

    /// What a condition comes to in a state that decides what is demanded of it.
    pub(crate) const fn decided_by(self) -> bool {
        !matches!(self, Self::Always)
    }
}

/// A demand on a condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Demanded {
    /// What must be.
    pub demand: Demand,
    /// Of this: an expression of the source, or a call.
    pub condition: String,
}

impl Demanded {
    /// `never heat && door`; nothing where that is not said of a condition.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (name, condition) = text.trim().split_once(char::is_whitespace)?;
        let (_, demand) = Demand::NAMED.iter().find(|(known, _)| *known == name)?;
        Some(demand.of(condition.trim()))
    }
}

/// What is known of a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Proved {
    /// It is so.
    Holds,
    /// It is not.
    Fails,
    /// There is something that speaks against it, and no run was found that does it.
    Maybe,
    /// Not everything was looked at.
    Unknown,
}

/// What came of a demand. The names are kept stable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct DemandReport {
    /// What was asked.
    pub demand: Demand,
    /// Of what.
    pub condition: String,
    /// Whether it is so; of [`Demand::Toward`], whether there is a way.
    pub verdict: Proved,
    /// The fewest inputs to a state that decides it, if there is one.
    pub inputs: Option<u32>,
    /// The call before which the program stands there, or how it ended.
    #[serde(rename = "where")]
    pub place: Option<String>,
    /// The inputs of such a run: it was made, on the plain VM.
    pub run: Vec<SuggestedInput>,
    /// Their answers, as data.
    #[cfg_attr(feature = "typescript", ts(type = "unknown[]"))]
    pub answers: Vec<serde_json::Value>,
    /// Why it is not known.
    pub note: Option<String>,
}

/// What is known of a formula about all runs of a program. The names are kept stable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct ClaimReport {
    /// The program.
    #[serde(flatten)]
    pub about: ProgramNames,
    /// The formula.
    pub formula: String,
    /// Whether all runs fulfil it.
    pub verdict: Proved,
    /// The inputs of a run that does not, up to where it goes round. It was made, on the plain VM.
    pub prefix: Vec<SuggestedInput>,
    /// Those with which it goes round for ever; none if it ends, or goes round without any.
    pub cycle: Vec<SuggestedInput>,
    /// How that run ends, if it does not go round for ever.
    pub end: Option<String>,
    /// Why it is not known.
    pub note: Option<String>,
    /// The states that were looked at.
    pub states: usize,
    /// The ways between them.
    pub edges: usize,
    /// Those of them that only some of the values take that a state stands for, as far as is known.
    pub partial: usize,
    /// What was taken for anything and mattered: the program may have fewer runs than were looked at.
    pub maybe: Vec<String>,
    /// What was left out, and why.
    pub unexplored: Vec<UnexploredReport>,
    /// Time it took.
    pub seconds: f64,
}

/// An input on a path that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SuggestedInput {
    /// The call.
    pub call: String,
    /// What it answers.
    pub value: String,
}

/// Something that was left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct UnexploredReport {
    /// Why.
    pub reason: String,
    /// Where in the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Inputs that lead there, not past it.
    #[cfg_attr(feature = "typescript", ts(type = "unknown[]"))]
    pub inputs: Vec<serde_json::Value>,
    /// Which bound cut it off, if one did: `paths`, `time`, `inputs`, `steps`, `rounds`, `rules`, `cancelled`, `enough`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
}

impl UnexploredReport {
    /// Whether it was left out because the user ended the search.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.bound.as_deref() == Some("cancelled")
    }
}
