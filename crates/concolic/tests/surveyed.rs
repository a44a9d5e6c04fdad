//! States of device programs without their graph: as many as it has, however many are held, and from wherever it is gone on.

// A state's hash is made once; what it notes later is no part of it.
#![allow(clippy::mutable_key_type)]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::writer::Writer;
use borges_board::Board;
use borges_concolic::{
    Bounds, Budget, Company, Comparing, Device, DeviceState, Facts, FarDevice, Lookers, Noted,
    SentState, Showing, Start, explore_states, learn_states,
};
use borges_multiverse::fingerprint::{Digest, Fingerprint, WideFingerprint};
use borges_multiverse::graph::{Edge, Exploration, Graph, Limits, Onlooker, Pause, Sight, Survey};
use borges_multiverse::language::Language as _;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::common;

/// What does not depend on how states were looked for.
#[derive(Debug, PartialEq)]
struct Found {
    pause: Pause,
    states: usize,
    edges: usize,
    partial: usize,
    depth: u32,
    /// How often each outcome, and in how few steps.
    ends: BTreeMap<String, (u64, u32)>,
    maybe: usize,
    unexplored: usize,
}

fn bounds() -> Bounds {
    Bounds {
        steps: 1_000_000,
        events: Some(1),
        ..Bounds::default()
    }
}

const LIMITS: Limits = Limits {
    states: 10_000,
    depth: u32::MAX,
};

fn of_graph(graph: &Graph<Rc<Device<'_>>>, pause: Pause, depth: u32) -> Found {
    let device = graph.language();
    let mut depths = vec![u32::MAX; graph.len()];
    depths[0] = 0;
    // They were found nearest first.
    for node in graph.nodes() {
        for (_, edge) in graph.edges_from(node) {
            let there = depths[node.0 as usize] + 1;
            let known = &mut depths[edge.to.0 as usize];
            *known = (*known).min(there);
        }
    }
    let mut ends: BTreeMap<String, (u64, u32)> = BTreeMap::new();
    for node in graph.ends() {
        let outcome = device.outcome(graph.state(node).expect("it was found"));
        let depth = depths[node.0 as usize];
        let known = ends.entry(outcome.to_string()).or_insert((0, depth));
        *known = (known.0 + 1, known.1.min(depth));
    }
    Found {
        pause,
        states: graph.len(),
        edges: graph.edge_count(),
        partial: graph.partial().len(),
        depth,
        ends,
        maybe: device.maybe().len(),
        unexplored: device.unexplored().len(),
    }
}

/// Who is asked next is chance: each is asked about states in their order. All but the first are as good as in other
/// processes.
struct Several<'d> {
    devices: Vec<Device<'d>>,
    random: RefCell<fastrand::Rng>,
}

impl Lookers for Several<'_> {
    fn showing(&self, state: &SentState, _: &Budget<'_>) -> Option<Showing> {
        let who = self.random.borrow_mut().usize(..self.devices.len());
        let device = &self.devices[who];
        if who == 0 {
            return device.showing(state);
        }
        let packed = state.packed(&self.devices[0].packer());
        let showing = device.showing(&sent(&packed.expect("it can travel")))?;
        let packed = showing.packed(&device.packer());
        Some(sent(&packed.expect("it can travel")))
    }
}

/// What comes out of a line that this goes into.
fn sent<T: Serialize + DeserializeOwned>(what: &T) -> T {
    let bytes = postcard::to_allocvec(what).expect("it can be written");
    postcard::from_bytes(&bytes).expect("it can be read")
}

type Far<'d> = Rc<FarDevice<'d, Several<'d>>>;

fn of_survey<F: Digest>(survey: &Survey<Far<'_>, F>, far: &Far<'_>, pause: Pause) -> Found {
    let (ends, device) = (survey.ends().into_iter(), far.account());
    Found {
        pause,
        states: survey.states(),
        edges: survey.edges() as usize,
        partial: device.partial() as usize,
        depth: survey.counts().depth,
        ends: ends
            .map(|(outcome, end)| (outcome.to_string(), (end.states, end.depth)))
            .collect(),
        maybe: device.maybe().len(),
        unexplored: device.unexplored().len(),
    }
}

/// Follows each nearest way to an end once more: these ways.
fn follow<F: Digest>(survey: &Survey<Far<'_>, F>, far: &Far<'_>, name: &str) -> Vec<Vec<u32>> {
    let mut ways = Vec::new();
    for (outcome, end) in survey.ends() {
        let way = survey.way(&end);
        assert_eq!(way.len(), end.depth as usize, "{name}: {outcome}");
        let mut state = far.initial();
        for choice in &way {
            state = far.apply(&state, choice).expect("it was gone").state;
        }
        assert_eq!(far.outcome(&state), outcome, "{name}");
        ways.push(way);
    }
    ways
}

/// Numbers what it sees.
struct Looks<'d>(Far<'d>);

impl<'d> Onlooker<Far<'d>> for Looks<'d> {
    fn look(&mut self, sight: &Sight<'_, Far<'d>>) {
        self.0.number(sight.state, sight.number);
    }

    fn breaks_off(&mut self) -> bool {
        self.0.is_put_back()
    }
}

/// How a program is surveyed.
#[derive(Clone, Copy)]
struct How<'h> {
    /// To so many states, of which so many are held.
    most: usize,
    hold: Option<usize>,
    /// Gone on with from files with so many states.
    cuts: &'h [usize],
    /// By so many who look.
    lookers: usize,
}

/// Everything that is so however it was surveyed.
type Whole = (Found, Facts, Noted, Vec<Vec<u32>>);

/// Surveys a program, and again whenever there is news; how often it began.
fn surveyed<F: Digest>(
    name: &str,
    start: &Start,
    mut facts: Facts,
    how: How<'_>,
) -> (Whole, usize) {
    let budget = Budget::unlimited();
    let about = Comparing::default();
    let device = |facts: &Facts| {
        let about = facts.clone().told(&about);
        let device = Device::new(start.clone(), bounds(), None, about, &budget);
        device.expect("a program")
    };
    let far = |facts: &Facts, noted: &Noted, seed: usize| {
        let several = Several {
            devices: (0..how.lookers).map(|_| device(facts).telling()).collect(),
            random: RefCell::new(fastrand::Rng::with_seed(seed as u64)),
        };
        Rc::new(FarDevice::new(device(facts), noted, device(facts), several))
    };
    let mut began = 0;
    loop {
        began += 1;
        assert!(began < 50, "{name}: it learns for ever");
        let mut here = far(&facts, &Noted::default(), began);
        let mut survey: Survey<_, F> = Survey::begin(Rc::clone(&here));
        let mut cuts = how.cuts.iter();
        let pause = loop {
            how.hold.iter().for_each(|most| survey.hold(*most));
            let cut = cuts.next().copied();
            let limits = Limits {
                states: cut.unwrap_or(how.most).max(survey.states() + 1),
                ..LIMITS
            };
            let mut looks = Looks(Rc::clone(&here));
            let pause = survey.look_alone(&limits, &mut looks, |_| !here.has_news());
            if cut.is_none() || pause != Pause::States {
                break pause;
            }
            // As if in another process.
            let (kept, noted) = (survey.kept(), here.account().noted());
            let covering = survey.ways_to(here.covering(survey.numbered()));
            let digests: Vec<F> = survey.digests().flatten().collect();
            here = far(&facts, &noted, survey.states());
            let resumed = Survey::resume(Rc::clone(&here), &kept, digests, 1);
            survey = resumed.unwrap_or_else(|error| panic!("{name}: {error}"));
            here.cover_again(survey.recognize(&covering).expect("ways that were gone"));
        };
        match here.account().news() {
            Some(news) => {
                assert_ne!(news, facts, "{name}");
                facts = news;
            }
            None => {
                let ways = follow(&survey, &here, name);
                let noted = here.account().noted();
                return (
                    (of_survey(&survey, &here, pause), facts, noted, ways),
                    began,
                );
            }
        }
    }
}

fn explored<'d>(
    start: &Start,
    budget: &'d Budget<'d>,
    company: &dyn Company,
) -> (Exploration<Rc<Device<'d>>>, Pause) {
    let about = Comparing::default();
    let explored = explore_states(start, &bounds(), &|| None, &about, &LIMITS, budget, company);
    explored.expect("a program")
}

/// Three who look at a graph's states ahead of it.
struct Helpful {
    start: Start,
    budget: &'static Budget<'static>,
    hired: Cell<u32>,
}

impl Company for Helpful {
    fn hire(&self, facts: &Facts) -> Option<Box<dyn Lookers>> {
        self.hired.set(self.hired.get() + 1);
        let about = facts.clone().told(&Comparing::default());
        let device = || {
            Device::new(
                self.start.clone(),
                bounds(),
                None,
                about.clone(),
                self.budget,
            )
        };
        let devices = (0..3).map(|_| device().expect("a program").telling());
        Some(Box::new(Several {
            devices: devices.collect(),
            random: RefCell::new(fastrand::Rng::with_seed(5)),
        }))
    }
}

/// A graph at whose states others look ahead is the same, down to its last way and instruction.
fn same_with_company(name: &str, start: &Start, alone: &Graph<Rc<Device<'_>>>, found: &Found) {
    let budget = Box::leak(Box::new(Budget::unlimited()));
    let helpful = Helpful {
        start: start.clone(),
        budget,
        hired: Cell::new(0),
    };
    let (exploration, pause) = explored(start, budget, &helpful);
    let depth = exploration.progress().depth;
    let graph = exploration.into_graph();
    assert!(helpful.hired.get() > 0, "{name}");
    assert_eq!(
        &of_graph(&graph, pause, depth),
        found,
        "{name}, with company"
    );
    assert_eq!(graph.language().steps(), alone.language().steps(), "{name}");
    assert_eq!(edges(&graph), edges(alone), "{name}");
}

fn edges(graph: &Graph<Rc<Device<'_>>>) -> Vec<Edge> {
    let edges = graph.nodes().flat_map(|node| graph.edges_from(node));
    edges.map(|(_, edge)| edge).collect()
}

/// Compares surveys of a program with its graph, if that closes; whether it did, and how often surveys began anew.
fn compared(name: &str, start: &Start) -> Option<usize> {
    let (budget, about) = (Budget::unlimited(), Comparing::default());
    let (exploration, pause) = explored(start, &budget, &());
    if pause != Pause::Complete {
        return None;
    }
    let depth = exploration.progress().depth;
    let graph = of_graph(exploration.graph(), pause, depth);
    let facts = exploration.graph().language().facts();
    if graph.states >= 256 {
        same_with_company(name, start, exploration.graph(), &graph);
    }
    let learnt = learn_states(start, &bounds(), &|| None, &about, LIMITS.states, &budget);
    assert_eq!(learnt.as_ref(), Some(&facts), "{name}");
    let alone = How {
        most: LIMITS.states,
        hold: None,
        cuts: &[],
        lookers: 1,
    };
    let (plain, began) = surveyed::<Fingerprint>(name, start, facts.clone(), alone);
    assert_eq!((&plain.0, began), (&graph, 1), "{name}");
    let few = How {
        hold: Some(3.max(graph.states / 8)),
        ..alone
    };
    let (held, _) = surveyed::<WideFingerprint>(name, start, facts.clone(), few);
    assert_eq!(held, plain, "{name}, few held");
    // Whoever looks, and whoever goes on: it is the same to the last way and instruction.
    let often = [3, graph.states / 2, graph.states - 1];
    for (lookers, cuts) in [(2, &[2][..]), (3, &often)] {
        let several = How {
            hold: Some(50),
            cuts,
            lookers,
            ..alone
        };
        let (found, _) = surveyed::<Fingerprint>(name, start, facts.clone(), several);
        assert_eq!(found, plain, "{name}, {lookers} who look, {cuts:?}");
    }
    // What was not learnt before comes to light, at the same time for all.
    let mut anew = 0;
    for few in [1, 17] {
        let learnt = learn_states(start, &bounds(), &|| None, &about, few, &budget);
        let alone = How {
            most: 2 * graph.states + 100,
            ..alone
        };
        let little = learnt.expect("a program");
        let (again, began) = surveyed::<Fingerprint>(name, start, little.clone(), alone);
        if again.0.pause == Pause::Complete {
            let keys = |of: &Found| of.ends.keys().cloned().collect::<Vec<_>>();
            assert_eq!(keys(&again.0), keys(&graph), "{name}");
        }
        let several = How {
            lookers: 3,
            cuts: &[20],
            ..alone
        };
        let by_several = surveyed::<Fingerprint>(name, start, little, several);
        assert_eq!(by_several, (again, began), "{name}, with little known");
        anew += began - 1;
    }
    println!("{name}: {} states, began anew {anew} times", graph.states);
    Some(anew)
}

fn examples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folders = std::fs::read_dir(root).expect("the examples").flatten();
    let with_boards = folders.filter(|folder| folder.path().join("board.toml").is_file());
    let files = with_boards.flat_map(|folder| std::fs::read_dir(folder.path()).expect("a folder"));
    let files = files.flatten().map(|file| file.path());
    let mut modules: Vec<PathBuf> = files
        .filter(|file| file.extension().is_some_and(|ext| ext == "wasm"))
        .collect();
    modules.sort();
    modules
}

#[test]
fn surveys_of_examples_count_what_their_graphs_have() {
    let mut closed = 0;
    for module in examples() {
        let bytes = std::fs::read(&module).expect("a module");
        let board = std::fs::read_to_string(module.with_file_name("board.toml")).expect("a board");
        // Of all bytes that a line can bring, a few do.
        let board = board.replace("-1..255", "-1..3");
        let board = Board::parse("board.toml", &board).expect("a valid board");
        let name = module.display().to_string();
        closed += u32::from(compared(&name, &common::start(&bytes, board)).is_some());
    }
    assert!(closed >= 26, "{closed} close");
}

#[test]
fn surveys_of_programs_that_allocate_count_what_their_graphs_have() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/heap");
    for (module, range) in [
        ("last_three.wasm", "0..3"),
        ("vector.wasm", "0..3"),
        ("objects.wasm", "0..4095"),
        ("collected.wasm", "0..4095"),
    ] {
        let bytes = std::fs::read(folder.join(module)).expect("a committed module");
        let board = format!("[ranges]\n\"chip_analog_read(34)\" = \"{range}\"\n");
        let board = Board::parse("board.toml", &board).expect("a valid board");
        let found = compared(module, &common::start(&bytes, board));
        assert!(found.is_some_and(|began| began > 0), "{module}");
    }
}

#[test]
fn surveys_of_random_loops_count_what_their_graphs_have() {
    let mut closed = 0;
    for seed in 0..200 {
        let random = fastrand::Rng::with_seed(seed);
        let text = Writer { random }.program();
        let board = "[ranges]\n\"chip_digital_read(0)\" = \"0..2\"\n";
        let board = Board::parse("board.toml", board).expect("a valid board");
        let name = format!("seed {seed}: {text}");
        closed += u32::from(compared(&name, &common::start_wat(&text, board)).is_some());
    }
    assert!(closed > 150, "{closed} close");
}

/// A state is known by what it consists of, whatever was looked at before it.
#[test]
fn states_have_the_same_names_in_every_process() {
    for module in examples() {
        let bytes = std::fs::read(&module).expect("a module");
        let board = std::fs::read_to_string(module.with_file_name("board.toml")).expect("a board");
        let board = Board::parse("board.toml", &board).expect("a valid board");
        let start = common::start(&bytes, board);
        let budget = Budget::unlimited();
        let device = || {
            let device = Device::new(start.clone(), bounds(), None, Comparing::default(), &budget);
            device.expect("a program").telling()
        };
        let (mut choices, first) = (Vec::new(), device());
        let mut found: Vec<(Vec<usize>, DeviceState)> = vec![(Vec::new(), first.initial())];
        for at in 0..12 {
            let Some((way, state)) = found.get(at).cloned() else {
                break;
            };
            for (number, (_, to)) in first.ways(&state).into_iter().enumerate() {
                found.push(([&way[..], &[number]].concat(), to));
            }
        }
        // The last comes first there.
        for (way, state) in found.iter().rev() {
            let other = device();
            let mut at = other.initial();
            for number in way {
                choices.clear();
                other.enabled(&at, &mut choices);
                at = other.apply(&at, &choices[*number]).expect("a way").state;
            }
            let names = [state, &at].map(WideFingerprint::digest);
            assert_eq!(names[0], names[1], "{} {way:?}", module.display());
        }
    }
}
