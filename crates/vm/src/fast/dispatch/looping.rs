//! One loop; operations begin with their number. Only the next operation and the accumulator are in
//! machine registers for certain, of which small machines have few: all else is in [`Cx`].
//!
//! Left to itself LLVM merges what operations have in common at their ends, and each takes two or
//! three jumps to the next one. An assembler comment that is different in each makes the ends unlike,
//! and LLVM gives every operation a dispatch of its own: 1.5 times as fast, and larger. The build
//! script decides which it is.

use super::*;

/// Nothing is passed on: the other registers are in [`Cx`].
pub(crate) type Passed = ();

impl Regs {
    /// The frame's first slot.
    ///
    /// # Safety
    /// Code is running.
    #[inline(always)]
    pub(crate) unsafe fn fp(&self) -> *mut u64 {
        // SAFETY: `cx` is valid while code runs.
        unsafe { (*self.cx).fp }
    }

    /// Goes on with another frame.
    ///
    /// # Safety
    /// Code is running, and this is the first slot of one of its frames.
    #[inline(always)]
    pub(crate) unsafe fn set_fp(&mut self, fp: *mut u64) {
        // SAFETY: `cx` is valid while code runs.
        unsafe { (*self.cx).fp = fp };
    }

    /// The registers that fewer operations use.
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
                let Regs { ip, acc, passed: (), .. } = regs;
                let (fp, bank) = ((*cx).fp, (*cx).bank);
                (*cx).stopped = Some(Stopped { reason, ip, acc, fp, bank });
            }
        }
    };
}
op_table!(every_op interpreter);
