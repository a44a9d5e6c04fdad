//! What can go wrong on the way to a device.

use borges_wire::{Failure, SCHEMA};
use thiserror::Error;

/// Why the device did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkError {
    /// No answer.
    #[error(
        "the device has not answered for {seconds} s while {doing}: check the cable and the power, then try again; what was recorded is kept"
    )]
    Silent {
        /// How long.
        seconds: u64,
        /// During what.
        doing: String,
    },
    /// The user did not want to wait for the answer.
    #[error(
        "paused while {doing}: the device has not answered yet, and may still do it; the next command that needs the device waits for its answer"
    )]
    Left {
        /// During what.
        doing: String,
    },
    /// The line will never carry anything.
    #[error("the device cannot be reached: {trouble}")]
    Unreachable {
        /// Why.
        trouble: String,
    },
    /// The device lost the connection, as after a reboot.
    #[error(
        "the connection broke while {doing}: {cause}; what was recorded is kept, and the next command that needs the device loads the program again and brings it to the place shown"
    )]
    Lost {
        /// Why.
        cause: String,
        /// During what.
        doing: String,
    },
    /// The device said no.
    #[error("the device refused {doing}: {failure}")]
    Refused {
        /// What was asked.
        doing: String,
        /// What it said.
        failure: Failure,
    },
    /// Another version.
    #[error(
        "the device speaks schema {theirs:08x}, this Borges {SCHEMA:08x}: install the same version on both sides"
    )]
    Schema {
        /// The device's.
        theirs: u32,
    },
    /// The device talks, and does not answer.
    #[error(
        "the device says a lot while {doing} and does not answer: reset it, then connect again; what was recorded is kept"
    )]
    Babble {
        /// During what.
        doing: String,
    },
    /// The device's own software failed.
    #[error(
        "the device's software failed when it ran last, and it has restarted since ({0}); say the command again"
    )]
    Panic(String),
}

impl LinkError {
    /// Whether the answer may still come: what was asked is done once the line works again.
    pub(crate) fn may_still_come(&self) -> bool {
        matches!(self, Self::Silent { .. } | Self::Left { .. })
    }

    /// Whether the device has forgotten everything.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, Self::Lost { .. })
    }
}
