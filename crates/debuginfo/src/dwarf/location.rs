//! Location expressions: from a description of where a variable is to its place at a stop.
//!
//! gimli's own evaluator reads wasm locals as numbers. Here it matters that a value *is* a local,
//! since that can be watched; hence a small evaluator of our own over gimli's decoder.

use gimli::{LocationListsOffset, Operation, Reader};

use super::{Dwarf, Slice, Subprogram, VariableHome};
use crate::module::ModuleIndex;
use crate::place::{Holder, Piece, Stopped, Unavailable, ValuePlace, value_bytes};
use crate::types::{Encoding, Type, TypeId};

/// Most operations of one expression; it may jump backwards.
const MAX_OPERATIONS: u32 = 1000;

/// Deepest stack of an expression.
const MAX_STACK: usize = 64;

/// A stop, as far as expressions depend on it.
#[derive(Clone, Copy)]
pub(crate) struct Evaluation<'a> {
    pub(crate) dwarf: &'a Dwarf,
    pub(crate) module: &'a ModuleIndex,
    /// The function whose variable is looked for; none of a variable of the program.
    pub(crate) subprogram: Option<&'a Subprogram>,
    pub(crate) unit: usize,
    pub(crate) state: &'a dyn Stopped,
    pub(crate) frame: u32,
    /// The next opcode's offset in the module's file.
    pub(crate) offset: u32,
}

/// A number on the stack of an expression, and what holds it if nothing was computed yet.
#[derive(Clone)]
struct Item {
    value: u64,
    source: Option<Holder>,
}

impl Item {
    fn computed(value: u64) -> Item {
        Item {
            value,
            source: None,
        }
    }
}

/// What an expression or a piece of it says.
enum Located {
    Memory(u64),
    Is(Item),
    Bytes(Vec<u8>),
    Removed,
}

impl Evaluation<'_> {
    /// The place of a variable of `size` bytes.
    pub(crate) fn place(&self, home: &VariableHome, size: u32) -> Result<ValuePlace, Unavailable> {
        match home {
            VariableHome::Removed => Err(Unavailable::Removed),
            VariableHome::Constant(value) => {
                let bytes = value.to_le_bytes().to_vec();
                let size = size.min(bytes.len() as u32);
                Ok(ValuePlace::whole(
                    self.memory(),
                    Holder::Computed(bytes),
                    size,
                ))
            }
            VariableHome::Expression(expression) => self.evaluate(expression, size),
            VariableHome::List(offset) => {
                let expression = self.list_entry(*offset)?.ok_or(Unavailable::Removed)?;
                self.evaluate(&expression, size)
            }
        }
    }

    /// The memory that the unit's variables lie in.
    fn memory(&self) -> u32 {
        let memories = &self.dwarf.unit_memories;
        memories.get(self.unit).copied().unwrap_or_default()
    }

    fn unit(&self) -> Result<&gimli::Unit<Slice>, Unavailable> {
        self.dwarf
            .units
            .get(self.unit)
            .ok_or(Unavailable::Unsupported)
    }

    /// The expression that a location list has for this stop.
    fn list_entry(&self, offset: usize) -> Result<Option<Slice>, Unavailable> {
        let unit = self.unit()?;
        let sections = &self.dwarf.sections;
        let address = u64::from(self.offset.wrapping_sub(self.dwarf.code_start));
        let mut list = sections
            .locations(unit, LocationListsOffset(offset))
            .map_err(|_| Unavailable::Unsupported)?;
        // The place that all entries before name, as long as it is one.
        let (mut first, mut one) = (None, true);
        while let Some(entry) = list.next().map_err(|_| Unavailable::Unsupported)? {
            if entry.range.begin <= address && address < entry.range.end {
                return Ok(Some(entry.data.0));
            }
            one &= entry.data.0 == *first.get_or_insert_with(|| entry.data.0.clone());
        }
        Ok(first.filter(|_| one).filter(|only| self.lasts(only)))
    }

    /// LLVM forgets early where a parameter is, although it still is in the local that it came in.
    ///
    /// If the list knows but one place, and the function never writes that local, then it is still
    /// there. Only Rust is trusted so far: there a parameter does not change unless it says
    /// `mut`, while in C the variable may have got another value that the compiler removed.
    fn lasts(&self, only: &Slice) -> bool {
        let (Some(subprogram), Ok(unit)) = (self.subprogram, self.unit()) else {
            return false;
        };
        let mut rest = only.clone();
        let mut next = || Operation::parse(&mut rest, unit.encoding());
        match (next(), next(), rest.is_empty()) {
            (Ok(Operation::WasmLocal { index }), Ok(Operation::StackValue), true) => {
                self.dwarf.rust_units.contains(&self.unit)
                    && self.module.keeps_parameter(subprogram.function, index)
            }
            _ => false,
        }
    }

    fn evaluate(&self, expression: &Slice, size: u32) -> Result<ValuePlace, Unavailable> {
        let mut run = Run {
            at: self,
            stack: Vec::new(),
            left: MAX_OPERATIONS,
        };
        let pieces = run.pieces(expression, size)?;
        if pieces.iter().all(|piece| piece.source == Holder::Removed) {
            return Err(Unavailable::Removed);
        }
        let memory = self.memory();
        Ok(ValuePlace { memory, pieces })
    }

    fn frame_base(&self, left: &mut u32) -> Result<u64, Unavailable> {
        let subprogram = self.subprogram.ok_or(Unavailable::Unsupported)?;
        let expression = subprogram
            .frame_base
            .as_ref()
            .ok_or(Unavailable::Unsupported)?;
        // A frame base that refers to itself has none.
        let nested = Evaluation {
            subprogram: None,
            ..*self
        };
        let mut run = Run {
            at: &nested,
            stack: Vec::new(),
            left: *left,
        };
        let base = run.number(expression);
        *left = run.left;
        base
    }
}

/// One run of an expression.
struct Run<'a> {
    at: &'a Evaluation<'a>,
    stack: Vec<Item>,
    /// Operations that may still be executed.
    left: u32,
}

impl Run<'_> {
    /// The value of an expression that computes a number.
    fn number(&mut self, expression: &Slice) -> Result<u64, Unavailable> {
        let mut rest = expression.clone();
        match self.until_piece(expression.clone(), &mut rest)? {
            (Located::Memory(value), None) | (Located::Is(Item { value, .. }), None) => Ok(value),
            _ => Err(Unavailable::Unsupported),
        }
    }

    fn pieces(&mut self, expression: &Slice, size: u32) -> Result<Vec<Piece>, Unavailable> {
        let mut rest = expression.clone();
        let mut pieces = Vec::new();
        loop {
            let (located, length) = self.until_piece(expression.clone(), &mut rest)?;
            let whole = length.is_none();
            let length = length.unwrap_or(size);
            let source = match located {
                Located::Memory(address) => {
                    let outside = Unavailable::OutsideMemory(address);
                    Holder::Memory {
                        memory: self.at.memory(),
                        address: u32::try_from(address).map_err(|_| outside)?,
                        length,
                    }
                }
                Located::Is(Item {
                    source: Some(source),
                    ..
                }) => source,
                Located::Is(Item { value, .. }) => Holder::Computed(value.to_le_bytes().to_vec()),
                Located::Bytes(bytes) => Holder::Computed(bytes),
                Located::Removed => Holder::Removed,
            };
            let length = self.fitting(&source, length);
            pieces.push(Piece {
                source,
                offset: 0,
                length,
            });
            if whole {
                return Ok(pieces);
            }
            if rest.is_empty() {
                // Of what no piece speaks, nothing is left.
                let described = pieces
                    .iter()
                    .fold(0, |sum: u32, p| sum.saturating_add(p.length));
                let length = size.saturating_sub(described);
                if length > 0 {
                    pieces.push(Piece {
                        source: Holder::Removed,
                        offset: 0,
                        length,
                    });
                }
                return Ok(pieces);
            }
        }
    }

    /// A small type may be kept in a local; a type of unknown or zero size is what the local is.
    fn fitting(&self, source: &Holder, length: u32) -> u32 {
        let held = match source {
            Holder::Local { frame, index } => self.at.state.local(*frame, *index),
            Holder::Operand { frame, index } => self.at.state.operand(*frame, *index),
            Holder::Global(index) => self.at.state.global(*index),
            Holder::Computed(bytes) => return length.min(bytes.len() as u32),
            _ => return length,
        };
        let bytes = held.map_or(length, |value| value_bytes(value).len() as u32);
        length.min(bytes)
    }

    /// Executes up to the end of a piece (whose length it gives) or of the expression.
    fn until_piece(
        &mut self,
        whole: Slice,
        rest: &mut Slice,
    ) -> Result<(Located, Option<u32>), Unavailable> {
        let encoding = self.at.unit()?.encoding();
        let mut located = None;
        let mut begun = false;
        while !rest.is_empty() {
            self.left = self.left.checked_sub(1).ok_or(Unavailable::Unsupported)?;
            let operation =
                Operation::parse(rest, encoding).map_err(|_| Unavailable::Unsupported)?;
            match operation {
                Operation::Piece {
                    size_in_bits,
                    bit_offset,
                } => {
                    let whole_bytes = size_in_bits % 8 == 0 && bit_offset.unwrap_or(0) == 0;
                    let length = u32::try_from(size_in_bits / 8).ok().filter(|_| whole_bytes);
                    let length = length.ok_or(Unavailable::Unsupported)?;
                    let located = match located {
                        Some(located) => located,
                        None if !begun => Located::Removed,
                        None => Located::Memory(self.pop()?.value),
                    };
                    return Ok((located, Some(length)));
                }
                Operation::StackValue => located = Some(Located::Is(self.pop()?)),
                Operation::ImplicitValue { data } => {
                    let bytes = data.to_slice().map_err(|_| Unavailable::Unsupported)?;
                    located = Some(Located::Bytes(bytes.into_owned()));
                }
                // The value was where it is no longer, or there is only what it pointed to.
                Operation::EntryValue { .. }
                | Operation::ImplicitPointer { .. }
                | Operation::ParameterRef { .. } => return Err(Unavailable::Removed),
                Operation::Bra { target } => {
                    if self.pop()?.value != 0 {
                        jump(&whole, rest, target)?;
                    }
                }
                Operation::Skip { target } => jump(&whole, rest, target)?,
                operation => self.compute(operation)?,
            }
            begun = true;
        }
        let located = match located {
            Some(located) => located,
            None => Located::Memory(self.pop()?.value),
        };
        Ok((located, None))
    }

    fn pop(&mut self) -> Result<Item, Unavailable> {
        self.stack.pop().ok_or(Unavailable::Unsupported)
    }

    fn push(&mut self, item: Item) -> Result<(), Unavailable> {
        if self.stack.len() >= MAX_STACK {
            return Err(Unavailable::Unsupported);
        }
        self.stack.push(item);
        Ok(())
    }

    fn push_source(&mut self, source: Holder) -> Result<(), Unavailable> {
        let value = match &source {
            Holder::Local { frame, index } => self.at.state.local(*frame, *index),
            Holder::Operand { frame, index } => self.at.state.operand(*frame, *index),
            Holder::Global(index) => self.at.state.global(*index),
            _ => None,
        };
        let bytes = value_bytes(value.ok_or(Unavailable::Mismatch)?);
        self.push(Item {
            value: unsigned(&bytes),
            source: Some(source),
        })
    }

    /// Operations that only move and compute numbers.
    fn compute(&mut self, operation: Operation<Slice>) -> Result<(), Unavailable> {
        let frame = self.at.frame;
        match operation {
            Operation::WasmLocal { index } => self.push_source(Holder::Local { frame, index }),
            Operation::WasmGlobal { index } => self.push_source(Holder::Global(index)),
            Operation::WasmStack { index } => self.push_source(Holder::Operand { frame, index }),
            Operation::FrameOffset { offset } => {
                let base = self.at.frame_base(&mut self.left)?;
                // Addresses are 32 bits wide and wrap.
                let address = base.wrapping_add(offset as u64) as u32;
                self.push(Item::computed(u64::from(address)))
            }
            Operation::Address { address } => self.push(Item::computed(address)),
            Operation::AddressIndex { index } | Operation::ConstantIndex { index } => {
                let address = self.at.dwarf.sections.address(self.at.unit()?, index);
                self.push(Item::computed(
                    address.map_err(|_| Unavailable::Unsupported)?,
                ))
            }
            Operation::UnsignedConstant { value } => self.push(Item::computed(value)),
            Operation::SignedConstant { value } => self.push(Item::computed(value as u64)),
            Operation::Pick { index } => {
                let at = self.stack.len().checked_sub(1 + usize::from(index));
                let item = at.and_then(|at| self.stack.get(at)).cloned();
                self.push(item.ok_or(Unavailable::Unsupported)?)
            }
            Operation::Swap => {
                let (top, below) = (self.pop()?, self.pop()?);
                self.push(top)?;
                self.push(below)
            }
            Operation::Rot => {
                let (a, b, c) = (self.pop()?, self.pop()?, self.pop()?);
                self.push(a)?;
                self.push(c)?;
                self.push(b)
            }
            Operation::Drop => self.pop().map(drop),
            Operation::Nop | Operation::Uninitialized | Operation::Reinterpret { .. } => Ok(()),
            Operation::Deref { size, .. } => {
                let address = self.pop()?.value;
                let outside = Unavailable::OutsideMemory(address);
                let mut bytes = vec![0; usize::from(size.min(8))];
                let address = u32::try_from(address).map_err(|_| outside)?;
                if !self.at.state.memory(self.at.memory(), address, &mut bytes) {
                    return Err(outside);
                }
                self.push(Item::computed(unsigned(&bytes)))
            }
            Operation::Convert { base_type } => {
                let value = self.pop()?.value;
                let converted = self.converted(value, base_type.0)?;
                self.push(Item::computed(converted))
            }
            Operation::PlusConstant { value } => {
                let sum = self.pop()?.value.wrapping_add(value);
                self.push(Item::computed(sum))
            }
            Operation::Abs | Operation::Neg | Operation::Not => {
                let value = self.pop()?.value;
                self.push(Item::computed(match operation {
                    Operation::Abs => signed(value).unsigned_abs(),
                    Operation::Neg => signed(value).wrapping_neg() as u64,
                    _ => !value,
                }))
            }
            operation => {
                let (right, left) = (self.pop()?.value, self.pop()?.value);
                let value = binary(&operation, left, right).ok_or(Unavailable::Unsupported)?;
                self.push(Item::computed(value))
            }
        }
    }

    /// A number as a base type has it: cut to its size, its sign extended.
    fn converted(&self, value: u64, base_type: usize) -> Result<u64, Unavailable> {
        if base_type == 0 {
            return Ok(value);
        }
        let unit = self.at.unit()?.header.debug_info_offset();
        let at = unit.and_then(|unit| u32::try_from(unit.0.checked_add(base_type)?).ok());
        let ty = at.and_then(|at| self.at.dwarf.types.resolve(TypeId(at)));
        let Some(Type::Base { encoding, size, .. }) = ty else {
            return Err(Unavailable::Unsupported);
        };
        let unused = 64 - (8 * (*size).clamp(1, 8));
        Ok(match encoding {
            signed if signed.is_signed() => ((value << unused) as i64 >> unused) as u64,
            Encoding::Float => return Err(Unavailable::Unsupported),
            _ => value << unused >> unused,
        })
    }
}

/// Operations on two numbers; `None` of those that are not.
fn binary(operation: &Operation<Slice>, left: u64, right: u64) -> Option<u64> {
    let shift = u32::try_from(right).unwrap_or(u32::MAX);
    let ordered = |holds: fn(&i64, &i64) -> bool| u64::from(holds(&signed(left), &signed(right)));
    Some(match operation {
        Operation::Plus => left.wrapping_add(right),
        Operation::Minus => left.wrapping_sub(right),
        Operation::Mul => left.wrapping_mul(right),
        Operation::Div => signed(left).checked_div(signed(right))? as u64,
        Operation::Mod => left.checked_rem(right)?,
        Operation::And => left & right,
        Operation::Or => left | right,
        Operation::Xor => left ^ right,
        Operation::Shl => left.checked_shl(shift).unwrap_or(0),
        Operation::Shr => left.checked_shr(shift).unwrap_or(0),
        Operation::Shra => (signed(left) >> shift.min(63)) as u64,
        Operation::Eq => u64::from(left == right),
        Operation::Ne => u64::from(left != right),
        Operation::Lt => ordered(i64::lt),
        Operation::Le => ordered(i64::le),
        Operation::Gt => ordered(i64::gt),
        Operation::Ge => ordered(i64::ge),
        _ => return None,
    })
}

/// A number with its sign: what fits 32 bits is a 32-bit number, since addresses and most locals
/// are, and those come zero-extended.
fn signed(value: u64) -> i64 {
    match u32::try_from(value) {
        Ok(narrow) => i64::from(narrow as i32),
        Err(_) => value as i64,
    }
}

fn unsigned(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Moves `rest`, a tail of `whole`, by `target` bytes.
fn jump(whole: &Slice, rest: &mut Slice, target: i16) -> Result<(), Unavailable> {
    let here = whole.len() - rest.len();
    let there = here.checked_add_signed(isize::from(target));
    let there = there
        .filter(|&there| there <= whole.len())
        .ok_or(Unavailable::Unsupported)?;
    *rest = whole.clone();
    rest.skip(there).map_err(|_| Unavailable::Unsupported)
}
