//! Exports called one after the other, as a host calls them: `examples/calculator`, a reactor of WASI.

use std::path::PathBuf;

use borges_session::command::{Act, Command, Direction, Look, StopReason};
use borges_session::headless::{self, RunOptions, RunOutcome};
use borges_session::{Flow, Options, Reply, Session};

const CALCULATOR: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/calculator/calculator.wasm"
);

const ENTRIES: &str =
    "at = input()\n*at = \"7 2 /\"\nevaluate(5)\n# a comment\n*at = \"3 4 +\"\nevaluate(5)";

fn open(entry: &str, session_file: Option<PathBuf>) -> Result<Session, String> {
    let options = Options {
        entry: Some(entry.to_owned()),
        session_file,
        ..Options::new(CALCULATOR)
    };
    Session::open(options).map_err(|error| error.to_string())
}

fn run(session: &mut Session, command: impl Into<Command>) -> Reply {
    let reply = session.execute(command, &mut |_| Flow::Continue);
    reply.expect("the command is carried out")
}

fn to_the_end(session: &mut Session) -> StopReason {
    let direction = Direction::Forward;
    match run(session, Act::Continue { direction }) {
        Reply::Stopped(stop) => stop.reason,
        other => panic!("{other:?}"),
    }
}

fn finished(results: &[&str]) -> StopReason {
    let results = results.iter().map(|text| (*text).to_owned()).collect();
    StopReason::Finished { results }
}

#[test]
fn all_results_are_returned_and_twin_device_and_plain_run_agree() {
    let mut session = open(ENTRIES, None).expect("it opens");
    assert_eq!(to_the_end(&mut session), finished(&["1024", "3", "7"]));
    run(&mut session, Act::Verify);
    let options = RunOptions {
        entry: Some(ENTRIES.to_owned()),
        ..RunOptions::default()
    };
    let report = headless::run(CALCULATOR.as_ref(), None, &options, &mut |_| Flow::Continue);
    let report = report.expect("it runs");
    assert_eq!(report.outcome, RunOutcome::Returned);
    assert_eq!(report.results, [1024, 3, 7].map(serde_json::Value::from));
}

#[test]
fn a_session_file_holds_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("calculator.borges");
    let mut session = open(ENTRIES, Some(file.clone())).expect("it opens");
    let end = to_the_end(&mut session);
    let Reply::Moment { moment, .. } = run(&mut session, Look::Moment) else {
        panic!("no moment");
    };
    // What is built anew and has not changed is the same program.
    let Reply::Done { message, .. } = run(
        &mut session,
        Act::Upload {
            program: CALCULATOR.into(),
        },
    ) else {
        panic!("no answer");
    };
    assert!(message.contains("the same program"), "{message}");
    drop(session);
    let mut session = Session::resume(&file).expect("the file opens");
    run(&mut session, Act::Restart);
    assert_eq!(to_the_end(&mut session), end);
    // Other calls are another program: its moments are no others'.
    let mut other = open("input", None).expect("it opens");
    let jump = Act::Jump { target: moment };
    let refused = other.execute(jump, &mut |_| Flow::Continue);
    assert!(refused.is_err(), "{refused:?}");
}

#[test]
fn what_cannot_be_called_is_said() {
    for (entry, why) in [
        ("evaluat(1)", "no function 'evaluat'"),
        ("evaluate(x)", "not a value of type i32"),
        ("evaluate()", "takes (i32)"),
        ("evaluate(2147483648000)", "2147483648000"),
        ("at = input()\nat = input()", "already"),
        ("2nd = input()", "is no name"),
        ("*at = \"x\"", "no earlier line"),
        ("at = input()\n*at = x", "quotes"),
        ("at = input()\n*at = \"\\q\"", "escape"),
        ("x = _initialize()", "0 results"),
        ("evaluate(1", "bracket"),
        ("main", "no function 'main'"),
    ] {
        let error = open(entry, None).err().unwrap_or_default();
        assert!(error.contains(why), "{entry}: {error}");
    }
    let text = |length: usize| format!("at = input()\n*at = \"{}\"", "x".repeat(length));
    assert!(open(&text(1 << 16), None).is_ok());
    let error = open(&text((1 << 16) + 1), None).err().unwrap_or_default();
    assert!(error.contains("65536"), "{error}");
}
