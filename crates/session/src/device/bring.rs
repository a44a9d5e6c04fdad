//! Moving a device to another universe: by what differs (MIO, algorithm 1), or by restart (RCMD's *slide*).

use std::collections::BTreeMap;

use borges_board::Captured;
use borges_multiverse::tree::Place;
use borges_stub::{decode_captured, encode_event};
use borges_wire::{BlobKind, Bytes, Command, ContentHash, Difference, RecordKind, Report};

use crate::command::Observer;
use crate::command::unobserved;
use crate::device::survey::{Perform, Undo};
use crate::device::{Course, Device, DeviceError, Intent, LiveStops};
use crate::history::History;
use crate::history::entry::{EntryKind, Moment};

/// What a message takes beside a difference of states.
const APPLY_OVERHEAD: usize = 64;

impl Device {
    /// Brings the device to `target` (MIO, algorithm 1): back to the join, compensating each output on the way, last
    /// first; forward to the target, performing each output; the program's state moves by its difference.
    ///
    /// The twin is where it was afterwards.
    pub(crate) fn bring(
        &mut self,
        history: &mut History,
        target: Moment,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        let here = history.hold();
        let moved = self
            .recover(history, observer)
            .and_then(|()| self.move_to(history, target, observer));
        let back = history.seek(here, &mut unobserved);
        history.release();
        back?;
        moved
    }

    fn move_to(
        &mut self,
        history: &mut History,
        target: Moment,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        history.seek(target, observer)?;
        if self.state == target
            && self.effects == target.place
            && self.frame.vm.hash() == history.twin().hash()
        {
            return Ok(());
        }
        let frame = history.twin().frame(Some(&self.frame));
        let delta = borges_vm::Delta::between(&self.frame.vm, &frame.vm);
        let delta = delta.map_err(|e| DeviceError::CannotMove(e.to_string()))?;
        let delta = delta.to_bytes();
        if delta.len() as u64 > u64::from(self.delta_bytes()) {
            return self.slide(history, target, observer);
        }
        self.bring_effects(history, target.place, observer)?;
        self.next_epoch();
        let most = (self.message_bytes() as usize).saturating_sub(APPLY_OVERHEAD);
        let difference = if delta.len() <= most {
            Difference::Whole(Bytes::from(delta))
        } else {
            self.load(BlobKind::State, delta, observer)?;
            Difference::Loaded(ContentHash::of(delta))
        };
        let apply = Command::Apply {
            delta: difference,
            next_record: self.next_record,
        };
        self.ask_for(history, apply, Intent::State(target, frame), observer)
    }

    fn bring_effects(
        &mut self,
        history: &mut History,
        target: Place,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        let lost = || DeviceError::CannotMove("the place is not in this multiverse".to_owned());
        let join = history.tree().join(self.effects, target).ok_or_else(lost)?;
        let undo = history.undo_list(join, self.effects, observer)?;
        let redo = history.redo_list(join, target, observer)?;
        let mut batches = in_batches(undo, self.message_bytes());
        let last = batches.pop();
        for batch in batches {
            history.look_up("undoing outputs", None, observer)?;
            let reached = Intent::Effects(batch.reached);
            self.ask_for(history, batch.command(), reached, observer)?;
        }
        // What is left before the join needs no compensation.
        let reached = if redo.is_empty() { target } else { join };
        match last {
            None => self.effects = reached,
            // The way back is often this one message: the one with the state shares its frame.
            Some(batch) => self.ask_ahead(batch.command(), Intent::Effects(reached), observer)?,
        }
        if redo.is_empty() {
            return Ok(());
        }
        self.fulfil(history, observer)?;
        for redo in redo {
            history.look_up("performing outputs again", None, observer)?;
            let steps = redo.steps;
            if let Some(compensation) = redo.model {
                let list = vec![Bytes(compensation)];
                let learn = Command::Compensate { steps, list };
                self.ask_for(history, learn, Intent::Effects(redo.place), observer)?;
            }
            if let Some(Perform {
                primitive,
                arguments,
                memory,
            }) = redo.perform
            {
                let perform = Command::Perform {
                    steps,
                    primitive,
                    arguments,
                    memory,
                };
                self.ask_for(history, perform, Intent::Performed(redo.place), observer)?;
            }
        }
        self.effects = target;
        Ok(())
    }

    /// Goes to `target`, where the twin stands, by restart, for a device that cannot take a difference (RCMD's *slide*):
    /// forward if the target lies ahead, otherwise from the start, with the recorded inputs as mocks and the recorded
    /// events injected.
    fn slide(
        &mut self,
        history: &mut History,
        target: Moment,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        let ahead = self.effects == self.state.place && history.leads_to(self.state, target);
        if !ahead {
            // Everything happens again: so first, nothing must have happened.
            self.bring_effects(history, Place::ROOT, observer)?;
            self.begin(history, observer)?;
        }
        self.arm(&LiveStops::default(), false, observer)?;
        let most = self.message_bytes() as usize / 2;
        // A trapping instruction is not retired: the end is the attempt. It belongs to the way there, since a device that
        // stands before it, as it would if the user paused now, is not what the twin shows of that moment.
        let traps = history.traps_at(target);
        let legs = history.legs(self.state.place, target, most);
        let last = legs.len().saturating_sub(1);
        for (number, leg) in legs.into_iter().enumerate() {
            self.lend_mocks(leg.inputs, observer)?;
            let until = leg.until + u64::from(traps && number == last);
            self.slide_to(history, target.place, until, observer)?;
            if let Some((place, event)) = leg.event {
                let (kind, payload) = encode_event(&event);
                let inject = Command::Inject { kind, payload };
                self.ask_for(history, inject, Intent::Injected(place), observer)?;
            }
        }
        history.seek(target, observer)?;
        if history.twin().ended() && !traps {
            self.slide_to(history, target.place, target.steps + 1, observer)?;
        }
        self.frame = history.twin().frame(Some(&self.frame));
        self.is_stale = false;
        if let Some((steps, state, next_record)) = self.query(observer)? {
            self.agree(steps, state)?;
            // What it recorded on the way is on the path already.
            self.forget_said();
            self.next_record = next_record;
        }
        self.records.clear();
        Ok(())
    }

    /// Runs along the path to `path`, to a step count that lies on it.
    fn slide_to(
        &mut self,
        history: &mut History,
        path: Place,
        until: u64,
        observer: Observer<'_>,
    ) -> Result<(), DeviceError> {
        if until <= self.state.steps {
            return Ok(());
        }
        let until = Some(until);
        let course = Course::Along(path);
        self.ask_for(
            history,
            Command::Run { until },
            Intent::Run(course),
            observer,
        )?;
        self.hear_along(history, path, observer)
    }

    /// Takes note of what the device says while it goes along a path; where it stands, if it does.
    pub(crate) fn report_along(
        &mut self,
        history: &mut History,
        path: Place,
        report: Report,
    ) -> Result<Option<Moment>, DeviceError> {
        match report {
            Report::Trace {
                first,
                base,
                records,
            } => {
                self.take_records(first, base, &records)?;
                Ok(None)
            }
            Report::Paused { steps, .. } => {
                self.stands_still();
                let lost = || DeviceError::CannotMove("it has left the recorded path".to_owned());
                let place = history.tree().at_step(path, steps).ok_or_else(lost)?;
                let place = self.without_events(history, place, steps);
                self.amend(history, place);
                self.state = Moment::of(place, steps);
                self.effects = place;
                history.seek(self.state, &mut unobserved)?;
                self.frame = history.twin().frame(Some(&self.frame));
                Ok(Some(self.state))
            }
            _ => Ok(None),
        }
    }

    /// Events at the step where the device stands have not happened unless they were injected there.
    fn without_events(&self, history: &History, mut place: Place, steps: u64) -> Place {
        while place.index > self.state.place.index {
            let entry = history.tree().entry(place);
            let waits = entry.is_some_and(|entry| {
                matches!(entry.kind, EntryKind::Event(_)) && entry.step == steps
            });
            match history.tree().parent(place) {
                Some(before) if waits => place = before,
                _ => break,
            }
        }
        place
    }

    /// Notes what the outputs up to `to` captured this time.
    fn amend(&mut self, history: &mut History, to: Place) {
        let mut captured: BTreeMap<u64, Captured> = BTreeMap::new();
        for record in self.records.drain(..) {
            if let RecordKind::Captured(bytes) = &record.kind {
                captured.insert(record.steps, decode_captured(bytes).unwrap_or_default());
            }
        }
        let passed = history.tree().between(self.state.place, to);
        let outputs: Vec<(Place, u64)> = passed
            .into_iter()
            .flatten()
            .filter(|(_, entry)| entry.is_output())
            .map(|(place, entry)| (place, entry.step_before()))
            .collect();
        for (place, steps) in outputs {
            history.amend_captured(place, captured.remove(&steps).unwrap_or_default());
        }
    }
}

/// Some compensations that fit into one message.
struct Batch {
    compensations: Vec<Bytes>,
    reached: Place,
    steps: u64,
}

impl Batch {
    fn command(self) -> Command {
        Command::Compensate {
            steps: self.steps,
            list: self.compensations,
        }
    }
}

fn in_batches(list: Vec<Undo>, message_bytes: u32) -> Vec<Batch> {
    let most = message_bytes.saturating_sub(64) as usize;
    let (mut batches, mut size): (Vec<Batch>, usize) = (Vec::new(), 0);
    for undo in list {
        let length = undo.compensation.len() + 4;
        let fits = size + length <= most;
        match batches.last_mut().filter(|_| fits) {
            Some(batch) => {
                batch.compensations.push(Bytes(undo.compensation));
                (batch.reached, batch.steps) = (undo.reached, undo.steps);
                size += length;
            }
            None => {
                batches.push(Batch {
                    compensations: vec![Bytes(undo.compensation)],
                    reached: undo.reached,
                    steps: undo.steps,
                });
                size = length;
            }
        }
    }
    batches
}
