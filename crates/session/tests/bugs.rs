//! `bugs` as it is, without a bound of the user's: what it finds in programs of which it is known what is wrong.

use std::path::{Path, PathBuf};

use borges_session::command::Flow;
use borges_session::suggest::{Question, Within};
use borges_session::{Options, Session};

use crate::written;

/// A loop that takes turns by what it reads: the sum of 45 is three turns away, among thousands.
const TURNS: &str = r#"(module
  (import "env" "color_sensor" (func $in (param i32) (result i32)))
  (import "env" "print_int" (func $p (param i32)))
  (global $acc (mut i32) (i32.const 0))
  (func (export "main") (local $n i32) (local $op i32)
    (block $out
      (loop $l
        (local.set $op (call $in (i32.const 0)))
        (block $d (block $c (block $b (block $a
          (br_table $a $b $c $l $out $d (local.get $op)))
          (global.set $acc (i32.add (global.get $acc) (i32.const 5))) (br $d))
          (global.set $acc (i32.mul (global.get $acc) (i32.const 3))) (br $d))
          (global.set $acc (i32.rem_s (global.get $acc) (i32.const 7))))
        (local.set $n (i32.add (local.get $n) (i32.const 1)))
        (if (i32.eq (global.get $acc) (i32.const 45)) (then unreachable))
        (br_if $l (i32.lt_u (local.get $n) (i32.const 4)))))
    (call $p (global.get $acc))))"#;

/// Ten readings that make no difference.
const MERGES: &str = r#"(module
  (import "env" "chip_digital_read" (func $in (param i32) (result i32)))
  (import "env" "print_int" (func $p (param i32)))
  (global $seen (mut i32) (i32.const 0))
  (func (export "main") (local $i i32)
    (loop $l
      (if (call $in (local.get $i))
        (then (global.set $seen (i32.const 1))) (else (global.set $seen (i32.const 1))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $l (i32.lt_u (local.get $i) (i32.const 10))))
    (call $p (global.get $seen))))"#;

/// Handlers that are not in the table, and a call of one.
const HANDLERS: &str = r#"(module
  (import "env" "subscribe_interrupt" (func $on (param i32 i32 i32)))
  (type $v (func)) (table 4 funcref) (elem (i32.const 0) $handler) (func $handler)
  (func (export "beyond") (call $on (i32.const 25) (i32.const 9) (i32.const 2)))
  (func (export "null") (call $on (i32.const 25) (i32.const 2) (i32.const 2)))
  (func (export "mode") (call $on (i32.const 25) (i32.const 0) (i32.const 77)))
  (func (export "called") (call_indirect (type $v) (i32.const 9))))"#;

/// AssemblyScript's `abort`, as its compiler calls it: texts in UTF-16 behind their lengths.
const ABORTS: &str = r#"(module
  (import "env" "chip_analog_read" (func $in (param i32) (result i32)))
  (import "env" "abort" (func $abort (param i32 i32 i32 i32)))
  (memory 1)
  (data (i32.const 12) "\14\00\00\00t\00o\00o\00 \00b\00r\00i\00g\00h\00t\00")
  (data (i32.const 60) "\0e\00\00\00l\00a\00m\00p\00.\00t\00s\00")
  (func (export "main")
    (if (i32.gt_s (call $in (i32.const 0)) (i32.const 4000)) (then
      (call $abort (i32.const 16) (i32.const 64) (i32.const 7) (i32.const 3)) unreachable))))"#;

/// A bug: how many inputs away it is, and what is said of it.
type Bug = (usize, &'static str);

/// Asks for bugs, and compares what is found; without any, nothing may be left out.
fn bugs(program: PathBuf, entry: Option<&str>, expected: &[Bug]) {
    let name = program.display().to_string();
    let board = program.with_extension("toml");
    let options = Options {
        board: board.exists().then_some(board),
        entry: entry.map(str::to_owned),
        ..Options::new(program)
    };
    let mut session = Session::open(options).expect("it opens");
    // What is waited for is the bug, not the time: a development build on a busy machine is slow.
    let within = Within {
        time_ms: Some(60_000),
        ..Within::default()
    };
    let inquiry = session.inquire(Question::Bugs, within, &mut |_| Flow::Continue);
    let inquiry = inquiry.expect("it can be asked");
    let listing = inquiry.answer(&mut |_, so_far| {
        let so_far = so_far();
        let found = so_far.found.iter().map(|path| path.inputs.len());
        let is_found = !expected.is_empty() && found.eq(expected.iter().map(|bug| bug.0));
        match is_found {
            true => Flow::Pause,
            false => Flow::Continue,
        }
    });
    let found = listing.found.iter();
    let found: Vec<(usize, String)> = found
        .map(|path| {
            let words = path.reason.clone().unwrap_or_default();
            (path.inputs.len(), words)
        })
        .collect();
    assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
    for ((inputs, words), (away, said)) in found.iter().zip(expected) {
        assert_eq!(inputs, away, "{name}: {words}");
        assert!(words.contains(said), "{name}: {words}");
    }
    // That there is none is believed only where everything was looked at.
    assert!(
        !expected.is_empty() || listing.complete,
        "{name}: {:?}",
        listing.unexplored
    );
}

/// Programs of an audit, in C, C++, Rust and as text.
#[test]
fn every_known_bug_is_found_without_a_bound() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let trap = "unreachable";
    let programs: [(&str, &[Bug]); 11] = [
        ("session/tests/futures_programs/deep_bug", &[(5, trap)]),
        (
            "session/tests/futures_programs/duplicate_paths",
            &[(3, trap)],
        ),
        (
            "session/tests/futures_programs/forty_readings",
            &[(25, trap)],
        ),
        (
            "session/tests/futures_programs/forty_readings_and_pins",
            &[(25, trap)],
        ),
        ("session/tests/futures_programs/heater", &[(8, trap)]),
        ("session/tests/futures_programs/rules", &[(5, trap)]),
        ("session/tests/futures_programs/vectors", &[]),
        ("debuginfo/tests/programs/values/robot", &[]),
        ("cli/tests/programs/sibling-calls", &[]),
        ("cli/tests/programs/nameless", &[(1, trap)]),
        ("session/tests/futures_programs/minus_4711", &[(6, trap)]),
    ];
    for (program, expected) in programs {
        // A condition over six readings is for a solver.
        if program.ends_with("minus_4711") && !cfg!(feature = "z3") {
            continue;
        }
        bugs(tests.join(program).with_extension("wasm"), None, expected);
    }
    let texts: [(&str, &str, &[Bug]); 7] = [
        (TURNS, "main", &[(3, trap)]),
        (MERGES, "main", &[]),
        (ABORTS, "main", &[(1, "too bright (lamp.ts:7:3)")]),
        (HANDLERS, "beyond", &[(0, "none at 9")]),
        (
            HANDLERS,
            "null",
            &[(0, "element 2 of the program's table is null")],
        ),
        (HANDLERS, "mode", &[(0, "no interrupt mode 77")]),
        (HANDLERS, "called", &[(0, "undefined element")]),
    ];
    for (text, entry, expected) in texts {
        let folder = tempfile::tempdir().expect("a folder");
        bugs(written::written(folder.path(), text), Some(entry), expected);
    }
}
