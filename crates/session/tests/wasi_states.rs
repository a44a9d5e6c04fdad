//! All states of programs that call an operating system, over standard input of any length: proved, refuted, and gone to.

use std::path::{Path, PathBuf};

use borges_session::command::Act;
use borges_session::command::Look;
use borges_session::suggest::{
    Demand, Demanded, Proved, Question, StatesOptions, SuggestionListing, Within, check_program,
    states_of_program,
};
use borges_session::{Flow, Options, Reply, Session};

use crate::written;

/// Counts brackets that are open, at most three, in the global `depth`; prints what it reads. A closing one too many is a
/// trap, and so is a letter that cannot be printed while all three are open.
const BRACKETS: &str = r#"(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (global $depth (export "depth") (mut i32) (i32.const 0))
  (data (i32.const 0) "\40\00\00\00\01\00\00\00")
  (func (export "_start") (local $c i32)
    (loop $again
      (if (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)) (then (return)))
      (if (i32.eqz (i32.load (i32.const 8))) (then (return)))
      (local.set $c (i32.load8_u (i32.const 64)))
      (if (i32.eq (local.get $c) (i32.const 40)) (then
        (if (i32.lt_u (global.get $depth) (i32.const 3))
          (then (global.set $depth (i32.add (global.get $depth) (i32.const 1)))))))
      (if (i32.eq (local.get $c) (i32.const 41)) (then
        (if (i32.eqz (global.get $depth)) (then (unreachable)))
        (global.set $depth (i32.sub (global.get $depth) (i32.const 1)))))
      (if (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 12)) (then
        (if (i32.eq (global.get $depth) (i32.const 3)) (then (unreachable)))))
      (br $again))))"#;

fn brackets(folder: &Path) -> PathBuf {
    written::written(folder, BRACKETS)
}

fn with_faults(faults: bool) -> StatesOptions {
    StatesOptions {
        faults,
        ..StatesOptions::default()
    }
}

#[test]
fn all_states_over_any_input_and_any_errors() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = brackets(folder.path());
    let demands = [
        Demand::Never.of("depth > 3"),
        Demand::Toward.of("depth == 3"),
    ];
    for faults in [false, true] {
        let report = states_of_program(&program, None, &with_faults(faults), &demands, &mut |_| {
            Flow::Continue
        });
        let report = report.expect("it is explored");
        let left_out: Vec<&str> = report.unexplored.iter().map(|left| &*left.reason).collect();
        assert_eq!(report.complete, faults, "{left_out:?}");
        assert_eq!(left_out.len(), usize::from(!faults), "{left_out:?}");
        assert!(report.returns);
        let inputs: Vec<u32> = report.traps.iter().map(|trap| trap.inputs).collect();
        assert_eq!(inputs, if faults { vec![1, 3] } else { vec![1] });
        assert!(report.traps.iter().all(|trap| trap.certain));
        let said = |run: &[borges_session::suggest::SuggestedInput]| -> Vec<String> {
            run.iter().map(|input| input.value.clone()).collect()
        };
        assert_eq!(said(&report.traps[0].run), [r#"1 ")""#]);
        if faults {
            let run = said(&report.traps[1].run);
            assert_eq!(run[..3], [r#"1 "(""#, r#"1 "(""#, r#"1 "(""#]);
            assert_eq!(run.len(), 4, "and the error: {run:?}");
        }
        let [never, toward] = &*report.demands else {
            panic!("{:?}", report.demands);
        };
        let unless_left_out = |verdict| if faults { verdict } else { Proved::Unknown };
        assert_eq!(never.verdict, unless_left_out(Proved::Holds));
        assert_eq!((toward.verdict, toward.inputs), (Proved::Holds, Some(3)));
    }
}

#[test]
fn formulas_about_any_input_are_proved_and_refuted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = brackets(folder.path());
    let check = |formula| {
        let options = with_faults(true);
        let report = check_program(&program, None, formula, &options, &mut |_| Flow::Continue);
        report.expect("it is a formula")
    };
    assert_eq!(check("G (depth < 4)").verdict, Proved::Holds);
    let shallow = check("G (depth < 2)");
    assert_eq!(shallow.verdict, Proved::Fails);
    let prefix: Vec<&str> = shallow.prefix.iter().map(|input| &*input.value).collect();
    let brackets = prefix.iter().filter(|value| **value == r#"1 "(""#);
    assert_eq!(brackets.count(), 2, "{prefix:?}");
    // It may go on and on.
    let ends = check("F (depth == 1)");
    assert_eq!(ends.verdict, Proved::Fails);
    assert!(!ends.cycle.is_empty() || ends.end.is_some());
}

#[test]
fn a_session_proves_goes_there_and_says_what_it_did_not_look_at() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = brackets(folder.path());
    let mut session = Session::open(Options::new(&program)).expect("the program opens");
    let mut ask = |faults| -> SuggestionListing {
        let never = Demanded {
            demand: Demand::Never,
            condition: "depth == 3".to_owned(),
        };
        let question = Question::States {
            demands: vec![never],
        };
        let within = Within {
            faults,
            ..Within::default()
        };
        let command = Look::Suggest { question, within };
        match session.execute(command, &mut |_| Flow::Continue) {
            Ok(Reply::Suggestions(listing)) => *listing,
            other => panic!("{other:?}"),
        }
    };
    let some = ask(None);
    assert!(!some.complete && !some.unexplored.is_empty());
    let all = ask(Some(1));
    assert!(all.complete && all.forever, "{:?}", all.unexplored);
    let deep = all.found.iter().find(|found| found.inputs.len() == 3);
    let deep = deep.expect("a run with three brackets").moment.clone();
    let jumped = session.execute(Act::Jump { target: deep }, &mut |_| Flow::Continue);
    assert!(jumped.is_ok(), "{jumped:?}");
    let verified = session.execute(Act::Verify, &mut |_| Flow::Continue);
    assert!(verified.is_ok(), "{verified:?}");
}

/// Asks for 17 bytes at a time, and traps where the word comes by itself.
const WORD: &str = r#"(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\40\00\00\00\11\00\00\00")
  (func (export "_start")
    (loop $again
      (if (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)) (then (return)))
      (if (i32.eqz (i32.load (i32.const 8))) (then (return)))
      (br_if $again (i32.ne (i32.load (i32.const 8)) (i32.const 3)))
      (br_if $again (i32.ne (i32.and (i32.load (i32.const 64)) (i32.const 0xFFFFFF)) (i32.const 0x677562)))
      unreachable)))"#;

#[test]
fn a_session_is_told_in_which_pieces_input_comes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = written::written(folder.path(), WORD);
    let ask = |program: &Path, question: Question, pieces| {
        let within = Within {
            faults: Some(1),
            pieces,
            // Long enough for the program's few states; so many bytes at once have no end.
            time_ms: Some(if pieces == Some(255) { 50 } else { 5_000 }),
            ..Within::default()
        };
        let mut session = Session::open(Options::new(program)).expect("the program opens");
        let command = Look::Suggest { question, within };
        match session.execute(command, &mut |_| Flow::Continue) {
            Ok(Reply::Suggestions(listing)) => Ok(*listing),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        }
    };
    let states = || Question::States {
        demands: Vec::new(),
    };
    let traps = |listing: &SuggestionListing| {
        let report = listing.states.as_ref().expect("a report");
        (report.traps.len(), report.complete)
    };
    // One by one, and that there may be larger ones is said with what says that there are none.
    let unsaid = ask(&program, states(), None).expect("it is answered");
    assert_eq!(traps(&unsaid), (0, false));
    let mut left = unsaid.unexplored.iter();
    assert!(left.any(|left| left.reason.contains("pieces=1")));
    for (pieces, found) in [(1, 0), (2, 0), (3, 1)] {
        let listing = ask(&program, states(), Some(pieces)).expect("it is answered");
        assert_eq!(traps(&listing), (found, true), "pieces of {pieces}");
        assert_eq!(listing.forever, listing.complete);
    }
    // The most that there can be, and one past it; pieces of nothing; what nothing is known of.
    assert!(ask(&program, states(), Some(255)).is_ok());
    for wrong in [0, 256] {
        let refused = ask(&program, states(), Some(wrong));
        assert!(refused.is_err_and(|error| error.contains("1 to 255")));
    }
    let paths = ask(&program, Question::Paths, Some(1));
    assert!(paths.is_err_and(|error| error.contains("'explore' and 'check'")));
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let board = ask(&examples.join("while/while.wasm"), states(), Some(1));
    assert!(board.is_err_and(|error| error.contains("WASI")));
}
