//! At most one process writes a session file.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use crate::StoreError;

/// A lock beside the file, held while a process has it open for writing. The system releases it
/// when the process ends, however it ends.
///
/// SQLite's own lock would keep readers out as well.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Locks the file at `path`, unless another process has.
    pub(crate) fn acquire(path: &Path) -> Result<Self, StoreError> {
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
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
