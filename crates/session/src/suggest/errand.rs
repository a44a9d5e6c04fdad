//! What a worker needs in order to explore jobs as whoever put them would: the program, and what is asked of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use borges_stub::Program;
use borges_vm::FuncIdx;
use serde::{Deserialize, Serialize};

use super::parcel::Parcel;
use crate::command::question::{Question, Within};
use crate::program::{Board, Opened};

/// A program with a question about it, as it travels.
#[derive(Serialize, Deserialize)]
pub(super) struct Errand {
    program: Parcel,
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
    let errand = Errand {
        program: Parcel::of((path, board), (program, entry)).without_folders(),
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
        self.program.path()
    }

    /// The program at its start.
    ///
    /// # Errors
    /// It does not open: in words.
    pub(super) fn open(&self) -> Result<Opened, String> {
        let opened = self.program.open();
        opened.map_err(|error| error.to_string())
    }
}
