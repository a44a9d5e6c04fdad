//! Snapshots: saved states of the program, so that a moment is near wherever one looks.
//!
//! They are a convenience: each can be made again by replay. So they have a budget; when it is
//! spent, the one goes whose neighbours are nearest.

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::entry::{CHECKSUM_START, checksum};
use crate::keep::place;
use crate::open::LONGEST_VALUE;
use crate::{Damage, Place, Store, StoreError};

/// A snapshot without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotInfo {
    /// The moment.
    pub place: Place,
    /// Its length in bytes.
    pub size: u64,
}

impl Store {
    /// How many bytes of snapshots the file may hold; 64 MiB unless said otherwise. Takes effect
    /// with the next [`Self::put_snapshot`].
    pub fn set_snapshot_budget(&mut self, bytes: u64) {
        self.snapshot_budget = bytes;
    }

    /// How many bytes of snapshots the file holds.
    pub fn snapshot_bytes(&self) -> u64 {
        self.snapshot_bytes.get()
    }

    /// Saves a snapshot, and forgets others if the budget needs it. False if it does not fit at
    /// all.
    ///
    /// # Errors
    /// As for every change, if it cannot be written.
    pub fn put_snapshot(&self, place: Place, bytes: &[u8]) -> Result<bool, StoreError> {
        let size = bytes.len() as u64;
        if size > self.snapshot_budget || bytes.len() > LONGEST_VALUE / 2 {
            return Ok(false);
        }
        self.write(|db| {
            db.prepare_cached(
                "INSERT OR REPLACE INTO snapshot
                   (upload, branch, position, steps, size, checksum, bytes)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                place.upload.0,
                place.branch,
                place.position,
                place.steps,
                size,
                checksum(CHECKSUM_START, bytes) as i64,
                bytes
            ])?;
            let kept = db.last_insert_rowid();
            let mut total = total(db)?;
            while total > self.snapshot_budget {
                match evict(db, kept)? {
                    0 => break,
                    freed => total = total.saturating_sub(freed),
                }
            }
            Ok(())
        })?;
        self.count_snapshots()?;
        Ok(true)
    }

    /// All snapshots, by place.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the table is not as it was written.
    pub fn snapshots(&self) -> Result<Vec<SnapshotInfo>, StoreError> {
        let db = &self.db;
        let mut statement = db.prepare_cached(
            "SELECT upload, branch, position, steps, size FROM snapshot
             ORDER BY upload, branch, position, steps",
        )?;
        let rows = statement.query_map([], |row| {
            Ok(SnapshotInfo {
                place: place(row)?,
                size: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The snapshot of a moment, if there is one.
    ///
    /// # Errors
    /// [`Damage::Snapshot`] if it is not the one that was saved.
    pub fn snapshot(&self, place: Place) -> Result<Option<Vec<u8>>, StoreError> {
        let select = "SELECT checksum, bytes FROM snapshot
                      WHERE upload = ?1 AND branch = ?2 AND position = ?3 AND steps = ?4";
        let of = params![place.upload.0, place.branch, place.position, place.steps];
        let db = &self.db;
        let found: Option<(i64, Vec<u8>)> = db
            .prepare_cached(select)?
            .query_row(of, |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        match found {
            Some((expected, bytes)) if checksum(CHECKSUM_START, &bytes) as i64 == expected => {
                Ok(Some(bytes))
            }
            Some(_) => Err(Damage::Snapshot.into()),
            None => Ok(None),
        }
    }

    pub(crate) fn count_snapshots(&self) -> Result<(), StoreError> {
        self.snapshot_bytes.set(total(&self.db)?);
        Ok(())
    }
}

fn total(db: &Connection) -> Result<u64, StoreError> {
    let sum = "SELECT coalesce(sum(size), 0) FROM snapshot";
    Ok(db.prepare_cached(sum)?.query_row([], |row| row.get(0))?)
}

/// Removes the snapshot that is missed least, but not `kept`; says how many bytes that freed.
///
/// Least missed is the one whose neighbours on its branch are nearest to each other: from the
/// earlier one, the most steps to replay grow least.
fn evict(db: &Connection, kept: i64) -> Result<u64, StoreError> {
    let victim: Option<(i64, u64)> = db
        .prepare_cached(
            "SELECT id, size FROM (
               SELECT id, size,
                 coalesce(lead(steps) OVER line, steps + (1 << 40))
                   - coalesce(lag(steps) OVER line, 0) AS gap
               FROM snapshot
               WINDOW line AS (PARTITION BY upload, branch ORDER BY steps, id))
             WHERE id <> ?1 ORDER BY gap, id LIMIT 1",
        )?
        .query_row([kept], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((id, size)) = victim else {
        return Ok(0);
    };
    db.prepare_cached("DELETE FROM snapshot WHERE id = ?1")?
        .execute([id])?;
    // A hostile size of 0 must not stop the loop before the budget is met.
    Ok(size.max(1))
}
