//! Programs that a board cannot run, or only until they subscribe to nothing: each is told why, and what to do.

use crate::written::written;
use borges_session::command::{Act, Direction, Flow, Reply, StopReason};
use borges_session::headless::{RunOptions, RunOutcome, run};
use borges_session::suggest::{SuggestOptions, of_program};
use borges_session::{Options, Session};

/// Why a program does not open.
fn refused(text: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let opened = Session::open(Options::new(written(folder.path(), text)));
    opened.err().expect("it is refused").to_string()
}

/// Subscribes in several wrong ways, and then waits for interrupts.
const SUBSCRIBERS: &str = r#"(module
  (import "env" "subscribe_interrupt" (func $on (param i32 i32 i32)))
  (import "env" "subscribe_timer" (func $every (param i32 i32)))
  (import "env" "chip_digital_read" (func $read (param i32) (result i32)))
  (import "env" "chip_delay" (func $delay (param i32)))
  (table 6 funcref)
  (elem (i32.const 0) $plain $pin $float)
  (elem (i32.const 4) $delay)
  (func $plain) (func $pin (param i32 i64)) (func $float (param f32))
  (func (export "fine") (call $on (i32.const 25) (i32.const 0) (i32.const 3)))
  (func (export "with_pin") (call $on (i32.const 25) (i32.const 1) (i32.const 1)))
  (func (export "last") (call $on (i32.const 25) (i32.const 5) (i32.const 2)))
  (func (export "beyond") (call $on (i32.const 25) (i32.const 6) (i32.const 2)))
  (func (export "address") (call $every (i32.const 1000) (i32.const 1056)))
  (func (export "null") (call $on (i32.const 25) (i32.const 3) (i32.const 2)))
  (func (export "type") (call $on (i32.const 25) (i32.const 2) (i32.const 2)))
  (func (export "import") (call $on (i32.const 25) (i32.const 4) (i32.const 2)))
  (func $wait (local i32)
    (loop (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 60000)))))
  (func (export "removed")
    (call $every (i32.const 100) (i32.const 0)) (table.set (i32.const 0) (ref.null func)) (call $wait))
  (func (export "changed")
    (call $every (i32.const 100) (i32.const 1)) (table.copy (i32.const 1) (i32.const 2) (i32.const 1)) (call $wait))
  (func (export "put_back")
    (call $every (i32.const 100) (i32.const 1)) (table.copy (i32.const 1) (i32.const 2) (i32.const 1))
    (table.copy (i32.const 1) (i32.const 0) (i32.const 1)) (call $wait))
  (func (export "mode") (call $on (i32.const 25) (i32.const 0) (i32.const 77)))
  (func (export "chosen") (call $on (i32.const 25) (i32.mul (call $read (i32.const 2)) (i32.const 3)) (i32.const 2))))"#;

#[test]
fn a_subscription_without_a_handler_is_a_trap_everywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = written(folder.path(), SUBSCRIBERS);
    for (entry, expected) in [
        ("fine", None),
        ("with_pin", None),
        ("last", Some("element 5 of the program's table is null")),
        ("beyond", Some("has 6 elements, and none at 6")),
        (
            "address",
            Some("`handler` alone is the address of an object"),
        ),
        ("null", Some("element 3 of the program's table is null")),
        (
            "type",
            Some("function 2 of the program's table cannot be a handler"),
        ),
        (
            "import",
            Some("function 4 of the program's table cannot be a handler"),
        ),
        ("mode", Some("there is no interrupt mode 77")),
        (
            "removed",
            Some("no handler any more: it was when the program subscribed"),
        ),
        (
            "changed",
            Some("no handler any more: it was when the program subscribed"),
        ),
    ] {
        let entry = Some(entry.to_owned());
        let options = RunOptions {
            entry: entry.clone(),
            ..RunOptions::default()
        };
        let plain = run(&program, None, &options, &mut |_| Flow::Continue).expect("it runs");
        let session = Options {
            entry: entry.clone(),
            ..Options::new(&program)
        };
        let mut session = Session::open(session).expect("it opens");
        let direction = Direction::Forward;
        let went = session.execute(Act::Continue { direction }, &mut |_| Flow::Continue);
        let Ok(Reply::Stopped(stop)) = went else {
            panic!("{went:?}");
        };
        // Device and twin agree in every bit, and so does whoever replays.
        let verified = session.execute(Act::Verify, &mut |_| Flow::Continue);
        assert!(verified.is_ok(), "{verified:?}");
        let options = SuggestOptions {
            entry,
            events: Some(1),
            ..SuggestOptions::default()
        };
        let paths = of_program(&program, None, &options, &mut |_| Flow::Continue);
        let paths = serde_json::to_string(&paths.expect("it is explored")).expect("data");
        match expected {
            None => {
                assert_eq!(plain.outcome, RunOutcome::Returned);
                assert!(
                    matches!(stop.reason, StopReason::Finished { .. }),
                    "{stop:?}"
                );
                assert!(!paths.contains("\"trapped\""), "{paths}");
            }
            Some(expected) => {
                let message = plain.trap.and_then(|trap| trap.message).unwrap_or_default();
                assert!(message.contains(expected), "{message}");
                let StopReason::Trapped { trap } = stop.reason else {
                    panic!("{stop:?}");
                };
                assert!(trap.contains(expected), "{trap}");
                assert!(paths.contains("\"trapped\""), "{paths}");
            }
        }
    }
    // A handler that is gone for a moment is a trap if the event comes in that moment, and only then.
    let options = SuggestOptions {
        entry: Some("put_back".to_owned()),
        events: Some(1),
        ..SuggestOptions::default()
    };
    let paths = of_program(&program, None, &options, &mut |_| Flow::Continue);
    let paths = serde_json::to_string(&paths.expect("it is explored")).expect("data");
    assert!(paths.contains("\"trapped\""), "{paths}");
    assert!(paths.contains("\"returned\""), "{paths}");
    let options = SuggestOptions {
        entry: Some("chosen".to_owned()),
        ..SuggestOptions::default()
    };
    let paths = of_program(&program, None, &options, &mut |_| Flow::Continue);
    let paths = serde_json::to_value(paths.expect("it is explored")).expect("data");
    let traps = paths.to_string().matches("\"kind\":\"trapped\"").count();
    assert_eq!(
        (&paths["paths"], traps),
        (&serde_json::json!(2), 1),
        "{paths}"
    );
}

#[test]
fn all_missing_imports_are_named_at_once_with_what_to_do() {
    let told = refused(
        r#"(module
          (import "env" "wifi_status" (func (result i32)))
          (import "env" "http_get" (func (param i32 i32 i32 i32) (result i32)))
          (import "env" "chip_delay" (func (param i32)))
          (import "env" "wifi_connect" (func (param i32 i32 i32 i32)))
          (import "wasi_snapshot_preview1" "sock_open" (func (param i32 i32 i32) (result i32)))
          (import "helper" "sum" (func (param i32 i32) (result i32)))
          (import "env" "two" (func (result i32 i32)))
          (func (export "main")))"#,
    );
    assert!(
        told.starts_with("6 imports of the program are not on the board:\n"),
        "{told}"
    );
    for part in [
        "`env.wifi_status`",
        "`env.http_get`",
        "`env.wifi_connect`",
        "`wasi_snapshot_preview1.sock_open`",
        "`helper.sum`",
        "`env.two`",
        "sock_open: this is an operating system's interface",
        "sum: if it is another module's, link the program with that one: --link MODULE=FILE.wasm",
        "two: an import with several results cannot be declared",
        "http_get: if it writes into memory at an address that it is given",
        "wifi_status, wifi_connect: declare it in the board file:",
    ] {
        assert!(told.contains(part), "{part} is missing: {told}");
    }
    assert!(
        !told.contains("name = \"sock_open\"") && !told.contains("name = \"two\""),
        "{told}"
    );
    // What has to be declared can be copied from the message.
    let declared: String = told
        .split_inclusive('\n')
        .filter(|line| line.starts_with("[[") || line.contains(" = "))
        // A hint within a sentence is none.
        .filter(|line| !line.contains('`'))
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    let board = folder.path().join("board.toml");
    std::fs::write(&board, declared).expect("written");
    let checked = borges_session::contents::check_board(&board);
    assert!(checked.is_ok(), "{checked:?}");

    let one = refused(
        r#"(module (import "env" "http_post" (func (param i32 i32) (result i32))) (func (export "main")))"#,
    );
    assert!(one.contains("fills = { address = 0, room = 1 }"), "{one}");
    let memory = refused(
        r#"(module (import "a" "memory" (memory 1)) (import "a" "f" (func)) (import "a" "g" (global i32))
            (func (export "main")))"#,
    );
    assert!(memory.contains("'a.memory', 'a.g'"), "{memory}");
    assert!(memory.contains("--link MODULE=FILE.wasm"), "{memory}");
    assert!(
        memory.contains("Besides, the board has no primitive `a.f`"),
        "{memory}"
    );
    // What no board file can declare is not said to be declared there.
    let library = refused(
        r#"(module (import "env" "memcpy" (func (param i32 i32 i32) (result i32)))
            (import "env" "memset" (func (param i32 i32 i32) (result i32)))
            (import "env" "keep" (func (param externref)))
            (import "env" "lanes" (func (param v128))) (func (export "main")))"#,
    );
    for part in [
        "memcpy, memset: this is C's library",
        "-mbulk-memory",
        "keep: references (externref, funcref)",
        "lanes: vectors (v128)",
    ] {
        assert!(library.contains(part), "{part} is missing: {library}");
    }
    assert!(!library.contains("[[primitive]]"), "{library}");
}

/// `wasm-ld --import-memory --import-table` and `asc --importMemory` make such programs.
#[test]
fn a_memory_and_a_table_of_the_environment_are_made_for_the_program() {
    let text = r#"(module
        (import "env" "memory" (memory 1 4))
        (import "env" "chip_digital_read" (func $read (param i32) (result i32)))
        (import "env" "__indirect_function_table" (table 2 funcref))
        (import "env" "print_int" (func $print (param i32)))
        (data (i32.const 16) "\05")
        (elem (i32.const 1) $more)
        (func $more (param i32) (result i32) (i32.add (local.get 0) (i32.load8_u (i32.const 16))))
        (func (export "main") (result i32)
            (i32.store (i32.const 100) (call $read (i32.const 2)))
            (call $print (memory.grow (i32.const 1)))
            (call_indirect (param i32) (result i32) (i32.load (i32.const 100)) (i32.const 1))))"#;
    let folder = tempfile::tempdir().expect("a folder");
    let program = written(folder.path(), text);
    let mut session = Session::open(Options::new(&program)).expect("it opens");
    let direction = Direction::Forward;
    let went = session.execute(Act::Continue { direction }, &mut |_| Flow::Continue);
    let Ok(Reply::Stopped(stop)) = went else {
        panic!("{went:?}");
    };
    let StopReason::Finished { results } = stop.reason else {
        panic!("{stop:?}");
    };
    assert!(["5", "6"].contains(&results[0].as_str()), "{results:?}");
    let verified = session.execute(Act::Verify, &mut |_| Flow::Continue);
    assert!(verified.is_ok(), "{verified:?}");
    let contents = borges_session::contents::of_program(&program, &[], None).expect("a program");
    let kinds: Vec<&str> = contents
        .imports
        .iter()
        .map(|import| &*import.kind)
        .collect();
    assert_eq!(kinds, ["memory", "input", "table", "output"]);
    let refused = refused(&text.replace("\"env\" \"memory\"", "\"lib\" \"memory\""));
    assert!(refused.contains("'lib.memory'"), "{refused}");
}

#[test]
fn a_module_of_a_newer_webassembly_is_told_which_feature() {
    for (text, feature, flag) in [
        ("(module (memory 1 2 shared))", "threads", "-pthread"),
        ("(component)", "component", "wasm32-unknown-unknown"),
    ] {
        let told = refused(text);
        assert!(
            told.contains(feature) && told.contains(flag),
            "{text}: {told}"
        );
        assert!(!told.contains("malformed"), "{told}");
    }
}

/// What the outside takes for the memory is the first: a program that means another one is told so.
#[test]
fn the_memory_of_the_outside_is_the_first() {
    for (imports, exported, refusal) in [
        ("", "(export \"memory\" (memory 1))", Some(1)),
        ("", "(export \"memory\" (memory 0))", None),
        ("", "(export \"other\" (memory 1))", None),
        (
            "(import \"env\" \"a\" (memory 1)) (import \"env\" \"memory\" (memory 1))",
            "",
            Some(1),
        ),
        ("(import \"env\" \"memory\" (memory 1))", "", None),
    ] {
        let text =
            format!("(module {imports} (memory 1) (memory 1) {exported} (func (export \"main\")))");
        let folder = tempfile::tempdir().expect("a folder");
        let opened = Session::open(Options::new(written(folder.path(), &text)));
        let told = opened.err().map(|error| error.to_string());
        match refusal {
            Some(index) => {
                let told = told.expect("it is refused");
                let named = format!("'memory' is its memory {index}");
                assert!(told.contains(&named), "{text}: {told}");
            }
            None => assert_eq!(told, None, "{text}"),
        }
    }
}

#[test]
fn vectors_stay_within_a_program() {
    let told =
        refused("(module (import \"env\" \"f\" (func (param v128))) (func (export \"main\")))");
    assert!(
        told.contains("vectors (v128) cannot leave a program"),
        "{told}"
    );
    let told = refused("(module (func (export \"main\") (result v128) (v128.const i64x2 1 2)))");
    assert!(told.contains("it takes or gives vectors"), "{told}");
}
