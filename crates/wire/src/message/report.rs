//! What the device tells the host.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::list::list;
#[cfg(doc)]
use super::{Command, Overflow, Resume, SCHEMA};
use super::{ContentHash, RequestId};
use crate::{Bytes, Failure, Value};

/// What the device tells the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// Answers [`Command::Hello`].
    Welcome {
        /// The device's [`SCHEMA`]. This field stays first and a `u32` in every version.
        schema: u32,
        /// The device's name for people.
        device: String,
        /// What it can take.
        limits: DeviceLimits,
        /// The program that has begun, or else one that the device kept over a restart.
        program: Option<ContentHash>,
        /// The board that is loaded.
        board: Option<ContentHash>,
        /// What it is doing.
        status: DeviceStatus,
        /// The program's step count.
        steps: u64,
        /// The hash of its state.
        state: u64,
        /// The number of the first trace record that it still has or will make next: what lies
        /// between this and [`Resume::next_record`] is lost.
        oldest_record: u64,
    },
    /// What was nondeterministic, in order.
    Trace {
        /// The number of the first record, counted from the last [`Command::Begin`].
        first: u64,
        /// The step count that the first record's distance refers to. The program has come so far.
        base: u64,
        /// Packed records, see [`crate::trace`]; none if only that is to be said.
        records: Bytes,
    },
    /// The program stopped.
    Paused {
        /// Why.
        reason: PauseReason,
        /// Its step count.
        steps: u64,
        /// The hash of its state.
        state: u64,
        /// The number of the next trace record: all before it have been sent.
        next_record: u64,
    },
    /// Answers [`Command::Perform`].
    Performed {
        /// Which one.
        id: RequestId,
        /// What the output captured, as the board crate writes it.
        captured: Bytes,
    },
    /// Where the program is: an answer, or a regular check while running.
    State {
        /// What it answers.
        id: Option<RequestId>,
        /// Its step count.
        steps: u64,
        /// The hash of its state.
        state: u64,
        /// The number of the next trace record.
        next_record: u64,
    },
    /// A command was carried out.
    Done {
        /// Which one.
        id: RequestId,
    },
    /// A command was not carried out, and changed nothing.
    Failed {
        /// Which one.
        id: RequestId,
        /// Why.
        failure: Failure,
    },
    /// The program went on without being recorded: the link is too slow ([`Overflow`]).
    Overrun {
        /// The step count at which recording stopped.
        steps: u64,
    },
    /// The device's own software failed. What follows is a reboot or silence.
    Panic {
        /// What it could say about it.
        text: String,
    },
}

/// What a device can take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceLimits {
    /// Longest message; chunks of blobs must leave room for their header ([`LOAD_OVERHEAD`]).
    pub message_bytes: u32,
    /// Largest program.
    pub program_bytes: u32,
    /// Largest difference between two states.
    pub delta_bytes: u32,
    /// Pages of 64 KiB that a program may have.
    pub memory_pages: u32,
    /// Trace that is kept while the link is slow or down.
    pub trace_bytes: u32,
    /// Breakpoints at a time.
    pub breakpoints: u32,
    /// Watches at a time.
    pub watches: u32,
    /// Mocks at a time.
    pub mocks: u32,
}

/// An upper bound for what a [`Command::Load`] takes besides its chunk.
pub const LOAD_OVERHEAD: u32 = 48;

/// What a device is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DeviceStatus {
    /// No program has begun.
    Idle,
    /// The program runs.
    Running,
    /// The program stands between two instructions.
    Paused,
    /// The program has ended, by itself or by a trap.
    Ended,
}

/// Why a program stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PauseReason {
    /// The host said so.
    Requested,
    /// The step count of [`Command::Run`] is reached.
    Until,
    /// At a breakpoint.
    Breakpoint {
        /// Which one.
        offset: u32,
    },
    /// A watched place was touched.
    Watch {
        /// Its position in the list of [`Command::SetWatches`].
        watch: u32,
        /// The instruction that touched it.
        offset: u32,
    },
    /// Before a call of a primitive.
    Primitive {
        /// Which one.
        primitive: u16,
    },
    /// Before an event's handler.
    Event {
        /// What kind of event.
        kind: u8,
    },
    /// The program ended.
    Finished {
        /// What the entry function returned.
        #[serde(deserialize_with = "list")]
        results: Vec<Value>,
    },
    /// The program trapped.
    Trapped {
        /// The VM's number for the trap.
        code: u8,
    },
    /// The board could not perform a call.
    BoardFailed {
        /// Index of the primitive in the board's list.
        primitive: u16,
        /// More, for people.
        detail: String,
    },
}
