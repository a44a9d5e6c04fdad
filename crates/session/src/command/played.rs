//! Futures that are played out, pictures of many universes, and values at each time that a place was passed: what is
//! asked for, and what comes back.

use serde::{Deserialize, Serialize};

use crate::command::listing::EntryClass;
use crate::command::{CodePlace, StopReason, UniverseId};

/// Until what a future is played out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "until", rename_all = "kebab-case")]
pub enum PlayUntil {
    /// The program is about to read the same input again, with the same arguments.
    #[default]
    Round,
    /// A place is about to be executed.
    Place {
        /// Which.
        place: CodePlace,
    },
    /// A breakpoint of the user.
    Breakpoint,
    /// So much time of the board has passed; the call on the way that passes it is the last.
    Time {
        /// In milliseconds.
        ms: u64,
    },
    /// Nothing is played out: the branches are there to go to.
    Nowhere,
}

/// Futures that were played out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct PlayedListing {
    /// The universe right before the input.
    pub at: UniverseId,
    /// The call that reads it.
    pub call: String,
    /// In the order of the values.
    pub played: Vec<PlayedRow>,
    /// How many there should be: fewer are listed if it was paused.
    pub wanted: u32,
    /// How many branches are new.
    pub added: u32,
}

/// A future that was played out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct PlayedRow {
    /// What the input answered.
    pub value: String,
    /// The values that lead to the same path, in words, if that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// The universe right after the input.
    pub begins: UniverseId,
    /// The universe where it came to rest.
    pub universe: UniverseId,
    /// Steps since the program's start there.
    pub steps: u64,
    /// Why it rests there; `done` for what it was played until.
    pub end: StopReason,
}

/// Some universes at a glance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct LeavesListing {
    /// In the order of the question.
    pub leaves: Vec<LeafRow>,
    /// The boards of these leaves, each once.
    #[cfg_attr(feature = "typescript", ts(type = "BoardView[]"))]
    pub boards: Vec<serde_json::Value>,
    /// How many there are in all.
    pub all: u32,
    /// The number to go on from; nothing if these are the last.
    pub next: Option<u32>,
}

/// A universe at a glance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct LeafRow {
    /// Which.
    pub universe: UniverseId,
    /// Steps since the program's start.
    pub steps: u64,
    /// What the board's clock shows, in microseconds.
    pub clock_us: u64,
    /// What has come of it.
    pub outcome: LeafOutcome,
    /// What the expressions come to, in their order; nothing where one means nothing.
    pub values: Vec<Option<String>>,
    /// Whether the expression that paints is true; nothing where it means nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub painted: Option<bool>,
    /// Its board, as an index into [`LeavesListing::boards`], if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<u32>,
}

/// What has come of a universe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum LeafOutcome {
    /// The program can go on.
    Open,
    /// The call that comes next breaks a limit of the board.
    Limit {
        /// Which, and what it would be.
        limit: String,
    },
    /// The program returned.
    Finished {
        /// As text.
        results: Vec<String>,
    },
    /// The program has ended with a code.
    Exited {
        /// The code.
        code: u32,
    },
    /// The program trapped.
    Trapped {
        /// Which trap, and what the program said of it.
        trap: String,
    },
}

/// What an expression was, each time that a place was passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct HitsListing {
    /// The place in words.
    pub place: String,
    /// What was evaluated.
    pub expression: String,
    /// In the order of the path.
    pub hits: Vec<HitRow>,
    /// The step to go on from; nothing if the whole path was looked at.
    pub next: Option<u64>,
}

/// A time that a place was passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct HitRow {
    /// The universe, right before the place.
    pub universe: UniverseId,
    /// Steps since the program's start.
    pub steps: u64,
    /// What the board's clock shows, in microseconds.
    pub clock_us: u64,
    /// What the expression comes to, or why it has no value.
    pub value: String,
    /// Whether it has one.
    pub ok: bool,
}

/// How densely entries lie on the current path, however long it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct DensityListing {
    /// The steps of the whole path, which the stretches divide evenly: one more than the last one's last.
    pub steps: u64,
    /// Inputs in each stretch.
    pub inputs: Vec<u32>,
    /// Outputs.
    pub outputs: Vec<u32>,
    /// Interrupts and timers.
    pub events: Vec<u32>,
}

impl DensityListing {
    /// So many stretches without entries.
    pub(crate) fn empty(steps: u64, stretches: usize) -> Self {
        Self {
            steps,
            inputs: vec![0; stretches],
            outputs: vec![0; stretches],
            events: vec![0; stretches],
        }
    }

    /// Counts an entry before which so many steps were taken.
    pub(crate) fn count(&mut self, step: u64, class: EntryClass) {
        let row = match class {
            EntryClass::Input => &mut self.inputs,
            EntryClass::Output => &mut self.outputs,
            EntryClass::Event => &mut self.events,
        };
        let nth = u128::from(step) * row.len() as u128 / u128::from(self.steps.max(1));
        let last = row.len().saturating_sub(1);
        if let Some(count) = row.get_mut((nth as usize).min(last)) {
            *count = count.saturating_add(1);
        }
    }
}
