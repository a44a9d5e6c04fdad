//! A question with all that is needed to answer it, so that it can be answered on a thread of its own.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use borges_concolic::{End, Start};
use borges_debuginfo::DebugInfo;
use borges_stub::Program;
use borges_vm::{CodeOffset, Trap};

use super::cuts::Asked;
use crate::command::UniverseId;
use crate::command::question::{Question, SuggestionListing, Turn, Within};
use crate::stage::MomentText;

/// Time without a bound of the caller's.
const TIME: Duration = Duration::from_secs(10);

/// What a path must come to.
#[derive(Clone, Debug, Default)]
pub(crate) enum Goal {
    /// Anything.
    #[default]
    Any,
    /// These instructions, perhaps only while a condition holds.
    Places {
        offsets: Vec<CodeOffset>,
        condition: Option<String>,
    },
    /// A trap, perhaps one whose name contains a text.
    Trap(Option<String>),
    /// A trap, or a broken limit of the board.
    Bug,
    /// This trap.
    TrapAt(Trap, Option<CodeOffset>),
}

/// Whether a trap's name contains a text, small and capital letters alike.
pub(super) fn is_called(trap: Trap, named: &str) -> bool {
    let words = trap.to_string().to_lowercase();
    words.contains(&named.to_lowercase())
}

impl Goal {
    pub(super) fn is_met(&self, end: &End) -> bool {
        match (self, end) {
            (Goal::Any, _) => true,
            (Goal::Places { offsets, .. }, End::Stopped(at)) => offsets.contains(at),
            (Goal::Bug, End::Trapped(..) | End::Broke(..)) => true,
            (Goal::Trap(None), End::Trapped(..)) => true,
            (Goal::Trap(Some(named)), End::Trapped(trap, _)) => is_called(*trap, named),
            (Goal::TrapAt(trap, at), End::Trapped(now, here)) => trap == now && at == here,
            _ => false,
        }
    }

    pub(super) fn condition(&self) -> Option<&str> {
        match self {
            Goal::Places { condition, .. } => condition.as_deref(),
            _ => None,
        }
    }

    pub(super) fn offsets(&self) -> &[CodeOffset] {
        match self {
            Goal::Places { offsets, .. } => offsets,
            _ => &[],
        }
    }
}

/// A question about the futures of one universe.
pub struct Inquiry {
    pub(super) question: Question,
    pub(super) words: String,
    pub(super) within: Within,
    pub(super) from: UniverseId,
    pub(super) program: Program,
    pub(super) info: Arc<DebugInfo>,
    pub(super) start: Start,
    /// Where paths end because the user says so.
    pub(super) stops: Vec<CodeOffset>,
    pub(super) goal: Goal,
    /// The way to the start.
    pub(super) trace: MomentText,
    /// For a `why`: the choices on the way, with the state after each; the start first.
    pub(super) turns: Vec<(Turn, Start)>,
    /// What workers elsewhere need to know, if there are some.
    pub(super) errand: Option<Arc<[u8]>>,
    /// What came of evaluating the goal's condition.
    pub(super) evaluated: Mutex<Evaluated>,
}

/// What came of evaluating a condition.
#[derive(Debug, Default)]
pub(super) struct Evaluated {
    /// It had a value once.
    pub(super) had_value: bool,
    /// Why it had none.
    pub(super) error: Option<String>,
}

impl Inquiry {
    /// The listing before anything was looked at.
    #[must_use]
    pub fn begun(&self) -> SuggestionListing {
        SuggestionListing {
            question: self.words.clone(),
            from: Some(self.from),
            working: true,
            ..SuggestionListing::default()
        }
    }

    /// What was asked for, as far as it matters for what is left out.
    pub(super) fn asked(&self) -> Asked {
        let time = self.within.time_ms;
        Asked {
            bounds_inputs: self.within.inputs.is_some(),
            time: time.map_or(TIME, |ms| Duration::from_millis(ms.into())),
        }
    }
}
