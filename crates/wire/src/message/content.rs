//! Names of blobs.

use core::fmt;
use core::hash::Hasher as _;

use fnv::FnvHasher;
use serde::{Deserialize, Serialize};

/// Names a blob by its content (64-bit FNV-1a).
///
/// It tells one program from another; it is no defence against somebody who wants a collision.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ContentHash(pub u64);

impl ContentHash {
    /// The name of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = ContentHasher::default();
        hasher.update(bytes);
        hasher.finish()
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Computes a [`ContentHash`] chunk by chunk, as they arrive.
#[derive(Clone, Debug)]
pub struct ContentHasher(u64);

impl Default for ContentHasher {
    fn default() -> Self {
        Self(FnvHasher::default().finish())
    }
}

impl ContentHasher {
    /// Adds the next chunk.
    pub fn update(&mut self, bytes: &[u8]) {
        let mut hasher = FnvHasher::with_key(self.0);
        hasher.write(bytes);
        self.0 = hasher.finish();
    }

    /// The name of all chunks so far.
    pub fn finish(&self) -> ContentHash {
        ContentHash(self.0)
    }
}
