//! The multiverse: branches and their entries.
//!
//! Branches are numbered by the session, and a parent's number is smaller than its children's. A
//! branch has the entries from its fork on; `position` counts from the start of the program.
//!
//! Entries are rows, so that others can query them. They are read and checked in blocks of
//! [`BLOCK`].

mod rows;
mod tail;

use std::ops::Range;

use rusqlite::{Connection, params};

use crate::entry::{CHECKSUM_START, checksum};
use crate::{Damage, Entry, Store, StoreError, Upload};
pub(crate) use rows::insert_branch;
use rows::{amend_block, branch_from_row, fits, forget_places, key, read_block};
pub(crate) use tail::Tail;

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
}
