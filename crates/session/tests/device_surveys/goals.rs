//! Goals of surveys of device programs: what a graph says of them, whoever looked at the states.

use std::fs;
use std::path::{Path, PathBuf};

use borges_languages::model::DigestSize;
use borges_session::suggest::Demand::{Always, Never, Toward};
use borges_session::suggest::{
    Demanded, DeviceAsked, DeviceSurveyFile, Proved, StatesOptions, survey_states,
};

use super::{among, asked_of, goes_on, graph_of, keeping, on, said};

pub(super) fn heater() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/futures_programs/heater.wasm")
}

pub(super) fn example(name: &str) -> PathBuf {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    examples.join(format!("{name}.wasm"))
}

/// Programs, and what is asked of each, with what comes of it.
fn held() -> Vec<(PathBuf, Vec<(Demanded, Proved)>)> {
    use Proved::{Fails, Holds};
    let heater_is = [
        (Never.of("heat && door"), Fails),
        (Never.of("heat"), Fails),
        (Always.of("n < 5"), Holds),
        (Always.of("n < 3"), Fails),
        (Toward.of("n == 4"), Holds),
        (Toward.of("n == 5"), Fails),
        (Never.of("chip_digital_write(13, 1)"), Fails),
    ];
    let lock_is = [(Toward.of("locked"), Holds), (Always.of("locked"), Fails)];
    vec![
        (heater(), heater_is.into()),
        (example("knock-lock/knock-lock"), lock_is.into()),
    ]
}

#[test]
fn a_survey_says_of_goals_what_a_graph_says_whoever_looks() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kept");
    for (program, goals) in held() {
        let (demands, verdicts): (Vec<_>, Vec<_>) = goals.into_iter().unzip();
        let program = (program.as_path(), None);
        let graph = graph_of(program, &demands);
        let told = graph.demands.iter().map(|said| said.verdict);
        let limits = graph.demands.len() - demands.len();
        assert_eq!(
            told.collect::<Vec<_>>(),
            [verdicts, vec![Proved::Holds; limits]].concat(),
            "{graph:?}"
        );
        let asked = asked_of(program, &demands, None);
        for cores in [1, 3] {
            let done = survey_states(&asked, on(cores), None, &mut goes_on).unwrap();
            assert_eq!(said(done.report), graph, "on {cores}");
        }
        let by_others = among::survey(&asked, &[1, 2], None).unwrap();
        assert_eq!(said(by_others.report), graph);
        // And gone on with, from the half: what was asked is in the file.
        let cut = asked_of(program, &demands, Some(graph.states / 2 + 1));
        let half = survey_states(&cut, on(2), Some(&keeping(&file)), &mut goes_on).unwrap();
        assert!(!half.report.complete);
        let is_open = |verdict| matches!(verdict, Proved::Fails | Proved::Unknown | Proved::Holds);
        let mut halves = half.report.demands.iter().zip(&graph.demands);
        assert!(halves.all(|(half, whole)| is_open(half.verdict)
            && (half.verdict == Proved::Unknown || half.verdict == whole.verdict)));
        let mut kept = DeviceSurveyFile::open(&file).unwrap();
        kept.asked.options.states = None;
        let done = kept.go_on(on(1), None, &mut goes_on).unwrap();
        assert_eq!(said(done.report), graph);
    }
}

/// What a variable is called is known from a file beside a program of AssemblyScript, and goes to workers and into files.
#[test]
fn conditions_go_with_the_files_that_say_what_they_mean() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("there");
    fs::create_dir(&there).unwrap();
    for file in ["heater.wasm", "heater.wasm.map", "board.toml"] {
        let from = heater().with_file_name(file);
        if from.exists() {
            fs::copy(from, there.join(file)).unwrap();
        }
    }
    let (program, kept) = (there.join("heater.wasm"), folder.path().join("kept"));
    let demands = [Never.of("heat && door"), Toward.of("n == 4")];
    let asked = asked_of((&program, None), &demands, Some(5));
    survey_states(&asked, on(1), Some(&keeping(&kept)), &mut goes_on).unwrap();
    let bytes = asked.to_bytes();
    let graph = graph_of((&program, None), &demands);
    fs::remove_dir_all(&there).unwrap();
    let again = DeviceAsked::of_bytes(&bytes).unwrap();
    assert_eq!(again.to_bytes(), bytes);
    let mut kept = DeviceSurveyFile::open(&kept).unwrap();
    kept.asked.options.states = None;
    let done = kept.go_on(on(2), None, &mut goes_on).unwrap();
    assert_eq!(said(done.report), graph);
}

/// A reading of a whole word twice, multiplied: nobody tries all of them. And a name that means something nowhere the program
/// stops.
#[test]
fn what_nobody_can_say_is_maybe_whoever_looks() {
    let folder = tempfile::tempdir().unwrap();
    let (program, kept) = (folder.path().join("p.wasm"), folder.path().join("kept"));
    let text = r#"(module
      (import "env" "chip_digital_read" (func $in (param i32) (result i32)))
      (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
      (global $a (mut i32) (i32.const 0))
      (global $b (mut i32) (i32.const 0))
      (func $never (param $hidden i32))
      (func (export "main")
        (loop $again
          (drop (call $in (i32.const 1)))
          (global.set $a (call $read (i32.const 34)))
          (global.set $b (call $read (i32.const 35)))
          (br $again))))"#;
    fs::write(&program, wat::parse_str(text).unwrap()).unwrap();
    fs::write(folder.path().join("board.toml"), "").unwrap();
    let demands = [
        Never.of("(a / 3) * (b / 7) % 97 == 96"),
        Never.of("hidden == 1"),
        Never.of("a > 5000"),
    ];
    let program = (program.as_path(), None);
    let graph = graph_of(program, &demands);
    let verdicts = graph.demands.iter().map(|said| said.verdict);
    assert_eq!(
        verdicts.collect::<Vec<_>>(),
        [Proved::Maybe, Proved::Unknown, Proved::Holds],
        "{graph:?}"
    );
    let asked = asked_of(program, &demands, None);
    for cores in [1, 3] {
        let done = survey_states(&asked, on(cores), None, &mut goes_on).unwrap();
        assert_eq!(said(done.report), graph, "on {cores}");
    }
    let by_others = among::survey(&asked, &[1, 1], None).unwrap();
    assert_eq!(said(by_others.report), graph);
    let cut = asked_of(program, &demands, Some(2));
    survey_states(&cut, on(1), Some(&keeping(&kept)), &mut goes_on).unwrap();
    let mut kept = DeviceSurveyFile::open(&kept).unwrap();
    kept.asked.options.states = None;
    let done = kept.go_on(on(3), None, &mut goes_on).unwrap();
    assert_eq!(said(done.report), graph);
}

#[test]
fn goals_that_mean_nothing_are_refused_by_name() {
    let refused = |demands: Vec<Demanded>| {
        let options = StatesOptions::default();
        let asked = DeviceAsked::open(&heater(), None, options, demands, DigestSize::By64);
        asked.map(|_| ()).unwrap_err().to_string()
    };
    let temporal = refused(vec![Never.of("heat"), Always.of("G (heat -> F !heat)")]);
    assert!(
        temporal.contains("'G (heat -> F !heat)' is a temporal formula"),
        "{temporal}"
    );
    let unknown = refused(vec![Never.of("nobody > 3")]);
    assert!(unknown.contains("nobody is not known here"), "{unknown}");
    let many = |count| {
        (0..count)
            .map(|nth| Never.of(format!("{nth} == 100")))
            .collect()
    };
    assert!(refused(many(65)).contains("at most 64 conditions"));
    let options = StatesOptions::default();
    DeviceAsked::open(&heater(), None, options, many(64), DigestSize::By64).unwrap();
}

/// Of a condition with `&&`, both sides are looked at wherever the program stops, also where one decides: what the other is
/// about is needed later. The second is a product of sets that are too large to be tried together.
#[test]
fn what_a_condition_looks_at_later_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("p.wasm");
    let text = r#"(module
      (import "env" "chip_digital_read" (func $in (param i32) (result i32)))
      (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
      (global $a (mut i32) (i32.const 0))
      (global $b (mut i32) (i32.const 0))
      (func (export "main")
        (loop $again
          (drop (call $in (i32.const 1)))
          (global.set $a (call $in (i32.const 2)))
          (global.set $b (call $read (i32.const 35)))
          (br $again))))"#;
    fs::write(&program, wat::parse_str(text).unwrap()).unwrap();
    fs::write(folder.path().join("board.toml"), "").unwrap();
    let demands = [
        Never.of("a % 7 == 1 && b % 5 == 4"),
        Never.of("b % 5 == 4 && a % 7 == 1"),
        Never.of("!(a % 7 != 1 || b % 5 != 4)"),
        Never.of("a % 7 == 2 && b % 5 == 4"),
    ];
    for demand in demands {
        let graph = graph_of((&program, None), std::slice::from_ref(&demand));
        let never = demand.condition.contains("== 2");
        let expected = if never { Proved::Holds } else { Proved::Fails };
        assert_eq!(graph.demands[0].verdict, expected, "{graph:?}");
        let asked = asked_of((&program, None), &[demand], None);
        let done = survey_states(&asked, on(2), None, &mut goes_on).unwrap();
        assert_eq!(said(done.report), graph);
    }
}
