//! What measurements share: the heap, and what `tools/count.js` is told on the emulated chip's serial line.

use core::mem::MaybeUninit;
use core::panic::PanicInfo;
use core::ptr::addr_of_mut;

#[cfg(not(target_abi = "eabihf"))]
mod pico;
#[cfg(not(target_abi = "eabihf"))]
use pico as emulator;
#[cfg(target_abi = "eabihf")]
mod stm32f4;
#[cfg(target_abi = "eabihf")]
use stm32f4 as emulator;

/// What follows counts, up to [`end`].
pub use emulator::begin;
/// What follows does not count, up to [`begin`]; nor does what came since, unless it `counts`.
pub use emulator::end;

/// What a program's memory is at most, in bytes: as with the firmware.
pub const MEMORY_BYTES: u32 = 64 << 10;

static mut HEAP_MEMORY: [MaybeUninit<u8>; emulator::HEAP] = [MaybeUninit::uninit(); _];

/// Makes the heap. Call it once, first.
pub fn start() {
    // SAFETY: called once, before the first allocation; nothing else names the heap's memory.
    let _no_last_words = unsafe { borges_firmware::start(addr_of_mut!(HEAP_MEMORY), MEMORY_BYTES) };
    emulator::start();
}

/// Ends one measurement, with two numbers that belong to it.
pub fn result(number: u32, steps: u64) {
    send(b'=');
    number.to_le_bytes().into_iter().for_each(send);
    steps.to_le_bytes().into_iter().for_each(send);
    emulator::counted();
}

/// All measurements are done.
pub fn stop() -> ! {
    send(b'.');
    emulator::rest()
}

fn send(byte: u8) {
    // SAFETY: it is the data register of the first serial line, and nothing else uses it.
    unsafe { emulator::LINE.write_volatile(u32::from(byte)) };
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    send(b'!');
    emulator::rest()
}
