//! The loop of a device: bytes in, one slice of the program, bytes out.

use alloc::boxed::Box;
use alloc::string::String;

use borges_board::{Board, Shared};
use borges_stub::{Config, Flash, Stub};
use borges_vm::Limits;
use borges_wire::link::Outgoing;
use borges_wire::{ContentHash, DeviceLimits, Speed};

use crate::{Chip, Pins};

/// How much a device can take.
#[derive(Clone, Copy, Debug)]
pub struct Measures {
    /// Its name for people.
    pub name: &'static str,
    /// Largest program that is kept in memory, in bytes: in flash, a larger one fits.
    pub program_bytes: u32,
    /// Bytes of a program's memory that really exist.
    pub memory_bytes: u32,
    /// Code of the fast tier, in bytes; functions for which there is no room run in the stepping tier.
    pub code_bytes: u32,
    /// Trace that is kept while the line is slow, in bytes.
    pub trace_bytes: u32,
    /// Instructions of the program between two looks at the line.
    pub slice: u64,
}

/// Runs the stub on a chip, for ever. Programs are kept in `flash`, if there is some. `last_words` is what the firmware
/// said before it was rebooted.
pub fn serve<C: Chip>(
    mut chip: C,
    measures: Measures,
    flash: Option<Box<dyn Flash>>,
    last_words: Option<String>,
) -> ! {
    let vm = Limits {
        memory_bytes: u64::from(measures.memory_bytes),
        module_bytes: measures.program_bytes,
        code_bytes: measures.code_bytes,
        ..Limits::small()
    };
    let endpoint = borges_wire::Config::device();
    let config = Config {
        name: String::from(measures.name),
        limits: DeviceLimits {
            message_bytes: endpoint.message_bytes,
            program_bytes: measures.program_bytes,
            delta_bytes: measures.memory_bytes / 2,
            memory_pages: vm.memory_pages,
            trace_bytes: measures.trace_bytes,
            breakpoints: 64,
            watches: 8,
            mocks: 256,
        },
        vm,
        slice: measures.slice,
        endpoint,
        seed: chip.random(),
    };
    let board = Shared::new(Board::default_board());
    let mut stub = Stub::new(config, board, ContentHash::of(b""), Pins::new(chip));
    if let Some(flash) = flash {
        stub.keep_programs_in(flash);
    }
    if let Some(text) = last_words {
        stub.report_failure(text);
    }
    let mut speed = Speed::default();
    let mut outgoing = Outgoing::default();
    let mut buffer = [0; 128];
    loop {
        let pins = stub.hardware_mut();
        pins.tick();
        let now = pins.chip.now_us();
        loop {
            let length = stub.hardware_mut().chip.receive(&mut buffer);
            let Some(bytes) = buffer.get(..length).filter(|bytes| !bytes.is_empty()) else {
                break;
            };
            stub.feed(now, bytes);
        }
        if let Some(baud) = speed.listen(now, stub.endpoint().counters()) {
            stub.hardware_mut().chip.set_speed(baud);
        }
        stub.poll(now);
        outgoing.pump(&mut stub, Stub::transmit, |stub, bytes| {
            stub.hardware_mut().chip.send(bytes)
        });
    }
}
