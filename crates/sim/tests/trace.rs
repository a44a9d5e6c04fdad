//! When a device sends what it records: together, soon, and all of it before the program stands still.

#![allow(clippy::unwrap_used)] // helpers of tests, not tests themselves

use borges_board::{Board, Shared};
use borges_sim::SimBoard;
use borges_stub::{Config, Stub};
use borges_vm::Limits;
use borges_wire::{
    Bytes, Channel, Command, ContentHash, DeviceLimits, Endpoint, Epoch, Incoming, Part, Report,
    RequestId, SCHEMA, ToDevice, ToHost, TraceDecoder,
};

/// Reads an input all the time.
const PROGRAM: &str = r#"(module
    (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
    (func (export "main") (loop $again (drop (call $read (i32.const 10))) (br $again))))"#;
const MAIN: u32 = 1;

/// A device and a host, for which a millisecond passes with every slice of the program.
struct Line {
    stub: Stub<SimBoard>,
    host: Endpoint,
    now_us: u64,
    last_id: u32,
    reports: Vec<(u64, Report)>,
}

impl Line {
    fn new() -> Self {
        let board = Board::default_board();
        let hardware = SimBoard::new(&board);
        let endpoint = borges_wire::Config::device();
        let vm = Limits::small();
        let config = Config {
            name: "traced".to_owned(),
            limits: DeviceLimits {
                message_bytes: endpoint.message_bytes,
                program_bytes: 8 << 10,
                delta_bytes: 8 << 10,
                memory_pages: vm.memory_pages,
                trace_bytes: 1024,
                breakpoints: 8,
                watches: 4,
                mocks: 8,
            },
            vm,
            slice: 5,
            endpoint,
            seed: 1,
        };
        Self {
            stub: Stub::new(config, Shared::new(board), ContentHash::of(b""), hardware),
            host: Endpoint::new(borges_wire::Config::host(), 2),
            now_us: 0,
            last_id: 0,
            reports: Vec::new(),
        }
    }

    fn pass(&mut self, milliseconds: u64) {
        for _ in 0..milliseconds {
            self.now_us += 1000;
            self.host.tick(self.now_us);
            while let Some(frame) = self.host.transmit() {
                self.stub.feed(self.now_us, frame);
            }
            self.stub.poll(self.now_us);
            while let Some(frame) = self.stub.transmit() {
                self.host.feed(self.now_us, frame);
            }
            while let Some(incoming) = self.host.receive() {
                if let Incoming::Message(message) = incoming {
                    let report = ToHost::from_bytes(&message.bytes).unwrap().report;
                    self.reports.push((self.now_us, report));
                }
            }
        }
    }

    fn say(&mut self, command: Command) {
        self.last_id += 1;
        let (epoch, id) = (Epoch(1), RequestId(self.last_id));
        let bytes = ToDevice { epoch, id, command }.to_bytes();
        self.host.send(Channel::Control, &bytes).unwrap();
        self.pass(3);
    }

    /// Lets the program run.
    fn run(&mut self) {
        let module = wat::parse_str(PROGRAM).unwrap();
        let program = ContentHash::of(&module);
        self.pass(100);
        self.say(Command::Hello {
            schema: SCHEMA,
            resume: None,
        });
        self.say(Command::Load {
            part: Part::Program,
            hash: program,
            total: module.len() as u32,
            offset: 0,
            bytes: Bytes(module),
        });
        self.say(Command::Begin {
            program,
            board: ContentHash::of(b""),
            entry: MAIN,
            arguments: Vec::new(),
        });
        self.say(Command::Run { until: None });
    }
}

#[test]
fn records_travel_together_and_arrive_in_time() {
    let mut line = Line::new();
    line.run();
    let (from, until) = (line.now_us, line.now_us + 1_000_000);
    line.pass(1000);
    let messages = line.reports.iter().filter_map(|(at, report)| match report {
        Report::Trace { .. } if *at > from => Some(*at),
        _ => None,
    });
    let times: Vec<u64> = [from].into_iter().chain(messages).chain([until]).collect();
    let longest = times.windows(2).map(|pair| pair[1] - pair[0]).max();
    // 50 ms in the stub, 5 at most at its end of the line, and the rest of a slice on either side.
    assert!(
        longest <= Some(57_000),
        "nothing arrived for {longest:?} µs"
    );
    assert!(
        times.len() < 25,
        "{} messages in a second, which records had to make up for",
        times.len() - 2
    );
}

#[test]
fn everything_is_there_when_the_program_stands_still() {
    let mut line = Line::new();
    line.run();
    // Longer than a record has to wait, and then a part of that.
    line.pass(120);
    line.say(Command::Pause);
    let mut records = 0;
    for (_, report) in &line.reports {
        match report {
            Report::Trace {
                first,
                base,
                records: bytes,
            } => {
                assert_eq!(*first, records, "one is missing before this message");
                records += TraceDecoder::new(*base, bytes).count() as u64;
            }
            Report::Paused { next_record, .. } => {
                assert!(records > 100, "the program has read {records} inputs");
                return assert_eq!(*next_record, records, "what it has read came before");
            }
            _ => {}
        }
    }
    panic!("it did not stand still: {:?}", line.reports);
}
