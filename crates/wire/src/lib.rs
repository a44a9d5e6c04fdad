//! Messages and framing between the host and a device.
//!
//! [`message`] is what is said: [`ToDevice`] carries a [`Command`], [`ToHost`] a [`Report`].
//! [`trace`] packs what was nondeterministic, a few bytes an input.
//!
//! What comes from the line is hostile until proven otherwise: no byte sequence makes anything here
//! panic.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod bytes;
pub mod message;
pub mod trace;
mod value;
mod varint;

pub use bytes::Bytes;
pub use message::{
    Argument, Command, Comparison, ContentHash, DeviceLimits, DeviceStatus, Epoch, FailureCode,
    MemoryBlob, Mock, MockEnd, Overflow, Part, PauseReason, PrimitiveStop, Report, RequestId,
    Resume, SCHEMA, ToDevice, ToHost, Watch, WatchAccess,
};
pub use trace::{Record, RecordKind, TraceDecoder, TraceEncoder, TraceError};
pub use value::Value;
