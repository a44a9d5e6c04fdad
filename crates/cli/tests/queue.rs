//! Paths that workers look for, which take jobs from a queue: a real `nats-server` on this computer, with a folder of its
//! own.

#![cfg(feature = "queue")]
#![allow(clippy::unwrap_used, reason = "a broken test may panic")]

mod support;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

const BORGES: &str = env!("CARGO_BIN_EXE_borges");

/// The server's program: Debian puts it where not everybody looks.
fn nats_server() -> &'static str {
    let usual = "/usr/sbin/nats-server";
    match Path::new(usual).exists() {
        true => usual,
        false => "nats-server",
    }
}

/// A server that keeps what it is given in a folder.
struct Server {
    child: Child,
    port: u16,
    folder: TempDir,
}

impl Server {
    fn start() -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let folder = tempfile::tempdir().unwrap();
        let child = Self::run(port, folder.path());
        Self {
            child,
            port,
            folder,
        }
    }

    fn run(port: u16, folder: &Path) -> Child {
        let child = Command::new(nats_server())
            .args(["--jetstream", "--addr", "127.0.0.1"])
            .args(["--port", &port.to_string()])
            .arg("--store_dir")
            .arg(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let child = child.expect("nats-server is there: scripts/setup.sh tests installs it");
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(
                began.elapsed() < Duration::from_secs(20),
                "it does not start"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        child
    }

    fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// It comes back with what it kept.
    fn again(&mut self) {
        self.child = Self::run(self.port, self.folder.path());
    }

    /// Says something to it as any program can.
    fn publish(&self, subject: &str, message: &[u8]) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let connect = "CONNECT {\"verbose\":false,\"pedantic\":false}\r\n";
        write!(stream, "{connect}PUB {subject} {}\r\n", message.len()).unwrap();
        stream.write_all(message).unwrap();
        write!(stream, "\r\nPING\r\n").unwrap();
        let mut said = String::new();
        while !said.contains("PONG") {
            let mut bytes = [0; 4096];
            let read = stream.read(&mut bytes).unwrap();
            assert!(read > 0, "{said}");
            said.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A worker on one core, and what it says.
struct Worker {
    child: Child,
    said: BufReader<ChildStdout>,
    /// Whoever has the same key and build.
    team: String,
}

impl Worker {
    fn start(server: &Server, more: &[&str]) -> Self {
        Self::of(Path::new(BORGES), server, more)
    }

    fn of(borges: &Path, server: &Server, more: &[&str]) -> Self {
        let mut child = Command::new(borges)
            .args(["--json", "worker", "--cores", "1", "--queue"])
            .arg(server.address())
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        let mut worker = Self {
            child,
            said,
            team: String::new(),
        };
        worker.team = worker.next()["team"].as_str().unwrap().to_owned();
        worker
    }

    /// What it says next.
    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"))
    }

    /// Waits until it says that something happened; what was said of it.
    fn hear(&mut self, event: &str) -> Value {
        loop {
            let said = self.next();
            if said["event"] == event {
                return said;
            }
        }
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A question about a program.
struct Asked {
    program: PathBuf,
    words: Vec<&'static str>,
}

impl Asked {
    fn new(program: impl Into<PathBuf>, words: &[&'static str]) -> Self {
        Asked {
            program: program.into(),
            words: words.to_vec(),
        }
    }

    fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new(BORGES);
        let (question, rest) = self.words.split_first().unwrap();
        command.args(["--json", question]).arg(&self.program);
        command.args(rest).args(more).args(["--time", "120"]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// What one process says.
    fn alone(&self) -> Value {
        found(&self.command(&[]).output().unwrap())
    }

    fn by(&self, server: &Server) -> Child {
        let address = server.address();
        self.command(&["--queue", &address]).spawn().unwrap()
    }

    fn answer_by(&self, server: &Server) -> Value {
        found(&self.by(server).wait_with_output().unwrap())
    }
}

/// A report without how it was found out.
fn found(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let report = serde_json::from_str(&text);
    let mut report: Value = report.unwrap_or_else(|_| panic!("{text}{errors}"));
    let fields = report.as_object_mut().unwrap();
    for field in [
        "seconds",
        "steps",
        "solver_queries",
        "evaluations",
        "time_ms",
    ] {
        fields.remove(field);
    }
    // As does how many paths are looked at until it is known why.
    if fields.contains_key("why") {
        fields.remove("paths");
    }
    // Which inputs lead to a line first depends on who was faster.
    for line in fields
        .get_mut("cover")
        .and_then(|cover| cover["lines"].as_array_mut())
        .into_iter()
        .flatten()
    {
        let line = line.as_object_mut().unwrap();
        let is_reached = line
            .remove("inputs")
            .is_some_and(|inputs| inputs.is_array());
        line.remove("reads");
        line.insert("is_reached".to_owned(), Value::Bool(is_reached));
    }
    report
}

/// A loop of 40 readings, each of which may end it.
fn readings() -> PathBuf {
    let text = r#"(module (import "env" "chip_analog_read" (func $in (param i32) (result i32)))
        (func (export "main") (local $n i32)
            (loop $l
                (if (i32.gt_s (call $in (i32.const 0)) (i32.const 4000)) (then (return)))
                (br_if $l (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 40))))
            (unreachable)))"#;
    support::program("readings.wasm", text)
}

/// A tree of some ten thousand paths, which one process needs some seconds for.
fn many(name: &str) -> PathBuf {
    let text = r#"(module (import "env" "chip_digital_read" (func $in (param i32) (result i32)))
        (memory 1)
        (func (export "main") (local $n i32) (local $i i32)
            (loop $l
                (if (call $in (i32.const 0)) (then (i32.store (i32.const 0) (local.get $n))))
                (local.set $i (i32.const 3000))
                (loop $w (br_if $w (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
                (br_if $l (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 12))))))"#;
    support::program(name, text)
}

#[test]
fn workers_find_what_one_process_finds() {
    let server = Server::start();
    let workers = [Worker::start(&server, &[]), Worker::start(&server, &[])];
    let example = support::example;
    for asked in [
        Asked::new(example("while"), &["paths", "--max-inputs", "4"]),
        Asked::new(example("crystal-ball"), &["paths", "--max-inputs", "4"]),
        Asked::new(example("knock-lock"), &["paths", "--max-inputs", "5"]),
        Asked::new(readings(), &["paths", "--max-inputs", "40"]),
        Asked::new(
            many("many.wasm"),
            &["paths", "--max-inputs", "11", "--max-paths", "100000"],
        ),
        Asked::new(example("while"), &["bugs", "--max-inputs", "6"]),
        Asked::new(example("knock-lock"), &["cover", "--max-inputs", "5"]),
        Asked::new(
            example("crystal-ball"),
            &[
                "reach",
                "crystal-ball.ts:20",
                "--max-inputs",
                "3",
                "--inputs",
                "7",
            ],
        ),
        Asked::new(example("while"), &["why", "trap", "--max-inputs", "4"]),
    ] {
        assert_eq!(
            asked.answer_by(&server),
            asked.alone(),
            "{:?} {:?}",
            asked.program,
            asked.words
        );
    }
    drop(workers);
}

#[test]
fn whoever_is_killed_loses_only_its_time() {
    let mut server = Server::start();
    let asked = Asked::new(
        many("killed.wasm"),
        &["paths", "--max-inputs", "12", "--max-paths", "100000"],
    );
    let alone = asked.alone();
    // A worker in the middle of the first job, which only comes back when it is missed.
    let mut first = Worker::start(&server, &[]);
    let asks = asked.by(&server);
    first.hear("begins");
    first.kill();
    let killed = Instant::now();
    let mut second = Worker::start(&server, &[]);
    second.hear("begins");
    let missed = killed.elapsed();
    assert!(missed < Duration::from_secs(10), "{missed:?}");
    // Then the server, which comes back with what it kept, after longer than it takes to answer.
    server.kill();
    std::thread::sleep(Duration::from_secs(7));
    server.again();
    assert_eq!(found(&asks.wait_with_output().unwrap()), alone);
    second.hear("over");
    // Then whoever asks: its jobs are nobody's any more, and the next one's are done.
    let mut asks = asked.by(&server);
    second.hear("begins");
    asks.kill().unwrap();
    asks.wait().unwrap();
    second.hear("over");
    assert_eq!(asked.answer_by(&server), alone);
}

#[test]
fn a_queue_that_is_gone_for_good_leaves_what_was_found() {
    let mut server = Server::start();
    let asked = Asked::new(
        many("gone.wasm"),
        &["paths", "--max-inputs", "12", "--max-paths", "100000"],
    );
    let mut worker = Worker::start(&server, &[]);
    let asks = asked.by(&server);
    worker.hear("begins");
    server.kill();
    let report = found(&asks.wait_with_output().unwrap());
    assert_eq!(report["complete"], false);
    let why = report["unexplored"].to_string();
    assert!(why.contains("queue"), "{why}");
    assert_eq!(worker.hear("lost")["event"], "lost");
}

#[test]
fn strangers_are_named_and_the_run_goes_on_waiting() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (key, wrong) = (path("key"), path("wrong"));
    fs::write(&wrong, "another key, of thirty-two bytes").unwrap();
    fs::write(&key, "the key, of thirty-two bytes or so").unwrap();
    let other = PathBuf::from(path("borges"));
    fs::copy(BORGES, &other).unwrap();
    let mut file = fs::OpenOptions::new().append(true).open(&other).unwrap();
    file.write_all(b"another build").unwrap();
    drop(file);
    let mut keyless = Worker::start(&server, &[]);
    let mut wrongly = Worker::start(&server, &["--key-file", &wrong]);
    let mut foreign = Worker::of(&other, &server, &["--key-file", &key]);
    let asked = Asked::new(
        support::example("crystal-ball"),
        &["paths", "--max-inputs", "4"],
    );
    let alone = asked.alone();
    let address = server.address();
    let mut asks = asked
        .command(&["--queue", &address, "--key-file", &key])
        .spawn()
        .unwrap();
    for (worker, why) in [
        (&mut keyless, "another key, or none"),
        (&mut wrongly, "another key, or none"),
        (&mut foreign, "another build"),
    ] {
        let said = worker.hear("turned-away").to_string();
        assert!(said.contains(why), "{said}");
    }
    // Whoever asks is told so too, and waits on.
    let mut said = BufReader::new(asks.stderr.take().unwrap());
    let mut heard = String::new();
    while !(heard.contains("another build") && heard.contains("another key, or none")) {
        assert_ne!(said.read_line(&mut heard).unwrap(), 0, "{heard}");
    }
    assert!(asks.try_wait().unwrap().is_none());
    // Garbage on what our own listen to.
    let mut ours = Worker::start(&server, &["--key-file", &key]);
    for run in ["0", "0123456789abcdef"] {
        for garbage in [&b""[..], b"GET / HTTP/1.1", &[0xff; 5000]] {
            let team = &ours.team;
            server.publish(&format!("borges.{team}.jobs.{run}"), garbage);
            server.publish(&format!("borges.{team}.errand.{run}"), garbage);
            server.publish(&format!("borges.{team}.done.{run}"), garbage);
        }
    }
    server.publish("borges.hello", b"{\"team\":7");
    assert_eq!(ours.hear("begins")["program"], "crystal-ball.wasm");
    assert_eq!(found(&asks.wait_with_output().unwrap()), alone);
    // A job that nobody of ours put.
    server.publish(&format!("borges.{}.jobs.1", ours.team), b"none of ours");
    let said = ours.hear("turned-away").to_string();
    assert!(said.contains("none of us"), "{said}");
}

#[test]
fn what_a_queue_cannot_do_is_said_before_anything_is_explored() {
    let program = support::example("crystal-ball");
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let nobody = format!("nats://127.0.0.1:{port}");
    for (more, code, why) in [
        (
            &["--queue", "nats://192.0.2.1:4222", "--max-inputs", "3"][..],
            4,
            "is not on this computer",
        ),
        (
            &["--queue", "http://127.0.0.1:4222", "--max-inputs", "3"],
            4,
            "names no queue",
        ),
        (
            &["--queue", &nobody, "--max-inputs", "3"],
            4,
            "nats-server --jetstream",
        ),
        (&["--queue", &nobody], 2, "--max-inputs"),
        (
            &["--queue", &nobody, "--max-inputs", "3", "--cores", "2"],
            2,
            "--cores",
        ),
        (&["--key-file", "x", "--max-inputs", "3"], 2, "--queue"),
    ] {
        let output = Command::new(BORGES)
            .arg("paths")
            .arg(&program)
            .args(more)
            .output()
            .unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(why), "{said}");
    }
    // A server that keeps nothing.
    let folder = tempfile::tempdir().unwrap();
    let mut plain = Command::new(nats_server())
        .args(["--addr", "127.0.0.1", "--port", &port.to_string()])
        .current_dir(folder.path())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let worker = Command::new(BORGES)
        .args(["worker", "--queue", &nobody])
        .output();
    plain.kill().unwrap();
    plain.wait().unwrap();
    let worker = worker.unwrap();
    let said = String::from_utf8(worker.stderr).unwrap();
    assert_eq!(worker.status.code(), Some(4), "{said}");
    assert!(said.contains("keeps no jobs"), "{said}");
}
