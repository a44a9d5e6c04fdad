//! What replays of a stretch of a path say that a device would have to undo, to perform again, or to be told.

use borges_board::{Action, Board, Captured, Compensation, Event, PrimitiveId, Yield};
use borges_multiverse::tree::Place;
use borges_stub::{Call, to_wire};
use borges_vm::Value;
use borges_wire::{Bytes, MemoryBlob, Mock, MockEnd, MockedCalls};

use crate::command::Observer;
use crate::history::entry::{EntryKind, Moment};
use crate::history::twin::Before;
use crate::history::{History, SeekError};

/// A piece of a slide: the inputs that are read on it, where it ends, and the event that comes there.
pub(crate) struct Leg {
    pub(crate) inputs: Vec<Mock>,
    pub(crate) until: u64,
    pub(crate) event: Option<(Place, Event)>,
}

/// What undoes one entry, and where that leads.
pub(crate) struct Undo {
    pub(crate) compensation: Vec<u8>,
    /// The place before it.
    pub(crate) reached: Place,
    /// Instructions retired before it.
    pub(crate) steps: u64,
}

/// What has to happen on a device so that an entry has happened, without its program running.
pub(crate) struct Redo {
    /// The place after the entry.
    pub(crate) place: Place,
    /// Instructions retired before it.
    pub(crate) steps: u64,
    /// What its model of the board must learn, such as an input's reading.
    pub(crate) model: Option<Vec<u8>>,
    /// The output to perform.
    pub(crate) perform: Option<Perform>,
}

/// An output to perform again.
pub(crate) struct Perform {
    /// Which.
    pub(crate) primitive: u16,
    /// The arguments.
    pub(crate) arguments: Vec<borges_wire::Value>,
    /// The memory that the call reads.
    pub(crate) memory: Vec<MemoryBlob>,
}

impl History {
    /// The compensations of all outputs between `join` and `from`, last first (*step-back-compensate*).
    ///
    /// The twin is somewhere on that path afterwards.
    pub(crate) fn undo_list(
        &mut self,
        join: Place,
        from: Place,
        observer: Observer<'_>,
    ) -> Result<Vec<Undo>, SeekError> {
        let mut list = Vec::new();
        let mut reached = join;
        self.survey(join, from, observer, |board, place, entry, before| {
            let compensation = match (&entry.kind, before.call) {
                (EntryKind::Output { captured, .. }, Some(call)) => Compensation::of(
                    board,
                    before.board,
                    call.primitive,
                    call.args,
                    call.memory,
                    captured,
                )
                .ok(),
                (EntryKind::Input { value, .. }, Some(call)) => Some(Compensation::of_input(
                    board,
                    before.board,
                    call.primitive,
                    call.args,
                    *value,
                )),
                _ => None,
            };
            if let Some(compensation) = compensation.filter(|compensation| !compensation.is_empty())
            {
                let compensation = encode(&compensation);
                list.push(Undo {
                    compensation,
                    reached,
                    steps: entry.step_before(),
                });
            }
            reached = place;
        })?;
        list.reverse();
        Ok(list)
    }

    /// What to do for every entry between `join` and `to`, first first.
    ///
    /// The twin is at `to` afterwards.
    pub(crate) fn redo_list(
        &mut self,
        join: Place,
        to: Place,
        observer: Observer<'_>,
    ) -> Result<Vec<Redo>, SeekError> {
        let mut list = Vec::new();
        self.survey(join, to, observer, |board, place, entry, before| {
            let Some(call) = before.call else {
                return;
            };
            let redo = match &entry.kind {
                EntryKind::Output { .. } => perform(board, place, call),
                EntryKind::Input { value, .. } => learn(board, place, call, before, *value),
                EntryKind::Event(_) => None,
            };
            list.extend(redo);
        })?;
        Ok(list)
    }

    /// Everything that decides the path from `start` to `target`, in pieces whose inputs take about `most` bytes: for
    /// each input primitive its values in order, and then an event, if one comes there.
    pub(crate) fn legs(&self, start: Place, target: Moment, most: usize) -> Vec<Leg> {
        let mut legs = Vec::new();
        let (mut inputs, mut size): (Vec<Mock>, usize) = (Vec::new(), 0);
        let board = &self.twin().program().board;
        for (place, entry) in self
            .tree()
            .between(start, target.place)
            .into_iter()
            .flatten()
        {
            let (primitive, yielded) = match &entry.kind {
                EntryKind::Input {
                    primitive,
                    value,
                    bytes,
                    ..
                } => {
                    let (value, bytes) = (*value, bytes.clone());
                    (*primitive, Yield { value, bytes })
                }
                // Of calls that have choices, each one counts: this one had none.
                EntryKind::Output { primitive, .. }
                    if board.system_function(*primitive).is_some() =>
                {
                    (*primitive, borges_board::unmocked())
                }
                EntryKind::Output { .. } => continue,
                EntryKind::Event(event) => {
                    size = 0;
                    legs.push(Leg {
                        inputs: std::mem::take(&mut inputs),
                        until: entry.step,
                        event: Some((place, *event)),
                    });
                    continue;
                }
            };
            let mock = mock_of(&mut inputs, primitive);
            if !yielded.bytes.is_empty() {
                mock.payloads.resize(mock.values.len(), Bytes::default());
                mock.payloads.push(Bytes::from(&*yielded.bytes));
            }
            mock.values.push(to_wire(yielded.value));
            size += size_of::<Value>() + yielded.bytes.len();
            if size >= most {
                size = 0;
                legs.push(Leg {
                    inputs: std::mem::take(&mut inputs),
                    until: entry.step,
                    event: None,
                });
            }
        }
        legs.push(Leg {
            inputs,
            until: target.steps,
            event: None,
        });
        legs
    }
}

fn perform(board: &Board, place: Place, call: &Call<'_>) -> Option<Redo> {
    let action = board.action(call.primitive, call.args, call.memory).ok()?;
    let text = match action {
        Action::Text(text) | Action::DisplayText { text, .. } => Some(text),
        _ => None,
    };
    let memory = text.map(|text| {
        // The text lies in the memory: its distance from the start is its address.
        let address = (text.as_ptr() as usize).wrapping_sub(call.memory.as_ptr() as usize) as u32;
        MemoryBlob {
            address,
            bytes: Bytes::from(text),
        }
    });
    let arguments = call.args.iter().map(|value| to_wire(*value)).collect();
    let perform = Some(Perform {
        primitive: call.primitive.0,
        arguments,
        memory: memory.into_iter().collect(),
    });
    Some(Redo {
        place,
        steps: call.steps,
        model: None,
        perform,
    })
}

fn learn(
    board: &Board,
    place: Place,
    call: &Call<'_>,
    before: &Before<'_>,
    value: Value,
) -> Option<Redo> {
    let mut after = before.board.clone();
    after.observe(board, call.primitive, call.args, value);
    // What leads back from the state without the reading is what leads on to the one with it.
    let learning = Compensation::between(board, &after, before.board, &Captured::Nothing);
    let model = (!learning.is_empty()).then(|| encode(&learning));
    model.is_some().then_some(Redo {
        place,
        steps: call.steps,
        model,
        perform: None,
    })
}

fn encode(compensation: &Compensation) -> Vec<u8> {
    // Serialising into a growing vector does not fail for types that postcard knows.
    postcard::to_allocvec(compensation).unwrap_or_default()
}

/// The mock of a list that stands for an input.
fn mock_of(inputs: &mut Vec<Mock>, primitive: PrimitiveId) -> &mut Mock {
    let found = inputs.iter().position(|mock| mock.primitive == primitive.0);
    let index = found.unwrap_or_else(|| {
        inputs.push(Mock {
            primitive: primitive.0,
            calls: MockedCalls::All,
            values: Vec::new(),
            payloads: Vec::new(),
            used: 0,
            end: MockEnd::Live,
        });
        inputs.len() - 1
    });
    &mut inputs[index]
}
