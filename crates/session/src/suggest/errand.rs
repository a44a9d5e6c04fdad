//! What a worker needs in order to explore jobs as whoever put them would: the program, and what is asked of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use borges_debuginfo::DebugInfo;
use borges_stub::Program;
use borges_vm::FuncIdx;
use serde::{Deserialize, Serialize};

use super::noting::{Files, Noting};
use crate::command::question::{Question, Within};
use crate::program::{Board, Opened};

/// A program with a question about it, as it travels.
#[derive(Serialize, Deserialize)]
pub(super) struct Errand {
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
    files: Files,
    pub(super) about: About,
}

/// What is asked.
#[derive(Serialize, Deserialize)]
pub(super) enum About {
    /// All paths from the start, after so many inputs.
    Paths {
        after: u32,
        stdin: Option<u32>,
        faults: u32,
        more: bool,
    },
    /// Something about a universe.
    Universe {
        /// Its name.
        moment: String,
        /// The question and its bounds, as faces write them.
        question: String,
        within: String,
    },
}

impl About {
    /// What is asked about a universe of this name.
    pub(super) fn universe(moment: String, question: &Question, within: &Within) -> Self {
        let text = |json: serde_json::Result<String>| json.expect("it is data for faces");
        About::Universe {
            moment,
            question: text(serde_json::to_string(question)),
            within: text(serde_json::to_string(within)),
        }
    }
}

/// An errand for workers, as bytes; `path` is where the program was read.
pub(super) fn errand(
    path: &Path,
    board: &Board,
    program: &Program,
    entry: FuncIdx,
    about: About,
) -> Arc<[u8]> {
    let noting = Noting::around(path);
    let module = program.module.bytes();
    // It could be read when the program was opened, and is read for what it names.
    let _ = DebugInfo::load(module, &noting);
    let name = path.file_name().unwrap_or_default();
    let errand = Errand {
        name: name.to_string_lossy().into_owned(),
        module: module.to_vec(),
        entry: entry.0,
        board: board.kept(),
        is_small: board.is_small(),
        files: noting.found(),
        about,
    };
    let bytes = postcard::to_allocvec(&errand);
    bytes.expect("memory does not run out of room").into()
}

impl Errand {
    /// What somebody sent.
    ///
    /// # Errors
    /// It is none.
    pub(super) fn of_bytes(bytes: &[u8]) -> Result<Self, String> {
        postcard::from_bytes(bytes).map_err(|_| "that is no errand".to_owned())
    }

    /// Where its program is, to name it.
    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(&self.name)
    }

    /// The program at its start.
    ///
    /// # Errors
    /// It does not open: in words.
    pub(super) fn open(&self) -> Result<Opened, String> {
        let path = &self.path();
        let board = Board::parse(self.board.clone(), path);
        let mut board = board.map_err(|error| error.to_string())?;
        if self.is_small {
            board.shrink();
        }
        let files: HashMap<String, Vec<u8>> = self.files.iter().cloned().collect();
        let opened = Opened::again(board, path, &self.module, FuncIdx(self.entry), &files);
        opened.map_err(|error| error.to_string())
    }
}
