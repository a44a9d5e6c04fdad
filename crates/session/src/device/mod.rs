//! The device as the session knows it: where its program stands, what of its outputs is in force, and how to move both.
//!
//! Invariant: [`Device::state`] and [`Device::effects`] change only with what the device confirmed. They differ only
//! inside [`Device::bring`], or after one that failed half-way; the next one goes on from there. What was asked and not
//! answered is *due*: the link delivers everything once, so the answer comes when the line works again, and nothing else
//! is done before it.

mod arrive;
#[cfg(test)]
mod boards;
pub(crate) mod bring;
pub(crate) mod client;
mod live;
mod mocks;
pub mod probe;
pub(crate) mod runner;
pub(crate) mod serve;
pub(crate) mod simulated;
pub(crate) mod survey;
mod told;

use std::collections::VecDeque;
use std::time::Instant;

use borges_multiverse::tree::Place;
use borges_stub::{Mocks, Program, decode_captured, to_wire};
use borges_vm::{FuncIdx, StateHash, Value};
use borges_wire::link::Link;
use borges_wire::{
    BlobKind, Bytes, Command, ContentHash, DeviceLimits, Failure, LOAD_OVERHEAD, Overflow, Record,
    Report, RequestId,
};

use arrive::Found;
pub(crate) use live::{Companion, Paused};
pub(crate) use told::LiveStops;
use told::Told;

use crate::command::Observer;
use crate::command::unobserved;
use crate::command::{Event, Flow};
use crate::device::client::{Client, Sign, name_of};
use crate::error::{DeviceError, LinkError};
use crate::history::History;
use crate::history::entry::Moment;
use crate::history::twin::TwinFrame;

/// A connected device.
pub(crate) struct Device {
    client: Client,
    pub(crate) name: String,
    limits: DeviceLimits,
    board: ContentHash,
    program: ContentHash,
    entry: (FuncIdx, Vec<Value>),
    /// Where its program stands.
    pub(crate) state: Moment,
    /// The outputs that are in force: those on the way to this place.
    pub(crate) effects: Place,
    /// The twin as it was at [`Self::state`], to compute differences from.
    pub(crate) frame: TwinFrame,
    /// What was asked and not answered, in order: the answer says whether it is so.
    due: VecDeque<(RequestId, Intent, &'static str)>,
    /// An event was raised, and [`Self::frame`] is still what was before it.
    pub(super) is_stale: bool,
    /// It runs, or did when it was last heard of.
    running: Option<Course>,
    /// When it was last told to run.
    running_since: Instant,
    mocks: Mocks,
    told: Told,
    pub(crate) next_record: u64,
    last_good: u64,
    /// Unread records of the trace.
    pub(crate) records: VecDeque<Record>,
    /// The step at which it stopped recording because the link was too slow.
    overrun: Option<u64>,
    /// What was found on the device when it was connected, if the user has to know.
    pub(crate) notice: Option<String>,
}

/// What is so once the device says that it has done what it was asked.
#[derive(Debug)]
pub(crate) enum Intent {
    /// The outputs up to this place are in force.
    Effects(Place),
    /// So is this one, which captured what the answer says.
    Performed(Place),
    /// The program's state is another.
    State(Moment, TwinFrame),
    /// The program is at its start; this is its state there.
    Begun(TwinFrame),
    /// The program runs.
    Run(Course),
    /// The event that leads to this place was delivered.
    Injected(Place),
    /// The program stands still, as it may have done before: what it said of that again means nothing.
    Still,
    /// The program was told to stand still: what it said before the answer still counts.
    Halting,
}

/// Which way a running program goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Course {
    /// Wherever the world takes it.
    Live,
    /// Along the recorded path to this place.
    Along(Place),
}

/// What a device is to run.
pub(crate) struct Task<'a> {
    pub(crate) program: &'a Program,
    /// What it gets to know of its board.
    pub(crate) board: &'a [u8],
    pub(crate) entry: (FuncIdx, Vec<Value>),
}

impl Device {
    /// Connects to a device. If it stands where `left` says that the last session left it, it goes on there; otherwise
    /// the program is loaded, unless it lies in the device's flash, and put at its start. `history`'s twin must stand at its
    /// start, and may be elsewhere afterwards.
    pub(crate) fn connect(
        link: Box<dyn Link>,
        seed: u32,
        task: Task<'_>,
        history: &mut History,
        left: Option<Moment>,
        observer: Observer<'_>,
    ) -> Result<Self, DeviceError> {
        let Task {
            program,
            board,
            entry,
        } = task;
        let (client, welcome) = Client::connect(link, seed, None, observer)?;
        let found = Found::from(welcome);
        let bytes = program.module.bytes();
        let mut device = Self {
            client,
            name: found.name.clone(),
            limits: found.limits,
            board: ContentHash::of(board),
            program: ContentHash::of(bytes),
            entry,
            state: Moment::START,
            effects: Place::ROOT,
            frame: history.twin().frame(None),
            due: VecDeque::new(),
            is_stale: false,
            running: None,
            running_since: Instant::now(),
            mocks: Mocks::default(),
            told: Told::nothing(),
            next_record: 0,
            last_good: 0,
            records: VecDeque::new(),
            overrun: None,
            notice: None,
        };
        if device.take_over(history, &found, left, observer)? {
            return Ok(device);
        }
        if found.board != Some(device.board) {
            device.load(BlobKind::Board, board, observer)?;
        }
        if found.program == Some(device.program) {
            // It is there already, or was until it was stopped.
            match device.begin(history, observer) {
                Err(DeviceError::Link(LinkError::Refused {
                    failure: Failure::NotLoaded(BlobKind::Program),
                    ..
                })) => {}
                begun => return begun.map(|()| device),
            }
        }
        device.load(BlobKind::Program, bytes, observer)?;
        device.begin(history, observer)?;
        Ok(device)
    }

    /// Bytes sent, bytes received, frames sent again.
    pub(crate) fn traffic(&mut self) -> (u64, u64, u64) {
        let (sent, received) = self.client.traffic();
        (sent, received, self.client.retransmissions())
    }

    /// Says what a program does where the link is slower than it is.
    pub(crate) fn when_slow(
        &mut self,
        overflow: Overflow,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        let recording = Command::SetRecording {
            overflow,
            check_every: 0,
        };
        self.client.ask(recording, observer)?;
        Ok(())
    }

    pub(crate) fn mocks(&self) -> &Mocks {
        &self.mocks
    }

    /// Asks for something that changes where the device stands.
    pub(crate) fn ask_for(
        &mut self,
        history: &mut History,
        command: Command,
        intent: Intent,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        self.ask_ahead(command, intent, observer)?;
        self.fulfil(history, observer)
    }

    /// [`Self::ask_for`] without waiting: what is asked next shares a frame with it, and is done even if this is refused.
    pub(crate) fn ask_ahead(
        &mut self,
        command: Command,
        intent: Intent,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        let doing = name_of(&command);
        let id = self.client.post(command, observer)?;
        self.due.push_back((id, intent, doing));
        Ok(())
    }

    /// Waits for the answers that are due, and takes note of what is so then.
    pub(crate) fn fulfil(
        &mut self,
        history: &mut History,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        while let Some((id, _, doing)) = self.due.front() {
            let answer = self.client.answer(*id, doing, observer);
            if answer.as_ref().is_err_and(LinkError::may_still_come) {
                return answer.map(|_| ()).map_err(DeviceError::Link);
            }
            let due = self.due.pop_front();
            let report = answer?;
            if let Some((_, intent, _)) = due {
                self.take_note(history, intent, report);
            }
        }
        Ok(())
    }

    /// What was asked has been done.
    fn take_note(&mut self, history: &mut History, intent: Intent, report: Report) {
        match intent {
            Intent::Effects(place) => self.effects = place,
            Intent::Performed(place) => {
                if let Report::Performed { captured, .. } = report {
                    let captured = decode_captured(&captured).unwrap_or_default();
                    history.amend_captured(place, captured);
                }
                self.effects = place;
            }
            Intent::State(state, frame) => {
                (self.state, self.frame) = (state, frame);
                self.last_good = state.steps;
            }
            Intent::Begun(frame) => {
                (self.state, self.frame) = (Moment::START, frame);
                self.told.board_events = Some(true);
                (self.next_record, self.last_good) = (0, 0);
            }
            Intent::Run(course) => {
                (self.running, self.running_since) = (Some(course), Instant::now());
            }
            Intent::Injected(place) => {
                (self.state.place, self.effects) = (place, place);
                self.is_stale = true;
            }
            Intent::Still => self.client.forget_said(),
            Intent::Halting => {}
        }
    }

    /// Finds out where the device stands, if that was left open when the line failed.
    ///
    /// The twin may be elsewhere afterwards.
    pub(crate) fn recover(
        &mut self,
        history: &mut History,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        self.fulfil(history, observer)?;
        let line = history.line();
        let Some(course) = self.running else {
            if self.is_stale {
                history.seek(self.state, observer)?;
                history.set_line(line);
                self.frame = history.twin().frame(Some(&self.frame));
                self.is_stale = false;
            }
            return Ok(());
        };
        history.seek(self.state, observer)?;
        let halted = self.halt(history, course, observer);
        history.set_line(line);
        halted
    }

    /// Stops a program of which nothing was heard for a while.
    pub(crate) fn halt(
        &mut self,
        history: &mut History,
        course: Course,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        let id = self.client.post(Command::Pause, observer)?;
        self.due.push_back((id, Intent::Halting, "pausing"));
        self.client.answer(id, "pausing", observer)?;
        let mut patience = self.client.patience(Sign::Word).pausing();
        let mut paused_already = |_: Event| Flow::Pause;
        // All that was said before the answer is here: the first pause is the one that counts.
        while let Some(report) = self.client.listen(&mut patience, "pausing", observer)? {
            let paused = match course {
                Course::Live => self.report(history, report, &mut paused_already)?.is_some(),
                Course::Along(path) => self.report_along(history, path, report)?.is_some(),
            };
            if paused {
                break;
            }
        }
        self.client.forget_said();
        self.due.clear();
        Ok(())
    }

    /// Compares the device's state with that of the twin where the device stands.
    pub(crate) fn verify(
        &mut self,
        history: &mut History,
        observer: Observer<'_>,
    ) -> Result<(u64, u64), DeviceError> {
        let here = history.hold();
        let recovered = self.recover(history, observer);
        let back = history.seek(here, &mut unobserved);
        history.release();
        back?;
        recovered?;
        match self.client.ask(Command::QueryState, observer)? {
            Report::State { steps, state, .. } => self.agree(steps, state),
            _ => Err(DeviceError::BadTrace {
                steps: self.state.steps,
            }),
        }
    }

    /// Whether the device is in the state that it should be in.
    pub(crate) fn agree(&mut self, steps: u64, device: u64) -> Result<(u64, u64), DeviceError> {
        let StateHash(twin) = self.frame.vm.hash();
        self.agreed((self.state.steps, twin), (steps, device))?;
        Ok((steps, device))
    }

    /// Holds the step count and hash that the device told against those of the twin.
    fn agreed(&mut self, twin: (u64, u64), (steps, device): (u64, u64)) -> Result<(), DeviceError> {
        if (steps, device) != twin {
            return Err(DeviceError::Disagree {
                steps,
                device,
                twin: twin.1,
                last_good: self.last_good,
            });
        }
        self.last_good = steps;
        Ok(())
    }

    /// Puts the program at its start, without touching the environment.
    pub(crate) fn begin(
        &mut self,
        history: &mut History,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        self.next_epoch();
        let (entry, arguments) = &self.entry;
        let begin = Command::Begin {
            program: self.program,
            board: self.board,
            entry: entry.0,
            arguments: arguments.iter().map(|value| to_wire(*value)).collect(),
        };
        let start = history.start().clone();
        self.ask_for(history, begin, Intent::Begun(start), observer)
    }

    /// What is still on its way belongs to a branch that is abandoned.
    pub(crate) fn next_epoch(&mut self) {
        self.client.next_epoch();
        self.records.clear();
    }

    /// Waits until the device has paused on its way along a path.
    pub(crate) fn hear_along(
        &mut self,
        history: &mut History,
        path: Place,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        let mut reached = None;
        let mut patience = self.client.patience(Sign::Word);
        loop {
            if history
                .look_up("moving the device", None, observer)
                .is_err()
            {
                self.halt(history, Course::Along(path), observer)?;
                return Err(DeviceError::Paused);
            }
            let heard = self
                .client
                .listen(&mut patience, "replaying", &mut unobserved);
            match heard {
                Err(silence) if silence.may_still_come() => {
                    // Between two inputs it has nothing to say, but it gets on.
                    let steps = self.query(observer)?.map(|(steps, ..)| steps);
                    if steps <= reached {
                        return Err(silence.into());
                    }
                    reached = steps;
                    patience = self.client.patience(Sign::Word);
                }
                heard => {
                    if let Some(report) = heard?
                        && self.report_along(history, path, report)?.is_some()
                    {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// The device's state, as it says.
    pub(crate) fn query(
        &mut self,
        observer: Observer<'_>,
    ) -> Result<Option<(u64, u64, u64)>, DeviceError> {
        match self.client.ask(Command::QueryState, observer)? {
            Report::State {
                steps,
                state,
                next_record,
                ..
            } => Ok(Some((steps, state, next_record))),
            _ => Ok(None),
        }
    }

    /// The longest message that it takes.
    pub(crate) fn message_bytes(&self) -> u32 {
        self.limits.message_bytes
    }

    /// The longest difference of states that it takes.
    pub(crate) fn delta_bytes(&self) -> u32 {
        self.limits.delta_bytes
    }

    /// Drops what the device has said by itself.
    pub(crate) fn forget_said(&mut self) {
        self.client.forget_said();
    }

    /// Whether it does nothing of which the end was not heard.
    pub(crate) fn owes_nothing(&self) -> bool {
        self.due.is_empty() && self.running.is_none()
    }

    pub(crate) fn stands_still(&mut self) {
        self.running = None;
    }

    pub(crate) fn load(
        &mut self,
        part: BlobKind,
        bytes: &[u8],
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        let hash = ContentHash::of(bytes);
        let total = u32::try_from(bytes.len())
            .map_err(|_| DeviceError::CannotMove("more than 4 GiB".to_owned()))?;
        let chunk = self
            .limits
            .message_bytes
            .saturating_sub(LOAD_OVERHEAD)
            .max(64) as usize;
        let mut offset = 0;
        // An empty blob is one empty chunk.
        for bytes in bytes
            .chunks(chunk)
            .chain(bytes.is_empty().then_some(&[][..]))
        {
            let length = bytes.len() as u32;
            let bytes = Bytes::from(bytes);
            let progress = Event::Progress {
                what: "loading the device, bytes".to_owned(),
                done: offset.into(),
                total: Some(total.into()),
            };
            if observer(progress) == Flow::Pause {
                return Err(DeviceError::Paused);
            }
            let load = Command::Load {
                part,
                hash,
                total,
                offset,
                bytes,
            };
            self.client.ask(load, observer)?;
            offset += length;
        }
        Ok(())
    }
}
