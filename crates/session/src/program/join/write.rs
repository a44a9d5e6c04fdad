//! The joined module, written section by section.

use std::collections::{BTreeSet, HashMap};

use borges_debuginfo::CodeMap;
use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{
    CodeSection, ConstExpr, DataCountSection, DataSection, ElementSection, Elements, Encode,
    EntityType, ExportSection, Function, FunctionSection, GlobalSection, ImportSection,
    InstructionSink, MemorySection, Module, StartSection, TableSection, TagSection, TypeSection,
};
use wasmparser::{DataKind, ElementKind, Operator};

use super::error::JoinError;
use super::part::{Kind, Part};
use super::plan::Plan;

/// Most instructions of other parts' constants that stand in constants: bounds what hostile modules can make of few bytes.
const MOST_CONSTANTS: usize = 1 << 20;

/// A module without its custom sections.
pub(super) struct Written {
    pub(super) module: Module,
    /// Of each part where its code is now.
    pub(super) maps: Vec<CodeMap>,
    /// Whether its last function is one that no part has: what happens before the program.
    pub(super) has_begin: bool,
}

/// Writes the parts as one module.
pub(super) fn written(parts: &[Part<'_>], plan: &mut Plan) -> Result<Written, JoinError> {
    let mut module = Module::new();
    let mut types = types(parts, plan)?;
    let begin = Begin::new(parts, plan)?;
    let begin_type = begin.is_written().then(|| types.begin());
    module.section(&types.section);
    let mut writer = Writer {
        parts,
        plan,
        part: 0,
        constants: 0,
        named: BTreeSet::new(),
    };
    let mut sections = Sections::default();
    writer.imports(&mut sections.imports)?;
    writer.own(&mut sections)?;
    let start = writer.start(&begin, begin_type, &mut sections)?;
    let maps = writer.code(&begin, &mut sections.code)?;
    // A function's reference is made only of what is named outside of code; exports of libraries are no more.
    if !writer.named.is_empty() {
        let named: Vec<u32> = writer.named.iter().copied().collect();
        sections
            .elements
            .declared(Elements::Functions(named.into()));
    }
    let counts_data = parts.iter().any(|part| part.pieces.counts_data) || begin.copies();
    sections.into_module(&mut module, start, counts_data);
    Ok(Written {
        module,
        maps,
        has_begin: begin.is_written(),
    })
}

/// The sections behind the types.
#[derive(Default)]
struct Sections {
    imports: ImportSection,
    functions: FunctionSection,
    tables: TableSection,
    memories: MemorySection,
    tags: TagSection,
    globals: GlobalSection,
    exports: ExportSection,
    elements: ElementSection,
    code: CodeSection,
    data: DataSection,
}

impl Sections {
    fn into_module(self, module: &mut Module, start: Option<u32>, counts_data: bool) {
        module.section(&self.imports).section(&self.functions);
        module.section(&self.tables).section(&self.memories);
        // Not every reader of modules knows of tags.
        if !self.tags.is_empty() {
            module.section(&self.tags);
        }
        module.section(&self.globals).section(&self.exports);
        if let Some(function_index) = start {
            module.section(&StartSection { function_index });
        }
        module.section(&self.elements);
        if counts_data {
            let count = self.data.len();
            module.section(&DataCountSection { count });
        }
        module.section(&self.code).section(&self.data);
    }
}

/// The types of all parts, equal ones once.
struct Types {
    section: TypeSection,
    known: HashMap<wasmparser::FuncType, u32>,
}

impl Types {
    /// The type of a function that takes nothing and gives nothing.
    fn begin(&mut self) -> u32 {
        let ty = wasmparser::FuncType::new([], []);
        let next = self.known.len() as u32;
        *self.known.entry(ty).or_insert_with(|| {
            self.section.ty().function([], []);
            next
        })
    }
}

fn types(parts: &[Part<'_>], plan: &mut Plan) -> Result<Types, JoinError> {
    let mut types = Types {
        section: TypeSection::new(),
        known: HashMap::new(),
    };
    for (part, numbers) in parts.iter().zip(&mut plan.numbers) {
        for ty in &part.pieces.types {
            let next = types.known.len() as u32;
            let number = *types.known.entry(ty.clone()).or_insert(next);
            numbers.types.push(number);
            if number == next {
                // Valid types name no others here: there is nothing to number anew.
                let written = wasm_encoder::FuncType::try_from(ty.clone());
                let written = written.map_err(|error| part.unwritten(&error))?;
                types.section.ty().func_type(&written);
            }
        }
    }
    Ok(types)
}

/// What happens before the program: as parts come to be one after the other, each puts its segments where they belong, then
/// its start function runs, and of libraries `_initialize`, which a host calls.
#[derive(Default)]
struct Begin {
    /// Of each part, in the order in which they come to be: its number, and the functions that run then.
    parts: Vec<(usize, Vec<u32>)>,
    /// The parts whose segments go into what another part has, after code of others ran.
    late: BTreeSet<usize>,
}

impl Begin {
    fn new(parts: &[Part<'_>], plan: &Plan) -> Result<Self, JoinError> {
        let mut begin = Self::default();
        let mut has_run = false;
        for number in &plan.order {
            let (part, numbers) = (&parts[*number], &plan.numbers[*number]);
            let start = part.module.start().map(|func| func.0);
            let initialize = match part.name {
                Some(_) => part.initialize()?,
                None => None,
            };
            let functions = start.into_iter().chain(initialize);
            let functions = functions.map(|func| numbers.of(Kind::Func, func));
            let functions: Vec<u32> = functions.collect();
            if has_run && has_segments_elsewhere(part) {
                begin.late.insert(*number);
            }
            has_run |= !functions.is_empty();
            begin.parts.push((*number, functions));
        }
        Ok(begin)
    }

    fn functions(&self) -> impl Iterator<Item = u32> {
        self.parts
            .iter()
            .flat_map(|(_, functions)| functions)
            .copied()
    }

    /// Whether a function is needed that does it.
    fn is_written(&self) -> bool {
        !self.late.is_empty() || self.functions().count() > 1
    }

    /// Whether that function copies segments.
    fn copies(&self) -> bool {
        !self.late.is_empty()
    }
}

/// Whether what a part copies when it comes to be may go into a memory or a table that it did not make.
fn has_segments_elsewhere(part: &Part<'_>) -> bool {
    let data = part.pieces.data.iter().any(|data| match data.kind {
        DataKind::Active { memory_index, .. } => memory_index < part.imported(Kind::Memory),
        DataKind::Passive => false,
    });
    let is_imported = |kind: &ElementKind<'_>| match kind {
        ElementKind::Active { table_index, .. } => {
            table_index.unwrap_or(0) < part.imported(Kind::Table)
        }
        _ => false,
    };
    data || part
        .pieces
        .elements
        .iter()
        .any(|one| is_imported(&one.kind))
}

/// Writes what parts have with the numbers of the joined module.
struct Writer<'p, 'm> {
    parts: &'p [Part<'m>],
    plan: &'p Plan,
    /// The part that is written.
    part: usize,
    /// Instructions of other parts' constants so far.
    constants: usize,
    /// The functions that code makes references to.
    named: BTreeSet<u32>,
}

impl Writer<'_, '_> {
    fn number(&self, kind: Kind, index: u32) -> u32 {
        self.plan.numbers[self.part].of(kind, index)
    }

    /// Why the part that is written cannot be.
    fn failed(&self, error: Error<JoinError>) -> JoinError {
        match error {
            Error::UserError(error) => error,
            error => self.parts[self.part].unwritten(&error),
        }
    }

    fn imports(&mut self, imports: &mut ImportSection) -> Result<(), JoinError> {
        for outside in &self.plan.outside {
            let (part, import) = outside.import;
            self.part = part;
            let import = &self.parts[part].pieces.imports[import];
            let ty = self.entity_type(import.ty);
            let mut ty = ty.map_err(|error| self.failed(error))?;
            if let Some((min, max)) = outside.limits {
                let (min, max) = (min.into(), max.map(u64::from));
                match &mut ty {
                    EntityType::Memory(memory) => (memory.minimum, memory.maximum) = (min, max),
                    EntityType::Table(table) => (table.minimum, table.maximum) = (min, max),
                    _ => {}
                }
            }
            imports.import(import.module, import.name, ty);
        }
        Ok(())
    }

    /// What parts have themselves, but code.
    fn own(&mut self, into: &mut Sections) -> Result<(), JoinError> {
        let own = |writer: &mut Self, kind: Kind, at: usize| {
            let (part, index) = writer.plan.own[kind as usize][at];
            writer.part = part;
            (index - writer.parts[part].imported(kind)) as usize
        };
        let parts = self.parts;
        for at in 0..self.plan.own[Kind::Func as usize].len() {
            let index = own(self, Kind::Func, at);
            let ty = parts[self.part].pieces.functions[index];
            let ty = self.type_index(ty).map_err(|error| self.failed(error))?;
            into.functions.function(ty);
        }
        for at in 0..self.plan.own[Kind::Table as usize].len() {
            let index = own(self, Kind::Table, at);
            let table = parts[self.part].pieces.tables[index].clone();
            self.parse_table(&mut into.tables, table)
                .map_err(|error| self.failed(error))?;
        }
        for at in 0..self.plan.own[Kind::Memory as usize].len() {
            let index = own(self, Kind::Memory, at);
            let memory = self.memory_type(parts[self.part].pieces.memories[index]);
            into.memories
                .memory(memory.map_err(|error| self.failed(error))?);
        }
        for at in 0..self.plan.own[Kind::Tag as usize].len() {
            let index = own(self, Kind::Tag, at);
            let tag = self.tag_type(parts[self.part].pieces.tags[index]);
            into.tags.tag(tag.map_err(|error| self.failed(error))?);
        }
        for at in 0..self.plan.own[Kind::Global as usize].len() {
            let index = own(self, Kind::Global, at);
            let global = parts[self.part].pieces.globals[index].clone();
            self.parse_global(&mut into.globals, global)
                .map_err(|error| self.failed(error))?;
        }
        self.part = 0;
        for export in &parts[0].pieces.exports {
            self.parse_export(&mut into.exports, *export)
                .map_err(|error| self.failed(error))?;
        }
        Ok(())
    }

    /// The segments of all parts, and the function that runs before the program, if there is one.
    fn start(
        &mut self,
        begin: &Begin,
        ty: Option<u32>,
        into: &mut Sections,
    ) -> Result<Option<u32>, JoinError> {
        for number in &self.plan.order {
            self.part = *number;
            let (part, is_late) = (&self.parts[*number], begin.late.contains(number));
            for element in &part.pieces.elements {
                let mut element = element.clone();
                if is_late && matches!(element.kind, ElementKind::Active { .. }) {
                    element.kind = ElementKind::Passive;
                }
                self.parse_element(&mut into.elements, element)
                    .map_err(|error| self.failed(error))?;
            }
            for data in &part.pieces.data {
                let mut data = data.clone();
                if is_late {
                    data.kind = DataKind::Passive;
                }
                self.parse_data(&mut into.data, data)
                    .map_err(|error| self.failed(error))?;
            }
        }
        let Some(ty) = ty else {
            return Ok(begin.functions().next());
        };
        into.functions.function(ty);
        Ok(Some(
            self.plan.imported(Kind::Func) + into.functions.len() - 1,
        ))
    }

    /// The code of all parts, the program's first, and of each where it is now.
    fn code(&mut self, begin: &Begin, code: &mut CodeSection) -> Result<Vec<CodeMap>, JoinError> {
        let count: usize = self.parts.iter().map(|part| part.pieces.bodies.len()).sum();
        let count = count + usize::from(begin.is_written());
        let mut at = length_of(count);
        let mut maps = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            self.part = number;
            let mut map = CodeMap::default();
            for body in &part.pieces.bodies {
                let (function, starts) = self.function(body).map_err(|error| self.failed(error))?;
                let size = function.byte_len();
                let was = |offset: u64| offset.saturating_sub(part.pieces.code_start) as u32;
                let range = body.range();
                let body_at = at + length_of(size);
                map.add(was(range.start), body_at as u32);
                for (offset, new) in starts {
                    map.add(was(offset), (body_at + new) as u32);
                }
                at = body_at + size;
                map.add(was(range.end), at as u32);
                code.function(&function);
            }
            maps.push(map);
        }
        if begin.is_written() {
            let function = self.begin(begin).map_err(|error| self.failed(error))?;
            code.function(&function);
        }
        Ok(maps)
    }

    /// A function, and where in the module and in its new body each instruction begins.
    #[expect(clippy::type_complexity, reason = "a pair of what one walk finds")]
    fn function(
        &mut self,
        body: &wasmparser::FunctionBody<'_>,
    ) -> Result<(Function, Vec<(u64, usize)>), Error<JoinError>> {
        let mut function = self.new_function_with_parsed_locals(body)?;
        let mut starts = Vec::new();
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            starts.push((reader.original_position(), function.byte_len()));
            let operator = reader.read()?;
            if let Operator::RefFunc { function_index } = operator {
                self.named.insert(self.number(Kind::Func, function_index));
            }
            function.instruction(&self.instruction(operator)?);
        }
        Ok((function, starts))
    }

    /// The function that runs before the program.
    fn begin(&mut self, begin: &Begin) -> Result<Function, Error<JoinError>> {
        let mut code = Vec::new();
        for (number, functions) in &begin.parts {
            if begin.late.contains(number) {
                self.part = *number;
                self.copy_elements(&mut code)?;
                self.copy_data(&mut code)?;
            }
            for function in functions {
                InstructionSink::new(&mut code).call(*function);
            }
        }
        InstructionSink::new(&mut code).end();
        let mut function = Function::new([]);
        function.raw(code);
        Ok(function)
    }

    fn copy_elements(&mut self, code: &mut Vec<u8>) -> Result<(), Error<JoinError>> {
        let first = self.plan.numbers[self.part].elements;
        for (segment, element) in (first..).zip(&self.parts[self.part].pieces.elements) {
            let ElementKind::Active {
                table_index,
                offset_expr,
            } = &element.kind
            else {
                continue;
            };
            let length = match &element.items {
                wasmparser::ElementItems::Functions(items) => items.count(),
                wasmparser::ElementItems::Expressions(_, items) => items.count(),
            };
            let table = self.number(Kind::Table, table_index.unwrap_or(0));
            self.constant(self.part, offset_expr, code)?;
            let mut sink = InstructionSink::new(code);
            sink.i32_const(0).i32_const(length as i32);
            sink.table_init(table, segment).elem_drop(segment);
        }
        Ok(())
    }

    fn copy_data(&mut self, code: &mut Vec<u8>) -> Result<(), Error<JoinError>> {
        let first = self.plan.numbers[self.part].data;
        for (segment, data) in (first..).zip(&self.parts[self.part].pieces.data) {
            let DataKind::Active {
                memory_index,
                offset_expr,
            } = &data.kind
            else {
                continue;
            };
            let memory = self.number(Kind::Memory, *memory_index);
            self.constant(self.part, offset_expr, code)?;
            let mut sink = InstructionSink::new(code);
            sink.i32_const(0).i32_const(data.data.len() as i32);
            sink.memory_init(memory, segment).data_drop(segment);
        }
        Ok(())
    }

    /// The instructions of a constant of a part. What it takes from another part's global stands there instead: a constant
    /// may name imported globals only.
    fn constant(
        &mut self,
        part: usize,
        constant: &wasmparser::ConstExpr<'_>,
        bytes: &mut Vec<u8>,
    ) -> Result<(), Error<JoinError>> {
        let parts = self.parts;
        let outer = std::mem::replace(&mut self.part, part);
        let mut reader = constant.get_operators_reader();
        while !reader.is_end_then_eof() {
            self.constants += usize::from(outer != part);
            let operator = reader.read()?;
            if let Operator::GlobalGet { global_index } = operator {
                let number = self.number(Kind::Global, global_index);
                if let Some((from, index)) = self.plan.made(Kind::Global, number) {
                    if self.constants > MOST_CONSTANTS {
                        return Err(Error::UserError(JoinError::Constants {
                            by: parts[outer].called(),
                            most: MOST_CONSTANTS,
                        }));
                    }
                    let index = index - parts[from].imported(Kind::Global);
                    let value = &parts[from].pieces.globals[index as usize].init_expr;
                    self.constant(from, value, bytes)?;
                    continue;
                }
            }
            self.instruction(operator)?.encode(bytes);
        }
        self.part = outer;
        Ok(())
    }
}

impl Reencode for Writer<'_, '_> {
    type Error = JoinError;

    fn type_index(&mut self, ty: u32) -> Result<u32, Error<JoinError>> {
        let types = &self.plan.numbers[self.part].types;
        Ok(types.get(ty as usize).copied().unwrap_or(ty))
    }

    fn function_index(&mut self, func: u32) -> Result<u32, Error<JoinError>> {
        Ok(self.number(Kind::Func, func))
    }

    fn table_index(&mut self, table: u32) -> Result<u32, Error<JoinError>> {
        Ok(self.number(Kind::Table, table))
    }

    fn memory_index(&mut self, memory: u32) -> Result<u32, Error<JoinError>> {
        Ok(self.number(Kind::Memory, memory))
    }

    fn global_index(&mut self, global: u32) -> Result<u32, Error<JoinError>> {
        Ok(self.number(Kind::Global, global))
    }

    fn tag_index(&mut self, tag: u32) -> Result<u32, Error<JoinError>> {
        Ok(self.number(Kind::Tag, tag))
    }

    fn element_index(&mut self, element: u32) -> Result<u32, Error<JoinError>> {
        Ok(self.plan.numbers[self.part].elements + element)
    }

    fn data_index(&mut self, data: u32) -> Result<u32, Error<JoinError>> {
        Ok(self.plan.numbers[self.part].data + data)
    }

    fn const_expr(
        &mut self,
        constant: wasmparser::ConstExpr<'_>,
    ) -> Result<ConstExpr, Error<JoinError>> {
        let mut bytes = Vec::new();
        self.constant(self.part, &constant, &mut bytes)?;
        Ok(ConstExpr::raw(bytes))
    }
}

/// The bytes of a number in LEB128.
fn length_of(number: usize) -> usize {
    let bits = usize::BITS - number.leading_zeros();
    bits.div_ceil(7).max(1) as usize
}
