//! Tail calls: the frame of the function that makes one gives way to the other's.

use crate::common::*;
use borges_vm::*;

/// Both tiers, each with an instance of the module.
fn machines(text: &str, limits: Limits) -> [Machine; 2] {
    [true, false].map(|stepping| {
        let mut machine = Machine::new(module(text), limits).unwrap();
        machine.use_stepping_tier_only(stepping);
        machine
    })
}

#[test]
fn a_million_tail_calls_take_one_frame() {
    let text = r#"(module
        (type $count (func (param i32 i64) (result i64)))
        (table funcref (elem $down $odd))
        (func $down (export "down") (type $count)
            (if (i32.eqz (local.get 0)) (then (return (local.get 1))))
            (return_call $odd (i32.sub (local.get 0) (i32.const 1))
                (i64.add (local.get 1) (i64.const 3))))
        (func $odd (type $count) (local f64)
            (return_call_indirect (type $count) (local.get 0) (local.get 1) (i32.const 0))))"#;
    let limits = Limits {
        call_depth: 1,
        stack_slots: 7,
        ..Limits::default()
    };
    for mut machine in machines(text, limits) {
        let args = [Value::I32(1_000_000), Value::I64(0)];
        begin(&mut machine, "down", &args);
        // Not once a multiple of what a round takes.
        for until in (0..20_000_000).step_by(1_000_003) {
            machine.run(until);
            assert!(machine.depth() <= 1 && machine.cells().len() <= 7);
        }
        assert_eq!(finished(&machine), [Value::I64(3_000_000)]);
        // A round takes 3 for the condition, 7 to the tail call and 4 of the other function; no `end` counts. The last
        // one takes 5.
        assert_eq!(machine.steps(), 1_000_000 * 14 + 5);
    }
}

#[test]
fn an_answer_to_a_tail_call_returns_to_the_caller() {
    let text = r#"(module
        (import "env" "two" (func $two (param i32 i64 i32) (result i32 i64)))
        (type $two (func (param i32 i64 i32) (result i32 i64)))
        (table funcref (elem $two))
        (func $direct (param i32) (result i32 i64) (local f64)
            (i64.const 99)
            (return_call $two (local.get 0) (i64.const 2) (i32.const 3)))
        (func $indirect (param i32) (result i32 i64)
            (return_call_indirect (type $two)
                (local.get 0) (i64.const 2) (i32.const 3) (i32.const 0)))
        (func (export "direct") (result i64)
            (i64.const 5) (call $direct (i32.const 1))
            (drop) (i64.extend_i32_u) (i64.sub))
        (func (export "main") (param i32) (result i32 i64) (return_call $indirect (local.get 0))))"#;
    for mut machine in machines(text, Limits::default()) {
        begin(&mut machine, "direct", &[]);
        assert_eq!(machine.run(u64::MAX), Exit::HostCall);
        let call = machine.pending().unwrap();
        assert_eq!(call.args, [Value::I32(1), Value::I64(2), Value::I32(3)]);
        assert_eq!(machine.depth(), 2);
        assert_eq!(machine.frame(0).unwrap().cell, call.result);
        let steps = machine.steps();
        machine.answer(&[Value::I32(7), Value::I64(8)]).unwrap();
        assert_eq!((machine.depth(), machine.steps()), (1, steps + 1));
        let caller = machine.frame(0).unwrap();
        let operands = [Value::I64(5), Value::I32(7), Value::I64(8)];
        assert_eq!(caller.operands, operands);
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        assert_eq!(finished(&machine), [Value::I64(-2)]);
        // Of the entry itself: it ends with the answer.
        begin(&mut machine, "main", &[Value::I32(1)]);
        assert_eq!(machine.run(u64::MAX), Exit::HostCall);
        assert_eq!(machine.depth(), 1);
        let results = [Value::I32(7), Value::I64(8)];
        machine.answer(&results).unwrap();
        assert_eq!(finished(&machine), results);
    }
}

#[test]
fn handlers_and_start_functions_may_end_in_tail_calls() {
    let text = r#"(module
        (import "env" "note" (func $note (param i32) (result i32)))
        (table funcref (elem $handler))
        (global $sum (mut i32) (i32.const 0))
        (func $handler (param i32) (result i32)
            (if (result i32) (i32.and (local.get 0) (i32.const 1))
                (then (return_call $add (local.get 0) (i32.const 100)))
                (else (return_call $note (local.get 0)))))
        (func $add (param i32 i32) (result i32)
            (global.set $sum (i32.add (global.get $sum) (i32.add (local.get 0) (local.get 1))))
            (i32.const 9))
        (func $start (return_call $begun (i32.const 40)))
        (func $begun (param i32) (global.set $sum (local.get 0)))
        (start $start)
        (func (export "main") (result i32)
            (i32.add (i32.const 1) (global.get $sum))))"#;
    for machine in machines(text, Limits::default()) {
        let mut whole = machine.clone();
        begin(&mut whole, "main", &[]);
        whole.run(u64::MAX);
        assert_eq!(finished(&whole), [Value::I32(41)]);
        for (number, until) in (2..whole.steps()).enumerate() {
            let mut machine = machine.clone();
            begin(&mut machine, "main", &[]);
            machine.run(until);
            let before = machine.cells().to_vec();
            let argument = number as i32 % 2;
            machine.interrupt(0, &[Value::I32(argument)]).unwrap();
            while machine.in_handler() {
                let mut other = Machine::new(module(text), Limits::default()).unwrap();
                other.load(&machine.save()).unwrap();
                assert_eq!(other.hash(), machine.hash());
                stands_where_frames_are(&machine);
                match machine.run(machine.steps() + 1) {
                    Exit::HostCall => machine.answer(&[Value::I32(0)]).unwrap(),
                    exit => assert_eq!(exit, Exit::Budget),
                }
            }
            assert_eq!(machine.cells(), before);
            assert_eq!(machine.run(u64::MAX), Exit::Finished);
        }
    }
}

/// A program whose function was called and became another one, saved there.
fn replaced(inner: &str) -> (String, Vec<u8>) {
    let text = format!(
        r#"(module
            (func $one (result i32) {inner})
            (func $same (result i32) (nop) (i32.const 2))
            (func $wide (result i64) (nop) (i64.const 3))
            (func $none (nop))
            (func (export "main") (result i32) (i32.add (i32.const 1) (call $one))))"#
    );
    let mut machine = machine(&text);
    begin(&mut machine, "main", &[]);
    machine.run(2);
    assert_eq!(
        (machine.depth(), machine.location().unwrap().func),
        (2, FuncIdx(0))
    );
    let save = machine.save();
    (text, save)
}

#[test]
fn what_was_not_called_is_adopted_only_where_a_tail_call_can_lead() {
    for (inner, accepted) in [
        ("(i32.const 2)", [true, false, false, false]),
        ("(return_call $same)", [true, true, false, false]),
    ] {
        let (text, saved) = replaced(inner);
        let program = module(&text);
        // Where the frame's function and place are, an honest state with another one tells.
        for (func, accepted) in accepted.into_iter().enumerate() {
            let start = program.instr_starts(FuncIdx(func as u32)).next().unwrap();
            let first = program.instr_starts(FuncIdx(0)).next().unwrap();
            let found = (0..saved.len()).filter_map(|at| {
                let mut bytes = saved.clone();
                let part = bytes.get_mut(at..at + 2)?;
                if part != [0, first.0 as u8] {
                    return None;
                }
                part.copy_from_slice(&[func as u8, start.0 as u8]);
                let mut other = machine(&text);
                other.load(&bytes).is_ok().then_some(other)
            });
            let mut found: Vec<Machine> = found.collect();
            assert_eq!(
                found.len(),
                usize::from(accepted),
                "{inner}, function {func}"
            );
            for machine in &mut found {
                assert_eq!(machine.location().unwrap().func, FuncIdx(func as u32));
                assert_eq!(machine.run(u64::MAX), Exit::Finished);
                assert_eq!(finished(machine), [Value::I32(3)]);
            }
        }
    }
}
