//! Hashes of parts, computed when first asked for.

use core::sync::atomic::{AtomicU64, Ordering};
use twox_hash::XxHash3_64;

/// What has a hash of its content.
pub(crate) trait Digest {
    /// Equal for equal contents, and hardly ever equal for others.
    fn digest(&self) -> u64;
}

/// A hash that grows word by word and text by text.
#[derive(Default)]
pub(crate) struct Hasher(u64);

impl Hasher {
    /// Takes a number in.
    pub(crate) fn word(&mut self, word: u64) {
        self.bytes(&word.to_le_bytes());
    }

    /// Takes bytes in, and how many they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0 = XxHash3_64::oneshot_with_seed(self.0.rotate_left(5) ^ bytes.len() as u64, bytes);
    }

    /// The hash of all that was taken in.
    pub(crate) fn finish(self) -> u64 {
        self.0
    }
}

/// A place for a hash that is not known yet, or no longer: 0.
#[derive(Debug, Default)]
pub(crate) struct Cache(AtomicU64);

impl Cache {
    /// The hash, computed if it is not known.
    pub(crate) fn get(&self, compute: impl FnOnce() -> u64) -> u64 {
        match self.0.load(Ordering::Relaxed) {
            0 => {
                let hash = compute();
                self.0.store(hash, Ordering::Relaxed);
                hash
            }
            hash => hash,
        }
    }

    /// Forgets it, because the content changes.
    pub(crate) fn clear(&mut self) {
        *self.0.get_mut() = 0;
    }
}

impl Clone for Cache {
    fn clone(&self) -> Cache {
        Cache(AtomicU64::new(self.0.load(Ordering::Relaxed)))
    }
}
