//! Lines to real devices: serial ports and sockets.
//!
//! [`Address`] names a device as a user types it; [`open`] gives the [`Link`] to it. A line that breaks (a pulled cable,
//! a device that reboots and takes its USB port along) is opened again by itself, as often as it takes: the endpoint
//! above it notices nothing but silence, and goes on where it was or says what is lost.
//!
//! # Invariants
//! - A link never fails: what cannot be sent stays with the endpoint, which sends it again.
//! - Nothing is read or written before the first opening has succeeded, so a wrong address is an error at once.
#![forbid(unsafe_code)]

mod address;
mod line;

pub use address::{Address, AddressError};
pub use line::{OpenError, ports};

use borges_wire::link::Link;

/// Opens the line to a device.
///
/// # Errors
/// [`OpenError`] if there is no such port, or nothing listens there.
pub fn open(address: &Address) -> Result<Box<dyn Link + Send>, OpenError> {
    Ok(Box::new(line::Line::open(address.clone())?))
}
