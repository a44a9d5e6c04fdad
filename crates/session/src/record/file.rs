//! The session file that is being written.

use super::entries::{captured_data, to_stored};
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::history::{Fresh, History};
use crate::record::notes::Note;
use borges_multiverse::tree::{BranchId, End, Place};
use borges_store::{Fork, Store, StoreError, Upload};
use std::path::PathBuf;
use std::time::Instant;

/// The session file, and what of the session is in it.
pub(crate) struct Record {
    pub(super) store: Store,
    pub(super) path: PathBuf,
    pub(super) upload: Upload,
    pub(super) notes: Vec<(Moment, Note)>,
    pub(super) breakpoints: Vec<borges_store::Breakpoint>,
    pub(super) mocks: Vec<borges_store::Mock>,
    pub(super) places: [Option<Moment>; 2],
    /// The last state that was kept: branch, steps, hash.
    pub(super) hash: Option<(BranchId, u64, u64)>,
}

impl Record {
    pub(crate) fn path(&self) -> Option<PathBuf> {
        Some(self.path.clone())
    }

    /// Writes what a device that runs has reported, so that little is left to be written when it pauses, and a kill of
    /// the process loses no more than the last [`borges_store::GROUP_COMMIT`].
    pub(crate) fn follow(&self, history: &mut History) -> Result<(), CommandError> {
        let fresh = history.take_fresh();
        let followed = self.write_branches(history, &fresh);
        let followed = followed.and_then(|()| self.store.tick(Instant::now()));
        followed.map_err(|error| self.unwritten(&error))
    }

    /// The multiverse, as far as it has grown or changed.
    pub(super) fn write_branches(
        &self,
        history: &History,
        fresh: &Fresh,
    ) -> Result<(), StoreError> {
        let (store, upload) = (&self.store, self.upload);
        for run in fresh
            .entries
            .chunk_by(|a, b| a.place.branch == b.place.branch && b.forked_from.is_none())
        {
            let mut stored: Vec<borges_store::Entry> = run.iter().map(to_stored).collect();
            let Some(first) = run.first() else { continue };
            let branch = first.place.branch.0;
            if let Some(from) = first.forked_from {
                let from = Fork {
                    parent: from.branch.0,
                    position: from.index,
                };
                store.fork(upload, branch, from, &stored.remove(0))?;
            }
            store.append(upload, branch, &stored)?;
        }
        for places in fresh
            .amended
            .iter()
            .collect::<Vec<_>>()
            .chunk_by(|a, b| a.branch == b.branch)
        {
            let Some(branch) = places.first().map(|place| place.branch.0) else {
                continue;
            };
            let data = |place: &&Place| {
                let entry = history.tree.entry(**place)?;
                Some((place.index.checked_sub(1)?, captured_data(entry)))
            };
            let changes: Vec<(u32, Vec<u8>)> = places.iter().filter_map(data).collect();
            store.amend(upload, branch, &changes)?;
        }
        for &branch in &fresh.ends {
            let (reached, end) = (history.tree.reached(branch), history.tree.end(branch));
            let end = match end {
                Some(End::Finished(text)) => borges_store::End::Finished(text.clone()),
                Some(End::Trapped(text)) => borges_store::End::Trapped(text.clone()),
                _ => borges_store::End::Open,
            };
            store.set_end(upload, branch.0, reached.unwrap_or(0), &end)?;
        }
        Ok(())
    }

    /// The step count and hash of the state at the end of a branch, if they were kept.
    pub(super) fn hash_of(&self, branch: BranchId) -> Result<Option<(u64, u64)>, CommandError> {
        let kept = self.store.setting(&hash_key(self.upload, branch));
        let kept = kept
            .map_err(|error| CommandError::Invalid(format!("{}: {error}", self.path.display())))?;
        Ok(kept.and_then(|kept| {
            let (steps, hash) = kept.split_once(' ')?;
            Some((steps.parse().ok()?, u64::from_str_radix(hash, 16).ok()?))
        }))
    }

    pub(super) fn unwritten(&self, error: &StoreError) -> CommandError {
        CommandError::File(format!(
            "{} cannot be written: {error}",
            self.path.display()
        ))
    }
}

/// The setting that keeps the state at the end of a branch.
pub(super) fn hash_key(upload: Upload, branch: BranchId) -> String {
    format!("state {}.{}", upload.0, branch.0)
}
