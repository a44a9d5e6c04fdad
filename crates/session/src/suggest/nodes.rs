//! A tree of paths as data, for other programs.

use borges_concolic::Delivered;
use serde::Serialize;

use super::walk;

/// A node of the tree: an input with its options, events that may arrive, or an end.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TreeReport {
    /// The input that is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<InputReport>,
    /// What it may answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<OptionReport>>,
    /// What else it may answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<RestReport>,
    /// Instead of an input: the events that may arrive before the next one, and that none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<ArrivalReport>>,
    /// How the path ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<EndReport>,
}

/// An input.
#[derive(Clone, Debug, Serialize)]
pub struct InputReport {
    /// The primitive's name.
    pub primitive: String,
    /// Its arguments.
    pub args: Vec<serde_json::Value>,
    /// If it is one of the bytes that the call puts into memory, its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte: Option<u32>,
    /// Instructions retired before it.
    pub step: u64,
}

/// An answer of an input.
#[derive(Clone, Debug, Serialize)]
pub struct OptionReport {
    /// The representative.
    pub value: serde_json::Value,
    /// The values that can stand in for it, as closed intervals: with each of them, all paths behind it stay as they
    /// are; with no other do they all.
    pub set: Vec<[serde_json::Value; 2]>,
    /// The same in words.
    pub shown: String,
    /// Whether the set is all there is; if not, it took too long to find all.
    pub exact: bool,
    /// The input that is read next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subtree: Option<Box<TreeReport>>,
    /// Or the end of the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<EndReport>,
}

/// Answers of an input that stand in for no option: each keeps some of the paths behind one, not all.
#[derive(Clone, Debug, Serialize)]
pub struct RestReport {
    /// These, as closed intervals.
    pub set: Vec<[serde_json::Value; 2]>,
    /// The same in words.
    pub shown: String,
    /// The representatives of the options whose paths some of them keep.
    pub options: Vec<serde_json::Value>,
}

/// An event that arrives.
#[derive(Clone, Debug, Serialize)]
pub struct EventReport {
    /// `pin N` or `timer`.
    pub source: String,
    /// The handler, as an index into the program's table.
    pub handler: u32,
    /// Instructions retired before it.
    pub step: u64,
}

impl From<&Delivered> for EventReport {
    fn from(delivered: &Delivered) -> Self {
        EventReport {
            source: walk::source(delivered),
            handler: delivered.event.handler,
            step: delivered.step,
        }
    }
}

/// An event that may arrive, or none, with what follows.
#[derive(Clone, Debug, Serialize)]
pub struct ArrivalReport {
    /// The event; nothing if none arrives before the next input.
    pub event: Option<EventReport>,
    /// The input that is read next, or further events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subtree: Option<Box<TreeReport>>,
    /// Or the end of the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<EndReport>,
}

/// How a path ended, in words.
#[derive(Clone, Debug, Serialize)]
pub struct Ending {
    /// `returned`, `trapped`, `stopped` (at the given place), `inputs` (it would read one more than the bound), or
    /// `cut` (by another bound).
    pub kind: &'static str,
    /// Which trap, or what cut it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where in the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// How a path ended, and what it took.
#[derive(Clone, Debug, Serialize)]
pub struct EndReport {
    /// In words.
    #[serde(flatten)]
    pub ending: Ending,
    /// The path's number, from 0.
    pub path: usize,
    /// What its inputs answer, in order.
    pub inputs: Vec<serde_json::Value>,
    /// The events that arrive on it, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventReport>,
    /// What depends on inputs: a branch's offset and what was taken, or the offset of an instruction that was executed
    /// for one value at a time, and the value.
    pub branches: Vec<[u32; 2]>,
}
