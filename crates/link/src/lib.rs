//! Lines to real devices: serial ports and sockets.
//!
//! [`Address`] names a device as a user types it; [`open`] gives the [`Link`] to it. A line that breaks (a pulled cable,
//! a device that reboots and takes its USB port along) is opened again by itself, as often as it takes: the endpoint
//! above it notices nothing but silence, and goes on where it was or says what is lost. [`Gate`] is the other end: where
//! a device waits for its debugger. A [`Pipe`] joins two processes of ours; one that breaks stays broken.
//!
//! # Invariants
//! - A link never fails: what cannot be sent stays with the endpoint, which sends it again.
//! - Nothing is read or written before the first opening has succeeded, so a wrong address is an error at once.
//! - Nothing passes between two computers without a key that both have proved to have.
#![forbid(unsafe_code)]

mod address;
mod gate;
mod line;
mod pipe;
mod ports;
mod socket;

pub use address::{Address, AddressError};
pub use borges_wire::guard::{Key, KeyError};
pub use gate::{Gate, GateError, GateEvent};
pub use line::LineOpenError;
pub use pipe::{Door, Knock, Pipe};
pub use ports::ports;
pub use socket::is_loopback;

use borges_wire::link::Link;

/// Opens the line to a device; one on another computer needs the key that the device has.
///
/// # Errors
/// [`LineOpenError`] if there is no such port, nothing listens there, or one end does not take the other's key.
pub fn open(address: &Address, key: Option<&Key>) -> Result<Box<dyn Link + Send>, LineOpenError> {
    Ok(Box::new(line::Line::open(address.clone(), key.cloned())?))
}
