//! Snapshots in the host's memory. What did not change since the last one is shared: the thread, the store, and the parts
//! of that.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::StateError;
use super::core::{Control, Core, CoreView};
use super::save::hash_of;
use crate::blocks::{BLOCK, Block, Blocks, LINE};
use crate::kept::Since;
use crate::machine::{Frame, Machine, Memory, Progress, State, Store, Thread};
use crate::{Limits, StateHash};

/// A memory's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemorySnapshot {
    pub(super) pages: u32,
    /// Bytes that exist.
    pub(super) length: usize,
    pub(super) blocks: Blocks,
}

/// A thread's state but its steps, which differ also where all else is the same.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct KeptThread {
    pub(super) control: Control,
    pub(super) frames: Box<[Frame]>,
    pub(super) cells: Box<[u64]>,
}

/// The state of what threads run on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct KeptStore {
    pub(super) globals: Arc<[u64]>,
    pub(super) tables: Vec<Arc<[u64]>>,
    pub(super) progress: Arc<[Progress]>,
    pub(super) memories: Vec<MemorySnapshot>,
    /// Nothing where no instance has tags.
    #[cfg(feature = "exceptions")]
    pub(super) exceptions: Option<Arc<[u64]>>,
}

/// Two pieces, which are shared each by itself: often only one of the two changes between snapshots.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) program: u64,
    limits: Limits,
    pub(super) steps: u64,
    pub(super) thread: Arc<KeptThread>,
    pub(super) store: Arc<KeptStore>,
    bytes_unshared: usize,
}

/// A machine's whole state, kept in memory. Clones and later snapshots share what is equal.
#[derive(Clone, Debug)]
pub struct Snapshot(pub(super) Arc<Content>);

/// Snapshots are equal if they are of one state, whatever was executed to reach it.
impl PartialEq for Snapshot {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        core::ptr::eq(a, b) || a.program == b.program && a.thread == b.thread && a.store == b.store
    }
}

impl Eq for Snapshot {}

impl Snapshot {
    /// The step count.
    pub fn steps(&self) -> u64 {
        self.0.steps
    }

    /// What this machine's state is with another stack: that of `of`, on the memories, globals and tables that are here.
    /// Several stacks take turns on one store like this, and nothing of it is copied. Nothing if the two are not of one
    /// program within the same limits, or hold other exceptions, which a stack may refer to.
    pub fn with_stack(&self, of: &Snapshot) -> Option<Snapshot> {
        let (here, there) = (&*self.0, &*of.0);
        let fits = here.program == there.program && here.limits == there.limits;
        #[cfg(feature = "exceptions")]
        let fits = fits && here.store.exceptions == there.store.exceptions;
        fits.then(|| {
            Snapshot(Arc::new(Content {
                program: here.program,
                limits: here.limits,
                steps: there.steps,
                thread: there.thread.clone(),
                store: here.store.clone(),
                bytes_unshared: size_of::<Content>(),
            }))
        })
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
        let (thread, store) = (&self.0.thread, &self.0.store);
        visit(Arc::as_ptr(&self.0) as usize, size_of::<Content>());
        visit(Arc::as_ptr(thread) as usize, thread.bytes());
        if !visit(Arc::as_ptr(store) as usize, store.bytes()) {
            return;
        }
        let lists = core::iter::once(&store.globals).chain(&store.tables);
        #[cfg(feature = "exceptions")]
        let lists = lists.chain(&store.exceptions);
        for (address, bytes) in lists.map(piece).chain([piece(&store.progress)]) {
            visit(address, bytes);
        }
        for memory in &store.memories {
            memory.blocks.for_each_piece(visit);
        }
    }

    /// The hash that the machine had.
    pub fn hash(&self) -> StateHash {
        let memories = self.0.store.memories.iter();
        let blocks = memories.flat_map(|memory| memory.blocks.iter());
        hash_of(self.0.program, &self.view(), blocks.map(Block::hash))
    }

    /// The bytes of a memory from `start` on, at most `length`; the first instance's is number 0
    /// if it has one.
    pub fn memory(&self, memory: usize, start: usize, length: usize) -> Vec<u8> {
        let Some(memory) = self.0.store.memories.get(memory) else {
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
        let [ours, theirs] = [self, other].map(|snapshot| snapshot.0.store.memories.first());
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
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
        let (thread, store) = (&*self.0.thread, &*self.0.store);
        CoreView {
            control: thread.control,
            frames: &thread.frames,
            cells: &thread.cells,
            globals: &store.globals,
            tables: &store.tables,
            progress: &store.progress,
            pages: store.memories.iter().map(|memory| memory.pages).collect(),
            #[cfg(feature = "exceptions")]
            exceptions: store.exceptions.as_deref(),
        }
    }
}

impl KeptThread {
    fn bytes(&self) -> usize {
        size_of::<KeptThread>() + size_of_val(&*self.frames) + size_of_val(&*self.cells)
    }

    /// Whether a thread is just so. What changes most, where it stands, is looked at first.
    fn is_of(&self, thread: &Thread) -> bool {
        self.control == thread.control()
            && self.frames.last() == thread.frames.last()
            && *self.cells == *thread.cells()
            && *self.frames == *thread.frames
    }

    /// The previous one if it is equal, else a new one.
    fn keep(
        thread: &Thread,
        previous: Option<&Arc<KeptThread>>,
        unshared: &mut usize,
    ) -> Arc<KeptThread> {
        if let Some(previous) = previous.filter(|previous| previous.is_of(thread)) {
            return previous.clone();
        }
        let kept = KeptThread {
            control: thread.control(),
            frames: Box::from(thread.frames.as_slice()),
            cells: Box::from(thread.cells()),
        };
        *unshared += kept.bytes();
        Arc::new(kept)
    }
}

impl KeptStore {
    /// Bytes that it takes but for what its parts are.
    fn bytes(&self) -> usize {
        size_of::<KeptStore>() + size_of_val(&*self.tables) + size_of_val(&*self.memories)
    }

    /// The previous one if all parts are the same, else a new one that shares those that are.
    fn keep(
        store: &Store,
        previous: Option<&Arc<KeptStore>>,
        unshared: &mut usize,
    ) -> Arc<KeptStore> {
        let mut parts = 0;
        let mut memories = Vec::with_capacity(store.memories.len());
        for (number, memory) in store.memories.iter().enumerate() {
            let before = previous.and_then(|previous| previous.memories.get(number));
            let kept = keep_memory(memory, before);
            let before = before.map(|before| &before.blocks);
            parts += kept.blocks.bytes_beside(before);
            memories.push(kept);
        }
        let mut tables = Vec::with_capacity(store.tables.len());
        for (number, table) in store.tables.iter().enumerate() {
            let before = previous.and_then(|previous| previous.tables.get(number));
            tables.push(share(table, before, &mut parts));
        }
        let before = previous.map(|previous| &previous.globals);
        let globals = share(&store.globals, before, &mut parts);
        #[cfg(feature = "exceptions")]
        let exceptions = store.exceptions.as_ref().map(|list| {
            let before = previous.and_then(|previous| previous.exceptions.as_ref());
            share(list, before, &mut parts)
        });
        let before = previous.map(|previous| &previous.progress);
        let progress = share(&store.progress, before, &mut parts);
        let kept = KeptStore {
            globals,
            tables,
            progress,
            memories,
            #[cfg(feature = "exceptions")]
            exceptions,
        };
        match previous {
            Some(previous) if kept.has_parts_of(previous) => previous.clone(),
            _ => {
                *unshared += parts + kept.bytes();
                Arc::new(kept)
            }
        }
    }

    /// Whether all parts are those of another one: not whether they are equal, which took longer.
    fn has_parts_of(&self, other: &KeptStore) -> bool {
        let counts = |store: &KeptStore| (store.memories.len(), store.tables.len());
        let mut memories = self.memories.iter().zip(&other.memories);
        let mut tables = self.tables.iter().zip(&other.tables);
        counts(self) == counts(other)
            && Arc::ptr_eq(&self.globals, &other.globals)
            && Arc::ptr_eq(&self.progress, &other.progress)
            && memories.all(|(ours, theirs)| ours.is(theirs))
            && tables.all(|(ours, theirs)| Arc::ptr_eq(ours, theirs))
            && self.has_exceptions_of(other)
    }

    /// Whether the exceptions are the same.
    #[cfg(feature = "exceptions")]
    fn has_exceptions_of(&self, other: &KeptStore) -> bool {
        match (&self.exceptions, &other.exceptions) {
            (Some(ours), Some(theirs)) => Arc::ptr_eq(ours, theirs),
            (ours, theirs) => ours.is_none() && theirs.is_none(),
        }
    }

    /// There are none.
    #[cfg(not(feature = "exceptions"))]
    fn has_exceptions_of(&self, _: &KeptStore) -> bool {
        true
    }
}

impl MemorySnapshot {
    /// Whether it is of the same size and has the very blocks of the other.
    fn is(&self, other: &MemorySnapshot) -> bool {
        (self.pages, self.length) == (other.pages, other.length) && self.blocks.is(&other.blocks)
    }
}

impl Machine {
    /// Keeps the whole state. With the last snapshot before, what did not change since is shared
    /// with it.
    pub fn snapshot(&self, previous: Option<&Snapshot>) -> Snapshot {
        let previous = previous.map(|snapshot| &*snapshot.0);
        let State { thread, store } = &self.state;
        let mut bytes_unshared = size_of::<Content>();
        let before = previous.map(|content| &content.thread);
        let kept_thread = KeptThread::keep(thread, before, &mut bytes_unshared);
        let before = previous.map(|content| &content.store);
        Snapshot(Arc::new(Content {
            program: self.program,
            limits: self.limits,
            steps: thread.steps,
            thread: kept_thread,
            store: KeptStore::keep(store, before, &mut bytes_unshared),
            bytes_unshared,
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
            frames: view.frames.to_vec(),
            cells: view.cells.to_vec(),
            globals: view.globals.to_vec(),
            tables: view.tables.iter().map(|table| table.to_vec()).collect(),
            progress: view.progress.to_vec(),
            pages: view.pages,
            #[cfg(feature = "exceptions")]
            exceptions: view.exceptions.map(<[u64]>::to_vec),
            #[cfg(feature = "exceptions")]
            references: Vec::new(),
        };
        let kept = &content.store.memories;
        for (memory, kept) in self.state.store.memories.iter_mut().zip(kept) {
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
