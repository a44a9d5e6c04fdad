//! The bytes of the memory that depend on inputs.

use hashbrown::HashMap;

use crate::dag::Expr;

/// A byte of a stored value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Byte {
    /// The stored value, an integer.
    pub(crate) value: Expr,
    /// Which of its bytes, the lowest first.
    pub(crate) number: u8,
}

/// Bytes of a granule: most of memory is known, and one look tells so of all of them.
const GRANULE: u32 = 8;

/// The bytes that depend on inputs; all others are what the machine has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    granules: HashMap<u32, [Option<Byte>; GRANULE as usize]>,
    /// A bit for every granule in which a byte may depend on an input.
    marks: Vec<u64>,
}

impl Memory {
    /// Whether any of `count` bytes from `address` on may depend on an input.
    #[inline]
    pub(crate) fn touches(&self, address: u64, count: u64) -> bool {
        if self.granules.is_empty() || count == 0 {
            return false;
        }
        let (first, last) = (
            address / u64::from(GRANULE),
            (address + count - 1) / u64::from(GRANULE),
        );
        if last - first > 64 {
            return true;
        }
        (first..=last).any(|granule| self.is_marked(granule))
    }

    fn is_marked(&self, granule: u64) -> bool {
        let word = self.marks.get((granule / 64) as usize);
        word.is_some_and(|word| word >> (granule % 64) & 1 != 0)
    }

    /// The byte at an address, if it depends on an input.
    pub(crate) fn byte(&self, address: u64) -> Option<Byte> {
        let granule = u32::try_from(address / u64::from(GRANULE)).ok()?;
        let bytes = self.granules.get(&granule)?;
        bytes[(address % u64::from(GRANULE)) as usize]
    }

    /// Notes what a byte is now: `None` if it is known.
    pub(crate) fn set(&mut self, address: u64, byte: Option<Byte>) {
        let granule = address / u64::from(GRANULE);
        let at = (address % u64::from(GRANULE)) as usize;
        if byte.is_none() && !self.is_marked(granule) {
            return;
        }
        let Ok(key) = u32::try_from(granule) else {
            return;
        };
        let bytes = self.granules.entry(key).or_default();
        bytes[at] = byte;
        let is_known = bytes.iter().all(Option::is_none);
        if is_known {
            self.granules.remove(&key);
        }
        let word = (granule / 64) as usize;
        if self.marks.len() <= word {
            self.marks.resize(word + 1, 0);
        }
        let bit = 1 << (granule % 64);
        if is_known {
            self.marks[word] &= !bit;
        } else {
            self.marks[word] |= bit;
        }
    }

    /// All bytes that depend on inputs, with their addresses.
    pub(crate) fn bytes(&self) -> impl Iterator<Item = (u64, Byte)> + '_ {
        self.granules.iter().flat_map(|(granule, bytes)| {
            let start = u64::from(*granule) * u64::from(GRANULE);
            let addresses = start..;
            addresses
                .zip(bytes)
                .filter_map(|(address, byte)| Some((address, (*byte)?)))
        })
    }

    /// The addresses of bytes that depend on inputs, of those from `address` on.
    pub(crate) fn within(&self, address: u64, count: u64) -> Vec<(u64, Byte)> {
        if !self.touches(address, count) {
            return Vec::new();
        }
        if count <= 4096 {
            let all = address..address + count;
            all.filter_map(|at| Some((at, self.byte(at)?))).collect()
        } else {
            let inside = |(at, _): &(u64, Byte)| *at >= address && at - address < count;
            self.bytes().filter(inside).collect()
        }
    }
}
