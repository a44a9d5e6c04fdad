//! What measurements share: the heap, and marks on the serial line of the RP2040 that `tools/count.js` looks for.

use core::mem::MaybeUninit;
use core::panic::PanicInfo;
use core::ptr::addr_of_mut;

/// The data register of the first serial line.
const LINE: *mut u32 = 0x4003_4000 as *mut u32;

static mut HEAP_MEMORY: [MaybeUninit<u8>; 220 * 1024] = [MaybeUninit::uninit(); _];

/// Makes the heap. Call it once, first.
pub fn start() {
    // SAFETY: called once, before the first allocation; nothing else names the heap's memory.
    let _no_last_words = unsafe { borges_firmware::start(addr_of_mut!(HEAP_MEMORY)) };
}

/// What follows counts, up to [`end`].
pub fn begin() {
    send(b'(');
}

/// What follows does not count, up to [`begin`].
pub fn end() {
    send(b')');
}

/// Ends one measurement, with two numbers that belong to it.
pub fn result(number: u32, steps: u64) {
    send(b'=');
    number.to_le_bytes().into_iter().for_each(send);
    steps.to_le_bytes().into_iter().for_each(send);
}

/// All measurements are done.
pub fn stop() -> ! {
    send(b'.');
    rest()
}

fn send(byte: u8) {
    // SAFETY: it is that register, and nothing else uses it.
    unsafe { LINE.write_volatile(u32::from(byte)) };
}

fn rest() -> ! {
    loop {
        cortex_m::asm::nop();
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    send(b'!');
    rest()
}
