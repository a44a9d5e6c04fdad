//! The skeleton of a module: where its functions lie, what they and their locals are called.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use borges_vm::{CodeOffset, FuncIdx, FuncType, ValType};
use wasmparser::{
    BinaryReader, FunctionBody, KnownCustom, Name, Operator, OperatorsReader, Parser, Payload,
};

use crate::memories::Memories;
use crate::warning::{DebugPart, Problem, Warnings};

/// Why [`crate::DebugInfo::load`] refused its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DebugInfoError {
    /// The bytes do not begin like a WebAssembly module.
    #[error("not a WebAssembly module: it does not begin with \\0asm and version 1")]
    NotAModule,
    /// Offsets are 32 bits wide.
    #[error("the module is larger than 4 GiB")]
    TooLarge,
}

/// A function's body.
#[derive(Debug)]
pub(crate) struct Body {
    /// From its count of local declarations to its last `end`.
    pub(crate) range: Range<u32>,
    /// From its first opcode to the byte after its last.
    pub(crate) code: Range<u32>,
    /// Declared locals: how many of which type.
    locals: Vec<(u32, Option<ValType>)>,
    /// Offsets of its opcodes, found out when first asked for.
    starts: OnceLock<Box<[u32]>>,
}

/// A global of the module.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub(crate) ty: Option<ValType>,
    pub(crate) mutable: bool,
}

/// The names that the module itself gives: imports, exports and the `name` section.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) functions: HashMap<u32, String>,
    pub(crate) locals: HashMap<u32, BTreeMap<u32, String>>,
    /// The compiler calls locals of its own by their numbers, as Binaryen does.
    pub(crate) numbers_locals: bool,
    pub(crate) globals: HashMap<u32, String>,
    pub(crate) memories: HashMap<u32, String>,
}

/// What this crate needs to know of a module, read leniently: a module that the VM accepts is read
/// whole; of another one, as much as can be understood.
#[derive(Debug)]
pub(crate) struct ModuleIndex {
    pub(crate) bytes: Arc<[u8]>,
    /// Where the contents of the code section begin: DWARF's addresses count from here.
    pub(crate) code_start: u32,
    types: Vec<FuncType>,
    /// Type indices of all functions, imported ones first.
    function_types: Vec<u32>,
    imported: u32,
    bodies: Vec<Body>,
    pub(crate) globals: Vec<Global>,
    pub(crate) exports: HashMap<u32, String>,
    pub(crate) names: Names,
    /// Custom sections other than `name`, with the range of their contents.
    pub(crate) customs: Vec<(String, Range<usize>)>,
    /// Which memory is whose.
    pub(crate) memories: Memories,
}

impl ModuleIndex {
    pub(crate) fn read(
        bytes: &[u8],
        warnings: &mut Warnings,
    ) -> Result<ModuleIndex, DebugInfoError> {
        if u32::try_from(bytes.len()).is_err() {
            return Err(DebugInfoError::TooLarge);
        }
        if !bytes.starts_with(b"\0asm\x01\0\0\0") {
            return Err(DebugInfoError::NotAModule);
        }
        let mut index = ModuleIndex {
            bytes: bytes.into(),
            code_start: 0,
            types: Vec::new(),
            function_types: Vec::new(),
            imported: 0,
            bodies: Vec::new(),
            globals: Vec::new(),
            exports: HashMap::new(),
            names: Names::default(),
            customs: Vec::new(),
            memories: Memories::default(),
        };
        for payload in Parser::new(0).parse_all(bytes) {
            let done = payload.and_then(|payload| index.section(payload, warnings));
            if let Err(error) = done {
                warnings.malformed(DebugPart::Module, &error);
            }
        }
        Ok(index)
    }

    fn section(&mut self, payload: Payload<'_>, warnings: &mut Warnings) -> wasmparser::Result<()> {
        match payload {
            Payload::TypeSection(section) => {
                for ty in section.into_iter_err_on_gc_types() {
                    self.types.push(func_type(&ty?));
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    self.import(&import?);
                }
            }
            Payload::FunctionSection(section) => {
                for ty in section {
                    self.function_types.push(ty?);
                }
            }
            Payload::GlobalSection(section) => {
                for global in section {
                    let ty = global?.ty;
                    self.globals.push(Global {
                        ty: val_type(ty.content_type),
                        mutable: ty.mutable,
                    });
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export?;
                    if export.kind == wasmparser::ExternalKind::Func {
                        self.exports
                            .entry(export.index)
                            .or_insert(export.name.to_owned());
                    }
                }
            }
            Payload::CodeSectionStart {
                unchecked_range, ..
            } => {
                self.code_start = unchecked_range.start as u32;
            }
            Payload::CodeSectionEntry(body) => self.body(&body)?,
            Payload::CustomSection(section) => match section.as_known() {
                KnownCustom::Name(reader) => self.names(reader, warnings),
                _ => {
                    let range = section.data_range();
                    let range = range.start as usize..range.end as usize;
                    self.customs.push((section.name().to_owned(), range));
                }
            },
            _ => {}
        }
        Ok(())
    }

    fn import(&mut self, import: &wasmparser::Import<'_>) {
        match import.ty {
            wasmparser::TypeRef::Func(ty) | wasmparser::TypeRef::FuncExact(ty) => {
                let name = format!("{}.{}", import.module, import.name);
                self.names.functions.entry(self.imported).or_insert(name);
                self.function_types.push(ty);
                self.imported += 1;
            }
            wasmparser::TypeRef::Global(ty) => {
                let name = format!("{}.{}", import.module, import.name);
                self.names
                    .globals
                    .entry(self.globals.len() as u32)
                    .or_insert(name);
                self.globals.push(Global {
                    ty: val_type(ty.content_type),
                    mutable: ty.mutable,
                });
            }
            _ => {}
        }
    }

    /// Adds a function without parameters behind all others; its number.
    pub(crate) fn add_function(
        &mut self,
        results: Vec<ValType>,
        body: &FunctionBody<'_>,
    ) -> wasmparser::Result<u32> {
        let params = Vec::new();
        self.function_types.push(self.types.len() as u32);
        self.types.push(FuncType { params, results });
        self.body(body)?;
        Ok(self.function_count() - 1)
    }

    fn body(&mut self, body: &FunctionBody<'_>) -> wasmparser::Result<()> {
        let range = body.range();
        let range = range.start as u32..range.end as u32;
        let mut locals = Vec::new();
        let mut reader = body.get_locals_reader()?;
        for _ in 0..reader.get_count() {
            let (count, ty) = reader.read()?;
            locals.push((count, val_type(ty)));
        }
        let code = reader.original_position() as u32..range.end;
        self.bodies.push(Body {
            range,
            code,
            locals,
            starts: OnceLock::new(),
        });
        Ok(())
    }

    /// Reads the `name` section as far as it is well formed.
    fn names(&mut self, reader: wasmparser::NameSectionReader<'_>, warnings: &mut Warnings) {
        for name in reader {
            let done = name.and_then(|name| self.name_map(name));
            if let Err(error) = done {
                warnings.malformed(DebugPart::Names, &error);
                return;
            }
        }
    }

    fn name_map(&mut self, name: Name<'_>) -> wasmparser::Result<()> {
        match name {
            Name::Function(map) => {
                for naming in map {
                    let naming = naming?;
                    // The import's two names say more than the compiler's name for it.
                    if naming.index >= self.imported {
                        self.names
                            .functions
                            .insert(naming.index, naming.name.to_owned());
                    }
                }
            }
            Name::Local(map) => {
                for function in map {
                    let function = function?;
                    let locals = self.names.locals.entry(function.index).or_default();
                    for naming in function.names {
                        let naming = naming?;
                        self.names.numbers_locals |= naming.name == naming.index.to_string();
                        locals.insert(naming.index, naming.name.to_owned());
                    }
                }
            }
            Name::Global(map) => {
                for naming in map {
                    let naming = naming?;
                    self.names
                        .globals
                        .insert(naming.index, naming.name.to_owned());
                }
            }
            Name::Memory(map) => {
                for naming in map {
                    let naming = naming?;
                    let name = naming.name.to_owned();
                    self.names.memories.insert(naming.index, name);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Number of functions, imported ones included.
    pub(crate) fn function_count(&self) -> u32 {
        self.imported + self.bodies.len() as u32
    }

    pub(crate) fn imported_count(&self) -> u32 {
        self.imported
    }

    /// The body of a function; imported ones have none.
    pub(crate) fn body_of(&self, function: FuncIdx) -> Option<&Body> {
        self.bodies
            .get(function.0.checked_sub(self.imported)? as usize)
    }

    /// The function whose body holds `offset`.
    pub(crate) fn function_at(&self, offset: CodeOffset) -> Option<FuncIdx> {
        let after = self
            .bodies
            .partition_point(|body| body.range.start <= offset.0);
        let index = after.checked_sub(1)?;
        let body = self.bodies.get(index)?;
        body.range
            .contains(&offset.0)
            .then_some(FuncIdx(self.imported + index as u32))
    }

    pub(crate) fn type_of(&self, function: FuncIdx) -> Option<&FuncType> {
        let index = *self.function_types.get(function.0 as usize)?;
        self.types.get(index as usize)
    }

    /// How a function type reads in the text format, for block types and indirect calls.
    pub(crate) fn type_at(&self, index: u32) -> Option<&FuncType> {
        self.types.get(index as usize)
    }

    /// Number of parameters; they are the first locals.
    pub(crate) fn param_count(&self, function: FuncIdx) -> u32 {
        self.type_of(function)
            .map_or(0, |ty| ty.params.len() as u32)
    }

    /// The type of a local, parameters first; `None` of a local that does not exist or has a type
    /// that the VM does not know.
    pub(crate) fn local_type(&self, function: FuncIdx, index: u32) -> Option<ValType> {
        let params = self.param_count(function);
        if index < params {
            return self.type_of(function)?.params.get(index as usize).copied();
        }
        let mut rest = index - params;
        for &(count, ty) in &self.body_of(function)?.locals {
            if rest < count {
                return ty;
            }
            rest -= count;
        }
        None
    }

    /// Offsets of a function's opcodes, in order; as far as its body can be read.
    pub(crate) fn starts(&self, function: FuncIdx) -> &[u32] {
        let Some(body) = self.body_of(function) else {
            return &[];
        };
        body.starts.get_or_init(|| {
            let mut starts = Vec::new();
            let mut operators = self.operators(body);
            while !operators.eof() {
                let at = operators.original_position() as u32;
                if operators.read().is_err() {
                    break;
                }
                starts.push(at);
            }
            starts.into()
        })
    }

    /// How far `offset` lies from the code between the first and the last use of a local: 0 within.
    ///
    /// That is what is left of a variable's scope when a compiler records none.
    pub(crate) fn distance_to_local(&self, function: FuncIdx, index: u32, offset: u32) -> u32 {
        let Some(body) = self.body_of(function) else {
            return u32::MAX;
        };
        let mut operators = self.operators(body);
        let (mut first, mut last) = (None, 0);
        while !operators.eof() {
            let at = operators.original_position() as u32;
            match operators.read() {
                Ok(
                    Operator::LocalGet { local_index }
                    | Operator::LocalSet { local_index }
                    | Operator::LocalTee { local_index },
                ) if local_index == index => {
                    first.get_or_insert(at);
                    last = at;
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        match first {
            None => u32::MAX,
            Some(first) => first
                .saturating_sub(offset)
                .max(offset.saturating_sub(last)),
        }
    }

    /// The functions that a function calls directly, in the order of its code.
    pub(crate) fn called_by(&self, function: FuncIdx) -> Vec<FuncIdx> {
        let Some(body) = self.body_of(function) else {
            return Vec::new();
        };
        let mut operators = self.operators(body);
        let mut called = Vec::new();
        while !operators.eof() {
            match operators.read() {
                Ok(Operator::Call { function_index } | Operator::ReturnCall { function_index }) => {
                    called.push(FuncIdx(function_index))
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        called
    }

    /// Where a function returns for certain: its `return`s, tail calls, branches out of its body, and its last `end`.
    pub(crate) fn returns_of(&self, function: FuncIdx) -> Vec<CodeOffset> {
        let Some(body) = self.body_of(function) else {
            return Vec::new();
        };
        let mut operators = self.operators(body);
        let (mut depth, mut returns) = (0_u32, Vec::new());
        while !operators.eof() {
            let at = CodeOffset(operators.original_position() as u32);
            match operators.read() {
                Ok(
                    Operator::Block { .. }
                    | Operator::Loop { .. }
                    | Operator::If { .. }
                    | Operator::TryTable { .. }
                    | Operator::Try { .. },
                ) => depth += 1,
                Ok(Operator::End) if depth == 0 => returns.push(at),
                Ok(Operator::End | Operator::Delegate { .. }) => depth -= 1,
                Ok(
                    Operator::Return
                    | Operator::ReturnCall { .. }
                    | Operator::ReturnCallIndirect { .. },
                ) => returns.push(at),
                Ok(Operator::Br { relative_depth }) if relative_depth == depth => returns.push(at),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        returns
    }

    /// True if local `index` is a parameter that the function never writes.
    pub(crate) fn keeps_parameter(&self, function: FuncIdx, index: u32) -> bool {
        let Some(body) = self
            .body_of(function)
            .filter(|_| index < self.param_count(function))
        else {
            return false;
        };
        let mut operators = self.operators(body);
        while !operators.eof() {
            match operators.read() {
                Ok(Operator::LocalSet { local_index } | Operator::LocalTee { local_index })
                    if local_index == index =>
                {
                    return false;
                }
                Ok(_) => {}
                Err(_) => return false,
            }
        }
        true
    }

    pub(crate) fn operators(&self, body: &Body) -> OperatorsReader<'_> {
        let range = body.code.start as usize..body.code.end as usize;
        let code = self.bytes.get(range).unwrap_or(&[]);
        OperatorsReader::new(BinaryReader::new(code, u64::from(body.code.start)))
    }

    /// The first opcode at or after `offset` in the same function.
    pub(crate) fn opcode_from(&self, offset: u32) -> Option<(FuncIdx, u32)> {
        let function = self.function_at(CodeOffset(offset))?;
        let starts = self.starts(function);
        let index = starts.partition_point(|&start| start < offset);
        Some((function, *starts.get(index)?))
    }

    pub(crate) fn custom(&self, name: &str) -> Option<&[u8]> {
        let (_, range) = self.customs.iter().find(|(custom, _)| custom == name)?;
        self.bytes.get(range.clone())
    }

    /// The URL that section `sourceMappingURL` holds: one name of the binary format.
    pub(crate) fn source_map_url(&self, warnings: &mut Warnings) -> Option<String> {
        let data = self.custom("sourceMappingURL")?;
        let mut reader = BinaryReader::new(data, 0);
        match reader.read_unlimited_string() {
            Ok(url) => Some(url.to_owned()),
            Err(error) => {
                let problem = Problem::Malformed(error.message().to_owned());
                warnings.push(DebugPart::SourceMap, error.offset(), problem);
                None
            }
        }
    }
}

fn func_type(ty: &wasmparser::FuncType) -> FuncType {
    // A type that the VM does not know makes the VM refuse the module; here it must only not shift
    // the parameters after it.
    let known = |ty: &wasmparser::ValType| val_type(*ty).unwrap_or(ValType::ExternRef);
    FuncType {
        params: ty.params().iter().map(known).collect(),
        results: ty.results().iter().map(known).collect(),
    }
}

pub(crate) fn val_type(ty: wasmparser::ValType) -> Option<ValType> {
    Some(match ty {
        wasmparser::ValType::I32 => ValType::I32,
        wasmparser::ValType::I64 => ValType::I64,
        wasmparser::ValType::F32 => ValType::F32,
        wasmparser::ValType::F64 => ValType::F64,
        wasmparser::ValType::V128 => ValType::V128,
        wasmparser::ValType::Ref(ty) if ty.is_func_ref() => ValType::FuncRef,
        wasmparser::ValType::Ref(ty) if ty.is_extern_ref() => ValType::ExternRef,
        wasmparser::ValType::Ref(wasmparser::RefType::EXNREF) => ValType::ExnRef,
        _ => return None,
    })
}
