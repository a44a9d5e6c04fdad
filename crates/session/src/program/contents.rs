//! What is in a program file: imports with what they mean on a board, exports, functions, sizes, debug information.

use std::path::Path;

use borges_board::PrimitiveKind;
use borges_debuginfo::DebugInfo;
use borges_stub::usual_entry;
use borges_vm::{ExternType, Limits, Module};
use borges_wasi::WasiImport;
use serde::Serialize;

use crate::program::{Board, Library, OpenError, Opened, described, names, read, read_linked};

/// What an import is on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportContents {
    /// First part of its name.
    pub module: String,
    /// Second part of its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub type_name: String,
    /// `input`, `output`, `constant`, `trap`, `system`, or `unknown`.
    pub kind: String,
    /// For an input, what it can yield; for an unknown import, how to declare it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// An export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExportContents {
    /// Its name.
    pub name: String,
    /// `function`, `memory`, `table` or `global`.
    pub kind: String,
    /// Its type.
    #[serde(rename = "type")]
    pub type_name: String,
}

/// A function of the program's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FunctionContents {
    /// Its name.
    pub name: String,
    /// Bytes of its code.
    pub bytes: u32,
    /// Its instructions.
    pub instructions: u32,
    /// Where in the source it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// A custom section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SectionContents {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// What is in a program file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramContents {
    /// Its size.
    pub bytes: u64,
    /// Hex hash of the file.
    pub hash: String,
    /// The board's name.
    pub board: String,
    /// The board's file, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board_file: Option<String>,
    /// The function that runs if none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// What it imports.
    pub imports: Vec<ImportContents>,
    /// What it exports.
    pub exports: Vec<ExportContents>,
    /// Its own functions, in the order of the module.
    pub functions: Vec<FunctionContents>,
    /// Pages of 64 KiB that its memory has at the start; nothing without a memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_pages: Option<u32>,
    /// The same of its other memories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_memories_pages: Vec<u32>,
    /// How many globals it has.
    pub globals: u64,
    /// How many tables it has.
    pub tables: u64,
    /// Its custom sections.
    pub custom_sections: Vec<SectionContents>,
    /// Source files that the debug information names.
    pub sources: Vec<String>,
    /// Whether code can be shown as source lines.
    pub has_lines: bool,
    /// What is broken in the debug information.
    pub warnings: Vec<String>,
}

/// Whether a program file or one of those that it is linked with imports functions of an operating system. A file that
/// cannot be read imports none.
#[must_use]
pub fn calls_system(path: &Path, libraries: &[Library]) -> bool {
    let of_system = |bytes: Vec<u8>| {
        let module = Module::new(&bytes, &Limits::host()).ok()?;
        let mut imports = module.imports();
        Some(imports.any(|import| WasiImport::find(import.module, import.name).is_some()))
    };
    let mut files = libraries
        .iter()
        .map(|library| library.path.as_path())
        .chain([path]);
    files.any(|path| read(path).ok().and_then(of_system).unwrap_or(false))
}

/// Looks into a program file, linked with these modules. Its imports need not exist on the board.
///
/// # Errors
/// [`OpenError`]: no file, no module, or no board.
pub fn of_program(
    path: &Path,
    libraries: &[Library],
    named: Option<&Path>,
) -> Result<ProgramContents, OpenError> {
    let board = Board::find(path, named)?;
    let bytes = read_linked(path, libraries, &board)?;
    let module = board.module(path, &bytes)?;
    let board = board.for_module(path, &module)?;
    let info = names(path, &bytes)?;
    Ok(ProgramContents {
        bytes: bytes.len() as u64,
        hash: format!("{:016x}", module.hash()),
        board: board.description.name.clone(),
        board_file: Board::file(path, named).map(|file| file.display().to_string()),
        entry: usual_entry(&module).map(str::to_owned),
        imports: imports(&module, &board),
        exports: exports(&module),
        functions: functions(&module, &info),
        memory_pages: module.memory_type().map(|memory| memory.min),
        other_memories_pages: (module.memory_types().skip(1))
            .map(|memory| memory.min)
            .collect(),
        globals: module.global_types().len() as u64,
        tables: module.table_types().len() as u64,
        custom_sections: module
            .custom_sections()
            .map(|(name, content)| SectionContents {
                name: name.to_owned(),
                bytes: content.len() as u64,
            })
            .collect(),
        sources: info.files().iter().map(|file| file.path.clone()).collect(),
        has_lines: info.has_lines(),
        warnings: info.warnings().iter().map(ToString::to_string).collect(),
    })
}

fn imports(module: &Module, board: &Board) -> Vec<ImportContents> {
    module
        .imports()
        .map(|import| {
            let (kind, note) = match import.ty {
                ExternType::Func(ty) => {
                    match board.description.bind(import.module, import.name, ty) {
                        Ok(id) => match board
                            .description
                            .primitive(id)
                            .map(|primitive| &primitive.kind)
                        {
                            Some(PrimitiveKind::Input) => {
                                let codomain = board
                                    .description
                                    .primitive(id)
                                    .map(|p| p.codomain.describe());
                                ("input", codomain)
                            }
                            Some(PrimitiveKind::Output) => ("output", None),
                            Some(PrimitiveKind::Constant(value)) => {
                                ("constant", Some(crate::values::show(*value)))
                            }
                            Some(PrimitiveKind::Trap) => ("trap", None),
                            Some(PrimitiveKind::System) => ("system", None),
                            None => ("unknown", None),
                        },
                        Err(error) => ("unknown", Some(error.to_string())),
                    }
                }
                _ if borges_stub::is_made(&import) => {
                    let note = "made for the program: empty, as small as it may be";
                    (described(&import.ty).0, Some(note.to_owned()))
                }
                _ => (
                    "unknown",
                    Some(
                        "a board offers functions only, or an empty memory or table as 'env'"
                            .to_owned(),
                    ),
                ),
            };
            ImportContents {
                module: import.module.to_owned(),
                name: import.name.to_owned(),
                type_name: described(&import.ty).1,
                kind: kind.to_owned(),
                note,
            }
        })
        .collect()
}

fn exports(module: &Module) -> Vec<ExportContents> {
    module
        .exports()
        .map(|export| {
            let (kind, type_name) = described(&export.ty);
            ExportContents {
                name: export.name.to_owned(),
                kind: kind.to_owned(),
                type_name,
            }
        })
        .collect()
}

fn functions(module: &Module, info: &DebugInfo) -> Vec<FunctionContents> {
    module
        .funcs()
        .filter_map(|func| {
            let code = module.code_range(func)?;
            let function = info.function(func);
            let place = function.place.and_then(|place| {
                let file = info.file(place.file)?;
                Some(format!("{}:{}", file.path, place.line))
            });
            Some(FunctionContents {
                name: function.name,
                bytes: code.end.0.saturating_sub(code.start.0),
                instructions: u32::try_from(module.instrs(func).count()).unwrap_or(u32::MAX),
                place,
            })
        })
        .collect()
}

/// Opens a program as a session or a run would; a sentence about it.
///
/// # Errors
/// What is wrong.
pub fn check_program(
    path: &Path,
    libraries: &[Library],
    board: Option<&Path>,
) -> Result<String, OpenError> {
    let opened = Opened::read((path, libraries), board, None, None)?;
    Ok(format!(
        "a program that starts with {} on the board '{}'",
        opened.entry_name, opened.board.description.name
    ))
}

/// Checks a board file; a sentence about it.
///
/// # Errors
/// What is wrong, with its line.
pub fn check_board(path: &Path) -> Result<String, OpenError> {
    let board = Board::find(path, Some(path))?.description;
    let count = |number: usize, one: &str| match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    };
    Ok(format!(
        "the board '{}': {}, {}, {}, {}",
        board.name,
        count(board.primitives().count(), "primitive"),
        count(board.rules.len(), "rule"),
        count(board.ranges.len(), "range"),
        count(board.simulation.sources.len(), "source")
    ))
}
