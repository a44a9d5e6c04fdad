//! Programs that allocate and free for ever, as graphs: memory that will be written before it is read tells no states apart.

// A state's hash is made once; what it notes later is no part of it.
#![allow(clippy::mutable_key_type)]

use std::path::Path;

use borges_board::Board;
use borges_concolic::Start;
use borges_multiverse::graph::Pause;

use crate::common;
use crate::graphs::{How, check, closed, differences};

fn program(module: &str, range: &str) -> Start {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(root.join("tests/heap").join(module)).expect("a committed module");
    let board = format!("[ranges]\n\"chip_analog_read(34)\" = \"{range}\"\n");
    common::start(
        &bytes,
        Board::parse("board.toml", &board).expect("a valid board"),
    )
}

/// What bytes have that will be written before they are read: it must not matter.
const GARBAGE: u32 = 0xa5a5_a5a5;

/// The range of its readings, and the states and ways of its graph.
const SIZES: &[(&str, &str, usize, usize)] = &[
    ("last_three.wasm", "0..3", 858, 3428),
    ("vector.wasm", "0..3", 639, 1389),
    ("objects.wasm", "0..4095", 490, 490),
    ("collected.wasm", "0..4095", 93, 186),
];

#[test]
fn graphs_of_programs_that_allocate_close() {
    for (module, range, states, ways) in SIZES {
        let start = program(module, range);
        for garbage in [0, GARBAGE] {
            closed(&start, garbage, |graph, pause| {
                let device = graph.language();
                assert_eq!(pause, Pause::Complete, "{module}");
                assert_eq!(device.unexplored(), [], "{module}");
                assert_eq!(device.anything(), [], "{module}");
                assert_eq!(
                    (graph.len(), graph.edge_count()),
                    (*states, *ways),
                    "{module}, {garbage:#x} in what is dead"
                );
            });
        }
    }
}

#[test]
fn graphs_of_programs_that_allocate_hold_exactly_the_states_of_all_runs() {
    for (module, range, depth) in [
        ("last_three.wasm", "2..3", 7),
        ("vector.wasm", "0..1", 8),
        ("objects.wasm", "0..1", 7),
        ("collected.wasm", "0..2", 6),
    ] {
        let start = program(module, range);
        for garbage in [0, GARBAGE] {
            let how = How {
                garbage,
                ..How::default()
            };
            assert!(check(module, &start, depth, &how), "{module}");
        }
    }
}

#[test]
fn what_is_only_tried_is_no_proof() {
    for (module, range, depth) in [
        ("last_three.wasm", "2..3", 6),
        ("vector.wasm", "0..1", 6),
        ("collected.wasm", "0..2", 5),
    ] {
        let how = How {
            is_proved: false,
            ..How::default()
        };
        let found = differences(module, &program(module, range), depth, &how);
        let found = found.expect("all of it is explored");
        assert!(
            found.left_out > 0 && found.missing > 0,
            "{module}: {found:?}"
        );
    }
}
