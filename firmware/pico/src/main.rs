//! Borges on an RP2040, the Raspberry Pi Pico's chip.
//!
//! The same binary runs on silicon and in `rp2040js`.
#![no_std]
#![no_main]

extern crate alloc;

mod chip;
mod flash;
mod line;
#[cfg(feature = "usb")]
mod usb;

use alloc::boxed::Box;
use core::mem::MaybeUninit;
use core::panic::PanicInfo;
use core::ptr::addr_of_mut;

use borges_firmware::{Measures, keep_last_words, serve, start};

use crate::chip::Rp2040;

const MEASURES: Measures = Measures {
    name: "RP2040",
    program_bytes: 48 * 1024,
    memory_bytes: 64 * 1024,
    code_bytes: if cfg!(feature = "fast") { 32 * 1024 } else { 0 },
    trace_bytes: 4096,
    slice: 5000,
};

/// What the stub, the program and the program's memory share.
static mut HEAP_MEMORY: [MaybeUninit<u8>; 200 * 1024] = [MaybeUninit::uninit(); _];

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: called once, before the first allocation; nothing else names the heap's memory.
    let last_words = unsafe { start(addr_of_mut!(HEAP_MEMORY), MEASURES.memory_bytes) };
    let (chip, flash) = Rp2040::start();
    serve(chip, MEASURES, Some(Box::new(flash)), last_words)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    keep_last_words(info);
    chip::restart()
}
