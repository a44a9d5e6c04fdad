//! Conditions and temporal formulas about device programs, against all plain runs one by one.

// A state's hash is made once; what it notes later is no part of it.
#![allow(clippy::mutable_key_type)]

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use borges_board::{Board, BoardState, PrimitiveId};
use borges_concolic::{
    Bounds, Budget, Comparator, Comparing, Device, Flow, Looked, Numbers, Open, Said, Start,
    Watched,
};
use borges_multiverse::graph::{Exploration, Graph, Limits, Pause, Strategy};
use borges_multiverse::language::{Footprint, Label, Language, Next, Outcome, Verdict};
use borges_multiverse::temporal::{Fairness, Formula, Truth, must};
use borges_vm::{Machine, Value};

use crate::common;
use crate::runs::{Comes, Standing, codomain, go_on};
use crate::writer::Writer;

/// `global < least`, or `byte == least`.
struct Test {
    place: Looked,
    bound: i32,
}

/// Two conditions on what the writer's programs keep.
struct Tests {
    tests: Vec<Test>,
    /// Whether they are computed with numbers that inputs decide; else all values are tried.
    are_computed: bool,
}

impl Tests {
    fn new(random: &mut fastrand::Rng) -> Self {
        let tests = (0..2).map(|_| Test {
            place: match random.bool() {
                true => Looked::Global(random.u32(..3)),
                false => Looked::Bytes(random.u32(..8), 1),
            },
            bound: random.i32(0..4),
        });
        Tests {
            tests: tests.collect(),
            are_computed: random.bool(),
        }
    }
}

impl Watched for Tests {
    fn count(&self) -> u32 {
        self.tests.len() as u32
    }

    fn holds(
        &self,
        number: u32,
        (machine, _): (&Machine, &BoardState),
        looked: &mut Vec<Looked>,
    ) -> Said {
        let Test { place, bound } = &self.tests[number as usize];
        looked.push(*place);
        let holds = match place {
            Looked::Global(at) => match machine.globals()[*at as usize] {
                Value::I32(value) => value < *bound,
                other => panic!("{other:?}"),
            },
            Looked::Bytes(at, _) => i32::from(machine.memory()[*at as usize]) == *bound,
            Looked::Cell(_) => panic!("no condition looks there"),
        };
        holds.into()
    }

    fn decide(
        &self,
        number: u32,
        numbers: &mut Numbers<'_>,
        looked: &mut Vec<Looked>,
    ) -> Result<Said, Open> {
        if !self.are_computed {
            return Err(Open::Unfit);
        }
        let Test { place, bound } = &self.tests[number as usize];
        looked.push(*place);
        let bound = numbers.number((*bound).into())?;
        let (by, value) = match place {
            Looked::Global(_) => (Comparator::Less, numbers.read(*place, 4, true)?),
            _ => (Comparator::Equal, numbers.read(*place, 1, false)?),
        };
        numbers.compare(by, value, bound).map(Said::from)
    }

    fn stops_before(&self, _: PrimitiveId) -> bool {
        false
    }
}

/// All runs of a program, state by state: nothing is left out of what is compared.
struct Explicit<'e> {
    start: &'e Start,
    tests: &'e Tests,
}

#[derive(Clone, Debug)]
struct ExplicitState {
    standing: Arc<Standing>,
    end: bool,
    truths: Vec<Said>,
}

impl PartialEq for ExplicitState {
    fn eq(&self, other: &Self) -> bool {
        let key = |of: &Self| {
            (
                of.standing.machine.hash().0,
                of.standing.board.hash64(),
                of.end,
            )
        };
        key(self) == key(other)
    }
}

impl Eq for ExplicitState {}

impl Hash for ExplicitState {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.standing.machine.hash().0.hash(state);
    }
}

impl Explicit<'_> {
    fn state(&self, comes: Comes) -> ExplicitState {
        let (standing, end) = match comes {
            Comes::Stands(standing) => (standing, false),
            Comes::Ends(_, standing) => (standing, true),
        };
        let truth = |number| {
            let at = (&standing.machine, &standing.board);
            self.tests.holds(number, at, &mut Vec::new())
        };
        ExplicitState {
            truths: (0..self.tests.count()).map(truth).collect(),
            standing: standing.into(),
            end,
        }
    }
}

impl Language for Explicit<'_> {
    type State = ExplicitState;
    type Choice = Value;
    type Agent = u8;
    type Resource = u8;
    type Value = u8;

    fn initial(&self) -> ExplicitState {
        let first = Standing {
            machine: self.start.machine.clone(),
            board: self.start.state.clone(),
        };
        self.state(go_on(self.start, first, None, false))
    }

    fn enabled(&self, state: &ExplicitState, choices: &mut Vec<Value>) {
        if !state.end {
            let codomain = codomain(self.start, &state.standing).expect("an input");
            let count = codomain.count().expect("few values");
            choices.extend((0..count).filter_map(|nth| codomain.nth(nth)));
        }
    }

    fn apply(&self, state: &ExplicitState, choice: &Value) -> Option<Next<ExplicitState>> {
        let standing = Standing::clone(&state.standing);
        Some(Next::one(self.state(go_on(
            self.start,
            standing,
            Some((*choice).into()),
            true,
        ))))
    }

    fn outcome(&self, _: &ExplicitState) -> Outcome<u8> {
        Outcome {
            verdicts: Verdict::Finished.into(),
            value: 0,
        }
    }

    fn agent(&self, _: &ExplicitState, _: &Value) -> u8 {
        0
    }

    fn label(&self, _: &ExplicitState, choice: &Value) -> Label {
        Label {
            rule: "read",
            text: format!("{choice:?}"),
            span: None,
        }
    }

    fn footprint(&self, _: &ExplicitState, _: &Value) -> Footprint<u8> {
        Footprint {
            reads: Vec::new(),
            writes: vec![0],
        }
    }

    fn show(&self, state: &ExplicitState) -> String {
        format!("{:?}", state.truths)
    }
}

fn formula(random: &mut fastrand::Rng, depth: u32) -> Formula<u32> {
    if depth == 0 {
        return Formula::Atom(random.u32(..2));
    }
    let mut part = || formula(random, depth - 1);
    let (a, b) = (part(), part());
    match random.u8(..8) {
        0 => a.negated(),
        1 => a.and(b),
        2 => a.or(b),
        3 => a.next(),
        4 => a.until(b),
        5 => a.eventually(),
        6 => a.always(),
        _ => a.implies(b),
    }
}

/// Whether all runs in a complete graph fulfil a formula; nothing if it is not known which of a state's values take a run
/// that does not.
fn verdict<L: Language>(
    graph: &Graph<L>,
    formula: &Formula<u32>,
    holds: impl Fn(&L::State, u32) -> bool,
) -> Option<bool> {
    let holds = |atom: &u32, state: &L::State| holds(state, *atom);
    match must(graph, formula, Fairness::None, holds, &mut || true) {
        Truth::Yes(_) => Some(true),
        Truth::No(_) => Some(false),
        Truth::Maybe(_) => None,
        Truth::Unknown => panic!("the graph is complete"),
    }
}

const FORMULAS: usize = 12;
const STATES: usize = 300;
/// So often states are divided.
const DIVISIONS: usize = 64;

/// What was compared.
#[derive(Debug, Default)]
struct Tally {
    programs: u32,
    /// Graphs, and among them those in which all ways are open to all values of their states: at first, and when states
    /// were divided.
    graphs: u32,
    whole: u32,
    whole_divided: u32,
    /// Formulas.
    held: u32,
    failed: u32,
    maybe: u32,
    maybe_divided: u32,
    states: usize,
    states_divided: usize,
}

/// Compares what is said of a program with what all its runs say. Inputs have values up to `greatest`.
fn compare(seed: u64, (greatest, is_split): (u32, bool), tally: &mut Tally) {
    let mut random = fastrand::Rng::with_seed(seed);
    let text = Writer {
        random: random.fork(),
    }
    .program();
    let board = format!("[ranges]\n\"chip_digital_read(0)\" = \"0..{greatest}\"\n");
    let board = Board::parse("board.toml", &board).expect("a valid board");
    let start = common::start_wat(&text, board);
    let tests = Tests::new(&mut random);
    let limits = Limits {
        states: STATES,
        depth: u32::MAX,
    };
    let explicit = Explicit {
        start: &start,
        tests: &tests,
    };
    let mut explicit = Exploration::new(explicit, Strategy::BreadthFirst);
    if explicit.run(&limits, |_| true) != Pause::Complete {
        return;
    }
    let formulas: Vec<Formula<u32>> = (0..FORMULAS).map(|_| formula(&mut random, 3)).collect();
    let is_so = |formula| {
        let plain = verdict(explicit.graph(), formula, |state, atom| {
            state.truths[atom as usize] == Said::Holds
        });
        plain.expect("each of its states is one")
    };
    let is_so: Vec<bool> = formulas.iter().map(is_so).collect();
    let began = Instant::now();
    let clock = || began.elapsed();
    let heard = |_| Flow::Continue;
    let budget = Budget::new(Duration::from_secs(60), &clock, &heard);
    tally.programs += 1;
    let about = Comparing {
        watched: Some(&tests),
        is_split,
        ..Comparing::default()
    };
    let device = Device::new(start.clone(), Bounds::default(), None, about, &budget);
    let device = device.expect("a program");
    for divisions in 0..=DIVISIONS {
        let mut exploration = Exploration::new(&device, Strategy::BreadthFirst);
        let pause = exploration.run(&limits, |_| true);
        let graph = exploration.graph();
        assert!(!device.is_cut(), "seed {seed}: no time");
        if pause != Pause::Complete || !device.unexplored().is_empty() {
            return;
        }
        let mut states = graph.nodes().filter_map(|node| graph.state(node));
        assert!(
            !states.any(|state| (0..2).any(|number| state.truths().is_unclear(number))),
            "seed {seed}: {text}"
        );
        let is_whole = graph.partial().is_empty();
        let is_last = is_whole || divisions == DIVISIONS || !device.divide(|| true);
        for (formula, is_so) in formulas.iter().zip(&is_so) {
            let said = verdict(graph, formula, |state, atom| {
                state.truths().of(atom) == Some(true)
            });
            assert!(
                said.is_none_or(|said| said == *is_so) && !(said.is_none() && is_whole),
                "seed {seed}, 0..{greatest}: {formula} is said to be {said:?}, and is {is_so} ({divisions}): {text}"
            );
            tally.maybe += u32::from(said.is_none() && divisions == 0);
            tally.maybe_divided += u32::from(said.is_none() && is_last);
            tally.held += u32::from(said == Some(true) && is_last);
            tally.failed += u32::from(said == Some(false) && is_last);
        }
        if divisions == 0 {
            tally.graphs += 1;
            tally.whole += u32::from(is_whole);
            tally.states += graph.len();
        }
        if is_last {
            tally.whole_divided += u32::from(is_whole);
            tally.states_divided += graph.len();
            return;
        }
    }
}

#[test]
fn formulas_about_random_loops_are_true_of_all_their_runs_or_of_none_that_breaks_them() {
    let mut tally = Tally::default();
    for is_split in [false, true] {
        (0..PROGRAMS).for_each(|seed| compare(seed, (2, is_split), &mut tally));
    }
    println!("{tally:?}");
    let programs = PROGRAMS as u32;
    assert!(tally.programs > programs / 4, "{tally:?}");
    assert!(
        tally.held > programs / 2 && tally.failed > programs / 2,
        "{tally:?}"
    );
    assert!(tally.maybe < 200, "{tally:?}");
    assert_eq!(tally.maybe_divided, 0, "{tally:?}");
}

/// Sets of so many values are too wide to look at each.
#[test]
fn so_they_are_where_sets_are_wide() {
    let mut tally = Tally::default();
    (0..PROGRAMS).for_each(|seed| compare(seed, (40, false), &mut tally));
    println!("{tally:?}");
    assert!(tally.programs > PROGRAMS as u32 / 2, "{tally:?}");
    assert!(tally.maybe > 10, "nothing to divide: {tally:?}");
    assert_eq!(tally.maybe_divided, 0, "{tally:?}");
}

/// Programs that are written; some of them have too many states to be looked at one by one.
const PROGRAMS: u64 = 600;
