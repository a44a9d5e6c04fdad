//! Loading: the sections of a module, checked as they are read.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::ops::Range;

use super::bytes::{Bytes, Lent};
use super::code::{Body, Branch, validate_body};
use super::error::{InvalidKind, LoadCause, LoadError};
use super::{
    CustomSection, ExportEntry, ExternIdx, GlobalType, ImportEntry, MemoryType, Module, TableType,
};
use crate::binary::{MalformedKind, Reader, error_at, offset, ref_type, val_type};
use crate::limits::{LimitExceeded, Limits, within};
use crate::types::Offset;
use crate::types::cells_of;
use crate::{FuncType, ValType};

pub(super) type Result<T> = core::result::Result<T, LoadError>;

/// The custom section with the host's function ([`Module::host`]).
pub const HOST_SECTION: &str = "borges.host";

/// The largest memory, in pages.
const MOST_PAGES: u64 = 1 << 16;
/// The largest one whose addresses have 64 bits.
const MOST_PAGES_64: u64 = 1 << 48;

impl Module {
    /// Loads and validates a module in the binary format.
    ///
    /// # Errors
    /// [`LoadError`] tells where the bytes are malformed, break a rule of WebAssembly (2.0 with
    /// extended constants, tail calls, relaxed SIMD, exceptions and several memories), use what this machine does not have
    /// (threads, garbage collection), or pass a limit.
    pub fn new(bytes: &[u8], limits: &Limits) -> Result<Module> {
        Self::load(bytes, None, limits)
    }

    /// Loads and validates a module that stays where it is: nothing of it is copied.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn lent(bytes: &Lent, limits: &Limits) -> Result<Module> {
        Self::load(bytes, Some(bytes), limits)
    }

    fn load(bytes: &[u8], lent: Option<&Lent>, limits: &Limits) -> Result<Module> {
        within(
            "bytes of a module",
            bytes.len() as u64,
            limits.module_bytes.into(),
        )
        .map_err(|limit| LoadError::limit(0, limit))?;
        let kept = lent.map_or_else(|| Bytes::from(bytes), |lent| Bytes::from(lent.clone()));
        let mut loader = Loader {
            module: Module::empty(kept, crate::hash::of_bytes(bytes)),
            limits,
            declared: Vec::new(),
            bodies_expected: 0,
            seen: 0,
        };
        loader.sections(bytes)?;
        Ok(loader.module)
    }

    fn empty(bytes: Bytes, hash: u64) -> Module {
        Module {
            bytes,
            hash,
            types: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            functions: Vec::new(),
            imported_functions: 0,
            tables: Vec::new(),
            imported_tables: 0,
            memory: None,
            #[cfg(feature = "memories")]
            other_memories: Vec::new(),
            globals: Vec::new(),
            imported_globals: 0,
            global_values: Vec::new(),
            start: None,
            elements: Vec::new(),
            data_count: None,
            data: Vec::new(),
            bodies: Vec::new(),
            tail_calls: false,
            #[cfg(feature = "simd")]
            wide: Vec::new(),
            branches: Vec::new(),
            #[cfg(feature = "exceptions")]
            tags: Vec::new(),
            #[cfg(feature = "exceptions")]
            tries: Vec::new(),
            #[cfg(feature = "exceptions")]
            catch_ends: Vec::new(),
            customs: Vec::new(),
            host: None,
        }
    }
}

pub(super) struct Loader<'l> {
    pub(super) module: Module,
    pub(super) limits: &'l Limits,
    /// Functions that `ref.func` may name.
    pub(super) declared: Vec<bool>,
    bodies_expected: usize,
    /// The rank of the last section that must be in order.
    seen: usize,
}

/// The number of the code section.
const CODE: u8 = 10;

/// The sections in the order that they must have.
#[cfg(not(feature = "exceptions"))]
const ORDER: [u8; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11];
/// The sections in the order that they must have.
#[cfg(feature = "exceptions")]
const ORDER: [u8; 13] = [1, 2, 3, 4, 5, TAGS, 6, 7, 8, 9, 12, 10, 11];

/// The number of the section of tags.
const TAGS: u8 = 13;

/// What to say of a section that has no place.
fn unknown_section(id: u8) -> MalformedKind {
    match id {
        #[cfg(not(feature = "exceptions"))]
        TAGS => MalformedKind::NoExceptions,
        _ => MalformedKind::UnknownSection,
    }
}

impl Loader<'_> {
    fn sections(&mut self, bytes: &[u8]) -> Result<()> {
        let mut reader = Reader::new(bytes, 0, bytes.len());
        if reader.array::<4>()? != *b"\0asm" {
            return Err(error_at(0, MalformedKind::BadMagic).into());
        }
        if reader.array::<4>()? != [1, 0, 0, 0] {
            return Err(error_at(4, MalformedKind::BadVersion).into());
        }
        while !reader.is_empty() {
            let at = reader.at();
            let id = reader.byte()?;
            let size = reader.u32()?;
            let mut section = reader.part(size)?;
            if id == 0 {
                self.custom(&mut section, bytes)?;
                continue;
            }
            let rank = ORDER.iter().position(|known| *known == id);
            let rank = rank.ok_or(error_at(at, unknown_section(id)))? + 1;
            if rank <= self.seen {
                return Err(error_at(at, MalformedKind::SectionOrder).into());
            }
            self.seen = rank;
            // Not `&mut self`'s bytes: the module's copy is only read once it is complete.
            self.section(id, &mut section, bytes)?;
            if !section.is_empty() {
                return Err(section.error(MalformedKind::SectionSize).into());
            }
        }
        self.finish(&reader)
    }

    fn section(&mut self, id: u8, section: &mut Reader<'_>, bytes: &[u8]) -> Result<()> {
        match id {
            1 => self.types(section),
            2 => self.imports(section),
            3 => self.functions(section),
            4 => self.tables(section),
            5 => self.memories(section),
            6 => self.globals(section),
            7 => self.exports(section),
            8 => self.start(section),
            9 => self.elements(section),
            CODE => self.code(section, bytes),
            11 => self.data(section),
            #[cfg(feature = "exceptions")]
            TAGS => self.tags(section),
            _ => {
                let count = section.u32()?;
                self.module.data_count = Some(count);
                Ok(())
            }
        }
    }

    fn finish(&mut self, reader: &Reader<'_>) -> Result<()> {
        if self.bodies_expected != self.module.bodies.len() {
            return Err(reader.error(MalformedKind::FunctionCount).into());
        }
        if self
            .module
            .data_count
            .is_some_and(|count| count as usize != self.module.data.len())
        {
            return Err(reader.error(MalformedKind::DataCount).into());
        }
        Ok(())
    }

    fn custom(&mut self, section: &mut Reader<'_>, bytes: &[u8]) -> Result<()> {
        let name = named(section)?;
        let content = section.at() as u32..section.end() as u32;
        let at = section.at();
        let text = bytes.get(name.start as usize..name.end as usize);
        let is_host = text == Some(HOST_SECTION.as_bytes());
        self.module.customs.push(CustomSection { name, content });
        within(
            "custom sections",
            self.module.customs.len() as u64,
            self.limits.segments.into(),
        )
        .map_err(|limit| LoadError::limit(at, limit))?;
        if is_host {
            self.host(section, bytes)
        } else {
            Ok(())
        }
    }

    /// The host's function: the types of its results, then its size, locals and code. It comes after all other code,
    /// so that functions stay in the order of their code.
    fn host(&mut self, section: &mut Reader<'_>, bytes: &[u8]) -> Result<()> {
        if self.module.host.is_some() || self.bodies_expected != self.module.bodies.len() {
            return Err(section.error(MalformedKind::SectionOrder).into());
        }
        let after_code = ORDER.iter().take_while(|id| **id != CODE).count() + 1;
        self.seen = self.seen.max(after_code);
        let at = section.at();
        let results = self.type_list(section, "results")?;
        let params = Vec::new();
        self.module.types.push(FuncType { params, results });
        self.module
            .functions
            .push(self.module.types.len() as u32 - 1);
        self.limit_functions(at)?;
        self.bodies_expected += 1;
        self.module.host = Some(self.module.functions.len() as u32 - 1);
        let mut branches = core::mem::take(&mut self.module.branches);
        self.declared.resize(self.module.functions.len(), false);
        let body = self.one_body(section, bytes, &mut branches);
        self.module.branches = branches;
        self.module.bodies.push(body?);
        Ok(())
    }

    /// The body of the next function.
    fn one_body(
        &mut self,
        section: &mut Reader<'_>,
        bytes: &[u8],
        branches: &mut Vec<Branch>,
    ) -> Result<Body> {
        let size = section.u32()?;
        let part = section.part(size)?;
        let mut body = Reader::new(bytes, part.at(), part.end());
        let func = self.module.imported_functions + self.module.bodies.len() as u32;
        let (module, declared, limits) = (&self.module, &self.declared, self.limits);
        #[cfg_attr(not(feature = "simd"), allow(unused_mut))]
        let (mut checked, special) =
            validate_body(module, func, declared, limits, &mut body, branches)?;
        #[cfg(feature = "simd")]
        if let Some(wide) = special.wide {
            checked.wide = self.module.wide.len() as u32;
            self.module.wide.push(wide);
        }
        #[cfg(feature = "exceptions")]
        {
            self.module.tries.extend(special.tries);
            self.module.catch_ends.extend(special.catch_ends);
        }
        self.module.tail_calls |= special.tail_calls;
        Ok(checked)
    }

    fn types(&mut self, section: &mut Reader<'_>) -> Result<()> {
        let count = counted(section, "types", self.limits.types)?;
        for _ in 0..count {
            let at = section.at();
            if section.byte()? != 0x60 {
                return Err(error_at(at, MalformedKind::BadFuncType).into());
            }
            let params = self.type_list(section, "parameters")?;
            let results = self.type_list(section, "results")?;
            self.module.types.push(FuncType { params, results });
        }
        Ok(())
    }

    fn type_list(&self, section: &mut Reader<'_>, what: &'static str) -> Result<Vec<ValType>> {
        // Cells of parameters and results are counted in 16 bits.
        let count = counted(section, what, self.limits.arity.min(u16::MAX.into()))?;
        let at = section.at();
        let types = (0..count).map(|_| Ok(val_type(section)?));
        let types = types.collect::<Result<Vec<ValType>>>()?;
        if cfg!(feature = "simd") {
            let most = self.limits.arity.min(u16::MAX.into());
            within(what, cells_of(&types) as u64, most.into())
                .map_err(|limit| LoadError::limit(at, limit))?;
        }
        Ok(types)
    }

    fn imports(&mut self, section: &mut Reader<'_>) -> Result<()> {
        let count = counted(section, "imports", self.limits.externs)?;
        for _ in 0..count {
            let module = named(section)?;
            let name = named(section)?;
            let at = section.at();
            let item = match section.byte()? {
                0 => {
                    let ty = self.type_index(section)?;
                    self.module.functions.push(ty);
                    self.module.imported_functions += 1;
                    self.limit_functions(at)?;
                    ExternIdx::Func(self.module.functions.len() as u32 - 1)
                }
                1 => {
                    self.table(section)?;
                    self.module.imported_tables += 1;
                    ExternIdx::Table(self.module.tables.len() as u32 - 1)
                }
                2 => {
                    self.memory(section)?;
                    ExternIdx::Memory(self.module.memory_types().count() as u32 - 1)
                }
                3 => {
                    let global = global_type(section)?;
                    self.module.globals.push(global);
                    self.module.imported_globals += 1;
                    self.limit_globals(at)?;
                    ExternIdx::Global(self.module.globals.len() as u32 - 1)
                }
                #[cfg(feature = "exceptions")]
                4 => self.imported_tag(section)?,
                _ => return Err(error_at(at, MalformedKind::BadExternKind).into()),
            };
            self.module.imports.push(ImportEntry { module, name, item });
        }
        Ok(())
    }

    fn functions(&mut self, section: &mut Reader<'_>) -> Result<()> {
        let at = section.at();
        self.bodies_expected = section.count()?;
        for _ in 0..self.bodies_expected {
            let ty = self.type_index(section)?;
            self.module.functions.push(ty);
        }
        self.limit_functions(at)
    }

    fn tables(&mut self, section: &mut Reader<'_>) -> Result<()> {
        let count = section.count()?;
        for _ in 0..count {
            self.table(section)?;
        }
        Ok(())
    }

    fn table(&mut self, section: &mut Reader<'_>) -> Result<()> {
        let at = section.at();
        let element = ref_type(section)?;
        let size = Size::read(section)?;
        self.module.tables.push(TableType {
            element,
            min: size.min as u32,
            max: size.most(),
            #[cfg(feature = "memory64")]
            is_64: size.is_64,
        });
        within(
            "tables",
            self.module.tables.len() as u64,
            self.limits.tables.into(),
        )
        .and_then(|()| {
            within(
                "elements of a table",
                size.min.into(),
                self.limits.table_elements.into(),
            )
        })
        .map_err(|limit| LoadError::limit(at, limit))
    }

    fn memories(&mut self, section: &mut Reader<'_>) -> Result<()> {
        let count = section.count()?;
        for _ in 0..count {
            self.memory(section)?;
        }
        Ok(())
    }

    fn memory(&mut self, section: &mut Reader<'_>) -> Result<()> {
        let at = section.at();
        let size = Size::read(section)?;
        let most = if size.is_64 {
            MOST_PAGES_64
        } else {
            MOST_PAGES
        };
        if u64::from(size.min.max(size.max.unwrap_or(0))) > most {
            return Err(LoadError::invalid(at, InvalidKind::MemorySize));
        }
        let memory = MemoryType {
            min: within(
                "pages of memory",
                size.min.into(),
                self.limits.memory_pages.into(),
            )
            .map(|()| size.min as u32)
            .map_err(|limit| LoadError::limit(at, limit))?,
            max: size.most(),
            #[cfg(feature = "memory64")]
            is_64: size.is_64,
        };
        if self.module.memory.is_none() {
            self.module.memory = Some(memory);
        } else {
            self.another_memory(at, memory)?;
        }
        let pages = self.module.memory_types().map(|ty| u64::from(ty.min)).sum();
        within("pages of memory", pages, self.limits.memory_pages.into())
            .map_err(|limit| LoadError::limit(at, limit))
    }

    #[cfg(feature = "memories")]
    fn another_memory(&mut self, at: usize, memory: MemoryType) -> Result<()> {
        self.module.other_memories.push(memory);
        let count = self.module.other_memories.len() as u64 + 1;
        within("memories", count, self.limits.memories.into())
            .map_err(|limit| LoadError::limit(at, limit))
    }

    #[cfg(not(feature = "memories"))]
    fn another_memory(&mut self, at: usize, _: MemoryType) -> Result<()> {
        Err(LoadError::invalid(at, InvalidKind::MultipleMemories))
    }

    fn globals(&mut self, section: &mut Reader<'_>) -> Result<()> {
        let at = section.at();
        let count = section.count()?;
        for _ in 0..count {
            let global = global_type(section)?;
            let value = self.constant(section, global.value)?;
            self.module.global_values.push(value);
            self.module.globals.push(global);
        }
        self.limit_globals(at)
    }

    fn exports(&mut self, section: &mut Reader<'_>) -> Result<()> {
        let count = counted(section, "exports", self.limits.externs)?;
        for _ in 0..count {
            let name = named(section)?;
            let kind_at = section.at();
            let kind = section.byte()?;
            let index = section.u32()?;
            let unknown = |known: usize, kind| {
                if (index as usize) < known {
                    Ok(())
                } else {
                    Err(LoadError::invalid(kind_at, kind))
                }
            };
            let item = match kind {
                0 => {
                    unknown(self.module.functions.len(), InvalidKind::UnknownFunc(index))?;
                    self.declare(index);
                    ExternIdx::Func(index)
                }
                1 => {
                    unknown(self.module.tables.len(), InvalidKind::UnknownTable(index))?;
                    ExternIdx::Table(index)
                }
                2 => {
                    let known = self.module.memory_types().count();
                    unknown(known, InvalidKind::UnknownMemory(index))?;
                    ExternIdx::Memory(index)
                }
                3 => {
                    unknown(self.module.globals.len(), InvalidKind::UnknownGlobal(index))?;
                    ExternIdx::Global(index)
                }
                #[cfg(feature = "exceptions")]
                4 => {
                    unknown(self.module.tags.len(), InvalidKind::UnknownTag(index))?;
                    ExternIdx::Tag(index)
                }
                _ => return Err(error_at(kind_at, MalformedKind::BadExternKind).into()),
            };
            self.module.exports.push(ExportEntry { name, item });
        }
        self.check_names()
    }

    /// No two exports have one name.
    fn check_names(&self) -> Result<()> {
        let exports = self.module.exports.iter().map(|export| &export.name);
        let names = exports.map(|name| (self.module.slice(name), name.start));
        // A heap sorts with a tenth of the code of a tree or of `sort`.
        let sorted = BinaryHeap::from_iter(names).into_sorted_vec();
        let mut neighbours = sorted.iter().zip(sorted.iter().skip(1));
        match neighbours.find(|(one, next)| one.0 == next.0) {
            Some((_, again)) => {
                let kind = InvalidKind::DuplicateExport;
                Err(LoadError::invalid(again.1 as usize, kind))
            }
            None => Ok(()),
        }
    }

    fn start(&mut self, section: &mut Reader<'_>) -> Result<()> {
        let at = section.at();
        let func = section.u32()?;
        match self.module.func_type(crate::FuncIdx(func)) {
            None => Err(LoadError::invalid(at, InvalidKind::UnknownFunc(func))),
            Some(ty) if !ty.params.is_empty() || !ty.results.is_empty() => {
                Err(LoadError::invalid(at, InvalidKind::StartFunction))
            }
            Some(_) => {
                self.module.start = Some(func);
                Ok(())
            }
        }
    }

    fn code(&mut self, section: &mut Reader<'_>, bytes: &[u8]) -> Result<()> {
        let count = section.count()?;
        if count != self.bodies_expected {
            return Err(section.error(MalformedKind::FunctionCount).into());
        }
        self.declared.resize(self.module.functions.len(), false);
        self.module.bodies.reserve_exact(count);
        let mut branches = Vec::new();
        for _ in 0..count {
            let body = self.one_body(section, bytes, &mut branches)?;
            self.module.bodies.push(body);
        }
        self.module.branches = branches;
        Ok(())
    }

    pub(super) fn type_index(&self, section: &mut Reader<'_>) -> Result<u32> {
        let at = section.at();
        let index = section.u32()?;
        if (index as usize) < self.module.types.len() {
            Ok(index)
        } else {
            Err(LoadError::invalid(at, InvalidKind::UnknownType(index)))
        }
    }

    fn limit_functions(&self, at: usize) -> Result<()> {
        within(
            "functions",
            self.module.functions.len() as u64,
            self.limits.functions.into(),
        )
        .map_err(|limit| LoadError::limit(at, limit))
    }

    fn limit_globals(&self, at: usize) -> Result<()> {
        within(
            "globals",
            self.module.globals.len() as u64,
            self.limits.globals.into(),
        )
        .map_err(|limit| LoadError::limit(at, limit))
    }
}

/// The number of entries of a list, within a limit.
pub(super) fn counted(section: &mut Reader<'_>, what: &'static str, limit: u32) -> Result<usize> {
    let at = section.at();
    let count = section.count()?;
    within(what, count as u64, limit.into()).map_err(|limit| LoadError::limit(at, limit))?;
    Ok(count)
}

/// Where a name's text is.
fn named(section: &mut Reader<'_>) -> Result<Range<u32>> {
    let length = section.name()?.len();
    Ok((section.at() - length) as u32..section.at() as u32)
}

/// Least and greatest size of a table or memory.
struct Size {
    min: Offset,
    max: Option<Offset>,
    /// Whether numbers in it have 64 bits.
    is_64: bool,
}

impl Size {
    fn read(section: &mut Reader<'_>) -> Result<Self> {
        let at = section.at();
        let flags = section.byte()?;
        let is_64 = match flags {
            0 | 1 => false,
            4 | 5 if cfg!(feature = "memory64") => true,
            4 | 5 => return Err(error_at(at, MalformedKind::NoMemory64).into()),
            _ => return Err(error_at(at, MalformedKind::BadLimits).into()),
        };
        let number = |section: &mut Reader<'_>| match is_64 {
            true => offset(section),
            false => section.u32().map(Offset::from),
        };
        let min = number(section)?;
        let max = match flags & 1 {
            0 => None,
            _ => Some(number(section)?),
        };
        if max.is_some_and(|max| max < min) {
            return Err(LoadError::invalid(at, InvalidKind::MinAboveMax));
        }
        Ok(Self { min, max, is_64 })
    }

    /// The greatest size, or the greatest number there is for it.
    fn most(&self) -> Option<u32> {
        self.max.map(|max| max.min(Offset::from(u32::MAX)) as u32)
    }
}

fn global_type(section: &mut Reader<'_>) -> Result<GlobalType> {
    let value = val_type(section)?;
    let at = section.at();
    match section.byte()? {
        0 => Ok(GlobalType {
            value,
            mutable: false,
        }),
        1 => Ok(GlobalType {
            value,
            mutable: true,
        }),
        _ => Err(error_at(at, MalformedKind::BadMutability).into()),
    }
}

impl From<LimitExceeded> for LoadCause {
    fn from(limit: LimitExceeded) -> Self {
        LoadCause::Limit(limit)
    }
}
