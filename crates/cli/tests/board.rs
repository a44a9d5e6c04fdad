//! A simulated board in a process of its own: sessions on it go as on one in the debugger's, and who does not have its
//! key gets nothing.

mod support;

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use borges_session::command::{Act, Direction, Flow, StepSize};
use borges_session::{Key, Options, Session};

use support::board::Board;
use support::{example, fresh};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(20);

const SCRIPT: &str = "break color-dial.ts:19; continue; verify; finish; verify; board; back; back; follow; verify; \
                      board; tree";

/// A board as one names it to a debugger.
fn device_of(board: &Board) -> String {
    format!("tcp:{}", board.address)
}

/// All that the board says to somebody who says this, until it hangs up.
fn answer_to(board: &Board, said: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(board.address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    // It may hang up before it has heard everything.
    let _heard = stream.write_all(said);
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
    }
    answer
}

fn repl(arguments: &[&str], script: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_borges"));
    command.arg("repl").arg(example("color-dial"));
    command.args(arguments).args(["-x", script]);
    command.output().expect("borges runs")
}

/// What a session prints, without what depends on the line.
fn transcript(arguments: &[&str]) -> String {
    let output = repl(arguments, SCRIPT);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    text
}

/// What a session that cannot connect says.
fn failure(arguments: &[&str]) -> String {
    let output = repl(arguments, "step");
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

#[test]
fn a_session_on_it_goes_as_on_a_board_of_ones_own() {
    let board = Board::start(None);
    let device = device_of(&board);
    assert_eq!(transcript(&["--device", &device]), transcript(&[]));
    // What the first session left behind is not in the second one's way; the cards that the sensor sees have gone on.
    transcript(&["--device", &device]);
}

#[test]
fn what_runs_on_it_is_recorded() {
    let board = Board::start(None);
    let file = fresh("on-a-board.borges");
    let mut command = Command::new(env!("CARGO_BIN_EXE_borges"));
    command.arg("record").arg(example("color-dial"));
    command.args(["--steps", "200", "--device", &device_of(&board), "--output"]);
    let output = command.arg(&file).output().expect("borges runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let mut replay = Command::new(env!("CARGO_BIN_EXE_borges"));
    let output = replay
        .arg("replay")
        .arg(&file)
        .output()
        .expect("borges runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("the same, bit for bit"), "{said}");
}

#[test]
fn with_the_key_everything_goes_as_without_one() {
    let file = fresh("board.key");
    let board = Board::start(Some(&file));
    let path = file.display().to_string();
    let arguments = ["--device", &device_of(&board), "--key-file", &path];
    assert_eq!(transcript(&arguments), transcript(&[]));
}

#[test]
fn who_does_not_have_the_key_is_told_so() {
    let file = fresh("right.key");
    let guarded = Board::start(Some(&file));
    let wrong = fresh("wrong.key");
    std::fs::write(&wrong, "another key than the board's").expect("a file");
    let wrong = wrong.display().to_string();
    let said = failure(&["--device", &device_of(&guarded), "--key-file", &wrong]);
    assert!(said.contains("does not take this key"), "{said}");
    let said = failure(&["--device", &device_of(&guarded)]);
    assert!(said.contains("Does it want a key (--key-file)"), "{said}");
    let open = Board::start(None);
    let said = failure(&["--device", &device_of(&open), "--key-file", &wrong]);
    assert!(said.contains("asks for no key"), "{said}");
    // 192.0.2.0/24 is nobody's: the refusal comes before anything is sent.
    let said = failure(&["--device", "tcp:192.0.2.1:5555"]);
    assert!(said.contains("is not on this computer"), "{said}");
    let open = Command::new(env!("CARGO_BIN_EXE_borges"))
        .args(["board", "--listen", "0.0.0.0:0"])
        .output()
        .expect("borges runs");
    let said = String::from_utf8_lossy(&open.stderr);
    assert!(said.contains("give a key with --key-file"), "{said}");
}

/// A session with a board that has a key, stopped somewhere.
fn session(device: &str, key_file: &Path) -> Session {
    let key = std::fs::read_to_string(key_file).expect("the board has made it");
    let options = Options {
        device: Some(device.parse().expect("an address")),
        device_key: Some(Key::new(key.trim().as_bytes()).expect("a key")),
        ..Options::new(example("color-dial"))
    };
    let mut session = Session::open(options).expect("a program");
    execute(&mut session, step(5));
    session
}

fn execute(session: &mut Session, command: Act) -> String {
    let reply = session.execute(command, &mut |_| Flow::Continue);
    format!("{:?}", reply.expect("it works"))
}

fn step(count: u64) -> Act {
    Act::Step {
        agent: None,
        direction: Direction::Forward,
        size: StepSize::Entry,
        count,
    }
}

#[test]
fn what_strangers_say_changes_nothing_and_is_answered_by_random_bytes_at_most() {
    let file = fresh("strangers.key");
    let board = Board::start(Some(&file));
    let mut session = session(&device_of(&board), &file);
    let before = execute(&mut session, Act::Verify);
    let greeting = golden_greeting();
    let hello = [&b"BGK1"[..], &[7; 16]].concat();
    let frames = [&hello[..], &greeting].concat();
    let strangers: [(&[u8], usize); 6] = [
        (b"GET / HTTP/1.1\r\n\r\n", 0),
        (&greeting, 0),
        (&[0; 4096], 0),
        (&[0xff; 4096], 0),
        // A hello gets as many random bytes, and then the connection is closed.
        (&[&hello[..], &[0; 32]].concat(), 20),
        (&[&frames[..], &[0; 32]].concat(), 20),
    ];
    for (said, most) in strangers {
        let answer = answer_to(&board, said);
        assert!(answer.len() <= most, "{said:?} is answered by {answer:?}");
    }
    assert_eq!(execute(&mut session, Act::Verify), before);
    execute(&mut session, step(3));
    execute(&mut session, Act::Verify);
}

#[test]
fn a_recorded_session_opens_nothing() {
    let file = fresh("recorded.key");
    let board = Board::start(Some(&file));
    let (wire, recording) = tap(board.address);
    let mut first = session(&format!("tcp:{wire}"), &file);
    let state = execute(&mut first, Act::Verify);
    let said = recording.recv_timeout(PATIENCE).expect("the first bytes");
    let answer = answer_to(&board, &said);
    assert!(answer.len() <= 20, "{} bytes for a stranger", answer.len());
    assert_eq!(execute(&mut first, Act::Verify), state);
}

/// A wire to a board, and what was said to the board on it: the handshake, and some records.
fn tap(board: SocketAddr) -> (SocketAddr, std::sync::mpsc::Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("its number");
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let (host, _) = listener.accept().expect("a debugger");
        let device = TcpStream::connect(board).expect("the board");
        let (mut from_device, mut to_host) = (
            device.try_clone().expect("a second handle"),
            host.try_clone().expect("a second handle"),
        );
        std::thread::spawn(move || std::io::copy(&mut from_device, &mut to_host));
        let (mut host, mut device) = (host, device);
        let mut recorded = Vec::new();
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = host.read(&mut buffer) {
            recorded.extend_from_slice(&buffer[..length]);
            let passed = device.write_all(&buffer[..length]);
            if recorded.len() > 200 {
                let _read_once = send.send(recorded.clone());
            }
            if passed.is_err() {
                break;
            }
        }
    });
    (address, receive)
}

/// A well-formed greeting of a host: the first line of the protocol's golden conversation.
fn golden_greeting() -> Vec<u8> {
    let text = include_str!("../../wire/tests/golden/frames.txt");
    let hex = text.split_whitespace().nth(2).expect("time, side, bytes");
    let pairs = (0..hex.len()).step_by(2).map(|at| &hex[at..at + 2]);
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).expect("hex"))
        .collect()
}
