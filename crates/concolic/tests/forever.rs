//! Device programs as graphs: their sizes, and whether they hold exactly the states that plain runs come to.

// A state's hash is made once; what it notes later is no part of it.
#![allow(clippy::mutable_key_type)]

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

use borges_board::{Board, Captured, Event, EventSource, PrimitiveKind};
use borges_concolic::{
    Bounds, Budget, Comparing, Device, DeviceState, DeviceWay, End, Start, StateWord, Varies,
    explore_states,
};
use borges_multiverse::graph::{Exploration, Graph, Limits, NodeId, Pause, Strategy};
use borges_vm::{Exit, ValType};

use crate::common;
use crate::graphs::{How, check, closed};
use crate::writer::Writer;

fn example(module: &str, board_text: impl Fn(String) -> String) -> Start {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folder = folder.join(module.trim_end_matches("-O0"));
    let bytes = std::fs::read(folder.join(format!("{module}.wasm"))).expect("a committed module");
    let board = std::fs::read_to_string(folder.join("board.toml")).expect("a board");
    let board = Board::parse("board.toml", &board_text(board)).expect("a valid board");
    common::start(&bytes, board)
}

/// What cells and globals have that will be written before they are read: it must not matter.
const GARBAGE: u32 = 0xa5a5_a5a5;

/// States and ways of graphs that close.
const SIZES: &[(&str, usize, usize)] = &[
    ("knock", 2, 4),
    ("knock-O0", 2, 4),
    ("switch-case", 1, 5),
    ("switch-case-O0", 1, 5),
    ("keyboard", 1, 5),
    ("keyboard-O0", 1, 5),
    ("touch-sensor-lamp", 1, 2),
    ("touch-sensor-lamp-O0", 1, 2),
    ("love-o-meter", 1, 4),
    ("love-o-meter-O0", 1, 4),
    ("while-no-calibrate", 1, 3),
    ("while-no-calibrate-O0", 1, 3),
    ("knock-lock", 4, 11),
    ("knock-lock-O0", 4, 11),
    ("zoetrope", 75, 114),
    ("zoetrope-O0", 48, 96),
    ("crystal-ball", 4, 13),
    ("gesture-robot", 8, 16),
    ("color-dial", 3, 6),
    ("temperature-monitor", 2, 4),
    ("light-sensor", 3, 5),
    ("smart-curtain", 26, 56),
    // Its buttons interrupt it.
    ("binary-counter", 144, 288),
    ("while", 28, 50),
    ("while-O0", 28, 50),
    // Its payload is dead after its frame, and so is what bytes beyond it overwrite.
    ("uart-parser", 1032, 2842),
];

#[test]
fn graphs_of_examples_close() {
    let all = SIZES.iter().flat_map(|of| [(of, 0), (of, GARBAGE)]);
    for ((module, states, ways), garbage) in all {
        closed(&example(module, |board| board), garbage, |graph, pause| {
            assert_eq!(pause, Pause::Complete, "{module}");
            assert_eq!(graph.language().unexplored(), [], "{module}");
            assert_eq!(graph.language().maybe(), [], "{module}");
            assert_eq!(
                (graph.len(), graph.edge_count()),
                (*states, *ways),
                "{module}, {garbage:#x} in what is dead"
            );
        });
    }
}

/// Nothing is counted out, and there is garbage in what is dead.
fn bounded() -> How {
    How {
        most: 1,
        garbage: GARBAGE,
        ..How::default()
    }
}

#[test]
fn graphs_hold_exactly_the_states_of_all_runs() {
    let narrow = |range: &'static str| {
        move |board: String| match board.contains("[ranges]") {
            true => board.replace("0..7", range),
            false => format!(
                "{board}\n[ranges]\n\"chip_analog_read(34)\" = \"{range}\"\n\"chip_analog_read(35)\" = \"{range}\"\n"
            ),
        }
    };
    for (module, range, depth) in [
        ("zoetrope", "0..3", 12),
        ("zoetrope-O0", "0..3", 12),
        ("knock-lock", "0..60", 5),
        ("knock-lock-O0", "0..60", 5),
        ("while", "0..3", 7),
        ("while-O0", "0..3", 7),
        ("smart-curtain", "0..4", 6),
        ("color-dial", "0..7", 5),
        ("gesture-robot", "0..3", 5),
        ("gesture-robot-O0", "0..3", 5),
        ("knock", "0..60", 4),
        ("temperature-monitor", "0..3", 3),
        ("blink", "0..3", 10),
        ("uart-parser", "-1..3", 6),
    ] {
        let start = match module {
            "uart-parser" => example(module, |board| board.replace("-1..255", range)),
            _ => example(module, narrow(range)),
        };
        assert!(check(module, &start, depth, &How::default()), "{module}");
        // With bounds of differences, what came about in different ways kept apart, and garbage in what is dead.
        assert!(check(module, &start, depth, &bounded()), "{module}");
    }
}

#[test]
fn graphs_of_random_loops_hold_exactly_the_states_of_all_runs() {
    let (mut compared, mut all) = (0, 0);
    for seed in 0..RANDOM {
        let random = fastrand::Rng::with_seed(seed);
        let text = Writer { random }.program();
        let board = Board::parse(
            "board.toml",
            "[ranges]\n\"chip_digital_read(0)\" = \"0..2\"\n",
        );
        let start = common::start_wat(&text, board.expect("a valid board"));
        let name = format!("seed {seed}: {text}");
        for how in [How::default(), bounded()] {
            all += 1;
            compared += u32::from(check(&name, &start, 4, &how));
        }
    }
    assert!(
        compared * 10 > all * 9,
        "{compared} of {all} were looked at"
    );
}

/// What a function reads that is called in the place of another is not dead before.
#[test]
fn graphs_of_tail_calls_hold_exactly_the_states_of_all_runs() {
    let text = r#"(module
        (import "env" "chip_digital_read" (func $in (param i32) (result i32)))
        (type $t (func (param i32) (result i32)))
        (table funcref (elem $sum))
        (global $a (mut i32) (i32.const 0))
        (global $b (mut i32) (i32.const 0))
        (func $sum (type $t) (i32.add (local.get 0) (global.get $a)))
        (func $direct (type $t) (return_call $sum (local.get 0)))
        (func $indirect (type $t) (return_call_indirect (type $t) (local.get 0) (i32.const 0)))
        (func $reads (type $t) (local i64) (return_call $in (i32.const 0)))
        (func (export "main") (local i32)
            (loop $again
                (global.set $a (call $reads (i32.const 7)))
                (local.set 0 (call $in (i32.const 0)))
                (if (i32.eq (call $direct (local.get 0)) (i32.const 4)) (then (unreachable)))
                (global.set $a (i32.shl (local.get 0) (i32.const 1)))
                (local.set 0 (call $in (i32.const 0)))
                (global.set $b (i32.eq (call $indirect (local.get 0)) (i32.const 3)))
                (global.set $a (i32.const 0))
                (if (i32.and (call $in (i32.const 0)) (global.get $b)) (then (return)))
                (br $again))))"#;
    let ranges = "[ranges]\n\"chip_digital_read(0)\" = \"0..2\"\n";
    let board = Board::parse("board.toml", ranges).expect("a valid board");
    let start = common::start_wat(text, board);
    for how in [How::default(), bounded()] {
        assert!(check("tail calls", &start, 9, &how));
    }
}

/// Bytes that an input puts into memory are values of a state like others: also where they lie beside older ones, and where
/// some of them are never looked at.
#[test]
fn graphs_of_filling_inputs_hold_exactly_the_states_of_all_runs() {
    let board = r#"
        [[primitive]]
        name = "receive"
        params = ["i32", "i32"]
        result = "i32"
        kind = "input"
        codomain = "-1..2"
        fills = { address = 0, room = 1, bytes = "0..2" }
        "#;
    // Frames of two bytes, in pieces of one or two; a frame that repeats the one before it by its first byte alone is a trap
    // after one with two equal bytes.
    let frames = r#"(module
        (import "env" "receive" (func $receive (param i32 i32) (result i32)))
        (memory 1)
        (global $have (mut i32) (i32.const 0))
        (global $last (mut i32) (i32.const 9))
        (func (export "main") (local $got i32)
            (loop $again
                (local.set $got (call $receive
                    (i32.add (i32.const 16) (global.get $have))
                    (i32.sub (i32.const 2) (global.get $have))))
                (if (i32.lt_s (local.get $got) (i32.const 0)) (then (return)))
                (global.set $have (i32.add (global.get $have) (local.get $got)))
                (br_if $again (i32.lt_u (global.get $have) (i32.const 2)))
                (global.set $have (i32.const 0))
                (if (i32.eq (global.get $last) (i32.load8_u (i32.const 16)))
                    (then (if (i32.ne (i32.load8_u (i32.const 17)) (global.get $last)) (then unreachable))))
                (global.set $last (select
                    (i32.load8_u (i32.const 16)) (i32.const 9)
                    (i32.eq (i32.load8_u (i32.const 16)) (i32.load8_u (i32.const 17)))))
                (br $again))))"#;
    // The same bytes stay where they came to lie, and one of them is looked at, some time.
    let kept = r#"(module
        (import "env" "receive" (func $receive (param i32 i32) (result i32)))
        (memory 1)
        (func (export "main")
            (loop $again
                (if (i32.le_s (call $receive (i32.const 16) (i32.const 2)) (i32.const 0))
                    (then (if (i32.eq (i32.load8_u (i32.const 17)) (i32.const 2)) (then unreachable)) return))
                (br $again))))"#;
    for (name, text) in [("frames", frames), ("kept", kept)] {
        let parsed = Board::parse("board.toml", board).expect("a valid board");
        let start = common::start_wat(text, parsed);
        // What is kept as it came about is soon too much to be tried.
        for (how, depth) in [(How::default(), 8), (bounded(), 4)] {
            assert!(check(name, &start, depth, &how), "{name}");
        }
    }
}

/// States before inputs, with the inputs and the events that come before them.
type Standings = HashSet<(u32, u32, DeviceState)>;

/// What plain runs come to with at most so many inputs and events, each event between any two instructions.
fn runs_with_events(start: &Start, device: &Device<'_>, (inputs, events): (u32, u32)) -> Standings {
    let board = &start.board;
    let mut found = Standings::new();
    let mut seen = HashSet::new();
    let mut work = vec![(start.machine.clone(), start.state.clone(), 0, 0)];
    while let Some((mut machine, mut state, read, arrived)) = work.pop() {
        let influence = state.influence(board, false).hash64();
        if !seen.insert((machine.hash().0, influence, read, arrived)) {
            continue;
        }
        if arrived < events && !machine.in_handler() {
            let pins = state.subscriptions().map(|(pin, subscription)| Event {
                source: EventSource::Pin(*pin),
                handler: subscription.handler,
            });
            for event in pins {
                let mut entered = machine.clone();
                if event.enter(&mut entered) {
                    work.push((entered, state.clone(), read, arrived + 1));
                }
            }
        }
        match machine.run(machine.steps() + 1) {
            Exit::Budget => work.push((machine, state, read, arrived)),
            Exit::HostCall => {
                let pending = machine.pending().expect("a call");
                let id = start.primitives[pending.func.0 as usize];
                let args = pending.args.clone();
                if matches!(
                    board.primitive(id).expect("known").kind,
                    PrimitiveKind::Input
                ) {
                    // Where a handler came in between says nothing where that makes no difference.
                    if !machine.in_handler() {
                        let stands = device.state_of(&machine, &state).expect("a state");
                        found.insert((read, arrived, stands));
                    }
                    let codomain = board.codomain_at(id, &args, &state);
                    let count = codomain.count().expect("few values");
                    for value in (0..count).filter_map(|nth| codomain.nth(nth)) {
                        if read < inputs {
                            let mut answered = machine.clone();
                            answered.answer(&[value]).expect("an answer");
                            work.push((answered, state.clone(), read + 1, arrived));
                        }
                    }
                } else {
                    let nothing = Captured::default();
                    let result = state.apply(board, id, &args, machine.memory(), &nothing);
                    let result = result.expect("it is performed");
                    machine.answer(result.as_slice()).expect("an answer");
                    work.push((machine, state, read, arrived));
                }
            }
            _ => {}
        }
    }
    found
}

/// What the graph says of the same.
fn graph_with_events(
    start: &Start,
    graph: &Graph<Rc<Device<'_>>>,
    (inputs, events): (u32, u32),
) -> Standings {
    let device = graph.language();
    let mut machine = start.machine.clone();
    let mut in_handler = |state: &DeviceState| {
        let snapshot = state.snapshot().expect("it stands somewhere");
        machine.restore(snapshot).expect("it fits");
        machine.in_handler()
    };
    let mut found = Standings::new();
    let mut seen = HashSet::new();
    let mut ways: HashMap<NodeId, Vec<(DeviceWay, DeviceState)>> = HashMap::new();
    let mut work = vec![(NodeId::ROOT, 0, 0)];
    while let Some((node, read, arrived)) = work.pop() {
        if !seen.insert((node, read, arrived)) {
            continue;
        }
        let state = graph.state(node).expect("it was found").clone();
        if state.asks().is_some() && !in_handler(&state) {
            for known in device.stands_for(&state, 1 << 16).expect("few values") {
                found.insert((read, arrived, known));
            }
        }
        let ways = ways.entry(node).or_insert_with(|| device.ways(&state));
        assert_eq!(ways.len(), graph.edges_from(node).len());
        for ((way, _), (_, edge)) in ways.iter().zip(graph.edges_from(node)) {
            let read = read + u32::from(way.input.is_some());
            let arrived = arrived + u32::from(way.event.is_some());
            if read <= inputs && arrived <= events {
                work.push((edge.to, read, arrived));
            }
        }
    }
    found
}

/// Handler and main loop; the handler is number 0 of the table, globals begin as 0.
const INTERRUPTED: &[(&str, &str)] = &[
    // A flag that is polled.
    (
        "(global.set $a (i32.const 1))",
        "(local.set 0 (call $in (i32.const 1)))
         (if (global.get $a) (then (global.set $a (i32.const 0)) (global.set $b (local.get 0))))",
    ),
    // A count up to three, of which the program takes one at a time, in two steps.
    (
        "(if (i32.lt_u (global.get $a) (i32.const 3)) (then (global.set $a (i32.add (global.get $a) (i32.const 1)))))",
        "(drop (call $in (i32.const 1))) (local.set 0 (global.get $a))
         (if (local.get 0) (then (nop) (global.set $a (i32.sub (local.get 0) (i32.const 1)))))",
    ),
    // The handler reads an input itself, and a global that the program writes only before.
    (
        "(global.set $a (i32.add (call $in (i32.const 1)) (global.get $b)))",
        "(global.set $b (i32.and (i32.add (global.get $b) (i32.const 1)) (i32.const 1)))
         (local.set 0 (i32.add (global.get $a) (call $in (i32.const 1))))
         (if (i32.gt_u (local.get 0) (i32.const 2)) (then (unreachable)))",
    ),
    // A handler that unsubscribes itself.
    (
        "(global.set $a (i32.const 5)) (call $off (i32.const 2))",
        "(drop (call $in (i32.const 1))) (global.set $b (global.get $a))
         (if (call $in (i32.const 1)) (then (call $on (i32.const 2) (i32.const 0) (i32.const 3))))",
    ),
    // A flag in the memory, among words of the program's own.
    (
        "(i32.store (i32.const 64) (i32.const 1))",
        "(i32.store (i32.const 60) (call $in (i32.const 1)))
         (i32.store (i32.const 68) (i32.and (i32.add (i32.load (i32.const 68)) (i32.load (i32.const 60))) (i32.const 3)))
         (if (i32.load (i32.const 64)) (then
            (i32.store (i32.const 64) (i32.const 0))
            (global.set $b (i32.load (i32.const 68)))))",
    ),
    // What arrives goes round in a buffer: where, the handler itself decides; the program looks at one place of it.
    (
        "(i32.store8 (i32.load (i32.const 32)) (call $in (i32.const 1)))
         (i32.store (i32.const 32) (i32.and (i32.add (i32.load (i32.const 32)) (i32.const 1)) (i32.const 3)))",
        "(local.set 0 (call $in (i32.const 1))) (i32.store8 (i32.const 8) (local.get 0))
         (if (i32.load8_u (i32.const 3)) (then (i32.store8 (i32.const 3) (i32.const 0)) (global.set $b (i32.load8_u (i32.const 8)))))",
    ),
    // The program writes where an input says: what the handler reads is among it, and what it writes is not.
    (
        "(i32.store8 (i32.const 40) (i32.load8_u (i32.const 1)))",
        "(i32.store8 (call $in (i32.const 1)) (i32.const 1)) (i32.store8 (i32.const 50) (i32.load8_u (i32.const 0)))
         (local.set 0 (call $in (i32.const 1))) (global.set $b (i32.load8_u (i32.const 50)))
         (i32.store8 (i32.const 1) (i32.const 0)) (global.set $a (i32.load8_u (i32.const 40)))",
    ),
    // Two loads of a word of which the handler writes a half: what they show may differ.
    (
        "(i32.store16 (i32.const 18) (i32.xor (i32.load16_u (i32.const 18)) (i32.const 1)))",
        "(drop (call $in (i32.const 1)))
         (local.set 0 (i32.xor (i32.load (i32.const 16)) (i32.load (i32.const 16)))) (i32.store (i32.const 20) (local.get 0))
         (global.set $b (i32.shr_u (local.get 0) (i32.const 16)))",
    ),
];

#[test]
fn interrupts_come_at_any_moment_and_at_none_where_they_cannot() {
    let mut fewer = 0;
    for (handler, body) in INTERRUPTED {
        let text = format!(
            r#"(module
              (import "env" "chip_digital_read" (func $in (param i32) (result i32)))
              (import "env" "subscribe_interrupt" (func $on (param i32 i32 i32)))
              (import "env" "unsubscribe_interrupt" (func $off (param i32)))
              (memory 1) (table funcref (elem $handler))
              (global $a (mut i32) (i32.const 0)) (global $b (mut i32) (i32.const 0))
              (func $handler {handler})
              (func (export "main") (local i32)
                (call $on (i32.const 2) (i32.const 0) (i32.const 3))
                (loop $again {body} (br $again))))"#
        );
        let board = Board::parse("board.toml", "").expect("a board");
        let start = common::start_wat(&text, board);
        let budget = Budget::unlimited();
        let bounds = Bounds {
            events: Some(1),
            ..Bounds::default()
        };
        let about = Comparing {
            garbage: GARBAGE,
            ..Comparing::default()
        };
        let limits = Limits {
            states: 2_000,
            depth: u32::MAX,
        };
        let explored = explore_states(&start, &bounds, &|| None, &about, &limits, &budget, &());
        let (exploration, pause) = explored.expect("a program");
        assert_eq!(pause, Pause::Complete, "{text}");
        let graph = exploration.graph();
        assert_eq!(graph.language().unexplored(), [], "{text}");
        // Where it is not known which bytes handlers touch, it may be any of them.
        let device = Device::new(start.clone(), bounds, None, about, &budget).expect("a program");
        let mut anywhere = Exploration::new(device, Strategy::BreadthFirst);
        assert_eq!(anywhere.run(&limits, |_| true), Pause::Complete, "{text}");
        let sizes = (graph.len(), anywhere.graph().len());
        println!("{sizes:?}");
        assert!(sizes.0 <= sizes.1, "{sizes:?}: {text}");
        fewer += u32::from(sizes.0 < sizes.1);
        let most = (3, 3);
        let (plain, graph) = (
            runs_with_events(&start, graph.language(), most),
            graph_with_events(&start, graph, most),
        );
        let missing = plain.difference(&graph).count();
        let too_many = graph.difference(&plain).count();
        assert_eq!((missing, too_many), (0, 0), "of {}: {text}", plain.len());
        assert!(plain.len() >= 10, "{}: {text}", plain.len());
    }
    assert!(fewer > 2, "{fewer} of them have fewer states");
}

/// Random programs.
const RANDOM: u64 = 2_000;

/// A median of three readings, by choices without branches: kept as it came about, it would grow for ever.
#[test]
fn choices_of_many_values_close() {
    let text = r#"(module
        (import "env" "chip_analog_read" (func $in (param i32) (result i32)))
        (global $last (mut i32) (i32.const 0))
        (func $min (param i32 i32) (result i32)
            (select (local.get 0) (local.get 1) (i32.lt_s (local.get 0) (local.get 1))))
        (func $max (param i32 i32) (result i32)
            (select (local.get 0) (local.get 1) (i32.gt_s (local.get 0) (local.get 1))))
        (func (export "main") (local $a i32) (local $b i32) (local $c i32)
            (loop $again
                (local.set $a (call $in (i32.const 0)))
                (local.set $b (call $in (i32.const 1)))
                (local.set $c (call $max (call $min (local.get $a) (local.get $b))
                    (call $min (call $max (local.get $a) (local.get $b)) (call $in (i32.const 2)))))
                (if (i32.gt_s (i32.sub (local.get $c) (global.get $last)) (i32.const 4095)) (then (unreachable)))
                (if (i32.gt_s (i32.sub (local.get $c) (global.get $last)) (i32.const 4000)) (then (return)))
                (global.set $last (local.get $c))
                (br $again))))"#;
    let start = common::start_wat(text, Board::parse("board.toml", "").expect("a board"));
    closed(&start, 0, |graph, pause| {
        assert_eq!(pause, Pause::Complete);
        assert_eq!(graph.language().maybe(), []);
        assert_eq!(graph.language().unexplored(), []);
        let ends = graph
            .nodes()
            .filter_map(|node| graph.state(node)?.end().cloned());
        assert_eq!(ends.collect::<Vec<_>>(), [End::Returned]);
    });
}

/// Adds up so many readings: what is much is added, what is not takes something away, by a branch or a choice without one.
fn sums((much, less): (u32, u32), bound: u32, rounds: u32, is_chosen: bool) -> Start {
    let range = format!("0..{}", much + much / 3);
    let add = match is_chosen {
        true => format!(
            "(global.set $sum (i32.add (global.get $sum) (select (local.get $r) (i32.const -{less})
                (i32.gt_s (local.get $r) (i32.const {much})))))"
        ),
        false => format!(
            "(if (i32.gt_s (local.get $r) (i32.const {much}))
                (then (global.set $sum (i32.add (global.get $sum) (local.get $r))))
                (else (global.set $sum (i32.sub (global.get $sum) (i32.const {less})))))"
        ),
    };
    let text = format!(
        r#"(module
        (import "env" "chip_analog_read" (func $in (param i32) (result i32)))
        (global $sum (mut i32) (i32.const 0))
        (func (export "main") (local $r i32) (local $n i32)
            (loop $anew
                (global.set $sum (i32.const 0))
                (local.set $n (i32.const {rounds}))
                (loop $again
                    (local.set $r (call $in (i32.const 0)))
                    {add}
                    (if (i32.gt_s (global.get $sum) (i32.const {bound})) (then (unreachable)))
                    (local.set $n (i32.sub (local.get $n) (i32.const 1)))
                    (br_if $again (local.get $n)))
                (br $anew))))"#
    );
    let board = format!("[ranges]\n\"chip_analog_read(0)\" = \"{range}\"\n");
    common::start_wat(&text, Board::parse("board.toml", &board).expect("a board"))
}

/// Sums of readings with more values than can be counted out are sets all the same: what was read in which order is
/// forgotten, so that there are few.
#[test]
fn sums_of_many_readings_close() {
    for (bound, is_chosen) in [(17, false), (17, true), (22, false), (1000, true)] {
        let few = sums((6, 2), bound, 4, is_chosen);
        for how in [How::default(), bounded()] {
            assert!(check("sums", &few, 6, &how), "{bound}");
        }
    }
    // After n readings, of which so many were much, one state; or one for all of them.
    for (is_chosen, states) in [(false, 60..200), (true, 12..20)] {
        let many = sums((3000, 100), 30_000, 12, is_chosen);
        closed(&many, GARBAGE, |graph, pause| {
            assert_eq!(pause, Pause::Complete);
            assert_eq!(graph.language().unexplored(), []);
            assert_eq!(graph.language().maybe(), []);
            let nodes = graph.nodes();
            let ends = nodes.filter(|node| graph.state(*node).is_some_and(|s| s.end().is_some()));
            assert_eq!(ends.count(), 1);
            assert!(states.contains(&graph.len()), "{}", graph.len());
        });
    }
}

/// A byte that goes round is no counter without an end: something depends on it, and its values are few.
#[test]
fn counters_that_go_round_close() {
    let text = r#"(module
        (import "env" "chip_digital_read" (func $in (param i32) (result i32)))
        (global $n (mut i32) (i32.const 0))
        (global $armed (mut i32) (i32.const 0))
        (func (export "main")
            (loop $again
                (if (call $in (i32.const 2)) (then
                    (global.set $n (i32.and (i32.add (global.get $n) (i32.const 3)) (i32.const 255)))
                    (if (i32.and (global.get $armed) (i32.lt_u (global.get $n) (i32.const 3))) (then (unreachable)))
                    (global.set $armed (i32.eq (global.get $n) (i32.const 252)))))
                (br $again))))"#;
    let start = common::start_wat(text, Board::parse("board.toml", "").expect("a board"));
    closed(&start, 0, |graph, pause| {
        assert_eq!(pause, Pause::Complete);
        assert_eq!(graph.language().maybe(), []);
        assert_eq!(graph.len(), 256);
        let mut states = graph.nodes().filter_map(|node| graph.state(node));
        assert!(states.all(|state| state.end().is_none()));
    });
}

/// A counter that matters after longer than anybody looks is taken for anything, and what came of comparing it is told.
#[test]
fn what_came_of_comparing_a_counter_is_told() {
    let text = r#"(module
        (import "env" "chip_digital_read" (func $in (param i32) (result i32)))
        (global $n (mut i32) (i32.const 0))
        (func (export "main")
            (loop $again
                (if (call $in (i32.const 2)) (then
                    (global.set $n (i32.add (global.get $n) (i32.const 1)))
                    (if (i32.eq (global.get $n) (i32.const 0x7fffffff)) (then (unreachable)))))
                (br $again))))"#;
    let start = common::start_wat(text, Board::parse("board.toml", "").expect("a board"));
    closed(&start, 0, |graph, pause| {
        assert_eq!(pause, Pause::Complete);
        assert_eq!(graph.language().maybe(), [StateWord::Global(0)]);
        let given_up = graph.language().given_up().expect("it was compared");
        assert!(given_up.states >= 4096, "{given_up:?}");
        let most = given_up.differing.first().expect("they differ in it");
        assert_eq!(
            (most.word, most.varies),
            (StateWord::Global(0), Varies::EverNew)
        );
    });
}

/// Several variables may lie in one word, and together have many values: they are no counter. If all of them were taken
/// for anything, a byte could be written to anywhere.
#[test]
fn a_ring_of_bytes_that_an_interrupt_fills_closes() {
    // Four bytes, and where the next comes and goes; each byte is one more than where it lies.
    let text = r#"(module
        (import "env" "subscribe_interrupt" (func $on (param i32 i32 i32)))
        (import "env" "chip_delay" (func $delay (param i32)))
        (memory 1) (table funcref (elem $fill))
        (func $fill (param i32 i32 i32) (local $next i32)
            (local.set $next (i32.and (i32.add (i32.load8_u (i32.const 20)) (i32.const 1)) (i32.const 3)))
            (if (i32.eq (local.get $next) (i32.load8_u (i32.const 21))) (then
                (i32.store8 (i32.const 22) (i32.const 1)) (return)))
            (i32.store8 offset=16 (i32.load8_u (i32.const 20)) (i32.add (i32.load8_u (i32.const 20)) (i32.const 1)))
            (i32.store8 (i32.const 20) (local.get $next)))
        (func (export "main") (local $at i32)
            (call $on (i32.const 4) (i32.const 0) (i32.const 2))
            (loop $again
                (block $empty (loop $drain
                    (local.set $at (i32.load8_u (i32.const 21)))
                    (br_if $empty (i32.eq (local.get $at) (i32.load8_u (i32.const 20))))
                    (if (i32.ne (i32.load8_u offset=16 (local.get $at)) (i32.add (local.get $at) (i32.const 1)))
                        (then (unreachable)))
                    (i32.store8 (i32.const 21) (i32.and (i32.add (local.get $at) (i32.const 1)) (i32.const 3)))
                    (br $drain)))
                (call $delay (i32.const 10))
                (i32.store8 (i32.const 22) (i32.const 0))
                (br $again))))"#;
    let start = common::start_wat(text, Board::parse("board.toml", "").expect("a board"));
    closed(&start, GARBAGE, |graph, pause| {
        assert_eq!(pause, Pause::Complete);
        assert_eq!(graph.language().maybe(), []);
        let mut states = graph.nodes().filter_map(|node| graph.state(node));
        assert!(states.all(|state| state.end().is_none()));
    });
}

/// How states differ in a word while their graph stays open, by the globals of a program.
#[test]
fn words_say_how_states_differ_in_them() {
    let text = r#"(module
        (import "env" "analog_read" (func $analog (param i32) (result i32)))
        (global $counts (mut i32) (i32.const 0))
        (global $mixes (mut i32) (i32.const 0))
        (global $turns (mut i32) (i32.const 0))
        (func (export "main")
            (loop $again
                (global.set $counts (i32.add (global.get $counts) (i32.const 3)))
                (global.set $mixes (i32.xor (call $analog (i32.const 3)) (i32.mul (global.get $mixes) (i32.const 31))))
                (global.set $turns (i32.rem_u (i32.add (global.get $turns) (i32.const 1)) (i32.const 3)))
                (br_if $again (i32.ne (global.get $counts) (i32.const 3000))))))"#;
    let board = common::board(vec![
        ("digital_read", vec![ValType::I32], common::i32s(0, 1)),
        ("analog_read", vec![ValType::I32], common::i32s(0, 4095)),
    ]);
    let start = common::start_wat(text, board);
    let budget = Budget::unlimited();
    let device = Device::new(
        start,
        Bounds::default(),
        None,
        Comparing::default(),
        &budget,
    );
    let device = Rc::new(device.expect("a program"));
    let mut exploration = Exploration::new(Rc::clone(&device), Strategy::BreadthFirst);
    let limits = Limits {
        states: 60,
        depth: u32::MAX,
    };
    while exploration.advance(&limits).is_ok() {}
    let graph = exploration.graph();
    let states = graph.nodes().filter_map(|node| graph.state(node).cloned());
    let states: Vec<DeviceState> = states.collect();
    let differ = device.differ_most(&states);
    let how = |global: u32| {
        let found = differ
            .iter()
            .find(|differing| differing.word == StateWord::Global(global));
        let found = found.unwrap_or_else(|| panic!("{} states: {differ:?}", states.len()));
        (found.varies, found.count)
    };
    assert_eq!(how(0).0, Varies::EverNew, "{differ:?}");
    assert!(how(0).1 >= 50, "{differ:?}");
    assert_eq!(how(1).0, Varies::Computed, "{differ:?}");
    assert_eq!(how(2), (Varies::Values, 3), "{differ:?}");
}
