//! The types of operands along a function's code: the validation algorithm of the standard, one
//! instruction at a time. It validates modules when they are loaded and tells afterwards what is
//! on the stack at any instruction.

use alloc::vec::Vec;

use super::error::{InvalidKind, LoadCause};
use super::locals::Locals;
use super::{LoadError, Module};
#[cfg(feature = "memories")]
use crate::binary::Elsewhere;
use crate::binary::{BlockType, BranchTargets, Instr, MalformedKind, Reader, memory_width};
#[cfg(feature = "simd")]
use crate::num::{WideArg, WideOp};
use crate::types::Offset;
use crate::types::cells_of;
use crate::{CodeOffset, FuncIdx, FuncType, ValType};

/// What kind of block is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    Block,
    Loop,
    If,
    Else,
    #[cfg(feature = "exceptions")]
    Try,
    #[cfg(feature = "exceptions")]
    Catch,
    #[cfg(feature = "exceptions")]
    CatchAll,
}

/// An open block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    /// `None` for the function itself.
    pub(super) ty: Option<BlockType>,
    /// Operands under the block's own.
    pub(super) height: usize,
    /// Their cells.
    pub(super) cells: usize,
    /// The rest of the block cannot be reached: any operand may be popped.
    pub(super) unreachable: bool,
}

impl Block {
    /// How many operands, of a cell each, lie under its own that no instruction in it takes, but which are dropped with
    /// it: what a `catch` caught.
    fn kept(&self) -> usize {
        #[cfg(feature = "exceptions")]
        return usize::from(self.is_catch());
        #[cfg(not(feature = "exceptions"))]
        0
    }
}

/// The types of operands before one instruction of a function.
pub(crate) struct Typing<'m> {
    pub(super) module: &'m Module,
    func: u32,
    locals: Locals<'m>,
    reader: Reader<'m>,
    /// `None` where unreachable code leaves the type open.
    operands: Vec<Option<ValType>>,
    pub(super) blocks: Vec<Block>,
    /// Cells of the operands.
    cells: usize,
    highest: usize,
    wide: bool,
}

type Result<T> = core::result::Result<T, LoadCause>;

impl<'m> Typing<'m> {
    /// At the start of `func`'s code, which `reader` is positioned at.
    pub(super) fn new(
        module: &'m Module,
        func: u32,
        locals: Locals<'m>,
        reader: Reader<'m>,
    ) -> Self {
        let function = Block {
            kind: BlockKind::Block,
            ty: None,
            height: 0,
            cells: 0,
            unreachable: false,
        };
        Typing {
            module,
            func,
            locals,
            reader,
            operands: Vec::new(),
            blocks: Vec::from([function]),
            cells: 0,
            highest: 0,
            wide: false,
        }
    }

    /// At the start of `func` of a loaded module; nothing if it has no body.
    pub(crate) fn of_body(module: &'m Module, func: u32) -> Option<Self> {
        let code = module.body(func)?.code(module.bytes());
        Some(Typing::new(module, func, module.locals(func)?, code))
    }

    /// The next instruction's offset.
    pub(crate) fn at(&self) -> usize {
        self.reader.at()
    }

    /// True behind the function's last `end`.
    pub(crate) fn is_finished(&self) -> bool {
        self.blocks.is_empty()
    }

    /// How many blocks are open.
    pub(crate) fn depth(&self) -> usize {
        self.blocks.len()
    }

    /// The most cells of operands so far.
    pub(crate) fn highest(&self) -> usize {
        self.highest
    }

    /// Reads the next instruction, which is then to be applied.
    pub(crate) fn read(&mut self) -> core::result::Result<Instr<'m>, LoadError> {
        Ok(Instr::read(&mut self.reader)?)
    }

    /// Goes on to the instruction at `offset`; nothing if none starts there.
    pub(crate) fn advance_to(&mut self, offset: CodeOffset) -> Option<()> {
        while self.at() < offset.0 as usize && !self.is_finished() {
            let instr = self.read().ok()?;
            self.apply(&instr, None).ok()?;
        }
        (self.at() == offset.0 as usize && !self.is_finished()).then_some(())
    }

    /// The types of all operands, the deepest first; nothing if control cannot come here.
    pub(crate) fn operand_types(&self) -> Option<Vec<ValType>> {
        if !self.blocks.iter().any(|block| block.unreachable) {
            return self.operands.iter().copied().collect();
        }
        // Branches to the function's label arrive at its last `end`, whatever stands before.
        let mut rest = self.reader;
        let last = matches!(Instr::read(&mut rest), Ok(Instr::End)) && self.blocks.len() == 1;
        last.then(|| Vec::from(self.results(None)))
    }

    /// Cells of operands under those that a branch to `label` takes, and how many it takes.
    pub(crate) fn label(&self, label: u32) -> Option<(u16, u16)> {
        let block = self.block(label)?;
        // The limits of a function keep both small.
        Some((block.cells as u16, cells_of(self.label_types(block)) as u16))
    }

    /// Applies the instruction that was just read. With `declared`, `ref.func` may only name the
    /// functions that are true there.
    pub(crate) fn apply(&mut self, instr: &Instr<'m>, declared: Option<&[bool]>) -> Result<()> {
        match *instr {
            Instr::Unreachable => self.unreachable(),
            Instr::Nop => {}
            Instr::Block(ty) => self.open(BlockKind::Block, ty)?,
            Instr::Loop(ty) => self.open(BlockKind::Loop, ty)?,
            Instr::If(ty) => {
                self.pop(ValType::I32)?;
                self.open(BlockKind::If, ty)?;
            }
            Instr::Else => self.otherwise()?,
            Instr::End => self.end()?,
            Instr::Br(label) => {
                self.pop_all(self.label_or_error(label)?)?;
                self.unreachable();
            }
            Instr::BrIf(label) => {
                self.pop(ValType::I32)?;
                let types = self.label_or_error(label)?;
                self.pop_all(types)?;
                self.push_all(types);
            }
            Instr::BrTable(targets) => self.branch_table(targets)?,
            Instr::Return => {
                self.pop_all(self.results(None))?;
                self.unreachable();
            }
            Instr::Call(func) => {
                let ty = self.callee(func)?;
                self.pop_all(&ty.params)?;
                self.push_all(&ty.results);
            }
            Instr::CallIndirect { ty, table } => {
                let ty = self.callee_in(ty, table)?;
                self.pop_all(&ty.params)?;
                self.push_all(&ty.results);
            }
            Instr::ReturnCall(func) => {
                let ty = self.callee(func)?;
                self.tail_call(ty)?;
            }
            Instr::ReturnCallIndirect { ty, table } => {
                let ty = self.callee_in(ty, table)?;
                self.tail_call(ty)?;
            }
            Instr::Drop => {
                self.pop_any()?;
            }
            Instr::Select => self.select()?,
            Instr::SelectTyped(ty) => {
                self.pop_all(&[ty, ty, ValType::I32])?;
                self.push(ty);
            }
            Instr::LocalGet(_) | Instr::LocalSet(_) | Instr::LocalTee(_) => self.local(instr)?,
            Instr::GlobalGet(index) => {
                let global = self.module.globals.get(index as usize);
                self.push(global.ok_or(InvalidKind::UnknownGlobal(index))?.value);
            }
            Instr::GlobalSet(index) => {
                let global = self.module.globals.get(index as usize);
                let global = global.ok_or(InvalidKind::UnknownGlobal(index))?;
                if !global.mutable {
                    return Err(InvalidKind::ImmutableGlobal.into());
                }
                self.pop(global.value)?;
            }
            Instr::Load(..) | Instr::Store(..) => self.access(instr, 0)?,
            Instr::I32Const(_) => self.push(ValType::I32),
            Instr::I64Const(_) => self.push(ValType::I64),
            Instr::F32Const(_) => self.push(ValType::F32),
            Instr::F64Const(_) => self.push(ValType::F64),
            Instr::Numeric(numeric) => {
                self.pop_all(numeric.operands())?;
                self.push(numeric.result());
            }
            Instr::RefNull(ty) => self.push(ty),
            Instr::RefIsNull => {
                if self.pop_any()?.is_some_and(|ty| !ty.is_reference()) {
                    return Err(InvalidKind::NumberOrReference.into());
                }
                self.push(ValType::I32);
            }
            Instr::RefFunc(func) => {
                let known = (func as usize) < self.module.functions.len();
                known.then_some(()).ok_or(InvalidKind::UnknownFunc(func))?;
                if declared.is_some_and(|declared| declared.get(func as usize) != Some(&true)) {
                    return Err(InvalidKind::UndeclaredFunc.into());
                }
                self.push(ValType::FuncRef);
            }
            #[cfg(feature = "simd")]
            Instr::Wide(op, arg) => self.wide(op, &arg, 0)?,
            #[cfg(feature = "memories")]
            Instr::Elsewhere(instr) => self.elsewhere(instr)?,
            #[cfg(feature = "exceptions")]
            Instr::Throw(tag) => self.throw(tag)?,
            #[cfg(feature = "exceptions")]
            Instr::ThrowRef => self.throw_ref()?,
            #[cfg(feature = "exceptions")]
            Instr::TryTable(ty, catches) => {
                self.catches(catches)?;
                self.open(BlockKind::Block, ty)?;
            }
            #[cfg(feature = "exceptions")]
            Instr::Try(ty) => self.open(BlockKind::Try, ty)?,
            #[cfg(feature = "exceptions")]
            Instr::Catch(tag) => self.catch(Some(tag))?,
            #[cfg(feature = "exceptions")]
            Instr::CatchAll => self.catch(None)?,
            #[cfg(feature = "exceptions")]
            Instr::Rethrow(label) => self.rethrow(label)?,
            #[cfg(feature = "exceptions")]
            Instr::Delegate(label) => self.delegate(label)?,
            _ => self.memory_or_table(instr, [0; 2])?,
        }
        self.highest = self.highest.max(self.cells);
        Ok(())
    }

    /// An instruction on these memories (of which only `memory.copy` reads the second one) or on tables.
    fn memory_or_table(&mut self, instr: &Instr<'m>, memories: [u32; 2]) -> Result<()> {
        use ValType::I32;
        let [memory, from] = memories;
        match *instr {
            Instr::MemorySize => {
                let address = self.memory(memory)?;
                self.push(address);
            }
            Instr::MemoryGrow => {
                let address = self.memory(memory)?;
                self.pop(address)?;
                self.push(address);
            }
            Instr::MemoryInit(data) => {
                let address = self.memory(memory)?;
                self.data(data)?;
                self.pop_all(&[address, I32, I32])?;
            }
            Instr::DataDrop(data) => self.data(data)?,
            Instr::MemoryCopy => {
                let (to, from) = (self.memory(memory)?, self.memory(from)?);
                self.pop_all(&[to, from, shorter(to, from)])?;
            }
            Instr::MemoryFill => {
                let address = self.memory(memory)?;
                self.pop_all(&[address, I32, address])?;
            }
            Instr::TableGet(table) => {
                let (ty, address) = self.table(table)?;
                self.pop(address)?;
                self.push(ty);
            }
            Instr::TableSet(table) => {
                let (ty, address) = self.table(table)?;
                self.pop_all(&[address, ty])?;
            }
            Instr::TableInit { elem, table } => {
                let (ty, address) = self.table(table)?;
                expect(ty, self.element(elem)?)?;
                self.pop_all(&[address, I32, I32])?;
            }
            Instr::ElemDrop(elem) => {
                self.element(elem)?;
            }
            Instr::TableCopy { to, from } => {
                let ((ty, to), (found, from)) = (self.table(to)?, self.table(from)?);
                expect(ty, found)?;
                self.pop_all(&[to, from, shorter(to, from)])?;
            }
            Instr::TableGrow(table) => {
                let (ty, address) = self.table(table)?;
                self.pop_all(&[ty, address])?;
                self.push(address);
            }
            Instr::TableSize(table) => {
                let (_, address) = self.table(table)?;
                self.push(address);
            }
            Instr::TableFill(table) => {
                let (ty, address) = self.table(table)?;
                self.pop_all(&[address, ty, address])?;
            }
            // All others are applied by `apply`.
            _ => {}
        }
        Ok(())
    }

    /// An instruction on vectors, if it is an access one on this memory.
    #[cfg(feature = "simd")]
    fn wide(&mut self, op: WideOp, arg: &WideArg, memory: u32) -> Result<()> {
        let info = op.info();
        let mut operands = info.operands;
        let mut address = None;
        if op.width() != 0 {
            address = Some(self.place(memory, arg.offset)?);
            // The first operand is the address.
            operands = operands.get(1..).unwrap_or_default();
            if 1u64 << arg.align > u64::from(op.width()) {
                return Err(InvalidKind::Alignment.into());
            }
        }
        let shuffled = op.is_shuffle() && arg.bytes.iter().any(|lane| *lane >= 32);
        if shuffled || (info.lanes != 0 && arg.lane >= info.lanes) {
            return Err(InvalidKind::Lane.into());
        }
        self.pop_all(operands)?;
        self.pop_all(address.as_slice())?;
        if let Some(ty) = info.result {
            self.push(ty);
        }
        Ok(())
    }

    /// True if there was a vector among the operands so far, or is one among the locals.
    #[cfg(feature = "simd")]
    pub(super) fn has_wide(&self) -> bool {
        self.wide || self.locals.total != self.locals.cells()
    }

    /// Where the locals are.
    #[cfg(feature = "simd")]
    pub(super) fn places(&self) -> alloc::boxed::Box<[super::locals::Place]> {
        self.locals.places()
    }

    /// True of a `drop` or `select` that is of vectors without saying so.
    #[cfg(feature = "simd")]
    pub(super) fn is_untyped_wide(&self, instr: &Instr<'_>) -> bool {
        let above = match instr {
            Instr::Drop => 1..2,
            Instr::Select => 2..4,
            _ => return false,
        };
        let mut below = above.map_while(|depth| {
            let at = self.operands.len().checked_sub(depth)?;
            self.operands.get(at)
        });
        below.any(|ty| *ty == Some(ValType::V128))
    }

    fn callee(&self, func: u32) -> Result<&'m FuncType> {
        let ty = self.module.func_type(FuncIdx(func));
        Ok(ty.ok_or(InvalidKind::UnknownFunc(func))?)
    }

    /// The type of what is called through a table, whose index it pops.
    fn callee_in(&mut self, ty: u32, table: u32) -> Result<&'m FuncType> {
        let (element, address) = self.table(table)?;
        expect(ValType::FuncRef, element)?;
        let found = self.module.types.get(ty as usize);
        let found = found.ok_or(InvalidKind::UnknownType(ty))?;
        self.pop(address)?;
        Ok(found)
    }

    fn tail_call(&mut self, ty: &FuncType) -> Result<()> {
        if ty.results != self.results(None) {
            return Err(InvalidKind::TailCallResults.into());
        }
        self.pop_all(&ty.params)?;
        self.unreachable();
        Ok(())
    }

    fn open(&mut self, kind: BlockKind, ty: BlockType) -> Result<()> {
        if let BlockType::Func(index) = ty
            && index as usize >= self.module.types.len()
        {
            return Err(InvalidKind::UnknownType(index).into());
        }
        let params = self.params(ty);
        self.pop_all(params)?;
        let height = self.operands.len();
        self.blocks.push(Block {
            kind,
            ty: Some(ty),
            height,
            cells: self.cells,
            unreachable: false,
        });
        self.push_all(params);
        Ok(())
    }

    fn otherwise(&mut self) -> Result<()> {
        let block = self.close()?;
        let Block {
            kind: BlockKind::If,
            ty: Some(ty),
            ..
        } = block
        else {
            return Err(InvalidKind::ElseWithoutIf.into());
        };
        self.blocks.push(Block {
            kind: BlockKind::Else,
            unreachable: false,
            ..block
        });
        self.push_all(self.params(ty));
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let block = self.close()?;
        let results = self.results(block.ty);
        if let (BlockKind::If, Some(ty)) = (block.kind, block.ty)
            && self.params(ty) != results
        {
            return Err(InvalidKind::IfWithoutElse.into());
        }
        // Also at the end of the function: its results are operands before its last `end`.
        self.push_all(results);
        Ok(())
    }

    /// Takes the results of the innermost block and closes it.
    pub(super) fn close(&mut self) -> Result<Block> {
        let block = self.innermost()?;
        self.pop_all(self.results(block.ty))?;
        if self.operands.len() != block.height + block.kept() {
            return Err(InvalidKind::OperandsLeft.into());
        }
        #[cfg(feature = "exceptions")]
        {
            self.operands.truncate(block.height);
            self.cells = block.cells;
        }
        self.blocks.pop();
        Ok(block)
    }

    fn branch_table(&mut self, targets: BranchTargets<'m>) -> Result<()> {
        self.pop(ValType::I32)?;
        let default = targets.labels().last().unwrap_or(0);
        let arity = self.label_or_error(default)?.len();
        let mut popped = Vec::new();
        for label in targets.labels() {
            let types = self.label_or_error(label)?;
            if types.len() != arity {
                return Err(InvalidKind::LabelsDiffer.into());
            }
            // What is popped goes back as it was: in unreachable code, types stay open.
            popped.clear();
            for &ty in types.iter().rev() {
                popped.push(self.pop(ty)?);
            }
            popped.iter().rev().for_each(|ty| self.push_any(*ty));
        }
        self.unreachable();
        Ok(())
    }

    fn select(&mut self) -> Result<()> {
        self.pop(ValType::I32)?;
        let (second, first) = (self.pop_any()?, self.pop_any()?);
        if [first, second]
            .into_iter()
            .flatten()
            .any(ValType::is_reference)
        {
            return Err(InvalidKind::NumberOrReference.into());
        }
        if let (Some(expected), Some(found)) = (first, second) {
            expect(expected, found)?;
        }
        self.push_any(first.or(second));
        Ok(())
    }

    fn local(&mut self, instr: &Instr<'m>) -> Result<()> {
        let (Instr::LocalGet(index) | Instr::LocalSet(index) | Instr::LocalTee(index)) = *instr
        else {
            return Ok(());
        };
        let ty = self.locals.ty(index);
        let ty = ty.ok_or(InvalidKind::UnknownLocal(index))?;
        if !matches!(instr, Instr::LocalGet(_)) {
            self.pop(ty)?;
        }
        if !matches!(instr, Instr::LocalSet(_)) {
            self.push(ty);
        }
        Ok(())
    }

    /// A load or store of a number in this memory.
    fn access(&mut self, instr: &Instr<'m>, memory: u32) -> Result<()> {
        let (Instr::Load(opcode, arg) | Instr::Store(opcode, arg)) = *instr else {
            return Ok(());
        };
        let address = self.place(memory, arg.offset)?;
        let (ty, width) = memory_width(opcode);
        if 1 << arg.align > width {
            return Err(InvalidKind::Alignment.into());
        }
        match instr {
            Instr::Load(..) => {
                self.pop(address)?;
                self.push(ty);
            }
            _ => self.pop_all(&[address, ty])?,
        }
        Ok(())
    }

    /// An instruction on another memory than the first.
    #[cfg(feature = "memories")]
    fn elsewhere(&mut self, instr: Elsewhere) -> Result<()> {
        let from = match instr {
            Elsewhere::Copy { from, .. } => from,
            _ => 0,
        };
        let (like, memory) = (instr.like(), instr.memory());
        match like {
            Instr::Load(..) | Instr::Store(..) => self.access(&like, memory),
            #[cfg(feature = "simd")]
            Instr::Wide(op, arg) => self.wide(op, &arg, memory),
            _ => self.memory_or_table(&like, [memory, from]),
        }
    }

    /// The type of a memory's addresses, if an access may have this offset there.
    fn place(&self, memory: u32, offset: Offset) -> Result<ValType> {
        let address = self.memory(memory)?;
        if address == ValType::I32 && u64::from(offset) > u64::from(u32::MAX) {
            return Err(InvalidKind::Offset.into());
        }
        Ok(address)
    }

    /// The type of a memory's addresses.
    fn memory(&self, index: u32) -> Result<ValType> {
        match self.module.memory_at(index) {
            Some(memory) => Ok(memory.address_type()),
            None => Err(InvalidKind::UnknownMemory(index).into()),
        }
    }

    /// The types of a table's elements and of the numbers that they are named by.
    fn table(&self, index: u32) -> Result<(ValType, ValType)> {
        match self.module.tables.get(index as usize) {
            Some(table) => Ok((table.element, table.address_type())),
            None => Err(InvalidKind::UnknownTable(index).into()),
        }
    }

    fn element(&self, index: u32) -> Result<ValType> {
        match self.module.elements.get(index as usize) {
            Some(segment) => Ok(segment.ty),
            None => Err(InvalidKind::UnknownElement(index).into()),
        }
    }

    fn data(&self, index: u32) -> Result<()> {
        match self.module.data_count {
            None => Err(LoadCause::Malformed(MalformedKind::DataCountMissing)),
            Some(count) if index < count => Ok(()),
            Some(_) => Err(InvalidKind::UnknownData(index).into()),
        }
    }

    fn innermost(&self) -> Result<Block> {
        self.blocks
            .last()
            .copied()
            .ok_or(InvalidKind::CodeAfterEnd.into())
    }

    pub(super) fn block(&self, label: u32) -> Option<&Block> {
        self.blocks
            .get(self.blocks.len().checked_sub(1 + label as usize)?)
    }

    pub(super) fn label_or_error(&self, label: u32) -> Result<&'m [ValType]> {
        let block = self.block(label).ok_or(InvalidKind::UnknownLabel(label))?;
        Ok(self.label_types(block))
    }

    fn label_types(&self, block: &Block) -> &'m [ValType] {
        match (block.kind, block.ty) {
            (BlockKind::Loop, Some(ty)) => self.params(ty),
            (_, ty) => self.results(ty),
        }
    }

    fn params(&self, ty: BlockType) -> &'m [ValType] {
        match ty {
            BlockType::Empty | BlockType::Value(_) => &[],
            BlockType::Func(index) => self
                .module
                .types
                .get(index as usize)
                .map_or(&[], |ty| ty.params.as_slice()),
        }
    }

    /// The results of a block, or of the function.
    pub(super) fn results(&self, ty: Option<BlockType>) -> &'m [ValType] {
        let ty = match ty {
            Some(BlockType::Empty) => None,
            Some(BlockType::Value(ty)) => return one(ty),
            Some(BlockType::Func(index)) => self.module.types.get(index as usize),
            None => self.module.func_type(FuncIdx(self.func)),
        };
        ty.map_or(&[], |ty| ty.results.as_slice())
    }

    pub(super) fn unreachable(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.unreachable = true;
            self.operands.truncate(block.height + block.kept());
            self.cells = block.cells + block.kept();
        }
    }

    pub(super) fn push(&mut self, ty: ValType) {
        self.push_any(Some(ty));
    }

    fn push_any(&mut self, ty: Option<ValType>) {
        self.wide |= ty == Some(ValType::V128);
        self.cells += cells(ty);
        self.operands.push(ty);
    }

    pub(super) fn push_all(&mut self, types: &[ValType]) {
        types.iter().for_each(|ty| self.push(*ty));
    }

    fn pop_any(&mut self) -> Result<Option<ValType>> {
        let block = self.innermost()?;
        if self.operands.len() > block.height + block.kept() {
            let popped = self.operands.pop().flatten();
            self.cells -= cells(popped);
            return Ok(popped);
        }
        if block.unreachable {
            Ok(None)
        } else {
            Err(InvalidKind::OperandMissing.into())
        }
    }

    fn pop(&mut self, expected: ValType) -> Result<Option<ValType>> {
        let found = self.pop_any()?;
        if let Some(found) = found {
            expect(expected, found)?;
        }
        Ok(found)
    }

    pub(super) fn pop_all(&mut self, types: &[ValType]) -> Result<()> {
        types
            .iter()
            .rev()
            .try_for_each(|&ty| self.pop(ty).map(|_| ()))
    }
}

/// Cells of an operand, whose type unreachable code may leave open.
fn cells(ty: Option<ValType>) -> usize {
    ty.map_or(1, ValType::cells)
}

/// The type of how much is copied from one memory or table to another, whose addresses have these types.
fn shorter(to: ValType, from: ValType) -> ValType {
    if to == ValType::I64 { from } else { to }
}

fn expect(expected: ValType, found: ValType) -> Result<()> {
    if expected == found {
        Ok(())
    } else {
        Err(InvalidKind::TypeMismatch { expected, found }.into())
    }
}

fn one(ty: ValType) -> &'static [ValType] {
    match ty {
        ValType::I32 => &[ValType::I32],
        ValType::I64 => &[ValType::I64],
        ValType::F32 => &[ValType::F32],
        ValType::F64 => &[ValType::F64],
        ValType::FuncRef => &[ValType::FuncRef],
        ValType::ExternRef => &[ValType::ExternRef],
        ValType::V128 => &[ValType::V128],
        ValType::ExnRef => &[ValType::ExnRef],
    }
}
