//! Questions of the user, in SQL.

use std::time::{Duration, Instant};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode};

use crate::aside::work_aside;
use crate::seal::{self, Sealed};
use crate::{Store, StoreError, model, runs};

/// How much a question may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryBounds {
    /// How many rows to return at most.
    pub rows: usize,
    /// How long it may take.
    pub time: Duration,
}

impl Default for QueryBounds {
    fn default() -> Self {
        Self {
            rows: 1000,
            time: Duration::from_secs(5),
        }
    }
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTable {
    /// The names of its columns.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<QueryCell>>,
    /// There are more rows, or may be: as many were asked for, or whoever asked had enough.
    pub more: bool,
}

/// A value in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryCell {
    /// Nothing.
    Null,
    /// An integer.
    Integer(i64),
    /// A float.
    Real(f64),
    /// A text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Store {
    /// Answers one `SELECT`. It sees what is not yet saved as well, and can change nothing.
    ///
    /// # Errors
    /// [`StoreError::Query`] says what is wrong with `sql`, [`StoreError::QueryTimeout`] that it
    /// took too long.
    pub fn query(&mut self, sql: &str, bounds: QueryBounds) -> Result<QueryTable, StoreError> {
        self.query_while(sql, bounds, &mut || true)
    }

    /// [`Store::query`] as long as `goes_on` says so, which is asked every few milliseconds. The rows that are there when
    /// it says no are the answer.
    ///
    /// # Errors
    /// Those of [`Store::query`]; [`StoreError::QueryPaused`] if it was told to stop before the first row.
    pub fn query_while(
        &mut self,
        sql: &str,
        bounds: QueryBounds,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<QueryTable, StoreError> {
        self.write_tails()?;
        let start = Instant::now();
        self.shade()?;
        let db = &mut self.db;
        db.authorizer(Some(|context: AuthContext<'_>| match context.action {
            // A table of ours is read through the view of its name that leaves out damaged rows.
            AuthAction::Read { table_name, .. }
                if context.database_name == Some("main")
                    && is_sealed(table_name)
                    && context.accessor != Some(table_name) =>
            {
                Authorization::Deny
            }
            AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => {
                Authorization::Allow
            }
            AuthAction::Function { function_name } if function_name != "load_extension" => {
                Authorization::Allow
            }
            _ => Authorization::Deny,
        }))?;
        let time = bounds.time;
        db.progress_handler(1000, Some(move || start.elapsed() > time))?;
        let (result, paused) = work_aside(db, goes_on, |db| answer(db, sql, bounds.rows));
        db.progress_handler(0, None::<fn() -> bool>)?;
        db.authorizer(None::<fn(AuthContext<'_>) -> Authorization>)?;
        self.unshade()?;
        result.map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) if paused => StoreError::QueryPaused,
            Some(ErrorCode::OperationInterrupted) => StoreError::QueryTimeout {
                ms: bounds.time.as_millis() as u64,
            },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::TooBig) => error.into(),
            Some(ErrorCode::AuthorizationForStatementDenied) => {
                StoreError::Query("only SELECT is allowed, and no 'main.' before a table".into())
            }
            _ => StoreError::Query(error.to_string()),
        })
    }
}

impl Store {
    /// Puts a view over each of our tables that leaves out damaged rows, and every view of the file over those.
    fn shade(&self) -> Result<(), StoreError> {
        self.unshade()?;
        for table in self.shaded()? {
            self.db.execute_batch(&table.filter())?;
        }
        let views = "SELECT sql FROM main.sqlite_schema WHERE type = 'view' ORDER BY rowid";
        let mut statement = self.db.prepare(views)?;
        let sql = statement.query_map([], |row| row.get::<_, String>(0))?;
        for sql in sql {
            // SQLite keeps the statement with these words in front, whoever wrote it.
            if let Some(rest) = sql?.strip_prefix("CREATE VIEW ") {
                self.db.execute_batch(&format!("CREATE TEMP VIEW {rest}"))?;
            }
        }
        Ok(())
    }

    /// Takes them away again.
    fn unshade(&self) -> Result<(), StoreError> {
        let names = "SELECT name FROM temp.sqlite_schema WHERE type = 'view'";
        let mut statement = self.db.prepare(names)?;
        let names: Vec<String> = statement
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        drop(statement);
        for name in names {
            let name = name.replace('"', "\"\"");
            self.db
                .execute_batch(&format!("DROP VIEW temp.\"{name}\""))?;
        }
        Ok(())
    }

    /// The tables of ours that there are.
    fn shaded(&self) -> Result<Vec<&'static Sealed>, StoreError> {
        let there = "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?1";
        let mut statement = self.db.prepare(there)?;
        let mut found = Vec::new();
        for table in all_sealed() {
            if statement.exists([table.name])? {
                found.push(table);
            }
        }
        Ok(found)
    }
}

fn all_sealed() -> impl Iterator<Item = &'static Sealed> {
    let tables = seal::TABLES.into_iter().chain(runs::TABLES);
    tables.chain(model::TABLES)
}

fn is_sealed(table: &str) -> bool {
    all_sealed().any(|sealed| sealed.name.eq_ignore_ascii_case(table))
}

fn answer(db: &Connection, sql: &str, limit: usize) -> rusqlite::Result<QueryTable> {
    let mut statement = db.prepare(sql)?;
    let columns: Vec<String> = statement.column_names().map(String::from).collect();
    let mut rows = statement.query([])?;
    let mut table = QueryTable {
        columns,
        rows: Vec::new(),
        more: false,
    };
    loop {
        let row = match rows.next() {
            Ok(Some(row)) => row,
            Ok(None) => break,
            Err(error) => match error.sqlite_error_code() {
                Some(ErrorCode::OperationInterrupted) if !table.rows.is_empty() => {
                    table.more = true;
                    break;
                }
                _ => return Err(error),
            },
        };
        if table.rows.len() == limit {
            table.more = true;
            break;
        }
        let cells = (0..table.columns.len()).map(|i| {
            Ok(match row.get_ref(i)? {
                ValueRef::Null => QueryCell::Null,
                ValueRef::Integer(value) => QueryCell::Integer(value),
                ValueRef::Real(value) => QueryCell::Real(value),
                ValueRef::Text(text) => QueryCell::Text(String::from_utf8_lossy(text).into_owned()),
                ValueRef::Blob(bytes) => QueryCell::Blob(bytes.to_vec()),
            })
        });
        table.rows.push(cells.collect::<rusqlite::Result<_>>()?);
    }
    Ok(table)
}
