//! Pins the format of messages and trace records byte for byte, and the constant that names it.
//!
//! `BORGES_UPDATE=1 cargo test -p borges-wire --test golden` rewrites the file; the test then says
//! which number `SCHEMA` must be.
#![allow(clippy::unwrap_used)] // A test may give up.

use std::fmt::Write as _;
use std::path::Path;

use borges_wire::message::peer_schema;
use borges_wire::*;

fn commands() -> Vec<Command> {
    let any = Value::I32(-1);
    vec![
        Command::Hello {
            schema: 7,
            resume: None,
        },
        Command::Hello {
            schema: 7,
            resume: Some(Resume {
                epoch: Epoch(3),
                next_record: 300,
            }),
        },
        Command::Load {
            part: BlobKind::Program,
            hash: ContentHash(0x0102_0304_0506_0708),
            total: 1000,
            offset: 200,
            bytes: Bytes(vec![0, 97, 115, 109]),
        },
        Command::Load {
            part: BlobKind::Board,
            hash: ContentHash(1),
            total: 0,
            offset: 0,
            bytes: Bytes(vec![]),
        },
        Command::Load {
            part: BlobKind::State,
            hash: ContentHash(1),
            total: 1,
            offset: 0,
            bytes: Bytes(vec![255]),
        },
        Command::Begin {
            program: ContentHash(1),
            board: ContentHash(2),
            entry: 9,
            arguments: vec![
                Value::I32(-5),
                Value::I64(i64::MIN),
                Value::F32(1.5f32.to_bits()),
                Value::F64((-0.0f64).to_bits()),
                Value::FuncRef(None),
                Value::ExternRef(Some(4)),
            ],
        },
        Command::Run { until: None },
        Command::Run {
            until: Some(1 << 40),
        },
        Command::Pause,
        Command::SetBreakpoints(vec![0, 127, 128, u32::MAX]),
        Command::SetPrimitiveStops(vec![PrimitiveStop {
            primitive: 300,
            conditions: vec![
                Argument {
                    index: 0,
                    comparison: Comparison::Equal,
                    value: any,
                },
                Argument {
                    index: 1,
                    comparison: Comparison::NotEqual,
                    value: any,
                },
                Argument {
                    index: 2,
                    comparison: Comparison::Less,
                    value: any,
                },
                Argument {
                    index: 3,
                    comparison: Comparison::AtMost,
                    value: any,
                },
                Argument {
                    index: 4,
                    comparison: Comparison::Greater,
                    value: any,
                },
                Argument {
                    index: 5,
                    comparison: Comparison::AtLeast,
                    value: any,
                },
            ],
        }]),
        Command::SetWatches(vec![
            Watch::Memory {
                memory: 0,
                address: 65536,
                length: 4,
                access: WatchAccess::Read,
            },
            Watch::Global {
                index: 2,
                access: WatchAccess::Write,
            },
            Watch::Local {
                frame: 1,
                index: 3,
                access: WatchAccess::Any,
            },
        ]),
        Command::StopOnEvents(true),
        Command::SetMocks(vec![
            Mock {
                primitive: 2,
                calls: MockedCalls::All,
                values: vec![Value::I32(3), Value::I32(7)],
                payloads: vec![Bytes(vec![]), Bytes(b"hi".to_vec())],
                used: 1,
                end: MockEnd::Live,
            },
            Mock {
                primitive: 3,
                calls: MockedCalls::With(vec![Value::I32(14)]),
                values: vec![Value::F64(0)],
                payloads: vec![],
                used: 0,
                end: MockEnd::RepeatLast,
            },
            Mock {
                primitive: 4,
                calls: MockedCalls::About("/data/a".to_owned()),
                values: vec![Value::I32(-44)],
                payloads: vec![],
                used: 0,
                end: MockEnd::RepeatLast,
            },
            Mock {
                primitive: 5,
                calls: MockedCalls::Input(300),
                values: vec![Value::I32(2)],
                payloads: vec![Bytes(b"hi".to_vec())],
                used: 0,
                end: MockEnd::RepeatLast,
            },
            Mock {
                primitive: 6,
                calls: MockedCalls::File {
                    path: "/data/a".to_owned(),
                    from: 300,
                },
                values: vec![Value::I32(2)],
                payloads: vec![Bytes(b"hi".to_vec())],
                used: 0,
                end: MockEnd::RepeatLast,
            },
        ]),
        Command::Compensate {
            steps: 300,
            list: vec![Bytes(vec![1, 2]), Bytes(vec![])],
        },
        Command::Perform {
            steps: 70_000,
            primitive: 1,
            arguments: vec![any],
            memory: vec![MemoryBlob {
                address: 16,
                bytes: Bytes(b"hi".to_vec()),
            }],
        },
        Command::Apply {
            delta: Difference::Whole(Bytes(vec![66, 111])),
            next_record: 1000,
        },
        Command::Apply {
            delta: Difference::Loaded(ContentHash(3)),
            next_record: 0,
        },
        Command::Reset,
        Command::QueryState,
        Command::Inject {
            kind: 1,
            payload: Bytes(vec![9]),
        },
        Command::SetRecording {
            overflow: Overflow::StopRecording,
            check_every: 1 << 20,
        },
        Command::SetRecording {
            overflow: Overflow::Block,
            check_every: 0,
        },
        Command::BoardEvents(false),
    ]
}

/// Breaks the build when a command is added, so that it is added above as well.
fn command_number(command: &Command) -> usize {
    match command {
        Command::Hello { .. } => 0,
        Command::Load { .. } => 1,
        Command::Begin { .. } => 2,
        Command::Run { .. } => 3,
        Command::Pause => 4,
        Command::SetBreakpoints(..) => 5,
        Command::SetPrimitiveStops(..) => 6,
        Command::SetWatches(..) => 7,
        Command::StopOnEvents(..) => 8,
        Command::SetMocks(..) => 9,
        Command::Compensate { .. } => 10,
        Command::Perform { .. } => 11,
        Command::Apply { .. } => 12,
        Command::Reset => 13,
        Command::QueryState => 14,
        Command::Inject { .. } => 15,
        Command::SetRecording { .. } => 16,
        Command::BoardEvents(..) => 17,
    }
}
const COMMANDS: usize = 18;

fn reports() -> Vec<Report> {
    let id = RequestId(200);
    let mut reports = vec![
        Report::Welcome {
            schema: 7,
            device: "sim".into(),
            limits: DeviceLimits {
                message_bytes: 1,
                program_bytes: 2,
                delta_bytes: 3,
                memory_pages: 4,
                trace_bytes: 5,
                breakpoints: 6,
                watches: 7,
                mocks: 8,
            },
            program: Some(ContentHash(1)),
            board: None,
            status: DeviceStatus::Paused,
            steps: 1,
            state: 2,
            oldest_record: 3,
        },
        Report::Trace {
            first: 128,
            base: 1000,
            records: Bytes(vec![1, 2, 3]),
        },
        Report::Performed {
            id,
            captured: Bytes(vec![1]),
        },
        Report::State {
            id: Some(id),
            steps: 1,
            state: 2,
            next_record: 3,
        },
        Report::State {
            id: None,
            steps: 1,
            state: 2,
            next_record: 3,
        },
        Report::Done { id },
        Report::Overrun { steps: 77 },
        Report::Panic {
            text: "out of memory".into(),
        },
    ];
    let reasons = [
        PauseReason::Requested,
        PauseReason::Until,
        PauseReason::Breakpoint { offset: 130 },
        PauseReason::Watch {
            watch: 1,
            offset: 131,
        },
        PauseReason::Primitive { primitive: 2 },
        PauseReason::Event { kind: 3 },
        PauseReason::Finished {
            results: vec![Value::I32(1)],
        },
        PauseReason::Trapped { code: 4 },
        PauseReason::BoardFailed {
            primitive: 5,
            detail: "no such pin".into(),
        },
    ];
    for reason in reasons {
        reports.push(Report::Paused {
            reason,
            steps: 1 << 33,
            state: 5,
            next_record: 6,
        });
    }
    reports.extend(failures().map(|failure| Report::Failed { id, failure }));
    reports
}

fn failures() -> impl Iterator<Item = Failure> {
    let (wanted, most) = (300, 200);
    let measures = [
        Measure::Bytes(BlobKind::Program),
        Measure::Message,
        Measure::Breakpoints,
        Measure::Watches,
        Measure::Mocks,
        Measure::Instance,
        Measure::State,
        Measure::Pages,
        Measure::Slots,
        Measure::Calls,
        Measure::Elements,
        Measure::ModuleBytes,
    ];
    let limits = measures.map(|measure| Failure::Limit {
        measure,
        wanted,
        most,
    });
    let others = [
        Failure::Malformed,
        Failure::Schema { device: 7 },
        Failure::WatchesReads,
        Failure::NotBegun,
        Failure::Running,
        Failure::NotLoaded(BlobKind::Board),
        Failure::Epoch,
        Failure::Memory,
        Failure::Blob,
        Failure::Module { at: 128 },
        Failure::ModuleLimit {
            at: 128,
            wanted,
            most,
        },
        Failure::Import(1),
        Failure::Start,
        Failure::Entry,
        Failure::Board,
        Failure::NoInstruction(128),
        Failure::NoSuchInput,
        Failure::Event,
        Failure::Outside,
        Failure::State,
        Failure::Diverged,
        Failure::Hardware,
    ];
    limits.into_iter().chain(others)
}

/// Breaks the build when a report is added, so that it is added above as well.
fn report_number(report: &Report) -> usize {
    match report {
        Report::Welcome { .. } => 0,
        Report::Trace { .. } => 1,
        Report::Paused { .. } => 2,
        Report::Performed { .. } => 3,
        Report::State { .. } => 4,
        Report::Done { .. } => 5,
        Report::Failed { .. } => 6,
        Report::Overrun { .. } => 7,
        Report::Panic { .. } => 8,
    }
}
const REPORTS: usize = 9;

fn records() -> Vec<Record> {
    let record = |steps, kind| Record { steps, kind };
    vec![
        record(100, RecordKind::Input(Value::I32(0))),
        record(101, RecordKind::Input(Value::I32(4095))),
        record(16_400, RecordKind::Input(Value::I32(-8192))),
        record(16_401, RecordKind::Input(Value::I32(i32::MIN))),
        record(16_410, RecordKind::Input(Value::I64(i64::MIN))),
        record(16_420, RecordKind::Input(Value::F32(f32::NAN.to_bits()))),
        record(16_430, RecordKind::Input(Value::F64(1.0f64.to_bits()))),
        record(16_440, RecordKind::Input(Value::FuncRef(None))),
        record(16_441, RecordKind::Input(Value::ExternRef(Some(u32::MAX)))),
        record(16_450, RecordKind::Captured(Bytes(vec![1, 2, 3]))),
        record(
            16_451,
            RecordKind::Event {
                kind: 2,
                payload: Bytes(vec![14, 1]),
            },
        ),
        record(16_451, RecordKind::Pause),
        record(1 << 50, RecordKind::Captured(Bytes(vec![]))),
        record(
            (1 << 50) + 9,
            RecordKind::Filled(Value::I32(-3), Bytes(b"ok".to_vec())),
        ),
        record(
            (1 << 50) + 10,
            RecordKind::Filled(Value::I64(i64::MAX), Bytes(vec![])),
        ),
    ]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

fn golden_text() -> String {
    let mut text = String::new();
    for command in commands() {
        let message = ToDevice {
            epoch: Epoch(1),
            id: RequestId(2),
            command,
        };
        let bytes = message.to_bytes();
        assert_eq!(ToDevice::from_bytes(&bytes), Ok(message.clone()));
        let _ = writeln!(text, "{message:?}\n  {}", hex(&bytes));
    }
    for report in reports() {
        let message = ToHost {
            epoch: Epoch(1),
            report,
        };
        let bytes = message.to_bytes();
        assert_eq!(ToHost::from_bytes(&bytes), Ok(message.clone()));
        let _ = writeln!(text, "{message:?}\n  {}", hex(&bytes));
    }
    for record in records() {
        let mut encoder = TraceEncoder::new(100, 0);
        encoder.push(&record).unwrap();
        let _ = writeln!(
            text,
            "{record:?} after 100\n  {}",
            hex(&encoder.take().unwrap().bytes)
        );
    }
    text
}

#[test]
fn the_format_is_pinned() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/messages.txt");
    let text = golden_text();
    if std::env::var_os("BORGES_UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        text, expected,
        "the wire format changed; see the head of this file"
    );
    let schema = ContentHash::of(expected.as_bytes()).0 as u32;
    assert_eq!(
        SCHEMA, schema,
        "the format changed: SCHEMA must be 0x{schema:08x}"
    );
}

/// A whole conversation, from greeting to restart, as bytes on the line.
fn conversation() -> String {
    let mut text = String::new();
    let mut host = Endpoint::new(host(), 1);
    let mut device = Endpoint::new(Config::device(), 2);
    for round in 0..40u64 {
        let now = round * 10_000;
        match round {
            4 => host.send(Channel::Control, b"run").unwrap(),
            8 => (0..3).for_each(|n| device.send(Channel::Trace, &[n; 100]).unwrap()),
            12 => device
                .send(Channel::Console, "größer\n".as_bytes())
                .unwrap(),
            16 => device = Endpoint::new(Config::device(), 3),
            _ => {}
        }
        host.tick(now);
        device.tick(now);
        while let Some(frame) = host.transmit() {
            let _ = writeln!(text, "{now} host {}", hex(frame));
            device.feed(now, frame);
        }
        while let Some(frame) = device.transmit() {
            let _ = writeln!(text, "{now} device {}", hex(frame));
            host.feed(now, frame);
        }
        while let Some(incoming) = host.receive() {
            let _ = writeln!(text, "{now} host has {}", name(&incoming));
        }
        while let Some(incoming) = device.receive() {
            let _ = writeln!(text, "{now} device has {}", name(&incoming));
        }
    }
    text
}

fn name(incoming: &Incoming) -> String {
    match incoming {
        Incoming::Message(message) => {
            format!(
                "{:?} message of {} bytes",
                message.channel,
                message.bytes.len()
            )
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn frames_are_pinned() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/frames.txt");
    let text = conversation();
    if std::env::var_os("BORGES_UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        text, expected,
        "frames changed; if that is meant, their version must as well"
    );
}

#[test]
fn every_kind_of_message_is_in_the_golden_file() {
    let mut seen = [false; COMMANDS];
    commands()
        .iter()
        .for_each(|command| seen[command_number(command)] = true);
    assert_eq!(seen, [true; COMMANDS]);
    let mut seen = [false; REPORTS];
    reports()
        .iter()
        .for_each(|report| seen[report_number(report)] = true);
    assert_eq!(seen, [true; REPORTS]);
}

#[test]
fn a_greeting_of_another_version_still_tells_its_schema() {
    let hello = ToDevice {
        epoch: Epoch(900),
        id: RequestId(70_000),
        command: Command::Hello {
            schema: 0xdead_beef,
            resume: None,
        },
    };
    assert_eq!(peer_schema(&hello.to_bytes(), false), Some(0xdead_beef));
    let Some(welcome) = reports().into_iter().next() else {
        panic!("no reports")
    };
    let welcome = ToHost {
        epoch: Epoch(900),
        report: welcome,
    }
    .to_bytes();
    assert_eq!(peer_schema(&welcome, true), Some(7));
    // What another version says after the schema cannot be read here, and need not be.
    assert_eq!(peer_schema(&welcome[..4], true), Some(7));
    let other = ToHost {
        epoch: Epoch(900),
        report: Report::Overrun { steps: 1 },
    };
    assert_eq!(peer_schema(&other.to_bytes(), true), None);
    assert_eq!(peer_schema(&[], true), None);
}

/// The golden frames pin the format, not what a host of today chooses for its measures.
fn host() -> Config {
    Config {
        segment_bytes: 1024,
        ..Config::host()
    }
}
