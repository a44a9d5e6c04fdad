//! What of a file is not as it was written.

use std::collections::BTreeMap;

use rusqlite::Connection;
use rusqlite::types::Value;

use crate::branches::verify_branches;
use crate::error::Found;
use crate::seal::{self, ASIDE, ENTRY, Seal, Sealed, Seals};
use crate::{Damage, Store, StoreError, model, runs};

impl Store {
    /// What of the file is not as it was written, as it was found when it was opened: it is not shown, and stays in the
    /// file.
    pub fn damage(&self) -> &[Damage] {
        &self.found.damage
    }

    /// The same of the graph of a model program, which is looked through only when this is asked for. `keep_going` is
    /// asked now and then.
    ///
    /// # Errors
    /// As for every reading; [`StoreError::Stopped`] if `keep_going` returned false.
    pub fn graph_damage(
        &self,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Damage>, StoreError> {
        let mut damage = Vec::new();
        if self.has_graph()? {
            let written = seal::read_seals(&self.db)?;
            for table in model::TABLES {
                verify_table(&self.db, table, &written, &mut damage, keep_going)?;
            }
        }
        Ok(damage)
    }

    /// Looks at every row there is.
    pub(crate) fn verify(&mut self) -> Result<(), StoreError> {
        // One moment of a file that another process may be writing.
        self.db.execute_batch("BEGIN")?;
        let result = verify(&self.db);
        self.db.execute_batch("COMMIT")?;
        let (found, seals) = result?;
        self.found = found;
        *self.seals.borrow_mut() = seals;
        Ok(())
    }
}

fn verify(db: &Connection) -> Result<(Found, Seals), StoreError> {
    let mut damage = Vec::new();
    let seals = verify_tables(db, &mut damage)?;
    let cuts = verify_branches(db, &mut damage)?;
    Ok((Found { damage, cuts }, seals))
}

/// Looks at every row that is not an entry, nor of a graph.
pub(crate) fn verify_tables(
    db: &Connection,
    damage: &mut Vec<Damage>,
) -> Result<Seals, StoreError> {
    let written = seal::read_seals(db)?;
    let mut seals = BTreeMap::new();
    let counts = match runs::are_there(db)? {
        true => &runs::TABLES[..],
        false => &[],
    };
    for table in seal::TABLES.iter().chain(counts) {
        // Entries are looked at branch by branch.
        if table.name != ENTRY.name {
            let seal = verify_table(db, table, &written, damage, &mut || true)?;
            if table.counted {
                seals.insert(table.name, seal);
            }
        }
    }
    for table in model::TABLES {
        // Large, and looked through by those who ask for it.
        if let Some(seal) = written.get(table.name) {
            seals.insert(table.name, *seal);
        }
    }
    damage.extend(ASIDE.read(db, "ORDER BY id", &[], |row| {
        let (table, row) = (row.get(1)?, row.get(2)?);
        Ok(Damage::Aside { table, row })
    })?);
    Ok(Seals::found(seals))
}

/// Looks at all rows of a table. What its seal goes on from: the one that is written, or without one what is there.
fn verify_table(
    db: &Connection,
    table: &'static Sealed,
    written: &BTreeMap<String, Seal>,
    damage: &mut Vec<Damage>,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Seal, StoreError> {
    let mut statement = db.prepare(&table.select(""))?;
    let mut rows = statement.query([])?;
    let mut here = Seal::default();
    let mut before: Option<Vec<Value>> = None;
    let mut in_order = true;
    while let Some(row) = rows.next()? {
        if here.count % i64::from(model::BEAT) == i64::from(model::BEAT) - 1 && !keep_going() {
            return Err(StoreError::Stopped);
        }
        here.add(table.written(row)?);
        let key: Vec<Value> = (0..table.key)
            .map(|index| row.get(index))
            .collect::<Result<_, _>>()?;
        in_order &= before.is_none_or(|before| is_before(&before, &key));
        before = Some(key);
        if !table.sound(row)? {
            damage.push(Damage::Row {
                table: table.name,
                key: table.name_of(row)?,
            });
        }
    }
    if !in_order {
        damage.push(Damage::Order { table: table.name });
    }
    if !table.counted {
        return Ok(here);
    }
    let expected = written.get(table.name).copied();
    if expected.unwrap_or_default() != here {
        damage.push(Damage::Rows {
            table: table.name,
            expected: expected.map_or(0, |seal| seal.count),
            found: here.count,
        });
    }
    Ok(expected.unwrap_or(here))
}

/// Whether a key lies before another one in its table. Keys are numbers and texts.
fn is_before(left: &[Value], right: &[Value]) -> bool {
    let differing = left.iter().zip(right).find(|(left, right)| left != right);
    match differing {
        Some((Value::Integer(left), Value::Integer(right))) => left < right,
        Some((Value::Text(left), Value::Text(right))) => left.as_bytes() < right.as_bytes(),
        _ => false,
    }
}
