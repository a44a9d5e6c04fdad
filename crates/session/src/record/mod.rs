//! Keeping the session in its file, and finding everything again.
//!
//! The file is written as the session goes: [`file::Record::follow`] while a device runs, [`Session::save`] after every
//! command, before its reply is given.

pub(crate) mod damage;
mod entries;
pub(crate) mod file;
pub mod model;
pub(crate) mod notes;
pub(crate) mod replay;
mod resume;

use std::time::{SystemTime, UNIX_EPOCH};

use borges_multiverse::tree::{BranchId, Place};
use borges_store::{Bounds, NewProgram, Primitive, Store, StoreError, Upload, Who};

use crate::command::Observer;
use crate::command::listing::TableListing;
use crate::command::{Cell, Event, Flow, Reply};
use crate::error::CommandError;
use crate::history::Fresh;
use crate::history::entry::Moment;
use crate::motion::breakpoints::Breakpoint;
use crate::program::OpenError;
use crate::record::file::Record;
use crate::record::notes::Note;
use crate::session::Session;

impl Session {
    /// Makes the session file, if the options name one.
    pub(crate) fn create_file(&mut self, bytes: &[u8]) -> Result<(), OpenError> {
        let Some(path) = self.options.session_file.clone() else {
            return Ok(());
        };
        let wrong = |error: StoreError| OpenError::Session {
            path: path.clone(),
            message: error.to_string(),
        };
        let store = Store::create(&path).map_err(wrong)?;
        let upload = add_program(self, &store, bytes).map_err(wrong)?;
        self.record = Some(Record {
            store,
            path: path.clone(),
            upload,
            notes: Vec::new(),
            breakpoints: Vec::new(),
            mocks: Vec::new(),
            places: [None; 2],
            hash: None,
        });
        self.save().map_err(|error| OpenError::Session {
            path,
            message: error.to_string(),
        })
    }

    /// Writes what is new. When this returns, a kill of the process loses nothing of it.
    pub(crate) fn save(&mut self) -> Result<(), CommandError> {
        let fresh = self.stage.history.take_fresh();
        let Some(mut record) = self.record.take() else {
            return Ok(());
        };
        let saved = self.write(&mut record, &fresh);
        let saved = saved.map_err(|error| record.unwritten(&error));
        self.record = Some(record);
        saved
    }

    fn write(&self, record: &mut Record, fresh: &Fresh) -> Result<(), StoreError> {
        record.write_branches(&self.stage.history, fresh)?;
        self.write_notes(record)?;
        self.write_stops(record)?;
        let device = self.device.as_ref().map(|device| device.state);
        let places = [Some(self.stage.history.here()), device];
        for (who, (new, old)) in [Who::User, Who::Device]
            .into_iter()
            .zip(places.iter().zip(&record.places))
        {
            if let Some(at) = new.filter(|_| new != old) {
                record
                    .store
                    .set_place(who, stored_place(record.upload, at))?;
            }
        }
        record.places = places;
        if let Some((branch, steps, hash)) = self
            .hash_to_keep()
            .filter(|kept| record.hash != Some(*kept))
        {
            record.store.set_setting(
                &file::hash_key(record.upload, branch),
                &format!("{steps} {hash:016x}"),
            )?;
            record.hash = Some((branch, steps, hash));
        }
        record.store.flush()
    }

    fn write_notes(&self, record: &mut Record) -> Result<(), StoreError> {
        let now = self.notes.all();
        if now == record.notes {
            return Ok(());
        }
        let name_of = |note: &Note| match note {
            Note::Text(_) => None,
            Note::Name(name) => Some(name.clone()),
        };
        for (at, note) in record.notes.iter().filter(|old| !now.contains(old)) {
            let place = stored_place(record.upload, *at);
            record.store.remove_note(place, name_of(note).as_deref())?;
        }
        for (at, note) in now.iter().filter(|new| !record.notes.contains(new)) {
            record.store.put_note(&borges_store::Note {
                place: stored_place(record.upload, *at),
                name: name_of(note),
                text: match note {
                    Note::Text(text) => text.clone(),
                    Note::Name(_) => String::new(),
                },
                at_ms: now_ms(),
            })?;
        }
        record.notes = now;
        Ok(())
    }

    fn write_stops(&self, record: &mut Record) -> Result<(), StoreError> {
        let breakpoints: Vec<borges_store::Breakpoint> = self
            .breakpoints
            .list()
            .iter()
            .map(stored_breakpoint)
            .collect();
        for gone in record
            .breakpoints
            .iter()
            .filter(|old| !breakpoints.iter().any(|new| new.id == old.id))
        {
            record.store.remove_breakpoint(gone.id)?;
        }
        for breakpoint in breakpoints
            .iter()
            .filter(|new| !record.breakpoints.contains(new))
        {
            record.store.put_breakpoint(breakpoint)?;
        }
        record.breakpoints = breakpoints;
        let mocks: Vec<borges_store::Mock> =
            self.mock_listings().into_iter().map(stored_mock).collect();
        for gone in record
            .mocks
            .iter()
            .filter(|old| !mocks.iter().any(|new| new.call == old.call))
        {
            record.store.remove_mock(&gone.call)?;
        }
        for mock in mocks.iter().filter(|new| !record.mocks.contains(new)) {
            record.store.put_mock(mock)?;
        }
        record.mocks = mocks;
        Ok(())
    }

    /// Keeps a new version of the program.
    pub(crate) fn record_upload(&mut self, bytes: &[u8]) -> Result<(), CommandError> {
        let Some(mut record) = self.record.take() else {
            return Ok(());
        };
        let added = add_program(self, &record.store, bytes);
        if let Ok(upload) = added {
            (record.upload, record.notes, record.places) = (upload, Vec::new(), [None; 2]);
        }
        let added = added.map_err(|error| record.unwritten(&error));
        self.record = Some(record);
        added.map(|_| ())
    }

    /// Answers a question in SQL about the session file.
    pub(crate) fn query(
        &mut self,
        sql: &str,
        observer: Observer<'_>,
    ) -> Result<Reply, CommandError> {
        self.save()?;
        let none = || {
            CommandError::Invalid(
                "there is no session file to ask: start with '--session FILE'".to_owned(),
            )
        };
        let record = self.record.as_mut().ok_or_else(none)?;
        let mut goes_on = || {
            let progress = Event::Progress {
                what: "asking the session file".to_owned(),
                done: 0,
                total: None,
            };
            observer(progress) == Flow::Continue
        };
        let bounds = Bounds::default();
        let table = record.store.query_while(sql, bounds, &mut goes_on);
        let table = table.map_err(|error| match error {
            StoreError::QueryPaused => CommandError::Paused,
            error => CommandError::Invalid(error.to_string()),
        })?;
        Ok(Reply::Table(self::table(table)))
    }
}

fn add_program(session: &Session, store: &Store, bytes: &[u8]) -> Result<Upload, StoreError> {
    let primitives: Vec<Primitive> = session
        .board()
        .primitives()
        .map(|primitive| Primitive {
            module: primitive.module.to_string(),
            name: primitive.name.to_string(),
        })
        .collect();
    let path = &session.options.program;
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    let upload = store.add_program(&NewProgram {
        name: &name,
        bytes,
        board: &session.stage.loaded.board_file().text,
        primitives: &primitives,
        at_ms: now_ms(),
    })?;
    // Where the program was: its sources may still be beside it.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
    store.set_setting("program", &path.to_string_lossy())?;
    if let Some(entry) = &session.options.entry {
        store.set_setting("entry", entry)?;
    }
    if let Some(address) = &session.options.device {
        store.set_setting("device", &address.to_string())?;
    }
    if let Some(seed) = session.options.seed {
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

fn stored_place(upload: Upload, at: Moment) -> borges_store::Place {
    borges_store::Place {
        upload,
        branch: at.place.branch.0,
        position: at.place.index,
        steps: at.steps,
    }
}

fn moment(place: borges_store::Place) -> Moment {
    let at = Place {
        branch: BranchId(place.branch),
        index: place.position,
    };
    Moment {
        place: at,
        steps: place.steps,
    }
}

fn stored_breakpoint(breakpoint: &Breakpoint) -> borges_store::Breakpoint {
    borges_store::Breakpoint {
        id: breakpoint.id,
        enabled: breakpoint.enabled,
        spec: serde_json::to_string(&breakpoint.spec).unwrap_or_default(),
    }
}

fn stored_mock(mock: crate::command::listing::MockListing) -> borges_store::Mock {
    borges_store::Mock {
        spec: serde_json::to_string(&mock.values).unwrap_or_default(),
        call: mock.call,
    }
}

/// A table as faces show it.
pub(crate) fn table(table: borges_store::Table) -> TableListing {
    let cell = |cell| match cell {
        borges_store::Cell::Null => Cell::Null,
        borges_store::Cell::Integer(value) => Cell::Integer(value),
        borges_store::Cell::Real(value) => Cell::Real(value),
        borges_store::Cell::Text(value) => Cell::Text(value),
        borges_store::Cell::Blob(value) => {
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
    use borges_board::Captured;

    use super::*;
    use crate::command::{Act, Flow, StepSize};
    use crate::history::entry::{Entry, EntryKind};
    use crate::options::Options;

    const DIAL: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/color-dial/color-dial.wasm"
    );

    fn step_entries(session: &mut Session, count: u64) {
        let direction = crate::command::Direction::Forward;
        let size = StepSize::Entry;
        let step = Act::Step {
            direction,
            size,
            count,
        };
        let stepped = session.execute(step, &mut |_| Flow::Continue);
        stepped.expect("it steps");
    }

    fn captured(session: &Session, at: Place) -> Option<&Captured> {
        match session
            .stage
            .history
            .tree
            .entry(at)
            .map(|entry: &Entry| &entry.kind)
        {
            Some(EntryKind::Output { captured, .. }) => Some(captured),
            _ => None,
        }
    }

    #[test]
    fn what_an_output_captured_the_second_time_is_in_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("dial.borges");
        let options = Options {
            session_file: Some(file.clone()),
            ..Options::new(DIAL)
        };
        let mut session = Session::open(options).expect("the example opens");
        step_entries(&mut session, 20);
        let branch = BranchId::ROOT;
        let places = (1..=20).map(|index| Place { branch, index });
        let outputs: Vec<Place> = places
            .filter(|at| captured(&session, *at).is_some())
            .collect();
        assert!(outputs.len() > 3, "{outputs:?}");
        // One that is saved already, and one that is saved together with its change.
        let fresh = add_unsaved_output(&mut session);
        for (at, level) in [(outputs[1], true), (fresh, true), (outputs[2], false)] {
            session
                .stage
                .history
                .amend_captured(at, Captured::Level(level));
        }
        session.save().expect("it is saved");
        drop(session);
        let again = Session::resume(&file).expect("the file opens");
        assert_eq!(captured(&again, outputs[0]), Some(&Captured::Nothing));
        assert_eq!(captured(&again, outputs[1]), Some(&Captured::Level(true)));
        assert_eq!(captured(&again, outputs[2]), Some(&Captured::Level(false)));
        assert_eq!(captured(&again, fresh), Some(&Captured::Level(true)));
    }

    /// Adds an output that is not in the file yet, after all others.
    fn add_unsaved_output(session: &mut Session) -> Place {
        let here = session.stage.history.here();
        let kind = EntryKind::Output {
            primitive: borges_board::PrimitiveId(0),
            captured: Captured::Nothing,
        };
        let step = here.steps + 1;
        let entry = Entry { step, kind };
        let added = session
            .stage
            .history
            .add_edge(here.place, entry, Vec::new());
        added.expect("it fits").place
    }
}
