//! Messages and framing between the host and a device.
//!
//! Three layers, each usable and tested alone:
//!
//! 1. [`message`]: what is said. [`ToDevice`] carries a [`Command`], [`ToHost`] a [`Report`].
//! 2. [`trace`]: the packed records of what was nondeterministic, a few bytes an input.
//! 3. [`endpoint`]: how it gets there. An [`Endpoint`] turns messages into frames and back over any
//!    stream of bytes that may lose, double, reorder or corrupt them, and delivers each message
//!    once and in order. It has no clock and does no I/O; [`link`] ties it to something that does.
//!
//! [`speed`] finds the speed at which a serial line carries frames. `guard` (a feature) lets nobody
//! speak to an endpoint who does not have its key.
//!
//! What comes from the line is hostile until proven otherwise: no byte sequence makes anything here
//! panic, and memory is bounded by the [`Config`] of the endpoint.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod bytes;
pub mod endpoint;
#[cfg(feature = "guard")]
pub mod guard;
pub mod link;
pub mod message;
pub mod speed;
pub mod trace;
mod value;
mod varint;

pub use bytes::Bytes;
pub use endpoint::{
    Channel, Config, ConnectionState, Counters, Endpoint, Incoming, Lost, LostCause, Message,
    SendError, Side,
};
pub use link::{Link, Port};
pub use message::{
    Argument, BlobKind, Command, Comparison, ContentHash, ContentHasher, DeviceLimits,
    DeviceStatus, Difference, Epoch, Failure, LOAD_OVERHEAD, Measure, MemoryBlob, Mock, MockEnd,
    MockedCalls, Overflow, PauseReason, PrimitiveStop, Report, RequestId, Resume, SCHEMA, ToDevice,
    ToHost, Watch, WatchAccess, peer_schema,
};
pub use speed::Speed;
pub use trace::{Batch, Record, RecordKind, TraceDecoder, TraceEncoder, TraceError};
pub use value::Value;
