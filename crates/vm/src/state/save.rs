//! Saving, loading and hashing whole states.

use alloc::vec::Vec;

use super::StateError;
use super::bytes::{Input, put};
use super::check::check;
use super::core::{Core, CoreView};
use crate::StateHash;
use crate::blocks::BLOCK;
#[cfg(feature = "host")]
use crate::blocks::Block;
use crate::hash;
use crate::machine::{Machine, Memory, backed_bytes};

/// Marks saved states; the last byte is the version of their format.
const MAGIC: [u8; 4] = *b"BoS\x01";

/// How a block of memory is saved.
const ZEROS: u8 = 0;
const BYTES: u8 = 1;

/// Zeros to compare with, which is faster than to look at every byte. Few: they take room in flash.
static SOME_ZEROS: [u8; 128] = [0; 128];

fn is_zeros(block: &[u8]) -> bool {
    let mut parts = block.chunks(SOME_ZEROS.len());
    parts.all(|part| SOME_ZEROS.get(..part.len()) == Some(part))
}

/// Blocks that are what they were when the memory was last kept or restored know their hashes.
#[cfg(feature = "host")]
fn block_hashes(memory: &Memory) -> impl Iterator<Item = u64> {
    let since = memory.beside.kept.since(&memory.bytes);
    let blocks = memory.bytes.chunks(BLOCK).enumerate();
    blocks.map(move |(number, bytes)| {
        let known = since.as_ref().and_then(|since| since.known(number));
        known.map_or_else(|| hash::of_block(bytes), Block::hash)
    })
}

#[cfg(not(feature = "host"))]
fn block_hashes(memory: &Memory) -> impl Iterator<Item = u64> {
    memory.bytes.chunks(BLOCK).map(hash::of_block)
}

impl Machine {
    /// A hash of the whole state but the step count; equal states of one program have equal
    /// hashes, on every machine.
    pub fn hash(&self) -> StateHash {
        let memories = self.state.store.memories.iter();
        let blocks = memories.flat_map(block_hashes);
        hash_of(self.program, &self.state.view(), blocks)
    }

    /// The whole state as bytes, in one way only: equal states give equal bytes. They belong to
    /// the program: the same modules, linked the same way.
    pub fn save(&self) -> Vec<u8> {
        let mut out = Vec::from(MAGIC);
        out.extend(self.program.to_le_bytes());
        put(&mut out, self.state.thread.steps);
        self.state.view().put(&mut out);
        for memory in &self.state.store.memories {
            for block in memory.bytes.chunks(BLOCK) {
                if is_zeros(block) {
                    out.push(ZEROS);
                } else {
                    out.push(BYTES);
                    out.extend_from_slice(block);
                }
            }
        }
        out
    }

    /// Takes over a saved state.
    ///
    /// # Errors
    /// [`StateError`] if the bytes are not the saved state of this program or pass this machine's
    /// limits. Every part is checked first; nothing changed then.
    pub fn load(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let mut input = Input::new(bytes);
        if input.raw(4)? != MAGIC {
            return Err(StateError::Version);
        }
        if input.fixed()? != self.program {
            return Err(StateError::OtherProgram);
        }
        let steps = input.u64()?;
        let mut core = Core::read(&mut input, self)?;
        check(self, &mut core)?;
        let blocks = input;
        for pages in &core.pages {
            each_block(&mut input, backed_bytes(*pages, &self.limits), |_, _| {})?;
        }
        input.end()?;
        self.reserve(&core.pages)?;
        self.take_over(core, steps);
        let mut input = blocks;
        for memory in &mut self.state.store.memories {
            let length = memory.bytes.len();
            // Read once above without an error.
            let _ = each_block(&mut input, length, |at, content| {
                let part = at..(at + BLOCK).min(length);
                if let Some(block) = memory.bytes.range_mut(part) {
                    match content {
                        Some(content) => block.copy_from_slice(content),
                        None => block.fill(0),
                    }
                }
            });
        }
        Ok(())
    }

    /// A hash of the modules and how they are linked.
    pub(crate) fn hash_program(&self) -> u64 {
        let mut out = Vec::new();
        for instance in &self.instances {
            out.extend(instance.module.hash().to_le_bytes());
            for addresses in [&instance.funcs, &instance.tables, &instance.globals] {
                put(&mut out, addresses.len() as u64);
                addresses
                    .iter()
                    .for_each(|address| put(&mut out, (*address).into()));
            }
            put(&mut out, instance.memory.into());
            #[cfg(feature = "memories")]
            for memory in &instance.other_memories {
                put(&mut out, (*memory).into());
            }
            #[cfg(feature = "exceptions")]
            for tag in &instance.tags {
                put(&mut out, (*tag).into());
            }
        }
        hash::of_bytes(&out)
    }
}

/// Calls `each` with the position and content (nothing for zeros) of all blocks of a memory.
fn each_block(
    input: &mut Input<'_>,
    length: usize,
    mut each: impl FnMut(usize, Option<&[u8]>),
) -> Result<(), StateError> {
    for at in (0..length).step_by(BLOCK) {
        let damaged = input.damaged();
        match input.byte()? {
            ZEROS => each(at, None),
            BYTES => each(at, Some(input.raw(BLOCK.min(length - at))?)),
            _ => return Err(damaged),
        }
    }
    Ok(())
}

/// The hash of a state whose memories' blocks have these hashes.
pub(super) fn hash_of<T: AsRef<[u64]>>(
    program: u64,
    view: &CoreView<'_, T>,
    blocks: impl Iterator<Item = u64>,
) -> StateHash {
    let mut out = Vec::from(program.to_le_bytes());
    view.put(&mut out);
    out.extend(blocks.flat_map(u64::to_le_bytes));
    StateHash(hash::of_bytes(&out))
}
