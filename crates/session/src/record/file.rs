//! The session file that is being written.

use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use borges_multiverse::tree::{BranchId, End, Place};
use borges_store::{
    Fork, KeptPrimitive, NewProgram, QueryBounds, QueryTable, Store, StoreError, Upload, Who,
};

use super::entries::{captured_data, to_stored};
use super::notes::{Note, Notes};
use crate::command::listing::MockListing;
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::history::{Fresh, History};
use crate::options::Options;
use crate::program::Library;
use crate::stage::Stage;

/// The setting that says where the program was, and the one that says how it was started, if not as usual.
pub(super) const PROGRAM: &str = "program";
pub(super) const ENTRY: &str = "entry";

/// The setting with the modules that the program was linked with, for uploads.
pub(crate) const LIBRARIES: &str = "libraries";

/// The session file, and what of the session is in it.
pub(super) struct SessionFile {
    store: Store,
    path: PathBuf,
    upload: Upload,
    notes: Vec<(Moment, Note)>,
    breakpoints: Vec<borges_store::KeptBreakpoint>,
    mocks: Vec<borges_store::KeptMock>,
    /// Where the user is, and the device.
    places: [Option<Moment>; 2],
    /// The last state that was kept: branch, steps, hash.
    hash: Option<(BranchId, u64, u64)>,
}

impl SessionFile {
    /// A file with a program, and nothing else yet.
    pub(super) fn new(store: Store, path: PathBuf, upload: Upload) -> Self {
        Self {
            store,
            path,
            upload,
            notes: Vec::new(),
            breakpoints: Vec::new(),
            mocks: Vec::new(),
            places: [None; 2],
            hash: None,
        }
    }

    /// All this is in the file already.
    pub(super) fn has(
        &mut self,
        notes: &Notes,
        breakpoints: Vec<borges_store::KeptBreakpoint>,
        mocks: Vec<MockListing>,
        user: Moment,
    ) {
        self.notes = notes.all();
        self.breakpoints = breakpoints;
        self.mocks = mocks.into_iter().map(stored_mock).collect();
        self.places = [Some(user), None];
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what a device that runs has reported, so that little is left to be written when it pauses, and a kill of
    /// the process loses no more than the last [`borges_store::GROUP_COMMIT`].
    pub(super) fn follow(&self, history: &mut History) -> Result<(), CommandError> {
        let fresh = history.take_fresh();
        let followed = self.write_branches(history, &fresh);
        let followed = followed.and_then(|()| self.store.tick(Instant::now()));
        followed.map_err(|error| self.unwritten(&error))
    }

    /// Saves what was followed; whether that is so.
    pub(super) fn settle(&self) -> bool {
        self.store.flush().is_ok()
    }

    /// The multiverse, as far as it has grown or changed.
    fn write_branches(&self, history: &History, fresh: &Fresh) -> Result<(), StoreError> {
        let (store, upload) = (&self.store, self.upload);
        for run in fresh
            .entries
            .chunk_by(|a, b| a.place.branch == b.place.branch && b.forked_from.is_none())
        {
            let mut stored: Vec<borges_store::KeptEntry> = run.iter().map(to_stored).collect();
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
                let entry = history.tree().entry(**place)?;
                Some((place.index.checked_sub(1)?, captured_data(entry)))
            };
            let changes: Vec<(u32, Vec<u8>)> = places.iter().filter_map(data).collect();
            store.amend(upload, branch, &changes)?;
        }
        for &branch in &fresh.ends {
            let (reached, end) = (history.tree().reached(branch), history.tree().end(branch));
            let end = match end {
                Some(End::Finished(text)) => borges_store::KeptEnd::Finished(text.clone()),
                Some(End::Trapped(text)) => borges_store::KeptEnd::Trapped(text.clone()),
                _ => borges_store::KeptEnd::Open,
            };
            store.set_end(upload, branch.0, reached.unwrap_or(0), &end)?;
        }
        Ok(())
    }

    /// The step count and hash of the state at the end of a branch, if they were kept.
    pub(super) fn hash_of(&self, branch: BranchId) -> Result<Option<(u64, u64)>, CommandError> {
        let kept = self.store.setting(&hash_key(self.upload, branch.0));
        let kept = kept
            .map_err(|error| CommandError::Invalid(format!("{}: {error}", self.path.display())))?;
        Ok(kept.and_then(|kept| {
            let (steps, hash) = kept.split_once(' ')?;
            Some((steps.parse().ok()?, u64::from_str_radix(hash, 16).ok()?))
        }))
    }

    /// Writes what is new, and waits until a kill of the process loses nothing of it.
    pub(super) fn save(
        &mut self,
        history: &History,
        fresh: &Fresh,
        notes: &Notes,
        device: Option<Moment>,
    ) -> Result<(), CommandError> {
        let written = self.write(history, fresh, notes, device);
        written.map_err(|error| self.unwritten(&error))
    }

    fn write(
        &mut self,
        history: &History,
        fresh: &Fresh,
        notes: &Notes,
        device: Option<Moment>,
    ) -> Result<(), StoreError> {
        self.write_branches(history, fresh)?;
        self.write_notes(notes)?;
        let places = [Some(history.here()), device];
        for (who, (new, old)) in [Who::User, Who::Device]
            .into_iter()
            .zip(places.iter().zip(&self.places))
        {
            if let Some(at) = new.filter(|_| new != old) {
                self.store.set_place(who, stored_place(self.upload, at))?;
            }
        }
        self.places = places;
        let hash = hash_to_keep(history).filter(|kept| self.hash != Some(*kept));
        if let Some((branch, steps, hash)) = hash {
            let key = hash_key(self.upload, branch.0);
            self.store
                .set_setting(&key, &format!("{steps} {hash:016x}"))?;
            self.hash = Some((branch, steps, hash));
        }
        self.store.flush()
    }

    fn write_notes(&mut self, notes: &Notes) -> Result<(), StoreError> {
        let now = notes.all();
        if now == self.notes {
            return Ok(());
        }
        let name_of = |note: &Note| match note {
            Note::Text(_) => None,
            Note::Name(name) => Some(name.clone()),
        };
        for (at, note) in self.notes.iter().filter(|old| !now.contains(old)) {
            let place = stored_place(self.upload, *at);
            self.store.remove_note(place, name_of(note).as_deref())?;
        }
        for (at, note) in now.iter().filter(|new| !self.notes.contains(new)) {
            self.store.put_note(&borges_store::Note {
                place: stored_place(self.upload, *at),
                name: name_of(note),
                text: match note {
                    Note::Text(text) => text.clone(),
                    Note::Name(_) => String::new(),
                },
                at_ms: now_ms(),
            })?;
        }
        self.notes = now;
        Ok(())
    }

    /// Writes which breakpoints and mocks have come, gone or changed.
    pub(super) fn write_stops(
        &mut self,
        breakpoints: Vec<borges_store::KeptBreakpoint>,
        mocks: Vec<MockListing>,
    ) -> Result<(), CommandError> {
        let mocks = mocks.into_iter().map(stored_mock).collect();
        let written = self.write_lists(breakpoints, mocks);
        written.map_err(|error| self.unwritten(&error))
    }

    fn write_lists(
        &mut self,
        breakpoints: Vec<borges_store::KeptBreakpoint>,
        mocks: Vec<borges_store::KeptMock>,
    ) -> Result<(), StoreError> {
        for gone in self
            .breakpoints
            .iter()
            .filter(|old| !breakpoints.iter().any(|new| new.id == old.id))
        {
            self.store.remove_breakpoint(gone.id)?;
        }
        for breakpoint in breakpoints
            .iter()
            .filter(|new| !self.breakpoints.contains(new))
        {
            self.store.put_breakpoint(breakpoint)?;
        }
        self.breakpoints = breakpoints;

        for gone in self
            .mocks
            .iter()
            .filter(|old| !mocks.iter().any(|new| new.call == old.call))
        {
            self.store.remove_mock(&gone.call)?;
        }
        for mock in mocks.iter().filter(|new| !self.mocks.contains(new)) {
            self.store.put_mock(mock)?;
        }
        self.mocks = mocks;
        Ok(())
    }

    /// Begins with another program.
    pub(super) fn upload(
        &mut self,
        stage: &Stage,
        options: &Options,
        bytes: &[u8],
    ) -> Result<(), CommandError> {
        let upload = add_program(stage, options, &self.store, bytes);
        self.upload = upload.map_err(|error| self.unwritten(&error))?;
        (self.notes, self.places) = (Vec::new(), [None; 2]);
        Ok(())
    }

    /// Answers a question in SQL, as long as `goes_on` says so.
    pub(super) fn query(
        &mut self,
        sql: &str,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<QueryTable, StoreError> {
        self.store.query_while(sql, QueryBounds::default(), goes_on)
    }

    fn unwritten(&self, error: &StoreError) -> CommandError {
        CommandError::File(format!(
            "{} cannot be written: {error}",
            self.path.display()
        ))
    }
}

/// The hash of the state here, if here is the end of a branch: what a later replay is compared with.
fn hash_to_keep(history: &History) -> Option<(BranchId, u64, u64)> {
    let here = history.here();
    let branch = here.place.branch;
    // Where a damaged file cuts a branch short, it did not end.
    let at_end = history.tip_of(branch) == here && !history.tree().is_closed(branch);
    at_end.then(|| (branch, here.steps, history.twin().hash().0))
}

/// The setting that keeps the state at the end of a branch.
pub(super) fn hash_key(upload: Upload, branch: u32) -> String {
    format!("state {}.{branch}", upload.0)
}

/// Adds a program to a session file.
pub(super) fn add_program(
    stage: &Stage,
    options: &Options,
    store: &Store,
    bytes: &[u8],
) -> Result<Upload, StoreError> {
    let primitives: Vec<KeptPrimitive> = stage
        .board()
        .primitives()
        .map(|primitive| KeptPrimitive {
            module: primitive.module.to_string(),
            name: primitive.name.to_string(),
        })
        .collect();
    let path = &options.program;
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    let upload = store.add_program(&NewProgram {
        name: &name,
        bytes,
        board: &stage.loaded.board_file().kept(),
        primitives: &primitives,
        at_ms: now_ms(),
    })?;
    // Where the program was: its sources may still be beside it.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
    store.set_setting(PROGRAM, &path.to_string_lossy())?;
    if let Some(entry) = &options.entry {
        store.set_setting(ENTRY, entry)?;
    }
    if !options.libraries.is_empty() {
        let absolute = options.libraries.iter().map(Library::absolute);
        let libraries = absolute.collect::<Vec<_>>();
        // Plain data always has a JSON form.
        let libraries = serde_json::to_string(&libraries).unwrap_or_default();
        store.set_setting(LIBRARIES, &libraries)?;
    }
    if let Some(address) = &options.device {
        store.set_setting("device", &address.to_string())?;
    }
    if let Some(seed) = options.seed {
        store.set_setting("seed", &seed.to_string())?;
    }
    Ok(upload)
}

fn now_ms() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn stored_place(upload: Upload, at: Moment) -> borges_store::KeptPlace {
    borges_store::KeptPlace {
        upload,
        branch: at.place.branch.0,
        position: at.place.index,
        agent: at.agent.0,
        steps: at.steps,
    }
}

fn stored_mock(mock: crate::command::listing::MockListing) -> borges_store::KeptMock {
    borges_store::KeptMock {
        spec: serde_json::to_string(&mock.values).unwrap_or_default(),
        call: mock.call,
    }
}
