//! The loop of a device: bytes in, one slice of the program, bytes out.

use alloc::string::String;
use alloc::vec::Vec;

use borges_board::{Board, Shared};
use borges_stub::{Config, Stub};
use borges_vm::Limits;
use borges_wire::{ContentHash, DeviceLimits};

use crate::{Chip, Pins};

/// How much a device can take.
#[derive(Clone, Copy, Debug)]
pub struct Measures {
    /// Its name for people.
    pub name: &'static str,
    /// Largest program, in bytes.
    pub program_bytes: u32,
    /// Bytes of a program's memory that really exist.
    pub memory_bytes: u32,
    /// Trace that is kept while the line is slow, in bytes.
    pub trace_bytes: u32,
    /// Instructions of the program between two looks at the line.
    pub slice: u64,
}

/// Runs the stub on a chip, for ever. `last_words` is what the firmware said before it was rebooted.
pub fn serve<C: Chip>(mut chip: C, measures: Measures, last_words: Option<String>) -> ! {
    let vm = Limits {
        memory_bytes: u64::from(measures.memory_bytes),
        module_bytes: measures.program_bytes,
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
    if let Some(text) = last_words {
        stub.report_failure(text);
    }
    let mut out = Outgoing::default();
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
        stub.poll(now);
        out.pump(&mut stub);
    }
}

/// A frame of which the line has taken only a part.
#[derive(Default)]
struct Outgoing {
    frame: Vec<u8>,
    taken: usize,
}

impl Outgoing {
    /// Sends until the line takes no more.
    fn pump<C: Chip>(&mut self, stub: &mut Stub<Pins<C>>) {
        loop {
            let rest = self.frame.get(self.taken..).unwrap_or_default();
            if rest.is_empty() {
                let Some(frame) = stub.transmit() else { return };
                self.frame.clear();
                self.frame.extend_from_slice(frame);
                self.taken = 0;
                continue;
            }
            match stub.hardware_mut().chip.send(rest) {
                0 => return,
                length => self.taken += length,
            }
        }
    }
}
