//! A survey in files: killed at any moment it is gone on with, by any number of cores, to what a graph says; and files that
//! are none are refused by name.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside `#[test]` functions.

#[path = "surveys/among.rs"]
mod among;
#[path = "surveys/devices.rs"]
mod devices;
#[allow(dead_code)] // Of the problems of the bench, those that are small enough.
#[path = "../../../benches/concurrent/src/programs.rs"]
mod programs;
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

fn explore(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_borges"));
    command
        .args(["--json", "explore"])
        .args(arguments)
        .current_dir(support::root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn done(arguments: &[&str]) -> Output {
    explore(arguments).output().unwrap()
}

/// What a report says that does not depend on how states were explored.
#[derive(Debug, PartialEq)]
struct Found {
    sizes: [Value; 4],
    /// The text of each outcome, its states, and the length of a shortest way.
    ends: Vec<(Value, Value, usize)>,
    /// The goals: whether they hold, and the length of a shortest way to what speaks against them.
    goals: Vec<(Value, Value, usize)>,
}

fn found(output: &Output) -> Found {
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let all = |name: &str| report[name].as_array().cloned().unwrap_or_default();
    let length = |of: &Value| of["trace"].as_array().map_or(0, Vec::len);
    Found {
        sizes: ["states", "edges", "complete", "why"].map(|name| report[name].clone()),
        ends: all("ends")
            .iter()
            .map(|end| (end["text"].clone(), end["states"].clone(), length(end)))
            .collect(),
        goals: all("goals")
            .iter()
            .map(|goal| (goal["goal"].clone(), goal["holds"].clone(), length(goal)))
            .collect(),
    }
}

/// A program in a file.
fn program(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    fs::write(&file, text).unwrap();
    file
}

/// Problems of the bench, as small as a test can have them.
fn problems() -> [(&'static str, String); 3] {
    [
        ("philosophers.at", programs::philosophers(4)),
        ("commit.at", programs::two_phase_commit(6)),
        ("math.at", programs::math(4)),
    ]
}

#[test]
fn a_survey_says_what_a_graph_says() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in problems() {
        let file = program(folder.path(), name, &text);
        let asked = [
            file.to_str().unwrap(),
            "--grain",
            "visible",
            "--forbid",
            "deadlock",
        ];
        let graph = found(&done(&asked));
        assert_eq!(graph.sizes[2], Value::Bool(true), "{name}");
        for more in [
            &["--cores", "1"][..],
            &["--cores", "2"],
            &["--cores", "3", "--bits", "128"],
        ] {
            let survey = done(&[&asked[..], &["--survey"], more].concat());
            assert_eq!(found(&survey), graph, "{name} {more:?}");
        }
    }
}

#[test]
fn races_are_found_without_a_graph() {
    let asked = [
        "examples/atomicity-violation/atomicity-violation.oz",
        "--forbid",
        "race",
    ];
    let (graph, survey) = (done(&asked), done(&[&asked[..], &["--survey"]].concat()));
    assert_eq!(graph.status.code(), Some(1));
    assert_eq!(
        (survey.status.code(), found(&survey)),
        (graph.status.code(), found(&graph))
    );
}

/// Begins a survey, and kills it when it was kept so many times, or after some time.
fn killed(program: &Path, kept: &Path, every: &str, after: Duration) {
    let (program, file) = (program.to_str().unwrap(), kept.to_str().unwrap());
    let asked = [
        "--grain",
        "visible",
        "--survey",
        "--forbid",
        "deadlock",
        "--checkpoint",
        file,
        "--every",
        every,
    ];
    let mut child = explore(&[&[program], &asked[..]].concat()).spawn().unwrap();
    let began = Instant::now();
    while !kept.exists() && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(after);
    assert!(
        child.try_wait().unwrap().is_none(),
        "it was done before it was killed"
    );
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn killed_at_any_moment_it_is_gone_on_with_by_any_number_of_cores() {
    let folder = tempfile::tempdir().unwrap();
    let file = program(folder.path(), "commit.at", &programs::two_phase_commit(7));
    let graph = found(&done(&[
        file.to_str().unwrap(),
        "--grain",
        "visible",
        "--forbid",
        "deadlock",
        "--survey",
    ]));
    let kept = folder.path().join("kept");
    // At 0 it is written all the time: it is killed while it is.
    for (cores, every, after) in [("1", "0.05", 0), ("2", "0", 130), ("3", "0", 290)] {
        let _ = fs::remove_file(&kept);
        killed(&file, &kept, every, Duration::from_millis(after));
        let resumed = done(&["--resume", kept.to_str().unwrap(), "--cores", cores]);
        assert_eq!(found(&resumed), graph, "{cores} cores");
        // It was kept at its end: now there is nothing left to do.
        let again = done(&["--resume", kept.to_str().unwrap(), "--states", "1"]);
        assert_eq!(found(&again), graph);
    }
}

#[test]
fn ctrl_c_keeps_what_was_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = program(folder.path(), "commit.at", &programs::two_phase_commit(8));
    let kept = folder.path().join("kept");
    let asked = [
        file.to_str().unwrap(),
        "--grain",
        "visible",
        "--survey",
        "--checkpoint",
        kept.to_str().unwrap(),
    ];
    let child = explore(&asked).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let states = |output: &Output| found(output).sizes[0].as_u64().unwrap();
    let stopped = states(&output);
    let further = done(&[
        "--resume",
        kept.to_str().unwrap(),
        "--states",
        &(stopped + 1000).to_string(),
    ]);
    assert!(
        states(&further) >= stopped + 1000,
        "{stopped} states were kept"
    );
}

#[test]
fn files_that_are_none_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = program(folder.path(), "math.at", &programs::math(3));
    let kept = folder.path().join("kept");
    let kept = kept.to_str().unwrap();
    let asked = [
        file.to_str().unwrap(),
        "--survey",
        "--checkpoint",
        kept,
        "--states",
        "500",
    ];
    assert_eq!(done(&asked).status.code(), Some(0));
    let whole = fs::read(kept).unwrap();
    let refused = |bytes: &[u8], why: &str| {
        fs::write(kept, bytes).unwrap();
        let output = done(&["--resume", kept]);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(why) && said.contains(kept), "{said}");
    };
    refused(b"", "is no survey");
    refused(b"borges survey 1\n", "ends too early");
    for cut in [20, whole.len() / 2, whole.len() - 1, whole.len() - 12] {
        refused(&whole[..cut], "damaged");
    }
    for place in (16..whole.len()).step_by(whole.len() / 40) {
        let mut changed = whole.clone();
        changed[place] ^= 0x20;
        refused(&changed, "damaged");
    }
    let output = done(&["--resume", folder.path().join("none").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    // Before hours are spent on what cannot be kept.
    let nowhere = folder.path().join("none/kept");
    let nowhere = [
        file.to_str().unwrap(),
        "--survey",
        "--checkpoint",
        nowhere.to_str().unwrap(),
    ];
    let output = done(&nowhere);
    assert_eq!(output.status.code(), Some(3));
    assert!(!String::from_utf8(output.stdout).unwrap().contains("states"));
    // Races are pairs of steps, of which none are kept.
    let races = done(&[&asked[..], &["--forbid", "race"]].concat());
    assert_eq!(races.status.code(), Some(2));
    fs::write(kept, &whole).unwrap();
    assert_eq!(done(&["--resume", kept]).status.code(), Some(0));
}

#[test]
fn what_cannot_be_kept_at_the_end_is_shown_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    // A folder of the name is not replaced by a file.
    fs::create_dir(&kept).unwrap();
    let program = "examples/math-actor/math.at";
    let output = done(&[program, "--survey", "--checkpoint", kept.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(4));
    let lines = String::from_utf8(output.stdout).unwrap();
    let report: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(report["states"], 537);
}
