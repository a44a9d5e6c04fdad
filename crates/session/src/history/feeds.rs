//! Where the twin on the way through a history gets its inputs and events from.

use std::collections::VecDeque;

use borges_board::{Captured, Event, Yield};
use borges_multiverse::tree::{Path, Place};
use borges_stub::{Asked, Call, Mocks, decode_captured, decode_event, decode_input};
use borges_vm::Value;
use borges_wire::{Record, RecordKind};

use super::{Found, Stops};
use crate::history::entry::{Entry, EntryKind, Moment};
use crate::history::twin::{Before, Feed};

/// Feeds the twin with what was recorded.
pub(crate) struct Replay<'t> {
    path: Path<'t, Entry>,
    pub(super) next: Option<(Place, &'t Entry)>,
    place: Place,
    stops: &'t Stops,
    mocks: Option<&'t Mocks>,
    begun_at: Moment,
    /// Past this time of the board, calls wait.
    pub(super) until_us: Option<u64>,
    /// Why a call or event was left.
    pub(super) left_for: Option<Found>,
}

impl<'t> Replay<'t> {
    pub(crate) fn new(
        mut path: Path<'t, Entry>,
        place: Place,
        stops: &'t Stops,
        mocks: Option<&'t Mocks>,
        begun_at: Moment,
    ) -> Self {
        let next = path.next();
        Self {
            path,
            next,
            place,
            stops,
            mocks,
            begun_at,
            until_us: None,
            left_for: None,
        }
    }

    /// The place after the last entry that happened.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// The next entry, if it is that of this call.
    fn entry(&self, call: &Call<'_>) -> Option<&'t EntryKind> {
        let (_, entry) = self.next?;
        (entry.step == call.steps + 1).then_some(&entry.kind)
    }

    fn begins_at(&self, steps: u64) -> bool {
        Moment::of(self.place, steps) == self.begun_at
    }
}

impl Feed for Replay<'_> {
    fn event_due(&self) -> Option<u64> {
        match self.next {
            Some((_, entry)) if matches!(entry.kind, EntryKind::Event(_)) => Some(entry.step),
            _ => None,
        }
    }

    fn event(&mut self) -> Option<Event> {
        let (_, entry) = self.next?;
        if self.stops.events && !self.begins_at(entry.step) {
            self.left_for = Some(Found::Event);
            return None;
        }
        match entry.kind {
            EntryKind::Event(event) => Some(event),
            _ => None,
        }
    }

    fn stops_before(&mut self, call: &Call<'_>, clock_us: u64) -> bool {
        if self.begins_at(call.steps) {
            return false;
        }
        let is_stop = self.stops.primitives.contains(&call.primitive);
        let ahead = self.until_us.filter(|until| clock_us > *until);
        let found = match ahead {
            _ if is_stop => Some(Found::Primitive(call.primitive)),
            Some(_) => Some(Found::Ahead),
            None => None,
        };
        self.left_for = found.or(self.left_for);
        found.is_some()
    }

    fn input(&mut self, call: &Call<'_>, asked: &Asked<'_>) -> Option<(Yield, bool)> {
        let Some(EntryKind::Input {
            primitive,
            value,
            bytes,
            mocked,
        }) = self.entry(call)
        else {
            return None;
        };
        if *primitive != call.primitive {
            return None;
        }
        let other = self.mocks.and_then(|mocks| mocks.peek(asked));
        let recorded = Yield {
            value: *value,
            bytes: bytes.clone(),
        };
        if other.is_some_and(|other| other != recorded) {
            self.left_for = Some(Found::Mocked);
            return None;
        }
        Some((recorded, *mocked))
    }

    fn captured(&mut self, call: &Call<'_>, asked: &Asked<'_>) -> Option<Captured> {
        // Only calls of an operating system can be mocked and have happened by themselves.
        let mocked = self.mocks.is_some_and(|mocks| mocks.peek(asked).is_some());
        if mocked && self.entry(call).is_some() {
            self.left_for = Some(Found::Mocked);
            return None;
        }
        match self.entry(call) {
            Some(EntryKind::Output {
                primitive,
                captured,
            }) if *primitive == call.primitive => Some(captured.clone()),
            _ => None,
        }
    }

    fn happened(&mut self, _entry: Entry, _before: &Before<'_>) {
        if let Some((place, _)) = self.next.take() {
            self.place = place;
            self.next = self.path.next();
        }
    }
}

/// Notes what happens while another feed decides it.
pub(super) struct Recorder<'f, F> {
    pub(super) feed: &'f mut F,
    pub(super) entries: Vec<(Entry, Vec<Value>)>,
}

impl<F: Feed> Feed for Recorder<'_, F> {
    fn event_due(&self) -> Option<u64> {
        self.feed.event_due()
    }

    fn event(&mut self) -> Option<Event> {
        self.feed.event()
    }

    fn input(&mut self, call: &Call<'_>, asked: &Asked<'_>) -> Option<(Yield, bool)> {
        self.feed.input(call, asked)
    }

    fn captured(&mut self, call: &Call<'_>, asked: &Asked<'_>) -> Option<Captured> {
        self.feed.captured(call, asked)
    }

    fn happened(&mut self, entry: Entry, before: &Before<'_>) {
        self.feed.happened(entry.clone(), before);
        let args = before.call.map_or_else(Vec::new, |call| call.args.to_vec());
        self.entries.push((entry, args));
    }
}

/// Feeds the twin with what a device reported.
pub(crate) struct Live<'a> {
    records: &'a mut VecDeque<Record>,
    mocks: &'a mut Mocks,
}

impl<'a> Live<'a> {
    pub(crate) fn new(records: &'a mut VecDeque<Record>, mocks: &'a mut Mocks) -> Self {
        Self { records, mocks }
    }
}

impl Feed for Live<'_> {
    fn event_due(&self) -> Option<u64> {
        let record = self.records.front()?;
        matches!(record.kind, RecordKind::Event { .. }).then_some(record.steps)
    }

    fn event(&mut self) -> Option<Event> {
        match self.records.pop_front()?.kind {
            RecordKind::Event { kind, payload } => decode_event(kind, &payload),
            _ => None,
        }
    }

    fn input(&mut self, call: &Call<'_>, asked: &Asked<'_>) -> Option<(Yield, bool)> {
        let record = self.records.front()?;
        let yielded = decode_input(&record.kind).filter(|_| record.steps == call.steps)?;
        self.records.pop_front();
        let mock = self.mocks.take(asked);
        let mocked = mock.is_some_and(|mock| mock.value == yielded.value);
        Some((yielded, mocked))
    }

    fn captured(&mut self, call: &Call<'_>, asked: &Asked<'_>) -> Option<Captured> {
        let captured = match self.records.front() {
            Some(Record {
                steps,
                kind: RecordKind::Captured(bytes),
            }) if *steps == call.steps => decode_captured(bytes)?,
            _ => {
                // A call that came to what it comes to by itself has used up a mock that says so.
                self.mocks.take(asked);
                return Some(Captured::Nothing);
            }
        };
        self.records.pop_front();
        Some(captured)
    }
}
