//! The plain run, on small programs whose every step is counted by hand.

use std::path::PathBuf;

use borges_session::Flow;
use borges_session::command::Event;
use borges_session::headless::{Inputs, RunError, RunOptions, RunOutcome, RunReport, run};
use serde_json::json;

use crate::written;

/// Writes a module to a file of its own.
fn program(name: &str, wat: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("headless-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    written::written(&folder, wat)
}

fn report(name: &str, wat: &str, options: &RunOptions) -> Result<RunReport, RunError> {
    run(&program(name, wat), None, options, &mut |_| Flow::Continue)
}

fn texts(values: &[&str]) -> RunOptions {
    RunOptions {
        inputs: Inputs::Texts(values.iter().map(ToString::to_string).collect()),
        ..RunOptions::default()
    }
}

const ECHO: &str = r#"(module
    (import "env" "chip_analog_read" (func $read (param i32) (result i32)))
    (import "env" "print_int" (func $print (param i32)))
    (func (export "main") (result i32)
        (call $print (call $read (i32.const 2)))
        (i32.add (call $read (i32.const 3)) (i32.const 1))))"#;

#[test]
fn a_program_that_returns_says_what_it_read_did_and_printed() {
    let report = report("echo", ECHO, &texts(&["5", "0x10"])).unwrap();
    assert_eq!(report.outcome, RunOutcome::Returned);
    // const, call, call, const, call, const, add, end.
    assert_eq!(report.steps, 8);
    assert_eq!(report.results, [json!(17)]);
    assert_eq!(report.console, "5\n");
    assert_eq!(report.entry, "main");
    let value = serde_json::to_value(&report).unwrap();
    assert_eq!(value["outcome"], "returned");
    assert_eq!(
        value["outputs"],
        json!([{ "step": 2, "primitive": "print_int", "args": [5], "text": "5\n" }])
    );
    assert_eq!(
        value["inputs"],
        json!([
            { "step": 1, "primitive": "chip_analog_read", "args": [2], "value": 5 },
            { "step": 4, "primitive": "chip_analog_read", "args": [3], "value": 16 },
        ])
    );
    assert_eq!(report.state_hash.len(), 16);
}

#[test]
fn equal_inputs_give_equal_states_and_other_inputs_do_not() {
    let hash = |values: &[&str]| report("hash", ECHO, &texts(values)).unwrap().state_hash;
    assert_eq!(hash(&["5", "6"]), hash(&["5", "6"]));
    assert_ne!(hash(&["5", "6"]), hash(&["5", "7"]));
}

#[test]
fn the_run_ends_before_the_input_that_nobody_gave() {
    let report = report("exhausted", ECHO, &texts(&["5"])).unwrap();
    assert_eq!(report.outcome, RunOutcome::InputsExhausted);
    assert_eq!(report.steps, 4);
    assert_eq!(report.inputs.len(), 1);
    assert_eq!(
        serde_json::to_value(report.outcome).unwrap(),
        "inputs-exhausted"
    );
}

#[test]
fn an_input_outside_its_codomain_is_refused_with_its_number() {
    let told = |values: &[&str]| {
        report("codomain", ECHO, &texts(values))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        told(&["5", "4096"]),
        "input 2 cannot be '4096': chip_analog_read(3) at step 4 yields 0..4095"
    );
    assert_eq!(
        told(&["many"]),
        "input 1 cannot be 'many': chip_analog_read(2) at step 1 yields 0..4095"
    );
}

#[test]
fn a_run_stops_after_exactly_so_many_steps() {
    let wat = r#"(module (func (export "_start") (loop $again (br $again))))"#;
    for steps in [0, 1, 2, 1000, 5_000_001] {
        let options = RunOptions {
            steps: Some(steps),
            ..RunOptions::default()
        };
        let report = report("loop", wat, &options).unwrap();
        assert_eq!((report.outcome, report.steps), (RunOutcome::Budget, steps));
        assert_eq!(report.entry, "_start");
    }
}

#[test]
fn a_trap_says_what_and_where() {
    let wat = r#"(module
        (func $deep (result i32) (i32.div_s (i32.const 1) (i32.const 0)))
        (func (export "main") (drop (call $deep))))"#;
    let report = report("trap", wat, &RunOptions::default()).unwrap();
    assert_eq!((report.outcome, report.steps), (RunOutcome::Trapped, 3));
    let trap = report.trap.unwrap();
    assert_eq!(trap.reason, "integer divide by zero");
    assert_eq!(trap.function.as_deref(), Some("deep"));
    assert!(trap.offset.is_some());
}

#[test]
fn a_call_that_the_board_refuses_traps_and_says_why() {
    let wat = r#"(module
        (import "env" "chip_digital_write" (func $write (param i32 i32)))
        (func (export "main") (call $write (i32.const 999) (i32.const 1))))"#;
    let report = report("refused", wat, &RunOptions::default()).unwrap();
    assert_eq!(report.outcome, RunOutcome::Trapped);
    let message = report.trap.unwrap().message.unwrap();
    assert!(message.contains("999"), "{message}");
    assert!(report.outputs.is_empty());
}

#[test]
fn a_timer_interrupts_at_exact_steps_and_so_in_every_run() {
    let wat = r#"(module
        (import "env" "subscribe_timer" (func $every (param i32 i32)))
        (import "env" "chip_delay_us" (func $delay (param i32)))
        (import "env" "print_int" (func $print (param i32)))
        (table 1 funcref)
        (elem (i32.const 0) $tick)
        (global $ticks (mut i32) (i32.const 0))
        (func $tick
            (global.set $ticks (i32.add (global.get $ticks) (i32.const 1)))
            (call $print (global.get $ticks)))
        (func (export "main")
            (call $every (i32.const 1000) (i32.const 0))
            (loop $again
                (call $delay (i32.const 400))
                (br_if $again (i32.lt_s (global.get $ticks) (i32.const 3))))))"#;
    let first = report("timer", wat, &RunOptions::default()).unwrap();
    assert_eq!(first.outcome, RunOutcome::Returned);
    assert_eq!(first.console, "1\n2\n3\n");
    assert_eq!(first.events.len(), 3);
    assert!(first.events.iter().all(|event| event.source == "timer"));
    assert_eq!(report("timer", wat, &RunOptions::default()).unwrap(), first);
}

#[test]
fn an_entry_that_does_not_exist_lists_what_there_is() {
    let wat = r#"(module (func (export "setup")) (func (export "loop")))"#;
    let error = report("entries", wat, &RunOptions::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("setup, loop"), "{error}");
    let options = RunOptions {
        entry: Some("loop".to_owned()),
        ..RunOptions::default()
    };
    assert_eq!(
        report("entries", wat, &options).unwrap().outcome,
        RunOutcome::Returned
    );
}

#[test]
fn the_observer_hears_the_console_and_may_pause() {
    let wat = r#"(module
        (import "env" "print_int" (func $print (param i32)))
        (func (export "main") (loop $again (call $print (i32.const 7)) (br $again))))"#;
    let mut heard = 0;
    let report = run(
        &program("pause", wat),
        None,
        &RunOptions::default(),
        &mut |event| {
            assert_eq!(
                event,
                Event::Console {
                    text: "7\n".to_owned()
                }
            );
            heard += 1;
            if heard == 3 {
                Flow::Pause
            } else {
                Flow::Continue
            }
        },
    );
    let report = report.unwrap();
    assert_eq!(report.outcome, RunOutcome::Paused);
    assert_eq!(report.console, "7\n7\n7\n");
}
