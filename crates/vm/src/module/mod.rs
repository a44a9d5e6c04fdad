//! A module: loaded, validated, immutable.

mod bytes;
mod code;
mod error;
#[cfg(feature = "exceptions")]
mod exceptions;
mod load;
mod locals;
mod segments;
mod typing;

use alloc::vec::Vec;
use core::ops::Range;

use bytes::Bytes;
pub use bytes::Lent;
#[cfg(feature = "simd")]
pub(crate) use code::WideBody;
pub(crate) use code::{Body, Branch, side_entries};
#[cfg(feature = "exceptions")]
use code::{CatchEnd, Try};
pub use error::{InvalidKind, LoadCause, LoadError};
#[cfg(feature = "exceptions")]
pub(crate) use exceptions::Reference;
pub use load::HOST_SECTION;
use locals::Locals;
pub(crate) use segments::arithmetic;
pub(crate) use typing::Typing;

use crate::binary::{Instr, Reader};
use crate::{CodeOffset, FuncIdx, FuncType, ValType};

/// The type of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableType {
    /// Type of the elements.
    pub element: ValType,
    /// Elements at the start.
    pub min: u32,
    /// Elements at most; 2³² - 1 also stands for all that is more.
    pub max: Option<u32>,
    /// True if instructions name its elements with 64 bits. There are no more of them than 32 bits can name.
    #[cfg(feature = "memory64")]
    pub is_64: bool,
}

impl TableType {
    /// The type of the numbers that its elements are named by.
    pub fn address_type(&self) -> ValType {
        #[cfg(feature = "memory64")]
        if self.is_64 {
            return ValType::I64;
        }
        ValType::I32
    }
}

/// The type of a memory, in pages of 64 KiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryType {
    /// Pages at the start.
    pub min: u32,
    /// Pages at most; 2³² - 1 also stands for all that is more.
    pub max: Option<u32>,
    /// True if addresses have 64 bits. There are no more bytes than 32 bits can name.
    #[cfg(feature = "memory64")]
    pub is_64: bool,
}

impl MemoryType {
    /// The type of its addresses, and of its size.
    pub fn address_type(&self) -> ValType {
        #[cfg(feature = "memory64")]
        if self.is_64 {
            return ValType::I64;
        }
        ValType::I32
    }
}

/// The type of a global.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GlobalType {
    /// Type of its value.
    pub value: ValType,
    /// True if instructions may set it.
    pub mutable: bool,
}

/// What a module imports or exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExternType<'m> {
    /// A function of this type.
    Func(&'m FuncType),
    /// A table.
    Table(TableType),
    /// A memory.
    Memory(MemoryType),
    /// A global.
    Global(GlobalType),
    /// A tag: what its exceptions carry are the parameters of this type.
    Tag(&'m FuncType),
}

/// An import of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Import<'m> {
    /// First part of its name.
    pub module: &'m str,
    /// Second part of its name.
    pub name: &'m str,
    /// What is imported.
    pub ty: ExternType<'m>,
}

/// An export of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Export<'m> {
    /// Its name.
    pub name: &'m str,
    /// Index of the exported thing among those of its kind.
    pub index: u32,
    /// What is exported.
    pub ty: ExternType<'m>,
}

/// Kind and index of an import or export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExternIdx {
    Func(u32),
    Table(u32),
    Memory(u32),
    Global(u32),
    #[cfg(feature = "exceptions")]
    Tag(u32),
}

#[derive(Clone, Debug)]
struct ImportEntry {
    module: Range<u32>,
    name: Range<u32>,
    item: ExternIdx,
}

#[derive(Clone, Debug)]
struct ExportEntry {
    name: Range<u32>,
    item: ExternIdx,
}

/// A constant expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConstExpr {
    /// A number, or null, as its cell.
    Cell(u64),
    /// A reference to a function of the module.
    Func(u32),
    /// The value of an imported global.
    Global(u32),
    /// What the instructions from this offset on compute ([`arithmetic`]), or the vector there.
    Computed(u32),
}

/// What happens to a segment at instantiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentMode {
    /// Nothing: instructions copy from it.
    Passive,
    /// Its only purpose is to declare functions that `ref.func` may name.
    Declared,
    /// It is copied to this table (or the memory) at this offset.
    Active { target: u32, offset: ConstExpr },
}

#[derive(Clone, Debug)]
pub(crate) struct ElementSegment {
    pub(crate) ty: ValType,
    pub(crate) mode: SegmentMode,
    pub(crate) items: Vec<ConstExpr>,
}

#[derive(Clone, Debug)]
pub(crate) struct DataSegment {
    pub(crate) mode: SegmentMode,
    pub(crate) bytes: Range<u32>,
}

#[derive(Clone, Debug)]
struct CustomSection {
    name: Range<u32>,
    content: Range<u32>,
}

/// A WebAssembly module, loaded and validated.
///
/// Invariant: the bytes are valid WebAssembly 2.0 with extended constants, tail calls, relaxed
/// SIMD, exceptions and several memories, within the limits that it was loaded with; all that executes code relies on it.
#[derive(Debug)]
pub struct Module {
    bytes: Bytes,
    hash: u64,
    pub(crate) types: Vec<FuncType>,
    imports: Vec<ImportEntry>,
    exports: Vec<ExportEntry>,
    /// Type of every function, imported ones first.
    pub(crate) functions: Vec<u32>,
    pub(crate) imported_functions: u32,
    pub(crate) tables: Vec<TableType>,
    pub(crate) imported_tables: u32,
    pub(crate) memory: Option<MemoryType>,
    /// The types of the memories but the first.
    #[cfg(feature = "memories")]
    pub(crate) other_memories: Vec<MemoryType>,
    pub(crate) globals: Vec<GlobalType>,
    pub(crate) imported_globals: u32,
    /// Initial values of the globals that are not imported.
    pub(crate) global_values: Vec<ConstExpr>,
    pub(crate) start: Option<u32>,
    pub(crate) elements: Vec<ElementSegment>,
    pub(crate) data_count: Option<u32>,
    pub(crate) data: Vec<DataSegment>,
    /// Bodies of the functions that are not imported.
    bodies: Vec<Body>,
    /// True if there are tail calls: another function than was called may return then.
    pub(crate) tail_calls: bool,
    /// What is different in the functions with vectors.
    #[cfg(feature = "simd")]
    wide: Vec<WideBody>,
    /// The side table: where the branches of all bodies go, in the order of the code.
    branches: Vec<Branch>,
    /// The types of the tags, imported ones first.
    #[cfg(feature = "exceptions")]
    pub(crate) tags: Vec<u32>,
    /// What catches exceptions, in the order of the code.
    #[cfg(feature = "exceptions")]
    tries: Vec<Try>,
    /// Where blocks end whose last part is a `catch`, in the order of the code.
    #[cfg(feature = "exceptions")]
    catch_ends: Vec<CatchEnd>,
    customs: Vec<CustomSection>,
    /// The function that [`HOST_SECTION`] adds.
    host: Option<u32>,
}

impl Module {
    /// The bytes it was loaded from.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A hash of the bytes. Saved states name the module by it.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The imports, in order. The functions among them, counted from 0, are the first
    /// [`FuncIdx`]es.
    pub fn imports(&self) -> impl Iterator<Item = Import<'_>> {
        self.imports.iter().filter_map(|import| {
            Some(Import {
                module: self.text(&import.module),
                name: self.text(&import.name),
                ty: self.extern_type(import.item)?,
            })
        })
    }

    pub(crate) fn import_items(&self) -> impl Iterator<Item = ExternIdx> + '_ {
        self.imports.iter().map(|import| import.item)
    }

    /// The exports, in order.
    pub fn exports(&self) -> impl Iterator<Item = Export<'_>> {
        self.exports.iter().filter_map(|export| {
            Some(Export {
                name: self.text(&export.name),
                index: match export.item {
                    ExternIdx::Func(index)
                    | ExternIdx::Table(index)
                    | ExternIdx::Memory(index)
                    | ExternIdx::Global(index) => index,
                    #[cfg(feature = "exceptions")]
                    ExternIdx::Tag(index) => index,
                },
                ty: self.extern_type(export.item)?,
            })
        })
    }

    pub(crate) fn export_item(&self, name: &str) -> Option<ExternIdx> {
        self.exports
            .iter()
            .find(|export| self.text(&export.name) == name)
            .map(|export| export.item)
    }

    /// The exported function of this name.
    pub fn exported_func(&self, name: &str) -> Option<FuncIdx> {
        match self.export_item(name)? {
            ExternIdx::Func(index) => Some(FuncIdx(index)),
            _ => None,
        }
    }

    /// The start function.
    pub fn start(&self) -> Option<FuncIdx> {
        self.start.map(FuncIdx)
    }

    /// The function that a custom section [`HOST_SECTION`] adds, after all others: what a host does with the exports of
    /// a module that has no function to begin with, or not only one. It has no parameters, and nothing else calls it.
    ///
    /// The section holds the types of its results, its size, and its locals and code as in a code section; what follows
    /// is for who shows it. So it is a part of the program: of its hash, of saved states, and of what is uploaded.
    pub fn host(&self) -> Option<FuncIdx> {
        self.host.map(FuncIdx)
    }

    /// How many functions are imported; these come first.
    pub fn imported_funcs(&self) -> u32 {
        self.imported_functions
    }

    /// All functions, imported ones first.
    pub fn funcs(&self) -> impl Iterator<Item = FuncIdx> + use<> {
        (0..self.functions.len() as u32).map(FuncIdx)
    }

    /// The type of a function.
    pub fn func_type(&self, func: FuncIdx) -> Option<&FuncType> {
        self.types
            .get(*self.functions.get(func.0 as usize)? as usize)
    }

    /// The types of functions, by their numbers in the module.
    pub fn types(&self) -> &[FuncType] {
        &self.types
    }

    /// The types of the globals, imported ones first.
    pub fn global_types(&self) -> &[GlobalType] {
        &self.globals
    }

    /// The types of the tables, imported ones first.
    pub fn table_types(&self) -> &[TableType] {
        &self.tables
    }

    /// The type of the memory, or of the first of several.
    pub fn memory_type(&self) -> Option<MemoryType> {
        self.memory
    }

    /// The types of the memories, imported ones first.
    pub fn memory_types(&self) -> impl Iterator<Item = MemoryType> + '_ {
        #[cfg(feature = "memories")]
        let others = self.other_memories.iter().copied();
        #[cfg(not(feature = "memories"))]
        let others = core::iter::empty();
        self.memory.into_iter().chain(others)
    }

    /// The type of one of the memories.
    pub(crate) fn memory_at(&self, index: u32) -> Option<MemoryType> {
        match index.checked_sub(1) {
            None => self.memory,
            #[cfg(feature = "memories")]
            Some(other) => self.other_memories.get(other as usize).copied(),
            #[cfg(not(feature = "memories"))]
            Some(_) => None,
        }
    }

    /// Names and contents of the custom sections, in order.
    pub fn custom_sections(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.customs
            .iter()
            .map(|custom| (self.text(&custom.name), self.slice(&custom.content)))
    }

    /// The function that the byte at `offset` is code of.
    pub fn func_at(&self, offset: CodeOffset) -> Option<FuncIdx> {
        let after = self.bodies.partition_point(|body| body.start <= offset.0);
        let body = self.bodies.get(after.checked_sub(1)?)?;
        (offset.0 < body.end).then(|| FuncIdx(self.imported_functions + after as u32 - 1))
    }

    /// Where the code of a function lies, from its first opcode past its last `end`; nothing for
    /// imported functions.
    pub fn code_range(&self, func: FuncIdx) -> Option<Range<CodeOffset>> {
        self.body(func.0)
            .map(|body| CodeOffset(body.start)..CodeOffset(body.end))
    }

    /// The instructions of a function and their offsets; none for imported functions.
    pub fn instrs(&self, func: FuncIdx) -> impl Iterator<Item = (CodeOffset, Instr<'_>)> {
        let mut reader = match self.body(func.0) {
            Some(body) => body.code(&self.bytes),
            None => Reader::new(&self.bytes, 0, 0),
        };
        core::iter::from_fn(move || {
            let at = CodeOffset(reader.at() as u32);
            // Validated code reads without errors up to its end.
            let instr = Instr::read(&mut reader).ok()?;
            Some((at, self.named(instr)))
        })
    }

    /// An instruction of this module: one on a first memory whose addresses have 64 bits names it.
    pub(crate) fn named<'m>(&self, instr: Instr<'m>) -> Instr<'m> {
        #[cfg(feature = "memory64")]
        if self.memory.is_some_and(|memory| memory.is_64) {
            return instr.named();
        }
        instr
    }

    /// The offsets of a function's instructions.
    pub fn instr_starts(&self, func: FuncIdx) -> impl Iterator<Item = CodeOffset> + '_ {
        self.instrs(func).map(|(at, _)| at)
    }

    /// True if an instruction starts at `offset`.
    pub fn is_instr_start(&self, offset: CodeOffset) -> bool {
        self.func_at(offset)
            .is_some_and(|func| self.instr_starts(func).any(|start| start == offset))
    }

    /// The types of a function's locals, parameters first.
    pub fn local_types(&self, func: FuncIdx) -> Vec<ValType> {
        match self.locals(func.0) {
            Some(locals) => locals.to_vec(),
            None => self
                .func_type(func)
                .map(|ty| ty.params.clone())
                .unwrap_or_default(),
        }
    }

    /// The type of one of a function's locals, parameters first.
    pub fn local_type(&self, func: FuncIdx, local: u32) -> Option<ValType> {
        self.locals(func.0)?.ty(local)
    }

    /// The types of the operands before the instruction at `offset`, the deepest first. Nothing
    /// if no instruction starts there or control cannot reach it.
    pub fn types_at(&self, func: FuncIdx, offset: CodeOffset) -> Option<Vec<ValType>> {
        let mut typing = Typing::of_body(self, func.0)?;
        typing.advance_to(offset)?;
        #[cfg_attr(not(feature = "exceptions"), allow(unused_mut))]
        let mut types = typing.operand_types()?;
        #[cfg(feature = "exceptions")]
        {
            let caught: Vec<usize> = typing.caught().collect();
            for at in caught.iter().rev() {
                types.remove(*at);
            }
        }
        Some(types)
    }

    /// The locals of a function with a body.
    fn locals(&self, func: u32) -> Option<Locals<'_>> {
        let body = self.body(func)?;
        let mut declarations =
            Reader::new(&self.bytes, body.locals_at as usize, body.start as usize);
        // Read without errors when the module was loaded.
        Locals::read(self, func, &mut declarations).ok()
    }

    pub(crate) fn body(&self, func: u32) -> Option<&Body> {
        self.bodies
            .get(func.checked_sub(self.imported_functions)? as usize)
    }

    /// How many cells of the stack a call of this function needs, its arguments included; nothing of what is imported.
    pub fn frame_cells(&self, func: FuncIdx) -> Option<u32> {
        self.body(func.0).map(Body::cells)
    }

    /// True if there are vectors in this function.
    pub fn has_vectors_in(&self, func: FuncIdx) -> bool {
        self.body(func.0).is_some_and(Body::is_wide)
    }

    /// Which cell of its function's frame a local is.
    pub(crate) fn local_cell(&self, func: FuncIdx, local: u32) -> Option<usize> {
        #[cfg(not(feature = "simd"))]
        let _ = func;
        #[cfg(feature = "simd")]
        if let Some(wide) = self.wide_body(self.body(func.0)?) {
            return Some(wide.locals.get(local as usize)?.cell.into());
        }
        Some(local as usize)
    }

    /// What is different in a function with vectors.
    #[cfg(feature = "simd")]
    pub(crate) fn wide_body(&self, body: &Body) -> Option<&WideBody> {
        self.wide.get(body.wide as usize)
    }

    pub(crate) fn branches(&self) -> &[Branch] {
        &self.branches
    }

    pub(crate) fn slice(&self, range: &Range<u32>) -> &[u8] {
        self.bytes
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
    }

    /// Text that was UTF-8 when the module was loaded.
    fn text(&self, range: &Range<u32>) -> &str {
        core::str::from_utf8(self.slice(range)).unwrap_or_default()
    }

    fn extern_type(&self, item: ExternIdx) -> Option<ExternType<'_>> {
        Some(match item {
            ExternIdx::Func(index) => ExternType::Func(self.func_type(FuncIdx(index))?),
            ExternIdx::Table(index) => ExternType::Table(*self.tables.get(index as usize)?),
            ExternIdx::Memory(index) => ExternType::Memory(self.memory_at(index)?),
            ExternIdx::Global(index) => ExternType::Global(*self.globals.get(index as usize)?),
            #[cfg(feature = "exceptions")]
            ExternIdx::Tag(index) => ExternType::Tag(self.tag_type(index)?),
        })
    }
}
