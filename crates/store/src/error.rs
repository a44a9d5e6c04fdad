//! What can go wrong with a session file.

use std::collections::HashMap;
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
    /// The user stopped it; the file is as it was before.
    #[error("it was stopped before the end: the file is as it was")]
    Stopped,
    /// The file system said no.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The database said no.
    #[error("the database reported: {0}")]
    Database(rusqlite::Error),
}

/// What is damaged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// The database itself.
    #[error("its pages are corrupt")]
    Pages,
    /// A program.
    #[error("the program of version {upload} is not the one that was saved")]
    Program {
        /// The version.
        upload: u32,
    },
    /// A row is not the one that was written.
    #[error("table {table}, row {key}: not what was written")]
    Row {
        /// The table.
        table: &'static str,
        /// The columns that name the row, with their values.
        key: String,
    },
    /// A table has not the rows that were written.
    #[error("table {table}: {found} rows, where {expected} were written")]
    Rows {
        /// The table.
        table: &'static str,
        /// How many rows were written.
        expected: i64,
        /// How many there are; as many, if others.
        found: i64,
    },
    /// The rows of a table cannot all be found by their keys.
    #[error("table {table}: its rows are not in order")]
    Order {
        /// The table.
        table: &'static str,
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
    #[error("branch {branch} of version {upload}: entries {from} to {to} cannot be trusted", to = to.saturating_sub(1).max(*from))]
    Entries {
        /// The version.
        upload: u32,
        /// The branch.
        branch: u32,
        /// The position of the first entry that is not what was written.
        from: u32,
        /// The position after the branch's last.
        to: u32,
    },
    /// There are entries that nobody counted.
    #[error("branch {branch} of version {upload} has more entries than were counted")]
    More {
        /// The version.
        upload: u32,
        /// The branch.
        branch: u32,
    },
    /// A damaged row that made room for another one.
    #[error("table {table}: a damaged row was replaced, and is kept in table aside: {row}")]
    Aside {
        /// The table it was in.
        table: String,
        /// What was in its columns.
        row: String,
    },
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

/// What was found when a file was opened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) damage: Vec<Damage>,
    /// By version and branch: the position of its first entry that cannot be shown.
    pub(crate) cuts: HashMap<(u32, u32), u32>,
}
