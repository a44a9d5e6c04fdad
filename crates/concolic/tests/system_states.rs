//! Programs that call an operating system, as graphs: standard input of any length is looked at, for ever. Graphs are compared
//! with plain runs of all bytes.

// A state's hash is made once; what it notes later is no part of it.
#![allow(clippy::mutable_key_type)]

use std::rc::Rc;

use borges_concolic::{Device, End, FAULTS, PIECES, Start, SystemChoices};
use borges_multiverse::graph::{Graph, Pause};

use crate::common;
use crate::graphs::{How, check, closed};

/// A program that reads standard input in one piece of so many bytes, to 64, and prints from there.
fn start(choices: SystemChoices, wanted: u8, body: &str) -> Start {
    let text = format!(
        r#"
        (data (i32.const 0) "\40\00\00\00\{wanted:02x}\00\00\00")
        (data (i32.const 128) "a")
        ;; A byte of standard input, or -1 at its end.
        (func $get (result i32)
            (if (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)) (then (unreachable)))
            (if (i32.eqz (i32.load (i32.const 8))) (then (return (i32.const -1))))
            (i32.load8_u (i32.const 64)))
        (func $put (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 12))))
        {body}"#
    );
    common::start_system(choices, b"as it was given", &text)
}

/// Anything may come, in pieces of at most so many bytes.
fn pieces(piece: Option<u32>) -> SystemChoices {
    SystemChoices::any_input(false, piece)
}

fn with_faults(piece: Option<u32>) -> SystemChoices {
    SystemChoices::any_input(true, piece)
}

/// Echoes what it reads, and falls over "ab" after an "x" anywhere before.
const ECHO: &str = r#"(func (export "main") (local $c i32) (local $x i32) (local $last i32)
    (loop $again
        (local.set $c (call $get))
        (if (i32.lt_s (local.get $c) (i32.const 0)) (then (return)))
        (call $put)
        (i32.store8 (i32.const 64) (i32.const 0))
        (if (i32.eq (local.get $c) (i32.const 120)) (then (local.set $x (i32.const 1))))
        (if (i32.and (local.get $x)
            (i32.and (local.get $last) (i32.eq (local.get $c) (i32.const 98))))
            (then (unreachable)))
        (local.set $last (i32.eq (local.get $c) (i32.const 97)))
        (local.set $c (i32.const 0))
        (br $again)))"#;

/// Ends with how many of "0" to "3" came last, and never looks whether there is more.
const DEAF: &str = r#"(func (export "main") (local $c i32)
    (loop $again
        (local.set $c (call $get))
        (if (i32.lt_u (i32.sub (local.get $c) (i32.const 48)) (i32.const 4))
            (then (i32.store8 (i32.const 200) (local.get $c))))
        (if (i32.eq (local.get $c) (i32.const 10))
            (then (call $exit (i32.sub (i32.load8_u (i32.const 200)) (i32.const 48)))))
        (br $again)))"#;

/// A way with so many inputs to the nearest trap.
fn nearest(graph: &Graph<Rc<Device<'_>>>) -> Option<u32> {
    let mut depths = vec![None; graph.len()];
    depths[0] = Some(0);
    let nodes: Vec<_> = graph.nodes().collect();
    let mut queue = std::collections::VecDeque::from([nodes[0]]);
    while let Some(node) = queue.pop_front() {
        let depth: u32 = depths[node.0 as usize].expect("it was reached");
        let state = graph.state(node).expect("a node");
        if matches!(state.end(), Some(End::Trapped(..))) {
            return Some(depth);
        }
        for (_, edge) in graph.edges_from(node) {
            if depths[edge.to.0 as usize].is_none() {
                depths[edge.to.0 as usize] = Some(depth + 1);
                queue.push_back(edge.to);
            }
        }
    }
    None
}

#[test]
fn graphs_hold_exactly_the_states_of_all_input() {
    let garbage = How {
        garbage: 0xa5a5_a5a5,
        ..How::default()
    };
    for (name, body, depth, how) in [
        ("echo", ECHO, 5, &How::default()),
        ("deaf", DEAF, 0, &How::default()),
        ("deaf", DEAF, 1, &garbage),
    ] {
        let start = start(pieces(Some(1)), 1, body);
        assert!(check(name, &start, depth, how), "{name}");
    }
}

/// What graphs of programs come to: states and ways, and after how many ways the nearest trap is, if there is one.
fn sizes(start: &Start) -> (usize, usize, Option<u32>, Vec<String>) {
    let of = |garbage| {
        closed(start, garbage, |graph, pause| {
            assert!(matches!(pause, Pause::Complete), "{pause:?}");
            assert_eq!(graph.language().maybe(), []);
            let left_out = graph.language().unexplored();
            let left_out = left_out.iter().map(|left| left.reason.to_string());
            let (states, ways) = (graph.len(), graph.edge_count());
            (states, ways, nearest(graph), left_out.collect())
        })
    };
    let found = of(0);
    assert_eq!(found, of(0xa5a5_a5a5), "with garbage in what is dead");
    found
}

#[test]
fn graphs_of_all_input_close() {
    let faults = vec![FAULTS.to_owned()];
    // x or not, after an "a" or not, and two ends.
    let echo = start(pieces(Some(1)), 1, ECHO);
    assert_eq!(sizes(&echo).2, Some(3));
    assert_eq!(sizes(&echo).3, faults);
    let deaf = start(pieces(Some(1)), 1, DEAF);
    assert_eq!(sizes(&deaf).2, None);
    // What was given is what is read, and that is all.
    let given = start(SystemChoices::default(), 1, ECHO);
    let (.., trap, left_out) = sizes(&given);
    assert_eq!(trap, None);
    assert_eq!(left_out.len(), 2, "{left_out:?}");
}

/// Falls over "bug!" if it comes in one piece, and then nothing else.
const PIECE: &str = r#"(func (export "main")
    (loop $again
        (drop (call $get))
        (if (i32.eqz (i32.load (i32.const 8))) (then (return)))
        (if (i32.ne (i32.load (i32.const 8)) (i32.const 4)) (then (br $again)))
        (if (i32.ne (i32.load8_u (i32.const 64)) (i32.const 98)) (then (br $again)))
        (if (i32.ne (i32.load8_u (i32.const 65)) (i32.const 117)) (then (br $again)))
        (if (i32.ne (i32.load8_u (i32.const 66)) (i32.const 103)) (then (br $again)))
        (if (i32.ne (i32.load8_u (i32.const 67)) (i32.const 33)) (then (br $again)))
        unreachable))"#;

#[test]
fn input_comes_in_all_pieces_as_far_as_that_is_not_said() {
    for (wanted, piece, trap, is_said) in [
        (8, None, Some(1), false),
        (16, None, Some(1), false),
        (17, None, None, true),
        (17, Some(4), Some(1), false),
        (8, Some(3), None, false),
    ] {
        let found = sizes(&start(pieces(piece), wanted, PIECE));
        assert_eq!(
            found.2, trap,
            "{wanted} bytes in pieces of {piece:?}: {found:?}"
        );
        let says = found.3.iter().any(|reason| reason == PIECES);
        assert_eq!(says, is_said, "{wanted} bytes in pieces of {piece:?}");
    }
}

/// Traps if writing fails twice in a row with the same error, or reading fails.
const TWICE: &str = r#"(func (export "main") (local $error i32) (local $last i32)
    (loop $again
        (if (i32.lt_s (call $get) (i32.const 0)) (then (return)))
        (local.set $error (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 12)))
        (if (i32.and (i32.ne (local.get $error) (i32.const 0)) (i32.eq (local.get $error) (local.get $last)))
            (then (unreachable)))
        (local.set $last (local.get $error))
        (br $again)))"#;

#[test]
fn any_number_of_calls_may_fail() {
    let without = sizes(&start(pieces(Some(1)), 1, TWICE));
    assert_eq!((without.2, without.3), (None, vec![FAULTS.to_owned()]));
    let with = sizes(&start(with_faults(Some(1)), 1, TWICE));
    // A read that fails is the nearest.
    assert_eq!((with.2, with.3), (Some(1), vec![]));
    let unread = TWICE.replace("(call $get)", "(i32.const 0)");
    let twice = sizes(&start(with_faults(Some(1)), 1, &unread));
    assert_eq!((twice.2, twice.3), (Some(2), vec![]));
}

#[test]
fn what_is_written_to_files_is_kept_or_said() {
    let writes = |from: &str| {
        format!(
            r#"(func (export "main") (local $byte i32)
            (drop (call $open (i32.const 3) (i32.const 0) (i32.const 128) (i32.const 1) (i32.const 9)
                (i64.const 64) (i64.const 64) (i32.const 0) (i32.const 16)))
            (local.set $byte (call $get))
            (i32.store8 (i32.const 64) {from})
            (drop (call $write (i32.load (i32.const 16)) (i32.const 0) (i32.const 1) (i32.const 12))))"#
        )
    };
    let known = sizes(&start(pieces(Some(1)), 1, &writes("(i32.const 65)")));
    assert_eq!(known.3, [FAULTS]);
    let of_input = sizes(&start(pieces(Some(1)), 1, &writes("(local.get $byte)")));
    let says = |reason: &String| reason.contains("written to a file");
    assert!(of_input.3.iter().any(says), "{:?}", of_input.3);
}
