//! Questions about programs that call an operating system: standard input that may be anything, and calls that fail.

use std::path::PathBuf;

use borges_session::command::{Act, Look};
use borges_session::suggest::{
    self, Destination, Launch, MOST_STDIN, Question, SuggestOptions, SuggestionListing,
    SystemChoices, Within,
};
use borges_session::{Flow, Options, Provided, Reply, Session};

use crate::written;

/// Traps when standard input is "bug!" and nothing else.
const BUG: &str = r#"(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\40\00\00\00\10\00\00\00")
  (func (export "_start")
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
    (if (i32.ne (i32.load (i32.const 8)) (i32.const 4)) (then (return)))
    (if (i32.ne (i32.load8_u (i32.const 64)) (i32.const 98)) (then (return)))
    (if (i32.ne (i32.load8_u (i32.const 65)) (i32.const 117)) (then (return)))
    (if (i32.ne (i32.load16_u (i32.const 66)) (i32.const 0x2167)) (then (return)))
    unreachable))"#;

fn save_notes() -> Options {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/save-notes");
    let example = PathBuf::from(example);
    Options {
        system: Some(Provided {
            folders: vec![(example.join("data"), "/data".to_owned())],
            input: b"one\n".to_vec(),
            ..Provided::default()
        }),
        ..Options::new(example.join("save-notes.wasm"))
    }
}

fn ask(
    session: &mut Session,
    question: Question,
    within: Within,
) -> Result<SuggestionListing, String> {
    let command = Look::Suggest { question, within };
    match session.execute(command, &mut |_| Flow::Continue) {
        Ok(Reply::Suggestions(listing)) => Ok(*listing),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error.to_string()),
    }
}

fn path(session: &mut Session) -> Vec<String> {
    let look = Look::Path { around: 1000 };
    match session.execute(look, &mut |_| Flow::Continue) {
        Ok(Reply::Path(path)) => path.entries.into_iter().map(|entry| entry.text).collect(),
        other => panic!("{other:?}"),
    }
}

fn jump(session: &mut Session, target: String) {
    let jumped = session.execute(Act::Jump { target }, &mut |_| Flow::Continue);
    assert!(jumped.is_ok(), "{jumped:?}");
}

#[test]
fn bugs_finds_the_text_that_a_program_falls_over() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = written::written(folder.path(), BUG);
    let said = |listing: &SuggestionListing, what: &str| {
        let mut left = listing.unexplored.iter();
        left.any(|left| left.reason.contains(what))
    };
    // What was given is what is read.
    let input = b"bag!".to_vec();
    let given = Options {
        system: Some(Provided {
            input,
            ..Provided::default()
        }),
        ..Options::new(&program)
    };
    let mut session = Session::open(given).expect("the program opens");
    let nothing = ask(&mut session, Question::Bugs, Within::default()).expect("it is answered");
    assert!(nothing.found.is_empty() && !nothing.complete);
    assert!(said(&nothing, "stdin=N") && said(&nothing, "faults=1"));
    // Where nothing was, some bytes are looked at: more than this program reads.
    let mut session = Session::open(Options::new(&program)).expect("the program opens");
    let listing = ask(&mut session, Question::Bugs, Within::default()).expect("it is answered");
    assert_eq!(listing.found.len(), 1);
    assert!(
        !said(&listing, "stdin=N") && said(&listing, "faults=1"),
        "{:?}",
        listing.unexplored
    );
    for (bytes, found) in [(3, 0), (4, 1), (5, 1)] {
        let within = Within {
            stdin: Some(bytes),
            faults: Some(1),
            ..Within::default()
        };
        let listing = ask(&mut session, Question::Bugs, within).expect("it is answered");
        assert_eq!(listing.found.len(), found, "{bytes} bytes");
        assert!(!said(&listing, "stdin=N") && !said(&listing, "faults=1"));
        let Some(bug) = listing.found.first() else {
            continue;
        };
        assert_eq!(bug.inputs.len(), 1, "that nothing fails is no choice");
        assert_eq!(bug.inputs[0].value, r#"4 "bug!""#);
        jump(&mut session, bug.moment.clone());
        assert_eq!(
            path(&mut session),
            [r#"fd_read(0, 0, 1, 8) on stdin = 4 "bug!""#]
        );
        let verified = session.execute(Act::Verify, &mut |_| Flow::Continue);
        assert!(verified.is_ok(), "{verified:?}");
        jump(&mut session, "start".to_owned());
    }
}

#[test]
fn the_full_disk_is_a_path_and_every_path_is_a_universe() {
    let mut session = Session::open(save_notes()).expect("the program opens");
    let within = Within {
        faults: Some(1),
        inputs: Some(20),
        ..Within::default()
    };
    let listing = ask(&mut session, Question::Paths, within.clone()).expect("it is answered");
    let full = listing.nodes.iter().any(|node| {
        let is_write = node
            .call
            .as_ref()
            .is_some_and(|call| call.starts_with("fd_write(4"));
        is_write
            && node
                .options
                .iter()
                .any(|option| option.set.contains("ENOSPC"))
    });
    assert!(full, "{:?}", listing.nodes);
    assert!(listing.found.len() > 10);
    for found in &listing.found {
        jump(&mut session, found.moment.clone());
        let faults = found
            .inputs
            .iter()
            .filter(|input| input.value.starts_with('E'));
        assert!(faults.count() <= 1, "{found:?}");
        let here = path(&mut session);
        for input in &found.inputs {
            // On the path a call says what it is about, too.
            let value = format!(" = {}", input.value);
            let is_input = |text: &String| text.starts_with(&input.call) && text.ends_with(&value);
            assert!(here.iter().any(is_input), "{input:?}: {here:?}");
        }
    }
    // Where it says that it could not rename: only errors lead there.
    jump(&mut session, "start".to_owned());
    let condition = None;
    let place = borges_session::command::CodePlace::Line {
        file: Some("save-notes.c".to_owned()),
        line: 26,
    };
    let target = Destination::Place { place, condition };
    let reach = Question::Reach { target };
    let listing = ask(&mut session, reach.clone(), within).expect("it is answered");
    assert!(
        listing.found[0]
            .inputs
            .iter()
            .any(|input| input.call.starts_with("path_rename"))
    );
    let none = ask(&mut session, reach, Within::default()).expect("it is answered");
    assert!(none.found.is_empty() && !none.complete);
}

#[test]
fn of_standard_input_at_most_255_bytes_may_be_anything() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = written::written(folder.path(), BUG);
    let mut session = Session::open(Options::new(&program)).expect("the program opens");
    let mut of = |bytes| {
        let within = Within {
            stdin: Some(bytes),
            ..Within::default()
        };
        ask(&mut session, Question::Bugs, within)
    };
    assert_eq!(of(MOST_STDIN).expect("it is answered").found.len(), 1);
    let error = of(MOST_STDIN + 1).expect_err("one too many");
    assert!(error.contains("at most 255 bytes"), "{error}");
}

#[test]
fn a_tree_of_paths_shows_texts_and_errors_and_is_not_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = written::written(folder.path(), BUG);
    let options = SuggestOptions {
        choices: SystemChoices {
            stdin: Some(4),
            faults: 1,
            more: false,
            ..SystemChoices::default()
        },
        ..SuggestOptions::default()
    };
    let report = suggest::of_program(&program, None, &options, &mut |_| Flow::Continue);
    let report = report.expect("it is explored");
    assert!(report.complete, "{:?}", report.unexplored);
    assert_eq!(report.traps, 1);
    let tree = serde_json::to_string(&report.tree).expect("it is data");
    assert!(tree.contains(r#""inputs":["ok","4 \"bug!\""]"#), "{tree}");
    assert!(tree.contains(r#""shown":"EIO, EINTR""#), "{tree}");
    let launch = Launch {
        libraries: &[],
        program: &program,
        board: None,
        entry: None,
    };
    let error = report.write_tests(&folder.path().join("tests.json"), launch, &mut |_| true);
    let error = error
        .expect_err("a plain run has its own input")
        .to_string();
    assert!(error.contains("WASI cannot be kept"), "{error}");
}
