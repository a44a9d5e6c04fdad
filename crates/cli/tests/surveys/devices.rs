//! Surveys of device programs: on any number of cores, and gone on with by others after they were killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::among::{Worker, hosts};
use super::{done, explore};

/// Two counters that inputs drive, to such a number, and a trap where both are high: many states, on a board without a
/// limit.
fn counters(folder: &Path, to: u32) -> PathBuf {
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
    let text = text.replace("330", &to.to_string());
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
    for how in ["workers", "asks", "sent_bytes"] {
        survey.remove(how).unwrap();
    }
    report
}

#[test]
fn killed_at_any_moment_it_is_gone_on_with_by_any_number_of_cores() {
    let folder = tempfile::tempdir().unwrap();
    let program = counters(folder.path(), 330);
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
fn workers_say_what_one_process_says() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    let key = key.to_str().unwrap();
    let guarded = ["--key-file", key];
    let workers = [0, 1, 2].map(|_| Worker::start(&guarded));
    let counters = counters(folder.path(), 40);
    let programs = [
        (
            counters.to_str().unwrap(),
            "100000",
            &["--never", "a == 7 && b == 9", "--always", "a < 40"][..],
        ),
        (
            "examples/knock-lock/knock-lock.wasm",
            "100000",
            &["--toward", "locked"],
        ),
        // What of its files changed goes from process to process.
        (
            "crates/cli/tests/programs/latch.wasm",
            "100000",
            &[
                "--dir",
                "examples/save-notes/data::/data",
                "--faults",
                "--never",
                "locked > 1",
            ],
        ),
        ("examples/breakout/breakout.wasm", "600", &[]),
    ];
    let verdicts = [&["fails", "holds"][..], &["holds"], &["holds"], &[]];
    for (nth, (program, most, goals)) in programs.into_iter().enumerate() {
        let asked = [program, "--survey", "--states", most, "--cores", "1"];
        let asked = [&asked[..], goals].concat();
        let alone = told(&asked);
        assert_eq!(alone["complete"], nth < 3, "{program}");
        let demands = alone["demands"].as_array().unwrap().iter();
        let held: Vec<&Value> = demands.map(|said| &said["verdict"]).collect();
        assert_eq!(held, verdicts[nth], "{program}");
        // The graph that comes first of the last one takes its time.
        for many in if nth < 3 { &[1, 2, 3][..] } else { &[2] } {
            let some: Vec<&Worker> = workers[..*many].iter().collect();
            let file = hosts(folder.path(), &some);
            let more = ["--workers", file.to_str().unwrap()];
            let by_workers = told(&[&asked[..], &more, &guarded].concat());
            assert_eq!(by_workers, alone, "{program} with {many}");
        }
    }
}

#[test]
fn who_is_killed_ends_it_and_what_was_kept_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let program = counters(folder.path(), 200);
    let asked = [program.to_str().unwrap(), "--survey", "--cores", "1"];
    let whole = told(&asked);
    let mut workers = [Worker::start(&[]), Worker::start(&[])];
    let two = hosts(folder.path(), &[&workers[0], &workers[1]]);
    let kept = folder.path().join("kept");
    let file = kept.to_str().unwrap();
    let more = [
        "--workers",
        two.to_str().unwrap(),
        "--checkpoint",
        file,
        "--every",
        "0.1",
    ];
    let leader = explore(&[&asked[..], &more].concat()).spawn().unwrap();
    let began = Instant::now();
    while !kept.exists() && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    workers[1].kill();
    let killed = Instant::now();
    let output = leader.wait_with_output().unwrap();
    let took = killed.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(
        said.contains(workers[1].address()) && said.contains("--resume"),
        "{said}"
    );
    // The other one waits for the next.
    assert_eq!(workers[0].next()["event"], "begins");
    assert_eq!(workers[0].next()["event"], "over");
    let copy = folder.path().join("copy");
    fs::copy(&kept, &copy).unwrap();
    let cores = ["--resume", copy.to_str().unwrap(), "--cores", "2"];
    assert_eq!(told(&cores), whole);
    let one = hosts(folder.path(), &[&workers[0]]);
    let workers = ["--resume", file, "--workers", one.to_str().unwrap()];
    assert_eq!(told(&workers), whole);
}

#[test]
fn what_cannot_be_surveyed_by_workers_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let program = counters(folder.path(), 40);
    let program = program.to_str().unwrap();
    let nobody = folder.path().join("hosts");
    fs::write(&nobody, "127.0.0.1:1\n").unwrap();
    let nobody = nobody.to_str().unwrap();
    let wrong = folder.path().join("wrong");
    fs::write(&wrong, "nobody at all\n").unwrap();
    let wrong = wrong.to_str().unwrap();
    for (asked, code, why) in [
        (&[program, "--workers", wrong][..], 3, "no host and port"),
        (&[program, "--hosts-from", "slurm"], 3, "SLURM"),
        (&[program, "--workers", nobody, "--split"], 2, "graphs"),
    ] {
        let output = done(&[asked, &["--survey"]].concat());
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(why), "{said}");
    }
}
