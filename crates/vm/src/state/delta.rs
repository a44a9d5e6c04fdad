//! The difference between two states: what a device needs to get from one to the other.

use alloc::vec::Vec;

use super::StateError;
use super::bytes::Input;
use super::check::check;
use super::core::{Control, Core, read_frame, read_progress};
use super::save::hash_of;
use crate::StateHash;
use crate::blocks::BLOCK;
use crate::hash;
use crate::limits::within;
use crate::machine::{Machine, backed_bytes};

/// Marks differences; the last byte is the version of their format.
pub(super) const MAGIC: [u8; 4] = *b"BoD\x01";

/// The difference between two states of one program. It can only be applied to the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    pub(super) bytes: Vec<u8>,
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
                if let Some(part) = memory.bytes.range_mut(at..at + bytes.len()) {
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
        let mut frames = state.thread.frames.get(..kept).ok_or(damaged)?.to_vec();
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
            state.thread.cells(),
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
        #[cfg(feature = "exceptions")]
        let exceptions = match &state.store.exceptions {
            Some(before) => {
                let limit = self.limits.exception_cells;
                let what = "cells of exceptions";
                Some(read_changes(input, before, what, limit)?)
            }
            None => None,
        };
        Ok(Core {
            control,
            frames,
            cells,
            globals,
            tables,
            progress,
            pages,
            #[cfg(feature = "exceptions")]
            exceptions,
            #[cfg(feature = "exceptions")]
            references: Vec::new(),
        })
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
