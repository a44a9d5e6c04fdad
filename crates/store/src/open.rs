//! Creating and opening session files.

use std::cmp::Ordering;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::lock::{Lock, private, with_suffix};
use crate::store::{Access, LONGEST_VALUE, MOST_LOGGED_PAGES, Store};
use crate::{Damage, StoreError, migrate, runs, schema, seal};

/// How long to wait for a reader of the file (another program) to let us write.
const BUSY: Duration = Duration::from_secs(2);

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

    /// Opens a session file for reading, without having looked through what is in it: whoever reads has to.
    ///
    /// # Errors
    /// As for [`Self::open`], but for damaged rows.
    pub(crate) fn open_unseen(path: &Path) -> Result<Self, StoreError> {
        check_header(path)?;
        Self::connect(path, None)
    }

    /// The same file once more, for reading; nothing is looked through again.
    ///
    /// # Errors
    /// As for [`Self::open`]; [`StoreError::Unknown`] for a session in memory.
    pub fn reader(&self) -> Result<Self, StoreError> {
        let path = self.path().ok_or(StoreError::Unknown("file"))?;
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
        let mut store = Self::connect(path, lock)?;
        store.verify()?;
        Ok(store)
    }

    fn connect(path: &Path, lock: Option<Lock>) -> Result<Self, StoreError> {
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
                migrate::migrate(&mut db, version, migrate::MIGRATIONS)?;
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
        if runs::are_there(&db)? {
            schema::check(&db, runs::SCHEMA)?;
        }
        if access == Access::Write {
            // Readers do not block the writer, and a commit is one append. NORMAL: safe when the
            // process is killed; after a power cut the file is sound but may miss the last moments.
            db.pragma_update(None, "journal_mode", "WAL")?;
            db.pragma_update(None, "synchronous", "NORMAL")?;
            db.pragma_update(None, "wal_autocheckpoint", MOST_LOGGED_PAGES)?;
        }
        Ok(Self::new(db, access, Some(path.to_path_buf()), lock))
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
