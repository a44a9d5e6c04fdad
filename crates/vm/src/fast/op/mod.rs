//! The operations of compiled code: what each one does to the registers.
//!
//! Code is a sequence of 64-bit words. An operation begins with the word that leads to its handler;
//! its operands follow, packed into as few words as they need. Slots are cells of the frame, named by
//! their distance in bytes from its first local; operands of the wasm stack have theirs behind the
//! locals, exactly where the stepping tier keeps them.
//!
//! | half-words of word 1 | meaning |
//! |---|---|
//! | 0 | slot that the result is written to |
//! | 1 | slot of the first operand that is in a slot |
//! | 2 | slot of the second one |
//! | 2 and 3 | a 32-bit constant, or the offset of a memory access |
//!
//! A 64-bit constant is word 2. Branches have their distance and the change of the step count in
//! the last two words.
#![allow(unsafe_code)]

pub(super) mod control;
pub(super) mod memory;
pub(super) mod numeric;
mod table;
pub(super) mod vector;

pub(super) use table::*;

use super::cx::Cx;
use super::dispatch::Passed;

/// What the integer accumulator holds: a machine register. Wider integers share the accumulator of
/// `f64`, which is in memory where registers are narrow.
#[cfg(target_pointer_width = "64")]
pub(crate) type Word = i64;
/// What the integer accumulator holds: a machine register. Wider integers share the accumulator of
/// `f64`, which is in memory where registers are narrow.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) type Word = i32;

/// The registers of the fast tier that nearly every operation uses, and the way to the others.
#[derive(Clone, Copy)]
pub(crate) struct Regs {
    /// The operation being executed.
    pub(crate) ip: *const u64,
    /// The last integer (or reference) computed, as a cell.
    pub(crate) acc: usize,
    /// What stays the same or is rarely used.
    pub(crate) cx: *mut Cx,
    /// Which of the others handlers pass on. The rest is in `cx`; [`Regs::fp`] and [`Regs::bank`] know.
    pub(crate) passed: Passed,
}

/// The registers that fewer operations use.
#[derive(Clone, Copy)]
pub(crate) struct Bank {
    /// The memory's first byte.
    pub(crate) mem: *mut u8,
    /// Steps left before the tier must stop, if the position were the function's first
    /// instruction. See the [module's documentation](super).
    pub(crate) fuel: isize,
    /// The last `f64` computed.
    pub(crate) f64: f64,
    /// The last `f32` computed.
    pub(crate) f32: f32,
}

/// What comes after an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The operation that `ip` points to.
    Next,
    /// The fast tier stops.
    Leave(Reason),
}

/// Why the fast tier stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A branch, call or return was made and the steps left do not suffice: `ip` is its target.
    Fuel,
    /// The operation at `ip` was not executed: it would trap, or the other tier knows it better.
    Before,
    /// A function was called that is not compiled: `ip` is its stub.
    Stub,
}

/// An operation.
pub(crate) trait Op {
    /// Its words, the handler's included.
    const WORDS: usize = 2;

    /// Executes it and leaves `ip` at the next one.
    ///
    /// # Safety
    /// `regs` are those of running code (see [`super::enter`]): `ip` points to an operation of this
    /// kind in compiled code, and the slots that it names lie in the frame.
    unsafe fn run(regs: &mut Regs) -> Flow;
}

impl Regs {
    /// A half-word of the word behind the handler's.
    #[inline(always)]
    pub(crate) unsafe fn half(&self, index: usize) -> u16 {
        // SAFETY: the operation at `ip` has a first operand word.
        unsafe { self.ip.add(1).cast::<u16>().add(index).read() }
    }

    /// A 32-bit operand: half-words 2 and 3.
    #[inline(always)]
    pub(crate) unsafe fn high(&self) -> u32 {
        // SAFETY: the operation at `ip` has a first operand word.
        unsafe { self.ip.add(1).cast::<u32>().add(1).read() }
    }

    /// A whole operand word.
    #[inline(always)]
    pub(crate) unsafe fn word(&self, index: usize) -> u64 {
        // SAFETY: the caller asks for a word that its operation has.
        unsafe { self.ip.add(index).read() }
    }

    /// Reads a slot.
    #[inline(always)]
    pub(crate) unsafe fn slot(&self, slot: u16) -> u64 {
        // SAFETY: slots in compiled code lie in the frame, which is on the stack.
        unsafe { self.fp().byte_add(usize::from(slot)).read() }
    }

    /// Writes a slot.
    #[inline(always)]
    pub(crate) unsafe fn set_slot(&mut self, slot: u16, cell: u64) {
        // SAFETY: as for `slot`.
        unsafe { self.fp().byte_add(usize::from(slot)).write(cell) }
    }

    /// Goes on behind this operation of `words` words.
    #[inline(always)]
    pub(crate) unsafe fn advance(&mut self, words: usize) -> Flow {
        // SAFETY: code never ends with an operation that goes on behind itself.
        self.ip = unsafe { self.ip.add(words) };
        Flow::Next
    }

    /// Takes a branch whose distance (in bytes) and step delta are the words from `at` on.
    #[inline(always)]
    pub(crate) unsafe fn branch(&mut self, at: usize) -> Flow {
        // SAFETY: the operation has these words, and its target is an operation of the same code.
        unsafe {
            let delta = self.word(at + 1) as isize;
            self.ip = self.ip.byte_offset(self.word(at) as isize);
            self.pay(delta)
        }
    }

    /// Accounts for a transfer that was made: stops if the steps left do not suffice.
    #[inline(always)]
    pub(crate) unsafe fn pay(&mut self, delta: isize) -> Flow {
        // SAFETY: code is running.
        let bank = unsafe { self.bank_mut() };
        bank.fuel = bank.fuel.wrapping_sub(delta);
        if bank.fuel < 0 {
            core::hint::cold_path();
            return Flow::Leave(Reason::Fuel);
        }
        Flow::Next
    }
}

/// A type of number as operations handle it: its accumulator and its constants.
pub(crate) trait Number: crate::num::Number {
    /// Words of an operation with a constant of this type, the handler's included.
    const CONST_WORDS: usize;
    /// Its accumulator.
    ///
    /// # Safety
    /// Code is running.
    unsafe fn acc(regs: &Regs) -> Self;
    /// Sets its accumulator.
    ///
    /// # Safety
    /// Code is running.
    unsafe fn set_acc(self, regs: &mut Regs);
    /// The constant among the operands.
    ///
    /// # Safety
    /// The operation at `ip` has a constant of this type.
    unsafe fn constant(regs: &Regs) -> Self;
}

macro_rules! number {
    ($ty:ty, $words:literal, |$from:ident| $acc:expr, |$regs:ident, $value:ident| $set:expr, |$at:ident| $constant:expr) => {
        impl Number for $ty {
            const CONST_WORDS: usize = $words;
            #[inline(always)]
            #[allow(unused_unsafe)] // Not all accumulators may be in memory.
            unsafe fn acc($from: &Regs) -> Self {
                // SAFETY: code is running.
                unsafe { $acc }
            }
            #[inline(always)]
            #[allow(unused_unsafe)]
            unsafe fn set_acc(self, $regs: &mut Regs) {
                let $value = self;
                // SAFETY: code is running.
                unsafe { $set }
            }
            #[inline(always)]
            unsafe fn constant($at: &Regs) -> Self {
                // SAFETY: the operation at `ip` has a constant of this type.
                unsafe { $constant }
            }
        }
    };
}

number!(
    i32,
    2,
    |regs| regs.acc as i32,
    |regs, value| regs.acc = value as u32 as usize,
    |regs| regs.high() as i32
);
number!(
    i64,
    3,
    |regs| if size_of::<Word>() == 8 {
        regs.acc as i64
    } else {
        regs.bank().f64.to_bits() as i64
    },
    |regs, value| if size_of::<Word>() == 8 {
        regs.acc = value as usize;
    } else {
        regs.bank_mut().f64 = f64::from_bits(value as u64);
    },
    |regs| regs.word(2) as i64
);
number!(
    f32,
    2,
    |regs| regs.bank().f32,
    |regs, value| regs.bank_mut().f32 = value,
    |regs| f32::from_bits(regs.high())
);
number!(
    f64,
    3,
    |regs| regs.bank().f64,
    |regs, value| regs.bank_mut().f64 = value,
    |regs| f64::from_bits(regs.word(2))
);

/// Where an operand comes from.
pub(crate) trait Source {
    /// True if it is a constant among the operands.
    const CONSTANT: bool = false;

    /// Reads it.
    ///
    /// # Safety
    /// The operation at `ip` has such an operand.
    unsafe fn read<T: Number>(regs: &Regs) -> T;
}

/// A slot, named by this half-word.
pub(crate) struct Slot<const HALF: usize>;
/// The accumulator of the operand's type.
pub(crate) struct Acc;
/// A constant.
pub(crate) struct Const;
/// Zero: what the base of an access at a constant address is.
pub(crate) struct Zero;

impl<const HALF: usize> Source for Slot<HALF> {
    #[inline(always)]
    unsafe fn read<T: Number>(regs: &Regs) -> T {
        // SAFETY: the caller promises the operand.
        T::from_cell(unsafe { regs.slot(regs.half(HALF)) })
    }
}

impl Source for Zero {
    #[inline(always)]
    unsafe fn read<T: Number>(_: &Regs) -> T {
        T::from_cell(0)
    }
}

impl Source for Acc {
    #[inline(always)]
    unsafe fn read<T: Number>(regs: &Regs) -> T {
        // SAFETY: code is running.
        unsafe { T::acc(regs) }
    }
}

impl Source for Const {
    const CONSTANT: bool = true;

    #[inline(always)]
    unsafe fn read<T: Number>(regs: &Regs) -> T {
        // SAFETY: the caller promises the operand.
        unsafe { T::constant(regs) }
    }
}

/// Where a result goes: to the accumulator of its type, and perhaps to a slot as well.
pub(crate) trait Dest {
    /// Writes it.
    ///
    /// # Safety
    /// The operation at `ip` names the slot.
    unsafe fn write<T: Number>(regs: &mut Regs, value: T);
}

/// The accumulator alone.
pub(crate) struct ToAcc;
/// The accumulator and a slot.
pub(crate) struct ToSlot;

impl Dest for ToAcc {
    #[inline(always)]
    unsafe fn write<T: Number>(regs: &mut Regs, value: T) {
        // SAFETY: code is running.
        unsafe { value.set_acc(regs) };
    }
}

impl Dest for ToSlot {
    #[inline(always)]
    unsafe fn write<T: Number>(regs: &mut Regs, value: T) {
        // SAFETY: the caller promises the slot.
        unsafe {
            regs.set_slot(regs.half(0), value.to_cell());
            value.set_acc(regs);
        }
    }
}

/// Words of an operation with constants of type `T` if one of its sources is a constant.
pub(crate) const fn words<T: Number, L: Source, R: Source>() -> usize {
    if L::CONSTANT || R::CONSTANT {
        T::CONST_WORDS
    } else {
        2
    }
}
