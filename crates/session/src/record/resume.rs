//! Going on with a session that was kept.

use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use borges_multiverse::tree::{BranchId, End, Place, Tree};
use borges_store::{Access, Store, StoreError, Upload, Who};

use super::damage::{fatal, told};
use super::entries::from_stored;
use super::{Record, moment, stored_breakpoint, stored_mock};
use crate::command::Observer;
use crate::command::unobserved;
use crate::command::{MockValues, NewBreakpoint};
use crate::error::CommandError;
use crate::history::SeekError;
use crate::history::entry::{Entry, Moment};
use crate::motion::breakpoints::{Breakpoint, Target};
use crate::options::Options;
use crate::program::{Board, OpenError};
use crate::session::Session;
use crate::stage::universe_id;

impl Session {
    /// Goes on with a session that was kept: the last version of the program, its multiverse, and where the user was.
    ///
    /// # Errors
    /// [`OpenError`] if the file is no session file, damaged, in use, or its recording does not fit its program.
    pub fn resume(path: &Path) -> Result<Self, OpenError> {
        Self::resume_observed(path, &mut unobserved)
    }

    /// [`Session::resume`], and `observer` hears of the replay to where the user was. If it pauses that, the view stands
    /// where the replay came to, and the first command says so.
    ///
    /// # Errors
    /// Those of [`Session::resume`].
    pub fn resume_observed(path: &Path, observer: Observer<'_>) -> Result<Self, OpenError> {
        let wrong = |message: String| OpenError::Session {
            path: path.to_owned(),
            message,
        };
        let stored = |error: StoreError| wrong(error.to_string());
        let store = Store::open(path, Access::Write).map_err(stored)?;
        if let Some(fatal) = fatal(&store) {
            return Err(wrong(fatal));
        }
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
        // An address that this version does not know is none: the file may be from a later one.
        options.device = setting("device")?.and_then(|address| address.parse().ok());
        let mut board = Board::parse(program.board, path)?;
        if options.device.is_some() {
            board.shrink();
        }
        let mut session = Self::start(options, board, &program.bytes, upload.0)?;
        session.damage = told(&store);
        session.read_tree(&store, upload).map_err(wrong)?;
        let user = store
            .place(Who::User)
            .map_err(stored)?
            .filter(|place| place.upload == upload);
        let left = store
            .place(Who::Device)
            .map_err(stored)?
            .filter(|place| place.upload == upload);
        let notes = store.notes().map_err(stored)?;
        for note in notes.into_iter().filter(|note| note.place.upload == upload) {
            let at = moment(note.place);
            if session.stage.history.tree.contains(at.place) {
                match &note.name {
                    Some(name) => session.notes.name(at, name),
                    None => session.notes.write(at, &note.text),
                }
            }
        }
        session.read_stops(&store).map_err(stored)?;
        if let Some(place) = user {
            let at = moment(place);
            if session.damage.is_empty() || session.stage.history.tree.contains(at.place) {
                match session.stage.history.seek(at, observer) {
                    Err(SeekError::Paused) => session.notice = Some(session.opened_before(at)),
                    sought => sought.map_err(|error| wrong(error.to_string()))?,
                }
                let place = session.stage.history.tree.canonical(at.place);
                session
                    .stage
                    .history
                    .set_line(place.unwrap_or(at.place).branch);
            }
        }
        let notes = session.notes.all();
        session.left_device = left.map(moment);
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
            places: [Some(session.stage.history.here()), None],
            hash: None,
            store,
            path: path.to_owned(),
            upload,
            notes,
        });
        Ok(session)
    }

    /// Where the view stands, in words, if the replay to where the user was did not come so far.
    fn opened_before(&self, was: Moment) -> String {
        let universe = universe_id(&self.stage.history, was);
        format!(
            "paused on the way to where you were: this is step {} of {}; 'jump {universe}' goes on",
            self.stage.history.here().steps,
            was.steps
        )
    }

    /// Takes in the branches; their entries are read when somebody looks at them.
    fn read_tree(&mut self, store: &Store, upload: Upload) -> Result<(), String> {
        let damaged = || "its branches do not fit together; the file is damaged".to_owned();
        let reader = store.reader().map_err(|e| e.to_string())?;
        let reader = Rc::new(Reader {
            store: reader,
            last: RefCell::default(),
        });
        for branch in store.branches(upload).map_err(|e| e.to_string())? {
            let at = branch.fork.map_or(Place::ROOT, |fork| Place {
                branch: BranchId(fork.parent),
                index: fork.position,
            });
            let tree: &mut Tree<Entry> = &mut self.stage.history.tree;
            let (reader, number) = (reader.clone(), branch.branch);
            // Branches that are lost keep their numbers.
            tree.skip_to(BranchId(number));
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
            if !branch.whole {
                self.stage.history.tree.close(id).map_err(|_| damaged())?;
            }
        }
        let next = store.branch_numbers(upload).map_err(|e| e.to_string())?;
        self.stage.history.tree.skip_to(BranchId(next));
        Ok(())
    }

    /// Mocks that no longer make sense are left out and named, such breakpoints switched off.
    fn read_stops(&mut self, store: &Store) -> Result<(), StoreError> {
        for stored in store.breakpoints()? {
            let Ok(spec) = serde_json::from_str::<NewBreakpoint>(&stored.spec) else {
                self.damage.push(format!(
                    "breakpoint {} in the session file is not one that this Borges knows: it does not stop",
                    stored.id
                ));
                continue;
            };
            let found = self.breakpoint_target(&spec.kind);
            let (id, enabled) = (stored.id, stored.enabled && found.is_ok());
            let (target, resolved) = found.unwrap_or((Target::Nowhere, String::new()));
            self.breakpoints.restore(Breakpoint {
                id,
                spec,
                resolved,
                target,
                enabled,
                count: 0,
            });
        }
        for stored in store.mocks()? {
            let added = match serde_json::from_str::<MockValues>(&stored.spec) {
                Ok(values) => self.add_mock(&stored.call, &values),
                Err(error) => Err(CommandError::Invalid(error.to_string())),
            };
            if let Err(error) = added {
                self.damage.push(format!(
                    "the mock of {} in the session file cannot be used ({error}): the input is read live",
                    stored.call
                ));
            }
        }
        Ok(())
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
