//! One round: from a state along all ways to the next stops.
//!
//! A path stops before it reads another input than the one that it stands before, where it lets time pass a second time at
//! the same place (a program that only waits comes round there), and at every moment at which an event may arrive.

use std::collections::BTreeSet;
use std::rc::Rc;

use borges_board::{Action, Event};
use borges_vm::{Machine, Snapshot};
use hashbrown::{HashMap, HashSet};

use super::calls::Calling;
use super::events::Listening;
use super::order::Levels;
use super::{Bounds, Explorer, Feasible, Parting, SearchOrder, Start, State, Waiting};
use crate::budget::{Budget, Flow};
use crate::code::Code;
use crate::constraint::Constraint;
use crate::coverage::Coverage;
use crate::dag::Dag;
use crate::decide::Decider;
use crate::lanes::Point;
use crate::path::{End, Unexplored};
use crate::random::Random;
use crate::shadow::Touches;

use super::found::Found;

/// What rounds share: kept from one to the next.
pub(crate) struct Workbench {
    pub(crate) dag: Dag,
    pub(crate) decider: Decider,
    pub(crate) machine: Machine,
    pub(crate) point: Point,
    pub(crate) last_snapshot: Option<Snapshot>,
    code: Code,
    pub(crate) coverage: Coverage,
    listened: HashMap<Vec<u32>, Rc<Listening>>,
    pub(crate) touched: Touches,
    told_of_events: bool,
}

/// Where a round goes on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The start of the program.
    Start,
    /// Before the call that reads an input.
    Input,
    /// Before the call that reads an input, which answers with this cell.
    Answer(u64),
    /// Before another call: one that lets time pass, or that somebody watches.
    Call,
    /// A moment at which this event arrives, or none.
    Moment(Option<Event>),
}

impl Origin {
    fn is_input(self) -> bool {
        matches!(self, Origin::Input | Origin::Answer(_))
    }
}

/// What rounds of one program are told.
#[derive(Clone, Copy)]
pub(crate) struct Rounds<'r> {
    pub(crate) start: &'r Start,
    pub(crate) budget: &'r Budget<'r>,
    pub(crate) bounds: &'r Bounds,
    pub(crate) parting: Parting<'r>,
}

/// What a round led to.
#[derive(Default)]
pub(crate) struct Round {
    /// The paths that stand before the next stop.
    pub(crate) stops: Vec<Waiting>,
    /// Those that ended, with how they stood then.
    pub(crate) ended: Vec<(End, Waiting)>,
    /// What was left out.
    pub(crate) unexplored: Vec<Unexplored>,
    /// The budget was spent before all ways were gone.
    pub(crate) is_cut: bool,
    /// Instructions executed.
    pub(crate) steps: u64,
    /// Of what was left out of the state, what something depends on: by number of the read.
    pub(crate) read: BTreeSet<u32>,
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
            touched: Touches::default(),
            told_of_events: false,
        })
    }

    /// Goes from a state to the next stops. The machine stands where the state is; what the state has read so far is what
    /// its values depend on.
    pub(crate) fn round(self, of: Rounds<'_>, (mut state, from): (State, Origin)) -> (Self, Round) {
        self.explored(of, |explorer| {
            explorer.levels = Levels::up_to(state.inputs() as u32 + u32::from(from.is_input()));
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
            let is_at_call = from.is_input() || from == Origin::Call;
            if let Origin::Answer(cell) = from {
                explorer.given = Some(cell);
            }
            explorer.is_of_handler = state.marks.is_some() && explorer.machine.in_handler();
            explorer.passes = is_at_call.then(|| explorer.machine.steps());
            let spent = match goes {
                true => explorer.run_from(state, None, is_at_call, &mut |_| Flow::Continue),
                false => None,
            };
            explorer.come(spent.is_some())
        })
    }

    /// A stop, apart where it must be; and what was left out.
    pub(crate) fn parted(
        self,
        of: Rounds<'_>,
        stop: Waiting,
    ) -> (Self, (Vec<Waiting>, Vec<Unexplored>)) {
        self.explored(of, |explorer| {
            let parts = explorer.parted(vec![stop]);
            (parts, std::mem::take(&mut explorer.unexplored))
        })
    }

    /// Values of the reads of a path with which these conditions hold too; nothing if there are none, or nobody found out.
    pub(crate) fn model_under(
        self,
        of: Rounds<'_>,
        (stop, conditions): (&Waiting, &[Constraint]),
    ) -> (Self, Option<Vec<u64>>) {
        self.explored(of, |explorer| {
            match explorer.feasible(&stop.state, conditions) {
                Feasible::Yes(narrowed) => Some(narrowed.model),
                Feasible::No | Feasible::Unknown(_) => None,
            }
        })
    }

    /// A stop under one more condition; nothing if that cannot be, or nobody found out.
    pub(crate) fn under(
        self,
        of: Rounds<'_>,
        (stop, condition): (Waiting, Constraint),
    ) -> (Self, Option<Waiting>) {
        self.explored(of, |explorer| {
            let state = explorer.under(stop.state, condition)?;
            // Conditions that are watched have one truth there; what they look at is noted.
            let parts = explorer.parted(vec![Waiting { state, ..stop }]);
            let [only] = <[Waiting; 1]>::try_from(parts).ok()?;
            Some(only)
        })
    }

    /// What somebody does who explores at this bench.
    fn explored<'r, T>(
        self,
        of: Rounds<'r>,
        within: impl FnOnce(&mut Explorer<'r, 'r>) -> T,
    ) -> (Self, T) {
        let mut explorer = self.explorer(of);
        let done = within(&mut explorer);
        (explorer.into(), done)
    }

    fn explorer<'r>(self, of: Rounds<'r>) -> Explorer<'r, 'r> {
        let Rounds {
            start,
            budget,
            bounds,
            parting,
        } = of;
        Explorer {
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
            levels: Levels::default(),
            point: self.point,
            random: Random::in_state(1),
            coverage: self.coverage,
            found: Found::default(),
            unexplored: Vec::new(),
            steps: 0,
            distances: None,
            accepts: None,
            followed: None,
            origins: std::collections::VecDeque::new(),
            is_part: false,
            pauses: None,
            unsure: None,
            given: None,
            listened: self.listened,
            touched: self.touched,
            told_of_events: self.told_of_events,
            is_round: true,
            said: HashSet::new(),
            is_of_handler: false,
            passes: None,
            parting,
            ended: Vec::new(),
            read: BTreeSet::new(),
        }
    }
}

impl From<Explorer<'_, '_>> for Workbench {
    fn from(explorer: Explorer<'_, '_>) -> Self {
        Workbench {
            dag: explorer.dag,
            decider: explorer.decider,
            machine: explorer.machine,
            point: explorer.point,
            last_snapshot: explorer.last_snapshot,
            code: explorer.code,
            coverage: explorer.coverage,
            listened: explorer.listened,
            touched: explorer.touched,
            told_of_events: explorer.told_of_events,
        }
    }
}

/// The events that may arrive in a state.
pub(crate) fn events(state: &State) -> Vec<Event> {
    Explorer::events(state).collect()
}

impl Explorer<'_, '_> {
    /// What this round has led to; it may have been cut.
    fn come(&mut self, is_cut: bool) -> Round {
        let mut stops = std::mem::take(&mut self.levels.frontier);
        if self.parting.at_once {
            stops = self.parted(stops);
        } else {
            self.note_looks(&mut stops);
        }
        let mut ended = std::mem::take(&mut self.ended);
        self.note_looks(ended.iter_mut().map(|(_, stop)| stop));
        Round {
            stops,
            ended,
            unexplored: std::mem::take(&mut self.unexplored),
            is_cut,
            steps: self.steps,
            read: std::mem::take(&mut self.read),
        }
    }

    /// Whether a round ends before the pending call: somebody watches it, or it lets time pass where time has passed before
    /// (where conditions or calls are watched, time never passes unseen).
    pub(super) fn stops_before_call(&self, state: &mut State, calling: &Calling) -> bool {
        if !self.is_round {
            return false;
        }
        let id = calling.id;
        let is_watched = |watched: &dyn super::Watched| watched.stops_before(id);
        if self.parting.watched.is_some_and(is_watched) || self.parting.calls.contains(&id) {
            return self.passes != Some(self.machine.steps());
        }
        let board = &self.start.board;
        let action = board.action(id, &calling.args, self.machine.memory());
        if !matches!(action, Ok(Action::Wait { .. })) {
            return false;
        }
        self.stops_in_time(state)
    }

    /// Whether a round ends before the pending call, which lets time pass.
    pub(super) fn stops_in_time(&self, state: &mut State) -> bool {
        if self.parting.watched.is_some() || !self.parting.calls.is_empty() {
            return self.passes != Some(self.machine.steps());
        }
        let Some(at) = self.machine.location() else {
            return false;
        };
        let again = state.waited.contains(&at.offset);
        if !again {
            state.waited.push(at.offset);
        }
        again
    }

    /// Notes how a path of a round ended.
    pub(super) fn note_end(&mut self, state: &State, end: End) {
        let snapshot = self.machine.snapshot(self.last_snapshot.as_ref());
        self.last_snapshot = Some(snapshot.clone());
        let stop = Waiting::at(snapshot, state.clone(), true);
        self.ended.push((end, stop));
    }
}
