//! A program with all that is needed to open it elsewhere: for workers, and for who goes on with what a file keeps.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use borges_debuginfo::{DebugInfo, Folders, SourceProvider};
use borges_stub::Program;
use borges_vm::FuncIdx;
use serde::{Deserialize, Serialize};

use crate::program::{Board, OpenError, Opened};

/// A program as it travels.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Parcel {
    /// The program's file, by its name.
    name: String,
    module: Vec<u8>,
    /// The function that is called.
    entry: u32,
    /// The board's text, with what the program finds on it.
    board: String,
    /// Whether the program must fit a microcontroller.
    is_small: bool,
    /// What was read of files that the debug information names.
    files: Vec<(String, Vec<u8>)>,
}

/// Finds files and notes them.
struct Noting {
    folders: Folders,
    found: RefCell<Vec<(String, Vec<u8>)>>,
}

impl SourceProvider for Noting {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let bytes = self.folders.read(path)?;
        let mut found = self.found.borrow_mut();
        if !found.iter().any(|(known, _)| known == path) {
            found.push((path.to_owned(), bytes.clone()));
        }
        Some(bytes)
    }
}

impl Parcel {
    /// A program that is called from this function; `path` is where it was read.
    pub(super) fn of(
        (path, board): (&Path, &Board),
        (program, entry): (&Program, FuncIdx),
    ) -> Self {
        let noting = Noting {
            folders: Folders::around(path),
            found: RefCell::default(),
        };
        let module = program.module.bytes();
        // It could be read when the program was opened, and is read for what it names.
        let _ = DebugInfo::load(module, &noting);
        Self {
            name: path.display().to_string(),
            module: module.to_vec(),
            entry: entry.0,
            board: board.kept(),
            is_small: board.is_small(),
            files: noting.found.into_inner(),
        }
    }

    /// The same by the name of its file alone: where that is here is nobody's business elsewhere.
    pub(super) fn without_folders(mut self) -> Self {
        let name = self.path().file_name().unwrap_or_default().to_owned();
        self.name = name.to_string_lossy().into_owned();
        self
    }

    /// Where the program is, to name it.
    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(&self.name)
    }

    /// Whether two are one program, whatever they are called.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        let what = |of: &Self| (of.entry, of.is_small);
        what(self) == what(other) && self.module == other.module && self.board == other.board
    }

    /// The program at its start.
    ///
    /// # Errors
    /// It does not open.
    pub(super) fn open(&self) -> Result<Opened, OpenError> {
        let path = &self.path();
        let mut board = Board::parse(self.board.clone(), path)?;
        if self.is_small {
            board.shrink();
        }
        let files: HashMap<String, Vec<u8>> = self.files.iter().cloned().collect();
        Opened::again(board, path, &self.module, FuncIdx(self.entry), &files)
    }
}
