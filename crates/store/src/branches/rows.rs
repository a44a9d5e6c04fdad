//! Rows of branches and entries, read and written.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{BLOCK, BLOCK_BYTES, Branch, ENTRY_BYTES, End, Fork, Key, block_start};
use crate::{Damage, Entry, EntryKind, StoreError, Upload};

pub(crate) fn insert_branch(
    db: &Connection,
    upload: Upload,
    branch: u32,
    from: Option<Fork>,
) -> Result<(), StoreError> {
    db.prepare_cached(
        "INSERT INTO branch (upload, number, parent, fork, reached, ending, outcome)
         VALUES (?1, ?2, ?3, ?4, 0, 0, '')",
    )?
    .execute(params![
        upload.0,
        branch,
        from.map(|fork| fork.parent),
        from.map_or(0, |fork| fork.position)
    ])?;
    Ok(())
}

/// Notes, snapshots and the like in places that are gone.
pub(super) fn forget_places(
    db: &Connection,
    upload: Upload,
    branch: u32,
    from: u32,
) -> Result<(), StoreError> {
    for table in ["note", "snapshot", "place"] {
        db.execute(
            &format!("DELETE FROM {table} WHERE upload = ?1 AND branch = ?2 AND position >= ?3"),
            [upload.0, branch, from],
        )?;
    }
    Ok(())
}

pub(super) fn key(db: &Connection, upload: Upload, branch: u32) -> Result<Key, StoreError> {
    let found = db
        .prepare_cached("SELECT id, parent, fork FROM branch WHERE upload = ?1 AND number = ?2")?
        .query_row([upload.0, branch], |row| {
            Ok(Key {
                id: row.get(0)?,
                parent: row.get(1)?,
                fork: row.get(2)?,
            })
        })
        .optional()?;
    let key = found.ok_or(StoreError::Unknown("branch"))?;
    // Its entries' rows are numbered by it.
    if !(0..1 << 31).contains(&key.id) {
        return Err(Damage::Branch {
            upload: upload.0,
            branch,
        }
        .into());
    }
    Ok(key)
}

pub(super) fn branch_from_row(row: &Row<'_>, number: u32) -> Option<Branch> {
    let parent: Option<u32> = row.get(1).ok()?;
    let position: u32 = row.get(2).ok()?;
    let outcome: String = row.get(5).ok()?;
    let (blocks, last_block, length): (u32, u32, u32) =
        (row.get(6).ok()?, row.get(7).ok()?, row.get(8).ok()?);
    // All blocks but the last are full.
    let full = blocks.saturating_sub(1).checked_mul(BLOCK)?;
    let sound = if blocks == 0 {
        length == 0
    } else {
        last_block == blocks - 1 && (1..=BLOCK).contains(&length.checked_sub(full)?)
    };
    let fork = match parent {
        Some(parent) => Some(Fork { parent, position }),
        None if position == 0 => None,
        None => return None,
    };
    let end = match row.get(4).ok()? {
        0 => End::Open,
        1 => End::Finished(outcome),
        2 => End::Trapped(outcome),
        _ => return None,
    };
    position.checked_add(length).filter(|_| sound)?;
    Some(Branch {
        branch: number,
        fork,
        length,
        reached: row.get(3).ok()?,
        end,
    })
}

/// Whether a branch fits to those with smaller numbers.
pub(super) fn fits(branch: &Branch, before: &[Branch]) -> bool {
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

/// Reads a block and checks it. A block that does not exist is empty.
pub(super) fn read_block(
    db: &Connection,
    upload: Upload,
    branch: u32,
    key: &Key,
    block: u32,
) -> Result<Vec<Entry>, StoreError> {
    let header: Option<(u32, i64)> = db
        .prepare_cached("SELECT count, checksum FROM block WHERE branch = ?1 AND number = ?2")?
        .query_row(params![key.id, block], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((count, expected)) = header else {
        return Ok(Vec::new());
    };
    let from = block
        .checked_mul(BLOCK)
        .and_then(|own| own.checked_add(key.fork));
    let damaged = || Damage::Entries {
        upload: upload.0,
        branch,
        from: from.unwrap_or(key.fork),
    };
    let from = from
        .filter(|_| (1..=BLOCK).contains(&count))
        .ok_or_else(damaged)?;
    let to = from.checked_add(count - 1).ok_or_else(damaged)?;
    let mut statement = db.prepare_cached(
        "SELECT steps, kind, subject, types, arguments, value, data, mocked FROM entry
         WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    )?;
    let mut rows = statement.query([key.row(from), key.row(to)])?;
    let mut entries = Vec::new();
    let mut state = block_start(key.identity(upload, branch), block);
    let mut bytes = 0usize;
    while let Some(row) = rows.next()? {
        let entry = entry_from_row(row).ok_or_else(damaged)?;
        bytes = bytes.saturating_add(entry.data.len());
        if bytes > BLOCK_BYTES || entries.len() == count as usize {
            return Err(damaged().into());
        }
        state = entry.checksum(state);
        entries.push(entry);
    }
    if entries.len() != count as usize || state != expected as u64 {
        return Err(damaged().into());
    }
    Ok(entries)
}

/// Gives entries of a block new data.
pub(super) fn amend_block(
    db: &Connection,
    upload: Upload,
    branch: u32,
    key: &Key,
    block: u32,
    changes: &[(u32, Vec<u8>)],
) -> Result<(), StoreError> {
    let mut entries = read_block(db, upload, branch, key, block)?;
    let first = key.fork + block * BLOCK;
    for (position, data) in changes {
        let entry = entries
            .get_mut((position - first) as usize)
            .ok_or(StoreError::Unknown("entry"))?;
        if data.len() > ENTRY_BYTES {
            return Err(StoreError::TooLarge("entry"));
        }
        entry.data.clone_from(data);
        db.prepare_cached("UPDATE entry SET data = ?2 WHERE id = ?1")?
            .execute(params![
                key.row(*position),
                (!data.is_empty()).then_some(data)
            ])?;
    }
    let start = block_start(key.identity(upload, branch), block);
    let state = entries
        .iter()
        .fold(start, |state, entry| entry.checksum(state));
    db.prepare_cached("UPDATE block SET checksum = ?3 WHERE branch = ?1 AND number = ?2")?
        .execute(params![key.id, block, state as i64])?;
    Ok(())
}

pub(super) fn entry_from_row(row: &Row<'_>) -> Option<Entry> {
    let types = row.get_ref(3).ok()?.as_str_or_null().ok()?;
    let arguments = row.get_ref(4).ok()?.as_str_or_null().ok()?;
    let (arguments, value) = Entry::values_from_columns(types, arguments, row.get_ref(5).ok()?)?;
    Some(Entry {
        steps: row.get(0).ok()?,
        kind: EntryKind::from_number(row.get(1).ok()?)?,
        subject: row.get(2).ok()?,
        arguments,
        value,
        data: row
            .get_ref(6)
            .ok()?
            .as_blob_or_null()
            .ok()?
            .unwrap_or_default()
            .to_vec(),
        mocked: row.get(7).ok()?,
    })
}
