//! For ever: a device program's states as a graph.
//!
//! A device program never ends, so the tree of its paths has no end either. Its states come back: [`Device`] is the
//! program as a [`Language`], whose universes are the states before it reads an input (or lets time pass for the second
//! time at one place). Two that can go on in the same ways are one, so that the graph of many programs is finite: it holds
//! all runs over all values of all inputs, for ever.

mod live;
mod relation;
mod state;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use borges_board::{Codomain, PrimitiveId};
use borges_multiverse::language::{Footprint, Label, Language, Next, Outcome, Verdict};
use borges_vm::{ValType, Value};

use crate::budget::Budget;
use crate::decide::Decider;
use crate::explore::{Bounds, Round, Start, State as Path, Workbench};
use crate::path::{Cut, End, Path as RunPath, Read, Unexplored};
use crate::set::{Set, value_of};
use crate::solver::Solver;

use live::Live;
use state::{Compared, Stands};

pub use state::State;

/// A device program as a language: its states, and what each of its inputs leads to.
pub struct Device<'d> {
    start: Start,
    budget: &'d Budget<'d>,
    bounds: Bounds,
    live: Live,
    are_clocks: bool,
    bench: RefCell<Option<Workbench>>,
    /// Every state once: the ways of two states that are equal lead to one.
    known: RefCell<HashSet<State>>,
    unexplored: RefCell<Vec<Unexplored>>,
    steps: Cell<u64>,
    is_cut: Cell<bool>,
    initial: State,
}

/// Of the runs that lead through the same states, so many are followed at once.
const MOST_ALONG: usize = 64;

/// A way from a state to the next.
#[derive(Clone, Debug)]
pub struct Way {
    /// What was read first; none if the program only let time pass.
    pub input: Option<Reading>,
    /// Where it leads.
    pub to: State,
}

/// An input on a way.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Its primitive.
    pub primitive: PrimitiveId,
    /// Its arguments.
    pub args: Vec<Value>,
    /// The type of its answer.
    pub ty: ValType,
    /// The answers with which the way is taken, as far as they depend on nothing else.
    pub set: Set,
    /// One with which it is taken from some run that leads to the state.
    pub value: Value,
}

/// A choice: which of a state's ways.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WayNumber(pub u32);

/// The program, the only one who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TheProgram;

impl fmt::Display for TheProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("program")
    }
}

impl<'d> Device<'d> {
    /// A program from its start on. `bounds` say how many instructions there are between two stops; a budget that is
    /// spent leaves states without their ways ([`Device::is_cut`]). Nothing if there is no program.
    #[must_use]
    pub fn new(
        start: Start,
        bounds: Bounds,
        solver: Option<Box<dyn Solver>>,
        budget: &'d Budget<'d>,
    ) -> Option<Self> {
        let bench = Workbench::new(&start, Decider::new(solver))?;
        let live = Live::new(start.machine.module()?);
        let is_clock =
            |id: &PrimitiveId| matches!(start.board.codomain(*id, &[]), Codomain::NotBeforeLast(_));
        let mut device = Device {
            are_clocks: start.primitives.iter().any(is_clock),
            live,
            budget,
            bounds: Bounds {
                inputs: u32::MAX,
                events: None,
                stops: Vec::new(),
                ..bounds
            },
            bench: RefCell::default(),
            known: RefCell::default(),
            unexplored: RefCell::default(),
            steps: Cell::new(0),
            is_cut: Cell::new(false),
            initial: State::ended(End::Returned),
            start,
        };
        let (mut bench, round) = device.begin(bench, budget);
        let ways = device.ways_of(&mut bench, round, 0);
        device.bench = RefCell::new(Some(bench));
        device.initial = match ways.first() {
            Some(way) => way.to.clone(),
            None => State::ended(End::Cut(Cut::Waits)),
        };
        Some(device)
    }

    /// The ways on from a state, in an order that the state alone determines.
    #[must_use]
    pub fn ways(&self, state: &State) -> Arc<[Way]> {
        if let Some(known) = state.0.ways.get() {
            return known.clone();
        }
        let Stands::Before(before) = &state.0.stands else {
            return Arc::from([]);
        };
        let Some(mut bench) = self.bench.take() else {
            return Arc::from([]);
        };
        // A snapshot of this machine fits it.
        let restored = bench.machine.restore(&before.snapshot);
        debug_assert_eq!(restored, Ok(()));
        let from = (before.path(), true, before.asks.is_some());
        let (mut bench, round) = bench.round(&self.start, self.budget, &self.bounds, from);
        let is_cut = round.is_cut;
        let ways: Arc<[Way]> = self
            .ways_of(&mut bench, round, before.variables.len())
            .into();
        self.bench.replace(Some(bench));
        if is_cut {
            self.is_cut.set(true);
        } else {
            // Nobody else sets it.
            let _set = state.0.ways.set(ways.clone());
        }
        ways
    }

    /// From the start to the first stop.
    fn begin(&self, mut bench: Workbench, budget: &Budget<'_>) -> (Workbench, Round) {
        bench.machine.clone_from(&self.start.machine);
        let from = (Path::new(self.start.state.clone()), false, false);
        bench.round(&self.start, budget, &self.bounds, from)
    }

    /// A run from the start through these states, the last of which is an end: with all that was read on the way, and
    /// answers that lead along it. Nothing if no run takes just this way, or the budget is spent.
    #[must_use]
    pub fn run_through(&self, states: &[State], budget: &Budget<'_>) -> Option<RunPath> {
        let bench = self.bench.take()?;
        let (mut bench, mut round) = self.begin(bench, budget);
        let mut found = None;
        for (at, state) in states.iter().enumerate() {
            if state.end().is_some() {
                found = round
                    .ends
                    .into_iter()
                    .find(|path| Some(&path.end) == state.end());
                break;
            }
            let mut stops = std::mem::take(&mut round.stops);
            stops.retain(|stop| {
                let reached =
                    self.compared(budget)
                        .state(&mut bench, stop.clone(), &self.start.primitives);
                reached == *state
            });
            stops.truncate(MOST_ALONG);
            let (asks, is_last) = (
                state.asks().is_some(),
                states.get(at + 1).is_some_and(|next| next.end().is_some()),
            );
            for stop in stops {
                let restored = bench.machine.restore(&stop.snapshot);
                debug_assert_eq!(restored, Ok(()));
                let mut path = stop.state;
                path.waited.clear();
                let next;
                (bench, next) = bench.round(&self.start, budget, &self.bounds, (path, true, asks));
                round.stops.extend(next.stops);
                if is_last {
                    round.ends.extend(next.ends);
                }
            }
        }
        self.bench.replace(Some(bench));
        found
    }

    fn compared<'c>(&'c self, budget: &'c Budget<'c>) -> Compared<'c> {
        Compared {
            live: &self.live,
            board: &self.start.board,
            are_clocks: self.are_clocks,
            budget,
        }
    }

    fn ways_of(&self, bench: &mut Workbench, round: Round, known: usize) -> Vec<Way> {
        self.steps.set(self.steps.get() + round.steps);
        let mut unexplored = self.unexplored.borrow_mut();
        for left_out in round.unexplored {
            let same =
                |known: &Unexplored| known.at == left_out.at && known.reason == left_out.reason;
            if !unexplored.iter().any(same) {
                unexplored.push(left_out);
            }
        }
        let compared = self.compared(self.budget);
        let mut ways = Vec::new();
        for stop in round.stops {
            let input = reading(&stop.state.reads, &stop.state.model, known);
            let to = compared.state(bench, stop, &self.start.primitives);
            ways.push(Way {
                input,
                to: self.once(to),
            });
        }
        for path in round.ends {
            for way in &path.ways {
                let input = reading(&way.reads, &way.model, known);
                let to = self.once(State::ended(path.end.clone()));
                ways.push(Way { input, to });
            }
        }
        ways
    }

    /// The state that is known to be equal, or this one.
    fn once(&self, state: State) -> State {
        let mut known = self.known.borrow_mut();
        if let Some(same) = known.get(&state) {
            return same.clone();
        }
        known.insert(state.clone());
        state
    }

    /// What was left out, and why.
    #[must_use]
    pub fn unexplored(&self) -> Vec<Unexplored> {
        self.unexplored.borrow().clone()
    }

    /// Whether the budget was spent before all ways of some state were known.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.is_cut.get()
    }

    /// Instructions executed so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// What an input is called, with its arguments.
    #[must_use]
    pub fn call(&self, primitive: PrimitiveId, args: &[Value]) -> String {
        let name = self
            .start
            .board
            .primitive(primitive)
            .map_or("?", |found| &*found.name);
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        format!("{name}({})", args.join(", "))
    }
}

/// The first input that was read after those that are known.
fn reading(reads: &[Read], model: &[u64], known: usize) -> Option<Reading> {
    let read = reads.get(known)?;
    Some(Reading {
        primitive: read.primitive,
        args: read.args.clone(),
        ty: read.ty,
        set: read.domain.clone(),
        value: value_of(read.ty, *model.get(known)?),
    })
}

impl Language for Device<'_> {
    type State = State;
    type Choice = WayNumber;
    type Agent = TheProgram;
    type Resource = TheProgram;
    type Value = String;

    fn initial(&self) -> State {
        self.initial.clone()
    }

    fn enabled(&self, state: &State, choices: &mut Vec<WayNumber>) {
        choices.extend((0..self.ways(state).len() as u32).map(WayNumber));
    }

    fn apply(&self, state: &State, choice: &WayNumber) -> Option<Next<State>> {
        let ways = self.ways(state);
        Some(Next::one(ways.get(choice.0 as usize)?.to.clone()))
    }

    fn outcome(&self, state: &State) -> Outcome<String> {
        let (verdict, value) = match state.end() {
            Some(End::Trapped(trap, _)) => (Verdict::Failed, trap.to_string()),
            Some(End::Returned) => (Verdict::Finished, "returned".to_owned()),
            Some(_) => (Verdict::Stuck, "not followed further".to_owned()),
            None => (Verdict::Stuck, "no value can be read".to_owned()),
        };
        Outcome { verdict, value }
    }

    fn agent(&self, _: &State, _: &WayNumber) -> TheProgram {
        TheProgram
    }

    fn label(&self, state: &State, choice: &WayNumber) -> Label {
        let ways = self.ways(state);
        let input = ways
            .get(choice.0 as usize)
            .and_then(|way| way.input.as_ref());
        let (rule, text) = match input {
            Some(input) => {
                let call = self.call(input.primitive, &input.args);
                (
                    "read",
                    format!("{call} = {}", input.set.to_codomain(input.ty)),
                )
            }
            None => ("wait", "time passes".to_owned()),
        };
        Label {
            rule,
            text,
            span: None,
        }
    }

    fn footprint(&self, _: &State, _: &WayNumber) -> Footprint<TheProgram> {
        Footprint {
            reads: Vec::new(),
            writes: vec![TheProgram],
        }
    }

    fn show(&self, state: &State) -> String {
        match (state.asks(), state.end()) {
            (Some((id, args)), _) => format!("before {}", self.call(id, args)),
            (None, None) => "before time passes".to_owned(),
            (None, Some(_)) => self.outcome(state).to_string(),
        }
    }
}
