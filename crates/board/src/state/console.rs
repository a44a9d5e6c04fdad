//! The console: printed text, of which the newest part is kept.

use alloc::{string::String, vec::Vec};
use core::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::Shared;

/// Text is shared between states in pieces of this size.
const CHUNK: usize = 4096;

/// Printed text. Only the newest part is kept, whose beginning depends on nothing but how much was ever printed: so
/// undoing a print restores exactly the console before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Console {
    /// All chunks but the last are full; the first begins at `start`.
    chunks: Shared<Vec<Shared<Vec<u8>>>>,
    /// How many bytes were dropped at the front: a multiple of the chunk size.
    start: u64,
    /// How many bytes were ever printed.
    end: u64,
    /// How many bytes are kept at most, at least one chunk.
    limit: u64,
}

/// What undoes a print.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsolePatch {
    /// How many bytes had ever been printed: later ones are dropped.
    pub end: u64,
    /// What the undone print had pushed out at the front: almost always nothing.
    pub front: Vec<u8>,
}

impl Console {
    /// An empty console that keeps about so many bytes.
    pub fn new(limit: u32) -> Self {
        Console {
            chunks: Shared::default(),
            start: 0,
            end: 0,
            limit: u64::from(limit).max(CHUNK as u64),
        }
    }

    /// Appends text.
    pub fn print(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        let old_end = self.end;
        self.end += text.len() as u64;
        let start = self.start_for(self.end);
        let chunks = Shared::make_mut(&mut self.chunks);
        let dropped = (start.saturating_sub(self.start) / CHUNK as u64) as usize;
        chunks.drain(..dropped.min(chunks.len()));
        self.start = start;
        // Of a text longer than what is kept, the beginning is not even stored.
        let skip = start.saturating_sub(old_end) as usize;
        append(chunks, text.get(skip..).unwrap_or_default());
    }

    /// How many bytes were ever printed.
    pub fn printed(&self) -> u64 {
        self.end
    }

    /// How many bytes at the front are no longer kept.
    pub fn dropped(&self) -> u64 {
        self.start
    }

    /// The text that is kept.
    pub fn bytes(&self) -> Vec<u8> {
        self.chunks.iter().flat_map(|c| c.iter().copied()).collect()
    }

    /// The last `lines` lines of the text; what is no UTF-8 is replaced.
    pub fn tail(&self, lines: usize) -> String {
        let mut tail: Vec<u8> = Vec::new();
        let mut ends = 0;
        'search: for chunk in self.chunks.iter().rev() {
            for byte in chunk.iter().rev() {
                // The line end after the last line does not begin another.
                if *byte == b'\n' && !tail.is_empty() {
                    ends += 1;
                    if ends >= lines {
                        break 'search;
                    }
                }
                tail.push(*byte);
            }
        }
        tail.reverse();
        String::from_utf8_lossy(&tail).into_owned()
    }

    /// How many bytes of text no other console shares.
    pub(super) fn heap_bytes(&self) -> usize {
        if Shared::strong_count(&self.chunks) > 1 {
            return 0;
        }
        let own = self
            .chunks
            .iter()
            .filter(|chunk| Shared::strong_count(chunk) == 1);
        own.map(|chunk| chunk.len()).sum()
    }

    /// What leads from `after` back to this console, if they differ.
    pub(crate) fn patch_from(&self, after: &Console) -> Option<ConsolePatch> {
        if self.end == after.end {
            return None;
        }
        let lost = after
            .start
            .saturating_sub(self.start)
            .min(self.end - self.start) as usize;
        let front = self.bytes_from_start(lost);
        Some(ConsolePatch {
            end: self.end,
            front,
        })
    }

    /// Drops what was printed later and brings back what that had pushed out.
    pub fn restore(&mut self, patch: &ConsolePatch) {
        let keep = match patch.end.cmp(&self.end) {
            // A patch for some other console: leave the text alone rather than invent any.
            Ordering::Greater => return,
            _ => patch.end.saturating_sub(self.start) as usize,
        };
        let chunks = Shared::make_mut(&mut self.chunks);
        chunks.truncate(keep.div_ceil(CHUNK));
        if let Some(last) = chunks.last_mut().filter(|_| keep % CHUNK != 0) {
            Shared::make_mut(last).truncate(keep % CHUNK);
        }
        self.end = patch.end;
        let kept = chunks.iter().map(|c| c.len() as u64).sum::<u64>();
        if !patch.front.is_empty() {
            let mut all = Vec::new();
            append(&mut all, &patch.front);
            for chunk in chunks.iter() {
                append(&mut all, chunk);
            }
            *chunks = all;
        }
        self.start = patch.end.saturating_sub(kept + patch.front.len() as u64);
    }

    /// Where the kept text begins when so much was printed.
    fn start_for(&self, end: u64) -> u64 {
        let chunk = CHUNK as u64;
        end.saturating_sub(self.limit)
            .div_ceil(chunk)
            .min(end / chunk)
            * chunk
    }

    fn bytes_from_start(&self, count: usize) -> Vec<u8> {
        self.chunks
            .iter()
            .flat_map(|c| c.iter().copied())
            .take(count)
            .collect()
    }
}

fn append(chunks: &mut Vec<Shared<Vec<u8>>>, mut text: &[u8]) {
    while !text.is_empty() {
        match chunks.last_mut() {
            Some(last) if last.len() < CHUNK => {
                let (now, later) = text.split_at(text.len().min(CHUNK - last.len()));
                Shared::make_mut(last).extend_from_slice(now);
                text = later;
            }
            _ => chunks.push(Shared::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prints of all sizes around the chunk and the limit; undoing each, in part and in full, restores what was.
    #[test]
    fn undoing_prints_restores_the_console() {
        let sizes = [
            1,
            3,
            CHUNK - 1,
            CHUNK,
            CHUNK + 1,
            5000,
            2 * CHUNK,
            9000,
            40_000,
            7,
            0,
            12,
        ];
        let mut console = Console::new(10_000);
        let mut history = Vec::new();
        for (i, size) in sizes.iter().cycle().take(60).enumerate() {
            let text: Vec<u8> = (0..*size).map(|n| (n * 31 + i * 7) as u8).collect();
            let before = console.clone();
            console.print(&text);
            let kept = console.bytes();
            assert!(kept.len() as u64 == console.end - console.start && kept.len() <= 10_000);
            assert!(kept.ends_with(&text[text.len() - text.len().min(kept.len())..]));
            history.push((before, console.clone()));
        }
        for (before, after) in history.iter().rev() {
            assert_eq!(console, *after);
            if let Some(patch) = before.patch_from(after) {
                console.restore(&patch);
            }
            assert_eq!(console, *before);
        }
    }

    #[test]
    fn tail_counts_lines() {
        let mut console = Console::new(0);
        console.print(b"one\ntwo\nthree\n");
        assert_eq!(console.tail(2), "two\nthree\n");
        console.print(b"fo");
        assert_eq!(console.tail(2), "three\nfo");
        assert_eq!(console.tail(9), "one\ntwo\nthree\nfo");
    }
}
