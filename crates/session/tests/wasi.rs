//! A program of an operating system in a session: `examples/save-notes`.

use std::path::PathBuf;

use crate::asking::{execute, path, run};
use borges_session::command::{Act, Direction, Look, MockValues, StepSize, StopReason};
use borges_session::headless::{self, RunOptions, RunOutcome};
use borges_session::{Event, Flow, Options, Provided, Reply, Session};

const PROGRAM: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/save-notes/save-notes.wasm"
);

fn given() -> Provided {
    let data = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/save-notes/data"
    );
    Provided {
        folders: vec![(PathBuf::from(data), "/data".to_owned())],
        input: b"one\ntwo\nthree\n".to_vec(),
        ..Provided::default()
    }
}

fn open(session_file: Option<PathBuf>) -> Session {
    let options = Options {
        system: Some(given()),
        session_file,
        ..Options::new(PROGRAM)
    };
    Session::open(options).expect("the program opens")
}

fn go(session: &mut Session, direction: Direction) -> StopReason {
    match run(session, Act::Continue { direction }) {
        Reply::Stopped(stop) => stop.reason,
        other => panic!("{other:?}"),
    }
}

/// What the program has printed, where the session stands.
fn console(session: &mut Session) -> String {
    match run(session, Look::Board) {
        Reply::Board(board) => match &board.board["console"]["tail"] {
            serde_json::Value::Array(lines) => {
                lines.iter().filter_map(|line| line.as_str()).collect()
            }
            tail => tail.as_str().unwrap_or_default().to_owned(),
        },
        other => panic!("{other:?}"),
    }
}

fn exited(code: u32) -> StopReason {
    let results = vec![format!("exit code {code}")];
    StopReason::Finished { results }
}

#[test]
fn it_runs_as_on_a_runtime_and_any_past_moment_is_shown() {
    let mut session = open(None);
    assert_eq!(go(&mut session, Direction::Forward), exited(4));
    assert_eq!(console(&mut session), "3 lines saved in /data/notes.txt\n");
    run(&mut session, Act::Verify);
    let all = path(&mut session);
    assert!(
        all.iter()
            .any(|text| text.starts_with("fd_read(0,")
                && text.ends_with(r#"= 14 "one\ntwo\nthree\n""#)),
        "{all:?}"
    );
    assert!(all.iter().any(|text| text.starts_with("path_rename(")));
    // Back over what it printed: that is unprinted. The device comes along by running again, and agrees.
    let size = StepSize::Entry;
    for count in [2, 7] {
        run(
            &mut session,
            Act::Step {
                agent: None,
                direction: Direction::Backward,
                size,
                count,
            },
        );
        run(&mut session, Act::Follow { always: None });
        run(&mut session, Act::Verify);
    }
    assert_eq!(console(&mut session), "");
    assert_eq!(go(&mut session, Direction::Forward), exited(4));
    assert_eq!(path(&mut session), all);
}

#[test]
fn a_full_disk_is_a_mock_and_the_file_is_lost() {
    let mut session = open(None);
    let call = "fd_write".to_owned();
    let values = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    for (wrong, why) in [
        ("ENOENT", "it can be ok, "),
        ("\"abc\"", "it can be ok, "),
        ("nonsense", "ENOSPC"),
    ] {
        let values = MockValues::Then(values(&[wrong]));
        let error = execute(
            &mut session,
            Act::Mock {
                call: call.clone(),
                values,
            },
        );
        let error = error.expect_err(wrong);
        assert!(error.contains(why), "{wrong}: {error}");
    }
    let values = MockValues::Then(values(&["ENOSPC"]));
    run(&mut session, Act::Mock { call, values });
    // The program says that all is well.
    assert_eq!(go(&mut session, Direction::Forward), exited(4));
    assert!(console(&mut session).starts_with("3 lines saved"));
    let written = path(&mut session)
        .into_iter()
        .find(|text| text.starts_with("fd_write("))
        .expect("it writes");
    assert!(written.ends_with("= ENOSPC"), "{written}");
    run(&mut session, Act::Verify);
}

fn mock(
    session: &mut Session,
    call: &str,
    values: &[&str],
    then_live: bool,
) -> Result<Reply, String> {
    let values = values.iter().map(|text| (*text).to_owned()).collect();
    let values = match then_live {
        true => MockValues::Then(values),
        false => MockValues::Sequence(values),
    };
    let call = call.to_owned();
    execute(session, Act::Mock { call, values })
}

#[test]
fn a_mock_is_about_one_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("notes.borges");
    let mut session = open(Some(file.clone()));
    for (wrong, why) in [
        ("path_open(\"/config\")", "begin with \"/data\""),
        ("path_open(\"/data/../config\")", "begin with"),
        ("path_open(stdin)", "begin with"),
        ("path_open(\"/data/a)", "lacks a closing quote"),
        ("clock_time_get(\"/data/a\")", "about no file"),
        ("fd_write(\"/data/a\", 1)", "alone"),
        (
            "fd_write(\"/data/a\", _)",
            "give all arguments of fd_write or none",
        ),
    ] {
        let error = mock(&mut session, wrong, &["EIO"], false).expect_err(wrong);
        assert!(error.contains(why), "{wrong}: {error}");
    }
    let made = mock(
        &mut session,
        "fd_write(\"/data/./new.txt\")",
        &["ENOSPC"],
        true,
    );
    made.expect("it can fail");
    // The other writes are those to standard output: they go on.
    assert_eq!(go(&mut session, Direction::Forward), exited(4));
    assert!(console(&mut session).starts_with("3 lines saved"));
    let all = path(&mut session);
    let failed = |text: &&String| text.ends_with("= ENOSPC");
    let failed: Vec<&String> = all.iter().filter(failed).collect();
    assert!(
        matches!(&*failed, [one] if one.starts_with("fd_write(4, ")),
        "{all:?}"
    );
    run(&mut session, Act::Verify);
    let Reply::Moment { moment, .. } = run(&mut session, Look::Moment) else {
        panic!("no moment");
    };
    // The folder's way is the same mock; it is in the session file.
    let made = mock(
        &mut session,
        "path_open(\"/data/x/../new.txt\")",
        &["EACCES"],
        false,
    );
    made.expect("it can fail");
    let mocks = |session: &mut Session| match run(session, Look::Mocks) {
        Reply::Mocks { mocks } => mocks.into_iter().map(|mock| mock.call).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let named = [
        "fd_write(\"/data/new.txt\")",
        "path_open(\"/data/new.txt\")",
    ];
    assert_eq!(mocks(&mut session), named);
    drop(session);
    let mut session = Session::resume(&file).expect("the file opens");
    assert_eq!(mocks(&mut session), named);
    run(&mut session, Act::Restart);
    assert_eq!(go(&mut session, Direction::Forward), StopReason::Tip);
    assert_eq!(go(&mut session, Direction::Forward), exited(2));
    run(&mut session, Act::Verify);
    let call = Some("path_open(\"/data/new.txt\")".to_owned());
    run(&mut session, Act::Unmock { call });
    assert_eq!(mocks(&mut session), named[..1]);
    let mut other = open(None);
    run(&mut other, Act::Jump { target: moment });
    assert_eq!(path(&mut other), all);
}

#[test]
fn a_mock_that_lets_a_call_go_by_itself_is_used_up_by_it() {
    let mut session = open(None);
    mock(&mut session, "fd_write", &["ok", "EIO"], true).expect("it can fail");
    let written = |session: &mut Session| {
        let all = path(session);
        all.into_iter()
            .filter(|text| text.starts_with("fd_write("))
            .collect::<Vec<_>>()
    };
    let size = StepSize::Entry;
    while written(&mut session).is_empty() {
        let (agent, direction, count) = (None, Direction::Forward, 1);
        run(
            &mut session,
            Act::Step {
                agent,
                direction,
                size,
                count,
            },
        );
    }
    // The device is told all mocks again: the first write stays used up.
    mock(&mut session, "path_open(\"/data/other\")", &["EIO"], false).expect("it can fail");
    assert_eq!(go(&mut session, Direction::Forward), exited(4));
    let written = written(&mut session);
    let failed: Vec<bool> = written.iter().map(|text| text.ends_with("= EIO")).collect();
    assert_eq!(failed, [false, true], "{written:?}");
}

#[test]
fn a_session_file_holds_what_the_program_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("notes.borges");
    let mut session = open(Some(file.clone()));
    assert_eq!(go(&mut session, Direction::Forward), exited(4));
    let (all, moment) = (path(&mut session), run(&mut session, Look::Moment));
    drop(session);
    // Nobody says again which folder and which input it had.
    let mut session = Session::resume(&file).expect("the file opens");
    assert_eq!(path(&mut session), all);
    assert!(console(&mut session).starts_with("3 lines saved"));
    run(&mut session, Act::Restart);
    assert_eq!(go(&mut session, Direction::Forward), exited(4));
    run(&mut session, Act::Verify);
    // The moment's name holds the choices alone: whoever has the same files comes there.
    let Reply::Moment { moment, .. } = moment else {
        panic!("no moment");
    };
    let mut other = open(None);
    run(&mut other, Act::Jump { target: moment });
    assert_eq!(path(&mut other), all);
}

#[test]
fn a_plain_run_has_streams_and_a_code() {
    let options = RunOptions {
        system: Some(given()),
        ..RunOptions::default()
    };
    let mut streams = (Vec::new(), Vec::new());
    let report = headless::run(PROGRAM.as_ref(), None, &options, &mut |event| {
        if let Event::Stream { is_error, bytes } = event {
            if is_error {
                streams.1.extend(bytes);
            } else {
                streams.0.extend(bytes);
            }
        }
        Flow::Continue
    });
    let report = report.expect("it runs");
    assert_eq!(
        (report.outcome, report.exit_code),
        (RunOutcome::Exited, Some(4))
    );
    assert_eq!(streams.0, b"3 lines saved in /data/notes.txt\n");
    assert!(streams.1.is_empty());
    // Without its folder it says so, on the other stream.
    let mut errors = Vec::new();
    let report = headless::run(
        PROGRAM.as_ref(),
        None,
        &RunOptions::default(),
        &mut |event| {
            if let Event::Stream {
                is_error: true,
                bytes,
            } = event
            {
                errors.extend(bytes);
            }
            Flow::Continue
        },
    );
    assert_eq!(report.expect("it runs").exit_code, Some(2));
    assert!(errors.starts_with(b"fopen: "));
}

#[test]
fn the_files_of_the_host_change_only_on_demand() {
    let host = tempfile::tempdir().expect("a temporary folder");
    let notes = host.path().join("notes.txt");
    std::fs::write(&notes, "those before\n").expect("a file");
    let mut system = given();
    system.folders = vec![(host.path().to_owned(), "/data".to_owned())];
    let mut options = RunOptions {
        system: Some(system),
        ..RunOptions::default()
    };
    let run = |options: &RunOptions| {
        headless::run(PROGRAM.as_ref(), None, options, &mut |_| Flow::Continue)
    };
    let report = run(&options).expect("it runs");
    let read = || std::fs::read_to_string(&notes).expect("it is there");
    assert_eq!(
        (report.written, read().as_str()),
        (vec![], "those before\n")
    );
    options.write_back = true;
    let report = run(&options).expect("it runs");
    assert_eq!(report.written, [notes.display().to_string()]);
    assert_eq!(read().lines().count(), 3);
    // Nothing is different, so nothing is written.
    assert_eq!(
        run(&options).expect("it runs").written,
        Vec::<String>::new()
    );
}

#[test]
fn a_changed_program_finds_what_the_one_before_it_found() {
    let mut session = open(None);
    assert_eq!(go(&mut session, Direction::Forward), exited(4));
    // The other program imports functions that the first one does not.
    let other = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../wasi/tests/programs/words.wasm"
    );
    let program = other.to_owned();
    run(&mut session, Act::Upload { program });
    go(&mut session, Direction::Forward);
    run(&mut session, Act::Verify);
}

/// More calls than fit in one message: none of them has a choice, and each counts.
#[test]
fn a_device_is_brought_back_over_many_calls() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("yields.wasm");
    let bytes = wat::parse_str(
        r#"(module (import "wasi_snapshot_preview1" "sched_yield" (func $yield (result i32)))
            (func (export "_start") (local i32)
                (loop $again
                    (drop (call $yield))
                    (br_if $again (i32.lt_u
                        (local.tee 0 (i32.add (local.get 0) (i32.const 1)))
                        (i32.const 600000))))))"#,
    );
    std::fs::write(&program, bytes.expect("a module")).expect("written");
    let mut options = Options::new(&program);
    options.device_takes_differences = false;
    let mut session = Session::open(options).expect("the program opens");
    go(&mut session, Direction::Forward);
    run(
        &mut session,
        Act::Step {
            agent: None,
            direction: Direction::Backward,
            size: StepSize::Entry,
            count: 1,
        },
    );
    run(&mut session, Act::Follow { always: None });
    run(&mut session, Act::Verify);
}

#[test]
fn standard_input_can_be_another_from_here_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("notes.borges");
    let mut session = open(Some(file.clone()));
    for (wrong, live) in [("3", false), ("EIO", false), ("\"a\"", true)] {
        let error = mock(&mut session, "stdin", &[wrong], live).expect_err(wrong);
        assert!(error.contains("one text in quotes"), "{error}");
    }
    mock(&mut session, "stdin from x", &["\"a\""], false).expect_err("no number");
    // More than the buffer of one read: it comes in pieces, and then its end, which is read again.
    let long = "\"".to_owned() + &"a line\\n".repeat(300) + "\"";
    mock(&mut session, "stdin", &[&long], false).expect("it is mocked");
    assert_eq!(go(&mut session, Direction::Forward), exited(4));
    assert_eq!(
        console(&mut session),
        "300 lines saved in /data/notes.txt\n"
    );
    run(&mut session, Act::Verify);
    let all = path(&mut session);
    let reads = all.iter().filter(|text| text.starts_with("fd_read(0"));
    assert_eq!(reads.count(), 4);
    // Where it was mocked is a place in the input, so what is walked again is what was recorded.
    run(&mut session, Act::Restart);
    assert_eq!(go(&mut session, Direction::Forward), exited(4));
    assert_eq!(path(&mut session), all);
    // From behind the first piece on there is something else.
    let read = |text: &String| text.starts_with("fd_read(0");
    let first = all.iter().position(read).expect("it reads") as u32 + 1;
    let target = format!("0.{first}");
    run(&mut session, Act::Jump { target });
    mock(&mut session, "stdin", &["\"and\\n\""], false).expect("it is mocked");
    let listed = |session: &mut Session| match run(session, Look::Mocks) {
        Reply::Mocks { mocks } => mocks.into_iter().map(|mock| mock.call).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(listed(&mut session), ["stdin from 0", "stdin from 1024"]);
    drop(session);
    let mut session = Session::resume(&file).expect("the file opens");
    assert_eq!(listed(&mut session), ["stdin from 0", "stdin from 1024"]);
    assert_eq!(go(&mut session, Direction::Forward), exited(4));
    assert_eq!(
        console(&mut session),
        "147 lines saved in /data/notes.txt\n"
    );
    run(&mut session, Act::Verify);
    let call = Some("stdin".to_owned());
    run(&mut session, Act::Unmock { call });
    assert!(listed(&mut session).is_empty());
}

#[test]
fn so_many_files_are_listed_and_so_much_of_one_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, length: usize| {
        std::fs::write(folder.path().join(name), vec![b'.'; length]).expect("it is written");
    };
    write("full", 1 << 16);
    write("more", (1 << 16) + 1);
    for number in 0..998 {
        write(&format!("n{number}"), 0);
    }
    let listed = |path| Look::Files { path, since: None };
    let look = || {
        let system = Provided {
            folders: vec![(folder.path().to_owned(), "/data".to_owned())],
            ..Provided::default()
        };
        let options = Options {
            system: Some(system),
            ..Options::new(PROGRAM)
        };
        let mut session = Session::open(options).expect("the program opens");
        let Reply::Table(list) = run(&mut session, listed(None)) else {
            panic!("files are a table");
        };
        let [full, more] = ["full", "more"].map(|name| {
            let path = format!("/data/{name}");
            match run(&mut session, listed(Some(path))) {
                Reply::File(file) => (file.length, file.bytes.len()),
                other => panic!("{other:?}"),
            }
        });
        assert_eq!((full, more), ((1 << 16, 1 << 16), ((1 << 16) + 1, 1 << 16)));
        (list.rows.len(), list.more)
    };
    assert_eq!(look(), (1000, false));
    write("one past", 0);
    assert_eq!(look(), (1000, true));
}
