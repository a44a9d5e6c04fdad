//! Sums: how damage is noticed, wherever in a file it is.
//!
//! Each row of our tables ends in `sum`, a hash of its table's name and its columns, so that a row that is not the one
//! that was written is told apart from all others. Each table has a row in `seal` that says how many rows it has and what
//! their sums are when exclusive-ored, so that a row that vanished is missed. (The entries of a branch are counted in its
//! row.) Sums are made and looked at in this file and nowhere else.
//!
//! A row that does not have its sum is not shown, and stays in the file: what is written in its place moves it to the
//! table `aside` as text.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use rusqlite::functions::FunctionFlags;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row};
use twox_hash::XxHash3_64;

use crate::StoreError;

/// A table whose rows have sums.
#[derive(Debug)]
pub(crate) struct Sealed {
    pub(crate) name: &'static str,
    /// All columns but the sum.
    pub(crate) columns: &'static [&'static str],
    /// How many of the columns, the first ones, name a row.
    pub(crate) key: usize,
    /// Whether its rows are counted in `seal`.
    pub(crate) counted: bool,
}

pub(crate) const fn sealed(
    name: &'static str,
    key: usize,
    columns: &'static [&'static str],
) -> Sealed {
    Sealed {
        name,
        columns,
        key,
        counted: true,
    }
}

pub(crate) const PROGRAM: Sealed = sealed(
    "program",
    1,
    &["upload", "name", "hash", "bytes", "board", "at_ms"],
);
pub(crate) const PRIMITIVE: Sealed =
    sealed("primitive", 2, &["upload", "number", "module", "name"]);
pub(crate) const BRANCH: Sealed = sealed(
    "branch",
    1,
    &[
        "id", "upload", "number", "parent", "fork", "length", "reached", "ending", "outcome",
    ],
);
pub(crate) const ENTRY: Sealed = Sealed {
    name: "entry",
    columns: &[
        "id",
        "steps",
        "kind",
        "subject",
        "types",
        "arguments",
        "value",
        "data",
        "mocked",
    ],
    key: 1,
    counted: false,
};
pub(crate) const NOTE: Sealed = sealed(
    "note",
    6,
    &[
        "upload", "branch", "position", "agent", "steps", "name", "text", "at_ms",
    ],
);
pub(crate) const BREAKPOINT: Sealed = sealed("breakpoint", 1, &["id", "enabled", "spec"]);
pub(crate) const MOCK: Sealed = sealed("mock", 1, &["id", "call", "spec"]);
pub(crate) const SETTING: Sealed = sealed("setting", 1, &["key", "value"]);
pub(crate) const PLACE: Sealed = sealed(
    "place",
    1,
    &["who", "upload", "branch", "position", "agent", "steps"],
);
pub(crate) const ASIDE: Sealed = sealed("aside", 1, &["id", "of", "row"]);
const SEAL: Sealed = Sealed {
    name: "seal",
    columns: &["of", "count", "total"],
    key: 1,
    counted: false,
};

/// The tables of every session file.
pub(crate) const TABLES: [&Sealed; 11] = [
    &SEAL,
    &PROGRAM,
    &PRIMITIVE,
    &BRANCH,
    &NOTE,
    &BREAKPOINT,
    &MOCK,
    &SETTING,
    &PLACE,
    &ASIDE,
    &ENTRY,
];

/// The sum of rows that were damaged already when sums were introduced: no row has it.
pub(crate) const NEVER: i64 = -1;

/// The low 48 bits of a hash: SQLite keeps them in six bytes.
const SUM_BITS: u64 = (1 << 48) - 1;

/// The sum of a row: over the types and contents of its columns, and its table's name.
fn sum<'v>(table: &str, columns: impl Iterator<Item = ValueRef<'v>>) -> i64 {
    let mut bytes = Vec::with_capacity(128);
    bytes.extend_from_slice(table.as_bytes());
    columns.for_each(|column| spell(&mut bytes, column));
    sum_of(&bytes)
}

/// Adds what the sum of a row is made of, behind its table's name: a column.
fn spell(bytes: &mut Vec<u8>, column: ValueRef<'_>) {
    let mut add = |kind: u8, content: &[u8]| {
        bytes.push(kind);
        bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
        bytes.extend_from_slice(content);
    };
    match column {
        ValueRef::Null => add(0, &[]),
        ValueRef::Integer(value) => add(1, &value.to_le_bytes()),
        ValueRef::Real(value) => add(2, &value.to_bits().to_le_bytes()),
        ValueRef::Text(text) => add(3, text),
        ValueRef::Blob(blob) => add(4, blob),
    }
}

fn sum_of(bytes: &[u8]) -> i64 {
    (XxHash3_64::oneshot(bytes) & SUM_BITS) as i64
}

/// The columns of a row that [`Sealed::spell_sound`] has spelled, in their order.
pub(crate) struct Columns<'s>(&'s [u8]);

impl<'s> Iterator for Columns<'s> {
    type Item = ValueRef<'s>;

    fn next(&mut self) -> Option<ValueRef<'s>> {
        let (kind, rest) = self.0.split_first()?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        let word = || content.try_into().map(u64::from_le_bytes).ok();
        Some(match kind {
            0 => ValueRef::Null,
            1 => ValueRef::Integer(word()? as i64),
            2 => ValueRef::Real(f64::from_bits(word()?)),
            3 => ValueRef::Text(content),
            _ => ValueRef::Blob(content),
        })
    }
}

/// Rows that are added with one statement where there are many: SQLite takes less for each.
const TOGETHER: usize = 32;

/// How many rows a table has, and what they are together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seal {
    pub(crate) count: i64,
    pub(crate) total: i64,
}

impl Seal {
    pub(crate) fn add(&mut self, sum: i64) {
        self.count += 1;
        self.total ^= sum;
    }

    fn remove(&mut self, sum: i64) {
        self.count -= 1;
        self.total ^= sum;
    }
}

/// The seals as they are to be written with the next save.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seals {
    now: BTreeMap<&'static str, Seal>,
    changed: BTreeSet<&'static str>,
}

impl Seals {
    /// Those that a file has.
    pub(crate) fn found(now: BTreeMap<&'static str, Seal>) -> Self {
        let changed = BTreeSet::new();
        Self { now, changed }
    }

    /// How many rows a table has, if all that were written are there.
    pub(crate) fn count(&self, table: &Sealed) -> i64 {
        self.now.get(table.name).map_or(0, |seal| seal.count)
    }

    fn of(&mut self, table: &Sealed) -> Option<&mut Seal> {
        if !table.counted {
            return None;
        }
        self.changed.insert(table.name);
        Some(self.now.entry(table.name).or_default())
    }

    /// A row of a table is about to be replaced by what a newer version makes of it.
    pub(crate) fn forget(&mut self, table: &Sealed, sum: i64) {
        if let Some(seal) = self.of(table) {
            seal.remove(sum);
        }
    }

    /// The table is made anew.
    pub(crate) fn reset(&mut self, table: &Sealed) {
        if let Some(seal) = self.of(table) {
            *seal = Seal::default();
        }
    }
}

/// Writes the seals that changed, as part of the present transaction.
pub(crate) fn write_seals(db: &Connection, seals: &RefCell<Seals>) -> Result<(), StoreError> {
    loop {
        let next = seals.borrow_mut().changed.pop_first();
        let Some(name) = next else {
            return Ok(());
        };
        let seal = seals.borrow().now.get(name).copied().unwrap_or_default();
        // A damaged one is put aside, which changes another one.
        SEAL.put(db, seals, &[&name, &seal.count, &seal.total])?;
    }
}

impl Sealed {
    /// A `SELECT` of all columns and the sum, in the order that [`Self::sound`] expects.
    pub(crate) fn select(&self, rest: &str) -> String {
        format!(
            "SELECT {}, sum FROM {} {rest}",
            self.columns.join(", "),
            self.name
        )
    }

    fn of_row(&self, row: &Row<'_>) -> rusqlite::Result<i64> {
        let mut columns = Vec::with_capacity(self.columns.len());
        for index in 0..self.columns.len() {
            columns.push(row.get_ref(index)?);
        }
        Ok(sum(self.name, columns.into_iter()))
    }

    /// The sum that a row of [`Self::select`] has in the file.
    pub(crate) fn written(&self, row: &Row<'_>) -> rusqlite::Result<i64> {
        Ok(match row.get_ref(self.columns.len())? {
            ValueRef::Integer(sum) => sum,
            _ => NEVER,
        })
    }

    /// Whether a row of [`Self::select`] is the one that was written.
    pub(crate) fn sound(&self, row: &Row<'_>) -> rusqlite::Result<bool> {
        Ok(self.written(row)? == self.of_row(row)?)
    }

    /// Adds to `into` what the sum of a row of [`Self::select`] is made of, all columns one after the other, if the row is
    /// the one that was written; whether it is.
    pub(crate) fn spell_sound(&self, row: &Row<'_>, into: &mut Vec<u8>) -> rusqlite::Result<bool> {
        let start = into.len();
        into.extend_from_slice(self.name.as_bytes());
        for index in 0..self.columns.len() {
            spell(into, row.get_ref(index)?);
        }
        let spelled = into.get(start..).unwrap_or_default();
        let sound = sum_of(spelled) == self.written(row)?;
        if !sound {
            into.truncate(start);
        }
        Ok(sound)
    }

    /// The columns of a row that was spelled.
    pub(crate) fn columns_of<'s>(&self, spelled: &'s [u8]) -> Columns<'s> {
        Columns(spelled.get(self.name.len()..).unwrap_or_default())
    }

    /// What names a row of [`Self::select`], for people.
    pub(crate) fn name_of(&self, row: &Row<'_>) -> rusqlite::Result<String> {
        let mut text = String::new();
        for (index, column) in self.columns.iter().take(self.key).enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            let _ = write!(text, "{separator}{column} {}", Shown(row.get_ref(index)?));
        }
        Ok(text)
    }

    /// Reads rows that are what was written; others are left out.
    pub(crate) fn read<T>(
        &self,
        db: &Connection,
        rest: &str,
        params: &[&dyn ToSql],
        mut each: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = db.prepare_cached(&self.select(rest))?;
        let mut rows = statement.query(params)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            if self.sound(row)? {
                found.push(each(row)?);
            }
        }
        Ok(found)
    }

    /// Adds a row that is not there yet.
    pub(crate) fn insert(
        &self,
        db: &Connection,
        seals: &RefCell<Seals>,
        values: &[&dyn ToSql],
    ) -> Result<(), StoreError> {
        self.inserter(db)?.add(&mut seals.borrow_mut(), values)
    }

    /// Adds many rows.
    pub(crate) fn inserter<'c>(&'c self, db: &'c Connection) -> Result<Inserter<'c>, StoreError> {
        let statement = db.prepare_cached(&self.insertion(1))?;
        Ok(Inserter {
            table: self,
            statement,
        })
    }

    /// Adds rows that [`Self::spell_sound`] has spelled in another file, each up to one of `ends`, with numbers from `key` on
    /// in their first column. Of a table whose rows are not counted.
    pub(crate) fn insert_spelled(
        &self,
        db: &Connection,
        spelled: &mut [u8],
        ends: &[usize],
        key: i64,
    ) -> Result<(), StoreError> {
        let (mut rest, mut before, mut key) = (spelled, 0, key);
        // All that are not as many as most go one by one: a statement for each number is none for most of them.
        let (most, others) = ends.split_at(ends.len() - ends.len() % TOGETHER);
        for (rows, ends) in [(TOGETHER, most), (1, others)] {
            if ends.is_empty() {
                continue;
            }
            // Once for all of them: to spell a statement of many rows takes as long as to add them.
            let mut statement = db.prepare_cached(&self.insertion(rows))?;
            let mut parameter = 1;
            for (number, end) in ends.iter().enumerate() {
                let (row, others) = std::mem::take(&mut rest).split_at_mut(end - before);
                (rest, before) = (others, *end);
                // Behind the table's name, the column's type and its length.
                let first = self.name.len() + 9;
                if let Some(place) = row.get_mut(first..first + 8) {
                    place.copy_from_slice(&key.to_le_bytes());
                }
                key += 1;
                let sum = ValueRef::Integer(sum_of(row));
                for column in self.columns_of(row).chain([sum]) {
                    statement.raw_bind_parameter(parameter, ToSqlOutput::Borrowed(column))?;
                    parameter += 1;
                }
                if (number + 1) % rows == 0 {
                    statement.raw_execute()?;
                    parameter = 1;
                }
            }
        }
        Ok(())
    }

    /// The statement that adds so many rows.
    fn insertion(&self, rows: usize) -> String {
        let width = self.columns.len() + 1;
        let row = |row: usize| {
            let places: Vec<String> = (1..=width)
                .map(|n| format!("?{}", row * width + n))
                .collect();
            format!("({})", places.join(", "))
        };
        let rows: Vec<String> = (0..rows).map(row).collect();
        format!(
            "INSERT INTO {} ({}, sum) VALUES {}",
            self.name,
            self.columns.join(", "),
            rows.join(", ")
        )
    }

    /// Adds a row, in place of one with the same key.
    pub(crate) fn put(
        &self,
        db: &Connection,
        seals: &RefCell<Seals>,
        values: &[&dyn ToSql],
    ) -> Result<(), StoreError> {
        let key = values.get(..self.key).unwrap_or(values);
        self.remove(db, seals, key)?;
        self.insert(db, seals, values)
    }

    /// Removes the row of a key, if there is one; whether there was.
    pub(crate) fn remove(
        &self,
        db: &Connection,
        seals: &RefCell<Seals>,
        key: &[&dyn ToSql],
    ) -> Result<bool, StoreError> {
        let named: Vec<String> = self
            .columns
            .iter()
            .take(self.key)
            .zip(1..)
            .map(|(column, n)| format!("{column} = ?{n}"))
            .collect();
        let sql = format!(
            "DELETE FROM {} WHERE {} RETURNING {}, sum",
            self.name,
            named.join(" AND "),
            self.columns.join(", ")
        );
        let gone = db
            .prepare_cached(&sql)?
            .query_row(key, |row| {
                let text = (!self.sound(row)?).then(|| self.text_of(row)).transpose()?;
                Ok((self.written(row)?, text))
            })
            .optional()?;
        let Some((sum, damaged)) = gone else {
            return Ok(false);
        };
        if let Some(seal) = seals.borrow_mut().of(self) {
            seal.remove(sum);
        }
        if let Some(text) = damaged {
            self.put_aside(db, seals, &text)?;
        }
        Ok(true)
    }

    /// Moves the damaged rows of a table that is about to be made anew to `aside`.
    pub(crate) fn put_damaged_aside(
        &self,
        db: &Connection,
        seals: &RefCell<Seals>,
    ) -> Result<(), StoreError> {
        let mut statement = db.prepare(&self.select(""))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if !self.sound(row)? {
                self.put_aside(db, seals, &self.text_of(row)?)?;
            }
        }
        Ok(())
    }

    fn put_aside(
        &self,
        db: &Connection,
        seals: &RefCell<Seals>,
        text: &str,
    ) -> Result<(), StoreError> {
        let next = "SELECT coalesce(max(id), 0) + 1 FROM aside";
        let id: i64 = db.query_row(next, [], |row| row.get(0))?;
        ASIDE.insert(db, seals, &[&id, &self.name, &text])
    }

    /// A row as text, with nothing left out but the ends of what is very long.
    fn text_of(&self, row: &Row<'_>) -> rusqlite::Result<String> {
        let mut text = String::new();
        for (index, column) in self.columns.iter().enumerate() {
            let _ = write!(text, "{column} {}; ", Shown(row.get_ref(index)?));
        }
        let _ = write!(text, "sum {}", self.written(row)?);
        Ok(text)
    }

    /// What is to be read in place of the table in a question of the user's: the rows that are what was written.
    pub(crate) fn filter(&self) -> String {
        let columns = self.columns.join(", ");
        let name = self.name;
        format!(
            "CREATE TEMP VIEW {name} AS SELECT {columns}, sum FROM main.{name} \
             WHERE sum = row_sum('{name}', {columns})"
        )
    }
}

/// Adds rows to a table.
pub(crate) struct Inserter<'c> {
    table: &'c Sealed,
    statement: rusqlite::CachedStatement<'c>,
}

impl Inserter<'_> {
    /// Adds a row.
    pub(crate) fn add(
        &mut self,
        seals: &mut Seals,
        values: &[&dyn ToSql],
    ) -> Result<(), StoreError> {
        self.add_if(true, seals, values)
    }

    /// Adds a row, with a sum that is never right if it is not sound.
    pub(crate) fn add_if(
        &mut self,
        is_sound: bool,
        seals: &mut Seals,
        values: &[&dyn ToSql],
    ) -> Result<(), StoreError> {
        let mut columns = Vec::with_capacity(values.len() + 1);
        for value in values {
            columns.push(value.to_sql()?);
        }
        let sum = match is_sound {
            true => sum(self.table.name, columns.iter().map(borrowed)),
            false => NEVER,
        };
        columns.push(ToSqlOutput::from(sum));
        for (index, column) in columns.iter().enumerate() {
            self.statement.raw_bind_parameter(index + 1, column)?;
        }
        self.statement.raw_execute()?;
        if let Some(seal) = seals.of(self.table) {
            seal.add(sum);
        }
        Ok(())
    }
}

fn borrowed<'v>(value: &'v ToSqlOutput<'_>) -> ValueRef<'v> {
    match value {
        ToSqlOutput::Borrowed(value) => *value,
        ToSqlOutput::Owned(value) => value.into(),
        // The other kinds are for extensions that nothing here uses.
        _ => ValueRef::Null,
    }
}

/// A value as people see it.
struct Shown<'v>(ValueRef<'v>);

impl std::fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            ValueRef::Null => f.write_str("NULL"),
            ValueRef::Integer(value) => write!(f, "{value}"),
            ValueRef::Real(value) => write!(f, "{value:?}"),
            ValueRef::Text(text) => write!(f, "{:?}", String::from_utf8_lossy(text)),
            ValueRef::Blob(bytes) => bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
        }
    }
}

/// Makes `row_sum(table, column, …)` known to SQL, for [`Sealed::filter`].
pub(crate) fn register(db: &Connection) -> Result<(), StoreError> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    db.create_scalar_function("row_sum", -1, flags, |context| {
        let table = context.get_raw(0).as_str().unwrap_or_default();
        Ok(sum(
            table,
            (1..context.len()).map(|index| context.get_raw(index)),
        ))
    })?;
    Ok(())
}

/// The seals in a file that are as they were written, by the names of their tables.
pub(crate) fn read_seals(db: &Connection) -> Result<BTreeMap<String, Seal>, StoreError> {
    let rows = SEAL.read(db, "", &[], |row| {
        let (count, total) = (row.get(1)?, row.get(2)?);
        Ok((row.get::<_, String>(0)?, Seal { count, total }))
    })?;
    Ok(rows.into_iter().collect())
}
