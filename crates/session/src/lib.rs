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

pub mod command;
mod device;
mod error;
pub mod headless;
mod history;
pub mod import;
mod live;
mod look;
mod motion;
pub mod network;
mod options;
mod program;
mod record;
mod scene;
mod session;
mod stage;
pub mod suggest;
pub mod values;

#[cfg(feature = "typescript")]
pub use borges_board::BoardView;
pub use borges_link::{Address, AddressError, Gate, GateError, GateEvent, Key, KeyError, ports};
pub use borges_sim::Pace;
pub use command::{Act, Command, Event, Flow, Look, Observer, Reply, listing};
pub use device::probe;
pub use device::serve::BoardServer;
pub use error::{CommandError, DeviceError, LinkError};
pub use history::Divergence;
pub use options::Options;
pub use program::{
    JoinError, Library, LinkedImport, OpenError, Provided, WriteBackError, contents,
};
pub use record::Replayed;
pub use record::{merge, model, survey};
pub use scene::is_of_library;
pub use session::Session;
