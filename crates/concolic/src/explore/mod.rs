//! The exploration: from a state, along every path within bounds.

mod calls;
mod cases;
mod events;
mod feasible;
mod goal;

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use borges_board::{Board, BoardState, Event, PrimitiveId, Shared};
use borges_vm::{CodeOffset, Exit, Machine, Snapshot};

use crate::code::Code;
use crate::coverage::Coverage;
use crate::dag::Dag;
use crate::decide::{Constraint, Decider, Effort};
use crate::lanes::Point;
use crate::outside::Outside;
use crate::path::{Cut, Delivered, End, Outcome, Path, Read, Unexplored, Way};
use crate::set::Set;
use crate::shadow::{Ask, Decided, Follower, Shadow, Stopped};
use crate::solver::Solver;

use events::Listening;
use feasible::narrow;

/// Where exploration starts.
#[derive(Clone, Debug)]
pub struct Start {
    /// The program; it runs, and no event handler is active.
    pub machine: Machine,
    /// Its board.
    pub board: Shared<Board>,
    /// The primitive of every imported function.
    pub primitives: Vec<PrimitiveId>,
    /// What was done to the outside so far.
    pub state: BoardState,
}

/// In which order paths are explored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// A path to its end, then the last branch before that.
    #[default]
    DepthFirst,
    /// Fewest inputs first.
    BreadthFirst,
    /// Code that was not executed yet first.
    CoverageFirst,
    /// Nearest to these instructions first, by the number of branches in between.
    Towards(Vec<CodeOffset>),
    /// In an order that the seed determines.
    Random(u64),
}

/// How far to go. What a bound cuts off is marked in the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Inputs on a path: one that would read another one ends.
    pub inputs: u32,
    /// Events (interrupts and timers that the program subscribed to) on a path; without a bound none arrive, and that is
    /// noted as unexplored.
    pub events: Option<u32>,
    /// Moments on a path at which events may arrive, where their arrival makes a difference.
    pub moments: u32,
    /// Instructions on a path.
    pub steps: u64,
    /// Paths in all.
    pub paths: usize,
    /// Rounds of each loop on a path.
    pub rounds: Option<u32>,
    /// Instructions before which a path ends.
    pub stops: Vec<CodeOffset>,
    /// Whether a `select` that depends on inputs counts as a branch.
    pub selects_fork: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            inputs: MOST_INPUTS,
            events: None,
            moments: MOST_MOMENTS,
            steps: 10_000_000,
            paths: 1000,
            rounds: None,
            stops: Vec::new(),
            selects_fork: false,
        }
    }
}

/// No path has more inputs.
pub const MOST_INPUTS: u32 = 1000;

/// Moments of a path at which events arrive, without another bound.
pub const MOST_MOMENTS: u32 = 100;

/// What an exploration tells while it goes on.
#[derive(Clone, Copy, Debug)]
pub enum News<'a> {
    /// A path was found.
    Found(&'a Path),
    /// It still works.
    Working(Progress),
}

/// How far it has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Paths found.
    pub paths: usize,
    /// Branches that wait.
    pub waiting: usize,
    /// Instructions executed.
    pub steps: u64,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Enough: what was found is kept.
    Stop,
}

/// All that an exploration found.
pub struct Explored {
    /// The expressions in the paths' constraints.
    pub dag: Dag,
    /// The paths, in the order in which they were found.
    pub paths: Vec<Path>,
    /// What was left out, and why; what was only cut off is told by the paths' ends.
    pub unexplored: Vec<Unexplored>,
    /// Whether a bound on all paths, or the caller, ended it early.
    pub stopped_early: bool,
    /// What was executed, and with which inputs.
    pub coverage: Coverage,
    /// Instructions executed.
    pub steps: u64,
    pub(crate) decider: Decider,
}

impl Explored {
    /// What deciding has cost so far.
    #[must_use]
    pub fn effort(&self) -> Effort {
        self.decider.effort
    }

    /// Whether these are all paths: nothing was cut off but by the bound on inputs and the places to stop at.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let cut = |path: &Path| matches!(path.end, End::Cut(_));
        !self.stopped_early && self.unexplored.is_empty() && !self.paths.iter().any(cut)
    }
}

/// A path on its way.
#[derive(Clone, Debug)]
struct State {
    shadow: Shadow,
    outside: Outside,
    reads: Vec<Read>,
    constraints: Vec<Constraint>,
    outcomes: Vec<Outcome>,
    model: Vec<u64>,
    /// The number of outcomes when the machine last stood before a `call_indirect` that was decided.
    indirect: Option<CodeOffset>,
    /// The events that have arrived.
    events: Vec<Delivered>,
    /// So many moments for events there were.
    moments: u32,
    /// Before the next instruction, events may arrive.
    is_moment: bool,
}

/// One way to go on from an instruction that depends on inputs.
struct Case {
    outcome: Option<u32>,
    conditions: Vec<Constraint>,
    decided: Decided,
}

impl Case {
    fn new(outcome: Option<u32>, conditions: Vec<Constraint>) -> Self {
        Case {
            outcome,
            conditions,
            decided: Decided::Go,
        }
    }
}

/// A path that waits to be gone on with.
struct Waiting {
    snapshot: Snapshot,
    state: State,
    /// What was decided for the next instruction, if something was.
    decided: Option<Decided>,
    /// The instruction after the branch, as far as it is known.
    next: Option<CodeOffset>,
    /// What arrives first.
    event: Option<Event>,
}

/// What the conditions of a case come to on a path.
enum Feasible {
    Yes(Box<Narrowed>),
    No,
    Unknown(Arc<str>),
}

/// A path's conditions after a decision.
struct Narrowed {
    domains: Vec<(u32, Set)>,
    constraints: Vec<Constraint>,
    model: Vec<u64>,
}

/// What happens next on a path.
enum Next {
    Asked(Ask),
    End(End),
    /// It waits with others to be gone on with.
    Waits,
    /// Nothing more to say: the caller has had enough.
    Enough,
}

/// More values than this are not looked at one at a time.
const MOST_VALUES: usize = 256;
/// Instructions between two looks at whether to go on.
const SLICE: u64 = 1 << 18;

/// What makes a path another one: its branches (noted, and all together), its end, its events.
type PathKey = (Vec<Outcome>, u64, End, Vec<Delivered>);

/// Whether a path ends at a stop where the program is in this state.
pub type Accepts<'a> = &'a mut dyn FnMut(&Machine) -> bool;

/// Explores a program.
struct Explorer<'e> {
    start: &'e Start,
    bounds: Bounds,
    strategy: Strategy,
    code: Code,
    dag: Dag,
    decider: Decider,
    machine: Machine,
    last_snapshot: Option<Snapshot>,
    waiting: VecDeque<Waiting>,
    point: Point,
    random: u64,
    coverage: Coverage,
    paths: Vec<Path>,
    known_paths: HashMap<PathKey, usize>,
    unexplored: Vec<Unexplored>,
    steps: u64,
    distances: Option<crate::distance::Distances>,
    accepts: Option<Accepts<'e>>,
    /// By the handlers of the events that may arrive.
    listened: HashMap<Vec<u32>, Rc<Listening>>,
    told_of_events: bool,
}

/// Explores all paths from a state, within bounds. `observer` hears what is found and may end it.
#[must_use]
pub fn explore(
    start: &Start,
    bounds: Bounds,
    strategy: Strategy,
    solver: Option<Box<dyn Solver>>,
    observer: &mut dyn FnMut(News<'_>) -> Flow,
) -> Explored {
    Explorer::new(start, bounds, strategy, solver).explored(observer)
}

/// Like [`explore`], but a path ends at a stop only where `accepts` says so: other inputs that lead there are tried too.
#[must_use]
pub fn explore_until<'e>(
    start: &'e Start,
    bounds: Bounds,
    strategy: Strategy,
    solver: Option<Box<dyn Solver>>,
    accepts: Accepts<'e>,
    observer: &mut dyn FnMut(News<'_>) -> Flow,
) -> Explored {
    let mut explorer = Explorer::new(start, bounds, strategy, solver);
    explorer.accepts = Some(accepts);
    explorer.explored(observer)
}

impl<'e> Explorer<'e> {
    fn new(
        start: &'e Start,
        bounds: Bounds,
        strategy: Strategy,
        solver: Option<Box<dyn Solver>>,
    ) -> Self {
        let machine = start.machine.clone();
        let empty = borges_vm::Shared::new(
            borges_vm::Module::new(b"\0asm\x01\0\0\0", &borges_vm::Limits::default())
                .expect("the empty module is one"),
        );
        let module = machine.module().unwrap_or(&empty);
        let code = Code::new(module, &bounds.stops);
        let distances = match &strategy {
            Strategy::Towards(targets) => Some(crate::distance::Distances::new(module, targets)),
            _ => None,
        };
        let random = match strategy {
            Strategy::Random(seed) => seed.wrapping_mul(2).wrapping_add(0x9e37_79b9_7f4a_7c15) | 1,
            _ => 1,
        };
        Explorer {
            start,
            bounds: Bounds {
                inputs: bounds.inputs.min(MOST_INPUTS),
                ..bounds
            },
            strategy,
            coverage: Coverage::new(code.offsets()),
            code,
            dag: Dag::default(),
            decider: Decider::new(solver),
            machine,
            last_snapshot: None,
            waiting: VecDeque::new(),
            point: Point::default(),
            random,
            paths: Vec::new(),
            known_paths: HashMap::new(),
            unexplored: Vec::new(),
            steps: 0,
            distances,
            accepts: None,
            listened: HashMap::new(),
            told_of_events: false,
        }
    }

    fn explored(mut self, observer: &mut dyn FnMut(News<'_>) -> Flow) -> Explored {
        let stopped_early = self.run(observer) == Flow::Stop;
        Explored {
            coverage: self.coverage,
            dag: self.dag,
            paths: self.paths,
            unexplored: self.unexplored,
            stopped_early,
            steps: self.steps,
            decider: self.decider,
        }
    }

    fn run(&mut self, observer: &mut dyn FnMut(News<'_>) -> Flow) -> Flow {
        let mut state = State {
            shadow: Shadow::default(),
            outside: Outside::new(self.start.state.clone()),
            reads: Vec::new(),
            constraints: Vec::new(),
            outcomes: Vec::new(),
            model: Vec::new(),
            indirect: None,
            events: Vec::new(),
            moments: 0,
            is_moment: false,
        };
        self.after_call(&mut state, &[]);
        let mut decided = None;
        loop {
            match self.advance(&mut state, decided.take(), observer) {
                Next::Enough => return Flow::Stop,
                Next::Waits => {}
                Next::End(end) => {
                    if self.found(&state, end, observer) == Flow::Stop {
                        return Flow::Stop;
                    }
                }
                Next::Asked(ask) => {
                    if let Some(next) = self.fork(&mut state, ask) {
                        decided = Some(next);
                        continue;
                    }
                }
            }
            loop {
                let Some(waiting) = self.choose() else {
                    return Flow::Continue;
                };
                if self.paths.len() >= self.bounds.paths || observer(self.news()) == Flow::Stop {
                    return Flow::Stop;
                }
                state = waiting.state;
                decided = waiting.decided;
                // A snapshot of this machine fits it.
                let restored = self.machine.restore(&waiting.snapshot);
                debug_assert_eq!(restored, Ok(()));
                self.patch(&state);
                match waiting.event {
                    // What cannot arrive is lost: the path without it is there already.
                    Some(event) if !self.arrive(&mut state, event) => {}
                    _ => break,
                }
            }
        }
    }

    fn news(&self) -> News<'static> {
        News::Working(Progress {
            paths: self.paths.len(),
            waiting: self.waiting.len(),
            steps: self.steps,
        })
    }

    /// Puts the values into the machine that everything has under the path's model.
    fn patch(&mut self, state: &State) {
        self.point.reset(&self.dag);
        let model = &state.model;
        let top = self.machine.cells().len();
        for (at, expr) in state.shadow.cells_in_use(top) {
            let cell = self.point.eval(&self.dag, expr, model);
            self.machine.set_cell(at, cell);
        }
        for (index, expr) in state.shadow.globals() {
            let cell = self.point.eval(&self.dag, expr, model);
            self.machine.set_global_cell(index, cell);
        }
        for (address, byte) in state.shadow.memory.bytes() {
            let cell = self.point.eval(&self.dag, byte.value, model);
            if let Some(slot) = self.machine.memory_mut().get_mut(address as usize) {
                *slot = (cell >> (8 * byte.number)) as u8;
            }
        }
    }

    /// Takes the next of the waiting paths.
    fn choose(&mut self) -> Option<Waiting> {
        match &self.strategy {
            Strategy::DepthFirst => self.waiting.pop_back(),
            Strategy::BreadthFirst => {
                // A path on which nothing arrives must not run away from those on which something does.
                let choices = |state: &State| state.reads.len() + state.moments as usize;
                let key = |at: &usize| choices(&self.waiting[*at].state);
                let first = (0..self.waiting.len()).min_by_key(key)?;
                self.waiting.remove(first)
            }
            Strategy::CoverageFirst => {
                let is_new = |waiting: &Waiting| {
                    let number = waiting.next.and_then(|next| self.code.number(next));
                    number.is_some_and(|number| !self.coverage.is_executed(number))
                };
                let at = self.waiting.iter().position(is_new);
                match at {
                    Some(at) => self.waiting.remove(at),
                    None => self.waiting.pop_front(),
                }
            }
            Strategy::Towards(_) => {
                let distances = self.distances.as_ref();
                let key = |at: &usize| {
                    let waiting = &self.waiting[*at];
                    let distance = distances.and_then(|d| d.from(waiting.next?));
                    (distance.unwrap_or(u32::MAX), waiting.state.reads.len())
                };
                let first = (0..self.waiting.len()).min_by_key(key)?;
                self.waiting.remove(first)
            }
            Strategy::Random(_) => {
                self.random ^= self.random << 13;
                self.random ^= self.random >> 7;
                self.random ^= self.random << 17;
                let count = self.waiting.len() as u64;
                let at = self.random.checked_rem(count)? as usize;
                self.waiting.swap_remove_back(at)
            }
        }
    }

    /// Runs to where something depends on inputs, or to the end of the path.
    fn advance(
        &mut self,
        state: &mut State,
        mut decided: Option<Decided>,
        observer: &mut dyn FnMut(News<'_>) -> Flow,
    ) -> Next {
        let until = self.start.machine.steps().saturating_add(self.bounds.steps);
        let mut passes_stop = false;
        loop {
            let before = self.machine.steps();
            let in_handler = self.machine.in_handler();
            // The end of a handler must not be missed.
            let slice = if in_handler { 1 } else { SLICE };
            let slice = before.saturating_add(slice).min(until);
            let listening = self.listening(state);
            let mut follower = Follower {
                code: &self.code,
                dag: &mut self.dag,
                shadow: &mut state.shadow,
                coverage: &mut self.coverage,
                passes_stop: std::mem::take(&mut passes_stop),
                most_rounds: self.bounds.rounds,
                selects_fork: self.bounds.selects_fork,
                decided: decided.take(),
                touching: listening.as_ref().map(|l| l.touching.as_slice()),
                is_moment: state.is_moment,
                stopped: None,
            };
            let exit = self.machine.run_observed(slice, &mut follower);
            let stopped = follower.stopped.take();
            state.is_moment = follower.is_moment;
            state.is_moment |= in_handler && !self.machine.in_handler();
            self.coverage
                .witness(&state.reads, &state.model, &state.events);
            self.steps += self.machine.steps() - before;
            let location = self.machine.location().map(|location| location.offset);
            match (exit, stopped) {
                (Exit::Budget, Some(Stopped::Ask(ask))) => return Next::Asked(ask),
                (Exit::Budget, Some(Stopped::Place)) => {
                    if !self.stops_here(state, observer) {
                        passes_stop = true;
                        continue;
                    }
                    return Next::End(End::Stopped(location.unwrap_or(CodeOffset(0))));
                }
                (Exit::Budget, Some(Stopped::Moment)) => {
                    self.moment(state);
                    if self.strategy != Strategy::DepthFirst {
                        self.wait_quietly(state);
                        return Next::Waits;
                    }
                }
                (Exit::Budget, Some(Stopped::Rounds)) => return Next::End(End::Cut(Cut::Rounds)),
                (Exit::Finished, _) => return Next::End(End::Returned),
                (Exit::Trapped(trap), _) => return Next::End(End::Trapped(trap, location)),
                (Exit::HostCall, _) => {
                    let events = self.events_now(state);
                    if let Some(next) = self.call(state) {
                        return next;
                    }
                    self.after_call(state, &events);
                }
                (Exit::Budget | Exit::Breakpoint(_) | Exit::Watch { .. }, _) => {
                    if self.machine.steps() >= until {
                        return Next::End(End::Cut(Cut::Steps));
                    }
                    if observer(self.news()) == Flow::Stop {
                        return Next::Enough;
                    }
                }
            }
        }
    }

    /// Notes a path that has ended.
    fn found(
        &mut self,
        state: &State,
        end: End,
        observer: &mut dyn FnMut(News<'_>) -> Flow,
    ) -> Flow {
        let mut outcomes = state.outcomes.clone();
        // A `call_indirect` that traps calls no function.
        if let (End::Trapped(_, Some(at)), Some(last)) = (&end, state.indirect)
            && *at == last
            && outcomes.last().is_some_and(|outcome| outcome.at == last)
        {
            outcomes.pop();
        }
        let way = Way {
            reads: state.reads.clone(),
            constraints: state.constraints.clone(),
            model: state.model.clone(),
        };
        let key = (outcomes, state.shadow.trail, end, state.events.clone());
        if let Some(&number) = self.known_paths.get(&key) {
            self.paths[number].ways.push(way);
            return Flow::Continue;
        }
        self.known_paths.insert(key.clone(), self.paths.len());
        let (outcomes, _, end, events) = key;
        self.paths.push(Path {
            outcomes,
            end,
            ways: vec![way],
            steps: self.machine.steps(),
            events,
        });
        match self.paths.last() {
            Some(path) => observer(News::Found(path)),
            None => Flow::Continue,
        }
    }

    fn leave_out(&mut self, state: &State, reason: &str) {
        let at = self.machine.location().map(|location| location.offset);
        let unexplored = Unexplored {
            at,
            inputs: state.model.clone(),
            types: state.reads.iter().map(|read| read.ty).collect(),
            reason: reason.into(),
        };
        if self.unexplored.len() < self.bounds.paths.max(100)
            && !self.unexplored.contains(&unexplored)
        {
            self.unexplored.push(unexplored);
        }
    }
}
