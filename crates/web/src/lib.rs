//! The page: a server on loopback that shows one session to several tabs and terminals.
//!
//! [`Server`] listens, and carries messages between a hub (`borges_hub`) and who looks at its session. The page itself is
//! in the binary; a terminal comes with [`attach`].
//!
//! # Invariants
//! - Who does not know the token gets nothing, not even the page; nor does a foreign origin, nor a name that merely
//!   resolves to loopback.
//! - A client that does not read fast enough is let go; it comes back for a snapshot.

#![forbid(unsafe_code)]

mod assets;
pub mod attach;
mod security;
mod server;

pub use server::{Config, Server, ServerError};
