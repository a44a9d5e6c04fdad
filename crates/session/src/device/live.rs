//! A running device: what it says of its way, and the twin that follows.

use std::time::{Duration, Instant};

use borges_vm::StateHash;
use borges_wire::{Command, PauseReason, Report, TraceDecoder};

use super::told::LiveStops;
use super::{Course, Device, DeviceError, Intent};
use crate::command::{Event, Flow, Observer};
use crate::device::client::Sign;
use crate::history::{History, Live, Source};

/// Steps that no device takes in a millisecond. One that says so would keep the twin busy for ever.
const FASTEST: u64 = 10_000_000;

/// How long the twin may still follow after a pause: the device says often how far it is, so it is never far behind one
/// that speaks the truth.
const BEHIND: Duration = Duration::from_secs(2);

/// How a live run ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Paused {
    pub(crate) reason: PauseReason,
    pub(crate) steps: u64,
    /// We paused it, because it had recorded as much as it may at a time.
    pub(crate) full: bool,
}

/// Who goes along with a live run.
pub(crate) trait Companion {
    /// Something came: writes it down. It too may pause.
    fn came(&mut self, history: &mut History) -> Flow;

    /// Looks at where the twin is, often, whether something came or not.
    fn look(&mut self, history: &History, observer: Observer<'_>);
}

impl Device {
    /// Runs the program, live, from the end of what is recorded, where both twin and device must stand, for at most
    /// about `entries` inputs, outputs and events.
    pub(crate) fn run(
        &mut self,
        history: &mut History,
        until: Option<u64>,
        entries: u64,
        stops: &LiveStops,
        observer: &mut dyn FnMut(Event) -> Flow,
        companion: &mut dyn Companion,
    ) -> Result<Paused, DeviceError> {
        debug_assert_eq!(self.state, history.here());
        self.arm(stops, true, observer)?;
        if !self.told.mocks {
            self.set_mocks(self.mocks.list().to_vec(), observer)?;
        }
        self.ask_for(
            history,
            Command::Run { until },
            Intent::Run(Course::Live),
            observer,
        )?;
        let last_record = self.next_record.saturating_add(entries);
        let mut pausing = None;
        // Said while the twin followed.
        let mut wanted = false;
        let mut patience = self.client.patience(Sign::Life);
        let mut paused = loop {
            // Until the device was told, a wish to pause is no reason to leave it.
            let mut heed = |event: Event| match observer(event) {
                Flow::Pause if pausing.is_some() => Flow::Pause,
                flow => {
                    wanted |= flow == Flow::Pause;
                    Flow::Continue
                }
            };
            if let Some(report) = self.client.listen(&mut patience, "running", &mut heed)? {
                let mut watch = |event: Event| {
                    let flow = observer(event);
                    wanted |= flow == Flow::Pause;
                    flow
                };
                let paused = self.report(history, report, &mut watch)?;
                wanted |= companion.came(history) == Flow::Pause;
                if let Some(paused) = paused {
                    break paused;
                }
            }
            companion.look(history, observer);
            // A busy device says something at every look: its words must not keep the user from pausing it.
            let full = self.next_record >= last_record;
            let mut asked = || observer(running(history.twin().steps(), until)) == Flow::Pause;
            if pausing.is_none() && (full || wanted || asked()) {
                pausing = Some((self.client.post(Command::Pause, observer)?, full));
                patience = self.client.patience(Sign::Word).pausing();
            }
        };
        if let Some((id, full)) = pausing {
            paused.full = full;
            // The program may have stopped by itself before: then it says twice that it stands.
            self.due.push_back((id, Intent::Still, "pausing"));
            match self.fulfil(history, observer) {
                Err(DeviceError::Link(error)) if error.may_still_come() => {}
                other => other?,
            }
        }
        Ok(paused)
    }

    /// The device stands where the twin stands now, or at least came so far.
    fn settle(&mut self, history: &History) {
        self.state = history.here();
        self.effects = self.state.place;
        self.frame = history.twin().frame(Some(&self.frame));
    }

    /// Takes note of what the device said by itself; how it stopped, if it did.
    pub(super) fn report(
        &mut self,
        history: &mut History,
        report: Report,
        observer: &mut dyn FnMut(Event) -> Flow,
    ) -> Result<Option<Paused>, DeviceError> {
        let taken = self.take_in(history, report, observer);
        // Whatever came of it: so far the device certainly came.
        if !matches!(taken, Ok(None)) {
            self.settle(history);
        } else {
            (self.state, self.effects) = (history.here(), history.here().place);
        }
        taken
    }

    fn take_in(
        &mut self,
        history: &mut History,
        report: Report,
        observer: &mut dyn FnMut(Event) -> Flow,
    ) -> Result<Option<Paused>, DeviceError> {
        match report {
            Report::Trace {
                first,
                base,
                records,
            } => {
                let known = self.take_records(first, base, &records)?;
                self.ingest(history, known, observer)?;
            }
            Report::State { steps, state, .. } => {
                self.ingest(history, steps, observer)?;
                self.compare(history, steps, state)?;
            }
            Report::Overrun { steps } => {
                self.overrun = Some(steps);
                let text = format!(
                    "the link is slower than the program: recording stopped at step {steps}, and the program goes on without"
                );
                observer(Event::Warning { text });
            }
            Report::Paused {
                reason,
                steps,
                state,
                next_record,
            } => {
                // It stands, whatever it says of where.
                self.running = None;
                if next_record != self.next_record {
                    let (wanted, got) = (self.next_record, next_record);
                    return Err(DeviceError::Gap { wanted, got });
                }
                if let Some(recorded) = self.overrun.take() {
                    self.ingest(history, recorded, observer)?;
                    let reached = steps;
                    return Err(DeviceError::Overrun { recorded, reached });
                }
                self.catch_up(history, &reason, steps, observer)?;
                self.compare(history, steps, state)?;
                return Ok(Some(Paused {
                    reason,
                    steps,
                    full: false,
                }));
            }
            _ => {}
        }
        Ok(None)
    }

    /// Brings the twin to where the device paused.
    fn catch_up(
        &mut self,
        history: &mut History,
        reason: &PauseReason,
        steps: u64,
        observer: &mut dyn FnMut(Event) -> Flow,
    ) -> Result<(), DeviceError> {
        self.ingest(history, steps, observer)?;
        match reason {
            // A trapping instruction is not retired: the twin has to try it too.
            PauseReason::Trapped { .. } => self.extend(history, steps.saturating_add(1)),
            // It may have been told of this step before it was told of the end.
            PauseReason::Finished { .. } if !history.twin().ended() => self.extend(history, steps),
            _ => Ok(()),
        }
    }

    /// Reads packed records; the step up to which the program certainly is.
    pub(crate) fn take_records(
        &mut self,
        first: u64,
        base: u64,
        bytes: &[u8],
    ) -> Result<u64, DeviceError> {
        if first != self.next_record {
            let (wanted, got) = (self.next_record, first);
            return Err(DeviceError::Gap { wanted, got });
        }
        let mut decoder = TraceDecoder::new(base, bytes);
        for record in decoder.by_ref() {
            let record = record.map_err(|_| DeviceError::BadTrace { steps: base })?;
            self.records.push_back(record);
            self.next_record += 1;
        }
        Ok(decoder.end())
    }

    /// Lets the twin catch up with the device, to a step that the device has reached.
    ///
    /// It shows how far it is, and after a pause has little time: the device may lie.
    fn ingest(
        &mut self,
        history: &mut History,
        steps: u64,
        observer: &mut dyn FnMut(Event) -> Flow,
    ) -> Result<(), DeviceError> {
        let done = history.twin().steps();
        let elapsed = self.running_since.elapsed().as_millis();
        let elapsed = u64::try_from(elapsed).unwrap_or(u64::MAX);
        let farthest = FASTEST.saturating_mul(elapsed.saturating_add(1));
        if steps.saturating_sub(done) > farthest {
            return Err(DeviceError::TooFar { steps, done });
        }
        let mut paused: Option<Instant> = None;
        while history.twin().steps() < steps {
            let until = steps.min(history.next_keyframe());
            self.extend(history, until)?;
            let done = history.twin().steps();
            if done < until {
                return Err(DeviceError::BadTrace { steps: done });
            }
            history.keep(history.here());
            if paused.is_none() && observer(running(done, Some(steps))) == Flow::Pause {
                paused = Some(Instant::now());
            }
            if done < steps && paused.is_some_and(|since| since.elapsed() > BEHIND) {
                return Err(DeviceError::TooFar { steps, done });
            }
        }
        // An event may be the last thing that happened at this step.
        if self
            .records
            .front()
            .is_some_and(|record| record.steps == steps)
        {
            self.extend(history, steps)?;
        }
        match self.records.front() {
            Some(record) if record.steps < steps => Err(DeviceError::BadTrace {
                steps: record.steps,
            }),
            _ => Ok(()),
        }
    }

    fn extend(&mut self, history: &mut History, until: u64) -> Result<(), DeviceError> {
        let mut live = Live::new(&mut self.records, &mut self.mocks);
        let extended = history.extend(&mut live, Source::Device, until);
        let steps = history.twin().steps();
        extended.map_err(|_| DeviceError::BadTrace { steps })?;
        Ok(())
    }

    fn compare(&mut self, history: &History, steps: u64, device: u64) -> Result<(), DeviceError> {
        let StateHash(twin) = history.twin().hash();
        self.agreed((history.twin().steps(), twin), (steps, device))
    }
}

fn running(done: u64, total: Option<u64>) -> Event {
    Event::Progress {
        what: "running".to_owned(),
        done,
        total,
    }
}
