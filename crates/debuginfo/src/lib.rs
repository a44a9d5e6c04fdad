//! Source-level information: code offsets to lines, variables to places.
//!
//! [`DebugInfo::load`] reads everything that compilers leave in a module: AssemblyScript's source
//! maps, the DWARF of clang and rustc, and the `name` section. Whatever of it is broken is reported
//! as a [`Warning`] and left out; the rest works, and [`DebugInfo::disassemble`] always does.
//!
//! What of a stopped program is needed, the caller provides as a [`Stopped`]: this crate neither knows
//! a virtual machine nor does any I/O but reading source files through a [`SourceProvider`].
//!
//! # What compilers tell
//! | | lines | inlined calls | variables | types |
//! |---|---|---|---|---|
//! | clang, rustc with `-g` | yes | yes | with their blocks; where they are, instruction by instruction | all |
//! | AssemblyScript with `--debug --sourceMap` | yes | no | by name, in their whole function | wasm's, and what objects in memory tell |
//! | only a `name` section | no | no | by name | wasm's |
//!
//! Limits of AssemblyScript, which writes no DWARF:
//! - A local is an `i32`, `i64`, `f32` or `f64`; a `bool` is shown as 0 or 1, a `u32` with a sign.
//! - A variable is listed in its whole function, before its declaration as 0. Of several variables
//!   with one name, the one whose uses lie nearest is meant.
//! - A constant that the compiler folded (`const x = "text"`) has no local.
//! - Strings, arrays and objects are recognised by their headers in memory. The elements of an
//!   array are known if the program has the runtime's table of classes (`--runtime incremental`) or
//!   the array comes from a constructor; the fields of a class, if its accessors are compiled in.
//!
//! Limits of DWARF: 32-bit WebAssembly only; no split DWARF, no type units; a variable that LLVM
//! removed is shown as such, although an optimising compiler may have left its value somewhere.

#![forbid(unsafe_code)]

mod assembly_script;
mod child;
mod disassembly;
mod dwarf;
mod expression;
mod format;
mod functions;
#[cfg(test)]
mod hand_made;
mod host;
mod joined;
mod lines;
mod memories;
mod module;
mod parts;
mod place;
mod show;
mod source_map;
mod sources;
mod types;
mod variables;
mod view;
mod warning;

pub use child::{Child, Number};
pub use disassembly::Instruction;
pub use expression::{
    Binary, Evaluated, Expression, ExpressionError, ExpressionErrorKind, Known, NoScope, NumberAt,
    Scope, Term,
};
pub use format::Format;
pub use functions::Function;
pub use joined::{CodeMap, JoinedPart, joined_sections};
pub use lines::{LineBreak, LineError, SourcePlace};
pub use module::DebugInfoError;
pub use place::{Holder, Piece, Stopped, Unavailable, ValuePlace};
pub use sources::{FileError, FileId, Folders, NoSources, SourceFile, SourceProvider};
pub use types::TypeId;
pub use variables::{FramePoint, Object, SourceFrame, Variable, VariableKind};
pub use warning::{DebugPart, MAX_WARNINGS, Problem, Warning};

use borges_vm::{CodeOffset, FuncIdx};

use crate::assembly_script::Classes;
use crate::dwarf::Dwarf;
use crate::joined::Joined;
use crate::lines::Lines;
use crate::module::ModuleIndex;
use crate::sources::Files;
use crate::types::Types;
use crate::warning::Warnings;

/// Most inlined calls of which one breakpoint looks for the first line; it stops at the first opcode of others.
const MAX_INLINED: usize = 4096;

/// Most scopes that are looked at to tell which inlined call code lies in, while lines are read: bounds
/// the time that hostile debug information can take.
const MAX_SCOPES: usize = 8 << 20;

/// Everything known about the source of a module.
#[derive(Debug)]
pub struct DebugInfo {
    module: ModuleIndex,
    files: Files,
    lines: Lines,
    dwarf: Option<Dwarf>,
    /// Of a module without DWARF: no types.
    no_types: Types,
    globals: Vec<Variable>,
    classes: Classes,
    warnings: Vec<Warning>,
}

impl DebugInfo {
    /// Reads the debug information of a module; `sources` finds a source map beside the module and
    /// the texts that the debug information does not embed.
    ///
    /// # Errors
    /// Only if `wasm` is no module at all: broken debug information yields [`DebugInfo::warnings`].
    pub fn load(wasm: &[u8], sources: &dyn SourceProvider) -> Result<DebugInfo, DebugInfoError> {
        let mut warnings = Warnings::default();
        let mut module = ModuleIndex::read(wasm, &mut warnings)?;
        let joined = Joined::read(&module, &mut warnings);
        module.memories = joined.memories;
        let mut files = Files::default();
        let (dwarf, mut rows) = match Dwarf::read(&module, sources, &mut files, &mut warnings) {
            Some((dwarf, rows)) => (Some(dwarf), rows),
            None => (None, Vec::new()),
        };
        // DWARF says more; of two line tables, one must not contradict the other.
        if rows.is_empty() {
            rows = source_map::rows(&module, sources, &mut files, &mut warnings);
        }
        for map in joined.maps {
            let moved = |offset| map.offset(&module, offset);
            let found = source_map::rows_of(&map.url, &moved, sources, &mut files, &mut warnings);
            rows.extend(found);
        }
        rows.extend(host::rows(&mut module, &mut files, &mut warnings));
        if files.text_left_out() {
            warnings.push(DebugPart::Sources, 0, Problem::TooLarge);
        }
        let mut work = MAX_SCOPES;
        let mut inlined = |offset| match &dwarf {
            Some(dwarf) => dwarf.inlined_at(offset, &mut work),
            None => Some(Vec::new()),
        };
        let lines = Lines::new(rows, &module, &mut inlined);
        let globals = variables::globals(&module, dwarf.as_ref(), &files);
        let classes = Classes::read(&module, &mut warnings);
        Ok(DebugInfo {
            module,
            files,
            lines,
            dwarf,
            no_types: Types::default(),
            globals,
            classes,
            warnings: warnings.into_vec(),
        })
    }

    /// What was left out because it is broken.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// True if code can be shown as source lines.
    pub fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }

    /// The source files; a [`FileId`] is an index into them.
    pub fn files(&self) -> &[SourceFile] {
        self.files.all()
    }

    /// A source file.
    pub fn file(&self, file: FileId) -> Option<&SourceFile> {
        self.files.file(file)
    }

    /// The file whose path is `name` or ends in it.
    ///
    /// # Errors
    /// [`FileError`] if there is none, or more than one.
    pub fn find_file(&self, name: &str) -> Result<FileId, FileError> {
        self.files.find(name)
    }

    /// The source line that the opcode at `offset` belongs to.
    pub fn place_at(&self, offset: CodeOffset) -> Option<SourcePlace> {
        self.lines.place(&self.module, offset)
    }

    /// True if a source line begins at the opcode at `offset`: where stepping by lines may stop.
    pub fn line_begins(&self, offset: CodeOffset) -> bool {
        self.lines.begins(&self.module, offset)
    }

    /// The lines of a file that have code.
    pub fn lines_with_code(&self, file: FileId) -> Vec<u32> {
        self.lines.lines_of(file)
    }

    /// Where to stop for a breakpoint on a line: on that line or, if it has no code, the next one
    /// that has.
    ///
    /// # Errors
    /// [`LineError`] if no code comes from this line or a later one.
    pub fn break_at_line(&self, file: FileId, line: u32) -> Result<LineBreak, LineError> {
        self.lines.break_at(file, line)
    }

    /// All functions, imported ones first.
    pub fn functions(&self) -> Vec<Function> {
        (0..self.module.function_count())
            .map(|index| self.function(FuncIdx(index)))
            .collect()
    }

    /// A function by its index.
    pub fn function(&self, index: FuncIdx) -> Function {
        functions::describe(&self.module, &self.lines, index, self.name_of(index))
    }

    /// The name that the source gives a function; else the module's.
    fn name_of(&self, index: FuncIdx) -> String {
        let from_dwarf = self.dwarf.as_ref().zip(self.module.body_of(index));
        match from_dwarf.and_then(|(dwarf, body)| dwarf.name_at(body.range.start)) {
            Some(name) => name.to_owned(),
            None => functions::name_of(&self.module, index),
        }
    }

    /// The memory that variables and pointers of the code at `offset` are in; the first is 0. Another one only where a
    /// module with a memory of its own was linked ([`joined_sections`]).
    pub fn memory_at(&self, offset: CodeOffset) -> u32 {
        let at = offset.0.saturating_sub(self.module.code_start);
        self.module.memories.of_code(at)
    }

    /// The name that the module gives a memory.
    pub fn memory_name(&self, index: u32) -> Option<&str> {
        self.module.names.memories.get(&index).map(String::as_str)
    }

    fn types(&self) -> &Types {
        self.dwarf
            .as_ref()
            .map_or(&self.no_types, |dwarf| &dwarf.types)
    }

    /// The functions that the user may mean by `name`: its name or symbol, or the last part of its
    /// name. Several if the compiler made several, or if they share the name.
    pub fn functions_named(&self, name: &str) -> Vec<Function> {
        let mut found: Vec<(u8, Function)> = Vec::new();
        for function in self.functions() {
            let by_name = functions::rank(&function.name, name);
            let by_symbol = function
                .symbol
                .as_deref()
                .and_then(|s| functions::rank(s, name));
            if let Some(rank) = by_name.into_iter().chain(by_symbol).min() {
                found.push((rank, function));
            }
        }
        let best = found.iter().map(|(rank, _)| *rank).min();
        found
            .into_iter()
            .filter(|(rank, _)| Some(*rank) == best)
            .map(|(_, f)| f)
            .collect()
    }

    /// Where to stop for a breakpoint on a function: at the start of its statements, and of every
    /// call of it that the compiler inlined. Empty if nothing is called so.
    pub fn break_at_function(&self, name: &str) -> Vec<CodeOffset> {
        let functions = self.functions_named(name).into_iter();
        let mut offsets: Vec<CodeOffset> = functions.filter_map(|found| found.entry).collect();
        if let Some(dwarf) = &self.dwarf {
            let named = |called: &str| functions::rank(called, name).is_some();
            for (number, ranges) in dwarf.inlined_calls(named).enumerate() {
                let by_line = number < MAX_INLINED;
                offsets.extend(self.lines.first_in(&self.module, ranges, by_line));
            }
        }
        offsets.sort_unstable();
        offsets.dedup();
        offsets
    }

    /// True if local `index` of a function is a parameter that the function never writes: in every frame
    /// of it, it has the value that the caller gave.
    pub fn keeps_parameter(&self, function: FuncIdx, index: u32) -> bool {
        self.module.keeps_parameter(function, index)
    }

    /// Where a function returns for certain.
    pub fn returns_of(&self, function: FuncIdx) -> Vec<CodeOffset> {
        self.module.returns_of(function)
    }

    /// How many parameters a function has.
    pub fn parameters(&self, function: FuncIdx) -> u32 {
        self.module.param_count(function)
    }

    /// The function whose body holds `offset`.
    pub fn function_at(&self, offset: CodeOffset) -> Option<FuncIdx> {
        self.module.function_at(offset)
    }

    /// A function's instructions as text. Works without any debug information.
    pub fn disassemble(&self, function: FuncIdx) -> Vec<Instruction> {
        disassembly::disassemble(&self.module, function)
    }
}
