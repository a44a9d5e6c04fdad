//! Whatever a device hears, and whenever its power fails: no panic, bounded memory, and afterwards it answers who greets it
//! properly. After a restart it takes a program and runs it as a new device does.
//!
//! The first byte chooses how far an honest debugger has come before: nothing was said, connected, a program loaded, begun,
//! running; the second what is in the device's flash, if it has any. Then come raw bytes on the line, frames whose messages
//! are anything, and well-formed commands; programs are uploaded, lines cut, debuggers replaced, the device restarted.
#![no_main]

mod memory_flash;

use std::sync::LazyLock;

use arbitrary::{Arbitrary, Unstructured};
use borges_board::Board;
use borges_sim::SimBoard;
use borges_stub::{Config, Stub};
use borges_vm::{Limits, Shared};
use borges_wire::{
    BlobKind, Bytes, Channel, Command, ContentHash, DeviceLimits, Endpoint, Epoch, Incoming,
    PauseReason, Report, RequestId, Resume, SCHEMA, ToDevice, ToHost,
};
use libfuzzer_sys::fuzz_target;

use crate::memory_flash::Chip;

/// Reads inputs, writes outputs, subscribes to an interrupt, calls itself, grows its memory.
const PROGRAM: &str = r#"(module
    (import "env" "chip_digital_read" (func $read (param i32) (result i32)))
    (import "env" "chip_digital_write" (func $write (param i32 i32)))
    (import "env" "subscribe_interrupt" (func $subscribe (param i32 i32 i32)))
    (memory 0 1) (table 2 funcref) (elem (i32.const 0) $handler $handler)
    (global $sum (mut i32) (i32.const 0))
    (func $handler (param i32 i32 i32) (global.set $sum (local.get 0)))
    (func (export "main") (param $depth i32)
        (call $subscribe (i32.const 3) (i32.const 0) (i32.const 2))
        (drop (memory.grow (i32.const 1)))
        (loop $again
            (global.set $sum (i32.add (global.get $sum) (call $read (i32.const 1))))
            (call $write (i32.const 2) (i32.and (global.get $sum) (i32.const 1)))
            (br_if $again (i32.lt_u (global.get $sum) (i32.const 1000))))))"#;

/// So many steps of a program are held against those of a new device.
const STEPS: u64 = 300;

/// Programs that differ in length alone: within a page of flash, within a sector, longer than one, too long for a place.
static PROGRAMS: LazyLock<[Vec<u8>; 4]> = LazyLock::new(|| {
    [0, 600, 2000, 5000].map(|length: u16| {
        let mut program = wat::parse_str(PROGRAM).expect("the text is a module");
        // A custom section without a name.
        let more = usize::from(length);
        let low = (length + 1) as u8 | 0x80;
        program.extend([0, low, ((length + 1) >> 7) as u8, 0]);
        program.resize(program.len() + more, 0x55);
        program
    })
});

/// Where a new device is after [`STEPS`]: steps and hash of the state.
static REFERENCE: LazyLock<(u64, u64)> = LazyLock::new(|| Line::new(None).runs(&PROGRAMS[0]));

/// What happens to a device.
#[derive(Arbitrary, Debug)]
enum Happening<'a> {
    /// Bytes without any sense.
    Raw(&'a [u8]),
    /// A frame of the connection, whose message has none.
    Message(&'a [u8]),
    /// A command, whatever its numbers are.
    Command(&'a [u8]),
    /// A chunk of a blob that fits its announcement.
    Load { part: u8, bytes: &'a [u8] },
    /// Time passes.
    Wait(u16),
    /// A program is uploaded as it should be.
    Upload(u8),
    /// And started, if it is there.
    Start(u8),
    /// Nothing gets through for a while.
    Cut(u8),
    /// Another debugger comes, or the same one after a restart of its own.
    Reconnect { seed: u32, next_record: Option<u8> },
    /// From now on flash is changed so many times at most, until the device restarts.
    Power(u8),
    /// The device restarts.
    Restart,
}

/// A device and an honest end of its line.
struct Line {
    stub: Stub<SimBoard>,
    flash: Option<Chip>,
    host: Endpoint,
    now: u64,
    starts: u32,
    last_id: u32,
    /// What the device has told since somebody last looked.
    told: Vec<Report>,
}

/// A device that has just started.
fn device(flash: Option<&Chip>, seed: u32) -> Stub<SimBoard> {
    let board = Board::default_board();
    let hardware = SimBoard::new(&board);
    let vm = Limits::small();
    let endpoint = borges_wire::Config::device();
    let config = Config {
        name: String::from("fuzzed"),
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
        slice: 50,
        endpoint,
        seed,
    };
    let mut stub = Stub::new(config, Shared::new(board), ContentHash::of(b""), hardware);
    if let Some(flash) = flash {
        stub.keep_programs_in(Box::new(flash.clone()));
    }
    stub
}

impl Line {
    fn new(flash: Option<Chip>) -> Self {
        Self {
            stub: device(flash.as_ref(), 1),
            flash,
            host: Endpoint::new(borges_wire::Config::host(), 2),
            now: 0,
            starts: 1,
            last_id: 0,
            told: Vec::new(),
        }
    }

    /// The device starts again, with the power that it needs.
    fn restart(&mut self) {
        self.starts += 1;
        if let Some(flash) = &self.flash {
            flash.set_power(u32::MAX);
        }
        self.stub = device(self.flash.as_ref(), self.starts);
    }

    /// Bytes go both ways for a while.
    fn pass(&mut self, rounds: usize) {
        self.turn(rounds, true);
    }

    fn turn(&mut self, rounds: usize, arrives: bool) {
        for _ in 0..rounds {
            self.now += 5_000;
            self.host.tick(self.now);
            while let Some(frame) = self.host.transmit() {
                if arrives {
                    self.stub.feed(self.now, frame);
                }
            }
            self.stub.poll(self.now);
            while let Some(frame) = self.stub.transmit() {
                if arrives {
                    self.host.feed(self.now, frame);
                }
            }
            while let Some(incoming) = self.host.receive() {
                if let Incoming::Message(message) = incoming
                    && let Ok(told) = ToHost::from_bytes(&message.bytes)
                {
                    self.told.push(told.report);
                }
            }
        }
        // 8 KiB for the line, and the commands that wait for it.
        assert!(self.stub.endpoint().memory_bytes() < 64 << 10);
    }

    fn say(&mut self, command: Command) {
        self.last_id += 1;
        let id = RequestId(self.last_id);
        let epoch = Epoch(1);
        let message = ToDevice { epoch, id, command }.to_bytes();
        let _room = self.host.send(Channel::Control, &message);
        self.told.clear();
        self.pass(3);
    }

    fn load(&mut self, part: BlobKind, blob: &[u8]) {
        let (hash, total) = (ContentHash::of(blob), blob.len() as u32);
        for (i, bytes) in blob.chunks(800).enumerate() {
            let (offset, bytes) = (800 * i as u32, Bytes::from(bytes));
            self.say(Command::Load {
                part,
                hash,
                total,
                offset,
                bytes,
            });
        }
    }

    fn start(&mut self, program: &[u8]) {
        self.say(Command::Begin {
            program: ContentHash::of(program),
            board: ContentHash::of(b""),
            entry: 4,
            arguments: vec![borges_wire::Value::I32(0)],
        });
    }

    /// What an honest debugger says first, up to some point.
    fn begin(&mut self, stage: u8) {
        if stage >= 1 {
            self.pass(12);
            self.greet(None);
        }
        if stage >= 2 {
            self.load(BlobKind::Program, &PROGRAMS[0]);
        }
        if stage >= 3 {
            self.start(&PROGRAMS[0]);
        }
        if stage >= 4 {
            self.say(Command::Run { until: None });
        }
    }

    fn greet(&mut self, resume: Option<Resume>) {
        let schema = SCHEMA;
        self.say(Command::Hello { schema, resume });
    }

    /// Somebody comes whom the device must answer: what raw bytes broke begins anew by itself.
    fn meet(&mut self, seed: u32) {
        self.host = Endpoint::new(borges_wire::Config::host(), seed);
        self.stub.feed(self.now, &[0]);
        for _ in 0..200 {
            self.pass(10);
            self.greet(None);
            if self
                .told
                .iter()
                .any(|report| matches!(report, Report::Welcome { .. }))
            {
                return;
            }
        }
        panic!("the device does not answer any more");
    }

    /// Uploads a program to a device that has just started, and runs it for [`STEPS`]: where that ends.
    fn runs(&mut self, program: &[u8]) -> (u64, u64) {
        self.meet(9);
        self.load(BlobKind::Program, program);
        self.start(program);
        self.say(Command::Run { until: Some(STEPS) });
        for _ in 0..50 {
            for report in &self.told {
                if let Report::Paused {
                    reason,
                    steps,
                    state,
                    ..
                } = report
                {
                    assert_eq!(*reason, PauseReason::Until);
                    return (*steps, *state);
                }
            }
            self.pass(1);
        }
        panic!("the device does not run a program: {:?}", self.told);
    }

    fn happen(&mut self, happening: &Happening<'_>) {
        match *happening {
            Happening::Raw(bytes) => self.stub.feed(self.now, bytes),
            Happening::Message(bytes) => {
                let _room = self.host.send(Channel::Control, bytes);
            }
            Happening::Command(bytes) => {
                // Whatever command the bytes are, in the present epoch and with a number of its own.
                let message = [&[1, 1][..], bytes].concat();
                if let Ok(ToDevice { command, .. }) = ToDevice::from_bytes(&message) {
                    self.say(command);
                }
            }
            Happening::Load { part, bytes } => {
                let part =
                    [BlobKind::Program, BlobKind::Board, BlobKind::State][usize::from(part) % 3];
                self.load(part, bytes);
            }
            Happening::Wait(ms) => self.now += u64::from(ms) * 1000,
            Happening::Upload(which) => self.load(BlobKind::Program, chosen(which)),
            Happening::Start(which) => {
                self.start(chosen(which));
                self.say(Command::Run { until: None });
            }
            Happening::Cut(rounds) => self.turn(rounds.into(), false),
            Happening::Reconnect { seed, next_record } => {
                self.host = Endpoint::new(borges_wire::Config::host(), seed);
                self.pass(12);
                self.greet(next_record.map(|next_record| Resume {
                    epoch: Epoch(1),
                    next_record: next_record.into(),
                }));
            }
            Happening::Power(changes) => {
                if let Some(flash) = &self.flash {
                    flash.set_power(changes.into());
                }
            }
            Happening::Restart => self.restart(),
        }
        self.pass(2);
        self.told.clear();
    }
}

fn chosen(which: u8) -> &'static [u8] {
    &PROGRAMS[usize::from(which) % PROGRAMS.len()]
}

fuzz_target!(|input: &[u8]| {
    let [stage, flash, rest @ ..] = input else {
        return;
    };
    let expected = *REFERENCE;
    let flash = [None, Some(0xff), Some(0), Some(0x5a)][usize::from(*flash) % 4];
    let mut line = Line::new(flash.map(Chip::filled));
    line.begin(stage % 5);
    let mut source = Unstructured::new(rest);
    while let Ok(happening) = Happening::arbitrary(&mut source) {
        line.happen(&happening);
        if source.is_empty() {
            break;
        }
    }
    line.meet(3);
    line.restart();
    assert_eq!(line.runs(&PROGRAMS[0]), expected);
});
