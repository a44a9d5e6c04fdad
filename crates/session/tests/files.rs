//! Session files: what was shown is there again.

use std::path::PathBuf;

use borges_session::command::{
    Act, CodePlace, Command, Direction, Look, MockValues, NewBreakpoint, StepSize, StopKind,
};
use borges_session::{Flow, OpenError, Options, Reply, Session};

const DIAL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/color-dial/color-dial.wasm"
);

fn run(session: &mut Session, command: impl Into<Command>) -> Reply {
    session
        .execute(command, &mut |_| Flow::Continue)
        .expect("the command is carried out")
}

/// A path for a session file, in a folder that goes away with the test.
fn file(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("dial.borges")
}

fn step(direction: Direction, size: StepSize, count: u64) -> Act {
    Act::Step {
        agent: None,
        direction,
        size,
        count,
    }
}

/// Everything a user could look at, as text.
fn looks(session: &mut Session) -> Vec<String> {
    let commands = [
        Look::Tree { lines: 100 },
        Look::Path { around: 100 },
        Look::Notes,
        Look::Breakpoints,
        Look::Mocks,
        Look::Board,
        Look::Variables {
            agent: None,
            frame: 0,
        },
        Look::Moment,
    ];
    let replies = commands.map(|command| run(session, command));
    // What changed since the last stop is for the one who saw it.
    let text = |reply: &Reply| format!("{reply:?}").replace("changed: true", "changed: false");
    replies.iter().map(text).collect()
}

#[test]
fn a_session_that_was_dropped_in_the_middle_is_found_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = Options {
        session_file: Some(file(&folder)),
        ..Options::new(DIAL)
    };
    let mut session = Session::open(options).expect("the example opens");
    run(&mut session, step(Direction::Forward, StepSize::Entry, 12));
    run(&mut session, step(Direction::Backward, StepSize::Entry, 5));
    run(
        &mut session,
        Act::Note {
            text: "here it turns".to_owned(),
        },
    );
    run(
        &mut session,
        Act::Bookmark {
            name: "turn".to_owned(),
        },
    );
    let call = "read_uart_sensor(0)".to_owned();
    let values = MockValues::Sequence(vec!["3".to_owned()]);
    run(&mut session, Act::Mock { call, values });
    let kind = StopKind::Code(CodePlace::Line {
        file: None,
        line: 28,
    });
    let condition = Some("color > 1".to_owned());
    run(
        &mut session,
        Act::Break(NewBreakpoint {
            agent: None,
            kind,
            condition,
            hits: 0,
            log: None,
        }),
    );
    run(
        &mut session,
        Act::Jump {
            target: "0.1+5".to_owned(),
        },
    );
    run(
        &mut session,
        Act::Branches {
            values: "0..2, 5".to_owned(),
        },
    );
    run(&mut session, Act::Fork);
    run(&mut session, step(Direction::Forward, StepSize::Entry, 4));
    let before = looks(&mut session);
    // No farewell: the file has everything already.
    drop(session);
    let mut again = Session::resume(&file(&folder)).expect("the file opens");
    for (after, before) in looks(&mut again).iter().zip(&before) {
        assert_eq!(after, before);
    }
    // And the session goes on: the device is made anew and brought to where the user was.
    run(&mut again, step(Direction::Forward, StepSize::Entry, 3));
    run(&mut again, Act::Verify);
    let counted = Look::Query {
        sql: "SELECT count(*) FROM inputs".to_owned(),
    };
    let Reply::Table(table) = run(&mut again, counted) else {
        panic!("no table")
    };
    assert_eq!(table.columns, ["count(*)"]);
}

/// A universe has as many names as are given to it; one that goes elsewhere takes no other with it.
#[test]
fn a_universe_keeps_all_its_bookmarks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = Options {
        session_file: Some(file(&folder)),
        ..Options::new(DIAL)
    };
    let name = |session: &mut Session, name: &str| {
        let name = name.to_owned();
        run(session, Act::Bookmark { name });
    };
    let named = |session: &mut Session| {
        let Reply::Notes { notes } = run(session, Look::Notes) else {
            panic!("no notes");
        };
        let name = |note: &borges_session::listing::NoteListing| note.name.clone();
        let index = |note: &borges_session::listing::NoteListing| note.universe.index;
        let names = notes.iter().map(|note| (index(note), name(note)));
        names.collect::<Vec<_>>()
    };
    let at = |index, name: &str| (index, Some(name.to_owned()));
    let mut session = Session::open(options).expect("the example opens");
    run(&mut session, step(Direction::Forward, StepSize::Entry, 3));
    name(&mut session, "turn");
    name(&mut session, "red");
    drop(session);

    let mut again = Session::resume(&file(&folder)).expect("the file opens");
    assert_eq!(named(&mut again), [at(3, "red"), at(3, "turn")]);
    run(&mut again, step(Direction::Backward, StepSize::Entry, 2));
    name(&mut again, "red");
    drop(again);

    let mut again = Session::resume(&file(&folder)).expect("the file opens");
    assert_eq!(named(&mut again), [at(1, "red"), at(3, "turn")]);
    for (target, index) in [("turn", 3), ("red", 1)] {
        let target = target.to_owned();
        run(&mut again, Act::Jump { target });
        assert_eq!(again.here().universe.index, index);
    }
}

#[test]
fn a_file_in_use_or_none_at_all_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = Options {
        session_file: Some(file(&folder)),
        ..Options::new(DIAL)
    };
    let _session = Session::open(options.clone()).expect("the example opens");
    assert!(matches!(
        Session::resume(&file(&folder)),
        Err(OpenError::Session { .. })
    ));
    assert!(matches!(
        Session::open(options),
        Err(OpenError::Session { .. })
    ));
    assert!(Session::resume(&folder.path().join("nothing.borges")).is_err());
}

#[test]
fn a_recording_is_reproduced_bit_for_bit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = Options {
        session_file: Some(file(&folder)),
        ..Options::new(DIAL)
    };
    let mut session = Session::open(options).expect("the example opens");
    let quiet = &mut |_| Flow::Continue;
    session.record(Some(20_000), quiet).expect("it records");
    run(
        &mut session,
        Act::Jump {
            target: "@8".to_owned(),
        },
    );
    run(
        &mut session,
        Act::Branches {
            values: "1".to_owned(),
        },
    );
    drop(session);
    let mut again = Session::resume(&file(&folder)).expect("the file opens");
    let replayed = again.replay(&mut |_| Flow::Continue).expect("it replays");
    assert_eq!((replayed.branches, replayed.compared), (2, 1));
    assert!(replayed.steps >= 20_000);
}
