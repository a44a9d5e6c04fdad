//! Computing the difference between two snapshots.

use alloc::vec::Vec;

use super::bytes::put;
use super::core::{put_frame, put_progress};
use super::delta::MAGIC;
use super::snapshot::{KeptStore, KeptThread, MemorySnapshot};
use super::{Delta, Snapshot, StateError};
use crate::blocks::{BLOCK, Block};

impl Delta {
    /// The difference that leads from one snapshot to another.
    ///
    /// # Errors
    /// [`StateError::OtherProgram`] if they are states of two programs.
    pub fn between(from: &Snapshot, to: &Snapshot) -> Result<Delta, StateError> {
        let (before, after) = (&*from.0, &*to.0);
        if before.program != after.program
            || before.store.memories.len() != after.store.memories.len()
        {
            return Err(StateError::OtherProgram);
        }
        let mut out = Vec::from(MAGIC);
        out.extend(after.program.to_le_bytes());
        out.extend(from.hash().0.to_le_bytes());
        out.extend(to.hash().0.to_le_bytes());
        put(&mut out, after.steps);
        put_thread(&mut out, &before.thread, &after.thread);
        put_store(&mut out, &before.store, &after.store);
        Ok(Delta { bytes: out })
    }
}

/// Writes how a thread changes.
fn put_thread(out: &mut Vec<u8>, before: &KeptThread, after: &KeptThread) {
    after.control.put(out);
    let both = before.frames.iter().zip(&after.frames);
    let kept = both.take_while(|(a, b)| a == b).count();
    put(out, kept as u64);
    put(out, (after.frames.len() - kept) as u64);
    let others = after.frames.iter().skip(kept);
    others.for_each(|frame| put_frame(out, frame));
    put_changes(out, &before.cells, &after.cells);
}

/// Writes how what threads run on changes.
fn put_store(out: &mut Vec<u8>, before: &KeptStore, after: &KeptStore) {
    put_changes(out, &before.globals, &after.globals);
    for (before, after) in before.tables.iter().zip(&after.tables) {
        put_changes(out, before, after);
    }
    if before.progress == after.progress {
        out.push(0);
    } else {
        out.push(1);
        put_progress(out, &after.progress);
    }
    let memories = after.memories.iter();
    memories.for_each(|memory| put(out, memory.pages.into()));
    #[cfg(feature = "exceptions")]
    if let (Some(before), Some(after)) = (&before.exceptions, &after.exceptions) {
        put_changes(out, before, after);
    }
    for (before, after) in before.memories.iter().zip(&after.memories) {
        put_memory_changes(out, before, after);
    }
}

/// Bytes between two changes that are cheaper to repeat than a new run.
const GAP: usize = 3;

/// The runs of positions under `length` for which `changed` is true, as start and length; runs
/// with at most `gap` positions between them are one.
fn runs(length: usize, gap: usize, changed: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in (0..length).filter(|at| changed(*at)) {
        match runs.last_mut() {
            Some((start, count)) if at - (*start + *count) <= gap => *count = at - *start + 1,
            _ => runs.push((at, 1)),
        }
    }
    runs
}

/// Writes how a list of cells changes; cells that it did not have before were zero.
fn put_changes(out: &mut Vec<u8>, before: &[u64], after: &[u64]) {
    let old = |at: usize| before.get(at).copied().unwrap_or(0);
    let runs = runs(after.len(), 0, |at| after.get(at).copied() != Some(old(at)));
    put(out, after.len() as u64);
    put(out, runs.len() as u64);
    let mut end = 0;
    for (start, count) in runs {
        put(out, (start - end) as u64);
        put(out, count as u64);
        after
            .iter()
            .skip(start)
            .take(count)
            .for_each(|cell| put(out, *cell));
        end = start + count;
    }
}

/// Writes how a memory's bytes change.
fn put_memory_changes(out: &mut Vec<u8>, before: &MemorySnapshot, after: &MemorySnapshot) {
    let mut changes: Vec<(usize, Vec<u8>)> = Vec::new();
    for number in after.blocks.differing(&before.blocks) {
        let Some(new) = after.blocks.get(number) else {
            break;
        };
        let new = new.bytes();
        let old = before.blocks.get(number).map_or([0; BLOCK], Block::bytes);
        let at = number * BLOCK;
        let length = BLOCK.min(after.length - at);
        for (start, count) in runs(length, GAP, |at| old.get(at) != new.get(at)) {
            if let Some(bytes) = new.get(start..start + count) {
                changes.push((at + start, bytes.to_vec()));
            }
        }
    }
    put(out, changes.len() as u64);
    let mut end = 0;
    for (start, bytes) in changes {
        put(out, (start - end) as u64);
        put(out, bytes.len() as u64);
        out.extend_from_slice(&bytes);
        end = start + bytes.len();
    }
}
