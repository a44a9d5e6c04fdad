//! The stub: commands in, reports out, and the program in slices between them.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use borges_board::{
    Board, BoardState, Compensation, Driver, Event, Hardware, PortableBoard, PrimitiveId,
    ProgramLimits,
};
use borges_vm::{
    CodeOffset, Delta, Exit, FuncIdx, Limits, Machine, Module, Outcome, Shared, StateError, Trap,
    Value,
};
use borges_wire::{
    Bytes, Channel, Command, ContentHash, DeviceLimits, DeviceStatus, Difference, Endpoint, Epoch,
    FailureCode, Incoming, MemoryBlob, Overflow, Part, PauseReason, PrimitiveStop, Record,
    RecordKind, Report, RequestId, SCHEMA, ToDevice, ToHost, TraceEncoder,
};

use crate::execute::{Halt, Program, deliver, execute};
use crate::mocks::Mocks;
use crate::record::{encode_captured, encode_event, from_wire, to_wire};
use crate::upload::{Chunk, Uploads};
use crate::world::{DeviceWorld, Noticed, mock_fits};

/// How a stub behaves.
#[derive(Clone, Debug)]
pub struct Config {
    /// The device's name for people.
    pub name: String,
    /// What it can take.
    pub limits: DeviceLimits,
    /// Limits of the program.
    pub vm: Limits,
    /// Instructions between two looks at the link.
    pub slice: u64,
    /// The line's measures.
    pub endpoint: borges_wire::Config,
    /// Differs from one start to the next.
    pub seed: u32,
}

/// What [`Stub::poll`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poll {
    /// The program ran: call again soon.
    Busy,
    /// Nothing to do until something arrives or the endpoint's timers fire.
    Idle,
}

/// A program on its way.
struct Running {
    until: Option<u64>,
    /// The step at which it was resumed: stops there have been made already.
    resumed_at: Option<u64>,
}

/// A program that has begun.
struct Begun {
    hash: ContentHash,
    program: Program,
    machine: Machine,
    trace: TraceEncoder,
    running: Option<Running>,
    /// An event that was taken from the hardware and not delivered yet.
    held: Option<Event>,
    /// Next step at which a regular check is due.
    next_check: u64,
}

impl Begun {
    /// Notes an event whose handler was just entered.
    fn record_event(&mut self, kind: u8, payload: Bytes) {
        let steps = self.machine.steps();
        let kind = RecordKind::Event { kind, payload };
        // In order: the encoder is at this step or before it.
        let _in_order = self.trace.push(&Record { steps, kind });
    }
}

/// The debug server of a device with hardware `H`.
pub struct Stub<H> {
    config: Config,
    /// Those of the board, or else our own.
    program_limits: Limits,
    board: Shared<Board>,
    board_hash: ContentHash,
    driver: Driver<H>,
    endpoint: Endpoint,
    epoch: Epoch,
    uploads: Uploads,
    begun: Option<Begun>,
    mocks: Mocks,
    breakpoints: Vec<CodeOffset>,
    stops: Vec<PrimitiveStop>,
    watches: Vec<borges_vm::Watch>,
    stop_on_events: bool,
    /// The board's own events are delivered.
    board_events: bool,
    overflow: Overflow,
    check_every: u64,
    /// Recording has stopped because the link was too slow.
    overrun: bool,
    /// Reports that the endpoint could not take yet.
    waiting: VecDeque<Vec<u8>>,
}

/// The longest description of a board that a device takes, in bytes.
const BOARD_BYTES: u32 = 16 << 10;

type Done = Result<Option<Report>, (FailureCode, String)>;

fn fail<T>(code: FailureCode, detail: impl ToString) -> Result<T, (FailureCode, String)> {
    Err((code, detail.to_string()))
}

impl<H: Hardware> Stub<H> {
    /// A device on which nothing runs. `board_hash` names the board's description, as the host does.
    pub fn new(config: Config, board: Shared<Board>, board_hash: ContentHash, hardware: H) -> Self {
        let endpoint = Endpoint::new(config.endpoint, config.seed);
        let driver = Driver::new(&board, hardware);
        Self {
            program_limits: config.vm,
            config,
            board,
            board_hash,
            driver,
            endpoint,
            epoch: Epoch::default(),
            uploads: Uploads::default(),
            begun: None,
            mocks: Mocks::default(),
            breakpoints: Vec::new(),
            stops: Vec::new(),
            watches: Vec::new(),
            stop_on_events: false,
            board_events: true,
            overflow: Overflow::Block,
            check_every: 0,
            overrun: false,
            waiting: VecDeque::new(),
        }
    }

    /// The hardware, to look at in a test or to draw.
    pub fn hardware(&self) -> &H {
        &self.driver.hardware
    }

    /// The hardware, to change inputs by hand.
    pub fn hardware_mut(&mut self) -> &mut H {
        &mut self.driver.hardware
    }

    /// What the device itself knows of its board.
    pub fn board_state(&self) -> &BoardState {
        self.driver.state()
    }

    /// Tells the host what went wrong in the device's own software, as before the reboot that it caused.
    pub fn report_failure(&mut self, text: String) {
        self.report(Report::Panic { text });
    }

    /// The line's end.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Takes what has arrived on the line.
    pub fn feed(&mut self, now_us: u64, bytes: &[u8]) {
        self.endpoint.feed(now_us, bytes);
    }

    /// The next frame for the line.
    pub fn transmit(&mut self) -> Option<&[u8]> {
        self.endpoint.transmit()
    }

    /// Carries out what has arrived and runs one slice of the program.
    pub fn poll(&mut self, now_us: u64) -> Poll {
        self.endpoint.tick(now_us);
        while let Some(incoming) = self.endpoint.receive() {
            match incoming {
                Incoming::Message(message) => self.message(&message.bytes),
                // What was queued belongs to a connection that is gone; the host asks again.
                Incoming::Lost(_) => self.waiting.clear(),
                _ => {}
            }
        }
        self.drain();
        // What could not be sent while something else waited: a program that waits for the link does not flush.
        self.flush_trace();
        let ran = self.slice();
        self.drain();
        if ran { Poll::Busy } else { Poll::Idle }
    }

    fn message(&mut self, bytes: &[u8]) {
        let Ok(ToDevice { epoch, id, command }) = ToDevice::from_bytes(bytes) else {
            let schema = borges_wire::peer_schema(bytes, false);
            let (code, detail) = match schema {
                Some(schema) => (
                    FailureCode::Schema,
                    format!("the host speaks {schema:08x}, this device {SCHEMA:08x}"),
                ),
                None => (FailureCode::Malformed, String::new()),
            };
            let id = RequestId::default();
            return self.report(Report::Failed { id, code, detail });
        };
        // Who greets may be another host, which counts anew.
        if epoch < self.epoch && !matches!(command, Command::Hello { .. }) {
            let (code, detail) = (FailureCode::Epoch, String::new());
            return self.report(Report::Failed { id, code, detail });
        }
        self.epoch = epoch;
        match self.carry_out(id, command) {
            Ok(Some(report)) => self.report(report),
            Ok(None) => self.report(Report::Done { id }),
            Err((code, detail)) => self.report(Report::Failed { id, code, detail }),
        }
    }

    fn carry_out(&mut self, id: RequestId, command: Command) -> Done {
        match command {
            Command::Hello { schema, .. } => self.hello(schema),
            Command::Load {
                part,
                hash,
                total,
                offset,
                bytes,
            } => {
                let bytes = bytes.0.as_slice();
                self.load(&Chunk {
                    part,
                    hash,
                    total,
                    offset,
                    bytes,
                })
            }
            Command::Begin {
                program,
                board,
                entry,
                arguments,
            } => self.begin(program, board, entry, &arguments),
            Command::Run { until } => self.run(until),
            Command::Pause => self.pause(),
            Command::SetBreakpoints(offsets) => self.set_breakpoints(offsets),
            Command::SetPrimitiveStops(stops) => {
                self.stops = stops;
                Ok(None)
            }
            Command::SetWatches(watches) => self.set_watches(&watches),
            Command::StopOnEvents(stop) => {
                self.stop_on_events = stop;
                Ok(None)
            }
            Command::SetMocks(mocks) => {
                if mocks.len() as u64 > u64::from(self.config.limits.mocks) {
                    return fail(
                        FailureCode::Limit,
                        format!("at most {} mocks", self.config.limits.mocks),
                    );
                }
                if !mocks.iter().all(|mock| mock_fits(&self.board, mock)) {
                    return fail(
                        FailureCode::NoSuch,
                        "a mock does not have its input's types",
                    );
                }
                self.mocks = Mocks::new(mocks);
                Ok(None)
            }
            Command::Compensate { steps, list } => self.compensate(steps, &list),
            Command::Perform {
                steps,
                primitive,
                arguments,
                memory,
            } => self.perform(id, steps, primitive, &arguments, &memory),
            Command::Apply { delta, next_record } => self.apply(id, delta, next_record),
            Command::Reset => {
                self.begun = None;
                self.mocks = Mocks::default();
                self.stops.clear();
                self.breakpoints.clear();
                self.watches.clear();
                self.board_events = true;
                self.driver.discard_events();
                Ok(None)
            }
            Command::QueryState => {
                self.paused()?;
                // An injected event may wait: the records up to the number that is answered go first.
                self.flush_trace();
                let begun = self.paused()?;
                let (steps, state) = (begun.machine.steps(), begun.machine.hash().0);
                let next_record = begun.trace.next_record();
                Ok(Some(Report::State {
                    id: Some(id),
                    steps,
                    state,
                    next_record,
                }))
            }
            Command::ReadMemory { address, length } => {
                let longest = self.config.limits.message_bytes;
                let begun = self.paused()?;
                let memory = begun
                    .machine
                    .memory()
                    .get(address as usize..)
                    .unwrap_or_default();
                let length = (length.min(longest) as usize).min(memory.len());
                let bytes = Bytes::from(memory.get(..length).unwrap_or_default());
                Ok(Some(Report::Memory { id, address, bytes }))
            }
            Command::ReadSave { offset } => {
                let longest = self.config.limits.message_bytes as usize / 2;
                let save = self.paused()?.machine.save();
                let rest = save.get(offset as usize..).unwrap_or_default();
                let bytes = Bytes::from(rest.get(..longest.min(rest.len())).unwrap_or_default());
                let total = save.len() as u32;
                Ok(Some(Report::Save {
                    id,
                    total,
                    offset,
                    bytes,
                }))
            }
            Command::Inject { kind, payload } => self.inject(kind, payload),
            Command::BoardEvents(delivered) => {
                self.board_events = delivered;
                self.driver.discard_events();
                if let Some(begun) = &mut self.begun {
                    // One that the host was shown before its delivery belongs to the way that the host has left.
                    begun.held = None;
                }
                Ok(None)
            }
            Command::SetRecording {
                overflow,
                check_every,
            } => {
                self.overflow = overflow;
                self.check_every = check_every;
                Ok(None)
            }
        }
    }

    fn hello(&mut self, schema: u32) -> Done {
        if schema != SCHEMA {
            let detail = format!("the host speaks {schema:08x}, this device {SCHEMA:08x}");
            return fail(FailureCode::Schema, detail);
        }
        let begun = self.begun.as_ref();
        let status = match begun {
            None => DeviceStatus::Idle,
            Some(begun) if begun.machine.outcome().is_some() => DeviceStatus::Ended,
            Some(begun) if begun.running.is_some() => DeviceStatus::Running,
            Some(_) => DeviceStatus::Paused,
        };
        Ok(Some(Report::Welcome {
            schema: SCHEMA,
            device: self.config.name.clone(),
            limits: self.config.limits,
            program: begun.map(|begun| begun.hash),
            board: Some(self.board_hash),
            status,
            steps: begun.map_or(0, |begun| begun.machine.steps()),
            state: begun.map_or(0, |begun| begun.machine.hash().0),
            oldest_record: begun.map_or(0, |begun| begun.trace.next_record()),
        }))
    }

    fn load(&mut self, chunk: &Chunk<'_>) -> Done {
        let longest = match chunk.part {
            Part::Program => self.config.limits.program_bytes,
            Part::State => self.config.limits.delta_bytes,
            Part::Board => BOARD_BYTES,
        };
        match self.uploads.take(chunk, longest) {
            Ok(()) => Ok(None),
            Err(code) => fail(
                code,
                format!(
                    "{:?} of {} bytes, at most {longest}",
                    chunk.part, chunk.total
                ),
            ),
        }
    }

    fn begin(
        &mut self,
        hash: ContentHash,
        board: ContentHash,
        entry: u32,
        arguments: &[borges_wire::Value],
    ) -> Done {
        self.take_board(board)?;
        let program = match self.begun.take() {
            // The same program again needs no second upload.
            Some(begun) if begun.hash == hash => begun.program,
            other => {
                self.begun = other;
                let Some(bytes) = self.uploads.complete(Part::Program, hash) else {
                    return fail(FailureCode::State, "the program is not loaded");
                };
                let module = Module::new(bytes, &self.program_limits)
                    .map_err(|e| (FailureCode::Program, e.to_string()))?;
                let program = Program::new(Shared::new(module), self.board.clone());
                let program = program.map_err(|e| (FailureCode::Program, e.to_string()))?;
                self.uploads.forget(Part::Program);
                program
            }
        };
        let limits = self.program_limits;
        let mut machine = Machine::new(program.module.clone(), limits)
            .map_err(|e| (FailureCode::Program, e.to_string()))?;
        let arguments: Vec<Value> = arguments.iter().map(|value| from_wire(*value)).collect();
        machine
            .begin(FuncIdx(entry), &arguments)
            .map_err(|e| (FailureCode::NoSuch, e.to_string()))?;
        self.overrun = false;
        self.board_events = true;
        self.driver.at(0);
        self.driver.discard_events();
        self.begun = Some(Begun {
            hash,
            program,
            machine,
            trace: TraceEncoder::new(0, 0),
            running: None,
            held: None,
            next_check: self.check_every,
        });
        self.adopt_stops()?;
        Ok(None)
    }

    /// Goes on with the board that this hash names: the present one, or the one that was loaded.
    fn take_board(&mut self, hash: ContentHash) -> Result<(), (FailureCode, String)> {
        if hash == self.board_hash {
            return Ok(());
        }
        let Some(bytes) = self.uploads.complete(Part::Board, hash) else {
            return fail(
                FailureCode::Board,
                format!("this device has the board {}", self.board_hash),
            );
        };
        let Ok(portable) = postcard::from_bytes::<PortableBoard>(bytes) else {
            return fail(FailureCode::Malformed, "not a board");
        };
        self.program_limits = within(&self.config.vm, portable.limits())?;
        self.board = Shared::new(portable.into());
        self.board_hash = hash;
        self.uploads.forget(Part::Board);
        // What ran on the board before does not run on this one.
        self.begun = None;
        self.driver.adopt(&self.board);
        Ok(())
    }

    fn run(&mut self, until: Option<u64>) -> Done {
        let begun = self.paused()?;
        let resumed_at = Some(begun.machine.steps());
        begun.running = Some(Running { until, resumed_at });
        Ok(None)
    }

    fn pause(&mut self) -> Done {
        let Some(begun) = &mut self.begun else {
            return fail(FailureCode::State, "no program has begun");
        };
        begun.running = None;
        self.paused_report(PauseReason::Requested);
        Ok(None)
    }

    fn set_breakpoints(&mut self, offsets: Vec<u32>) -> Done {
        if offsets.len() as u64 > u64::from(self.config.limits.breakpoints) {
            return fail(
                FailureCode::Limit,
                format!("at most {} breakpoints", self.config.limits.breakpoints),
            );
        }
        let before = core::mem::replace(
            &mut self.breakpoints,
            offsets.into_iter().map(CodeOffset).collect(),
        );
        let adopted = self.adopt_stops();
        if adopted.is_err() {
            self.breakpoints = before;
        }
        adopted
    }

    fn set_watches(&mut self, watches: &[borges_wire::Watch]) -> Done {
        if watches.len() as u64 > u64::from(self.config.limits.watches) {
            return fail(
                FailureCode::Limit,
                format!("at most {} watches", self.config.limits.watches),
            );
        }
        let mut list = Vec::new();
        for watch in watches {
            let Some(watch) = vm_watch(watch) else {
                return fail(FailureCode::Unsupported, "this device watches writes only");
            };
            list.push(watch);
        }
        let before = core::mem::replace(&mut self.watches, list);
        let adopted = self.adopt_stops();
        if adopted.is_err() {
            self.watches = before;
        }
        adopted
    }

    /// Gives the VM the breakpoints and watches in force.
    fn adopt_stops(&mut self) -> Done {
        if let Some(begun) = &mut self.begun {
            let machine = &mut begun.machine;
            machine
                .set_breakpoints(&self.breakpoints)
                .map_err(|e| (FailureCode::NoSuch, e.to_string()))?;
            machine.set_watches(&self.watches);
        }
        Ok(None)
    }

    /// Enters the handler of an event that the host names.
    fn inject(&mut self, kind: u8, payload: Bytes) -> Done {
        let Some(event) = crate::record::decode_event(kind, &payload) else {
            return fail(FailureCode::NoSuch, "no such event");
        };
        let overrun = self.overrun;
        let begun = self.paused()?;
        if !deliver(&mut begun.machine, &event) {
            return fail(
                FailureCode::State,
                "the event's handler cannot be entered here",
            );
        }
        if !overrun {
            begun.record_event(kind, payload);
        }
        Ok(None)
    }

    fn compensate(&mut self, steps: u64, list: &[Bytes]) -> Done {
        self.paused()?;
        let mut compensations: Vec<Compensation> = Vec::new();
        for bytes in list {
            let Ok(compensation) = postcard::from_bytes(bytes) else {
                return fail(FailureCode::Malformed, "not a compensation");
            };
            compensations.push(compensation);
        }
        for compensation in &compensations {
            self.driver.compensate(&self.board, compensation);
        }
        // Time goes back with what is undone.
        self.driver.at(steps);
        Ok(None)
    }

    fn perform(
        &mut self,
        id: RequestId,
        steps: u64,
        primitive: u16,
        arguments: &[borges_wire::Value],
        blobs: &[MemoryBlob],
    ) -> Done {
        self.paused()?;
        let arguments: Vec<Value> = arguments.iter().map(|value| from_wire(*value)).collect();
        self.driver.at(steps);
        let Some(begun) = &mut self.begun else {
            return fail(FailureCode::State, "no program has begun");
        };
        let memory = begun.machine.memory_mut();
        // The call reads the memory of its own moment, which the message brings; the program's own stays as it is.
        let Some(saved) = swap_in(memory, blobs) else {
            return fail(
                FailureCode::NoSuch,
                "the memory of the call lies outside the program's",
            );
        };
        let done = self
            .driver
            .output(&self.board, PrimitiveId(primitive), &arguments, memory);
        swap_out(memory, &saved);
        match done {
            Ok(done) => {
                let captured = Bytes(encode_captured(&done.captured));
                Ok(Some(Report::Performed { id, captured }))
            }
            Err(refusal) => fail(FailureCode::Hardware, refusal),
        }
    }

    fn apply(&mut self, id: RequestId, delta: Difference, next_record: u64) -> Done {
        self.paused()?;
        let bytes = match &delta {
            Difference::Whole(bytes) => bytes.0.as_slice(),
            Difference::Loaded(hash) => match self.uploads.complete(Part::State, *hash) {
                Some(bytes) => bytes,
                None => return fail(FailureCode::State, "the difference is not loaded"),
            },
        };
        if bytes.len() as u64 > u64::from(self.config.limits.delta_bytes) {
            let most = self.config.limits.delta_bytes;
            return fail(
                FailureCode::Limit,
                format!("a difference of at most {most} bytes"),
            );
        }
        let refused = |error: StateError| {
            let code = match error {
                StateError::WrongBase | StateError::WrongResult => FailureCode::Diverged,
                _ => FailureCode::Malformed,
            };
            (code, error.to_string())
        };
        let delta = Delta::from_bytes(bytes).map_err(refused)?;
        let Some(begun) = &mut self.begun else {
            return fail(FailureCode::State, "no program has begun");
        };
        begun.machine.apply(&delta).map_err(refused)?;
        self.uploads.forget(Part::State);
        let (steps, state) = (begun.machine.steps(), begun.machine.hash().0);
        begun.trace = TraceEncoder::new(steps, next_record);
        begun.held = None;
        begun.next_check = steps.saturating_add(self.check_every);
        self.overrun = false;
        self.driver.at(steps);
        self.driver.discard_events();
        Ok(Some(Report::State {
            id: Some(id),
            steps,
            state,
            next_record,
        }))
    }

    /// The program, if it stands still.
    fn paused(&mut self) -> Result<&mut Begun, (FailureCode, String)> {
        match &mut self.begun {
            None => fail(FailureCode::State, "no program has begun"),
            Some(begun) if begun.running.is_some() => {
                fail(FailureCode::State, "the program is running")
            }
            Some(begun) => Ok(begun),
        }
    }

    /// Runs one slice; whether there was something to run.
    fn slice(&mut self) -> bool {
        if self.must_wait() {
            return false;
        }
        let Some(begun) = &mut self.begun else {
            return false;
        };
        let Some(running) = &begun.running else {
            return false;
        };
        if !self.driver.settled() {
            return false;
        }
        let (until, resumed_at) = (running.until, running.resumed_at);
        let steps = begun.machine.steps();
        let there = until.is_some_and(|until| steps >= until);
        // A run of no steps delivers what is due, once.
        if there && resumed_at != Some(steps) {
            self.stop(PauseReason::Until);
            return true;
        }
        match self.events(resumed_at) {
            Some(reason) => self.stop(reason),
            None if there => self.stop(PauseReason::Until),
            None => self.advance(until),
        }
        true
    }

    /// How much trace goes into one message: it must fit, and leave the buffer room for what comes meanwhile.
    fn batch_bytes(&self) -> usize {
        const BATCH_BYTES: u32 = 32 << 10;
        let limits = &self.config.limits;
        let batch = (limits.trace_bytes / 2).min(limits.message_bytes / 2);
        batch.clamp(64, BATCH_BYTES) as usize
    }

    /// Whether the program must wait for the link.
    fn must_wait(&mut self) -> bool {
        let Some(begun) = &self.begun else {
            return false;
        };
        // A full batch that is still here could not be sent.
        let full = begun.trace.len() >= self.batch_bytes() || self.waiting.len() > 64;
        if full
            && self.overflow == Overflow::StopRecording
            && !self.overrun
            && begun.running.is_some()
        {
            self.overrun = true;
            let steps = begun.machine.steps();
            self.report(Report::Overrun { steps });
        }
        full && !self.overrun
    }

    /// Delivers an event if one is due; the reason to stop if the host wants to see it first.
    fn events(&mut self, resumed_at: Option<u64>) -> Option<PauseReason> {
        let begun = self.begun.as_mut()?;
        let steps = begun.machine.steps();
        self.driver.at(steps);
        if begun.machine.in_handler() {
            return None;
        }
        if begun.held.is_none() && self.board_events {
            begun.held = self.driver.poll_event();
        }
        let event = begun.held?;
        let (kind, payload) = encode_event(&event);
        if self.stop_on_events && resumed_at != Some(steps) {
            return Some(PauseReason::Event { kind });
        }
        begun.held = None;
        if deliver(&mut begun.machine, &event) {
            // In the handler, at the same step, the program has not stood yet.
            if let Some(running) = &mut begun.running {
                running.resumed_at = None;
            }
            if !self.overrun {
                begun.record_event(kind, payload);
            }
        }
        None
    }

    /// Executes up to a slice's length.
    fn advance(&mut self, until: Option<u64>) {
        let batch_bytes = self.batch_bytes();
        let Some(begun) = &mut self.begun else {
            return;
        };
        let resumed_at = begun
            .running
            .as_ref()
            .and_then(|running| running.resumed_at);
        let steps = begun.machine.steps();
        let end = steps
            .saturating_add(self.config.slice)
            .min(until.unwrap_or(u64::MAX));
        let distance = self.driver.steps_to_event().filter(|_| self.board_events);
        // An event that is due while a handler runs comes right after it, at the same step however the run is sliced.
        let waiting = distance == Some(0) && begun.machine.in_handler();
        let mut limit = match distance {
            Some(distance) => end.min(steps.saturating_add(distance.max(1))),
            None => end,
        };
        let mut noticed = Noticed::default();
        let mut world = DeviceWorld {
            batch_bytes,
            board: &self.board,
            driver: &mut self.driver,
            mocks: &mut self.mocks,
            stops: &self.stops,
            trace: (!self.overrun).then_some(&mut begun.trace),
            resumed_at,
            noticed: &mut noticed,
        };
        let halt = loop {
            let halt = execute(&mut begun.machine, &begun.program, &mut world, limit);
            let again = waiting && halt == Halt::Until && begun.machine.in_handler() && limit < end;
            if !again {
                break halt;
            }
            limit += 1;
        };
        if self.check_every > 0 && begun.machine.steps() >= begun.next_check {
            begun.next_check = begun.machine.steps().saturating_add(self.check_every);
            let (steps, state) = (begun.machine.steps(), begun.machine.hash().0);
            let next_record = begun.trace.next_record();
            self.flush_trace();
            self.report(Report::State {
                id: None,
                steps,
                state,
                next_record,
            });
        }
        match halt {
            Halt::Until | Halt::Yield => self.flush_trace(),
            Halt::Left => {
                let primitive = noticed.stopped_before.unwrap_or(u16::MAX);
                self.stop(PauseReason::Primitive { primitive });
            }
            Halt::Finished => {
                let outcome = self
                    .begun
                    .as_ref()
                    .and_then(|begun| begun.machine.outcome());
                let results = match outcome {
                    Some(Outcome::Finished(values)) => {
                        values.iter().map(|value| to_wire(*value)).collect()
                    }
                    _ => Vec::new(),
                };
                self.stop(PauseReason::Finished { results });
            }
            Halt::Trapped(trap) => self.stop(PauseReason::Trapped {
                code: trap_code(trap),
            }),
            // The program stands there already, and goes on.
            Halt::Stop(Exit::Breakpoint(_)) if resumed_at == Some(self.steps()) => {}
            Halt::Stop(Exit::Breakpoint(offset)) => {
                self.stop(PauseReason::Breakpoint { offset: offset.0 })
            }
            Halt::Stop(Exit::Watch { watch, offset }) => {
                let (watch, offset) = (watch as u32, offset.0);
                self.stop(PauseReason::Watch { watch, offset });
            }
            Halt::Stop(_) => self.stop(PauseReason::Requested),
        }
    }

    fn steps(&self) -> u64 {
        self.begun.as_ref().map_or(0, |begun| begun.machine.steps())
    }

    fn stop(&mut self, reason: PauseReason) {
        if let Some(begun) = &mut self.begun {
            begun.running = None;
        }
        self.paused_report(reason);
    }

    fn paused_report(&mut self, reason: PauseReason) {
        self.flush_trace();
        if let Some(begun) = &self.begun {
            let (steps, state) = (begun.machine.steps(), begun.machine.hash().0);
            let next_record = begun.trace.next_record();
            self.report(Report::Paused {
                reason,
                steps,
                state,
                next_record,
            });
        }
    }

    /// Hands the recorded trace to the line, if it takes it now.
    fn flush_trace(&mut self) {
        let Some(begun) = &mut self.begun else {
            return;
        };
        // Order matters more than speed: nothing overtakes what waits.
        if begun.trace.is_empty() || !self.waiting.is_empty() && begun.running.is_some() {
            return;
        }
        if let Some(batch) = begun.trace.take() {
            let report = Report::Trace {
                first: batch.first,
                base: batch.base,
                records: batch.bytes,
            };
            self.send(Channel::Trace, report);
        }
    }

    fn report(&mut self, report: Report) {
        self.send(Channel::Control, report);
    }

    fn send(&mut self, channel: Channel, report: Report) {
        let bytes = ToHost {
            epoch: self.epoch,
            report,
        }
        .to_bytes();
        let taken = self.waiting.is_empty() && self.endpoint.send(channel, &bytes).is_ok();
        if !taken {
            self.waiting.push_back(bytes);
        }
    }

    fn drain(&mut self) {
        while let Some(bytes) = self.waiting.front() {
            if self.endpoint.send(Channel::Control, bytes).is_err() {
                return;
            }
            self.waiting.pop_front();
        }
    }
}

/// The VM's watch for the wire's; nothing for reads, which the VM does not watch.
fn vm_watch(watch: &borges_wire::Watch) -> Option<borges_vm::Watch> {
    use borges_wire::WatchAccess;
    let (access, vm) = match *watch {
        borges_wire::Watch::Memory {
            address,
            length,
            access,
        } => (
            access,
            borges_vm::Watch::Memory {
                start: address,
                length,
            },
        ),
        borges_wire::Watch::Global { index, access } => (access, borges_vm::Watch::Global(index)),
        borges_wire::Watch::Local {
            frame,
            index,
            access,
        } => (
            access,
            borges_vm::Watch::Local {
                frame,
                local: index,
            },
        ),
    };
    (access == WatchAccess::Write).then_some(vm)
}

fn trap_code(trap: Trap) -> u8 {
    trap as u8
}

/// Writes the blobs into `memory`; what was there before, or nothing if one lies outside (then nothing is written).
fn swap_in(memory: &mut [u8], blobs: &[MemoryBlob]) -> Option<Vec<(usize, Vec<u8>)>> {
    let range = |blob: &MemoryBlob| {
        let start = blob.address as usize;
        Some(start..start.checked_add(blob.bytes.0.len())?)
    };
    if !blobs
        .iter()
        .all(|blob| range(blob).is_some_and(|range| memory.get(range).is_some()))
    {
        return None;
    }
    let mut saved = Vec::new();
    for blob in blobs {
        let place = memory.get_mut(range(blob)?)?;
        saved.push((blob.address as usize, place.to_vec()));
        place.copy_from_slice(&blob.bytes.0);
    }
    Some(saved)
}

/// Undoes [`swap_in`]: the last write first, because blobs may overlap.
fn swap_out(memory: &mut [u8], saved: &[(usize, Vec<u8>)]) {
    for (start, bytes) in saved.iter().rev() {
        if let Some(place) = memory.get_mut(*start..*start + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }
}

/// The limits that a board sets, which must be within what the device can give.
fn within(ours: &Limits, wanted: &ProgramLimits) -> Result<Limits, (FailureCode, String)> {
    let mut limits = *ours;
    let pairs = [
        (
            "pages of memory",
            wanted.memory_pages,
            &mut limits.memory_pages,
        ),
        ("stack slots", wanted.stack_slots, &mut limits.stack_slots),
        ("nested calls", wanted.call_depth, &mut limits.call_depth),
        (
            "elements of a table",
            wanted.table_elements,
            &mut limits.table_elements,
        ),
        (
            "bytes of a module",
            wanted.module_bytes,
            &mut limits.module_bytes,
        ),
    ];
    for (what, wanted, limit) in pairs {
        let Some(wanted) = wanted else { continue };
        if wanted > *limit {
            let detail = format!(
                "the board wants {wanted} {what}, this device has {limit}; lower [limits] in the board file"
            );
            return fail(FailureCode::Limit, detail);
        }
        *limit = wanted;
    }
    Ok(limits)
}
