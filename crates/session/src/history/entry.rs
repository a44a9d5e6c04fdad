//! What enters and leaves a program: the entries of the multiverse.

use borges_board::{Captured, Event, Payload, PrimitiveId};
use borges_multiverse::tree::{self, Place};
use borges_vm::Value;

use crate::command::AgentNumber;

/// One primitive call or event on a path.
///
/// Calls carry no arguments: the twin knows them when it gets there, and they are the same on every replay.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// Instructions retired once it has happened: a call counts itself, an event does not.
    pub step: u64,
    /// What happened.
    pub kind: EntryKind,
}

/// What an [`Entry`] is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum EntryKind {
    /// An input primitive yielded a value (*step-prim-in*, *step-mock*).
    Input {
        /// Which.
        primitive: PrimitiveId,
        /// What it yielded.
        value: Value,
        /// The bytes that it brought with that.
        bytes: Payload,
        /// The value is a mock's.
        mocked: bool,
    },
    /// An output primitive was performed (*step-prim-out*).
    Output {
        /// Which.
        primitive: PrimitiveId,
        /// What the device captured before it because the host cannot know it. Nothing, mostly.
        captured: Captured,
    },
    /// An interrupt or timer was delivered between two instructions.
    Event(Event),
}

/// A call, to be shown.
pub(crate) struct Called {
    pub(crate) primitive: PrimitiveId,
    pub(crate) args: Vec<Value>,
    /// What a call of an operating system is about: a path, a stream.
    pub(crate) subject: Option<String>,
}

impl Entry {
    /// Instructions retired before it.
    #[must_use]
    pub(crate) fn step_before(&self) -> u64 {
        match self.kind {
            // A call is retired by its answer.
            EntryKind::Input { .. } | EntryKind::Output { .. } => self.step - 1,
            EntryKind::Event(_) => self.step,
        }
    }

    /// Whether the program changed the outside with it.
    #[must_use]
    pub(crate) fn is_output(&self) -> bool {
        matches!(self.kind, EntryKind::Output { .. })
    }
}

impl tree::Entry for Entry {
    type Outcome = String;

    fn step(&self) -> u64 {
        self.step
    }

    fn same_choice(&self, other: &Self) -> bool {
        self.step == other.step
            && match (&self.kind, &other.kind) {
                (
                    EntryKind::Input { value, bytes, .. },
                    EntryKind::Input {
                        value: other,
                        bytes: others,
                        ..
                    },
                ) => value == other && bytes == others,
                (EntryKind::Event(a), EntryKind::Event(b)) => a == b,
                // What an output captured is not a choice: the same edge, performed again, may capture something else.
                (EntryKind::Output { .. }, EntryKind::Output { .. }) => true,
                _ => false,
            }
    }
}

/// A universe anywhere on a path: after the entries of `place`, and so many steps of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Moment {
    /// After which entries.
    pub place: Place,
    /// Whose steps are counted.
    pub agent: AgentNumber,
    /// Instructions that the agent has retired since it began; at least those of the place.
    pub steps: u64,
}

impl Moment {
    /// The start of the program.
    pub(crate) const START: Self = Self::of(Place::ROOT, 0);

    /// So many steps of the program's only agent, after the entries of `place`.
    pub(crate) const fn of(place: Place, steps: u64) -> Self {
        let agent = AgentNumber::ONLY;
        Self {
            place,
            agent,
            steps,
        }
    }
}
