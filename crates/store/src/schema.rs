//! The tables of a session file.
//!
//! `docs/session-files.md` explains them to those who read them with SQL.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::StoreError;

/// "Borg": marks the database as ours (SQLite's `application_id`).
pub(crate) const APPLICATION_ID: u32 = 0x426f_7267;

/// The version of the format (SQLite's `user_version`).
pub(crate) const VERSION: u32 = 3;

/// Everything that a file of the present version contains.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

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
