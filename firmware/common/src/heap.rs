//! The heap: what comes and goes in an order that nobody knows.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::RefCell;
use core::mem::MaybeUninit;
use core::ptr::{NonNull, null_mut};

use critical_section::Mutex;
use linked_list_allocator::Heap as Part;

/// Blocks of so many bytes are large: the memory of a program is one, no message is.
const LARGE: usize = 32 << 10;

/// What addresses and sizes of blocks are multiples of.
const WORD: usize = align_of::<usize>();

/// A heap whose upper end is for large blocks: a program's memory fits there again, wherever what is small and outlived the
/// program has come to lie. Each kind of block takes the other's part where its own is full.
pub(crate) struct Heap {
    /// For small blocks, and above it for large ones.
    parts: Mutex<RefCell<[Part; 2]>>,
}

impl Heap {
    pub(crate) const fn empty() -> Self {
        Self {
            parts: Mutex::new(RefCell::new([Part::empty(), Part::empty()])),
        }
    }

    /// Makes the heap, with a place for one block of `largest` bytes at its end.
    ///
    /// # Safety
    /// Call it once, before the first allocation; nothing else may use the memory.
    pub(crate) unsafe fn start(&self, memory: *mut [MaybeUninit<u8>], largest: usize) {
        let start = memory as *mut u8;
        // Aligned, or else the place would be too short for what it is for.
        let below = (start as usize + memory.len() - largest) / WORD * WORD - start as usize;
        critical_section::with(|cs| {
            let [small, large] = &mut *self.parts.borrow_ref_mut(cs);
            // SAFETY: the caller gives the memory away, and the parts do not overlap.
            unsafe {
                small.init(start, below);
                large.init(start.add(below), memory.len() - below);
            }
        });
    }
}

// SAFETY: each part keeps the contract, and gets back what it gave.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        critical_section::with(|cs| {
            let [small, large] = &mut *self.parts.borrow_ref_mut(cs);
            let parts = if layout.size() < LARGE {
                [small, large]
            } else {
                [large, small]
            };
            let mut blocks = parts
                .into_iter()
                .map(|part| part.allocate_first_fit(layout));
            blocks
                .find_map(Result::ok)
                .map_or(null_mut(), NonNull::as_ptr)
        })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some(block) = NonNull::new(block) else {
            return;
        };
        critical_section::with(|cs| {
            let [small, large] = &mut *self.parts.borrow_ref_mut(cs);
            let part = if block.as_ptr() < large.bottom() {
                small
            } else {
                large
            };
            // SAFETY: it was allocated, with this layout, in the part in which it lies.
            unsafe { part.deallocate(block, layout) };
        });
    }
}
