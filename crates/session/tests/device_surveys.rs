//! States of device programs without their graph: what a graph says, in files that are gone on with, and files that are none.

#[path = "device_surveys/among.rs"]
mod among;
#[path = "device_surveys/goals.rs"]
mod goals;
#[path = "device_surveys/session.rs"]
mod session;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use borges_languages::model::{DigestSize, Progress};
use borges_session::Provided;
use borges_session::command::Flow;
use borges_session::suggest::{
    Demanded, DeviceAsked, DeviceSurveyFile, DeviceSurveyors, StatesOptions, StatesReport,
    states_of_program, survey_states,
};
use borges_session::survey::{Keeping, SurveyError};

/// Some programs of which the graph closes soon, with another board than the one beside them if that is said.
fn programs() -> Vec<(PathBuf, Option<PathBuf>)> {
    let folders = fs::read_dir(root().join("examples"));
    let folders = folders.unwrap().flatten();
    let with_boards = folders.filter(|folder| folder.path().join("board.toml").is_file());
    let files = with_boards.flat_map(|folder| fs::read_dir(folder.path()).unwrap());
    let files = files.flatten().map(|file| file.path());
    // All others are surveyed by a test of the engine.
    let some = [
        "binary-counter",
        "knock-lock",
        "crystal-ball",
        "zoetrope",
        "color-dial",
        "while",
    ];
    let is_one = |file: &PathBuf| {
        let name = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        file.extension().is_some_and(|kind| kind == "wasm") && some.contains(&&*name)
    };
    let mut all: Vec<_> = files.filter(is_one).map(|file| (file, None)).collect();
    all.sort();
    // It breaks a limit of this board.
    let limited = all
        .iter()
        .find(|(file, _)| file.ends_with("color-dial.wasm"));
    let (dial, _) = limited.unwrap().clone();
    let peg = dial.with_file_name("peg.toml");
    all.push((dial, Some(peg)));
    let heater = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/futures_programs/heater.wasm");
    all.push((heater, None));
    let of_system = WITH_SYSTEM.map(|program| (root().join(program), None));
    all.extend(of_system);
    all
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Programs of an operating system. One of them changes files.
const WITH_SYSTEM: [&str; 2] = [
    "crates/cli/tests/programs/depth.wasm",
    "crates/cli/tests/programs/latch.wasm",
];

/// What is asked of a program: of one that calls an operating system, through all errors, with a folder.
fn options_of(program: &Path) -> StatesOptions {
    let calls_system = WITH_SYSTEM.iter().any(|known| program.ends_with(known));
    let folders = vec![(root().join("examples/save-notes/data"), "/data".to_owned())];
    StatesOptions {
        faults: calls_system,
        system: calls_system.then(|| Provided {
            folders,
            ..Provided::default()
        }),
        ..StatesOptions::default()
    }
}

/// What does not depend on time.
fn said(mut report: StatesReport) -> StatesReport {
    (report.seconds, report.steps) = (0.0, 0);
    report
}

fn graph(program: &Path, board: Option<&Path>) -> StatesReport {
    graph_of((program, board), &[])
}

fn graph_of((program, board): (&Path, Option<&Path>), demands: &[Demanded]) -> StatesReport {
    let options = StatesOptions {
        time: Some(Duration::from_secs(300)),
        ..options_of(program)
    };
    let report = states_of_program(program, board, &options, demands, &mut |_| Flow::Continue);
    said(report.unwrap())
}

fn asked(program: &Path, board: Option<&Path>, states: Option<usize>) -> DeviceAsked {
    asked_of((program, board), &[], states)
}

fn asked_of(
    (program, board): (&Path, Option<&Path>),
    demands: &[Demanded],
    states: Option<usize>,
) -> DeviceAsked {
    let options = StatesOptions {
        states,
        ..options_of(program)
    };
    DeviceAsked::open(program, board, options, demands.to_vec(), DigestSize::By64).unwrap()
}

fn goes_on(_: &Progress) -> bool {
    true
}

fn keeping(file: &Path) -> Keeping {
    Keeping {
        file: file.to_owned(),
        every: Duration::from_secs(3600),
    }
}

/// This process, on so many cores.
fn on(cores: u16) -> DeviceSurveyors {
    DeviceSurveyors::Here(Some(cores))
}

/// On how many cores.
const CORES: [u16; 4] = [1, 2, 3, 7];

#[test]
fn a_survey_says_what_a_graph_says_on_any_number_of_cores() {
    for (program, board) in programs() {
        let graph = graph(&program, board.as_deref());
        assert!(graph.complete, "{}", program.display());
        let asked = asked(&program, board.as_deref(), None);
        for cores in CORES {
            let done = survey_states(&asked, on(cores), None, &mut goes_on).unwrap();
            let told = (done.survey.bits, done.survey.workers);
            assert_eq!(told, (64, usize::from(cores)));
            assert_eq!(said(done.report), graph, "{} on {cores}", program.display());
        }
    }
}

/// Large graphs are made by several, and are the same down to the ways that are shown.
#[test]
fn a_graph_says_the_same_on_any_number_of_cores() {
    for (program, states) in [
        ("crates/session/tests/futures_programs/lows.wasm", None),
        ("examples/breakout/breakout.wasm", Some(1_500)),
    ] {
        let program = root().join(program);
        let reports = [None, Some(2), Some(5)].map(|cores| {
            let options = StatesOptions {
                time: Some(Duration::from_secs(300)),
                cores,
                states,
                ..options_of(&program)
            };
            let report = states_of_program(&program, None, &options, &[], &mut |_| Flow::Continue);
            StatesReport {
                seconds: 0.0,
                ..report.unwrap()
            }
        });
        let [one, others @ ..] = &reports;
        assert!(one.states >= 1_500, "{one:?}");
        assert_eq!(one.complete, states.is_none());
        for other in others {
            assert_eq!(other, one, "{}", program.display());
        }
    }
}

#[test]
fn what_was_kept_is_gone_on_with_to_the_same_end_on_any_number_of_cores() {
    let folder = tempfile::tempdir().unwrap();
    let (file, copy) = (folder.path().join("kept"), folder.path().join("copy"));
    for (program, board) in programs() {
        let (name, board) = (program.display().to_string(), board.as_deref());
        let graph = graph(&program, board);
        let cut = asked(&program, board, Some(graph.states / 2 + 1));
        let mut before = None;
        for (cores, others) in [(1, [2, 3]), (2, [1, 3]), (3, [2, 7])] {
            let done = survey_states(&cut, on(cores), Some(&keeping(&file)), &mut goes_on);
            let done = done.unwrap();
            assert!(done.unkept.is_none(), "{name}");
            let report = said(done.report);
            assert_eq!(*before.get_or_insert(report.clone()), report, "{name}");
            for others in others {
                fs::copy(&file, &copy).unwrap();
                let mut kept = DeviceSurveyFile::open(&copy).unwrap();
                kept.asked.options.states = None;
                let done = kept.go_on(on(others), Some(&keeping(&copy)), &mut goes_on);
                assert_eq!(
                    said(done.unwrap().report),
                    graph,
                    "{name}: {cores}, {others}"
                );
                // It was kept at its end: nothing is left to do.
                let again = DeviceSurveyFile::open(&copy).unwrap();
                let again = again.go_on(on(cores), None, &mut goes_on).unwrap();
                assert_eq!(said(again.report), graph, "{name}: {others}, {cores}");
            }
        }
    }
}

/// Of a program that never closes, or learns late, as far as it goes: also which ways are shown, and what is left out.
#[test]
fn a_survey_that_is_cut_says_the_same_on_any_number_of_cores() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let (mut cut, mut traps) = (0, 0);
    let folders = fs::read_dir(examples).unwrap().flatten();
    for folder in folders.filter(|folder| folder.path().join("board.toml").is_file()) {
        let files = fs::read_dir(folder.path()).unwrap().flatten();
        let mut files: Vec<_> = files.map(|file| file.path()).collect();
        files.sort();
        // The graphs that come first of these two take long.
        let is_large = |file: &PathBuf| {
            let name = file.display().to_string();
            name.contains("breakout") || name.contains("uart-parser")
        };
        let module = |file: &&PathBuf| {
            file.extension().is_some_and(|kind| kind == "wasm") && !is_large(file)
        };
        let Some(program) = files.iter().find(module) else {
            continue;
        };
        let mut asked = asked(program, None, Some(30));
        asked.options.solver = Some("none".to_owned());
        let reports = [1, 3].map(|cores| {
            let done = survey_states(&asked, on(cores), None, &mut goes_on).unwrap();
            said(done.report)
        });
        assert_eq!(reports[0], reports[1], "{}", program.display());
        let by_others = among::survey(&asked, &[1, 1], None).unwrap();
        assert_eq!(said(by_others.report), reports[0], "{}", program.display());
        cut += u32::from(!reports[0].complete);
        traps += reports[0].traps.len();
    }
    assert!(cut >= 3 && traps > 0, "{cut} are cut, {traps} traps");
}

#[test]
fn who_ends_it_has_what_was_found_and_goes_on() {
    let program = root().join("crates/session/tests/futures_programs/lows.wasm");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kept");
    let keeping = Keeping {
        every: Duration::from_secs(3600),
        ..keeping(&file)
    };
    let asked = asked(&program, None, None);
    let mut heard = 0;
    let done = survey_states(&asked, on(2), Some(&keeping), &mut |come| {
        heard += u32::from(come.states > 1);
        heard < 2
    });
    let report = done.unwrap().report;
    let bounds: Vec<_> = report
        .unexplored
        .iter()
        .map(|left| left.bound.as_deref())
        .collect();
    assert_eq!(
        (report.complete, &*bounds),
        (false, &[Some("cancelled")][..])
    );
    let kept = DeviceSurveyFile::open(&file).unwrap();
    let done = kept.go_on(on(1), None, &mut goes_on).unwrap();
    assert_eq!(said(done.report), graph(&program, None));
}

#[test]
fn limits_cut_and_are_named() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/binary-counter/binary-counter.wasm");
    for (states, depth, bound) in [
        (Some(144), None, None),
        (Some(100), None, Some("states")),
        (None, Some(3), Some("depth")),
    ] {
        let mut asked = asked(&program, None, states.map(|states| states + 1));
        asked.options.depth = depth;
        let report = survey_states(&asked, on(1), None, &mut goes_on)
            .unwrap()
            .report;
        let bounds = report.unexplored.iter().map(|left| left.bound.as_deref());
        assert_eq!(
            bounds.collect::<Vec<_>>(),
            bound.map(Some).into_iter().collect::<Vec<_>>()
        );
        assert_eq!(report.complete, bound.is_none());
    }
}

#[test]
fn files_that_are_none_are_refused_by_name() {
    let program =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/zoetrope/zoetrope.wasm");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kept");
    let cut = asked(&program, None, Some(40));
    survey_states(&cut, on(1), Some(&keeping(&file)), &mut goes_on).unwrap();
    let whole = fs::read(&file).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        let opened = DeviceSurveyFile::open(&file);
        let error = match opened {
            Ok(kept) => kept.go_on(on(1), None, &mut goes_on).map(|_| ()),
            Err(error) => Err(error),
        };
        let error = error.expect_err("it is none");
        assert!(error.to_string().contains("kept"), "{error}");
        error
    };
    assert!(matches!(
        refused(b"borges survey 1\n"),
        SurveyError::Other(_)
    ));
    for at in [
        0,
        5,
        30,
        whole.len() / 2,
        whole.len() - 200,
        whole.len() - 1,
    ] {
        let error = refused(&whole[..at]);
        let is_cut = matches!(error, SurveyError::Other(_) | SurveyError::Damaged(..));
        assert!(is_cut, "{at}: {error}");
    }
    for at in [40, whole.len() / 2, whole.len() - 100] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        let error = refused(&changed);
        assert!(matches!(error, SurveyError::Damaged(..)), "{at}: {error}");
    }
    // The digests of another program.
    let other = folder.path().join("other");
    let program = program.with_file_name("zoetrope-O0.wasm");
    survey_states(
        &asked(&program, None, Some(20)),
        on(1),
        Some(&keeping(&other)),
        &mut goes_on,
    )
    .unwrap();
    let blocks = |bytes: &[u8]| {
        let (mut at, mut starts) = (
            bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1,
            Vec::new(),
        );
        while at < bytes.len() {
            starts.push(at);
            let len = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
            at += 12 + len as usize;
        }
        starts
    };
    let others = fs::read(&other).unwrap();
    let mixed = [&whole[..blocks(&whole)[2]], &others[blocks(&others)[2]..]].concat();
    assert!(matches!(refused(&mixed), SurveyError::Foreign(_)));
}

/// What it learns while it surveys makes it begin again.
#[test]
fn what_comes_to_light_late_is_not_missed() {
    let folder = tempfile::tempdir().unwrap();
    let (program, board) = (
        folder.path().join("p.wasm"),
        folder.path().join("board.toml"),
    );
    // For nine thousand readings the bytes at 64 differ and are not read; then they are.
    let text = r#"(module
      (import "env" "chip_digital_read" (func $in (param i32) (result i32)))
      (memory 1)
      (global $at (mut i32) (i32.const 0))
      (func (export "main")
        (loop $again
          (i32.store8 (i32.const 64) (call $in (i32.const 1)))
          (global.set $at (i32.add (global.get $at) (i32.const 1)))
          (if (i32.eq (global.get $at) (i32.const 9000))
            (then (if (i32.load8_u (i32.const 64)) (then (unreachable)))
                  (global.set $at (i32.const 0))))
          (br $again))))"#;
    fs::write(&program, wat::parse_str(text).unwrap()).unwrap();
    fs::write(&board, "").unwrap();
    let graph = graph(&program, Some(&board));
    let asked = asked(&program, Some(&board), None);
    let survey = |cores| {
        let done = survey_states(&asked, on(cores), None, &mut goes_on);
        said(done.unwrap().report)
    };
    let report = survey(1);
    assert_eq!(survey(3), report);
    let by_others = among::survey(&asked, &[1, 1, 1], None).unwrap();
    assert_eq!(said(by_others.report), report);
    let traps = |of: &StatesReport| of.traps.iter().map(|trap| trap.inputs).collect::<Vec<_>>();
    println!("{graph:?}\n{report:?}");
    assert_eq!(traps(&report), traps(&graph));
}
