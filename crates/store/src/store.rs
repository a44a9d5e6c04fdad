//! An open session file, and how what is written to it is saved.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::StoreError;
use crate::aside::work_aside;
use crate::error::Found;
use crate::lock::Lock;
use crate::seal::{self, Seals};
use crate::tail::Tail;

/// How long [`Store::tick`] lets unsaved entries wait for others.
pub const GROUP_COMMIT: Duration = Duration::from_millis(50);

/// Pages of the write-ahead log, of 4 KiB, after which [`Store::tick`] copies them into the file: little is left to copy
/// when the file is closed.
const LOGGED_PAGES: u32 = 128;

/// The same for [`Store::flush`], for which somebody waits: copying waits for the disk.
pub(crate) const MOST_LOGGED_PAGES: u32 = 2_048;

/// The longest value that is read or written: programs.
pub(crate) const LONGEST_VALUE: usize = 128 << 20;

/// What a session file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reading and writing; one process at a time.
    Write,
    /// Reading, also while another process writes.
    Read,
}

/// An open session file.
#[derive(Debug)]
pub struct Store {
    pub(crate) db: Connection,
    pub(crate) tails: RefCell<HashMap<(u32, u32), Tail>>,
    pub(crate) seals: RefCell<Seals>,
    pub(crate) found: Found,
    access: Access,
    /// When the first unsaved change was made.
    unsaved_since: Cell<Option<Instant>>,
    broken: Cell<bool>,
    path: Option<PathBuf>,
    _lock: Option<Lock>,
}

impl Store {
    /// A store without anything in memory yet.
    pub(crate) fn new(
        db: Connection,
        access: Access,
        path: Option<PathBuf>,
        lock: Option<Lock>,
    ) -> Self {
        db.set_prepared_statement_cache_capacity(64);
        Self {
            db,
            tails: RefCell::default(),
            seals: RefCell::default(),
            found: Found::default(),
            access,
            unsaved_since: Cell::new(None),
            broken: Cell::new(false),
            path,
            _lock: lock,
        }
    }

    /// Where the file is; `None` for one in memory.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What the file was opened for.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Saves everything that was written: once this returns, killing the process loses none of it.
    ///
    /// # Errors
    /// Nothing new is saved then. After [`StoreError::Broken`] the file must be opened again.
    pub fn flush(&self) -> Result<(), StoreError> {
        if self.broken.get() {
            return Err(StoreError::Broken);
        }
        if self.unsaved_since.get().is_none() {
            return Ok(());
        }
        self.write_tails()?;
        self.write_seals()?;
        let result = self.db.execute_batch("COMMIT");
        self.note_failure(result)?;
        self.unsaved_since.set(None);
        self.forget_tails();
        Ok(())
    }

    /// Saves if at `now` something has waited for [`GROUP_COMMIT`]. Call it now and then.
    ///
    /// # Errors
    /// As [`Self::flush`].
    pub fn tick(&self, now: Instant) -> Result<(), StoreError> {
        match self.unsaved_since.get() {
            Some(since) if now.saturating_duration_since(since) >= GROUP_COMMIT => {}
            _ => return Ok(()),
        }
        let copy_after = |pages| self.db.pragma_update(None, "wal_autocheckpoint", pages);
        copy_after(LOGGED_PAGES)?;
        let flushed = self.flush();
        copy_after(MOST_LOGGED_PAGES)?;
        flushed
    }

    /// Writes the seals of the tables that changed, as part of the present transaction.
    pub(crate) fn write_seals(&self) -> Result<(), StoreError> {
        seal::write_seals(&self.db, &self.seals)
    }

    /// Changes the file: `change` happens as a whole or not at all, and is saved with the next
    /// [`Self::flush`].
    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.begin()?;
        let db = &self.db;
        db.prepare_cached("SAVEPOINT change")?.execute([])?;
        let seals = self.seals.borrow().clone();
        let result = change(db);
        if result.is_err() {
            *self.seals.borrow_mut() = seals;
        }
        let ended = match &result {
            Ok(_) => db
                .prepare_cached("RELEASE change")
                .and_then(|mut end| end.execute([]))
                .map(drop),
            Err(_) => db.execute_batch("ROLLBACK TO change; RELEASE change"),
        };
        let result = result.map_err(|error| match self.rolled_back() {
            true => StoreError::Broken,
            false => error,
        })?;
        self.note_failure(ended)?;
        Ok(result)
    }

    /// Begins a transaction, unless changes wait already.
    pub(crate) fn begin(&self) -> Result<(), StoreError> {
        if self.access == Access::Read {
            return Err(StoreError::ReadOnly);
        }
        if self.broken.get() {
            return Err(StoreError::Broken);
        }
        if self.unsaved_since.get().is_none() {
            self.db.execute_batch("BEGIN IMMEDIATE")?;
            self.unsaved_since.set(Some(Instant::now()));
        }
        Ok(())
    }

    /// Changes the file, and saves it: as a whole, or not at all where `keep_going` returned false during `last`, which
    /// SQLite takes long for.
    pub(crate) fn save(
        &mut self,
        change: impl FnOnce(&Self, &mut dyn FnMut() -> bool) -> Result<(), StoreError>,
        last: &str,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<(), StoreError> {
        // Who stops SQLite while it writes loses all that is not saved.
        self.flush()?;
        let seals = self.seals.borrow().clone();
        change(self, &mut *keep_going)?;
        let (done, stopped) = work_aside(&mut self.db, keep_going, |db| db.execute_batch(last));
        if let Err(error) = done {
            if !self.db.is_autocommit() {
                self.db.execute_batch("ROLLBACK")?;
            }
            self.unsaved_since.set(None);
            self.seals.replace(seals);
            return Err(match stopped {
                true => StoreError::Stopped,
                false => error.into(),
            });
        }
        self.flush()
    }

    /// Gives up what is not saved: a change stopped halfway that should not have been able to.
    pub(crate) fn abandon(&self) {
        self.broken.set(true);
        // If this fails as well, nothing is committed either: `flush` refuses.
        let _ = self.db.execute_batch("ROLLBACK");
    }

    /// Whether the database has thrown the whole transaction away, as it does when the disk is full.
    fn rolled_back(&self) -> bool {
        if self.unsaved_since.get().is_some() && self.db.is_autocommit() {
            self.broken.set(true);
        }
        self.broken.get()
    }

    fn note_failure(&self, result: rusqlite::Result<()>) -> Result<(), StoreError> {
        match result {
            Err(_) if self.rolled_back() => Err(StoreError::Broken),
            other => Ok(other?),
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Who must know whether it was saved has called `flush`.
        let _ = self.flush();
    }
}
