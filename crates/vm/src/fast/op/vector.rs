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

#[cfg(feature = "simd")]
mod with {
    use super::*;
    use crate::num::{Vector, WideOp};

    /// Reads two slots.
    #[inline(always)]
    unsafe fn vector(regs: &Regs, slot: u16) -> Vector {
        // SAFETY: both cells of a vector lie in the frame.
        unsafe {
            regs.fp()
                .byte_add(usize::from(slot))
                .cast::<Vector>()
                .read_unaligned()
        }
    }

    /// Writes two slots.
    #[inline(always)]
    unsafe fn set_vector(regs: &mut Regs, slot: u16, value: Vector) {
        // SAFETY: as for `vector`.
        unsafe {
            regs.fp()
                .byte_add(usize::from(slot))
                .cast::<Vector>()
                .write_unaligned(value)
        };
    }

    /// A cell as the lowest bytes of a vector.
    #[inline(always)]
    fn widened(cell: u64) -> Vector {
        u128::from(cell).to_le_bytes()
    }

    /// What the operation's instruction gives.
    #[inline(always)]
    unsafe fn apply(regs: &Regs, operands: &[Vector; 3]) -> Vector {
        // SAFETY: the operation has a word that says so.
        let what = unsafe { regs.word(2) };
        let lane = (what >> 16) as u8;
        WideOp::kernel(what as u16)(operands, lane.into())
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
                let mut operands = [[0; 16]; 3];
                for (at, operand) in operands.iter_mut().enumerate() {
                    if WIDE >> at & 1 != 0 {
                        *operand = vector(regs, regs.half(at + 1));
                    } else if NARROW >> at & 1 != 0 {
                        *operand = widened(regs.slot(regs.half(at + 1)));
                    }
                }
                if BYTES {
                    let high = u128::from(regs.word(4)) << 64;
                    operands[2] = (u128::from(regs.word(3)) | high).to_le_bytes();
                }
                let result = apply(regs, &operands);
                let dest = regs.half(0);
                if VECTOR {
                    set_vector(regs, dest, result);
                } else {
                    regs.set_slot(dest, u128::from_le_bytes(result) as u64);
                }
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
                let result = if width == 16 {
                    at.cast::<Vector>().read_unaligned()
                } else {
                    let mut read = [0; 16];
                    read.as_mut_ptr().copy_from_nonoverlapping(at, width);
                    let other = vector(regs, (regs.word(2) >> 32) as u16);
                    apply(regs, &[read, other, [0; 16]])
                };
                set_vector(regs, regs.half(0), result);
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
                let value = vector(regs, regs.half(0));
                if width == 16 {
                    at.cast::<Vector>().write_unaligned(value);
                } else {
                    let lane = apply(regs, &[[0; 16], value, [0; 16]]);
                    at.copy_from_nonoverlapping(lane.as_ptr(), width);
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
