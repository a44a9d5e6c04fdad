//! The example programs, each compared with running all its inputs.

mod common;

use std::path::{Path, PathBuf};

use borges_board::Board;
use borges_concolic::Bounds;
use common::{check, start};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Explores a program within so many inputs, and compares; how many paths and options at one input there are.
fn explored(module: &str, inputs: u32) -> (usize, usize) {
    let folder = examples().join(module.trim_end_matches("-O0"));
    let bytes = std::fs::read(folder.join(format!("{module}.wasm"))).expect("a committed module");
    let board = std::fs::read_to_string(folder.join("board.toml")).expect("a board");
    let board = Board::parse("board.toml", &board).expect("a valid board");
    let bounds = Bounds {
        inputs,
        ..Bounds::default()
    };
    let mut explored = check(&start(&bytes, board), &bounds);
    let options = borges_concolic::suggest(&mut explored).max_options();
    (explored.paths.len(), options)
}

/// Compares both builds of a program with all their runs: how many paths they have, and the most options at one input.
fn both(module: &str, inputs: u32, optimised: usize, plain: usize, most: usize) {
    for (module, expected) in [(module, optimised), (&*format!("{module}-O0"), plain)] {
        let (paths, options) = explored(module, inputs);
        assert_eq!(paths, expected, "{module}");
        assert!(options <= most, "{module}: {options} options");
    }
}

#[test]
fn programs_of_one_reading() {
    both("knock", 1, 2, 2, 2);
    both("touch-sensor-lamp", 1, 2, 2, 2);
    both("keyboard", 1, 5, 5, 5);
    both("switch-case", 1, 5, 5, 5);
}

#[test]
fn programs_of_one_reading_with_arithmetic() {
    both("love-o-meter", 1, 4, 4, 4);
    both("while-no-calibrate", 1, 3, 3, 3);
}

#[test]
fn breakout_moves_its_paddle() {
    both("breakout", 1, 3, 3, 3);
}

#[test]
fn programs_of_several_inputs() {
    both("while", 2, 4, 4, 3);
    both("knock-lock", 2, 5, 5, 3);
    both("crystal-ball", 4, 34, 58, 8);
    both("zoetrope", 3, 4, 4, 2);
    both("gesture-robot", 1, 2, 2, 2);
}
