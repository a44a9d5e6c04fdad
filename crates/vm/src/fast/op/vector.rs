//! Vectors: operations that take both cells of each from slots.

use super::{Flow, Op, Reason, Regs};

/// Computes: `WIDE` and `NARROW` have a bit for each operand that is a vector or a number, `VECTOR` says what the result is.
/// Half-word 0 names its slot, the others those of the operands; word 2 has the instruction and the lane, and words 3 and
/// 4 are the third operand where `BYTES` says so.
pub(crate) struct VectorOp<const WIDE: u8, const NARROW: u8, const VECTOR: bool, const BYTES: bool>;

/// `dest = memory[base + offset]`, made a vector: half-word 2 of word 2 names the slot of one that gets a lane.
pub(crate) struct VectorLoadOp;

/// `memory[base + offset] = value`: half-word 0 names the vector's slot.
pub(crate) struct VectorStoreOp;

// What is computed has functions of its own, which get pointers by value: a handler with something on the native stack that
// others are given the address of could not end in a jump.
#[cfg(feature = "simd")]
mod with {
    use super::*;
    use crate::num::{Vector, WideOp};

    /// An operation, and the frame that its slots are in.
    #[derive(Clone, Copy)]
    struct Here {
        ip: *const u64,
        fp: *mut u64,
    }

    impl Here {
        #[inline(always)]
        unsafe fn of(regs: &Regs) -> Here {
            // SAFETY: code is running.
            let fp = unsafe { regs.fp() };
            Here { ip: regs.ip, fp }
        }

        /// A half-word of the word behind the handler's.
        #[inline(always)]
        unsafe fn half(self, index: usize) -> usize {
            // SAFETY: the operation has a first operand word.
            unsafe { self.ip.add(1).cast::<u16>().add(index).read() }.into()
        }

        #[inline(always)]
        unsafe fn word(self, index: usize) -> u64 {
            // SAFETY: the caller asks for a word that its operation has.
            unsafe { self.ip.add(index).read() }
        }

        /// Reads two slots.
        #[inline(always)]
        unsafe fn vector(self, slot: usize) -> Vector {
            // SAFETY: both cells of a vector lie in the frame.
            unsafe { self.fp.byte_add(slot).cast::<Vector>().read_unaligned() }
        }

        /// Writes two slots.
        #[inline(always)]
        unsafe fn set_vector(self, slot: usize, value: Vector) {
            // SAFETY: as for `vector`.
            unsafe {
                self.fp
                    .byte_add(slot)
                    .cast::<Vector>()
                    .write_unaligned(value)
            };
        }

        /// What the operation's instruction gives.
        #[inline(always)]
        unsafe fn apply(self, operands: &[Vector; 3]) -> Vector {
            // SAFETY: the operation has a word that says so.
            let what = unsafe { self.word(2) };
            let lane = (what >> 16) as u8;
            WideOp::kernel(what as u16)(operands, lane.into())
        }

        #[inline(never)]
        unsafe fn compute<
            const WIDE: u8,
            const NARROW: u8,
            const VECTOR: bool,
            const BYTES: bool,
        >(
            self,
        ) {
            // SAFETY: the operation is of this kind.
            unsafe {
                let mut operands = [[0; 16]; 3];
                for (at, operand) in operands.iter_mut().enumerate() {
                    if WIDE >> at & 1 != 0 {
                        *operand = self.vector(self.half(at + 1));
                    } else if NARROW >> at & 1 != 0 {
                        let cell = self.fp.byte_add(self.half(at + 1)).read();
                        *operand = u128::from(cell).to_le_bytes();
                    }
                }
                if BYTES {
                    let high = u128::from(self.word(4)) << 64;
                    operands[2] = (u128::from(self.word(3)) | high).to_le_bytes();
                }
                let result = self.apply(&operands);
                if VECTOR {
                    self.set_vector(self.half(0), result);
                } else {
                    let cell = u128::from_le_bytes(result) as u64;
                    self.fp.byte_add(self.half(0)).write(cell);
                }
            }
        }

        /// Makes a vector of so many bytes there.
        #[inline(never)]
        unsafe fn load(self, at: *const u8, width: usize) {
            // SAFETY: the operation is a load, and the bytes are in memory.
            unsafe {
                let mut read = [0; 16];
                read.as_mut_ptr().copy_from_nonoverlapping(at, width);
                let other = self.vector(usize::from((self.word(2) >> 32) as u16));
                let result = self.apply(&[read, other, [0; 16]]);
                self.set_vector(self.half(0), result);
            }
        }

        /// Writes a lane of so many bytes there.
        #[inline(never)]
        unsafe fn store(self, at: *mut u8, width: usize) {
            // SAFETY: the operation is a store, and the bytes are in memory.
            unsafe {
                let value = self.vector(self.half(0));
                let lane = self.apply(&[[0; 16], value, [0; 16]]);
                at.copy_from_nonoverlapping(lane.as_ptr(), width);
            }
        }
    }

    /// Where an access of the operation is, and its bytes, if in bounds.
    #[inline(always)]
    unsafe fn place(regs: &Regs) -> Option<(*mut u8, usize)> {
        // SAFETY: the operation has these words; below the limit the whole access lies in memory.
        unsafe {
            let width = (regs.word(2) >> 24) as u8;
            let base = regs.slot(regs.half(1)) as u32;
            let address = u64::from(base) + u64::from(regs.high());
            if address + u64::from(width) > (*regs.cx).length as u64 {
                core::hint::cold_path();
                return None;
            }
            Some((regs.bank().mem.add(address as usize), width.into()))
        }
    }

    impl<const WIDE: u8, const NARROW: u8, const VECTOR: bool, const BYTES: bool> Op
        for VectorOp<WIDE, NARROW, VECTOR, BYTES>
    {
        const WORDS: usize = if BYTES { 5 } else { 3 };

        #[inline(always)]
        unsafe fn run(regs: &mut Regs) -> Flow {
            // SAFETY: the operation is of this kind.
            unsafe {
                Here::of(regs).compute::<WIDE, NARROW, VECTOR, BYTES>();
                regs.advance(Self::WORDS)
            }
        }
    }

    impl Op for VectorLoadOp {
        const WORDS: usize = 3;

        #[inline(always)]
        unsafe fn run(regs: &mut Regs) -> Flow {
            // SAFETY: the operation is of this kind.
            unsafe {
                let Some((at, width)) = place(regs) else {
                    return Flow::Leave(Reason::Before);
                };
                let here = Here::of(regs);
                if width == 16 {
                    let value = at.cast::<u128>().read_unaligned();
                    let slot = here.fp.byte_add(here.half(0));
                    slot.cast::<u128>().write_unaligned(value);
                } else {
                    here.load(at, width);
                }
                regs.advance(Self::WORDS)
            }
        }
    }

    impl Op for VectorStoreOp {
        const WORDS: usize = 3;

        #[inline(always)]
        unsafe fn run(regs: &mut Regs) -> Flow {
            // SAFETY: the operation is of this kind.
            unsafe {
                let Some((at, width)) = place(regs) else {
                    return Flow::Leave(Reason::Before);
                };
                let here = Here::of(regs);
                if width == 16 {
                    let slot = here.fp.byte_add(here.half(0));
                    let value = slot.cast::<u128>().read_unaligned();
                    at.cast::<u128>().write_unaligned(value);
                } else {
                    here.store(at, width);
                }
                regs.advance(Self::WORDS)
            }
        }
    }
}

/// Never written: no function has vectors.
#[cfg(not(feature = "simd"))]
mod without {
    use super::*;

    macro_rules! none {
        ($([$($generic:tt)*] $op:ty;)*) => { $(
            impl<$($generic)*> Op for $op {
                #[inline(always)]
                unsafe fn run(_: &mut Regs) -> Flow {
                    Flow::Leave(Reason::Before)
                }
            }
        )* };
    }
    none! {
        [const W: u8, const N: u8, const V: bool, const B: bool] VectorOp<W, N, V, B>;
        [] VectorLoadOp;
        [] VectorStoreOp;
    }
}
