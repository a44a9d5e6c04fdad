//! Surveys of device programs: on any number of cores, and gone on with by others after they were killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{done, explore};

/// Two counters that inputs drive, and a trap where both are high: many states, on a board without a limit.
fn counters(folder: &Path) -> PathBuf {
    let text = r#"(module
      (import "env" "chip_digital_read" (func $in (param i32) (result i32)))
      (global $a (mut i32) (i32.const 0))
      (global $b (mut i32) (i32.const 0))
      (func (export "main")
        (loop $again
          (if (call $in (i32.const 1))
            (then (global.set $a (i32.rem_u (i32.add (global.get $a) (i32.const 1)) (i32.const 330))))
            (else (global.set $b (i32.rem_u (i32.add (global.get $b) (i32.const 1)) (i32.const 330)))))
          (if (i32.and (i32.eq (global.get $a) (i32.const 90)) (i32.eq (global.get $b) (i32.const 70)))
            (then (unreachable)))
          (br $again))))"#;
    let program = folder.join("counters.wasm");
    fs::write(&program, wat::parse_str(text).unwrap()).unwrap();
    fs::write(folder.join("board.toml"), "").unwrap();
    program
}

/// What is said of a program's states, whoever looked at them.
fn told(arguments: &[&str]) -> Value {
    let output = done(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut report: Value = serde_json::from_slice(&output.stdout).expect(&said);
    let object = report.as_object_mut().unwrap();
    object.remove("seconds").unwrap();
    let survey = object.get_mut("survey").unwrap().as_object_mut().unwrap();
    survey.remove("workers").unwrap();
    report
}

#[test]
fn killed_at_any_moment_it_is_gone_on_with_by_any_number_of_cores() {
    let folder = tempfile::tempdir().unwrap();
    let program = counters(folder.path());
    let asked = [program.to_str().unwrap(), "--survey"];
    let whole = told(&[&asked[..], &["--cores", "1"]].concat());
    assert_eq!(whole["complete"], true);
    assert_eq!(whole["traps"].as_array().map(Vec::len), Some(1));
    assert_eq!(told(&[&asked[..], &["--cores", "3"]].concat()), whole);
    let kept = folder.path().join("kept");
    let file = kept.to_str().unwrap();
    for (cores, others, every, after) in [
        ("1", "2", "0.05", 0),
        ("2", "3", "0", 90),
        ("3", "1", "0", 210),
    ] {
        let _ = fs::remove_file(&kept);
        let keeps = ["--cores", cores, "--checkpoint", file, "--every", every];
        let mut child = explore(&[&asked[..], &keeps].concat()).spawn().unwrap();
        let began = Instant::now();
        while !kept.exists() && began.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(after));
        let is_done = child.try_wait().unwrap().is_some();
        assert!(!is_done, "it was done before it was killed");
        child.kill().unwrap();
        child.wait().unwrap();
        let resumed = told(&["--resume", file, "--cores", others]);
        assert_eq!(resumed, whole, "{cores}, then {others}");
        // It was kept at its end: now there is nothing left to do.
        assert_eq!(told(&["--resume", file, "--states", "1"]), whole);
    }
}

#[test]
fn what_one_process_does_is_refused_for_several_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let program = counters(folder.path());
    let hosts = folder.path().join("hosts");
    fs::write(&hosts, "127.0.0.1:7070\n").unwrap();
    let file = hosts.to_str().unwrap();
    for option in [
        &["--workers", file][..],
        &["--hosts-from", "slurm"],
        &["--key-file", file],
    ] {
        let output = done(&[&[program.to_str().unwrap(), "--survey"], option].concat());
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(said.contains(option[0]), "{said}");
        assert!(said.contains("one process"), "{said}");
    }
}
