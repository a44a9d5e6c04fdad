//! What tracing costs: the same program on the same simulated board, plainly and under a stub that sends its trace.

use std::time::Instant;

use borges_board::{Board, Driver, Shared as BoardShared};
use borges_sim::SimBoard;
use borges_stub::{Answer, Call, Config, Halt, Program, Stub, World, execute};
use borges_vm::{FuncIdx, Limits, Machine, Module, Shared, Value};
use borges_wire::{
    BlobKind, Channel, Command, ContentHash, DeviceLimits, Endpoint, Epoch, Incoming, LOAD_OVERHEAD, PauseReason,
    Report, RequestId, SCHEMA, ToDevice, ToHost,
};

use crate::{cpu_time_ns, percentile};

struct Case {
    name: &'static str,
    wasm: &'static [u8],
    board: &'static str,
    entry: &'static str,
    n: i32,
    /// What the issue allows, in percent.
    allowed: f64,
}

const CASES: &[Case] = &[
    Case {
        name: "crc32",
        wasm: include_bytes!("../../kernels/crc32.wasm"),
        board: "",
        entry: "run",
        n: 500,
        allowed: 2.0,
    },
    Case {
        name: "nbody",
        wasm: include_bytes!("../../kernels/nbody.wasm"),
        board: "",
        entry: "run",
        n: 250,
        allowed: 2.0,
    },
    Case {
        name: "quicksort",
        wasm: include_bytes!("../../kernels/quicksort.wasm"),
        board: "",
        entry: "run",
        n: 25,
        allowed: 2.0,
    },
    Case {
        name: "breakout",
        wasm: include_bytes!("../programs/breakout.wasm"),
        board: include_str!("../programs/breakout.toml"),
        entry: "main",
        n: 10_000,
        allowed: 5.0,
    },
];

/// A case, loaded.
struct Loaded {
    board: Board,
    program: Program,
    entry: FuncIdx,
    arguments: Vec<Value>,
}

/// What a run came to.
struct Outcome {
    ns: f64,
    steps: u64,
    /// Bytes that the device sent.
    sent: usize,
    /// Records of its trace.
    records: u64,
}

/// A world that records nothing.
struct Plain<'a> {
    board: &'a Board,
    driver: Driver<SimBoard>,
}

impl World for Plain<'_> {
    fn input(&mut self, call: &Call<'_>) -> Answer {
        self.driver.at(call.steps);
        let size = call.memory.len();
        match self.driver.input(self.board, call.primitive, call.args, size) {
            Ok(yielded) => Answer::brought(self.board, call, &yielded),
            Err(_) => Answer::Trap,
        }
    }

    fn output(&mut self, call: &Call<'_>) -> Answer {
        self.driver.at(call.steps);
        match self.driver.output(self.board, call.primitive, call.args, call.memory) {
            Ok(done) => Answer::Value(done.result),
            Err(_) => Answer::Trap,
        }
    }
}

impl Loaded {
    fn new(case: &Case) -> Result<Self, String> {
        let board = match case.board {
            "" => Board::default_board(),
            text => Board::parse(case.name, text).map_err(|e| e.to_string())?,
        };
        let module = Module::new(case.wasm, &Limits::default()).map_err(|e| e.to_string())?;
        let program = Program::new(Shared::new(module), BoardShared::new(board.clone())).map_err(|e| e.to_string())?;
        let entry = program.entry(Some(case.entry)).map_err(|e| e.to_string())?;
        Ok(Self {
            board,
            program,
            entry,
            arguments: vec![Value::I32(case.n)],
        })
    }

    fn plain(&self) -> Result<Outcome, String> {
        let mut machine = Machine::new(self.program.module.clone(), Limits::default()).map_err(|e| e.to_string())?;
        machine.begin(self.entry, &self.arguments).map_err(|e| e.to_string())?;
        let driver = Driver::new(&self.board, SimBoard::new(&self.board));
        let mut world = Plain {
            board: &self.board,
            driver,
        };
        let start = cpu_time_ns();
        let halt = execute(&mut machine, &self.program, &mut world, u64::MAX);
        let ns = (cpu_time_ns() - start) as f64;
        match halt {
            Halt::Finished => Ok(Outcome {
                ns,
                steps: machine.steps(),
                sent: 0,
                records: 0,
            }),
            halt => Err(format!("the plain run ended with {halt:?}")),
        }
    }

    fn traced(&self, wasm: &[u8]) -> Result<Outcome, String> {
        let limits = DeviceLimits {
            message_bytes: 1 << 16,
            program_bytes: 1 << 24,
            delta_bytes: u32::MAX,
            memory_pages: 1 << 16,
            trace_bytes: 1 << 20,
            breakpoints: 1 << 16,
            watches: 256,
            mocks: 1 << 16,
        };
        let config = Config {
            name: "bench".into(),
            limits,
            vm: Limits::default(),
            slice: borges_session::Options::new("").device_slice,
            endpoint: borges_wire::Config {
                message_bytes: 1 << 20,
                send_bytes: 1 << 20,
                segment_bytes: 4096,
                window: 32,
                batch_us: 2_000,
                ..borges_wire::Config::device()
            },
            seed: 1,
        };
        let board = ContentHash::of(b"bench");
        let stub = Stub::new(
            config,
            BoardShared::new(self.board.clone()),
            board,
            SimBoard::new(&self.board),
        );
        let mut line = Line::new(stub);
        line.ask(Command::Hello {
            schema: SCHEMA,
            resume: None,
        })?;
        let program = ContentHash::of(wasm);
        let chunk = (limits.message_bytes - LOAD_OVERHEAD) as usize;
        for (number, bytes) in wasm.chunks(chunk).enumerate() {
            let (total, offset) = (wasm.len() as u32, (number * chunk) as u32);
            line.ask(Command::Load {
                part: BlobKind::Program,
                hash: program,
                total,
                offset,
                bytes: bytes.into(),
            })?;
        }
        let arguments = self
            .arguments
            .iter()
            .map(|value| borges_stub::to_wire(*value))
            .collect();
        line.ask(Command::Begin {
            program,
            board,
            entry: self.entry.0,
            arguments,
        })?;
        (line.device_ns, line.sent) = (0, 0);
        line.post(Command::Run { until: None });
        loop {
            match line.next()? {
                Report::Paused {
                    reason: PauseReason::Finished { .. },
                    steps,
                    next_record,
                    ..
                } => {
                    return Ok(Outcome {
                        ns: line.device_ns as f64,
                        steps,
                        sent: line.sent,
                        records: next_record,
                    });
                }
                Report::Done { .. } | Report::Trace { .. } => {}
                other => return Err(format!("the device said {other:?}")),
            }
        }
    }
}

/// A device at one end, and at the other a host that reads and acknowledges.
struct Line {
    stub: Stub<SimBoard>,
    host: Endpoint,
    since: Instant,
    last_id: u32,
    bytes: Vec<u8>,
    device_ns: u64,
    sent: usize,
}

impl Line {
    fn new(stub: Stub<SimBoard>) -> Self {
        let host = Endpoint::new(borges_wire::Config::host(), 7);
        Self {
            stub,
            host,
            since: Instant::now(),
            last_id: 0,
            bytes: Vec::new(),
            device_ns: 0,
            sent: 0,
        }
    }

    fn post(&mut self, command: Command) {
        self.last_id += 1;
        let bytes = ToDevice {
            epoch: Epoch(1),
            id: RequestId(self.last_id),
            command,
        }
        .to_bytes();
        while self.host.send(Channel::Control, &bytes).is_err() {
            self.turn();
        }
    }

    fn ask(&mut self, command: Command) -> Result<(), String> {
        self.post(command);
        match self.next()? {
            Report::Failed { failure, .. } => Err(format!("the device refused: {failure}")),
            _ => Ok(()),
        }
    }

    fn next(&mut self) -> Result<Report, String> {
        loop {
            while let Some(incoming) = self.host.receive() {
                if let Incoming::Message(message) = incoming {
                    return Ok(ToHost::from_bytes(&message.bytes).map_err(|e| format!("{e:?}"))?.report);
                }
            }
            self.turn();
        }
    }

    /// Moves bytes both ways once; only what the device does is timed.
    fn turn(&mut self) {
        let now_us = self.since.elapsed().as_micros() as u64;
        self.host.tick(now_us);
        self.bytes.clear();
        while let Some(frame) = self.host.transmit() {
            self.bytes.extend_from_slice(frame);
        }
        let start = cpu_time_ns();
        self.stub.feed(now_us, &self.bytes);
        self.stub.poll(now_us);
        self.bytes.clear();
        while let Some(frame) = self.stub.transmit() {
            self.bytes.extend_from_slice(frame);
        }
        self.device_ns += cpu_time_ns() - start;
        self.sent += self.bytes.len();
        self.host.feed(now_us, &self.bytes);
    }
}

pub fn run(rounds: usize) -> Result<(), String> {
    println!(
        "{rounds} rounds, interleaved, CPU time. Other work on the machine only ever adds to a run, so the fastest"
    );
    println!("runs are held against each other; beside it the median of the rounds' own ratios.\n");
    println!("| program | plain | instructions | records | bytes sent | tracing costs | median | allowed |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for case in CASES {
        let loaded = Loaded::new(case)?;
        let (mut plain, mut traced, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        let mut last = None;
        // Round 0 warms up.
        for round in 0..=rounds {
            let (bare, under);
            if round % 2 == 0 {
                bare = loaded.plain()?;
                under = loaded.traced(case.wasm)?;
            } else {
                under = loaded.traced(case.wasm)?;
                bare = loaded.plain()?;
            }
            if bare.steps != under.steps {
                return Err(format!(
                    "{}: {} steps plainly, {} traced",
                    case.name, bare.steps, under.steps
                ));
            }
            if round > 0 {
                ratios.push(under.ns / bare.ns);
                plain.push(bare.ns);
                traced.push(under.ns);
            }
            last = Some(under);
        }
        let Some(outcome) = last else { continue };
        let (bare, under) = (percentile(&mut plain, 0), percentile(&mut traced, 0));
        let costs = |ratio: f64| (ratio - 1.0) * 100.0;
        println!(
            "| {} | {:.2} ms | {:.1} M | {} | {} | **{:+.1} %** | {:+.1} % | {} % |",
            case.name,
            bare / 1e6,
            outcome.steps as f64 / 1e6,
            outcome.records,
            outcome.sent,
            costs(under / bare),
            costs(percentile(&mut ratios, 50)),
            case.allowed
        );
    }
    Ok(())
}
