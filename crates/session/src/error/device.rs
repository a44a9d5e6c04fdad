//! What can go wrong with a device.

use thiserror::Error;

use super::LinkError;
use crate::history::{Divergence, SeekError};

/// What can go wrong with a device.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DeviceError {
    /// The link.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// A replay.
    #[error(transparent)]
    Divergence(#[from] Divergence),
    /// The observer paused what was being done; where the device stands is known.
    #[error("paused before it was done")]
    Paused,
    /// Device and twin are in different states.
    #[error(
        "device and twin disagree at step {steps}: state {device:016x} there, {twin:016x} here. Up to step {last_good} they agreed; is the device's firmware of the same version?"
    )]
    Disagree {
        /// Where it was noticed.
        steps: u64,
        /// The device's hash.
        device: u64,
        /// The twin's.
        twin: u64,
        /// The last step at which they were compared and equal.
        last_good: u64,
    },
    /// A part of the trace did not arrive.
    #[error(
        "the trace has a gap: record {got} came instead of {wanted}. What came before it is kept"
    )]
    Gap {
        /// Which record was due.
        wanted: u64,
        /// Which came.
        got: u64,
    },
    /// A record of the trace makes no sense.
    #[error(
        "the device sent a trace that cannot be read, at step {steps}. What came before it is kept"
    )]
    BadTrace {
        /// Where.
        steps: u64,
    },
    /// The device cannot have come so far.
    #[error(
        "the device says that it is at step {steps}, and it was at step {done} just before: is its firmware of the same version? What came before it is kept"
    )]
    TooFar {
        /// Where it says that it is.
        steps: u64,
        /// Where it was.
        done: u64,
    },
    /// The link was too slow, and the program did not wait for it.
    #[error(
        "the link is slower than the program: recording stopped at step {recorded}, and the program went on to step {reached} without it. You are at step {recorded}; what was recorded is kept. The program begins anew on the device when you go on, and what it did to the outside after step {recorded} stays as it is; 'wait' instead of 'stop-recording' lets it wait for the link"
    )]
    Overrun {
        /// Up to where everything is recorded.
        recorded: u64,
        /// Where the program stands.
        reached: u64,
    },
    /// The device cannot be moved back.
    #[error("the device cannot be brought there: {0}")]
    CannotMove(String),
}

impl From<SeekError> for DeviceError {
    fn from(error: SeekError) -> Self {
        match error {
            SeekError::Diverged(divergence) => Self::Divergence(divergence),
            SeekError::Paused => Self::Paused,
        }
    }
}

impl DeviceError {
    /// Whether nobody knows any more where the device stands: it has forgotten everything, or ran on unrecorded.
    pub(crate) fn is_gone(&self) -> bool {
        match self {
            Self::Link(error) => error.is_gone(),
            Self::Overrun { .. } => true,
            _ => false,
        }
    }
}
