//! What running code needs besides its registers.

use alloc::vec::Vec;

use super::op::Reason;

/// A function as its callers see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Its code, or its stub.
    pub(crate) ip: *const u64,
    /// Bytes of its frame.
    pub(crate) bytes: u32,
    /// Its type's number in the machine; for what `call_indirect` must leave to the other tier,
    /// no type's.
    pub(crate) ty: u32,
    /// Cells of its parameters.
    pub(crate) params: u16,
    /// Cells of its other locals.
    pub(crate) zeros: u16,
}

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
    /// For accesses of 1, 2, 4 and 8 bytes: the first address that is out of bounds.
    pub(crate) ends: [u64; 4],
    /// Bytes of the memory that exist.
    pub(crate) length: u64,
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
    /// Why the code stopped.
    pub(crate) reason: Reason,
    /// The registers when it did.
    pub(crate) stopped: Option<super::op::Regs>,
}
