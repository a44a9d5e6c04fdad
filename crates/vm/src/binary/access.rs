//! What instructions on memories have in common: which memory, where in it, how wide.

use core::fmt;

use super::reader::{Malformed, MalformedKind, Reader, error_at};
use crate::ValType;
#[cfg(feature = "simd")]
use crate::num::{WideArg, WideOp};
use crate::types::Offset;

/// The immediates of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryArg {
    /// The exponent of the promised alignment; without effect on the result.
    pub align: u32,
    /// Added to the address operand without wrapping around.
    pub offset: Offset,
}

/// Reads an offset, or a size.
pub(crate) fn offset(reader: &mut Reader<'_>) -> Result<Offset, Malformed> {
    #[cfg(feature = "memory64")]
    return reader.u64();
    #[cfg(not(feature = "memory64"))]
    reader.u32()
}

/// The opcode of the first memory access.
pub(super) const FIRST: u8 = 0x28;

/// Name, type of the value and width in bytes of the memory accesses, from [`FIRST`] on.
const ACCESSES: [(&str, ValType, u32); 23] = [
    ("i32.load", ValType::I32, 4),
    ("i64.load", ValType::I64, 8),
    ("f32.load", ValType::F32, 4),
    ("f64.load", ValType::F64, 8),
    ("i32.load8_s", ValType::I32, 1),
    ("i32.load8_u", ValType::I32, 1),
    ("i32.load16_s", ValType::I32, 2),
    ("i32.load16_u", ValType::I32, 2),
    ("i64.load8_s", ValType::I64, 1),
    ("i64.load8_u", ValType::I64, 1),
    ("i64.load16_s", ValType::I64, 2),
    ("i64.load16_u", ValType::I64, 2),
    ("i64.load32_s", ValType::I64, 4),
    ("i64.load32_u", ValType::I64, 4),
    ("i32.store", ValType::I32, 4),
    ("i64.store", ValType::I64, 8),
    ("f32.store", ValType::F32, 4),
    ("f64.store", ValType::F64, 8),
    ("i32.store8", ValType::I32, 1),
    ("i32.store16", ValType::I32, 2),
    ("i64.store8", ValType::I64, 1),
    ("i64.store16", ValType::I64, 2),
    ("i64.store32", ValType::I64, 4),
];

pub(super) fn access(opcode: u8) -> (&'static str, ValType, u32) {
    let index = usize::from(opcode.wrapping_sub(FIRST)).min(ACCESSES.len() - 1);
    ACCESSES[index]
}

/// The value's type and the width in bytes of the memory access with this opcode (0x28 to 0x3e).
pub(crate) fn memory_width(opcode: u8) -> (ValType, u32) {
    let (_, ty, width) = access(opcode);
    (ty, width)
}

/// The index of a memory.
#[cfg(feature = "memories")]
pub(super) fn memory(reader: &mut Reader<'_>) -> Result<u32, Malformed> {
    reader.u32()
}

/// The index of the one memory.
#[cfg(not(feature = "memories"))]
pub(super) fn memory(reader: &mut Reader<'_>) -> Result<u32, Malformed> {
    let at = reader.at();
    match reader.byte()? {
        0 => Ok(0),
        _ => Err(error_at(at, MalformedKind::ZeroExpected)),
    }
}

/// In the place of an alignment: the index of a memory follows.
pub(crate) const NAMES_MEMORY: u32 = if cfg!(feature = "memories") { 0x40 } else { 0 };

/// The immediates of a memory access, and the memory's index.
pub(super) fn memory_arg(reader: &mut Reader<'_>) -> Result<(MemoryArg, u32), Malformed> {
    let at = reader.at();
    let flags = reader.u32()?;
    let align = flags & !NAMES_MEMORY;
    if align >= 32 {
        return Err(error_at(at, MalformedKind::BadAlignment));
    }
    let memory = match flags & NAMES_MEMORY {
        0 => 0,
        _ => reader.u32()?,
    };
    let offset = offset(reader)?;
    Ok((MemoryArg { align, offset }, memory))
}

/// The immediates of a memory access.
pub(super) fn write_access(f: &mut fmt::Formatter<'_>, opcode: u8, arg: MemoryArg) -> fmt::Result {
    if arg.offset != 0 {
        write!(f, " offset={}", arg.offset)?;
    }
    if Some(1) != access(opcode).2.checked_shr(arg.align) {
        write!(f, " align={}", 1u64 << arg.align.min(63))?;
    }
    Ok(())
}

/// The immediates of an instruction on vectors.
#[cfg(feature = "simd")]
pub(super) fn write_wide(f: &mut fmt::Formatter<'_>, op: WideOp, arg: &WideArg) -> fmt::Result {
    if op.is_const() {
        return write!(f, " {}", crate::Value::V128(arg.bytes));
    }
    if op.has_bytes() {
        return arg.bytes.iter().try_for_each(|lane| write!(f, " {lane}"));
    }
    if arg.offset != 0 {
        write!(f, " offset={}", arg.offset)?;
    }
    if op.width() != 0 && Some(1) != op.width().checked_shr(arg.align) {
        write!(f, " align={}", 1u64 << arg.align.min(63))?;
    }
    if op.info().lanes != 0 {
        write!(f, " {}", arg.lane)?;
    }
    Ok(())
}
