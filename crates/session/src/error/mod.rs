//! Why a command was not carried out.

mod device;
mod link;

use thiserror::Error;

pub use device::DeviceError;
pub use link::LinkError;

use crate::history::{Divergence, SeekError};

/// Why a command was not carried out. Every text says what to do next.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The device, or the way to it.
    #[error(transparent)]
    Device(DeviceError),
    /// The line to a real device.
    #[error(transparent)]
    Line(#[from] borges_link::LineOpenError),
    /// A replay.
    #[error(transparent)]
    Divergence(#[from] Divergence),
    /// The observer paused it before there was an answer; nothing is other than before.
    #[error("paused before it was done: say it again to have it done")]
    Paused,
    /// Something that was named does not exist.
    #[error("{0}")]
    NoSuch(String),
    /// What was asked makes no sense here.
    #[error("{0}")]
    Invalid(String),
    /// The session file.
    #[error("the session file {0}. The session goes on, but what follows is not kept")]
    File(String),
}

/// Refuses more of something than can be dealt with at once: in part it is not done without a word.
pub(crate) fn at_most(
    count: usize,
    most: usize,
    what: &str,
    done: &str,
) -> Result<(), CommandError> {
    match count <= most {
        true => Ok(()),
        false => Err(CommandError::Invalid(format!(
            "{count} {what}: at most {most} can be {done} at once"
        ))),
    }
}

impl From<SeekError> for CommandError {
    fn from(error: SeekError) -> Self {
        match error {
            SeekError::Diverged(divergence) => Self::Divergence(divergence),
            SeekError::Paused => Self::Paused,
        }
    }
}

impl From<DeviceError> for CommandError {
    fn from(error: DeviceError) -> Self {
        match error {
            DeviceError::Paused => Self::Paused,
            error => Self::Device(error),
        }
    }
}

impl From<LinkError> for CommandError {
    fn from(error: LinkError) -> Self {
        DeviceError::from(error).into()
    }
}
