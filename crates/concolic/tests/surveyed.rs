//! States of device programs without their graph: as many as it has, however many are held, and from wherever it is gone on.

// A state's hash is made once; what it notes later is no part of it.
#![allow(clippy::mutable_key_type)]

mod common;
#[path = "common/writer.rs"]
mod writer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use borges_board::Board;
use borges_concolic::{
    Bounds, Budget, Comparing, Device, DeviceState, Facts, Start, explore_states, learn_states,
};
use borges_multiverse::fingerprint::{Digest, Fingerprint, WideFingerprint};
use borges_multiverse::graph::{Graph, Limits, Onlooker, Pause, Sight, Survey};
use borges_multiverse::language::Language as _;
use writer::Writer;

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

fn of_survey<F: Digest>(
    survey: &Survey<Rc<Device<'_>>, F>,
    device: &Device<'_>,
    pause: Pause,
) -> Found {
    let ends = survey.ends().into_iter();
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

/// Follows each nearest way to an end once more.
fn follow<F: Digest>(survey: &Survey<Rc<Device<'_>>, F>, device: &Rc<Device<'_>>, name: &str) {
    for (outcome, end) in survey.ends() {
        let way = survey.way(&end);
        assert_eq!(way.len(), end.depth as usize, "{name}: {outcome}");
        let mut state = device.initial();
        for choice in &way {
            state = device.apply(&state, choice).expect("it was gone").state;
        }
        assert_eq!(device.outcome(&state), outcome, "{name}");
    }
}

/// Counts how many it has seen.
#[derive(Default)]
struct Seen(usize);

impl<'d> Onlooker<Rc<Device<'d>>> for Seen {
    fn look(&mut self, _: &Sight<'_, Rc<Device<'d>>>) {
        self.0 += 1;
    }
}

/// Surveys a program, and again whenever there is news; how often it began.
fn surveyed<F: Digest>(
    name: &str,
    start: &Start,
    mut facts: Facts,
    (most, hold): (usize, Option<usize>),
    cuts: &[usize],
) -> (Found, usize) {
    let budget = Budget::unlimited();
    let about = Comparing::default();
    let device = |facts: &Facts| {
        let about = facts.clone().told(&about);
        let device = Device::new(start.clone(), bounds(), None, about, &budget);
        device.expect("a program").forgetful()
    };
    let mut began = 0;
    loop {
        began += 1;
        assert!(began < 50, "{name}: it learns for ever");
        let mut here = Rc::new(device(&facts));
        let mut survey: Survey<_, F> = Survey::begin(Rc::clone(&here));
        let (mut cuts, mut look) = (cuts.iter(), 16);
        let pause = loop {
            hold.iter().for_each(|most| survey.hold(*most));
            let cut = cuts.next().copied();
            let limits = Limits {
                states: cut.unwrap_or(most).max(survey.states() + 1),
                ..LIMITS
            };
            let pause = survey.look_alone(&limits, &mut Seen::default(), |survey| {
                // News comes in many parts.
                let is_time = survey.states() >= look;
                look *= if is_time { 2 } else { 1 };
                !is_time || here.news().is_none()
            });
            if cut.is_none() || pause != Pause::States {
                break pause;
            }
            // As if in another process.
            let (kept, noted) = (survey.kept(), here.noted());
            let digests: Vec<F> = survey.digests().flatten().collect();
            here = Rc::new(device(&facts).with_noted(&noted));
            let resumed = Survey::resume(Rc::clone(&here), &kept, digests, 1);
            survey = resumed.unwrap_or_else(|error| panic!("{name}: {error}"));
            here.remember(survey.held());
        };
        match here.news() {
            Some(news) => {
                assert_ne!(news, facts, "{name}");
                facts = news;
            }
            None => {
                follow(&survey, &here, name);
                return (of_survey(&survey, &here, pause), began);
            }
        }
    }
}

/// Compares surveys of a program with its graph, if that closes; whether it did, and how often surveys began anew, and
/// found more states when they were gone on with.
fn compared(name: &str, start: &Start) -> Option<(usize, usize)> {
    let (budget, about) = (Budget::unlimited(), Comparing::default());
    let explored = explore_states(
        start,
        &bounds(),
        &|| None,
        &about,
        &LIMITS,
        &budget,
        &mut |_| (),
    );
    let (exploration, pause) = explored.expect("a program");
    if pause != Pause::Complete {
        return None;
    }
    let depth = exploration.progress().depth;
    let graph = of_graph(exploration.graph(), pause, depth);
    let facts = exploration.graph().language().facts();
    let learnt = learn_states(start, &bounds(), &|| None, &about, LIMITS.states, &budget);
    assert_eq!(learnt.as_ref(), Some(&facts), "{name}");
    let (plain, began) =
        surveyed::<Fingerprint>(name, start, facts.clone(), (LIMITS.states, None), &[]);
    assert_eq!((&plain, began), (&graph, 1), "{name}");
    let few = 3.max(graph.states / 8);
    let most = (LIMITS.states, Some(few));
    let (held, _) = surveyed::<WideFingerprint>(name, start, facts.clone(), most, &[]);
    assert_eq!(held, graph, "{name}, {few} held");
    let mut more = 0;
    for cuts in [&[2][..], &[graph.states / 2], &[3, 7, graph.states - 1]] {
        let (resumed, _) =
            surveyed::<Fingerprint>(name, start, facts.clone(), (LIMITS.states, Some(50)), cuts);
        let (sizes, sizes_of_graph) = (resumed.states, graph.states);
        assert!(sizes >= sizes_of_graph, "{name} {cuts:?}: {sizes}");
        assert_eq!(resumed.pause, Pause::Complete, "{name} {cuts:?}");
        assert_eq!(resumed.maybe, graph.maybe, "{name} {cuts:?}");
        let ends = |of: &Found| {
            of.ends
                .iter()
                .map(|(end, (_, depth))| (end.clone(), *depth))
                .collect::<Vec<_>>()
        };
        assert_eq!(ends(&resumed), ends(&graph), "{name} {cuts:?}");
        match sizes == sizes_of_graph {
            true => assert_eq!(resumed, graph, "{name} {cuts:?}"),
            false => {
                println!("{name} {cuts:?}: {sizes} instead of {sizes_of_graph} states");
                more += 1;
            }
        }
    }
    // What was not learnt before comes to light.
    let mut anew = 0;
    for few in [1, 17] {
        let learnt = learn_states(start, &bounds(), &|| None, &about, few, &budget);
        let most = (2 * graph.states + 100, None);
        let little = learnt.expect("a program");
        let (again, began) = surveyed::<Fingerprint>(name, start, little, most, &[]);
        if again.pause == Pause::Complete {
            let keys = |of: &Found| of.ends.keys().cloned().collect::<Vec<_>>();
            assert_eq!(keys(&again), keys(&graph), "{name}");
        }
        anew += began - 1;
    }
    println!("{name}: {} states, began anew {anew} times", graph.states);
    Some((anew, more))
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
        assert!(found.is_some_and(|(began, _)| began > 0), "{module}");
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
            device.expect("a program").forgetful()
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
