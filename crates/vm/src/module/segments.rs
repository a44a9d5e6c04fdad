//! Loading: segments of elements and data, and the constant expressions in them.

use alloc::vec::Vec;

use super::error::{InvalidKind, LoadError};
use super::load::{Loader, Result, counted};
use super::{ConstExpr, DataSegment, ElementSegment, SegmentMode};
use crate::ValType;
use crate::binary::{Instr, Malformed, MalformedKind, Reader, error_at, ref_type};
use crate::limits::within;
use crate::num::{self, Number, NumericOp};
use crate::value::ref_to_cell;

impl Loader<'_> {
    pub(super) fn elements(&mut self, section: &mut Reader<'_>) -> Result<()> {
        let count = counted(section, "element segments", self.limits.segments)?;
        for _ in 0..count {
            let at = section.at();
            let flags = section.u32()?;
            if flags > 7 {
                return Err(error_at(at, MalformedKind::BadSegment).into());
            }
            // Bit 0: not active; bit 1: declared, or with a table's index; bit 2: expressions.
            let mut table = 0;
            let mode = match (flags & 1, flags & 2) {
                (0, explicit) => {
                    if explicit != 0 {
                        table = section.u32()?;
                    }
                    let found = self.module.tables.get(table as usize);
                    let address = found.map_or(ValType::I32, |table| table.address_type());
                    let offset = self.constant(section, address)?;
                    SegmentMode::Active {
                        target: table,
                        offset,
                    }
                }
                (_, 0) => SegmentMode::Passive,
                _ => SegmentMode::Declared,
            };
            let expressions = flags & 4 != 0;
            let ty = match (flags & 3, expressions) {
                (0, _) => ValType::FuncRef,
                (_, true) => ref_type(section)?,
                (_, false) => element_kind(section)?,
            };
            if let SegmentMode::Active { .. } = mode {
                self.check_element_table(at, table, ty)?;
            }
            let items = self.element_items(section, ty, expressions)?;
            self.module
                .elements
                .push(ElementSegment { ty, mode, items });
        }
        Ok(())
    }

    fn check_element_table(&self, at: usize, table: u32, ty: ValType) -> Result<()> {
        match self.module.tables.get(table as usize) {
            None => Err(LoadError::invalid(at, InvalidKind::UnknownTable(table))),
            Some(found) => expect(at, found.element, ty),
        }
    }

    fn element_items(
        &mut self,
        section: &mut Reader<'_>,
        ty: ValType,
        expressions: bool,
    ) -> Result<Vec<ConstExpr>> {
        let count = counted(section, "elements of a segment", self.limits.table_elements)?;
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(if expressions {
                self.constant(section, ty)?
            } else {
                let at = section.at();
                let func = section.u32()?;
                self.declared_func(at, func)?
            });
        }
        Ok(items)
    }

    pub(super) fn data(&mut self, section: &mut Reader<'_>) -> Result<()> {
        let count = counted(section, "data segments", self.limits.segments)?;
        for _ in 0..count {
            let at = section.at();
            let flags = section.u32()?;
            let mode = match flags {
                0 | 2 => {
                    let memory = if flags == 2 { section.u32()? } else { 0 };
                    let found = self.module.memory_at(memory);
                    let unknown = LoadError::invalid(at, InvalidKind::UnknownMemory(memory));
                    let address = found.ok_or(unknown)?.address_type();
                    let offset = self.constant(section, address)?;
                    SegmentMode::Active {
                        target: memory,
                        offset,
                    }
                }
                1 => SegmentMode::Passive,
                _ => return Err(error_at(at, MalformedKind::BadSegment).into()),
            };
            let length = section.u32()?;
            let part = section.part(length)?;
            let bytes = part.at() as u32..part.end() as u32;
            self.module.data.push(DataSegment { mode, bytes });
        }
        Ok(())
    }

    /// A constant expression of this type, its `end` included.
    pub(super) fn constant(&mut self, section: &mut Reader<'_>, ty: ValType) -> Result<ConstExpr> {
        let start = section.at();
        let mut types = Vec::new();
        let mut value = None;
        loop {
            let at = section.at();
            let Some((single, found)) = self.constant_instr(section, &mut types)? else {
                break;
            };
            value = Some(match value {
                None => single,
                Some(_) => ConstExpr::Computed(start as u32),
            });
            types.push(found);
            let most = self.limits.operands.into();
            within("operands of a constant", types.len() as u64, most)
                .map_err(|limit| LoadError::limit(at, limit))?;
        }
        match (value, types.as_slice()) {
            (Some(value), [found]) => expect(start, ty, *found).map(|()| value),
            (None, _) => Err(LoadError::invalid(start, InvalidKind::OperandMissing)),
            _ => Err(LoadError::invalid(start, InvalidKind::OperandsLeft)),
        }
    }

    /// The next instruction of a constant expression: its value if it is the only one, and the type of what it gives.
    /// What it takes is taken off `types`. Nothing at the end.
    fn constant_instr(
        &mut self,
        section: &mut Reader<'_>,
        types: &mut Vec<ValType>,
    ) -> Result<Option<(ConstExpr, ValType)>> {
        let at = section.at();
        Ok(Some(match Instr::read(section)? {
            Instr::I32Const(value) => (ConstExpr::Cell(u64::from(value as u32)), ValType::I32),
            Instr::I64Const(value) => (ConstExpr::Cell(value as u64), ValType::I64),
            Instr::F32Const(bits) => (ConstExpr::Cell(bits.into()), ValType::F32),
            Instr::F64Const(bits) => (ConstExpr::Cell(bits), ValType::F64),
            #[cfg(feature = "simd")]
            Instr::Wide(op, _) if op.is_const() => (ConstExpr::Computed(at as u32), ValType::V128),
            Instr::RefNull(ty) => (ConstExpr::Cell(ref_to_cell(None)), ty),
            Instr::RefFunc(func) => (self.declared_func(at, func)?, ValType::FuncRef),
            Instr::GlobalGet(index) => (ConstExpr::Global(index), self.constant_global(at, index)?),
            Instr::Numeric(op) if arithmetic(op).is_some() => {
                let ty = op.result();
                for _ in 0..2 {
                    let operand = types.pop();
                    let operand =
                        operand.ok_or(LoadError::invalid(at, InvalidKind::OperandMissing));
                    expect(at, ty, operand?)?;
                }
                // Never the only one.
                (ConstExpr::Computed(at as u32), ty)
            }
            Instr::End => return Ok(None),
            _ => return Err(LoadError::invalid(at, InvalidKind::NotConstant)),
        }))
    }

    /// The type of a global that a constant expression may read: imported and constant.
    fn constant_global(&self, at: usize, index: u32) -> Result<ValType> {
        let imported = self
            .module
            .globals
            .get(..self.module.imported_globals as usize);
        match imported.unwrap_or_default().get(index as usize) {
            None => Err(LoadError::invalid(at, InvalidKind::UnknownGlobal(index))),
            Some(global) if global.mutable => Err(LoadError::invalid(at, InvalidKind::NotConstant)),
            Some(global) => Ok(global.value),
        }
    }

    fn declared_func(&mut self, at: usize, func: u32) -> Result<ConstExpr> {
        if func as usize >= self.module.functions.len() {
            return Err(LoadError::invalid(at, InvalidKind::UnknownFunc(func)));
        }
        self.declare(func);
        Ok(ConstExpr::Func(func))
    }

    /// Notes a function that exists as one that `ref.func` may name.
    pub(super) fn declare(&mut self, func: u32) {
        self.declared.resize(self.module.functions.len(), false);
        if let Some(declared) = self.declared.get_mut(func as usize) {
            *declared = true;
        }
    }
}

/// What a numeric instruction gives for two cells, if a constant expression may have it.
pub(crate) fn arithmetic(op: NumericOp) -> Option<fn(u64, u64) -> u64> {
    Some(match op {
        NumericOp::I32Add => |a, b| num::i32_add(a as i32, b as i32).to_cell(),
        NumericOp::I32Sub => |a, b| num::i32_sub(a as i32, b as i32).to_cell(),
        NumericOp::I32Mul => |a, b| num::i32_mul(a as i32, b as i32).to_cell(),
        NumericOp::I64Add => |a, b| num::i64_add(a as i64, b as i64).to_cell(),
        NumericOp::I64Sub => |a, b| num::i64_sub(a as i64, b as i64).to_cell(),
        NumericOp::I64Mul => |a, b| num::i64_mul(a as i64, b as i64).to_cell(),
        _ => return None,
    })
}

fn expect(at: usize, expected: ValType, found: ValType) -> Result<()> {
    if expected == found {
        Ok(())
    } else {
        let kind = InvalidKind::TypeMismatch { expected, found };
        Err(LoadError::invalid(at, kind))
    }
}

/// The kind of a segment of functions, which has but one value.
fn element_kind(section: &mut Reader<'_>) -> core::result::Result<ValType, Malformed> {
    let at = section.at();
    match section.byte()? {
        0 => Ok(ValType::FuncRef),
        _ => Err(error_at(at, MalformedKind::BadSegment)),
    }
}
