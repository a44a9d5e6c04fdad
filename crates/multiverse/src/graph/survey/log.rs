//! How each state was reached: five bytes a state.

use std::collections::HashMap;

/// Entries of a chunk: a list that doubles would be half empty, and be copied.
const CHUNK: usize = 1 << 16;

/// Stands for an option that does not fit a byte.
const FAR: u8 = u8::MAX;

/// States have smaller numbers: this and the next stand for none.
pub(super) const NONE: u32 = u32::MAX - 1;

/// From which state each state was reached, and by which of the options there. Number 0 is the start; a state has a
/// greater number than the one that it was reached from.
pub(super) struct Log {
    chunks: Vec<Chunk>,
    /// Options of 255 and more.
    far: HashMap<u32, u32>,
}

struct Chunk {
    parents: Vec<u32>,
    options: Vec<u8>,
}

impl Log {
    /// The start alone.
    pub(super) fn new() -> Self {
        let mut log = Self {
            chunks: Vec::new(),
            far: HashMap::new(),
        };
        log.push(0, 0);
        log
    }

    pub(super) fn len(&self) -> usize {
        let last = self.chunks.last().map_or(0, |chunk| chunk.parents.len());
        self.chunks.len().saturating_sub(1) * CHUNK + last
    }

    /// The number of a state that is reached from `parent`; none if numbers are used up.
    pub(super) fn push(&mut self, parent: u32, option: u32) -> Option<u32> {
        let id = u32::try_from(self.len()).ok().filter(|id| *id < NONE)?;
        if self
            .chunks
            .last()
            .is_none_or(|chunk| chunk.parents.len() == CHUNK)
        {
            self.chunks.push(Chunk {
                parents: Vec::with_capacity(CHUNK),
                options: Vec::with_capacity(CHUNK),
            });
        }
        let near = u8::try_from(option).ok().filter(|near| *near != FAR);
        if near.is_none() {
            self.far.insert(id, option);
        }
        let chunk = self.chunks.last_mut()?;
        chunk.parents.push(parent);
        chunk.options.push(near.unwrap_or(FAR));
        Some(id)
    }

    /// From where a state was reached, and by which option.
    pub(super) fn get(&self, id: u32) -> (u32, u32) {
        let (chunk, at) = (&self.chunks[id as usize / CHUNK], id as usize % CHUNK);
        let option = match chunk.options[at] {
            FAR => self.far.get(&id).copied().unwrap_or_default(),
            near => near.into(),
        };
        (chunk.parents[at], option)
    }

    /// The options from the start to a state.
    pub(super) fn way(&self, id: u32) -> Vec<u32> {
        let mut options = Vec::new();
        let mut at = id;
        while at != 0 {
            let (parent, option) = self.get(at);
            options.push(option);
            at = parent;
        }
        options.reverse();
        options
    }

    /// Bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.chunks.len() * CHUNK * 5 + self.far.capacity() * 9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_again_over_the_ends_of_chunks_and_bytes() {
        let mut log = Log::new();
        for id in 1..=2 * CHUNK as u32 {
            assert_eq!(log.push(id / 2, id % 300), Some(id));
        }
        assert_eq!(log.len(), 2 * CHUNK + 1);
        for id in [
            1,
            254,
            255,
            256,
            299,
            CHUNK as u32 - 1,
            CHUNK as u32,
            2 * CHUNK as u32,
        ] {
            assert_eq!(log.get(id), (id / 2, id % 300));
        }
        assert_eq!(log.way(4), [1, 2, 4]);
        assert_eq!(log.way(0), []);
    }
}
