//! Names of states by content.

use std::hash::{BuildHasher, Hash, Hasher};

/// A 64-bit digest of a state's content.
///
/// Equal states have equal fingerprints in every process of one build, so a fingerprint decides
/// which of several workers owns a state. Different states may share one: equality is always
/// checked on the states themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    /// The fingerprint of `state`.
    pub fn of<S: Hash + ?Sized>(state: &S) -> Self {
        Self(Build.hash_one(state))
    }

    /// The worker, of `workers`, that owns the state.
    #[must_use]
    pub fn owner(self, workers: u32) -> u32 {
        // Multiply and shift: the high bits decide, the hash table uses the low ones.
        ((u128::from(self.0) * u128::from(workers)) >> 64) as u32
    }
}

#[derive(Clone, Copy, Default)]
struct Build;

impl BuildHasher for Build {
    type Hasher = Fingerprinter;

    fn build_hasher(&self) -> Fingerprinter {
        Fingerprinter(0)
    }
}

/// Multiplies and folds: fast, without a key, the same on every machine.
struct Fingerprinter(u64);

/// An odd constant without structure (the fraction of the golden ratio).
const K: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for Fingerprinter {
    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word ^ K) * u128::from(K.rotate_left(17) | 1);
        self.0 =
            (product as u64) ^ ((product >> 64) as u64).rotate_left(23) ^ self.0.rotate_left(5);
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
        let mut word = [0; 8];
        word[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
        // The length keeps "a" and "a\0" apart.
        self.write_u64(u64::from_le_bytes(word) ^ (bytes.len() as u64) << 56);
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(n.into());
    }

    fn write_u16(&mut self, n: u16) {
        self.write_u64(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }

    fn write_usize(&mut self, n: usize) {
        // Lengths count the same on hosts with shorter words.
        self.write_u64(n as u64);
    }

    fn finish(&self) -> u64 {
        // Avalanche, so that both the low and the high bits depend on everything.
        let mut x = self.0;
        x = (x ^ (x >> 32)).wrapping_mul(K);
        x = (x ^ (x >> 29)).wrapping_mul(K.rotate_left(31) | 1);
        x ^ (x >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn content_decides_and_nothing_else() {
        assert_eq!(Fingerprint::of("ab"), Fingerprint::of(&"ab".to_owned()));
        // Pinned: another build must find the same owners.
        assert_eq!(
            Fingerprint::of(&(1_u32, "ab")),
            Fingerprint(0x3796_836d_17ce_6e08)
        );
    }

    #[test]
    fn small_differences_give_other_fingerprints_and_even_shares() {
        let states = (0..100_u32).flat_map(|a| (0..1000_u32).map(move |b| (a, b)));
        let prints: HashSet<_> = states.map(|state| Fingerprint::of(&state)).collect();
        assert_eq!(prints.len(), 100_000);
        let low: HashSet<_> = prints.iter().map(|print| print.0 & 0xfff).collect();
        assert_eq!(low.len(), 4096);
        for owner in 0..3 {
            let share = prints
                .iter()
                .filter(|print| print.owner(3) == owner)
                .count();
            assert!((32_000..35_000).contains(&share), "{share}");
        }
    }

    #[test]
    fn texts_that_differ_in_length_only_differ() {
        let prints: HashSet<_> = (0..100).map(|n| Fingerprint::of(&vec![0_u8; n])).collect();
        assert_eq!(prints.len(), 100);
    }
}
