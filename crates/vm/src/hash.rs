//! The hash of modules and states: XXH3, 64 bits wide.

use twox_hash::XxHash3_64;

use crate::bytes::BLOCK;

pub(crate) fn of_bytes(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// The hash of a block of memory. The last one of a memory may be shorter: it counts as filled up
/// with zeros.
pub(crate) fn of_block(block: &[u8]) -> u64 {
    if block.len() == BLOCK {
        return of_bytes(block);
    }
    let mut whole = alloc::vec![0; BLOCK];
    whole
        .iter_mut()
        .zip(block)
        .for_each(|(to, from)| *to = *from);
    of_bytes(&whole)
}
