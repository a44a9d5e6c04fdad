//! The tables of a session file, and how older files become newer ones.
//!
//! `docs/session-files.md` explains them to those who read them with SQL.

use std::collections::BTreeMap;

use rusqlite::{Connection, Transaction};

use crate::{StoreError, migrate};

/// "Borg": marks the database as ours (SQLite's `application_id`).
pub(crate) const APPLICATION_ID: u32 = 0x426f_7267;

/// The version of the format (SQLite's `user_version`).
pub(crate) const VERSION: u32 = 3;

/// Everything that a file of the present version contains.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// Turns a file of one version into one of the next: entry `n` starts from version `n + 1`.
pub(crate) type Migration = fn(&Transaction<'_>) -> Result<(), StoreError>;

/// All migrations there are.
pub(crate) const MIGRATIONS: &[Migration] = &[migrate::to_version_2, migrate::to_version_3];

/// Makes the tables in an empty database.
pub(crate) fn create(db: &Connection) -> Result<(), StoreError> {
    // One transaction: each would wait for the disk.
    db.execute_batch("BEGIN")?;
    db.execute_batch(SCHEMA)?;
    db.pragma_update(None, "application_id", APPLICATION_ID)?;
    db.pragma_update(None, "user_version", VERSION)?;
    db.execute_batch("COMMIT")?;
    Ok(())
}

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

/// What SQLite remembers about a table, view, index or trigger.
#[derive(Debug, PartialEq, Eq)]
struct Object {
    kind: String,
    table: String,
    sql: Option<String>,
}

fn objects(db: &Connection) -> Result<BTreeMap<String, Object>, StoreError> {
    let mut statement = db.prepare("SELECT name, type, tbl_name, sql FROM sqlite_schema")?;
    let rows = statement.query_map([], |row| {
        Ok((
            row.get(0)?,
            Object {
                kind: row.get(1)?,
                table: row.get(2)?,
                sql: row.get(3)?,
            },
        ))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Checks that the database contains what a schema makes, as it makes it, and nothing that acts by itself.
///
/// Tables and views of the user's own are left alone: nothing here reads them.
pub(crate) fn check(db: &Connection, schema: &str) -> Result<(), StoreError> {
    let ours = Connection::open_in_memory()?;
    ours.execute_batch(schema)?;
    let ours = objects(&ours)?;
    let mut found = objects(db)?;
    for (name, object) in &ours {
        if found.remove(name).as_ref() != Some(object) {
            return Err(altered(name, &object.kind));
        }
    }
    for (name, object) in found {
        let harmless = match object.kind.as_str() {
            "view" => true,
            "table" => {
                let sql = object.sql.unwrap_or_default().to_ascii_uppercase();
                !sql.trim_start().starts_with("CREATE VIRTUAL")
            }
            "index" => !ours.contains_key(&object.table),
            _ => false,
        };
        if !harmless {
            return Err(altered(&name, &object.kind));
        }
    }
    Ok(())
}

fn altered(name: &str, kind: &str) -> StoreError {
    // A hostile name may be long; the beginning is enough to find it.
    StoreError::Altered {
        what: kind.into(),
        name: name.chars().take(80).collect(),
    }
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
        assert_eq!(VERSION as usize, MIGRATIONS.len() + 1);
    }

    #[test]
    fn what_others_added_is_judged_by_whether_it_acts() {
        let check_with = |sql: &str| {
            let db = Connection::open_in_memory().unwrap();
            create(&db).unwrap();
            db.execute_batch(sql).unwrap();
            check(&db, SCHEMA)
        };
        check_with("").unwrap();
        check_with("CREATE TABLE mine (x UNIQUE); CREATE VIEW v AS SELECT * FROM entries").unwrap();
        check_with("CREATE TABLE mine (x); CREATE INDEX i ON mine (x)").unwrap();
        for hostile in [
            "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
            "CREATE INDEX i ON entry (abs(steps))",
            "CREATE VIRTUAL TABLE f USING fts5(x)",
            "DROP VIEW ends; CREATE VIEW ends AS SELECT 1",
            "DROP VIEW ends",
            "DROP TABLE note; CREATE TABLE note (x)",
        ] {
            let result = check_with(hostile);
            assert!(
                matches!(result, Err(StoreError::Altered { .. })),
                "{hostile}: {result:?}"
            );
        }
    }
}
