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
mod content;
mod counters;
mod counting;
mod demanded;
mod explore;
mod facts;
mod far;
mod forgetful;
mod interleaved;
mod language;
mod left_out;
mod live;
mod packed;
mod parts;
mod place;
mod relation;
mod room;
mod run;
mod state;
mod times;
mod took;
mod travel;
mod unread;
mod whole;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use borges_board::{BoardState, Codomain, Event, PrimitiveId};
use borges_vm::{Machine, ValType, Value};
use hashbrown::{HashMap, HashSet};

use crate::budget::Budget;
use crate::clocks::{self, Clock};
use crate::constraint::Constraint;
use crate::dag::Dag;
use crate::decide::Decider;
use crate::explore::{
    AGES, Bounds, FAR_BACK, Origin, Parting, Round, Start, State as Path, Truths, Waiting, Watched,
    Workbench, said_once,
};
use crate::path::{Cut, End, Read, ReadPart, Unexplored};
use crate::set::{MOST_COMBINATIONS, Set, cell_of, value_of};
use crate::shadow::Touched;
use crate::solver::Solver;
use crate::standing::go_back;

use ahead::Ahead;
use anything::MOST_WORDS;
use arrived::{Arrived, joined};
use forgetful::Forgetful;
use live::Live;
use parts::Part;
use room::Room;
use state::{Before, Compared, Origins, Settled, Stands};
use times::TimeWord;
use took::{Leg, Took};
use unread::Learning;
use whole::{Asks, Decided};

pub use ahead::Company;
pub use anything::StateWord;
pub use explore::{explore_states, learn_states};
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

/// Why something is left out: a program waits for longer than that.
const FAR_AHEAD: &str = "the program waits for longer than 2^29 units of a clock that it may read (six days of milliseconds, nine minutes of microseconds): how much later it is then is not known exactly";

/// Of so many words it is tried whether they hold times or numbers.
const MOST_TIMES_CHOSEN: usize = 6;

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

/// What a look at a state showed.
#[derive(Default)]
struct Look {
    ways: Vec<(DeviceWay, DeviceState)>,
    /// Where not all of the state's values lead to where a way does: what parts them.
    divides: Option<Constraint>,
    /// Instructions executed for it.
    steps: u64,
    /// The budget was spent before all ways were known.
    is_cut: bool,
    unexplored: Vec<Unexplored>,
    /// What each of the ways asks of the state's values.
    asked: Vec<Asks>,
    /// A state that is known, or is all of one that a way leads to, stands for that.
    joins: bool,
    /// What each of the ways touches, if somebody wants to know.
    took: Vec<Took>,
}

impl Look {
    /// A look from which states are found.
    fn joining() -> Self {
        Look {
            joins: true,
            ..Look::default()
        }
    }
}

/// A way that was found.
struct Found {
    input: Option<WayInput>,
    to: DeviceState,
    asks: Asks,
    took: Option<Took>,
}

/// Where a path has come.
struct Reached {
    decided: Decided,
    part: Part,
    end: Option<End>,
    took: Option<Took>,
}

impl Reached {
    fn stop(arrived: Arrived, settled: Settled, took: Option<Took>) -> Self {
        Reached {
            decided: arrived.decided(),
            part: Part::from(settled),
            end: None,
            took,
        }
    }
}

/// Where ways come from.
struct Come<'b> {
    before: &'b Before,
    /// So many reads were there when they began.
    known: usize,
    /// Who takes them, where agents are told apart.
    leg: Option<Leg<'b>>,
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

    /// The ways on from a state, in an order that the state alone determines, and where each leads. They are found
    /// anew: a graph asks once, and its edges keep where they lead.
    #[must_use]
    pub fn ways(&self, state: &DeviceState) -> Vec<(DeviceWay, DeviceState)> {
        match &self.forgetful {
            Some(forgetful) => {
                forgetful.once_more(state, || self.look(state, Look::default()).ways)
            }
            None => self.look(state, Look::joining()).ways,
        }
    }

    /// The ways on from a state before an input that answers with this; none if it cannot.
    #[must_use]
    pub fn answered(&self, state: &DeviceState, answer: Value) -> Vec<(DeviceWay, DeviceState)> {
        match state.asks() {
            Some(_) => {
                let from = vec![Origin::Answer(cell_of(answer))];
                self.look_from(state, from, Look::joining()).ways
            }
            None => Vec::new(),
        }
    }

    fn look(&self, state: &DeviceState, look: Look) -> Look {
        match &state.0.stands {
            Stands::Before(before) => self.look_from(state, before.from(self.room.is_some()), look),
            Stands::Ended(..) => look,
        }
    }

    fn look_from(&self, state: &DeviceState, from: Vec<Origin>, mut look: Look) -> Look {
        let Stands::Before(before) = &state.0.stands else {
            return look;
        };
        let Some(mut bench) = self.bench.take() else {
            return look;
        };
        let mut asked = Vec::new();
        for from in from {
            go_back(&mut bench.machine, &before.snapshot);
            let Some(mut path) = state.path(self.start.choices) else {
                break;
            };
            let garbage = (self.garbage != 0).then_some(self.garbage as u8);
            before.follow_left_out(&mut path, &mut bench.dag, garbage);
            before.follow_aged(&mut path, &mut bench.dag);
            let known = path.reads.len();
            if self.garbage != 0 {
                self.compared(self.budget())
                    .spoil(&mut bench.machine, self.garbage.into());
            }
            let leg = self.leg(&bench.machine, from);
            path.marks = leg.is_some().then(Box::default);
            let round;
            (bench, round) = self.round(bench, self.budget(), (path, from), false);
            look.is_cut |= round.is_cut;
            let event = match from {
                Origin::Moment(event) => event,
                _ => None,
            };
            let found;
            let come = Come { before, known, leg };
            (bench, found) = self.ways_of(bench, round, Some(come), &mut look);
            for Found {
                input,
                to,
                asks,
                took,
            } in found
            {
                look.took.extend(took);
                let number = look.ways.len() as u32;
                let way = DeviceWay {
                    number,
                    input,
                    event,
                    is_partial: false,
                };
                look.ways.push((way, to));
                asked.push(asks);
            }
        }
        let to: Vec<&DeviceState> = look.ways.iter().map(|(_, to)| to).collect();
        whole::together(&bench.dag, before, &to, &mut asked);
        look.asks(asked);
        self.bench.replace(Some(bench));
        look
    }

    /// Keeps account of a look from which an exploration goes on.
    fn note(&self, look: Look) {
        self.steps.set(self.steps.get().saturating_add(look.steps));
        self.is_cut.set(self.is_cut.get() || look.is_cut);
        let mut unexplored = self.unexplored.borrow_mut();
        for left_out in look.unexplored {
            let is_once = said_once(&left_out.reason).is_some();
            let same = |known: &Unexplored| {
                known.reason == left_out.reason && (is_once || known.at == left_out.at)
            };
            if !unexplored.iter().any(same) {
                unexplored.push(left_out);
            }
        }
    }

    /// From the start to the first stop; of a single run, states part at once.
    fn begin(
        &self,
        mut bench: Workbench,
        budget: &Budget<'_>,
        run: Option<Passing>,
    ) -> (Workbench, Round) {
        bench.machine.clone_from(&self.start.machine);
        let mut path = Path::new(self.start.state.clone());
        path.choices = self.start.choices.of_states(false);
        let shown = self.shown(&self.start.state);
        self.compared(budget)
            .begin(&mut path, &mut bench.dag, &shown);
        if let Some(passing) = run {
            // Of the runs of a clock that may show anything at first, those in which it begins with 0 are as good.
            let origins = path.reads.iter_mut();
            origins.for_each(|origin| origin.domain = Set::single(0));
            let clocks = path.outside.clocks.iter_mut();
            clocks.for_each(|clock| clock.least = passing as u64);
        }
        let from = (path, Origin::Start);
        self.round(bench, budget, from, run.is_some())
    }

    /// From somewhere to the next stops: they part at once, or are left as they come.
    fn round(
        &self,
        bench: Workbench,
        budget: &Budget<'_>,
        from: (Path, Origin),
        at_once: bool,
    ) -> (Workbench, Round) {
        self.parting(budget, at_once, |parting| {
            bench.round(&self.start, budget, &self.bounds, parting, from)
        })
    }

    fn parting<T>(
        &self,
        budget: &Budget<'_>,
        at_once: bool,
        within: impl FnOnce(Parting<'_>) -> T,
    ) -> T {
        let compared = self.compared(budget);
        let live =
            |machine: &Machine, path: &Path, dag: &mut Dag| compared.live_exprs(dag, machine, path);
        within(Parting {
            watched: self.watched,
            calls: self.calls.as_deref().unwrap_or_default(),
            is_answered: self.calls.is_some(),
            live: self.is_split.then_some(&live),
            at_once,
        })
    }

    fn compared<'c>(&'c self, budget: &'c Budget<'c>) -> Compared<'c> {
        Compared {
            live: &self.live,
            board: &self.start.board,
            primitives: &self.start.primitives,
            choices: self.start.choices,
            words: &self.words,
            times: &self.times,
            found_times: &self.found_times,
            clocks: &self.clocks,
            are_clocks: self.are_clocks,
            is_interleaved: self.room.is_some(),
            most: self.most,
            tells_rows: self.watched.is_some() || !self.divided.borrow().is_empty(),
            unread: self.calls.is_none().then_some(&self.unread),
            budget,
        }
    }

    fn ways_of(
        &self,
        mut bench: Workbench,
        mut round: Round,
        come: Option<Come<'_>>,
        look: &mut Look,
    ) -> (Workbench, Vec<Found>) {
        let before = come.as_ref().map(|come| come.before);
        let (known, leg) = come.map_or((None, None), |come| (Some(come.known), come.leg));
        look.steps += round.steps;
        look.unexplored.append(&mut round.unexplored);
        let compared = self.compared(self.budget());
        let own_taints = match before {
            Some(_) => Vec::new(),
            None => compared.taints(),
        };
        let taints = before.map_or(&own_taints[..], |before| &before.taints);
        let known = known.unwrap_or(taints.len());
        let from = Origins { taints, before };
        if let Some(before) = before {
            let mut learning = self.unread.borrow_mut();
            let read = round.read.iter();
            read.for_each(|read| learning.reads(before.left_out_at(*read)));
        }
        let mut reached = Vec::new();
        let mut opaque: Vec<Arrived> = Vec::new();
        for stop in round.stops {
            self.note_waits(&stop, look);
            let (reads, constraints) = (&stop.state.reads, &stop.state.constraints);
            self.note_influence(&bench.dag, reads, constraints, before);
            let mut took = leg.as_ref().and_then(|leg| Took::of(leg, &stop.state));
            let arrived = compared.arrival(&mut bench, stop, from);
            if let (Some(took), Some(leg)) = (&mut took, &leg) {
                took.stands(leg, &bench.machine);
            }
            let settled = compared.settled(&mut bench, &arrived);
            match settled.is_opaque && took.is_none() {
                true => opaque.push(arrived),
                false => reached.push(Reached::stop(arrived, settled, took)),
            }
        }
        for arrived in joined(opaque, &bench.dag) {
            let settled = compared.settled(&mut bench, &arrived);
            reached.push(Reached::stop(arrived, settled, None));
        }
        for (end, stop) in round.ended {
            self.note_waits(&stop, look);
            let (reads, constraints) = (&stop.state.reads, &stop.state.constraints);
            self.note_influence(&bench.dag, reads, constraints, before);
            let mut took = leg.as_ref().and_then(|leg| Took::of(leg, &stop.state));
            if let Some(took) = &mut took {
                took.ends(&end);
            }
            let (decided, part) = match self.watched.is_some() || self.calls.is_some() {
                true => {
                    let arrived = compared.arrival(&mut bench, stop, from);
                    let settled = compared.settled(&mut bench, &arrived);
                    (arrived.decided(), Part::from(settled))
                }
                false => {
                    let to = DeviceState::ended(end.clone(), Truths::default());
                    let decided = Decided::of_stop(&bench.dag, stop.state, taints, &self.clocks);
                    (decided, Part::whole(to))
                }
            };
            reached.push(Reached {
                decided,
                part,
                end: Some(end),
                took,
            });
        }
        let mut ways = Vec::new();
        for reached in reached {
            bench = self.ways_to(bench, reached, (before, known), look, &mut ways);
        }
        (bench, ways)
    }

    /// Adds the ways to where a path has come: several, if that is reached in parts. So many reads are of the state that it
    /// comes from.
    fn ways_to(
        &self,
        bench: Workbench,
        Reached {
            decided,
            part,
            end,
            took,
        }: Reached,
        (before, known): (Option<&Before>, usize),
        look: &mut Look,
        ways: &mut Vec<Found>,
    ) -> Workbench {
        let input = reading(&decided.reads, &decided.model, known);
        let (mut bench, parts) = self.parts(bench, part, look);
        for part in parts {
            if part.is_aged {
                look.unexplored.push(Unexplored::anywhere(FAR_BACK));
            }
            let asks = match before {
                Some(before) => {
                    decided.asks(&mut bench, before, part.under.as_deref(), self.budget())
                }
                None => Asks::Nothing,
            };
            let to = match &end {
                Some(end) => part.state.as_end(end.clone(), self.calls.is_some()),
                None => part.state,
            };
            ways.push(Found {
                input: input.clone(),
                to: self.once(&bench.dag, to, look.joins),
                asks,
                took: took.clone(),
            });
        }
        bench
    }

    /// Says so where a program has waited for longer than its clocks are followed.
    fn note_waits(&self, stop: &Waiting, look: &mut Look) {
        if stop.state.outside.is_far_ahead() {
            look.unexplored.push(Unexplored::anywhere(FAR_AHEAD));
        }
    }

    /// Notes what was decided of words that are taken for anything.
    fn note_influence(
        &self,
        dag: &Dag,
        reads: &[Read],
        constraints: &[Constraint],
        before: Option<&Before>,
    ) {
        let mut influence = self.influence.get();
        // Before the first stop, what the clocks show is all that is known: anything.
        let (mut sets, mut own_taints) = (Vec::new(), Vec::new());
        if before.is_none() {
            let origins = reads.iter().take(self.clocks.len());
            sets.extend(origins.map(|read| (read.ty, Set::all(read.ty))));
            own_taints = self.compared(self.budget).taints();
        }
        let (variables, taints, constraints_before) = match before {
            Some(before) => (&*before.variables, &*before.taints, &*before.constraints),
            None => (&sets[..], &own_taints[..], &[][..]),
        };
        let known = variables.iter().zip(taints);
        for (at, (read, ((_, set), taint))) in reads.iter().zip(known).enumerate() {
            let taint = taint & !AGES;
            // What was decided before was noted then.
            let is_decided = || {
                let mut new = constraints
                    .iter()
                    .filter(|known| !constraints_before.contains(known));
                read.domain != *set || new.any(|new| dag.inputs(new.expr).contains(&(at as u32)))
            };
            if taint != 0 && influence & taint != taint && is_decided() {
                influence |= taint;
            }
        }
        self.influence.set(influence);
    }

    /// Whether the program reads clocks whose times are kept relative to each other.
    #[must_use]
    pub fn has_clocks(&self) -> bool {
        !self.clocks.is_empty()
    }

    /// The words that are taken for anything.
    #[must_use]
    pub fn anything(&self) -> &[StateWord] {
        &self.words
    }

    /// The words that are taken for anything on which something that the program does depends: there may be more runs
    /// here than it has.
    #[must_use]
    pub fn maybe(&self) -> Vec<StateWord> {
        let is_marked = |at: usize| self.influence.get() >> at & 1 != 0;
        let words = self.words.iter().copied().enumerate();
        words
            .filter(|(at, _)| is_marked(*at))
            .map(|(_, word)| word)
            .collect()
    }

    /// A word that many of these states differ in alone, more than when it was asked last, if there is one: to be taken
    /// for anything from the start on. Some are compared nevertheless.
    fn counter(&self, states: &[DeviceState], compared: &[StateWord]) -> Option<StateWord> {
        if self.words.len() >= MOST_WORDS {
            return None;
        }
        let mut bench = self.bench.take()?;
        let found = counters::counter(
            &mut bench,
            states,
            &[&self.words, compared].concat(),
            &mut self.counted.borrow_mut(),
        );
        self.bench.replace(Some(bench));
        found
    }

    /// What was learnt of the memory that can be left out, if that is news: exploring must begin again with it.
    #[must_use]
    pub fn learned(&self) -> Option<Unread> {
        self.unread.borrow().news()
    }

    /// What of the memory is left out.
    #[must_use]
    pub fn unread(&self) -> Unread {
        self.unread.borrow().unread().clone()
    }

    /// What these states suggest that may be left out as well, if there is anything: to be tried from the start on.
    #[must_use]
    pub fn suggested(&self, states: &[DeviceState]) -> Option<Unread> {
        let is_compared = self.calls.is_some();
        let suggested = || left_out::with_differing(&self.unread.borrow(), states);
        (!is_compared).then(suggested).flatten()
    }

    /// Words in which these states differ, those first that may keep their graph from closing.
    #[must_use]
    pub fn differ_most(&self, states: &[DeviceState]) -> Vec<StateWord> {
        let Some(mut bench) = self.bench.take() else {
            return Vec::new();
        };
        let found = counters::differ_most(&mut bench, states);
        self.bench.replace(Some(bench));
        found
    }

    /// The state that is known to be equal, or to be all of this one and perhaps more; or this one, which it is too where
    /// nothing is joined.
    fn once(&self, dag: &Dag, state: DeviceState, joins: bool) -> DeviceState {
        if !joins {
            return state;
        }
        let mut known = self.known.borrow_mut();
        if let Some(same) = known.get(&state) {
            return same.clone();
        }
        let forgets = self.forgetful.is_some();
        if let Stands::Before(before) = &state.0.stands
            && !before.variables.is_empty()
        {
            let mut wider = self.wider.borrow_mut();
            let here = wider.entry(before.place).or_default();
            let covers = |known: &&DeviceState| match &known.0.stands {
                Stands::Before(wider) => {
                    known.truths() == state.truths() && wider.covers(before, dag)
                }
                Stands::Ended(..) => false,
            };
            let divided = self.divided.borrow();
            let mut known = here.iter().rev().take(MOST_COVERING);
            if let Some(known) = known.find(|known| covers(known) && !divided.contains_key(*known))
            {
                return known.clone();
            }
            here.push(state.clone());
            if forgets && here.len() == 2 * MOST_COVERING {
                here.drain(..MOST_COVERING);
            }
        }
        if !forgets {
            known.insert(state.clone());
            if let Some(ahead) = self.ahead.borrow_mut().as_mut() {
                ahead.comes(&state);
            }
        }
        state
    }

    /// The state of a machine that stands before a call, all of whose values are known: each word that has ever held a
    /// time does so here.
    #[must_use]
    pub fn state_of(&self, machine: &Machine, board: &BoardState) -> Option<DeviceState> {
        self.state_with(machine, board, &self.times_seen())
    }

    /// The same for each choice of words that hold times here: a word may also hold a number, which nobody can tell from a
    /// time by looking at it. The first of them is [`Device::state_of`].
    #[must_use]
    pub fn states_of(&self, machine: &Machine, board: &BoardState) -> Vec<DeviceState> {
        let times = self.times_seen();
        let chosen = |number: u64| -> Vec<TimeWord> {
            let here = |at: &usize| number >> at & 1 == 0;
            let here = (0..times.len()).filter(here);
            here.map(|at| times[at]).collect()
        };
        let choices = 0..1_u64 << times.len().min(MOST_TIMES_CHOSEN);
        let mut states: Vec<DeviceState> = Vec::new();
        for state in choices.filter_map(|number| self.state_with(machine, board, &chosen(number))) {
            if !states.contains(&state) {
                states.push(state);
            }
        }
        states
    }

    fn state_with(
        &self,
        machine: &Machine,
        board: &BoardState,
        times: &[TimeWord],
    ) -> Option<DeviceState> {
        let mut bench = self.bench.take()?;
        let mut path = Path::new(board.clone());
        path.choices = self.start.choices.of_states(board.input_is_over());
        let shown = self.shown(board);
        self.compared(self.budget)
            .begin(&mut path, &mut bench.dag, &shown);
        for number in 0..self.watched.map_or(0, Watched::count) {
            path.truths
                .look(self.watched, number, (machine, board), &mut path.looked);
        }
        let stop = Waiting::at(machine.snapshot(None), path, true);
        let compared = Compared {
            times,
            ..self.compared(self.budget)
        };
        let state = compared.state(&mut bench, stop);
        self.bench.replace(Some(bench));
        Some(state)
    }

    /// What each clock shows by now, as far as a board knows; nothing of those that were not read yet.
    fn shown(&self, board: &BoardState) -> Vec<Option<i64>> {
        let shown = |clock: &Clock| {
            let is_read = board.last_reading(clock.id, &[]).is_some()
                || board.clock_floor_us() > board.elapsed_us();
            is_read.then(|| clocks::shown(&self.start.board, board, clock.id))
        };
        self.clocks.iter().map(shown).collect()
    }

    /// All words that have ever held a time.
    fn times_seen(&self) -> Vec<TimeWord> {
        let found = self.found_times.borrow();
        let times: BTreeSet<TimeWord> = self.times.iter().chain(&*found).copied().collect();
        times.into_iter().collect()
    }

    /// The words that hold times of a clock somewhere, and of which; to begin again with, if what a clock shows mattered.
    #[must_use]
    pub fn times(&self) -> Vec<(StateWord, PrimitiveId)> {
        let found = self.found_times.borrow();
        let named = found
            .iter()
            .map(|(word, clock)| (*word, self.clocks[*clock as usize].id));
        named.collect()
    }

    /// What a look may spend.
    fn budget(&self) -> &Budget<'_> {
        let forgetful = self.forgetful.as_ref();
        let unlimited = forgetful.and_then(Forgetful::unlimited);
        unlimited.unwrap_or(self.budget)
    }

    /// The bytes that handlers touch, if there are more than was assumed.
    fn newly_touched(&self) -> Option<Touched> {
        let bench = self.bench.borrow();
        let touched = &bench.as_ref()?.touched;
        let assumed = touched.assumed.as_deref()?;
        (!assumed.covers(&touched.seen)).then(|| assumed.with(&touched.seen))
    }

    /// What was seen that handlers touch, if it is more than these.
    fn touched_besides(&self, known: &Touched) -> Option<Touched> {
        let bench = self.bench.borrow();
        let seen = &bench.as_ref()?.touched.seen;
        (!known.covers(seen)).then(|| seen.clone())
    }

    /// Handlers touch these too.
    fn see_touched(&self, more: &Touched) {
        if let Some(bench) = self.bench.borrow_mut().as_mut()
            && !bench.touched.seen.covers(more)
        {
            bench.touched.seen = bench.touched.seen.with(more);
        }
    }

    /// Words that hold times, if what a clock shows mattered and that is news.
    fn new_times(&self) -> Option<Vec<(StateWord, PrimitiveId)>> {
        let has_mattered = self.influence.get() & ((1 << self.clocks.len()) - 1) != 0;
        let is_new = |word: &TimeWord| !self.times.contains(word);
        (has_mattered && self.found_times.borrow().iter().any(is_new)).then(|| self.times())
    }

    /// The states of known values that a state stands for; nothing if they are more than `most` combinations.
    #[must_use]
    pub fn stands_for(&self, state: &DeviceState, most: u64) -> Option<Vec<DeviceState>> {
        let Stands::Before(before) = &state.0.stands else {
            return Some(vec![state.clone()]);
        };
        let mut bench = self.bench.take()?;
        let states = {
            let compared = self.compared(self.budget);
            compared.known(&mut bench, (before, state.truths()), most)
        };
        self.bench.replace(Some(bench));
        states
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
fn reading(reads: &[Read], model: &[u64], known: usize) -> Option<WayInput> {
    let new = reads.iter().zip(model).skip(known);
    let mut new = new.filter(|(read, _)| !matches!(read.part, ReadPart::Given(_)));
    let mut first = new.next()?;
    let is_fault = |read: &Read| read.part == ReadPart::Fault;
    let mut rest = new.peekable();
    // A call that could fail and does not may be an input as well.
    if is_fault(first.0) && *first.1 == 0 {
        let same =
            |next: &&(&Read, &u64)| next.0.part == ReadPart::Value && next.0.step == first.0.step;
        first = rest.next_if(|next| same(&next)).unwrap_or(first);
    }
    let (read, cell) = first;
    let bytes = rest.take_while(|(next, _)| next.part.is_byte());
    Some(WayInput {
        primitive: read.primitive,
        args: read.args.to_vec(),
        ty: read.ty,
        set: read.domain.clone(),
        value: value_of(read.ty, *cell),
        bytes: bytes.map(|(byte, _)| byte.domain.clone()).collect(),
        is_fault: is_fault(read),
    })
}
