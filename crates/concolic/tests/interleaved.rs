//! Interrupts as agents: one run for each class of orders comes to all ends that there are.

use std::collections::{BTreeSet, HashSet};

use borges_board::{Board, BoardState, Captured, Event, EventSource, PrimitiveKind};
use borges_concolic::{Bounds, Budget, Comparing, End, Interleaved, Start};
use borges_multiverse::causality::{Class, Classes, Found};
use borges_multiverse::graph::{Exploration, Limits, Pause, Strategy};
use borges_multiverse::heed::Patient;
use borges_multiverse::language::Language;
use borges_vm::{Exit, Machine, Value};
use fastrand::Rng;

use crate::common;

/// An end, with the globals and the memory as they are then, if these are known.
type Left = (String, Option<(Vec<Value>, Vec<u8>)>);

fn left(end: &End, machine: Option<&Machine>) -> Left {
    let left = machine.map(|machine| {
        let used = machine.memory().iter().take(128);
        (machine.globals(), used.copied().collect())
    });
    (format!("{end:?}"), left)
}

/// What came of a program by its classes, and by its graph.
struct Explored {
    classes: usize,
    /// Runs, in any order of their steps.
    runs: Option<String>,
    by_class: BTreeSet<Left>,
    by_graph: BTreeSet<Left>,
    unexplored: usize,
}

/// Programs with more steps in their classes are not looked at.
const MOST_STEPS: usize = 6_000;

/// Nothing if there are too many classes.
fn explore(start: &Start, most: u32) -> Option<Explored> {
    let budget = Budget::unlimited();
    let mut about = Comparing {
        // What is left behind is compared.
        calls: Some(Vec::new()),
        ..Comparing::default()
    };
    loop {
        let program = Interleaved::new(
            start.clone(),
            Bounds::default(),
            None,
            about.clone(),
            Some(most),
            &budget,
        );
        let program = program.expect("a program");
        let mut machine = start.machine.clone();
        let mut end_of = |state: &<Interleaved<'_> as Language>::State| {
            let device = state.device();
            let machine = device.snapshot().map(|snapshot| {
                machine.restore(snapshot).expect("it fits");
                &machine
            });
            left(device.end().expect("an end"), machine)
        };
        let mut classes = Classes::new(&program);
        let (mut count, mut by_class) = (0, BTreeSet::new());
        let mut seen: HashSet<Class<_, _>> = HashSet::new();
        let mut steps = 0;
        loop {
            match classes.advance(usize::MAX, || {
                steps += 1;
                steps < MOST_STEPS
            }) {
                Found::End => {
                    count += 1;
                    assert!(seen.insert(classes.run().class()), "a class came twice");
                    by_class.insert(end_of(classes.state().expect("a state")));
                }
                Found::Done => break,
                Found::Cancelled => return None,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(classes.rounds(), 0);
        let mut exploration = Exploration::new(&program, Strategy::BreadthFirst);
        let limits = Limits::default();
        assert_eq!(exploration.run(&limits, |_| true), Pause::Complete);
        let graph = exploration.graph();
        let counts = graph.count_paths(&mut Patient);
        // Where states stand for several values, runs are not counted.
        let runs = counts
            .expect("patience")
            .ok()
            .map(|counts| counts.total().to_string());
        let ends = graph
            .ends()
            .map(|end| end_of(graph.state(end).expect("a state")));
        let by_graph = ends.collect();
        if let Some(facts) = program.news() {
            about = facts.told(&about);
            continue;
        }
        return Some(Explored {
            classes: count,
            runs,
            by_class,
            by_graph,
            unexplored: program.device().unexplored().len(),
        });
    }
}

/// The ends of plain runs, with events between any two instructions, so many from each source.
fn plain(start: &Start, most: u32) -> BTreeSet<Left> {
    let board = &start.board;
    let mut found = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut machine = start.machine.clone();
    let mut work = vec![(
        machine.snapshot(None),
        start.state.clone(),
        Vec::<EventSource>::new(),
    )];
    let mut keep =
        |machine: &Machine, state: &BoardState, came: &[EventSource], work: &mut Vec<_>| {
            let influence = state.influence(board, false).hash64();
            if seen.insert((machine.hash().0, influence, came.to_vec())) {
                work.push((machine.snapshot(None), state.clone(), came.to_vec()));
            }
        };
    while let Some((snapshot, mut state, came)) = work.pop() {
        let pins = state.subscriptions().map(|(pin, subscription)| Event {
            source: EventSource::Pin(*pin),
            handler: subscription.handler,
        });
        let timer = state.timer().map(|timer| Event {
            source: EventSource::Timer,
            handler: timer.handler,
        });
        for event in pins.chain(timer) {
            let count = came
                .iter()
                .filter(|source| **source == event.source)
                .count();
            machine.restore(&snapshot).expect("it fits");
            if count < most as usize && event.enter(&mut machine) {
                let mut came = came.clone();
                came.push(event.source);
                came.sort_unstable();
                keep(&machine, &state, &came, &mut work);
            }
        }
        machine.restore(&snapshot).expect("it fits");
        match machine.run(machine.steps() + 1) {
            Exit::Budget => keep(&machine, &state, &came, &mut work),
            Exit::Finished => {
                found.insert(left(&End::of_finished(&machine), Some(&machine)));
            }
            Exit::Trapped(trap) => {
                let at = machine.location().map(|location| location.offset);
                found.insert(left(&End::Trapped(trap, at), Some(&machine)));
            }
            Exit::HostCall => {
                let pending = machine.pending().expect("a call");
                let id = start.primitives[pending.func.0 as usize];
                let args = pending.args.clone();
                let answers: Vec<Option<Value>> =
                    if board.primitive(id).expect("known").kind == PrimitiveKind::Input {
                        let codomain = board.codomain_at(id, &args, &state);
                        let count = codomain.count().expect("few values");
                        (0..count).map(|nth| codomain.nth(nth)).collect()
                    } else {
                        let nothing = Captured::default();
                        let result = state.apply(board, id, &args, machine.memory(), &nothing);
                        vec![result.expect("it is performed")]
                    };
                let before = machine.snapshot(None);
                for answer in answers {
                    machine.restore(&before).expect("it fits");
                    machine.answer(answer.as_slice()).expect("an answer");
                    keep(&machine, &state, &came, &mut work);
                }
            }
            other => panic!("{other:?}"),
        }
    }
    found
}

/// Holds classes against the graph, and both against plain runs.
fn check(text: &str, most: u32) -> Option<Explored> {
    let board = "[ranges]\n\"chip_digital_read(1)\" = \"0..2\"\n";
    let start = common::start_wat(text, Board::parse("board.toml", board).expect("a board"));
    let explored = explore(&start, most)?;
    let plain = plain(&start, most);
    assert_eq!(explored.unexplored, 0, "{text}");
    assert_eq!(explored.by_class, explored.by_graph, "{text}");
    let ends = |all: &BTreeSet<Left>| -> BTreeSet<String> {
        all.iter().map(|(end, _)| end.clone()).collect()
    };
    assert_eq!(ends(&explored.by_class), ends(&plain), "{text}");
    let known = |all: &BTreeSet<Left>| -> BTreeSet<Left> {
        all.iter()
            .filter(|(_, left)| left.is_some())
            .cloned()
            .collect()
    };
    let found = known(&explored.by_class);
    if found.len() == explored.by_class.len() {
        assert_eq!(found, plain, "{text}");
    } else {
        assert!(found.is_subset(&plain), "{text}");
    }
    Some(explored)
}

const IMPORTS: &str = r#"
    (import "env" "chip_digital_read" (func $read (param i32) (result i32)))
    (import "env" "subscribe_interrupt" (func $on (param i32 i32 i32)))
    (import "env" "unsubscribe_interrupt" (func $off (param i32)))
    (import "env" "subscribe_timer" (func $timer (param i32 i32)))
    (import "env" "chip_digital_write" (func $write (param i32 i32)))
    (import "env" "chip_delay" (func $delay (param i32)))
    (memory 1 1) (table funcref (elem $first $second))
    (global $a (mut i32) (i32.const 0)) (global $b (mut i32) (i32.const 0))"#;

fn program(first: &str, second: &str, main: &str) -> String {
    format!(
        "(module {IMPORTS} (func $first {first}) (func $second {second}) (func (export \"main\") {main}))"
    )
}

/// Two buttons, each of which counts and shows that on a lamp of its own, beside a program that does the same; at the end it
/// looks at what they counted, or does not.
#[test]
fn independent_interrupts_have_few_classes() {
    let count = |at: u32, pin: u32| {
        format!(
            "(i32.store8 (i32.const {at}) (i32.add (i32.load8_u (i32.const {at})) (i32.const 1)))
            (call $write (i32.const {pin}) (i32.and (i32.load8_u (i32.const {at})) (i32.const 1)))"
        )
    };
    let looks = "(i32.store8 (i32.const 11) (i32.load8_u (i32.const 8)))";
    for (at_end, is_looked_at) in [("", false), (looks, true)] {
        let text = program(
            &count(8, 21),
            &count(9, 22),
            &format!(
                "(local i32)
                (call $on (i32.const 4) (i32.const 0) (i32.const 1)) (call $on (i32.const 5) (i32.const 1) (i32.const 1))
                (loop $again {}
                    (br_if $again (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 3))))
                {at_end}",
                count(10, 23)
            ),
        );
        for most in 1..4 {
            let explored = check(&text, most).expect("few classes");
            // So many of each; of those at whose count the program looks, some come before.
            let each = most as usize + 1;
            let first = if is_looked_at {
                each * (each + 1) / 2
            } else {
                each
            };
            assert_eq!(explored.classes, first * each);
            let runs = explored.runs.expect("nothing is read");
            println!("{most}: {} classes of {runs} runs", explored.classes);
            let runs: usize = runs.parse().expect("few runs");
            assert!(most < 2 || runs > 20 * explored.classes, "{runs}");
        }
    }
}

/// A handler that calls itself has room for that where the program has not called much itself: where it comes matters,
/// although it touches nothing of the program's. The program stops at every depth, for the other handler's sake.
#[test]
fn room_for_a_handler_depends_on_where_it_comes() {
    let text = program(
        "(call $deep (i32.const 58))",
        "(drop (i32.load8_u (i32.const 9)))",
        "(call $on (i32.const 4) (i32.const 0) (i32.const 1)) (call $on (i32.const 5) (i32.const 1) (i32.const 1))
        (call $down (i32.const 6))
        (i32.store8 (i32.const 9) (i32.const 0)))
        (func $deep (param i32)
            (if (local.get 0) (then (call $deep (i32.sub (local.get 0) (i32.const 1))))))
        (func $down (param i32)
            (i32.store8 (i32.const 9) (i32.const 0))
            (if (local.get 0) (then (call $down (i32.sub (local.get 0) (i32.const 1))))))
        (func",
    );
    let explored = check(&text, 1).expect("few classes");
    let overflows = |(end, _): &&Left| end.contains("StackOverflow");
    assert_eq!(explored.by_class.iter().filter(overflows).count(), 1);
    assert_eq!(explored.by_class.len(), 2);
}

/// Programs and two handlers of random statements, some of which touch what others do.
#[test]
fn classes_of_random_programs_come_to_all_ends() {
    let (mut compared, mut several, mut fewer, mut traps, mut parts) = (0, 0, 0, 0, 0);
    for seed in 0..RANDOM {
        let mut random = Rng::with_seed(seed);
        let [first, second] = [0, 1].map(|_| statements(&mut random, 2, false));
        let main = statements(&mut random, 4, true);
        let text = program(
            &format!("(local i32) {first}"),
            &format!("(local i32) {second}"),
            &format!(
                "(local i32) (call $on (i32.const 4) (i32.const 0) (i32.const 1)) (call $timer (i32.const 1000) (i32.const 1))
                {main}
                (if (i32.eq (i32.load8_u (i32.const 3)) (global.get $a)) (then (call $delay (i32.const 1))))
                (if (i32.and (global.get $b) (i32.const 1)) (then (i32.store8 (i32.const 20) (global.get $a))))"
            ),
        );
        let Some(explored) = check(&text, 1 + u32::from(seed % 8 == 0)) else {
            continue;
        };
        compared += 1;
        several += u32::from(explored.by_class.len() > 2);
        traps += u32::from(
            explored
                .by_class
                .iter()
                .any(|(end, _)| end.contains("Trapped")),
        );
        let runs = explored.runs.as_deref().unwrap_or("0");
        let runs: f64 = runs.parse().expect("a number");
        fewer += u32::from(runs > 1.5 * explored.classes as f64);
        parts += u32::from(explored.by_class.iter().any(|(_, left)| left.is_none()));
    }
    let all = [compared, several, fewer, traps, parts];
    println!("{all:?}");
    let least = [90, 30, 40, 1, 20].map(|percent| percent * RANDOM as u32 / 100);
    assert!(
        all.iter().zip(least).all(|(found, least)| *found >= least),
        "{all:?}"
    );
}

const RANDOM: u64 = 120;

/// What programs and handlers share: two globals, some bytes, a table, and what may arrive.
fn statements(random: &mut Rng, count: u32, subscribes: bool) -> String {
    let one = |_| {
        let value = match random.u8(0..7) {
            0 => "(global.get $a)",
            1 => "(global.get $b)",
            2 => "(i32.load8_u (i32.const 3))",
            3 => "(call $read (i32.const 1))",
            4 => "(i32.load16_u (i32.const 8))",
            _ => "(i32.add (local.get 0) (i32.const 1))",
        };
        match random.u8(0..if subscribes { 18 } else { 15 }) {
            0 => format!("(global.set $a {value})"),
            1 => format!("(global.set $b (i32.add (global.get $b) {value}))"),
            2 => format!("(i32.store16 (i32.const 2) (i32.mul {value} (i32.const 257)))"),
            3 => format!("(i32.store8 (i32.const 9) {value})"),
            4 => format!(
                "(i32.store8 (i32.add (i32.const 12) (i32.and {value} (i32.const 3))) (i32.const 7))"
            ),
            5 => format!(
                "(local.set 0 (i32.load8_u (i32.add (i32.const 8) (i32.and {value} (i32.const 7)))))"
            ),
            6 => format!("(if {value} (then (global.set $a (i32.const 1))))"),
            7 => "(call $write (i32.const 5) (i32.and (local.get 0) (i32.const 1)))".to_owned(),
            8 => format!("(if (i32.gt_u {value} (i32.const 2)) (then (unreachable)))"),
            9 => format!("(memory.fill (i32.const 7) {value} (i32.const 3))"),
            10 => "(memory.copy (i32.const 12) (i32.const 2) (i32.const 5))".to_owned(),
            11 => format!(
                "(memory.fill (i32.const 30) (i32.const 1) (i32.and {value} (i32.const 3)))"
            ),
            12 => format!("(i32.store8 (i32.const 31) {value})"),
            13 => format!("(local.set 0 {value})"),
            14 => "(call $off (i32.const 4))".to_owned(),
            15 => "(call $on (i32.const 6) (i32.const 1) (i32.const 2))".to_owned(),
            16 => "(table.set (i32.const 0) (table.get (i32.const 1)))".to_owned(),
            _ => "(drop (memory.grow (i32.const 0)))".to_owned(),
        }
    };
    (0..count).map(one).collect()
}
