//! Borges on an STM32F405.
//!
//! The same binary runs on silicon and in QEMU (`-M netduinoplus2`), which has this chip without its clock controller.
#![no_std]
#![no_main]

extern crate alloc;

mod chip;
mod clock;
mod line;

use core::mem::MaybeUninit;
use core::panic::PanicInfo;
use core::ptr::addr_of_mut;

use borges_firmware::last_words::LastWords;
use borges_firmware::{Measures, serve};
use embedded_alloc::LlffHeap;

use crate::chip::Stm32f405;

/// What the stub, the program and the program's memory share.
const HEAP_BYTES: usize = 112 * 1024;

const MEASURES: Measures = Measures {
    name: "STM32F405",
    program_bytes: 24 * 1024,
    memory_bytes: 64 * 1024,
    trace_bytes: 4096,
    slice: 5000,
};

#[global_allocator]
static HEAP: LlffHeap = LlffHeap::empty();
static mut HEAP_MEMORY: [MaybeUninit<u8>; HEAP_BYTES] = [MaybeUninit::uninit(); HEAP_BYTES];

/// Survives a reboot.
#[unsafe(link_section = ".uninit.last_words")]
static mut LAST_WORDS: MaybeUninit<LastWords> = LastWords::nowhere();

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: called once, before the first allocation; nothing else names the heap's memory.
    unsafe { HEAP.init(addr_of_mut!(HEAP_MEMORY) as usize, HEAP_BYTES) };
    // SAFETY: nothing else has a reference to it while `main` runs; a panic, which ends it, writes to it.
    let last_words = unsafe { LastWords::take(&mut *addr_of_mut!(LAST_WORDS)) };
    serve(Stm32f405::start(), MEASURES, last_words)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    cortex_m::interrupt::disable();
    // SAFETY: with interrupts off, nothing else runs any more.
    let place = unsafe { &mut *addr_of_mut!(LAST_WORDS) };
    LastWords::keep(place, format_args!("{info}"));
    cortex_m::peripheral::SCB::sys_reset()
}
