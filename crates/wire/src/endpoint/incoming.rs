//! What goes into an endpoint and comes out of it.

use alloc::vec::Vec;

/// What a message is about. All channels share one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Commands and reports; sent at once.
    Control = 0,
    /// The trace; waits for company.
    Trace = 1,
    /// What the program prints; waits for company.
    Console = 2,
}

impl Channel {
    pub(super) fn from_bits(bits: u64) -> Option<Self> {
        match bits {
            0 => Some(Self::Control),
            1 => Some(Self::Trace),
            2 => Some(Self::Console),
            _ => None,
        }
    }
}

/// Some bytes for a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Where it belongs.
    pub channel: Channel,
    /// The content.
    pub bytes: Vec<u8>,
}

/// What [`Endpoint::receive`](crate::Endpoint::receive) tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// A connection has begun. Nothing of an earlier one will arrive any more.
    Connected,
    /// The next message.
    Message(Message),
    /// The connection has ended.
    Lost(Lost),
    /// The peer has been silent for [`Config::quiet_us`](crate::Config::quiet_us). The connection lasts.
    Quiet,
    /// The peer is back.
    Back,
    /// Text on the line that belongs to no frame: something on the device prints directly.
    Foreign(Vec<u8>),
}

/// What the end of a connection may have cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Why it ended.
    pub cause: LostCause,
    /// Messages that were sent, at least in part: the peer may or may not have taken them. All
    /// before the first of them were taken.
    pub sent: Vec<Message>,
    /// Messages of which nothing was sent.
    pub unsent: Vec<Message>,
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LostCause {
    /// The peer does not know the connection any more.
    PeerRestarted,
    /// The peer sent what no peer sends.
    Violation,
    /// [`Endpoint::restart`](crate::Endpoint::restart) was called.
    Restarted,
}

/// Why a message cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// There is no connection.
    #[error("not connected")]
    Closed,
    /// Too much waits already; try again when the peer has taken some.
    #[error("too much waits to be sent")]
    Full,
    /// The peer does not take messages of this length.
    #[error("the peer takes messages of at most {limit} bytes")]
    TooLong {
        /// What it takes.
        limit: usize,
    },
}

/// Whether there is a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConnectionState {
    /// Looking for the peer.
    Opening,
    /// Connected.
    Open,
    /// Connected, but nothing has been heard for a while.
    Quiet,
}
