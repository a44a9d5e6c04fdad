//! A state of a device program as it is compared: what the program can still read, what its values can be, and the part of
//! the board that what is to come depends on.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use borges_board::{BoardState, Event, PrimitiveId};
use borges_multiverse::fingerprint::WideFingerprint;
use borges_vm::{Snapshot, ValType, Value};

use super::content::{self, Content};
use super::controls::Controls;
use super::place::{NextCall, Place};
use crate::clocks::Clock;
use crate::constraint::Constraint;
use crate::dag::{Dag, Expr};
use crate::explore::{AGES, Origin, State as Path, SystemChoices, Truths, events};
use crate::path::{Cut, End, Read};
use crate::set::Set;
use crate::zone;

/// A state in which a device program stands before a call, or an end. Cloning it is cheap.
#[derive(Clone, Debug)]
pub struct DeviceState(pub(super) Arc<Inner>);

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) content: WideFingerprint,
    pub(super) stands: Stands,
    /// What is known of the conditions that are watched.
    pub(super) truths: Truths,
}

/// Where a program stands.
#[derive(Debug)]
pub(super) enum Stands {
    /// Before a call.
    Before(Box<Before>),
    /// Nowhere any more: how it ended, and the machine if that is compared.
    Ended(End, Option<Snapshot>),
}

/// A state before a call.
#[derive(Clone, Debug)]
pub(super) struct Before {
    /// Where its stacks stand, and the store.
    pub(super) controls: Controls,
    /// What lies where, as expressions over the variables.
    pub(super) places: Box<[(Place, Expr)]>,
    pub(super) variables: Box<[(ValType, Set)]>,
    pub(super) constraints: Box<[Constraint]>,
    pub(super) board: BoardState,
    /// Values of the variables that satisfy everything: no part of what is compared.
    pub(super) model: Box<[u64]>,
    /// Which of the words that are taken for anything each variable comes from.
    pub(super) taints: Box<[u64]>,
    /// The clocks whose times are relative: their origins are the first variables.
    pub(super) clocks: Box<[Clock]>,
    /// The bytes of the memory that are left out, with what the first run that came here had there: no part of what is
    /// compared.
    pub(super) left_out: Box<[(u32, u8)]>,
}

impl PartialEq for DeviceState {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        if Arc::ptr_eq(&self.0, &other.0) {
            return true;
        }
        a.content == b.content
            && a.truths == b.truths
            && match (&a.stands, &b.stands) {
                (Stands::Ended(a, left), Stands::Ended(b, other)) => a == b && left == other,
                (Stands::Before(a), Stands::Before(b)) => {
                    a.places == b.places
                        && a.variables == b.variables
                        && a.constraints == b.constraints
                        && a.taints == b.taints
                        && a.clocks == b.clocks
                        && a.board == b.board
                        && a.controls == b.controls
                }
                _ => false,
            }
    }
}

impl Eq for DeviceState {}

impl Hash for DeviceState {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.content.hash(state);
    }
}

impl Before {
    /// Whether this is all of another and perhaps more: both go on in the same ways, this one with more values.
    pub(super) fn covers(&self, other: &Before, dag: &Dag) -> bool {
        let same = self.place() == other.place()
            && self.is_moment() == other.is_moment()
            && self.places == other.places
            && self.variables.len() == other.variables.len()
            && self.taints == other.taints
            && self.clocks == other.clocks
            && self.board == other.board;
        let mut sets = self.variables.iter().zip(&other.variables);
        let within = |ours: &Set, theirs: &Set| theirs.intersect(ours) == *theirs;
        same && sets.all(|((ty, ours), (other, theirs))| ty == other && within(ours, theirs))
            && self.constraints.iter().all(|ours| {
                let mut same = other
                    .constraints
                    .iter()
                    .filter(|theirs| theirs.expr == ours.expr);
                let is_said = same.any(|theirs| within(&ours.allowed, &theirs.allowed));
                is_said || zone::is_implied(dag, &other.variables, ours)
            })
            && self.controls == other.controls
    }
}

impl DeviceState {
    /// The path from which a round goes on; none of an end.
    pub(super) fn path(&self, choices: SystemChoices) -> Option<Path> {
        match &self.0.stands {
            Stands::Before(before) => Some(before.path(self.0.truths, choices)),
            Stands::Ended(..) => None,
        }
    }

    pub(super) fn before(dag: &Dag, before: Before, truths: Truths) -> Self {
        let content = Content {
            dag,
            truths,
            is_moment: before.is_moment(),
            hashes: [before.controls.hash(), before.board.hash64()],
            places: &before.places,
            variables: &before.variables,
            constraints: &before.constraints,
            taints: &before.taints,
            clocks: &before.clocks,
        };
        DeviceState(Arc::new(Inner {
            content: content.name(),
            stands: Stands::Before(Box::new(before)),
            truths,
        }))
    }

    fn at_end(end: End, left: Option<Snapshot>, truths: Truths) -> Self {
        DeviceState(Arc::new(Inner {
            content: content::of_end(&end, left.as_ref(), truths),
            stands: Stands::Ended(end, left),
            truths,
        }))
    }

    /// An end.
    pub(super) fn ended(end: End, truths: Truths) -> Self {
        DeviceState::at_end(end, None, truths)
    }

    /// This state as an end, with what the machine then holds if that `is_kept` and known.
    pub(super) fn as_end(&self, end: End, is_kept: bool) -> Self {
        let left = match &self.0.stands {
            Stands::Before(before) if is_kept && self.is_known() => Some(before.snapshot().clone()),
            _ => None,
        };
        DeviceState::at_end(end, left, self.0.truths)
    }

    /// Where somebody stops following a program that could go on.
    #[must_use]
    pub fn not_followed() -> Self {
        DeviceState::ended(End::Cut(Cut::Waits), Truths::default())
    }

    /// Whether all of its values are known: it stands for nothing but itself.
    #[must_use]
    pub fn is_known(&self) -> bool {
        match &self.0.stands {
            Stands::Before(before) => before.variables.is_empty() && before.places.is_empty(),
            Stands::Ended(_, left) => left.is_some(),
        }
    }

    /// Whether something here, besides times, comes from times that may be longer ago than clocks are followed: what is kept
    /// of those may be more than any of its values here.
    #[must_use]
    pub fn is_aged(&self) -> bool {
        match &self.0.stands {
            Stands::Before(before) => before.taints.iter().any(|marks| marks & AGES != 0),
            Stands::Ended(..) => false,
        }
    }

    /// Which of the conditions that are watched hold here; at a moment for events, where the program stopped last.
    #[must_use]
    pub fn truths(&self) -> Truths {
        self.0.truths
    }

    /// How the program ended, if it did.
    #[must_use]
    pub fn end(&self) -> Option<&End> {
        match &self.0.stands {
            Stands::Ended(end, _) => Some(end),
            Stands::Before(_) => None,
        }
    }

    /// The input that is read next: its primitive and its arguments, as far as they are known.
    #[must_use]
    pub fn asks(&self) -> Option<(PrimitiveId, &[Value])> {
        let call = self.next_call().filter(|call| call.is_input);
        call.map(|call| (call.primitive, &call.args[..]))
    }

    /// The call that comes next, as for [`Self::asks`]; none at a moment for events, and of an end.
    #[must_use]
    pub fn calls(&self) -> Option<(PrimitiveId, &[Value])> {
        self.next_call()
            .map(|call| (call.primitive, &call.args[..]))
    }

    fn next_call(&self) -> Option<&NextCall> {
        match &self.0.stands {
            Stands::Before(before) => before.controls.program().call.as_ref(),
            Stands::Ended(..) => None,
        }
    }

    /// Whether interrupts may arrive before the next instruction.
    #[must_use]
    pub fn is_moment(&self) -> bool {
        match &self.0.stands {
            Stands::Before(before) => before.is_moment(),
            Stands::Ended(..) => false,
        }
    }

    /// The machine in this state, with the simplest of its values where it has several; of an end only if
    /// [it is compared](crate::Comparing::calls).
    #[must_use]
    pub fn snapshot(&self) -> Option<&Snapshot> {
        match &self.0.stands {
            Stands::Before(before) => Some(before.snapshot()),
            Stands::Ended(_, left) => left.as_ref(),
        }
    }
}

impl Before {
    /// The program's stack, and the store.
    pub(super) fn snapshot(&self) -> &Snapshot {
        &self.controls.program().snapshot
    }

    /// Where it stands, as a number.
    pub(super) fn place(&self) -> u64 {
        self.controls.place()
    }

    /// Whether events may arrive before the program's next instruction.
    pub(super) fn is_moment(&self) -> bool {
        self.controls.program().is_moment
    }

    /// Where rounds go on from, one by one.
    ///
    /// At a moment, or in every state, something may arrive; what cannot, because a handler runs, leads nowhere.
    pub(super) fn from(&self, everywhere: bool) -> Vec<Origin> {
        let goes_on = match (&self.controls.program().call, self.is_moment()) {
            (_, true) => Origin::Moment(None),
            (Some(call), false) if call.is_input => Origin::Input,
            (_, false) => Origin::Call,
        };
        let arrives = match self.is_moment() || everywhere {
            true => self.events(),
            false => Vec::new(),
        };
        let arrives = arrives.into_iter().map(|event| Origin::Moment(Some(event)));
        std::iter::once(goes_on).chain(arrives).collect()
    }

    /// The events to which the program has subscribed.
    pub(super) fn events(&self) -> Vec<Event> {
        events(&Path::new(self.board.clone()))
    }

    /// Its variables as what was read.
    pub(super) fn reads(&self) -> impl Iterator<Item = Read> + '_ {
        let read =
            |(ty, domain): &(ValType, Set)| Read::of_state(PrimitiveId(0), *ty, domain.clone());
        self.variables.iter().map(read)
    }

    /// A path under its board of which nothing else is known.
    pub(super) fn begun(&self, choices: SystemChoices) -> Path {
        let mut path = Path::new(self.board.clone());
        path.choices = choices.of_states(self.board.input_is_over());
        path
    }

    /// The path from which a round goes on.
    fn path(&self, truths: Truths, choices: SystemChoices) -> Path {
        let mut path = self.begun(choices);
        path.truths = truths;
        path.outside.clocks = self.clocks.to_vec();
        for (place, expr) in &self.places {
            place.put_on(&mut path, *expr);
        }
        path.reads = self.reads().collect();
        path.constraints = self.constraints.to_vec();
        path.model = self.model.to_vec();
        path
    }
}
