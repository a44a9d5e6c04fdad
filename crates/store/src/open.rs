//! Opening, creating, saving and closing session files.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::branches::Tail;
use crate::seal::{self, Seals};
use crate::verify::Found;
use crate::{Damage, StoreError, schema};

/// How long [`Store::tick`] lets unsaved entries wait for others.
pub const GROUP_COMMIT: Duration = Duration::from_millis(50);

/// Pages of the write-ahead log, of 4 KiB, after which [`Store::tick`] copies them into the file: little is left to copy
/// when the file is closed.
const LOGGED_PAGES: u32 = 128;

/// The same for [`Store::flush`], for which somebody waits: copying waits for the disk.
const MOST_LOGGED_PAGES: u32 = 2_048;

/// The longest value that is read or written: programs.
pub(crate) const LONGEST_VALUE: usize = 128 << 20;

/// How long to wait for a reader of the file (another program) to let us write.
const BUSY: Duration = Duration::from_secs(2);

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
    /// Makes a new session file.
    ///
    /// # Errors
    /// [`StoreError::Exists`] if there is a file at `path`; [`StoreError::Locked`] if another
    /// process is just making it.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let lock = Lock::acquire(path)?;
        if path.symlink_metadata().is_ok() {
            return Err(StoreError::Exists);
        }
        // Made aside and moved into place: nobody ever sees a half-made file.
        let aside = with_suffix(path, "-new");
        remove_if_there(&aside)?;
        let made = (|| {
            // What a session shows is nobody else's business. The database gives its other files the same mode.
            drop(private().create_new(true).open(&aside)?);
            let db =
                Connection::open_with_flags(&aside, flags(true) | OpenFlags::SQLITE_OPEN_CREATE)?;
            harden(&db)?;
            schema::create(&db)?;
            db.close().map_err(|(_, error)| error)?;
            // Left over from a file that was deleted: it would be taken for ours.
            remove_if_there(&with_suffix(path, "-wal"))?;
            remove_if_there(&with_suffix(path, "-shm"))?;
            std::fs::rename(&aside, path)?;
            Ok(())
        })();
        if made.is_err() {
            let _ = std::fs::remove_file(&aside);
        }
        made.and_then(|()| Self::open_locked(path, Some(lock)))
    }

    /// Opens a session file.
    ///
    /// # Errors
    /// [`StoreError::NotASession`], [`StoreError::Newer`], [`StoreError::Altered`] or
    /// [`StoreError::Damaged`] for a file that is not as Borges wrote it, [`StoreError::Locked`]
    /// if another process writes it.
    pub fn open(path: &Path, access: Access) -> Result<Self, StoreError> {
        check_header(path)?;
        match access {
            Access::Write => Self::open_locked(path, Some(Lock::acquire(path)?)),
            Access::Read => Self::open_locked(path, None),
        }
    }

    /// The same file once more, for reading; nothing is looked through again.
    ///
    /// # Errors
    /// As for [`Self::open`]; [`StoreError::Unknown`] for a session in memory.
    pub fn reader(&self) -> Result<Self, StoreError> {
        let path = self.path.as_deref().ok_or(StoreError::Unknown("file"))?;
        let db = Connection::open_with_flags(path, flags(false))?;
        harden(&db)?;
        let mut reader = Self::new(db, Access::Read, Some(path.to_path_buf()), None);
        reader.found = self.found.clone();
        Ok(reader)
    }

    /// A session that is kept in memory and forgotten.
    ///
    /// # Errors
    /// Only if there is no memory for it.
    pub fn in_memory() -> Result<Self, StoreError> {
        let db = Connection::open_in_memory()?;
        harden(&db)?;
        schema::create(&db)?;
        Ok(Self::new(db, Access::Write, None, None))
    }

    fn open_locked(path: &Path, lock: Option<Lock>) -> Result<Self, StoreError> {
        let access = if lock.is_some() {
            Access::Write
        } else {
            Access::Read
        };
        let mut db = Connection::open_with_flags(path, flags(access == Access::Write))?;
        harden(&db)?;
        let application: u32 = db.pragma_query_value(None, "application_id", |row| row.get(0))?;
        if application != schema::APPLICATION_ID {
            return Err(StoreError::NotASession);
        }
        let version: u32 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
        match (version.cmp(&schema::VERSION), access) {
            _ if version == 0 => return Err(StoreError::NotASession),
            (Ordering::Equal, _) => {}
            (Ordering::Less, Access::Write) => {
                schema::migrate(&mut db, version, schema::MIGRATIONS)?;
            }
            (Ordering::Less, Access::Read) => return Err(StoreError::Older { found: version }),
            (Ordering::Greater, _) => {
                return Err(StoreError::Newer {
                    found: version,
                    known: schema::VERSION,
                });
            }
        }
        schema::check(&db, schema::SCHEMA)?;
        if access == Access::Write {
            // Readers do not block the writer, and a commit is one append. NORMAL: safe when the
            // process is killed; after a power cut the file is sound but may miss the last moments.
            db.pragma_update(None, "journal_mode", "WAL")?;
            db.pragma_update(None, "synchronous", "NORMAL")?;
            db.pragma_update(None, "wal_autocheckpoint", MOST_LOGGED_PAGES)?;
        }
        let mut store = Self::new(db, access, Some(path.to_path_buf()), lock);
        store.verify()?;
        Ok(store)
    }

    fn new(db: Connection, access: Access, path: Option<PathBuf>, lock: Option<Lock>) -> Self {
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

fn flags(write: bool) -> OpenFlags {
    // No URIs: a file name is a file name.
    OpenFlags::SQLITE_OPEN_NO_MUTEX
        | if write {
            OpenFlags::SQLITE_OPEN_READ_WRITE
        } else {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        }
}

/// Makes the connection trust nothing that a file contains.
fn harden(db: &Connection) -> Result<(), StoreError> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    db.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE as i32)?;
    db.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 20)?;
    db.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    db.set_limit(Limit::SQLITE_LIMIT_EXPR_DEPTH, 200)?;
    db.set_limit(Limit::SQLITE_LIMIT_WORKER_THREADS, 0)?;
    db.busy_timeout(BUSY)?;
    db.pragma_update(None, "cell_size_check", true)?;
    db.pragma_update(None, "mmap_size", 0)?;
    db.pragma_update(None, "temp_store", "MEMORY")?;
    seal::register(db)
}

/// Looks at the beginning of the file before the database does: most wrong files are told apart
/// here.
fn check_header(path: &Path) -> Result<(), StoreError> {
    let mut header = [0; 100];
    let metadata = path.metadata()?;
    if !metadata.is_file() {
        return Err(StoreError::NotASession);
    }
    match File::open(path)?.read_exact(&mut header) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            return Err(StoreError::NotASession);
        }
        Err(error) => return Err(error.into()),
    }
    let word = |at: usize| {
        let bytes = header
            .get(at..at + 4)
            .and_then(|bytes| bytes.try_into().ok());
        u32::from_be_bytes(bytes.unwrap_or_default())
    };
    if !header.starts_with(b"SQLite format 3\0") || word(68) != schema::APPLICATION_ID {
        return Err(StoreError::NotASession);
    }
    // Page size (1 stands for 64 KiB): the file consists of whole pages.
    let page = match u64::from(word(16) >> 16) {
        1 => 65536,
        size => size,
    };
    if !page.is_power_of_two() || page < 512 || metadata.len() % page != 0 {
        return Err(Damage::Pages.into());
    }
    match word(60) {
        found if found > schema::VERSION => Err(StoreError::Newer {
            found,
            known: schema::VERSION,
        }),
        _ => Ok(()),
    }
}

/// A lock beside the file, held while a process has it open for writing. The system releases it
/// when the process ends, however it ends.
///
/// SQLite's own lock would keep readers out as well.
#[derive(Debug)]
struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    fn acquire(path: &Path) -> Result<Self, StoreError> {
        let path = with_suffix(path, "-lock");
        loop {
            let file = private().create(true).truncate(false).open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(StoreError::Locked),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            // Its last holder may have removed it just before we locked it: then what we hold is no
            // longer what others find.
            if is_same_file(&file, &path) {
                return Ok(Self { file, path });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if cfg!(unix) {
            // While it is still locked, so that nobody has locked this file in between.
            let _ = std::fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}

#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), path.metadata()) {
        (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Elsewhere the lock file stays.
#[cfg(not(unix))]
fn is_same_file(_: &File, _: &Path) -> bool {
    true
}

/// For a file that nobody else may read, where the system knows such files.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn remove_if_there(path: &Path) -> Result<(), StoreError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EntryKind, KeptEntry, KeptValue, NewProgram, Upload};

    fn entry(steps: u64) -> KeptEntry {
        KeptEntry {
            steps,
            kind: EntryKind::Input,
            subject: 0,
            arguments: vec![],
            value: Some(KeptValue::I32(1)),
            data: vec![0; 1000],
            mocked: false,
        }
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_a_session() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.borges");
        let store = Store::create(&path).unwrap();
        store.set_setting("a", "b").unwrap();
        store.flush().unwrap();
        let files = std::fs::read_dir(folder.path()).unwrap();
        let modes: Vec<u32> = files
            .map(|file| file.unwrap().metadata().unwrap().permissions().mode() & 0o777)
            .collect();
        // The file, its log, what readers and writer share, and the lock.
        assert_eq!(modes, [0o600; 4]);
    }

    #[test]
    fn a_full_disk_is_told_and_loses_only_what_was_not_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.borges");
        let store = Store::create(&path).unwrap();
        let program = NewProgram {
            name: "",
            bytes: &[],
            board: "",
            primitives: &[],
            at_ms: 0,
        };
        let upload = store.add_program(&program).unwrap();
        store.append(upload, 0, &[entry(1), entry(2)]).unwrap();
        store.flush().unwrap();
        let pages: u32 = store
            .db
            .pragma_query_value(None, "page_count", |r| r.get(0))
            .unwrap();
        store
            .db
            .pragma_update(None, "max_page_count", pages + 20)
            .unwrap();
        let mut steps = 2;
        let error = loop {
            steps += 1;
            if let Err(error) = store.append(upload, 0, &[entry(steps)]) {
                break error;
            }
            assert!(steps < 1000);
        };
        assert!(matches!(error, StoreError::Broken), "{error:?}");
        assert!(matches!(store.flush(), Err(StoreError::Broken)));
        assert!(matches!(
            store.append(upload, 0, &[entry(steps)]),
            Err(StoreError::Broken)
        ));
        drop(store);
        let store = Store::open(&path, Access::Write).unwrap();
        assert_eq!(
            store.entries(Upload(0), 0, 0..99).unwrap(),
            [entry(1), entry(2)]
        );
        store.append(upload, 0, &[entry(3)]).unwrap();
        store.flush().unwrap();
    }
}
