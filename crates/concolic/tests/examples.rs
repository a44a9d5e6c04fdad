//! The example programs, each compared with running all its inputs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::common::{check, start};
use borges_board::Board;
use borges_concolic::Bounds;

use crate::common;

/// A program within a bound: how many paths it has, and the most options at one input that the paper's table allows.
struct Case {
    module: &'static str,
    inputs: u32,
    paths: usize,
    options: usize,
}

const fn case(module: &'static str, inputs: u32, paths: usize, options: usize) -> Case {
    Case {
        module,
        inputs,
        paths,
        options,
    }
}

/// Programs of the table in device.md, as users compile them and without optimisation, with as many inputs as leave no
/// more than 2^24 runs (and those in seconds).
const TABLE: &[Case] = &[
    case("knock", 1, 2, 2),
    case("knock-O0", 1, 2, 2),
    case("touch-sensor-lamp", 1, 2, 2),
    case("touch-sensor-lamp-O0", 1, 2, 2),
    case("keyboard", 1, 5, 5),
    case("keyboard-O0", 1, 5, 5),
    // The table says 4, the text 5, and one reading cannot lead to five paths by four values: see below.
    case("switch-case", 1, 5, 5),
    case("switch-case-O0", 1, 5, 5),
    case("love-o-meter", 1, 4, 4),
    case("love-o-meter-O0", 1, 4, 4),
    case("while-no-calibrate", 1, 3, 3),
    case("while-no-calibrate-O0", 1, 3, 3),
];

const LONGER: &[Case] = &[
    case("breakout", 1, 3, 3),
    case("breakout-O0", 1, 3, 3),
    case("while", 2, 4, 3),
    case("while-O0", 2, 4, 3),
    case("knock-lock", 2, 5, 3),
    case("knock-lock-O0", 2, 5, 3),
    case("crystal-ball", 4, 34, 8),
    case("crystal-ball-O0", 4, 58, 8),
    case("zoetrope", 3, 4, 2),
    case("zoetrope-O0", 3, 4, 2),
    case("gesture-robot", 1, 2, 2),
    case("gesture-robot-O0", 1, 2, 2),
];

/// Programs that are in no table.
const OTHERS: &[Case] = &[
    case("blink", 4, 9, 2),
    case("color-dial", 4, 16, 2),
    case("light-sensor", 2, 3, 2),
    case("smart-curtain", 3, 12, 3),
    case("temperature-monitor", 1, 2, 2),
    case("uart-parser", 2, 8, 3),
];

/// Without an input; what its interrupts do, `events.rs` has.
const NO_INPUT: &[&str] = &["binary-counter"];

/// Parts of networks: what they do together, `session/tests/networks.rs` and the transcripts have.
const OF_NETWORKS: &[&str] = &["motor", "remote"];

/// Programs of an operating system, whose choices are not followed: `session/tests/wasi.rs` and the transcripts have them.
const OF_SYSTEMS: &[&str] = &["calculator", "lease", "ledger", "records", "save-notes"];

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn check_all(cases: &[Case]) {
    for case in cases {
        check_case(case, |board| board);
    }
}

/// Explores a program within a bound, and compares.
fn check_case(case: &Case, board_text: impl Fn(String) -> String) {
    let folder = examples().join(case.module.trim_end_matches("-O0"));
    let module = format!("{}.wasm", case.module);
    let bytes = std::fs::read(folder.join(module)).expect("a committed module");
    let board = std::fs::read_to_string(folder.join("board.toml")).expect("a board");
    let board = Board::parse("board.toml", &board_text(board)).expect("a valid board");
    let bounds = Bounds {
        inputs: case.inputs,
        ..Bounds::default()
    };
    let mut explored = check(&start(&bytes, board), &bounds);
    let options = common::suggest(&mut explored).max_options();
    assert_eq!(explored.paths.len(), case.paths, "{}", case.module);
    assert!(
        options <= case.options,
        "{}: {options} options",
        case.module
    );
}

#[test]
fn programs_of_one_reading() {
    check_all(TABLE);
}

#[test]
fn programs_of_several_inputs() {
    check_all(LONGER);
}

#[test]
fn programs_of_no_table() {
    check_all(OTHERS);
}

/// The fifth path of the switch is that of readings past the brightest that `map` was told of. Without them the program
/// is the one in the paper's table.
#[test]
fn a_switch_whose_reading_stays_in_range_is_the_one_of_the_table() {
    for module in ["switch-case", "switch-case-O0"] {
        check_case(&case(module, 1, 4, 4), |board| {
            board.replace("0..1023", "0..799")
        });
    }
}

#[test]
fn every_example_is_here() {
    let here = [TABLE, LONGER, OTHERS].into_iter().flatten();
    let others = [NO_INPUT, OF_NETWORKS, OF_SYSTEMS].concat();
    let here = here.map(|case| case.module).chain(others);
    let here: BTreeSet<String> = here.map(str::to_owned).collect();
    let folders = std::fs::read_dir(examples()).expect("the examples");
    let modules = folders.flat_map(|folder| std::fs::read_dir(folder.ok()?.path()).ok());
    let modules = modules.flatten().filter_map(|file| {
        let name = file.ok()?.file_name().into_string().ok()?;
        name.strip_suffix(".wasm").map(str::to_owned)
    });
    assert_eq!(modules.collect::<BTreeSet<String>>(), here);
}
