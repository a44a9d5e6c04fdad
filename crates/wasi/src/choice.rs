//! What a world does not know by itself, and what an embedding answers.

use crate::errno::Errno;
use crate::memory::MemoryWrite;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ClockId {
    /// Nanoseconds since 1970.
    Realtime,
    /// Nanoseconds since some moment; never set.
    Monotonic,
    /// Nanoseconds that the program has computed.
    Process,
    /// Nanoseconds that the thread has computed.
    Thread,
}

impl ClockId {
    /// All of them, by number.
    pub const ALL: [ClockId; 4] = [
        ClockId::Realtime,
        ClockId::Monotonic,
        ClockId::Process,
        ClockId::Thread,
    ];
}

/// What a call wants to know of the embedding. The call has changed nothing yet and is made once more with a
/// [`Chosen`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Wants {
    /// The time: a [`Chosen::Later`].
    Time {
        /// The clock.
        clock: ClockId,
        /// Its last reading.
        last: u64,
    },
    /// Exactly so many random bytes, in [`Chosen::Bytes`].
    Random {
        /// How many.
        bytes: u32,
    },
    /// Bytes of standard input, in [`Chosen::Bytes`]: from one to so many, or none at its end.
    Input {
        /// The most that fit.
        at_most: u32,
    },
    /// Which of these alternatives happens first, in [`Chosen::Ready`].
    Ready {
        /// Indices of the subscriptions that happen together, alternative by alternative.
        alternatives: Vec<Vec<u32>>,
    },
}

/// What somebody outside puts in a file in the place of what is there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Replacement {
    /// The file's path, as [`World::subject_named`](crate::World::subject_named) says it.
    pub path: String,
    /// What it is told by from others of that file: see [`World::replacement`](crate::World::replacement).
    pub number: u64,
    /// All bytes of the file.
    pub bytes: Vec<u8>,
}

/// What an embedding chooses.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Chosen {
    /// For [`Wants::Time`]: so many nanoseconds after the last reading. No clock goes back whatever is chosen, also where
    /// the choice is made again after another past.
    Later(u64),
    /// For [`Wants::Random`] and [`Wants::Input`].
    Bytes(Vec<u8>),
    /// For [`Wants::Ready`]: the index of an alternative.
    Ready(u32),
    /// The call fails with one of [`Function::faults`](crate::Function::faults). It may always be chosen; a call that
    /// fails by itself fails as it does.
    Fault(Errno),
    /// At most so many bytes are moved, at least one: for a call that
    /// [`moves_bytes`](crate::Function::moves_bytes) between memory and a file, or to an output.
    Short(u32),
    /// The call came to this in a recording of another system, whatever this one would answer. What it changes here is
    /// what it changes by itself, as far as it succeeds here and there.
    Told {
        /// What it returned.
        errno: Errno,
        /// What was written to memory, all of it within.
        writes: Vec<MemoryWrite>,
    },
    /// Before the call, somebody outside has put other bytes in files, whatever the call then comes to. It goes as it does
    /// by itself, or as is chosen besides. No answer to a call if one of the files is not there, or has no room for that.
    Replaced {
        /// The files.
        files: Vec<Replacement>,
        /// What else is chosen: no other files.
        then: Option<Box<Chosen>>,
    },
}

/// Why a call was not carried out: the embedding has made a mistake. The world is what it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misuse {
    /// Not as many arguments as the function has parameters.
    #[error("{given} arguments for {wanted} parameters")]
    Arguments {
        /// How many there are.
        given: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// The choice is no answer to what the call wants.
    #[error("{chosen:?} is no answer to {wants:?}")]
    Chosen {
        /// The choice.
        chosen: Chosen,
        /// What the call wants; `None` if it wants nothing.
        wants: Option<Wants>,
    },
}
