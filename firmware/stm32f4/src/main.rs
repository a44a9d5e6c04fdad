//! Borges on an STM32F405.
//!
//! The same binary runs on silicon and in QEMU (`-M netduinoplus2`), which has this chip without its clock controller.
#![no_std]
#![no_main]

extern crate alloc;

mod chip;
mod clock;
mod flash;
mod line;

use alloc::boxed::Box;
use core::mem::MaybeUninit;
use core::panic::PanicInfo;
use core::ptr::addr_of_mut;

use borges_firmware::{Measures, keep_last_words, serve, start};

use borges_stub::Flash;

use crate::chip::Stm32f405;
use crate::flash::Sectors;

const MEASURES: Measures = Measures {
    name: "STM32F405",
    program_bytes: 24 * 1024,
    memory_bytes: 64 * 1024,
    code_bytes: 16 * 1024,
    trace_bytes: 4096,
    slice: 5000,
};

/// What the stub, the program and the program's memory share.
static mut HEAP_MEMORY: [MaybeUninit<u8>; 112 * 1024] = [MaybeUninit::uninit(); _];

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: called once, before the first allocation; nothing else names the heap's memory.
    let last_words = unsafe { start(addr_of_mut!(HEAP_MEMORY), MEASURES.memory_bytes) };
    let chip = Stm32f405::start();
    let flash = Sectors::new().map(|sectors| Box::new(sectors) as Box<dyn Flash>);
    serve(chip, MEASURES, flash, last_words)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    keep_last_words(info);
    cortex_m::peripheral::SCB::sys_reset()
}
