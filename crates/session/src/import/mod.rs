//! Recordings of other engines: read, compared with the program call by call, made session files.
//!
//! The program runs twice. First beside its recording alone, which answers every call: so nothing needs to be known of
//! what it imports, and what comes of it is compared as it comes. Then as the twin of a session, on a system that begins
//! as the recording shows that the other one began (`learn`), and with the recording as what was chosen (`tell`): what
//! the system here answers by itself needs no word of it, so that whoever leaves the recording goes on with that system.

mod check;
mod entries;
mod follow;
mod handed;
mod learn;
mod recording;
mod seen;
mod tell;

use std::collections::BTreeMap;
use std::path::PathBuf;

use borges_stub::{Halt, execute};
use borges_wasi::{Output, Setup, World};
use thiserror::Error;

use crate::command::{Event, Flow, Observer};
use crate::error::CommandError;
use crate::history::Source;
use crate::history::entry::Moment;
use crate::options::Options;
use crate::program::{Board, OpenError, Opened, read_linked};
use crate::record::Record;
use crate::stage::Stage;
use follow::{Film, Follower};
pub use handed::RecordedImport;
use learn::Learnt;
pub use recording::{
    HostRecording, HostRecordingError, Recorded, RecordedCall, RecordedEnd, RecordedEntry,
};
use tell::Teller;

/// Steps between two looks at whether to go on.
const SLICE: u64 = 1 << 22;

/// Why a recording was not imported.
#[derive(Debug, Error)]
pub enum ImportError {
    /// It cannot be read, or not on.
    #[error("the recording cannot be replayed: {0}")]
    Recording(#[from] HostRecordingError),
    /// Another program was recorded.
    #[error(
        "the recording is of another program: one of {recorded} bytes with check {recorded_check:08x}, and this one has {here} \
         bytes and check {here_check:08x}"
    )]
    OtherProgram {
        /// The bytes of the recorded one.
        recorded: u64,
        /// Its check.
        recorded_check: u32,
        /// The bytes of the given one.
        here: u64,
        /// Its check.
        here_check: u32,
    },
    /// Its table of imports is not the program's.
    #[error("the recording has other imports than the program: '{0}'")]
    Imports(String),
    /// A host called something that no line of a session can call.
    #[error(
        "call {number} of an export, of '{name}', cannot be made here: a session writes calls as lines, and no line has this name"
    )]
    Entry {
        /// The number of that call, from 1.
        number: usize,
        /// The name of the export.
        name: String,
    },
    /// The program does something else here.
    #[error("call {number}, after {step} steps: {what}")]
    Diverged {
        /// The number of the recorded call, from 1.
        number: u64,
        /// Steps taken before it.
        step: u64,
        /// What is other.
        what: String,
    },
    /// The program or its board.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A folder was given that the recorded program did not have.
    #[error("the recorded program was given no folder '{name}', but {}", .had.join(", "))]
    NoFolder {
        /// Its name.
        name: String,
        /// Those that it had.
        had: Vec<String>,
    },
    /// What was recorded cannot be kept.
    #[error("{0}")]
    Kept(String),
    /// The observer paused it.
    #[error("stopped before it was done")]
    Paused,
}

/// What an import came to.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Imported {
    /// The engine and recorder.
    pub engine: String,
    /// Calls that were replayed.
    pub calls: u64,
    /// Steps that the program took.
    pub steps: u64,
    /// The hash of its last state.
    pub state: String,
    /// How it ended, in words.
    pub ending: String,
    /// What the world has of standard output and standard error: how many bytes, and their CRC-32.
    pub printed: Vec<(u64, u32)>,
    /// Calls that are answered as they were recorded, because the model here would answer otherwise: names, and how often.
    pub told: BTreeMap<String, u64>,
    /// Files of which the recording does not show all, in words: the model has zeros there.
    pub unknown: Vec<String>,
    /// Where the recording and the program part, if that was allowed: the session file ends before.
    pub parted: Option<String>,
}

/// Replays a recording of another engine and keeps it as a session file.
///
/// `options` name the program, its board, the session file, and folders that stand for those of the recorded program.
/// With `partial`, what comes before a divergence or a damage is kept too.
///
/// # Errors
/// [`ImportError`] says where the recording and the program part, and what was expected there.
pub fn import(
    recording: &[u8],
    options: &Options,
    partial: bool,
    observer: Observer<'_>,
) -> Result<Imported, ImportError> {
    let recording = HostRecording::new(recording)?;
    let board = || Board::find(&options.program, options.board.as_deref());
    let bytes = read_linked(&options.program, &options.libraries, &board()?)?;
    let ((recorded, recorded_check), (here, here_check)) =
        (recording.program, check::check_of(&bytes));
    if (recorded, recorded_check) != (here, here_check) {
        return Err(ImportError::OtherProgram {
            recorded,
            recorded_check,
            here,
            here_check,
        });
    }
    let mut options = options.clone();
    if !recording.entry.is_empty() {
        options.entry = Some(recording.entry.clone());
    } else if let Some(lines) = entries::lines(&recording)? {
        options.entry = Some(lines);
    }
    let board = || Board::find(&options.program, options.board.as_deref());
    let on = |board| Opened::on(board, &options.program, &bytes, options.entry.as_deref());
    let opened = on(board()?)?;
    let follower = Follower::new(recording, &opened.program)?;
    let (learnt, parted) = watch(follower.clone(), opened, observer)?;
    let parted = match parted {
        Some(error) if !partial => return Err(error),
        parted => parted.map(|error| error.to_string()),
    };
    let (setup, unknown) = learnt.setup();
    let setup = given(setup, &options)?;
    let stage = Stage::new(on(board()?.beginning_as(setup))?, 0, &options);
    let mut told = Told {
        follower,
        stage,
        parted,
    };
    let (ending, names) = told.lead(observer)?;
    let twin = told.stage.history.twin();
    let hash = twin.hash();
    let printed = |system: &World| {
        let written = Output::ALL.map(|output| system.output(output).to_vec());
        written.map(|bytes| check::check_of(&bytes)).to_vec()
    };
    let printed = twin.board.system().map(printed).unwrap_or_default();
    let imported = Imported {
        engine: told.follower.recording.engine.clone(),
        calls: told.follower.calls,
        steps: twin.steps(),
        printed,
        state: hash.to_string(),
        ending,
        told: names,
        unknown,
        parted: told.parted.clone(),
    };
    told.keep(&options, &bytes, &imported)?;
    Ok(imported)
}

/// Runs a program beside its recording alone: what that shows of the system it ran on, and where the two part.
fn watch(
    mut follower: Follower<'_>,
    opened: Opened,
    observer: Observer<'_>,
) -> Result<(Learnt, Option<ImportError>), ImportError> {
    let (program, mut machine) = (opened.program, opened.machine);
    let board = program.board.clone();
    let mut learnt = Learnt::default();
    loop {
        let mut film = Film {
            follower: &mut follower,
            seen: |call: &borges_stub::Call<'_>, recorded: &RecordedCall| {
                if let Some(function) = board.system_function(call.primitive) {
                    learnt.saw(function, call, recorded);
                }
            },
            failed: None,
        };
        let until = machine.steps() + SLICE;
        let halt = execute(&mut machine, &program, &mut film, until);
        if let Some(error) = film.failed {
            return Ok((learnt, Some(error)));
        }
        if !matches!(halt, Halt::Until | Halt::Yield) {
            let parted = follower.rest(&halt, &machine).err();
            return Ok((learnt, parted));
        }
        go_on("comparing", machine.steps(), observer)?;
    }
}

fn go_on(what: &str, done: u64, observer: Observer<'_>) -> Result<(), ImportError> {
    let progress = Event::Progress {
        what: what.to_owned(),
        done,
        total: None,
    };
    match observer(progress) {
        Flow::Continue => Ok(()),
        Flow::Pause => Err(ImportError::Paused),
    }
}

/// What was learnt, with the folders of the user's in the place of those of the same name.
fn given(mut setup: Setup, options: &Options) -> Result<Setup, ImportError> {
    let Some(given) = &options.system else {
        return Ok(setup);
    };
    let read = given
        .setup(&options.program)
        .map_err(|error| ImportError::Kept(error.to_string()))?;
    for (name, items) in read.folders {
        let had = || setup.folders.iter().map(|(name, _)| name.clone()).collect();
        match setup.folders.iter().position(|(had, _)| *had == name) {
            Some(at) => setup.folders[at].1 = items,
            None => return Err(ImportError::NoFolder { name, had: had() }),
        }
    }
    Ok(setup)
}

/// A program on the way through its recording, as a session has it.
struct Told<'r> {
    follower: Follower<'r>,
    stage: Stage,
    parted: Option<String>,
}

impl Told<'_> {
    /// Leads the program through its recording: how it ended, and which calls were answered word for word.
    fn lead(
        &mut self,
        observer: Observer<'_>,
    ) -> Result<(String, BTreeMap<String, u64>), ImportError> {
        let program = self.stage.program().clone();
        let history = &mut self.stage.history;
        let mut teller = Teller::new(&mut self.follower, &program);
        let halt = loop {
            let until = history.twin().steps() + SLICE;
            let halt = history
                .extend(&mut teller, Source::Told, until)
                .map_err(|error| ImportError::Kept(error.to_string()))?;
            if !matches!(halt, Halt::Until | Halt::Yield) {
                break halt;
            }
            go_on("replaying", history.twin().steps(), observer)?;
        };
        let names = std::mem::take(&mut teller.told);
        let error = match teller.failed.take() {
            Some(error) => Err(error),
            None => self.follower.rest(&halt, &history.twin().machine),
        };
        let ending = match error {
            _ if self.parted.is_some() => "it parts from its recording".to_owned(),
            Ok(RecordedEnd::Returned) => "the program returned".to_owned(),
            Ok(RecordedEnd::Exited(code)) => format!("the program ended with code {code}"),
            Ok(RecordedEnd::Trapped) => "the program trapped".to_owned(),
            Ok(RecordedEnd::Stopped) => "the recording ends".to_owned(),
            Err(error) => return Err(error),
        };
        Ok((ending, names))
    }

    /// Writes the session file.
    fn keep(
        &mut self,
        options: &Options,
        bytes: &[u8],
        imported: &Imported,
    ) -> Result<(), ImportError> {
        let Some(path): Option<&PathBuf> = options.session_file.as_ref() else {
            return Ok(());
        };
        let mut record = Record::default();
        record.create(path, &self.stage, options, bytes)?;
        let mut note = format!("imported: {}, {}", imported.engine, imported.ending);
        if !imported.unknown.is_empty() {
            let unknown = imported.unknown.join("; ");
            note = format!(
                "{note}. Of these files no more was seen, the rest is zeros here: {unknown}"
            );
        }
        if let Some(parted) = &imported.parted {
            note = format!("{note}. {parted}");
        }
        record.note(Moment::START, &note);
        let saved = record.save(&mut self.stage.history, None);
        saved.map_err(|error: CommandError| ImportError::Kept(error.to_string()))
    }
}
