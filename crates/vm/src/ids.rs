//! Numbers that must not be mixed, and the pointer that modules are shared by.

use core::fmt;

/// A function of a module, imported ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FuncIdx(pub u32);

/// A byte's offset from the start of the module's file; for code, that of an opcode. Source maps
/// and DWARF line tables of whole files count like this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CodeOffset(pub u32);

impl fmt::Display for CodeOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// A hash of a machine's whole state but its step count; equal states have equal hashes on every
/// machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StateHash(pub u64);

impl fmt::Display for StateHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A shared, immutable thing: `Arc`, or `Rc` where the processor has no atomic operations for it.
#[cfg(target_has_atomic = "ptr")]
pub type Shared<T> = alloc::sync::Arc<T>;
/// A shared, immutable thing: `Arc`, or `Rc` where the processor has no atomic operations for it.
#[cfg(not(target_has_atomic = "ptr"))]
pub type Shared<T> = alloc::rc::Rc<T>;
