//! What a second core gains where paths are looked for.
//!
//! `cargo bench -p borges-session --bench cores [ROUNDS]` explores each program on one core and on two, in turns, and prints
//! the times and their ratio: the median of the rounds. It fails if two cores find other paths than one.

#![allow(clippy::unwrap_used)] // a bench, nothing that ships

use std::path::{Path, PathBuf};
use std::time::Instant;

use borges_session::Flow;
use borges_session::suggest::{PathsReport, SuggestOptions, of_program};

/// Forty readings; the third high one ends it.
const READINGS: &str = r#"(module (import "env" "chip_analog_read" (func $in (param i32) (result i32)))
    (func (export "main") (local $n i32) (local $high i32)
        (loop $l
            (if (i32.gt_s (call $in (i32.const 0)) (i32.const 4000)) (then
                (local.set $high (i32.add (local.get $high) (i32.const 1)))
                (if (i32.eq (local.get $high) (i32.const 3)) (then (return)))))
            (br_if $l (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 40))))))"#;

fn explored(program: &Path, inputs: u32, cores: u16) -> (PathsReport, f64) {
    let options = SuggestOptions {
        inputs: Some(inputs),
        paths: Some(1_000_000),
        seconds: Some(600.0),
        cores: Some(cores),
        ..SuggestOptions::default()
    };
    let began = Instant::now();
    let report = of_program(program, None, &options, &mut |_| Flow::Continue).unwrap();
    assert_eq!(report.ended, None);
    (report, began.elapsed().as_secs_f64())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let rounds = std::env::args().find_map(|word| word.parse().ok());
    let rounds: usize = rounds.unwrap_or(5);
    let folder = tempfile::tempdir().unwrap();
    let readings = folder.path().join("readings.wasm");
    std::fs::write(&readings, wat::parse_str(READINGS).unwrap()).unwrap();
    let example = |name: &str| -> PathBuf {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        examples.join(name).join(format!("{name}.wasm"))
    };
    let cases = [
        ("while", example("while"), 9),
        ("crystal-ball", example("crystal-ball"), 9),
        ("knock-lock", example("knock-lock"), 9),
        ("40 readings", readings, 40),
    ];
    println!(
        "{:<14}{:>8}{:>9}{:>11}{:>11}{:>8}   ratios of the rounds",
        "program", "inputs", "paths", "one s", "two s", "ratio"
    );
    for (name, program, inputs) in cases {
        let (mut one, mut two) = (Vec::new(), Vec::new());
        let mut paths = 0;
        for _ in 0..rounds {
            let (alone, time) = explored(&program, inputs, 1);
            one.push(time);
            let (together, time) = explored(&program, inputs, 2);
            two.push(time);
            paths = alone.paths;
            let tree = |report: &PathsReport| serde_json::to_string(&report.tree).unwrap();
            assert_eq!(together.paths, paths, "{name}");
            assert!(tree(&together) == tree(&alone), "{name}: another tree");
        }
        let ratios: Vec<f64> = one.iter().zip(&two).map(|(one, two)| one / two).collect();
        let all: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
        println!(
            "{name:<14}{inputs:>8}{paths:>9}{:>11.3}{:>11.3}{:>8.2}   {}",
            median(one),
            median(two),
            median(ratios),
            all.join(" ")
        );
    }
}
