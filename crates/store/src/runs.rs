//! How many recordings ended where: what a file that recordings were merged into has beside their multiverse.
//!
//! Only ends are counted. How many recordings took a way is the sum over the ends behind it, so that counts cannot
//! contradict each other, and a branch that is split by a new fork needs none of its own. The tables are made when
//! recordings are merged: other files do not have them.

use rusqlite::Connection;
use rusqlite::types::ToSql;

use crate::seal::{Sealed, sealed};
use crate::{KeptEnd, Store, StoreError, Upload};

/// Tables and views; `docs/session-files.md` explains them.
pub(crate) const SCHEMA: &str = include_str!("runs.sql");

pub(crate) const RUN: Sealed = sealed(
    "fleet_run",
    4,
    &[
        "upload", "branch", "position", "ending", "reached", "outcome", "runs",
    ],
);
pub(crate) const SOURCE: Sealed = sealed(
    "fleet_source",
    1,
    &[
        "id", "name", "upload", "branch", "position", "ending", "runs",
    ],
);

/// The tables of a file that recordings were merged into.
pub(crate) const TABLES: [&Sealed; 2] = [&RUN, &SOURCE];

/// Recordings that ended at one place, in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptRuns {
    /// The branch that owns the last entry before the place.
    pub branch: u32,
    /// How many entries lie before it, from the start of the program.
    pub position: u32,
    /// How the program ended; open where a recording only goes so far.
    pub end: KeptEnd,
    /// The greatest step count up to which one of them goes.
    pub reached: u64,
    /// How many there are.
    pub count: u64,
}

impl Store {
    /// Where the recordings ended that were merged into this file; nothing if it is a recording itself.
    ///
    /// # Errors
    /// As for every reading. What is damaged is left out, and named by [`Store::damage`].
    pub fn runs(&self, upload: Upload) -> Result<Vec<KeptRuns>, StoreError> {
        match are_there(&self.db)? {
            true => read(&self.db, upload),
            false => Ok(Vec::new()),
        }
    }
}

/// All that is counted of a version of the program.
pub(crate) fn read(db: &Connection, upload: Upload) -> Result<Vec<KeptRuns>, StoreError> {
    let rest = "WHERE upload = ?1 ORDER BY branch, position, ending";
    read_where(db, rest, &[&upload.0])
}

/// The rows that a condition selects.
pub(crate) fn read_where(
    db: &Connection,
    rest: &str,
    values: &[&dyn ToSql],
) -> Result<Vec<KeptRuns>, StoreError> {
    let rows = RUN.read(db, rest, values, |row| {
        Ok(KeptRuns {
            branch: row.get(1)?,
            position: row.get(2)?,
            end: KeptEnd::from_columns(row.get(3)?, row.get(5)?).unwrap_or_default(),
            reached: row.get(4)?,
            count: row.get(6)?,
        })
    })?;
    Ok(rows)
}

/// Whether recordings were merged into a file.
pub(crate) fn are_there(db: &Connection) -> Result<bool, StoreError> {
    let there = "SELECT 1 FROM sqlite_schema WHERE name = 'fleet_run'";
    Ok(db.prepare_cached(there)?.exists([])?)
}
