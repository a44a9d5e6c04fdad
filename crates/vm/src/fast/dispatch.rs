//! From one operation to the next: by tail calls where the compiler surely makes them, otherwise by
//! a loop around a `match`. Both are generated from the table of operations.
#![allow(unsafe_code)]

use super::op::{Code, Regs};

/// The word that code has in front of an operation.
pub(crate) fn handler_word(code: Code) -> u64 {
    imp::handler_word(code)
}

/// Executes code until it leaves; `cx.stopped` tells where and why.
///
/// # Safety
/// `regs` satisfy what [`super::op::Op::run`] demands, and `cx` is valid for the whole run.
pub(crate) unsafe fn execute(regs: Regs) {
    // SAFETY: as the caller promises.
    unsafe { imp::execute(regs) }
}

/// Handlers end by calling the next one. LLVM makes such calls jumps ("sibling calls") when
/// optimising, on the targets that the build script lists; the stack does not grow.
#[cfg(all(borges_tail_calls, not(debug_assertions), not(miri)))]
mod imp {
    use super::super::cx::Cx;
    use super::super::op::control::*;
    use super::super::op::memory::*;
    use super::super::op::numeric::*;
    use super::super::op::*;

    macro_rules! handler_fn {
        ($abi:literal) => {
            type Handler = unsafe extern $abi fn(*const u64, *mut u64, *mut u8, u64, *mut Cx, i64, f64, f32);

            // The accumulator is the fourth argument, which x86-64 passes in `rcx`: there shifts
            // want their count, and the accumulator is about to be overwritten anyway.
            unsafe extern $abi fn handler<O: Op>(
                ip: *const u64,
                fp: *mut u64,
                mem: *mut u8,
                acc: u64,
                cx: *mut Cx,
                fuel: i64,
                f64: f64,
                f32: f32,
            ) {
                let mut regs = Regs { ip, fp, mem, acc, cx, fuel, f64, f32 };
                // SAFETY: code holds handlers of the operations that follow, and `execute`'s caller
                // promised the rest.
                unsafe {
                    match O::run(&mut regs) {
                        Flow::Next => next(regs),
                        Flow::Leave(reason) => {
                            core::hint::cold_path();
                            (*cx).reason = reason;
                            leave(regs.ip, regs.fp, regs.mem, regs.acc, regs.cx, regs.fuel, regs.f64, regs.f32)
                        }
                    }
                }
            }

            /// Where all code ends.
            #[cold]
            #[inline(never)]
            unsafe extern $abi fn leave(
                ip: *const u64,
                fp: *mut u64,
                mem: *mut u8,
                acc: u64,
                cx: *mut Cx,
                fuel: i64,
                f64: f64,
                f32: f32,
            ) {
                // SAFETY: `cx` is valid while code runs.
                unsafe { (*cx).stopped = Some(Regs { ip, fp, mem, acc, cx, fuel, f64, f32 }) }
            }
        };
    }

    #[cfg(target_arch = "x86_64")]
    handler_fn!("sysv64");
    #[cfg(not(target_arch = "x86_64"))]
    handler_fn!("C");

    /// Calls the handler of the operation at `ip`.
    #[inline(always)]
    unsafe fn next(regs: Regs) {
        // SAFETY: operations begin with the address of their handler.
        unsafe {
            let handler: Handler = core::mem::transmute::<usize, Handler>(*regs.ip as usize);
            handler(
                regs.ip, regs.fp, regs.mem, regs.acc, regs.cx, regs.fuel, regs.f64, regs.f32,
            );
        }
    }

    pub(super) unsafe fn execute(regs: Regs) {
        // SAFETY: as the caller promises.
        unsafe { next(regs) }
    }

    macro_rules! handlers {
        ($(($code:pat, $op:ty))*) => {
            static HANDLERS: [Handler; OPS] = [$(handler::<$op>),*];
        };
    }
    op_table!(every_op handlers);

    pub(super) fn handler_word(code: Code) -> u64 {
        HANDLERS[usize::from(code.0)] as usize as u64
    }
}

/// One loop; operations begin with their number.
///
/// Left to itself LLVM merges what operations have in common at their ends, and each takes two or
/// three jumps to the next one. An assembler comment that is different in each makes the ends unlike,
/// and LLVM gives every operation a dispatch of its own: 1.5 times as fast, and larger. The build
/// script decides which it is.
#[cfg(not(all(borges_tail_calls, not(debug_assertions), not(miri))))]
mod imp {
    use super::super::op::control::*;
    use super::super::op::memory::*;
    use super::super::op::numeric::*;
    use super::super::op::*;

    pub(super) fn handler_word(code: Code) -> u64 {
        u64::from(code.0)
    }

    #[cfg(all(borges_dispatch_everywhere, not(miri)))]
    macro_rules! unlike_others {
        ($op:ty) => {
            core::arch::asm!(
                concat!("/* ", stringify!($op), " */"),
                options(nomem, nostack, preserves_flags)
            )
        };
    }

    #[cfg(not(all(borges_dispatch_everywhere, not(miri))))]
    macro_rules! unlike_others {
        ($op:ty) => {};
    }

    macro_rules! interpreter {
        ($(($code:pat, $op:ty))*) => {
            pub(super) unsafe fn execute(start: Regs) {
                // Taken apart and put together again, the registers are local variables and not
                // memory that the argument points to. Were `f32` copied with the rest, the padding
                // behind it would take a machine register all the while.
                let Regs { ip, fp, mem, acc, cx, fuel, f64, f32 } = start;
                let f32 = core::hint::black_box(f32);
                let mut regs = Regs { ip, fp, mem, acc, cx, fuel, f64, f32 };
                // SAFETY: code holds the numbers of the operations that follow, and the caller
                // promised the rest.
                unsafe {
                    let reason = loop {
                        let flow = match *regs.ip as u16 {
                            $($code => {
                                let flow = <$op as Op>::run(&mut regs);
                                if flow == Flow::Next {
                                    unlike_others!($op);
                                }
                                flow
                            })*
                            _ => core::hint::unreachable_unchecked(),
                        };
                        if let Flow::Leave(reason) = flow {
                            core::hint::cold_path();
                            break reason;
                        }
                    };
                    (*cx).reason = reason;
                    (*cx).stopped = Some(regs);
                }
            }
        };
    }
    op_table!(every_op interpreter);
}
