//! A session that several faces look at: its thread, its lookers, and what each of them is told.
//!
//! [`Hub`] owns the session on a thread of its own and tells everybody who looks what has changed: a snapshot first, then
//! numbered patches, bulk as binary frames. What is said both ways is in [`protocol`]. How messages travel is a face's
//! business: there is no HTTP here.
//!
//! # Invariants
//! - The hub owns the truth: a client holds a copy of the parts it was sent, and nothing else.
//! - A client that does not take what it is told is let go; it comes back for a snapshot.
//! - A pause does not wait in line.

#![forbid(unsafe_code)]

mod audience;
mod device;
mod frames;
mod hub;
mod model;
mod parts;
mod pauses;
pub mod protocol;
mod room;
mod search;
mod token;
#[cfg(test)]
mod typescript;

pub use audience::{ClientId, Message};
pub use hub::{Hub, Opened, Shelf};
pub use protocol::model::{ModelCommand, ModelListing, ModelReply, TextListing};
pub use token::Token;
