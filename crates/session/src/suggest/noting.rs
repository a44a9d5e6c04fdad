//! The files that a program's debug information names, for who has not got them.

use std::cell::RefCell;
use std::path::Path;

use borges_debuginfo::{Folders, SourceProvider};

/// Files by their names.
pub(super) type Files = Vec<(String, Vec<u8>)>;

/// Finds files and notes them.
pub(super) struct Noting {
    folders: Folders,
    found: RefCell<Files>,
}

impl Noting {
    /// Finds those around a program.
    pub(super) fn around(path: &Path) -> Self {
        Self {
            folders: Folders::around(path),
            found: RefCell::default(),
        }
    }

    /// Those that were read.
    pub(super) fn found(self) -> Files {
        self.found.into_inner()
    }
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
