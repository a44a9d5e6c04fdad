//! Names of states by content.

use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};

/// A 64-bit digest of a state's content.
///
/// Equal states have equal fingerprints in every process of one build, so a fingerprint decides
/// which of several workers owns a state. Different states may share one: equality is always
/// checked on the states themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    /// The fingerprint of `state`.
    pub fn of<S: Hash + ?Sized>(state: &S) -> Self {
        Self(Build.hash_one(state))
    }
}

/// A 128-bit digest of a state's content, for more states than 64 bits tell apart. Half of it is the state's
/// [`Fingerprint`], the other half is made with other numbers in the same pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WideFingerprint(pub u128);

/// What stands for a state where states are not kept: [`Fingerprint`] or [`WideFingerprint`]. The default is all zeros.
pub trait Digest: Copy + Default + Ord + fmt::Debug + Send + Sync + 'static {
    /// How many bits it has.
    const BITS: u32;

    /// The digest of `state`.
    fn digest<S: Hash + ?Sized>(state: &S) -> Self;

    /// 64 bits that depend on all of it.
    fn word(self) -> u64;

    /// Its bits.
    fn bits(self) -> u128;

    /// The digest with these bits, of which the lowest [`Digest::BITS`] count.
    fn of_bits(bits: u128) -> Self;

    /// The worker, of `workers`, that owns the state.
    #[must_use]
    fn owner(self, workers: u32) -> u32 {
        // Multiply and shift: the high bits decide, hash tables use others.
        ((u128::from(self.word()) * u128::from(workers)) >> 64) as u32
    }

    /// How probable it is that two of so many different states share a digest, if those are as good as drawn by lot: one
    /// of them would then be missing.
    #[must_use]
    fn risk(states: u64) -> f64 {
        let states = states as f64;
        let pairs = states * (states - 1.0).max(0.0) / 2.0;
        -(-pairs / 2_f64.powi(Self::BITS as i32)).exp_m1()
    }
}

impl Digest for Fingerprint {
    const BITS: u32 = 64;

    fn digest<S: Hash + ?Sized>(state: &S) -> Self {
        Self::of(state)
    }

    fn word(self) -> u64 {
        self.0
    }

    fn bits(self) -> u128 {
        self.0.into()
    }

    fn of_bits(bits: u128) -> Self {
        Self(bits as u64)
    }
}

impl Digest for WideFingerprint {
    const BITS: u32 = 128;

    fn digest<S: Hash + ?Sized>(state: &S) -> Self {
        let mut both = Fingerprinter([0; 2]);
        state.hash(&mut both);
        let [high, low] = both.lanes();
        Self(u128::from(high) << 64 | u128::from(low))
    }

    fn word(self) -> u64 {
        (self.0 >> 64) as u64 ^ self.0 as u64
    }

    fn bits(self) -> u128 {
        self.0
    }

    fn of_bits(bits: u128) -> Self {
        Self(bits)
    }
}

#[derive(Clone, Copy, Default)]
struct Build;

impl BuildHasher for Build {
    type Hasher = Fingerprinter<1>;

    fn build_hasher(&self) -> Fingerprinter<1> {
        Fingerprinter([0])
    }
}

/// An odd constant without structure (the fraction of the golden ratio).
const K: u64 = 0x9e37_79b9_7f4a_7c15;

/// Another (the fraction of the square root of two).
const OTHER: u64 = 0x6a09_e667_f3bc_c909;

/// What each half of a wide fingerprint multiplies by; a narrow one is the first.
const BY: [u64; 2] = [K.rotate_left(17) | 1, OTHER];

/// Multiplies and folds, in so many lanes: fast, without a key, the same on every machine.
struct Fingerprinter<const LANES: usize>([u64; LANES]);

impl<const LANES: usize> Fingerprinter<LANES> {
    /// What each lane came to.
    fn lanes(&self) -> [u64; LANES] {
        // Avalanche, so that both the low and the high bits depend on everything.
        self.0.map(|mut x| {
            x = (x ^ (x >> 32)).wrapping_mul(K);
            x = (x ^ (x >> 29)).wrapping_mul(K.rotate_left(31) | 1);
            x ^ (x >> 32)
        })
    }
}

impl<const LANES: usize> Hasher for Fingerprinter<LANES> {
    fn write_u64(&mut self, word: u64) {
        for (lane, by) in self.0.iter_mut().zip(BY) {
            let product = u128::from(*lane ^ word ^ K) * u128::from(by);
            *lane =
                (product as u64) ^ ((product >> 64) as u64).rotate_left(23) ^ lane.rotate_left(5);
        }
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
        self.lanes()[0]
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
    fn the_halves_of_a_wide_one_know_nothing_of_each_other() {
        let wide = |n: u32| WideFingerprint::digest(&(n, "ab"));
        assert_eq!((wide(1).0 >> 64) as u64, Fingerprint::of(&(1_u32, "ab")).0);
        // A bit is the same in both halves half the time.
        let same: u32 = (0..10_000)
            .map(|n| (!((wide(n).0 >> 64) ^ wide(n).0) as u64).count_ones())
            .sum();
        assert!((315_000..325_000).contains(&same), "{same}");
    }

    #[test]
    fn the_risk_of_a_collision_is_that_of_birthdays() {
        assert_eq!(Fingerprint::risk(1), 0.0);
        assert!((Fingerprint::risk(1_000_000_000) - 0.0267).abs() < 0.0001);
        assert!(Fingerprint::risk(u64::MAX) > 0.999);
        assert!(WideFingerprint::risk(10_000_000_000) < 2e-19);
    }

    #[test]
    fn texts_that_differ_in_length_only_differ() {
        let prints: HashSet<_> = (0..100).map(|n| Fingerprint::of(&vec![0_u8; n])).collect();
        assert_eq!(prints.len(), 100);
    }
}
