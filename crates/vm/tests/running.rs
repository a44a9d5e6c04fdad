//! Small programs: steps are counted exactly, calls of the embedder wait for answers, handlers
//! come and go.

use crate::common::*;
use borges_vm::*;

const FIB: &str = r#"(module (func $fib (export "fib") (param i32) (result i32)
    (if (result i32) (i32.lt_u (local.get 0) (i32.const 2))
        (then (local.get 0))
        (else (i32.add
            (call $fib (i32.sub (local.get 0) (i32.const 1)))
            (call $fib (i32.sub (local.get 0) (i32.const 2))))))))"#;

#[test]
fn steps_of_a_recursive_function() {
    let mut machine = machine(FIB);
    begin(&mut machine, "fib", &[Value::I32(10)]);
    assert_eq!(machine.run(u64::MAX), Exit::Finished);
    assert_eq!(finished(&machine), [Value::I32(55)]);
    // Every call takes 4 for the condition; a leaf then 2 for its value and `else`, an inner one 9
    // with its `end` of the `if`; each 1 for the last `end`. There are 89 leaves, 88 inner calls.
    assert_eq!(machine.steps(), 177 * 4 + 89 * 2 + 88 * 10 + 177);
}

#[test]
fn stops_after_exactly_as_many_steps_as_asked() {
    let mut whole = machine(FIB);
    begin(&mut whole, "fib", &[Value::I32(7)]);
    whole.run(u64::MAX);
    let mut stepped = machine(FIB);
    begin(&mut stepped, "fib", &[Value::I32(7)]);
    for steps in 0..whole.steps() {
        assert_eq!(stepped.steps(), steps);
        let location = stepped.location().unwrap();
        assert!(stepped.module().unwrap().is_instr_start(location.offset));
        let exit = stepped.run(steps + 1);
        let last = steps + 1 == whole.steps();
        assert_eq!(exit, if last { Exit::Finished } else { Exit::Budget });
    }
    assert_eq!(finished(&stepped), finished(&whole));
}

#[test]
fn branches_count_as_documented() {
    for (body, steps) in [
        // A branch to a block's label goes past its `end`.
        ("(block (br 0))", 3),
        // To the function's label it goes to the last `end`.
        ("(br 0)", 2),
        ("(return)", 1),
        ("(block nop)", 4),
        ("(if (i32.const 0) (then nop))", 3),
        ("(if (i32.const 1) (then nop))", 5),
        ("(if (i32.const 1) (then nop) (else nop nop))", 5),
        ("(if (i32.const 0) (then nop) (else nop nop))", 6),
        ("(block (block (br_table 0 1 (i32.const 0))) nop)", 7),
        ("(block (block (br_table 0 1 (i32.const 7))) nop)", 5),
        // Twice around: `loop` itself counts once.
        (
            "(local i32) (loop (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 2))))",
            1 + 2 * 7 + 2,
        ),
    ] {
        let mut machine = machine(&format!("(module (func (export \"f\") {body}))"));
        begin(&mut machine, "f", &[]);
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        assert_eq!(machine.steps(), steps, "{body}");
    }
}

#[test]
fn calls_of_the_embedder_wait_for_an_answer() {
    let mut machine = machine(
        r#"(module
        (import "env" "read" (func $read (param i32) (result i32)))
        (import "env" "write" (func $write (param i32)))
        (table 2 funcref) (elem (i32.const 1) $read)
        (func (export "main") (result i32)
            (call $write (i32.const 7))
            (i32.add (call $read (i32.const 3))
                (call_indirect (param i32) (result i32) (i32.const 4) (i32.const 1)))))"#,
    );
    begin(&mut machine, "main", &[]);
    assert_eq!(machine.run(1), Exit::Budget);
    // Whether the machine stopped before the call by budget or by the call, it is the same state.
    let call = machine.pending().unwrap();
    assert_eq!(
        (call.func, call.args.as_slice()),
        (FuncIdx(1), &[Value::I32(7)][..])
    );
    assert_eq!(machine.run(u64::MAX), Exit::HostCall);
    assert_eq!(machine.run(u64::MAX), Exit::HostCall);
    assert_eq!(machine.answer(&[Value::I32(1)]), Err(AnswerError::Results));
    machine.answer(&[]).unwrap();
    assert_eq!(machine.steps(), 2);
    assert_eq!(machine.answer(&[]), Err(AnswerError::NoCall));
    assert_eq!(machine.run(u64::MAX), Exit::HostCall);
    machine.answer(&[Value::I32(30)]).unwrap();
    assert_eq!(machine.run(u64::MAX), Exit::HostCall);
    assert_eq!(machine.pending().unwrap().args, [Value::I32(4)]);
    machine.answer(&[Value::I32(12)]).unwrap();
    assert_eq!(machine.run(u64::MAX), Exit::Finished);
    assert_eq!(finished(&machine), [Value::I32(42)]);
    assert_eq!(machine.steps(), 9);
}

#[test]
fn a_refused_call_aborts_the_program() {
    let mut machine = machine(
        r#"(module (import "env" "abort" (func $abort)) (func (export "main") (call $abort)))"#,
    );
    begin(&mut machine, "main", &[]);
    assert_eq!(machine.run(u64::MAX), Exit::HostCall);
    machine.trap(Trap::Host);
    assert_eq!(machine.run(u64::MAX), Exit::Trapped(Trap::Host));
    assert_eq!(machine.steps(), 0);
    // It can still be told which call it was, but nobody can answer it any more.
    assert_eq!(machine.pending().unwrap().func, FuncIdx(0));
    assert_eq!(machine.answer(&[]), Err(AnswerError::NoCall));
    begin(&mut machine, "main", &[]);
    assert_eq!(machine.run(u64::MAX), Exit::HostCall);
}

#[test]
fn a_trapping_instruction_does_not_count_and_stays_the_location() {
    let mut machine = machine(
        r#"(module (func (export "main") (result i32)
            (i32.div_u (i32.const 1) (i32.const 0))))"#,
    );
    begin(&mut machine, "main", &[]);
    assert_eq!(machine.run(u64::MAX), Exit::Trapped(Trap::DivideByZero));
    assert_eq!(machine.steps(), 2);
    let location = machine.location().unwrap();
    let module = machine.module().unwrap();
    let func = module.func_at(location.offset).unwrap();
    let mut instrs = module.instrs(func);
    let (_, trapped) = instrs.find(|(at, _)| *at == location.offset).unwrap();
    assert_eq!(trapped.name(), "i32.div_u");
}

#[test]
fn the_start_function_runs_once_before_the_entry() {
    let mut machine = machine(
        r#"(module (global $g (mut i32) (i32.const 1))
        (func $start (global.set $g (i32.add (global.get $g) (i32.const 1))))
        (start $start)
        (func (export "main") (param i32) (result i32)
            (i32.add (global.get $g) (local.get 0))))"#,
    );
    for _ in 0..2 {
        begin(&mut machine, "main", &[Value::I32(40)]);
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        assert_eq!(finished(&machine), [Value::I32(42)]);
    }
    assert_eq!(machine.steps(), 5 + 4 + 4);
}

#[test]
fn a_handler_runs_between_two_instructions_and_leaves_no_trace_on_the_stack() {
    let mut machine = machine(
        r#"(module (global $g (mut i32) (i32.const 0))
        (table 2 funcref) (elem (i32.const 1) $handler)
        (func $handler (param i32 i32) (result i32)
            (global.set $g (i32.sub (local.get 0) (local.get 1))) (i32.const 99))
        (func (export "main") (result i32)
            (i32.add (i32.const 1) (i32.const 2))))"#,
    );
    assert_eq!(machine.interrupt(1, &[]), Err(InterruptError::NotRunning));
    begin(&mut machine, "main", &[]);
    machine.run(2);
    assert_eq!(machine.interrupt(0, &[]), Err(InterruptError::NoFunction));
    assert_eq!(machine.interrupt(1, &[]), Err(InterruptError::Arguments));
    machine
        .interrupt(1, &[Value::I32(9), Value::I32(4)])
        .unwrap();
    assert!(machine.in_handler());
    assert_eq!(
        machine.interrupt(1, &[Value::I32(9), Value::I32(4)]),
        Err(InterruptError::Nested)
    );
    assert_eq!(machine.run(8), Exit::Budget);
    assert!(!machine.in_handler());
    assert_eq!(machine.globals(), [Value::I32(5)]);
    assert_eq!(machine.run(u64::MAX), Exit::Finished);
    assert_eq!(finished(&machine), [Value::I32(3)]);
    assert_eq!(machine.steps(), 4 + 6);
}

#[test]
fn endless_recursion_traps_at_the_same_step_everywhere() {
    let text = r#"(module (func $f (export "f") (param i32) (call $f (local.get 0))))"#;
    let bytes = wat::parse_str(text).unwrap();
    let module = Shared::new(Module::new(&bytes, &Limits::default()).unwrap());
    for (limits, frames) in [
        (
            Limits {
                call_depth: 10,
                ..Limits::default()
            },
            10,
        ),
        // A frame is one local and at most one operand; the operand becomes the next one's local.
        (
            Limits {
                stack_slots: 21,
                ..Limits::default()
            },
            20,
        ),
    ] {
        let mut machine = Machine::new(module.clone(), limits).unwrap();
        begin(&mut machine, "f", &[Value::I32(0)]);
        assert_eq!(machine.run(u64::MAX), Exit::Trapped(Trap::StackOverflow));
        assert_eq!(machine.depth(), frames);
        assert_eq!(machine.steps(), 2 * frames as u64 - 1);
    }
}

#[test]
fn a_program_that_ends_itself_has_its_code_and_stands_in_the_call() {
    for started in [false, true] {
        let start = if started { "(start $exit)" } else { "" };
        let text = format!(
            r#"(module (import "env" "exit" (func $leave))
                (func $exit (call $leave)) {start} (func (export "main") (call $exit)))"#
        );
        let mut machine = machine(&text);
        begin(&mut machine, "main", &[]);
        assert_eq!(machine.run(u64::MAX), Exit::HostCall);
        machine.exit(0xffff_fff3);
        assert_eq!(machine.steps(), if started { 1 } else { 2 });
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        assert_eq!(machine.outcome(), Some(&Outcome::Exited(0xffff_fff3)));
        assert_eq!(machine.depth(), if started { 1 } else { 2 });
        assert_eq!(machine.pending().unwrap().func, FuncIdx(0));
        assert_eq!(machine.answer(&[]), Err(AnswerError::NoCall));
        let mut other = self::machine(&text);
        other.load(&machine.save()).unwrap();
        assert_eq!(other.outcome(), machine.outcome());
        assert_eq!(other.hash(), machine.hash());
        machine.exit(1);
        assert_eq!(machine.outcome(), other.outcome(), "it ended once");
    }
}

#[test]
fn an_answer_writes_all_or_nothing() {
    let mut machine = machine(
        r#"(module (import "env" "fill" (func $fill (param i32) (result i32))) (memory 1)
            (func (export "main") (result i32)
                (i32.add (call $fill (i32.const 8)) (i32.load (i32.const 65532)))))"#,
    );
    begin(&mut machine, "main", &[]);
    assert_eq!(machine.run(u64::MAX), Exit::HostCall);
    let write = |address, bytes: &[u8]| Write {
        address,
        bytes: bytes.to_vec(),
    };
    let (steps, hash) = (machine.steps(), machine.hash());
    let beyond = [write(0, &[1]), write(65533, &[1, 2, 3, 4])];
    let error = AnswerError::Outside {
        address: 65533,
        length: 4,
    };
    assert_eq!(machine.answer_with(&[Value::I32(1)], &beyond), Err(error));
    assert_eq!(
        machine.answer_with(&[], &[write(0, &[1])]),
        Err(AnswerError::Results)
    );
    assert_eq!((machine.steps(), machine.hash()), (steps, hash));
    let last = [
        write(65532, &[9, 9, 9, 9]),
        write(65532, &[40, 0, 0, 0]),
        write(65536, &[]),
    ];
    machine.answer_with(&[Value::I32(2)], &last).unwrap();
    assert_eq!(machine.steps(), steps + 1, "one step");
    assert_eq!(machine.run(u64::MAX), Exit::Finished);
    assert_eq!(finished(&machine), [Value::I32(42)]);
}
