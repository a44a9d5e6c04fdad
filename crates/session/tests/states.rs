//! All states of device programs, for ever: what is said of them, and where each bound cuts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use borges_session::command::Flow;
use borges_session::suggest::{
    OrdersReport, StatesOptions, StatesReport, orders_of_program, states_of_program,
};

fn explored(program: &Path, board: Option<&Path>, options: &StatesOptions) -> StatesReport {
    let report = states_of_program(program, board, options, &[], &mut |_| Flow::Continue);
    report.expect("it opens")
}

/// A program in the text format, on a board whose sensor reads 0 to 3.
fn written(text: &str, options: &StatesOptions) -> StatesReport {
    let folder = tempfile::tempdir().expect("a folder");
    let (program, board) = (
        folder.path().join("p.wasm"),
        folder.path().join("board.toml"),
    );
    std::fs::write(&program, wat::parse_str(text).expect("valid text")).expect("written");
    std::fs::write(&board, "[ranges]\n\"chip_analog_read(34)\" = \"0..3\"\n").expect("written");
    explored(&program, Some(&board), options)
}

fn bounds(report: &StatesReport) -> Vec<&str> {
    report
        .unexplored
        .iter()
        .filter_map(|left| left.bound.as_deref())
        .collect()
}

/// The trap lies deeper than anybody looks by paths, and the graph is small.
#[test]
fn a_trap_eight_inputs_away_is_found_in_a_graph_that_closes() {
    let program: PathBuf =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/futures_programs/heater.wasm");
    let report = explored(&program, None, &StatesOptions::default());
    assert!(report.complete, "{:?}", report.unexplored);
    assert_eq!((report.states, report.edges, report.depth), (20, 50, 11));
    let [trap] = &*report.traps else {
        panic!("{:?}", report.traps);
    };
    assert!(
        trap.certain && trap.what.contains("unreachable"),
        "{trap:?}"
    );
    assert_eq!((trap.inputs, trap.run.len(), trap.answers.len()), (8, 8, 8));
    assert!(trap.place.ends_with("heater.c:16"), "{}", trap.place);
}

const COUNTS: &str = r#"(module
  (import "env" "chip_analog_read" (func $in (param i32) (result i32)))
  (global $count (mut i32) (i32.const 0))
  (func (export "main")
    (loop $again
      (drop (call $in (i32.const 34)))
      (global.set $count (i32.add (global.get $count) (i32.const 1)))
      BODY
      (br $again))))"#;

/// Ten readings after which all is the same: 1,024 paths, and as many states as readings.
#[test]
fn what_was_read_and_makes_no_difference_is_one_state() {
    let text = r#"(module
      (import "env" "chip_digital_read" (func $in (param i32) (result i32)))
      (global $seen (mut i32) (i32.const 0))
      (func (export "main") (local $i i32)
        (loop $l
          (if (call $in (local.get $i))
            (then (global.set $seen (i32.const 1))) (else (global.set $seen (i32.const 1))))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br_if $l (i32.lt_u (local.get $i) (i32.const 10))))))"#;
    let report = written(text, &StatesOptions::default());
    assert!(report.complete && report.returns, "{:?}", report.unexplored);
    assert_eq!(report.states, 10);
}

#[test]
fn a_counter_that_nobody_asks_is_proved_to_have_no_influence() {
    let report = written(&COUNTS.replace("BODY", ""), &StatesOptions::default());
    assert!(report.complete, "{:?}", report.unexplored);
    // A global that only counts itself is read by its own count.
    assert_eq!(report.anything, ["count"]);
    assert_eq!(
        (report.states, report.maybe.len(), report.traps.len()),
        (1, 0, 0)
    );
}

#[test]
fn a_counter_that_matters_is_a_maybe_and_nothing_is_complete() {
    let body = "(if (i32.eq (global.get $count) (i32.const -7)) (then (unreachable)))";
    let report = written(&COUNTS.replace("BODY", body), &StatesOptions::default());
    assert!(!report.complete);
    assert_eq!(report.maybe, ["count"]);
    assert_eq!(report.unexplored.len(), 0, "{:?}", report.unexplored);
    // It would take four billion inputs.
    assert!(
        report
            .traps
            .iter()
            .all(|trap| !trap.certain && trap.run.is_empty()),
        "{:?}",
        report.traps
    );
}

/// What is copied from a counter has no influence either, until somebody asks.
#[test]
fn a_copy_of_a_counter_is_followed() {
    let with = |body: &str| {
        let text = COUNTS.replace("BODY", body);
        let text = text.replacen("(global", "(memory 1) (global", 1);
        written(&text, &StatesOptions::default())
    };
    let copy = "(i32.store8 (i32.const 8) (global.get $count))";
    let report = with(copy);
    assert!(
        report.complete,
        "{:?} {:?}",
        report.maybe, report.unexplored
    );
    assert_eq!(report.anything, ["count"]);
    let asks = "(if (i32.eq (i32.load8_u (i32.const 8)) (i32.const 200)) (then THEN))";
    let reads = asks.replace("THEN", "(drop (call $in (i32.const 34)))");
    let report = with(&format!("{reads} {copy}"));
    assert!(!report.complete && report.traps.is_empty());
    assert_eq!(report.maybe, ["count"]);
    // Where it ends, nothing needs to be taken for anything.
    let traps = asks.replace("THEN", "(unreachable)");
    let report = with(&format!("{traps} {copy}"));
    assert!(report.complete && report.anything.is_empty());
    assert_eq!((report.traps.len(), report.traps[0].inputs), (1, 201));
}

/// Sixteen states in a row, then they come round.
const ROUND: &str = r#"(module
  (import "env" "chip_analog_read" (func $in (param i32) (result i32)))
  (global $at (mut i32) (i32.const 0))
  (func (export "main")
    (loop $again
      (if (call $in (i32.const 34)) (then
        (global.set $at (i32.and (i32.add (global.get $at) (i32.const 1)) (i32.const 15)))))
      (br_if $again (i32.lt_u (global.get $at) (i32.const 99))))))"#;

#[test]
fn bounds_cut_and_are_named_one_past_them_and_not_at_them() {
    let of = |states, depth| StatesOptions {
        states,
        depth,
        ..StatesOptions::default()
    };
    let all = written(ROUND, &of(None, None));
    assert!(
        all.complete && all.traps.is_empty() && !all.returns,
        "{all:?}"
    );
    assert_eq!((all.states, all.edges, all.depth), (16, 32, 15));
    let enough = written(ROUND, &of(Some(17), Some(15)));
    assert!(enough.complete, "{:?}", enough.unexplored);
    assert_eq!(bounds(&written(ROUND, &of(Some(15), None))), ["states"]);
    assert_eq!(bounds(&written(ROUND, &of(None, Some(14)))), ["depth"]);
}

#[test]
fn a_loop_that_asks_for_nothing_is_cut_and_named() {
    let spins = |rounds: u32| {
        let text = format!(
            r#"(module
              (import "env" "chip_analog_read" (func $in (param i32) (result i32)))
              (func (export "main") (local i32)
                (loop $again
                  (local.set 0 (i32.const {rounds}))
                  (loop $spin
                    (br_if $spin (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
                  (drop (call $in (i32.const 34)))
                  (br $again))))"#
        );
        written(&text, &StatesOptions::default())
    };
    // Five instructions a round, of a million.
    let within = spins(199_990);
    assert!(within.complete, "{:?}", within.unexplored);
    let beyond = spins(200_001);
    assert!(!beyond.complete);
    assert_eq!(bounds(&beyond), ["instructions"]);
}

#[test]
fn what_takes_too_long_is_cut_by_time_and_by_the_user() {
    // The product of all readings: no two ways come to one state.
    let text = r#"(module
      (import "env" "chip_digital_read" (func $in (param i32) (result i32)))
      (global $x (mut i64) (i64.const 1)) (global $y (mut i64) (i64.const 1))
      (func (export "main")
        (loop $again
          (if (call $in (i32.const 1)) (then
            (global.set $x (i64.mul (i64.add (global.get $x) (global.get $y)) (i64.const 6364136223846793005)))
            (global.set $y (i64.xor (global.get $x) (i64.rotl (global.get $y) (i64.const 7)))))
          (else (global.set $y (i64.add (global.get $y) (i64.const 1442695040888963407)))))
          (br_if $again (i64.ne (global.get $x) (global.get $y))))))"#;
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("p.wasm");
    std::fs::write(&program, wat::parse_str(text).expect("valid text")).expect("written");
    let options = StatesOptions {
        time: Some(Duration::from_millis(300)),
        ..StatesOptions::default()
    };
    let report = explored(&program, None, &options);
    assert!(!report.complete);
    assert_eq!(bounds(&report), ["time"]);
    let report = states_of_program(&program, None, &StatesOptions::default(), &[], &mut |_| {
        Flow::Pause
    });
    let report = report.expect("it opens");
    assert_eq!(bounds(&report), ["cancelled"]);
    assert!(!report.complete);
}

#[test]
fn interrupts_are_explored_or_are_not_left_out_in_silence() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/binary-counter/binary-counter.wasm");
    let board = program.with_file_name("board.toml");
    let report = explored(&program, Some(&board), &StatesOptions::default());
    assert!(report.complete, "{:?}", report.unexplored);
    // Sixteen counts, at each of the moments of a round.
    assert_eq!((report.states, report.traps.len()), (144, 0));
    let options = StatesOptions {
        without_events: true,
        ..StatesOptions::default()
    };
    let report = explored(&program, Some(&board), &options);
    assert!(!report.complete);
    let mut reasons = report.unexplored.iter().map(|left| &left.reason);
    assert!(reasons.any(|reason| reason.contains("interrupts")));
}

/// Between the two halves of what the program does, the handler makes a third thing of it.
#[test]
fn a_trap_that_only_an_interrupt_leads_to_comes_with_its_moment() {
    let text = r#"(module
      (import "env" "chip_analog_read" (func $in (param i32) (result i32)))
      (import "env" "subscribe_interrupt" (func $on (param i32 i32 i32)))
      (table funcref (elem $handler))
      (global $a (mut i32) (i32.const 0))
      (func $handler (global.set $a (i32.const 1)))
      (func (export "main")
        (call $on (i32.const 2) (i32.const 0) (i32.const 3))
        (loop $again
          (global.set $a (i32.const 0))
          (if (i32.eq (call $in (i32.const 34)) (i32.const 2))
            (then (if (global.get $a) (then (unreachable)))))
          (br $again))))"#;
    let report = written(text, &StatesOptions::default());
    assert!(report.complete, "{:?}", report.unexplored);
    let [trap] = &*report.traps else {
        panic!("{:?}", report.traps);
    };
    assert!(trap.certain, "{trap:?}");
    assert_eq!((trap.inputs, &*trap.answers), (1, &[2.into()][..]));
    let calls: Vec<&str> = trap.run.iter().map(|read| &*read.call).collect();
    assert!(calls.contains(&"interrupt"), "{calls:?}");
    assert_eq!(calls.len(), 2);
}

/// Traps behind many readings: each comes with a run that was made.
#[test]
fn traps_behind_many_readings_come_with_their_runs() {
    let in_34 = "(local.set $v (call $in (i32.const 34)))";
    let plus_one = "(global.set $n (i32.add (global.get $n) (i32.const 1)))";
    let chain = "(global.set $n (select (i32.add (global.get $n) (i32.const 1)) (i32.const 0)
        (i32.eq (local.get $v) (i32.and (global.get $n) (i32.const 3)))))";
    let other = "(if (i32.ne (local.get $v) (global.get $last)) (then PLUS))
        (global.set $last (local.get $v))";
    let cells = "(local.set $at (i32.and (local.get $v) (i32.const 1)))
        (if (i32.lt_u (i32.load8_u (local.get $at)) (i32.const 12)) (then
          (i32.store8 (local.get $at) (i32.add (i32.load8_u (local.get $at)) (i32.const 1)))))
        (global.set $n (i32.add (i32.load8_u (i32.const 0)) (i32.load8_u (i32.const 1))))";
    for (name, body, most) in [
        (
            "a count",
            format!("{in_34} (if (i32.eq (local.get $v) (i32.const 2)) (then PLUS))"),
            1000,
        ),
        ("a chain of choices", format!("{in_34} {chain}"), 60),
        ("one other than the last", format!("{in_34} {other}"), 300),
        ("counts by index", format!("{in_34} {cells}"), 24),
    ] {
        let body = body.replace("PLUS", plus_one);
        let text = format!(
            r#"(module
              (import "env" "chip_analog_read" (func $in (param i32) (result i32)))
              (import "env" "millis" (func $millis (result i32)))
              (memory 1)
              (global $n (mut i32) (i32.const 0)) (global $last (mut i32) (i32.const 0))
              (func (export "main") (local $v i32) (local $at i32)
                (loop $again
                  {body}
                  (if (i32.eq (global.get $n) (i32.const {most})) (then (unreachable)))
                  (br $again))))"#
        );
        let report = written(&text, &StatesOptions::default());
        assert!(report.complete, "{name}: {:?}", report.unexplored);
        let [trap] = &*report.traps else {
            panic!("{name}: {:?}", report.traps);
        };
        assert!(trap.certain, "{name}: {trap:?}");
        assert_eq!(trap.run.len(), trap.inputs as usize, "{name}");
        assert!(trap.inputs >= most, "{name}: {trap:?}");
    }
}

/// Orders of a program and its interrupts are all, or it is said what cut them off: at the bounds, and one before.
#[test]
fn orders_that_are_cut_off_are_not_all() {
    let program =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/futures_programs/two_buttons.wasm");
    let orders = |options: &StatesOptions| -> OrdersReport {
        let report = orders_of_program(&program, None, options, 2, &mut |_| Flow::Continue);
        report.expect("it opens")
    };
    let all = orders(&StatesOptions::default());
    assert!(all.complete && all.returns, "{:?}", all.unexplored);
    assert_eq!((all.classes, all.rounds), (18, 0));
    let within = |states: Option<usize>, depth: Option<u32>| {
        let options = StatesOptions {
            states,
            depth,
            ..StatesOptions::default()
        };
        let report = orders(&options);
        let bounds = report
            .unexplored
            .iter()
            .filter_map(|left| left.bound.clone());
        (report.complete, report.classes, bounds.collect::<Vec<_>>())
    };
    let (turns, none) = (all.turns as usize, Vec::<String>::new());
    assert_eq!(within(Some(turns), None), (true, 18, none.clone()));
    // The last step may be one of a run that is known already: then all classes are found, and nobody knows.
    let (complete, _, bounds) = within(Some(turns - 1), None);
    assert_eq!((complete, bounds), (false, vec!["states".to_owned()]));
    let (complete, classes, _) = within(Some(turns / 2), None);
    assert!(!complete && classes < 18, "{classes}");
    // The longest run has each event twice.
    let longest = (1..).find(|depth| within(None, Some(*depth)).0);
    let longest = longest.expect("runs end");
    assert_eq!(within(None, Some(longest)), (true, 18, none));
    let (complete, classes, bounds) = within(None, Some(longest - 1));
    assert!(!complete && classes < 18, "{classes}");
    assert_eq!(bounds, ["depth"]);
}
