//! Snapshots in the host's memory. What did not change since the last one is shared.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::StateError;
use super::core::{Control, Core, CoreView};
use super::save::hash_of;
use crate::blocks::{BLOCK, Block, Blocks, LINE};
use crate::kept::Since;
use crate::machine::{Frame, Machine, Memory, Progress};
use crate::{Limits, StateHash};

/// A memory's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemorySnapshot {
    pub(super) pages: u32,
    /// Bytes that exist.
    pub(super) length: usize,
    pub(super) blocks: Blocks,
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
    /// Nothing where no instance has tags.
    #[cfg(feature = "exceptions")]
    pub(super) exceptions: Option<Arc<[u64]>>,
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
                && a.has_exceptions_of(b)
    }
}

impl Content {
    /// Whether the exceptions are the same.
    #[cfg(feature = "exceptions")]
    fn has_exceptions_of(&self, other: &Content) -> bool {
        self.exceptions == other.exceptions
    }

    /// There are none.
    #[cfg(not(feature = "exceptions"))]
    fn has_exceptions_of(&self, _: &Content) -> bool {
        true
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
    /// share have the same address, so that a sum over several can count them once; what a piece holds is only visited if
    /// the answer is yes.
    pub fn for_each_piece(&self, visit: &mut dyn FnMut(usize, usize) -> bool) {
        fn piece<T>(list: &Arc<[T]>) -> (usize, usize) {
            (Arc::as_ptr(list).cast::<T>() as usize, size_of_val(&**list))
        }
        let content = &*self.0;
        let own =
            size_of::<Content>() + size_of_val(&*content.frames) + size_of_val(&*content.cells);
        visit(Arc::as_ptr(&self.0) as usize, own);
        let lists = core::iter::once(&content.globals).chain(&content.tables);
        #[cfg(feature = "exceptions")]
        let lists = lists.chain(&content.exceptions);
        for (address, bytes) in lists.map(piece).chain([piece(&content.progress)]) {
            visit(address, bytes);
        }
        for memory in &content.memories {
            memory.blocks.for_each_piece(visit);
        }
    }

    /// The hash that the machine had.
    pub fn hash(&self) -> StateHash {
        let memories = self.0.memories.iter();
        let blocks = memories.flat_map(|memory| memory.blocks.iter());
        hash_of(self.0.program, &self.view(), blocks.map(Block::hash))
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
            let within = at % LINE..LINE.min(at % LINE + end - at);
            let Some(block) = memory.blocks.get(at / BLOCK) else {
                break;
            };
            let line = block.line(at % BLOCK / LINE);
            bytes.extend_from_slice(&line[within.clone()]);
            at += within.len();
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
        for number in ours.blocks.differing(&theirs.blocks) {
            let (Some(a), Some(b)) = (ours.blocks.get(number), theirs.blocks.get(number)) else {
                break;
            };
            for (line, a, b) in a.differing(b) {
                let words = a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0);
                for (at, (a, b)) in words.enumerate().filter(|(_, (a, b))| a != b) {
                    let address = (number * BLOCK + line * LINE + at * 4) as u32;
                    found.push((address, [u32::from_le_bytes(*a), u32::from_le_bytes(*b)]));
                }
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
            #[cfg(feature = "exceptions")]
            exceptions: content.exceptions.as_deref(),
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
            let kept = keep_memory(memory, before);
            unshared += kept
                .blocks
                .bytes_beside(before.map(|before| &before.blocks));
            memories.push(kept);
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
        #[cfg(feature = "exceptions")]
        let exceptions = state.store.exceptions.as_ref().map(|list| {
            let before = previous.and_then(|content| content.exceptions.as_ref());
            share(list, before, &mut unshared)
        });
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
            #[cfg(feature = "exceptions")]
            exceptions,
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
            #[cfg(feature = "exceptions")]
            exceptions: content.exceptions.as_deref().map(<[u64]>::to_vec),
            #[cfg(feature = "exceptions")]
            references: Vec::new(),
        };
        for (memory, kept) in self.state.store.memories.iter_mut().zip(&content.memories) {
            restore_memory(memory, kept);
        }
        self.take_over(core, content.steps);
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

/// The bytes of this block.
fn part_of(number: usize, length: usize) -> core::ops::Range<usize> {
    number * BLOCK..length.min((number + 1) * BLOCK)
}

/// Shares all blocks that are what they were, as far as that is known, or what they were before.
fn keep_memory(memory: &Memory, previous: Option<&MemorySnapshot>) -> MemorySnapshot {
    let length = memory.bytes.len();
    let count = length.div_ceil(BLOCK);
    let before = previous.map(|previous| &previous.blocks);
    let kept = &memory.beside.kept;
    let since = kept.since(&memory.bytes);
    let base = since.as_ref().map(|since| &since.base).or(before);
    let changed: Vec<usize> = match &since {
        Some(since) => since.changed_before(count).collect(),
        None => (0..count).collect(),
    };
    let mut fresh = Vec::new();
    for number in changed {
        let bytes = memory.bytes.get(part_of(number, length));
        let bytes = bytes.unwrap_or_default();
        let same = |blocks: Option<&'_ Blocks>| {
            let block = blocks.and_then(|blocks| blocks.get(number));
            block.filter(|block| block.has(bytes)).cloned()
        };
        if same(base).is_some() {
            continue;
        }
        let like = base.and_then(|base| base.get(number));
        let block = same(before).unwrap_or_else(|| Block::new(bytes, like));
        fresh.push((number, block));
    }
    let blocks = Blocks::new(base, count, &fresh);
    kept.keep(&memory.bytes, &blocks, since);
    MemorySnapshot {
        pages: memory.pages,
        length,
        blocks,
    }
}

/// Writes what is not so already. There is room for all of it.
fn restore_memory(memory: &mut Memory, wanted: &MemorySnapshot) {
    let MemorySnapshot { length, blocks, .. } = wanted;
    let Memory { bytes, beside, .. } = memory;
    let mut since = beside.kept.since(bytes);
    let differing = |since: Option<&Since>| -> Vec<usize> {
        match since {
            Some(since) => since.differing(blocks).collect(),
            None => (0..blocks.len()).collect(),
        }
    };
    let mut numbers = differing(since.as_ref());
    let parked = &mut beside.parked;
    if parked.give_way(bytes, &mut since, (blocks, *length), numbers.len()) {
        numbers = differing(since.as_ref());
    }
    numbers.sort_unstable();
    numbers.dedup();
    beside.kept.expect(bytes, &numbers);
    bytes.uncover(*length);
    let common = bytes.len();
    for number in common / BLOCK..blocks.len() {
        let part = part_of(number, *length);
        let known = bytes.len().saturating_sub(part.start);
        if let Some(block) = blocks.get(number) {
            let whole = block.bytes();
            bytes.extend(whole.get(known..part.len()).unwrap_or_default());
        }
    }
    for number in numbers {
        let part = part_of(number, common);
        let (Some(block), Some(now)) = (blocks.get(number), bytes.get(part.clone())) else {
            continue;
        };
        if let Some(known) = since.as_ref().and_then(|since| since.known(number)) {
            block.write_over(known, bytes.range_mut(part).unwrap_or_default());
        } else if !block.begins_with(now) {
            // Writing what is there would count as a change.
            block.write(bytes.range_mut(part).unwrap_or_default());
        }
    }
    beside.kept.keep(bytes, blocks, since);
}
