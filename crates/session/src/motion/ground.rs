//! Where motions go: over what is recorded, and beyond it.

use crate::command::{Event, Flow, Observer};
use crate::device::Paused;
use crate::device::runner::Runner;
use crate::error::CommandError;
use crate::history::{History, Stops};
use crate::options::Options;
use crate::record::Record;
use crate::stage::Stage;

/// What motions go over: the recorded, the device beyond it, and the record of both. Backward, the stage is enough.
pub(crate) struct Ground<'s> {
    pub(crate) options: &'s Options,
    pub(crate) stage: &'s mut Stage,
    pub(crate) runner: &'s mut Runner,
    pub(crate) record: &'s mut Record,
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
        self.bring(observer)?;
        self.runner.tell(observer);
        let console = self.stage.history.twin().board.console();
        let printed_before = console.map_or(0, |console| console.printed());
        let (record, mut unwritten) = (&*self.record, Ok(()));
        let mut keep = |history: &mut History| {
            if unwritten.is_ok() {
                unwritten = record.follow(history);
            }
            match unwritten {
                Ok(()) => Flow::Continue,
                Err(_) => Flow::Pause,
            }
        };
        let history = &mut self.stage.history;
        let (stops, entries) = (stops.clone().into(), self.options.live_entries);
        let device = self.runner.device()?;
        let paused = device.run(history, until, entries, &stops, observer, &mut keep);
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

    /// Writes what came, so that it can be shown.
    pub(crate) fn save(&mut self) -> Result<(), CommandError> {
        self.record
            .save(&mut self.stage.history, self.runner.state())
    }
}
