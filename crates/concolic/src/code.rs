//! The module's instructions, decoded once, by offset.

use std::cell::RefCell;

use borges_vm::binary::{Elsewhere, Instr};
use borges_vm::num::NumericOp;
use borges_vm::{CodeOffset, Module, Shared, ValType};
use hashbrown::HashMap;

use crate::touch::Own;

/// What an instruction means for a shadow of the state.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// It moves no cells.
    Nothing,
    /// It pushes something that is known.
    PushKnown,
    /// It pops an operand.
    Pop,
    If,
    Br,
    BrIf,
    /// The number of labels, the default included.
    BrTable(u32),
    /// Of the function: a `return`, or the last `end`.
    Return,
    /// Through a table.
    CallIndirect(u32),
    /// Through this table, or directly.
    TailCall(Option<u32>),
    Select,
    LocalGet(u32),
    LocalSet(u32),
    LocalTee(u32),
    GlobalGet(u32),
    GlobalSet(u32),
    Load {
        opcode: u8,
        offset: u32,
    },
    Store {
        opcode: u8,
        offset: u32,
    },
    MemoryGrow,
    /// A load of another memory than the first, or a call through a table whose elements are named with 64 bits: the operand
    /// must be known.
    LoadElsewhere,
    /// Anything else on such a memory, which may change it, and everything on a first memory whose addresses have 64 bits.
    Elsewhere,
    Unary(NumericOp),
    Binary(NumericOp),
    RefIsNull,
    MemoryInit,
    MemoryCopy,
    MemoryFill,
    /// `table.init` and `table.copy`: three operands.
    TableMove,
    /// `table.grow`: a reference and a number, gives a number.
    TableGrow,
    /// `table.fill`: an index, a reference and a number.
    TableFill,
    /// `table.get`: an index, gives a reference.
    TableGet,
    /// `table.set`: an index and a reference.
    TableSet,
    /// Any instruction of a function with vectors.
    Vectors,
    /// `throw`, `throw_ref` and `rethrow`.
    Throw,
    /// The `end` of a `catch`: what was caught lies under its results.
    EndCatch,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoded {
    pub(crate) op: Op,
    /// For the first instruction of a function: its parameters; its other locals are zero then.
    pub(crate) begins: Option<u32>,
    /// Exploration stops here.
    pub(crate) is_stop: bool,
}

/// All instructions of a module.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    first: u32,
    /// The instruction at an offset, plus one.
    numbers: Vec<u32>,
    decoded: Vec<Decoded>,
    owns: Vec<Own>,
    offsets: Vec<CodeOffset>,
    module: Shared<Module>,
    /// The types of the values that a `select` chooses from, as they are asked for.
    select_types: RefCell<HashMap<CodeOffset, ValType>>,
}

impl Code {
    pub(crate) fn new(module: &Shared<Module>, stops: &[CodeOffset]) -> Self {
        let ranges: Vec<_> = module
            .funcs()
            .filter_map(|func| Some((func, module.code_range(func)?)))
            .collect();
        let first = ranges.iter().map(|(_, range)| range.start.0).min();
        let first = first.unwrap_or(0);
        let past = ranges.iter().map(|(_, range)| range.end.0).max();
        let length = past.unwrap_or(0).saturating_sub(first) as usize;
        let mut code = Code {
            first,
            numbers: vec![0; length],
            decoded: Vec::new(),
            owns: Vec::new(),
            offsets: Vec::new(),
            module: module.clone(),
            select_types: RefCell::default(),
        };
        for (func, range) in ranges {
            let params = module.func_type(func).map_or(0, |ty| ty.params.len());
            let mut begins = Some(params as u32);
            let vectors = module.has_vectors_in(func);
            for (offset, instr) in module.instrs(func) {
                let is_last = offset.0 + 1 == range.end.0;
                code.decoded.push(Decoded {
                    op: match vectors {
                        true => Op::Vectors,
                        false if module.ends_catch(offset) => Op::EndCatch,
                        false => decode(module, &instr, is_last),
                    },
                    begins: begins.take(),
                    is_stop: stops.contains(&offset),
                });
                code.owns.push(Own::of(&instr));
                code.offsets.push(offset);
                if let Some(number) = code.numbers.get_mut((offset.0 - first) as usize) {
                    *number = code.decoded.len() as u32;
                }
            }
        }
        code
    }

    /// The number of the instruction at an offset.
    #[inline]
    pub(crate) fn number(&self, offset: CodeOffset) -> Option<usize> {
        let at = offset.0.checked_sub(self.first)? as usize;
        (*self.numbers.get(at)? as usize).checked_sub(1)
    }

    #[inline]
    pub(crate) fn decoded(&self, number: usize) -> &Decoded {
        &self.decoded[number]
    }

    /// What an instruction touches by itself.
    pub(crate) fn own(&self, number: usize) -> Own {
        self.owns[number]
    }

    /// The type of the values that the `select` at an offset chooses from.
    pub(crate) fn select_type(&self, offset: CodeOffset) -> ValType {
        let mut types = self.select_types.borrow_mut();
        *types.entry(offset).or_insert_with(|| {
            let func = self.module.func_at(offset);
            let operands = func.and_then(|func| self.module.types_at(func, offset));
            let chosen = operands.and_then(|types| types.iter().rev().nth(1).copied());
            chosen.unwrap_or(ValType::I64)
        })
    }

    /// The offsets of all instructions, by number.
    pub(crate) fn offsets(&self) -> &[CodeOffset] {
        &self.offsets
    }
}

fn decode(module: &Module, instr: &Instr<'_>, is_last: bool) -> Op {
    let is_64 = |table: u32| {
        let table = module.table_types().get(table as usize);
        table.is_some_and(|table| table.is_64)
    };
    match *instr {
        Instr::End if is_last => Op::Return,
        Instr::Unreachable
        | Instr::Nop
        | Instr::Block(_)
        | Instr::Loop(_)
        | Instr::TryTable(..)
        | Instr::Try(_)
        | Instr::Delegate(_)
        | Instr::Else
        | Instr::End
        | Instr::Call(_)
        | Instr::DataDrop(_)
        | Instr::ElemDrop(_) => Op::Nothing,
        Instr::If(_) => Op::If,
        // Who comes from before a clause goes on behind the block.
        Instr::Br(_) | Instr::Catch(_) | Instr::CatchAll => Op::Br,
        Instr::BrIf(_) => Op::BrIf,
        Instr::BrTable(targets) => Op::BrTable(targets.len() + 1),
        Instr::Return => Op::Return,
        // A number that is known stays what it is, however wide.
        Instr::CallIndirect { table, .. } if is_64(table) => Op::LoadElsewhere,
        Instr::ReturnCallIndirect { table, .. } if is_64(table) => Op::Elsewhere,
        Instr::CallIndirect { table, .. } => Op::CallIndirect(table),
        Instr::ReturnCall(_) => Op::TailCall(None),
        Instr::ReturnCallIndirect { table, .. } => Op::TailCall(Some(table)),
        Instr::Drop => Op::Pop,
        Instr::Select | Instr::SelectTyped(_) => Op::Select,
        Instr::LocalGet(index) => Op::LocalGet(index),
        Instr::LocalSet(index) => Op::LocalSet(index),
        Instr::LocalTee(index) => Op::LocalTee(index),
        Instr::GlobalGet(index) => Op::GlobalGet(index),
        Instr::GlobalSet(index) => Op::GlobalSet(index),
        Instr::TableGet(_) => Op::TableGet,
        Instr::TableSet(_) => Op::TableSet,
        Instr::Load(opcode, arg) => Op::Load {
            opcode,
            offset: arg.offset as u32,
        },
        Instr::Store(opcode, arg) => Op::Store {
            opcode,
            offset: arg.offset as u32,
        },
        Instr::MemoryGrow => Op::MemoryGrow,
        // Nothing that is followed changes another memory, so that its size is known.
        Instr::Elsewhere(Elsewhere::Size(_))
        | Instr::MemorySize
        | Instr::I32Const(_)
        | Instr::I64Const(_)
        | Instr::F32Const(_)
        | Instr::F64Const(_)
        | Instr::RefNull(_)
        | Instr::RefFunc(_)
        | Instr::TableSize(_) => Op::PushKnown,
        Instr::Numeric(op) if op.operands().len() == 1 => Op::Unary(op),
        Instr::Numeric(op) => Op::Binary(op),
        Instr::RefIsNull => Op::RefIsNull,
        Instr::MemoryInit(_) => Op::MemoryInit,
        Instr::MemoryCopy => Op::MemoryCopy,
        Instr::MemoryFill => Op::MemoryFill,
        Instr::TableInit { .. } | Instr::TableCopy { .. } => Op::TableMove,
        Instr::TableGrow(_) => Op::TableGrow,
        Instr::TableFill(_) => Op::TableFill,
        Instr::Wide(..) => Op::Vectors,
        // Only the first memory may have what is not known.
        Instr::Elsewhere(Elsewhere::Load(_, _, 0)) => Op::Elsewhere,
        Instr::Elsewhere(Elsewhere::Load(..)) => Op::LoadElsewhere,
        Instr::Elsewhere(_) => Op::Elsewhere,
        Instr::Throw(_) | Instr::ThrowRef | Instr::Rethrow(_) => Op::Throw,
    }
}
