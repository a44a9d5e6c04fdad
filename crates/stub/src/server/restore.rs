//! Moving the device to another universe: outputs undone and performed again, the state by its difference.

use alloc::vec::Vec;

use borges_board::{Compensation, Hardware, PrimitiveId};
use borges_vm::{Delta, StateError, Value};
use borges_wire::{
    BlobKind, Bytes, Difference, Failure, Measure, MemoryBlob, Report, RequestId, TraceEncoder,
};

use super::{Done, Stub, check, over};
use crate::record::{encode_captured, from_wire};

impl<H: Hardware> Stub<H> {
    // A frame of its own: in one with all commands, locals are out of reach of a Cortex-M0+'s short offsets.
    #[inline(never)]
    pub(super) fn compensate(&mut self, steps: u64, list: &[Bytes]) -> Done {
        self.paused()?;
        let mut compensations: Vec<Compensation> = Vec::new();
        for bytes in list {
            let Ok(compensation) = postcard::from_bytes(bytes) else {
                return Err(Failure::State);
            };
            compensations.push(compensation);
        }
        for compensation in &compensations {
            self.driver.compensate(&self.board, compensation);
        }
        // Time goes back with what is undone.
        self.driver.at(steps);
        Ok(None)
    }

    #[inline(never)]
    pub(super) fn perform(
        &mut self,
        id: RequestId,
        steps: u64,
        primitive: u16,
        arguments: &[borges_wire::Value],
        blobs: &[MemoryBlob],
    ) -> Done {
        self.paused()?;
        let arguments: Vec<Value> = arguments.iter().map(|value| from_wire(*value)).collect();
        self.driver.at(steps);
        let Some(begun) = &mut self.begun else {
            return Err(Failure::NotBegun);
        };
        let memory = begun.machine.memory_mut();
        // The call reads the memory of its own moment, which the message brings; the program's own stays as it is.
        let Some(saved) = swap_in(memory, blobs) else {
            return Err(Failure::Outside);
        };
        let done = self
            .driver
            .output(&self.board, PrimitiveId(primitive), &arguments, memory);
        swap_out(memory, &saved);
        match done {
            Ok(done) => {
                let captured = Bytes(encode_captured(&done.captured));
                Ok(Some(Report::Performed { id, captured }))
            }
            Err(_) => Err(Failure::Hardware),
        }
    }

    #[inline(never)]
    pub(super) fn apply(&mut self, id: RequestId, delta: Difference, next_record: u64) -> Done {
        self.paused()?;
        let bytes = match &delta {
            Difference::Whole(bytes) => bytes.0.as_slice(),
            Difference::Loaded(hash) => match self.uploads.state(*hash) {
                Some(bytes) => bytes,
                None => return Err(Failure::NotLoaded(BlobKind::State)),
            },
        };
        check(
            Measure::Bytes(BlobKind::State),
            bytes.len() as u64,
            self.config.limits.delta_bytes,
        )?;
        let delta = Delta::from_bytes(bytes).map_err(refused)?;
        let Some(begun) = &mut self.begun else {
            return Err(Failure::NotBegun);
        };
        begun.machine.apply(&delta).map_err(refused)?;
        self.uploads.forget(BlobKind::State);
        let (steps, state) = (begun.machine.steps(), begun.machine.hash().0);
        begun.trace = TraceEncoder::new(steps, next_record);
        begun.trace_since = None;
        begun.held = None;
        begun.next_check = steps.saturating_add(self.check_every);
        self.overrun = false;
        self.driver.at(steps);
        self.driver.discard_events();
        Ok(Some(Report::State {
            id: Some(id),
            steps,
            state,
            next_record,
        }))
    }
}

fn refused(error: StateError) -> Failure {
    match error {
        StateError::WrongBase | StateError::WrongResult => Failure::Diverged,
        StateError::Limit(passed) => over(Measure::State, &passed),
        StateError::OutOfMemory => Failure::Memory,
        _ => Failure::State,
    }
}

/// Writes the blobs into `memory`; what was there before, or nothing if one lies outside (then nothing is written).
fn swap_in(memory: &mut [u8], blobs: &[MemoryBlob]) -> Option<Vec<(usize, Vec<u8>)>> {
    let range = |blob: &MemoryBlob| {
        let start = blob.address as usize;
        Some(start..start.checked_add(blob.bytes.0.len())?)
    };
    if !blobs
        .iter()
        .all(|blob| range(blob).is_some_and(|range| memory.get(range).is_some()))
    {
        return None;
    }
    let mut saved = Vec::new();
    for blob in blobs {
        let place = memory.get_mut(range(blob)?)?;
        saved.push((blob.address as usize, place.to_vec()));
        place.copy_from_slice(&blob.bytes.0);
    }
    Some(saved)
}

/// Undoes [`swap_in`]: the last write first, because blobs may overlap.
fn swap_out(memory: &mut [u8], saved: &[(usize, Vec<u8>)]) {
    for (start, bytes) in saved.iter().rev() {
        if let Some(place) = memory.get_mut(*start..*start + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }
}
