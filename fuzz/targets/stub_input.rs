//! Whatever a device hears: no panic, bounded memory, and afterwards it answers who greets it properly.
//!
//! The first byte chooses how far an honest debugger has come before: nothing was said, connected, a program loaded, begun,
//! running. Then come raw bytes on the line, frames whose messages are anything, and well-formed commands.
#![no_main]

use std::sync::LazyLock;

use arbitrary::{Arbitrary, Unstructured};
use borges_board::Board;
use borges_sim::SimBoard;
use borges_stub::{Config, Stub};
use borges_vm::{Limits, Shared};
use borges_wire::{
    Bytes, Channel, Command, ContentHash, DeviceLimits, Endpoint, Epoch, Incoming, Part, Report,
    RequestId, SCHEMA, ToDevice, ToHost,
};
use libfuzzer_sys::fuzz_target;

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

/// What happens on the line.
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
}

/// A device and an honest end of its line.
struct Line {
    stub: Stub<SimBoard>,
    host: Endpoint,
    now: u64,
    last_id: u32,
    answered: bool,
}

impl Line {
    fn new() -> Self {
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
            slice: 200,
            endpoint,
            seed: 1,
        };
        Self {
            stub: Stub::new(config, Shared::new(board), ContentHash::of(b""), hardware),
            host: Endpoint::new(borges_wire::Config::host(), 2),
            now: 0,
            last_id: 0,
            answered: false,
        }
    }

    /// Bytes go both ways for a while.
    fn pass(&mut self, rounds: usize) {
        for _ in 0..rounds {
            self.now += 5_000;
            self.host.tick(self.now);
            while let Some(frame) = self.host.transmit() {
                self.stub.feed(self.now, frame);
            }
            self.stub.poll(self.now);
            while let Some(frame) = self.stub.transmit() {
                self.host.feed(self.now, frame);
            }
            while let Some(incoming) = self.host.receive() {
                if let Incoming::Message(message) = incoming
                    && let Ok(told) = ToHost::from_bytes(&message.bytes)
                {
                    self.answered |= matches!(told.report, Report::Welcome { .. });
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
        self.pass(3);
    }

    fn load(&mut self, part: Part, blob: &[u8]) {
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

    /// What an honest debugger says first, up to some point.
    fn begin(&mut self, stage: u8) {
        static BYTES: LazyLock<Vec<u8>> =
            LazyLock::new(|| wat::parse_str(PROGRAM).expect("the text is a module"));
        let program = BYTES.as_slice();
        if stage >= 1 {
            self.pass(12);
            self.greet();
        }
        if stage >= 2 {
            self.load(Part::Program, program);
        }
        if stage >= 3 {
            self.say(Command::Begin {
                program: ContentHash::of(program),
                board: ContentHash::of(b""),
                entry: 4,
                arguments: vec![borges_wire::Value::I32(0)],
            });
        }
        if stage >= 4 {
            self.say(Command::Run { until: None });
        }
    }

    fn greet(&mut self) {
        self.say(Command::Hello {
            schema: SCHEMA,
            resume: None,
        });
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
                let part = [Part::Program, Part::Board, Part::State][usize::from(part) % 3];
                self.load(part, bytes);
            }
            Happening::Wait(ms) => self.now += u64::from(ms) * 1000,
        }
        self.pass(2);
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((stage, rest)) = input.split_first() else {
        return;
    };
    let mut line = Line::new();
    line.begin(stage % 5);
    let mut source = Unstructured::new(rest);
    while let Ok(happening) = Happening::arbitrary(&mut source) {
        line.happen(&happening);
        if source.is_empty() {
            break;
        }
    }
    // Somebody who comes afterwards is answered: what raw bytes broke begins anew by itself.
    line.host = Endpoint::new(borges_wire::Config::host(), 3);
    line.stub.feed(line.now, &[0]);
    line.answered = false;
    for _ in 0..200 {
        line.pass(10);
        line.greet();
        if line.answered {
            return;
        }
    }
    panic!("the device does not answer any more");
});
