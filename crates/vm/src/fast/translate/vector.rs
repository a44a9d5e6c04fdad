//! Vectors: two cells each, which are followed like two operands. Operations take both from slots that lie side by side.

use super::super::op::Code;
use super::Translator;
use super::emit::{Class, Place, pack, pack_high};
use crate::ValType;
use crate::binary::Instr;
use crate::num::{WideArg, WideOp};

/// The class of half a vector.
fn half() -> Class {
    Class::of(ValType::I64)
}

impl Translator<'_> {
    /// In a function with vectors: an instruction on them, or one that moves values. False of all others.
    pub(super) fn wide(&mut self, instr: &Instr<'_>) -> bool {
        let module = &self.surroundings.instance.module;
        let Some(body) = module.wide_body(&self.body) else {
            return false;
        };
        match *instr {
            Instr::Wide(op, arg) => self.vector(op, &arg),
            Instr::LocalGet(index) | Instr::LocalSet(index) | Instr::LocalTee(index) => {
                let Some(place) = body.locals.get(index as usize) else {
                    return false;
                };
                let ty = self.local_types.get(index as usize).copied();
                let class = Class::of(ty.unwrap_or(ValType::I64));
                let cells = place.cell..place.cell + 1 + u16::from(place.wide);
                if !matches!(instr, Instr::LocalGet(_)) {
                    self.emitter.set_locals(cells.clone());
                }
                if !matches!(instr, Instr::LocalSet(_)) {
                    cells.for_each(|cell| self.emitter.push(class, Place::Local(cell)));
                }
            }
            Instr::Drop if body.is_wide(self.pc) => {
                self.emitter.pop();
                self.emitter.pop();
            }
            Instr::Select if body.is_wide(self.pc) => self.select_vector(),
            Instr::SelectTyped(ValType::V128) => self.select_vector(),
            Instr::GlobalGet(index) | Instr::GlobalSet(index) => {
                let ty = module.globals.get(index as usize);
                let address = self.surroundings.instance.globals.get(index as usize);
                let (Some(ValType::V128), Some(&address)) = (ty.map(|ty| ty.value), address) else {
                    return false;
                };
                if matches!(instr, Instr::GlobalGet(_)) {
                    self.get(address, half());
                    self.get(address + 1, half());
                } else {
                    self.set(address + 1);
                    self.set(address);
                }
            }
            _ => return false,
        }
        true
    }

    fn select_vector(&mut self) {
        let height = self.emitter.stack.len().saturating_sub(5);
        let condition = self.emitter.pop();
        let condition = self.emitter.in_slot(condition, Class::Int, height + 4);
        (height..height + 4).for_each(|height| self.emitter.settle(height));
        for cell in height..height + 2 {
            let first = self.emitter.slot_at(cell);
            let second = self.emitter.slot_at(cell + 2);
            let operands = [pack([first, first, second, condition])];
            self.emitter.emit(Code::SelectCellSlot, &operands);
        }
        for _ in 0..4 {
            self.emitter.pop();
        }
        (0..2).for_each(|_| self.emitter.push_slot(half()));
    }

    /// The first slot of the operand of this type on top, which is popped; vectors are brought side by side.
    fn operand(&mut self, ty: ValType) -> u16 {
        let top = self.emitter.stack.len();
        if ty != ValType::V128 {
            let source = self.emitter.pop();
            return self
                .emitter
                .in_slot(source, Class::of(ty), top.saturating_sub(1));
        }
        let low = top.saturating_sub(2);
        let places = [low, low + 1].map(|at| self.emitter.stack.get(at).map(|it| it.place));
        let slot = match places {
            [Some(Place::Local(low)), Some(Place::Local(high))] if high == low + 1 => low,
            _ => {
                self.emitter.settle(low);
                self.emitter.settle(low + 1);
                self.emitter.slot_at(low)
            }
        };
        self.emitter.pop();
        self.emitter.pop();
        slot
    }

    /// An instruction on vectors.
    fn vector(&mut self, op: WideOp, arg: &WideArg) {
        let info = op.info();
        if op.is_const() {
            let (low, high) = halves(arg);
            self.emitter.push(half(), Place::Const(low));
            return self.emitter.push(half(), Place::Const(high));
        }
        let mut slots = [0; 3];
        for (slot, ty) in slots.iter_mut().zip(info.operands).rev() {
            *slot = self.operand(*ty);
        }
        let dest = self.emitter.slot_at(self.emitter.stack.len());
        let what = u64::from(op.index()) | u64::from(arg.lane) << 16 | u64::from(info.width) << 24;
        let [a, b, c] = slots;
        let direct = Code::direct(op.number());
        let at = match (info.width, info.result, info.operands) {
            (0, result, operands) => {
                let operands = (operands.len(), operands.first(), operands.get(1));
                let code = match (operands, result) {
                    _ if let Some(code) = direct => code,
                    _ if op.is_shuffle() => Code::VectorShuffle,
                    (_, Some(ValType::I32 | ValType::I64 | ValType::F32 | ValType::F64)) => {
                        Code::VectorNumber
                    }
                    ((1, Some(ValType::V128), _), _) => Code::VectorOne,
                    ((1, ..), _) => Code::VectorSplat,
                    ((2, _, Some(ValType::V128)), _) => Code::VectorTwo,
                    ((2, ..), _) => Code::VectorBy,
                    _ => Code::VectorThree,
                };
                let slots = pack([dest, a, b, c]);
                let (low, high) = halves(arg);
                match op.is_shuffle() {
                    true => self.emitter.emit(code, &[slots, what, low, high]),
                    false => self.emitter.emit(code, &[slots, what]),
                }
            }
            (_, None, _) => {
                let offset = arg.offset as u32;
                #[cfg(feature = "host")]
                if self.surroundings.looks() {
                    let operands = pack_high(0, a, offset) | u64::from(info.width);
                    self.emitter.emit(Code::LookSlot, &[operands]);
                }
                let words = [pack_high(b, a, offset), what];
                self.emitter.emit(Code::VectorStore, &words)
            }
            (..) => {
                let vector = pack([0, 0, b, 0]) | what & 0xffff_ffff;
                let words = [pack_high(dest, a, arg.offset as u32), vector];
                self.emitter
                    .emit(direct.unwrap_or(Code::VectorLoad), &words)
            }
        };
        match info.result {
            Some(ValType::V128) => {
                self.emitter.push_slot(half());
                self.emitter.push_slot(half());
                self.emitter.gave_vector(at);
            }
            Some(ty) => self.emitter.push_slot(Class::of(ty)),
            None => {}
        }
    }
}

fn halves(arg: &WideArg) -> (u64, u64) {
    let bits = u128::from_le_bytes(arg.bytes);
    (bits as u64, (bits >> 64) as u64)
}
