//! What running code needs besides its registers.

use alloc::vec::Vec;

use super::op::{Bank, Reason};
#[cfg(feature = "host")]
use super::watched::WatchedBytes;
#[cfg(feature = "host")]
use crate::bytes::Written;

/// A function as its callers see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Its code, or its stub.
    pub(crate) ip: *const u64,
    /// What `call_indirect` compares; see [`kind`].
    pub(crate) kind: u64,
    /// Bytes of its frame.
    pub(crate) bytes: u32,
    /// Cells of its parameters.
    pub(crate) params: u16,
    /// Cells of its other locals.
    pub(crate) zeros: u16,
}

/// One number for the type of a function and its instance. Running code stays within one instance,
/// because it has but one memory at hand: calls of another instance's functions are left to the other
/// tier, like those of functions of another type.
pub(crate) const fn kind(instance: u32, ty: u32) -> u64 {
    (instance as u64) << 32 | ty as u64
}

/// Of what no `call_indirect` may enter.
pub(crate) const NO_KIND: u64 = u64::MAX;

/// A call that has not returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// Where the caller goes on.
    pub(crate) ip: *const u64,
    /// The caller's first slot.
    pub(crate) fp: *mut u64,
}

/// The surroundings of running code. Valid only while it runs.
pub(crate) struct Cx {
    /// The frame's first slot when code starts, and while it runs unless handlers pass it on. First
    /// because what is near takes less to reach.
    pub(crate) fp: *mut u64,
    /// The other registers, likewise.
    pub(crate) bank: Bank,
    /// For accesses of 1, 2, 4 and 8 bytes: the first address that is out of bounds.
    pub(crate) ends: [usize; 4],
    /// Bytes of the memory that exist.
    pub(crate) length: usize,
    /// Pages of the memory.
    pub(crate) pages: u32,
    /// By address.
    pub(crate) globals: *mut u64,
    /// By address.
    pub(crate) tables: *const Vec<u64>,
    /// By the cell of a reference to a function: entry 0 stands for null.
    pub(crate) entries: *const Entry,
    /// Past the last cell of the stack, as a number.
    pub(crate) stack_end: usize,
    /// Past the last call.
    pub(crate) calls: *mut Call,
    /// Where no further call has room.
    pub(crate) calls_end: *mut Call,
    /// Where and why the code stopped.
    pub(crate) stopped: Option<Stopped>,
    /// The bytes that are watched.
    #[cfg(feature = "host")]
    pub(crate) watched: *const WatchedBytes,
    /// Where code notes which bytes of the memory it writes; null where nobody asks it.
    #[cfg(feature = "host")]
    pub(crate) written: *mut Written,
}

/// The end of a run of code.
#[derive(Clone, Copy)]
pub(crate) struct Stopped {
    pub(crate) reason: Reason,
    /// The operation that was not executed.
    pub(crate) ip: *const u64,
    pub(crate) acc: usize,
    pub(crate) fp: *mut u64,
    pub(crate) bank: Bank,
}
