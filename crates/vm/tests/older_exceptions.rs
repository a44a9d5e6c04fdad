//! Exceptions in the form of the older proposal, which compilers still emit: what is caught stays with the block that
//! caught it, to be thrown again.
#![cfg(feature = "exceptions")]

use crate::common::*;
use crate::throwing::*;
use borges_vm::*;

/// Throws over several frames, catches in clauses whose results move down, throws again from several blocks further in,
/// leaves to blocks further out, mixed with the form of the standard.
const TEXT: &str = concat!(
    r#"(module
    (import "env" "number" (func $number (param i32) (result i32)))
    (tag $plain)
    (tag $pair (export "pair") (param i32 i64))
    (tag $wide (param v128 f32))
    (tag $cause (param exnref i32))
    (global $sum (export "sum") (mut i64) (i64.const 0))
"#,
    thrower!(),
    r#"    ;; What is called at last is not in the block any more.
    (func $turns (param $kind i32) (result i32)
        try
            (return_call $thrower (local.get $kind))
        catch_all
            unreachable
        end
        (unreachable))
    (func $cleans (param $kind i32) (result i32) (local $r i32)
        (i64.const 1)
        try $all (result i32)
            (call $deep (i32.const 3) (local.get $kind))
        catch_all
            (global.set $sum (i64.add (global.get $sum) (i64.const 1)))
            (rethrow $all)
        end
        (local.set $r) (drop) (local.get $r))
    (func $one (param $kind i32) (result i64) (local $v i64)
        (i64.const 9)
        try $c (result i64)
            (i64.extend_i32_s (call $cleans (local.get $kind)))
        catch $pair
            (local.set $v)
            (i64.add (i64.extend_i32_s) (local.get $v))
        catch $wide
            (drop)
            (br $c (i64x2.extract_lane 1))
        catch_all
            (i64.const 3)
        end
        (i64.add))
    ;; What was caught further out is thrown again, or what was caught last.
    (func $nested (param $n i32) (result i32)
        try (result i32)
            try $outer (result i32)
                (throw $pair (local.get $n) (i64.const 5))
            catch $pair
                (drop) (drop)
                try $inner (result i32)
                    (throw $plain)
                catch $plain
                    (if (i32.and (local.get $n) (i32.const 1)) (then (rethrow $outer)))
                    (if (i32.and (local.get $n) (i32.const 2)) (then (rethrow $inner)))
                    (i32.const 1)
                end
            end
        catch $pair
            (drop)
            (i32.add (i32.const 1000))
        catch $plain
            (i32.const 77)
        end)
    ;; Past the block that would catch it.
    (func $delegated (param $n i32) (result i32)
        try $to (result i32)
            try (result i32)
                try (result i32)
                    (call $thrower (local.get $n))
                delegate $to
            catch_all
                unreachable
            end
        catch $pair
            (drop)
        catch $wide
            (drop) (drop) (i32.const 8)
        catch_all
            (i32.const 4)
        end)
    ;; Each exception has the one before as its cause.
    (func $chain (param $n i32) (result i32) (local $cause exnref)
        (loop $again
            (block $h (result exnref)
                (try_table (catch_all_ref $h)
                    try $t
                        (throw $cause (local.get $cause) (local.get $n))
                    catch_all
                        (rethrow $t)
                    end)
                (unreachable))
            (local.set $cause)
            (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
        try (result i32)
            (throw_ref (local.get $cause))
        catch $cause
            (local.set $n) (drop) (local.get $n)
        end)
    ;; Out of a clause, back to a loop.
    (func $again (param $n i32) (result i32)
        (local.get $n) (i64.const 0)
        (loop $l (param i32 i64) (result i32)
            (drop)
            (local.set $n)
            try (result i32)
                (if (i32.eqz (local.get $n)) (then (return (i32.const 42))))
                (throw $pair (i32.shr_u (local.get $n) (i32.const 1)) (i64.const 7))
            catch $pair
                (br $l)
            end))
    (func $whole (param $n i32) (result i32 i64)
        try (result i32 i64)
            (drop (call $deep (i32.const 1) (local.get $n)))
            (i32.const 0) (i64.const 0)
        catch $pair
        catch_all
            (i32.const 1) (i64.const 1)
        end)
    (func $returns (param $n i32) (result i32)
        try
            (drop (call $thrower (local.get $n)))
        catch_all
            (return (i32.const 6))
        end
        (i32.const 7))
    (func (export "main") (param $rounds i32) (result i64) (local $i i32) (local $h i64)
        (loop $round
            (local.set $h (i64.add (i64.mul (local.get $h) (i64.const 31))
                (call $one (call $number (local.get $i)))))
            (local.set $h (i64.add (local.get $h) (i64.extend_i32_u (call $again (local.get $i)))))
            (call $whole (local.get $i))
            (local.set $h (i64.add (local.get $h)))
            (local.set $h (i64.add (i64.extend_i32_s) (local.get $h)))
            (local.set $h (i64.xor (local.get $h) (i64.extend_i32_s (call $nested (local.get $i)))))
            (local.set $h (i64.sub (local.get $h) (i64.extend_i32_s (call $delegated (local.get $i)))))
            (local.set $h (i64.mul (local.get $h) (i64.extend_i32_s (call $returns (local.get $i)))))
            try
                (drop (call $turns (i32.const 1)))
            catch $pair
                (local.set $h (i64.xor (local.get $h))) (drop)
            end
            (br_if $round (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1)))
                (local.get $rounds))))
        (i64.add (local.get $h) (i64.extend_i32_u (call $chain (local.get $rounds)))))
    (func (export "uncaught") (param i32) (drop (call $cleans (local.get 0)))))"#
);

/// What `main` gives.
fn expected(rounds: i32) -> i64 {
    let mut h = 0i64;
    for i in 0..rounds {
        let n = i64::from(i);
        let one = match i & 3 {
            0 => 3,
            1 => n - 5,
            2 => 3 | 4 << 32,
            _ => n + 100 + 4 * 77,
        };
        h = h.wrapping_mul(31).wrapping_add(9 + one) + 42;
        h += match i & 3 {
            0 | 2 => 2,
            1 => n - 5,
            _ => 0,
        };
        h ^= match i & 3 {
            0 => 1,
            2 => 77,
            _ => n + 1000,
        };
        h -= match i & 3 {
            0 => 4,
            1 => n,
            2 => 8,
            _ => n + 100,
        };
        h = h.wrapping_mul(if i & 3 == 3 { 7 } else { 6 });
        h ^= -5;
    }
    // The last of the chain.
    h + 1
}

#[test]
fn all_of_it_comes_to_the_same_in_both_tiers_and_from_any_step() {
    comes_to_the_same_from_any_step(TEXT, expected(4));
}

#[test]
fn mutated_states_never_panic() {
    mutated_states_load_or_are_refused(TEXT);
}

#[test]
fn tiers_agree_on_random_programs_that_throw() {
    let [finished, uncaught, caught] = random_programs(600, true);
    assert!(finished > 500 && uncaught > 100 && caught > 50);
}

/// Where a clause is entered, and what is seen there.
const SEEN: &str = r#"(module (tag $t (param i32 v128))
    (func $throws (param i32) (throw $t (local.get 0) (v128.const i64x2 1 2)))
    (func (export "main") (param i32) (result i32) (local f32)
        (v128.const i64x2 5 6)
        (i32.const 6)
        try $o (result i32)
            (i32.const 7) (call $throws) (i32.const 0)
        catch $t
            try $i (param i32 v128) (result i32)
                (drop) (drop)
                (call $throws (i32.const 8))
                (i32.const 0)
            catch_all
                (if (local.get 0) (then (rethrow $o)))
                (i32.const 9)
            end
        end
        (i32.mul) (local.set 0) (drop) (local.get 0)))"#;

#[test]
fn each_instruction_is_a_step_and_what_was_caught_is_not_among_the_operands() {
    for mut machine in tiers(SEEN, Limits::default()) {
        begin(&mut machine, "main", &[Value::I32(0)]);
        let labels = machine.module().unwrap().catch_labels();
        assert_eq!(labels.len(), 2);
        // const const try const call; get const
        machine.run(7);
        assert_eq!(machine.depth(), 2);
        assert_eq!(machine.thrown().unwrap().values[0], Value::I32(7));
        machine.run(8);
        let vector = |low: u64, high: u64| {
            Value::V128((u128::from(low) | u128::from(high) << 64).to_le_bytes())
        };
        let under = [vector(5, 6), Value::I32(6)];
        let at = |machine: &Machine| machine.location().unwrap().offset;
        let frame = machine.frame(0).unwrap();
        assert_eq!((machine.depth(), at(&machine)), (1, labels[0]));
        assert_eq!(frame.operands[..2], under);
        assert_eq!(frame.operands[2..], [Value::I32(7), vector(1, 2)]);
        assert_eq!(frame.caught, [(2, Value::ExnRef(Some(0)))]);
        // Two locals, a vector and a number, what was caught, a number.
        let cells = [0, 1, 2, 3].map(|operand| frame.operand_cell(operand) - frame.cell);
        assert_eq!(cells, [2, 4, 6, 7]);
        assert_eq!(machine.cells()[frame.operand_cell(2)], 7);
        // try drop drop const call; get const throw
        machine.run(16);
        let frame = machine.frame(0).unwrap();
        assert_eq!(at(&machine), labels[1]);
        assert_eq!(frame.operands, under);
        let both = [(2, Value::ExnRef(Some(0))), (2, Value::ExnRef(Some(4)))];
        assert_eq!(frame.caught, both);
        assert_eq!(frame.operand_cell(2) - frame.cell, 7);
        let types = machine.module().unwrap().types_at(frame.func, labels[1]);
        assert_eq!(types.unwrap(), [ValType::V128, ValType::I32]);
        // get if const: the ends of the two blocks drop what they caught.
        machine.run(19);
        assert_eq!(machine.frame(0).unwrap().operands[2..], [Value::I32(9)]);
        machine.run(20);
        let frame = machine.frame(0).unwrap();
        assert_eq!((frame.operands.len(), frame.caught.len()), (3, 1));
        machine.run(21);
        let frame = machine.frame(0).unwrap();
        assert_eq!((frame.operands.len(), frame.caught.len()), (3, 0));
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        assert_eq!(finished(&machine), [Value::I32(54)]);
        // mul set drop get end
        assert_eq!(machine.steps(), 26);
    }
}

#[test]
fn what_is_thrown_again_and_not_caught_is_a_trap_there() {
    for mut machine in tiers(SEEN, Limits::default()) {
        begin(&mut machine, "main", &[Value::I32(1)]);
        let exit = machine.run(u64::MAX);
        assert_eq!(exit, Exit::Trapped(Trap::UncaughtException));
        assert_eq!(machine.next_instr().unwrap().name(), "rethrow");
        assert_eq!(machine.thrown().unwrap().values[0], Value::I32(7));
    }
    for (kind, tag, values) in [(0, 0, vec![]), (1, 1, vec![Value::I32(1), Value::I64(-5)])] {
        for mut machine in tiers(TEXT, Limits::default()) {
            begin(&mut machine, "uncaught", &[Value::I32(kind)]);
            let exit = on(&mut machine, u64::MAX);
            assert_eq!(exit, Exit::Trapped(Trap::UncaughtException));
            assert_eq!(machine.depth(), 2);
            let thrown = machine.thrown().unwrap();
            assert_eq!((thrown.tag, thrown.values), (tag, values.clone()));
            let mut other = machine.clone();
            other.load(&machine.save()).unwrap();
            assert_eq!(other.thrown(), machine.thrown());
        }
    }
}

/// A clause that was entered has caught something that there is.
#[test]
fn a_state_without_what_was_caught_is_refused() {
    let [mut machine, _] = tiers(SEEN, Limits::default());
    begin(&mut machine, "main", &[Value::I32(1)]);
    machine.run(17);
    let frame = machine.frame(0).unwrap();
    let cell = frame.operand_cell(2) - 1;
    assert_eq!(machine.cells()[cell], 5);
    let mut other = machine.clone();
    other.load(&machine.save()).unwrap();
    for bits in [0, 2, 3, 6, u64::MAX] {
        let mut changed = machine.clone();
        assert!(changed.set_cell(cell, bits));
        let refused = other.load(&changed.save());
        let expected = StateError::Cell { cell: cell as u32 };
        assert_eq!(refused, Err(expected), "{bits}");
    }
    // Another one that there is.
    let mut changed = machine.clone();
    changed.set_cell(cell, 1);
    other.load(&changed.save()).unwrap();
    other.run(u64::MAX);
    assert_eq!(other.thrown().unwrap().values[0], Value::I32(7));
}

#[test]
fn nothing_gets_past_a_handler_by_being_delegated() {
    let text = r#"(module (tag $t (param i32))
        (table funcref (elem $handler))
        (func $handler (param i32)
            try (throw $t (local.get 0)) delegate 0)
        (func (export "main") try (nop) (nop) (nop) catch_all end))"#;
    for mut machine in tiers(text, Limits::default()) {
        begin(&mut machine, "main", &[]);
        machine.run(2);
        machine.interrupt(0, &[Value::I32(8)]).unwrap();
        let exit = machine.run(u64::MAX);
        assert_eq!(exit, Exit::Trapped(Trap::UncaughtException));
        assert_eq!(machine.depth(), 2);
    }
}

/// What clauses hold is referred to, wherever it lies and moves; what they leave is not.
#[test]
fn the_limit_is_for_what_is_caught_at_a_time() {
    let text = r#"(module (tag $t (param i32))
        (func $rounds (param $n i32)
            (loop $l
                try (throw $t (local.get $n)) catch $t (drop) end
                (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
        (func $deep (export "deep") (param $n i32) (param $more i32) (result i32)
            (i32.const -1)
            try $c (result i32)
                (throw $t (local.get $n))
            catch $t
                (drop)
                (call $rounds (i32.const 50))
                try (result i32)
                    (if (local.get $more)
                        (then (return (i32.add (local.get $n) (call $deep (i32.add (local.get $n) (i32.const 1000))
                            (i32.sub (local.get $more) (i32.const 1)))))))
                    (rethrow $c)
                catch $t
                end
            end
            (i32.sub)))"#;
    let run = |limit: u32, more: i32| {
        let limits = Limits {
            exception_cells: limit,
            ..Limits::default()
        };
        let [mut slow, mut fast] = tiers(text, limits);
        for machine in [&mut slow, &mut fast] {
            let mut other = machine.clone();
            begin(machine, "deep", &[Value::I32(1000), Value::I32(more)]);
            let mut until = 0;
            while machine.run(until) == Exit::Budget {
                other.load(&machine.save()).unwrap();
                std::mem::swap(&mut other, machine);
                until += 13;
            }
        }
        assert!(slow.save() == fast.save());
        slow
    };
    // Two cells each, of four blocks and the one that is thrown in the innermost's rounds.
    let within = run(10, 3);
    let sum = 1000 + 2000 + 3000 + (-1 - 4000);
    assert_eq!(finished(&within), [Value::I32(sum)]);
    let past = run(9, 3);
    let expected = Outcome::Trapped(Trap::TooManyExceptions);
    assert_eq!(past.outcome(), Some(&expected));
}

/// Mixed with the form of the standard, and of another module's tag.
#[test]
fn a_tag_is_its_instances_and_not_its_type() {
    let mine = r#"(module (tag $t (export "tag") (param i32))
        (func (export "throw") (param i32) (throw $t (local.get 0))))"#;
    let other = r#"(module
        (import "mine" "tag" (tag $theirs (param i32)))
        (import "mine" "throw" (func $throw (param i32)))
        (tag $own (param i32))
        (func (export "main") (param i32) (result i32)
            (block $theirs (result i32)
                (try_table (catch $theirs $theirs)
                    try $all
                        try
                            (call $throw (local.get 0))
                        catch $own
                            unreachable
                        end
                    catch_all
                        (rethrow $all)
                    end)
                (unreachable))))"#;
    for stepping in [true, false] {
        let mut machine = Machine::empty(Limits::default());
        machine.use_stepping_tier_only(stepping);
        let mine = machine.instantiate(module(mine), &[]).unwrap();
        let tag = machine.export(mine, "tag").unwrap();
        let throw = machine.export(mine, "throw").unwrap();
        let other = machine.instantiate(module(other), &[tag, throw]).unwrap();
        let func = machine
            .instance_module(other)
            .unwrap()
            .exported_func("main");
        let arg = [Value::I32(6)];
        machine.begin_in(other, func.unwrap(), &arg).unwrap();
        machine.run(u64::MAX);
        assert_eq!(finished(&machine), [Value::I32(6)]);
    }
}

#[test]
fn modules_break_no_rule_of_the_older_form() {
    let loaded = |text: &str| {
        let text = format!("(module (tag $t (param i32)) (tag $u) (func (export \"f\") {text}))");
        Module::new(&wat::parse_str(text).unwrap(), &Limits::default()).map(|_| ())
    };
    for text in [
        "try end",
        "try catch $t (drop) catch $u catch_all end",
        "try catch_all try (rethrow 1) delegate 0 end",
        "try catch_all block (rethrow 1) end end",
        "block try delegate 1 end",
        "try (result i32) unreachable catch_all (rethrow 0) end (drop)",
        "try (return) catch_all (br 0) end",
    ] {
        assert_eq!(loaded(text), Ok(()), "{text}");
    }
    let missing = InvalidKind::OperandMissing;
    for (text, kind) in [
        ("(rethrow 0)", InvalidKind::RethrowLabel),
        ("block (rethrow 0) end", InvalidKind::RethrowLabel),
        ("try (rethrow 0) catch_all end", InvalidKind::RethrowLabel),
        (
            "try catch_all (rethrow 2) end",
            InvalidKind::UnknownLabel(2),
        ),
        ("try catch_all catch_all end", InvalidKind::CatchWithoutTry),
        ("try catch_all catch $u end", InvalidKind::CatchWithoutTry),
        ("block catch_all end", InvalidKind::CatchWithoutTry),
        ("catch $u", InvalidKind::CatchWithoutTry),
        ("try catch 2 end", InvalidKind::UnknownTag(2)),
        ("try delegate 1", InvalidKind::UnknownLabel(1)),
        ("try catch_all delegate 0", InvalidKind::DelegateWithoutTry),
        ("block delegate 0", InvalidKind::DelegateWithoutTry),
        ("try catch $t end", InvalidKind::OperandsLeft),
        ("try (i32.const 1) catch_all end", InvalidKind::OperandsLeft),
        // What was caught is no operand.
        ("try catch_all (drop) end", missing),
        ("try catch $t (drop) (drop) end", missing),
        (
            "try (result exnref) (ref.null exn) catch_all end (drop)",
            missing,
        ),
    ] {
        let error = loaded(text).unwrap_err();
        assert_eq!(error.cause, LoadCause::Invalid(kind), "{text}");
    }
    // It takes a cell.
    let limited = |operands| {
        let text = "(module (tag $t (param i32)) (func try catch $t (drop) end))";
        let limits = Limits {
            operands,
            ..Limits::default()
        };
        Module::new(&wat::parse_str(text).unwrap(), &limits).map(|_| ())
    };
    assert_eq!(limited(2), Ok(()));
    assert!(matches!(limited(1).unwrap_err().cause, LoadCause::Limit(_)));
}

/// Runs a program of a compiler with what it reads. Gives its result and what it prints.
fn compiled(machine: &mut Machine, read: &[i32]) -> (i32, Vec<i32>) {
    begin(machine, "main", &[]);
    let mut read = read.iter().copied();
    let mut printed = Vec::new();
    while machine.run(u64::MAX) == Exit::HostCall {
        let call = machine.pending().unwrap();
        let results: Vec<Value> = match call.ty.results.is_empty() {
            true => {
                let [Value::I32(number)] = call.args[..] else {
                    panic!("{:?}", call.args)
                };
                printed.push(number);
                Vec::new()
            }
            false => vec![Value::I32(read.next().unwrap())],
        };
        machine.answer(&results).unwrap();
    }
    let [Value::I32(result)] = finished(machine)[..] else {
        panic!("{:?}", machine.outcome())
    };
    (result, printed)
}

/// C++ with exceptions, and C with `setjmp` and `longjmp`, as clang compiles them.
#[test]
fn programs_of_compilers() {
    const THROWN: &[u8] = include_bytes!("../../cli/tests/programs/thrown-older.wasm");
    const THROWN_BY_REFERENCE: &[u8] = include_bytes!("../../cli/tests/programs/thrown.wasm");
    const JUMPS: &[u8] = include_bytes!("../../cli/tests/programs/jumps.wasm");
    let thrown = (&[3, 1, 2, 4][..], 314, &[-3, 103, 105, 109][..]);
    for (bytes, (read, result, printed)) in [
        (THROWN, thrown),
        (THROWN_BY_REFERENCE, thrown),
        (JUMPS, (&[1, 2], 3, &[3])),
        (JUMPS, (&[70, 3, 4, 5], 12, &[12])),
        (JUMPS, (&[70, 70, 95, 1, 2], 3, &[-95, 3])),
        (JUMPS, (&[95, 96], -1, &[-95, -96])),
    ] {
        let module = Shared::new(Module::new(bytes, &Limits::default()).unwrap());
        let mut steps = Vec::new();
        for stepping in [true, false] {
            let mut machine = Machine::new(module.clone(), Limits::default()).unwrap();
            machine.use_stepping_tier_only(stepping);
            let ran = compiled(&mut machine, read);
            assert_eq!(ran, (result, printed.to_vec()), "{read:?}");
            steps.push(machine.steps());
        }
        assert_eq!(steps[0], steps[1]);
    }
}
