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

use alloc::boxed::Box;
use alloc::vec::Vec;

use self::cx::{Call, Entry, NO_KIND, kind};
use self::dispatch::handler_word;
use self::op::Code;
use self::translate::{Compiled, Surroundings, compile};
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
    /// Functions that the debugger wants executed by the stepping tier, by address.
    slow: Vec<bool>,
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
            slow: self.slow.clone(),
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
        let slow = core::mem::take(&mut self.slow);
        *self = Fast {
            room: limits.code_bytes as usize / size_of::<u64>(),
            uncounted: self.uncounted,
            off: self.off,
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
        self.slow = slow;
        self.slow.resize(funcs.len(), false);
        for address in 0..funcs.len() {
            self.set_slow(address as u32, self.slow[address], instances, funcs);
        }
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

    /// Compiles a function if it was not tried before; gives it if it is compiled and not slow.
    fn function(
        &mut self,
        address: u32,
        instances: &[Instance],
        funcs: &[Func],
    ) -> Option<&Compiled> {
        let index = address as usize;
        if *self.slow.get(index)? {
            return None;
        }
        if let Function::Unknown = self.functions.get(index)? {
            let surroundings = self.surroundings(address, instances, funcs)?;
            let mut scratch = core::mem::take(&mut self.scratch);
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
        &self,
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
            counting: !self.uncounted,
        })
    }

    /// A function was tried: makes its code known, or closes its door.
    fn publish(&mut self, address: u32, instances: &[Instance], funcs: &[Func]) {
        if let Some(Function::Compiled(compiled)) = self.functions.get(address as usize) {
            let start = compiled.code.as_ptr() as usize;
            self.room = self.room.saturating_sub(compiled.code.len());
            self.longest = self.longest.max(compiled.longest);
            let place = self.ranges.partition_point(|(other, _)| *other < start);
            self.ranges.insert(place, (start, address));
        }
        self.set_slow(address, false, instances, funcs);
    }

    /// Has the functions of the first instance that these code offsets are in, and no others,
    /// executed by the stepping tier.
    pub(crate) fn set_slow_at(&mut self, instances: &[Instance], funcs: &[Func], offsets: &[u32]) {
        let Some(first) = instances.first() else {
            return;
        };
        let index = |offset: &u32| first.module.func_at(CodeOffset(*offset));
        let mut slow = alloc::vec![false; funcs.len()];
        for func in offsets.iter().filter_map(index) {
            let address = first.funcs.get(func.0 as usize);
            if let Some(slow) = address.and_then(|address| slow.get_mut(*address as usize)) {
                *slow = true;
            }
        }
        self.slow.resize(funcs.len(), false);
        for (address, slow) in slow.into_iter().enumerate() {
            if self.slow[address] != slow {
                self.slow[address] = slow;
                self.set_slow(address as u32, slow, instances, funcs);
            }
        }
    }

    /// Has a function executed by the stepping tier, or no longer.
    fn set_slow(&mut self, address: u32, slow: bool, instances: &[Instance], funcs: &[Func]) {
        let index = address as usize;
        let stub = self.stub(address);
        let Some(func) = funcs.get(index) else {
            return;
        };
        let body = instances
            .get(func.instance as usize)
            .and_then(|i| i.module.body(func.index));
        let (Some(body), Some(entry)) = (body, self.entries.get_mut(index + 1)) else {
            return;
        };
        match self.functions.get(index) {
            Some(Function::Unknown) => self.doors.set(func.instance, body.start, !slow),
            Some(Function::Compiled(compiled)) => {
                entry.ip = if slow { stub } else { compiled.code.as_ptr() };
                for point in &compiled.points {
                    self.doors.set(func.instance, point.pc, !slow);
                }
            }
            _ => self.doors.set(func.instance, body.start, false),
        }
    }
}

const NO_CALL: Call = Call {
    ip: core::ptr::null(),
    fp: core::ptr::null_mut(),
};
