//! Bytes as they travel to who knows what they were.

use super::{BLOCK, Content};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// What of some bytes is not as it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PortableContent {
    len: u64,
    /// Blocks, by number, without the zeros at their end.
    blocks: Vec<(u64, Vec<u8>)>,
}

impl Content {
    /// They, to be sent to who knows `first`.
    pub(crate) fn portable(&self, first: &Content) -> PortableContent {
        PortableContent {
            len: self.len(),
            blocks: self.blocks_beyond(first),
        }
    }
}

impl PortableContent {
    /// The bytes that arrived; nothing if they are more than `most`, or no blocks.
    pub(crate) fn on(&self, first: &Content, most: u64) -> Option<Content> {
        if self.len > most {
            return None;
        }
        let mut content = first.clone();
        let end = self.len.div_ceil(BLOCK as u64);
        for (block, bytes) in &self.blocks {
            let mut whole = [0; BLOCK];
            whole.get_mut(..bytes.len())?.copy_from_slice(bytes);
            // What lies behind the end is cut off below.
            if *block < end {
                content.write(block * BLOCK as u64, &whole);
            }
        }
        content.set_len(self.len);
        Some(content)
    }
}
