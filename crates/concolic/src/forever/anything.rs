//! Words that are taken for *anything*: counters that keep a graph from closing.
//!
//! A program may count for ever what nobody asks about, and every count makes a new state. Such a word is found where many
//! states at one place differ in it alone, and from then on it may have any value in every state: a full-range variable.
//! Where nothing that the program does depends on it, that is no abstraction but a proof that it has no influence; where
//! something does, the graph may have more runs than the program, and says so.

use borges_board::PrimitiveId;
use borges_vm::{FrameView, FuncIdx, ValType};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::live::Live;
use crate::explore::{State as Path, Workbench};
use crate::memory::Byte;
use crate::path::Read;
use crate::set::Set;

/// Something that is compared: one word of a program's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum StateWord {
    /// What a clock shows: the time itself, not how much of it passes.
    Clock(PrimitiveId),
    /// A global.
    Global(u32),
    /// Four bytes of the memory, from an address that is a multiple of four on.
    Memory(u32),
    /// A local of a function on the stack.
    Local {
        /// Its frame, counted from the outermost.
        frame: u32,
        /// The function.
        func: FuncIdx,
        /// The local, parameters first.
        local: u32,
    },
}

/// So many words at most are taken for anything: they are marked in the bits of a number, of which two are for times.
pub(super) const MOST_WORDS: usize = 62;

/// Puts a variable of its own into each of these words that is there; which reads of the path they are.
pub(super) fn free(
    bench: &mut Workbench,
    path: &mut Path,
    (live, frames): (&Live, &[FrameView]),
    words: &[StateWord],
) -> Vec<(usize, u64)> {
    let mut fresh = Vec::new();
    for (number, word) in words.iter().enumerate() {
        let place = path.reads.len();
        let ty = match *word {
            // Its time is an input of its own in every state.
            StateWord::Clock(_) => continue,
            StateWord::Global(at) => {
                let ty = live.global_type(at);
                let expr = bench.dag.input(place as u32, ty);
                path.shadow.set_global(at, expr);
                ty
            }
            StateWord::Memory(at) => {
                let value = bench.dag.input(place as u32, ValType::I32);
                for number in 0..4 {
                    let byte = Byte { value, number };
                    let at = u64::from(at) + u64::from(number);
                    path.shadow.memory.set(at, Some(byte));
                }
                ValType::I32
            }
            StateWord::Local { frame, func, local } => {
                let Some((cell, ty)) = cell_of_local(frames, frame, func, local) else {
                    continue;
                };
                let expr = bench.dag.input(place as u32, ty);
                path.shadow.set_cell(cell, expr);
                ty
            }
        };
        path.reads
            .push(Read::of_state(PrimitiveId(0), ty, Set::all(ty)));
        path.model.push(0);
        fresh.push((place, 1 << number));
    }
    fresh
}

/// Where a local lies in a stack, and its type.
pub(super) fn cell_of_local(
    frames: &[FrameView],
    frame: u32,
    func: FuncIdx,
    local: u32,
) -> Option<(usize, ValType)> {
    let found = frames.iter().rev().nth(frame as usize)?;
    let value = found.locals.get(local as usize)?;
    // A vector is two cells, and none is taken for anything; nor is an exception, which nothing computes.
    let fits = found.func == func && is_word(value.ty());
    fits.then(|| (found.local_cell(local as usize), value.ty()))
}

/// Whether anything may be taken for a value of this type.
fn is_word(ty: ValType) -> bool {
    !matches!(ty, ValType::V128 | ValType::ExnRef)
}

/// The locals on a stack, by their cells.
pub(super) fn locals(frames: &[FrameView]) -> HashMap<usize, StateWord> {
    let mut words = HashMap::new();
    for (at, frame) in frames.iter().enumerate() {
        for local in 0..frame.locals.len() {
            let word = StateWord::Local {
                frame: (frames.len() - at - 1) as u32,
                func: frame.func,
                local: local as u32,
            };
            if is_word(frame.locals[local].ty()) {
                words.insert(frame.local_cell(local), word);
            }
        }
    }
    words
}
