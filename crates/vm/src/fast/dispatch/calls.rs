//! Handlers end by calling the next one. LLVM makes such calls jumps ("sibling calls") when
//! optimising, on the targets that the build script lists; the stack does not grow.

use super::*;

/// What handlers pass on besides: the frame's first slot, and the bank where there are registers for it.
#[derive(Clone, Copy)]
pub(crate) struct Passed {
    fp: *mut u64,
    #[cfg(target_pointer_width = "64")]
    bank: Bank,
}

impl Passed {
    fn of(cx: &Cx) -> Passed {
        Passed {
            fp: cx.fp,
            #[cfg(target_pointer_width = "64")]
            bank: cx.bank,
        }
    }
}

impl Regs {
    /// The frame's first slot.
    ///
    /// # Safety
    /// Code is running.
    #[inline(always)]
    pub(crate) unsafe fn fp(&self) -> *mut u64 {
        self.passed.fp
    }

    /// Goes on with another frame.
    ///
    /// # Safety
    /// Code is running, and this is the first slot of one of its frames.
    #[inline(always)]
    pub(crate) unsafe fn set_fp(&mut self, fp: *mut u64) {
        self.passed.fp = fp;
    }

    /// The registers that fewer operations use.
    ///
    /// # Safety
    /// Code is running.
    #[inline(always)]
    pub(crate) unsafe fn bank(&self) -> &Bank {
        #[cfg(target_pointer_width = "64")]
        return &self.passed.bank;
        // SAFETY: `cx` is valid while code runs.
        #[cfg(not(target_pointer_width = "64"))]
        unsafe {
            &(*self.cx).bank
        }
    }

    /// As [`Regs::bank`], to change them.
    ///
    /// # Safety
    /// Code is running.
    #[inline(always)]
    pub(crate) unsafe fn bank_mut(&mut self) -> &mut Bank {
        #[cfg(target_pointer_width = "64")]
        return &mut self.passed.bank;
        // SAFETY: `cx` is valid while code runs.
        #[cfg(not(target_pointer_width = "64"))]
        unsafe {
            &mut (*self.cx).bank
        }
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

/// Defines the handlers: their ABI, their arguments, and the registers that these are.
macro_rules! handler_fn {
    ($abi:literal, ($($arg:ident: $ty:ty),*), $fields:tt) => {
        type Handler = unsafe extern $abi fn($($ty),*);

        unsafe extern $abi fn handler<O: Op>($($arg: $ty),*) {
            let mut regs = Regs $fields;
            // SAFETY: code holds handlers of the operations that follow, and `execute`'s caller
            // promised the rest.
            unsafe {
                let flow = O::run(&mut regs);
                let next = regs.ip;
                let Regs $fields = regs;
                match flow {
                    Flow::Next => handler_at(next)($($arg),*),
                    Flow::Leave(Reason::Fuel) => leave::<FUEL>($($arg),*),
                    Flow::Leave(Reason::Before) => leave::<BEFORE>($($arg),*),
                    Flow::Leave(Reason::Stub) => leave::<STUB>($($arg),*),
                }
            }
        }

        /// Where all code ends.
        #[cold]
        #[inline(never)]
        unsafe extern $abi fn leave<const REASON: usize>($($arg: $ty),*) {
            let regs = Regs $fields;
            let (reason, ip, acc) = (REASONS[REASON], regs.ip, regs.acc);
            // SAFETY: `cx` is valid while code runs.
            unsafe {
                let (fp, bank) = (regs.fp(), *regs.bank());
                (*regs.cx).stopped = Some(Stopped { reason, ip, acc, fp, bank });
            }
        }

        /// Executes code until it leaves; `cx.stopped` tells where and why.
        ///
        /// # Safety
        /// `ip` and `cx` satisfy what [`Op::run`] demands, and `cx` is valid for the whole run.
        pub(crate) unsafe fn execute(ip: *const u64, acc: usize, cx: *mut Cx) {
            // SAFETY: as the caller promises.
            unsafe {
                let Regs $fields = Regs { ip, acc, cx, passed: Passed::of(&*cx) };
                handler_at(ip)($($arg),*);
            }
        }
    };
}

// The accumulator is the fourth argument, which x86-64 passes in `rcx`: there shifts want their
// count, and the accumulator is about to be overwritten anyway.
#[cfg(target_arch = "x86_64")]
handler_fn!(
    "sysv64",
    (ip: *const u64, fp: *mut u64, mem: *mut u8, acc: usize, cx: *mut Cx, fuel: isize, f64: f64, f32: f32),
    { ip, acc, cx, passed: Passed { fp, bank: Bank { mem, fuel, f64, f32 } } }
);
#[cfg(target_arch = "aarch64")]
handler_fn!(
    "C",
    (ip: *const u64, fp: *mut u64, mem: *mut u8, acc: usize, cx: *mut Cx, fuel: isize, f64: f64, f32: f32),
    { ip, acc, cx, passed: Passed { fp, bank: Bank { mem, fuel, f64, f32 } } }
);
// Only four arguments are in registers, and with others in memory LLVM makes no jumps.
#[cfg(target_arch = "arm")]
handler_fn!(
    "C",
    (ip: *const u64, fp: *mut u64, acc: usize, cx: *mut Cx),
    { ip, acc, cx, passed: Passed { fp } }
);
