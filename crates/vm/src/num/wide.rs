//! SIMD: the instructions on vectors of 128 bits, the relaxed ones as the deterministic profile of the standard wants
//! them. One table, which decoding, validation and both tiers are made from.
//!
//! An instruction is a function of up to three vectors; a number is the lowest bytes of one. For accesses to memory the
//! first of them is not the address but what was read there, and the result of a store what is written.

use crate::{ValType, num};

/// The bytes of a vector, the lowest lane first.
pub type Vector = [u8; 16];

/// What a SIMD instruction does to its operands and the number of a lane.
pub(crate) type Kernel = fn(&[Vector; 3], usize) -> Vector;

/// A SIMD instruction: its number after the prefix 0xfd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WideOp(u16);

/// What is known of an instruction.
pub(crate) struct Info {
    number: u16,
    name: &'static str,
    /// Vector that it reads or writes in memory, if any.
    pub(crate) width: u8,
    /// One more than the highest lane that it may name; 0 if it names none.
    pub(crate) lanes: u8,
    pub(crate) operands: &'static [ValType],
    pub(crate) result: Option<ValType>,
    pub(crate) kernel: Kernel,
}

#[cfg(borges_fast)]
impl Info {
    /// What is known of the instruction with this number, which there is.
    pub(crate) const fn of(number: u16) -> &'static Info {
        let mut at = 0;
        while TABLE[at].number != number {
            at += 1;
        }
        &TABLE[at]
    }

    /// A bit for each operand that is a vector, or that is none.
    pub(crate) const fn operands_that_are(&self, vectors: bool) -> u8 {
        let (mut bits, mut at) = (0, 0);
        while at < self.operands.len() {
            if matches!(self.operands[at], ValType::V128) == vectors {
                bits |= 1 << at;
            }
            at += 1;
        }
        bits
    }
}

/// The immediates of a SIMD instruction; those that it does not have are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WideArg {
    /// The exponent of the promised alignment of an access.
    pub align: u32,
    /// The offset of an access.
    pub offset: crate::types::Offset,
    /// The number of a lane.
    pub lane: u8,
    /// The constant, or the lanes of a shuffle.
    pub bytes: Vector,
}

/// `v128.const`.
const CONST: u16 = 0x0c;
/// `i8x16.shuffle`.
const SHUFFLE: u16 = 0x0d;

impl WideOp {
    /// The instruction with this number, if there is one.
    pub(crate) fn from_number(number: u32) -> Option<WideOp> {
        let at = TABLE.binary_search_by_key(&number, |row| row.number.into());
        at.ok().map(|at| WideOp(at as u16))
    }

    /// Its place in the table.
    #[cfg(borges_fast)]
    pub(crate) fn index(self) -> u16 {
        self.0
    }

    /// What is known of it.
    pub(crate) fn info(self) -> &'static Info {
        &TABLE[usize::from(self.0)]
    }

    /// Its name in the text format.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Vector that it reads or writes in memory; 0 if it does neither.
    pub fn width(self) -> u32 {
        self.info().width.into()
    }

    /// True if it writes to memory: it gives nothing else.
    pub fn is_store(self) -> bool {
        self.info().result.is_none()
    }

    /// True if its immediate are the bytes of a vector.
    pub(crate) fn has_bytes(self) -> bool {
        self.is_const() || self.is_shuffle()
    }

    /// True of `v128.const`.
    pub fn is_const(self) -> bool {
        self.info().number == CONST
    }

    /// True of `i8x16.shuffle`.
    pub(crate) fn is_shuffle(self) -> bool {
        self.info().number == SHUFFLE
    }

    /// What the instruction with this place in the table does.
    #[cfg(borges_fast)]
    #[inline(always)]
    pub(crate) fn kernel(index: u16) -> Kernel {
        TABLE[usize::from(index)].kernel
    }

    /// Its number after the prefix.
    #[cfg(borges_fast)]
    pub(crate) fn number(self) -> u16 {
        self.info().number
    }

    /// What it gives for these operands, the third of which is its immediate, if it has bytes for one.
    pub(crate) fn apply(self, operands: &[Vector; 3], lane: u8) -> Vector {
        (self.info().kernel)(operands, lane.into())
    }
}

macro_rules! operand_type {
    (v) => {
        ValType::V128
    };
    (i32) => {
        ValType::I32
    };
    (i64) => {
        ValType::I64
    };
    (f32) => {
        ValType::F32
    };
    (f64) => {
        ValType::F64
    };
}

macro_rules! result_type {
    (-) => {
        None
    };
    ($ty:ident) => {
        Some(operand_type!($ty))
    };
}

/// Calls the macro `$then` with a row for every instruction, in the order of their numbers: number, name, bytes of
/// memory, number of lanes to name, operands, result (`v` is a vector, `-` nothing), and what it does.
macro_rules! wide_ops {
    ($then:ident) => { $then! {
        0x000 "v128.load" 16 0 (i32) v |x, l| x[0];
        0x001 "v128.load8x8_s" 8 0 (i32) v |x, l| widen::<i8, i16>(x[0], 0, i16::from);
        0x002 "v128.load8x8_u" 8 0 (i32) v |x, l| widen::<u8, u16>(x[0], 0, u16::from);
        0x003 "v128.load16x4_s" 8 0 (i32) v |x, l| widen::<i16, i32>(x[0], 0, i32::from);
        0x004 "v128.load16x4_u" 8 0 (i32) v |x, l| widen::<u16, u32>(x[0], 0, u32::from);
        0x005 "v128.load32x2_s" 8 0 (i32) v |x, l| widen::<i32, i64>(x[0], 0, i64::from);
        0x006 "v128.load32x2_u" 8 0 (i32) v |x, l| widen::<u32, u64>(x[0], 0, u64::from);
        0x007 "v128.load8_splat" 1 0 (i32) v |x, l| splat::<u8>(x[0]);
        0x008 "v128.load16_splat" 2 0 (i32) v |x, l| splat::<u16>(x[0]);
        0x009 "v128.load32_splat" 4 0 (i32) v |x, l| splat::<u32>(x[0]);
        0x00a "v128.load64_splat" 8 0 (i32) v |x, l| splat::<u64>(x[0]);
        0x00b "v128.store" 16 0 (i32 v) - |x, l| x[1];
        0x00c "v128.const" 0 0 () v |x, l| x[2];
        0x00d "i8x16.shuffle" 0 0 (v v) v |x, l| shuffle(x);
        0x00e "i8x16.swizzle" 0 0 (v v) v |x, l| swizzle(x);
        0x00f "i8x16.splat" 0 0 (i32) v |x, l| splat::<u8>(x[0]);
        0x010 "i16x8.splat" 0 0 (i32) v |x, l| splat::<u16>(x[0]);
        0x011 "i32x4.splat" 0 0 (i32) v |x, l| splat::<u32>(x[0]);
        0x012 "i64x2.splat" 0 0 (i64) v |x, l| splat::<u64>(x[0]);
        0x013 "f32x4.splat" 0 0 (f32) v |x, l| splat::<u32>(x[0]);
        0x014 "f64x2.splat" 0 0 (f64) v |x, l| splat::<u64>(x[0]);
        0x015 "i8x16.extract_lane_s" 0 16 (v) i32 |x, l| cell(i32::from(i8::get(&x[0], l)));
        0x016 "i8x16.extract_lane_u" 0 16 (v) i32 |x, l| lane::<u8>(x[0], l);
        0x017 "i8x16.replace_lane" 0 16 (v i32) v |x, l| with_lane::<u8>(x[0], l, x[1]);
        0x018 "i16x8.extract_lane_s" 0 8 (v) i32 |x, l| cell(i32::from(i16::get(&x[0], l)));
        0x019 "i16x8.extract_lane_u" 0 8 (v) i32 |x, l| lane::<u16>(x[0], l);
        0x01a "i16x8.replace_lane" 0 8 (v i32) v |x, l| with_lane::<u16>(x[0], l, x[1]);
        0x01b "i32x4.extract_lane" 0 4 (v) i32 |x, l| lane::<u32>(x[0], l);
        0x01c "i32x4.replace_lane" 0 4 (v i32) v |x, l| with_lane::<u32>(x[0], l, x[1]);
        0x01d "i64x2.extract_lane" 0 2 (v) i64 |x, l| lane::<u64>(x[0], l);
        0x01e "i64x2.replace_lane" 0 2 (v i64) v |x, l| with_lane::<u64>(x[0], l, x[1]);
        0x01f "f32x4.extract_lane" 0 4 (v) f32 |x, l| lane::<u32>(x[0], l);
        0x020 "f32x4.replace_lane" 0 4 (v f32) v |x, l| with_lane::<u32>(x[0], l, x[1]);
        0x021 "f64x2.extract_lane" 0 2 (v) f64 |x, l| lane::<u64>(x[0], l);
        0x022 "f64x2.replace_lane" 0 2 (v f64) v |x, l| with_lane::<u64>(x[0], l, x[1]);
        0x023 "i8x16.eq" 0 0 (v v) v |x, l| compare::<i8, i8>(x, |a, b| a == b);
        0x024 "i8x16.ne" 0 0 (v v) v |x, l| compare::<i8, i8>(x, |a, b| a != b);
        0x025 "i8x16.lt_s" 0 0 (v v) v |x, l| compare::<i8, i8>(x, |a, b| a < b);
        0x026 "i8x16.lt_u" 0 0 (v v) v |x, l| compare::<u8, i8>(x, |a, b| a < b);
        0x027 "i8x16.gt_s" 0 0 (v v) v |x, l| compare::<i8, i8>(x, |a, b| a > b);
        0x028 "i8x16.gt_u" 0 0 (v v) v |x, l| compare::<u8, i8>(x, |a, b| a > b);
        0x029 "i8x16.le_s" 0 0 (v v) v |x, l| compare::<i8, i8>(x, |a, b| a <= b);
        0x02a "i8x16.le_u" 0 0 (v v) v |x, l| compare::<u8, i8>(x, |a, b| a <= b);
        0x02b "i8x16.ge_s" 0 0 (v v) v |x, l| compare::<i8, i8>(x, |a, b| a >= b);
        0x02c "i8x16.ge_u" 0 0 (v v) v |x, l| compare::<u8, i8>(x, |a, b| a >= b);
        0x02d "i16x8.eq" 0 0 (v v) v |x, l| compare::<i16, i16>(x, |a, b| a == b);
        0x02e "i16x8.ne" 0 0 (v v) v |x, l| compare::<i16, i16>(x, |a, b| a != b);
        0x02f "i16x8.lt_s" 0 0 (v v) v |x, l| compare::<i16, i16>(x, |a, b| a < b);
        0x030 "i16x8.lt_u" 0 0 (v v) v |x, l| compare::<u16, i16>(x, |a, b| a < b);
        0x031 "i16x8.gt_s" 0 0 (v v) v |x, l| compare::<i16, i16>(x, |a, b| a > b);
        0x032 "i16x8.gt_u" 0 0 (v v) v |x, l| compare::<u16, i16>(x, |a, b| a > b);
        0x033 "i16x8.le_s" 0 0 (v v) v |x, l| compare::<i16, i16>(x, |a, b| a <= b);
        0x034 "i16x8.le_u" 0 0 (v v) v |x, l| compare::<u16, i16>(x, |a, b| a <= b);
        0x035 "i16x8.ge_s" 0 0 (v v) v |x, l| compare::<i16, i16>(x, |a, b| a >= b);
        0x036 "i16x8.ge_u" 0 0 (v v) v |x, l| compare::<u16, i16>(x, |a, b| a >= b);
        0x037 "i32x4.eq" 0 0 (v v) v |x, l| compare::<i32, i32>(x, |a, b| a == b);
        0x038 "i32x4.ne" 0 0 (v v) v |x, l| compare::<i32, i32>(x, |a, b| a != b);
        0x039 "i32x4.lt_s" 0 0 (v v) v |x, l| compare::<i32, i32>(x, |a, b| a < b);
        0x03a "i32x4.lt_u" 0 0 (v v) v |x, l| compare::<u32, i32>(x, |a, b| a < b);
        0x03b "i32x4.gt_s" 0 0 (v v) v |x, l| compare::<i32, i32>(x, |a, b| a > b);
        0x03c "i32x4.gt_u" 0 0 (v v) v |x, l| compare::<u32, i32>(x, |a, b| a > b);
        0x03d "i32x4.le_s" 0 0 (v v) v |x, l| compare::<i32, i32>(x, |a, b| a <= b);
        0x03e "i32x4.le_u" 0 0 (v v) v |x, l| compare::<u32, i32>(x, |a, b| a <= b);
        0x03f "i32x4.ge_s" 0 0 (v v) v |x, l| compare::<i32, i32>(x, |a, b| a >= b);
        0x040 "i32x4.ge_u" 0 0 (v v) v |x, l| compare::<u32, i32>(x, |a, b| a >= b);
        0x041 "f32x4.eq" 0 0 (v v) v |x, l| compare::<f32, i32>(x, |a, b| a == b);
        0x042 "f32x4.ne" 0 0 (v v) v |x, l| compare::<f32, i32>(x, |a, b| a != b);
        0x043 "f32x4.lt" 0 0 (v v) v |x, l| compare::<f32, i32>(x, |a, b| a < b);
        0x044 "f32x4.gt" 0 0 (v v) v |x, l| compare::<f32, i32>(x, |a, b| a > b);
        0x045 "f32x4.le" 0 0 (v v) v |x, l| compare::<f32, i32>(x, |a, b| a <= b);
        0x046 "f32x4.ge" 0 0 (v v) v |x, l| compare::<f32, i32>(x, |a, b| a >= b);
        0x047 "f64x2.eq" 0 0 (v v) v |x, l| compare::<f64, i64>(x, |a, b| a == b);
        0x048 "f64x2.ne" 0 0 (v v) v |x, l| compare::<f64, i64>(x, |a, b| a != b);
        0x049 "f64x2.lt" 0 0 (v v) v |x, l| compare::<f64, i64>(x, |a, b| a < b);
        0x04a "f64x2.gt" 0 0 (v v) v |x, l| compare::<f64, i64>(x, |a, b| a > b);
        0x04b "f64x2.le" 0 0 (v v) v |x, l| compare::<f64, i64>(x, |a, b| a <= b);
        0x04c "f64x2.ge" 0 0 (v v) v |x, l| compare::<f64, i64>(x, |a, b| a >= b);
        0x04d "v128.not" 0 0 (v) v |x, l| map::<u64, u64>(x[0], |a| !a);
        0x04e "v128.and" 0 0 (v v) v |x, l| zip::<u64, u64>(x, |a, b| a & b);
        0x04f "v128.andnot" 0 0 (v v) v |x, l| zip::<u64, u64>(x, |a, b| a & !b);
        0x050 "v128.or" 0 0 (v v) v |x, l| zip::<u64, u64>(x, |a, b| a | b);
        0x051 "v128.xor" 0 0 (v v) v |x, l| zip::<u64, u64>(x, |a, b| a ^ b);
        0x052 "v128.bitselect" 0 0 (v v v) v |x, l| select(x);
        0x053 "v128.any_true" 0 0 (v) i32 |x, l| cell(i32::from(x[0] != [0; 16]));
        0x054 "v128.load8_lane" 1 16 (i32 v) v |x, l| with_lane::<u8>(x[1], l, x[0]);
        0x055 "v128.load16_lane" 2 8 (i32 v) v |x, l| with_lane::<u16>(x[1], l, x[0]);
        0x056 "v128.load32_lane" 4 4 (i32 v) v |x, l| with_lane::<u32>(x[1], l, x[0]);
        0x057 "v128.load64_lane" 8 2 (i32 v) v |x, l| with_lane::<u64>(x[1], l, x[0]);
        0x058 "v128.store8_lane" 1 16 (i32 v) - |x, l| lane::<u8>(x[1], l);
        0x059 "v128.store16_lane" 2 8 (i32 v) - |x, l| lane::<u16>(x[1], l);
        0x05a "v128.store32_lane" 4 4 (i32 v) - |x, l| lane::<u32>(x[1], l);
        0x05b "v128.store64_lane" 8 2 (i32 v) - |x, l| lane::<u64>(x[1], l);
        0x05c "v128.load32_zero" 4 0 (i32) v |x, l| x[0];
        0x05d "v128.load64_zero" 8 0 (i32) v |x, l| x[0];
        0x05e "f32x4.demote_f64x2_zero" 0 0 (v) v |x, l| halve::<f64, f32>(x[0], num::f32_demote_f64);
        0x05f "f64x2.promote_low_f32x4" 0 0 (v) v |x, l| widen::<f32, f64>(x[0], 0, num::f64_promote_f32);
        0x060 "i8x16.abs" 0 0 (v) v |x, l| map::<i8, i8>(x[0], i8::wrapping_abs);
        0x061 "i8x16.neg" 0 0 (v) v |x, l| map::<i8, i8>(x[0], i8::wrapping_neg);
        0x062 "i8x16.popcnt" 0 0 (v) v |x, l| map::<u8, u8>(x[0], |a| a.count_ones() as u8);
        0x063 "i8x16.all_true" 0 0 (v) i32 |x, l| all_true::<i8>(x[0]);
        0x064 "i8x16.bitmask" 0 0 (v) i32 |x, l| bitmask::<i8>(x[0]);
        0x065 "i8x16.narrow_i16x8_s" 0 0 (v v) v |x, l| narrow::<i16, i8>(x, |a| a.clamp(i8::MIN.into(), i8::MAX.into()) as i8);
        0x066 "i8x16.narrow_i16x8_u" 0 0 (v v) v |x, l| narrow::<i16, u8>(x, |a| a.clamp(0, u8::MAX.into()) as u8);
        0x067 "f32x4.ceil" 0 0 (v) v |x, l| map::<f32, f32>(x[0], num::f32_ceil);
        0x068 "f32x4.floor" 0 0 (v) v |x, l| map::<f32, f32>(x[0], num::f32_floor);
        0x069 "f32x4.trunc" 0 0 (v) v |x, l| map::<f32, f32>(x[0], num::f32_trunc);
        0x06a "f32x4.nearest" 0 0 (v) v |x, l| map::<f32, f32>(x[0], num::f32_nearest);
        0x06b "i8x16.shl" 0 0 (v i32) v |x, l| shift::<i8>(x, i8::wrapping_shl);
        0x06c "i8x16.shr_s" 0 0 (v i32) v |x, l| shift::<i8>(x, i8::wrapping_shr);
        0x06d "i8x16.shr_u" 0 0 (v i32) v |x, l| shift::<u8>(x, u8::wrapping_shr);
        0x06e "i8x16.add" 0 0 (v v) v |x, l| zip::<i8, i8>(x, i8::wrapping_add);
        0x06f "i8x16.add_sat_s" 0 0 (v v) v |x, l| zip::<i8, i8>(x, i8::saturating_add);
        0x070 "i8x16.add_sat_u" 0 0 (v v) v |x, l| zip::<u8, u8>(x, u8::saturating_add);
        0x071 "i8x16.sub" 0 0 (v v) v |x, l| zip::<i8, i8>(x, i8::wrapping_sub);
        0x072 "i8x16.sub_sat_s" 0 0 (v v) v |x, l| zip::<i8, i8>(x, i8::saturating_sub);
        0x073 "i8x16.sub_sat_u" 0 0 (v v) v |x, l| zip::<u8, u8>(x, u8::saturating_sub);
        0x074 "f64x2.ceil" 0 0 (v) v |x, l| map::<f64, f64>(x[0], num::f64_ceil);
        0x075 "f64x2.floor" 0 0 (v) v |x, l| map::<f64, f64>(x[0], num::f64_floor);
        0x076 "i8x16.min_s" 0 0 (v v) v |x, l| zip::<i8, i8>(x, i8::min);
        0x077 "i8x16.min_u" 0 0 (v v) v |x, l| zip::<u8, u8>(x, u8::min);
        0x078 "i8x16.max_s" 0 0 (v v) v |x, l| zip::<i8, i8>(x, i8::max);
        0x079 "i8x16.max_u" 0 0 (v v) v |x, l| zip::<u8, u8>(x, u8::max);
        0x07a "f64x2.trunc" 0 0 (v) v |x, l| map::<f64, f64>(x[0], num::f64_trunc);
        0x07b "i8x16.avgr_u" 0 0 (v v) v |x, l| zip::<u8, u8>(x, |a, b| ((u32::from(a) + u32::from(b)).div_ceil(2)) as u8);
        0x07c "i16x8.extadd_pairwise_i8x16_s" 0 0 (v) v |x, l| pairs::<i8, i16>(x[0], |a, b| i16::from(a) + i16::from(b));
        0x07d "i16x8.extadd_pairwise_i8x16_u" 0 0 (v) v |x, l| pairs::<u8, u16>(x[0], |a, b| u16::from(a) + u16::from(b));
        0x07e "i32x4.extadd_pairwise_i16x8_s" 0 0 (v) v |x, l| pairs::<i16, i32>(x[0], |a, b| i32::from(a) + i32::from(b));
        0x07f "i32x4.extadd_pairwise_i16x8_u" 0 0 (v) v |x, l| pairs::<u16, u32>(x[0], |a, b| u32::from(a) + u32::from(b));
        0x080 "i16x8.abs" 0 0 (v) v |x, l| map::<i16, i16>(x[0], i16::wrapping_abs);
        0x081 "i16x8.neg" 0 0 (v) v |x, l| map::<i16, i16>(x[0], i16::wrapping_neg);
        0x082 "i16x8.q15mulr_sat_s" 0 0 (v v) v |x, l| zip::<i16, i16>(x, q15);
        0x083 "i16x8.all_true" 0 0 (v) i32 |x, l| all_true::<i16>(x[0]);
        0x084 "i16x8.bitmask" 0 0 (v) i32 |x, l| bitmask::<i16>(x[0]);
        0x085 "i16x8.narrow_i32x4_s" 0 0 (v v) v |x, l| narrow::<i32, i16>(x, |a| a.clamp(i16::MIN.into(), i16::MAX.into()) as i16);
        0x086 "i16x8.narrow_i32x4_u" 0 0 (v v) v |x, l| narrow::<i32, u16>(x, |a| a.clamp(0, u16::MAX.into()) as u16);
        0x087 "i16x8.extend_low_i8x16_s" 0 0 (v) v |x, l| widen::<i8, i16>(x[0], 0, i16::from);
        0x088 "i16x8.extend_high_i8x16_s" 0 0 (v) v |x, l| widen::<i8, i16>(x[0], 8, i16::from);
        0x089 "i16x8.extend_low_i8x16_u" 0 0 (v) v |x, l| widen::<u8, u16>(x[0], 0, u16::from);
        0x08a "i16x8.extend_high_i8x16_u" 0 0 (v) v |x, l| widen::<u8, u16>(x[0], 8, u16::from);
        0x08b "i16x8.shl" 0 0 (v i32) v |x, l| shift::<i16>(x, i16::wrapping_shl);
        0x08c "i16x8.shr_s" 0 0 (v i32) v |x, l| shift::<i16>(x, i16::wrapping_shr);
        0x08d "i16x8.shr_u" 0 0 (v i32) v |x, l| shift::<u16>(x, u16::wrapping_shr);
        0x08e "i16x8.add" 0 0 (v v) v |x, l| zip::<i16, i16>(x, i16::wrapping_add);
        0x08f "i16x8.add_sat_s" 0 0 (v v) v |x, l| zip::<i16, i16>(x, i16::saturating_add);
        0x090 "i16x8.add_sat_u" 0 0 (v v) v |x, l| zip::<u16, u16>(x, u16::saturating_add);
        0x091 "i16x8.sub" 0 0 (v v) v |x, l| zip::<i16, i16>(x, i16::wrapping_sub);
        0x092 "i16x8.sub_sat_s" 0 0 (v v) v |x, l| zip::<i16, i16>(x, i16::saturating_sub);
        0x093 "i16x8.sub_sat_u" 0 0 (v v) v |x, l| zip::<u16, u16>(x, u16::saturating_sub);
        0x094 "f64x2.nearest" 0 0 (v) v |x, l| map::<f64, f64>(x[0], num::f64_nearest);
        0x095 "i16x8.mul" 0 0 (v v) v |x, l| zip::<i16, i16>(x, i16::wrapping_mul);
        0x096 "i16x8.min_s" 0 0 (v v) v |x, l| zip::<i16, i16>(x, i16::min);
        0x097 "i16x8.min_u" 0 0 (v v) v |x, l| zip::<u16, u16>(x, u16::min);
        0x098 "i16x8.max_s" 0 0 (v v) v |x, l| zip::<i16, i16>(x, i16::max);
        0x099 "i16x8.max_u" 0 0 (v v) v |x, l| zip::<u16, u16>(x, u16::max);
        0x09b "i16x8.avgr_u" 0 0 (v v) v |x, l| zip::<u16, u16>(x, |a, b| ((u32::from(a) + u32::from(b)).div_ceil(2)) as u16);
        0x09c "i16x8.extmul_low_i8x16_s" 0 0 (v v) v |x, l| widen_two::<i8, i16>(x, 0, |a, b| i16::from(a) * i16::from(b));
        0x09d "i16x8.extmul_high_i8x16_s" 0 0 (v v) v |x, l| widen_two::<i8, i16>(x, 8, |a, b| i16::from(a) * i16::from(b));
        0x09e "i16x8.extmul_low_i8x16_u" 0 0 (v v) v |x, l| widen_two::<u8, u16>(x, 0, |a, b| u16::from(a) * u16::from(b));
        0x09f "i16x8.extmul_high_i8x16_u" 0 0 (v v) v |x, l| widen_two::<u8, u16>(x, 8, |a, b| u16::from(a) * u16::from(b));
        0x0a0 "i32x4.abs" 0 0 (v) v |x, l| map::<i32, i32>(x[0], i32::wrapping_abs);
        0x0a1 "i32x4.neg" 0 0 (v) v |x, l| map::<i32, i32>(x[0], i32::wrapping_neg);
        0x0a3 "i32x4.all_true" 0 0 (v) i32 |x, l| all_true::<i32>(x[0]);
        0x0a4 "i32x4.bitmask" 0 0 (v) i32 |x, l| bitmask::<i32>(x[0]);
        0x0a7 "i32x4.extend_low_i16x8_s" 0 0 (v) v |x, l| widen::<i16, i32>(x[0], 0, i32::from);
        0x0a8 "i32x4.extend_high_i16x8_s" 0 0 (v) v |x, l| widen::<i16, i32>(x[0], 4, i32::from);
        0x0a9 "i32x4.extend_low_i16x8_u" 0 0 (v) v |x, l| widen::<u16, u32>(x[0], 0, u32::from);
        0x0aa "i32x4.extend_high_i16x8_u" 0 0 (v) v |x, l| widen::<u16, u32>(x[0], 4, u32::from);
        0x0ab "i32x4.shl" 0 0 (v i32) v |x, l| shift::<i32>(x, i32::wrapping_shl);
        0x0ac "i32x4.shr_s" 0 0 (v i32) v |x, l| shift::<i32>(x, i32::wrapping_shr);
        0x0ad "i32x4.shr_u" 0 0 (v i32) v |x, l| shift::<u32>(x, u32::wrapping_shr);
        0x0ae "i32x4.add" 0 0 (v v) v |x, l| zip::<i32, i32>(x, i32::wrapping_add);
        0x0b1 "i32x4.sub" 0 0 (v v) v |x, l| zip::<i32, i32>(x, i32::wrapping_sub);
        0x0b5 "i32x4.mul" 0 0 (v v) v |x, l| zip::<i32, i32>(x, i32::wrapping_mul);
        0x0b6 "i32x4.min_s" 0 0 (v v) v |x, l| zip::<i32, i32>(x, i32::min);
        0x0b7 "i32x4.min_u" 0 0 (v v) v |x, l| zip::<u32, u32>(x, u32::min);
        0x0b8 "i32x4.max_s" 0 0 (v v) v |x, l| zip::<i32, i32>(x, i32::max);
        0x0b9 "i32x4.max_u" 0 0 (v v) v |x, l| zip::<u32, u32>(x, u32::max);
        0x0ba "i32x4.dot_i16x8_s" 0 0 (v v) v |x, l| dot::<i16, i32>(x, |a, b| i32::from(a) * i32::from(b), i32::wrapping_add);
        0x0bc "i32x4.extmul_low_i16x8_s" 0 0 (v v) v |x, l| widen_two::<i16, i32>(x, 0, |a, b| i32::from(a) * i32::from(b));
        0x0bd "i32x4.extmul_high_i16x8_s" 0 0 (v v) v |x, l| widen_two::<i16, i32>(x, 4, |a, b| i32::from(a) * i32::from(b));
        0x0be "i32x4.extmul_low_i16x8_u" 0 0 (v v) v |x, l| widen_two::<u16, u32>(x, 0, |a, b| u32::from(a) * u32::from(b));
        0x0bf "i32x4.extmul_high_i16x8_u" 0 0 (v v) v |x, l| widen_two::<u16, u32>(x, 4, |a, b| u32::from(a) * u32::from(b));
        0x0c0 "i64x2.abs" 0 0 (v) v |x, l| map::<i64, i64>(x[0], i64::wrapping_abs);
        0x0c1 "i64x2.neg" 0 0 (v) v |x, l| map::<i64, i64>(x[0], i64::wrapping_neg);
        0x0c3 "i64x2.all_true" 0 0 (v) i32 |x, l| all_true::<i64>(x[0]);
        0x0c4 "i64x2.bitmask" 0 0 (v) i32 |x, l| bitmask::<i64>(x[0]);
        0x0c7 "i64x2.extend_low_i32x4_s" 0 0 (v) v |x, l| widen::<i32, i64>(x[0], 0, i64::from);
        0x0c8 "i64x2.extend_high_i32x4_s" 0 0 (v) v |x, l| widen::<i32, i64>(x[0], 2, i64::from);
        0x0c9 "i64x2.extend_low_i32x4_u" 0 0 (v) v |x, l| widen::<u32, u64>(x[0], 0, u64::from);
        0x0ca "i64x2.extend_high_i32x4_u" 0 0 (v) v |x, l| widen::<u32, u64>(x[0], 2, u64::from);
        0x0cb "i64x2.shl" 0 0 (v i32) v |x, l| shift::<i64>(x, i64::wrapping_shl);
        0x0cc "i64x2.shr_s" 0 0 (v i32) v |x, l| shift::<i64>(x, i64::wrapping_shr);
        0x0cd "i64x2.shr_u" 0 0 (v i32) v |x, l| shift::<u64>(x, u64::wrapping_shr);
        0x0ce "i64x2.add" 0 0 (v v) v |x, l| zip::<i64, i64>(x, i64::wrapping_add);
        0x0d1 "i64x2.sub" 0 0 (v v) v |x, l| zip::<i64, i64>(x, i64::wrapping_sub);
        0x0d5 "i64x2.mul" 0 0 (v v) v |x, l| zip::<i64, i64>(x, i64::wrapping_mul);
        0x0d6 "i64x2.eq" 0 0 (v v) v |x, l| compare::<i64, i64>(x, |a, b| a == b);
        0x0d7 "i64x2.ne" 0 0 (v v) v |x, l| compare::<i64, i64>(x, |a, b| a != b);
        0x0d8 "i64x2.lt_s" 0 0 (v v) v |x, l| compare::<i64, i64>(x, |a, b| a < b);
        0x0d9 "i64x2.gt_s" 0 0 (v v) v |x, l| compare::<i64, i64>(x, |a, b| a > b);
        0x0da "i64x2.le_s" 0 0 (v v) v |x, l| compare::<i64, i64>(x, |a, b| a <= b);
        0x0db "i64x2.ge_s" 0 0 (v v) v |x, l| compare::<i64, i64>(x, |a, b| a >= b);
        0x0dc "i64x2.extmul_low_i32x4_s" 0 0 (v v) v |x, l| widen_two::<i32, i64>(x, 0, |a, b| i64::from(a) * i64::from(b));
        0x0dd "i64x2.extmul_high_i32x4_s" 0 0 (v v) v |x, l| widen_two::<i32, i64>(x, 2, |a, b| i64::from(a) * i64::from(b));
        0x0de "i64x2.extmul_low_i32x4_u" 0 0 (v v) v |x, l| widen_two::<u32, u64>(x, 0, |a, b| u64::from(a) * u64::from(b));
        0x0df "i64x2.extmul_high_i32x4_u" 0 0 (v v) v |x, l| widen_two::<u32, u64>(x, 2, |a, b| u64::from(a) * u64::from(b));
        0x0e0 "f32x4.abs" 0 0 (v) v |x, l| map::<f32, f32>(x[0], num::f32_abs);
        0x0e1 "f32x4.neg" 0 0 (v) v |x, l| map::<f32, f32>(x[0], num::f32_neg);
        0x0e3 "f32x4.sqrt" 0 0 (v) v |x, l| map::<f32, f32>(x[0], num::f32_sqrt);
        0x0e4 "f32x4.add" 0 0 (v v) v |x, l| zip::<f32, f32>(x, |a, b| f32_quiet(a + b));
        0x0e5 "f32x4.sub" 0 0 (v v) v |x, l| zip::<f32, f32>(x, |a, b| f32_quiet(a - b));
        0x0e6 "f32x4.mul" 0 0 (v v) v |x, l| zip::<f32, f32>(x, |a, b| f32_quiet(a * b));
        0x0e7 "f32x4.div" 0 0 (v v) v |x, l| zip::<f32, f32>(x, |a, b| f32_quiet(a / b));
        0x0e8 "f32x4.min" 0 0 (v v) v |x, l| zip::<f32, f32>(x, num::f32_min);
        0x0e9 "f32x4.max" 0 0 (v v) v |x, l| zip::<f32, f32>(x, num::f32_max);
        0x0ea "f32x4.pmin" 0 0 (v v) v |x, l| zip::<f32, f32>(x, |a, b| if b < a { b } else { a });
        0x0eb "f32x4.pmax" 0 0 (v v) v |x, l| zip::<f32, f32>(x, |a, b| if a < b { b } else { a });
        0x0ec "f64x2.abs" 0 0 (v) v |x, l| map::<f64, f64>(x[0], num::f64_abs);
        0x0ed "f64x2.neg" 0 0 (v) v |x, l| map::<f64, f64>(x[0], num::f64_neg);
        0x0ef "f64x2.sqrt" 0 0 (v) v |x, l| map::<f64, f64>(x[0], num::f64_sqrt);
        0x0f0 "f64x2.add" 0 0 (v v) v |x, l| zip::<f64, f64>(x, |a, b| f64_quiet(a + b));
        0x0f1 "f64x2.sub" 0 0 (v v) v |x, l| zip::<f64, f64>(x, |a, b| f64_quiet(a - b));
        0x0f2 "f64x2.mul" 0 0 (v v) v |x, l| zip::<f64, f64>(x, |a, b| f64_quiet(a * b));
        0x0f3 "f64x2.div" 0 0 (v v) v |x, l| zip::<f64, f64>(x, |a, b| f64_quiet(a / b));
        0x0f4 "f64x2.min" 0 0 (v v) v |x, l| zip::<f64, f64>(x, num::f64_min);
        0x0f5 "f64x2.max" 0 0 (v v) v |x, l| zip::<f64, f64>(x, num::f64_max);
        0x0f6 "f64x2.pmin" 0 0 (v v) v |x, l| zip::<f64, f64>(x, |a, b| if b < a { b } else { a });
        0x0f7 "f64x2.pmax" 0 0 (v v) v |x, l| zip::<f64, f64>(x, |a, b| if a < b { b } else { a });
        0x0f8 "i32x4.trunc_sat_f32x4_s" 0 0 (v) v |x, l| map::<f32, i32>(x[0], num::i32_trunc_sat_f32_s);
        0x0f9 "i32x4.trunc_sat_f32x4_u" 0 0 (v) v |x, l| map::<f32, i32>(x[0], num::i32_trunc_sat_f32_u);
        0x0fa "f32x4.convert_i32x4_s" 0 0 (v) v |x, l| map::<i32, f32>(x[0], num::f32_convert_i32_s);
        0x0fb "f32x4.convert_i32x4_u" 0 0 (v) v |x, l| map::<i32, f32>(x[0], num::f32_convert_i32_u);
        0x0fc "i32x4.trunc_sat_f64x2_s_zero" 0 0 (v) v |x, l| halve::<f64, i32>(x[0], num::i32_trunc_sat_f64_s);
        0x0fd "i32x4.trunc_sat_f64x2_u_zero" 0 0 (v) v |x, l| halve::<f64, i32>(x[0], num::i32_trunc_sat_f64_u);
        0x0fe "f64x2.convert_low_i32x4_s" 0 0 (v) v |x, l| widen::<i32, f64>(x[0], 0, num::f64_convert_i32_s);
        0x0ff "f64x2.convert_low_i32x4_u" 0 0 (v) v |x, l| widen::<i32, f64>(x[0], 0, num::f64_convert_i32_u);
        0x100 "i8x16.relaxed_swizzle" 0 0 (v v) v |x, l| swizzle(x);
        0x101 "i32x4.relaxed_trunc_f32x4_s" 0 0 (v) v |x, l| map::<f32, i32>(x[0], num::i32_trunc_sat_f32_s);
        0x102 "i32x4.relaxed_trunc_f32x4_u" 0 0 (v) v |x, l| map::<f32, i32>(x[0], num::i32_trunc_sat_f32_u);
        0x103 "i32x4.relaxed_trunc_f64x2_s_zero" 0 0 (v) v |x, l| halve::<f64, i32>(x[0], num::i32_trunc_sat_f64_s);
        0x104 "i32x4.relaxed_trunc_f64x2_u_zero" 0 0 (v) v |x, l| halve::<f64, i32>(x[0], num::i32_trunc_sat_f64_u);
        0x105 "f32x4.relaxed_madd" 0 0 (v v v) v |x, l| zip_three::<f32>(x, |a, b, c| num::f32_canonical(libm::fmaf(a, b, c)));
        0x106 "f32x4.relaxed_nmadd" 0 0 (v v v) v |x, l| zip_three::<f32>(x, |a, b, c| num::f32_canonical(libm::fmaf(-a, b, c)));
        0x107 "f64x2.relaxed_madd" 0 0 (v v v) v |x, l| zip_three::<f64>(x, |a, b, c| num::f64_canonical(libm::fma(a, b, c)));
        0x108 "f64x2.relaxed_nmadd" 0 0 (v v v) v |x, l| zip_three::<f64>(x, |a, b, c| num::f64_canonical(libm::fma(-a, b, c)));
        0x109 "i8x16.relaxed_laneselect" 0 0 (v v v) v |x, l| select(x);
        0x10a "i16x8.relaxed_laneselect" 0 0 (v v v) v |x, l| select(x);
        0x10b "i32x4.relaxed_laneselect" 0 0 (v v v) v |x, l| select(x);
        0x10c "i64x2.relaxed_laneselect" 0 0 (v v v) v |x, l| select(x);
        0x10d "f32x4.relaxed_min" 0 0 (v v) v |x, l| zip::<f32, f32>(x, num::f32_min);
        0x10e "f32x4.relaxed_max" 0 0 (v v) v |x, l| zip::<f32, f32>(x, num::f32_max);
        0x10f "f64x2.relaxed_min" 0 0 (v v) v |x, l| zip::<f64, f64>(x, num::f64_min);
        0x110 "f64x2.relaxed_max" 0 0 (v v) v |x, l| zip::<f64, f64>(x, num::f64_max);
        0x111 "i16x8.relaxed_q15mulr_s" 0 0 (v v) v |x, l| zip::<i16, i16>(x, q15);
        0x112 "i16x8.relaxed_dot_i8x16_i7x16_s" 0 0 (v v) v |x, l| dot_bytes(x);
        0x113 "i32x4.relaxed_dot_i8x16_i7x16_add_s" 0 0 (v v v) v |x, l| dot_bytes_add(x);
    } };
}

macro_rules! table {
    ($($number:literal $name:literal $width:literal $lanes:literal ($($operand:ident)*) $result:tt
        |$x:ident, $l:ident| $kernel:expr;)*) => {
        static TABLE: &[Info] = &[$(Info {
            number: $number,
            name: $name,
            width: $width,
            lanes: $lanes,
            operands: &[$(operand_type!($operand)),*],
            result: result_type!($result),
            kernel: |$x, $l| { let _ = $l; $kernel },
        },)*];
    };
}
wide_ops!(table);

#[cfg(borges_fast)]
macro_rules! by_number {
    ($($number:literal $name:literal $width:literal $lanes:literal ($($operand:ident)*) $result:tt
        |$x:ident, $l:ident| $kernel:expr;)*) => {
        /// What the instruction with this number gives, compiled for it alone.
        #[inline(always)]
        pub(crate) fn apply_number<const NUMBER: u16>(operands: &[Vector; 3], lane: usize) -> Vector {
            match NUMBER {
                $($number => { let ($x, $l) = (operands, lane); let _ = $l; $kernel })*
                _ => operands[0],
            }
        }
    };
}
#[cfg(borges_fast)]
wide_ops!(by_number);

/// A lane of a vector.
trait Lane: Copy + Default {
    /// How many there are.
    const COUNT: usize;
    fn get(bytes: &Vector, lane: usize) -> Self;
    fn put(self, bytes: &mut Vector, lane: usize);
}

macro_rules! lanes {
    ($($ty:ty)*) => { $(
        impl Lane for $ty {
            const COUNT: usize = 16 / size_of::<$ty>();
            #[inline(always)]
            fn get(bytes: &Vector, lane: usize) -> Self {
                let mut own = [0; size_of::<$ty>()];
                own.copy_from_slice(&bytes[lane * size_of::<$ty>()..][..size_of::<$ty>()]);
                <$ty>::from_le_bytes(own)
            }
            #[inline(always)]
            fn put(self, bytes: &mut Vector, lane: usize) {
                bytes[lane * size_of::<$ty>()..][..size_of::<$ty>()].copy_from_slice(&self.to_le_bytes());
            }
        }
    )* };
}
lanes!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

/// A vector whose lanes this gives by number; lanes past the last are zero.
#[inline(always)]
fn build<R: Lane>(count: usize, lane: impl Fn(usize) -> R) -> Vector {
    let mut out = [0; 16];
    for at in 0..count {
        lane(at).put(&mut out, at);
    }
    out
}

#[inline(always)]
fn map<T: Lane, R: Lane>(x: Vector, f: impl Fn(T) -> R) -> Vector {
    build(R::COUNT, |at| f(T::get(&x, at)))
}

#[inline(always)]
fn zip<T: Lane, R: Lane>(x: &[Vector; 3], f: impl Fn(T, T) -> R) -> Vector {
    build(R::COUNT, |at| f(T::get(&x[0], at), T::get(&x[1], at)))
}

#[inline(always)]
fn zip_three<T: Lane>(x: &[Vector; 3], f: impl Fn(T, T, T) -> T) -> Vector {
    let get = |operand: usize, at| T::get(&x[operand], at);
    build(T::COUNT, |at| f(get(0, at), get(1, at), get(2, at)))
}

/// Lanes with all bits set where the answer is yes.
#[inline(always)]
fn compare<T: Lane, M: Lane + From<i8>>(x: &[Vector; 3], f: impl Fn(T, T) -> bool) -> Vector {
    zip(x, |a, b| M::from(-i8::from(f(a, b))))
}

/// Wider lanes from those from the number `from` on.
#[inline(always)]
fn widen<T: Lane, R: Lane>(x: Vector, from: usize, f: impl Fn(T) -> R) -> Vector {
    build(R::COUNT, |at| f(T::get(&x, from + at)))
}

#[inline(always)]
fn widen_two<T: Lane, R: Lane>(x: &[Vector; 3], from: usize, f: impl Fn(T, T) -> R) -> Vector {
    build(R::COUNT, |at| {
        f(T::get(&x[0], from + at), T::get(&x[1], from + at))
    })
}

/// Narrower lanes, and zeros behind them.
#[inline(always)]
fn halve<T: Lane, R: Lane>(x: Vector, f: impl Fn(T) -> R) -> Vector {
    build(T::COUNT, |at| f(T::get(&x, at)))
}

/// Narrower lanes of both vectors.
#[inline(always)]
fn narrow<T: Lane, R: Lane>(x: &[Vector; 3], f: impl Fn(T) -> R) -> Vector {
    build(R::COUNT, |at| f(T::get(&x[at / T::COUNT], at % T::COUNT)))
}

/// Wider lanes, each from two neighbours.
#[inline(always)]
fn pairs<T: Lane, R: Lane>(x: Vector, f: impl Fn(T, T) -> R) -> Vector {
    build(R::COUNT, |at| f(T::get(&x, 2 * at), T::get(&x, 2 * at + 1)))
}

#[inline(always)]
fn dot<T: Lane, R: Lane>(
    x: &[Vector; 3],
    product: impl Fn(T, T) -> R,
    sum: impl Fn(R, R) -> R,
) -> Vector {
    let product = |at| product(T::get(&x[0], at), T::get(&x[1], at));
    build(R::COUNT, |at| sum(product(2 * at), product(2 * at + 1)))
}

fn dot_bytes(x: &[Vector; 3]) -> Vector {
    let product = |a: i8, b: i8| i16::from(a) * i16::from(b);
    dot(x, product, i16::wrapping_add)
}

fn dot_bytes_add(x: &[Vector; 3]) -> Vector {
    let pairs = pairs::<i16, i32>(dot_bytes(x), |a, b| i32::from(a) + i32::from(b));
    zip::<i32, i32>(&[pairs, x[2], [0; 16]], i32::wrapping_add)
}

#[inline(always)]
fn splat<T: Lane>(x: Vector) -> Vector {
    let value = T::get(&x, 0);
    build(T::COUNT, |_| value)
}

#[inline(always)]
fn with_lane<T: Lane>(x: Vector, lane: usize, value: Vector) -> Vector {
    let mut out = x;
    T::get(&value, 0).put(&mut out, lane);
    out
}

/// A lane as a number, zero-extended.
#[inline(always)]
fn lane<T: Lane>(x: Vector, lane: usize) -> Vector {
    let mut out = [0; 16];
    T::get(&x, lane).put(&mut out, 0);
    out
}

/// A number.
#[inline(always)]
fn cell(value: i32) -> Vector {
    let mut out = [0; 16];
    value.put(&mut out, 0);
    out
}

#[inline(always)]
fn shift<T: Lane>(x: &[Vector; 3], f: impl Fn(T, u32) -> T) -> Vector {
    // More than a lane has bits: the excess does not count, which is what `wrapping_shl` does.
    let by = u32::get(&x[1], 0);
    map(x[0], |a| f(a, by))
}

#[inline(always)]
fn all_true<T: Lane + PartialEq>(x: Vector) -> Vector {
    cell(i32::from(
        (0..T::COUNT).all(|at| T::get(&x, at) != T::default()),
    ))
}

#[inline(always)]
fn bitmask<T: Lane + PartialOrd>(x: Vector) -> Vector {
    let bit = |at| i32::from(T::get(&x, at) < T::default()) << at;
    cell((0..T::COUNT).map(bit).sum())
}

#[inline(always)]
fn select(x: &[Vector; 3]) -> Vector {
    zip_three::<u64>(x, |a, b, mask| (a & mask) | (b & !mask))
}

fn shuffle(x: &[Vector; 3]) -> Vector {
    build(16, |at| {
        let from = usize::from(x[2][at]);
        x[(from / 16) & 1][from % 16]
    })
}

fn swizzle(x: &[Vector; 3]) -> Vector {
    map(x[1], |from: u8| {
        x[0].get(usize::from(from)).copied().unwrap_or(0)
    })
}

/// As [`num::f32_canonical`], but chosen and not branched to, which goes for all lanes at once.
#[inline(always)]
fn f32_quiet(result: f32) -> f32 {
    f32::from_bits(match result.is_nan() {
        true => num::F32_NAN,
        false => result.to_bits(),
    })
}

/// As [`num::f64_canonical`], likewise.
#[inline(always)]
fn f64_quiet(result: f64) -> f64 {
    f64::from_bits(match result.is_nan() {
        true => num::F64_NAN,
        false => result.to_bits(),
    })
}

/// The product of two fractions of 15 bits, rounded.
#[inline(always)]
fn q15(a: i16, b: i16) -> i16 {
    let product = (i32::from(a) * i32::from(b) + 0x4000) >> 15;
    product.min(i16::MAX.into()) as i16
}
