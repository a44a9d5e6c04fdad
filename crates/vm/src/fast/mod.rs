//! The fast tier: functions compiled to operations on slots and accumulators.
//!
//! # Code
//! A function is compiled when it is called for the first time, in one pass. Where the stepping tier
//! moves operands on a stack, the compiler keeps track of where they are and lets operations take
//! them from there: from a local, a constant, the accumulator (the result of the operation before),
//! or the operand's own cell. So only a third to a half as many operations run as instructions.
//! [`op`] has the operations, [`translate`] the compiler, [`dispatch`] goes from one operation to
//! the next, [`enter`] from one tier to the other.
//!
//! # One state
//! Both tiers keep locals and operands in the same cells of the same stack. Code is entered and left
//! at *points*: function entries, labels, and behind calls. There all operands are in their cells,
//! and a table says which instruction it is. When an operation would trap, code stops before it; the
//! function is compiled once more up to there to learn where each operand is, and the stepping tier
//! executes the instruction, so that there is but one place that knows traps. The same goes for
//! calls of the embedder and for rare instructions.
//!
//! Before an instruction with a breakpoint code is left as before one that the other tier executes,
//! and behind that there is a second point of the same instruction, where whoever goes on enters.
//! So a breakpoint costs what surrounds it a few copies. A function's code is forgotten when it gets
//! another breakpoint, and when it comes to one that is no more.
//!
//! # Steps
//! The *ordinal* of an instruction is its number in its function, counted from the start, from the last
//! call before it or, in long functions, from a jump to the next operation that is there for this only.
//! While code runs, `steps = base + ordinal`. Straight code changes nothing; a
//! branch that is taken adds `ordinal of the branch + 1 - ordinal of the target` to the base, a call
//! or return the ordinal plus one. The register *fuel* is the steps wanted minus the base, minus a
//! reserve; once it is negative, code stops at the target, or behind instructions there that do
//! nothing. Neither way is longer than the highest ordinal, so a reserve of twice that makes sure that
//! code stops in time; the stepping tier walks the rest and stops exactly.

#![allow(unsafe_code)]

mod cx;
mod dispatch;
mod enter;
mod op;
#[cfg(test)]
mod tests;
mod translate;
#[cfg(feature = "host")]
mod watched;

use alloc::boxed::Box;
use alloc::vec::Vec;

use self::cx::{Call, Entry, NO_KIND, kind};
use self::dispatch::handler_word;
use self::op::Code;
use self::translate::{Compiled, Surroundings, compile};
#[cfg(feature = "host")]
pub(crate) use self::watched::Watched;
use crate::machine::{Func, Instance};
use crate::{CodeOffset, Limits};

/// What became of a function.
#[derive(Debug)]
enum Function {
    /// It was not called yet.
    Unknown,
    Compiled(Compiled),
    /// The stepping tier executes it: it is imported, or too large.
    Refused,
}

/// Bit sets of code offsets, by instance: where the stepping tier may hand over.
#[derive(Debug, Default)]
struct Doors(Vec<Vec<u64>>);

impl Doors {
    #[inline(never)]
    fn set(&mut self, instance: u32, pc: u32, open: bool) {
        let word = self
            .0
            .get_mut(instance as usize)
            .and_then(|bits| bits.get_mut(pc as usize / 64));
        if let Some(word) = word {
            let bit = 1 << (pc % 64);
            *word = if open { *word | bit } else { *word & !bit };
        }
    }

    fn is_open(&self, instance: u32, pc: usize) -> bool {
        let word = self
            .0
            .get(instance as usize)
            .and_then(|bits| bits.get(pc / 64));
        word.is_some_and(|word| word >> (pc % 64) & 1 == 1)
    }
}

/// The fast tier of a machine. It has no part in the state: all of it can be made again.
#[derive(Debug, Default)]
pub(crate) struct Fast {
    /// By the cell of a reference: that of null first, then those of the functions by address.
    entries: Box<[Entry]>,
    /// Two words for each function: what an entry points to while the function is not compiled.
    stubs: Box<[u64]>,
    /// By address.
    functions: Vec<Function>,
    /// Offsets in the first instance's code, sorted, that code is left before: those of all breakpoints,
    /// and of some that are no more.
    breakpoints: Vec<u32>,
    /// What is watched: code is left before whatever may write that.
    #[cfg(feature = "host")]
    watched: Watched,
    /// Where the functions' code lies: first byte, and address. Sorted.
    ranges: Vec<(usize, u32)>,
    /// Room for the calls of running code.
    calls: Box<[Call]>,
    /// What the lowest call returns to.
    bottom: Box<[u64]>,
    doors: Doors,
    /// The highest ordinal in code.
    longest: u32,
    /// Words that code may still take.
    room: usize,
    /// Where functions are compiled.
    scratch: Vec<u64>,
    uncounted: bool,
    off: bool,
    /// How often code was entered.
    #[cfg(test)]
    runs: u64,
}

/// A clone starts without code: code points into the machine that it was made for.
impl Clone for Fast {
    fn clone(&self) -> Fast {
        Fast {
            breakpoints: self.breakpoints.clone(),
            #[cfg(feature = "host")]
            watched: self.watched.clone(),
            uncounted: self.uncounted,
            off: self.off,
            ..Fast::default()
        }
    }
}

// SAFETY: all pointers lead into boxes that the value itself owns, or are stale leftovers of runs
// that ended, which nothing follows.
unsafe impl Send for Fast {}
// SAFETY: as above; nothing is changed through a shared reference.
unsafe impl Sync for Fast {}

impl Fast {
    /// Makes ready for these functions; does nothing if it is.
    fn prepare(&mut self, instances: &[Instance], funcs: &[Func], limits: &Limits) {
        if self.functions.len() == funcs.len() && !self.entries.is_empty() {
            return;
        }
        *self = Fast {
            breakpoints: core::mem::take(&mut self.breakpoints),
            #[cfg(feature = "host")]
            watched: core::mem::take(&mut self.watched),
            room: limits.code_bytes as usize / size_of::<u64>(),
            uncounted: self.uncounted,
            off: self.off,
            #[cfg(test)]
            runs: self.runs,
            ..Fast::default()
        };
        self.bottom = Box::new([handler_word(Code::Leave)]);
        self.calls = alloc::vec![NO_CALL; limits.call_depth as usize + 1].into_boxed_slice();
        let stub = [handler_word(Code::Stub), 0];
        self.stubs = stub.repeat(funcs.len() + 1).into_boxed_slice();
        self.functions
            .resize_with(funcs.len(), || Function::Unknown);
        self.doors.0 = instances
            .iter()
            .map(|i| alloc::vec![0; i.module.bytes().len() / 64 + 1])
            .collect();
        let mut entries = Vec::with_capacity(funcs.len() + 1);
        entries.push(Entry {
            ip: self.stubs.as_ptr(),
            kind: NO_KIND,
            bytes: 0,
            params: 0,
            zeros: 0,
        });
        for (address, func) in funcs.iter().enumerate() {
            let body = instances
                .get(func.instance as usize)
                .and_then(|i| i.module.body(func.index));
            let Some(body) = body else {
                self.functions[address] = Function::Refused;
                entries.push(entries[0]);
                continue;
            };
            self.doors.set(func.instance, body.start, true);
            entries.push(Entry {
                ip: self.stub(address as u32),
                kind: kind(func.instance, func.ty),
                bytes: body.cells() * 8,
                params: body.params,
                zeros: body.locals - body.params,
            });
        }
        self.entries = entries.into_boxed_slice();
    }

    /// True unless the embedder wants the stepping tier alone.
    pub(crate) fn is_on(&self) -> bool {
        !self.off
    }

    /// The stub of a function.
    fn stub(&self, address: u32) -> *const u64 {
        self.stubs
            .get(2 * (address as usize + 1)..)
            .map_or(core::ptr::null(), <[u64]>::as_ptr)
    }

    /// Compiles a function if it was not tried before; gives it if it is compiled.
    fn function(
        &mut self,
        address: u32,
        instances: &[Instance],
        funcs: &[Func],
    ) -> Option<&Compiled> {
        let index = address as usize;
        if let Function::Unknown = self.functions.get(index)? {
            let mut scratch = core::mem::take(&mut self.scratch);
            let surroundings = self.surroundings(address, instances, funcs)?;
            let compiled = compile(surroundings, address, &mut scratch, self.room);
            self.scratch = scratch;
            self.functions[index] = compiled.map_or(Function::Refused, Function::Compiled);
            self.publish(address, instances, funcs);
        }
        match self.functions.get(index)? {
            Function::Compiled(compiled) => Some(compiled),
            Function::Unknown | Function::Refused => None,
        }
    }

    fn surroundings<'m>(
        &'m self,
        address: u32,
        instances: &'m [Instance],
        funcs: &'m [Func],
    ) -> Option<Surroundings<'m>> {
        let id = funcs.get(address as usize)?.instance;
        let instance = instances.get(id as usize)?;
        Some(Surroundings {
            instance,
            id,
            funcs,
            breakpoints: if id == 0 { &self.breakpoints } else { &[] },
            #[cfg(feature = "host")]
            watched: &self.watched,
            #[cfg(feature = "host")]
            notes: !crate::written::is_said(),
            counting: !self.uncounted,
        })
    }

    /// A function was tried: makes its code known, or closes its door.
    fn publish(&mut self, address: u32, instances: &[Instance], funcs: &[Func]) {
        let index = address as usize;
        let Some(func) = funcs.get(index) else {
            return;
        };
        let body = instances
            .get(func.instance as usize)
            .and_then(|i| i.module.body(func.index));
        let (Some(body), Some(entry)) = (body, self.entries.get_mut(index + 1)) else {
            return;
        };
        let Some(Function::Compiled(compiled)) = self.functions.get(index) else {
            return self.doors.set(func.instance, body.start, false);
        };
        let start = compiled.code.as_ptr();
        entry.ip = start;
        self.room = self.room.saturating_sub(compiled.code.len());
        self.longest = self.longest.max(compiled.longest);
        let start = start as usize;
        let place = self.ranges.partition_point(|(other, _)| *other < start);
        self.ranges.insert(place, (start, address));
        for point in &compiled.points {
            self.doors.set(func.instance, point.pc, true);
        }
    }

    /// Has code left before these offsets in the first instance's code. If it is already left before all
    /// of them, it is for others still that were set before, until code comes there ([`Fast::passes`]):
    /// whoever looks at a condition each time takes breakpoints away and sets them again, and nothing
    /// is compiled for it.
    pub(crate) fn set_breakpoints(&mut self, instances: &[Instance], offsets: &[u32]) {
        let is_known = |offset: &u32| self.breakpoints.binary_search(offset).is_ok();
        if !offsets.iter().all(is_known) {
            let before = core::mem::replace(&mut self.breakpoints, offsets.to_vec());
            for offset in before.iter().chain(offsets) {
                self.forget(instances, *offset);
            }
        }
    }

    /// Has code left before whatever may write something watched: what was compiled without knowing of it is forgotten.
    #[cfg(feature = "host")]
    pub(crate) fn set_watched(&mut self, watched: Watched) {
        let before = core::mem::replace(&mut self.watched, watched);
        if !self.watched.wants_code_of(&before) {
            // There is no code before the machine is made ready again.
            self.functions.clear();
        }
    }

    /// Code need no longer be left before this offset in the first instance's code; false if it is not.
    fn passes(&mut self, instances: &[Instance], offset: u32) -> bool {
        let found = self.breakpoints.binary_search(&offset);
        if let Ok(place) = found {
            self.breakpoints.remove(place);
            self.forget(instances, offset);
        }
        found.is_ok()
    }

    /// Forgets what became of the function of the first instance that this offset is in: its next
    /// call compiles it again.
    fn forget(&mut self, instances: &[Instance], offset: u32) {
        let found = instances.first().and_then(|first| {
            let func = first.module.func_at(CodeOffset(offset))?;
            let address = first.funcs.get(func.0 as usize)?;
            Some((*address, first.module.body(func.0)?))
        });
        let Some((address, body)) = found else {
            return;
        };
        let stub = self.stub(address);
        let index = address as usize;
        let (Some(function), Some(entry)) = (
            self.functions.get_mut(index),
            self.entries.get_mut(index + 1),
        ) else {
            return;
        };
        entry.ip = stub;
        if let Function::Compiled(compiled) = core::mem::replace(function, Function::Unknown) {
            self.room += compiled.code.len();
            self.ranges.retain(|(_, other)| *other != address);
            for point in &compiled.points {
                self.doors.set(0, point.pc, false);
            }
        }
        self.doors.set(0, body.start, true);
    }
}

const NO_CALL: Call = Call {
    ip: core::ptr::null(),
    fp: core::ptr::null_mut(),
};
