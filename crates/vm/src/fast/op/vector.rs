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

/// Computes an instruction that is a few machine instructions, or makes a vector of what it loads: operands and words as
/// above.
#[cfg(feature = "simd")]
pub(crate) struct DirectOp<const NUMBER: u16>;

// What else is computed has functions of its own, which get pointers by value: a handler with something on the native stack that
// others are given the address of could not end in a jump.
#[cfg(feature = "simd")]
mod with {
    use super::*;
    use crate::ValType;
    use crate::num::{Vector, WideInfo, WideOp, apply_number};

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

        /// Reads a slot: a number is the lowest bytes of a vector.
        #[inline(always)]
        unsafe fn number(self, slot: usize) -> Vector {
            // SAFETY: the cell lies in the frame.
            let cell = unsafe { self.fp.byte_add(slot).read() };
            u128::from(cell).to_le_bytes()
        }

        /// Writes a slot.
        #[inline(always)]
        unsafe fn set_number(self, slot: usize, value: Vector) {
            let cell = u128::from_le_bytes(value) as u64;
            // SAFETY: as for `number`.
            unsafe { self.fp.byte_add(slot).write(cell) };
        }

        /// The operands: these masks have a bit for each that is a vector, or a number.
        #[inline(always)]
        unsafe fn operands(self, wide: u8, narrow: u8) -> [Vector; 3] {
            let mut operands = [[0; 16]; 3];
            for (at, operand) in operands.iter_mut().enumerate() {
                // SAFETY: the operation has a slot for each of its operands.
                unsafe {
                    if wide >> at & 1 != 0 {
                        *operand = self.vector(self.half(at + 1));
                    } else if narrow >> at & 1 != 0 {
                        *operand = self.number(self.half(at + 1));
                    }
                }
            }
            operands
        }

        /// Writes the result, a vector or a number.
        #[inline(always)]
        unsafe fn give(self, result: Vector, is_vector: bool) {
            // SAFETY: half-word 0 names its slot.
            unsafe {
                match is_vector {
                    true => self.set_vector(self.half(0), result),
                    false => self.set_number(self.half(0), result),
                }
            }
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
                let mut operands = self.operands(WIDE, NARROW);
                if BYTES {
                    let high = u128::from(self.word(4)) << 64;
                    operands[2] = (u128::from(self.word(3)) | high).to_le_bytes();
                }
                self.give(self.apply(&operands), VECTOR);
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

    /// Where an access of so many bytes is, if in bounds.
    #[inline(always)]
    unsafe fn place(regs: &Regs, width: u8) -> Option<*mut u8> {
        // SAFETY: the operation has these words; below the limit the whole access lies in memory.
        unsafe {
            let base = regs.slot(regs.half(1)) as u32;
            let address = u64::from(base) + u64::from(regs.high());
            if address + u64::from(width) > (*regs.cx).length as u64 {
                core::hint::cold_path();
                return None;
            }
            Some(regs.bank().mem.add(address as usize))
        }
    }

    /// How many bytes an access has.
    #[inline(always)]
    unsafe fn width(regs: &Regs) -> u8 {
        // SAFETY: the operation has a word that says so.
        unsafe { (regs.word(2) >> 24) as u8 }
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

    impl<const NUMBER: u16> DirectOp<NUMBER> {
        const INFO: &WideInfo = WideInfo::of(NUMBER);
        const VECTORS: u8 = Self::INFO.operands_that_are(true);
        const NUMBERS: u8 = Self::INFO.operands_that_are(false);
        const GIVES_VECTOR: bool = matches!(Self::INFO.result, Some(ValType::V128));

        /// Computes, of what was read in memory where the instruction loads.
        #[inline(always)]
        unsafe fn compute(here: Here, read: u64) {
            // SAFETY: the operation is of this kind.
            unsafe {
                let operands = match Self::INFO.width {
                    0 => here.operands(Self::VECTORS, Self::NUMBERS),
                    _ => [u128::from(read).to_le_bytes(), [0; 16], [0; 16]],
                };
                here.give(apply_number::<NUMBER>(&operands, 0), Self::GIVES_VECTOR);
            }
        }
    }

    impl<const NUMBER: u16> Op for DirectOp<NUMBER> {
        const WORDS: usize = 3;

        #[inline(always)]
        unsafe fn run(regs: &mut Regs) -> Flow {
            // SAFETY: the operation is of this kind.
            unsafe {
                let mut read = 0;
                if Self::INFO.width != 0 {
                    let Some(at) = place(regs, Self::INFO.width) else {
                        return Flow::Leave(Reason::Before);
                    };
                    read = match Self::INFO.width {
                        1 => u64::from(at.read()),
                        2 => u64::from(at.cast::<u16>().read_unaligned()),
                        4 => u64::from(at.cast::<u32>().read_unaligned()),
                        _ => at.cast::<u64>().read_unaligned(),
                    };
                }
                Self::compute(Here::of(regs), read);
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
                let width = width(regs);
                let Some(at) = place(regs, width) else {
                    return Flow::Leave(Reason::Before);
                };
                let here = Here::of(regs);
                if width == 16 {
                    let value = at.cast::<u128>().read_unaligned();
                    let slot = here.fp.byte_add(here.half(0));
                    slot.cast::<u128>().write_unaligned(value);
                } else {
                    here.load(at, width.into());
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
                let width = width(regs);
                let Some(at) = place(regs, width) else {
                    return Flow::Leave(Reason::Before);
                };
                let here = Here::of(regs);
                if width == 16 {
                    let slot = here.fp.byte_add(here.half(0));
                    let value = slot.cast::<u128>().read_unaligned();
                    at.cast::<u128>().write_unaligned(value);
                } else {
                    here.store(at, width.into());
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
