//! Inputs that put bytes into memory: `fills/modem.c` on a board that declares its UART.

use std::path::Path;

use crate::asking::{execute, path, run};
use borges_session::command::{Act, Direction, Look, MockValues, StepSize};
use borges_session::headless::{self, Inputs, RunOptions};
use borges_session::suggest::{
    self, Destination, Launch, Question, SuggestOptions, SuggestionListing, Within,
};
use borges_session::{Flow, Options, Reply, Session};

const MODEM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fills/modem.wasm");

fn print(session: &mut Session, expression: &str) -> String {
    let expression = expression.to_owned();
    let look = Look::Print {
        frame: 0,
        expression,
    };
    format!("{:?}", run(session, look))
}

fn entries(session: &mut Session, direction: Direction, count: u64) {
    let size = StepSize::Entry;
    run(
        session,
        Act::Step {
            agent: None,
            direction,
            size,
            count,
        },
    );
}

fn mock(session: &mut Session, texts: &[&str]) -> Result<Reply, String> {
    let values = MockValues::Then(texts.iter().map(|text| (*text).to_owned()).collect());
    let call = "uart_read".to_owned();
    execute(session, Act::Mock { call, values })
}

#[test]
fn bytes_are_recorded_shown_mocked_and_found_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for takes_differences in [true, false] {
        let file = folder.path().join(format!("{takes_differences}.borges"));
        let options = Options {
            session_file: Some(file.clone()),
            device_takes_differences: takes_differences,
            ..Options::new(MODEM)
        };
        let mut session = Session::open(options).expect("the program opens");
        entries(&mut session, Direction::Forward, 3);
        assert!(print(&mut session, "line").contains("RING 3"));
        entries(&mut session, Direction::Backward, 2);
        assert!(print(&mut session, "line").contains("OK 12"));
        run(&mut session, Act::Verify);
        // Sideways, with bytes that nobody sent: the device comes along, by its difference or by restart.
        mock(&mut session, &[r#""A\r\n, 70""#, r#"2 "99""#]).expect("in the codomain");
        entries(&mut session, Direction::Forward, 6);
        assert!(print(&mut session, "sum").contains("28"), "1 + 2 + 7 + 18");
        run(&mut session, Act::Follow { always: None });
        run(&mut session, Act::Verify);
        let here = path(&mut session);
        assert_eq!(here[2], r#"uart_read(1024, 16) = 7 "A\r\n, 70""#);
        assert_eq!(here[4], r#"uart_read(1024, 16) = 2 "99""#);
        let Reply::Moment { moment, universe } = run(&mut session, Look::Moment) else {
            panic!("no moment");
        };
        drop(session);
        let mut session = Session::resume(&file).expect("the file opens");
        assert_eq!(path(&mut session), here);
        assert!(print(&mut session, "sum").contains("28"));
        // The moment string alone leads there, in a session that never saw those bytes.
        let mut other = Session::open(Options::new(MODEM)).expect("the program opens");
        run(&mut other, Act::Jump { target: moment });
        assert!(print(&mut other, "sum").contains("28"));
        assert_eq!(path(&mut other), here);
        assert_eq!(session.here().universe, universe);
    }
}

#[test]
fn a_mock_brings_what_the_board_allows_and_no_more() {
    let mut session = Session::open(Options::new(MODEM)).expect("the program opens");
    for (text, why) in [
        (r#""caf\xff""#, "255 is none of them"),
        (r#"3 "abcd""#, "it brings 3 bytes then, and these are 4"),
        ("65", "it is -1..16"),
        (r#""open"#, "lacks a closing quote"),
    ] {
        let arguments = Act::Mock {
            call: "uart_read(1024, 16)".to_owned(),
            values: MockValues::Sequence(vec![text.to_owned()]),
        };
        let error = execute(&mut session, arguments).expect_err(text);
        assert!(error.contains(why), "{text}: {error}");
    }
    // The room of the call bounds what it returns: 16 at most, though the codomain says 64.
    let full = r#""0123456789abcdef""#;
    let call = "uart_read(1024, 16)".to_owned();
    let values = |text: &str| MockValues::Sequence(vec![text.to_owned()]);
    let over = values(r#""0123456789abcdefg""#);
    let mocked = Act::Mock {
        call: call.clone(),
        values: over,
    };
    assert!(execute(&mut session, mocked).is_err());
    let values = values(full);
    run(&mut session, Act::Mock { call, values });
    run(
        &mut session,
        Act::Continue {
            direction: Direction::Forward,
        },
    );
    let stop = format!("{:?}", session.here());
    assert!(stop.contains("line: Some(24)"), "the trap: {stop}");
}

#[test]
fn branches_are_made_of_texts() {
    let mut session = Session::open(Options::new(MODEM)).expect("the program opens");
    entries(&mut session, Direction::Forward, 1);
    entries(&mut session, Direction::Backward, 1);
    let values = r#""AT1", "AT2, AT3", 0, -1"#.to_owned();
    let reply = format!("{:?}", run(&mut session, Act::Branches { values }));
    assert!(reply.contains("4 branches added"), "{reply}");
    let target = "2.1".to_owned();
    run(&mut session, Act::Jump { target });
    assert!(print(&mut session, "line").contains("AT2, AT3"));
    run(&mut session, Act::Verify);
}

#[test]
fn a_plain_run_takes_texts_and_refuses_what_does_not_fit() {
    let with = |texts: &[&str]| {
        let inputs = Inputs::Texts(texts.iter().map(|text| (*text).to_owned()).collect());
        let options = RunOptions {
            inputs,
            ..RunOptions::default()
        };
        headless::run(Path::new(MODEM), None, &options, &mut |_| Flow::Continue)
    };
    let report = with(&[r#""a,1""#, r#""b\n2""#, "0"]).expect("it runs");
    assert_eq!(report.console, "a,1b\n23\n");
    assert_eq!(report.inputs[1].bytes, b"b\n2");
    let error = with(&[r#""0123456789abcdefg""#]).expect_err("no room");
    assert!(error.to_string().contains("-1..16"), "{error}");
}

/// A question about the futures of the start.
fn asked(session: &mut Session, question: Question, inputs: u32) -> SuggestionListing {
    let within = Within {
        inputs: Some(inputs),
        ..Within::default()
    };
    match run(session, Look::Suggest { question, within }) {
        Reply::Suggestions(listing) => *listing,
        other => panic!("{other:?}"),
    }
}

#[test]
fn bugs_finds_the_bytes_that_lead_there() {
    let mut session = Session::open(Options::new(MODEM)).expect("the program opens");
    let found = asked(&mut session, Question::Bugs, 1).found;
    let [bug] = found.as_slice() else {
        panic!("{found:?}");
    };
    let value = bug.inputs[0].value.as_str();
    assert_eq!(bug.inputs[0].call, "uart_read(1024, 16)");
    assert!(value.starts_with("16 \""), "{value}");
    let target = bug.moment.clone();
    run(&mut session, Act::Jump { target });
    let stop = format!("{:?}", session.here());
    assert!(stop.contains("line: Some(24)"), "the trap: {stop}");
    assert_eq!(
        path(&mut session)[0],
        format!("uart_read(1024, 16) = {value}")
    );
}

#[test]
fn a_condition_on_bytes_is_reached_and_every_option_of_a_tree_is_a_universe() {
    let mut session = Session::open(Options::new(MODEM)).expect("the program opens");
    let condition = "sum == 12".to_owned();
    let target = Destination::Condition { condition };
    let listing = asked(&mut session, Question::Reach { target }, 1);
    let target = listing.found[0].moment.clone();
    run(&mut session, Act::Jump { target });
    assert!(print(&mut session, "sum").contains("12"));
    run(&mut session, Act::Verify);
    let target = "start".to_owned();
    run(&mut session, Act::Jump { target });
    let tree = asked(&mut session, Question::Paths, 1);
    let calls: Vec<&str> = tree
        .nodes
        .iter()
        .filter_map(|node| node.call.as_deref())
        .collect();
    assert!(calls.contains(&"uart_read(1024, 16), byte 1"), "{calls:?}");
    let options = tree.nodes.iter().flat_map(|node| &node.options);
    for option in options.take(40) {
        let target = option.moment.clone();
        run(&mut session, Act::Jump { target });
    }
}

#[test]
fn paths_are_kept_with_their_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = SuggestOptions {
        inputs: Some(1),
        after: 1,
        paths: Some(20),
        ..SuggestOptions::default()
    };
    let report = suggest::of_program(Path::new(MODEM), None, &options, &mut |_| Flow::Continue);
    let report = report.expect("it runs");
    assert_eq!(report.before, ["6 \"OK 12\\n\""]);
    let launch = Launch {
        libraries: &[],
        program: Path::new(MODEM),
        board: None,
        entry: None,
    };
    let file = folder.path().join("paths.json");
    report
        .write_tests(&file, launch, &mut |_| true)
        .expect("it is written");
    let again = suggest::run_tests(&file).expect("it is read");
    assert_eq!(again.tests.len(), report.paths);
    assert!(again.tests.iter().all(|test| test.differences.is_empty()));
    let traces = folder.path().join("traces");
    assert_eq!(
        report
            .write_traces(&traces, launch, &mut |_| true)
            .expect("they are written")
            .len(),
        report.paths
    );
}
