//! What every numeric instruction of WebAssembly computes, written once.
//!
//! Both tiers of the machine, the constant folder and the symbolic rules take the meaning of an
//! instruction from here, so that they cannot disagree. The functions have the instruction's own
//! name (`i32.add` is [`i32_add`]) and plain Rust operands; [`numeric_ops!`](crate::numeric_ops)
//! lists them all with opcode and types, and [`NumericOp`] is generated from that list.
//!
//! Results are equal on every machine, bit for bit:
//! - the result of float arithmetic is canonicalised: any NaN becomes the positive quiet NaN
//!   without payload. `neg`, `abs`, `copysign` and the reinterpretations work on bits and keep
//!   payloads, as the standard demands; loads, stores and moves are none of this module's business;
//! - square root and rounding come from `libm` everywhere, with or without a floating-point unit;
//! - Rust neither contracts nor reorders float operations, and every supported target computes
//!   them in their own width (no x87).

mod convert;
mod float;
mod int;
mod table;
#[cfg(feature = "simd")]
mod wide;

pub use convert::*;
pub use float::*;
pub use int::*;
pub use table::NumericOp;
#[cfg(all(borges_fast, feature = "simd"))]
pub(crate) use wide::{Info as WideInfo, apply_number};
#[cfg(feature = "simd")]
pub use wide::{Vector, WideArg, WideOp};

use crate::ValType;

/// Why a numeric instruction cannot give a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NumTrap {
    /// An integer was divided by zero.
    #[error("integer divide by zero")]
    DivideByZero,
    /// The result does not fit its type (`MIN / -1`, or a conversion out of range).
    #[error("integer overflow")]
    Overflow,
    /// A NaN was converted to an integer.
    #[error("invalid conversion to integer")]
    InvalidConversion,
}

/// A number that lives in a 64-bit cell of the machine's stack.
///
/// Narrow values are zero-extended, always: equal values have equal cells, and states can be
/// compared and hashed cell by cell.
pub trait Number: Copy {
    /// The type as WebAssembly sees it.
    const TYPE: ValType;

    /// Reads the number back; bits above its width are ignored.
    fn from_cell(cell: u64) -> Self;

    /// Fills a cell, zero-extended.
    fn to_cell(self) -> u64;
}

impl Number for i32 {
    const TYPE: ValType = ValType::I32;

    #[inline(always)]
    fn from_cell(cell: u64) -> Self {
        cell as u32 as i32
    }

    #[inline(always)]
    fn to_cell(self) -> u64 {
        u64::from(self as u32)
    }
}

impl Number for i64 {
    const TYPE: ValType = ValType::I64;

    #[inline(always)]
    fn from_cell(cell: u64) -> Self {
        cell as i64
    }

    #[inline(always)]
    fn to_cell(self) -> u64 {
        self as u64
    }
}

impl Number for f32 {
    const TYPE: ValType = ValType::F32;

    #[inline(always)]
    fn from_cell(cell: u64) -> Self {
        f32::from_bits(cell as u32)
    }

    #[inline(always)]
    fn to_cell(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Number for f64 {
    const TYPE: ValType = ValType::F64;

    #[inline(always)]
    fn from_cell(cell: u64) -> Self {
        f64::from_bits(cell)
    }

    #[inline(always)]
    fn to_cell(self) -> u64 {
        self.to_bits()
    }
}
