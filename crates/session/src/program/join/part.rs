//! One of the modules that are joined, taken to pieces.

use std::path::{Path, PathBuf};

use borges_vm::{ExternType, FuncIdx, HOST_SECTION, Module};
use wasmparser::{
    Data, Element, Export, FuncType, FunctionBody, Global, Import, MemoryType, Parser, Payload,
    Table, TagType,
};

use super::error::JoinError;

/// The kinds of things that modules number, each on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    Func,
    Table,
    Memory,
    Global,
    Tag,
}

/// All of them.
pub(super) const KINDS: [Kind; 5] = [
    Kind::Func,
    Kind::Table,
    Kind::Memory,
    Kind::Global,
    Kind::Tag,
];

impl Kind {
    pub(super) fn of(ty: &ExternType<'_>) -> Self {
        match ty {
            ExternType::Func(_) => Self::Func,
            ExternType::Table(_) => Self::Table,
            ExternType::Memory(_) => Self::Memory,
            ExternType::Global(_) => Self::Global,
            ExternType::Tag(_) => Self::Tag,
        }
    }
}

/// A module that is joined.
pub(super) struct Part<'m> {
    /// The name that imports have for it; nothing of the program itself.
    pub(super) name: Option<String>,
    pub(super) path: PathBuf,
    /// What the VM knows of it: it is valid.
    pub(super) module: Module,
    pub(super) pieces: Pieces<'m>,
    /// Of each kind, which of the imports are of it.
    imports: [Vec<usize>; KINDS.len()],
}

impl<'m> Part<'m> {
    pub(super) fn new(
        name: Option<String>,
        path: &Path,
        module: Module,
        bytes: &'m [u8],
    ) -> Result<Self, JoinError> {
        let mut imports = KINDS.map(|_| Vec::new());
        for (number, import) in module.imports().enumerate() {
            imports[Kind::of(&import.ty) as usize].push(number);
        }
        let mut part = Self {
            name,
            path: path.to_owned(),
            module,
            pieces: Pieces::default(),
            imports,
        };
        part.pieces = Pieces::read(bytes).map_err(|error| part.unwritten(&error))?;
        let is_custom = |wanted: &str| part.pieces.customs.iter().any(|(name, _)| *name == wanted);
        let what = if is_custom("linking") {
            "an object file, which the compiler's own linker has to finish: wasm-ld --no-entry --export=NAME, or clang without -c"
        } else if is_custom("dylink.0") || is_custom("dylink") {
            "a shared library, which must be loaded at a place that only a dynamic linker finds: build it without -shared and -fPIC"
        } else if is_custom(HOST_SECTION) {
            "a program that Borges wrote already, with calls of its own: link the module that it was made from"
        } else {
            return Ok(part);
        };
        let by = part.called();
        Err(JoinError::Unlinked { by, what })
    }

    /// How many of a kind it imports.
    pub(super) fn imported(&self, kind: Kind) -> u32 {
        self.imports[kind as usize].len() as u32
    }

    /// Which of its imports something is, if it is one.
    pub(super) fn import_of(&self, kind: Kind, index: u32) -> Option<usize> {
        self.imports[kind as usize].get(index as usize).copied()
    }

    /// How many of a kind it has, imported ones included.
    pub(super) fn count(&self, kind: Kind) -> u32 {
        let pieces = &self.pieces;
        let own = match kind {
            Kind::Func => pieces.functions.len(),
            Kind::Table => pieces.tables.len(),
            Kind::Memory => pieces.memories.len(),
            Kind::Global => pieces.globals.len(),
            Kind::Tag => pieces.tags.len(),
        };
        self.imported(kind) + own as u32
    }

    /// The type of something that it has.
    pub(super) fn type_of(&self, kind: Kind, index: u32) -> Option<ExternType<'_>> {
        let (module, at) = (&self.module, index as usize);
        Some(match kind {
            Kind::Func => ExternType::Func(module.func_type(FuncIdx(index))?),
            Kind::Table => ExternType::Table(*module.table_types().get(at)?),
            Kind::Memory => ExternType::Memory(module.memory_types().nth(at)?),
            Kind::Global => ExternType::Global(*module.global_types().get(at)?),
            Kind::Tag => ExternType::Tag(module.tag_type(index)?),
        })
    }

    /// The function that a host calls before any other.
    pub(super) fn initialize(&self) -> Result<Option<u32>, JoinError> {
        let Some(func) = self.module.exported_func("_initialize") else {
            return Ok(None);
        };
        match self.module.func_type(func) {
            Some(ty) if !ty.params.is_empty() || !ty.results.is_empty() => {
                Err(JoinError::Initialize {
                    by: self.called(),
                    ty: ty.to_string(),
                })
            }
            _ => Ok(Some(func.0)),
        }
    }

    /// It in messages.
    pub(super) fn called(&self) -> String {
        let file = self.path.display();
        match &self.name {
            Some(name) => format!("'{name}' ({file})"),
            None => format!("the program ({file})"),
        }
    }

    /// That it cannot be written anew, because of this.
    pub(super) fn unwritten(&self, error: &dyn std::fmt::Display) -> JoinError {
        JoinError::Written {
            by: self.called(),
            message: error.to_string(),
        }
    }
}

/// What a module consists of, as it is written.
#[derive(Default)]
pub(super) struct Pieces<'m> {
    pub(super) types: Vec<FuncType>,
    pub(super) imports: Vec<Import<'m>>,
    /// The types of its own functions.
    pub(super) functions: Vec<u32>,
    pub(super) tables: Vec<Table<'m>>,
    pub(super) memories: Vec<MemoryType>,
    pub(super) tags: Vec<TagType>,
    pub(super) globals: Vec<Global<'m>>,
    pub(super) exports: Vec<Export<'m>>,
    pub(super) elements: Vec<Element<'m>>,
    pub(super) data: Vec<Data<'m>>,
    /// Whether it says before its code how many pieces of data there are.
    pub(super) counts_data: bool,
    /// Where the contents of the section with its code begin.
    pub(super) code_start: u64,
    pub(super) bodies: Vec<FunctionBody<'m>>,
    pub(super) customs: Vec<(&'m str, &'m [u8])>,
}

impl<'m> Pieces<'m> {
    fn read(bytes: &'m [u8]) -> wasmparser::Result<Self> {
        let mut pieces = Self::default();
        for payload in Parser::new(0).parse_all(bytes) {
            pieces.add(payload?)?;
        }
        Ok(pieces)
    }

    fn add(&mut self, payload: Payload<'m>) -> wasmparser::Result<()> {
        match payload {
            Payload::TypeSection(section) => {
                for ty in section.into_iter_err_on_gc_types() {
                    self.types.push(ty?);
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    self.imports.push(import?);
                }
            }
            Payload::FunctionSection(section) => read(&mut self.functions, section)?,
            Payload::TableSection(section) => read(&mut self.tables, section)?,
            Payload::MemorySection(section) => read(&mut self.memories, section)?,
            Payload::TagSection(section) => read(&mut self.tags, section)?,
            Payload::GlobalSection(section) => read(&mut self.globals, section)?,
            Payload::ExportSection(section) => read(&mut self.exports, section)?,
            Payload::ElementSection(section) => read(&mut self.elements, section)?,
            Payload::DataSection(section) => read(&mut self.data, section)?,
            Payload::DataCountSection { .. } => self.counts_data = true,
            Payload::CodeSectionStart {
                unchecked_range, ..
            } => self.code_start = unchecked_range.start,
            Payload::CodeSectionEntry(body) => self.bodies.push(body),
            Payload::CustomSection(section) => self.customs.push((section.name(), section.data())),
            _ => {}
        }
        Ok(())
    }
}

/// Reads all of a section.
fn read<T>(
    into: &mut Vec<T>,
    section: impl IntoIterator<Item = wasmparser::Result<T>>,
) -> wasmparser::Result<()> {
    for item in section {
        into.push(item?);
    }
    Ok(())
}
