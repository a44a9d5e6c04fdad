//! Why a device refuses: numbers on the wire, words where people read them.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::command::BlobKind;

/// Why a command was not carried out.
///
/// A device sends which of them it is, and numbers. It never prints one, so the words take none of its flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Error)]
pub enum Failure {
    /// The message could not be read.
    #[error("it could not read the message")]
    Malformed,
    /// The schemas differ.
    #[error("it speaks another version, schema {device:08x}")]
    Schema {
        /// The device's.
        device: u32,
    },
    /// A watch of reads was wanted.
    #[error("it watches writes only")]
    WatchesReads,
    /// No program has begun.
    #[error("no program has begun there")]
    NotBegun,
    /// The program runs, and must stand still for this.
    #[error("the program is running")]
    Running,
    /// Nothing was loaded under this name.
    #[error("it has no such {0}")]
    NotLoaded(BlobKind),
    /// The command belongs to an epoch that is over.
    #[error("it is already on another branch")]
    Epoch,
    /// More than the device can take.
    #[error("that is more than it can take: {wanted} {measure}, at most {most}{}", .measure.advice())]
    Limit {
        /// Of what.
        measure: Measure,
        /// How many there are.
        wanted: u64,
        /// How many there may be.
        most: u64,
    },
    /// Within every limit, and still more memory than is left.
    #[error("it has no memory left for that")]
    Memory,
    /// The blob is not the announced one.
    #[error("what arrived is not what was announced")]
    Blob,
    /// The module is not valid.
    #[error("the module is not valid there, at its byte {at}")]
    Module {
        /// Where, from the start of the module.
        at: u32,
    },
    /// The module declares more of something than the device can take.
    #[error(
        "the module is too large for it: {wanted} of what its byte {at} declares, at most {most}"
    )]
    ModuleLimit {
        /// Where, from the start of the module.
        at: u32,
        /// How many there are.
        wanted: u64,
        /// How many there may be.
        most: u64,
    },
    /// The board offers nothing for an import.
    #[error("its board offers nothing for import {0} of the module")]
    Import(u32),
    /// The module is valid and cannot be started, because a segment does not fit.
    #[error("the program cannot be started there: a segment does not fit")]
    Start,
    /// The function to begin with does not exist, or takes other arguments.
    #[error("the program cannot be entered there")]
    Entry,
    /// The description of a board cannot be read.
    #[error("it could not read the description of the board")]
    Board,
    /// No instruction starts at this offset.
    #[error("it knows no instruction at byte {0} of the module")]
    NoInstruction(u32),
    /// A mock answers what its input cannot, or there is no such input.
    #[error("it has no input that a mock is for")]
    NoSuchInput,
    /// There is no such event, or its handler cannot be entered at this place.
    #[error("the event cannot happen there")]
    Event,
    /// A call wants memory that the program does not have.
    #[error("the memory of the call lies outside the program's")]
    Outside,
    /// A compensation, or a difference between two states, contradicts itself or the program.
    #[error("it cannot get to such a state")]
    State,
    /// The state that a difference starts from or leads to is not the announced one.
    #[error("its state is not the expected one")]
    Diverged,
    /// The board refused an output.
    #[error("its hardware refused")]
    Hardware,
}

/// What there can be too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Error)]
pub enum Measure {
    /// A loaded blob.
    #[error("bytes of the {0}")]
    Bytes(BlobKind),
    /// A message.
    #[error("bytes in a message")]
    Message,
    /// Breakpoints at a time.
    #[error("breakpoints")]
    Breakpoints,
    /// Watches at a time.
    #[error("watches")]
    Watches,
    /// Mocks at a time.
    #[error("mocks")]
    Mocks,
    /// What of the machine a program needs to start.
    #[error("functions, tables, globals or pages of memory at the program's start")]
    Instance,
    /// What of the machine a state needs.
    #[error("frames, cells or elements in the state")]
    State,
    /// Pages of memory, by the board's limits.
    #[error("pages of memory")]
    Pages,
    /// Slots of the stack, by the board's limits.
    #[error("stack slots")]
    Slots,
    /// Nested calls, by the board's limits.
    #[error("nested calls")]
    Calls,
    /// Elements of a table, by the board's limits.
    #[error("elements of a table")]
    Elements,
    /// Bytes of a module, by the board's limits.
    #[error("bytes of a module")]
    ModuleBytes,
}

impl Measure {
    /// What a person can do about it.
    fn advice(self) -> &'static str {
        match self {
            Self::Pages | Self::Slots | Self::Calls | Self::Elements | Self::ModuleBytes => {
                "; lower [limits] in the board file"
            }
            _ => "",
        }
    }
}
