//! Where motions go: over what is recorded, and beyond it.

use borges_stub::Mocks;

use crate::command::{Event, Flow, Observer};
use crate::device::runner::Runner;
use crate::device::{Companion, Paused};
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::history::{Escort, Found, History, SeekError, Stops};
use crate::live::Onlooker;
use crate::options::Options;
use crate::program::loaded::Loaded;
use crate::record::Record;
use crate::stage::Stage;

/// What motions go over: the recorded, the device beyond it, and the record of both. Backward, the stage is enough.
pub(crate) struct Ground<'s> {
    pub(crate) options: &'s Options,
    pub(crate) stage: &'s mut Stage,
    pub(crate) runner: &'s mut Runner,
    pub(crate) record: &'s mut Record,
    pub(crate) live: &'s mut Onlooker,
}

/// Goes along with a run of the device.
struct Beside<'a> {
    loaded: &'a Loaded,
    record: &'a Record,
    live: &'a mut Onlooker,
    unwritten: Result<(), CommandError>,
}

impl Companion for Beside<'_> {
    fn came(&mut self, history: &mut History) -> Flow {
        if self.unwritten.is_ok() {
            self.unwritten = self.record.follow(history);
        }
        match self.unwritten {
            Ok(()) => Flow::Continue,
            Err(_) => Flow::Pause,
        }
    }

    fn look(&mut self, history: &History, observer: Observer<'_>) {
        let settle = || self.unwritten.is_ok() && self.record.settle();
        let device = Some(history.here());
        self.live
            .look(self.loaded, history, device, settle, observer);
    }
}

impl Ground<'_> {
    /// Brings the device to the moment shown; what was done, in words.
    pub(crate) fn bring(&mut self, observer: Observer<'_>) -> Result<String, CommandError> {
        self.runner.bring(self.stage, self.options, observer)
    }

    /// Runs the device from here, where it is brought first; the twin follows, and so does the session file.
    pub(crate) fn run(
        &mut self,
        stops: &Stops,
        until: Option<u64>,
        observer: Observer<'_>,
    ) -> Result<Paused, CommandError> {
        let entries = self.options.live_entries;
        self.run_for(entries, stops, until, observer)
    }

    /// The same, for so many entries at most.
    pub(crate) fn run_for(
        &mut self,
        entries: u64,
        stops: &Stops,
        until: Option<u64>,
        observer: Observer<'_>,
    ) -> Result<Paused, CommandError> {
        self.bring(observer)?;
        self.runner.tell(observer);
        let console = self.stage.history.twin().board.console();
        let printed_before = console.map_or(0, |console| console.printed());
        let mut beside = Beside {
            loaded: &self.stage.loaded,
            record: self.record,
            live: self.live,
            unwritten: Ok(()),
        };
        let history = &mut self.stage.history;
        let stops = stops.clone().into();
        let device = self.runner.device()?;
        let paused = device.run(history, until, entries, &stops, observer, &mut beside);
        let unwritten = beside.unwritten;
        let printed = history.twin().board.console().map(|console| {
            // What was printed since is the end of what is kept.
            let bytes = console.bytes();
            let fresh = console.printed().saturating_sub(printed_before);
            let fresh = fresh.min(bytes.len() as u64) as usize;
            String::from_utf8_lossy(&bytes[bytes.len() - fresh..]).into_owned()
        });
        if let Some(text) = printed.filter(|text| !text.is_empty()) {
            // Nothing is shown that is not on disk.
            self.save()?;
            observer(Event::Console { text });
        }
        let paused = self.runner.unless_gone(paused)?;
        unwritten.map(|()| paused)
    }

    /// Walks on what is recorded to the end of the current path, past `until_us` of the board's clock no further than to the
    /// next call; the twin is seen on the way.
    pub(crate) fn walk(
        &mut self,
        stops: &Stops,
        mocks: &Mocks,
        until_us: Option<u64>,
        observer: Observer<'_>,
    ) -> Result<Found, SeekError> {
        let device = self.runner.state();
        let Stage { loaded, history } = &mut *self.stage;
        let (record, live, tip) = (&*self.record, &mut *self.live, history.tip());
        let mut look = |history: &History, observer: Observer<'_>| {
            live.look(loaded, history, device, || record.settle(), observer);
        };
        let mut escort = Escort {
            until_us,
            look: &mut look,
        };
        history.walk_with(&mut escort, tip, stops, Some(mocks), observer)
    }

    /// Lets who looks on see the twin where it stands, if it is time for that.
    pub(crate) fn look(&mut self, observer: Observer<'_>) {
        let (stage, record) = (&*self.stage, &*self.record);
        let device: Option<Moment> = self.runner.state();
        let settle = || record.settle();
        self.live
            .look(&stage.loaded, &stage.history, device, settle, observer);
    }

    /// Writes what came, so that it can be shown.
    pub(crate) fn save(&mut self) -> Result<(), CommandError> {
        self.record
            .save(&mut self.stage.history, self.runner.state())
    }
}
