//! The device as the session knows it: where its program stands, what of its outputs is in force, and how to move both.
//!
//! Invariant: [`Device::state`] and [`Device::effects`] change only with what the device confirmed. They differ only
//! inside [`Device::bring`], or after one that failed half-way; the next one goes on from there.

use std::collections::VecDeque;

use borges_board::{Captured, Event as BoardEvent};
use borges_multiverse::tree::Place;
use borges_stub::{Call, Mocks, Program, decode_captured, decode_event, from_wire, to_wire};
use borges_vm::{FuncIdx, StateHash, Value};
use borges_wire::link::Link;
use borges_wire::{
    Bytes, Command, ContentHash, DeviceLimits, LOAD_OVERHEAD, Mock, Part, PauseReason,
    PrimitiveStop, Record, RecordKind, Report, TraceDecoder, Watch, WatchAccess,
};
use thiserror::Error;

use crate::client::{Client, LinkError};
use crate::command::{Event, Flow};
use crate::entry::Moment;
use crate::history::{Divergence, History, Stops};
use crate::survey::Perform;
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
    frame: TwinFrame,
    mocks: Mocks,
    armed: LiveStops,
    next_record: u64,
    last_good: u64,
    /// Unread records of the trace.
    records: VecDeque<Record>,
}

impl Device {
    /// Connects to a device, loads the program and puts it at its start, where `history`'s twin must stand.
    pub(crate) fn connect(
        link: Box<dyn Link>,
        seed: u32,
        program: &Program,
        board: ContentHash,
        entry: (FuncIdx, Vec<Value>),
        history: &History,
    ) -> Result<Self, DeviceError> {
        let (client, welcome) = Client::connect(link, seed, None)?;
        let (name, limits) = match welcome {
            Report::Welcome { device, limits, .. } => (device, limits),
            _ => (String::new(), DeviceLimits::default()),
        };
        let bytes = program.module.bytes();
        let mut device = Self {
            client,
            name,
            limits,
            board,
            program: ContentHash::of(bytes),
            entry,
            state: Moment::START,
            effects: Place::ROOT,
            frame: history.twin.frame(None),
            mocks: Mocks::default(),
            armed: LiveStops::default(),
            next_record: 0,
            last_good: 0,
            records: VecDeque::new(),
        };
        device.load(Part::Program, bytes)?;
        device.begin()?;
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

    /// Replaces all mocks, on the device first.
    pub(crate) fn set_mocks(&mut self, list: Vec<Mock>) -> Result<(), DeviceError> {
        self.client.ask(Command::SetMocks(list.clone()))?;
        self.mocks = Mocks::new(list);
        Ok(())
    }

    /// Runs the program, live, from the end of what is recorded, where both twin and device must stand.
    pub(crate) fn run(
        &mut self,
        history: &mut History,
        until: Option<u64>,
        stops: &LiveStops,
        observer: &mut dyn FnMut(Event) -> Flow,
    ) -> Result<Paused, DeviceError> {
        debug_assert_eq!(self.state, history.here());
        self.arm(stops)?;
        self.client.ask(Command::Run { until })?;
        let (mut pausing, mut looks) = (false, 0u32);
        let result = loop {
            match self.client.listen("running")? {
                Some(Report::Paused {
                    reason,
                    steps,
                    state,
                    next_record,
                }) => {
                    break self.paused(history, reason, steps, state, next_record);
                }
                Some(report) => {
                    if let Err(error) = self.report(history, report, observer) {
                        break Err(error);
                    }
                }
                None => {}
            }
            // A busy device says something at every look: its words must not keep the user from pausing it.
            looks = looks.wrapping_add(1);
            let done = history.twin.steps();
            let progress = Event::Progress {
                what: "running".to_owned(),
                done,
                total: until,
            };
            if looks % 16 == 0 && !pausing && observer(progress) == Flow::Pause {
                pausing = true;
                self.client.post(Command::Pause)?;
            }
        };
        self.settle(history);
        if result.is_err() {
            // The device must not run on unseen.
            let _stopped = self.client.post(Command::Pause);
        }
        result
    }

    /// The device stands where the twin stands now.
    fn settle(&mut self, history: &History) {
        self.state = history.here();
        self.effects = self.state.place;
        self.frame = history.twin.frame(Some(&self.frame));
    }

    fn report(
        &mut self,
        history: &mut History,
        report: Report,
        observer: &mut dyn FnMut(Event) -> Flow,
    ) -> Result<(), DeviceError> {
        match report {
            Report::Trace {
                first,
                base,
                records,
            } => {
                let known = self.take_records(first, base, &records)?;
                self.ingest(history, known)
            }
            Report::State { steps, state, .. } => {
                self.ingest(history, steps)?;
                self.compare(history, steps, state)
            }
            Report::Overrun { steps } => {
                let text = format!(
                    "the link is slower than the program: recording stopped at step {steps}; pause, and go on from there"
                );
                observer(Event::Warning { text });
                Ok(())
            }
            _ => Ok(()),
        }
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
        }
        self.compare(history, steps, state)?;
        Ok(Paused { reason, steps })
    }

    /// Reads packed records; the step up to which the program certainly is.
    fn take_records(&mut self, first: u64, base: u64, bytes: &[u8]) -> Result<u64, DeviceError> {
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
            .extend(&mut live, until)
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
        history.seek(self.state)?;
        let report = self.client.ask(Command::QueryState)?;
        let result = match report {
            Report::State { steps, state, .. } => {
                self.compare(history, steps, state).map(|()| (steps, state))
            }
            _ => Err(DeviceError::BadTrace {
                steps: self.state.steps,
            }),
        };
        history.seek(here)?;
        result
    }

    /// Tells the device where to stop, if it does not know already.
    fn arm(&mut self, stops: &LiveStops) -> Result<(), DeviceError> {
        if self.armed.stops.code != stops.stops.code {
            let offsets = stops.stops.code.iter().map(|offset| offset.0).collect();
            self.client.ask(Command::SetBreakpoints(offsets))?;
        }
        if self.armed.stops.watches != stops.stops.watches {
            let watches = stops.stops.watches.iter().map(wire_watch).collect();
            self.client.ask(Command::SetWatches(watches))?;
        }
        if self.armed.primitives != stops.primitives {
            self.client
                .ask(Command::SetPrimitiveStops(stops.primitives.clone()))?;
        }
        if self.armed.stops.events != stops.stops.events {
            self.client.ask(Command::StopOnEvents(stops.stops.events))?;
        }
        self.armed = stops.clone();
        Ok(())
    }

    /// Puts the program at its start, without touching the environment.
    fn begin(&mut self) -> Result<(), DeviceError> {
        self.client.next_epoch();
        let (entry, arguments) = &self.entry;
        let begin = Command::Begin {
            program: self.program,
            board: self.board,
            entry: entry.0,
            arguments: arguments.iter().map(|value| to_wire(*value)).collect(),
        };
        self.client.ask(begin)?;
        self.records.clear();
        (self.next_record, self.last_good) = (0, 0);
        Ok(())
    }

    fn load(&mut self, part: Part, bytes: &[u8]) -> Result<(), DeviceError> {
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

    /// Brings the device to `target` (MIO, algorithm 1): back to the join, compensating each output on the way, last
    /// first; forward to the target, performing each output; the program's state moves by its difference.
    ///
    /// The twin is where it was afterwards.
    pub(crate) fn bring(
        &mut self,
        history: &mut History,
        target: Moment,
    ) -> Result<(), DeviceError> {
        if self.state == target && self.effects == target.place {
            return Ok(());
        }
        let here = history.here();
        let moved = self
            .bring_effects(history, target.place)
            .and_then(|()| self.bring_state(history, target));
        history.seek(here)?;
        moved
    }

    fn bring_effects(&mut self, history: &mut History, target: Place) -> Result<(), DeviceError> {
        let lost = || DeviceError::CannotMove("the place is not in this multiverse".to_owned());
        let join = history.tree.join(self.effects, target).ok_or_else(lost)?;
        let undo = history.undo_list(join, self.effects)?;
        for batch in in_batches(undo, self.limits.message_bytes) {
            let reached = batch.reached;
            self.client.ask(Command::Compensate(batch.compensations))?;
            self.effects = reached;
        }
        self.effects = join;
        for redo in history.redo_list(join, target)? {
            if let Some(compensation) = redo.model {
                self.client
                    .ask(Command::Compensate(vec![Bytes(compensation)]))?;
            }
            if let Some(Perform {
                steps,
                primitive,
                arguments,
                memory,
            }) = redo.perform
            {
                let perform = Command::Perform {
                    steps,
                    primitive,
                    arguments,
                    memory,
                };
                if let Report::Performed { captured, .. } = self.client.ask(perform)? {
                    let captured = decode_captured(&captured).unwrap_or_default();
                    history.amend_captured(redo.place, captured);
                }
            }
            self.effects = redo.place;
        }
        self.effects = target;
        Ok(())
    }

    fn bring_state(&mut self, history: &mut History, target: Moment) -> Result<(), DeviceError> {
        history.seek(target)?;
        let frame = history.twin.frame(Some(&self.frame));
        let delta = borges_vm::Delta::between(&self.frame.vm, &frame.vm);
        let delta = delta.map_err(|e| DeviceError::CannotMove(e.to_string()))?;
        let delta = delta.to_bytes();
        if delta.len() as u64 > u64::from(self.limits.delta_bytes) {
            return self.slide(history, target, frame);
        }
        self.client.next_epoch();
        self.records.clear();
        self.load(Part::State, delta)?;
        let apply = Command::Apply {
            delta: ContentHash::of(delta),
            steps: target.steps,
            state: history.twin.hash().0,
            next_record: self.next_record,
        };
        self.client.ask(apply)?;
        self.state = target;
        self.frame = frame;
        self.last_good = target.steps;
        Ok(())
    }

    /// Goes to `target` by restart (RCMD's *slide*), for a device that cannot take a difference: the recorded inputs are
    /// mocked in their order, and the outputs happen as they come.
    fn slide(
        &mut self,
        history: &mut History,
        target: Moment,
        frame: TwinFrame,
    ) -> Result<(), DeviceError> {
        // Everything happens again: so first, nothing must have happened.
        let undo = history.undo_list(Place::ROOT, target.place)?;
        for batch in in_batches(undo, self.limits.message_bytes) {
            let reached = batch.reached;
            self.client.ask(Command::Compensate(batch.compensations))?;
            self.effects = reached;
        }
        self.effects = Place::ROOT;
        self.begin()?;
        self.state = Moment::START;
        self.arm(&LiveStops::default())?;
        let wanted = self.mocks.list().to_vec();
        let (inputs, events) = history.choices_to(target.place);
        self.client.ask(Command::SetMocks(inputs))?;
        for (steps, event) in events {
            self.slide_to(steps)?;
            let (kind, payload) = borges_stub::encode_event(&event);
            self.client.ask(Command::Inject { kind, payload })?;
        }
        self.slide_to(target.steps)?;
        self.client.ask(Command::SetMocks(wanted))?;
        self.records.clear();
        let report = self.client.ask(Command::QueryState)?;
        if let Report::State { steps, state, .. } = report {
            history.seek(target)?;
            self.compare(history, steps, state)?;
        }
        (self.state, self.effects, self.frame) = (target, target.place, frame);
        Ok(())
    }

    fn slide_to(&mut self, steps: u64) -> Result<(), DeviceError> {
        self.client.ask(Command::Run { until: Some(steps) })?;
        loop {
            if let Some(Report::Paused { next_record, .. }) = self.client.listen("replaying")? {
                self.next_record = next_record;
                return Ok(());
            }
        }
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

/// What undoes one entry, and where that leads.
pub(crate) struct Undo {
    pub(crate) compensation: Vec<u8>,
    pub(crate) reached: Place,
}

/// Some compensations that fit into one message.
struct Batch {
    compensations: Vec<Bytes>,
    reached: Place,
}

fn in_batches(list: Vec<Undo>, message_bytes: u32) -> Vec<Batch> {
    let most = message_bytes.saturating_sub(64) as usize;
    let (mut batches, mut size): (Vec<Batch>, usize) = (Vec::new(), 0);
    for undo in list {
        let length = undo.compensation.len() + 4;
        let fits = size + length <= most;
        match batches.last_mut().filter(|_| fits) {
            Some(batch) => {
                batch.compensations.push(Bytes(undo.compensation));
                batch.reached = undo.reached;
                size += length;
            }
            None => {
                let (compensations, reached) = (vec![Bytes(undo.compensation)], undo.reached);
                batches.push(Batch {
                    compensations,
                    reached,
                });
                size = length;
            }
        }
    }
    batches
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
