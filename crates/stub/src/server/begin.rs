//! How a session with a device begins: the greeting, uploads, and a program at its start.

use alloc::boxed::Box;
use alloc::vec::Vec;

use borges_board::{Hardware, PortableBoard, ProgramLimits};
use borges_vm::{
    FuncIdx, Limits, LoadCause, LoadError, Machine, Module, Shared, StartError, Value,
};
use borges_wire::{
    BlobKind, ContentHash, DeviceLimits, DeviceStatus, Failure, Measure, Report, SCHEMA,
    TraceEncoder,
};

use super::{Begun, Done, Stub, check, over};
use crate::execute::Program;
use crate::record::from_wire;
use crate::upload::{Chunk, Code};

/// The longest description of a board that a device takes, in bytes.
const BOARD_BYTES: u32 = 16 << 10;

impl<H: Hardware> Stub<H> {
    pub(super) fn hello(&mut self, schema: u32) -> Done {
        if schema != SCHEMA {
            return Err(Failure::Schema { device: SCHEMA });
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
        let limits = &self.config.limits;
        // In memory, and at all.
        let (kept, longest) = match chunk.part {
            BlobKind::Program => (limits.program_bytes, self.longest_program()),
            BlobKind::State => (limits.delta_bytes, limits.delta_bytes),
            BlobKind::Board => (BOARD_BYTES, BOARD_BYTES),
        };
        check(Measure::Bytes(chunk.part), chunk.total.into(), longest)?;
        self.uploads.take(chunk, kept)?;
        Ok(None)
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
        let program = match &self.begun {
            // The same program again needs no second upload.
            Some(begun) if begun.hash == hash => begun.program.clone(),
            _ => {
                let limits = &self.program_limits;
                let module = match self.uploads.program(hash) {
                    Some(Code::InMemory(bytes)) => Module::new(bytes, limits),
                    Some(Code::InFlash(bytes)) => Module::lent(&bytes, limits),
                    None => return Err(Failure::NotLoaded(BlobKind::Program)),
                };
                let module = module.map_err(invalid)?;
                let program = Program::bound(Shared::new(module), self.board.clone())
                    .map_err(Failure::Import)?;
                self.uploads.forget(BlobKind::Program);
                program
            }
        };
        // There is memory for one.
        self.leave();
        let limits = self.program_limits;
        let mut machine = Machine::new(program.module.clone(), limits).map_err(unstartable)?;
        let arguments: Vec<Value> = arguments.iter().map(|value| from_wire(*value)).collect();
        machine
            .begin(FuncIdx(entry), &arguments)
            .map_err(|_| Failure::Entry)?;
        self.overrun = false;
        self.board_events = true;
        self.driver.begin(&self.board);
        self.driver.at(0);
        self.driver.discard_events();
        self.begun = Some(Box::new(Begun {
            hash,
            program,
            machine,
            trace: TraceEncoder::new(0, 0),
            trace_since: None,
            running: None,
            held: None,
            next_check: self.check_every,
        }));
        self.adopt_stops()?;
        Ok(None)
    }

    /// Frees what the program takes. Out of line, because there is much to free.
    #[inline(never)]
    pub(super) fn leave(&mut self) {
        self.begun = None;
    }

    /// Goes on with the board that this hash names: the present one, or the one that was loaded.
    #[inline(never)]
    pub(super) fn take_board(&mut self, hash: ContentHash) -> Result<(), Failure> {
        if hash == self.board_hash {
            return Ok(());
        }
        let Some(bytes) = self.uploads.board(hash) else {
            return Err(Failure::NotLoaded(BlobKind::Board));
        };
        let Ok(portable) = postcard::from_bytes::<PortableBoard>(bytes) else {
            return Err(Failure::Board);
        };
        self.program_limits = within(&self.config.vm, portable.limits())?;
        self.board = Shared::new(portable.into());
        self.board_hash = hash;
        self.uploads.forget(BlobKind::Board);
        // What ran on the board before does not run on this one.
        self.leave();
        self.driver.adopt(&self.board);
        Ok(())
    }
}

/// The limits that a board sets, which must be within what the device can give.
fn within(ours: &Limits, board: &ProgramLimits) -> Result<Limits, Failure> {
    let mut limits = *ours;
    let pairs = [
        (Measure::Pages, board.memory_pages, &mut limits.memory_pages),
        (Measure::Slots, board.stack_slots, &mut limits.stack_slots),
        (Measure::Calls, board.call_depth, &mut limits.call_depth),
        (
            Measure::Elements,
            board.table_elements,
            &mut limits.table_elements,
        ),
        (
            Measure::ModuleBytes,
            board.module_bytes,
            &mut limits.module_bytes,
        ),
    ];
    for (measure, wanted, limit) in pairs {
        let Some(wanted) = wanted else { continue };
        check(measure, wanted.into(), *limit)?;
        *limit = wanted;
    }
    Ok(limits)
}

fn invalid(error: LoadError) -> Failure {
    let at = error.offset.0;
    match error.cause {
        LoadCause::Limit(passed) => Failure::ModuleLimit {
            at,
            wanted: passed.wanted,
            most: passed.limit,
        },
        LoadCause::Malformed(_) | LoadCause::Invalid(_) => Failure::Module { at },
    }
}

fn unstartable(error: StartError) -> Failure {
    match error {
        StartError::Missing { import } | StartError::Incompatible { import } => {
            Failure::Import(import)
        }
        StartError::Limit(passed) => over(Measure::Instance, &passed),
        StartError::OutOfMemory => Failure::Memory,
        StartError::Segment { .. } => Failure::Start,
    }
}
