//! Breakpoints and watches. They belong to whoever watches, not to the program: they are in no
//! hash, no saved state and no snapshot, and cost nothing while none are set.

use alloc::vec::Vec;
use core::ops::Range;
use thiserror::Error;

use super::Machine;
use super::run::{Exit, Until};
use super::state::NONE;
use super::step::{Hooks, Stop};
use crate::CodeOffset;
use crate::binary::{Instr, memory_width};
#[cfg(all(borges_fast, feature = "host"))]
use crate::fast::Watched;
use crate::types::Offset;

/// Something of the first instance to watch: the machine stops when an instruction wrote it, also
/// when it wrote the value that was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Watch {
    /// Bytes of a memory of the first instance.
    Memory {
        /// Its index in the module.
        memory: u32,
        /// Address of the first.
        start: u32,
        /// How many.
        length: u32,
    },
    /// A global, by its index.
    Global(u32),
    /// A local of a frame that is there now. Once the function returned the watch is still.
    Local {
        /// The frame, counted from the outermost, which is 0: unlike the innermost, it keeps its
        /// number while others come and go.
        frame: u32,
        /// Index of the local.
        local: u32,
    },
}

/// Why breakpoints cannot be set. None was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no instruction starts at {0}")]
pub struct NoInstruction(pub CodeOffset);

/// Where the debugger wants to stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Debug {
    /// Offsets of breakpoints in the first instance's code, sorted.
    breakpoints: Vec<u32>,
    /// A bit for every low byte of a breakpoint's offset: most others need no search.
    low_bytes: [u64; 4],
    watches: Vec<Watch>,
    /// A bit for every opcode that may write something watched.
    opcodes: [u64; 4],
    /// The breakpoint last reported and the step count then: it is not reported there again.
    reported: Option<(u64, u32)>,
}

fn bit(bits: &[u64; 4], number: u8) -> bool {
    bits[usize::from(number >> 6)] >> (number & 63) & 1 != 0
}

fn set_bit(bits: &mut [u64; 4], number: u8) {
    bits[usize::from(number >> 6)] |= 1 << (number & 63);
}

/// Nothing to stop at.
pub(crate) const NOTHING: Option<&Debug> = None;

// An option, and not two types: the stepping loop is large, and devices have it once.
impl Hooks for Option<&Debug> {
    #[inline(always)]
    fn is_active(&self) -> bool {
        self.is_some()
    }

    #[inline(always)]
    fn stops(&self, instance: u32, pc: usize, opcode: u8) -> bool {
        self.is_some_and(|debug| {
            bit(&debug.opcodes, opcode)
                || bit(&debug.low_bytes, pc as u8) && debug.has_breakpoint(instance, pc as u32)
        })
    }
}

impl Debug {
    fn has_breakpoint(&self, instance: u32, pc: u32) -> bool {
        instance == 0 && self.breakpoints.binary_search(&pc).is_ok()
    }

    fn is_empty(&self) -> bool {
        self.breakpoints.is_empty() && self.watches.is_empty()
    }
}

impl Machine {
    /// Sets the breakpoints, at instructions of the first instance's module; an empty list clears
    /// them. The machine stops before such an instruction. It does not stop a second time at the
    /// one where it just reported one, so that running on goes on.
    ///
    /// # Errors
    /// [`NoInstruction`] names an offset where no instruction starts. Nothing changed then.
    pub fn set_breakpoints(&mut self, offsets: &[CodeOffset]) -> Result<(), NoInstruction> {
        for offset in offsets {
            let known = self
                .module()
                .is_some_and(|module| module.is_instr_start(*offset));
            known.then_some(()).ok_or(NoInstruction(*offset))?;
        }
        let mut breakpoints: Vec<u32> = Vec::with_capacity(offsets.len());
        for offset in offsets {
            if let Err(place) = breakpoints.binary_search(&offset.0) {
                breakpoints.insert(place, offset.0);
            }
        }
        let debug = self.debug.get_or_insert_default();
        debug.low_bytes = [0; 4];
        breakpoints
            .iter()
            .for_each(|offset| set_bit(&mut debug.low_bytes, *offset as u8));
        #[cfg(borges_fast)]
        self.fast.set_breakpoints(&self.instances, &breakpoints);
        debug.breakpoints = breakpoints;
        self.forget_empty_debug();
        Ok(())
    }

    /// Sets what is watched; an empty list clears it. A watch of something that does not exist
    /// never fires.
    pub fn set_watches(&mut self, watches: &[Watch]) {
        let debug = self.debug.get_or_insert_default();
        debug.watches = watches.to_vec();
        debug.opcodes = [0; 4];
        for watch in watches {
            let opcodes: &[u8] = match watch {
                // Stores, and the prefixes of bulk operations and of vectors.
                Watch::Memory { .. } => &[
                    0x36, 0x37, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0xfc, 0xfd,
                ],
                Watch::Global(_) => &[0x24],
                Watch::Local { .. } => &[0x21, 0x22],
            };
            opcodes
                .iter()
                .for_each(|opcode| set_bit(&mut debug.opcodes, *opcode));
        }
        self.tell_watches();
        self.forget_empty_debug();
    }

    /// Tells the fast tier what is watched.
    #[cfg(all(borges_fast, feature = "host"))]
    pub(super) fn tell_watches(&mut self) {
        let watches = self.debug.as_ref().map(|debug| debug.watches.as_slice());
        let watched = Watched::new(watches.unwrap_or_default(), self.instances.first());
        self.fast.set_watched(watched);
    }

    /// Where something is watched, the fast tier does nothing.
    #[cfg(not(all(borges_fast, feature = "host")))]
    pub(super) fn tell_watches(&mut self) {}

    /// The breakpoints, sorted.
    pub fn breakpoints(&self) -> impl Iterator<Item = CodeOffset> + '_ {
        self.debug
            .iter()
            .flat_map(|debug| debug.breakpoints.iter().map(|at| CodeOffset(*at)))
    }

    /// True if anything is set.
    pub(super) fn is_debugged(&self) -> bool {
        self.debug.is_some()
    }

    /// Every breakpoint may be reported again.
    pub(crate) fn forget_reported(&mut self) {
        if let Some(debug) = &mut self.debug {
            debug.reported = None;
        }
    }

    fn forget_empty_debug(&mut self) {
        if self.debug.as_ref().is_some_and(|debug| debug.is_empty()) {
            self.debug = None;
        }
    }

    /// Reports the breakpoint at the next instruction, unless that was just done.
    pub(super) fn report_breakpoint(&mut self) -> Option<Exit> {
        let location = self.location()?;
        let here = (self.state.thread.steps, location.offset.0);
        let debug = self.debug.as_mut()?;
        if debug.reported == Some(here)
            || !debug.has_breakpoint(location.instance.0, location.offset.0)
        {
            return None;
        }
        debug.reported = Some(here);
        Some(Exit::Breakpoint(location.offset))
    }

    /// Executes at most `budget` instructions with an eye on breakpoints and watches.
    pub(super) fn step_debugged(&mut self, until: Until) -> Result<Stop, Exit> {
        let mut pass_first = false;
        loop {
            // Taken out while the machine runs; nothing in between returns.
            let Some(debug) = self.debug.take() else {
                return Ok(Stop::Budget);
            };
            // On devices, the fast tier knows breakpoints only.
            let stop = if debug.watches.is_empty() || cfg!(feature = "host") {
                self.advance(until, &Some(&*debug), pass_first)
            } else {
                self.step(
                    until.left(self.state.thread.steps).1,
                    &Some(&*debug),
                    pass_first,
                )
            };
            self.debug = Some(debug);
            if stop != Stop::Hook {
                return Ok(stop);
            }
            if let Some(exit) = self.report_breakpoint() {
                return Err(exit);
            }
            let offset = self
                .location()
                .map_or(CodeOffset(0), |location| location.offset);
            let written = self.about_to_write_watched();
            pass_first = written.is_none();
            let Some(watch) = written else {
                continue;
            };
            return match self.step(1, &NOTHING, false) {
                Stop::Budget => Err(Exit::Watch { watch, offset }),
                stop => Ok(stop),
            };
        }
    }

    /// The first watch of something that the next instruction writes.
    fn about_to_write_watched(&self) -> Option<usize> {
        self.debug
            .as_ref()?
            .watches
            .iter()
            .position(|watch| match *watch {
                Watch::Memory {
                    memory,
                    start,
                    length,
                } => self.writes_memory(memory, start, length),
                Watch::Global(global) => self.writes_global(global).unwrap_or(false),
                Watch::Local { frame, local } => self.writes_local(frame, local),
            })
    }

    fn writes_memory(&self, memory: u32, start: u32, length: u32) -> bool {
        let watched = self.instances.first();
        let watched = watched.map_or(NONE, |first| first.memory_at(memory));
        let (start, end) = (u64::from(start), u64::from(start) + u64::from(length));
        self.about_to_write(watched)
            .is_some_and(|written| written.start.max(start) < written.end.min(end))
    }

    /// The addresses of this memory of the store that the next instruction writes.
    fn about_to_write(&self, memory: u32) -> Option<Range<u64>> {
        let location = self.location()?;
        let instr = self.next_instr()?;
        let index = match instr {
            #[cfg(feature = "memories")]
            Instr::Elsewhere(instr) => instr.memory(),
            _ => 0,
        };
        let instance = self.instances.get(location.instance.0 as usize)?;
        if memory == NONE || instance.memory_at(index) != memory {
            return None;
        }
        let operand = |depth: usize| {
            let at = self.state.thread.sp.checked_sub(depth)?;
            self.state
                .thread
                .stack
                .get(at)
                .map(|cell| u64::from(*cell as Offset))
        };
        #[cfg(feature = "memories")]
        let instr = match instr {
            Instr::Elsewhere(instr) => instr.like(),
            instr => instr,
        };
        let (start, length) = match instr {
            Instr::Store(opcode, arg) => (
                operand(2)?.saturating_add(arg.offset.into()),
                memory_width(opcode).1.into(),
            ),
            #[cfg(feature = "simd")]
            Instr::Wide(op, arg) if op.is_store() => {
                let start = operand(3)?.saturating_add(arg.offset.into());
                (start, op.width().into())
            }
            Instr::MemoryFill | Instr::MemoryCopy | Instr::MemoryInit(_) => {
                (operand(3)?, operand(1)?)
            }
            _ => return None,
        };
        Some(start..start.saturating_add(length))
    }

    fn writes_global(&self, global: u32) -> Option<bool> {
        let Instr::GlobalSet(index) = self.next_instr()? else {
            return None;
        };
        let location = self.location()?;
        let instance = self.instances.get(location.instance.0 as usize)?;
        let written = instance.globals.get(index as usize)?;
        Some(self.instances.first()?.globals.get(global as usize)? == written)
    }

    fn writes_local(&self, frame: u32, local: u32) -> bool {
        let Some(Instr::LocalSet(index) | Instr::LocalTee(index)) = self.next_instr() else {
            return false;
        };
        index == local && self.state.thread.frames.len() as u64 == u64::from(frame) + 1
    }
}
