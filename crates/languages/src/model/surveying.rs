//! How states are surveyed, and how that is kept.

use std::any::Any;
use std::fmt;
use std::time::Duration;

use borges_multiverse::graph::{Apart, Counts, Letter, Post, Prefixes};

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

/// Digests of states that were kept, the lowest bits of each number; none, and no other after it, where they cannot be read
/// any further.
pub type KeptDigests<'s> = Box<dyn Iterator<Item = Option<u128>> + 's>;

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

    /// How long ago the last one was kept; none if none was yet.
    fn last(&self) -> Option<Duration>;

    /// Keeps this one; `digests` are those of its states, in sorted parts, the lowest bits of each number. Without all of
    /// them nothing can be kept.
    fn keep(
        &mut self,
        survey: KeptSurvey,
        digests: &mut dyn Iterator<Item = Result<Vec<u128>, Apart>>,
    );
}

/// A survey that did not come to its end, with all its states, to be gone on with at once in the same process.
#[derive(Default)]
pub struct HeldSurvey(Option<Box<dyn Any + Send>>);

impl HeldSurvey {
    /// It, if it is one of this kind: of another language, or with other digests, it is of no use.
    pub(super) fn take<S: 'static>(&mut self) -> Option<S> {
        let survey = self.0.take()?.downcast().ok()?;
        Some(*survey)
    }

    pub(super) fn hold(&mut self, survey: impl Send + 'static) {
        self.0 = Some(Box::new(survey));
    }
}

impl fmt::Debug for HeldSurvey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HeldSurvey")
            .field(&self.0.is_some())
            .finish()
    }
}

/// Who surveys.
pub enum Surveyors<'s> {
    /// This process, on so many cores; on all, if nothing is said.
    Here(Option<usize>),
    /// The same. It goes on with the survey of this program that is held, if one is, and is held itself if it does not come
    /// to its end. Of a program that is held to goals none is held: of states that were looked at nothing is known.
    Holding {
        /// On how many cores.
        cores: Option<usize>,
        /// What is held.
        held: &'s mut HeldSurvey,
    },
    /// Several processes, of which this one leads.
    Leading {
        /// On how many cores each of them, this one first.
        cores: Vec<u32>,
        /// How they are reached.
        post: Box<dyn Post<Letter<Vec<Pending>>> + 's>,
    },
    /// Several processes, of which another one leads: nothing is reported here.
    Helping {
        /// Which one this is.
        place: usize,
        /// On how many cores each of them.
        cores: Vec<u32>,
        /// How they are reached.
        post: Box<dyn Post<Letter<Vec<Pending>>> + 's>,
    },
}

/// How states are surveyed.
pub struct Surveying<'s> {
    /// What stands for a state.
    pub told: DigestSize,
    /// Who surveys.
    pub by: Surveyors<'s>,
    /// Where the survey is kept, now and then and at the end.
    pub checkpoints: Option<Box<dyn Checkpoints + 's>>,
    /// The one to go on with, and the digests of its states; none where they cannot be read any further.
    pub from: Option<(KeptSurvey, KeptDigests<'s>)>,
}
