//! A recording as it is read to be merged: once, from its first entry to its last.

use std::path::Path;

use rusqlite::Row;
use rusqlite::types::ValueRef;
use twox_hash::XxHash3_64;

use crate::branches::{BranchRow, entry_from_cells, fits};
use crate::runs::{self, KeptRuns, SOURCE};
use crate::seal::{BRANCH, ENTRY};
use crate::verify::verify_tables;
use crate::{Branch, Damage, KeptEnd, KeptProgram, Store, StoreError, Upload};

/// How many entries are handed on together: what is on its way between two threads.
pub(super) const ROWS: usize = 1024;

/// A session file that is read to be merged into another one: the last version of its program, as it is saved now.
///
/// A file in which anything is damaged is refused as a whole.
#[derive(Debug)]
pub struct MergeInput {
    store: Store,
    upload: Upload,
    /// Settings that say something of the end of a branch, by version and branch.
    said_of_end: fn(Upload, u32) -> String,
}

/// A piece of a recording, in the order in which they come.
#[derive(Debug)]
pub(super) enum Piece {
    /// A branch begins.
    Branch(Branch),
    /// Entries of it.
    Rows(Rows),
    /// It ends; with what is said of its end.
    End(Option<String>),
    /// The file was merged from others, and says how many ended where. All branches come before.
    Counted,
    /// So many of the others ended there.
    Runs(KeptRuns),
    /// One of the others.
    Source(Source),
}

/// Where a recording that was merged ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) branch: u32,
    pub(super) position: u32,
    pub(super) ending: i64,
    pub(super) runs: u64,
}

/// Entries, one after the other.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// What each decided: equal only for entries that take the same way.
    pub(super) choices: Vec<u64>,
    /// The row of each, spelled for its sum, behind those before.
    pub(super) spelled: Vec<u8>,
    /// Where each ends in there.
    pub(super) ends: Vec<usize>,
    /// The first whose value came from a mock: no device has answered it.
    pub(super) mocked: Option<usize>,
}

impl MergeInput {
    /// Opens a session file to be merged. `said_of_end` names the setting that says something of a branch's end, which
    /// stays with it.
    ///
    /// # Errors
    /// As for [`Store::open`]; [`StoreError::Damaged`] also if anything but an entry is damaged, and
    /// [`StoreError::Unknown`] if there is no program in it.
    pub fn open(path: &Path, said_of_end: fn(Upload, u32) -> String) -> Result<Self, StoreError> {
        let store = Store::open_unseen(path)?;
        // One moment of a file that another process may be writing, until all of it is read.
        store.db.execute_batch("BEGIN")?;
        let mut damage = Vec::new();
        verify_tables(&store.db, &mut damage)?;
        if let Some(damage) = damage.into_iter().next() {
            return Err(damage.into());
        }
        let last = store.programs()?.pop();
        let upload = last.ok_or(StoreError::Unknown("program"))?.upload;
        Ok(Self {
            store,
            upload,
            said_of_end,
        })
    }

    /// Its program.
    ///
    /// # Errors
    /// As for [`Store::program`].
    pub fn program(&self) -> Result<KeptProgram, StoreError> {
        self.store.program(self.upload)
    }

    /// A setting, if it was ever set.
    ///
    /// # Errors
    /// As for [`Store::setting`].
    pub fn setting(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.store.setting(key)
    }

    /// Reads all of it, as long as `each` says so.
    pub(super) fn read(&self, each: &mut dyn FnMut(Piece) -> bool) -> Result<(), StoreError> {
        let db = &self.store.db;
        let upload = self.upload;
        let rest = "WHERE +upload = ?1 ORDER BY +number";
        let mut before: Vec<Branch> = Vec::new();
        let rows = BRANCH.read(db, rest, &[&upload.0], |row| {
            Ok((row.get(2)?, BranchRow::from_row(row)))
        })?;
        for (number, row) in rows {
            let lost = || Damage::Branch {
                upload: upload.0,
                branch: number,
            };
            let row = row.ok_or_else(lost)?;
            let branch = row.branch();
            if !fits(&branch, &before) {
                return Err(lost().into());
            }
            before.push(branch.clone());
            if !each(Piece::Branch(branch)) || !self.entries(&row, each)? {
                return Ok(());
            }
            let said = self
                .store
                .setting(&(self.said_of_end)(upload, row.number))?;
            if !each(Piece::End(said)) {
                return Ok(());
            }
        }
        if before.is_empty() {
            let (upload, branch) = (upload.0, 0);
            return Err(Damage::Branch { upload, branch }.into());
        }
        match runs::are_there(db)? {
            true if each(Piece::Counted) => self.counts(each),
            _ => Ok(()),
        }
    }

    /// Reads the entries of a branch; whether to go on.
    fn entries(
        &self,
        branch: &BranchRow,
        each: &mut dyn FnMut(Piece) -> bool,
    ) -> Result<bool, StoreError> {
        let end = branch.fork + branch.length;
        let damaged = |from| {
            StoreError::from(Damage::Entries {
                upload: branch.upload,
                branch: branch.number,
                from,
                to: end,
            })
        };
        let select = ENTRY.select("WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
        let mut statement = self.store.db.prepare_cached(&select)?;
        let mut rows = statement.query([branch.row(0), branch.row(u32::MAX)])?;
        let mut block = Rows::default();
        let mut steps = 0;
        for position in branch.fork..end {
            let row = rows.next()?.ok_or_else(|| damaged(position))?;
            let start = block.spelled.len();
            let sound = ENTRY.spell_sound(row, &mut block.spelled)?;
            let cells = cells_of(block.spelled.get(start..).unwrap_or_default());
            let cells = cells.filter(|_| sound).ok_or_else(|| damaged(position))?;
            let next = cells[0] == ValueRef::Integer(branch.row(position));
            let entry = entry_from_cells(cells).filter(|entry| next && entry.steps >= steps);
            let entry = entry.ok_or_else(|| damaged(position))?;
            steps = entry.steps;
            if entry.mocked && block.mocked.is_none() {
                block.mocked = Some(block.choices.len());
            }
            block.choices.push(choice(cells));
            block.ends.push(block.spelled.len());
            if block.choices.len() == ROWS && !each(Piece::Rows(std::mem::take(&mut block))) {
                return Ok(false);
            }
        }
        if rows.next()?.is_some() {
            let (upload, branch) = (branch.upload, branch.number);
            return Err(Damage::More { upload, branch }.into());
        }
        Ok(block.choices.is_empty() || each(Piece::Rows(block)))
    }

    fn counts(&self, each: &mut dyn FnMut(Piece) -> bool) -> Result<(), StoreError> {
        let db = &self.store.db;
        for runs in runs::read(db, self.upload)? {
            if !each(Piece::Runs(runs)) {
                return Ok(());
            }
        }
        let select = SOURCE.select("WHERE upload = ?1 ORDER BY id");
        let mut statement = db.prepare(&select)?;
        let mut rows = statement.query([self.upload.0])?;
        while let Some(row) = rows.next()? {
            let source = Source {
                name: row.get(1)?,
                branch: row.get(3)?,
                position: row.get(4)?,
                ending: row.get(5)?,
                runs: row.get(6)?,
            };
            if !each(Piece::Source(source)) {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// The columns of a row of [`ENTRY`] that was spelled.
fn cells_of(spelled: &[u8]) -> Option<[ValueRef<'_>; 9]> {
    let mut columns = ENTRY.columns_of(spelled);
    let mut cells = [ValueRef::Null; 9];
    for cell in &mut cells {
        *cell = columns.next()?;
    }
    Some(cells)
}

/// What a row of [`ENTRY`] decided.
pub(super) fn choice_of_row(row: &Row<'_>) -> rusqlite::Result<u64> {
    let mut cells = [ValueRef::Null; 9];
    for (index, cell) in cells.iter_mut().enumerate() {
        *cell = row.get_ref(index)?;
    }
    Ok(choice(cells))
}

/// A digest of steps, kind, subject, value and data of an entry, and of the value's type. Whose value a mock gave is no
/// choice, and what a call is given follows from what came before.
fn choice(cells: [ValueRef<'_>; 9]) -> u64 {
    let [_, steps, kind, subject, types, _, value, data, _] = cells;
    let data = match kind {
        // What an output captured is no choice: performed again, it may capture something else.
        ValueRef::Integer(1) => ValueRef::Null,
        _ => data,
    };
    let mut bytes = [0; 64];
    let mut long = Vec::new();
    let mut used = 0;
    let mut add = |part: &[u8]| match bytes.get_mut(used..used + part.len()) {
        Some(room) if long.is_empty() => {
            room.copy_from_slice(part);
            used += part.len();
        }
        _ => long.extend_from_slice(part),
    };
    let types = types.as_str_or_null().ok().flatten().unwrap_or("i");
    add(&[types.bytes().last().unwrap_or(b'>')]);
    for cell in [steps, kind, subject, value, data] {
        match cell {
            ValueRef::Null => add(&[0]),
            ValueRef::Integer(value) => {
                add(&[1]);
                add(&value.to_le_bytes());
            }
            ValueRef::Real(value) => {
                add(&[2]);
                add(&value.to_bits().to_le_bytes());
            }
            ValueRef::Text(content) | ValueRef::Blob(content) => {
                add(&[3]);
                add(&(content.len() as u64).to_le_bytes());
                add(content);
            }
        }
    }
    let start = bytes.get(..used).unwrap_or_default();
    match long.is_empty() {
        true => XxHash3_64::oneshot(start),
        false => XxHash3_64::oneshot(&[start, &long].concat()),
    }
}

impl Rows {
    /// Where the row of an entry begins.
    pub(super) fn start(&self, index: usize) -> usize {
        let before = index.checked_sub(1);
        let end = before.and_then(|before| self.ends.get(before));
        end.copied().unwrap_or(0)
    }

    /// What is known of an entry beside what it decided.
    pub(super) fn call(&self, index: usize) -> Option<Call> {
        let cells = cells_of(self.spelled.get(self.start(index)..)?)?;
        Call::of(|column| cells.get(column).copied())
    }
}

/// What is known of a call or an event beside what it decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) steps: u64,
    pub(super) is_event: bool,
    what: (i64, i64),
    arguments: Option<String>,
}

impl Call {
    /// Of the columns of a row of [`ENTRY`].
    pub(super) fn of<'v>(column: impl Fn(usize) -> Option<ValueRef<'v>>) -> Option<Self> {
        let integer = |index| column(index)?.as_i64().ok();
        Some(Self {
            steps: u64::try_from(integer(1)?).ok()?,
            is_event: integer(2)? == 2,
            what: (integer(2)?, integer(3)?),
            arguments: column(5)?.as_str_or_null().ok()?.map(str::to_owned),
        })
    }

    /// Whether runs of one program can go on with the one and with the other from the same universe: what a program calls,
    /// and when, follows from what came before; only an event may come in between.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        match (self.is_event, other.is_event) {
            (true, true) => true,
            (true, false) => self.steps < other.steps,
            (false, true) => other.steps < self.steps,
            (false, false) => {
                let arguments = self.arguments.as_ref().zip(other.arguments.as_ref());
                (self.steps, self.what) == (other.steps, other.what)
                    // Who adds a branch by hand does not know them.
                    && arguments.is_none_or(|(ours, others)| ours == others)
            }
        }
    }
}

impl Call {
    /// Whether a run of the same program, from the universe before, can have gone up to a step without it, or ended there.
    pub(super) fn goes_beside(&self, reached: u64, end: &KeptEnd) -> bool {
        match (self.is_event, end) {
            (true, KeptEnd::Open) => true,
            (true, _) => self.steps <= reached,
            // A call is retired by its answer.
            (false, KeptEnd::Open) => reached < self.steps,
            (false, _) => false,
        }
    }
}

/// Whether runs of one program can end so, after the same entries: up to which step, and how.
pub(super) fn agree(a: (u64, &KeptEnd), b: (u64, &KeptEnd)) -> bool {
    match (a.1, b.1) {
        (KeptEnd::Open, KeptEnd::Open) => true,
        (KeptEnd::Open, _) => a.0 <= b.0,
        (_, KeptEnd::Open) => b.0 <= a.0,
        _ => a == b,
    }
}
