//! The program of a session, once its machine runs as the twin: what stays as it is until another one is uploaded.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use borges_board::Board as BoardDescription;
use borges_debuginfo::DebugInfo;
use borges_stub::Program;
use borges_vm::{CodeOffset, FuncIdx, Machine, Module, Value};

use super::{Board, Opened};

/// A program with its board and what is known of its source.
pub(crate) struct Loaded {
    path: PathBuf,
    program: Program,
    board: Board,
    entry: (FuncIdx, Vec<Value>),
    entry_name: String,
    info: Arc<DebugInfo>,
    version: u32,
    line_begins: OnceCell<Vec<CodeOffset>>,
}

impl Loaded {
    /// A program that was opened, and its machine, which stands at the entry; `version` counts the uploads before it.
    pub(crate) fn new(opened: Opened, version: u32) -> (Self, Machine) {
        let loaded = Self {
            path: opened.path,
            program: opened.program,
            board: opened.board,
            entry: opened.entry,
            entry_name: opened.entry_name,
            info: Arc::new(opened.info),
            version,
            line_begins: OnceCell::new(),
        };
        (loaded, opened.machine)
    }

    /// Where it was read from.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// The board as primitives and rules.
    pub(crate) fn board(&self) -> &BoardDescription {
        &self.program.board
    }

    /// The board as it was read from its file.
    pub(crate) fn board_file(&self) -> &Board {
        &self.board
    }

    /// The function that is called, and its arguments.
    pub(crate) fn entry(&self) -> &(FuncIdx, Vec<Value>) {
        &self.entry
    }

    /// The function that is called, in words.
    pub(crate) fn entry_name(&self) -> &str {
        &self.entry_name
    }

    pub(crate) fn info(&self) -> &DebugInfo {
        &self.info
    }

    /// [`Self::info`], for those who outlive the session's next command.
    pub(crate) fn shared_info(&self) -> Arc<DebugInfo> {
        self.info.clone()
    }

    /// How often a changed program was uploaded.
    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    /// All places where a source line begins.
    pub(crate) fn all_line_begins(&self) -> &[CodeOffset] {
        let (module, info) = (&self.program.module, &self.info);
        self.line_begins.get_or_init(|| line_begins(module, info))
    }

    /// Where lines begin; of a program without lines, all instructions.
    pub(crate) fn anywhere(&self) -> Vec<CodeOffset> {
        or_all(self.all_line_begins(), &self.program.module)
    }

    /// The places in a function where a source line begins.
    pub(crate) fn line_begins_of(&self, func: FuncIdx) -> Vec<CodeOffset> {
        let starts = self.program.module.instr_starts(func);
        starts
            .filter(|offset| self.info.line_begins(*offset))
            .collect()
    }

    /// The first instruction of a function.
    pub(crate) fn first_instruction(&self, func: FuncIdx) -> Option<CodeOffset> {
        self.program.module.instr_starts(func).next()
    }
}

/// All places in a program where a source line begins.
pub(crate) fn line_begins(module: &Module, info: &DebugInfo) -> Vec<CodeOffset> {
    let instructions = module.funcs().flat_map(|func| module.instr_starts(func));
    instructions.filter(|at| info.line_begins(*at)).collect()
}

/// Where lines begin; of a program without lines, all instructions.
pub(crate) fn or_all(begins: &[CodeOffset], module: &Module) -> Vec<CodeOffset> {
    if !begins.is_empty() {
        return begins.to_vec();
    }
    module
        .funcs()
        .flat_map(|func| module.instr_starts(func))
        .collect()
}
