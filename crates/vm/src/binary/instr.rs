//! Instructions: decoded one at a time from the bytes, with their immediates.

use core::fmt;

#[cfg(feature = "simd")]
use super::access::write_wide;
use super::access::{MemoryArg, access, memory, memory_arg, write_access};
#[cfg(feature = "exceptions")]
use super::catches::Catches;
#[cfg(feature = "memories")]
use super::elsewhere::Elsewhere;
use super::reader::{Malformed, MalformedKind, Reader, error_at};
use crate::ValType;
use crate::num::NumericOp;
#[cfg(feature = "simd")]
use crate::num::{WideArg, WideOp};

/// The opcodes that the stepping tier and the tools tell apart by number.
pub(crate) mod op {
    pub(crate) const UNREACHABLE: u8 = 0x00;
    pub(crate) const NOP: u8 = 0x01;
    pub(crate) const BLOCK: u8 = 0x02;
    pub(crate) const LOOP: u8 = 0x03;
    pub(crate) const IF: u8 = 0x04;
    pub(crate) const ELSE: u8 = 0x05;
    #[cfg(feature = "exceptions")]
    pub(crate) const TRY: u8 = 0x06;
    #[cfg(feature = "exceptions")]
    pub(crate) const CATCH: u8 = 0x07;
    #[cfg(feature = "exceptions")]
    pub(crate) const THROW: u8 = 0x08;
    #[cfg(feature = "exceptions")]
    pub(crate) const RETHROW: u8 = 0x09;
    #[cfg(feature = "exceptions")]
    pub(crate) const THROW_REF: u8 = 0x0a;
    pub(crate) const END: u8 = 0x0b;
    pub(crate) const BR: u8 = 0x0c;
    pub(crate) const BR_IF: u8 = 0x0d;
    pub(crate) const BR_TABLE: u8 = 0x0e;
    pub(crate) const RETURN: u8 = 0x0f;
    pub(crate) const CALL: u8 = 0x10;
    pub(crate) const CALL_INDIRECT: u8 = 0x11;
    pub(crate) const RETURN_CALL: u8 = 0x12;
    pub(crate) const RETURN_CALL_INDIRECT: u8 = 0x13;
    #[cfg(feature = "exceptions")]
    pub(crate) const DELEGATE: u8 = 0x18;
    #[cfg(feature = "exceptions")]
    pub(crate) const CATCH_ALL: u8 = 0x19;
    pub(crate) const DROP: u8 = 0x1a;
    pub(crate) const SELECT: u8 = 0x1b;
    pub(crate) const SELECT_TYPED: u8 = 0x1c;
    #[cfg(feature = "exceptions")]
    pub(crate) const TRY_TABLE: u8 = 0x1f;
    pub(crate) const LOCAL_GET: u8 = 0x20;
    pub(crate) const LOCAL_SET: u8 = 0x21;
    pub(crate) const LOCAL_TEE: u8 = 0x22;
    pub(crate) const GLOBAL_GET: u8 = 0x23;
    pub(crate) const GLOBAL_SET: u8 = 0x24;
    pub(crate) const TABLE_GET: u8 = 0x25;
    pub(crate) const TABLE_SET: u8 = 0x26;
    pub(crate) const I32_LOAD: u8 = super::super::access::FIRST;
    pub(crate) const I32_STORE: u8 = 0x36;
    pub(crate) const I64_STORE32: u8 = 0x3e;
    pub(crate) const MEMORY_SIZE: u8 = 0x3f;
    pub(crate) const MEMORY_GROW: u8 = 0x40;
    pub(crate) const I32_CONST: u8 = 0x41;
    pub(crate) const I64_CONST: u8 = 0x42;
    pub(crate) const F32_CONST: u8 = 0x43;
    pub(crate) const F64_CONST: u8 = 0x44;
    pub(crate) const REF_NULL: u8 = 0xd0;
    pub(crate) const REF_IS_NULL: u8 = 0xd1;
    pub(crate) const REF_FUNC: u8 = 0xd2;
    pub(crate) const PREFIX: u8 = 0xfc;
    pub(crate) const SIMD: u8 = 0xfd;

    // After the prefix.
    pub(crate) const MEMORY_INIT: u32 = 8;
    pub(crate) const DATA_DROP: u32 = 9;
    pub(crate) const MEMORY_COPY: u32 = 10;
    pub(crate) const MEMORY_FILL: u32 = 11;
    pub(crate) const TABLE_INIT: u32 = 12;
    pub(crate) const ELEM_DROP: u32 = 13;
    pub(crate) const TABLE_COPY: u32 = 14;
    pub(crate) const TABLE_GROW: u32 = 15;
    pub(crate) const TABLE_SIZE: u32 = 16;
    pub(crate) const TABLE_FILL: u32 = 17;
}

/// The type of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockType {
    /// Takes and gives nothing.
    Empty,
    /// Takes nothing and gives one value.
    Value(ValType),
    /// Takes and gives what the function type of this index says.
    Func(u32),
}

/// The labels of a `br_table`, read as they are asked for.
#[derive(Clone, Copy, Debug)]
pub struct BranchTargets<'m> {
    labels: Reader<'m>,
    count: u32,
}

impl<'m> BranchTargets<'m> {
    /// How many labels there are, without the default.
    pub fn len(&self) -> u32 {
        self.count
    }

    /// True if there is but the default.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All labels; the default is the last.
    pub fn labels(&self) -> impl Iterator<Item = u32> + use<'m> {
        let mut labels = self.labels;
        // The labels were read once when the instruction was decoded, so reading cannot fail.
        (0..=self.count).map_while(move |_| labels.u32().ok())
    }
}

impl PartialEq for BranchTargets<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.labels().eq(other.labels())
    }
}

/// An instruction with its immediates. Indices are those of the module.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // The names are those of the standard.
pub enum Instr<'m> {
    Unreachable,
    Nop,
    Block(BlockType),
    Loop(BlockType),
    If(BlockType),
    Else,
    End,
    Br(u32),
    BrIf(u32),
    BrTable(BranchTargets<'m>),
    Return,
    Call(u32),
    CallIndirect {
        ty: u32,
        table: u32,
    },
    ReturnCall(u32),
    ReturnCallIndirect {
        ty: u32,
        table: u32,
    },
    Drop,
    Select,
    SelectTyped(ValType),
    LocalGet(u32),
    LocalSet(u32),
    LocalTee(u32),
    GlobalGet(u32),
    GlobalSet(u32),
    TableGet(u32),
    TableSet(u32),
    /// A load; the opcode (0x28 to 0x35) tells which.
    Load(u8, MemoryArg),
    /// A store; the opcode (0x36 to 0x3e) tells which.
    Store(u8, MemoryArg),
    MemorySize,
    MemoryGrow,
    I32Const(i32),
    I64Const(i64),
    /// The bits.
    F32Const(u32),
    /// The bits.
    F64Const(u64),
    Numeric(NumericOp),
    RefNull(ValType),
    RefIsNull,
    RefFunc(u32),
    MemoryInit(u32),
    DataDrop(u32),
    MemoryCopy,
    MemoryFill,
    TableInit {
        elem: u32,
        table: u32,
    },
    ElemDrop(u32),
    TableCopy {
        to: u32,
        from: u32,
    },
    TableGrow(u32),
    TableSize(u32),
    TableFill(u32),
    /// An instruction on vectors.
    #[cfg(feature = "simd")]
    Wide(WideOp, WideArg),
    /// An instruction on another memory than the first.
    #[cfg(feature = "memories")]
    Elsewhere(Elsewhere),
    #[cfg(feature = "exceptions")]
    Throw(u32),
    #[cfg(feature = "exceptions")]
    ThrowRef,
    #[cfg(feature = "exceptions")]
    TryTable(BlockType, Catches<'m>),
    /// Of the older proposal, as those that follow.
    #[cfg(feature = "exceptions")]
    Try(BlockType),
    /// Begins what is done with exceptions of this tag.
    #[cfg(feature = "exceptions")]
    Catch(u32),
    #[cfg(feature = "exceptions")]
    CatchAll,
    /// Throws again what the block of this label caught.
    #[cfg(feature = "exceptions")]
    Rethrow(u32),
    /// Ends a `try`: what is thrown in it is as if thrown in the block of this label, counted from outside.
    #[cfg(feature = "exceptions")]
    Delegate(u32),
}

impl<'m> Instr<'m> {
    /// Reads the next instruction.
    pub(crate) fn read(reader: &mut Reader<'m>) -> Result<Instr<'m>, Malformed> {
        let at = reader.at();
        let opcode = reader.byte()?;
        Ok(match opcode {
            op::UNREACHABLE => Instr::Unreachable,
            op::NOP => Instr::Nop,
            op::BLOCK => Instr::Block(block_type(reader)?),
            op::LOOP => Instr::Loop(block_type(reader)?),
            op::IF => Instr::If(block_type(reader)?),
            op::ELSE => Instr::Else,
            op::END => Instr::End,
            op::BR => Instr::Br(reader.u32()?),
            op::BR_IF => Instr::BrIf(reader.u32()?),
            op::BR_TABLE => Instr::BrTable(branch_targets(reader)?),
            op::RETURN => Instr::Return,
            op::CALL => Instr::Call(reader.u32()?),
            op::CALL_INDIRECT => {
                let (ty, table) = (reader.u32()?, reader.u32()?);
                Instr::CallIndirect { ty, table }
            }
            op::RETURN_CALL => Instr::ReturnCall(reader.u32()?),
            op::RETURN_CALL_INDIRECT => {
                let (ty, table) = (reader.u32()?, reader.u32()?);
                Instr::ReturnCallIndirect { ty, table }
            }
            op::DROP => Instr::Drop,
            op::SELECT => Instr::Select,
            op::SELECT_TYPED => {
                // The format has a list here; the standard allows exactly one type.
                let list = reader.at();
                if reader.u32()? != 1 {
                    return Err(error_at(list, MalformedKind::SelectArity));
                }
                Instr::SelectTyped(val_type(reader)?)
            }
            op::LOCAL_GET => Instr::LocalGet(reader.u32()?),
            op::LOCAL_SET => Instr::LocalSet(reader.u32()?),
            op::LOCAL_TEE => Instr::LocalTee(reader.u32()?),
            op::GLOBAL_GET => Instr::GlobalGet(reader.u32()?),
            op::GLOBAL_SET => Instr::GlobalSet(reader.u32()?),
            op::TABLE_GET => Instr::TableGet(reader.u32()?),
            op::TABLE_SET => Instr::TableSet(reader.u32()?),
            op::I32_LOAD..=op::I64_STORE32 => load_or_store(reader, opcode)?,
            op::MEMORY_SIZE => of_memory(Instr::MemorySize, memory(reader)?),
            op::MEMORY_GROW => of_memory(Instr::MemoryGrow, memory(reader)?),
            op::I32_CONST => Instr::I32Const(reader.i32()?),
            op::I64_CONST => Instr::I64Const(reader.i64()?),
            op::F32_CONST => Instr::F32Const(u32::from_le_bytes(reader.array()?)),
            op::F64_CONST => Instr::F64Const(u64::from_le_bytes(reader.array()?)),
            op::REF_NULL => Instr::RefNull(ref_type(reader)?),
            op::REF_IS_NULL => Instr::RefIsNull,
            op::REF_FUNC => Instr::RefFunc(reader.u32()?),
            op::PREFIX => return prefixed(reader, at),
            op::SIMD => return wide(reader, at),
            #[cfg(feature = "exceptions")]
            op::TRY..=op::THROW_REF | op::DELEGATE..=op::CATCH_ALL | op::TRY_TABLE => {
                exception(reader, opcode)?
            }
            _ => match NumericOp::from_opcode(u16::from(opcode)) {
                Some(numeric) => Instr::Numeric(numeric),
                None => {
                    return Err(error_at(
                        at,
                        MalformedKind::UnknownInstruction(opcode.into()),
                    ));
                }
            },
        })
    }

    /// Its name in the text format.
    pub fn name(&self) -> &'static str {
        match self {
            Instr::Unreachable => "unreachable",
            Instr::Nop => "nop",
            Instr::Block(_) => "block",
            Instr::Loop(_) => "loop",
            Instr::If(_) => "if",
            Instr::Else => "else",
            Instr::End => "end",
            Instr::Br(_) => "br",
            Instr::BrIf(_) => "br_if",
            Instr::BrTable(_) => "br_table",
            Instr::Return => "return",
            Instr::Call(_) => "call",
            Instr::CallIndirect { .. } => "call_indirect",
            Instr::ReturnCall(_) => "return_call",
            Instr::ReturnCallIndirect { .. } => "return_call_indirect",
            Instr::Drop => "drop",
            Instr::Select | Instr::SelectTyped(_) => "select",
            Instr::LocalGet(_) => "local.get",
            Instr::LocalSet(_) => "local.set",
            Instr::LocalTee(_) => "local.tee",
            Instr::GlobalGet(_) => "global.get",
            Instr::GlobalSet(_) => "global.set",
            Instr::TableGet(_) => "table.get",
            Instr::TableSet(_) => "table.set",
            Instr::Load(opcode, _) | Instr::Store(opcode, _) => access(*opcode).0,
            Instr::MemorySize => "memory.size",
            Instr::MemoryGrow => "memory.grow",
            Instr::I32Const(_) => "i32.const",
            Instr::I64Const(_) => "i64.const",
            Instr::F32Const(_) => "f32.const",
            Instr::F64Const(_) => "f64.const",
            Instr::Numeric(numeric) => numeric.name(),
            Instr::RefNull(_) => "ref.null",
            Instr::RefIsNull => "ref.is_null",
            Instr::RefFunc(_) => "ref.func",
            Instr::MemoryInit(_) => "memory.init",
            Instr::DataDrop(_) => "data.drop",
            Instr::MemoryCopy => "memory.copy",
            Instr::MemoryFill => "memory.fill",
            Instr::TableInit { .. } => "table.init",
            Instr::ElemDrop(_) => "elem.drop",
            Instr::TableCopy { .. } => "table.copy",
            Instr::TableGrow(_) => "table.grow",
            Instr::TableSize(_) => "table.size",
            Instr::TableFill(_) => "table.fill",
            #[cfg(feature = "simd")]
            Instr::Wide(op, _) => op.name(),
            #[cfg(feature = "memories")]
            Instr::Elsewhere(instr) => instr.like().name(),
            #[cfg(feature = "exceptions")]
            Instr::Throw(_) => "throw",
            #[cfg(feature = "exceptions")]
            Instr::ThrowRef => "throw_ref",
            #[cfg(feature = "exceptions")]
            Instr::TryTable(..) => "try_table",
            #[cfg(feature = "exceptions")]
            Instr::Try(_) => "try",
            #[cfg(feature = "exceptions")]
            Instr::Catch(_) => "catch",
            #[cfg(feature = "exceptions")]
            Instr::CatchAll => "catch_all",
            #[cfg(feature = "exceptions")]
            Instr::Rethrow(_) => "rethrow",
            #[cfg(feature = "exceptions")]
            Instr::Delegate(_) => "delegate",
        }
    }
}

/// As in the text format, without the names of things.
impl fmt::Display for Instr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match *self {
            Instr::Block(ty) | Instr::Loop(ty) | Instr::If(ty) => write_block_type(f, ty),
            Instr::BrTable(targets) => targets.labels().try_for_each(|label| write!(f, " {label}")),
            Instr::CallIndirect { ty, table } | Instr::ReturnCallIndirect { ty, table } => {
                write!(f, " {table} (type {ty})")
            }
            Instr::SelectTyped(ty) => write!(f, " (result {ty})"),
            Instr::RefNull(ty) => f.write_str(match ty {
                ValType::FuncRef => " func",
                #[cfg(feature = "exceptions")]
                ValType::ExnRef => " exn",
                _ => " extern",
            }),
            Instr::Br(index)
            | Instr::BrIf(index)
            | Instr::Call(index)
            | Instr::ReturnCall(index)
            | Instr::LocalGet(index)
            | Instr::LocalSet(index)
            | Instr::LocalTee(index)
            | Instr::GlobalGet(index)
            | Instr::GlobalSet(index)
            | Instr::TableGet(index)
            | Instr::TableSet(index)
            | Instr::RefFunc(index)
            | Instr::MemoryInit(index)
            | Instr::DataDrop(index)
            | Instr::ElemDrop(index)
            | Instr::TableGrow(index)
            | Instr::TableSize(index)
            | Instr::TableFill(index) => write!(f, " {index}"),
            Instr::TableInit { elem, table } => write!(f, " {table} {elem}"),
            Instr::TableCopy { to, from } => write!(f, " {to} {from}"),
            Instr::I32Const(value) => write!(f, " {value}"),
            Instr::I64Const(value) => write!(f, " {value}"),
            Instr::F32Const(bits) => write!(f, " {}", f32::from_bits(bits)),
            Instr::F64Const(bits) => write!(f, " {}", f64::from_bits(bits)),
            Instr::Load(opcode, arg) | Instr::Store(opcode, arg) => write_access(f, opcode, arg),
            #[cfg(feature = "simd")]
            Instr::Wide(op, arg) => write_wide(f, op, &arg),
            #[cfg(feature = "memories")]
            Instr::Elsewhere(instr) => instr.fmt(f),
            #[cfg(feature = "exceptions")]
            Instr::Throw(index)
            | Instr::Catch(index)
            | Instr::Rethrow(index)
            | Instr::Delegate(index) => {
                write!(f, " {index}")
            }
            #[cfg(feature = "exceptions")]
            Instr::Try(ty) => write_block_type(f, ty),
            #[cfg(feature = "exceptions")]
            Instr::TryTable(ty, catches) => {
                write_block_type(f, ty)?;
                let mut clauses = catches.clauses();
                clauses.try_for_each(|clause| write!(f, " {clause}"))
            }
            _ => Ok(()),
        }
    }
}

/// An instruction on exceptions.
#[cfg(feature = "exceptions")]
fn exception<'m>(reader: &mut Reader<'m>, opcode: u8) -> Result<Instr<'m>, Malformed> {
    Ok(match opcode {
        op::TRY => Instr::Try(block_type(reader)?),
        op::CATCH => Instr::Catch(reader.u32()?),
        op::THROW => Instr::Throw(reader.u32()?),
        op::RETHROW => Instr::Rethrow(reader.u32()?),
        op::THROW_REF => Instr::ThrowRef,
        op::DELEGATE => Instr::Delegate(reader.u32()?),
        op::CATCH_ALL => Instr::CatchAll,
        _ => Instr::TryTable(block_type(reader)?, Catches::read(reader)?),
    })
}

/// A load or store of a number.
fn load_or_store<'m>(reader: &mut Reader<'m>, opcode: u8) -> Result<Instr<'m>, Malformed> {
    let (arg, memory) = memory_arg(reader)?;
    let instr = match opcode {
        ..op::I32_STORE => Instr::Load(opcode, arg),
        _ => Instr::Store(opcode, arg),
    };
    Ok(of_memory(instr, memory))
}

#[cfg(feature = "memories")]
impl Elsewhere {
    /// The instruction on the first memory that does the same there.
    pub(crate) fn like(self) -> Instr<'static> {
        match self {
            Elsewhere::Load(opcode, arg, _) => Instr::Load(opcode, arg),
            Elsewhere::Store(opcode, arg, _) => Instr::Store(opcode, arg),
            #[cfg(feature = "simd")]
            Elsewhere::Wide(op, arg, _) => Instr::Wide(op, arg),
            Elsewhere::Size(_) => Instr::MemorySize,
            Elsewhere::Grow(_) => Instr::MemoryGrow,
            Elsewhere::Init { data, .. } => Instr::MemoryInit(data),
            Elsewhere::Copy { .. } => Instr::MemoryCopy,
            Elsewhere::Fill(_) => Instr::MemoryFill,
        }
    }
}

#[cfg(feature = "memory64")]
impl Instr<'_> {
    /// It with the first memory named, if it is one on that.
    pub(crate) fn named(self) -> Self {
        match self {
            Instr::MemoryCopy => Instr::Elsewhere(Elsewhere::Copy { to: 0, from: 0 }),
            instr => elsewhere(instr, 0),
        }
    }
}

/// What an instruction on the first memory is on this one.
#[cfg(feature = "memories")]
fn of_memory(instr: Instr<'_>, memory: u32) -> Instr<'_> {
    match memory {
        0 => instr,
        memory => elsewhere(instr, memory),
    }
}

/// An instruction on the first memory with this one named.
#[cfg(feature = "memories")]
fn elsewhere(instr: Instr<'_>, memory: u32) -> Instr<'_> {
    Instr::Elsewhere(match instr {
        Instr::Load(opcode, arg) => Elsewhere::Load(opcode, arg, memory),
        Instr::Store(opcode, arg) => Elsewhere::Store(opcode, arg, memory),
        #[cfg(feature = "simd")]
        Instr::Wide(op, arg) => Elsewhere::Wide(op, arg, memory),
        Instr::MemorySize => Elsewhere::Size(memory),
        Instr::MemoryGrow => Elsewhere::Grow(memory),
        Instr::MemoryInit(data) => Elsewhere::Init { data, memory },
        Instr::MemoryFill => Elsewhere::Fill(memory),
        // It is on no memory, or on two.
        _ => return instr,
    })
}

/// `memory.copy`.
#[cfg(feature = "memories")]
fn copy(to: u32, from: u32) -> Instr<'static> {
    match (to, from) {
        (0, 0) => Instr::MemoryCopy,
        _ => Instr::Elsewhere(Elsewhere::Copy { to, from }),
    }
}

/// There is but one memory.
#[cfg(not(feature = "memories"))]
fn of_memory(instr: Instr<'_>, _: u32) -> Instr<'_> {
    instr
}

/// From the one memory to itself.
#[cfg(not(feature = "memories"))]
fn copy(_: u32, _: u32) -> Instr<'static> {
    Instr::MemoryCopy
}

fn write_block_type(f: &mut fmt::Formatter<'_>, ty: BlockType) -> fmt::Result {
    match ty {
        BlockType::Empty => Ok(()),
        BlockType::Value(ty) => write!(f, " (result {ty})"),
        BlockType::Func(ty) => write!(f, " (type {ty})"),
    }
}

fn prefixed<'m>(reader: &mut Reader<'m>, at: usize) -> Result<Instr<'m>, Malformed> {
    let number = reader.u32()?;
    Ok(match number {
        op::MEMORY_INIT => {
            let data = reader.u32()?;
            of_memory(Instr::MemoryInit(data), memory(reader)?)
        }
        op::DATA_DROP => Instr::DataDrop(reader.u32()?),
        op::MEMORY_COPY => {
            let to = memory(reader)?;
            copy(to, memory(reader)?)
        }
        op::MEMORY_FILL => of_memory(Instr::MemoryFill, memory(reader)?),
        op::TABLE_INIT => {
            let elem = reader.u32()?;
            Instr::TableInit {
                elem,
                table: reader.u32()?,
            }
        }
        op::ELEM_DROP => Instr::ElemDrop(reader.u32()?),
        op::TABLE_COPY => {
            let to = reader.u32()?;
            Instr::TableCopy {
                to,
                from: reader.u32()?,
            }
        }
        op::TABLE_GROW => Instr::TableGrow(reader.u32()?),
        op::TABLE_SIZE => Instr::TableSize(reader.u32()?),
        op::TABLE_FILL => Instr::TableFill(reader.u32()?),
        0..=7 => match NumericOp::from_opcode(0xfc00 + number as u16) {
            Some(numeric) => Instr::Numeric(numeric),
            None => {
                return Err(error_at(
                    at,
                    MalformedKind::UnknownInstruction(0xfc00 + number),
                ));
            }
        },
        _ => {
            let code = 0xfc00u32.saturating_add(number);
            return Err(error_at(at, MalformedKind::UnknownInstruction(code)));
        }
    })
}

/// An instruction on vectors.
#[cfg(feature = "simd")]
fn wide<'m>(reader: &mut Reader<'m>, at: usize) -> Result<Instr<'m>, Malformed> {
    let number = reader.u32()?;
    let unknown = MalformedKind::UnknownInstruction(0xfd_0000u32.saturating_add(number));
    let op = WideOp::from_number(number).ok_or(error_at(at, unknown))?;
    let mut arg = WideArg::default();
    let mut memory = 0;
    if op.width() != 0 {
        let access;
        (access, memory) = memory_arg(reader)?;
        (arg.align, arg.offset) = (access.align, access.offset);
    }
    if op.has_bytes() {
        arg.bytes = reader.array()?;
    } else if op.info().lanes != 0 {
        arg.lane = reader.byte()?;
    }
    Ok(of_memory(Instr::Wide(op, arg), memory))
}

/// Vectors are refused by name.
#[cfg(not(feature = "simd"))]
fn wide<'m>(_: &mut Reader<'m>, at: usize) -> Result<Instr<'m>, Malformed> {
    Err(error_at(at, MalformedKind::NoSimd))
}

fn branch_targets<'m>(reader: &mut Reader<'m>) -> Result<BranchTargets<'m>, Malformed> {
    let count = reader.count()? as u32;
    let labels = *reader;
    for _ in 0..=count {
        reader.u32()?;
    }
    Ok(BranchTargets { labels, count })
}

fn block_type(reader: &mut Reader<'_>) -> Result<BlockType, Malformed> {
    let at = reader.at();
    if reader.peek() == Some(0x40) {
        reader.byte()?;
        return Ok(BlockType::Empty);
    }
    let mut value = *reader;
    if let Ok(ty) = val_type(&mut value) {
        *reader = value;
        return Ok(BlockType::Value(ty));
    }
    u32::try_from(reader.i33()?)
        .map(BlockType::Func)
        .map_err(|_| error_at(at, MalformedKind::BadType))
}

/// Reads a value type.
pub(crate) fn val_type(reader: &mut Reader<'_>) -> Result<ValType, Malformed> {
    let at = reader.at();
    Ok(match reader.byte()? {
        0x7f => ValType::I32,
        0x7e => ValType::I64,
        0x7d => ValType::F32,
        0x7c => ValType::F64,
        0x70 => ValType::FuncRef,
        0x6f => ValType::ExternRef,
        #[cfg(feature = "exceptions")]
        0x69 => ValType::ExnRef,
        #[cfg(not(feature = "exceptions"))]
        0x69 => return Err(error_at(at, MalformedKind::NoExceptions)),
        #[cfg(feature = "simd")]
        0x7b => ValType::V128,
        #[cfg(not(feature = "simd"))]
        0x7b => return Err(error_at(at, MalformedKind::NoSimd)),
        _ => return Err(error_at(at, MalformedKind::BadType)),
    })
}

/// Reads a reference type.
pub(crate) fn ref_type(reader: &mut Reader<'_>) -> Result<ValType, Malformed> {
    let at = reader.at();
    let ty = val_type(reader)?;
    if ty.is_reference() {
        Ok(ty)
    } else {
        Err(error_at(at, MalformedKind::BadType))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn read(bytes: &[u8]) -> Result<Instr<'_>, Malformed> {
        Instr::read(&mut Reader::new(bytes, 0, bytes.len()))
    }

    #[test]
    fn instructions_print_as_in_the_text_format() {
        for (bytes, text) in [
            (&[0x41, 0x7f][..], "i32.const -1"),
            (&[0x02, 0x40], "block"),
            (&[0x03, 0x7e], "loop (result i64)"),
            (&[0x04, 0x05], "if (type 5)"),
            (&[0x0e, 2, 0, 1, 2], "br_table 0 1 2"),
            (&[0x28, 2, 8], "i32.load offset=8"),
            (&[0x28, 1, 0], "i32.load align=2"),
            (&[0x3e, 2, 0], "i64.store32"),
            (&[0x11, 3, 1], "call_indirect 1 (type 3)"),
            (&[0x12, 4], "return_call 4"),
            (&[0x13, 3, 1], "return_call_indirect 1 (type 3)"),
            (&[0xfc, 7], "i64.trunc_sat_f64_u"),
            (&[0xfc, 12, 1, 2], "table.init 2 1"),
            (&[0xd0, 0x6f], "ref.null extern"),
            (&[0x6a], "i32.add"),
            (&[0x08, 3], "throw 3"),
            (&[0x0a], "throw_ref"),
            (&[0x06, 0x7f], "try (result i32)"),
            (&[0x07, 3], "catch 3"),
            (&[0x19], "catch_all"),
            (&[0x09, 1], "rethrow 1"),
            (&[0x18, 2], "delegate 2"),
            (&[0xd0, 0x69], "ref.null exn"),
            (
                &[0x1f, 0x7f, 4, 0, 5, 6, 1, 7, 8, 2, 9, 3, 1],
                "try_table (result i32) (catch 5 6) (catch_ref 7 8) (catch_all 9) (catch_all_ref 1)",
            ),
            (&[0x28, 0x42, 1, 8], "i32.load 1 offset=8"),
            (&[0x28, 0x42, 0, 8], "i32.load offset=8"),
            (&[0x3a, 0x40, 0x83, 1, 0], "i32.store8 131"),
            (&[0x3f, 1], "memory.size 1"),
            (&[0x40, 0x80, 0], "memory.grow"),
            (&[0xfc, 8, 3, 2], "memory.init 2 3"),
            (&[0xfc, 10, 1, 0], "memory.copy 1 0"),
            (&[0xfc, 10, 0, 0], "memory.copy"),
            (&[0xfc, 11, 5], "memory.fill 5"),
            (&[0xfd, 0x54, 0x40, 2, 0, 3], "v128.load8_lane 2 3"),
            (&[0xfd, 0, 4, 8], "v128.load offset=8"),
            (&[0xfd, 0x54, 0, 0, 3], "v128.load8_lane 3"),
            (&[0xfd, 0x80, 2], "i8x16.relaxed_swizzle"),
            (
                &[0xfd, 12, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 255, 0, 0, 128],
                "v128.const i32x4 0x1 0x2 0x3 0x800000ff",
            ),
        ] {
            assert_eq!(read(bytes).unwrap().to_string(), text);
        }
    }

    #[test]
    fn later_standards_are_refused_by_name() {
        assert_eq!(
            read(&[0xfd, 0x9a, 1]).unwrap_err().kind,
            MalformedKind::UnknownInstruction(0xfd_009a)
        );
        assert_eq!(
            read(&[0x14, 0]).unwrap_err().kind,
            MalformedKind::UnknownInstruction(0x14)
        );
        assert_eq!(
            read(&[0xfc, 18]).unwrap_err().kind,
            MalformedKind::UnknownInstruction(0xfc12)
        );
        for flags in [0x20, 0x3f, 0x60, 0x7f] {
            assert_eq!(
                read(&[0x28, flags, 0, 0]).unwrap_err().kind,
                MalformedKind::BadAlignment
            );
        }
        assert_eq!(
            read(&[0x1f, 0x40, 1, 4, 0]).unwrap_err().kind,
            MalformedKind::BadCatch
        );
        assert_eq!(
            read(&[0x1f, 0x40, 2, 2, 0]).unwrap_err().kind,
            MalformedKind::UnexpectedEnd
        );
        assert_eq!(
            read(&[0x02, 0x7a]).unwrap_err().kind,
            MalformedKind::BadType
        );
    }
}
