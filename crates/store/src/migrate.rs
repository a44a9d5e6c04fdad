//! Older files become newer ones.

use std::cell::RefCell;
use std::ops::Range;

use rusqlite::types::{ToSql, Value as Cell};
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use crate::branches::{BLOCK, entry_from_row};
use crate::entry::{CHECKSUM_START, checksum};
use crate::seal::{
    BRANCH, BREAKPOINT, ENTRY, MOCK, NOTE, PLACE, PRIMITIVE, PROGRAM, SETTING, Sealed, Seals,
    TABLES, read_seals, sealed, write_seals,
};
use crate::{KeptEntry, StoreError, model, schema};

/// Turns a file of one version into one of the next: entry `n` starts from version `n + 1`.
pub(crate) type Migration = fn(&Transaction<'_>) -> Result<(), StoreError>;

/// All migrations there are.
pub(crate) const MIGRATIONS: &[Migration] = &[to_version_2, to_version_3];

/// Brings a database of version `from` to the version after the last of `migrations`, all or
/// nothing.
pub(crate) fn migrate(
    db: &mut Connection,
    from: u32,
    migrations: &[Migration],
) -> Result<(), StoreError> {
    let done = from.saturating_sub(1) as usize;
    let Some(missing) = migrations.get(done..).filter(|missing| !missing.is_empty()) else {
        return Ok(());
    };
    let transaction = db.transaction()?;
    for migration in missing {
        migration(&transaction)?;
    }
    transaction.pragma_update(None, "user_version", migrations.len() as u32 + 1)?;
    transaction.commit()?;
    Ok(())
}

/// What files of version 1 consist of.
pub(crate) const SCHEMA_1: &str = include_str!("schema-1.sql");

/// What files of version 2 consist of.
const SCHEMA_2: &str = include_str!("schema-2.sql");

/// Notes of version 2: all moments counted the steps of the only agent.
const NOTE_2: Sealed = sealed(
    "note",
    5,
    &[
        "upload", "branch", "position", "steps", "name", "text", "at_ms",
    ],
);

/// Places of version 2.
const PLACE_2: Sealed = sealed(
    "place",
    1,
    &["who", "upload", "branch", "position", "steps"],
);

/// What older tables are called while they are copied.
const OLD: &str = "borges_old_";

const TABLES_1: [&str; 11] = [
    "program",
    "primitive",
    "branch",
    "block",
    "entry",
    "snapshot",
    "note",
    "breakpoint",
    "mock",
    "setting",
    "place",
];

const VIEWS_1: [&str; 6] = ["paths", "traps", "ends", "outputs", "inputs", "entries"];

/// Gives every row a sum. What has not the checksum that version 1 gave it gets a sum that is never right, and so stays
/// damaged.
pub(crate) fn to_version_2(db: &Transaction<'_>) -> Result<(), StoreError> {
    schema::check(db, SCHEMA_1)?;
    for view in VIEWS_1 {
        db.execute_batch(&format!("DROP VIEW {view}"))?;
    }
    rename(db, &TABLES_1)?;
    db.execute_batch(SCHEMA_2)?;
    let mut seals = Seals::default();
    programs(db, &mut seals)?;
    notes(db, &mut seals)?;
    for table in [&PRIMITIVE, &BREAKPOINT, &MOCK, &SETTING, &PLACE_2] {
        let select = format!(
            "SELECT {} FROM {OLD}{}",
            table.columns.join(", "),
            table.name
        );
        copy(db, table, &mut seals, &select)?;
    }
    branches(db, &mut seals)?;
    for table in TABLES_1 {
        db.execute_batch(&format!("DROP TABLE {OLD}{table}"))?;
    }
    // A graph is a copy of what can be explored again.
    model::drop_graph(db)?;
    write_seals(db, &RefCell::new(seals))
}

/// Lets moments say whose steps they count. What is damaged stays so, and so do seals that do not fit their tables.
pub(crate) fn to_version_3(db: &Transaction<'_>) -> Result<(), StoreError> {
    schema::check(db, SCHEMA_2)?;
    let written = read_seals(db)?;
    let seal = |table: &&'static Sealed| Some((table.name, *written.get(table.name)?));
    let mut seals = Seals::found(TABLES.iter().filter_map(seal).collect());
    for (old, new) in [(&NOTE_2, &NOTE), (&PLACE_2, &PLACE)] {
        rename(db, &[new.name])?;
        let create = format!("CREATE TABLE {} ", new.name);
        let mut statements = schema::SCHEMA.split_inclusive(';');
        let create = statements.find(|statement| statement.trim_start().starts_with(&create));
        db.execute_batch(create.unwrap_or_default())?;
        let agent = new.columns.iter().position(|column| *column == "agent");
        let columns = old.columns.join(", ");
        let select = format!("SELECT {columns}, sum FROM {OLD}{}", old.name);
        let mut statement = db.prepare(&select)?;
        let mut rows = statement.query([])?;
        let mut into = new.inserter(db)?;
        while let Some(row) = rows.next()? {
            seals.forget(new, old.written(row)?);
            let mut cells = cells(row, 0..old.columns.len())?;
            cells.insert(agent.unwrap_or_default(), Cell::Integer(0));
            into.add_if(old.sound(row)?, &mut seals, &borrowed(&cells))?;
        }
        drop(rows);
        db.execute_batch(&format!("DROP TABLE {OLD}{}", old.name))?;
    }
    write_seals(db, &RefCell::new(seals))
}

/// Makes room for newer tables. Views of the user's keep what they say: they are to read the new ones.
fn rename(db: &Connection, tables: &[&str]) -> Result<(), StoreError> {
    db.pragma_update(None, "legacy_alter_table", true)?;
    for table in tables {
        db.execute_batch(&format!("ALTER TABLE {table} RENAME TO {OLD}{table}"))?;
    }
    db.pragma_update(None, "legacy_alter_table", false)?;
    Ok(())
}

/// Copies rows as they are.
fn copy(
    db: &Connection,
    table: &Sealed,
    seals: &mut Seals,
    select: &str,
) -> Result<(), StoreError> {
    let mut into = table.inserter(db)?;
    let mut statement = db.prepare(select)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let cells = cells(row, 0..table.columns.len())?;
        into.add(seals, &borrowed(&cells))?;
    }
    Ok(())
}

fn cells(row: &Row<'_>, columns: Range<usize>) -> rusqlite::Result<Vec<Cell>> {
    columns.map(|index| row.get(index)).collect()
}

fn borrowed(cells: &[Cell]) -> Vec<&dyn ToSql> {
    cells.iter().map(|cell| cell as &dyn ToSql).collect()
}

/// Programs had the hash of their module.
fn programs(db: &Connection, seals: &mut Seals) -> Result<(), StoreError> {
    let mut into = PROGRAM.inserter(db)?;
    let select = format!("SELECT {} FROM {OLD}program", PROGRAM.columns.join(", "));
    let mut statement = db.prepare(&select)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let cells = cells(row, 0..PROGRAM.columns.len())?;
        let is_sound = match (cells.get(2), cells.get(3)) {
            (Some(Cell::Text(hash)), Some(Cell::Blob(bytes))) => {
                format!("{:016x}", checksum(CHECKSUM_START, bytes)) == *hash
            }
            _ => false,
        };
        into.add_if(is_sound, seals, &borrowed(&cells))?;
    }
    Ok(())
}

/// A moment had one note, which was a bookmark if it had a name.
fn notes(db: &Connection, seals: &mut Seals) -> Result<(), StoreError> {
    let columns = "upload, branch, position, steps";
    for select in [
        format!("SELECT {columns}, name, '', at_ms FROM {OLD}note WHERE name <> ''"),
        format!(
            "SELECT {columns}, '', text, at_ms FROM {OLD}note
             WHERE text <> '' OR coalesce(name, '') = ''"
        ),
    ] {
        copy(db, &NOTE_2, seals, &select)?;
    }
    Ok(())
}

/// Blocks of entries had checksums.
fn branches(db: &Connection, seals: &mut Seals) -> Result<(), StoreError> {
    let mut into = BRANCH.inserter(db)?;
    let select = format!(
        "SELECT id, upload, number, parent, fork, reached, ending, outcome FROM {OLD}branch
         ORDER BY id"
    );
    let mut statement = db.prepare(&select)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let identity: [Option<u32>; 4] = [
            row.get(1).ok(),
            row.get(2).ok(),
            row.get(3)?,
            row.get(4).ok(),
        ];
        let length = match (identity, u32::try_from(id)) {
            ([Some(upload), Some(number), parent, Some(fork)], Ok(_)) => {
                let identity = [
                    u64::from(upload),
                    u64::from(number),
                    parent.map_or(u64::MAX, u64::from),
                    u64::from(fork),
                ];
                let state = identity.iter().fold(CHECKSUM_START, |state, word| {
                    checksum(state, &word.to_le_bytes())
                });
                entries(db, seals, id, fork, state)?
            }
            _ => 0,
        };
        let mut values = cells(row, 0..5)?;
        values.push(Cell::Integer(length.into()));
        values.extend(cells(row, 5..8)?);
        into.add(seals, &borrowed(&values))?;
    }
    Ok(())
}

/// Copies the entries of a branch; how many there should be.
fn entries(
    db: &Connection,
    seals: &mut Seals,
    branch: i64,
    fork: u32,
    identity: u64,
) -> Result<u32, StoreError> {
    let mut length: u32 = 0;
    for block in 0.. {
        let header: Option<(u32, i64)> = db
            .prepare_cached(&format!(
                "SELECT count, checksum FROM {OLD}block WHERE branch = ?1 AND number = ?2"
            ))?
            .query_row(params![branch, block], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let from = fork.checked_add(length);
        let Some(((count, expected), from)) = header.zip(from) else {
            break;
        };
        let to = from.checked_add(count);
        let Some(to) = to.filter(|_| (1..=BLOCK).contains(&count)) else {
            break;
        };
        let start = checksum(identity, &u32::to_le_bytes(block));
        copy_block(db, seals, branch, from..to, start, expected as u64)?;
        length += count;
        if count < BLOCK {
            break;
        }
    }
    // What no block counts is kept, but nobody knows what it was.
    let rest = i64::from(fork).saturating_add(length.into());
    let rest = branch << 32 | rest.min(u32::MAX.into());
    copy_entries(db, seals, rest, branch << 32 | i64::from(u32::MAX), false)?;
    Ok(length)
}

fn copy_block(
    db: &Connection,
    seals: &mut Seals,
    branch: i64,
    positions: Range<u32>,
    start: u64,
    expected: u64,
) -> Result<(), StoreError> {
    let row = |position: u32| branch << 32 | i64::from(position);
    let (first, last) = (row(positions.start), row(positions.end - 1));
    let select = format!(
        "SELECT {} FROM {OLD}entry WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
        ENTRY.columns.join(", ")
    );
    let mut statement = db.prepare_cached(&select)?;
    let mut rows = statement.query([first, last])?;
    let (mut state, mut count) = (Some(start), 0);
    while let Some(row) = rows.next()? {
        state = state
            .zip(entry_from_row(row))
            .map(|(state, entry)| entry_checksum(&entry, state));
        count += 1;
    }
    let is_sound = state == Some(expected) && count == positions.end - positions.start;
    copy_entries(db, seals, first, last, is_sound)
}

fn copy_entries(
    db: &Connection,
    seals: &mut Seals,
    first: i64,
    last: i64,
    are_sound: bool,
) -> Result<(), StoreError> {
    let mut into = ENTRY.inserter(db)?;
    let select = format!(
        "SELECT {} FROM {OLD}entry WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
        ENTRY.columns.join(", ")
    );
    let mut statement = db.prepare_cached(&select)?;
    let mut rows = statement.query([first, last])?;
    while let Some(row) = rows.next()? {
        let cells = cells(row, 0..ENTRY.columns.len())?;
        into.add_if(are_sound, seals, &borrowed(&cells))?;
    }
    Ok(())
}

/// Continues the checksum of a block of version 1 with an entry: over its meaning, not over how it is laid out in columns.
fn entry_checksum(entry: &KeptEntry, state: u64) -> u64 {
    let [low, high] = entry.subject.to_le_bytes();
    let head = [entry.kind.number() as u8, u8::from(entry.mocked), low, high];
    let mut state = checksum(state, &entry.steps.to_le_bytes());
    state = checksum(state, &head);
    state = checksum(state, &(entry.arguments.len() as u64).to_le_bytes());
    for value in entry.arguments.iter().chain(&entry.value) {
        let (letter, bits) = value.letter_and_bits();
        state = checksum(state, &[letter as u8]);
        state = checksum(state, &bits.to_le_bytes());
    }
    state = checksum(state, &[u8::from(entry.value.is_some())]);
    state = checksum(state, &(entry.data.len() as u64).to_le_bytes());
    checksum(state, &entry.data)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(db: &Connection) -> u32 {
        db.pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap()
    }

    #[test]
    fn migrations_run_in_order_once_and_all_or_nothing() {
        let log = |db: &Connection| -> String {
            db.query_row(
                "SELECT coalesce(group_concat(x, ''), '') FROM log",
                [],
                |row| row.get(0),
            )
            .unwrap()
        };
        let one: Migration = |t| Ok(t.execute_batch("INSERT INTO log VALUES (1)")?);
        let two: Migration = |t| Ok(t.execute_batch("INSERT INTO log VALUES (2)")?);
        let bad: Migration = |_| Err(StoreError::NotASession);
        let mut db = Connection::open_in_memory().unwrap();
        db.execute_batch("CREATE TABLE log (x); PRAGMA user_version = 1")
            .unwrap();
        assert!(migrate(&mut db, 1, &[one, two, bad]).is_err());
        assert_eq!((version(&db), log(&db).as_str()), (1, ""));
        migrate(&mut db, 1, &[one]).unwrap();
        assert_eq!((version(&db), log(&db).as_str()), (2, "1"));
        migrate(&mut db, 2, &[one, two]).unwrap();
        assert_eq!((version(&db), log(&db).as_str()), (3, "12"));
        migrate(&mut db, 3, &[one, two]).unwrap();
        assert_eq!((version(&db), log(&db).as_str()), (3, "12"));
    }

    #[test]
    fn the_version_is_that_of_the_last_migration() {
        assert_eq!(schema::VERSION as usize, MIGRATIONS.len() + 1);
    }
}
