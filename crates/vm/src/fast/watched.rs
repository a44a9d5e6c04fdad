//! What is watched, as code needs to know it: it is left before whatever may write something of that.

use alloc::vec::Vec;
use core::ops::Range;

use crate::Watch;
use crate::binary::Instr;
use crate::machine::Instance;

/// What is watched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Watched {
    /// Addresses of globals, sorted.
    globals: Vec<u32>,
    /// Locals, whoever's: which function is at the watched frame's place is not known here. Sorted.
    locals: Vec<u32>,
    pub(super) bytes: WatchedBytes,
}

/// Bytes of the first instance's memory that are watched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WatchedBytes {
    /// From the first to the last one.
    pub(super) all: Range<u64>,
    each: Vec<Range<u64>>,
}

impl WatchedBytes {
    /// Whether some of these bytes are watched.
    pub(super) fn has(&self, bytes: Range<u64>) -> bool {
        let mut each = self.each.iter();
        each.any(|watched| watched.start < bytes.end && bytes.start < watched.end)
    }
}

impl Watched {
    /// What these watches are of.
    pub(crate) fn new(watches: &[Watch], first: Option<&Instance>) -> Self {
        let mut all = Self::default();
        for watch in watches {
            match *watch {
                // Instructions that name their memory are the other tier's in any case.
                Watch::Memory { memory: 1.., .. } => {}
                Watch::Memory {
                    memory: 0,
                    start,
                    length,
                } => {
                    let start = u64::from(start);
                    let end = start + u64::from(length);
                    all.bytes.each.push(start..end);
                }
                Watch::Global(index) => {
                    let address = first.and_then(|first| first.globals.get(index as usize));
                    all.globals.extend(address);
                }
                Watch::Local { local, .. } => all.locals.push(local),
            }
        }
        let each = &all.bytes.each;
        let start = each.iter().map(|bytes| bytes.start).min();
        let end = each.iter().map(|bytes| bytes.end).max();
        all.bytes.all = start.unwrap_or(0)..end.unwrap_or(0);
        all.globals.sort_unstable();
        all.locals.sort_unstable();
        all
    }

    /// Whether code for one of the two does for the other: where watched bytes are is looked up when it runs.
    pub(super) fn wants_code_of(&self, other: &Self) -> bool {
        (&self.globals, &self.locals, self.has_bytes())
            == (&other.globals, &other.locals, other.has_bytes())
    }

    /// Whether bytes of memory are watched.
    pub(super) fn has_bytes(&self) -> bool {
        !self.bytes.each.is_empty()
    }

    /// Whether code is left before this instruction. Stores of numbers look for themselves whether what they write is
    /// watched, and instructions that name their memory are the other tier's in any case.
    pub(super) fn stops_before(&self, instr: &Instr<'_>, instance: &Instance) -> bool {
        match *instr {
            Instr::LocalSet(index) | Instr::LocalTee(index) => {
                self.locals.binary_search(&index).is_ok()
            }
            Instr::GlobalSet(index) => {
                let address = instance.globals.get(index as usize);
                address.is_some_and(|address| self.globals.binary_search(address).is_ok())
            }
            Instr::MemoryFill | Instr::MemoryCopy | Instr::MemoryInit(_) => self.has_bytes(),
            #[cfg(feature = "simd")]
            Instr::Wide(op, _) => op.is_store() && self.has_bytes(),
            _ => false,
        }
    }
}
