//! A survey among several processes: each has some of its shares, one of them says when a level is over.
//!
//! Nothing here knows of connections: [`Letter`]s are carried by a [`Post`]. The process that leads, [`Leader`], is a
//! [`Member`] too. A *stint* is what members do until none has anything to do any more: a level, or less if the leader ends
//! it early. Every question of a stint is answered in it, so a stint is over when all have said that they are idle, and what
//! all have together then is a whole survey: it can be kept.

mod leader;
mod letter;
mod member;

use std::time::Duration;

use thiserror::Error;

pub use leader::Leader;
pub use letter::{Letter, Tally};
pub use member::Member;

/// Wakes whoever waits for a letter.
pub type Bell = Box<dyn Fn() + Send + Sync>;

/// Carries letters between the members of a survey, of which the leader is number 0: [`Letter`]s, or those of another kind
/// of survey.
///
/// Letters from one to another arrive in their order; those from different ones in any.
pub trait Post<L> {
    /// How many bytes were sent so far, where that is counted.
    fn sent(&self) -> u64 {
        0
    }

    /// Sends a letter. If it does not arrive, [`Post::next`] says so later.
    fn send(&mut self, to: usize, letter: L);

    /// The next letter and from whom it is, if there is one before that time is over.
    ///
    /// # Errors
    /// [`Apart::Gone`], once for each who cannot be reached any more, after all that came from there.
    fn next(&mut self, wait: Duration) -> Result<Option<(usize, L)>, Apart>;

    /// Rung, it ends a wait for the next letter, this one or the next that begins. A post without one is only waited for
    /// until the time is over.
    fn bell(&self) -> Bell {
        Box::new(|| ())
    }
}

/// Why a survey among several processes is over before its time.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Apart {
    /// One of them is gone.
    #[error("number {member} is gone: {why}")]
    Gone {
        /// Which one.
        member: usize,
        /// What was noticed.
        why: String,
    },
    /// What they were given is none of the program, or of another build.
    #[error("the program has no such states")]
    Foreign,
    /// The digests that the survey was to go on with could not be read to their end.
    #[error("what was kept cannot be read to its end")]
    Broken,
    /// One of them said what makes no sense.
    #[error("one of them said what makes no sense of this program")]
    Senseless,
}
