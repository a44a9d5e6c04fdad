//! What a survey of a session's program is told, and what came of it.

use std::time::Duration;

use borges_languages::model::{DigestSize, Explore, Report};
use serde::{Deserialize, Serialize};

use super::survey::SurveyError;

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
    /// How many cores compute, from 1 to [`MOST_CORES`]; nothing for all. No face that is asked from elsewhere may say so.
    #[serde(skip)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub cores: Option<u16>,
}

impl SurveyWithin {
    /// What stands for a state.
    pub(super) const fn told(&self) -> DigestSize {
        match self.wide {
            true => DigestSize::By128,
            false => DigestSize::By64,
        }
    }

    /// How many cores compute, if not all do.
    pub(super) fn several(&self) -> Option<usize> {
        let cores = self.cores?;
        Some(cores.clamp(1, MOST_CORES).into())
    }

    /// How a session that explores so surveys.
    pub(super) fn of(&self, options: &Explore) -> Explore {
        Explore {
            states: self.states.map_or(usize::MAX, |states| {
                usize::try_from(states).unwrap_or(usize::MAX)
            }),
            depth: self.depth.unwrap_or(u32::MAX),
            time: self.time_ms.map(|ms| Duration::from_millis(ms.into())),
            goals: Vec::new(),
            ..options.clone()
        }
    }
}

/// What came of a survey of a session's program.
#[derive(Debug)]
pub struct SurveyTold {
    /// What was found, with all that was found before where it went on.
    pub report: Report,
    /// How long it took, without what was done before.
    pub seconds: f64,
    /// Bytes of its tables and lists, when they were most.
    pub memory_bytes: u64,
    /// Why it could not be kept at its end, if that was asked for.
    pub unkept: Option<SurveyError>,
}
