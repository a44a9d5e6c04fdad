//! What is new among the states that steps lead to.

use std::hint::black_box;
use std::ops::BitXor;

use super::beside::Open;
use crate::fingerprint::Digest;

/// Digests asked about lately: most steps lead to a state that was just met, and nobody needs to be asked again.
const RECENT: usize = 1 << 16;

/// Lets through what is not known.
pub(super) struct Sieve<F> {
    recent: Vec<F>,
    /// What was not asked about lately: places and digests.
    far: Vec<(usize, F)>,
}

/// A state that is not known.
pub(super) struct Unknown<F> {
    /// Which step leads there.
    pub(super) place: usize,
    pub(super) digest: F,
    /// Whether it is new; else its owner has to be asked.
    pub(super) is_new: bool,
}

impl<F: Digest> Sieve<F> {
    pub(super) fn new() -> Self {
        Self {
            recent: vec![F::default(); RECENT],
            far: Vec::new(),
        }
    }

    /// Appends what is not known of these digests to `unknown`, and knows it from now on where its owner's table is here.
    pub(super) fn sift(
        &mut self,
        digests: &[F],
        of: u32,
        known: &mut Open<'_, F>,
        unknown: &mut Vec<Unknown<F>>,
    ) {
        // What is looked at is mostly not near: all of it is fetched at once, and then looked at one by one.
        let slot = |digest: F| digest.word() as usize % RECENT;
        let recent = digests.iter().map(|digest| self.recent[slot(*digest)]);
        black_box(recent.map(F::word).fold(0, BitXor::bitxor));
        let mut near = 0;
        for (place, digest) in digests.iter().copied().enumerate() {
            // Zeros are those that nobody asked about.
            let recent = std::mem::replace(&mut self.recent[slot(digest)], digest);
            if recent != digest || digest == F::default() {
                near ^= known.near(digest.owner(of), digest);
                self.far.push((place, digest));
            }
        }
        black_box(near);
        for (place, digest) in self.far.drain(..) {
            let is_new = known.insert(digest.owner(of), digest);
            if is_new != Some(false) {
                unknown.push(Unknown {
                    place,
                    digest,
                    is_new: is_new.is_some(),
                });
            }
        }
    }

    /// Bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.recent.capacity() * size_of::<F>()
    }
}
