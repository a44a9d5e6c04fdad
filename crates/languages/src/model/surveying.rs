//! How states are surveyed, and how that is kept.

use borges_multiverse::graph::{Counts, Prefixes};

use super::goal::Pending;

/// How states are told apart that are not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DigestSize {
    /// By 64 bits each: two of 10⁹ states share them with a probability of 2.7 %, and one would be missing.
    #[default]
    By64,
    /// By 128.
    By128,
}

impl DigestSize {
    /// The one of so many bits.
    #[must_use]
    pub const fn of_bits(bits: u32) -> Option<Self> {
        match bits {
            64 => Some(Self::By64),
            128 => Some(Self::By128),
            _ => None,
        }
    }

    /// How many bits that are.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::By64 => 64,
            Self::By128 => 128,
        }
    }
}

/// A survey as it can be kept in a file, without the digests of its states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptSurvey {
    /// What each worker had counted, and has to go on with.
    pub shares: Vec<(Counts, Prefixes)>,
    /// What is known of each goal.
    pub goals: Vec<Pending>,
}

/// Keeps surveys as they go on.
pub trait Checkpoints {
    /// Whether it is time to keep one.
    fn is_due(&mut self) -> bool;

    /// Keeps this one; `digests` are those of its states, in sorted parts, the lowest bits of each number.
    fn keep(&mut self, survey: KeptSurvey, digests: &mut dyn Iterator<Item = Vec<u128>>);
}

/// How states are surveyed.
pub struct Surveying<'s> {
    /// What stands for a state.
    pub told: DigestSize,
    /// How many workers; one for each core, if nothing is said.
    pub workers: Option<usize>,
    /// Where the survey is kept, now and then and at the end.
    pub checkpoints: Option<Box<dyn Checkpoints + 's>>,
    /// The one to go on with, and the digests of its states.
    pub from: Option<(KeptSurvey, Box<dyn Iterator<Item = u128> + 's>)>,
}
