//! What host and device say to each other.
//!
//! Every message carries an [`Epoch`]. The host begins a new one whenever it abandons a branch
//! ([`Command::Begin`], [`Command::Apply`], [`Command::Reset`]); the device adopts a newer epoch on
//! arrival and stamps what it says with it, so that what the abandoned branch still had in flight
//! is recognised and dropped.
//!
//! Commands that set something (breakpoints, stops, watches, mocks) replace the whole set and are
//! idempotent: after a reconnect the host says them all again.
//!
//! The format is postcard. [`SCHEMA`] names it: a test recomputes the constant from the bytes of
//! one message of every kind, so that no format changes unnoticed.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{Bytes, Failure, Value};

/// Names the format of all messages and trace records; both sides must have the same.
pub const SCHEMA: u32 = 0x8adf_82de;

/// Counts the branches that the host has put the device on. Newer is larger.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Epoch(pub u32);

/// Ties an answer to its question. The host counts up.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct RequestId(pub u32);

/// Names a blob by its content (64-bit FNV-1a).
///
/// It tells one program from another; it is no defence against somebody who wants a collision.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ContentHash(pub u64);

impl ContentHash {
    /// The name of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = ContentHasher::default();
        hasher.update(bytes);
        hasher.finish()
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Computes a [`ContentHash`] chunk by chunk, as they arrive.
#[derive(Clone, Debug)]
pub struct ContentHasher(u64);

impl Default for ContentHasher {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl ContentHasher {
    /// Adds the next chunk.
    pub fn update(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// The name of all chunks so far.
    pub fn finish(&self) -> ContentHash {
        ContentHash(self.0)
    }
}

/// A message from the host to the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToDevice {
    /// The branch that the host is on.
    pub epoch: Epoch,
    /// What the answer refers to.
    pub id: RequestId,
    /// What the device shall do.
    pub command: Command,
}

/// A message from the device to the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToHost {
    /// The branch that the device was on when it said so.
    pub epoch: Epoch,
    /// What it says.
    pub report: Report,
}

/// A message that cannot be read: cut short, of another schema, or hostile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a message of schema {SCHEMA:08x}")]
pub struct DecodeError;

macro_rules! postcard_message {
    ($name:ty) => {
        impl $name {
            /// The bytes to send.
            pub fn to_bytes(&self) -> Vec<u8> {
                // Serialising into a growing vector fails only for types that postcard does not know;
                // the golden test shows that it knows every one of these.
                postcard::to_allocvec(self).unwrap_or_default()
            }

            /// Reads one message, which must take up all of `bytes`.
            ///
            /// What it allocates is proportional to the length of `bytes`, whatever they claim.
            ///
            /// # Errors
            /// [`DecodeError`] for anything that [`Self::to_bytes`] did not make.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
                match postcard::take_from_bytes(bytes) {
                    Ok((message, [])) => Ok(message),
                    _ => Err(DecodeError),
                }
            }
        }
    };
}
postcard_message!(ToDevice);
postcard_message!(ToHost);

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
        part: Part,
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
    /// Answered by [`Report::Memory`].
    ReadMemory {
        /// First byte.
        address: u32,
        /// Number of bytes; at most [`DeviceLimits::message_bytes`].
        length: u32,
    },
    /// Asks for a part of the program's whole saved state, for a host that has lost it. Answered by
    /// [`Report::Save`]. Offset 0 takes a new save; the program must be paused.
    ReadSave {
        /// First byte.
        offset: u32,
    },
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
pub enum Part {
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
    /// One that was loaded ([`Part::State`]) because it is too long for a message.
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
    /// Bytes of the linear memory.
    Memory {
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
    /// The arguments of the calls it stands in for; `None` for any.
    pub arguments: Option<Vec<Value>>,
    /// What the calls return, one after the other.
    #[serde(deserialize_with = "list")]
    pub values: Vec<Value>,
    /// How many of the values have been used already: a jump takes a mock's progress along.
    pub used: u32,
    /// What happens after the last value.
    pub end: MockEnd,
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
        /// The step count that the first record's distance refers to.
        base: u64,
        /// Packed records, see [`crate::trace`].
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
    /// Answers [`Command::ReadMemory`].
    Memory {
        /// Which one.
        id: RequestId,
        /// First byte.
        address: u32,
        /// The bytes; fewer than asked for if the memory ends.
        bytes: Bytes,
    },
    /// Answers [`Command::ReadSave`].
    Save {
        /// Which one.
        id: RequestId,
        /// The length of the whole save.
        total: u32,
        /// Where this part belongs.
        offset: u32,
        /// The part.
        bytes: Bytes,
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

/// Reads a list that grows as its elements arrive.
///
/// The usual way reserves room for as many elements as the message may hold by its length, which is
/// up to 64 times the message: too much for a device.
fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct Elements<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
            let mut elements = Vec::new();
            while let Some(element) = seq.next_element()? {
                elements.push(element);
            }
            Ok(elements)
        }
    }
    deserializer.deserialize_seq(Elements(PhantomData))
}

/// The schema in the greeting of a peer that may speak another version.
///
/// Works for all versions: the greeting is variant 0 of both enums, and its schema is first.
/// `None` if `bytes` is not a greeting.
pub fn peer_schema(bytes: &[u8], from_device: bool) -> Option<u32> {
    #[derive(Deserialize)]
    struct Greeting {
        _epoch: u32,
    }
    let (_, mut rest) = postcard::take_from_bytes::<Greeting>(bytes).ok()?;
    if !from_device {
        (_, rest) = postcard::take_from_bytes::<u32>(rest).ok()?;
    }
    match postcard::take_from_bytes::<(u32, u32)>(rest).ok()? {
        ((0, schema), _) => Some(schema),
        _ => None,
    }
}
