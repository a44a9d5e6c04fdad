//! The compiler: from a function's instructions to operations, in one pass.

mod compute;
mod control;
mod emit;
#[cfg(feature = "memory64")]
mod far;
#[cfg(feature = "simd")]
mod vector;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

pub(super) use emit::{Class, Operand, Place};

use self::control::Label;
use self::emit::Emitter;
use super::op::Code;
#[cfg(feature = "host")]
use super::watched::Watched;
use crate::binary::Instr;
#[cfg(feature = "memories")]
use crate::binary::{Elsewhere, memory_width};
use crate::machine::{Func, Instance};
use crate::module::{Body, side_entries};
use crate::num::NumericOp;
#[cfg(all(feature = "memories", feature = "simd"))]
use crate::types::cells_of;
use crate::types::in_cells;
use crate::value::ref_to_cell;
use crate::{FuncIdx, ValType};

/// A place where code can be entered and left: all operands are in their slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    /// The operation, as an index into the code.
    pub(crate) at: u32,
    /// The instruction, as an offset in the module.
    pub(crate) pc: u32,
    /// The first entry of the side table at or after the instruction.
    pub(crate) branch: u32,
    /// The instruction's number, counted from the function's start or the last place where ordinals start anew: behind
    /// calls, and now and then in long functions.
    pub(crate) ordinal: u32,
    /// Cells of operands.
    pub(crate) height: u32,
}

/// A function's code.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) code: Box<[u64]>,
    /// In the order of the code, which is that of the instructions. Of several of one instruction the
    /// last is behind its breakpoint.
    pub(crate) points: Vec<Point>,
    /// Operations that are never executed, but left before; in the order of the code.
    pub(crate) leaves: Vec<Point>,
    /// The highest number that an instruction's successor has.
    pub(crate) longest: u32,
}

/// Where everything is at an operation that would trap: what the other tier needs to execute the
/// instruction itself.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) point: Point,
    pub(crate) operands: Vec<Operand>,
}

/// What the compiler must know of the machine.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'m> {
    pub(crate) instance: &'m Instance,
    /// Number of the instance.
    pub(crate) id: u32,
    pub(crate) funcs: &'m [Func],
    /// Offsets in the instance's code, sorted, that code is left before.
    pub(crate) breakpoints: &'m [u32],
    /// What is watched.
    #[cfg(feature = "host")]
    pub(crate) watched: &'m Watched,
    /// Whether code notes what it writes.
    #[cfg(feature = "host")]
    pub(crate) notes: bool,
    /// False to leave the steps uncounted, to measure what counting costs.
    pub(crate) counting: bool,
}

#[cfg(feature = "host")]
impl Surroundings<'_> {
    /// Whether code looks at what stores will write.
    fn looks(&self) -> bool {
        self.notes || self.watched.has_bytes()
    }
}

/// Bytes that code leaves to others.
const SPARE_BYTES: usize = 8 << 10;

/// Compiles the function at this address, in the scratch; `None` if it is too large for the code's
/// format, for so many words, or for the memory that is left.
pub(crate) fn compile(
    surroundings: Surroundings<'_>,
    address: u32,
    scratch: &mut Vec<u64>,
    room: usize,
) -> Option<Compiled> {
    let translator = translate(surroundings, address, scratch, room, None)?;
    let mut code = Vec::new();
    if translator.emitter.full || code.try_reserve_exact(scratch.len()).is_err() {
        return None;
    }
    // Speed is not worth that the rest runs out of memory.
    Vec::<u8>::new().try_reserve_exact(SPARE_BYTES).ok()?;
    code.extend_from_slice(scratch);
    Some(Compiled {
        code: code.into_boxed_slice(),
        points: translator.points,
        leaves: translator.leaves,
        longest: translator.longest,
    })
}

/// Compiles the function again to learn where everything is at the operation `at`.
///
/// Traps are rare and code is compiled in one cheap pass: keeping all this for every operation
/// would cost more. The scratch is what it was compiled in, so there is room.
pub(crate) fn site(
    surroundings: Surroundings<'_>,
    address: u32,
    scratch: &mut Vec<u64>,
    at: usize,
) -> Option<Site> {
    translate(surroundings, address, scratch, usize::MAX, Some(at))?
        .emitter
        .site()
}

/// Translates the function at this address into the scratch, in so many words, or as far as the operation `wanted`.
fn translate<'m>(
    surroundings: Surroundings<'m>,
    address: u32,
    scratch: &mut Vec<u64>,
    room: usize,
    wanted: Option<usize>,
) -> Option<Translator<'m>> {
    let mut translator = Translator::new(surroundings, address, wanted)?;
    translator.emitter.code = core::mem::take(scratch);
    translator.emitter.room = room;
    translator.function();
    *scratch = core::mem::take(&mut translator.emitter.code);
    Some(translator)
}

/// Instructions after which ordinals start anew where there is no label, either.
const MOST: u32 = 1024;

/// Cells of a frame at most: operands name slots by their distance in bytes, with half-words.
const MAX_SLOTS: u32 = 0x1fff;

struct Translator<'m> {
    surroundings: Surroundings<'m>,
    address: u32,
    body: Body,
    func: FuncIdx,
    local_types: Vec<ValType>,
    /// Those of the results' cells.
    result_types: Cow<'m, [ValType]>,
    emitter: Emitter,
    labels: Vec<Label>,
    points: Vec<Point>,
    leaves: Vec<Point>,
    longest: u32,
    /// The instruction being translated: its offset and that of the next one.
    pc: u32,
    next_pc: u32,
    /// Its ordinal, and the next one's; see [`Point::ordinal`].
    ordinal: u32,
    next_ordinal: u32,
    /// The side table's first entry for it, and for the next one.
    branch: u32,
    next_branch: u32,
    /// How many blocks were opened since control cannot come here, if it cannot.
    dead: Option<u32>,
}

impl<'m> Translator<'m> {
    fn new(surroundings: Surroundings<'m>, address: u32, wanted: Option<usize>) -> Option<Self> {
        let func = surroundings.funcs.get(address as usize)?;
        let module = &surroundings.instance.module;
        let body = *module.body(func.index)?;
        let func = FuncIdx(func.index);
        if body.cells() > MAX_SLOTS {
            return None;
        }
        Some(Translator {
            surroundings,
            address,
            body,
            func,
            local_types: module.local_types(func),
            result_types: in_cells(&module.func_type(func)?.results),
            emitter: Emitter::new(body.locals, wanted),
            labels: Vec::new(),
            points: Vec::new(),
            leaves: Vec::new(),
            longest: 0,
            pc: body.start,
            next_pc: body.start,
            ordinal: 0,
            next_ordinal: 0,
            branch: body.branch,
            next_branch: body.branch,
            dead: None,
        })
    }

    fn function(&mut self) {
        let module = &self.surroundings.instance.module;
        self.emitter.code.clear();
        self.labels.push(Label::function(&self.result_types));
        self.point();
        let mut instrs = module.instrs(self.func).peekable();
        while let Some((at, instr)) = instrs.next() {
            let next = instrs.peek();
            self.come_to(at.0, &instr, next.is_none());
            self.next_pc = next.map_or(self.body.end, |(at, _)| at.0);
            self.next_ordinal = self.ordinal + 1;
            self.next_branch = self.branch + side_entries(&instr);
            if self.dead.is_some() {
                self.skip(&instr);
                continue;
            }
            let height = self.emitter.stack.len() as u32;
            let (pc, branch, ordinal) = (self.pc, self.branch, self.ordinal);
            self.emitter.begin(Point {
                at: 0,
                pc,
                branch,
                ordinal,
                height,
            });
            let is_done = self.far(&instr) || self.body.is_wide() && self.wide(&instr);
            if !is_done {
                // No operation is of an instruction that code is left before and of one before it.
                let next = next.filter(|(at, instr)| !self.stops_before(at.0, instr));
                self.instr(&instr, next.map(|(_, instr)| instr));
            }
            if self.emitter.full {
                return;
            }
            // No operation is of such an instruction and of one before it.
            let between = matches!(next, Some((_, Instr::LocalGet(_))));
            if self.dead.is_none() && between && self.next_ordinal >= MOST {
                self.interrupt();
            }
        }
        self.restart_ordinals();
    }

    /// Comes to an instruction. If it has a breakpoint, or may write something watched, code is left before it, and
    /// entered behind that by whoever goes on.
    fn come_to(&mut self, pc: u32, instr: &Instr<'_>, is_last: bool) {
        let stops = self.stops_before(pc, instr);
        if stops && is_last {
            self.join_returns();
        }
        self.pc = pc;
        self.ordinal = self.next_ordinal;
        self.branch = self.next_branch;
        if stops && self.dead.is_none() {
            self.leave_here();
            self.emitter.barrier();
            self.point();
        }
    }

    fn stops_before(&self, pc: u32, instr: &Instr<'_>) -> bool {
        #[cfg(feature = "host")]
        if (self.surroundings.watched).stops_before(instr, self.surroundings.instance) {
            return true;
        }
        let _ = instr;
        self.stops_at(pc)
    }

    // As others here not inlined: that costs devices flash, and compiling takes no longer.
    #[inline(never)]
    fn stops_at(&self, pc: u32) -> bool {
        self.surroundings.breakpoints.binary_search(&pc).is_ok()
    }

    /// Code can be entered and left at its end, before the next instruction.
    #[inline(never)]
    fn point(&mut self) {
        let point = Point {
            at: self.emitter.code.len() as u32,
            pc: self.next_pc,
            branch: self.next_branch,
            ordinal: self.next_ordinal,
            height: self.emitter.stack.len() as u32,
        };
        self.emitter.keep(&mut self.points, point);
    }

    /// An instruction that control cannot reach.
    fn skip(&mut self, instr: &Instr<'_>) {
        let blocks = self.dead.unwrap_or(0);
        match instr {
            Instr::Block(_) | Instr::Loop(_) | Instr::If(_) => self.dead = Some(blocks + 1),
            #[cfg(feature = "exceptions")]
            Instr::TryTable(..) | Instr::Try(_) => self.dead = Some(blocks + 1),
            #[cfg(feature = "exceptions")]
            Instr::Catch(_) | Instr::CatchAll if blocks == 0 => self.catch(instr),
            #[cfg(feature = "exceptions")]
            Instr::Delegate(_) if blocks == 0 => self.end(),
            #[cfg(feature = "exceptions")]
            Instr::Delegate(_) => self.dead = Some(blocks - 1),
            Instr::Else if blocks == 0 => self.else_(),
            Instr::End if blocks == 0 => self.end(),
            Instr::End => self.dead = Some(blocks - 1),
            _ => {}
        }
    }

    fn instr(&mut self, instr: &Instr<'_>, next: Option<&Instr<'_>>) {
        use ValType::{ExternRef, F32, F64, FuncRef, I32, I64};
        match *instr {
            Instr::Nop => {}
            Instr::Unreachable => self.leave_for_good(),
            Instr::Block(ty) => self.block(ty),
            Instr::Loop(ty) => self.loop_(ty),
            Instr::If(ty) => self.if_(ty),
            Instr::Else => self.else_(),
            Instr::End => self.end(),
            Instr::Br(label) => self.br(label),
            Instr::BrIf(label) => self.br_if(label),
            Instr::BrTable(targets) => self.br_table(targets),
            Instr::Return => {
                self.return_(self.ordinal + 1);
                self.dead = Some(0);
            }
            Instr::Call(func) => self.call(func, false),
            Instr::CallIndirect { ty, table } => self.call_indirect(ty, table, false),
            Instr::ReturnCall(func) => self.call(func, true),
            Instr::ReturnCallIndirect { ty, table } => self.call_indirect(ty, table, true),
            Instr::Drop => {
                self.emitter.pop();
            }
            Instr::Select | Instr::SelectTyped(_) => self.select(),
            Instr::LocalGet(local) => {
                let ty = self.local_types.get(local as usize).copied().unwrap_or(I32);
                self.emitter.push(Class::of(ty), Place::Local(local as u16));
            }
            Instr::LocalSet(local) => self.emitter.set_local(local as u16),
            Instr::LocalTee(local) => {
                let class = self.emitter.top_class();
                self.emitter.set_local(local as u16);
                self.emitter.push(class, Place::Local(local as u16));
            }
            Instr::GlobalGet(index) => self.global_get(index),
            Instr::GlobalSet(index) => self.global_set(index),
            Instr::Load(opcode, arg) => self.load(opcode, arg),
            Instr::Store(opcode, arg) => self.store(opcode, arg),
            Instr::MemorySize => self.memory_size(),
            Instr::I32Const(value) => self.constant(I32, u64::from(value as u32)),
            Instr::I64Const(value) => self.constant(I64, value as u64),
            Instr::F32Const(bits) => self.constant(F32, u64::from(bits)),
            Instr::F64Const(bits) => self.constant(F64, bits),
            Instr::RefNull(ty) => self.constant(ty, 0),
            Instr::RefFunc(index) => {
                let address = self.surroundings.instance.funcs.get(index as usize);
                self.constant(FuncRef, ref_to_cell(address.copied()));
            }
            Instr::Numeric(op) => self.numeric(op, next),
            // A reference is null if its cell is zero.
            Instr::RefIsNull => self.numeric(NumericOp::I64Eqz, next),
            Instr::MemoryCopy => self.bulk(Code::BulkCopy),
            Instr::MemoryFill => self.bulk(Code::BulkFill),
            // The other tier has these.
            Instr::MemoryGrow => self.leave(1, &[I32]),
            Instr::MemoryInit(_)
            | Instr::TableInit { .. }
            | Instr::TableCopy { .. }
            | Instr::TableFill(_) => self.leave(3, &[]),
            Instr::DataDrop(_) | Instr::ElemDrop(_) => self.leave(0, &[]),
            // A reference is an integer here, whatever it refers to.
            Instr::TableGet(_) => self.leave(1, &[ExternRef]),
            Instr::TableSet(_) => self.leave(2, &[]),
            Instr::TableGrow(_) => self.leave(2, &[I32]),
            Instr::TableSize(_) => self.leave(0, &[I32]),
            #[cfg(feature = "simd")]
            Instr::Wide(..) => {}
            #[cfg(feature = "memories")]
            Instr::Elsewhere(instr) => self.elsewhere(instr),
            #[cfg(feature = "exceptions")]
            _ => self.exception(instr),
        }
    }

    /// Nothing has addresses of 64 bits.
    #[cfg(not(feature = "memory64"))]
    fn far(&mut self, _: &Instr<'_>) -> bool {
        false
    }

    /// An instruction on another memory than the first: the other tier has these.
    #[cfg(feature = "memories")]
    fn elsewhere(&mut self, instr: Elsewhere) {
        let memory = self.surroundings.instance.module.memory_at(instr.memory());
        let address = memory.map_or(ValType::I32, |memory| memory.address_type());
        match instr {
            Elsewhere::Load(opcode, ..) => self.leave(1, &[memory_width(opcode).0]),
            Elsewhere::Store(..) => self.leave(2, &[]),
            #[cfg(feature = "simd")]
            Elsewhere::Wide(op, ..) => {
                let info = op.info();
                let result = info.result.map(|ty| [ty]);
                let results = result.as_ref().map_or(&[][..], |result| result);
                self.leave(cells_of(info.operands), &in_cells(results));
            }
            Elsewhere::Size(_) => self.leave(0, &[address]),
            Elsewhere::Grow(_) => self.leave(1, &[address]),
            Elsewhere::Init { .. } | Elsewhere::Copy { .. } | Elsewhere::Fill(_) => {
                self.leave(3, &[]);
            }
        }
    }

    /// An instruction on exceptions.
    #[cfg(feature = "exceptions")]
    fn exception(&mut self, instr: &Instr<'_>) {
        match *instr {
            Instr::TryTable(ty, catches) => self.try_table(ty, catches),
            Instr::Try(ty) => self.block(ty),
            Instr::Catch(_) | Instr::CatchAll => self.catch(instr),
            Instr::Delegate(_) => self.end(),
            _ => self.leave_for_good(),
        }
    }

    /// There are no vectors.
    #[cfg(not(feature = "simd"))]
    fn wide(&mut self, _: &Instr<'_>) -> bool {
        false
    }

    fn constant(&mut self, ty: ValType, cell: u64) {
        self.emitter.push(Class::of(ty), Place::Const(cell));
    }
}
