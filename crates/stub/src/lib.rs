//! The debug server that runs beside the VM on a device, and the loop that runs a program against a world.
//!
//! [`execute`] is shared by device, twin and plain run: it decides *when* something happens. A [`World`] decides *what*.
//! [`Stub`] is the device: it takes commands from the wire, runs the program in slices and reports what was
//! nondeterministic. It has no clock and does no I/O of its own: whoever owns it feeds it bytes and the time.
//!
//! # Invariants
//! - The trace is complete: every input, every event, and every output that captured something is recorded with its
//!   exact step before anything later happens, or [`borges_wire::Report::Overrun`] says where recording stopped.
//! - A command changes nothing if it is answered by a failure.
//! - Whatever arrives, the stub answers; lengths are checked before memory is taken.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod execute;
mod mocks;
mod record;
mod server;
mod shelf;
mod upload;
mod world;

pub use execute::{
    Answer, Call, Halt, Program, ProgramError, World, execute, is_made, usual_entry,
};
pub use mocks::{Asked, Mocks};
pub use record::{
    decode_captured, decode_event, decode_input, encode_captured, encode_event, encode_input,
    from_wire, to_wire,
};
pub use server::{Config, Poll, Stub};
pub use shelf::{Flash, PAGE};
