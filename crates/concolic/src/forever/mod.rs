//! For ever: a device program's states as a graph.
//!
//! A device program never ends, so the tree of its paths has no end either. Its states come back: [`Device`] is the
//! program as a [`Language`](borges_multiverse::language::Language), whose universes are the states before it reads an input (or lets time pass for the second
//! time at one place). Two that can go on in the same ways are one, so that the graph of many programs is finite: it holds
//! all runs over all values of all inputs, for ever.

mod aged;
mod ahead;
mod anything;
mod arrived;
mod backwards;
mod compared;
mod content;
mod controls;
mod counters;
mod counting;
mod demanded;
mod explore;
mod facts;
mod far;
mod forgetful;
mod interleaved;
mod known;
mod language;
mod left_out;
mod live;
mod look;
mod packed;
mod parts;
mod place;
mod relation;
mod room;
mod rounds;
mod run;
mod state;
mod sums;
mod times;
mod took;
mod travel;
mod unread;
mod whole;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use borges_board::{Codomain, Event, PrimitiveId};
use borges_vm::{ValType, Value};
use hashbrown::{HashMap, HashSet};

use crate::budget::Budget;
use crate::clocks::Clock;
use crate::constraint::Constraint;
use crate::decide::Decider;
use crate::explore::{Bounds, Start, Truths, Watched, Workbench};
use crate::path::{Cut, End, Unexplored};
use crate::set::{MOST_COMBINATIONS, Set};
use crate::shadow::Touched;
use crate::solver::Solver;

use ahead::Ahead;
use anything::MOST_WORDS;
use forgetful::Forgetful;
use live::Live;
use look::Look;
use room::Room;
use times::TimeWord;
use unread::Learning;

pub use ahead::Company;
pub use anything::StateWord;
pub use counters::{Differing, Varies};
pub use explore::{GivenUp, explore_states, learn_states};
pub use facts::{Facts, Noted};
pub use far::{FarDevice, Lookers};
pub use interleaved::{Acting, Interleaved, InterleavedState, InterleavedStep};
pub use language::TheProgram;
pub use packed::Packer;
pub use run::Passing;
pub use state::DeviceState;
pub use travel::{SentState, Showing};
pub use unread::Unread;

/// A device program as a language: its states, and what each of its inputs leads to.
pub struct Device<'d> {
    start: Start,
    budget: &'d Budget<'d>,
    bounds: Bounds,
    live: Live,
    clocks: Vec<Clock>,
    are_clocks: bool,
    times: Vec<TimeWord>,
    found_times: RefCell<BTreeSet<TimeWord>>,
    most: u128,
    watched: Option<&'d dyn Watched>,
    is_split: bool,
    calls: Option<Vec<PrimitiveId>>,
    /// How much of the stack handlers need, where agents are told apart.
    room: Option<Room>,
    garbage: u32,
    bench: RefCell<Option<Workbench>>,
    /// Every state once: the ways of two states that are equal lead to one.
    known: RefCell<HashSet<DeviceState>>,
    /// Those with several values, by their places.
    wider: RefCell<HashMap<u64, Vec<DeviceState>>>,
    unexplored: RefCell<Vec<Unexplored>>,
    steps: Cell<u64>,
    is_cut: Cell<bool>,
    /// What is taken for anything.
    words: Vec<StateWord>,
    /// What of the memory is left out, and what is learnt of that.
    unread: RefCell<Learning>,
    /// How many values words had when counters were looked for last.
    counted: RefCell<HashMap<StateWord, usize>>,
    /// Which of them something depended on.
    influence: Cell<u64>,
    /// States of which each value has ways of its own, and by what these are apart: none is reached as a whole.
    divided: RefCell<HashMap<DeviceState, Constraint>>,
    /// The same, for when states are divided next.
    dividing: RefCell<HashMap<DeviceState, Constraint>>,
    initial: DeviceState,
    /// That no states are remembered.
    forgetful: Option<Forgetful>,
    /// What came of comparing words nevertheless that count, if that was tried.
    given_up: Option<GivenUp>,
    /// Something arrived that is none of the program's.
    is_misled: Cell<bool>,
    /// Those who look at states ahead.
    ahead: RefCell<Option<Ahead>>,
}

/// What tells states apart, besides what the program can still read.
#[derive(Clone, Default)]
pub struct Comparing<'d> {
    /// Words that are taken for anything, wherever they are; at most 64 count.
    pub anything: Vec<StateWord>,
    /// Conditions: each of them has one truth in a state.
    pub watched: Option<&'d dyn Watched>,
    /// Of what has at most 16 values, each is a state of its own. There are more states then, and more of their ways are
    /// open to all that they stand for.
    pub is_split: bool,
    /// Somebody looks into the program and talks to it: it stops before each of these calls and wherever time passes, its
    /// globals and its memory are compared although the program may never read them again, and so is what it left behind
    /// when it ended.
    pub calls: Option<Vec<PrimitiveId>>,
    /// Words that hold times of a clock wherever they are, also where the program gave them a known number.
    pub times: Vec<(StateWord, PrimitiveId)>,
    /// The bytes that handlers of events touch by single loads and stores, where that is known: an event arrives only where
    /// that makes a difference to them. [`explore_states`] finds them, and begins again where there turn out to be more.
    pub touched: Option<Touched>,
    /// So many of its units pass between two readings of a clock at most, and what is longer ago is as good as so long ago;
    /// 2^29 if nobody says.
    pub elapses: Option<u64>,
    /// What of the memory is left out of states, as far as that was learnt.
    pub unread: Unread,
    /// Events act by themselves: they may arrive in every state, a handler is a step of its own, and of each step it is said
    /// what it touches. For [`Interleaved`].
    pub is_interleaved: bool,
    /// What is left out of a state because it will be written before it is read has this value when the program goes on
    /// (else 0). It must make no difference: this is for tests of that.
    pub garbage: u32,
}

/// So many units pass between two readings of a clock at most (six days of milliseconds): twice that is a number with which
/// bounds of differences still can compute.
const MOST_ELAPSED: u64 = 1 << 29;

/// So many of the last states at a place are asked whether they are all of a new one.
const MOST_COVERING: usize = 256;

/// A way from a state to the next: what is decided on it. It says all that is known of the step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceWay {
    /// Which of the state's ways.
    pub number: u32,
    /// What was read first; none if the program only let time pass.
    pub input: Option<WayInput>,
    /// The event that arrived first; none if none did, or could.
    pub event: Option<Event>,
    /// Some of the values that the state stands for do not lead where this way does; or it is not known that all do.
    pub is_partial: bool,
}

/// An input on a way, or whether a call of an operating system fails.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WayInput {
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
    /// Of one that puts bytes into memory, what each of them is.
    pub bytes: Vec<Set>,
    /// It says whether a call fails: the answers are 0 if it goes as it does by itself, or minus the number of the error.
    pub is_fault: bool,
}

impl<'d> Device<'d> {
    /// A program from its start on. `bounds` say how many instructions there are between two stops; a budget that is
    /// spent leaves states without their ways ([`Device::is_cut`]); if they have a bound on events, any number of them
    /// may arrive, else none. Nothing if there is no program.
    #[must_use]
    pub fn new(
        start: Start,
        bounds: Bounds,
        solver: Option<Box<dyn Solver>>,
        about: Comparing<'d>,
        budget: &'d Budget<'d>,
    ) -> Option<Self> {
        let mut bench = Workbench::new(&start, Decider::new(solver))?;
        let elapses = about.elapses.unwrap_or(MOST_ELAPSED).min(MOST_ELAPSED);
        let clocks = Clock::all(&start.board, &start.primitives, elapses, &mut bench.dag);
        bench.dag.set_bases(clocks.len() as u32);
        bench.touched.assumed = about.touched.map(Rc::new);
        let subscribes = |id: &PrimitiveId| {
            let primitive = start.board.primitive(*id);
            primitive.is_some_and(|primitive| primitive.subscribes())
        };
        let are_handlers = bounds.events.is_some() && start.primitives.iter().any(subscribes);
        let live = Live::new(start.machine.module()?, are_handlers, about.calls.is_some());
        let is_other_clock = |id: &PrimitiveId| {
            matches!(start.board.codomain(*id, &[]), Codomain::NotBeforeLast(_))
                && !clocks.iter().any(|clock| clock.id == *id)
        };
        let times = about.times.iter().filter_map(|(word, id)| {
            let number = clocks.iter().position(|clock| clock.id == *id)?;
            Some((*word, number as u32))
        });
        let words = clocks.iter().map(|clock| StateWord::Clock(clock.id));
        let words = words.chain(about.anything).take(MOST_WORDS);
        let words: Vec<StateWord> = words.collect();
        let times = times.collect::<Vec<TimeWord>>();
        let compared = words.iter().chain(times.iter().map(|(word, _)| word));
        let device = Device {
            are_clocks: start.primitives.iter().any(is_other_clock),
            unread: RefCell::new(Learning::new(about.unread, compared.copied())),
            times,
            found_times: RefCell::default(),
            clocks,
            live,
            most: MOST_COMBINATIONS,
            watched: about.watched,
            is_split: about.is_split,
            calls: about.calls,
            room: about.is_interleaved.then(|| Room::new(&start.machine)),
            garbage: about.garbage,
            budget,
            bounds: Bounds {
                inputs: u32::MAX,
                paths: usize::MAX,
                events: bounds.events.map(|_| u32::MAX),
                stops: Vec::new(),
                ..bounds
            },
            bench: RefCell::default(),
            known: RefCell::default(),
            wider: RefCell::default(),
            unexplored: RefCell::default(),
            steps: Cell::new(0),
            is_cut: Cell::new(false),
            words,
            counted: RefCell::default(),
            influence: Cell::new(0),
            divided: RefCell::default(),
            dividing: RefCell::default(),
            initial: DeviceState::ended(End::Returned, Truths::default()),
            forgetful: None,
            given_up: None,
            is_misled: Cell::new(false),
            ahead: RefCell::default(),
            start,
        };
        Some(device.begun(bench))
    }

    /// The same at its first stop.
    fn begun(mut self, bench: Workbench) -> Self {
        let (bench, round) = self.begin(bench, self.budget, None);
        let mut look = Look::joining();
        let (bench, ways) = self.ways_of(bench, round, None, &mut look);
        self.note(look);
        self.bench = RefCell::new(Some(bench));
        self.initial = match ways.first() {
            Some(found) => found.to.clone(),
            None => DeviceState::ended(End::Cut(Cut::Waits), Truths::default()),
        };
        self
    }

    /// The same with another number of combinations of values that are counted out, one by one: with fewer, what values
    /// are together is kept as bounds of differences where that says it all, and as it came about where not. For tests, which hold one against the other.
    #[must_use]
    pub fn counting_out(self, most: u64) -> Self {
        Device {
            most: most.into(),
            ..self
        }
    }

    /// Whether the program reads clocks whose times are kept relative to each other.
    #[must_use]
    pub fn has_clocks(&self) -> bool {
        !self.clocks.is_empty()
    }

    /// What was left out, and why.
    #[must_use]
    pub fn unexplored(&self) -> Vec<Unexplored> {
        self.unexplored.borrow().clone()
    }

    /// What came of comparing words that count, if they are taken for anything since ([`explore_states`]).
    #[must_use]
    pub fn given_up(&self) -> Option<&GivenUp> {
        self.given_up.as_ref()
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
