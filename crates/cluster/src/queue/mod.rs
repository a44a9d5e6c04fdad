//! Jobs on a queue, for workers that come and go: JetStream of a NATS server keeps them.
//!
//! Whoever asks puts jobs ([`NatsQueue`]); workers ([`QueueWorker`]) take one at a time, say every now and then that they
//! are still at it, and are given it again, or another one is, when they do not. What comes of a job is kept as well until
//! whoever asked has it, and only then the job is forgotten: a worker may be killed at any time, and nothing is lost but
//! its time.
//!
//! | subject | what goes over it |
//! |---|---|
//! | `borges.T.jobs.RUN` | jobs of a run; kept, each given to one worker |
//! | `borges.T.done.RUN` | what came of them, in pieces; kept |
//! | `borges.T.errand.RUN` | asked for a piece of what the run is about; nobody answers when it is over |
//! | `borges.T.short.all` | a worker waits for a job: who works on one looks whether that is so |
//! | `borges.hello` | who is there? so that workers of another build or key are noticed |
//!
//! `T` is the *team*: whoever has the same key and the same build. Nothing is taken from anybody else: every message is
//! sealed with the key, or without one, on this computer, with the build's digest.
//!
//! # Invariants
//! - A job is forgotten after what came of it is kept.
//! - A run that is over costs nobody anything: its jobs are purged, and its workers hear that nobody answers.

mod asks;
mod hello;
mod parcel;
mod site;
mod works;

use std::time::Duration;

pub use asks::NatsQueue;
pub use works::{QueueEvent, QueueWorker};

/// A worker that says nothing for so long does not work on its job any more: another one gets it.
const ACK_WAIT: Duration = Duration::from_secs(5);

/// So often a worker says that it does.
const AT_IT: Duration = Duration::from_millis(1500);

/// Whoever does not answer within this time does not.
const PATIENCE: Duration = Duration::from_secs(5);

/// A queue that cannot be reached for so long is gone.
const GONE: Duration = Duration::from_secs(15);

/// Why a queue cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// That is no address of a queue.
    #[error("'{address}' names no queue: {why}")]
    Address {
        /// What was given.
        address: String,
        /// What is wrong with it.
        why: String,
    },
    /// It is not on this computer, and there is no key.
    #[error(
        "{address} is not on this computer: give a key with --key-file, the same to all who work together"
    )]
    KeyNeeded {
        /// The queue.
        address: String,
    },
    /// It cannot be reached.
    #[error("no queue answers at {address}: {why}")]
    Unreached {
        /// Where.
        address: String,
        /// Why.
        why: String,
    },
    /// It keeps nothing.
    #[error("the queue at {address} keeps no jobs: {why}")]
    NoStreams {
        /// Where.
        address: String,
        /// What it said.
        why: String,
    },
    /// The operating system does not say what it should.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}
