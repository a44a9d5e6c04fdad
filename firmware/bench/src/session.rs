//! What a session costs a device: a program plainly, under a stub that sends its trace, and with a state saved at every
//! primitive, as debuggers without a trace have to.
#![no_std]
#![no_main]

extern crate alloc;

mod chip;
mod emulated;

use alloc::string::String;
use alloc::vec::Vec;

use borges_board::{Board, Driver, Hardware, Shared};
use borges_firmware::Pins;
use borges_stub::{Answer, Call, Config, Halt, Program, Stub, World, execute};
use borges_vm::{Limits, Machine, Module};
use borges_wire::{
    BlobKind, Channel, Command, ContentHash, DeviceLimits, Endpoint, Epoch, Incoming,
    LOAD_OVERHEAD, PauseReason, Report, RequestId, SCHEMA, ToDevice, ToHost,
};

use crate::chip::Nothing;
use crate::emulated::{begin, end, result};

/// The program, and up to which step it runs.
const BREAKOUT: &[u8] = include_bytes!("../../../examples/breakout/breakout.wasm");
const STEPS: u64 = 50_000;

#[cortex_m_rt::entry]
fn main() -> ! {
    emulated::start();
    plain();
    traced();
    saved();
    emulated::stop()
}

fn limits() -> Limits {
    Limits {
        memory_bytes: emulated::MEMORY_BYTES.into(),
        ..Limits::small()
    }
}

fn program() -> Program {
    let module = Module::new(BREAKOUT, &limits()).expect("the example is a module");
    let module = borges_vm::Shared::new(module);
    Program::new(module, Shared::new(Board::default_board())).expect("the board has its primitives")
}

fn machine(program: &Program) -> Machine {
    let mut machine = Machine::new(program.module.clone(), limits()).expect("it fits");
    let entry = program.entry(None).expect("it has a main function");
    let arguments = program.entry_arguments(entry);
    machine.begin(entry, &arguments).expect("it takes these");
    machine
}

/// A world that records nothing.
struct Plain<'a> {
    board: &'a Board,
    driver: Driver<Pins<Nothing>>,
    /// Halt after each call, to save the state.
    halts: bool,
}

impl Plain<'_> {
    fn new(board: &Board, halts: bool) -> Plain<'_> {
        let driver = Driver::new(board, Pins::new(Nothing::default()));
        Plain {
            board,
            driver,
            halts,
        }
    }
}

impl World for Plain<'_> {
    fn input(&mut self, call: &Call<'_>) -> Answer {
        self.driver.at(call.steps);
        let memory = call.memory.len();
        match self
            .driver
            .input(self.board, call.primitive, call.args, memory)
        {
            Ok(yielded) => Answer::brought(self.board, call, &yielded),
            Err(_) => Answer::Trap,
        }
    }

    fn output(&mut self, call: &Call<'_>) -> Answer {
        self.driver.at(call.steps);
        match self
            .driver
            .output(self.board, call.primitive, call.args, call.memory)
        {
            Ok(done) => Answer::Value(done.result),
            Err(_) => Answer::Trap,
        }
    }

    fn yields(&mut self) -> bool {
        // A delay lasts until the hardware says that it is over.
        self.halts || !self.driver.settled()
    }
}

/// Without a session.
fn plain() {
    let program = program();
    let board = program.board.clone();
    let mut machine = machine(&program);
    let mut world = Plain::new(&board, false);
    begin();
    while execute(&mut machine, &program, &mut world, STEPS) == Halt::Yield {
        end(true);
        wait(&mut world.driver);
        begin();
    }
    end(true);
    result(0, machine.steps());
}

/// Waits for the end of a delay, which does not count: the device has nothing else to do.
fn wait(driver: &mut Driver<Pins<Nothing>>) {
    while !driver.settled() {}
}

/// With a saved state after each call: the bytes that would have to be sent.
fn saved() {
    let program = program();
    let board = program.board.clone();
    let mut machine = machine(&program);
    let mut world = Plain::new(&board, true);
    let mut bytes = 0;
    begin();
    while execute(&mut machine, &program, &mut world, STEPS) == Halt::Yield {
        bytes += machine.save().len();
        end(true);
        wait(&mut world.driver);
        begin();
    }
    end(true);
    result(bytes as u32, machine.steps());
}

/// With a session: the bytes that were sent.
fn traced() {
    let program = ContentHash::of(BREAKOUT);
    let board = ContentHash::of(b"");
    let mut line = Line::new();
    line.ask(Command::Hello {
        schema: SCHEMA,
        resume: None,
    });
    let chunk = (borges_wire::Config::device().message_bytes - LOAD_OVERHEAD) as usize;
    for (number, bytes) in BREAKOUT.chunks(chunk).enumerate() {
        let (total, offset) = (BREAKOUT.len() as u32, (number * chunk) as u32);
        let (part, hash, bytes) = (BlobKind::Program, program, bytes.into());
        line.ask(Command::Load {
            part,
            hash,
            total,
            offset,
            bytes,
        });
    }
    let entry = self::program()
        .entry(None)
        .expect("it has a main function")
        .0;
    line.ask(Command::Begin {
        program,
        board,
        entry,
        arguments: Vec::new(),
    });
    line.counts = true;
    line.sent = 0;
    line.post(Command::Run { until: Some(STEPS) });
    let steps = loop {
        match line.next() {
            Report::Paused {
                reason: PauseReason::Until,
                steps,
                ..
            } => break steps,
            Report::Done { .. } | Report::Trace { .. } => {}
            _ => panic!("nothing else happens"),
        }
    };
    result(line.sent, steps);
}

/// A device at one end, and at the other a host that reads and acknowledges. Only what the device does counts.
struct Line {
    stub: Stub<Pins<Nothing>>,
    host: Endpoint,
    last_id: u32,
    now_us: u64,
    bytes: Vec<u8>,
    counts: bool,
    sent: u32,
}

impl Line {
    fn new() -> Self {
        let endpoint = borges_wire::Config::device();
        // As a Pico's.
        let config = Config {
            name: String::from("bench"),
            limits: DeviceLimits {
                message_bytes: endpoint.message_bytes,
                program_bytes: 48 * 1024,
                delta_bytes: 32 * 1024,
                memory_pages: 1,
                trace_bytes: 4096,
                breakpoints: 64,
                watches: 8,
                mocks: 256,
            },
            vm: limits(),
            slice: 5000,
            endpoint,
            seed: 1,
        };
        let host = borges_wire::Config {
            message_bytes: 4096,
            send_bytes: 4096,
            segment_bytes: 240,
            ..borges_wire::Config::host()
        };
        let pins = Pins::new(Nothing::default());
        let board = Shared::new(Board::default_board());
        Self {
            stub: Stub::new(config, board, ContentHash::of(b""), pins),
            host: Endpoint::new(host, 7),
            last_id: 0,
            now_us: 0,
            bytes: Vec::new(),
            counts: false,
            sent: 0,
        }
    }

    fn post(&mut self, command: Command) {
        self.last_id += 1;
        let (epoch, id) = (Epoch(1), RequestId(self.last_id));
        let bytes = ToDevice { epoch, id, command }.to_bytes();
        while self.host.send(Channel::Control, &bytes).is_err() {
            self.turn();
        }
    }

    fn ask(&mut self, command: Command) {
        self.post(command);
        if let Report::Failed { .. } = self.next() {
            panic!("the device refused");
        }
    }

    fn next(&mut self) -> Report {
        loop {
            while let Some(incoming) = self.host.receive() {
                if let Incoming::Message(message) = incoming {
                    return ToHost::from_bytes(&message.bytes)
                        .expect("our own device")
                        .report;
                }
            }
            self.turn();
        }
    }

    /// Moves bytes both ways once.
    fn turn(&mut self) {
        // A slice of the program takes about as long.
        self.now_us += 2000;
        self.host.tick(self.now_us);
        self.bytes.clear();
        while let Some(frame) = self.host.transmit() {
            self.bytes.extend_from_slice(frame);
        }
        // The program's delays do not count here either, but for what the line needs meanwhile.
        let works = self.stub.hardware_mut().settled() || !self.bytes.is_empty();
        if self.counts {
            begin();
        }
        self.stub.feed(self.now_us, &self.bytes);
        self.stub.poll(self.now_us);
        self.bytes.clear();
        while let Some(frame) = self.stub.transmit() {
            self.bytes.extend_from_slice(frame);
        }
        if self.counts {
            end(works || !self.bytes.is_empty());
        }
        self.sent += self.bytes.len() as u32;
        self.host.feed(self.now_us, &self.bytes);
    }
}
