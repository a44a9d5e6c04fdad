//! Recordings of one program, from many devices or runs, as one session file that counts them.

use std::cell::Cell;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use borges_store::{KeptProgram, Merge, MergeInput, Merged, NewProgram, StoreError, Unmerged};
use thiserror::Error;

use super::file::{ENTRY, LIBRARIES, PROGRAM, hash_key};
use crate::command::{Event, Flow, Observer};

/// What came of merging recordings.
#[derive(Debug, serde::Serialize)]
pub struct MergeReport {
    /// All files were looked at; not if the observer paused before.
    pub complete: bool,
    /// The program.
    pub program: String,
    /// Files that were merged.
    pub files: u64,
    /// How many recordings they are: one that was merged from others counts as those.
    pub recordings: u64,
    /// Entries that were looked at.
    pub entries: u64,
    /// Entries that are in the merged file.
    pub kept: u64,
    /// Files that were left out.
    pub left_out: Vec<LeftOut>,
}

/// A file that was left out of a merge.
#[derive(Debug, serde::Serialize)]
pub struct LeftOut {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub why: String,
    /// What to do about it; may be empty.
    pub next: &'static str,
}

/// Why recordings could not be merged.
#[derive(Debug, Error)]
pub enum MergeError {
    /// None of the files is a recording: those that were looked at.
    #[error("none of the files is a recording that could be merged")]
    Nothing(Vec<LeftOut>),
    /// The file that they were to be merged into.
    #[error("{file} cannot be written: {error}")]
    Output {
        /// The file.
        file: String,
        /// Why.
        error: StoreError,
    },
}

/// Why a file is not merged.
#[derive(Debug, Error)]
enum Refusal {
    #[error("{}", unread(.0))]
    Unread(StoreError),
    #[error("it is given twice")]
    Twice,
    #[error(
        "it is a recording of another program, {name} of {bytes} bytes; the first is of {first_name}, {first_bytes} bytes"
    )]
    Program {
        name: String,
        bytes: usize,
        first_name: String,
        first_bytes: usize,
    },
    #[error(
        "its program ran on another board than that of the first file, or found other folders, arguments or input"
    )]
    Board,
    #[error("its program was started with {}, that of the first file with {}", entry(.0), entry(.1))]
    Entry(Option<String>, Option<String>),
    #[error(
        "it goes on from {branch}.{position} as no run of the program can that did before what the other files say: it was \
         changed, or another version of Borges wrote it"
    )]
    Contradicts { branch: u32, position: u32 },
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::Unread(error)
    }
}

fn unread(error: &StoreError) -> String {
    match error {
        StoreError::Unknown("program") => "it holds no recording of a device program".to_owned(),
        StoreError::Io(error) if error.kind() == io::ErrorKind::NotFound => {
            "there is no such file".to_owned()
        }
        error => error.to_string(),
    }
}

fn entry(entry: &Option<String>) -> String {
    match entry {
        Some(entry) => format!("--entry {entry:?}"),
        None => "its usual entry".to_owned(),
    }
}

impl Refusal {
    fn next(&self) -> &'static str {
        match self {
            Self::Unread(StoreError::Damaged(_)) => {
                "copy the file again, or see what is left of it: borges check FILE"
            }
            Self::Unread(StoreError::Older { .. }) => "'borges check FILE' brings it up to date",
            Self::Unread(StoreError::NotASession | StoreError::Unknown(_)) => {
                "'borges record' and 'borges repl --session FILE' write recordings"
            }
            Self::Program { .. } | Self::Board | Self::Entry(..) => {
                "merge recordings of one program at a time; the first file says which"
            }
            Self::Contradicts { .. } => "see whether it replays: borges replay FILE",
            Self::Unread(_) | Self::Twice => "",
        }
    }
}

/// What all recordings of a merge have in common.
struct Common {
    program: KeptProgram,
    entry: Option<String>,
    /// Where the first of them found it.
    path: Option<String>,
    /// What the first of them was linked with.
    libraries: Option<String>,
}

impl Common {
    fn of(recording: &MergeInput) -> Result<Self, StoreError> {
        Ok(Self {
            program: recording.program()?,
            entry: recording.setting(ENTRY)?,
            path: recording.setting(PROGRAM)?,
            libraries: recording.setting(LIBRARIES)?,
        })
    }

    /// Whether a recording is of the same program, which began in the same way.
    fn admit(&self, recording: &MergeInput) -> Result<(), Refusal> {
        let Self { program, entry, .. } = Self::of(recording)?;
        if program.bytes != self.program.bytes {
            return Err(Refusal::Program {
                name: program.name,
                bytes: program.bytes.len(),
                first_name: self.program.name.clone(),
                first_bytes: self.program.bytes.len(),
            });
        }
        let board = (&program.board, &program.primitives);
        if board != (&self.program.board, &self.program.primitives) {
            return Err(Refusal::Board);
        }
        match entry == self.entry {
            true => Ok(()),
            false => Err(Refusal::Entry(entry, self.entry.clone())),
        }
    }
}

/// Merges recordings into a new session file, one after the other; what cannot be merged is left out, and named. The first
/// file that can be read says of which program they are. If `observer` pauses, what was merged before is kept.
///
/// # Errors
/// [`MergeError`]; then there is no merged file, unless it could not be written any further.
pub fn merge(
    files: &[PathBuf],
    output: &Path,
    observer: Observer<'_>,
) -> Result<MergeReport, MergeError> {
    let unwritten = |error| MergeError::Output {
        file: output.display().to_string(),
        error,
    };
    let (files, mut left_out) = once(files);
    let common = first(&files).map_err(MergeError::Nothing)?;
    let mut merge = begin(output, &common).map_err(unwritten)?;
    let open = |path: &Path| -> Result<MergeInput, Refusal> {
        let recording = MergeInput::open(path, hash_key)?;
        common.admit(&recording)?;
        Ok(recording)
    };
    let mut report = MergeReport {
        complete: true,
        program: common.program.name.clone(),
        files: 0,
        recordings: 0,
        entries: 0,
        kept: 0,
        left_out: Vec::new(),
    };
    let done = Cell::new(0);
    let mut broken = None;
    let mut each = |number: usize, merged: Result<Merged, Unmerged<Refusal>>| {
        done.set(number as u64 + 1);
        let refused = match merged {
            Ok(merged) => {
                report.add(merged);
                None
            }
            Err(Unmerged::Refused(refusal)) => Some(refusal),
            Err(Unmerged::Contradicts { branch, position }) => {
                Some(Refusal::Contradicts { branch, position })
            }
            Err(Unmerged::Stopped) => {
                report.complete = false;
                None
            }
            Err(Unmerged::Unwritten(error)) => {
                broken = Some(error);
                None
            }
        };
        let out = refused.and_then(|refusal| Some(out(files.get(number)?, &refusal)));
        left_out.extend(out);
    };
    let mut keep_going = || {
        let progress = Event::Progress {
            what: "merging recordings".to_owned(),
            done: done.get(),
            total: Some(files.len() as u64),
        };
        observer(progress) == Flow::Continue
    };
    merge.add_all(&files, &open, &mut each, &mut keep_going);
    report.left_out = left_out;
    match broken {
        Some(error) => Err(unwritten(error)),
        None if report.files == 0 => {
            merge.discard().map_err(unwritten)?;
            Err(MergeError::Nothing(report.left_out))
        }
        None => {
            merge.finish().map_err(unwritten)?;
            Ok(report)
        }
    }
}

impl MergeReport {
    fn add(&mut self, merged: Merged) {
        self.files += 1;
        self.recordings += merged.runs;
        self.entries += merged.entries;
        self.kept += merged.new;
    }
}

/// The files, each of them once, and those that were left out for it.
fn once(files: &[PathBuf]) -> (Vec<PathBuf>, Vec<LeftOut>) {
    let mut known = HashSet::new();
    let mut twice = Vec::new();
    let mut fresh = Vec::new();
    for file in files {
        // What is not there is told when it is opened.
        let real = file.canonicalize().unwrap_or_else(|_| file.clone());
        match known.insert(real) {
            true => fresh.push(file.clone()),
            false => twice.push(out(file, &Refusal::Twice)),
        }
    }
    (fresh, twice)
}

/// What the first recording among the files is of; or what is wrong with all of them.
fn first(files: &[PathBuf]) -> Result<Common, Vec<LeftOut>> {
    let mut left_out = Vec::new();
    for file in files {
        let recording = MergeInput::open(file, hash_key);
        match recording.and_then(|recording| Common::of(&recording)) {
            Ok(common) => return Ok(common),
            Err(error) => left_out.push(out(file, &error.into())),
        }
    }
    Err(left_out)
}

/// Makes the merged file, with nothing merged into it yet.
fn begin(output: &Path, common: &Common) -> Result<Merge, StoreError> {
    let KeptProgram {
        name,
        bytes,
        board,
        primitives,
        at_ms,
    } = &common.program;
    let program = NewProgram {
        name,
        bytes,
        board,
        primitives,
        at_ms: *at_ms,
    };
    let merge = Merge::create(output, &program, hash_key)?;
    let settings = [
        (PROGRAM, &common.path),
        (ENTRY, &common.entry),
        (LIBRARIES, &common.libraries),
    ];
    for (key, value) in settings {
        if let Some(value) = value {
            merge.set_setting(key, value)?;
        }
    }
    Ok(merge)
}

fn out(file: &Path, refusal: &Refusal) -> LeftOut {
    LeftOut {
        file: file.to_owned(),
        why: refusal.to_string(),
        next: refusal.next(),
    }
}
