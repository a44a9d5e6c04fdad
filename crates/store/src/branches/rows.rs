//! Rows of branches and entries, read and written.

use std::cell::RefCell;

use rusqlite::types::ToSql;
use rusqlite::{Connection, OptionalExtension as _, Row};

use super::{Branch, Fork, KeptEnd};
use crate::seal::{BRANCH, ENTRY, Inserter, Seals};
use crate::{EntryKind, KeptEntry, Store, StoreError, Upload};

/// The row of a branch.
#[derive(Clone, Debug)]
pub(crate) struct BranchRow {
    pub(super) id: i64,
    pub(super) upload: u32,
    pub(super) number: u32,
    pub(super) parent: Option<u32>,
    pub(super) fork: u32,
    pub(super) length: u32,
    pub(super) reached: u64,
    pub(super) end: KeptEnd,
}

/// Rows of branches have ids below this: those of their entries are numbered by them.
const IDS: i64 = 1 << 31;

impl BranchRow {
    /// A row of [`BRANCH`]; nothing if no Borges writes such a one.
    pub(super) fn from_row(row: &Row<'_>) -> Option<Self> {
        let outcome: String = row.get(8).ok()?;
        let row = Self {
            id: row.get(0).ok().filter(|id| (0..IDS).contains(id))?,
            upload: row.get(1).ok()?,
            number: row.get(2).ok()?,
            parent: row.get(3).ok()?,
            fork: row.get(4).ok()?,
            length: row.get(5).ok()?,
            reached: row.get(6).ok()?,
            end: match row.get(7).ok()? {
                0 => KeptEnd::Open,
                1 => KeptEnd::Finished(outcome),
                2 => KeptEnd::Trapped(outcome),
                _ => return None,
            },
        };
        let begins = row.parent.is_some() || row.fork == 0;
        row.fork
            .checked_add(row.length)
            .filter(|_| begins)
            .map(|_| row)
    }

    /// Adds a branch without entries.
    pub(crate) fn add(
        db: &Connection,
        seals: &RefCell<Seals>,
        upload: Upload,
        number: u32,
        from: Option<Fork>,
    ) -> Result<(), StoreError> {
        // A damaged row may have the number: it makes room.
        let there = "SELECT id FROM branch WHERE upload = ?1 AND number = ?2";
        let there: Option<i64> = db
            .prepare_cached(there)?
            .query_row([upload.0, number], |row| row.get(0))
            .optional()?;
        if let Some(id) = there {
            BRANCH.remove(db, seals, &[&id])?;
        }
        // Behind all entries too: a branch that is lost may have left some.
        let next = "SELECT max(
            (SELECT coalesce(max(id), 0) FROM branch WHERE id < ?1),
            (SELECT coalesce(max(id) >> 32, 0) FROM entry)) + 1";
        let id: i64 = db
            .prepare_cached(next)?
            .query_row([IDS], |row| row.get(0))?;
        if !(0..IDS).contains(&id) {
            return Err(StoreError::TooLarge("multiverse"));
        }
        let row = Self {
            id,
            upload: upload.0,
            number,
            parent: from.map(|fork| fork.parent),
            fork: from.map_or(0, |fork| fork.position),
            length: 0,
            reached: 0,
            end: KeptEnd::Open,
        };
        row.put(db, seals)
    }

    /// Writes the row.
    pub(super) fn put(&self, db: &Connection, seals: &RefCell<Seals>) -> Result<(), StoreError> {
        let (ending, outcome) = match &self.end {
            KeptEnd::Open => (0, ""),
            KeptEnd::Finished(outcome) => (1, outcome.as_str()),
            KeptEnd::Trapped(outcome) => (2, outcome.as_str()),
        };
        let values: [&dyn ToSql; 9] = [
            &self.id,
            &self.upload,
            &self.number,
            &self.parent,
            &self.fork,
            &self.length,
            &self.reached,
            &ending,
            &outcome,
        ];
        BRANCH.put(db, seals, &values)
    }

    /// As others see it, with all the entries that it should have.
    pub(super) fn branch(&self) -> Branch {
        let position = self.fork;
        Branch {
            branch: self.number,
            fork: self.parent.map(|parent| Fork { parent, position }),
            length: self.length,
            reached: self.reached,
            end: self.end.clone(),
            whole: true,
        }
    }

    /// The row of the entry at `position`.
    pub(super) fn row(&self, position: u32) -> i64 {
        self.id << 32 | i64::from(position)
    }
}

impl Store {
    /// The branch of a version with a number, if it is as it was written.
    pub(super) fn branch_row(
        &self,
        upload: Upload,
        branch: u32,
    ) -> Result<Option<BranchRow>, StoreError> {
        // Where rows are damaged, an index may lead past others.
        let rest = match self.damage().is_empty() {
            true => "WHERE upload = ?1 AND number = ?2",
            false => "WHERE +upload = ?1 AND +number = ?2",
        };
        let mut found = BRANCH.read(&self.db, rest, &[&upload.0, &branch], |row| {
            Ok(BranchRow::from_row(row))
        })?;
        Ok(found.pop().flatten())
    }

    /// The branches of a version that are as they were written, by number.
    pub(super) fn branch_rows(&self, upload: Upload) -> Result<Vec<BranchRow>, StoreError> {
        let rest = "WHERE +upload = ?1 ORDER BY +number";
        let found = BRANCH.read(&self.db, rest, &[&upload.0], |row| {
            Ok(BranchRow::from_row(row))
        })?;
        Ok(found.into_iter().flatten().collect())
    }
}

/// Whether a row of [`ENTRY`] is the one with this id, as it was written.
pub(super) fn is_next(row: &Row<'_>, id: i64) -> Result<bool, StoreError> {
    Ok(row.get_ref(0)? == rusqlite::types::ValueRef::Integer(id) && ENTRY.sound(row)?)
}

/// A row of [`ENTRY`]; nothing if no Borges writes such a one.
pub(crate) fn entry_from_row(row: &Row<'_>) -> Option<KeptEntry> {
    let types = row.get_ref(4).ok()?.as_str_or_null().ok()?;
    let arguments = row.get_ref(5).ok()?.as_str_or_null().ok()?;
    let (arguments, value) =
        KeptEntry::values_from_columns(types, arguments, row.get_ref(6).ok()?)?;
    Some(KeptEntry {
        steps: row.get(1).ok()?,
        kind: EntryKind::from_number(row.get(2).ok()?)?,
        subject: row.get(3).ok()?,
        arguments,
        value,
        data: row
            .get_ref(7)
            .ok()?
            .as_blob_or_null()
            .ok()?
            .unwrap_or_default()
            .to_vec(),
        mocked: row.get(8).ok()?,
    })
}

/// Adds the row of an entry.
pub(super) fn put_entry(
    into: &mut Inserter<'_>,
    seals: &mut Seals,
    id: i64,
    entry: &KeptEntry,
) -> Result<(), StoreError> {
    let data = (!entry.data.is_empty()).then_some(&entry.data);
    into.add(
        seals,
        &[
            &id,
            &entry.steps,
            &entry.kind.number(),
            &entry.subject,
            &entry.types(),
            &entry.arguments_json(),
            &entry.value,
            &data,
            &entry.mocked,
        ],
    )
}
