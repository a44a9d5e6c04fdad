//! What is kept of a session: what the user wrote on moments, and the session file.
//!
//! The file is written as the session goes: [`Record::follow`] while a device runs, [`Record::save`] after every command,
//! before its reply is given. The record reads the stage; what else is in the file it is told: where the device stands,
//! the breakpoints and the mocks.

mod damage;
mod entries;
mod file;
mod growing;
pub(crate) mod kept;
pub mod merge;
pub mod model;
mod notes;
mod reading;
mod replay;
pub mod survey;
mod surveying;

use std::path::{Path, PathBuf};

use borges_multiverse::tree::BranchId;
use borges_store::{KeptPlace, Store, StoreError, Upload};

use crate::command::listing::{MockListing, NoteListing, TableListing};
use crate::command::{Cell, Event, Flow, Observer, Reply};
use crate::error::CommandError;
use crate::history::History;
use crate::history::entry::Moment;
use crate::options::Options;
use crate::program::OpenError;
use crate::stage::{Stage, universe_id};

use file::SessionFile;
use notes::{Note, Notes};
use reading::moment;

pub(crate) use damage::{fatal, told};
pub(crate) use file::LIBRARIES;
pub(crate) use reading::read_tree;
pub use replay::Replayed;

/// What is kept of a session; without a file, only as long as it lives.
#[derive(Default)]
pub(crate) struct Record {
    notes: Notes,
    /// What of the session file is damaged, and what that means.
    damage: Vec<String>,
    file: Option<SessionFile>,
}

impl Record {
    /// Begins a session file with a program.
    pub(crate) fn create(
        &mut self,
        path: &Path,
        stage: &Stage,
        options: &Options,
        bytes: &[u8],
    ) -> Result<(), OpenError> {
        let created = Store::create(path).and_then(|store| {
            let upload = file::add_program(stage, options, &store, bytes)?;
            Ok(SessionFile::new(store, path.to_owned(), upload))
        });
        self.file = Some(created.map_err(|error| OpenError::Session {
            path: path.to_owned(),
            message: error.to_string(),
        })?);
        Ok(())
    }

    /// Goes on with a session file, of which all is read but the notes: what is on the stage and in these lists is in
    /// the file already.
    pub(crate) fn go_on(
        &mut self,
        (store, path, upload): (Store, PathBuf, Upload),
        stage: &Stage,
        breakpoints: Vec<borges_store::KeptBreakpoint>,
        mocks: Vec<MockListing>,
    ) {
        let mut file = SessionFile::new(store, path, upload);
        file.has(&self.notes, breakpoints, mocks, stage.history.here());
        self.file = Some(file);
    }

    /// A place of a session file; nothing, and the reason among what is damaged, if it names nobody's steps.
    pub(crate) fn place(&mut self, whose: &str, kept: KeptPlace) -> Option<Moment> {
        let at = moment(kept);
        if let Err(error) = &at {
            self.add_damage([format!("{whose} in the session file is left out: {error}")]);
        }
        at.ok()
    }

    /// Takes in the notes of a program, as far as their moments are known.
    pub(crate) fn read_notes(
        &mut self,
        store: &Store,
        upload: Upload,
        history: &History,
    ) -> Result<(), StoreError> {
        let notes = store.notes()?.into_iter();
        for note in notes.filter(|note| note.place.upload == upload) {
            let Some(at) = self.place("a note", note.place) else {
                continue;
            };
            if history.tree().contains(at.place) {
                match &note.name {
                    Some(name) => self.notes.name(at, name),
                    None => self.notes.write(at, &note.text),
                }
            }
        }
        Ok(())
    }

    /// Writes on a moment, or removes what was written.
    pub(crate) fn note(&mut self, at: Moment, text: &str) {
        self.notes.write(at, text);
    }

    /// Names a moment; the name leaves the moment that had it before.
    pub(crate) fn bookmark(&mut self, at: Moment, name: &str) {
        self.notes.name(at, name);
    }

    /// The moment that has a name.
    pub(crate) fn named(&self, name: &str) -> Option<Moment> {
        self.notes.named(name)
    }

    pub(crate) fn note_listings(&self, history: &History) -> Vec<NoteListing> {
        let listing = |(at, note): (Moment, Note)| {
            let (name, text) = match note {
                Note::Text(text) => (None, text),
                Note::Name(name) => (Some(name), String::new()),
            };
            NoteListing {
                universe: universe_id(history, at),
                steps: at.steps,
                name,
                text,
            }
        };
        self.notes.all().into_iter().map(listing).collect()
    }

    /// What of the session file is damaged, and what that means.
    pub(crate) fn damage(&self) -> &[String] {
        &self.damage
    }

    pub(crate) fn add_damage(&mut self, words: impl IntoIterator<Item = String>) {
        self.damage.extend(words);
    }

    /// The session file, if one is written.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(SessionFile::path)
    }

    /// Writes what a device that runs has reported.
    pub(crate) fn follow(&self, history: &mut History) -> Result<(), CommandError> {
        match &self.file {
            Some(file) => file.follow(history),
            None => Ok(()),
        }
    }

    /// Has on disk what was followed; whether that is so.
    pub(crate) fn settle(&self) -> bool {
        self.file.as_ref().is_none_or(|file| file.settle())
    }

    /// Notes which breakpoints and mocks there are now; they are safe after the next [`Self::save`]. Without a file nobody
    /// is asked.
    pub(crate) fn keep_stops(
        &mut self,
        now: impl FnOnce() -> (Vec<borges_store::KeptBreakpoint>, Vec<MockListing>),
    ) -> Result<(), CommandError> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let (breakpoints, mocks) = now();
        file.write_stops(breakpoints, mocks)
    }

    /// Writes what is new. When this returns, a kill of the process loses nothing of it. `device` is where one stands.
    pub(crate) fn save(
        &mut self,
        history: &mut History,
        device: Option<Moment>,
    ) -> Result<(), CommandError> {
        let fresh = history.take_fresh();
        match &mut self.file {
            Some(file) => file.save(history, &fresh, &self.notes, device),
            None => Ok(()),
        }
    }

    /// Begins with a new version of the program, on which nothing is written yet.
    pub(crate) fn upload(
        &mut self,
        stage: &Stage,
        options: &Options,
        bytes: &[u8],
    ) -> Result<(), CommandError> {
        self.notes = Notes::default();
        self.damage.clear();
        match &mut self.file {
            Some(file) => file.upload(stage, options, bytes),
            None => Ok(()),
        }
    }

    /// The step count and hash of the state at the end of a branch, if they were kept.
    fn hash_of(&self, branch: BranchId) -> Result<Option<(u64, u64)>, CommandError> {
        self.file
            .as_ref()
            .map_or(Ok(None), |file| file.hash_of(branch))
    }

    /// Answers a question in SQL about the session file, as it was saved.
    pub(crate) fn query(
        &mut self,
        sql: &str,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        let none = || {
            CommandError::Invalid(
                "there is no session file to ask: start with '--session FILE'".to_owned(),
            )
        };
        let file = self.file.as_mut().ok_or_else(none)?;
        let mut goes_on = || {
            let progress = Event::Progress {
                what: "asking the session file".to_owned(),
                done: 0,
                total: None,
            };
            observer(progress) == Flow::Continue
        };
        let table = file.query(sql, &mut goes_on);
        let table = table.map_err(|error| match error {
            StoreError::QueryPaused => CommandError::Paused,
            error => CommandError::Invalid(error.to_string()),
        })?;
        Ok(Reply::Table(self::table(table)))
    }
}

/// A table as faces show it.
pub(crate) fn table(table: borges_store::QueryTable) -> TableListing {
    let cell = |cell| match cell {
        borges_store::QueryCell::Null => Cell::Null,
        borges_store::QueryCell::Integer(value) => Cell::Integer(value),
        borges_store::QueryCell::Real(value) => Cell::Real(value),
        borges_store::QueryCell::Text(value) => Cell::Text(value),
        borges_store::QueryCell::Blob(value) => {
            Cell::Text(value.iter().map(|byte| format!("{byte:02x}")).collect())
        }
    };
    let rows = table.rows.into_iter();
    TableListing {
        columns: table.columns,
        rows: rows
            .map(|row| row.into_iter().map(cell).collect())
            .collect(),
        more: table.more,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use borges_board::{Captured, PrimitiveId};
    use borges_multiverse::tree::Place;
    use borges_store::Access;

    use super::*;
    use crate::history::entry::{Entry, EntryKind};
    use crate::program::Opened;

    const DIAL: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/color-dial/color-dial.wasm"
    );

    fn stage(options: &Options) -> Stage {
        let opened = Opened::read((Path::new(DIAL), &[]), None, None, None);
        Stage::new(opened.expect("the example opens"), 0, options)
    }

    fn captured(history: &History, at: Place) -> Option<&Captured> {
        match &history.tree().entry(at)?.kind {
            EntryKind::Output { captured, .. } => Some(captured),
            _ => None,
        }
    }

    /// Adds an output after another.
    fn add_output(history: &mut History, after: Place) -> Place {
        let kind = EntryKind::Output {
            primitive: PrimitiveId(0),
            captured: Captured::Nothing,
        };
        let step = u64::from(after.index) + 1;
        let added = history.add_edge(after, Entry { step, kind }, Vec::new());
        added.expect("it fits").place
    }

    #[test]
    fn what_an_output_captured_the_second_time_is_in_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("dial.borges");
        let options = Options::new(DIAL);
        let mut stage = stage(&options);
        let bytes = std::fs::read(DIAL).expect("the example is there");
        let mut record = Record::default();
        let created = record.create(&path, &stage, &options, &bytes);
        created.expect("the file is made");
        let history = &mut stage.history;
        let mut outputs = vec![add_output(history, Place::ROOT)];
        for _ in 0..2 {
            outputs.push(add_output(history, outputs[outputs.len() - 1]));
        }
        record.save(history, None).expect("it is saved");
        // One that is saved already, and one that is saved together with its change.
        let fresh = add_output(history, outputs[2]);
        for (at, level) in [(outputs[1], true), (fresh, true), (outputs[2], false)] {
            history.amend_captured(at, Captured::Level(level));
        }
        record.note(Moment::START, "it begins");
        record.save(history, None).expect("it is saved");
        drop(record);

        let store = Store::open(&path, Access::Write).expect("the file opens");
        let upload = store.programs().expect("it has programs")[0].upload;
        let (mut again, mut record) = (self::stage(&options), Record::default());
        again
            .history
            .take_in(|tree| read_tree(tree, &store, upload))
            .expect("it has branches");
        let notes = record.read_notes(&store, upload, &again.history);
        notes.expect("it has notes");
        let found: Vec<Option<&Captured>> = outputs
            .iter()
            .chain([&fresh])
            .map(|at| captured(&again.history, *at))
            .collect();
        let (high, low) = (Captured::Level(true), Captured::Level(false));
        let wanted = [&Captured::Nothing, &high, &low, &high];
        assert_eq!(found, wanted.map(Some));
        assert_eq!(record.note_listings(&again.history)[0].text, "it begins");
    }
}
