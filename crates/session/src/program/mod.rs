//! From files to a program at its start: the module, its board, its debug information.

pub mod contents;
mod features;
mod host;
mod join;
pub(crate) mod loaded;
mod system;
mod write_back;

pub(crate) use host::MOST_TEXT;
pub use join::{JoinError, Library, LinkedImport};
pub(crate) use join::{linked, read_linked};
pub use system::Provided;
pub use write_back::WriteBackError;
pub(crate) use write_back::write_back;

use std::path::{Path, PathBuf};

use borges_board::{Board as BoardDescription, PortableBoard, ProgramLimits, SystemStart};
use borges_debuginfo::{DebugInfo, Folders, SourceProvider};
use borges_stub::{Program, ProgramError, usual_entry};
use borges_vm::{
    ExternType, FuncIdx, Limits, LoadError, Machine, Module, Shared, StartError, ValType, Value,
};
use borges_wasi::{Setup, WasiImport};
use thiserror::Error;

/// Why a program cannot be debugged.
#[derive(Debug, Error)]
pub enum OpenError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no module that the VM can run.
    #[error("{}: {source}", path.display())]
    Module {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: LoadError,
    },
    /// It is a module that needs more than the VM has.
    #[error("{}: {needs}", path.display())]
    Newer {
        /// Which file.
        path: PathBuf,
        /// What it needs, and how to build it without that.
        needs: String,
    },
    /// The board file is wrong.
    #[error("{}: {message}", path.display())]
    Board {
        /// Which file.
        path: PathBuf,
        /// Where and why.
        message: String,
    },
    /// The program does not fit the board.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The program cannot be started.
    #[error("the program cannot be started: {0}")]
    Start(#[from] StartError),
    /// Modules that are linked cannot be joined.
    #[error(transparent)]
    Join(#[from] JoinError),
    /// The entries cannot be called one after the other.
    #[error("{0}")]
    Calls(String),
    /// The entry cannot be called.
    #[error("the entry cannot be called: {0}")]
    Begin(#[from] borges_vm::BeginError),
    /// The entry takes or gives a vector or a reference to an exception.
    #[error("the entry cannot be called: it takes or gives {0}, which cannot leave a program")]
    Inner(&'static str),
    /// The memory that it means by `memory` is not its first.
    #[error(
        "what the program calls 'memory' is its memory {0}, but calls of primitives and of the system read and write memory 0: \
         build it so that 'memory' is the first"
    )]
    OtherMemory(u32),
    /// Its debug information is none.
    #[error("{}: {source}", path.display())]
    Names {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: borges_debuginfo::DebugInfoError,
    },
    /// No operating system can begin as it was asked for.
    #[error("{}: {message}", path.display())]
    System {
        /// Which program.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// The session file.
    #[error("{}: {message}", path.display())]
    Session {
        /// Which file.
        path: PathBuf,
        /// Why.
        message: String,
    },
}

impl OpenError {
    /// Whether what is to be called is not what can be called.
    #[must_use]
    pub fn is_about_entries(&self) -> bool {
        matches!(
            self,
            Self::Calls(_) | Self::Program(ProgramError::NoEntry { .. })
        )
    }
}

/// A board with the text it was read from.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    pub(crate) description: BoardDescription,
    /// TOML; empty for the default board.
    pub(crate) text: String,
    /// The VM's limits where the board sets none.
    base: Limits,
    /// How an operating system begins, for programs that call one.
    system: Option<Setup>,
}

impl Board {
    /// The board file that was named, or the one beside the program, or the default board.
    pub(crate) fn find(program: &Path, named: Option<&Path>) -> Result<Self, OpenError> {
        let Some(path) = Self::file(program, named) else {
            return Self::parse(String::new(), program);
        };
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(text, &path),
            Err(source) => Err(OpenError::File { path, source }),
        }
    }

    /// The board file that was named, or the one beside the program, if there is one.
    pub(crate) fn file(program: &Path, named: Option<&Path>) -> Option<PathBuf> {
        let beside = || Some(program.with_file_name("board.toml")).filter(|path| path.is_file());
        named.map(Path::to_owned).or_else(beside)
    }

    /// The text of the board with what a program finds beside it: [`Board::parse`] reads both.
    pub(crate) fn kept(&self) -> String {
        let system = self.description.system();
        system::kept(&self.text, system.map(|system| &system.setup))
    }

    /// A board from its text, the default board if that is empty; `path` is for messages.
    pub(crate) fn parse(text: String, path: &Path) -> Result<Self, OpenError> {
        let (text, system) = system::unkept(text);
        let description = match text.is_empty() {
            true => BoardDescription::default_board(),
            false => BoardDescription::parse(&path.display().to_string(), &text).map_err(|e| {
                OpenError::Board {
                    path: path.to_owned(),
                    message: e.to_string(),
                }
            })?,
        };
        Ok(Self {
            description,
            text,
            base: Limits::host(),
            system,
        })
    }

    /// The program must fit a microcontroller.
    pub(crate) fn shrink(&mut self) {
        self.base = Limits::small();
    }

    /// Whether it must.
    pub(crate) fn is_small(&self) -> bool {
        self.base == Limits::small()
    }

    /// A program at this path that calls an operating system finds this.
    pub(crate) fn with_system(
        mut self,
        path: &Path,
        given: Option<&Provided>,
    ) -> Result<Self, OpenError> {
        if let Some(given) = given {
            let setup = given.setup(path).map_err(|error| OpenError::System {
                path: path.to_owned(),
                message: error.to_string(),
            })?;
            self.system = Some(setup);
        }
        Ok(self)
    }

    /// An operating system on it begins like this.
    pub(crate) fn beginning_as(mut self, setup: Setup) -> Self {
        self.system = Some(setup);
        self
    }

    /// The same board with the operating system that a module calls, if it calls one; `path` is for messages.
    fn for_module(mut self, path: &Path, module: &Module) -> Result<Self, OpenError> {
        let before = self.description.system().cloned();
        let mut imports = before
            .as_ref()
            .map_or_else(Vec::new, |start| start.imports.clone());
        let known = imports.len();
        for import in module.imports() {
            let found = WasiImport::find(import.module, import.name);
            imports.extend(found.filter(|found| !imports.contains(found)));
        }
        if imports.len() == known {
            return Ok(self);
        }
        let usual = || Setup {
            arguments: vec![
                path.file_name()
                    .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            ],
            ..Setup::default()
        };
        let before = before.map(|start| start.setup);
        let setup = before.or(self.system.clone()).unwrap_or_else(usual);
        let start = SystemStart { setup, imports };
        self.description =
            self.description
                .with_system(start)
                .map_err(|error| OpenError::System {
                    path: path.to_owned(),
                    message: error.to_string(),
                })?;
        Ok(self)
    }

    /// What a device gets to know of it. Its hash names the board between host and device.
    pub(crate) fn portable(&self) -> Vec<u8> {
        let limits = self.vm_limits();
        let portable = PortableBoard::from(&self.description).with_limits(ProgramLimits {
            memory_pages: Some(limits.memory_pages),
            stack_slots: Some(limits.stack_slots),
            call_depth: Some(limits.call_depth),
            table_elements: Some(limits.table_elements),
            module_bytes: None,
        });
        // Writing to memory cannot fail.
        postcard::to_allocvec(&portable).unwrap_or_default()
    }

    /// The VM's limits on this board.
    pub(crate) fn vm_limits(&self) -> Limits {
        let (mut limits, own) = (self.base, &self.description.limits);
        limits.memory_pages = own.memory_pages.unwrap_or(limits.memory_pages);
        limits.stack_slots = own.stack_slots.unwrap_or(limits.stack_slots);
        limits.call_depth = own.call_depth.unwrap_or(limits.call_depth);
        limits.table_elements = own.table_elements.unwrap_or(limits.table_elements);
        limits.module_bytes = own.module_bytes.unwrap_or(limits.module_bytes);
        limits
    }

    /// The module that these bytes are, if it fits this board; `path` is for messages.
    fn module(&self, path: &Path, bytes: &[u8]) -> Result<Module, OpenError> {
        Module::new(bytes, &self.vm_limits()).map_err(|source| {
            let path = path.to_owned();
            match features::newer(bytes) {
                Some(needs) => OpenError::Newer { path, needs },
                None => OpenError::Module { path, source },
            }
        })
    }
}

/// A program on its board, at its start, with what is known of its source.
///
/// This is the one way from files to something that runs: a session, a plain run and an exploration begin here.
pub(crate) struct Opened {
    /// Where it was read from.
    pub(crate) path: PathBuf,
    pub(crate) board: Board,
    pub(crate) program: Program,
    pub(crate) info: DebugInfo,
    /// The export that is called, or several calls, a line each.
    pub(crate) entry_name: String,
    /// The function that is called, and its arguments.
    pub(crate) entry: (FuncIdx, Vec<Value>),
    /// Stands at the entry.
    pub(crate) machine: Machine,
}

impl Opened {
    /// A program from its file and those of its libraries, with its board; `given` is what it finds if it calls an operating system.
    ///
    /// # Errors
    /// [`OpenError`] names the file and the cause.
    pub(crate) fn read(
        (path, libraries): (&Path, &[Library]),
        board: Option<&Path>,
        entry: Option<&str>,
        given: Option<&Provided>,
    ) -> Result<Self, OpenError> {
        let board = Board::find(path, board)?.with_system(path, given)?;
        let bytes = read_linked(path, libraries, &board)?;
        Self::on(board, path, &bytes, entry)
    }

    /// The program that these bytes are, on a board; `path` is for its sources and for messages.
    ///
    /// # Errors
    /// [`OpenError`] names the file and the cause.
    pub(crate) fn on(
        board: Board,
        path: &Path,
        bytes: &[u8],
        entry: Option<&str>,
    ) -> Result<Self, OpenError> {
        Self::with_files(board, path, bytes, entry, &Folders::around(path))
    }

    /// The same, where its debug information finds these files.
    ///
    /// # Errors
    /// As [`Opened::on`].
    pub(crate) fn with_files(
        board: Board,
        path: &Path,
        bytes: &[u8],
        entry: Option<&str>,
        files: &dyn SourceProvider,
    ) -> Result<Self, OpenError> {
        let mut module = board.module(path, bytes)?;
        let board = board.for_module(path, &module)?;
        let mut entry = entry.or_else(|| {
            // A command of WASI begins at `_start`, whatever else it exports.
            let command = module.exported_func("_start").map(|_| "_start");
            command.filter(|_| board.description.system().is_some())
        });
        let entry_name = entry.or_else(|| usual_entry(&module)).unwrap_or_default();
        let calls = host::with_calls(&module, bytes, entry_name).map_err(OpenError::Calls)?;
        if let Some(bytes) = &calls {
            module = board.module(path, bytes)?;
            entry = None;
        }
        let bytes = calls.as_deref().unwrap_or(bytes);
        let table = borges_board::Shared::new(board.description.clone());
        let program = Program::new(Shared::new(module), table)?;
        let func = program.entry(entry)?;
        let info = names_in(path, bytes, files)?;
        Self::begun(board, path, program, info, (func, entry_name))
    }

    /// The same program once more, wherever this is: these bytes on this board, from this function, with these files.
    ///
    /// # Errors
    /// As [`Opened::on`].
    pub(crate) fn again(
        board: Board,
        path: &Path,
        bytes: &[u8],
        func: FuncIdx,
        files: &dyn SourceProvider,
    ) -> Result<Self, OpenError> {
        let module = board.module(path, bytes)?;
        let board = board.for_module(path, &module)?;
        if module.func_type(func).is_none() {
            return Err(OpenError::Calls(
                "there is no function to begin with".to_owned(),
            ));
        }
        let table = borges_board::Shared::new(board.description.clone());
        let program = Program::new(Shared::new(module), table)?;
        let info = names_in(path, bytes, files)?;
        Self::begun(board, path, program, info, (func, ""))
    }

    /// A program that stands at its entry.
    fn begun(
        board: Board,
        path: &Path,
        program: Program,
        info: DebugInfo,
        (func, entry_name): (FuncIdx, &str),
    ) -> Result<Self, OpenError> {
        let ty = program.module.func_type(func);
        let mut types = ty.iter().flat_map(|ty| ty.params.iter().chain(&ty.results));
        let inner = types.find_map(|ty| match ty {
            ValType::V128 => Some("vectors (v128)"),
            ValType::ExnRef => Some("exceptions (exnref)"),
            _ => None,
        });
        if let Some(inner) = inner {
            return Err(OpenError::Inner(inner));
        }
        if let Some(index) = called_memory(&program.module).filter(|index| *index != 0) {
            return Err(OpenError::OtherMemory(index));
        }
        let arguments = program.entry_arguments(func);
        let mut machine = Machine::new(program.module.clone(), board.vm_limits())?;
        machine.begin(func, &arguments)?;
        Ok(Self {
            path: path.to_owned(),
            entry_name: entry_name.to_owned(),
            info,
            board,
            program,
            entry: (func, arguments),
            machine,
        })
    }
}

/// The memory that the module and its outside call `memory`.
fn called_memory(module: &Module) -> Option<u32> {
    let is_memory = |ty: &ExternType<'_>| matches!(ty, ExternType::Memory(_));
    let imports = module.imports().filter(|import| is_memory(&import.ty));
    let imported = (0..)
        .zip(imports)
        .find(|(_, import)| import.name == "memory");
    let mut exports = module.exports().filter(|export| is_memory(&export.ty));
    let exported = exports.find(|export| export.name == "memory");
    let exported = exported.map(|export| export.index);
    exported.or(imported.map(|(index, _)| index))
}

/// Kind and type of what is imported or exported.
fn described(ty: &ExternType<'_>) -> (&'static str, String) {
    let limits = |min: u32, max: Option<u32>, is_64: bool| {
        let far = if is_64 { "64-bit " } else { "" };
        match max {
            Some(max) => format!("{far}{min}..{max}"),
            None => format!("{far}at least {min}"),
        }
    };
    match ty {
        ExternType::Func(ty) => ("function", ty.to_string()),
        ExternType::Table(table) => {
            let limits = limits(table.min, table.max, table.is_64);
            ("table", format!("{limits} {}", table.element))
        }
        ExternType::Memory(memory) => {
            let limits = limits(memory.min, memory.max, memory.is_64);
            ("memory", format!("{limits} pages"))
        }
        ExternType::Global(global) => {
            let mutable = if global.mutable { "mutable " } else { "" };
            ("global", format!("{mutable}{}", global.value))
        }
        ExternType::Tag(ty) => ("tag", ty.to_string()),
    }
}

/// What is known of a module's source; files of it may lie around `path`.
pub(crate) fn names(path: &Path, bytes: &[u8]) -> Result<DebugInfo, OpenError> {
    names_in(path, bytes, &Folders::around(path))
}

fn names_in(path: &Path, bytes: &[u8], files: &dyn SourceProvider) -> Result<DebugInfo, OpenError> {
    DebugInfo::load(bytes, files).map_err(|source| OpenError::Names {
        path: path.to_owned(),
        source,
    })
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, OpenError> {
    std::fs::read(path).map_err(|source| OpenError::File {
        path: path.to_owned(),
        source,
    })
}
