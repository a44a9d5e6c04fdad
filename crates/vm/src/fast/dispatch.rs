//! From one operation to the next: by tail calls where the compiler surely makes them, otherwise by
//! a loop around a `match`. Both are generated from the table of operations.
#![allow(unsafe_code)]

use super::cx::{Cx, Stopped};
use super::op::control::*;
use super::op::memory::*;
use super::op::numeric::*;
use super::op::*;

pub(crate) use imp::{Passed, execute, handler_word};

/// Handlers end by calling the next one. LLVM makes such calls jumps ("sibling calls") when
/// optimising, on the targets that the build script lists; the stack does not grow.
#[cfg(all(borges_tail_calls, not(debug_assertions), not(miri)))]
mod imp {
    use super::*;

    /// What handlers pass on beside the registers that they pass on in any case.
    pub(crate) type Passed = Bank;

    impl Regs {
        /// The other registers.
        ///
        /// # Safety
        /// Code is running.
        #[inline(always)]
        pub(crate) unsafe fn bank(&self) -> &Bank {
            &self.passed
        }

        /// As [`Regs::bank`], to change them.
        ///
        /// # Safety
        /// Code is running.
        #[inline(always)]
        pub(crate) unsafe fn bank_mut(&mut self) -> &mut Bank {
            &mut self.passed
        }
    }

    /// Reasons to leave, as functions can be made of them.
    const REASONS: [Reason; 3] = [Reason::Fuel, Reason::Before, Reason::Stub];
    const FUEL: usize = 0;
    const BEFORE: usize = 1;
    const STUB: usize = 2;

    macro_rules! handlers {
        ($(($code:pat, $op:ty))*) => {
            static HANDLERS: [Handler; OPS] = [$(handler::<$op>),*];
        };
    }
    op_table!(every_op handlers);

    /// The word that code has in front of an operation.
    pub(crate) fn handler_word(code: Code) -> u64 {
        HANDLERS[usize::from(code.0)] as usize as u64
    }

    /// The handler of the operation at `ip`.
    #[inline(always)]
    unsafe fn handler_at(ip: *const u64) -> Handler {
        // SAFETY: operations begin with the address of their handler.
        unsafe { core::mem::transmute::<usize, Handler>(*ip as usize) }
    }

    macro_rules! handler_fn {
        ($abi:literal) => {
            type Handler = unsafe extern $abi fn(*const u64, *mut u64, *mut u8, usize, *mut Cx, isize, f64, f32);

            // The accumulator is the fourth argument, which x86-64 passes in `rcx`: there shifts
            // want their count, and the accumulator is about to be overwritten anyway.
            unsafe extern $abi fn handler<O: Op>(
                ip: *const u64,
                fp: *mut u64,
                mem: *mut u8,
                acc: usize,
                cx: *mut Cx,
                fuel: isize,
                f64: f64,
                f32: f32,
            ) {
                let mut regs = Regs { ip, acc, cx, passed: Bank { fp, mem, fuel, f64, f32 } };
                // SAFETY: code holds handlers of the operations that follow, and `execute`'s caller
                // promised the rest.
                unsafe {
                    let flow = O::run(&mut regs);
                    let Regs { ip, acc, cx, passed: Bank { fp, mem, fuel, f64, f32 } } = regs;
                    match flow {
                        Flow::Next => handler_at(ip)(ip, fp, mem, acc, cx, fuel, f64, f32),
                        Flow::Leave(Reason::Fuel) => leave::<FUEL>(ip, fp, mem, acc, cx, fuel, f64, f32),
                        Flow::Leave(Reason::Before) => leave::<BEFORE>(ip, fp, mem, acc, cx, fuel, f64, f32),
                        Flow::Leave(Reason::Stub) => leave::<STUB>(ip, fp, mem, acc, cx, fuel, f64, f32),
                    }
                }
            }

            /// Where all code ends.
            #[cold]
            #[inline(never)]
            unsafe extern $abi fn leave<const REASON: usize>(
                ip: *const u64,
                fp: *mut u64,
                mem: *mut u8,
                acc: usize,
                cx: *mut Cx,
                fuel: isize,
                f64: f64,
                f32: f32,
            ) {
                let bank = Bank { fp, mem, fuel, f64, f32 };
                // SAFETY: `cx` is valid while code runs.
                unsafe { (*cx).stopped = Some(Stopped { reason: REASONS[REASON], ip, acc, bank }) }
            }
        };
    }

    #[cfg(target_arch = "x86_64")]
    handler_fn!("sysv64");
    #[cfg(not(target_arch = "x86_64"))]
    handler_fn!("C");

    /// Executes code until it leaves; `cx.stopped` tells where and why.
    ///
    /// # Safety
    /// `ip` and `cx` satisfy what [`Op::run`] demands, and `cx` is valid for the whole run.
    pub(crate) unsafe fn execute(ip: *const u64, acc: usize, cx: *mut Cx) {
        // SAFETY: as the caller promises.
        unsafe {
            let Bank {
                fp,
                mem,
                fuel,
                f64,
                f32,
            } = (*cx).bank;
            handler_at(ip)(ip, fp, mem, acc, cx, fuel, f64, f32);
        }
    }
}

/// One loop; operations begin with their number. Only the next operation and the accumulator are in
/// machine registers for certain, of which small machines have few: all else is in [`Cx`].
///
/// Left to itself LLVM merges what operations have in common at their ends, and each takes two or
/// three jumps to the next one. An assembler comment that is different in each makes the ends unlike,
/// and LLVM gives every operation a dispatch of its own: 1.5 times as fast, and larger. The build
/// script decides which it is.
#[cfg(not(all(borges_tail_calls, not(debug_assertions), not(miri))))]
mod imp {
    use super::*;

    /// Nothing is passed on: the other registers are in [`Cx`].
    pub(crate) type Passed = ();

    impl Regs {
        /// The other registers.
        ///
        /// # Safety
        /// Code is running.
        #[inline(always)]
        pub(crate) unsafe fn bank(&self) -> &Bank {
            // SAFETY: `cx` is valid while code runs.
            unsafe { &(*self.cx).bank }
        }

        /// As [`Regs::bank`], to change them.
        ///
        /// # Safety
        /// Code is running.
        #[inline(always)]
        pub(crate) unsafe fn bank_mut(&mut self) -> &mut Bank {
            // SAFETY: `cx` is valid while code runs.
            unsafe { &mut (*self.cx).bank }
        }
    }

    /// The word that code has in front of an operation.
    pub(crate) fn handler_word(code: Code) -> u64 {
        u64::from(code.0)
    }

    #[cfg(all(borges_dispatch_everywhere, not(miri)))]
    macro_rules! run {
        ($op:ty, $regs:ident) => {{
            let flow = <$op as Op>::run(&mut $regs);
            if flow == Flow::Next {
                core::arch::asm!(
                    concat!("/* ", stringify!($op), " */"),
                    options(nomem, nostack, preserves_flags)
                );
            }
            flow
        }};
    }

    #[cfg(not(all(borges_dispatch_everywhere, not(miri))))]
    macro_rules! run {
        ($op:ty, $regs:ident) => {
            <$op as Op>::run(&mut $regs)
        };
    }

    macro_rules! interpreter {
        ($(($code:pat, $op:ty))*) => {
            /// Executes code until it leaves; `cx.stopped` tells where and why.
            ///
            /// # Safety
            /// `ip` and `cx` satisfy what [`Op::run`] demands, and `cx` is valid for the whole run.
            pub(crate) unsafe fn execute(ip: *const u64, acc: usize, cx: *mut Cx) {
                let mut regs = Regs { ip, acc, cx, passed: () };
                // SAFETY: code holds the numbers of the operations that follow, and the caller
                // promised the rest.
                unsafe {
                    let reason = loop {
                        let flow = match *regs.ip as u16 {
                            $($code => run!($op, regs),)*
                            _ => core::hint::unreachable_unchecked(),
                        };
                        if let Flow::Leave(reason) = flow {
                            core::hint::cold_path();
                            break reason;
                        }
                    };
                    let Regs { ip, acc, .. } = regs;
                    (*cx).stopped = Some(Stopped { reason, ip, acc, bank: (*cx).bank });
                }
            }
        };
    }
    op_table!(every_op interpreter);
}
