//! Rows of branches and entries, read and written.

use std::cell::RefCell;

use rusqlite::types::{FromSql, ToSql, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row};

use super::{Branch, Fork, KeptEnd};
use crate::seal::{BRANCH, ENTRY, Inserter, Seals};
use crate::{EntryKind, KeptEntry, Store, StoreError, Upload};

/// The row of a branch.
#[derive(Clone, Debug)]
pub(crate) struct BranchRow {
    pub(crate) id: i64,
    pub(crate) upload: u32,
    pub(crate) number: u32,
    pub(crate) parent: Option<u32>,
    pub(crate) fork: u32,
    pub(crate) length: u32,
    pub(crate) reached: u64,
    pub(crate) end: KeptEnd,
}

/// Rows of branches have ids below this: those of their entries are numbered by them.
const IDS: i64 = 1 << 31;

impl BranchRow {
    /// A row of [`BRANCH`]; nothing if no Borges writes such a one.
    pub(crate) fn from_row(row: &Row<'_>) -> Option<Self> {
        let outcome: String = row.get(8).ok()?;
        let row = Self {
            id: row.get(0).ok().filter(|id| (0..IDS).contains(id))?,
            upload: row.get(1).ok()?,
            number: row.get(2).ok()?,
            parent: row.get(3).ok()?,
            fork: row.get(4).ok()?,
            length: row.get(5).ok()?,
            reached: row.get(6).ok()?,
            end: KeptEnd::from_columns(row.get(7).ok()?, outcome)?,
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
    ) -> Result<Self, StoreError> {
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
        row.put(db, seals)?;
        Ok(row)
    }

    /// Writes the row.
    pub(crate) fn put(&self, db: &Connection, seals: &RefCell<Seals>) -> Result<(), StoreError> {
        let (ending, outcome) = self.end.columns();
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
    pub(crate) fn branch(&self) -> Branch {
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
    pub(crate) fn row(&self, position: u32) -> i64 {
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
    pub(crate) fn branch_rows(&self, upload: Upload) -> Result<Vec<BranchRow>, StoreError> {
        let rest = "WHERE +upload = ?1 ORDER BY +number";
        let found = BRANCH.read(&self.db, rest, &[&upload.0], |row| {
            Ok(BranchRow::from_row(row))
        })?;
        Ok(found.into_iter().flatten().collect())
    }
}

/// Whether a row of [`ENTRY`] is the one with this id, as it was written.
pub(super) fn is_next(row: &Row<'_>, id: i64) -> Result<bool, StoreError> {
    Ok(row.get_ref(0)? == ValueRef::Integer(id) && ENTRY.sound(row)?)
}

/// A row of [`ENTRY`]; nothing if no Borges writes such a one.
pub(crate) fn entry_from_row(row: &Row<'_>) -> Option<KeptEntry> {
    let mut cells = [ValueRef::Null; 9];
    for (index, cell) in cells.iter_mut().enumerate() {
        *cell = row.get_ref(index).ok()?;
    }
    entry_from_cells(cells)
}

/// The columns of a row of [`ENTRY`]; nothing if no Borges writes such ones.
pub(crate) fn entry_from_cells(cells: [ValueRef<'_>; 9]) -> Option<KeptEntry> {
    let [
        _,
        steps,
        kind,
        subject,
        types,
        arguments,
        value,
        data,
        mocked,
    ] = cells;
    let types = types.as_str_or_null().ok()?;
    let arguments = arguments.as_str_or_null().ok()?;
    let (arguments, value) = KeptEntry::values_from_columns(types, arguments, value)?;
    Some(KeptEntry {
        steps: FromSql::column_result(steps).ok()?,
        kind: EntryKind::from_number(kind.as_i64().ok()?)?,
        subject: FromSql::column_result(subject).ok()?,
        arguments,
        value,
        data: data.as_blob_or_null().ok()?.unwrap_or_default().to_vec(),
        mocked: FromSql::column_result(mocked).ok()?,
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
