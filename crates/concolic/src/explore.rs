//! The exploration: from a state, along every path within bounds.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use borges_board::{Board, BoardState, Kind, PrimitiveId, Shared};
use borges_vm::{CodeOffset, Exit, Machine, Snapshot, Trap, ValType, Value};

use crate::code::Code;
use crate::dag::{Dag, Expr};
use crate::decide::{Answer, Constraint, Decider, Effort};
use crate::lanes::Point;
use crate::outside::{Outside, refusals};
use crate::path::{Cut, End, Outcome, Path, Read, Unexplored, Way};
use crate::range;
use crate::set::{Set, cell_of, greatest, nice, value_of};
use crate::shadow::{Ask, Decided, Follower, KNOWN, Shadow, Stopped};
use crate::solver::Solver;

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
    /// Instructions of the module, and whether any path executed them.
    pub executed: Vec<(CodeOffset, bool)>,
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
    decided: Decided,
    /// The instruction after the branch, as far as it is known.
    next: Option<CodeOffset>,
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
    /// Nothing more to say: the caller has had enough.
    Enough,
}

/// More values than this are not looked at one at a time.
const MOST_VALUES: usize = 256;
/// Instructions between two looks at whether to go on.
const SLICE: u64 = 1 << 18;

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
    executed: Vec<bool>,
    paths: Vec<Path>,
    known_paths: HashMap<(Vec<Outcome>, End), usize>,
    unexplored: Vec<Unexplored>,
    steps: u64,
    distances: Option<crate::distance::Distances>,
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
    let mut explorer = Explorer::new(start, bounds, strategy, solver);
    let stopped_early = explorer.run(observer) == Flow::Stop;
    let offsets = explorer.code.offsets().iter().copied();
    Explored {
        executed: offsets.zip(explorer.executed.iter().copied()).collect(),
        dag: explorer.dag,
        paths: explorer.paths,
        unexplored: explorer.unexplored,
        stopped_early,
        steps: explorer.steps,
        decider: explorer.decider,
    }
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
            executed: vec![false; code.offsets().len()],
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
        };
        let mut decided = None;
        loop {
            match self.advance(&mut state, decided.take(), observer) {
                Next::Enough => return Flow::Stop,
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
            let Some(waiting) = self.choose() else {
                return Flow::Continue;
            };
            if self.paths.len() >= self.bounds.paths || observer(self.news()) == Flow::Stop {
                return Flow::Stop;
            }
            state = waiting.state;
            decided = Some(waiting.decided);
            // A snapshot of this machine fits it.
            let restored = self.machine.restore(&waiting.snapshot);
            debug_assert_eq!(restored, Ok(()));
            self.patch(&state);
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
                let key = |at: &usize| self.waiting[*at].state.reads.len();
                let first = (0..self.waiting.len()).min_by_key(key)?;
                self.waiting.remove(first)
            }
            Strategy::CoverageFirst => {
                let is_new = |waiting: &Waiting| {
                    let number = waiting.next.and_then(|next| self.code.number(next));
                    number.is_some_and(|number| !self.executed[number])
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
        loop {
            let before = self.machine.steps();
            let slice = before.saturating_add(SLICE).min(until);
            let mut follower = Follower {
                code: &self.code,
                dag: &mut self.dag,
                shadow: &mut state.shadow,
                executed: &mut self.executed,
                most_rounds: self.bounds.rounds,
                selects_fork: self.bounds.selects_fork,
                decided: decided.take(),
                stopped: None,
            };
            let exit = self.machine.run_observed(slice, &mut follower);
            let stopped = follower.stopped.take();
            self.steps += self.machine.steps() - before;
            let location = self.machine.location().map(|location| location.offset);
            match (exit, stopped) {
                (Exit::Budget, Some(Stopped::Ask(ask))) => return Next::Asked(ask),
                (Exit::Budget, Some(Stopped::Place)) => {
                    return Next::End(End::Stopped(location.unwrap_or(CodeOffset(0))));
                }
                (Exit::Budget, Some(Stopped::Rounds)) => return Next::End(End::Cut(Cut::Rounds)),
                (Exit::Finished, _) => return Next::End(End::Returned),
                (Exit::Trapped(trap), _) => return Next::End(End::Trapped(trap, location)),
                (Exit::HostCall, _) => {
                    if let Some(next) = self.call(state) {
                        return next;
                    }
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
        let key = (outcomes, end);
        if let Some(&number) = self.known_paths.get(&key) {
            self.paths[number].ways.push(way);
            return Flow::Continue;
        }
        self.known_paths.insert(key.clone(), self.paths.len());
        let (outcomes, end) = key;
        self.paths.push(Path {
            outcomes,
            end,
            ways: vec![way],
            steps: self.machine.steps(),
            events: Vec::new(),
        });
        match self.paths.last() {
            Some(path) => observer(News::Found(path)),
            None => Flow::Continue,
        }
    }

    /// Lets the pending call happen. Something to do if it is not simply done.
    fn call(&mut self, state: &mut State) -> Option<Next> {
        let pending = self.machine.pending()?;
        let func = pending.func;
        let args = pending.args.clone();
        let result = pending.ty.results.first().copied();
        let indirect = matches!(
            self.machine.next_instr(),
            Some(borges_vm::binary::Instr::CallIndirect { .. })
        );
        let id = *self.start.primitives.get(func.0 as usize)?;
        let board = self.start.board.clone();
        let past = self.machine.cells().len() - usize::from(indirect);
        let first = past - args.len();
        let exprs: Vec<Option<Expr>> = (first..past)
            .map(|at| Some(state.shadow.cell(at)).filter(|expr| *expr != KNOWN))
            .collect();
        let kind = board.primitive(id).map_or(Kind::Trap, |found| found.kind);
        let is_output = matches!(kind, Kind::Output);
        if exprs.iter().any(Option::is_some)
            && let Some(next) =
                self.symbolic_arguments(state, (id, &args), &exprs, first, is_output)
        {
            return Some(next);
        }
        let refused = Next::End(End::Trapped(
            Trap::Host,
            self.machine.location().map(|location| location.offset),
        ));
        let answer = match kind {
            Kind::Trap => return Some(refused),
            Kind::Constant(value) => Some(value),
            Kind::Input => {
                if board.check_input(id, &args).is_err() {
                    return Some(refused);
                }
                match self.read(state, (id, &args), result, first) {
                    Ok(answer) => return answer,
                    Err(end) => return Some(Next::End(end)),
                }
            }
            Kind::Output => {
                let memory = self.machine.memory();
                let nothing = borges_board::Captured::default();
                let outside = &mut state.outside;
                outside.wrote(&board, (id, &args), memory, &exprs);
                match outside.state.apply(&board, id, &args, memory, &nothing) {
                    Ok(result) => result,
                    Err(_) => return Some(refused),
                }
            }
        };
        // Imports were bound by their types.
        let answered = self.machine.answer(answer.as_slice());
        debug_assert_eq!(answered, Ok(()));
        state.shadow.forget_cells(first, past + 1);
        None
    }

    /// Decides what a call's arguments are, as far as it matters.
    fn symbolic_arguments(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
        exprs: &[Option<Expr>],
        first: usize,
        is_output: bool,
    ) -> Option<Next> {
        let board = self.start.board.clone();
        if is_output {
            // Whether the board refuses it; what exactly is done, no later input depends on.
            let bounds = |expr| self.bounds_of(state, expr);
            let refused = refusals(&board, (id, args), self.machine.memory(), exprs, bounds);
            let (expr, set) = refused?;
            let fine = set.complement(self.dag.ty(expr));
            if self.bounds_within(state, expr, &fine) {
                return None;
            }
            if self.bounds_within(state, expr, &set) {
                let at = self.machine.location().map(|location| location.offset);
                return Some(Next::End(End::Trapped(Trap::Host, at)));
            }
            let trap = (Trap::Host, Constraint::new(expr, set));
            return Some(Next::Asked(Ask::Traps(vec![trap])));
        }
        // An input's codomain, and which one it is, depend on its arguments.
        for (at, expr) in exprs.iter().enumerate() {
            if let Some(expr) = expr {
                if let Some(only) = self.only_value(state, *expr) {
                    debug_assert_eq!(Some(only), args.get(at).map(|value| cell_of(*value)));
                    state.shadow.set_cell(first + at, KNOWN);
                    continue;
                }
                return Some(Next::Asked(Ask::Value(*expr)));
            }
        }
        None
    }

    /// Reads an input: its answer is an expression from now on.
    fn read(
        &mut self,
        state: &mut State,
        (id, args): (PrimitiveId, &[Value]),
        result: Option<ValType>,
        first: usize,
    ) -> Result<Option<Next>, End> {
        if state.reads.len() >= self.bounds.inputs as usize {
            return Err(End::Inputs);
        }
        let board = self.start.board.clone();
        let ty = result.unwrap_or(ValType::I32);
        let place = state.reads.len() as u32;
        let answer = self.dag.input(place, ty);
        let allowed = state
            .outside
            .allowed(&board, (id, args), &mut self.dag, answer);
        let mut domain = allowed.domain;
        if matches!(ty, ValType::FuncRef | ValType::ExternRef) {
            // What a reference refers to is not for inputs to explore.
            domain = Set::single(domain.bounds().map_or(0, |(least, _)| least));
            self.leave_out(state, "references as inputs are explored with null only");
        }
        if state.outside.is_blurred {
            state.outside.is_blurred = false;
            self.leave_out(
                state,
                "a rule of the board may look at an output whose arguments depend on inputs: other values than those \
                 tried here may allow other inputs",
            );
        }
        let Some(value) = nice(&domain, ty) else {
            return Err(End::Cut(Cut::NoValue));
        };
        state.reads.push(Read {
            primitive: id,
            args: args.to_vec(),
            ty,
            domain,
            step: self.machine.steps(),
        });
        state.model.push(value);
        let before = state.model.clone();
        if !allowed.constraints.is_empty() {
            match self.feasible(state, &allowed.constraints) {
                Feasible::Yes(narrowed) => narrow(state, *narrowed),
                Feasible::No => return Err(End::Cut(Cut::NoValue)),
                Feasible::Unknown(reason) => {
                    self.leave_out(state, &reason);
                    return Err(End::Cut(Cut::NoValue));
                }
            }
        }
        let value = state.model[place as usize];
        let known = state.reads[place as usize].domain.only();
        let known = known.filter(|_| allowed.constraints.is_empty());
        let known = known.map(|cell| value_of(ty, cell));
        state.outside.read(&board, (id, args), answer, known);
        let answered = self.machine.answer(&[value_of(ty, value)]);
        debug_assert_eq!(answered, Ok(()));
        let past = first + args.len() + 1;
        state.shadow.forget_cells(first, past);
        if known.is_none() {
            state.shadow.set_cell(first, answer);
        }
        if state.model != before {
            self.patch(state);
        }
        Ok(None)
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

    /// Goes one way, and lets the other ways wait. What was decided for the way that is gone now, or nothing if the
    /// strategy wants to choose.
    fn fork(&mut self, state: &mut State, ask: Ask) -> Option<Decided> {
        let at = self.machine.location().map(|location| location.offset);
        let at = at.unwrap_or(CodeOffset(0));
        let is_indirect = matches!(ask, Ask::Indirect(..));
        let mut ways = Vec::new();
        for case in self.cases(state, ask) {
            match self.feasible(state, &case.conditions) {
                Feasible::Yes(narrowed) => ways.push((case, *narrowed)),
                Feasible::No => {}
                Feasible::Unknown(reason) => self.leave_out(state, &reason),
            }
        }
        let note = |state: &mut State, outcome: Option<u32>| {
            if let Some(taken) = outcome {
                state.outcomes.push(Outcome { at, taken });
                state.indirect = is_indirect.then_some(at);
            }
        };
        let goes_on = self.strategy == Strategy::DepthFirst;
        // The way that the machine's state is on anyway, if there is one.
        let current = ways
            .iter()
            .position(|(_, narrowed)| narrowed.model == state.model)
            .or((!ways.is_empty()).then_some(0));
        let (case, narrowed) = match (current, ways.len()) {
            (None, _) => return None,
            (Some(at), 1) => ways.swap_remove(at),
            (Some(at), _) if goes_on => {
                let first = ways.remove(at);
                self.wait(state, at_next(&self.machine), ways, &note);
                first
            }
            _ => {
                self.wait(state, at_next(&self.machine), ways, &note);
                return None;
            }
        };
        let changed = narrowed.model != state.model;
        narrow(state, narrowed);
        note(state, case.outcome);
        if changed {
            self.patch(state);
        }
        Some(case.decided)
    }

    fn wait(
        &mut self,
        state: &State,
        next: Option<CodeOffset>,
        ways: Vec<(Case, Narrowed)>,
        note: &impl Fn(&mut State, Option<u32>),
    ) {
        if ways.is_empty() {
            return;
        }
        let snapshot = self.machine.snapshot(self.last_snapshot.as_ref());
        self.last_snapshot = Some(snapshot.clone());
        // The last to wait is the first to be gone on with.
        for (case, narrowed) in ways.into_iter().rev() {
            let mut state = state.clone();
            narrow(&mut state, narrowed);
            note(&mut state, case.outcome);
            let next = self.next_of(case.outcome).or(next);
            self.waiting.push_back(Waiting {
                snapshot: snapshot.clone(),
                state,
                decided: case.decided,
                next,
            });
        }
    }

    /// Where a branch goes.
    fn next_of(&self, outcome: Option<u32>) -> Option<CodeOffset> {
        let here = self.machine.location()?.offset;
        let module = self.machine.module()?;
        let range = module.code_range(module.func_at(here)?)?;
        let outcome = outcome?;
        if (range.start.0..range.end.0).contains(&outcome) {
            return Some(CodeOffset(outcome));
        }
        crate::distance::after_branch(module, here, outcome != 0)
    }

    /// The ways to go on. They exclude each other, and one of them is the truth.
    fn cases(&mut self, state: &State, ask: Ask) -> Vec<Case> {
        match ask {
            Ask::Branch(condition) => [(1, Set::nonzero()), (0, Set::single(0))]
                .map(|(taken, set)| Case::new(Some(taken), vec![Constraint::new(condition, set)]))
                .into(),
            Ask::Switch(index, targets) => {
                let mut by_target: Vec<(CodeOffset, Vec<(u64, u64)>)> = Vec::new();
                let last = targets.len().saturating_sub(1) as u64;
                for (label, target) in (0..).zip(&targets) {
                    let cells = if label == last {
                        (label, u64::from(u32::MAX))
                    } else {
                        (label, label)
                    };
                    match by_target.iter_mut().find(|(known, _)| known == target) {
                        Some((_, intervals)) => intervals.push(cells),
                        None => by_target.push((*target, vec![cells])),
                    }
                }
                let case = |(target, intervals): (CodeOffset, Vec<(u64, u64)>)| {
                    let set = Constraint::new(index, Set::of(intervals));
                    Case::new(Some(target.0), vec![set])
                };
                by_target.into_iter().map(case).collect()
            }
            Ask::Indirect(index, table) => self.indirect_cases(index, table),
            Ask::Traps(traps) => {
                let mut fine = Vec::new();
                let mut cases = Vec::new();
                for (_, condition) in traps {
                    let ty = self.dag.ty(condition.expr);
                    let otherwise = condition.allowed.complement(ty);
                    fine.push(Constraint::new(condition.expr, otherwise));
                    cases.push(Case::new(None, vec![condition]));
                }
                cases.insert(0, Case::new(None, fine));
                cases
            }
            Ask::Access {
                address,
                last,
                most,
            } => self.access_cases(state, address, last, most),
            Ask::Value(expr) => self.value_cases(state, expr, None),
        }
    }

    fn indirect_cases(&mut self, index: Expr, table: u32) -> Vec<Case> {
        let elements = self.machine.table(table);
        let mut by_function: Vec<(u32, Vec<(u64, u64)>)> = Vec::new();
        for (at, element) in (0_u64..).zip(&elements) {
            let function = match element {
                Value::FuncRef(Some(function)) => *function,
                _ => u32::MAX,
            };
            match by_function.iter_mut().find(|(known, _)| *known == function) {
                Some((_, intervals)) => intervals.push((at, at)),
                None => by_function.push((function, vec![(at, at)])),
            }
        }
        let mut cases: Vec<Case> = by_function
            .into_iter()
            .map(|(function, intervals)| {
                let set = Constraint::new(index, Set::of(intervals));
                Case::new(Some(function), vec![set])
            })
            .collect();
        let outside = Set::range(elements.len() as u64, u64::from(u32::MAX));
        let outside = Constraint::new(index, outside);
        cases.push(Case::new(Some(u32::MAX - 1), vec![outside]));
        cases
    }

    fn access_cases(
        &mut self,
        state: &State,
        address: Expr,
        last: Option<u64>,
        most: u64,
    ) -> Vec<Case> {
        let inside = last.map_or(Set::empty(), |last| Set::range(0, last));
        let outside = inside.complement(ValType::I32);
        let mut cases = vec![Case::new(None, vec![Constraint::new(address, outside)])];
        let inside = Constraint::new(address, inside);
        let values = self.values(state, address, 1 << 16).map(|mut values| {
            values.retain(|cell| inside.allowed.contains(*cell));
            values
        });
        // What lies between the least and the greatest address is in the table too.
        let spread =
            |values: &Vec<u64>| values.last().zip(values.first()).map_or(0, |(a, b)| a - b);
        match values.filter(|values| values.len() as u64 <= most && spread(values) < 1 << 16) {
            Some(addresses) => cases.insert(
                0,
                Case {
                    outcome: None,
                    decided: Decided::Addresses(addresses),
                    conditions: vec![inside],
                },
            ),
            None => {
                let single = self.value_cases(state, address, Some(&inside.allowed));
                cases.extend(single);
            }
        }
        cases
    }

    /// One case for every value that an expression can have; if there are too many, for the one that it has now.
    fn value_cases(&mut self, state: &State, expr: Expr, within: Option<&Set>) -> Vec<Case> {
        let fits = |cell: &u64| within.is_none_or(|set| set.contains(*cell));
        let mut values = self
            .values(state, expr, MOST_VALUES as u64)
            .unwrap_or_default();
        values.retain(fits);
        if values.is_empty() {
            self.point.reset(&self.dag);
            let now = self.point.eval(&self.dag, expr, &state.model);
            if fits(&now) {
                values.push(now);
            }
            self.leave_out(
                state,
                "an address, a length or an argument depends on inputs and has too many values: it was explored with \
                 one of them",
            );
        }
        let case = |cell: u64| Case::new(None, vec![Constraint::new(expr, Set::single(cell))]);
        values.into_iter().map(case).collect()
    }

    /// The values that an expression can have on this path (perhaps some more), if they are at most `most`.
    fn values(&mut self, state: &State, expr: Expr, most: u64) -> Option<Vec<u64>> {
        let inputs = self.dag.inputs(expr).clone();
        let domains: Option<Vec<&Set>> = inputs
            .iter()
            .map(|place| Some(&state.reads.get(*place as usize)?.domain))
            .collect();
        let domains = domains?;
        let combinations = domains
            .iter()
            .fold(1_u128, |all, domain| all.saturating_mul(domain.count()));
        if combinations <= 1 << 16 {
            let mut values = Vec::new();
            let mut model = state.model.clone();
            for combination in 0..combinations as u64 {
                let mut rest = combination;
                for (place, domain) in inputs.iter().zip(&domains) {
                    let count = domain.count() as u64;
                    model[*place as usize] = domain.nth(rest % count)?;
                    rest /= count;
                }
                self.point.reset(&self.dag);
                values.push(self.point.eval(&self.dag, expr, &model));
            }
            values.sort_unstable();
            values.dedup();
            return (values.len() as u64 <= most).then_some(values);
        }
        let (low, high) = self.bounds_of(state, expr);
        (high - low < most).then(|| (low..=high).collect())
    }

    fn only_value(&mut self, state: &State, expr: Expr) -> Option<u64> {
        match self.values(state, expr, 1)?.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Cells between which an expression lies on this path.
    fn bounds_of(&self, state: &State, expr: Expr) -> (u64, u64) {
        let program = crate::lanes::Program::new(&self.dag, &[expr]);
        let mut ranges = Vec::new();
        let input = |at: usize| {
            let place = program.inputs[at] as usize;
            let read = &state.reads[place];
            let (low, high) = read.domain.bounds().unwrap_or((0, greatest(read.ty)));
            range::of_cells(read.ty, low, high)
        };
        range::evaluate(&self.dag, &program, input, &mut ranges);
        match program.outputs.first().and_then(|at| ranges.get(*at)) {
            Some(range::Range::Int { unsigned, .. }) => *unsigned,
            _ => (0, greatest(self.dag.ty(expr))),
        }
    }

    /// Whether an expression is certainly in a set.
    fn bounds_within(&mut self, state: &State, expr: Expr, set: &Set) -> bool {
        let (low, high) = self.bounds_of(state, expr);
        if set.covers(low, high) {
            return true;
        }
        let values = self.values(state, expr, 1 << 16);
        values.is_some_and(|values| values.iter().all(|cell| set.contains(*cell)))
    }

    /// Whether a path can go on under further conditions.
    fn feasible(&mut self, state: &State, new: &[Constraint]) -> Feasible {
        let mut domains: Vec<(u32, Set)> = Vec::new();
        let mut kept: Vec<Constraint> = Vec::new();
        let mut affected: Vec<u32> = Vec::new();
        for constraint in new {
            let inputs = self.dag.inputs(constraint.expr).clone();
            match *inputs {
                [] => {
                    let cell = self.dag.as_const(constraint.expr);
                    let cell = cell.unwrap_or_else(|| {
                        self.point.reset(&self.dag);
                        self.point.eval(&self.dag, constraint.expr, &[])
                    });
                    if !constraint.allowed.contains(cell) {
                        return Feasible::No;
                    }
                }
                [place] => {
                    let known = domains.iter().position(|(at, _)| *at == place);
                    let domain = match known {
                        Some(at) => &domains[at].1,
                        None => &state.reads[place as usize].domain,
                    };
                    let one = std::slice::from_ref(constraint);
                    let refined = self.decider.refine(&self.dag, place, domain, one, &[]);
                    affected.push(place);
                    match (refined, known) {
                        (Some(set), _) if set.is_empty() => return Feasible::No,
                        (Some(set), Some(at)) => domains[at].1 = set,
                        (Some(set), None) => domains.push((place, set)),
                        (None, _) => kept.push(constraint.clone()),
                    }
                }
                _ => {
                    affected.extend(inputs.iter());
                    kept.push(constraint.clone());
                }
            }
        }
        let mut model = state.model.clone();
        for (place, domain) in &domains {
            let at = *place as usize;
            if !domain.contains(model[at]) {
                model[at] = nice(domain, state.reads[at].ty).unwrap_or(0);
            }
        }
        match self.related(state, &domains, &kept, &affected, &model) {
            Answer::No => Feasible::No,
            Answer::Unknown(reason) => Feasible::Unknown(reason),
            Answer::Yes(values) => {
                for (place, cell) in values {
                    model[place as usize] = cell;
                }
                Feasible::Yes(Box::new(Narrowed {
                    domains,
                    constraints: kept,
                    model,
                }))
            }
        }
    }

    /// Whether the constraints that relate the affected inputs to others can hold; all others still do.
    fn related(
        &mut self,
        state: &State,
        domains: &[(u32, Set)],
        kept: &[Constraint],
        affected: &[u32],
        hint: &[u64],
    ) -> Answer {
        let all: Vec<&Constraint> = state.constraints.iter().chain(kept).collect();
        if all.is_empty() {
            return Answer::Yes(Vec::new());
        }
        let constraints = connected(&self.dag, &all, affected);
        if constraints.is_empty() {
            return Answer::Yes(Vec::new());
        }
        // Most often the values at hand will do.
        self.point.reset(&self.dag);
        let (point, dag) = (&mut self.point, &self.dag);
        let mut holds = |constraint: &Constraint| {
            let cell = point.eval(dag, constraint.expr, hint);
            constraint.allowed.contains(cell)
        };
        if constraints.iter().all(&mut holds) {
            return Answer::Yes(Vec::new());
        }
        let mut places: Vec<u32> = Vec::new();
        for constraint in &constraints {
            places.extend(self.dag.inputs(constraint.expr).iter());
        }
        places.sort_unstable();
        places.dedup();
        let variables: Vec<(u32, Set)> = places
            .into_iter()
            .map(|place| {
                let new = domains.iter().find(|(at, _)| *at == place);
                let set = new.map_or(&state.reads[place as usize].domain, |(_, set)| set);
                (place, set.clone())
            })
            .collect();
        self.decider
            .solve(&self.dag, &variables, &constraints, hint)
    }
}

/// The next instruction.
fn at_next(machine: &Machine) -> Option<CodeOffset> {
    machine.location().map(|location| location.offset)
}

/// Applies a decision to a path.
fn narrow(state: &mut State, narrowed: Narrowed) {
    for (place, domain) in narrowed.domains {
        state.reads[place as usize].domain = domain;
    }
    for constraint in narrowed.constraints {
        if !state.constraints.contains(&constraint) {
            state.constraints.push(constraint);
        }
    }
    state.model = narrowed.model;
}

/// Those of the constraints that relate to the affected inputs, directly or through others.
pub(crate) fn connected(dag: &Dag, all: &[&Constraint], affected: &[u32]) -> Vec<Constraint> {
    let mut reached: Vec<u32> = affected.to_vec();
    let mut taken = vec![false; all.len()];
    loop {
        let mut grew = false;
        for (constraint, taken) in all.iter().zip(&mut taken) {
            let inputs = dag.inputs(constraint.expr);
            if !*taken && inputs.iter().any(|place| reached.contains(place)) {
                *taken = true;
                reached.extend(inputs.iter());
                grew = true;
            }
        }
        if !grew {
            break;
        }
        reached.sort_unstable();
        reached.dedup();
    }
    let taken = all.iter().zip(taken).filter(|(_, taken)| *taken);
    taken.map(|(constraint, _)| (*constraint).clone()).collect()
}
