//! The device as the session knows it: where its program stands, what of its outputs is in force, and how to move both.
//!
//! Invariant: [`Device::state`] and [`Device::effects`] change only with what the device confirmed. They differ only
//! inside [`Device::bring`], or after one that failed half-way; the next one goes on from there. What was asked and not
//! answered is *due*: the link delivers everything once, so the answer comes when the line works again, and nothing else
//! is done before it.

use std::collections::VecDeque;

use borges_board::{Captured, Event as BoardEvent};
use borges_multiverse::tree::Place;
use borges_stub::{Call, Mocks, Program, decode_captured, decode_event, from_wire, to_wire};
use borges_vm::{CodeOffset, FuncIdx, StateHash, Value};
use borges_wire::link::Link;
use borges_wire::{
    Bytes, Command, ContentHash, DeviceLimits, DeviceStatus, LOAD_OVERHEAD, Mock, Part,
    PauseReason, PrimitiveStop, Record, RecordKind, Report, RequestId, TraceDecoder, Watch,
    WatchAccess,
};
use thiserror::Error;

use crate::client::{Client, LinkError, name_of};
use crate::command::{Event, Flow};
use crate::entry::Moment;
use crate::history::{Divergence, History, Source, Stops};
use crate::twin::{Feed, TwinFrame};

/// What can go wrong with a device.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DeviceError {
    /// The link.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// A replay.
    #[error(transparent)]
    Divergence(#[from] Divergence),
    /// Device and twin are in different states.
    #[error(
        "device and twin disagree at step {steps}: state {device:016x} there, {twin:016x} here. Up to step {last_good} they agreed; is the device's firmware of the same version?"
    )]
    Disagree {
        /// Where it was noticed.
        steps: u64,
        /// The device's hash.
        device: u64,
        /// The twin's.
        twin: u64,
        /// The last step at which they were compared and equal.
        last_good: u64,
    },
    /// A part of the trace did not arrive.
    #[error(
        "the trace has a gap: record {got} came instead of {wanted}. What came before it is kept"
    )]
    Gap {
        /// Which record was due.
        wanted: u64,
        /// Which came.
        got: u64,
    },
    /// A record of the trace makes no sense.
    #[error(
        "the device sent a trace that cannot be read, at step {steps}. What came before it is kept"
    )]
    BadTrace {
        /// Where.
        steps: u64,
    },
    /// The device cannot be moved back.
    #[error("the device cannot be brought there: {0}")]
    CannotMove(String),
}

/// How a live run ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Paused {
    pub(crate) reason: PauseReason,
    pub(crate) steps: u64,
    /// We paused it, because it had recorded as much as it may at a time.
    pub(crate) full: bool,
}

/// Where the device can be told to stop.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LiveStops {
    pub(crate) stops: Stops,
    /// Conditions on arguments that the device checks itself.
    pub(crate) primitives: Vec<PrimitiveStop>,
}

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
    /// It runs, or did when it was last heard of.
    running: Option<Course>,
    mocks: Mocks,
    told: Told,
    pub(crate) next_record: u64,
    last_good: u64,
    /// Unread records of the trace.
    pub(crate) records: VecDeque<Record>,
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

/// What the device was told about when to stop and what to read; nothing where that is not certain.
#[derive(Debug, Default)]
struct Told {
    code: Option<Vec<CodeOffset>>,
    watches: Option<Vec<borges_vm::Watch>>,
    primitives: Option<Vec<PrimitiveStop>>,
    stop_on_events: Option<bool>,
    board_events: Option<bool>,
    /// Its mocks are those that it should have.
    mocks: bool,
}

impl Told {
    /// What a device knows after its power-on.
    fn nothing() -> Self {
        Self {
            code: Some(Vec::new()),
            watches: Some(Vec::new()),
            primitives: Some(Vec::new()),
            stop_on_events: Some(false),
            board_events: Some(true),
            mocks: true,
        }
    }
}

impl Device {
    /// Connects to a device, loads the program and puts it at its start, where `history`'s twin must stand.
    pub(crate) fn connect(
        link: Box<dyn Link>,
        seed: u32,
        program: &Program,
        board: &[u8],
        entry: (FuncIdx, Vec<Value>),
        history: &mut History,
    ) -> Result<Self, DeviceError> {
        let (client, welcome) = Client::connect(link, seed, None)?;
        let (name, limits, its_board, status) = match welcome {
            Report::Welcome {
                device,
                limits,
                board,
                status,
                ..
            } => (device, limits, board, status),
            _ => (
                String::new(),
                DeviceLimits::default(),
                None,
                DeviceStatus::Idle,
            ),
        };
        let bytes = program.module.bytes();
        let mut device = Self {
            client,
            name,
            limits,
            board: ContentHash::of(board),
            program: ContentHash::of(bytes),
            entry,
            state: Moment::START,
            effects: Place::ROOT,
            frame: history.twin.frame(None),
            due: VecDeque::new(),
            running: None,
            mocks: Mocks::default(),
            told: Told::nothing(),
            next_record: 0,
            last_good: 0,
            records: VecDeque::new(),
        };
        if status != DeviceStatus::Idle {
            // Somebody was here before: what they left behind is not ours.
            device.client.ask(Command::Reset)?;
        }
        if its_board != Some(device.board) {
            device.load(Part::Board, board)?;
        }
        device.load(Part::Program, bytes)?;
        device.begin(history)?;
        Ok(device)
    }

    /// Bytes sent, bytes received, frames sent again.
    pub(crate) fn traffic(&mut self) -> (u64, u64, u64) {
        let (sent, received) = self.client.traffic();
        (sent, received, self.client.retransmissions())
    }

    pub(crate) fn mocks(&self) -> &Mocks {
        &self.mocks
    }

    /// Replaces all mocks. If that fails, the old ones are in force, as soon as the device can be told.
    pub(crate) fn set_mocks(&mut self, list: Vec<Mock>) -> Result<(), DeviceError> {
        self.told.mocks = false;
        self.client.ask(Command::SetMocks(list.clone()))?;
        self.mocks = Mocks::new(list);
        self.told.mocks = true;
        Ok(())
    }

    /// Tells the device of mocks that are not those in force.
    pub(crate) fn lend_mocks(&mut self, list: Vec<Mock>) -> Result<(), DeviceError> {
        self.told.mocks = false;
        self.client.ask(Command::SetMocks(list))?;
        Ok(())
    }

    /// Asks for something that changes where the device stands.
    pub(crate) fn ask_for(
        &mut self,
        history: &mut History,
        command: Command,
        intent: Intent,
    ) -> Result<(), DeviceError> {
        self.ask_ahead(command, intent)?;
        self.fulfil(history)
    }

    /// [`Self::ask_for`] without waiting: what is asked next shares a frame with it, and is done even if this is refused.
    pub(crate) fn ask_ahead(
        &mut self,
        command: Command,
        intent: Intent,
    ) -> Result<(), DeviceError> {
        let doing = name_of(&command);
        let id = self.client.post(command)?;
        self.due.push_back((id, intent, doing));
        Ok(())
    }

    /// Waits for the answers that are due, and takes note of what is so then.
    pub(crate) fn fulfil(&mut self, history: &mut History) -> Result<(), DeviceError> {
        while let Some((id, _, doing)) = self.due.front() {
            let answer = self.client.answer(*id, doing);
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
            Intent::Run(course) => self.running = Some(course),
            Intent::Injected(place) => {
                (self.state.place, self.effects) = (place, place);
            }
            Intent::Still => self.client.forget_said(),
            Intent::Halting => {}
        }
    }

    /// Finds out where the device stands, if that was left open when the line failed.
    ///
    /// The twin may be elsewhere afterwards.
    pub(crate) fn recover(&mut self, history: &mut History) -> Result<(), DeviceError> {
        self.fulfil(history)?;
        let Some(course) = self.running else {
            return Ok(());
        };
        let line = history.line();
        history.seek(self.state)?;
        let halted = self.halt(history, course);
        history.set_line(line);
        halted
    }

    /// Stops a program of which nothing was heard for a while.
    fn halt(&mut self, history: &mut History, course: Course) -> Result<(), DeviceError> {
        let id = self.client.post(Command::Pause)?;
        self.due.push_back((id, Intent::Halting, "pausing"));
        self.client.answer(id, "pausing")?;
        let mut patience = self.client.patience();
        // All that was said before the answer is here: the first pause is the one that counts.
        while let Some(report) = self.client.listen(&mut patience, "pausing")? {
            let paused = match course {
                Course::Live => self
                    .report(history, report, &mut |_| Flow::Continue)?
                    .is_some(),
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

    /// Runs the program, live, from the end of what is recorded, where both twin and device must stand, for at most
    /// about `entries` inputs, outputs and events.
    pub(crate) fn run(
        &mut self,
        history: &mut History,
        until: Option<u64>,
        entries: u64,
        stops: &LiveStops,
        observer: &mut dyn FnMut(Event) -> Flow,
    ) -> Result<Paused, DeviceError> {
        debug_assert_eq!(self.state, history.here());
        self.arm(stops, true)?;
        if !self.told.mocks {
            self.set_mocks(self.mocks.list().to_vec())?;
        }
        self.ask_for(history, Command::Run { until }, Intent::Run(Course::Live))?;
        let last_record = self.next_record.saturating_add(entries);
        let (mut pausing, mut looks) = (None, 0u32);
        let mut patience = self.client.patience();
        let mut paused = loop {
            if let Some(report) = self.client.listen(&mut patience, "running")?
                && let Some(paused) = self.report(history, report, observer)?
            {
                break paused;
            }
            // A busy device says something at every look: its words must not keep the user from pausing it.
            looks = looks.wrapping_add(1);
            let done = history.twin.steps();
            let progress = Event::Progress {
                what: "running".to_owned(),
                done,
                total: until,
            };
            let full = self.next_record >= last_record;
            let asked = || looks % 16 == 0 && observer(progress) == Flow::Pause;
            if pausing.is_none() && (full || asked()) {
                pausing = Some((self.client.post(Command::Pause)?, full));
            }
        };
        if let Some((id, full)) = pausing {
            paused.full = full;
            // The program may have stopped by itself before: then it says twice that it stands.
            self.due.push_back((id, Intent::Still, "pausing"));
            match self.fulfil(history) {
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
        self.frame = history.twin.frame(Some(&self.frame));
    }

    /// Takes note of what the device said by itself; how it stopped, if it did.
    fn report(
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
                self.ingest(history, known)?;
            }
            Report::State { steps, state, .. } => {
                self.ingest(history, steps)?;
                self.compare(history, steps, state)?;
            }
            Report::Overrun { steps } => {
                let text = format!(
                    "the link is slower than the program: recording stopped at step {steps}; pause, and go on from there"
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
                return self
                    .paused(history, reason, steps, state, next_record)
                    .map(Some);
            }
            _ => {}
        }
        Ok(None)
    }

    fn paused(
        &mut self,
        history: &mut History,
        reason: PauseReason,
        steps: u64,
        state: u64,
        next_record: u64,
    ) -> Result<Paused, DeviceError> {
        if next_record != self.next_record {
            let (wanted, got) = (self.next_record, next_record);
            return Err(DeviceError::Gap { wanted, got });
        }
        // A trapping instruction is not retired: the twin has to try it too.
        let trapped = matches!(reason, PauseReason::Trapped { .. });
        self.ingest(history, steps)?;
        if trapped {
            self.extend(history, steps + 1)?;
        } else if matches!(reason, PauseReason::Finished { .. }) && !history.twin.ended() {
            // It may have been told of this step before it was told of the end.
            self.extend(history, steps)?;
        }
        self.compare(history, steps, state)?;
        let full = false;
        Ok(Paused {
            reason,
            steps,
            full,
        })
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
    fn ingest(&mut self, history: &mut History, steps: u64) -> Result<(), DeviceError> {
        while history.twin.steps() < steps {
            let until = steps.min(
                history
                    .twin
                    .steps()
                    .saturating_add(history.keyframes.spacing()),
            );
            self.extend(history, until)?;
            if history.twin.steps() < until {
                return Err(DeviceError::BadTrace {
                    steps: history.twin.steps(),
                });
            }
            history.keep(history.here());
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
        let mut live = Live {
            records: &mut self.records,
            mocks: &mut self.mocks,
        };
        let bad = |steps| DeviceError::BadTrace { steps };
        history
            .extend(&mut live, Source::Device, until)
            .map(|_| ())
            .map_err(|_| bad(history.twin.steps()))
    }

    fn compare(&mut self, history: &History, steps: u64, device: u64) -> Result<(), DeviceError> {
        let StateHash(twin) = history.twin.hash();
        if history.twin.steps() != steps || twin != device {
            let last_good = self.last_good;
            return Err(DeviceError::Disagree {
                steps,
                device,
                twin,
                last_good,
            });
        }
        self.last_good = steps;
        Ok(())
    }

    /// Compares the device's state with that of the twin where the device stands.
    pub(crate) fn verify(&mut self, history: &mut History) -> Result<(u64, u64), DeviceError> {
        let here = history.here();
        let recovered = self.recover(history);
        history.seek(here)?;
        recovered?;
        match self.client.ask(Command::QueryState)? {
            Report::State { steps, state, .. } => self.agree(steps, state),
            _ => Err(DeviceError::BadTrace {
                steps: self.state.steps,
            }),
        }
    }

    /// Whether the device is in the state that it should be in.
    pub(crate) fn agree(&mut self, steps: u64, device: u64) -> Result<(u64, u64), DeviceError> {
        let StateHash(twin) = self.frame.vm.hash();
        if (steps, device) != (self.state.steps, twin) {
            let last_good = self.last_good;
            return Err(DeviceError::Disagree {
                steps,
                device,
                twin,
                last_good,
            });
        }
        self.last_good = steps;
        Ok((steps, device))
    }

    /// Tells the device where to stop and whether the board's events count, if it does not know already.
    pub(crate) fn arm(&mut self, stops: &LiveStops, board_events: bool) -> Result<(), DeviceError> {
        let LiveStops { stops, primitives } = stops;
        if self.told.code.as_ref() != Some(&stops.code) {
            self.told.code = None;
            let offsets = stops.code.iter().map(|offset| offset.0).collect();
            self.client.ask(Command::SetBreakpoints(offsets))?;
            self.told.code = Some(stops.code.clone());
        }
        if self.told.watches.as_ref() != Some(&stops.watches) {
            self.told.watches = None;
            let watches = stops.watches.iter().map(wire_watch).collect();
            self.client.ask(Command::SetWatches(watches))?;
            self.told.watches = Some(stops.watches.clone());
        }
        if self.told.primitives.as_ref() != Some(primitives) {
            self.told.primitives = None;
            self.client
                .ask(Command::SetPrimitiveStops(primitives.clone()))?;
            self.told.primitives = Some(primitives.clone());
        }
        if self.told.stop_on_events != Some(stops.events) {
            self.told.stop_on_events = None;
            self.client.ask(Command::StopOnEvents(stops.events))?;
            self.told.stop_on_events = Some(stops.events);
        }
        if self.told.board_events != Some(board_events) {
            self.told.board_events = None;
            self.client.ask(Command::BoardEvents(board_events))?;
            self.told.board_events = Some(board_events);
        }
        Ok(())
    }

    /// Puts the program at its start, without touching the environment.
    pub(crate) fn begin(&mut self, history: &mut History) -> Result<(), DeviceError> {
        self.next_epoch();
        let (entry, arguments) = &self.entry;
        let begin = Command::Begin {
            program: self.program,
            board: self.board,
            entry: entry.0,
            arguments: arguments.iter().map(|value| to_wire(*value)).collect(),
        };
        let start = history.start().clone();
        self.ask_for(history, begin, Intent::Begun(start))
    }

    /// What is still on its way belongs to a branch that is abandoned.
    pub(crate) fn next_epoch(&mut self) {
        self.client.next_epoch();
        self.records.clear();
    }

    /// Waits for the next thing that the device says by itself while it runs along a path.
    pub(crate) fn hear_along(
        &mut self,
        history: &mut History,
        path: Place,
    ) -> Result<(), DeviceError> {
        let mut patience = self.client.patience();
        loop {
            if let Some(report) = self.client.listen(&mut patience, "replaying")?
                && self.report_along(history, path, report)?.is_some()
            {
                return Ok(());
            }
        }
    }

    /// The device's state, as it says.
    pub(crate) fn query(&mut self) -> Result<Option<(u64, u64, u64)>, DeviceError> {
        match self.client.ask(Command::QueryState)? {
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

    pub(crate) fn stands_still(&mut self) {
        self.running = None;
    }

    pub(crate) fn load(&mut self, part: Part, bytes: &[u8]) -> Result<(), DeviceError> {
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
            self.client.ask(Command::Load {
                part,
                hash,
                total,
                offset,
                bytes,
            })?;
            offset += length;
        }
        Ok(())
    }
}

fn wire_watch(watch: &borges_vm::Watch) -> Watch {
    let access = WatchAccess::Write;
    match *watch {
        borges_vm::Watch::Memory { start, length } => Watch::Memory {
            address: start,
            length,
            access,
        },
        borges_vm::Watch::Global(index) => Watch::Global { index, access },
        borges_vm::Watch::Local { frame, local } => Watch::Local {
            frame,
            index: local,
            access,
        },
    }
}

/// Feeds the twin with what a device reported.
pub(crate) struct Live<'a> {
    records: &'a mut VecDeque<Record>,
    mocks: &'a mut Mocks,
}

impl<'a> Live<'a> {
    pub(crate) fn new(records: &'a mut VecDeque<Record>, mocks: &'a mut Mocks) -> Self {
        Self { records, mocks }
    }
}

impl Feed for Live<'_> {
    fn event_due(&self) -> Option<u64> {
        let record = self.records.front()?;
        matches!(record.kind, RecordKind::Event { .. }).then_some(record.steps)
    }

    fn event(&mut self) -> Option<BoardEvent> {
        match self.records.pop_front()?.kind {
            RecordKind::Event { kind, payload } => decode_event(kind, &payload),
            _ => None,
        }
    }

    fn input(&mut self, call: &Call<'_>) -> Option<(Value, bool)> {
        let value = match self.records.front() {
            Some(Record {
                steps,
                kind: RecordKind::Input(value),
            }) if *steps == call.steps => from_wire(*value),
            _ => return None,
        };
        self.records.pop_front();
        let mocked = self.mocks.take(call.primitive, call.args) == Some(value);
        Some((value, mocked))
    }

    fn captured(&mut self, call: &Call<'_>) -> Option<Captured> {
        let captured = match self.records.front() {
            Some(Record {
                steps,
                kind: RecordKind::Captured(bytes),
            }) if *steps == call.steps => decode_captured(bytes)?,
            _ => return Some(Captured::Nothing),
        };
        self.records.pop_front();
        Some(captured)
    }
}
