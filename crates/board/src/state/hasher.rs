//! A hash that is the same on every machine.

use core::hash::Hasher;

use fnv::FnvHasher;

/// FNV-1a over bytes that are the same on every machine: little endian, sizes as 64 bits.
#[derive(Default)]
pub(super) struct PortableHasher(FnvHasher);

impl Hasher for PortableHasher {
    fn finish(&self) -> u64 {
        self.0.finish()
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn write_u16(&mut self, n: u16) {
        self.write(&n.to_le_bytes());
    }

    fn write_u32(&mut self, n: u32) {
        self.write(&n.to_le_bytes());
    }

    fn write_u64(&mut self, n: u64) {
        self.write(&n.to_le_bytes());
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    // Signed numbers and enum discriminants arrive through these by default; they forward to the above.
    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as i64 as u64);
    }
}
