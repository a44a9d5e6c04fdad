//! What suggesting paths costs: the twelve programs of the papers, each as a user compiles it and without optimisation.
//!
//! `cargo bench -p borges-session --bench futures` prints a table; times are the best of three, opening included.
//! It fails if a program has more options at one input than allowed, is not complete, or takes too long.

#![allow(clippy::unwrap_used)] // a bench, nothing that ships

use std::path::Path;
use std::time::Instant;

use borges_session::Flow;
use borges_session::suggest::{SuggestOptions, of_program};

/// A program with its bound, the most options that the paper lists, and the time it may take.
struct Case {
    name: &'static str,
    inputs: u32,
    after: u32,
    stop: Option<&'static str>,
    options: usize,
    ms: f64,
}

const fn case(name: &'static str, inputs: u32, options: usize, ms: f64) -> Case {
    Case {
        name,
        inputs,
        after: 0,
        stop: None,
        options,
        ms,
    }
}

const CASES: &[Case] = &[
    case("knock", 1, 2, 100.0),
    case("touch-sensor-lamp", 1, 2, 100.0),
    // Four in the paper's table, five in its text: a fifth path of a single reading is a fifth option.
    case("switch-case", 1, 5, 100.0),
    case("keyboard", 1, 5, 100.0),
    case("love-o-meter", 1, 4, 500.0),
    case("while-no-calibrate", 1, 3, 100.0),
    case("while", 4, 65, 100.0),
    case("while", 6, 65, 2000.0),
    case("knock-lock", 3, 3, 100.0),
    case("zoetrope", 6, 2, 100.0),
    case("crystal-ball", 4, 8, 100.0),
    Case {
        stop: Some("gesture-robot.ts:27"),
        ..case("gesture-robot", 8, 2, 100.0)
    },
    Case {
        after: 258,
        ..case("breakout", 1, 3, 500.0)
    },
];

fn main() {
    println!(
        "{:<24}{:>7}{:>7}{:>9}{:>7}{:>9}{:>9}{:>10}",
        "program", "inputs", "paths", "options", "traps", "solver", "values", "ms"
    );
    for suffix in ["", "-O0"] {
        for case in CASES {
            row(case, suffix);
        }
    }
}

fn row(case: &Case, suffix: &str) {
    let name = case.name;
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let program = examples.join(format!("{name}/{name}{suffix}.wasm"));
    let options = SuggestOptions {
        inputs: Some(case.inputs),
        after: case.after,
        stop: case.stop.map(str::to_owned),
        ..SuggestOptions::default()
    };
    let mut best = f64::INFINITY;
    let mut last = None;
    for _ in 0..3 {
        let began = Instant::now();
        let report = of_program(&program, None, &options, &mut |_| Flow::Continue).unwrap();
        best = best.min(began.elapsed().as_secs_f64() * 1000.0);
        last = Some(report);
    }
    let report = last.unwrap();
    println!(
        "{:<24}{:>7}{:>7}{:>9}{:>7}{:>9}{:>9}{best:>10.2}",
        format!("{name}{suffix}"),
        case.after + case.inputs,
        report.paths,
        report.max_options,
        report.traps,
        report.solver_queries,
        report.evaluations,
    );
    assert!(report.complete, "{name} is not complete");
    assert!(
        report.max_options <= case.options,
        "{name} has too many options"
    );
    assert!(best <= case.ms, "{name} takes more than {} ms", case.ms);
}
