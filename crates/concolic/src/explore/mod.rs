//! The exploration: from a state, along every path within bounds.

mod aged;
mod along;
mod calls;
mod cases;
mod events;
mod feasible;
mod fills;
mod findings;
mod found;
mod goal;
mod learned;
mod marks;
mod numbers;
mod order;
mod prefix;
mod resume;
mod round;
mod search;
mod sent;
mod sent_path;
mod system;
mod watched;

use std::cmp::Ordering;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use borges_board::Event;
use borges_vm::{CodeOffset, Exit, Machine, Snapshot};
use hashbrown::{HashMap, HashSet};

use crate::budget::{Budget, Flow, Progress};
use crate::code::Code;
use crate::constraint::Constraint;
use crate::coverage::Coverage;
use crate::dag::Dag;
use crate::decide::Decider;
use crate::lanes::Point;
use crate::outside::Outside;
use crate::path::{Cut, Decision, Delivered, End, Path, Read, Unexplored, calls};
use crate::random::Random;
use crate::set::Set;
use crate::shadow::{Ask, Decided, Follower, Shadow, Stopped, Touches};
use crate::standing::go_back;
use crate::touch::Marks;

use events::Listening;
pub(crate) use feasible::connected;
use feasible::narrow;
use found::Found;
use order::{Levels, Unvisited};
use prefix::{Followed, Unsure};

pub(crate) use aged::{AGES, Aged, FAR_BACK, OLDER, OLDER_DURATION, Older};
pub(crate) use cases::unread;
pub use findings::{Findings, Gathered};
pub use learned::Learned;
pub use numbers::{Arithmetic, Comparator, Looked, Numbers, Open, Symbolic};
pub use order::SearchOrder;
pub use prefix::Prefix;
pub(crate) use round::{Origin, Round, Rounds, Workbench, events};
pub use search::{
    Accepts, Bounds, Ended, Explored, MOST_BYTES, MOST_INPUTS, MOST_MOMENTS, MOST_PATHS,
    MOST_STEPS, Search, Start, SystemChoices,
};
pub(crate) use system::said_once;
pub use system::{FAULTS, MORE_STDIN, PIECES, STDIN, UNASKED_STDIN};
pub(crate) use watched::Parting;
pub use watched::{Said, Truths, Watched};

/// A path on its way.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) shadow: Shadow,
    pub(crate) outside: Outside,
    pub(crate) reads: Vec<Read>,
    pub(crate) constraints: Vec<Constraint>,
    outcomes: Vec<Decision>,
    pub(crate) model: Vec<u64>,
    /// The number of outcomes when the machine last stood before a `call_indirect` that was decided.
    indirect: Option<CodeOffset>,
    /// So many times there were several ways on, as far as one could see: see [`Prefix`].
    turns: u32,
    /// The events that have arrived.
    events: Vec<Delivered>,
    /// So many moments for events there were.
    moments: u32,
    /// Before the next instruction, events may arrive.
    is_moment: bool,
    /// The prefix that it goes on from, of those that can be shown.
    prefix: Option<u32>,
    /// The calls at which it has let time pass, in a round.
    pub(crate) waited: Vec<CodeOffset>,
    /// Which of the conditions that are watched held where it stopped last.
    pub(crate) truths: Truths,
    /// What they looked at where it stopped now.
    pub(crate) looked: Vec<Looked>,
    /// Which of its reads are bytes that were left out of the state that it goes on from.
    pub(crate) unread: Range<u32>,
    /// Which of its reads come from times that may be longer ago than is counted, in the state that it goes on from.
    pub(crate) aged: Option<Arc<Aged>>,
    /// What the call returns before which it stands, where that is decided before the bytes that it brings.
    returns: Option<u32>,
    /// Whether that call fails, where it is one of an operating system and may.
    fails: Option<u32>,
    /// What is left to be chosen of its operating system.
    pub(crate) choices: SystemChoices,
    /// Bytes that depend on inputs lie in files.
    is_filed: bool,
    /// What it has touched in this round, if somebody wants to know.
    pub(crate) marks: Option<Box<Marks>>,
}

impl State {
    pub(crate) fn new(outside: borges_board::BoardState) -> Self {
        State {
            shadow: Shadow::default(),
            outside: Outside::new(outside),
            reads: Vec::new(),
            constraints: Vec::new(),
            outcomes: Vec::new(),
            model: Vec::new(),
            indirect: None,
            turns: 0,
            events: Vec::new(),
            moments: 0,
            is_moment: false,
            prefix: None,
            waited: Vec::new(),
            truths: Truths::default(),
            looked: Vec::new(),
            unread: 0..0,
            aged: None,
            returns: None,
            fails: None,
            choices: SystemChoices::default(),
            is_filed: false,
            marks: None,
        }
    }

    /// All that was decided on it: what takes the same way through the program has the same.
    pub(crate) fn decided(&self) -> (u128, &[Decision]) {
        (self.shadow.trail, &self.outcomes)
    }

    /// How many inputs it has read.
    pub(crate) fn inputs(&self) -> usize {
        calls(&self.reads)
    }
}

/// One way to go on from an instruction that depends on inputs.
struct Case {
    outcome: Option<u32>,
    /// What the instruction is executed for, if that is one value at a time.
    value: Option<u64>,
    conditions: Vec<Constraint>,
    decided: Decided,
}

impl Case {
    fn new(outcome: Option<u32>, conditions: Vec<Constraint>) -> Self {
        Case {
            outcome,
            value: None,
            conditions,
            decided: Decided::Go,
        }
    }
}

/// A path that waits to be gone on with.
#[derive(Clone)]
pub(crate) struct Waiting {
    pub(crate) snapshot: Snapshot,
    pub(crate) state: State,
    /// What was decided for the next instruction, if something was.
    decided: Option<Decided>,
    /// The instruction after the branch, as far as it is known.
    next: Option<CodeOffset>,
    /// What arrives first.
    event: Option<Event>,
    /// It stands before the call that reads an input.
    pub(crate) is_at_call: bool,
}

impl Waiting {
    /// A path that stands before a call, or at a moment for events.
    pub(crate) fn at(snapshot: Snapshot, state: State, is_at_call: bool) -> Self {
        Waiting {
            snapshot,
            state,
            decided: None,
            next: None,
            event: None,
            is_at_call,
        }
    }
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
    /// Nothing is left of the budget.
    Spent,
}

/// More values than this are not looked at one at a time.
const MOST_VALUES: usize = 256;
/// An expression of inputs with so many combinations is evaluated for each; of more, only bounds of it are known.
const MOST_EVALUATED: u64 = 1 << 16;
/// So many places that were left out are listed, or as many as paths may be found: what is beyond is one more entry.
const MOST_LEFT_OUT: usize = 100;
/// Instructions between two looks at the budget.
const SLICE: u64 = 1 << 16;

/// Hears of paths, and may end the exploration.
type Heard<'h> = &'h mut dyn FnMut(&Path) -> Flow;

/// Explores a program.
struct Explorer<'e, 'b> {
    start: &'e Start,
    budget: &'b Budget<'b>,
    bounds: Bounds,
    strategy: SearchOrder,
    code: Code,
    dag: Dag,
    decider: Decider,
    machine: Machine,
    last_snapshot: Option<Snapshot>,
    waiting: VecDeque<Waiting>,
    levels: Levels,
    point: Point,
    random: Random,
    coverage: Coverage,
    found: Found,
    unexplored: Vec<Unexplored>,
    steps: u64,
    distances: Option<crate::distance::Distances>,
    accepts: Option<Accepts<'e>>,
    /// The run that is followed.
    followed: Option<Followed>,
    /// What is gone on from after what waits.
    origins: VecDeque<Prefix>,
    /// It is one of several explorations, which go on from prefixes.
    is_part: bool,
    /// Asked between two paths whether to leave the rest to others.
    pauses: Option<&'e dyn Fn(Progress) -> bool>,
    /// The path that was under way when the budget was spent.
    unsure: Option<Unsure>,
    /// What the next input answers.
    given: Option<u64>,
    /// By the handlers of the events that may arrive.
    listened: HashMap<Vec<u32>, Rc<Listening>>,
    /// The bytes that handlers touch.
    touched: Touches,
    told_of_events: bool,
    /// Instructions retired where this exploration began.
    from: u64,
    /// It goes to the next stops, and no further.
    is_round: bool,
    /// What of the operating system is not looked at was said once.
    said: HashSet<&'static str>,
    /// The round began in a handler, and ends with it.
    is_of_handler: bool,
    /// The step at which a round stands before a call that is let through.
    passes: Option<u64>,
    /// What is watched on the way.
    parting: Parting<'e>,
    /// How its paths ended, in a round.
    ended: Vec<(End, Waiting)>,
    /// Of what was left out of the state that a round goes on from, what something depends on: by number of the read.
    read: BTreeSet<u32>,
}

/// Explores all paths from a state, within bounds, until the budget is spent. `heard` is told of each path when it is
/// found, and may end it.
#[must_use]
pub fn explore<'e>(
    start: &'e Start,
    mut search: Search<'e>,
    budget: &Budget<'_>,
    heard: &mut dyn FnMut(&Path) -> Flow,
) -> Explored {
    let examples = std::mem::take(&mut search.examples);
    let mut explorer = Explorer::new(start, search, budget);
    explorer.follow_examples(examples, heard);
    explorer.explored(heard)
}

impl<'e, 'b> Explorer<'e, 'b> {
    fn new(start: &'e Start, search: Search<'e>, budget: &'b Budget<'b>) -> Self {
        let (bounds, strategy) = (search.bounds, search.strategy);
        let machine = start.machine.clone();
        let empty = borges_vm::Shared::new(
            borges_vm::Module::new(b"\0asm\x01\0\0\0", &borges_vm::Limits::default())
                .expect("the empty module is one"),
        );
        let module = machine.module().unwrap_or(&empty);
        let code = Code::new(module, &bounds.stops);
        let distances = match &strategy {
            SearchOrder::Towards(targets) => Some(crate::distance::Distances::new(module, targets)),
            _ => None,
        };
        let (dag, decider) = match search.learned {
            Some(Learned { dag, decider }) => (dag, decider),
            None => (Dag::default(), Decider::new(search.solver)),
        };
        let random = match strategy {
            SearchOrder::Random(seed) => Random::from_seed(seed),
            _ => Random::in_state(1),
        };
        Explorer {
            start,
            budget,
            levels: Levels::new(&strategy, bounds.inputs),
            bounds: Bounds {
                inputs: bounds.inputs.min(MOST_INPUTS),
                ..bounds
            },
            strategy,
            coverage: Coverage::new(code.offsets()),
            code,
            dag,
            decider,
            machine,
            last_snapshot: None,
            waiting: VecDeque::new(),
            point: Point::default(),
            random,
            found: Found::default(),
            unexplored: Vec::new(),
            steps: 0,
            distances,
            accepts: search.accepts,
            followed: None,
            is_part: !search.prefixes.is_empty(),
            origins: prefix::origins(search.prefixes),
            pauses: search.pauses,
            unsure: None,
            given: None,
            listened: HashMap::new(),
            touched: Touches::default(),
            told_of_events: false,
            from: start.machine.steps(),
            is_round: false,
            said: HashSet::new(),
            is_of_handler: false,
            passes: None,
            parting: Parting::default(),
            ended: Vec::new(),
            read: BTreeSet::new(),
        }
    }

    fn explored(mut self, heard: Heard<'_>) -> Explored {
        let (ended, current) = match self.run(heard) {
            None => (None, None),
            Some((ended, current)) => (Some(ended), current),
        };
        let waiting = self.waiting.len() + self.levels.frontier.len();
        let looked = self.looked(current);
        let unfinished = if ended.is_some() && !self.is_part {
            self.unfinished()
        } else {
            Vec::new()
        };
        let mut paths = self.found.paths;
        paths.extend(unfinished);
        let unvisited = Unvisited {
            waiting: self.waiting,
            levels: self.levels,
            origins: self.origins,
            unsure: self.unsure,
        };
        Explored {
            trails: self.found.trails,
            unvisited,
            coverage: self.coverage,
            dag: self.dag,
            paths,
            unexplored: self.unexplored,
            ended,
            waiting: waiting + usize::from(current.is_some()),
            looked,
            steps: self.steps,
            bounds: self.bounds,
            decider: self.decider,
        }
    }

    /// The state at the start.
    fn begun(&self) -> State {
        State {
            choices: self.start.choices,
            ..State::new(self.start.state.clone())
        }
    }

    /// Explores from a state, perhaps before a call, until nothing waits any more; or what ended it, with the inputs of the
    /// path that was under way.
    fn run_from(
        &mut self,
        mut state: State,
        mut decided: Option<Decided>,
        mut is_at_call: bool,
        heard: Heard<'_>,
    ) -> Option<(Ended, Option<usize>)> {
        let mut sure = self.sure(&state);
        loop {
            self.budget.note(self.progress());
            if let Some(spent) = self.budget.spent() {
                self.unsure = Some(sure);
                return Some((Ended::Spent(spent), Some(state.inputs())));
            }
            sure = self.sure(&state);
            let next = self.advance(&mut state, decided.take(), std::mem::take(&mut is_at_call));
            // What could not be decided because the budget was spent is under way still.
            let current = state.inputs();
            if self.is_part && self.budget.is_spent() {
                // Whoever goes on with it comes here again.
                continue;
            }
            let has_had_enough = match next {
                Next::Waits => false,
                Next::Spent => continue,
                Next::End(end) => self.found(&state, end, heard) == Flow::Stop,
                Next::Asked(ask) => {
                    if let Some(next) = self.fork(&mut state, ask) {
                        decided = Some(next);
                        continue;
                    }
                    false
                }
            };
            if has_had_enough {
                return Some((Ended::Enough, None));
            }
            loop {
                if let Some(spent) = self.budget.spent() {
                    self.unsure = Some(sure);
                    return Some((Ended::Spent(spent), Some(current)));
                }
                let waiting = self.choose()?;
                if let Some(ended) = self.ends_between() {
                    self.waiting.push_back(waiting);
                    return Some((ended, None));
                }
                state = waiting.state;
                decided = waiting.decided;
                is_at_call = waiting.is_at_call;
                go_back(&mut self.machine, &waiting.snapshot);
                self.patch(&state);
                match waiting.event {
                    // What cannot arrive is lost: the path without it is there already.
                    Some(event) if !self.arrive(&mut state, event) => {}
                    _ => break,
                }
            }
            sure = self.sure(&state);
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            paths: self.found.paths.len(),
            states: 0,
            waiting: self.waiting.len() + self.levels.frontier.len(),
            steps: self.steps,
            inputs: self.levels.known(),
        }
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
            self.machine
                .set_byte(address as usize, (cell >> (8 * byte.number)) as u8);
        }
    }

    /// Runs to where something depends on inputs, or to the end of the path; if it stands before a call, that comes first.
    fn advance(
        &mut self,
        state: &mut State,
        mut decided: Option<Decided>,
        is_at_call: bool,
    ) -> Next {
        if is_at_call && let Some(next) = self.called(state) {
            return next;
        }
        let until = self.from.saturating_add(self.bounds.steps);
        let mut passes_stop = false;
        loop {
            if self.ends_with_handler(state) {
                return Next::Waits;
            }
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
                reads: (self.is_round && state.marks.is_none()).then_some(&*state.reads),
                decided: decided.take(),
                touching: listening.as_ref().map(|l| l.touching.as_slice()),
                assumed: self.touched.assumed.as_deref(),
                touched: in_handler.then_some(&mut self.touched.seen),
                is_moment: state.is_moment,
                marks: state.marks.as_deref_mut(),
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
                    if !self.stops_here(state) {
                        passes_stop = true;
                        continue;
                    }
                    return Next::End(End::Stopped(location.unwrap_or(CodeOffset(0))));
                }
                (Exit::Budget, Some(Stopped::Moment)) if !self.waits_at_moment(state) => {}
                (Exit::Budget, Some(Stopped::Moment)) => return Next::Waits,
                (Exit::Budget, Some(Stopped::Cut(by))) => return self.cut(state, by),
                (Exit::Finished, _) => return Next::End(End::of_finished(&self.machine)),
                (Exit::Trapped(trap), _) => return Next::End(End::Trapped(trap, location)),
                (Exit::HostCall, _) => {
                    if let Some(next) = self.called(state) {
                        return next;
                    }
                }
                (Exit::Budget | Exit::Breakpoint(_) | Exit::Watch { .. }, _) => {
                    if self.machine.steps() >= until {
                        return Next::End(End::Cut(Cut::Steps));
                    }
                    if self.budget.is_spent() {
                        return Next::Spent;
                    }
                }
            }
        }
    }

    /// Lets the call happen before which the machine stands, and what may arrive after it.
    fn called(&mut self, state: &mut State) -> Option<Next> {
        let Some(calling) = self.calling() else {
            self.after_call(state, &self.events_now(state));
            return None;
        };
        if self.stops_before_call(state, &calling) {
            self.wait_before_input(state);
            return Some(Next::Waits);
        }
        let events = self.events_now(state);
        self.mark_call(state, &calling);
        let next = self.call(state, &calling);
        if next.is_none() {
            state.shadow.note_call(calling.func);
            self.after_call(state, &events);
        }
        next
    }

    /// Notes a path that has ended.
    fn found(&mut self, state: &State, end: End, heard: Heard<'_>) -> Flow {
        if self.is_round {
            self.note_end(state, end);
            return Flow::Continue;
        }
        let mut outcomes = state.outcomes.clone();
        // A `call_indirect` that traps calls no function.
        if let (End::Trapped(_, Some(at)), Some(last)) = (&end, state.indirect)
            && *at == last
            && outcomes.last().is_some_and(|outcome| outcome.at == last)
        {
            outcomes.pop();
        }
        self.levels.ended(state);
        let steps = self.machine.steps();
        let (number, is_new) = self.found.add(state, outcomes, end, steps);
        match self.found.paths.get(number).filter(|_| is_new) {
            Some(path) => heard(path),
            None => Flow::Continue,
        }
    }

    /// The end of what is followed, which is said unless it is a bound.
    fn cut(&mut self, state: &State, by: Cut) -> Next {
        if let Some(reason) = by.unfollowed() {
            self.leave_out(state, reason);
        }
        Next::End(End::Cut(by))
    }

    /// The same of what needs no place.
    fn leave_out_once(&mut self, reason: &'static str) {
        if self.said.insert(reason) {
            self.unexplored.push(Unexplored::anywhere(reason));
        }
    }

    fn leave_out(&mut self, state: &State, reason: &str) {
        if self.followed.is_some() {
            return;
        }
        self.levels.left_out(state.inputs());
        // Then it is the budget that is told, once.
        if self.budget.is_spent() {
            return;
        }
        let at = self.machine.location().map(|location| location.offset);
        let unexplored = Unexplored {
            at,
            inputs: state.model.clone(),
            types: state.reads.iter().map(|read| read.ty).collect(),
            reason: reason.into(),
        };
        if self.unexplored.contains(&unexplored) {
            return;
        }
        let most = self.bounds.paths.max(MOST_LEFT_OUT);
        match self.unexplored.len().cmp(&most) {
            Ordering::Less => self.unexplored.push(unexplored),
            Ordering::Equal => self.unexplored.push(Unexplored {
                reason: format!("more was left out than the {most} places that are listed").into(),
                ..unexplored
            }),
            Ordering::Greater => {}
        }
    }
}
