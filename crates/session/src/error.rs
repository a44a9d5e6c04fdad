//! Why a command was not carried out.

use thiserror::Error;

use crate::device::DeviceError;
use crate::history::Divergence;

/// Why a command was not carried out. Every text says what to do next.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The device, or the way to it.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The line to a real device.
    #[error(transparent)]
    Line(#[from] borges_link::OpenError),
    /// A replay.
    #[error(transparent)]
    Divergence(#[from] Divergence),
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

impl From<crate::client::LinkError> for CommandError {
    fn from(error: crate::client::LinkError) -> Self {
        Self::Device(error.into())
    }
}
