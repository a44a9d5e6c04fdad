//! Loads, stores, bulk memory, globals.

use core::marker::PhantomData;

use super::{Dest, Flow, Number, Op, Reason, Regs, Source};

/// How a load reads memory.
pub(crate) trait Load {
    type Out: Number;
    /// The exponent of its width in bytes.
    const SIZE: usize;
    /// # Safety
    /// That many bytes can be read.
    unsafe fn load(at: *const u8) -> Self::Out;
}

/// How a store writes memory.
pub(crate) trait Store {
    type In: Number;
    /// The exponent of its width in bytes.
    const SIZE: usize;
    /// # Safety
    /// That many bytes can be written.
    unsafe fn store(at: *mut u8, value: Self::In);
}

/// A number that lies on a word's boundary.
#[repr(C, packed(4))]
struct OnWord<T>(T);

/// True if a number there is best read and written by words. Cores without unaligned accesses would
/// do it byte by byte if they did not look first.
#[inline(always)]
fn on_word<T>(at: *const u8) -> bool {
    let boundary = size_of::<T>().min(4);
    cfg!(borges_aligned_accesses) && boundary > 1 && at.addr().is_multiple_of(boundary)
}

/// # Safety
/// So many bytes can be read.
#[inline(always)]
unsafe fn read<T: Copy>(at: *const u8) -> T {
    // SAFETY: as the caller promises.
    unsafe {
        if !on_word::<T>(at) {
            at.cast::<T>().read_unaligned()
        } else if size_of::<T>() < 4 {
            at.cast::<T>().read()
        } else {
            at.cast::<OnWord<T>>().read().0
        }
    }
}

/// # Safety
/// So many bytes can be written.
#[inline(always)]
unsafe fn write<T: Copy>(at: *mut u8, value: T) {
    // SAFETY: as the caller promises.
    unsafe {
        if !on_word::<T>(at) {
            at.cast::<T>().write_unaligned(value);
        } else if size_of::<T>() < 4 {
            at.cast::<T>().write(value);
        } else {
            at.cast::<OnWord<T>>().write(OnWord(value));
        }
    }
}

macro_rules! loads {
    ($($name:ident $raw:ty => $via:ty => $out:ty, $size:literal;)*) => { $(
        pub(crate) struct $name;
        impl Load for $name {
            type Out = $out;
            const SIZE: usize = $size;
            #[inline(always)]
            unsafe fn load(at: *const u8) -> $out {
                // SAFETY: the bytes are there. (The build has the fast tier on little-endian
                // machines only.)
                unsafe { read::<$raw>(at) as $via as $out }
            }
        }
    )* };
}

loads! {
    LoadU8 u8 => u8 => i32, 0;
    LoadU16 u16 => u16 => i32, 1;
    LoadU32 u32 => u32 => i32, 2;
    LoadU64 u64 => u64 => i64, 3;
    LoadS8 i8 => i8 => i32, 0;
    LoadS16 i16 => i16 => i32, 1;
    LoadS8To64 i8 => i8 => i64, 0;
    LoadS16To64 i16 => i16 => i64, 1;
    LoadS32To64 i32 => i32 => i64, 2;
    LoadF32 f32 => f32 => f32, 2;
    LoadF64 f64 => f64 => f64, 3;
}

macro_rules! stores {
    ($($name:ident $in:ty => $raw:ty, $size:literal;)*) => { $(
        pub(crate) struct $name;
        impl Store for $name {
            type In = $in;
            const SIZE: usize = $size;
            #[inline(always)]
            unsafe fn store(at: *mut u8, value: $in) {
                // SAFETY: the bytes are there.
                unsafe { write(at, value as $raw) }
            }
        }
    )* };
}

stores! {
    Store8 i32 => u8, 0;
    Store16 i32 => u16, 1;
    Store32 i32 => u32, 2;
    Store64 i64 => u64, 3;
    StoreF32 f32 => f32, 2;
    StoreF64 f64 => f64, 3;
}

/// Where an access of `1 << size` bytes at `base` plus the operation's offset is, if in bounds.
#[inline(always)]
unsafe fn place(regs: &Regs, base: i32, size: usize) -> Option<*mut u8> {
    // SAFETY: the operation has an offset; `cx` is valid while code runs; below the limit the whole
    // access lies in memory.
    unsafe {
        // Where addresses have 64 bits, nothing is checked here: two of 32 always fit.
        let address = (base as u32 as usize).checked_add(regs.high() as usize);
        match address {
            Some(address) if address < (*regs.cx).ends[size] => Some(regs.bank().mem.add(address)),
            _ => {
                core::hint::cold_path();
                None
            }
        }
    }
}

/// Goes on if an address of 64 bits, or the number of a table's element, has no more than 32.
#[cfg(feature = "host")]
pub(crate) struct NarrowOp<A>(PhantomData<A>);

#[cfg(feature = "host")]
impl<A: Source> Op for NarrowOp<A> {
    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            if A::read::<i64>(regs) as u64 >> 32 != 0 {
                core::hint::cold_path();
                return Flow::Leave(Reason::Before);
            }
            regs.advance(Self::WORDS)
        }
    }
}

/// Notes that so many bytes are written, if code does.
///
/// # Safety
/// Code is running.
#[cfg(feature = "host")]
#[inline(always)]
unsafe fn note(regs: &Regs, start: u64, length: u64) {
    // SAFETY: `cx` is valid while code runs, and nobody else has the memory that it leads to.
    if let Some(written) = unsafe { (*regs.cx).written.as_mut() } {
        written.note(start as usize, length as usize);
    }
}

/// Looks at what a store that follows writes: goes on unless that is watched, and notes it. Half-word 0: how many bytes it
/// writes. Half-word 1: the slot of the base. Half-words 2 and 3: the offset.
#[cfg(feature = "host")]
pub(crate) struct LookOp<B>(PhantomData<B>);

#[cfg(feature = "host")]
impl<B: Source> Op for LookOp<B> {
    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind; `cx` is valid while code runs, and so is what is watched.
        unsafe {
            let start = u64::from(B::read::<i32>(regs) as u32) + u64::from(regs.high());
            let end = start + u64::from(regs.half(0));
            let watched = &*(*regs.cx).watched;
            if start < watched.all.end && watched.all.start < end {
                core::hint::cold_path();
                if watched.has(start..end) {
                    return Flow::Leave(Reason::Before);
                }
            }
            note(regs, start, u64::from(regs.half(0)));
            regs.advance(Self::WORDS)
        }
    }
}

/// `dest = memory[base + offset]`.
pub(crate) struct LoadOp<M, B, D>(PhantomData<(M, B, D)>);

impl<M: Load, B: Source, D: Dest> Op for LoadOp<M, B, D> {
    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let Some(at) = place(regs, B::read(regs), M::SIZE) else {
                return Flow::Leave(Reason::Before);
            };
            D::write(regs, M::load(at));
            regs.advance(Self::WORDS)
        }
    }
}

/// `memory[base + offset] = value`.
///
/// The value's slot is named by half-word 0, because the offset takes 2 and 3; a constant value is
/// word 2, whatever its type.
pub(crate) struct StoreOp<M, B, V>(PhantomData<(M, B, V)>);

impl<M: Store, B: Source, V: Source> Op for StoreOp<M, B, V> {
    const WORDS: usize = if V::CONSTANT { 3 } else { 2 };

    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let Some(at) = place(regs, B::read(regs), M::SIZE) else {
                return Flow::Leave(Reason::Before);
            };
            if V::CONSTANT {
                M::store(at, crate::num::Number::from_cell(regs.word(2)));
            } else {
                M::store(at, V::read(regs));
            }
            regs.advance(Self::WORDS)
        }
    }
}

/// `memory.copy` and `memory.fill`: half-word 1 names the first of three slots.
pub(crate) struct BulkOp<const FILL: bool>;

impl<const FILL: bool> Op for BulkOp<FILL> {
    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind; both ranges are checked against the memory's size.
        unsafe {
            let first = regs.half(1);
            let to = u64::from(regs.slot(first) as u32);
            let from = regs.slot(first + 8) as u32;
            let count = u64::from(regs.slot(first + 16) as u32);
            let length = (*regs.cx).length as u64;
            if to + count > length || (!FILL && u64::from(from) + count > length) {
                core::hint::cold_path();
                return Flow::Leave(Reason::Before);
            }
            #[cfg(feature = "host")]
            note(regs, to, count);
            let mem = regs.bank().mem;
            let to = mem.add(to as usize);
            if FILL {
                to.write_bytes(from as u8, count as usize);
            } else {
                mem.add(from as usize).copy_to(to, count as usize);
            }
            regs.advance(Self::WORDS)
        }
    }
}

/// `memory.size`.
pub(crate) struct SizeOp<D>(PhantomData<D>);

impl<D: Dest> Op for SizeOp<D> {
    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let pages = (*regs.cx).pages as i32;
            D::write(regs, pages);
            regs.advance(Self::WORDS)
        }
    }
}

/// `global.get`: half-words 2 and 3 are the global's address.
pub(crate) struct GetOp<T, D>(PhantomData<(T, D)>);

impl<T: Number, D: Dest> Op for GetOp<T, D> {
    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind, and the global exists.
        unsafe {
            let cell = (*regs.cx).globals.add(regs.high() as usize).read();
            D::write(regs, <T as crate::num::Number>::from_cell(cell));
            regs.advance(Self::WORDS)
        }
    }
}

/// `global.set`: half-words 2 and 3 are the global's address; a constant is word 2.
pub(crate) struct SetOp<T, V>(PhantomData<(T, V)>);

impl<T: Number, V: Source> Op for SetOp<T, V> {
    const WORDS: usize = if V::CONSTANT { 3 } else { 2 };

    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind, and the global exists.
        unsafe {
            let global = (*regs.cx).globals.add(regs.high() as usize);
            if V::CONSTANT {
                global.write(regs.word(2));
            } else {
                global.write(V::read::<T>(regs).to_cell());
            }
            regs.advance(Self::WORDS)
        }
    }
}
