//! The difference between two states: what a device needs to get from one to the other.

use alloc::vec::Vec;

use super::StateError;
use super::bytes::{Input, put};
use super::check::check;
use super::core::{BLOCK, Control, Core, put_frame, put_progress, read_frame, read_progress};
use super::save::hash_of;
use crate::StateHash;
use crate::hash;
use crate::limits::within;
use crate::machine::{Machine, backed_bytes};

/// Marks differences; the last byte is the version of their format.
const MAGIC: [u8; 4] = *b"BoD\x01";

/// The difference between two states of one program. It can only be applied to the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    bytes: Vec<u8>,
}

impl Delta {
    /// The difference as bytes.
    pub fn to_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes bytes as a difference. What they say is checked when it is applied.
    ///
    /// # Errors
    /// [`StateError::Version`] if they are no difference of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Delta, StateError> {
        match bytes.get(..MAGIC.len()) {
            Some(start) if start == MAGIC => Ok(Delta {
                bytes: bytes.to_vec(),
            }),
            _ => Err(StateError::Version),
        }
    }
}

#[cfg(feature = "host")]
impl Delta {
    /// The difference that leads from one snapshot to another.
    ///
    /// # Errors
    /// [`StateError::OtherProgram`] if they are states of two programs.
    pub fn between(from: &super::Snapshot, to: &super::Snapshot) -> Result<Delta, StateError> {
        let (before, after) = (&*from.0, &*to.0);
        if before.program != after.program || before.memories.len() != after.memories.len() {
            return Err(StateError::OtherProgram);
        }
        let mut out = Vec::from(MAGIC);
        out.extend(after.program.to_le_bytes());
        out.extend(from.hash().0.to_le_bytes());
        out.extend(to.hash().0.to_le_bytes());
        put(&mut out, after.steps);
        after.control.put(&mut out);
        let kept = before
            .frames
            .iter()
            .zip(&after.frames)
            .take_while(|(a, b)| a == b)
            .count();
        put(&mut out, kept as u64);
        put(&mut out, (after.frames.len() - kept) as u64);
        after
            .frames
            .iter()
            .skip(kept)
            .for_each(|frame| put_frame(&mut out, frame));
        put_changes(&mut out, &before.cells, &after.cells);
        put_changes(&mut out, &before.globals, &after.globals);
        for (before, after) in before.tables.iter().zip(&after.tables) {
            put_changes(&mut out, before, after);
        }
        if before.progress == after.progress {
            out.push(0);
        } else {
            out.push(1);
            put_progress(&mut out, &after.progress);
        }
        after
            .memories
            .iter()
            .for_each(|memory| put(&mut out, memory.pages.into()));
        for (before, after) in before.memories.iter().zip(&after.memories) {
            put_memory_changes(&mut out, before, after);
        }
        Ok(Delta { bytes: out })
    }
}

impl Machine {
    /// Goes from the state that the difference starts from to the one that it leads to.
    ///
    /// # Errors
    /// [`StateError`] if the machine is in another state, or the bytes do not lead to a valid one
    /// of this program. Every part is checked first; nothing changed then.
    pub fn apply(&mut self, delta: &Delta) -> Result<(), StateError> {
        let mut input = Input::new(&delta.bytes);
        if input.raw(4)? != MAGIC {
            return Err(StateError::Version);
        }
        let program = self.program;
        if input.fixed()? != program {
            return Err(StateError::OtherProgram);
        }
        if input.fixed()? != self.hash().0 {
            return Err(StateError::WrongBase);
        }
        let result = StateHash(input.fixed()?);
        let steps = input.u64()?;
        let mut core = self.changed_core(&mut input)?;
        check(self, &mut core)?;
        let memories = core
            .pages
            .iter()
            .map(|pages| read_runs(&mut input, backed_bytes(*pages, &self.limits)))
            .collect::<Result<Vec<_>, _>>()?;
        input.end()?;
        let blocks = self
            .state
            .store
            .memories
            .iter()
            .zip(&core.pages)
            .zip(&memories);
        let blocks = blocks.flat_map(|((memory, pages), runs)| {
            let length = backed_bytes(*pages, &self.limits);
            hashes_with_changes(&memory.bytes, length, runs)
        });
        if hash_of(program, &core.view(), blocks) != result {
            return Err(StateError::WrongResult);
        }
        self.reserve(&core.pages)?;
        self.take_over(core, steps);
        for (memory, runs) in self.state.store.memories.iter_mut().zip(memories) {
            for (at, bytes) in runs {
                if let Some(part) = memory.bytes.get_mut(at..at + bytes.len()) {
                    part.copy_from_slice(bytes);
                }
            }
        }
        Ok(())
    }

    /// All but the memories' bytes, as it will be.
    fn changed_core(&self, input: &mut Input<'_>) -> Result<Core, StateError> {
        let state = &self.state;
        let control = Control::read(input)?;
        let damaged = input.damaged();
        let kept = input.u32()? as usize;
        let mut frames = state.frames.get(..kept).ok_or(damaged)?.to_vec();
        let count = input.count()?;
        within(
            "frames",
            (kept + count) as u64,
            self.limits.call_depth.into(),
        )?;
        for _ in 0..count {
            frames.push(read_frame(input)?);
        }
        let cells = read_changes(
            input,
            state.cells(),
            "cells of stack",
            self.limits.stack_slots,
        )?;
        let globals = read_changes(input, &state.store.globals, "globals", u32::MAX)?;
        let mut tables = Vec::with_capacity(state.store.tables.len());
        for table in &state.store.tables {
            let limit = self.limits.table_elements;
            tables.push(read_changes(input, table, "elements of a table", limit)?);
        }
        let damaged = input.damaged();
        let progress = match input.byte()? {
            0 => state.store.progress.clone(),
            1 => read_progress(input)?,
            _ => return Err(damaged),
        };
        let memories = state.store.memories.len();
        let pages = (0..memories)
            .map(|_| input.u32())
            .collect::<Result<_, _>>()?;
        Ok(Core {
            control,
            frames,
            cells,
            globals,
            tables,
            progress,
            pages,
        })
    }
}

/// Bytes between two changes that are cheaper to repeat than a new run.
#[cfg(feature = "host")]
const GAP: usize = 3;

/// The runs of positions under `length` for which `changed` is true, as start and length; runs
/// with at most `gap` positions between them are one.
#[cfg(feature = "host")]
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
#[cfg(feature = "host")]
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

/// Reads a list of cells as it becomes.
fn read_changes(
    input: &mut Input<'_>,
    before: &[u64],
    what: &'static str,
    limit: u32,
) -> Result<Vec<u64>, StateError> {
    let length = input.u32()?;
    within(what, length.into(), limit.into())?;
    // Lists without a limit of their own do not grow.
    let length = length as usize;
    let damaged = input.damaged();
    if limit == u32::MAX && length != before.len() {
        return Err(damaged);
    }
    let mut cells = before.to_vec();
    cells.resize(length, 0);
    let mut end = 0;
    for _ in 0..input.count()? {
        let damaged = input.damaged();
        let start = input.u32()? as usize;
        let count = input.count()?;
        let changed = cells.get_mut(end..).and_then(|rest| rest.get_mut(start..));
        let changed = changed
            .and_then(|rest| rest.get_mut(..count))
            .ok_or(damaged)?;
        for cell in changed {
            *cell = input.u64()?;
        }
        end += start + count;
    }
    Ok(cells)
}

/// Writes how a memory's bytes change.
#[cfg(feature = "host")]
fn put_memory_changes(
    out: &mut Vec<u8>,
    before: &super::snapshot::MemorySnapshot,
    after: &super::snapshot::MemorySnapshot,
) {
    use super::snapshot::Block;
    let zeros: Block = alloc::sync::Arc::new([0; BLOCK]);
    let mut changes: Vec<(usize, &[u8])> = Vec::new();
    for (number, new) in after.blocks.iter().enumerate() {
        let old = before.blocks.get(number).unwrap_or(&zeros);
        if alloc::sync::Arc::ptr_eq(old, new) {
            continue;
        }
        let at = number * BLOCK;
        let length = BLOCK.min(after.length - at);
        for (start, count) in runs(length, GAP, |at| old.get(at) != new.get(at)) {
            if let Some(bytes) = new.get(start..start + count) {
                changes.push((at + start, bytes));
            }
        }
    }
    put(out, changes.len() as u64);
    let mut end = 0;
    for (start, bytes) in changes {
        put(out, (start - end) as u64);
        put(out, bytes.len() as u64);
        out.extend_from_slice(bytes);
        end = start + bytes.len();
    }
}

/// Reads the changes of a memory that will have `length` bytes: ascending, each within it.
fn read_runs<'b>(
    input: &mut Input<'b>,
    length: usize,
) -> Result<Vec<(usize, &'b [u8])>, StateError> {
    let mut runs = Vec::new();
    let mut end = 0usize;
    for _ in 0..input.count()? {
        let damaged = input.damaged();
        let start = end.checked_add(input.u32()? as usize).ok_or(damaged)?;
        let count = input.count()?;
        let bytes = input.raw(count)?;
        end = start
            .checked_add(count)
            .filter(|end| *end <= length)
            .ok_or(damaged)?;
        runs.push((start, bytes));
    }
    Ok(runs)
}

/// The hashes of the blocks of a memory as it will be: `base` cut or extended with zeros to
/// `length`, then changed.
fn hashes_with_changes(base: &[u8], length: usize, runs: &[(usize, &[u8])]) -> Vec<u64> {
    let mut block = alloc::vec![0; BLOCK];
    let mut next = 0;
    let mut hashes = Vec::with_capacity(length.div_ceil(BLOCK));
    for at in (0..length).step_by(BLOCK) {
        let end = (at + BLOCK).min(length);
        let kept = base
            .get(at.min(base.len())..end.min(base.len()))
            .unwrap_or_default();
        block.fill(0);
        block
            .iter_mut()
            .zip(kept)
            .for_each(|(to, from)| *to = *from);
        while let Some((start, bytes)) = runs.get(next).filter(|(start, _)| *start < end) {
            // The part of the run that lies in this block.
            let from = at.saturating_sub(*start);
            let until = bytes.len().min(end - start);
            let to = (start + from) - at;
            if let (Some(part), Some(new)) = (
                block.get_mut(to..to + (until - from)),
                bytes.get(from..until),
            ) {
                part.copy_from_slice(new);
            }
            if start + bytes.len() > end {
                break;
            }
            next += 1;
        }
        hashes.push(hash::of_block(&block));
    }
    hashes
}
