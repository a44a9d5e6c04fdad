//! An STM32F405 in QEMU with `-icount shift=0`, where an instruction takes a nanosecond: a timer counts them.

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::send;

/// The data register of the first serial line.
pub const LINE: *mut u32 = 0x4001_1004 as *mut u32;

pub const HEAP: usize = 168 * 1024;

/// The counter of the second timer, which QEMU lets run from the beginning, once a nanosecond.
const CLOCK: *const u32 = 0x4000_0024 as *const u32;

/// The time of [`begin`], and what was counted since the last measurement.
static BEGAN: AtomicU32 = AtomicU32::new(0);
static COUNTED: AtomicU32 = AtomicU32::new(0);

/// Makes sure that the timer counts instructions.
pub fn start() {
    const TURNS: u32 = 1000;
    /// What it takes to ask for the time, and to begin the loop.
    const AROUND: u32 = 10;
    begin();
    // SAFETY: it counts a register down.
    unsafe { asm!("2:", "subs {0}, #1", "bne 2b", inout(reg) TURNS => _) };
    end(true);
    let beside = COUNTED.swap(0, Relaxed).wrapping_sub(2 * TURNS);
    assert!(beside <= AROUND, "run it with -icount shift=0");
}

#[inline(always)]
pub fn begin() {
    BEGAN.store(now(), Relaxed);
}

#[inline(always)]
pub fn end(counts: bool) {
    let ran = now().wrapping_sub(BEGAN.load(Relaxed));
    if counts {
        COUNTED.store(COUNTED.load(Relaxed) + ran, Relaxed);
    }
}

/// Sends what was counted for a measurement.
pub fn counted() {
    let counted = COUNTED.swap(0, Relaxed);
    counted.to_le_bytes().into_iter().for_each(send);
}

fn now() -> u32 {
    // SAFETY: it is that register, and reading it changes nothing.
    unsafe { CLOCK.read_volatile() }
}

/// Ends the emulator.
pub fn rest() -> ! {
    const EXIT: u32 = 0x18;
    const ORDINARY: u32 = 0x20026;
    // SAFETY: QEMU takes this breakpoint for a call of semihosting, which does not return.
    unsafe { asm!("bkpt 0xab", in("r0") EXIT, in("r1") ORDINARY, options(noreturn)) };
}
