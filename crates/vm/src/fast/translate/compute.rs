//! Instructions that compute: numbers, memory, globals, `select`.

use super::super::op::{At, Code, Loads, Mirrored, Shape, Stores};
use super::Translator;
use super::emit::{Class, Comparison, Place, Source, What, pack, pack_high};
use crate::ValType;
#[cfg(feature = "host")]
use crate::binary::memory_width;
use crate::binary::{Instr, MemoryArg};
use crate::num::NumericOp;
use crate::types::Offset;

/// True for types whose constants take a word of their own.
fn is_wide(ty: ValType) -> bool {
    matches!(ty, ValType::I64 | ValType::F64)
}

/// The operand words of a computation; at most one source is a constant.
pub(super) fn words(first: Source, second: Source, wide: bool) -> ([u64; 2], usize) {
    let (slot, other) = match (first, second) {
        (Source::Slot(first), second) => (first, second.slot()),
        (_, second) => (second.slot(), 0),
    };
    match (first, second) {
        (Source::Const(cell), _) | (_, Source::Const(cell)) if wide => {
            ([pack([0, slot, 0, 0]), cell], 2)
        }
        (Source::Const(cell), _) | (_, Source::Const(cell)) => {
            ([pack_high(0, slot, cell as u32), 0], 1)
        }
        _ => ([pack([0, slot, other, 0]), 0], 1),
    }
}

impl Translator<'_> {
    /// A numeric instruction; `next` is the one behind it.
    pub(super) fn numeric(&mut self, op: NumericOp, next: Option<&Instr<'_>>) {
        match Shape::of(op) {
            Shape::IsZero => self.is_zero(op, next),
            Shape::Single(single) => self.unary(op, single),
            Shape::Mirrored(_) | Shape::Ordered(_) => self.binary(op),
        }
    }

    fn unary(&mut self, op: NumericOp, single: super::super::op::Single) {
        let height = self.emitter.stack.len().saturating_sub(1);
        let class = Class::of(op.result());
        let from = self.emitter.top_class();
        let place = self.emitter.stack.last().map(|operand| operand.place);
        if let Some(Place::Const(cell)) = place
            && let Ok(cell) = op.apply(&[cell])
        {
            self.emitter.pop();
            return self.emitter.push(class, Place::Const(cell));
        }
        // Cells are zero-extended, and slots have no type: nothing to do.
        let same_cell = match op {
            NumericOp::I64ExtendI32U
            | NumericOp::I32ReinterpretF32
            | NumericOp::F32ReinterpretI32
            | NumericOp::I64ReinterpretF64
            | NumericOp::F64ReinterpretI64 => place != Some(Place::Acc) || from == class,
            _ => false,
        };
        if same_cell {
            if let Some(operand) = self.emitter.stack.last_mut() {
                operand.class = class;
            }
            return;
        }
        let source = match self.emitter.pop() {
            constant @ Source::Const(_) => {
                Source::Slot(self.emitter.in_slot(constant, from, height))
            }
            source => source,
        };
        let operands = [pack([0, source.slot(), 0, 0])];
        self.emitter
            .emit_result(single.code(source.at()), &operands, class, What::Other);
    }

    /// `eqz`: a comparison with zero, or the contrary of the comparison before.
    fn is_zero(&mut self, op: NumericOp, next: Option<&Instr<'_>>) {
        let wide = op == NumericOp::I64Eqz;
        if !wide && self.negation(next) {
            return;
        }
        match self.emitter.pop() {
            Source::Const(cell) => self
                .emitter
                .push(Class::Int, Place::Const(u64::from(cell == 0))),
            first => {
                let op = if wide {
                    Mirrored::I64Eq
                } else {
                    Mirrored::I32Eq
                };
                self.compare(Comparison {
                    op,
                    first,
                    second: Source::Const(0),
                    wide,
                    negated: false,
                });
            }
        }
    }

    /// `i32.eqz` of a comparison: true if it became the contrary comparison.
    fn negation(&mut self, next: Option<&Instr<'_>>) -> bool {
        let Some(What::Compare(comparison)) = self.emitter.last_result() else {
            return false;
        };
        let contrary = comparison
            .op
            .branch()
            .and_then(|branch| branch.contrary().instruction());
        match contrary {
            Some(op) => {
                self.emitter.take_back();
                self.compare(Comparison { op, ..comparison });
                true
            }
            None if matches!(next, Some(Instr::BrIf(_) | Instr::If(_))) => {
                self.emitter.negate_last();
                true
            }
            None => false,
        }
    }

    fn compare(&mut self, comparison: Comparison) {
        let Comparison {
            op,
            first,
            second,
            wide,
            ..
        } = comparison;
        let (words, count) = words(first, second, wide);
        let code = op.code(first.at(), second.at());
        self.emitter
            .emit_result(code, &words[..count], Class::Int, What::Compare(comparison));
    }

    fn binary(&mut self, op: NumericOp) {
        let height = self.emitter.stack.len().saturating_sub(2);
        let from = self.emitter.top_class();
        let class = Class::of(op.result());
        let wide = op.operands().first().is_some_and(|ty| is_wide(*ty));
        let mut second = self.emitter.pop();
        let mut first = self.emitter.pop();
        if let (Source::Const(a), Source::Const(b)) = (first, second) {
            match op.apply(&[a, b]) {
                Ok(cell) => return self.emitter.push(class, Place::Const(cell)),
                Err(_) => first = Source::Slot(self.emitter.in_slot(first, from, height)),
            }
        }
        // The same value twice: one of them from its slot.
        if let (Source::Acc(Some(slot)), Source::Acc(_)) = (first, second) {
            first = Source::Slot(slot);
        }
        let mut op = op;
        // `x - c` is `x + -c`, of which there are more forms.
        if let (NumericOp::I32Sub | NumericOp::I64Sub, Source::Const(cell)) = (op, second) {
            let negative = if wide {
                cell.wrapping_neg()
            } else {
                u64::from((cell as u32).wrapping_neg())
            };
            second = Source::Const(negative);
            op = if wide {
                NumericOp::I64Add
            } else {
                NumericOp::I32Add
            };
        }
        match Shape::of(op) {
            Shape::Mirrored(mut mirrored) => {
                let swap = matches!(
                    (first, second),
                    (Source::Const(_), _) | (Source::Acc(_), Source::Slot(_))
                );
                if swap {
                    (first, second) = (second, first);
                    mirrored = mirrored.mirror();
                }
                self.mirrored(mirrored, first, second, wide, class);
            }
            Shape::Ordered(ordered) => {
                let (words, count) = words(first, second, wide);
                let code = ordered.code(first.at(), second.at());
                self.emitter
                    .emit_result(code, &words[..count], class, What::Other);
            }
            // These have one operand.
            Shape::IsZero | Shape::Single(_) => {}
        }
    }

    fn mirrored(&mut self, op: Mirrored, first: Source, second: Source, wide: bool, class: Class) {
        if op.branch().is_some() {
            return self.compare(Comparison {
                op,
                first,
                second,
                wide,
                negated: false,
            });
        }
        let (words, count) = words(first, second, wide);
        let code = op.code(first.at(), second.at());
        self.emitter
            .emit_result(code, &words[..count], class, What::Other);
    }

    /// The base of an access, with the offset: a constant base is in the offset if that fits.
    fn base(&mut self, height: usize, offset: Offset) -> (Source, u32) {
        // There are no more bits, or `far` looked.
        let offset = offset as u32;
        match self.emitter.pop() {
            Source::Const(cell) => match (cell as u32).checked_add(offset) {
                Some(address) => (Source::Const(cell), address),
                None => (
                    Source::Slot(
                        self.emitter
                            .in_slot(Source::Const(cell), Class::Int, height),
                    ),
                    offset,
                ),
            },
            source => (source, offset),
        }
    }

    /// A load; the opcode tells which.
    pub(super) fn load(&mut self, opcode: u8, arg: MemoryArg) {
        let wide = Class::of(ValType::I64);
        let (loads, class) = match opcode {
            0x28 | 0x35 => (Loads::LoadU32, Class::Int),
            0x29 => (Loads::LoadU64, wide),
            0x2a => (Loads::LoadF32, Class::F32),
            0x2b => (Loads::LoadF64, Class::F64),
            0x2c => (Loads::LoadS8, Class::Int),
            0x2d | 0x31 => (Loads::LoadU8, Class::Int),
            0x2e => (Loads::LoadS16, Class::Int),
            0x2f | 0x33 => (Loads::LoadU16, Class::Int),
            0x30 => (Loads::LoadS8To64, wide),
            0x32 => (Loads::LoadS16To64, wide),
            _ => (Loads::LoadS32To64, wide),
        };
        let height = self.emitter.stack.len().saturating_sub(1);
        let (base, offset) = self.base(height, arg.offset);
        let operands = [pack_high(0, base.slot(), offset)];
        self.emitter
            .emit_result(loads.code(base.at()), &operands, class, What::Other);
        // `i64.load8_u` and the like: the zeros are there, perhaps in another accumulator.
        if matches!(opcode, 0x31 | 0x33 | 0x35) {
            self.numeric(NumericOp::I64ExtendI32U, None);
        }
    }

    /// A store; the opcode tells which.
    pub(super) fn store(&mut self, opcode: u8, arg: MemoryArg) {
        let class = self.emitter.top_class();
        let stores = match opcode {
            0x38 if class == Class::F32 => Stores::StoreF32,
            0x39 if class == Class::F64 => Stores::StoreF64,
            0x3a | 0x3c => Stores::Store8,
            0x3b | 0x3d => Stores::Store16,
            0x37 | 0x39 => Stores::Store64,
            _ => Stores::Store32,
        };
        let height = self.emitter.stack.len().saturating_sub(2);
        #[cfg(feature = "host")]
        if self.surroundings.looks() {
            let width = memory_width(opcode).1 as u16;
            self.look(height, arg.offset as u32, width);
        }
        let mut value = self.emitter.pop();
        if matches!(opcode, 0x3c..=0x3e) && class != Class::Int && value.at() == At::Acc {
            // Half of an `i64`, whose accumulator is another.
            value = Source::Slot(self.emitter.in_slot(value, class, height + 1));
        }
        let (mut base, offset) = self.base(height, arg.offset);
        if let (Source::Acc(Some(slot)), Source::Acc(_), Class::Int) = (base, value, class) {
            base = Source::Slot(slot);
        }
        let code = stores.code(base.at(), value.at());
        let operands = pack_high(value.slot(), base.slot(), offset);
        match value {
            Source::Const(cell) => self.emitter.emit(code, &[operands, cell]),
            _ => self.emitter.emit(code, &[operands]),
        };
    }

    /// Looks at what a store of so many bytes will write, whose base is at this height.
    #[cfg(feature = "host")]
    fn look(&mut self, height: usize, offset: u32, width: u16) {
        let (code, slot, offset) = match self.emitter.peek(height).0 {
            Source::Slot(slot) => (Code::LookSlot, slot, offset),
            Source::Acc(_) => (Code::LookAcc, 0, offset),
            // Where an offset does not fit, nothing is written.
            Source::Const(cell) => match (cell as u32).checked_add(offset) {
                Some(address) => (Code::LookZero, 0, address),
                None => return,
            },
        };
        let operands = pack_high(0, slot, offset) | u64::from(width);
        self.emitter.emit(code, &[operands]);
    }

    /// `memory.copy` or `memory.fill`.
    pub(super) fn bulk(&mut self, code: Code) {
        self.emitter.settle_all();
        let first = self
            .emitter
            .slot_at(self.emitter.stack.len().saturating_sub(3));
        self.emitter.emit(code, &[pack([0, first, 0, 0])]);
        for _ in 0..3 {
            self.emitter.pop();
        }
    }

    pub(super) fn global_get(&mut self, index: u32) {
        let instance = self.surroundings.instance;
        let address = instance.globals.get(index as usize).copied().unwrap_or(0);
        let ty = instance
            .module
            .globals
            .get(index as usize)
            .map_or(ValType::I32, |ty| ty.value);
        self.get(address, Class::of(ty));
    }

    /// Pushes the cell of a global.
    pub(super) fn get(&mut self, address: u32, class: Class) {
        let code = match class {
            Class::Int => Code::GetIntToAcc,
            Class::F32 => Code::GetF32ToAcc,
            Class::F64 => Code::GetF64ToAcc,
        };
        self.emitter
            .emit_result(code, &[pack_high(0, 0, address)], class, What::Other);
    }

    pub(super) fn global_set(&mut self, index: u32) {
        let address = self
            .surroundings
            .instance
            .globals
            .get(index as usize)
            .copied()
            .unwrap_or(0);
        self.set(address);
    }

    /// Pops the cell of a global.
    pub(super) fn set(&mut self, address: u32) {
        let class = self.emitter.top_class();
        match self.emitter.pop() {
            Source::Slot(slot) => self
                .emitter
                .emit(Code::SetSlot, &[pack_high(0, slot, address)]),
            Source::Const(cell) => self
                .emitter
                .emit(Code::SetConst, &[pack_high(0, 0, address), cell]),
            Source::Acc(_) => {
                let code = match class {
                    Class::Int => Code::SetInt,
                    Class::F32 => Code::SetF32,
                    Class::F64 => Code::SetF64,
                };
                self.emitter.emit(code, &[pack_high(0, 0, address)])
            }
        };
    }

    pub(super) fn memory_size(&mut self) {
        self.emitter
            .emit_result(Code::SizeToAcc, &[0], Class::Int, What::Other);
    }

    pub(super) fn select(&mut self) {
        let height = self.emitter.stack.len().saturating_sub(3);
        let condition = self.emitter.pop();
        let class = self.emitter.top_class();
        if let Source::Const(cell) = condition {
            return self.select_known(cell as u32 != 0, height);
        }
        let second = self.emitter.pop();
        let first = self.emitter.pop();
        let second = self.emitter.in_slot(second, class, height + 1);
        let first = self.emitter.in_slot(first, class, height);
        let operands = [pack([0, first, second, condition.slot()])];
        match (class, condition.at()) {
            (Class::Int, At::Acc) => {
                self.emitter
                    .emit_result(Code::SelectAccToAcc, &operands, class, What::Other)
            }
            (Class::Int, _) => {
                self.emitter
                    .emit_result(Code::SelectSlotToAcc, &operands, class, What::Other)
            }
            (_, at) => {
                let code = if at == At::Acc {
                    Code::SelectCellAcc
                } else {
                    Code::SelectCellSlot
                };
                let slot = self.emitter.slot_at(height);
                let operands = pack([slot, first, second, condition.slot()]);
                self.emitter.emit(code, &[operands]);
                self.emitter.push_slot(class);
            }
        }
    }

    /// `select` with a constant condition.
    fn select_known(&mut self, first: bool, height: usize) {
        if first {
            self.emitter.pop();
            return;
        }
        let class = self.emitter.top_class();
        let second = self.emitter.pop();
        self.emitter.pop();
        let slot = self.emitter.slot_at(height);
        self.emitter.put(slot, second, class);
        self.emitter.push(class, Place::Slot);
    }
}
