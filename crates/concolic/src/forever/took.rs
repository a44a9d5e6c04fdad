//! What is said of a way where agents are told apart: who takes it, its name, and what it touches.

use std::hash::{Hash, Hasher};

use borges_multiverse::language::Footprint;
use borges_vm::Machine;

use super::Device;
use super::room::Room;
use crate::explore::{Origin, State as Path};
use crate::path::End;
use crate::touch::{Marks, Touch};

/// How a step begins.
pub(super) struct Leg<'r> {
    room: &'r Room,
    /// How deep the stack is: frames and cells.
    depth: (usize, usize),
    /// A handler is entered.
    is_event: bool,
    /// That may need more than half of the stack.
    is_deep: bool,
    /// A handler runs.
    is_inside: bool,
}

/// What a step is called, and what it touches.
#[derive(Clone, Debug)]
pub(super) struct Took {
    /// All that it decided, as a number: what takes the same way through the program has the same.
    pub(super) name: u64,
    /// It ended in a handler.
    pub(super) is_inside: bool,
    marks: Box<Marks>,
}

impl Device<'_> {
    /// How a step begins that goes on from where a machine stands; nothing if agents are not told apart.
    pub(super) fn leg(&self, machine: &Machine, from: Origin) -> Option<Leg<'_>> {
        let room = self.room.as_ref()?;
        let event = match from {
            Origin::Moment(event) => event,
            _ => None,
        };
        Some(Leg {
            room,
            depth: depth(machine),
            is_event: event.is_some(),
            is_deep: event.is_some_and(|event| room.is_deep(machine, event)),
            is_inside: machine.in_handler(),
        })
    }
}

impl Took {
    /// A path that has come to a stop, or to an end.
    pub(super) fn of(leg: &Leg<'_>, path: &Path) -> Option<Self> {
        let mut marks = path.marks.clone()?;
        marks.read(Touch::Turn);
        marks.read(Touch::Tables);
        if leg.is_event {
            marks.read(Touch::Depth);
        } else if !leg.is_inside {
            // How far a step of the program goes depends on what may arrive.
            marks.read(Touch::Subscriptions);
        }
        if leg.is_deep {
            marks.write(Touch::Depth);
        }
        if leg.is_inside {
            marks.write(Touch::Turn);
        }
        let mut hasher = std::hash::DefaultHasher::new();
        path.decided().hash(&mut hasher);
        Some(Took {
            name: hasher.finish(),
            is_inside: false,
            marks,
        })
    }

    /// Where it stands then.
    pub(super) fn stands(&mut self, leg: &Leg<'_>, machine: &Machine) {
        self.is_inside = machine.in_handler();
        if self.is_inside {
            self.marks.write(Touch::Turn);
        }
        let now = depth(machine);
        if !leg.is_event && now != leg.depth {
            self.marks.read(Touch::Depth);
            if leg.room.is_beyond(now) || leg.room.is_beyond(leg.depth) {
                self.marks.write(Touch::Depth);
            }
        }
    }

    /// It ended everything.
    pub(super) fn ends(&mut self, end: &End) {
        self.marks.write(Touch::Turn);
        let mut hasher = std::hash::DefaultHasher::new();
        (self.name, end).hash(&mut hasher);
        self.name = hasher.finish();
    }

    pub(super) fn footprint(&self) -> Footprint<Touch> {
        self.marks.footprint()
    }
}

fn depth(machine: &Machine) -> (usize, usize) {
    (machine.depth(), machine.cells().len())
}
