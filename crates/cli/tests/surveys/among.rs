//! Surveys among several processes, over sockets of this computer.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{done, explore, found, problems, program, programs, support};

/// A worker on one core, and what it says.
pub(crate) struct Worker {
    child: Child,
    said: BufReader<ChildStdout>,
    address: String,
}

impl Worker {
    pub(crate) fn start(more: &[&str]) -> Self {
        Self::of(Path::new(env!("CARGO_BIN_EXE_borges")), more)
    }

    fn of(borges: &Path, more: &[&str]) -> Self {
        let mut child = Command::new(borges)
            .args([
                "--json",
                "worker",
                "--cores",
                "1",
                "--listen",
                "127.0.0.1:0",
            ])
            .args(more)
            .current_dir(support::root())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let address = next(&mut said)["address"].as_str().unwrap().to_owned();
        Self {
            child,
            said,
            address,
        }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
    }

    /// What it says next.
    pub(crate) fn next(&mut self) -> Value {
        next(&mut self.said)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn next(said: &mut BufReader<ChildStdout>) -> Value {
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"))
}

/// A file with the addresses of workers.
pub(crate) fn hosts(folder: &Path, workers: &[&Worker]) -> PathBuf {
    let lines: Vec<_> = workers
        .iter()
        .map(|worker| worker.address.as_str())
        .collect();
    program(folder, "hosts.txt", &lines.join("\n"))
}

#[test]
fn workers_say_what_a_graph_says() {
    let folder = tempfile::tempdir().unwrap();
    let workers = [Worker::start(&[]), Worker::start(&[])];
    let two = hosts(folder.path(), &[&workers[0], &workers[1]]);
    let two = two.to_str().unwrap();
    let one = program(folder.path(), "one.txt", &workers[1].address);
    let one = one.to_str().unwrap();
    let files = problems().map(|(name, text)| program(folder.path(), name, &text));
    let files = files.iter().map(|file| file.to_str().unwrap());
    let examples = [
        "examples/philosophers/philosophers.oz",
        "examples/choices/choices.amb",
    ];
    for (nth, file) in files.chain(examples).enumerate() {
        // The grain of rules has more states.
        let grain = if nth < 2 { "visible" } else { "rule" };
        let asked = [file, "--grain", grain, "--forbid", "deadlock"];
        let graph = found(&done(&asked));
        assert_eq!(graph.sizes[2], Value::Bool(true), "{file}");
        for more in [
            &["--workers", two][..],
            &["--workers", one, "--bits", "128"],
        ] {
            let survey = done(&[&asked[..], &["--survey", "--cores", "1"], more].concat());
            assert_eq!(found(&survey), graph, "{file} {more:?}");
        }
    }
}

#[test]
fn the_others_end_when_one_is_killed_and_what_was_kept_is_gone_on_with_by_any_number() {
    let folder = tempfile::tempdir().unwrap();
    let file = program(folder.path(), "commit.at", &programs::two_phase_commit(7));
    let asked = [
        file.to_str().unwrap(),
        "--grain",
        "visible",
        "--forbid",
        "deadlock",
        "--survey",
    ];
    let graph = found(&done(&asked));
    let mut workers = [Worker::start(&[]), Worker::start(&[])];
    let kept = folder.path().join("kept");
    let kept = kept.to_str().unwrap();
    for (nth, cores) in ["1", "2"].into_iter().enumerate() {
        let _ = fs::remove_file(kept);
        let two = hosts(folder.path(), &[&workers[0], &workers[1]]);
        let more = [
            "--cores",
            "1",
            "--workers",
            two.to_str().unwrap(),
            "--checkpoint",
            kept,
            // At 0 it is written all the time, so one is killed while it is.
            "--every",
            if nth == 0 { "0.05" } else { "0" },
        ];
        let leader = explore(&[&asked[..], &more].concat()).spawn().unwrap();
        while !Path::new(kept).exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        workers[1].kill();
        let killed = Instant::now();
        let output = leader.wait_with_output().unwrap();
        assert!(
            killed.elapsed() < Duration::from_secs(5),
            "{:?}",
            killed.elapsed()
        );
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(
            said.contains(&workers[1].address) && said.contains("--resume"),
            "{said}"
        );
        // The other one waits for the next.
        assert_eq!(workers[0].next()["event"], "begins");
        assert_eq!(workers[0].next()["event"], "over");
        let resumed = done(&["--resume", kept, "--states", "1"]);
        assert!(found(&resumed).sizes[0].as_u64() < graph.sizes[0].as_u64());
        // By this process alone, then by three again.
        let copy = folder.path().join("copy");
        let copy = copy.to_str().unwrap();
        fs::copy(kept, copy).unwrap();
        assert_eq!(found(&done(&["--resume", copy, "--cores", cores])), graph);
        workers[1] = Worker::start(&[]);
        let two = hosts(folder.path(), &[&workers[0], &workers[1]]);
        let two = [
            "--resume",
            kept,
            "--cores",
            "1",
            "--workers",
            two.to_str().unwrap(),
        ];
        assert_eq!(found(&done(&two)), graph);
        assert_eq!(workers[0].next()["of"], 3);
        assert_eq!(workers[0].next()["event"], "done");
    }
}

#[test]
fn a_leader_that_is_killed_leaves_workers_that_wait_for_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let file = program(folder.path(), "commit.at", &programs::two_phase_commit(8));
    let mut worker = Worker::start(&["--surveys", "2"]);
    let one = hosts(folder.path(), &[&worker]);
    let asked = [
        file.to_str().unwrap(),
        "--grain",
        "visible",
        "--survey",
        "--workers",
        one.to_str().unwrap(),
    ];
    let mut leader = explore(&asked).spawn().unwrap();
    assert_eq!(worker.next()["event"], "begins");
    // Who comes meanwhile is told so.
    let other = done(&asked);
    let said = String::from_utf8(other.stdout).unwrap();
    assert_eq!(other.status.code(), Some(4), "{said}");
    assert!(said.contains("works for another survey"), "{said}");
    assert_eq!(worker.next()["event"], "turned-away");
    leader.kill().unwrap();
    leader.wait().unwrap();
    assert_eq!(worker.next()["event"], "over");
    let math = [
        "examples/math-actor/math.at",
        "--survey",
        "--workers",
        one.to_str().unwrap(),
    ];
    assert_eq!(found(&done(&math)).sizes[0], 537);
    assert!(worker.child.wait().unwrap().success());
}

#[test]
fn who_has_another_key_or_is_another_build_is_refused_and_the_worker_waits_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (key, wrong) = (path("key"), path("wrong"));
    fs::write(&wrong, "another key, of thirty-two bytes").unwrap();
    let mut worker = Worker::start(&["--key-file", &key]);
    let one = hosts(folder.path(), &[&worker]);
    let asked = [
        "examples/math-actor/math.at",
        "--survey",
        "--workers",
        one.to_str().unwrap(),
    ];
    let refused = |more: &[&str], why: &str| {
        let output = done(&[&asked[..], more].concat());
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains(why), "{said}");
    };
    // Garbage, of a length that is no record's and of one that is.
    for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0; 4000]] {
        let mut stream = TcpStream::connect(&worker.address).unwrap();
        stream.write_all(garbage).unwrap();
        assert_eq!(stream.read(&mut [0; 1]).unwrap_or(0), 0);
        assert_eq!(worker.next()["event"], "turned-away");
    }
    refused(&["--key-file", &wrong], "does not have this key");
    assert_eq!(worker.next()["event"], "turned-away");
    // Bytes behind a program count for nothing, but it is another one.
    let other = PathBuf::from(path("borges"));
    fs::copy(env!("CARGO_BIN_EXE_borges"), &other).unwrap();
    fs::OpenOptions::new()
        .append(true)
        .open(&other)
        .and_then(|mut file| file.write_all(b"another build"))
        .unwrap();
    let stranger = Worker::of(&other, &[]);
    let strangers = program(folder.path(), "strangers.txt", &stranger.address);
    let output = done(&[
        "examples/math-actor/math.at",
        "--survey",
        "--workers",
        strangers.to_str().unwrap(),
    ]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("another build"), "{said}");
    // After all that it works, with the key.
    let survey = done(&[&asked[..], &["--key-file", &key, "--cores", "1"]].concat());
    assert_eq!(found(&survey).sizes[0], 537);
    assert_eq!(worker.next()["event"], "begins");
    assert_eq!(worker.next()["event"], "done");
}

#[test]
fn what_workers_cannot_do_is_said_before_anything_is_explored() {
    let folder = tempfile::tempdir().unwrap();
    let none = program(folder.path(), "none.txt", "# nobody\n");
    let far = program(folder.path(), "far.txt", "192.0.2.1:7070\n");
    let math = "examples/math-actor/math.at";
    for (asked, code, why) in [
        (
            &["--workers", none.to_str().unwrap(), "--survey"][..],
            3,
            "names no worker",
        ),
        (
            &["--workers", far.to_str().unwrap(), "--survey"],
            4,
            "is not on this computer",
        ),
        (&["--workers", far.to_str().unwrap()], 2, "is for surveys"),
        (
            &[
                "--workers",
                far.to_str().unwrap(),
                "--survey",
                "--forbid",
                "race",
            ],
            2,
            "no pairs of steps",
        ),
        (&["--hosts-from", "slurm", "--survey"], 3, "SLURM"),
    ] {
        let output = done(&[&[math], asked].concat());
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(why), "{said}");
    }
    let listen = Command::new(env!("CARGO_BIN_EXE_borges"))
        .args(["worker", "--listen", "0.0.0.0:0"])
        .output()
        .unwrap();
    assert_eq!(listen.status.code(), Some(4));
    assert!(
        String::from_utf8(listen.stderr)
            .unwrap()
            .contains("--key-file")
    );
}
