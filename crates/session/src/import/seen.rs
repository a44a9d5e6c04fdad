//! The memory after a call, as its host left it.

use std::collections::BTreeMap;

use borges_stub::Call;
use borges_vm::{Value, Write};

/// A memory with what was written to it.
pub(super) struct Seen<'m> {
    before: &'m [u8],
    writes: &'m [Write],
}

impl<'m> Seen<'m> {
    pub(super) fn new(before: &'m [u8], writes: &'m [Write]) -> Self {
        Self { before, writes }
    }

    /// Bytes of it; none if they are not all within.
    pub(super) fn bytes(&self, address: u64, length: u64) -> Option<Vec<u8>> {
        let end = usize::try_from(address.checked_add(length)?).ok()?;
        let start = usize::try_from(address).ok()?;
        let mut bytes = self.before.get(start..end)?.to_vec();
        for write in self.writes {
            let at = write.address as usize;
            let (from, to) = (at.max(start), (at + write.bytes.len()).min(end));
            if from < to {
                bytes[from - start..to - start].copy_from_slice(&write.bytes[from - at..to - at]);
            }
        }
        Some(bytes)
    }

    /// A number of 32 bits.
    pub(super) fn word(&self, address: u64) -> Option<u32> {
        let bytes = self.bytes(address, 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(bytes))
    }

    /// A number of 64 bits.
    pub(super) fn long(&self, address: u64) -> Option<u64> {
        let bytes = self.bytes(address, 8)?.try_into().ok()?;
        Some(u64::from_le_bytes(bytes))
    }

    /// An argument, as an address or a length.
    pub(super) fn pointer(&self, call: &Call<'_>, at: usize) -> Option<u64> {
        match call.args.get(at)? {
            Value::I32(value) => Some(u64::from(*value as u32)),
            Value::I64(value) => Some(*value as u64),
            _ => None,
        }
    }

    /// What a call has read to its buffers (the list is argument 1, their number argument 2), of which its last argument
    /// says how much it is.
    pub(super) fn read(&self, call: &Call<'_>) -> Option<Vec<u8>> {
        let last = self.pointer(call, call.args.len().checked_sub(1)?)?;
        let total = self.word(last)? as usize;
        let (list, count) = (self.pointer(call, 1)?, self.pointer(call, 2)?);
        let before = Seen::new(self.before, &[]);
        let mut read = Vec::new();
        for at in 0..count {
            let buffer = list + at * 8;
            let room = (total - read.len()).min(before.word(buffer + 4)? as usize);
            read.extend(self.bytes(u64::from(before.word(buffer)?), room as u64)?);
        }
        (read.len() == total).then_some(read)
    }

    /// Whether other writes leave the same memory.
    pub(super) fn as_after(&self, other: &[Write]) -> bool {
        if self.writes == other {
            return true;
        }
        let after = |writes: &[Write]| {
            let mut bytes = BTreeMap::new();
            for write in writes {
                bytes.extend((write.address..).zip(write.bytes.iter().copied()));
            }
            // What was there before is no difference.
            bytes.retain(|at, byte| self.before.get(*at as usize) != Some(byte));
            bytes
        };
        after(self.writes) == after(other)
    }
}
