//! Exploring from prefixes; every other test of paths explores in parts too (`common::parts`).

use std::path::Path;

use crate::common::parts::{Together, same};
use crate::common::{board, explore_by, i32s, start, start_wat};
use borges_board::Board;
use borges_concolic::{Bounds, Budget, End, Flow, Prefix, Search, SearchOrder, Start, explore};
use borges_vm::Machine;

use crate::common;

fn example(name: &str) -> Start {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folder = folder.join(name);
    let bytes = std::fs::read(folder.join(format!("{name}.wasm"))).expect("a committed module");
    let board = std::fs::read_to_string(folder.join("board.toml")).expect("a board");
    start(&bytes, Board::parse("board.toml", &board).expect("a board"))
}

fn inputs(inputs: u32) -> Bounds {
    Bounds {
        inputs,
        ..Bounds::default()
    }
}

fn whole(start: &Start, bounds: &Bounds) -> Together {
    let mut together = Together::default();
    together.add(&explore_by(start, bounds, SearchOrder::DepthFirst));
    together
}

/// A loop of 40 readings.
fn readings() -> Start {
    let text = r#"(module (import "env" "in" (func $in (result i32))) (func (export "main") (local $n i32)
        (loop $l
            (if (i32.gt_s (call $in) (i32.const 90)) (then (return)))
            (br_if $l (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 40))))))"#;
    start_wat(text, board(vec![("in", vec![], i32s(0, 100))]))
}

/// Breadth first, what waits for the next level is left too.
#[test]
fn levels_are_gone_on_with() {
    for (start, bounds) in [
        (example("crystal-ball"), inputs(3)),
        (example("knock-lock"), inputs(3)),
        (readings(), inputs(40)),
    ] {
        let mut together = Together::default();
        let mut prefixes = vec![Prefix::default()];
        let mut parts = 0;
        while !prefixes.is_empty() {
            let search = Search {
                bounds: bounds.clone(),
                strategy: SearchOrder::BreadthFirst,
                prefixes,
                pauses: Some(&|progress| progress.paths >= 1),
                ..Search::default()
            };
            let part = explore(&start, search, &Budget::unlimited(), &mut |_| {
                Flow::Continue
            });
            together.add(&part);
            prefixes = part.left();
            parts += 1;
        }
        assert!(parts > 5, "{parts}");
        same(&together, &whole(&start, &bounds));
    }
}

/// A path that goes past a stop because its condition cannot hold there goes past it again.
#[test]
fn stops_with_a_condition_are_passed_again() {
    let text = r#"(module (import "env" "in" (func $in (result i32))) (func (export "main") (local $n i32)
        (local.set $n (call $in))
        (if (i32.gt_s (local.get $n) (i32.const 5)) (then (nop)) (else (nop)))
        (if (i32.gt_s (call $in) (i32.const 5)) (then (unreachable)))))"#;
    let start = start_wat(text, board(vec![("in", vec![], i32s(0, 10))]));
    let module = start.machine.module().expect("a module");
    let main = module.exported_func("main").expect("main");
    let nops = module
        .instrs(main)
        .filter(|(_, instr)| matches!(instr, borges_vm::binary::Instr::Nop));
    let bounds = Bounds {
        stops: nops.map(|(offset, _)| offset).collect(),
        ..inputs(2)
    };
    // On the way of values up to 5, 3 is accepted; on the other, nothing is.
    let mut accepts = |machine: &Machine| machine.cells().first() == Some(&3);
    let mut ends = Vec::new();
    let mut prefixes = vec![Prefix::default()];
    while !prefixes.is_empty() {
        let search = Search {
            bounds: bounds.clone(),
            prefixes,
            accepts: Some(&mut accepts),
            pauses: Some(&|progress| progress.paths >= 1),
            ..Search::default()
        };
        let part = explore(&start, search, &Budget::unlimited(), &mut |_| {
            Flow::Continue
        });
        let found = part.paths.iter();
        ends.extend(found.map(|path| (path.end.clone(), path.ways[0].model.clone())));
        prefixes = part.left();
    }
    ends.sort_by_key(|(_, model)| model.clone());
    let models: Vec<_> = ends.iter().map(|(_, model)| model.clone()).collect();
    assert!(matches!(ends[0].0, End::Stopped(_)), "{ends:?}");
    assert_eq!(models[0], [3]);
    assert_eq!(ends.len(), 3, "{ends:?}");
}

/// A prefix that no run has: somebody gave the wrong one.
#[test]
fn a_prefix_that_does_not_come_about_is_told() {
    let start = readings();
    let explored = |prefix: Prefix| {
        let search = Search {
            prefixes: vec![prefix],
            ..Search::default()
        };
        explore(&start, search, &Budget::unlimited(), &mut |_| {
            Flow::Continue
        })
    };
    let prefix = |inputs: &[u64], turns| Prefix {
        inputs: inputs.to_vec(),
        turns,
        ..Prefix::default()
    };
    // 90 goes on, and the next 39 may end it; 101 is none that the input has.
    let mut good = explored(prefix(&[90], 1));
    assert!(good.is_complete());
    assert_eq!(good.paths.len(), 40);
    common::suggest(&mut good);
    for wrong in [prefix(&[101], 1), prefix(&[], 1), prefix(&[91], 2)] {
        let explored = explored(wrong);
        assert_eq!(explored.paths.len(), 0);
        assert!(!explored.is_complete());
        let [left] = &*explored.unexplored else {
            panic!("it is told once");
        };
        assert!(left.reason.contains("run again"), "{}", left.reason);
    }
}
