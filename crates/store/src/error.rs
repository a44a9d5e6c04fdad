//! What can go wrong with a session file.

use std::io;

/// Why a session file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file is something else.
    #[error("this is not a Borges session file")]
    NotASession,
    /// A file of that name exists already, and was not to be replaced.
    #[error("the file exists already")]
    Exists,
    /// A newer Borges wrote it.
    #[error(
        "the file has format {found}, this Borges knows formats up to {known}: use a newer Borges"
    )]
    Newer {
        /// The version of its format.
        found: u32,
        /// The newest that is known here.
        known: u32,
    },
    /// An older Borges wrote it, and it is open for reading only.
    #[error(
        "the file has the old format {found}: open it once for writing, to bring it up to date"
    )]
    Older {
        /// The version of its format.
        found: u32,
    },
    /// Another process writes it.
    #[error("another Borges has this session open; close it, or open the file read-only")]
    Locked,
    /// The file was opened for reading only.
    #[error("the session file is open for reading only")]
    ReadOnly,
    /// It contains something that no Borges puts there, or lacks something.
    #[error("the file's database was altered: {what} {name:?} is not as Borges makes it")]
    Altered {
        /// `table`, `view`, `index` or `trigger`.
        what: String,
        /// Its name.
        name: String,
    },
    /// Some content is not what was written.
    #[error("the session file is damaged: {0}")]
    Damaged(Damage),
    /// An earlier failure (a full disk, say) threw away what was not yet saved.
    #[error(
        "an earlier write failed, and what came after the last save is not in the file; open it again"
    )]
    Broken,
    /// No such program version, branch, or entry.
    #[error("no such {0} in the session file")]
    Unknown(&'static str),
    /// There is one of that number already.
    #[error("there is such a {0} already in the session file")]
    Taken(&'static str),
    /// An entry lies before its predecessor, or a number is beyond what the file can hold.
    #[error("an entry does not fit behind its predecessor")]
    OutOfOrder,
    /// More than a session file holds of it.
    #[error("too large for a session file: {0}")]
    TooLarge(&'static str),
    /// A query of the user's is not allowed, or wrong.
    #[error("{0}")]
    Query(String),
    /// A query of the user's took too long.
    #[error("the query was stopped after {ms} ms")]
    QueryTimeout {
        /// How long it was allowed to take.
        ms: u64,
    },
    /// Whoever asked had enough before there was a row.
    #[error("the query was paused before it had found a row")]
    QueryPaused,
    /// The user stopped the writing; the file is as it was before.
    #[error("it was stopped before everything was written: the file is as it was")]
    Stopped,
    /// The file system said no.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The database said no.
    #[error("the database reported: {0}")]
    Database(rusqlite::Error),
}

/// What is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// The database itself.
    #[error("its pages are corrupt")]
    Pages,
    /// A program does not have its hash.
    #[error("the program of version {upload} is not the one that was saved")]
    Program {
        /// The version.
        upload: u32,
    },
    /// The tree of branches.
    #[error("branch {branch} of version {upload} does not fit into the multiverse")]
    Branch {
        /// The version.
        upload: u32,
        /// The branch.
        branch: u32,
    },
    /// Some entries.
    #[error(
        "entries {from} and following of branch {branch} of version {upload} are not those that were saved"
    )]
    Entries {
        /// The version.
        upload: u32,
        /// The branch.
        branch: u32,
        /// The first entry of the damaged block.
        from: u32,
    },
    /// A snapshot.
    #[error("a snapshot is not the one that was saved")]
    Snapshot,
    /// A number out of range, or a text that is none.
    #[error("a value in table {0} is out of range")]
    Value(&'static str),
}

impl From<Damage> for StoreError {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage)
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error;
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseCorrupt, NotADatabase, ReadOnly, TooBig};
        match &error {
            Error::SqliteFailure(failure, _) => match failure.code {
                DatabaseBusy => Self::Locked,
                DatabaseCorrupt => Damage::Pages.into(),
                NotADatabase => Self::NotASession,
                ReadOnly => Self::ReadOnly,
                TooBig => Self::TooLarge("a value"),
                _ => Self::Database(error),
            },
            Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::Utf8Error(..)
            | Error::InvalidColumnType(..) => Damage::Value("of the session").into(),
            _ => Self::Database(error),
        }
    }
}
