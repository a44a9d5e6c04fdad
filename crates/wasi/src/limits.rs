//! Limits of a world.

use serde::{Deserialize, Serialize};

/// How much a world may hold. What passes a limit is answered with an error number, as an operating system would.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WorldLimits {
    /// Bytes of a path: `ENAMETOOLONG`.
    pub path_bytes: u32,
    /// Bytes of one name in it: `ENAMETOOLONG`.
    pub name_bytes: u32,
    /// Symbolic links followed on one path: `ELOOP`.
    pub links: u32,
    /// Directories within each other, below one that the program was given: `ENAMETOOLONG`. Whoever walks through all
    /// files may do so by recursion.
    pub depth: u32,
    /// Open descriptors: `EMFILE`.
    pub descriptors: u32,
    /// Files, directories and symbolic links: `ENOSPC`.
    pub inodes: u32,
    /// Entries that lead to one file: `EMLINK`.
    pub hard_links: u32,
    /// The size of one file: `EFBIG`.
    pub file_bytes: u64,
    /// The sizes of all files together: `ENOSPC`.
    pub bytes: u64,
    /// What a program may write to standard output, and as much to standard error: `ENOSPC`.
    pub output_bytes: u64,
    /// Buffers of one read or write: `EINVAL`.
    pub buffers: u32,
    /// Bytes that one read or write moves; more are left for the next call.
    pub transfer_bytes: u32,
    /// Subscriptions of one `poll_oneoff`: `EINVAL`.
    pub subscriptions: u32,
}

impl Default for WorldLimits {
    fn default() -> WorldLimits {
        WorldLimits {
            path_bytes: 4096,
            name_bytes: 255,
            links: 40,
            depth: 256,
            descriptors: 4096,
            inodes: 1 << 16,
            hard_links: 65_000,
            file_bytes: 1 << 28,
            bytes: 1 << 28,
            output_bytes: 1 << 26,
            buffers: 1024,
            transfer_bytes: 1 << 26,
            subscriptions: 4096,
        }
    }
}
