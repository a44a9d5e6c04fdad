//! What processes say to each other that look at the states of a device program.

use std::time::Duration;

use borges_concolic::{Facts, SentState, Showing};
use borges_multiverse::graph::Post;
use serde::{Deserialize, Serialize};

/// Without a letter and without a bell it is looked around this often.
pub(in crate::suggest) const LOOK: Duration = Duration::from_millis(50);

/// What who surveys a device program and those who look at its states say to each other.
#[derive(Debug, Serialize, Deserialize)]
pub enum LookLetter {
    /// Looking begins, perhaps again, with these facts. It has a number.
    Begin(u32, Facts),
    /// States to be looked at after those before, in that beginning.
    Look(u32, Vec<SentState>),
    /// The answer.
    Shown {
        /// Of which beginning.
        begun: u32,
        /// How many bytes its sender has sent to others so far.
        sent: u64,
        /// The names of states, and what they show.
        looked: Vec<(u128, Showing)>,
    },
    /// What came makes no sense.
    Senseless,
    /// That was all.
    End,
}

/// Carries such letters.
pub type LookPost = Box<dyn Post<LookLetter> + Send>;
