//! The state of a running program: everything that a snapshot holds, and nothing else. It is in two parts, the [`Thread`]
//! that runs and the [`Store`] that it runs on.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::memory::Memory;
use crate::{Limits, Trap};

/// No function, no frame, no memory.
pub(crate) const NONE: u32 = u32::MAX;

/// Bytes of a page of memory.
pub(crate) const PAGE: u64 = 1 << 16;

/// A function that was entered and has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Address of the function.
    pub(crate) func: u32,
    /// Offset of the next instruction in the module's bytes: for a caller the one behind the call,
    /// for the top frame and for one that a handler interrupted the one not yet executed.
    pub(crate) pc: u32,
    /// The first entry of the side table at or after `pc`; it follows from `pc`.
    pub(crate) branch: u32,
    /// Where the first local is in the stack: arguments become locals where they lie.
    pub(crate) fp: u32,
}

/// What the machine is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Nothing was begun.
    Idle,
    /// A start function runs; the arguments of the entry wait at the bottom of the stack.
    Start,
    /// The entry runs.
    Entry,
    /// The entry returned; its results are at the bottom of the stack.
    Finished,
    /// The program ended itself in a call of the embedder, with this code; the stack is as it was then.
    Exited(u32),
    /// The program was aborted; the stack is as it was then.
    Trapped(Trap),
}

/// Which passive parts of an instance were dropped, and whether its start function ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) started: bool,
    pub(crate) dropped_elements: Vec<bool>,
    pub(crate) dropped_data: Vec<bool>,
}

/// What all functions share, whoever runs them: what instructions other than plain computation change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Store {
    pub(crate) memories: Vec<Memory>,
    /// Elements as cells.
    pub(crate) tables: Vec<Vec<u64>>,
    /// Values as cells.
    pub(crate) globals: Vec<u64>,
    /// By instance.
    pub(crate) progress: Vec<Progress>,
    /// The exceptions that there may be references to (`machine::throw`); nothing where no instance has tags.
    #[cfg(feature = "exceptions")]
    pub(crate) exceptions: Option<Vec<u64>>,
}

#[cfg(feature = "memories")]
impl Store {
    /// Pages of all memories.
    pub(crate) fn pages(&self) -> u64 {
        let pages = self.memories.iter().map(|memory| u64::from(memory.pages));
        pages.sum()
    }
}

/// One stack and what is done on it: all that belongs to whoever runs, and to nobody else. A machine has one; several take
/// turns on one store by [`Snapshot::with_stack`](crate::Snapshot::with_stack).
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    /// Instructions retired.
    pub(crate) steps: u64,
    pub(crate) phase: Phase,
    /// Address of the function begun; [`NONE`] if only a start function was.
    pub(crate) entry: u32,
    /// Address of the start function in phase [`Phase::Start`], otherwise [`NONE`].
    pub(crate) start: u32,
    /// The frame of the handler that an interrupt entered, counted from the bottom, or [`NONE`].
    pub(crate) handler: u32,
    /// The call of the embedder that waits for an answer follows from the last one.
    pub(crate) frames: Vec<Frame>,
    /// As many cells as the limits allow; those from `sp` on mean nothing.
    pub(crate) stack: Box<[u64]>,
    pub(crate) sp: usize,
}

impl Thread {
    pub(crate) fn new(limits: &Limits) -> Thread {
        Thread {
            steps: 0,
            phase: Phase::Idle,
            entry: NONE,
            start: NONE,
            handler: NONE,
            frames: Vec::new(),
            stack: alloc::vec![0; limits.stack_slots as usize].into_boxed_slice(),
            sp: 0,
        }
    }

    /// The cells in use.
    pub(crate) fn cells(&self) -> &[u64] {
        self.stack.get(..self.sp).unwrap_or_default()
    }
}

/// The whole state.
///
/// Invariants, which executing code relies on and loading a state checks: every frame's `pc` is an
/// instruction that can be reached, the operands above its locals are as many and of the types
/// that validation says, and every cell fits its type.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) thread: Thread,
    pub(crate) store: Store,
}

impl State {
    pub(crate) fn new(limits: &Limits) -> State {
        State {
            thread: Thread::new(limits),
            store: Store::default(),
        }
    }
}

/// The bytes that a memory of so many pages really has.
pub(crate) fn backed_bytes(pages: u32, limits: &Limits) -> usize {
    // At most 4 GiB, and where `usize` is smaller the limits keep it within that.
    usize::try_from((u64::from(pages) * PAGE).min(limits.memory_bytes)).unwrap_or(usize::MAX)
}
