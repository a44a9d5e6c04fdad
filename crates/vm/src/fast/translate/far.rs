//! Instructions on memories and tables whose addresses have 64 bits. There are never more bytes or elements than 32 bits can
//! name: where an address has no more, operations are those of all memories, and where it has, the other tier traps.

use super::super::op::{Code, Word};
use super::Translator;
use super::emit::{Source, pack};
use crate::ValType;
use crate::binary::{Elsewhere, Instr};
use crate::types::Offset;
use crate::types::{cells_of, in_cells};

impl Translator<'_> {
    /// Writes the code of an instruction whose address has 64 bits; false of all others.
    pub(super) fn far(&mut self, instr: &Instr<'_>) -> bool {
        let module = &self.surroundings.instance.module;
        let is_64 = |table: u32| {
            let table = module.tables.get(table as usize);
            table.is_some_and(|table| table.is_64)
        };
        match *instr {
            Instr::TableGrow(table) if is_64(table) => {
                self.leave(2, &[ValType::I64]);
                true
            }
            Instr::TableSize(table) if is_64(table) => {
                self.leave(0, &[ValType::I64]);
                true
            }
            Instr::CallIndirect { ty, table } if is_64(table) => {
                if self.narrow(1, 0) {
                    self.call_indirect(ty, table, false);
                } else if let Some(ty) = module.types.get(ty as usize) {
                    self.leave(1 + cells_of(&ty.params), &in_cells(&ty.results));
                }
                true
            }
            Instr::ReturnCallIndirect { ty, table } if is_64(table) => {
                match self.narrow(1, 0) {
                    true => self.call_indirect(ty, table, true),
                    false => self.leave_for_good(),
                }
                true
            }
            Instr::Elsewhere(Elsewhere::Load(opcode, arg, 0)) if self.narrow(1, arg.offset) => {
                self.load(opcode, arg);
                true
            }
            Instr::Elsewhere(Elsewhere::Store(opcode, arg, 0)) if self.narrow(2, arg.offset) => {
                self.store(opcode, arg);
                true
            }
            _ => false,
        }
    }

    /// Makes sure that the address at this depth of the operands has no more than 32 bits; false if it surely has, or if an
    /// access at this offset from it cannot be one of 32.
    fn narrow(&mut self, depth: usize, offset: Offset) -> bool {
        if size_of::<Word>() < 8 || offset > Offset::from(u32::MAX) {
            return false;
        }
        let height = self.emitter.stack.len().saturating_sub(depth);
        match self.emitter.peek(height).0 {
            Source::Const(cell) => return cell >> 32 == 0,
            Source::Acc(_) => self.emitter.emit(Code::NarrowAcc, &[0]),
            Source::Slot(slot) => self
                .emitter
                .emit(Code::NarrowSlot, &[pack([0, slot, 0, 0])]),
        };
        true
    }
}
