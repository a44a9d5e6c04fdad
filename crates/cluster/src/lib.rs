//! Surveys among several processes, on one computer or many.
//!
//! Workers ([`Worker`]) wait at an address. Who wants a survey [`gather`]s them: it connects to each, says what is to be
//! surveyed, and each connects to those before it, so that all reach all. Then only letters travel
//! ([`borges_multiverse::graph::Letter`], or of device programs [`borges_session::suggest::LookLetter`]), and whoever
//! gathered them leads.
//!
//! # Invariants
//! - Nothing is believed of who has not proved to have the key; beyond this computer there is none without.
//! - All are the same build of the same program: digests of states mean nothing to another.
//! - Who is silent for [`SILENCE`] is gone, and then the survey is over for all: none goes on with less than all states.
#![forbid(unsafe_code)]

mod frame;
mod gather;
mod hosts;
mod line;
mod office;
#[cfg(feature = "queue")]
pub mod queue;
mod worker;

use std::time::Duration;

use thiserror::Error;

pub use frame::Wanted;
pub use gather::{Crew, gather};
pub use hosts::{Hosts, HostsError, PORT};
pub use worker::{Worker, WorkerEvent};

/// Of whom nothing is heard for so long, that one is gone. Who has nothing to say says so every second.
pub const SILENCE: Duration = Duration::from_secs(4);

/// Why workers do not come together.
#[derive(Debug, Error)]
pub enum GatherError {
    /// One cannot be reached.
    #[error("nobody answers at {host}: {why}")]
    Unreached {
        /// Which one.
        host: String,
        /// Why.
        why: String,
    },
    /// It is not on this computer, and there is no key.
    #[error("{host} is not on this computer: give the key that its worker has with --key-file")]
    KeyNeeded {
        /// Which one.
        host: String,
    },
    /// It has another key, or none.
    #[error("the worker at {host} does not have this key: {why}")]
    Key {
        /// Which one.
        host: String,
        /// What was noticed.
        why: String,
    },
    /// It does not want to.
    #[error("the worker at {host} refuses: {why}")]
    Refused {
        /// Which one.
        host: String,
        /// What it said.
        why: String,
    },
    /// It was reached, and then no more.
    #[error("the worker at {host} is gone: {why}")]
    Gone {
        /// Which one.
        host: String,
        /// What was noticed.
        why: String,
    },
    /// The user has stopped it.
    #[error("stopped before all workers were there")]
    Stopped,
    /// The operating system does not say what it should.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}
