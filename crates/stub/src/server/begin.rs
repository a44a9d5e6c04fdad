//! How a session with a device begins: the greeting, uploads, and a program at its start.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use borges_board::{Hardware, PortableBoard, ProgramLimits};
use borges_vm::{FuncIdx, Limits, Machine, Module, Shared, Value};
use borges_wire::{
    ContentHash, DeviceLimits, DeviceStatus, FailureCode, Part, Report, SCHEMA, TraceEncoder,
};

use super::{Begun, Done, Stub, fail};
use crate::execute::Program;
use crate::record::from_wire;
use crate::upload::{Chunk, Code};

/// The longest description of a board that a device takes, in bytes.
const BOARD_BYTES: u32 = 16 << 10;

impl<H: Hardware> Stub<H> {
    pub(super) fn hello(&mut self, schema: u32) -> Done {
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
            limits: DeviceLimits {
                program_bytes: self.longest_program(),
                ..self.config.limits
            },
            program: begun.map(|begun| begun.hash).or(self.uploads.kept()),
            board: Some(self.board_hash),
            status,
            steps: begun.map_or(0, |begun| begun.machine.steps()),
            state: begun.map_or(0, |begun| begun.machine.hash().0),
            oldest_record: begun.map_or(0, |begun| begun.trace.next_record()),
        }))
    }

    pub(super) fn load(&mut self, chunk: &Chunk<'_>) -> Done {
        // In memory, and at all.
        let (kept, longest) = match chunk.part {
            Part::Program => (self.config.limits.program_bytes, self.longest_program()),
            Part::State => (
                self.config.limits.delta_bytes,
                self.config.limits.delta_bytes,
            ),
            Part::Board => (BOARD_BYTES, BOARD_BYTES),
        };
        match self.uploads.take(chunk, kept) {
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

    fn longest_program(&self) -> u32 {
        let in_memory = self.config.limits.program_bytes;
        self.uploads.longest_program(in_memory)
    }

    // A frame of its own: in one with all commands, locals are out of reach of a Cortex-M0+'s short offsets.
    #[inline(never)]
    pub(super) fn begin(
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
                let limits = &self.program_limits;
                let module = match self.uploads.program(hash) {
                    Some(Code::InMemory(bytes)) => Module::new(bytes, limits),
                    Some(Code::InFlash(bytes)) => Module::lent(&bytes, limits),
                    None => return fail(FailureCode::State, "the program is not loaded"),
                };
                let module = module.map_err(|e| (FailureCode::Program, e.to_string()))?;
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
    #[inline(never)]
    pub(super) fn take_board(&mut self, hash: ContentHash) -> Result<(), (FailureCode, String)> {
        if hash == self.board_hash {
            return Ok(());
        }
        let Some(bytes) = self.uploads.board(hash) else {
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
