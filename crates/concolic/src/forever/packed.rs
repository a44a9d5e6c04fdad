//! States as they travel to another process.
//!
//! All devices of one program with the same facts begin with the same state: of the machine only the difference to that is
//! sent. Who gets a state believes it only if it is what it is called, since a name is made of all that is compared of a
//! state.

use borges_board::{Board, PortableState};
use borges_multiverse::fingerprint::WideFingerprint;
use borges_vm::{Delta, Shared, Snapshot, ValType};
use serde::{Deserialize, Serialize};

use super::compared::place_of;
use super::controls::{Control, Controls};
use super::place::{NextCall, Place};
use super::state::{Before, DeviceState, Stands};
use super::{Device, content};
use crate::clocks::Clock;
use crate::constraint::Constraint;
use crate::dag::{Cone, Expr};
use crate::explore::{Truths, Workbench};
use crate::path::End;
use crate::set::Set;

/// Packs states for other processes; see [`Device::packer`].
#[derive(Clone, Debug)]
pub struct Packer {
    /// The first state's machine.
    first: Option<Snapshot>,
    board: Shared<Board>,
}

/// A state for a device of the same program with the same facts in another process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Packed {
    name: u128,
    truths: Truths,
    stands: PackedStands,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum PackedStands {
    Before(Box<PackedBefore>),
    Ended(End),
}

/// As [`Before`]; where the program stands is seen when it stands there.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PackedBefore {
    /// The difference between the first state's machine and this one.
    machine: Box<[u8]>,
    places: Box<[(Place, Expr)]>,
    variables: Box<[(ValType, Set)]>,
    constraints: Box<[Constraint]>,
    board: PortableState,
    model: Box<[u64]>,
    taints: Box<[u64]>,
    clocks: Box<[Clock]>,
    is_moment: bool,
    call: Option<NextCall>,
    left_out: Box<[(u32, u8)]>,
    /// Of its expressions; nothing if it has none.
    cone: Option<Cone>,
}

impl Packed {
    /// A state whose expressions have the numbers of the cone; nothing if it cannot travel.
    pub(super) fn of(state: &DeviceState, cone: Option<&Cone>, packer: &Packer) -> Option<Self> {
        let stands = match &state.0.stands {
            Stands::Before(before) => {
                let machine = Delta::between(packer.first.as_ref()?, before.snapshot()).ok()?;
                PackedStands::Before(Box::new(PackedBefore {
                    machine: machine.to_bytes().into(),
                    places: before.places.clone(),
                    variables: before.variables.clone(),
                    constraints: before.constraints.clone(),
                    board: before.board.portable(&packer.board)?,
                    model: before.model.clone(),
                    taints: before.taints.clone(),
                    clocks: before.clocks.clone(),
                    is_moment: before.is_moment(),
                    call: before.controls.program().call.clone(),
                    left_out: before.left_out.clone(),
                    cone: cone.cloned(),
                }))
            }
            Stands::Ended(end, None) => PackedStands::Ended(end.clone()),
            Stands::Ended(_, Some(_)) => return None,
        };
        Some(Self {
            name: state.0.content.0,
            truths: state.0.truths,
            stands,
        })
    }

    /// Whether an end has its name; a state before a call must be unpacked to see that.
    pub(super) fn is_called_what_it_is(&self) -> bool {
        match &self.stands {
            PackedStands::Ended(end) => content::of_end(end, None, self.truths) == self.name(),
            PackedStands::Before(_) => true,
        }
    }

    pub(super) fn name(&self) -> WideFingerprint {
        WideFingerprint(self.name)
    }

    pub(super) fn truths(&self) -> Truths {
        self.truths
    }

    pub(super) fn end(&self) -> Option<&End> {
        match &self.stands {
            PackedStands::Ended(end) => Some(end),
            PackedStands::Before(_) => None,
        }
    }

    /// How many variables it has.
    pub(super) fn variables(&self) -> usize {
        match &self.stands {
            PackedStands::Ended(_) => 0,
            PackedStands::Before(before) => before.variables.len(),
        }
    }
}

impl Device<'_> {
    /// Packs states for devices of this program with the same facts in other processes.
    #[must_use]
    pub fn packer(&self) -> Packer {
        Packer {
            first: self.initial.snapshot().cloned(),
            board: self.start.board.clone(),
        }
    }

    /// A state that was packed; nothing if it is none of this program.
    pub(super) fn unpacked(&self, bench: &mut Workbench, packed: &Packed) -> Option<DeviceState> {
        let state = match &packed.stands {
            PackedStands::Ended(end) => DeviceState::ended(end.clone(), packed.truths),
            PackedStands::Before(sent) => {
                let before = self.before_unpacked(bench, sent)?;
                DeviceState::before(&bench.dag, before, packed.truths)
            }
        };
        (state.0.content == packed.name()).then_some(state)
    }

    fn before_unpacked(&self, bench: &mut Workbench, sent: &PackedBefore) -> Option<Before> {
        let first = self.initial.snapshot()?;
        let machine = &mut bench.machine;
        machine.restore(first).ok()?;
        machine
            .apply(&Delta::from_bytes(&sent.machine).ok()?)
            .ok()?;
        let board = sent.board.clone().on(&self.start.board)?;
        let there = self.compared(self.budget).next_call(machine, &board);
        let called = |call: &NextCall| (call.primitive, call.args.len(), call.is_input);
        let there = there.filter(|_| !sent.is_moment);
        let own = sent.variables.len();
        let values = sent.variables.iter().zip(&sent.model);
        let clocks = sent.clocks.iter().map(|clock| clock.id);
        let is_one = sent.call.as_ref().map(called) == there.as_ref().map(called)
            && [sent.model.len(), sent.taints.len()] == [own, own]
            && values
                .into_iter()
                .all(|((_, set), cell)| set.contains(*cell))
            && clocks.eq(self.clocks.iter().map(|clock| clock.id));
        is_one.then_some(())?;
        let before = Before {
            controls: Controls::of(Control {
                snapshot: machine.snapshot(Some(first)),
                place: place_of(machine),
                is_moment: sent.is_moment,
                call: sent.call.clone(),
            }),
            places: sent.places.clone(),
            variables: sent.variables.clone(),
            constraints: sent.constraints.clone(),
            board,
            model: sent.model.clone(),
            taints: sent.taints.clone(),
            clocks: sent.clocks.clone(),
            left_out: sent.left_out.clone(),
        };
        match &sent.cone {
            Some(cone) => {
                let exprs = before.exprs().into_iter();
                cone.is_for(exprs, own).then_some(())?;
                let made = bench.dag.take_in(cone);
                Some(before.renumbered(|expr| made[expr.index()]))
            }
            None => before.exprs().is_empty().then_some(before),
        }
    }
}
