//! Which branches can be shown, and how far.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _};

use super::rows::{BranchRow, entry_from_row, is_next};
use super::{Branch, fits};
use crate::seal::{BRANCH, ENTRY};
use crate::{Damage, StoreError};

/// Looks at all entries. Where branches are damaged: by version and branch, the position of the first entry that cannot be
/// shown.
pub(crate) fn verify_branches(
    db: &Connection,
    damage: &mut Vec<Damage>,
) -> Result<HashMap<(u32, u32), u32>, StoreError> {
    let named = |row: &rusqlite::Row<'_>| (row.get(1).unwrap_or(0), row.get(2).unwrap_or(0));
    let rows = BRANCH.read(db, "ORDER BY +upload, +number", &[], |row| {
        Ok((named(row), BranchRow::from_row(row)))
    })?;
    // They are also found by their numbers.
    let mut by_number = db.prepare("SELECT id FROM branch WHERE upload = ?1 AND number = ?2")?;
    for ((upload, number), row) in &rows {
        let found = by_number.query_row([upload, number], |row| row.get::<_, i64>(0));
        if found.optional()? != row.as_ref().map(|row| row.id) {
            let table = BRANCH.name;
            damage.push(Damage::Order { table });
            break;
        }
    }
    let mut cuts = HashMap::new();
    for of_version in rows.chunk_by(|((a, _), _), ((b, _), _)| a == b) {
        let mut branches: Vec<Branch> = Vec::new();
        for ((upload, number), row) in of_version {
            let (upload, branch) = (*upload, *number);
            let mut fitting = None;
            if let Some(row) = row {
                let (sound, more) = sound_entries(db, row)?;
                if sound < row.length {
                    damage.push(Damage::Entries {
                        upload,
                        branch,
                        from: row.fork + sound,
                        to: row.fork + row.length,
                    });
                } else if more {
                    damage.push(Damage::More { upload, branch });
                }
                if sound < row.length || more {
                    cuts.insert((upload, branch), row.fork + sound);
                }
                let length = sound;
                let branch = Branch {
                    length,
                    ..row.branch()
                };
                fitting = Some(branch).filter(|branch| fits(branch, &branches));
            }
            match fitting {
                Some(branch) => branches.push(branch),
                None => damage.push(Damage::Branch { upload, branch }),
            }
        }
    }
    Ok(cuts)
}

/// How many of a branch's entries, the first ones, are what was written, and whether there are more than there should be.
fn sound_entries(db: &Connection, row: &BranchRow) -> Result<(u32, bool), StoreError> {
    let select = ENTRY.select("WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
    let mut statement = db.prepare_cached(&select)?;
    let mut rows = statement.query([row.row(0), row.row(u32::MAX)])?;
    let mut sound = 0;
    while let Some(entry) = rows.next()? {
        if sound == row.length {
            return Ok((sound, true));
        }
        let next = is_next(entry, row.row(row.fork + sound))?;
        if !next || entry_from_row(entry).is_none() {
            break;
        }
        sound += 1;
    }
    Ok((sound, false))
}
