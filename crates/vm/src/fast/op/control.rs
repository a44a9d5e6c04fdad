//! Branches, calls, returns; moves between slots; select.

use core::marker::PhantomData;

use super::super::cx::{Call, Cx, Entry};
use super::{Dest, Flow, Number, Op, Reason, Regs, Source, Word};

/// Branches always; distance and delta are words 1 and 2.
pub(crate) struct JumpOp;

impl Op for JumpOp {
    const WORDS: usize = 3;

    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe { regs.branch(1) }
    }
}

/// Branches if an `i32` is not zero or, with `ZERO`, if it is.
pub(crate) struct BranchIfOp<A, const ZERO: bool>(PhantomData<A>);

impl<A: Source, const ZERO: bool> Op for BranchIfOp<A, ZERO> {
    const WORDS: usize = 4;

    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            if (A::read::<i32>(regs) == 0) == ZERO {
                regs.branch(2)
            } else {
                regs.advance(Self::WORDS)
            }
        }
    }
}

/// Branches to the label that an `i32` selects: half-words 2 and 3 are the last one's number;
/// distance and delta of each label follow
/// its own two words.
pub(crate) struct TableOp<A>(PhantomData<A>);

impl<A: Source> Op for TableOp<A> {
    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind; the index is at most the last label's.
        unsafe {
            let index = (A::read::<i32>(regs) as u32).min(regs.high()) as usize;
            let entry = regs.ip.add(2 + 2 * index);
            // Distances are measured from the operation, as everywhere.
            regs.ip = regs.ip.byte_offset(entry.read() as isize);
            regs.pay(entry.add(1).read() as isize)
        }
    }
}

/// Enters a function whose first argument is in the slot `first`.
///
/// # Safety
/// `regs` are those of running code, `entry` is one of its functions, the arguments are in place,
/// and `back` is where the code goes on.
#[inline(always)]
unsafe fn call(
    regs: &mut Regs,
    entry: *const Entry,
    first: u16,
    back: *const u64,
    delta: isize,
) -> Flow {
    // SAFETY: as the caller promises; that the frame fits is checked before anything is written.
    unsafe {
        let cx: &mut Cx = &mut *regs.cx;
        let entry = &*entry;
        let caller = regs.fp();
        let fp = caller.byte_add(usize::from(first));
        if fp as usize + entry.bytes as usize > cx.stack_end || cx.calls == cx.calls_end {
            core::hint::cold_path();
            return Flow::Leave(Reason::Before);
        }
        cx.calls.write(Call {
            ip: back,
            fp: caller,
        });
        cx.calls = cx.calls.add(1);
        let locals = fp.add(usize::from(entry.params));
        for local in 0..usize::from(entry.zeros) {
            // Volatile, or LLVM would call `memset` for the few cells there are.
            locals.add(local).write_volatile(0);
        }
        regs.set_fp(fp);
        regs.ip = entry.ip;
        regs.pay(delta)
    }
}

/// Words of a call.
pub(crate) const CALL_WORDS: usize = 5;

/// Calls a function of the same instance. Half-word 1: the slot of its first argument. Word 2: where
/// the function's entry is among the entries, in bytes. Word 3: the step delta. Word 4: number of the
/// point behind, for who looks at the frames.
pub(crate) struct CallOp;

impl Op for CallOp {
    const WORDS: usize = CALL_WORDS;

    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let entry = (*regs.cx).entries.byte_add(regs.word(2) as usize);
            let back = regs.ip.add(CALL_WORDS);
            let delta = regs.word(3) as isize;
            call(regs, entry, regs.half(1), back, delta)
        }
    }
}

/// The entry of the function at a place in a table, if it may be entered from here.
///
/// # Safety
/// The operation is a call by a place in a table.
#[inline(always)]
unsafe fn in_table<A: Source>(regs: &Regs) -> Option<*const Entry> {
    // SAFETY: as the caller promises; elements are null or addresses of functions, each of which has an entry.
    unsafe {
        let index = A::read::<i32>(regs) as u32 as usize;
        let cx = &*regs.cx;
        let table = cx.tables.add(regs.high() as usize);
        let &cell = (&*table).get(index)?;
        // Entry 0 is that of no function, and of no kind.
        let entry = cx.entries.add(cell as usize);
        ((*entry).kind == regs.word(2)).then_some(entry)
    }
}

/// Calls a function by its place in a table. Half-word 0: the slot of the index. Half-word 1: that
/// of the first argument. Half-words 2 and 3: the table's address. Word 2: the function's
/// [kind](super::super::cx::kind). Words 3 and 4 as for a direct call.
pub(crate) struct CallIndirectOp<A>(PhantomData<A>);

impl<A: Source> Op for CallIndirectOp<A> {
    const WORDS: usize = CALL_WORDS;

    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let Some(entry) = in_table::<A>(regs) else {
                core::hint::cold_path();
                return Flow::Leave(Reason::Before);
            };
            let back = regs.ip.add(CALL_WORDS);
            let delta = regs.word(3) as isize;
            call(regs, entry, regs.half(1), back, delta)
        }
    }
}

/// Enters a function in the place of the one that runs; its first argument is in the slot `first`.
///
/// # Safety
/// `regs` are those of running code, `entry` is one of its functions, and the arguments are in place.
#[inline(always)]
unsafe fn tail_call(regs: &mut Regs, entry: *const Entry, first: u16, delta: isize) -> Flow {
    // SAFETY: as the caller promises; that the frame fits is checked before anything is written. Arguments move down.
    unsafe {
        let entry = &*entry;
        let fp = regs.fp();
        if fp as usize + entry.bytes as usize > (*regs.cx).stack_end {
            core::hint::cold_path();
            return Flow::Leave(Reason::Before);
        }
        let arguments = fp.byte_add(usize::from(first));
        let params = usize::from(entry.params);
        // Volatile, or LLVM would call `memmove` and `memset` for the few cells there are.
        for param in 0..params {
            fp.add(param).write_volatile(arguments.add(param).read());
        }
        for local in params..params + usize::from(entry.zeros) {
            fp.add(local).write_volatile(0);
        }
        regs.ip = entry.ip;
        regs.pay(delta)
    }
}

/// Words of a tail call: those of a call without the last, as nothing comes behind it.
pub(crate) const TAIL_CALL_WORDS: usize = CALL_WORDS - 1;

/// Calls a function of the same instance in the place of the running one; the words are those of [`CallOp`].
pub(crate) struct TailCallOp;

impl Op for TailCallOp {
    const WORDS: usize = TAIL_CALL_WORDS;

    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let entry = (*regs.cx).entries.byte_add(regs.word(2) as usize);
            let delta = regs.word(3) as isize;
            tail_call(regs, entry, regs.half(1), delta)
        }
    }
}

/// As [`TailCallOp`], by the function's place in a table; the words are those of [`CallIndirectOp`].
pub(crate) struct TailCallIndirectOp<A>(PhantomData<A>);

impl<A: Source> Op for TailCallIndirectOp<A> {
    const WORDS: usize = TAIL_CALL_WORDS;

    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let Some(entry) = in_table::<A>(regs) else {
                core::hint::cold_path();
                return Flow::Leave(Reason::Before);
            };
            let delta = regs.word(3) as isize;
            tail_call(regs, entry, regs.half(1), delta)
        }
    }
}

/// Goes back to the caller; the results are in its slots.
#[inline(always)]
unsafe fn back(regs: &mut Regs, delta: isize) -> Flow {
    // SAFETY: the lowest call is that which entered the code; it never returns below.
    unsafe {
        let cx = &mut *regs.cx;
        cx.calls = cx.calls.sub(1);
        let call = cx.calls.read();
        regs.ip = call.ip;
        regs.set_fp(call.fp);
        regs.pay(delta)
    }
}

/// Returns no result, or those that are in place. Word 1: the step delta.
pub(crate) struct ReturnOp;

impl Op for ReturnOp {
    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let delta = regs.word(1) as isize;
            back(regs, delta)
        }
    }
}

/// Returns one result, which is left in the accumulator as well. Half-word 1: its slot. Word 2: the
/// step delta.
pub(crate) struct ReturnValueOp<T, A>(PhantomData<(T, A)>);

impl<T: Number, A: Source> Op for ReturnValueOp<T, A> {
    const WORDS: usize = 3;

    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let value = A::read::<T>(regs);
            regs.set_slot(0, value.to_cell());
            value.set_acc(regs);
            let delta = regs.word(2) as isize;
            back(regs, delta)
        }
    }
}

/// Returns the constant that is word 3. Word 2: the step delta.
pub(crate) struct ReturnConstOp<T>(PhantomData<T>);

impl<T: Number> Op for ReturnConstOp<T> {
    const WORDS: usize = 4;

    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let cell = regs.word(3);
            regs.set_slot(0, cell);
            <T as crate::num::Number>::from_cell(cell).set_acc(regs);
            let delta = regs.word(2) as isize;
            back(regs, delta)
        }
    }
}

/// Moves so many slots down. Half-words 0 and 1: the first to write and to read; 2: how many, in bytes.
pub(crate) struct MoveOp;

impl Op for MoveOp {
    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let (to, from) = (regs.half(0), regs.half(1));
            for cell in (0..regs.half(2)).step_by(size_of::<u64>()) {
                regs.set_slot(to + cell, regs.slot(from + cell));
            }
            regs.advance(Self::WORDS)
        }
    }
}

/// Copies one slot, or two one after the other. Half-words: to, from, to, from.
pub(crate) struct CopyOp<const TWO: bool>;

impl<const TWO: bool> Op for CopyOp<TWO> {
    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            regs.set_slot(regs.half(0), regs.slot(regs.half(1)));
            if TWO {
                regs.set_slot(regs.half(2), regs.slot(regs.half(3)));
            }
            regs.advance(Self::WORDS)
        }
    }
}

/// Writes an accumulator to the slot of half-word 0.
pub(crate) struct PutOp<T>(PhantomData<T>);

impl<T: Number> Op for PutOp<T> {
    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let cell = T::acc(regs).to_cell();
            regs.set_slot(regs.half(0), cell);
            regs.advance(Self::WORDS)
        }
    }
}

/// Writes the cell that is word 2 to the slot of half-word 0.
pub(crate) struct PutConstOp;

impl Op for PutConstOp {
    const WORDS: usize = 3;

    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let cell = regs.word(2);
            regs.set_slot(regs.half(0), cell);
            regs.advance(Self::WORDS)
        }
    }
}

/// The cell that `select` chooses: that of slot 1 or that of slot 2. A condition in a slot is
/// half-word 3.
#[inline(always)]
unsafe fn select<C: Source>(regs: &Regs) -> u64 {
    // SAFETY: the operation is of this kind.
    unsafe {
        let first = regs.slot(regs.half(1));
        let second = regs.slot(regs.half(2));
        if C::read::<i32>(regs) != 0 {
            first
        } else {
            second
        }
    }
}

/// `dest = condition ? slot 1 : slot 2`, for a number that fits the integer accumulator.
pub(crate) struct SelectOp<C, D>(PhantomData<(C, D)>);

impl<C: Source, D: Dest> Op for SelectOp<C, D> {
    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let cell = select::<C>(regs);
            D::write(regs, cell as Word);
            regs.advance(Self::WORDS)
        }
    }
}

/// As [`SelectOp`], for any type and without a trace in the accumulators.
pub(crate) struct SelectCellOp<C>(PhantomData<C>);

impl<C: Source> Op for SelectCellOp<C> {
    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let cell = select::<C>(regs);
            regs.set_slot(regs.half(0), cell);
            regs.advance(Self::WORDS)
        }
    }
}

/// Stops before itself: the other tier executes the instruction.
pub(crate) struct LeaveOp;

impl Op for LeaveOp {
    const WORDS: usize = 1;

    #[inline(always)]
    unsafe fn run(_: &mut Regs) -> Flow {
        Flow::Leave(Reason::Before)
    }
}

/// The stub of a function that is not compiled.
pub(crate) struct StubOp;

impl Op for StubOp {
    const WORDS: usize = 1;

    #[inline(always)]
    unsafe fn run(_: &mut Regs) -> Flow {
        Flow::Leave(Reason::Stub)
    }
}
