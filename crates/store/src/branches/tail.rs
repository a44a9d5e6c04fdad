//! The ends of branches that are being written.

use rusqlite::{CachedStatement, Connection, OptionalExtension as _, params};

use super::rows::key;
use super::{ARGUMENTS, BLOCK, ENTRY_BYTES, block_start};
use crate::{Damage, Entry, Store, StoreError, Upload};

/// The end of a branch that is being written.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    pub(super) id: i64,
    identity: u64,
    /// The position of the branch's first entry, and of its next.
    pub(super) fork: u32,
    pub(super) next: u32,
    /// The block that the next entry goes to.
    block: u32,
    count: u32,
    first_steps: u64,
    last_steps: u64,
    checksum: u64,
    dirty: bool,
}

impl Store {
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

    pub(super) fn append_within(
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
    pub(super) fn tail(&self, upload: Upload, branch: u32) -> Result<Tail, StoreError> {
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

    pub(super) fn write_tails_if_writing(&self) -> Result<(), StoreError> {
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

    pub(super) fn write(&mut self, db: &Connection) -> Result<(), StoreError> {
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
