//! The page: a server on loopback that shows one session to several tabs and terminals.
//!
//! [`Server`] listens; [`hub`] owns the session on a thread of its own and tells everybody who looks what has changed:
//! a snapshot first, then numbered patches, bulk as binary frames. The page itself is in the binary ([`assets`]).
//!
//! # Invariants
//! - The server owns the truth: a client holds a copy of the parts it was sent, and nothing else.
//! - Who does not know the token gets nothing, not even the page; nor does a foreign origin, nor a name that merely
//!   resolves to loopback.
//! - A client that does not read fast enough is let go; it comes back for a snapshot.

#![forbid(unsafe_code)]

pub mod assets;
pub mod attach;
mod audience;
pub mod frames;
pub mod hub;
pub mod model;
pub mod parts;
mod pauses;
pub mod protocol;
mod search;
mod security;
pub mod server;
#[cfg(test)]
mod typescript;

pub use hub::{Hub, Shelf};
pub use model::ModelServer;
pub use server::{Config, Server, ServerError};
