//! Bytes of the memory put together to numbers.

use borges_vm::ValType;
use borges_vm::num::NumericOp as N;

use crate::dag::{Dag, Expr};
use crate::memory::{Byte, Memory};

/// Puts bytes together.
pub(crate) struct Bytes<'b> {
    pub(crate) dag: &'b mut Dag,
    /// Those that depend on inputs.
    pub(crate) memory: &'b Memory,
}

impl Bytes<'_> {
    /// A byte as an expression of 0 to 255.
    pub(crate) fn of(&mut self, byte: Byte) -> Expr {
        self.several(byte, 1)
    }

    /// One to four bytes of a value, from this one on, as an unsigned number.
    pub(super) fn several(&mut self, first: Byte, count: usize) -> Expr {
        let by = u64::from(first.number) * 8;
        let mut value = first.value;
        if self.dag.ty(value) == ValType::I64 {
            let by = self.dag.constant(ValType::I64, by);
            value = self.dag.binary(N::I64ShrU, value, by);
            value = self.dag.unary(N::I32WrapI64, value);
        } else {
            let by = self.dag.constant(ValType::I32, by);
            value = self.dag.binary(N::I32ShrU, value, by);
        }
        let mask = u64::from(u32::MAX) >> (32 - 8 * count);
        let mask = self.dag.constant(ValType::I32, mask);
        self.dag.binary(N::I32And, value, mask)
    }

    /// The byte at an address, as an expression.
    pub(super) fn byte_at(&mut self, address: u64, memory: &[u8]) -> Expr {
        match self.memory.byte(address) {
            Some(byte) => self.of(byte),
            None => {
                let byte = memory.get(address as usize).copied().unwrap_or(0);
                self.dag.constant(ValType::I32, byte.into())
            }
        }
    }

    /// Bytes as an unsigned integer: of 32 bits, or of 64 if there are eight.
    pub(crate) fn raw(&mut self, address: u64, width: u64, memory: &[u8]) -> Expr {
        let bytes: Vec<Option<Byte>> = (address..address + width)
            .map(|at| self.memory.byte(at))
            .collect();
        let wide = width == 8;
        let ty = if wide { ValType::I64 } else { ValType::I32 };
        if bytes.iter().all(Option::is_none) {
            let known = memory.get(address as usize..(address + width) as usize);
            let known = known.unwrap_or_default().iter().rev();
            let cell = known.fold(0, |cell, byte| cell << 8 | u64::from(*byte));
            return self.dag.constant(ty, cell);
        }
        if let Some(whole) = self.contiguous(&bytes, wide) {
            return whole;
        }
        let mut result = self.dag.constant(ty, 0);
        for (number, at) in (0_u64..).zip(address..address + width) {
            let mut byte = self.byte_at(at, memory);
            if wide {
                byte = self.dag.unary(N::I64ExtendI32U, byte);
            }
            let by = self.dag.constant(ty, number * 8);
            let (shl, or) = if wide {
                (N::I64Shl, N::I64Or)
            } else {
                (N::I32Shl, N::I32Or)
            };
            let part = self.dag.binary(shl, byte, by);
            result = self.dag.binary(or, result, part);
        }
        result
    }

    /// Consecutive bytes of one value: that value, or a part of it.
    fn contiguous(&mut self, bytes: &[Option<Byte>], wide: bool) -> Option<Expr> {
        let first = (*bytes.first()?)?;
        for (number, byte) in (first.number..).zip(bytes) {
            if *byte
                != Some(Byte {
                    value: first.value,
                    number,
                })
            {
                return None;
            }
        }
        if wide {
            let of_64 = self.dag.ty(first.value) == ValType::I64;
            return (of_64 && first.number == 0).then_some(first.value);
        }
        Some(self.several(first, bytes.len()))
    }
}
