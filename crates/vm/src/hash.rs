//! The hash of modules and states: XXH3, 64 bits wide.

use twox_hash::XxHash3_64;

pub(crate) fn of_bytes(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}
