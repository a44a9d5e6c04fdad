//! A cursor over the bytes of a module that never reads past its end.

use crate::CodeOffset;
use thiserror::Error;

/// Why bytes are not in the binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum MalformedKind {
    /// The bytes end in the middle of something.
    #[error("unexpected end")]
    UnexpectedEnd,
    /// The magic number is not `\0asm`.
    #[error("magic header not detected: this is no WebAssembly binary")]
    BadMagic,
    /// Neither the version 1 of modules, or a component.
    #[error("unknown binary version (a component instead of a module?)")]
    BadVersion,
    /// A LEB128 number has more bytes than its type allows.
    #[error("integer representation too long")]
    IntegerTooLong,
    /// A LEB128 number has bits above its type.
    #[error("integer too large")]
    IntegerTooLarge,
    /// A name is not UTF-8.
    #[error("malformed UTF-8 encoding")]
    BadUtf8,
    /// There is no such section.
    #[error("malformed section id")]
    UnknownSection,
    /// A section comes twice or in the wrong order.
    #[error("section out of order or twice")]
    SectionOrder,
    /// A section's content is shorter or longer than its size says.
    #[error("section size mismatch")]
    SectionSize,
    /// The number of function types and of bodies differ.
    #[error("function and code section have inconsistent lengths")]
    FunctionCount,
    /// The data count section and the data section disagree.
    #[error("data count and data section have inconsistent lengths")]
    DataCount,
    /// `memory.init` or `data.drop` without a data count section.
    #[error("data count section required")]
    DataCountMissing,
    /// A function's body is shorter or longer than its size says.
    #[error("function body size mismatch")]
    BodySize,
    /// A function has too many locals for the format.
    #[error("too many locals")]
    TooManyLocals,
    /// A byte that must be 0 is not.
    #[error("zero byte expected")]
    ZeroExpected,
    /// A value type, reference type or block type that does not exist (or is of a later standard).
    #[error("malformed value type")]
    BadType,
    /// A `select` with types that has not exactly one: well-formed, but never valid.
    #[error("invalid result arity")]
    SelectArity,
    /// A type that is no function type.
    #[error("malformed function type")]
    BadFuncType,
    /// Import or export of an unknown kind.
    #[error("malformed import or export kind")]
    BadExternKind,
    /// Flags of a table's or memory's limits that do not exist (or are of a later standard).
    #[error("malformed limits flags")]
    BadLimits,
    /// A memory or table whose addresses have 64 bits, where the machine was built without.
    #[error("64-bit memories and tables are not there")]
    NoMemory64,
    /// A global is neither constant nor variable.
    #[error("malformed mutability")]
    BadMutability,
    /// Flags of a segment that do not exist.
    #[error("malformed segment flags")]
    BadSegment,
    /// An instruction that does not exist (or is of a later standard: GC).
    #[error("unknown instruction {0:#x}")]
    UnknownInstruction(u32),
    /// A vector or an instruction on vectors, where the machine was built without.
    #[error("SIMD is not there")]
    NoSimd,
    /// A tag or a reference to an exception, where the machine was built without.
    #[cfg(not(feature = "exceptions"))]
    #[error("exceptions are not there")]
    NoExceptions,
    /// A clause of a `try_table` of an unknown kind.
    #[cfg(feature = "exceptions")]
    #[error("malformed catch clause")]
    BadCatch,
    /// The alignment of a memory access is not a power of two that fits.
    #[error("malformed alignment")]
    BadAlignment,
}

/// Where and why bytes are not in the binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[error("{kind} at byte {offset}")]
pub struct Malformed {
    /// Where, from the start of the module.
    pub offset: CodeOffset,
    /// Why.
    pub kind: MalformedKind,
}

/// A cursor over a part of a module; positions count from the start of the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'m> {
    bytes: &'m [u8],
    at: usize,
    end: usize,
}

type Result<T> = core::result::Result<T, Malformed>;

impl<'m> Reader<'m> {
    /// Reads `bytes` from `start` to `end`, which are clamped to its length.
    pub(crate) fn new(bytes: &'m [u8], start: usize, end: usize) -> Self {
        let end = end.min(bytes.len());
        Reader {
            bytes,
            at: start.min(end),
            end,
        }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn end(&self) -> usize {
        self.end
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.at == self.end
    }

    pub(crate) fn left(&self) -> usize {
        self.end - self.at
    }

    /// An error at the current position.
    pub(crate) fn error(&self, kind: MalformedKind) -> Malformed {
        error_at(self.at, kind)
    }

    pub(crate) fn byte(&mut self) -> Result<u8> {
        match self.bytes.get(self.at) {
            Some(&byte) if self.at < self.end => {
                self.at += 1;
                Ok(byte)
            }
            _ => Err(self.error(MalformedKind::UnexpectedEnd)),
        }
    }

    /// The next byte, which stays.
    pub(crate) fn peek(&self) -> Option<u8> {
        if self.at < self.end {
            self.bytes.get(self.at).copied()
        } else {
            None
        }
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'m [u8]> {
        if length > self.left() {
            return Err(self.error(MalformedKind::UnexpectedEnd));
        }
        let slice = self.bytes.get(self.at..self.at + length);
        self.at += length;
        slice.ok_or(self.error(MalformedKind::UnexpectedEnd))
    }

    /// A part of its own of the next `length` bytes, which are skipped here.
    pub(crate) fn part(&mut self, length: u32) -> Result<Reader<'m>> {
        let start = self.at;
        self.take(length as usize)?;
        Ok(Reader::new(self.bytes, start, self.at))
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.unsigned(32).map(|value| value as u32)
    }

    /// An unsigned number of 64 bits.
    #[cfg(feature = "memory64")]
    pub(crate) fn u64(&mut self) -> Result<u64> {
        self.unsigned(64)
    }

    pub(crate) fn i32(&mut self) -> Result<i32> {
        self.signed(32).map(|value| value as i32)
    }

    pub(crate) fn i64(&mut self) -> Result<i64> {
        self.signed(64)
    }

    /// A 33-bit signed number, as block types are written.
    pub(crate) fn i33(&mut self) -> Result<i64> {
        self.signed(33)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    /// A name; its length comes first.
    pub(crate) fn name(&mut self) -> Result<&'m str> {
        let length = self.u32()?;
        let start = self.at;
        let bytes = self.take(length as usize)?;
        core::str::from_utf8(bytes).map_err(|_| error_at(start, MalformedKind::BadUtf8))
    }

    /// The number of entries of a list of things of at least one byte each.
    pub(crate) fn count(&mut self) -> Result<usize> {
        let at = self.at;
        let count = self.u32()? as usize;
        if count > self.left() {
            return Err(error_at(at, MalformedKind::UnexpectedEnd));
        }
        Ok(count)
    }

    fn unsigned(&mut self, bits: u32) -> Result<u64> {
        let start = self.at;
        let mut value = 0u64;
        let mut shift = 0;
        loop {
            let byte = self.byte()?;
            let room = bits - shift;
            if room < 7 {
                // The last byte: no continuation, and nothing above the type's bits.
                if byte & 0x80 != 0 {
                    return Err(error_at(start, MalformedKind::IntegerTooLong));
                }
                if byte >> room != 0 {
                    return Err(error_at(start, MalformedKind::IntegerTooLarge));
                }
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
            shift += 7;
        }
    }

    fn signed(&mut self, bits: u32) -> Result<i64> {
        let start = self.at;
        let mut value = 0i64;
        let mut shift = 0;
        loop {
            let byte = self.byte()?;
            let room = bits - shift;
            if room <= 7 {
                if byte & 0x80 != 0 {
                    return Err(error_at(start, MalformedKind::IntegerTooLong));
                }
                // Bits from the sign bit upwards must all be equal.
                let high = (((byte << 1) as i8) >> room) as u8;
                if high != 0 && high != 0xff {
                    return Err(error_at(start, MalformedKind::IntegerTooLarge));
                }
            }
            value |= i64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                let unused = 64u32.saturating_sub(shift);
                return Ok((value << unused) >> unused);
            }
        }
    }
}

/// An error at a position.
pub(crate) fn error_at(at: usize, kind: MalformedKind) -> Malformed {
    Malformed {
        offset: CodeOffset(at as u32),
        kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(bytes: &[u8]) -> Reader<'_> {
        Reader::new(bytes, 0, bytes.len())
    }

    fn kind<T>(result: Result<T>) -> MalformedKind {
        result.err().unwrap().kind
    }

    #[test]
    fn numbers_of_all_widths() {
        assert_eq!(reader(&[0xe5, 0x8e, 0x26]).u32(), Ok(624_485));
        assert_eq!(reader(&[0xff, 0xff, 0xff, 0xff, 0x0f]).u32(), Ok(u32::MAX));
        assert_eq!(reader(&[0x80, 0x80, 0x80, 0x80, 0x78]).i32(), Ok(i32::MIN));
        assert_eq!(reader(&[0xff, 0xff, 0xff, 0xff, 0x07]).i32(), Ok(i32::MAX));
        assert_eq!(reader(&[0x7f]).i32(), Ok(-1));
        assert_eq!(reader(&[0x7f]).i64(), Ok(-1));
        let least = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f];
        assert_eq!(reader(&least).i64(), Ok(i64::MIN));
        assert_eq!(reader(&[0x40]).i33(), Ok(-64));
        assert_eq!(
            reader(&[0x80, 0x80, 0x80, 0x80, 0x70]).i33(),
            Ok(-(1 << 32))
        );
    }

    #[test]
    fn numbers_out_of_range() {
        assert_eq!(
            kind(reader(&[0xff, 0xff, 0xff, 0xff, 0x1f]).u32()),
            MalformedKind::IntegerTooLarge
        );
        assert_eq!(
            kind(reader(&[0x80, 0x80, 0x80, 0x80, 0x80, 0]).u32()),
            MalformedKind::IntegerTooLong
        );
        assert_eq!(
            kind(reader(&[0xff, 0xff, 0xff, 0xff, 0x0f]).i32()),
            MalformedKind::IntegerTooLarge
        );
        assert_eq!(
            kind(reader(&[0x80, 0x80, 0x80, 0x80, 0x70]).i32()),
            MalformedKind::IntegerTooLarge
        );
        let wide = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7e];
        assert_eq!(kind(reader(&wide).i64()), MalformedKind::IntegerTooLarge);
        assert_eq!(kind(reader(&[0x80]).u32()), MalformedKind::UnexpectedEnd);
    }

    #[test]
    fn a_part_ends_where_it_says() {
        let mut whole = reader(&[1, 2, 3, 4]);
        let mut part = whole.part(2).unwrap();
        assert_eq!((part.byte(), part.byte()), (Ok(1), Ok(2)));
        assert_eq!(kind(part.byte()), MalformedKind::UnexpectedEnd);
        assert_eq!(whole.byte(), Ok(3));
        assert_eq!(kind(whole.part(2)), MalformedKind::UnexpectedEnd);
    }
}
