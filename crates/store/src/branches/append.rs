//! Adding entries to the ends of branches.

use rusqlite::{Connection, OptionalExtension as _};

use super::rows::put_entry;
use crate::seal::ENTRY;
use crate::tail::Tail;
use crate::{KeptEntry, Store, StoreError, Upload};

impl Store {
    /// Adds entries to the end of a branch.
    ///
    /// # Errors
    /// [`StoreError::OutOfOrder`] if one has fewer steps than its predecessor,
    /// [`StoreError::TooLarge`] if its data is longer than 64 KiB, [`crate::Damage::Entries`] if the branch is damaged;
    /// none is added then. [`StoreError::Broken`] if the database fails halfway.
    pub fn append(
        &self,
        upload: Upload,
        branch: u32,
        entries: &[KeptEntry],
    ) -> Result<(), StoreError> {
        self.refuse_cut(upload, branch)?;
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
        entries: &[KeptEntry],
    ) -> Result<(), StoreError> {
        // Worked on as a copy: it takes effect only if everything worked.
        let mut tail = self.tail(upload, branch)?;
        tail.check(entries)?;
        let mut into = ENTRY.inserter(db)?;
        let mut seals = self.seals.borrow_mut();
        for entry in entries {
            put_entry(&mut into, &mut seals, tail.row(tail.next), entry)?;
            tail.next = tail
                .next
                .checked_add(1)
                .ok_or(StoreError::TooLarge("branch"))?;
            tail.last_steps = entry.steps;
            tail.dirty = true;
        }
        self.tails.borrow_mut().insert((upload.0, branch), tail);
        Ok(())
    }

    /// Where the next entry of a branch goes.
    pub(super) fn tail(&self, upload: Upload, branch: u32) -> Result<Tail, StoreError> {
        if let Some(tail) = self.tails.borrow().get(&(upload.0, branch)) {
            return Ok(tail.clone());
        }
        let tail = self.read_tail(upload, branch)?;
        self.tails
            .borrow_mut()
            .insert((upload.0, branch), tail.clone());
        Ok(tail)
    }

    /// The same for who may not be the one that writes: another process may have gone on.
    pub(super) fn tail_fresh(&self, upload: Upload, branch: u32) -> Result<Tail, StoreError> {
        match self.tails.borrow().get(&(upload.0, branch)) {
            Some(tail) if tail.dirty => Ok(tail.clone()),
            _ => self.read_tail(upload, branch),
        }
    }

    /// Writes how many entries the branches that grew have, as part of the present transaction.
    pub(crate) fn write_tails(&self) -> Result<(), StoreError> {
        let db = &self.db;
        for ((upload, branch), tail) in self
            .tails
            .borrow_mut()
            .iter_mut()
            .filter(|(_, tail)| tail.dirty)
        {
            let row = self.branch_row(Upload(*upload), *branch)?;
            let mut row = row.ok_or(StoreError::Unknown("branch"))?;
            row.length = tail.next - tail.fork;
            row.put(db, &self.seals)?;
            tail.dirty = false;
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

    fn read_tail(&self, upload: Upload, branch: u32) -> Result<Tail, StoreError> {
        let row = self.branch_row(upload, branch)?;
        let row = row.ok_or(StoreError::Unknown("branch"))?;
        let mut tail = Tail {
            id: row.id,
            fork: row.fork,
            next: row.fork + row.length,
            last_steps: 0,
            dirty: false,
        };
        if row.length > 0 {
            let last = self
                .db
                .prepare_cached("SELECT steps FROM entry WHERE id = ?1")?
                .query_row([tail.row(tail.next - 1)], |row| row.get(0));
            // If it is gone, the branch is damaged, and nobody adds to it.
            tail.last_steps = last.optional()?.unwrap_or(0);
        }
        Ok(tail)
    }
}
