//! What comes before everything else: the heap, and what was said before the last reboot.

use alloc::string::String;
use core::mem::MaybeUninit;
use core::panic::PanicInfo;
use core::ptr::addr_of_mut;

use crate::heap::Heap;
use crate::last_words::LastWords;

#[global_allocator]
static HEAP: Heap = Heap::empty();

/// Survives a reboot.
#[unsafe(link_section = ".uninit.last_words")]
static mut LAST_WORDS: MaybeUninit<LastWords> = LastWords::nowhere();

/// Makes the heap, which the stub, the program and the program's memory share; the memory is so many bytes at most. What the
/// firmware said when it failed before this start, if it did.
///
/// # Safety
/// Call it once, before the first allocation; nothing else may use the memory.
pub unsafe fn start(heap: *mut [MaybeUninit<u8>], memory_bytes: u32) -> Option<String> {
    // SAFETY: the caller gives the memory away, and nothing was allocated yet.
    unsafe { HEAP.start(heap, memory_bytes as usize) };
    // SAFETY: it is used here, before anything else runs, and by a panic, after which nothing else runs.
    unsafe { LastWords::take(&mut *addr_of_mut!(LAST_WORDS)) }
}

/// Keeps what a panic says over the reboot that must follow.
pub fn keep_last_words(info: &PanicInfo<'_>) {
    cortex_m::interrupt::disable();
    // SAFETY: with interrupts off, nothing else runs any more.
    let place = unsafe { &mut *addr_of_mut!(LAST_WORDS) };
    LastWords::keep(place, format_args!("{info}"));
}
