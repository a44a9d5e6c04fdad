//! Going on with a session that was kept.

use std::path::Path;

use borges_store::{Access, Store, StoreError, Who};

use crate::command::Observer;
use crate::command::unobserved;
use crate::command::{MockValues, NewBreakpoint};
use crate::error::CommandError;
use crate::history::SeekError;
use crate::history::entry::Moment;
use crate::options::Options;
use crate::program::{Board, OpenError};
use crate::record::{LIBRARIES, fatal, read_tree, told};
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
        let mut options = options_of(&store, program.name).map_err(stored)?;
        options.session_file = Some(path.to_owned());
        let mut board = Board::parse(program.board, path)?;
        if options.device.is_some() {
            board.shrink();
        }
        let mut session = Self::start(options, board, &program.bytes, upload.0)?;
        session.record.add_damage(told(&store));
        let history = &mut session.stage.history;
        let read = history.take_in(|tree| read_tree(tree, &store, upload));
        read.map_err(wrong)?;
        history.count(&store.runs(upload).map_err(stored)?);
        let mut place = |who, whose| -> Result<Option<Moment>, OpenError> {
            let kept = store.place(who).map_err(stored)?;
            let kept = kept.filter(|kept| kept.upload == upload);
            Ok(kept.and_then(|kept| session.record.place(whose, kept)))
        };
        let user = place(Who::User, "where you were")?;
        let left = place(Who::Device, "where the device was")?;
        let notes = session
            .record
            .read_notes(&store, upload, &session.stage.history);
        notes.map_err(stored)?;
        session.read_stops(&store).map_err(stored)?;
        let is_known = |at: &Moment| {
            session.record.damage().is_empty() || session.stage.history.tree().contains(at.place)
        };
        if let Some(at) = user.filter(is_known) {
            match session.stage.history.seek(at, observer) {
                Err(SeekError::Paused) => {
                    let text = session.opened_before(at);
                    session.runner.notice(text);
                }
                sought => sought.map_err(|error| wrong(error.to_string()))?,
            }
            let place = session.stage.history.tree().canonical(at.place);
            session
                .stage
                .history
                .set_line(place.unwrap_or(at.place).branch);
        }
        session.runner.was_left(left);
        let mocks = session.runner.mock_listings(&session.stage);
        let file = (store, path.to_owned(), upload);
        let breakpoints = session.motion.breakpoints().stored();
        session
            .record
            .go_on(file, &session.stage, breakpoints, mocks);
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

    /// Mocks that no longer make sense are left out and named, such breakpoints switched off.
    fn read_stops(&mut self, store: &Store) -> Result<(), StoreError> {
        for stored in store.breakpoints()? {
            let Ok(spec) = serde_json::from_str::<NewBreakpoint>(&stored.spec) else {
                self.record.add_damage([format!(
                    "breakpoint {} in the session file is not one that this Borges knows: it does not stop",
                    stored.id
                )]);
                continue;
            };
            self.motion
                .restore_breakpoint(&self.stage, stored.id, spec, stored.enabled);
        }
        for stored in store.mocks()? {
            let added = match serde_json::from_str::<MockValues>(&stored.spec) {
                Ok(values) => {
                    self.runner
                        .add_mock(&self.stage, &stored.call, &values, &mut unobserved)
                }
                Err(error) => Err(CommandError::Invalid(error.to_string())),
            };
            if let Err(error) = added {
                self.record.add_damage([format!(
                    "the mock of {} in the session file cannot be used ({error}): the input is read live",
                    stored.call
                )]);
            }
        }
        Ok(())
    }
}

/// How a session was opened that was kept; `name` is its program's.
fn options_of(store: &Store, name: String) -> Result<Options, StoreError> {
    let mut options = Options::new(store.setting("program")?.unwrap_or(name));
    options.entry = store.setting("entry")?;
    // Only an upload needs them: the program in the file is whole.
    let libraries = store.setting(LIBRARIES)?;
    let libraries = libraries.and_then(|libraries| serde_json::from_str(&libraries).ok());
    options.libraries = libraries.unwrap_or_default();
    options.seed = store.setting("seed")?.and_then(|seed| seed.parse().ok());
    // An address that this version does not know is none: the file may be from a later one.
    options.device = store
        .setting("device")?
        .and_then(|address| address.parse().ok());
    Ok(options)
}
