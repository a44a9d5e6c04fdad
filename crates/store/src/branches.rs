//! The multiverse: branches and their entries.
//!
//! Branches are numbered by the session, and a parent's number is smaller than its children's. A
//! branch has the entries from its fork on; `position` counts from the start of the program.
//!
//! Entries are rows, so that others can query them. They are read and checked in blocks of
//! [`BLOCK`].

use std::ops::Range;

use rusqlite::{CachedStatement, Connection, OptionalExtension as _, Row, params};

use crate::entry::{CHECKSUM_START, checksum};
use crate::{Damage, Entry, EntryKind, Store, StoreError, Upload};

/// How many entries share a checksum and are read together.
pub const BLOCK: u32 = 4096;

/// How many bytes one entry may carry, and how many arguments.
const ENTRY_BYTES: usize = 1 << 16;
const ARGUMENTS: usize = 1000;

/// How many bytes the captured data of one block may have.
const BLOCK_BYTES: usize = ENTRY_BYTES * BLOCK as usize;

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
    /// How many entries are its own.
    pub length: u32,
    /// The step count up to which the run after its last entry is known.
    pub reached: u64,
    /// How it ended.
    pub end: End,
}

/// How a branch ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// The program can go on.
    #[default]
    Open,
    /// The program returned; as text what.
    Finished(String),
    /// The program trapped; as text how.
    Trapped(String),
}

/// A block of a branch, without its entries: enough to find a moment by its step count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The positions of its entries.
    pub first: u32,
    /// How many there are.
    pub count: u32,
    /// The steps of the first of them.
    pub first_steps: u64,
    /// The steps of the last of them.
    pub last_steps: u64,
}

/// The end of a branch that is being written.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    id: i64,
    identity: u64,
    /// The position of the branch's first entry, and of its next.
    fork: u32,
    next: u32,
    /// The block that the next entry goes to.
    block: u32,
    count: u32,
    first_steps: u64,
    last_steps: u64,
    checksum: u64,
    dirty: bool,
}

/// The row of a branch.
#[derive(Clone, Copy, Debug)]
struct Key {
    id: i64,
    parent: Option<u32>,
    fork: u32,
}

impl Key {
    /// What the checksums of a branch's blocks begin with, so that a block cannot be taken for one
    /// of another branch.
    fn identity(&self, upload: Upload, branch: u32) -> u64 {
        let parent = self.parent.map_or(u64::MAX, u64::from);
        [
            u64::from(upload.0),
            u64::from(branch),
            parent,
            u64::from(self.fork),
        ]
        .iter()
        .fold(CHECKSUM_START, |state, word| {
            checksum(state, &word.to_le_bytes())
        })
    }

    /// The row of the entry at `position`.
    fn row(&self, position: u32) -> i64 {
        self.id << 32 | i64::from(position)
    }
}

fn block_start(identity: u64, block: u32) -> u64 {
    checksum(identity, &block.to_le_bytes())
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
        first: &Entry,
    ) -> Result<(), StoreError> {
        let parent = self.tail(upload, from.parent)?;
        if !(parent.fork..=parent.next).contains(&from.position) {
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
        let taken = "SELECT 1 FROM branch WHERE upload = ?1 AND number = ?2";
        if self.db.prepare_cached(taken)?.exists([upload.0, branch])? {
            return Err(StoreError::Taken("branch"));
        }
        let result = self.write(|db| {
            insert_branch(db, upload, branch, Some(from))?;
            self.append_within(db, upload, branch, std::slice::from_ref(first))
        });
        if result.is_err() {
            self.tails.borrow_mut().remove(&(upload.0, branch));
        }
        result
    }

    /// Adds entries to the end of a branch.
    ///
    /// # Errors
    /// [`StoreError::OutOfOrder`] if one has fewer steps than its predecessor,
    /// [`StoreError::TooLarge`] if its data is longer than 64 KiB; none is added then.
    /// [`StoreError::Broken`] if the database fails halfway.
    pub fn append(&self, upload: Upload, branch: u32, entries: &[Entry]) -> Result<(), StoreError> {
        self.tail(upload, branch)?.check(entries)?;
        self.begin()?;
        // Nothing is left that could go wrong but the disk, so that no savepoint is needed.
        self.append_within(&self.db, upload, branch, entries)
            .map_err(|_| {
                self.abandon();
                StoreError::Broken
            })
    }

    fn append_within(
        &self,
        db: &Connection,
        upload: Upload,
        branch: u32,
        entries: &[Entry],
    ) -> Result<(), StoreError> {
        // Worked on as a copy: it takes effect only if everything worked.
        let mut tail = self.tail_within(db, upload, branch)?;
        tail.check(entries)?;
        let mut insert = db.prepare_cached(
            "INSERT INTO entry (id, steps, kind, subject, types, arguments, value, data, mocked)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?;
        for entry in entries {
            if tail.count == BLOCK {
                tail.write(db)?;
                tail.begin_block(tail.block + 1);
            }
            tail.add(&mut insert, entry)?;
        }
        self.tails.borrow_mut().insert((upload.0, branch), tail);
        Ok(())
    }

    /// Where the next entry of a branch goes.
    fn tail(&self, upload: Upload, branch: u32) -> Result<Tail, StoreError> {
        self.tail_within(&self.db, upload, branch)
    }

    fn tail_within(
        &self,
        db: &Connection,
        upload: Upload,
        branch: u32,
    ) -> Result<Tail, StoreError> {
        if let Some(tail) = self.tails.borrow().get(&(upload.0, branch)) {
            return Ok(tail.clone());
        }
        let key = key(db, upload, branch)?;
        let damaged = || {
            StoreError::from(Damage::Branch {
                upload: upload.0,
                branch,
            })
        };
        let last: Option<(u32, u32, u64, u64, i64)> = db
            .prepare_cached(
                "SELECT number, count, first_steps, last_steps, checksum FROM block
                 WHERE branch = ?1 ORDER BY number DESC LIMIT 1",
            )?
            .query_row([key.id], |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get(3)?,
                    row.get(4)?,
                ))
            })
            .optional()?;
        let identity = key.identity(upload, branch);
        let mut tail = Tail {
            id: key.id,
            identity,
            fork: key.fork,
            next: key.fork,
            block: 0,
            count: 0,
            first_steps: 0,
            last_steps: 0,
            checksum: block_start(identity, 0),
            dirty: false,
        };
        if let Some((block, count, first_steps, last_steps, checksum)) = last {
            let next = block
                .checked_mul(BLOCK)
                .and_then(|own| own.checked_add(count))
                .and_then(|own| own.checked_add(key.fork));
            let in_range = (1..=BLOCK).contains(&count);
            tail.next = next.filter(|_| in_range).ok_or_else(damaged)?;
            (tail.block, tail.count) = (block, count);
            (tail.first_steps, tail.last_steps) = (first_steps, last_steps);
            tail.checksum = checksum as u64;
        }
        self.tails
            .borrow_mut()
            .insert((upload.0, branch), tail.clone());
        Ok(tail)
    }

    /// Writes the ends of the branches that grew, as part of the present transaction.
    pub(crate) fn write_tails(&self) -> Result<(), StoreError> {
        let db = &self.db;
        for tail in self
            .tails
            .borrow_mut()
            .values_mut()
            .filter(|tail| tail.dirty)
        {
            tail.write(db)?;
        }
        Ok(())
    }

    /// Keeps few ends of branches in memory. Nothing may be unsaved.
    pub(crate) fn forget_tails(&self) {
        const KEPT: usize = 1024;
        let mut tails = self.tails.borrow_mut();
        if tails.len() > KEPT {
            tails.clear();
        }
    }

    /// Changes what outputs captured: their positions, ascending, with the new data. Each block's checksum follows.
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
        self.write_tails()?;
        self.write(|db| {
            let key = key(db, upload, branch)?;
            let block_of = |position: u32| position.checked_sub(key.fork).map(|own| own / BLOCK);
            for changes in changes.chunk_by(|(a, _), (b, _)| block_of(*a) == block_of(*b)) {
                let Some(block) = changes
                    .first()
                    .and_then(|(position, _)| block_of(*position))
                else {
                    return Err(StoreError::Unknown("entry"));
                };
                amend_block(db, upload, branch, &key, block, changes)?;
            }
            Ok(())
        })?;
        // What is in memory of the last block has its old checksum.
        self.tails.borrow_mut().remove(&(upload.0, branch));
        Ok(())
    }

    /// Says how a branch ended, or how far the run after its last entry is known.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is no such branch.
    pub fn set_end(
        &self,
        upload: Upload,
        branch: u32,
        reached: u64,
        end: &End,
    ) -> Result<(), StoreError> {
        let (ending, outcome) = match end {
            End::Open => (0, ""),
            End::Finished(outcome) => (1, outcome.as_str()),
            End::Trapped(outcome) => (2, outcome.as_str()),
        };
        let reached = i64::try_from(reached).map_err(|_| StoreError::OutOfOrder)?;
        self.write(|db| {
            let changed = db
                .prepare_cached(
                    "UPDATE branch SET reached = ?3, ending = ?4, outcome = ?5
                     WHERE upload = ?1 AND number = ?2",
                )?
                .execute(params![upload.0, branch, reached, ending, outcome])?;
            if changed == 0 {
                Err(StoreError::Unknown("branch"))
            } else {
                Ok(())
            }
        })
    }

    /// Removes entries: those of `cut`'s branch from its position on, and all of `branches`. What
    /// is pruned from the session's tree at once is given here at once, so that the file is a tree
    /// at any moment.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is no such branch, if `cut` leaves nothing of its branch, or
    /// if something would be left without its parent; nothing is removed then.
    pub fn prune(
        &self,
        upload: Upload,
        cut: Option<(u32, u32)>,
        branches: &[u32],
    ) -> Result<(), StoreError> {
        self.write_tails()?;
        self.write(|db| {
            for &branch in branches {
                let key = key(db, upload, branch)?;
                db.execute(
                    "DELETE FROM entry WHERE id BETWEEN ?1 AND ?2",
                    [key.row(0), key.row(u32::MAX)],
                )?;
                db.execute("DELETE FROM block WHERE branch = ?1", [key.id])?;
                db.execute("DELETE FROM branch WHERE id = ?1", [key.id])?;
                forget_places(db, upload, branch, 0)?;
            }
            if let Some((branch, position)) = cut {
                self.cut(db, upload, branch, position)?;
            }
            let cut = cut.unwrap_or((0, u32::MAX));
            let orphaned = db
                .prepare_cached(
                    "SELECT 1 FROM branch c WHERE c.upload = ?1 AND c.parent IS NOT NULL AND (
                       (c.parent = ?2 AND c.fork > ?3) OR NOT EXISTS (
                         SELECT 1 FROM branch p WHERE p.upload = ?1 AND p.number = c.parent))",
                )?
                .exists([upload.0, cut.0, cut.1])?;
            if orphaned {
                Err(StoreError::Unknown("parent of a branch that stays"))
            } else {
                Ok(())
            }
        })?;
        let mut tails = self.tails.borrow_mut();
        let cut = cut.map(|(branch, _)| branch);
        tails.retain(|&(version, branch), _| {
            version != upload.0 || (!branches.contains(&branch) && cut != Some(branch))
        });
        drop(tails);
        self.count_snapshots()
    }

    /// Shortens a branch. Its last block gets a new checksum over what is left of it.
    fn cut(
        &self,
        db: &Connection,
        upload: Upload,
        branch: u32,
        position: u32,
    ) -> Result<(), StoreError> {
        let key = key(db, upload, branch)?;
        let own = position.saturating_sub(key.fork);
        if own == 0 && key.parent.is_some() {
            return Err(StoreError::Unknown("entry to keep"));
        }
        let block = own / BLOCK;
        let first = key.fork.saturating_add(block * BLOCK);
        let mut kept = read_block(db, upload, branch, &key, block)?;
        kept.truncate((own % BLOCK) as usize);
        db.execute(
            "DELETE FROM entry WHERE id BETWEEN ?1 AND ?2",
            [key.row(first), key.row(u32::MAX)],
        )?;
        db.execute(
            "DELETE FROM block WHERE branch = ?1 AND number >= ?2",
            params![key.id, block],
        )?;
        let reached = match kept.last() {
            Some(last) => last.steps,
            None if block == 0 => 0,
            None => read_block(db, upload, branch, &key, block - 1)?
                .last()
                .map_or(0, |e| e.steps),
        };
        db.execute(
            "UPDATE branch SET reached = ?2, ending = 0, outcome = '' WHERE id = ?1",
            params![key.id, reached],
        )?;
        forget_places(db, upload, branch, position.saturating_add(1))?;
        self.tails.borrow_mut().remove(&(upload.0, branch));
        self.append_within(db, upload, branch, &kept)?;
        let mut tails = self.tails.borrow_mut();
        tails
            .get_mut(&(upload.0, branch))
            .map_or(Ok(()), |tail| tail.write(db))
    }

    /// The branches of a version, by number. Checked: each leaves an earlier one at a place that it
    /// has.
    ///
    /// # Errors
    /// [`Damage::Branch`] names the first one that does not fit.
    pub fn branches(&self, upload: Upload) -> Result<Vec<Branch>, StoreError> {
        self.write_tails_if_writing()?;
        let db = &self.db;
        let mut statement = db.prepare_cached(
            "SELECT b.number, b.parent, b.fork, b.reached, b.ending, b.outcome,
                    count(k.number), coalesce(max(k.number), 0), coalesce(sum(k.count), 0)
             FROM branch b LEFT JOIN block k ON k.branch = b.id
             WHERE b.upload = ?1 GROUP BY b.id ORDER BY b.number",
        )?;
        let mut rows = statement.query([upload.0])?;
        let mut branches: Vec<Branch> = Vec::new();
        while let Some(row) = rows.next()? {
            let number: u32 = row.get(0)?;
            let branch = branch_from_row(row, number)
                .filter(|branch| fits(branch, &branches))
                .ok_or(Damage::Branch {
                    upload: upload.0,
                    branch: number,
                })?;
            branches.push(branch);
        }
        Ok(branches)
    }

    /// The blocks of a branch, in order.
    ///
    /// # Errors
    /// [`Damage::Branch`] if they do not follow each other.
    pub fn blocks(&self, upload: Upload, branch: u32) -> Result<Vec<Block>, StoreError> {
        self.write_tails_if_writing()?;
        let db = &self.db;
        let key = key(db, upload, branch)?;
        let mut statement = db.prepare_cached(
            "SELECT number, count, first_steps, last_steps FROM block
             WHERE branch = ?1 ORDER BY number",
        )?;
        let mut rows = statement.query([key.id])?;
        let mut blocks: Vec<Block> = Vec::new();
        while let Some(row) = rows.next()? {
            let number: u32 = row.get(0)?;
            let first = number
                .checked_mul(BLOCK)
                .and_then(|own| own.checked_add(key.fork));
            let follows = number as usize == blocks.len()
                && blocks.last().is_none_or(|before| before.count == BLOCK);
            let block = Block {
                first: first.filter(|_| follows).ok_or(Damage::Branch {
                    upload: upload.0,
                    branch,
                })?,
                count: row.get(1)?,
                first_steps: row.get(2)?,
                last_steps: row.get(3)?,
            };
            blocks.push(block);
        }
        Ok(blocks)
    }

    /// The entries of a branch at `positions`, as far as they are its own and exist. Whole blocks
    /// are read and checked.
    ///
    /// # Errors
    /// [`Damage::Entries`] if a block is not the one that was written.
    pub fn entries(
        &self,
        upload: Upload,
        branch: u32,
        positions: Range<u32>,
    ) -> Result<Vec<Entry>, StoreError> {
        self.write_tails_if_writing()?;
        let db = &self.db;
        let key = key(db, upload, branch)?;
        let start = positions.start.max(key.fork) - key.fork;
        let end = positions.end.max(key.fork) - key.fork;
        let mut entries = Vec::new();
        let mut block = start / BLOCK;
        while u64::from(block) * u64::from(BLOCK) < u64::from(end) {
            let base = block * BLOCK;
            let found = read_block(db, upload, branch, &key, block)?;
            let count = found.len() as u32;
            let from = start.saturating_sub(base) as usize;
            let to = (end - base).min(count) as usize;
            entries.extend(found.into_iter().take(to).skip(from));
            if count < BLOCK {
                break;
            }
            block += 1;
        }
        Ok(entries)
    }

    fn write_tails_if_writing(&self) -> Result<(), StoreError> {
        if self.tails.borrow().values().any(|tail| tail.dirty) {
            self.write_tails()
        } else {
            Ok(())
        }
    }
}

impl Tail {
    /// Whether entries can follow.
    fn check(&self, entries: &[Entry]) -> Result<(), StoreError> {
        let room = (u32::MAX - self.next) as usize;
        if entries.len() > room {
            return Err(StoreError::TooLarge("branch"));
        }
        let mut steps = self.last_steps;
        for entry in entries {
            if entry.steps < steps || i64::try_from(entry.steps).is_err() {
                return Err(StoreError::OutOfOrder);
            }
            if entry.data.len() > ENTRY_BYTES || entry.arguments.len() > ARGUMENTS {
                return Err(StoreError::TooLarge("entry"));
            }
            steps = entry.steps;
        }
        Ok(())
    }

    fn begin_block(&mut self, block: u32) {
        self.block = block;
        self.count = 0;
        self.checksum = block_start(self.identity, block);
    }

    fn add(&mut self, insert: &mut CachedStatement<'_>, entry: &Entry) -> Result<(), StoreError> {
        let data = (!entry.data.is_empty()).then_some(&entry.data);
        insert.execute(params![
            self.id << 32 | i64::from(self.next),
            entry.steps,
            entry.kind.number(),
            entry.subject,
            entry.types(),
            entry.arguments_json(),
            entry.value,
            data,
            entry.mocked,
        ])?;
        if self.count == 0 {
            self.first_steps = entry.steps;
        }
        self.next = self
            .next
            .checked_add(1)
            .ok_or(StoreError::TooLarge("branch"))?;
        self.count += 1;
        self.last_steps = entry.steps;
        self.checksum = entry.checksum(self.checksum);
        self.dirty = true;
        Ok(())
    }

    fn write(&mut self, db: &Connection) -> Result<(), StoreError> {
        if self.count == 0 {
            return Ok(());
        }
        db.prepare_cached(
            "INSERT INTO block (branch, number, count, first_steps, last_steps, checksum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (branch, number) DO UPDATE SET
               count = excluded.count, first_steps = excluded.first_steps,
               last_steps = excluded.last_steps, checksum = excluded.checksum",
        )?
        .execute(params![
            self.id,
            self.block,
            self.count,
            self.first_steps,
            self.last_steps,
            self.checksum as i64,
        ])?;
        self.dirty = false;
        Ok(())
    }
}

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
fn forget_places(
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

fn key(db: &Connection, upload: Upload, branch: u32) -> Result<Key, StoreError> {
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

fn branch_from_row(row: &Row<'_>, number: u32) -> Option<Branch> {
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
fn fits(branch: &Branch, before: &[Branch]) -> bool {
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
fn read_block(
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
fn amend_block(
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

fn entry_from_row(row: &Row<'_>) -> Option<Entry> {
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
