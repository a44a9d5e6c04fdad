//! A live debugging session: a program, a device, its twin, and the multiverse seen so far.
//!
//! A face makes a [`Session`] and gives it [`Command`]s; what it gets back are [`Reply`]s, and [`Event`]s while it waits.
//! [`headless`] runs a program plainly, without twin and link: the oracle that sessions are tested against.
//!
//! # Invariants
//! - What is shown is the twin's state after replaying a recorded prefix; nothing edits it.
//! - Looking at the past does not touch the device. Where the device stands changes only with what it confirmed.
//! - A reply is given after all that it shows is in the session file, when there is one.

#![forbid(unsafe_code)]

mod answers;
mod backward;
mod breakpoints;
mod bring;
mod client;
pub mod command;
pub mod contents;
mod course;
mod device;
mod entry;
mod error;
mod features;
mod find;
pub mod headless;
mod history;
mod inspect;
mod keyframes;
pub mod listing;
mod mocks;
pub mod model;
mod moments;
mod motion;
mod notes;
mod open;
mod opened;
mod outline;
pub mod probe;
mod record;
mod replay;
mod said;
mod serve;
mod session;
pub mod suggest;
mod survey;
mod twin;
mod upload;
pub mod values;

#[cfg(feature = "typescript")]
pub use borges_board::BoardView;
pub use borges_link::{Address, AddressError, Gate, GateError, Key, KeyError, Visit, ports};
pub use client::LinkError;
pub use command::{Act, Command, Event, Flow, Look, Reply};
pub use device::DeviceError;
pub use error::CommandError;
pub use history::Divergence;
pub use motion::Observer;
pub use open::Options;
pub use opened::OpenError;
pub use replay::Replayed;
pub use serve::BoardServer;
pub use session::Session;
