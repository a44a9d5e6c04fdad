//! Files of a program that somebody outside replaces while it runs: mocks of what is in them.

use std::path::{Path, PathBuf};

use crate::asking::{execute, path, run};
use borges_session::command::{
    Act, Direction, Look, MOST_MOCKED, MockValues, NewBreakpoint, StopKind, StopReason,
};
use borges_session::{Options, Provided, Reply, Session};

const LOG: &str = "/data/store.log";

/// A store that reads its log, adds a line and ends.
fn open(folder: &Path, session_file: Option<PathBuf>) -> Session {
    let data = folder.join("data");
    std::fs::create_dir_all(data.join("folder")).expect("made");
    std::fs::write(data.join("store.conf"), "k9s1\n").expect("written");
    std::fs::write(data.join("store.log"), "+a 1\n").expect("written");
    let program = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/futures_programs/store.wasm"
    );
    let options = Options {
        system: Some(Provided {
            arguments: ["set", "c", "4"].map(str::to_owned).to_vec(),
            folders: vec![(data, "/data".to_owned())],
            ..Provided::default()
        }),
        session_file,
        ..Options::new(program)
    };
    Session::open(options).expect("the program opens")
}

fn mock(session: &mut Session, call: &str, value: &str) -> Result<Reply, String> {
    let (call, values) = (
        call.to_owned(),
        MockValues::Sequence(vec![value.to_owned()]),
    );
    execute(session, Act::Mock { call, values })
}

fn mock_log(session: &mut Session, value: &str) {
    let call = format!("file \"{LOG}\"");
    mock(session, &call, value).expect("it is a file");
}

fn mocks(session: &mut Session) -> Vec<String> {
    match run(session, Look::Mocks) {
        Reply::Mocks { mocks } => mocks
            .into_iter()
            .map(|mock| format!("{} = {:?}", mock.call, mock.values))
            .collect(),
        other => panic!("{other:?}"),
    }
}

fn go(session: &mut Session) -> StopReason {
    let direction = Direction::Forward;
    match run(session, Act::Continue { direction }) {
        Reply::Stopped(stop) => stop.reason,
        other => panic!("{other:?}"),
    }
}

/// Runs to the end, over what is recorded and on from there: with which code. Device and twin agree there.
fn finish(session: &mut Session) -> String {
    let mut reason = go(session);
    if reason == StopReason::Tip {
        reason = go(session);
    }
    run(session, Act::Verify);
    match reason {
        StopReason::Finished { results } => results.join(", "),
        reason => panic!("{reason:?}"),
    }
}

fn jump(session: &mut Session, target: &str) {
    let target = target.to_owned();
    run(session, Act::Jump { target });
}

fn before_call(session: &mut Session, name: &str) {
    let spec = NewBreakpoint {
        kind: StopKind::Primitive(name.to_owned()),
        agent: None,
        condition: None,
        hits: 0,
        log: None,
    };
    run(session, Act::Break(spec));
    go(session);
    run(session, Act::DeleteBreakpoints { ids: Vec::new() });
}

fn log(session: &mut Session) -> String {
    let (path, since) = (Some(LOG.to_owned()), None);
    match run(session, Look::Files { path, since }) {
        Reply::File(file) => String::from_utf8(file.bytes).expect("it is a text"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_has_other_bytes_from_here_on_and_going_back_restores_what_was() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("files.borges");
    let mut session = open(folder.path(), Some(file.clone()));
    assert_eq!(finish(&mut session), "");
    assert_eq!(log(&mut session), "+a 1\n+c 4\n");
    jump(&mut session, "start");
    // Before it is read, with another call mocked that comes first.
    mock_log(&mut session, r#""+z 9\n+y 8\n""#);
    assert_eq!(log(&mut session), "+a 1\n", "it happens at the next call");
    assert_eq!(finish(&mut session), "");
    assert_eq!(log(&mut session), "+z 9\n+y 8\n+c 4\n");
    let all = path(&mut session);
    let replaced: Vec<&String> = all
        .iter()
        .filter(|text| text.contains("replaced"))
        .collect();
    assert!(
        matches!(&*replaced, [one] if one.ends_with("= ok, after /data/store.log was replaced")),
        "{all:?}"
    );
    let Reply::Moment { moment, .. } = run(&mut session, Look::Moment) else {
        panic!("no moment");
    };
    // The device goes back with the twin, and forward again along the same way.
    run(&mut session, Act::Follow { always: None });
    jump(&mut session, "start");
    run(&mut session, Act::Follow { always: None });
    run(&mut session, Act::Verify);
    assert_eq!(log(&mut session), "+a 1\n");
    assert_eq!(finish(&mut session), "");
    assert_eq!(path(&mut session), all);
    // It is in the session file, and the moment is one of every session.
    drop(session);
    let mut again = Session::resume(&file).expect("the file opens");
    let listed = ["file \"/data/store.log\" from 0 = Sequence([\"\\\"+z 9\\\\n+y 8\\\\n\\\"\"])"];
    assert_eq!(mocks(&mut again), listed);
    assert_eq!(log(&mut again), "+z 9\n+y 8\n+c 4\n");
    jump(&mut again, "start");
    assert_eq!(finish(&mut again), "");
    assert_eq!(path(&mut again), all);
    let call = Some(format!("file \"{LOG}\""));
    run(&mut again, Act::Unmock { call });
    assert!(mocks(&mut again).is_empty());
    let mut other = open(folder.path(), None);
    jump(&mut other, &moment);
    assert_eq!(log(&mut other), "+z 9\n+y 8\n+c 4\n");
}

#[test]
fn who_has_the_file_open_goes_on_in_the_new_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut session = open(folder.path(), None);
    // Of the settings, then of the log, each until nothing more comes.
    for _ in 0..3 {
        before_call(&mut session, "fd_read");
    }
    mock_log(&mut session, r#""+new 1\n""#);
    before_call(&mut session, "fd_read");
    let last = path(&mut session).pop().expect("a call");
    assert!(
        last.contains("fd_read(4, ") && last.contains("was replaced"),
        "{last}"
    );
    // Seven bytes were read: the rest comes from there on.
    mock_log(&mut session, r#""+new 1\n+more 2\n""#);
    assert_eq!(finish(&mut session), "");
    assert_eq!(log(&mut session), "+new 1\n+more 2\n+c 4\n");
    // Going on from the first universe of it does not replace it again, but for the second one.
    let all = path(&mut session);
    let count = all.iter().filter(|text| text.contains("was replaced"));
    assert_eq!(count.count(), 2, "{all:?}");
    jump(&mut session, "start");
    run(&mut session, Act::Fork);
    assert_eq!(finish(&mut session), "");
    // Beside the way that is recorded, it is replaced at the same step, and once: the mock before is none any more.
    assert_eq!(log(&mut session), "+new 1\n+more 2\n+c 4\n");
    let count = path(&mut session);
    let count = count.iter().filter(|text| text.contains("was replaced"));
    assert_eq!(count.count(), 1);
}

#[test]
fn it_goes_beside_other_mocks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut session = open(folder.path(), None);
    let conf = "file \"/data/store.conf\"";
    mock(&mut session, "fd_read", "2").expect("a short read");
    mock(&mut session, "fd_sync", "EIO").expect("it can fail");
    mock(&mut session, conf, "\"k9s0\\n\"").expect("it is a file");
    mock_log(&mut session, "\"\"");
    assert_eq!(finish(&mut session), "");
    // Both files were replaced before one call, and nothing is synchronised any more.
    assert_eq!(log(&mut session), "+c 4\n");
    let all = path(&mut session);
    let both = "after /data/store.conf, /data/store.log was replaced";
    assert!(all.iter().any(|text| text.ends_with(both)), "{all:?}");
    assert!(!all.iter().any(|text| text.contains("fd_sync")));
    let short = |text: &&String| text.contains("fd_read(") && text.ends_with("= 2");
    assert!(all.iter().filter(short).count() > 2, "{all:?}");
    // A call that fails does so in a world in which the file is another one.
    jump(&mut session, "start");
    run(&mut session, Act::Unmock { call: None });
    before_call(&mut session, "fd_filestat_get");
    mock(&mut session, "fd_filestat_get", "EIO").expect("it can fail");
    mock_log(&mut session, "\"+x 1\\n\"");
    assert_eq!(finish(&mut session), "exit code 5");
    assert_eq!(log(&mut session), "+x 1\n");
    let all = path(&mut session);
    let failed = "= EIO, after /data/store.log was replaced";
    assert!(all.iter().any(|text| text.ends_with(failed)), "{all:?}");
}

#[test]
fn what_is_no_file_and_what_is_too_large_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut session = open(folder.path(), None);
    for (call, value, why) in [
        (
            "file \"/data/none\"",
            "\"\"",
            "\"/data/none\" is no file here",
        ),
        (
            "file \"/data/folder\"",
            "\"\"",
            "\"/data/folder\" is a folder or a link",
        ),
        (
            "file \"/etc/passwd\"",
            "\"\"",
            "its paths begin with \"/data\"",
        ),
        (
            "file \"/data/../a\"",
            "\"\"",
            "its paths begin with \"/data\"",
        ),
        ("file /data/store.log", "\"\"", "a file is 'file \"PATH\"'"),
        (
            "file \"/data/store.log\" at 3",
            "\"\"",
            "a file is 'file \"PATH\"'",
        ),
        (
            "file \"/data/store.log\"",
            "other.log",
            "one text in quotes",
        ),
        (
            "file \"/data/store.log\"",
            "\"a\", \"b\"",
            "one text in quotes",
        ),
    ] {
        let error = mock(&mut session, call, value).expect_err(call);
        assert!(error.contains(why), "{call}: {error}");
    }
    assert!(mocks(&mut session).is_empty());
    // All mocks together bring so many bytes, and not one more.
    let text = |bytes: usize| format!("\"{}\"", "x".repeat(bytes));
    let call = format!("file \"{LOG}\"");
    let error = mock(&mut session, &call, &text(MOST_MOCKED + 1)).expect_err("one too many");
    assert!(error.contains("524288 bytes at most"), "{error}");
    mock(&mut session, "file \"/data/store.conf\"", &text(1)).expect("it has room");
    let error = mock(&mut session, &call, &text(MOST_MOCKED)).expect_err("one too many");
    assert!(error.contains("524289"), "{error}");
    mock(&mut session, &call, &text(MOST_MOCKED - 1)).expect("it is all that fits");
    let shown = mocks(&mut session);
    assert!(
        shown[1].contains("xxx\\\"… (524287 bytes)") && shown[1].len() < 200,
        "{shown:?}"
    );
    // The device hears of it, and says so; the store finds its log too large.
    assert_eq!(finish(&mut session), "exit code 4");
    jump(&mut session, "start");
    run(&mut session, Act::Follow { always: None });
    jump(&mut session, "tip");
    run(&mut session, Act::Follow { always: None });
    run(&mut session, Act::Verify);
}

#[test]
fn a_program_without_files_has_none_to_be_replaced() {
    let program = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/futures_programs/heater.wasm"
    );
    let mut session = Session::open(Options::new(program)).expect("the program opens");
    let error = mock(&mut session, "file \"/a\"", "\"\"").expect_err("no system");
    assert!(error.contains("calls no operating system"), "{error}");
    let program = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/futures_programs/store.wasm"
    );
    let mut session = Session::open(Options::new(program)).expect("the program opens");
    let error = mock(&mut session, "file \"/a\"", "\"\"").expect_err("no folder");
    assert!(error.contains("--dir HOST::GUEST"), "{error}");
}
