//! What the host asks of the device, and what it says with it.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::list::list;
use super::{ContentHash, Epoch};
#[cfg(doc)]
use super::{DeviceLimits, Report, SCHEMA};
use crate::{Bytes, Value};

/// What the host asks of the device.
///
/// Each is answered by [`Report::Done`] or [`Report::Failed`] unless it says otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// The first message on every new connection. Answered by [`Report::Welcome`].
    Hello {
        /// The host's [`SCHEMA`]. This field stays first and a `u32` in every version.
        schema: u32,
        /// What the host already has, if it was connected before.
        resume: Option<Resume>,
    },
    /// One chunk of a blob. Chunks come in order; offset 0 begins anew. The answer to the last one
    /// says whether the whole has the announced length and hash.
    Load {
        /// What the blob is.
        part: BlobKind,
        /// Names the whole blob.
        hash: ContentHash,
        /// The length of the whole blob in bytes.
        total: u32,
        /// Where this chunk belongs.
        offset: u32,
        /// The chunk.
        bytes: Bytes,
    },
    /// Puts the loaded program at the start of an entry function: step 0, record 0. Not running yet.
    Begin {
        /// The program that must be loaded.
        program: ContentHash,
        /// The board that must be loaded.
        board: ContentHash,
        /// Index of the function to call.
        entry: u32,
        /// Its arguments.
        #[serde(deserialize_with = "list")]
        arguments: Vec<Value>,
    },
    /// Runs. Answered at once; a [`Report::Paused`] follows when it stops.
    Run {
        /// The step count (from the start of the program) at which to stop at the latest, before an event that is due
        /// there. If the program is there already, an event that is due is delivered, and no instruction executed.
        until: Option<u64>,
    },
    /// Stops before the next instruction. A [`Report::Paused`] comes before the answer, also when it was paused.
    Pause,
    /// Replaces all breakpoints.
    SetBreakpoints(
        /// Offsets of opcodes in the module file.
        #[serde(deserialize_with = "list")]
        Vec<u32>,
    ),
    /// Replaces all stops at primitives.
    SetPrimitiveStops(#[serde(deserialize_with = "list")] Vec<PrimitiveStop>),
    /// Replaces all watches.
    SetWatches(#[serde(deserialize_with = "list")] Vec<Watch>),
    /// Whether to stop before an event's handler begins.
    StopOnEvents(bool),
    /// Replaces all mocks.
    SetMocks(#[serde(deserialize_with = "list")] Vec<Mock>),
    /// Runs compensations, first to last.
    Compensate {
        /// Instructions retired before the call that is undone last: where the program would stand now.
        steps: u64,
        /// Each one as the board crate writes it.
        #[serde(deserialize_with = "list")]
        list: Vec<Bytes>,
    },
    /// Performs an output again, on the way forward to another universe; the program's state is not
    /// touched. Answered by [`Report::Performed`].
    Perform {
        /// The step count at which the program makes the call: what it does may depend on when.
        steps: u64,
        /// Index of the primitive in the board's list.
        primitive: u16,
        /// The arguments of the call.
        #[serde(deserialize_with = "list")]
        arguments: Vec<Value>,
        /// The memory that the call reads, where the program's memory may differ by now.
        #[serde(deserialize_with = "list")]
        memory: Vec<MemoryBlob>,
    },
    /// Moves the program's state by a difference, which says where it leads: all of it or nothing. Answered by
    /// [`Report::State`].
    Apply {
        /// The difference.
        delta: Difference,
        /// The number that the next trace record gets.
        next_record: u64,
    },
    /// Back to the state after power-on, except that loaded blobs stay.
    Reset,
    /// Answered by [`Report::State`].
    QueryState,
    /// Lets an event happen now, as if the board had raised it: its handler is entered before this is answered. The
    /// program must be paused.
    Inject {
        /// What kind of event, as the board numbers them.
        kind: u8,
        /// What the board says about it.
        payload: Bytes,
    },
    /// How to record.
    SetRecording {
        /// What to do when the link is slower than the program.
        overflow: Overflow,
        /// Report [`Report::State`] about every so many steps while running; 0 is never.
        check_every: u64,
    },
    /// Whether the board's own events are delivered, as they are after [`Command::Begin`]. They are not while a host leads
    /// the program along a path that is known, where it injects those that belong there.
    BoardEvents(bool),
}

/// What a host knows that was connected before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    /// The epoch of the last record it has.
    pub epoch: Epoch,
    /// The number of the first record it does not have.
    pub next_record: u64,
}

/// What a loaded blob is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
pub enum BlobKind {
    /// A wasm module.
    #[error("program")]
    Program,
    /// The configuration of the board.
    #[error("board")]
    Board,
    /// A difference between two states of the program.
    #[error("difference")]
    State,
}

/// A difference between two states of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Difference {
    /// The whole of it.
    Whole(Bytes),
    /// One that was loaded ([`BlobKind::State`]) because it is too long for a message.
    Loaded(ContentHash),
}

/// Stops before a call of a primitive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrimitiveStop {
    /// Index of the primitive in the board's list.
    pub primitive: u16,
    /// All must hold; none always does.
    #[serde(deserialize_with = "list")]
    pub conditions: Vec<Argument>,
}

/// A condition on one argument of a call. False for an argument that the call does not have or that
/// is of another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// Which argument, from 0.
    pub index: u8,
    /// How to compare.
    pub comparison: Comparison,
    /// What to compare it with. Integers compare signed.
    pub value: Value,
}

/// How to compare an argument with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Comparison {
    /// The argument is equal to the value (floats: as numbers).
    Equal,
    /// It is not.
    NotEqual,
    /// The argument is smaller.
    Less,
    /// The argument is smaller or equal.
    AtMost,
    /// The argument is larger.
    Greater,
    /// The argument is larger or equal.
    AtLeast,
}

impl Comparison {
    /// Whether `argument` compares like this with `value`. False if they are of different types.
    pub fn holds(self, argument: Value, value: Value) -> bool {
        use core::cmp::Ordering;
        let ordering = match (argument, value) {
            (Value::I32(a), Value::I32(b)) => Some(a.cmp(&b)),
            (Value::I64(a), Value::I64(b)) => Some(a.cmp(&b)),
            (Value::F32(a), Value::F32(b)) => f32::from_bits(a).partial_cmp(&f32::from_bits(b)),
            (Value::F64(a), Value::F64(b)) => f64::from_bits(a).partial_cmp(&f64::from_bits(b)),
            // References have no order: equal or not.
            (Value::FuncRef(a), Value::FuncRef(b)) => (a == b).then_some(Ordering::Equal),
            (Value::ExternRef(a), Value::ExternRef(b)) => (a == b).then_some(Ordering::Equal),
            _ => return false,
        };
        match self {
            Self::Equal => ordering == Some(Ordering::Equal),
            Self::NotEqual => ordering != Some(Ordering::Equal),
            Self::Less => ordering == Some(Ordering::Less),
            Self::AtMost => matches!(ordering, Some(Ordering::Less | Ordering::Equal)),
            Self::Greater => ordering == Some(Ordering::Greater),
            Self::AtLeast => matches!(ordering, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

/// Stops when a part of the program's state is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Watch {
    /// Bytes of a linear memory.
    Memory {
        /// Which memory of the module; the first is 0.
        memory: u32,
        /// First byte.
        address: u32,
        /// Number of bytes.
        length: u32,
        /// What counts as touching.
        access: WatchAccess,
    },
    /// A global variable.
    Global {
        /// Its index in the module.
        index: u32,
        /// What counts as touching.
        access: WatchAccess,
    },
    /// A local variable of one call.
    Local {
        /// Which call: 0 is the outermost.
        frame: u32,
        /// The local's index in its function.
        index: u32,
        /// What counts as touching.
        access: WatchAccess,
    },
}

/// What a watch reacts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WatchAccess {
    /// Reading.
    Read,
    /// Writing, also of the same value.
    Write,
    /// Either.
    Any,
}

/// Values that stand in for an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mock {
    /// Index of the primitive in the board's list.
    pub primitive: u16,
    /// The calls of it that the values stand in for.
    pub calls: MockedCalls,
    /// What the calls return, one after the other.
    #[serde(deserialize_with = "list")]
    pub values: Vec<Value>,
    /// The bytes that come with each of the values; where the list is shorter, none do.
    #[serde(deserialize_with = "list")]
    pub payloads: Vec<Bytes>,
    /// How many of the values have been used already: a jump takes a mock's progress along.
    pub used: u32,
    /// What happens after the last value.
    pub end: MockEnd,
}

/// The calls that a mock stands in for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MockedCalls {
    /// All.
    All,
    /// Those with these arguments.
    With(#[serde(deserialize_with = "list")] Vec<Value>),
    /// Those of an operating system that are about this: a path, `stdin`, `stdout`, `stderr`.
    About(String),
    /// Those that read standard input from this byte on: the bytes of the only value are what comes there, and its end.
    Input(u64),
    /// Every call of an operating system after so many steps, as long as nothing has come of it: before the call, somebody
    /// outside has put the bytes of the only value in a file.
    File {
        /// Its path.
        path: String,
        /// Steps before the first such call.
        from: u64,
    },
}

/// What a mock does after its last value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MockEnd {
    /// Gives the last value for ever.
    RepeatLast,
    /// Lets the calls through to the board.
    Live,
}

/// Some bytes of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryBlob {
    /// Address of the first byte.
    pub address: u32,
    /// The bytes.
    pub bytes: Bytes,
}

/// What the device does when its trace buffer is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Overflow {
    /// The program waits for the link.
    #[default]
    Block,
    /// The program goes on unrecorded; [`Report::Overrun`] says from where.
    StopRecording,
}
