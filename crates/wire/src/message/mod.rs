//! What host and device say to each other.
//!
//! Every message carries an [`Epoch`]. The host begins a new one whenever it abandons a branch
//! ([`Command::Begin`], [`Command::Apply`], [`Command::Reset`]); the device adopts a newer epoch on
//! arrival and stamps what it says with it, so that what the abandoned branch still had in flight
//! is recognised and dropped.
//!
//! Commands that set something (breakpoints, stops, watches, mocks) replace the whole set and are
//! idempotent: after a reconnect the host says them all again.
//!
//! The format is postcard. [`SCHEMA`] names it: a test recomputes the constant from the bytes of
//! one message of every kind, so that no format changes unnoticed.

mod command;
mod content;
mod failure;
mod list;
mod report;

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

pub use command::{
    Argument, BlobKind, Command, Comparison, Difference, MemoryBlob, Mock, MockEnd, MockedCalls,
    Overflow, PrimitiveStop, Resume, Watch, WatchAccess,
};
pub use content::{ContentHash, ContentHasher};
pub use failure::{Failure, Measure};
pub use report::{DeviceLimits, DeviceStatus, LOAD_OVERHEAD, PauseReason, Report};

/// Names the format of all messages and trace records; both sides must have the same.
pub const SCHEMA: u32 = 0x09c1_3b47;

/// Counts the branches that the host has put the device on. Newer is larger.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Epoch(pub u32);

/// Ties an answer to its question. The host counts up.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct RequestId(pub u32);

/// A message from the host to the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToDevice {
    /// The branch that the host is on.
    pub epoch: Epoch,
    /// What the answer refers to.
    pub id: RequestId,
    /// What the device shall do.
    pub command: Command,
}

/// A message from the device to the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToHost {
    /// The branch that the device was on when it said so.
    pub epoch: Epoch,
    /// What it says.
    pub report: Report,
}

/// A message that cannot be read: cut short, of another schema, or hostile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a message of schema {SCHEMA:08x}")]
pub struct DecodeError;

macro_rules! postcard_message {
    ($name:ty) => {
        impl $name {
            /// The bytes to send.
            pub fn to_bytes(&self) -> Vec<u8> {
                // Serialising into a growing vector fails only for types that postcard does not know;
                // the golden test shows that it knows every one of these.
                postcard::to_allocvec(self).unwrap_or_default()
            }

            /// Reads one message, which must take up all of `bytes`.
            ///
            /// What it allocates is proportional to the length of `bytes`, whatever they claim.
            ///
            /// # Errors
            /// [`DecodeError`] for anything that [`Self::to_bytes`] did not make.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
                match postcard::take_from_bytes(bytes) {
                    Ok((message, [])) => Ok(message),
                    _ => Err(DecodeError),
                }
            }
        }
    };
}
postcard_message!(ToDevice);
postcard_message!(ToHost);

/// The schema in the greeting of a peer that may speak another version.
///
/// Works for all versions: the greeting is variant 0 of both enums, and its schema is first.
/// `None` if `bytes` is not a greeting.
pub fn peer_schema(bytes: &[u8], from_device: bool) -> Option<u32> {
    #[derive(Deserialize)]
    struct Greeting {
        _epoch: u32,
    }
    let (_, mut rest) = postcard::take_from_bytes::<Greeting>(bytes).ok()?;
    if !from_device {
        (_, rest) = postcard::take_from_bytes::<u32>(rest).ok()?;
    }
    match postcard::take_from_bytes::<(u32, u32)>(rest).ok()? {
        ((0, schema), _) => Some(schema),
        _ => None,
    }
}
