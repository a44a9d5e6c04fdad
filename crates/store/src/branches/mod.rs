//! The multiverse: branches and their entries.
//!
//! Branches are numbered by the session, and a parent's number is smaller than its children's. A
//! branch has the entries from its fork on; `position` counts from the start of the program.
//!
//! Entries are rows, so that others can query them. Each has its own sum, and their number is in the row of the branch.

mod append;
mod rows;
mod verify;

use std::ops::Range;

use rusqlite::types::ToSql;

use crate::seal::ENTRY;
use crate::tail::ENTRY_BYTES;
use crate::{Damage, KeptEntry, Store, StoreError, Upload};
pub(crate) use rows::BranchRow;
pub(crate) use rows::{entry_from_cells, entry_from_row};
use rows::{is_next, put_entry};
pub(crate) use verify::verify_branches;

/// How many entries are worth reading together.
pub const BLOCK: u32 = 4096;

/// Where a branch leaves its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fork {
    /// The branch it leaves.
    pub parent: u32,
    /// How many entries lie before that place, from the start of the program.
    pub position: u32,
}

/// A branch, without its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its number.
    pub branch: u32,
    /// Where it begins; `None` for the root.
    pub fork: Option<Fork>,
    /// How many entries are its own; of a damaged branch, those before the damage.
    pub length: u32,
    /// The step count up to which the run after its last entry is known.
    pub reached: u64,
    /// How it ended.
    pub end: KeptEnd,
    /// Whether all of it can be read. What is not whole cannot grow.
    pub whole: bool,
}

/// How a branch ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KeptEnd {
    /// The program can go on.
    #[default]
    Open,
    /// The program returned; as text what.
    Finished(String),
    /// The program trapped; as text how.
    Trapped(String),
}

impl KeptEnd {
    /// As it is written: a number, and what came out.
    pub(crate) fn columns(&self) -> (i64, &str) {
        match self {
            Self::Open => (0, ""),
            Self::Finished(outcome) => (1, outcome),
            Self::Trapped(outcome) => (2, outcome),
        }
    }

    /// The inverse; nothing if no Borges writes such a number.
    pub(crate) fn from_columns(ending: i64, outcome: String) -> Option<Self> {
        match ending {
            0 => Some(Self::Open),
            1 => Some(Self::Finished(outcome)),
            2 => Some(Self::Trapped(outcome)),
            _ => None,
        }
    }
}

impl Store {
    /// Adds a branch together with its first entry.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if the parent has no such place, [`StoreError::Taken`] if there is a
    /// branch of that number, [`StoreError::OutOfOrder`] if the entry lies before the place or the
    /// number is not larger than the parent's.
    pub fn fork(
        &self,
        upload: Upload,
        branch: u32,
        from: Fork,
        first: &KeptEntry,
    ) -> Result<(), StoreError> {
        let parent = self.tail(upload, from.parent)?;
        let end = self.cut(upload, from.parent).unwrap_or(parent.next);
        if !(parent.fork..=end).contains(&from.position) {
            return Err(StoreError::Unknown("place to fork from"));
        }
        if branch <= from.parent {
            return Err(StoreError::OutOfOrder);
        }
        if let Some(before) = from.position.checked_sub(1).filter(|&at| at >= parent.fork) {
            let row = parent.id << 32 | i64::from(before);
            let steps: u64 =
                self.db
                    .query_row("SELECT steps FROM entry WHERE id = ?1", [row], |row| {
                        row.get(0)
                    })?;
            if first.steps < steps {
                return Err(StoreError::OutOfOrder);
            }
        }
        if self.branch_row(upload, branch)?.is_some() {
            return Err(StoreError::Taken("branch"));
        }
        let result = self.write(|db| {
            BranchRow::add(db, &self.seals, upload, branch, Some(from))?;
            self.append_within(db, upload, branch, std::slice::from_ref(first))
        });
        if result.is_err() {
            self.tails.borrow_mut().remove(&(upload.0, branch));
        }
        result
    }

    /// Changes what outputs captured: their positions, with the new data.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is no such entry, [`StoreError::TooLarge`] if data is longer than 64 KiB; nothing
    /// is changed then.
    pub fn amend(
        &self,
        upload: Upload,
        branch: u32,
        changes: &[(u32, Vec<u8>)],
    ) -> Result<(), StoreError> {
        self.write(|db| {
            for (position, data) in changes {
                let after = position.checked_add(1);
                let after = after.ok_or(StoreError::Unknown("entry"))?;
                let mut found = self.entries(upload, branch, *position..after)?;
                let entry = found.first_mut().ok_or(StoreError::Unknown("entry"))?;
                if data.len() > ENTRY_BYTES {
                    return Err(StoreError::TooLarge("entry"));
                }
                entry.data.clone_from(data);
                let id = self.tail(upload, branch)?.row(*position);
                ENTRY.remove(db, &self.seals, &[&id])?;
                put_entry(
                    &mut ENTRY.inserter(db)?,
                    &mut self.seals.borrow_mut(),
                    id,
                    entry,
                )?;
            }
            Ok(())
        })
    }

    /// Says how a branch ended, or how far the run after its last entry is known.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is no such branch, [`Damage::Entries`] if it is damaged.
    pub fn set_end(
        &self,
        upload: Upload,
        branch: u32,
        reached: u64,
        end: &KeptEnd,
    ) -> Result<(), StoreError> {
        i64::try_from(reached).map_err(|_| StoreError::OutOfOrder)?;
        self.refuse_cut(upload, branch)?;
        self.write_tails()?;
        self.write(|db| {
            let row = self.branch_row(upload, branch)?;
            let mut row = row.ok_or(StoreError::Unknown("branch"))?;
            (row.reached, row.end) = (reached, end.clone());
            row.put(db, &self.seals)
        })
    }

    /// The branches of a version that can be shown, by number: each leaves an earlier one of them at a place that it has,
    /// and has the entries that it should, or at least the first of them.
    ///
    /// # Errors
    /// As for every reading. What is damaged is left out, and named by [`Store::damage`].
    pub fn branches(&self, upload: Upload) -> Result<Vec<Branch>, StoreError> {
        self.write_tails_if_writing()?;
        let mut branches: Vec<Branch> = Vec::new();
        for row in self.branch_rows(upload)? {
            let mut branch = row.branch();
            if let Some(cut) = self.cut(upload, row.number) {
                branch.whole = false;
                if cut < row.fork + branch.length {
                    branch.length = cut - row.fork;
                    (branch.reached, branch.end) = (0, KeptEnd::Open);
                    if let Some(last) = cut.checked_sub(1).filter(|last| *last >= row.fork) {
                        let last = self.entries(upload, row.number, last..cut)?;
                        branch.reached = last.last().map_or(0, |entry| entry.steps);
                    }
                }
            }
            if fits(&branch, &branches) {
                branches.push(branch);
            }
        }
        Ok(branches)
    }

    /// How many numbers of branches are used in a version, as far as that can be told of a damaged file: new branches
    /// get later ones.
    ///
    /// # Errors
    /// As for every reading.
    pub fn branch_numbers(&self, upload: Upload) -> Result<u32, StoreError> {
        let rows = self.branch_rows(upload)?;
        let highest = rows.last().map_or(0, |row| row.number.saturating_add(1));
        if self.found.damage.is_empty() {
            return Ok(highest);
        }
        // Numbers are given one after the other, so the rows that there were bound those of them that are lost.
        let rows = "SELECT count(*) FROM branch";
        let rows: u32 = self.db.query_row(rows, [], |row| row.get(0))?;
        let sealed = self.seals.borrow().count(&crate::seal::BRANCH);
        Ok(highest.max(rows).max(u32::try_from(sealed).unwrap_or(0)))
    }

    /// The entries of a branch at `positions`, as far as they are its own and exist.
    ///
    /// # Errors
    /// [`Damage::Entries`] if one is not what was written.
    pub fn entries(
        &self,
        upload: Upload,
        branch: u32,
        positions: Range<u32>,
    ) -> Result<Vec<KeptEntry>, StoreError> {
        let tail = self.tail_fresh(upload, branch)?;
        let start = positions.start.max(tail.fork);
        let end = positions.end.min(tail.next);
        let mut entries = Vec::new();
        if start >= end {
            return Ok(entries);
        }
        let damaged = |from| {
            StoreError::from(Damage::Entries {
                upload: upload.0,
                branch,
                from,
                to: tail.next,
            })
        };
        let select = ENTRY.select("WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
        let mut statement = self.db.prepare_cached(&select)?;
        let range: [&dyn ToSql; 2] = [&tail.row(start), &tail.row(end - 1)];
        let mut rows = statement.query(range)?;
        for position in start..end {
            let row = rows.next()?.ok_or_else(|| damaged(position))?;
            if !is_next(row, tail.row(position))? {
                return Err(damaged(position));
            }
            entries.push(entry_from_row(row).ok_or_else(|| damaged(position))?);
        }
        Ok(entries)
    }

    /// Where a branch cannot be shown any further, if it is damaged.
    fn cut(&self, upload: Upload, branch: u32) -> Option<u32> {
        self.found.cuts.get(&(upload.0, branch)).copied()
    }

    fn refuse_cut(&self, upload: Upload, branch: u32) -> Result<(), StoreError> {
        match self.cut(upload, branch) {
            None => Ok(()),
            Some(from) => Err(Damage::Entries {
                upload: upload.0,
                branch,
                from,
                to: from,
            }
            .into()),
        }
    }
}

/// Whether a branch fits to those with smaller numbers.
pub(crate) fn fits(branch: &Branch, before: &[Branch]) -> bool {
    let Some(fork) = branch.fork else {
        return branch.branch == 0;
    };
    let Ok(index) = before.binary_search_by_key(&fork.parent, |other| other.branch) else {
        return false;
    };
    let Some(parent) = before.get(index) else {
        return false;
    };
    let start = parent.fork.map_or(0, |fork| fork.position);
    branch.length > 0 && (start..=start + parent.length).contains(&fork.position)
}
