//! The Debug Adapter Protocol in front of a hub: what editors speak, for programs of devices, of WASI and of model languages.
//!
//! [`serve`] serves one editor on two streams, [`EditorServer`] several over TCP. An editor is one more client of a hub, beside
//! tabs and prompts: it shows what the session's parts say, and what others do to the session is told to it. A [`Host`]
//! opens what an editor names.
//!
//! # Invariants
//! - What arrives is a stranger's: lengths are bounded, what is no message is told and ends the connection, what is no
//!   request is told and passed by; nothing is waited for that a client could leave out.
//! - A request is answered before anything that it causes is told.
//! - The program's end is a stop: only who leaves ends a session.
//! - An editor deletes the breakpoints that it set, and no others.

#![forbid(unsafe_code)]

mod adapter;
mod arrival;
mod capabilities;
mod console;
mod core;
mod debuggee;
mod device;
mod door;
mod handles;
mod model;
mod notices;
mod parts;
mod protocol;
mod serve;
mod sources;
mod way;

pub use serve::{EditorServer, serve};
pub use way::{Approach, Asks, Host, LaunchArguments, OneOrMore, Ready, Told};
