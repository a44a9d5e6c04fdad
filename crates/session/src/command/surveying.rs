//! What surveys are told in a session, and what comes of those of device programs: data for every face.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use borges_languages::model::SurveyNote;
use serde::{Deserialize, Serialize};

use super::UniverseId;
use super::proof::StatesReport;

/// The most cores that compute.
pub const MOST_CORES: u16 = 1024;

/// How far a survey goes, and how; what is left out bounds nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(default)]
pub struct SurveyWithin {
    /// So many states, with those of before where it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<u64>,
    /// Steps from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Time, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u32>,
    /// Whether 128 bits stand for a state, not 64.
    pub wide: bool,
    /// What the program is held to: `forbid deadlock`, `expect x == 2`; a device program `never heat && door`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<String>,
    /// How many cores compute, from 1 to [`MOST_CORES`]; nothing for all. Who asks for somebody elsewhere asks for no more
    /// than there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<u16>,
    /// The file of a survey of this program to go on with. No face that is asked from elsewhere may say so.
    #[serde(skip)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub resume: Option<PathBuf>,
}

impl SurveyWithin {
    /// On no more cores than there are here.
    #[must_use]
    pub fn on_cores_here(mut self) -> Self {
        let here = std::thread::available_parallelism().map_or(1, NonZero::get);
        let most = u16::try_from(here).unwrap_or(u16::MAX);
        self.cores = self.cores.map(|cores| cores.min(most));
        self
    }
}

/// How a survey is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keeping {
    /// Where.
    pub file: PathBuf,
    /// How often, besides at the end.
    pub every: Duration,
}

/// What a survey of a device program is asked in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(default)]
pub struct StatesSurvey {
    /// How far it goes, and what the program is held to.
    pub within: SurveyWithin,
    /// Leave out interrupts and timers.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub without_events: bool,
    /// Any call of an operating system may fail, any number of times.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub faults: bool,
    /// Standard input comes in pieces of at most so many bytes; without it, as it may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u32>,
    /// Who answers what trying values cannot: `none`, `z3`, `bitwuzla`, `cvc5`; nothing for the best there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
    /// Where it is kept besides. No face that is asked from elsewhere may say so.
    #[serde(skip)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub keeping: Option<Keeping>,
}

impl StatesSurvey {
    /// Whether files are read or written for it, where it is made.
    #[must_use]
    pub fn has_files(&self) -> bool {
        self.keeping.is_some() || self.within.resume.is_some()
    }
}

/// What came of a survey of a device program. The names are kept stable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct SurveyListing {
    /// What is said of a graph too.
    #[serde(flatten)]
    pub report: StatesReport,
    /// What is said of surveys.
    pub survey: SurveyNote,
    /// The universe that its states follow; nothing for the program's start, where it goes on with a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<UniverseId>,
    /// Bytes of its tables and lists, when they were most; 0 if it was over before anybody was told.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub memory_bytes: u64,
    /// Why it could not be kept at its end, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unkept: Option<String>,
}
