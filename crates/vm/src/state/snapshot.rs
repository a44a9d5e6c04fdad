//! Snapshots in the host's memory. What did not change since the last one is shared.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::StateError;
use super::core::{BLOCK, Control, Core, CoreView};
use super::save::hash_of;
use crate::hash;
use crate::machine::{Frame, Machine, Memory, Progress};
use crate::{Limits, StateHash};

/// A block of memory; the last one of a memory may have zeros behind its end.
pub(super) type Block = Arc<[u8; BLOCK]>;

/// A memory's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemorySnapshot {
    pub(super) pages: u32,
    /// Bytes that exist.
    pub(super) length: usize,
    pub(super) blocks: Arc<[Block]>,
}

#[derive(Debug)]
pub(super) struct Content {
    pub(super) program: u64,
    limits: Limits,
    pub(super) steps: u64,
    pub(super) control: Control,
    pub(super) frames: Box<[Frame]>,
    pub(super) cells: Box<[u64]>,
    pub(super) globals: Arc<[u64]>,
    pub(super) tables: Vec<Arc<[u64]>>,
    pub(super) progress: Arc<[Progress]>,
    pub(super) memories: Vec<MemorySnapshot>,
    bytes_unshared: usize,
}

/// A machine's whole state, kept in memory. Clones and later snapshots share what is equal.
#[derive(Clone, Debug)]
pub struct Snapshot(pub(super) Arc<Content>);

/// Snapshots are equal if they are of one state, whatever was executed to reach it.
impl PartialEq for Snapshot {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        core::ptr::eq(a, b)
            || a.program == b.program
                && a.control == b.control
                && a.frames == b.frames
                && a.cells == b.cells
                && a.globals == b.globals
                && a.tables == b.tables
                && a.progress == b.progress
                && a.memories == b.memories
    }
}

impl Eq for Snapshot {}

impl Snapshot {
    /// The step count.
    pub fn steps(&self) -> u64 {
        self.0.steps
    }

    /// Roughly how many bytes this snapshot has to itself: those that it did not share with the
    /// one that it was made after.
    pub fn bytes_unshared(&self) -> usize {
        self.0.bytes_unshared
    }

    /// Visits every piece of memory that the snapshot holds: its address and its size in bytes. Pieces that snapshots
    /// share have the same address, so that a sum over several can count them once.
    pub fn for_each_piece(&self, visit: &mut dyn FnMut(usize, usize)) {
        fn piece<T>(list: &Arc<[T]>) -> (usize, usize) {
            (Arc::as_ptr(list).cast::<T>() as usize, size_of_val(&**list))
        }
        let content = &*self.0;
        let own =
            size_of::<Content>() + size_of_val(&*content.frames) + size_of_val(&*content.cells);
        visit(Arc::as_ptr(&self.0) as usize, own);
        let lists = core::iter::once(&content.globals).chain(&content.tables);
        for (address, bytes) in lists.map(piece).chain([piece(&content.progress)]) {
            visit(address, bytes);
        }
        for memory in &content.memories {
            let (address, bytes) = piece(&memory.blocks);
            visit(address, bytes);
            for block in memory.blocks.iter() {
                visit(Arc::as_ptr(block) as usize, BLOCK);
            }
        }
    }

    /// The hash that the machine had.
    pub fn hash(&self) -> StateHash {
        let memories = self.0.memories.iter();
        let blocks = memories.flat_map(|memory| memory.blocks.iter());
        hash_of(
            self.0.program,
            &self.view(),
            blocks.map(|block| hash::of_block(block.as_slice())),
        )
    }

    /// The bytes of a memory from `start` on, at most `length`; the first instance's is number 0
    /// if it has one.
    pub fn memory(&self, memory: usize, start: usize, length: usize) -> Vec<u8> {
        let Some(memory) = self.0.memories.get(memory) else {
            return Vec::new();
        };
        let end = start.saturating_add(length).min(memory.length);
        let mut bytes = Vec::with_capacity(end.saturating_sub(start));
        let mut at = start;
        while at < end {
            let within = at % BLOCK..BLOCK.min(at % BLOCK + end - at);
            let Some(part) = memory
                .blocks
                .get(at / BLOCK)
                .and_then(|block| block.get(within))
            else {
                break;
            };
            bytes.extend_from_slice(part);
            at += part.len();
        }
        bytes
    }

    /// Where the first memory differs from another snapshot's: words of four bytes, by their addresses, with what each of
    /// the two has.
    pub fn differing_words(&self, other: &Snapshot) -> Vec<(u32, [u32; 2])> {
        let (Some(ours), Some(theirs)) = (self.0.memories.first(), other.0.memories.first()) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (number, (a, b)) in ours.blocks.iter().zip(theirs.blocks.iter()).enumerate() {
            if Arc::ptr_eq(a, b) {
                continue;
            }
            let words = a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0);
            for (at, (a, b)) in words.enumerate().filter(|(_, (a, b))| a != b) {
                let address = (number * BLOCK + at * 4) as u32;
                found.push((address, [u32::from_le_bytes(*a), u32::from_le_bytes(*b)]));
            }
        }
        found
    }

    pub(super) fn view(&self) -> CoreView<'_, Arc<[u64]>> {
        let content = &*self.0;
        CoreView {
            control: content.control,
            frames: &content.frames,
            cells: &content.cells,
            globals: &content.globals,
            tables: &content.tables,
            progress: &content.progress,
            pages: content.memories.iter().map(|memory| memory.pages).collect(),
        }
    }
}

impl Machine {
    /// Keeps the whole state. With the last snapshot before, what did not change since is shared
    /// with it.
    pub fn snapshot(&self, previous: Option<&Snapshot>) -> Snapshot {
        let previous = previous.map(|snapshot| &*snapshot.0);
        let state = &self.state;
        let mut unshared = size_of::<Content>();
        let mut memories = Vec::with_capacity(state.store.memories.len());
        for (number, memory) in state.store.memories.iter().enumerate() {
            let before = previous.and_then(|content| content.memories.get(number));
            memories.push(share_memory(memory, before, &mut unshared));
        }
        let mut tables = Vec::with_capacity(state.store.tables.len());
        for (number, table) in state.store.tables.iter().enumerate() {
            let before = previous.and_then(|content| content.tables.get(number));
            tables.push(share(table, before, &mut unshared));
        }
        let frames = Box::<[Frame]>::from(state.frames.as_slice());
        let cells = Box::<[u64]>::from(state.cells());
        unshared += size_of_val(&*frames) + size_of_val(&*cells);
        let before = previous.map(|content| &content.globals);
        let globals = share(&state.store.globals, before, &mut unshared);
        let before = previous.map(|content| &content.progress);
        let progress = share(&state.store.progress, before, &mut unshared);
        Snapshot(Arc::new(Content {
            program: self.program,
            limits: self.limits,
            steps: state.steps,
            control: state.control(),
            frames,
            cells,
            globals,
            tables,
            progress,
            memories,
            bytes_unshared: unshared,
        }))
    }

    /// Goes back (or forward) to a snapshot.
    ///
    /// # Errors
    /// [`StateError::OtherProgram`] or [`StateError::OtherLimits`] if it was made by a machine with
    /// other modules or limits, [`StateError::OutOfMemory`]. Nothing changed then.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), StateError> {
        let content = &*snapshot.0;
        if content.program != self.program {
            return Err(StateError::OtherProgram);
        }
        if content.limits != self.limits {
            return Err(StateError::OtherLimits);
        }
        let view = snapshot.view();
        self.reserve(&view.pages)?;
        let core = Core {
            control: view.control,
            frames: content.frames.to_vec(),
            cells: content.cells.to_vec(),
            globals: content.globals.to_vec(),
            tables: content.tables.iter().map(|table| table.to_vec()).collect(),
            progress: content.progress.to_vec(),
            pages: view.pages,
        };
        self.take_over(core, content.steps);
        for (memory, kept) in self.state.store.memories.iter_mut().zip(&content.memories) {
            for (bytes, block) in memory.bytes.chunks_mut(BLOCK).zip(kept.blocks.iter()) {
                if let Some(block) = block.get(..bytes.len()) {
                    bytes.copy_from_slice(block);
                }
            }
        }
        Ok(())
    }
}

/// The previous one's list if it is equal, else a new one.
fn share<T: Clone + PartialEq>(
    list: &[T],
    previous: Option<&Arc<[T]>>,
    unshared: &mut usize,
) -> Arc<[T]> {
    match previous {
        Some(previous) if **previous == *list => previous.clone(),
        _ => {
            *unshared += size_of_val(list);
            Arc::from(list)
        }
    }
}

fn share_memory(
    memory: &Memory,
    previous: Option<&MemorySnapshot>,
    unshared: &mut usize,
) -> MemorySnapshot {
    let count = memory.bytes.len().div_ceil(BLOCK);
    let before = previous.map_or(&[][..], |previous| &previous.blocks);
    let mut fresh: Option<Vec<Block>> = None;
    for (number, bytes) in memory.bytes.chunks(BLOCK).enumerate() {
        let shared = before
            .get(number)
            .filter(|block| block.get(..bytes.len()) == Some(bytes));
        match (shared, &mut fresh) {
            (Some(block), Some(blocks)) => blocks.push(block.clone()),
            // Nothing new so far: the previous list may do as a whole.
            (Some(_), None) => {}
            (None, _) => {
                let blocks = fresh.get_or_insert_with(|| {
                    let mut blocks = Vec::with_capacity(count);
                    blocks.extend_from_slice(before.get(..number).unwrap_or_default());
                    blocks
                });
                let mut block = [0; BLOCK];
                if let Some(part) = block.get_mut(..bytes.len()) {
                    part.copy_from_slice(bytes);
                }
                blocks.push(Arc::new(block));
                *unshared += BLOCK;
            }
        }
    }
    let blocks = match (fresh, previous) {
        (None, Some(previous)) if previous.blocks.len() == count => previous.blocks.clone(),
        (fresh, _) => {
            *unshared += count * size_of::<Block>();
            fresh
                .unwrap_or_else(|| before.get(..count).unwrap_or_default().to_vec())
                .into()
        }
    };
    MemorySnapshot {
        pages: memory.pages,
        length: memory.bytes.len(),
        blocks,
    }
}
