//! Chance that is the same every time.

/// Marsaglia's xorshift with 64 bits: which paths and values are tried first follows from it, and so from the seed that a
/// user gave. Another generator would find others.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The generator in a state, which is not zero.
    pub(crate) const fn in_state(state: u64) -> Self {
        Self(state)
    }

    /// The generator of a seed.
    pub(crate) const fn from_seed(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// The next number; never zero.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
