//! Keeping the session in its file, and finding everything again.
//!
//! The file is written as the session goes: [`Session::save`] runs after every command, before its reply is given.

use std::cell::RefCell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use borges_board::PrimitiveId;
use borges_multiverse::tree::{BranchId, End, Place, Tree};
use borges_store::{Access, Bounds, Fork, NewProgram, Primitive, Store, StoreError, Upload, Who};
use borges_stub::{decode_captured, decode_event, encode_captured, encode_event};
use borges_vm::Value;

use crate::breakpoints::Breakpoint;
use crate::command::{Cell, MockValues, Reply};
use crate::entry::{Entry, EntryKind, Moment};
use crate::error::CommandError;
use crate::history::FreshEntry;
use crate::listing::TableListing;
use crate::notes::Note;
use crate::open::{Board, OpenError, Options};
use crate::session::Session;

/// The session file, and what of the session is in it.
pub(crate) struct Record {
    store: Store,
    path: PathBuf,
    upload: Upload,
    notes: Vec<(Moment, Note)>,
    breakpoints: Vec<borges_store::Breakpoint>,
    mocks: Vec<borges_store::Mock>,
    places: [Option<Moment>; 2],
    /// The last state that was kept: branch, steps, hash.
    hash: Option<(BranchId, u64, u64)>,
}

impl Record {
    pub(crate) fn path(&self) -> Option<PathBuf> {
        Some(self.path.clone())
    }
}

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
        let fresh = self.history.take_fresh();
        let Some(mut record) = self.record.take() else {
            return Ok(());
        };
        let saved = self.write(&mut record, &fresh.entries, fresh.ends.into_iter());
        self.record = Some(record);
        saved.map_err(|error| CommandError::File(error.to_string()))
    }

    fn write(
        &self,
        record: &mut Record,
        entries: &[FreshEntry],
        ends: impl Iterator<Item = BranchId>,
    ) -> Result<(), StoreError> {
        let (store, upload) = (&record.store, record.upload);
        for run in
            entries.chunk_by(|a, b| a.place.branch == b.place.branch && b.forked_from.is_none())
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
        for branch in ends {
            let (reached, end) = (
                self.history.tree.reached(branch),
                self.history.tree.end(branch),
            );
            let end = match end {
                Some(End::Finished(text)) => borges_store::End::Finished(text.clone()),
                Some(End::Trapped(text)) => borges_store::End::Trapped(text.clone()),
                _ => borges_store::End::Open,
            };
            store.set_end(upload, branch.0, reached.unwrap_or(0), &end)?;
        }
        self.write_notes(record)?;
        self.write_stops(record)?;
        let device = self.device.as_ref().map(|device| device.state);
        let places = [Some(self.history.here()), device];
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
                &hash_key(record.upload, branch),
                &format!("{steps} {hash:016x}"),
            )?;
            record.hash = Some((branch, steps, hash));
        }
        record.store.flush()
    }

    fn write_notes(&self, record: &mut Record) -> Result<(), StoreError> {
        let now: Vec<(Moment, Note)> = self
            .notes
            .all()
            .map(|(at, note)| (at, note.clone()))
            .collect();
        if now == record.notes {
            return Ok(());
        }
        for (at, _) in record
            .notes
            .iter()
            .filter(|(at, _)| !now.iter().any(|(other, _)| other == at))
        {
            record.store.remove_note(stored_place(record.upload, *at))?;
        }
        for (at, note) in now.iter().filter(|new| !record.notes.contains(new)) {
            record.store.put_note(&borges_store::Note {
                place: stored_place(record.upload, *at),
                name: note.name.clone(),
                text: note.text.clone(),
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
        self.record = Some(record);
        added
            .map(|_| ())
            .map_err(|error| CommandError::File(error.to_string()))
    }

    /// Goes on with a session that was kept: the last version of the program, its multiverse, and where the user was.
    ///
    /// # Errors
    /// [`OpenError`] if the file is no session file, damaged, in use, or its recording does not fit its program.
    pub fn resume(path: &Path) -> Result<Self, OpenError> {
        let wrong = |message: String| OpenError::Session {
            path: path.to_owned(),
            message,
        };
        let stored = |error: StoreError| wrong(error.to_string());
        let store = Store::open(path, Access::Write).map_err(stored)?;
        let info = store.programs().map_err(stored)?.pop();
        let upload = info
            .ok_or_else(|| wrong("it holds no program".to_owned()))?
            .upload;
        let program = store.program(upload).map_err(stored)?;
        let setting = |key: &str| store.setting(key).map_err(stored);
        let mut options = Options::new(setting("program")?.unwrap_or(program.name));
        options.entry = setting("entry")?;
        options.seed = setting("seed")?.and_then(|seed| seed.parse().ok());
        options.session_file = Some(path.to_owned());
        let board = Board::parse(program.board, path)?;
        let mut session = Self::start(options, board, &program.bytes)?;
        session.version = upload.0;
        session.read_tree(&store, upload, path).map_err(wrong)?;
        let user = store
            .place(Who::User)
            .map_err(stored)?
            .filter(|place| place.upload == upload);
        let notes = store.notes().map_err(stored)?;
        for note in notes.into_iter().filter(|note| note.place.upload == upload) {
            let at = moment(note.place);
            if session.history.tree.contains(at.place) {
                session.notes.restore(
                    at,
                    Note {
                        name: note.name,
                        text: note.text,
                    },
                );
            }
        }
        session.read_stops(&store).map_err(stored)?;
        if let Some(place) = user {
            let at = moment(place);
            session
                .history
                .seek(at)
                .map_err(|error| wrong(error.to_string()))?;
            session
                .history
                .set_line(session.history.here().place.branch);
        }
        let notes = session
            .notes
            .all()
            .map(|(at, note)| (at, note.clone()))
            .collect();
        session.record = Some(Record {
            breakpoints: session
                .breakpoints
                .list()
                .iter()
                .map(stored_breakpoint)
                .collect(),
            mocks: session
                .mock_listings()
                .into_iter()
                .map(stored_mock)
                .collect(),
            places: [Some(session.history.here()), None],
            hash: None,
            store,
            path: path.to_owned(),
            upload,
            notes,
        });
        Ok(session)
    }

    /// Takes in the branches; their entries are read when somebody looks at them.
    fn read_tree(&mut self, store: &Store, upload: Upload, path: &Path) -> Result<(), String> {
        let damaged = || "its branches do not fit together; the file is damaged".to_owned();
        let reader = Store::open(path, Access::Read).map_err(|e| e.to_string())?;
        let reader = Rc::new(Reader {
            store: reader,
            last: RefCell::default(),
        });
        for branch in store.branches(upload).map_err(|e| e.to_string())? {
            let at = branch.fork.map_or(Place::ROOT, |fork| Place {
                branch: BranchId(fork.parent),
                index: fork.position,
            });
            let tree: &mut Tree<Entry> = &mut self.history.tree;
            let (reader, number) = (reader.clone(), branch.branch);
            let load =
                Rc::new(move |range: Range<usize>| reader.entries(upload, number, at.index, range));
            let id = tree
                .restore(at, branch.length, branch.reached, load)
                .map_err(|_| damaged())?;
            if id.0 != branch.branch {
                return Err(damaged());
            }
            let ended = match branch.end {
                borges_store::End::Open => Ok(()),
                borges_store::End::Finished(text) => {
                    tree.finish(id, branch.reached, End::Finished(text))
                }
                borges_store::End::Trapped(text) => {
                    tree.finish(id, branch.reached, End::Trapped(text))
                }
            };
            ended.map_err(|_| damaged())?;
        }
        Ok(())
    }

    /// Breakpoints and mocks that no longer make sense are left out.
    fn read_stops(&mut self, store: &Store) -> Result<(), StoreError> {
        for stored in store.breakpoints()? {
            let Ok(spec) = serde_json::from_str::<crate::command::NewBreakpoint>(&stored.spec)
            else {
                continue;
            };
            if let Ok((target, resolved)) = self.breakpoint_target(&spec.kind) {
                let (id, enabled) = (stored.id, stored.enabled);
                self.breakpoints.restore(Breakpoint {
                    id,
                    spec,
                    resolved,
                    target,
                    enabled,
                    count: 0,
                });
            }
        }
        for stored in store.mocks()? {
            if let Ok(values) = serde_json::from_str::<MockValues>(&stored.spec) {
                let _made_no_sense = self.add_mock(&stored.call, &values);
            }
        }
        Ok(())
    }

    /// The step count and hash of the state at the end of a branch, if they were kept.
    pub(crate) fn recorded_hash(
        &self,
        branch: BranchId,
    ) -> Result<Option<(u64, u64)>, CommandError> {
        let Some(record) = &self.record else {
            return Ok(None);
        };
        let kept = record.store.setting(&hash_key(record.upload, branch));
        let kept = kept.map_err(|error| CommandError::File(error.to_string()))?;
        Ok(kept.and_then(|kept| {
            let (steps, hash) = kept.split_once(' ')?;
            Some((steps.parse().ok()?, u64::from_str_radix(hash, 16).ok()?))
        }))
    }

    /// Answers a question in SQL about the session file.
    pub(crate) fn query(&mut self, sql: &str) -> Result<Reply, CommandError> {
        self.save()?;
        let none = || {
            CommandError::Invalid(
                "there is no session file to ask: start with '--session FILE'".to_owned(),
            )
        };
        let record = self.record.as_mut().ok_or_else(none)?;
        let table = record.store.query(sql, Bounds::default());
        let table = table.map_err(|error| CommandError::Invalid(error.to_string()))?;
        let cell = |cell| match cell {
            borges_store::Cell::Null => Cell::Null,
            borges_store::Cell::Integer(value) => Cell::Integer(value),
            borges_store::Cell::Real(value) => Cell::Real(value),
            borges_store::Cell::Text(value) => Cell::Text(value),
            borges_store::Cell::Blob(value) => {
                Cell::Text(value.iter().map(|byte| format!("{byte:02x}")).collect())
            }
        };
        let rows = table
            .rows
            .into_iter()
            .map(|row| row.into_iter().map(cell).collect())
            .collect();
        Ok(Reply::Table(TableListing {
            columns: table.columns,
            rows,
            more: table.more,
        }))
    }
}

/// Reads entries of a session file when the tree asks for them. A second connection: the first one writes.
struct Reader {
    store: Store,
    /// The block that was read last: the tree asks for smaller pieces, one after the other.
    last: RefCell<Option<ReadBlock>>,
}

/// A branch, the positions that were read of it, and the entries there.
type ReadBlock = (u32, Range<u32>, Vec<borges_store::Entry>);

impl Reader {
    /// Entries of a branch whose own begin at `first`; nothing if they are damaged: a replay then says where it ends.
    fn entries(
        &self,
        upload: Upload,
        branch: u32,
        first: u32,
        own: Range<usize>,
    ) -> Option<Vec<Entry>> {
        let wanted = first + own.start as u32..first + own.end as u32;
        let mut last = self.last.borrow_mut();
        let cached = last.as_ref().is_some_and(|(of, positions, _)| {
            *of == branch && positions.start <= wanted.start && wanted.end <= positions.end
        });
        if !cached {
            let block = borges_store::BLOCK;
            let start = first + (wanted.start - first) / block * block;
            let read = |end| {
                self.store
                    .entries(upload, branch, start..end)
                    .ok()
                    .map(|entries| (end, entries))
            };
            // The branch may end before its block does.
            let (end, entries) = read(start.saturating_add(block)).or_else(|| read(wanted.end))?;
            *last = Some((
                branch,
                start..end.min(start + entries.len() as u32),
                entries,
            ));
        }
        let (_, positions, entries) = last.as_ref()?;
        let from = (wanted.start - positions.start) as usize;
        entries
            .get(from..from + own.len())?
            .iter()
            .map(from_stored)
            .collect()
    }
}

/// The setting that keeps the state at the end of a branch.
fn hash_key(upload: Upload, branch: BranchId) -> String {
    format!("state {}.{}", upload.0, branch.0)
}

fn add_program(session: &Session, store: &Store, bytes: &[u8]) -> Result<Upload, StoreError> {
    let primitives: Vec<Primitive> = session
        .board()
        .primitives()
        .iter()
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
        board: &session.board.text,
        primitives: &primitives,
        at_ms: now_ms(),
    })?;
    // Where the program was: its sources may still be beside it.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
    store.set_setting("program", &path.to_string_lossy())?;
    if let Some(entry) = &session.options.entry {
        store.set_setting("entry", entry)?;
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

fn stored_mock(mock: crate::listing::MockListing) -> borges_store::Mock {
    borges_store::Mock {
        spec: serde_json::to_string(&mock.values).unwrap_or_default(),
        call: mock.call,
    }
}

fn to_stored(fresh: &FreshEntry) -> borges_store::Entry {
    let (kind, subject, value, data, mocked) = match &fresh.entry.kind {
        EntryKind::Input {
            primitive,
            value,
            mocked,
        } => (
            borges_store::EntryKind::Input,
            primitive.0,
            Some(stored_value(*value)),
            Vec::new(),
            *mocked,
        ),
        EntryKind::Output {
            primitive,
            captured,
        } => {
            let data = if captured.is_nothing() {
                Vec::new()
            } else {
                encode_captured(captured)
            };
            (
                borges_store::EntryKind::Output,
                primitive.0,
                None,
                data,
                false,
            )
        }
        EntryKind::Event(event) => {
            let (kind, payload) = encode_event(event);
            (
                borges_store::EntryKind::Event,
                u16::from(kind),
                None,
                payload.0,
                false,
            )
        }
    };
    let arguments = fresh
        .args
        .iter()
        .map(|value| stored_value(*value))
        .collect();
    borges_store::Entry {
        steps: fresh.entry.step,
        kind,
        subject,
        arguments,
        value,
        data,
        mocked,
    }
}

fn from_stored(entry: &borges_store::Entry) -> Option<Entry> {
    let primitive = PrimitiveId(entry.subject);
    let kind = match entry.kind {
        borges_store::EntryKind::Input => EntryKind::Input {
            primitive,
            value: value_of(entry.value?),
            mocked: entry.mocked,
        },
        borges_store::EntryKind::Output if entry.data.is_empty() => EntryKind::Output {
            primitive,
            captured: borges_board::Captured::default(),
        },
        borges_store::EntryKind::Output => EntryKind::Output {
            primitive,
            captured: decode_captured(&entry.data)?,
        },
        borges_store::EntryKind::Event => EntryKind::Event(decode_event(
            u8::try_from(entry.subject).ok()?,
            &entry.data,
        )?),
    };
    // A call is retired by its answer, so it cannot have happened at step 0.
    (entry.steps > 0 || matches!(kind, EntryKind::Event(_))).then_some(Entry {
        step: entry.steps,
        kind,
    })
}

fn stored_value(value: Value) -> borges_store::Value {
    match value {
        Value::I32(v) => borges_store::Value::I32(v),
        Value::I64(v) => borges_store::Value::I64(v),
        Value::F32(bits) => borges_store::Value::F32(bits),
        Value::F64(bits) => borges_store::Value::F64(bits),
        Value::FuncRef(index) => borges_store::Value::FuncRef(index),
        Value::ExternRef(index) => borges_store::Value::ExternRef(index),
    }
}

fn value_of(value: borges_store::Value) -> Value {
    match value {
        borges_store::Value::I32(v) => Value::I32(v),
        borges_store::Value::I64(v) => Value::I64(v),
        borges_store::Value::F32(bits) => Value::F32(bits),
        borges_store::Value::F64(bits) => Value::F64(bits),
        borges_store::Value::FuncRef(index) => Value::FuncRef(index),
        borges_store::Value::ExternRef(index) => Value::ExternRef(index),
    }
}
