//! Recordings of one program, from many devices or runs, as one multiverse with counts.
//!
//! Recordings come one after the other. Each is followed down the multiverse from its root as long as its entries decide
//! what entries there decide; from the first that does not, what is left of it becomes a branch. What is in memory is a row
//! for each branch and the digests of a bounded number of entries, whatever the number of recordings.
//!
//! # Invariants
//!
//! - A recording is merged as a whole or not at all, also when the process is killed.
//! - In which order recordings come, and whether some were merged among themselves before, changes neither which entries
//!   follow one another nor what is counted; only the numbers of branches, and what outputs captured, which is what the
//!   first recording says.
//! - Runs of one program part only at inputs and events. A recording that parts from the others anywhere else is of
//!   something else, and is refused.

mod course;
mod lines;
mod readers;
mod recording;
mod writing;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::runs;
use crate::{NewProgram, Store, StoreError, Upload};
use course::Course;
use lines::Lines;
pub use recording::MergeInput;
use recording::Piece;
use writing::Writing;

/// Pages of the write-ahead log after which they are copied into the file: more than usual, since nobody waits.
const LOGGED_PAGES: u32 = 8_192;
/// How much is lost when the process is killed.
const SAVE_EVERY: Duration = Duration::from_millis(500);

/// A file that recordings are merged into.
#[derive(Debug)]
pub struct Merge {
    store: Store,
    upload: Upload,
    said_of_end: fn(Upload, u32) -> String,
    lines: Lines,
    /// When it was last saved.
    saved: Instant,
}

/// What came of a recording that was merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// How many it counts as: itself, or those that were merged into it before.
    pub runs: u64,
    /// Entries that were looked at.
    pub entries: u64,
    /// Those of them that were new.
    pub new: u64,
}

/// Why a recording was not merged; nothing of it is in the file.
#[derive(Debug)]
pub enum Unmerged<E> {
    /// It cannot be read, or is not to be merged.
    Refused(E),
    /// No run of the program goes on so where others go on otherwise: the branch, and how many entries lie before.
    Contradicts {
        /// The branch of the recording.
        branch: u32,
        /// How many entries of it lie before, from the start of the program.
        position: u32,
    },
    /// Whoever listens said no.
    Stopped,
    /// The file cannot be written.
    Unwritten(StoreError),
}

impl Merge {
    /// Makes a file for recordings of a program. `said_of_end` is that of [`MergeInput::open`].
    ///
    /// # Errors
    /// Those of [`Store::create`].
    pub fn create(
        path: &Path,
        program: &NewProgram<'_>,
        said_of_end: fn(Upload, u32) -> String,
    ) -> Result<Self, StoreError> {
        let store = Store::create(path)?;
        let upload = store.add_program(program)?;
        store.write(|db| Ok(db.execute_batch(runs::SCHEMA)?))?;
        store.flush()?;
        // Whoever pulls the plug merges again: nothing waits for the disk before the end.
        store.db.pragma_update(None, "synchronous", "OFF")?;
        let pages = ("wal_autocheckpoint", LOGGED_PAGES);
        store.db.pragma_update(None, pages.0, pages.1)?;
        let lines = Lines::read(&store.db, store.branch_rows(upload)?)?;
        Ok(Self {
            store,
            upload,
            said_of_end,
            lines,
            saved: Instant::now(),
        })
    }

    /// Keeps a setting.
    ///
    /// # Errors
    /// As for [`Store::set_setting`].
    pub fn set_setting(&self, key: &str, value: &str) -> Result<(), StoreError> {
        self.store.set_setting(key, value)
    }

    /// Merges recordings, each as a whole or not at all. `open` opens one, or says why it is not to be merged; it is asked
    /// on other threads. `each` hears what came of each, in their order; `keep_going` is asked now and then.
    pub fn add_all<E, O>(
        &mut self,
        paths: &[PathBuf],
        open: &O,
        each: &mut dyn FnMut(usize, Result<Merged, Unmerged<E>>),
        keep_going: &mut dyn FnMut() -> bool,
    ) where
        E: From<StoreError> + Send,
        O: Fn(&Path) -> Result<MergeInput, E> + Sync,
    {
        readers::read_all(paths, open, |number, pieces| {
            let name = paths.get(number).map(|path| path.display().to_string());
            let added = self.add(name.unwrap_or_default(), pieces, keep_going);
            let ended = matches!(added, Err(Unmerged::Stopped | Unmerged::Unwritten(_)));
            each(number, added);
            !ended
        });
    }

    /// Merges a recording.
    fn add<E: From<StoreError>>(
        &mut self,
        name: String,
        pieces: &mut dyn Iterator<Item = Result<Piece, E>>,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Merged, Unmerged<E>> {
        let mut course = Course::new(name);
        let mut why = None;
        let Self {
            store,
            upload,
            said_of_end,
            lines,
            ..
        } = self;
        let added = store.write(|db| {
            let mut writing = Writing {
                store,
                db,
                upload: *upload,
                said_of_end: *said_of_end,
                lines,
            };
            let added = writing.pieces(&mut course, pieces, keep_going);
            added.map_err(|refusal| {
                why = Some(refusal);
                StoreError::Stopped
            })
        });
        let added = match (added, why) {
            (Ok(()), _) => self.save().map_err(Unmerged::Unwritten),
            (Err(StoreError::Stopped), Some(why)) => Err(why),
            (Err(error), _) => Err(Unmerged::Unwritten(error)),
        };
        match added {
            Ok(()) => Ok(course.merged),
            Err(why) if course.branches.is_empty() => Err(why),
            Err(why) => {
                // What was noted of it in memory is not so.
                let rows = self.store.branch_rows(self.upload);
                let again = rows.and_then(|rows| Lines::read(&self.store.db, rows));
                self.lines = again.map_err(Unmerged::Unwritten)?;
                Err(why)
            }
        }
    }

    /// Saves now and then.
    fn save(&mut self) -> Result<(), StoreError> {
        if self.saved.elapsed() >= SAVE_EVERY {
            self.store.flush()?;
            self.saved = Instant::now();
        }
        Ok(())
    }

    /// Removes the file.
    ///
    /// # Errors
    /// [`StoreError::Io`] if it cannot be removed.
    pub fn discard(self) -> Result<(), StoreError> {
        let path = self.store.path().map(Path::to_owned);
        drop(self.store);
        Ok(path.map_or(Ok(()), std::fs::remove_file)?)
    }

    /// Has all of it on disk.
    ///
    /// # Errors
    /// As for [`Store::flush`].
    pub fn finish(self) -> Result<(), StoreError> {
        self.store.flush()?;
        let db = &self.store.db;
        db.pragma_update(None, "synchronous", "NORMAL")?;
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(())
    }
}
