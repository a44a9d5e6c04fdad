//! Instantiation: memories, tables and globals come to be, imports are resolved, segments copied.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use thiserror::Error;

use super::memory::Memory;
use super::slow;
use super::state::{NONE, Progress, backed_bytes};
use super::{Func, Instance, Machine};
use crate::binary::{Instr, Reader};
use crate::limits::{LimitExceeded, within};
use crate::module::{ConstExpr, ExternIdx, SegmentMode, arithmetic};
use crate::types::Offset;
use crate::value::ref_to_cell;
use crate::{FuncIdx, FuncType, GlobalType, MemoryType, Module, Shared, TableType, Trap, ValType};

/// An instance of a machine, in the order of instantiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceId(pub u32);

/// What an import is resolved with; the numbers are addresses in one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extern {
    /// A function that the embedder answers, whatever its type; a memory, table or tag that is
    /// nobody else's, made anew, as small as the import says.
    Host,
    /// A function of an instance.
    Func(u32),
    /// A table of an instance.
    Table(u32),
    /// A memory of an instance.
    Memory(u32),
    /// A global of an instance.
    Global(u32),
    /// A tag of an instance.
    #[cfg(feature = "exceptions")]
    Tag(u32),
}

/// Why a module cannot be instantiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StartError {
    /// There are fewer externs than imports, or the embedder was offered for a global.
    #[error("unknown import: import {import} is resolved with nothing")]
    Missing {
        /// Which import.
        import: u32,
    },
    /// An import is resolved with something of another kind or type.
    #[error("incompatible import type: import {import}")]
    Incompatible {
        /// Which import.
        import: u32,
    },
    /// A limit is passed.
    #[error("program too large: {0}")]
    Limit(#[from] LimitExceeded),
    /// The host has less memory than the limits promise.
    #[error("the host has no memory left for the program")]
    OutOfMemory,
    /// An active segment does not fit. The instance exists all the same, as the standard wants:
    /// what was copied before stays.
    #[error("{trap}: active {what} segment {segment} does not fit")]
    Segment {
        /// `data` or `element`.
        what: &'static str,
        /// Which one.
        segment: u32,
        /// The trap that this is.
        trap: Trap,
    },
}

impl Machine {
    /// Makes an instance of `module`, its imports resolved with `imports` in order, and copies its
    /// active segments. Its start function, if it has one, runs before the next entry.
    ///
    /// # Errors
    /// [`StartError`] if an import does not fit, a limit is passed, or a segment does not fit; in
    /// the last case alone, the instance was added nevertheless.
    pub fn instantiate(
        &mut self,
        module: Shared<Module>,
        imports: &[Extern],
    ) -> Result<InstanceId, StartError> {
        self.check_imports(&module, imports)?;
        self.check_limits(&module, imports)?;
        let id = self.instances.len() as u32;
        let instance = self.allocate(module, imports)?;
        let data = instance.module.data.len();
        let elements = instance.module.elements.len();
        self.state.store.progress.push(Progress {
            started: instance.module.start.is_none(),
            dropped_elements: alloc::vec![false; elements],
            dropped_data: alloc::vec![false; data],
        });
        self.instances.push(instance);
        self.tell_watches();
        self.program = self.hash_program();
        self.copy_segments(id)?;
        Ok(InstanceId(id))
    }

    /// What an instance exports under this name.
    pub fn export(&self, instance: InstanceId, name: &str) -> Option<Extern> {
        let instance = self.instances.get(instance.0 as usize)?;
        Some(match instance.module.export_item(name)? {
            ExternIdx::Func(index) => Extern::Func(*instance.funcs.get(index as usize)?),
            ExternIdx::Table(index) => Extern::Table(*instance.tables.get(index as usize)?),
            ExternIdx::Memory(index) => Extern::Memory(instance.memory_at(index)),
            ExternIdx::Global(index) => Extern::Global(*instance.globals.get(index as usize)?),
            #[cfg(feature = "exceptions")]
            ExternIdx::Tag(index) => Extern::Tag(*instance.tags.get(index as usize)?),
        })
    }

    fn check_imports(&self, module: &Module, imports: &[Extern]) -> Result<(), StartError> {
        for (number, item) in module.import_items().enumerate() {
            let import = number as u32;
            let resolved = imports.get(number).ok_or(StartError::Missing { import })?;
            let fits = match (*resolved, item) {
                (Extern::Host, ExternIdx::Global(_)) => {
                    return Err(StartError::Missing { import });
                }
                (Extern::Host, _) => true,
                (Extern::Func(address), ExternIdx::Func(index)) => {
                    self.func_ty(address) == module.func_type(FuncIdx(index))
                }
                (Extern::Table(address), ExternIdx::Table(index)) => module
                    .tables
                    .get(index as usize)
                    .is_some_and(|ty| self.table_fits(address, ty)),
                (Extern::Memory(address), ExternIdx::Memory(index)) => {
                    let size = self.state.store.memories.get(address as usize);
                    let most = self.memory_types.get(address as usize).copied();
                    match (size, most, module.memory_at(index)) {
                        (Some(memory), Some(found), Some(ty)) => {
                            found.address_type() == ty.address_type()
                                && fits_size(memory.pages, found.max, ty.min, ty.max)
                        }
                        _ => false,
                    }
                }
                (Extern::Global(address), ExternIdx::Global(index)) => {
                    let found: Option<&GlobalType> = self.global_types.get(address as usize);
                    found.is_some() && found == module.globals.get(index as usize)
                }
                #[cfg(feature = "exceptions")]
                (Extern::Tag(address), ExternIdx::Tag(index)) => {
                    let found = self.tag_ty(address);
                    found.is_some() && found == module.tag_type(index)
                }
                _ => false,
            };
            if !fits {
                return Err(StartError::Incompatible { import });
            }
        }
        Ok(())
    }

    fn table_fits(&self, address: u32, ty: &TableType) -> bool {
        let elements = self.state.store.tables.get(address as usize);
        match (self.table_types.get(address as usize), elements) {
            (Some(found), Some(elements)) => {
                found.element == ty.element
                    && found.address_type() == ty.address_type()
                    && fits_size(elements.len() as u32, found.max, ty.min, ty.max)
            }
            _ => false,
        }
    }

    /// What the machine checks again although the module was loaded within limits: these may be
    /// others.
    fn check_limits(&self, module: &Module, imports: &[Extern]) -> Result<(), StartError> {
        let limits = &self.limits;
        let pages = self.pages_with(module, imports);
        within("pages of memory", pages, limits.memory_pages.into())?;
        for table in &module.tables {
            within(
                "elements of a table",
                table.min.into(),
                limits.table_elements.into(),
            )?;
        }
        let funcs = self.funcs.len() as u64 + module.functions.len() as u64;
        within("functions", funcs, limits.functions.into())?;
        Ok(())
    }

    /// Pages of all memories once those of the module are made.
    #[cfg(feature = "memories")]
    fn pages_with(&self, module: &Module, imports: &[Extern]) -> u64 {
        let size = |ty: MemoryType| u64::from(ty.min);
        let made: u64 = module.memory_types().map(size).sum();
        let resolved = imports.iter().zip(module.import_items());
        let found = resolved.filter_map(|pair| match pair {
            (Extern::Memory(_), ExternIdx::Memory(index)) => module.memory_at(index).map(size),
            _ => None,
        });
        self.state.store.pages() + made.saturating_sub(found.sum())
    }

    /// Pages of the memory that the module has.
    #[cfg(not(feature = "memories"))]
    fn pages_with(&self, module: &Module, _: &[Extern]) -> u64 {
        module.memory.map_or(0, |memory| memory.min.into())
    }

    /// Makes what the module defines and notes what it imports.
    fn allocate(
        &mut self,
        module: Shared<Module>,
        imports: &[Extern],
    ) -> Result<Instance, StartError> {
        let types = self.intern(&module.types);
        let mut instance = Instance {
            module: module.clone(),
            funcs: Vec::with_capacity(module.functions.len()),
            tables: Vec::with_capacity(module.tables.len()),
            globals: Vec::with_capacity(module.globals.len()),
            memory: NONE,
            #[cfg(feature = "memories")]
            other_memories: alloc::vec![NONE; module.other_memories.len()],
            types,
            #[cfg(feature = "exceptions")]
            tags: Vec::with_capacity(module.tags.len()),
        };
        let id = self.instances.len() as u32;
        for (resolved, item) in imports.iter().zip(module.import_items()) {
            match (*resolved, item) {
                (Extern::Host, ExternIdx::Func(index)) => {
                    let func = self.add_func(&module, &instance.types, id, index as usize);
                    instance.funcs.push(func);
                }
                (Extern::Host, ExternIdx::Table(index)) => {
                    let ty = module.tables.get(index as usize);
                    instance.tables.extend(ty.map(|ty| self.add_table(*ty)));
                }
                #[cfg(feature = "exceptions")]
                (Extern::Host, ExternIdx::Tag(_)) => self.add_tag(&mut instance, id),
                #[cfg(feature = "exceptions")]
                (Extern::Tag(address), _) => instance.tags.push(address),
                // A memory that nothing was found for is made below.
                (Extern::Host, _) => {}
                (Extern::Func(address), _) => instance.funcs.push(address),
                (Extern::Table(address), _) => instance.tables.push(address),
                (Extern::Memory(address), ExternIdx::Memory(index)) => {
                    instance.set_memory(index, address);
                }
                (Extern::Memory(_), _) => {}
                (Extern::Global(address), _) => instance.globals.push(address),
            }
        }
        for index in instance.funcs.len()..module.functions.len() {
            instance
                .funcs
                .push(self.add_func(&module, &instance.types, id, index));
        }
        #[cfg(feature = "exceptions")]
        while instance.tags.len() < module.tags.len() {
            self.add_tag(&mut instance, id);
        }
        for table in module.tables.iter().skip(instance.tables.len()) {
            instance.tables.push(self.add_table(*table));
        }
        self.add_memories(&module, &mut instance)?;
        for (value, ty) in module
            .global_values
            .iter()
            .zip(module.globals.iter().skip(instance.globals.len()))
        {
            let globals = &mut self.state.store.globals;
            instance.globals.push(globals.len() as u32);
            let cells = match ty.value {
                ValType::V128 if cfg!(feature = "simd") => instance.vector(*value, globals),
                _ => [instance.constant(*value, globals), 0],
            };
            let count = ty.value.cells();
            globals.extend(cells.iter().take(count));
            self.global_types.extend(core::iter::repeat_n(*ty, count));
        }
        Ok(instance)
    }

    /// Makes the memories that nothing was found for.
    fn add_memories(&mut self, module: &Module, instance: &mut Instance) -> Result<(), StartError> {
        for (index, memory) in (0..).zip(module.memory_types()) {
            if instance.memory_at(index) == NONE {
                let address = self.add_memory(memory)?;
                instance.set_memory(index, address);
            }
        }
        Ok(())
    }

    fn add_memory(&mut self, memory: MemoryType) -> Result<u32, StartError> {
        let length = backed_bytes(memory.min, &self.limits);
        // A device sets aside all that the memory may grow to, so that growing depends on the
        // limits alone. A host has enough.
        let most = memory.max.unwrap_or(u32::MAX).min(self.limits.memory_pages);
        let reserved = if cfg!(feature = "host") {
            memory.min
        } else {
            most
        };
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(backed_bytes(reserved, &self.limits).max(length))
            .map_err(|_| StartError::OutOfMemory)?;
        bytes.resize(length, 0);
        let memories = &mut self.state.store.memories;
        memories.push(Memory::new(memory.min, bytes));
        self.memory_types.push(memory);
        Ok(self.state.store.memories.len() as u32 - 1)
    }

    fn add_table(&mut self, ty: TableType) -> u32 {
        let tables = &mut self.state.store.tables;
        tables.push(alloc::vec![0; ty.min as usize]);
        self.table_types.push(ty);
        tables.len() as u32 - 1
    }

    /// Makes the next tag of an instance.
    #[cfg(feature = "exceptions")]
    fn add_tag(&mut self, instance: &mut Instance, id: u32) {
        let index = instance.tags.len();
        let ty = instance.module.tags.get(index);
        let ty = ty.and_then(|ty| instance.types.get(*ty as usize));
        instance.tags.push(self.tags.len() as u32);
        self.tags.push(super::Tag {
            ty: ty.copied().unwrap_or(NONE),
            instance: id,
            index: index as u32,
        });
        self.state.store.exceptions.get_or_insert_default();
    }

    fn add_func(&mut self, module: &Module, types: &[u32], instance: u32, index: usize) -> u32 {
        // Validation made sure that the function has a type.
        let ty = module
            .functions
            .get(index)
            .and_then(|ty| types.get(*ty as usize));
        self.funcs.push(Func {
            ty: ty.copied().unwrap_or(NONE),
            instance,
            index: index as u32,
        });
        self.funcs.len() as u32 - 1
    }

    /// The numbers of types in this machine: equal types have equal numbers.
    fn intern(&mut self, types: &[FuncType]) -> Vec<u32> {
        // Not collected: that would bring a sort along, which is large for a device.
        let mut known = BTreeMap::new();
        for (number, ty) in (0u32..).zip(&self.types) {
            known.insert(ty.clone(), number);
        }
        types
            .iter()
            .map(|ty| match known.get(ty) {
                Some(&number) => number,
                None => {
                    let number = self.types.len() as u32;
                    self.types.push(ty.clone());
                    known.insert(ty.clone(), number);
                    number
                }
            })
            .collect()
    }

    fn copy_segments(&mut self, id: u32) -> Result<(), StartError> {
        let Some(instance) = self.instances.get(id as usize).cloned() else {
            return Ok(());
        };
        let module = &instance.module;
        for (number, segment) in module.elements.iter().enumerate() {
            let segment_number = number as u32;
            if let SegmentMode::Active { target, offset } = segment.mode {
                let to = instance.constant(offset, &self.state.store.globals) as Offset;
                let count = segment.items.len() as Offset;
                let store = &mut self.state.store;
                slow::table_init(store, &instance, id, target, segment_number, [to, 0, count])
                    .map_err(|trap| StartError::Segment {
                        what: "element",
                        segment: segment_number,
                        trap,
                    })?;
            }
            if segment.mode != SegmentMode::Passive {
                slow::drop_element(&mut self.state.store, id, segment_number);
            }
        }
        for (number, segment) in module.data.iter().enumerate() {
            let segment_number = number as u32;
            if let SegmentMode::Active { target, offset } = segment.mode {
                let to = instance.constant(offset, &self.state.store.globals) as Offset;
                let count = segment.bytes.len() as Offset;
                let store = &mut self.state.store;
                slow::memory_init(store, &instance, id, target, segment_number, [to, 0, count])
                    .map_err(|trap| StartError::Segment {
                        what: "data",
                        segment: segment_number,
                        trap,
                    })?;
                slow::drop_data(&mut self.state.store, id, segment_number);
            }
        }
        Ok(())
    }
}

impl Instance {
    /// Notes where a memory is, when it is made or found.
    fn set_memory(&mut self, index: u32, address: u32) {
        match index.checked_sub(1) {
            None => self.memory = address,
            #[cfg(feature = "memories")]
            Some(other) => {
                if let Some(slot) = self.other_memories.get_mut(other as usize) {
                    *slot = address;
                }
            }
            #[cfg(not(feature = "memories"))]
            Some(_) => {}
        }
    }

    /// The cell of a constant expression; validation made sure that what it names exists.
    pub(super) fn constant(&self, value: ConstExpr, globals: &[u64]) -> u64 {
        match value {
            ConstExpr::Cell(cell) => cell,
            ConstExpr::Func(index) => ref_to_cell(self.funcs.get(index as usize).copied()),
            ConstExpr::Global(index) => {
                let address = self.globals.get(index as usize);
                address
                    .and_then(|&at| globals.get(at as usize))
                    .copied()
                    .unwrap_or(0)
            }
            ConstExpr::Computed(start) => self.compute(start, globals),
        }
    }

    /// The cell that the instructions of a constant expression compute; validation looked at every one.
    /// The cells of a constant that is a vector.
    fn vector(&self, value: ConstExpr, globals: &[u64]) -> [u64; 2] {
        match value {
            ConstExpr::Global(index) => {
                let address = self
                    .globals
                    .get(index as usize)
                    .map_or(0, |at| *at as usize);
                let cells = globals.get(address..).and_then(|cells| cells.first_chunk());
                cells.copied().unwrap_or_default()
            }
            #[cfg(feature = "simd")]
            ConstExpr::Computed(start) => {
                let bytes = self.module.bytes();
                let mut code = Reader::new(bytes, start as usize, bytes.len());
                match Instr::read(&mut code) {
                    Ok(Instr::Wide(_, arg)) => crate::Value::V128(arg.bytes).to_cells(),
                    _ => [0; 2],
                }
            }
            _ => [0; 2],
        }
    }

    fn compute(&self, start: u32, globals: &[u64]) -> u64 {
        let bytes = self.module.bytes();
        let mut code = Reader::new(bytes, start as usize, bytes.len());
        let mut cells = Vec::new();
        while let Ok(instr) = Instr::read(&mut code) {
            let cell = match instr {
                Instr::I32Const(value) => u64::from(value as u32),
                Instr::I64Const(value) => value as u64,
                Instr::GlobalGet(index) => self.constant(ConstExpr::Global(index), globals),
                Instr::Numeric(op) => match (arithmetic(op), cells.pop(), cells.pop()) {
                    (Some(apply), Some(right), Some(left)) => apply(left, right),
                    _ => break,
                },
                _ => break,
            };
            cells.push(cell);
        }
        cells.pop().unwrap_or(0)
    }
}

/// True if something of this size and maximum may be imported as one of at least `min` and at most
/// `most`.
fn fits_size(size: u32, max: Option<u32>, min: u32, most: Option<u32>) -> bool {
    let max_fits = match (most, max) {
        (None, _) => true,
        (Some(most), Some(max)) => max <= most,
        (Some(_), None) => false,
    };
    size >= min && max_fits
}
