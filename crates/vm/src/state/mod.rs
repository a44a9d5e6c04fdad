//! States as bytes and snapshots: saved, loaded, hashed, compared, moved from one to another.
//!
//! Bytes that come in are hostile until the [checks](check) passed: whatever they say, loading
//! gives a valid state or an error that names the place, and the machine is unchanged then.

#[cfg(feature = "host")]
mod between;
mod bytes;
mod check;
mod core;
mod delta;
mod save;
#[cfg(feature = "host")]
mod snapshot;

use thiserror::Error;

pub use delta::Delta;
#[cfg(feature = "host")]
pub use snapshot::Snapshot;

use crate::limits::LimitExceeded;

/// Why bytes or a snapshot are no state for this machine. The machine is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StateError {
    /// The bytes end early or cannot be read.
    #[error("the bytes are damaged at byte {at}")]
    Damaged {
        /// Where.
        at: usize,
    },
    /// The bytes are no state, or one of another version.
    #[error("this is no state of this version of the machine")]
    Version,
    /// The state belongs to another program.
    #[error("the state belongs to another program: load the module that it was saved from")]
    OtherProgram,
    /// The snapshot was made by a machine with other limits.
    #[error("the snapshot was made by a machine with other limits")]
    OtherLimits,
    /// The difference starts from another state than the machine is in.
    #[error("the difference starts from another state than the machine is in")]
    WrongBase,
    /// The difference does not lead where it says.
    #[error("the difference does not lead to the state that it names")]
    WrongResult,
    /// The state passes a limit of this machine.
    #[error("the state is too large for this machine: {0}")]
    Limit(#[from] LimitExceeded),
    /// The host has no memory left.
    #[error("the host has no memory left for the state")]
    OutOfMemory,
    /// What runs is no function of the program, or the stack does not fit it.
    #[error("the state of the entry contradicts itself")]
    Entry,
    /// A frame, counted from the bottom, is impossible.
    #[error("frame {frame} is impossible: {problem}")]
    Frame {
        /// Which frame.
        frame: u32,
        /// What is wrong with it.
        problem: FrameProblem,
    },
    /// A cell of the stack, counted from the bottom, does not hold a value of its type.
    #[error("cell {cell} of the stack does not hold a value of its type")]
    Cell {
        /// Which cell.
        cell: u32,
    },
    /// A global does not hold a value of its type, or a constant was changed.
    #[error("global {global} does not hold a value of its type")]
    Global {
        /// Which one, among all of the machine.
        global: u32,
    },
    /// A table's size or an element is impossible.
    #[error("table {table} is impossible")]
    Table {
        /// Which one, among all of the machine.
        table: u32,
    },
    /// A memory's size is impossible.
    #[error("memory {memory} has an impossible size")]
    Memory {
        /// Which one, among all of the machine.
        memory: u32,
    },
    /// The exceptions that are referred to are none of the program's, or one is there twice.
    #[cfg(feature = "exceptions")]
    #[error("the exception at cell {cell} of the list is impossible")]
    Exception {
        /// Where in the list.
        cell: u32,
    },
    /// What is noted about the segments of an instance does not fit it.
    #[error("the segments of instance {instance} do not fit it")]
    Segments {
        /// Which instance.
        instance: u32,
    },
}

/// What is wrong with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum FrameProblem {
    /// No function of the program has this address.
    #[error("it has no code")]
    NoCode,
    /// Its position is no instruction that can be reached.
    #[error("its position is no instruction that can be reached")]
    Position,
    /// It stands in another place of the stack than its caller left it.
    #[error("it is in the wrong place of the stack")]
    Place,
    /// The frame under it is not at a call of its function.
    #[error("its caller does not call it")]
    Caller,
    /// It is a handler, but not one that can be.
    #[error("it cannot be a handler")]
    Handler,
}
