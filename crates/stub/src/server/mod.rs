//! The stub: commands in, reports out, and the program in slices between them.

mod begin;
mod restore;
mod run;
mod stops;

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use borges_board::{Board, BoardState, Driver, Event, Hardware};
use borges_vm::{CodeOffset, LimitExceeded, Limits, Machine, Shared};
use borges_wire::{
    Bytes, Channel, Command, ContentHash, DeviceLimits, Endpoint, Epoch, Failure, Incoming,
    Measure, Mock, Overflow, PrimitiveStop, Record, RecordKind, Report, RequestId, SCHEMA,
    ToDevice, ToHost, TraceEncoder,
};

use crate::execute::Program;
use crate::mocks::Mocks;
use crate::shelf::Flash;
use crate::upload::{Chunk, Uploads};
use crate::world::mock_fits;

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
    /// When the oldest record that still waits was first seen, in microseconds.
    trace_since: Option<u64>,
    running: Option<Running>,
    /// An event that was taken from the hardware and not delivered yet.
    held: Option<Event>,
    /// Next step at which a regular check is due.
    next_check: u64,
}

impl Begun {
    fn state(&self, id: Option<RequestId>) -> Report {
        Report::State {
            id,
            steps: self.machine.steps(),
            state: self.machine.hash().0,
            next_record: self.trace.next_record(),
        }
    }

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
    /// In a box, because to move it takes code.
    begun: Option<Box<Begun>>,
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

type Done = Result<Option<Report>, Failure>;

/// Refuses more of something than this device can take.
fn check(measure: Measure, wanted: u64, most: u32) -> Result<(), Failure> {
    let most = u64::from(most);
    if wanted > most {
        return Err(Failure::Limit {
            measure,
            wanted,
            most,
        });
    }
    Ok(())
}

/// What the VM's limit means for the host.
fn over(measure: Measure, passed: &LimitExceeded) -> Failure {
    Failure::Limit {
        measure,
        wanted: passed.wanted,
        most: passed.limit,
    }
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

    /// Keeps programs in flash from now on, where they run and survive a restart. Whatever the flash does, the device
    /// answers: with no program, or with one that was kept in memory.
    pub fn keep_programs_in(&mut self, flash: Box<dyn Flash>) {
        self.uploads.keep_in(flash);
        let most = self.uploads.longest_program(self.config.vm.module_bytes);
        self.config.vm.module_bytes = most;
        self.program_limits.module_bytes = most;
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

    /// Whether a program runs that does not go on before a delay has passed.
    pub fn is_waiting(&mut self) -> bool {
        let begun = self.begun.as_ref();
        begun.is_some_and(|begun| begun.running.is_some()) && !self.driver.settled()
    }

    /// Instructions between two looks at the link.
    pub fn slice_steps(&self) -> u64 {
        self.config.slice
    }

    /// Looks at the link more or less often. What a program does depends on it no more than on the link's speed.
    pub fn set_slice_steps(&mut self, steps: u64) {
        self.config.slice = steps.max(1);
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
        self.flush_trace_in_time(now_us);
        let ran = self.slice();
        self.drain();
        if ran { Poll::Busy } else { Poll::Idle }
    }

    // Seldom called, by `poll`, which must stay short.
    #[inline(never)]
    fn message(&mut self, bytes: &[u8]) {
        let Ok(ToDevice { epoch, id, command }) = ToDevice::from_bytes(bytes) else {
            let failure = match borges_wire::peer_schema(bytes, false) {
                Some(_) => Failure::Schema { device: SCHEMA },
                None => Failure::Malformed,
            };
            let id = RequestId::default();
            return self.report(Report::Failed { id, failure });
        };
        // Who greets may be another host, which counts anew.
        if epoch < self.epoch && !matches!(command, Command::Hello { .. }) {
            let failure = Failure::Epoch;
            return self.report(Report::Failed { id, failure });
        }
        self.epoch = epoch;
        match self.carry_out(id, command) {
            Ok(Some(report)) => self.report(report),
            Ok(None) => self.report(Report::Done { id }),
            Err(failure) => self.report(Report::Failed { id, failure }),
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
            Command::SetMocks(mocks) => self.set_mocks(mocks),
            Command::Compensate { steps, list } => self.compensate(steps, &list),
            Command::Perform {
                steps,
                primitive,
                arguments,
                memory,
            } => self.perform(id, steps, primitive, &arguments, &memory),
            Command::Apply { delta, next_record } => self.apply(id, delta, next_record),
            Command::Reset => self.reset(),
            Command::QueryState => self.state(id),
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

    /// The program, if it stands still.
    fn set_mocks(&mut self, mocks: Vec<Mock>) -> Done {
        check(Measure::Mocks, mocks.len() as u64, self.config.limits.mocks)?;
        if !mocks.iter().all(|mock| mock_fits(&self.board, mock)) {
            return Err(Failure::NoSuchInput);
        }
        self.mocks = Mocks::new(mocks);
        Ok(None)
    }

    fn reset(&mut self) -> Done {
        self.leave();
        self.mocks = Mocks::default();
        self.stops.clear();
        self.breakpoints.clear();
        self.watches.clear();
        self.board_events = true;
        (self.overflow, self.check_every) = (Overflow::Block, 0);
        self.driver.discard_events();
        Ok(None)
    }

    fn state(&mut self, id: RequestId) -> Done {
        self.paused()?;
        // An injected event may wait: the records up to the number that is answered go first.
        self.flush_trace();
        Ok(Some(self.paused()?.state(Some(id))))
    }

    fn paused(&mut self) -> Result<&mut Begun, Failure> {
        match &mut self.begun {
            None => Err(Failure::NotBegun),
            Some(begun) if begun.running.is_some() => Err(Failure::Running),
            Some(begun) => Ok(begun),
        }
    }

    fn steps(&self) -> u64 {
        self.begun.as_ref().map_or(0, |begun| begun.machine.steps())
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
