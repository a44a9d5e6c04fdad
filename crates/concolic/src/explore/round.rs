//! One round: from a state along all ways to the next stops.
//!
//! A path stops before it reads another input than the one that it stands before, where it lets time pass a second time at
//! the same place (a program that only waits comes round there), and at every moment at which an event may arrive.

use std::collections::HashMap;
use std::rc::Rc;

use borges_board::{Action, Event};
use borges_vm::{Machine, Snapshot};

use super::events::Listening;
use super::order::Levels;
use super::{Bounds, Explorer, SearchOrder, Start, State, Waiting};
use crate::budget::{Budget, Flow};
use crate::code::Code;
use crate::coverage::Coverage;
use crate::dag::Dag;
use crate::decide::Decider;
use crate::lanes::Point;
use crate::path::{Path, Unexplored};

use super::found::Found;

/// What rounds share: kept from one to the next.
pub(crate) struct Workbench {
    pub(crate) dag: Dag,
    pub(crate) decider: Decider,
    pub(crate) machine: Machine,
    pub(crate) point: Point,
    pub(crate) last_snapshot: Option<Snapshot>,
    code: Code,
    coverage: Coverage,
    listened: HashMap<Vec<u32>, Rc<Listening>>,
    told_of_events: bool,
}

/// Where a round goes on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The start of the program.
    Start,
    /// Before the call that reads an input.
    Input,
    /// Before a call that lets time pass.
    Wait,
    /// A moment at which this event arrives, or none.
    Moment(Option<Event>),
}

/// What a round led to.
pub(crate) struct Round {
    /// The paths that stand before the next stop.
    pub(crate) stops: Vec<Waiting>,
    /// Those that ended.
    pub(crate) ends: Vec<Path>,
    /// What was left out.
    pub(crate) unexplored: Vec<Unexplored>,
    /// The budget was spent before all ways were gone.
    pub(crate) is_cut: bool,
    /// Instructions executed.
    pub(crate) steps: u64,
}

impl Workbench {
    /// For a program without a solver.
    pub(crate) fn new(start: &Start, decider: Decider) -> Option<Self> {
        let code = Code::new(start.machine.module()?, &[]);
        Some(Workbench {
            dag: Dag::default(),
            decider,
            machine: start.machine.clone(),
            point: Point::default(),
            last_snapshot: None,
            coverage: Coverage::new(code.offsets()),
            code,
            listened: HashMap::new(),
            told_of_events: false,
        })
    }

    /// Goes from a state to the next stops. The machine stands where the state is; what the state has read so far is what
    /// its values depend on.
    pub(crate) fn round(
        self,
        start: &Start,
        budget: &Budget<'_>,
        bounds: &Bounds,
        (mut state, from): (State, Origin),
    ) -> (Self, Round) {
        let level = state.reads.len() as u32 + u32::from(from == Origin::Input);
        let mut explorer = Explorer {
            start,
            budget,
            bounds: bounds.clone(),
            strategy: SearchOrder::DepthFirst,
            code: self.code,
            dag: self.dag,
            decider: self.decider,
            from: self.machine.steps(),
            machine: self.machine,
            last_snapshot: self.last_snapshot,
            waiting: std::collections::VecDeque::new(),
            levels: Levels::up_to(level),
            point: self.point,
            random: 1,
            coverage: self.coverage,
            found: Found::default(),
            unexplored: Vec::new(),
            steps: 0,
            distances: None,
            accepts: None,
            example: None,
            listened: self.listened,
            told_of_events: self.told_of_events,
            is_round: true,
        };
        explorer.patch(&state);
        let goes = match from {
            Origin::Start => {
                explorer.after_call(&mut state, &[]);
                true
            }
            // What cannot arrive leads nowhere.
            Origin::Moment(Some(event)) => explorer.arrive(&mut state, event),
            _ => true,
        };
        let is_at_call = matches!(from, Origin::Input | Origin::Wait);
        let ended = match goes {
            true => explorer.run_from(state, is_at_call, &mut |_| Flow::Continue),
            false => None,
        };
        let round = Round {
            stops: std::mem::take(&mut explorer.levels.frontier),
            ends: explorer.found.paths,
            unexplored: explorer.unexplored,
            is_cut: ended.is_some(),
            steps: explorer.steps,
        };
        let bench = Workbench {
            dag: explorer.dag,
            decider: explorer.decider,
            machine: explorer.machine,
            point: explorer.point,
            last_snapshot: explorer.last_snapshot,
            code: explorer.code,
            coverage: explorer.coverage,
            listened: explorer.listened,
            told_of_events: explorer.told_of_events,
        };
        (bench, round)
    }
}

/// The events that may arrive in a state.
pub(crate) fn events(state: &State) -> Vec<Event> {
    Explorer::events(state).collect()
}

impl Explorer<'_, '_> {
    /// Whether a round ends before the pending call, because it lets time pass where time has passed before.
    pub(super) fn waits_again(&self, state: &mut State) -> bool {
        if !self.is_round {
            return false;
        }
        let Some((pending, at)) = self.machine.pending().zip(self.machine.location()) else {
            return false;
        };
        let board = &self.start.board;
        let id = self.start.primitives.get(pending.func.0 as usize);
        let action = id.map(|id| board.action(*id, &pending.args, self.machine.memory()));
        if !matches!(action, Some(Ok(Action::Wait { .. }))) {
            return false;
        }
        if state.waited.contains(&at.offset) {
            return true;
        }
        state.waited.push(at.offset);
        false
    }
}
