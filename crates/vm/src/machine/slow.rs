//! Instructions that are not worth a place in the stepping loop: those on tables and bulk memory,
//! and what instantiation shares with them.

use super::Instance;
#[cfg(feature = "memories")]
use super::elsewhere;
use super::state::{NONE, PAGE, Store, backed_bytes};
use crate::binary::{Instr, Reader};
#[cfg(feature = "simd")]
use crate::num::{WideArg, WideOp};
use crate::types::Offset;
#[cfg(feature = "simd")]
use crate::types::cells_of;
use crate::{Limits, MemoryType, TableType, Trap, ValType};

/// `index` within `length`, or nothing if `count` things from there do not fit.
pub(super) fn range(
    index: Offset,
    count: Offset,
    length: usize,
) -> Option<core::ops::Range<usize>> {
    // Where `usize` has 32 bits, too, lengths are compared in 64.
    let end = u64::from(index).checked_add(count.into())?;
    (end <= length as u64).then_some(index as usize..end as usize)
}

/// The trap of an access to `count` bytes from `address`, which is not all there.
#[cold]
pub(crate) fn memory_fault(pages: u32, address: u64, count: u64) -> Trap {
    if address.saturating_add(count) <= u64::from(pages) * PAGE {
        Trap::MemoryNotBacked
    } else {
        Trap::MemoryOutOfBounds
    }
}

/// `memory.init`: destination, source, count.
pub(super) fn memory_init(
    store: &mut Store,
    instance: &Instance,
    id: u32,
    memory: u32,
    data: u32,
    [to, from, count]: [Offset; 3],
) -> Result<(), Trap> {
    let dropped = store
        .progress
        .get(id as usize)
        .and_then(|progress| progress.dropped_data.get(data as usize).copied());
    let segment = match (instance.module.data.get(data as usize), dropped) {
        (Some(segment), Some(false)) => instance.module.slice(&segment.bytes),
        _ => &[],
    };
    let source = range(from, count, segment.len()).and_then(|range| segment.get(range));
    let source = source.ok_or(Trap::MemoryOutOfBounds)?;
    let memory = store.memories.get_mut(instance.memory_at(memory) as usize);
    let memory = memory.ok_or(Trap::MemoryOutOfBounds)?;
    let pages = memory.pages;
    range(to, count, memory.bytes.len())
        .and_then(|range| memory.bytes.range_mut(range))
        .ok_or_else(|| memory_fault(pages, to.into(), count.into()))?
        .copy_from_slice(source);
    Ok(())
}

/// `memory.copy` within the memory at this address: destination, source, count.
pub(super) fn memory_copy(
    store: &mut Store,
    address: u32,
    [to, from, count]: [Offset; 3],
) -> Result<(), Trap> {
    let memory = store.memories.get_mut(address as usize);
    let memory = memory.ok_or(Trap::MemoryOutOfBounds)?;
    let length = memory.bytes.len();
    let far = to.max(from);
    match (range(from, count, length), range(to, count, length)) {
        (Some(source), Some(target)) => {
            memory.bytes.copy(source, target.start);
            Ok(())
        }
        _ => Err(memory_fault(memory.pages, far.into(), count.into())),
    }
}

/// `memory.fill` of the memory at this address: destination, value, count.
pub(super) fn memory_fill(
    store: &mut Store,
    address: u32,
    [to, value, count]: [Offset; 3],
) -> Result<(), Trap> {
    let memory = store.memories.get_mut(address as usize);
    let memory = memory.ok_or(Trap::MemoryOutOfBounds)?;
    let pages = memory.pages;
    range(to, count, memory.bytes.len())
        .and_then(|range| memory.bytes.range_mut(range))
        .ok_or_else(|| memory_fault(pages, to.into(), count.into()))?
        .fill(value as u8);
    Ok(())
}

/// `memory.grow` of the memory at this address: the old size, or -1.
pub(super) fn memory_grow(store: &mut Store, fixed: Fixed<'_>, address: u32, delta: Offset) -> u64 {
    let failed = fixed.memory_types.get(address as usize);
    let failed = failed.map_or(0, |ty| minus_one(ty.address_type()));
    let old = u32::try_from(delta).ok();
    let old = old.and_then(|delta| grown(store, fixed, address, delta));
    old.map_or(failed, u64::from)
}

/// The cell of -1.
fn minus_one(ty: ValType) -> u64 {
    match ty {
        ValType::I64 => u64::MAX,
        _ => u32::MAX.into(),
    }
}

/// Makes a memory larger, and gives its old size; nothing if it may not be so large.
fn grown(store: &mut Store, fixed: Fixed<'_>, address: u32, delta: u32) -> Option<u32> {
    let Fixed {
        limits,
        memory_types: types,
        ..
    } = fixed;
    #[cfg(feature = "memories")]
    let all = store.pages();
    let ty = types.get(address as usize);
    let memory = store.memories.get_mut(address as usize);
    let (ty, memory) = (ty?, memory?);
    // 65,536 pages are the most that 32-bit addresses reach, and no memory is larger.
    let most = ty
        .max
        .unwrap_or(1 << 16)
        .min(limits.memory_pages)
        .min(1 << 16);
    let old = memory.pages;
    #[cfg(feature = "memories")]
    if all + u64::from(delta) > u64::from(limits.memory_pages) {
        return None;
    }
    let pages = old.checked_add(delta).filter(|pages| *pages <= most)?;
    memory.pages = pages;
    memory.bytes.resize(backed_bytes(pages, limits));
    Some(old)
}

/// `table.init`: destination, source, count.
pub(super) fn table_init(
    store: &mut Store,
    instance: &Instance,
    id: u32,
    table: u32,
    elem: u32,
    [to, from, count]: [Offset; 3],
) -> Result<(), Trap> {
    let dropped = store
        .progress
        .get(id as usize)
        .and_then(|progress| progress.dropped_elements.get(elem as usize).copied());
    let items = match (instance.module.elements.get(elem as usize), dropped) {
        (Some(segment), Some(false)) => segment.items.as_slice(),
        _ => &[],
    };
    let source = range(from, count, items.len()).and_then(|range| items.get(range));
    let source = source.ok_or(Trap::TableOutOfBounds)?;
    let Store {
        tables, globals, ..
    } = store;
    let elements = table_mut(tables, instance, table).ok_or(Trap::TableOutOfBounds)?;
    let target = range(to, count, elements.len()).and_then(|range| elements.get_mut(range));
    for (element, item) in target.ok_or(Trap::TableOutOfBounds)?.iter_mut().zip(source) {
        *element = instance.constant(*item, globals);
    }
    Ok(())
}

/// `table.copy`: destination, source, count.
fn table_copy(
    store: &mut Store,
    instance: &Instance,
    (to_table, from_table): (u32, u32),
    [to, from, count]: [Offset; 3],
) -> Result<(), Trap> {
    let address = |table: u32| instance.tables.get(table as usize).map(|at| *at as usize);
    let bounds = Trap::TableOutOfBounds;
    let (target_at, source_at) = (
        address(to_table).ok_or(bounds)?,
        address(from_table).ok_or(bounds)?,
    );
    let length = |at: usize| store.tables.get(at).map_or(0, |table| table.len());
    let source = range(from, count, length(source_at)).ok_or(bounds)?;
    let target = range(to, count, length(target_at)).ok_or(bounds)?;
    if target_at == source_at {
        if let Some(table) = store.tables.get_mut(target_at) {
            table.copy_within(source, target.start);
        }
    } else if let Ok([target_table, source_table]) =
        store.tables.get_disjoint_mut([target_at, source_at])
        && let (Some(target), Some(source)) =
            (target_table.get_mut(target), source_table.get(source))
    {
        target.copy_from_slice(source);
    }
    Ok(())
}

/// `table.grow`: the old size, or -1.
fn table_grow(
    store: &mut Store,
    types: &[TableType],
    limits: &Limits,
    instance: &Instance,
    table: u32,
    (cell, delta): (u64, Offset),
) -> u64 {
    let address = instance.tables.get(table as usize).copied().unwrap_or(NONE) as usize;
    let (Some(ty), Some(elements)) = (types.get(address), store.tables.get_mut(address)) else {
        return 0;
    };
    let most = ty.max.unwrap_or(u32::MAX).min(limits.table_elements);
    let old = elements.len() as Offset;
    match old.checked_add(delta) {
        Some(size) if size <= Offset::from(most) => {
            elements.resize(size as usize, cell);
            old.into()
        }
        _ => minus_one(ty.address_type()),
    }
}

fn table_mut<'s>(
    tables: &'s mut [alloc::vec::Vec<u64>],
    instance: &Instance,
    table: u32,
) -> Option<&'s mut alloc::vec::Vec<u64>> {
    tables.get_mut(*instance.tables.get(table as usize)? as usize)
}

pub(super) fn drop_element(store: &mut Store, id: u32, elem: u32) {
    let progress = store.progress.get_mut(id as usize);
    if let Some(dropped) = progress.and_then(|all| all.dropped_elements.get_mut(elem as usize)) {
        *dropped = true;
    }
}

pub(super) fn drop_data(store: &mut Store, id: u32, data: u32) {
    let progress = store.progress.get_mut(id as usize);
    if let Some(dropped) = progress.and_then(|all| all.dropped_data.get_mut(data as usize)) {
        *dropped = true;
    }
}

/// Where the `try_table` there goes on, and how many clauses it has.
#[cfg(feature = "exceptions")]
#[inline(never)]
pub(super) fn try_table(code: &[u8], at: usize) -> (usize, usize) {
    let mut reader = Reader::new(code, at, code.len());
    // Validated code reads without errors.
    match Instr::read(&mut reader) {
        Ok(Instr::TryTable(_, catches)) => (reader.at(), catches.len() as usize),
        _ => (at, 0),
    }
}

/// What these instructions need of the machine besides its store.
#[derive(Clone, Copy)]
pub(super) struct Fixed<'m> {
    pub(super) limits: &'m Limits,
    pub(super) memory_types: &'m [MemoryType],
    pub(super) table_types: &'m [TableType],
}

/// Executes one instruction at `pc` of instance `id` whose operands end at `sp`. Gives the new
/// `pc` and `sp`.
#[inline(never)]
pub(super) fn execute(
    fixed: Fixed<'_>,
    store: &mut Store,
    (instance, id): (&Instance, u32),
    stack: &mut [u64],
    #[cfg_attr(not(feature = "simd"), allow(unused_variables))] (pc, sp, fp): (usize, usize, usize),
) -> Result<(usize, usize), Trap> {
    let bytes = instance.module.bytes();
    let mut reader = Reader::new(bytes, pc, bytes.len());
    // Validated code reads without errors.
    let instr = Instr::read(&mut reader).map_err(|_| Trap::Unreachable)?;
    let instr = instance.module.named(instr);
    let mut operands = Operands { stack, sp };
    match instr {
        Instr::Numeric(numeric) => {
            let count = numeric.operands().len();
            let from = operands.sp.saturating_sub(count);
            let cells = operands.stack.get(from..operands.sp).unwrap_or_default();
            let result = numeric.apply(cells)?;
            operands.sp = from;
            operands.push(result);
        }
        Instr::MemoryGrow => {
            let delta = operands.pop() as Offset;
            operands.push(memory_grow(store, fixed, instance.memory, delta));
        }
        Instr::MemorySize => {
            let memory = store.memories.get(instance.memory as usize);
            operands.push(memory.map_or(0, |memory| memory.pages).into());
        }
        Instr::MemoryInit(data) => memory_init(store, instance, id, 0, data, operands.three())?,
        Instr::DataDrop(data) => drop_data(store, id, data),
        Instr::MemoryCopy => memory_copy(store, instance.memory, operands.three())?,
        Instr::MemoryFill => memory_fill(store, instance.memory, operands.three())?,
        Instr::TableInit { elem, table } => {
            table_init(store, instance, id, table, elem, operands.three())?;
        }
        Instr::ElemDrop(elem) => drop_element(store, id, elem),
        Instr::TableCopy { to, from } => {
            table_copy(store, instance, (to, from), operands.three())?;
        }
        Instr::TableGrow(table) => {
            let delta = operands.pop() as Offset;
            let cell = operands.pop();
            let types = fixed.table_types;
            let old = table_grow(store, types, fixed.limits, instance, table, (cell, delta));
            operands.push(old);
        }
        Instr::TableSize(table) => {
            let size = table_mut(&mut store.tables, instance, table).map_or(0, |table| table.len());
            operands.push(size as u64);
        }
        Instr::TableFill(table) => {
            let count = operands.pop() as Offset;
            let cell = operands.pop();
            let to = operands.pop() as Offset;
            table_mut(&mut store.tables, instance, table)
                .and_then(|table| {
                    let range = range(to, count, table.len())?;
                    table.get_mut(range)
                })
                .ok_or(Trap::TableOutOfBounds)?
                .fill(cell);
        }
        Instr::TableGet(table) => {
            let index = usize::try_from(operands.pop() as Offset).ok();
            let table = table_mut(&mut store.tables, instance, table);
            let cell = table.and_then(|table| table.get(index?).copied());
            operands.push(cell.ok_or(Trap::TableOutOfBounds)?);
        }
        Instr::TableSet(table) => {
            let cell = operands.pop();
            let index = usize::try_from(operands.pop() as Offset).ok();
            let table = table_mut(&mut store.tables, instance, table);
            let element = table.and_then(|table| table.get_mut(index?));
            *element.ok_or(Trap::TableOutOfBounds)? = cell;
        }
        Instr::RefNull(_) => operands.push(0),
        Instr::RefIsNull => {
            let cell = operands.pop();
            operands.push(u64::from(cell == 0));
        }
        Instr::RefFunc(func) => {
            let address = instance.funcs.get(func as usize).copied();
            operands.push(crate::value::ref_to_cell(address));
        }
        #[cfg(feature = "memories")]
        Instr::Elsewhere(instr) => {
            elsewhere::execute(fixed, store, (instance, id), &mut operands, instr)?;
        }
        #[cfg(feature = "simd")]
        instr => operands.wide(store, instance, (pc, fp), instr)?,
        // The stepping loop executes all others itself.
        #[cfg(not(feature = "simd"))]
        _ => return Err(Trap::Unreachable),
    }
    Ok((reader.at(), operands.sp))
}

/// The operand stack; validation makes sure that it has what an instruction takes.
pub(super) struct Operands<'s> {
    stack: &'s mut [u64],
    sp: usize,
}

impl Operands<'_> {
    pub(super) fn pop(&mut self) -> u64 {
        self.sp = self.sp.saturating_sub(1);
        self.stack.get(self.sp).copied().unwrap_or(0)
    }

    pub(super) fn push(&mut self, cell: u64) {
        if let Some(slot) = self.stack.get_mut(self.sp) {
            *slot = cell;
            self.sp += 1;
        }
    }

    /// Instructions on vectors, and those that move values, in functions where some take two cells.
    #[cfg(feature = "simd")]
    fn wide(
        &mut self,
        store: &mut Store,
        instance: &Instance,
        (pc, fp): (usize, usize),
        instr: Instr<'_>,
    ) -> Result<(), Trap> {
        let module = &instance.module;
        let body = module
            .func_at(crate::CodeOffset(pc as u32))
            .and_then(|func| module.body(func.0));
        let body = body.and_then(|body| module.wide_body(body));
        let body = body.ok_or(Trap::Unreachable)?;
        let local = |index: u32| {
            let place = body.locals.get(index as usize);
            place.map_or((0, 1), |place| {
                (fp + usize::from(place.cell), 1 + usize::from(place.wide))
            })
        };
        let untyped = 1 + usize::from(body.is_wide(pc as u32));
        match instr {
            Instr::Drop => self.sp -= untyped,
            Instr::Select => self.select(untyped),
            Instr::SelectTyped(ty) => self.select(ty.cells()),
            Instr::LocalGet(index) => {
                let (at, count) = local(index);
                self.stack.copy_within(at..at + count, self.sp);
                self.sp += count;
            }
            Instr::LocalSet(index) | Instr::LocalTee(index) => {
                let (at, count) = local(index);
                self.stack.copy_within(self.sp - count..self.sp, at);
                if matches!(instr, Instr::LocalSet(_)) {
                    self.sp -= count;
                }
            }
            Instr::GlobalGet(index) | Instr::GlobalSet(index) => {
                let ty = module.globals.get(index as usize);
                let count = ty.map_or(1, |ty| ty.value.cells());
                let at = instance.globals.get(index as usize).copied().unwrap_or(0) as usize;
                let global = store.globals.get_mut(at..at + count);
                let global = global.ok_or(Trap::Unreachable)?;
                if matches!(instr, Instr::GlobalGet(_)) {
                    self.stack[self.sp..self.sp + count].copy_from_slice(global);
                    self.sp += count;
                } else {
                    self.sp -= count;
                    global.copy_from_slice(&self.stack[self.sp..self.sp + count]);
                }
            }
            Instr::Wide(op, arg) => {
                let memory = store.memories.get_mut(instance.memory as usize);
                self.vector(memory, op, &arg)?;
            }
            // The stepping loop executes all others itself.
            _ => return Err(Trap::Unreachable),
        }
        Ok(())
    }

    /// `select` of values of so many cells.
    #[cfg(feature = "simd")]
    fn select(&mut self, count: usize) {
        let condition = self.pop() as u32;
        self.sp -= count;
        if condition == 0 {
            let second = self.sp..self.sp + count;
            self.stack.copy_within(second, self.sp - count);
        }
    }

    /// An instruction on vectors.
    #[cfg(feature = "simd")]
    pub(super) fn vector(
        &mut self,
        memory: Option<&mut super::memory::Memory>,
        op: WideOp,
        arg: &WideArg,
    ) -> Result<(), Trap> {
        let info = op.info();
        let base = self.sp - cells_of(info.operands);
        let values = crate::Value::all_from_cells(info.operands, &self.stack[base..self.sp]);
        let mut operands = [[0; 16], [0; 16], arg.bytes];
        for (operand, value) in operands.iter_mut().zip(values) {
            let [low, high] = value.to_cells();
            *operand = (u128::from(low) | u128::from(high) << 64).to_le_bytes();
        }
        let width = op.width();
        let mut accessed = None;
        if width != 0 {
            let memory = memory.ok_or(Trap::MemoryOutOfBounds)?;
            let range = memory.place(self.stack[base] as Offset, arg.offset, width)?;
            let bytes = memory.bytes.range_mut(range).unwrap_or_default();
            operands[0] = [0; 16];
            operands[0][..bytes.len()].copy_from_slice(bytes);
            accessed = Some(bytes);
        }
        let result = op.apply(&operands, arg.lane);
        self.sp = base;
        match (info.result, accessed) {
            (Some(ty), _) => {
                let bits = u128::from_le_bytes(result);
                self.push(bits as u64);
                if ty.cells() == 2 {
                    self.push((bits >> 64) as u64);
                }
            }
            (None, Some(bytes)) => bytes.copy_from_slice(&result[..bytes.len()]),
            (None, None) => {}
        }
        Ok(())
    }

    /// Three operands, the deepest first. A cell has no more than its type.
    pub(super) fn three(&mut self) -> [Offset; 3] {
        let mut three = [0; 3];
        three
            .iter_mut()
            .rev()
            .for_each(|operand| *operand = self.pop() as Offset);
        three
    }
}
