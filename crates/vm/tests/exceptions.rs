//! Exceptions: what unwinds, in which step, and what is left; references to them, of which equal ones are one.
#![cfg(feature = "exceptions")]

use crate::common::*;
use crate::throwing::*;
use borges_vm::*;

/// Throws over several frames, from handlers, in loops, by reference, past a tail call; values of all widths, references
/// to exceptions as values, in globals and tables.
const TEXT: &str = concat!(
    r#"(module
    (import "env" "number" (func $number (param i32) (result i32)))
    (tag $plain)
    (tag $pair (export "pair") (param i32 i64))
    (tag $wide (param v128 f32))
    (tag $cause (param exnref i32))
    (global $last (mut exnref) (ref.null exn))
    (global $sum (export "sum") (mut i64) (i64.const 0))
    (table $kept 3 exnref)
"#,
    thrower!(),
    r#"    (func $turns (param $kind i32) (result i32)
        (block $h (result i32 i64)
            (try_table (catch $pair $h) (return_call $thrower (local.get $kind)))
            (unreachable))
        (unreachable))
    ;; What is not caught here goes on from the clause that takes all.
    (func $cleans (param $kind i32) (result i32)
        (block $all (result exnref)
            (return (try_table (result i32) (catch_all_ref $all)
                (call $deep (i32.const 3) (local.get $kind)))))
        (global.set $sum (i64.add (global.get $sum) (i64.const 1)))
        (throw_ref))
    (func $one (param $kind i32) (result i64) (local $caught exnref) (local $v i64)
        (block $done (result i64)
            (block $plain
                (block $wide (result v128 f32)
                    (block $pair (result i32 i64 exnref)
                        (i64.const 9)
                        (i64.add (i64.extend_i32_s (try_table (result i32)
                            (catch_ref $pair $pair) (catch $wide $wide) (catch_all $plain)
                            (try_table (result i32) (call $cleans (local.get $kind))))))
                        (br $done))
                    (local.set $caught)
                    (global.set $last (local.get $caught))
                    (table.set $kept (i32.const 1) (local.get $caught))
                    (local.set $v)
                    (br $done (i64.add (i64.extend_i32_s) (local.get $v))))
                (drop)
                (br $done (i64x2.extract_lane 1)))
            (br $done (i64.const 3))))
    ;; Each exception has the one before as its cause.
    (func $chain (param $n i32) (result i32) (local $cause exnref)
        (loop $again
            (block $h (result exnref i32 exnref)
                (try_table (catch_ref $cause $h)
                    (throw $cause (local.get $cause) (local.get $n)))
                (unreachable))
            (local.set $cause)
            (drop) (drop)
            (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
        (table.set $kept (i32.const 2) (local.get $cause))
        (block $h (result exnref i32)
            (try_table (catch $cause $h) (throw_ref (table.get $kept (i32.const 2))))
            (unreachable))
        (local.set $n) (drop)
        (local.get $n))
    ;; The clause's label is a loop: the values are its parameters.
    (func $again (param $n i32) (result i32)
        (local.get $n) (i64.const 0)
        (loop $l (param i32 i64) (result i32)
            (drop)
            (local.set $n)
            (try_table (result i32) (catch $pair $l)
                (if (i32.eqz (local.get $n)) (then (return (i32.const 42))))
                (throw $pair (i32.shr_u (local.get $n) (i32.const 1)) (i64.const 7)))))
    ;; The label is the function's.
    (func $whole (param $n i32) (result i32 i64)
        (try_table (catch $pair 0) (drop (call $deep (i32.const 1) (local.get $n))))
        (i32.const 0) (i64.const 0))
    (func (export "main") (param $rounds i32) (result i64) (local $i i32) (local $h i64)
        (loop $round
            (local.set $h (i64.add (i64.mul (local.get $h) (i64.const 31))
                (call $one (call $number (local.get $i)))))
            (local.set $h (i64.add (local.get $h) (i64.extend_i32_u (call $again (local.get $i)))))
            (call $whole (i32.add (i32.and (local.get $i) (i32.const 2)) (i32.const 1)))
            (local.set $h (i64.add (local.get $h)))
            (drop)
            (block $h (result i32 i64)
                (try_table (catch $pair $h) (drop (call $turns (i32.const 1))))
                (unreachable))
            (local.set $h (i64.xor (local.get $h))) (drop)
            (br_if $round (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1)))
                (local.get $rounds))))
        (i64.add (local.get $h) (i64.extend_i32_u (call $chain (local.get $rounds)))))
    (func (export "uncaught") (param i32) (drop (call $deep (i32.const 2) (local.get 0))))
    (func (export "null") (throw_ref (global.get $last))))"#
);

#[test]
fn all_of_it_comes_to_the_same_in_both_tiers_and_from_any_step() {
    // By hand: what the four kinds, the loop, the function's label and the chain give.
    comes_to_the_same_from_any_step(TEXT, expected(4));
}

/// What `main` gives.
fn expected(rounds: i32) -> i64 {
    let mut h = 0i64;
    for i in 0..rounds {
        let one = match i & 3 {
            0 => 3,
            1 => i64::from(i) - 5,
            2 => i64::from(3) | i64::from(4) << 32,
            _ => 9 + i64::from(i + 100 + 4 * 77),
        };
        h = h.wrapping_mul(31).wrapping_add(one) + 42;
        // Kind 1 is caught, kind 3 is not thrown.
        h += if i & 2 == 0 { -5 } else { 0 };
        h ^= -5;
    }
    // The last of the chain.
    h + 1
}

#[test]
fn a_throw_is_one_step_and_frames_go_at_once() {
    let text = r#"(module (tag $t (param i32))
        (func $in (param i32) (local i64) (nop) (throw $t (local.get 0)))
        (func $mid (param i32) (i32.const 5) (call $in (local.get 0)) (drop))
        (func (export "main") (result i32)
            (i32.const 6)
            (block $h (result i32)
                (try_table (catch $t $h) (call $mid (i32.const 7)))
                (unreachable))
            (i32.mul)))"#;
    for mut machine in tiers(text, Limits::default()) {
        begin(&mut machine, "main", &[]);
        // const block try_table const call; const local.get call; nop local.get
        machine.run(10);
        assert_eq!((machine.depth(), machine.steps()), (3, 10));
        let thrown = machine.thrown().unwrap();
        assert_eq!((thrown.instance, thrown.tag), (InstanceId(0), 0));
        assert_eq!(thrown.values, [Value::I32(7)]);
        assert_eq!(machine.catch_labels().len(), 1);
        machine.run(11);
        assert_eq!((machine.depth(), machine.steps()), (1, 11));
        assert_eq!(machine.thrown(), None);
        assert_eq!(machine.location().map(|at| at.offset), {
            let module = machine.module().unwrap();
            let labels = module.catch_labels();
            assert_eq!(labels.len(), 1);
            labels.first().copied()
        });
        assert_eq!(
            machine.frame(0).unwrap().operands,
            [Value::I32(6), Value::I32(7)]
        );
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        assert_eq!(finished(&machine), [Value::I32(42)]);
        // mul, end
        assert_eq!(machine.steps(), 13);
    }
}

#[test]
fn what_nobody_catches_is_a_trap_where_it_was_thrown() {
    for (kind, tag, values) in [(0, 0, vec![]), (1, 1, vec![Value::I32(1), Value::I64(-5)])] {
        for mut machine in tiers(TEXT, Limits::default()) {
            begin(&mut machine, "uncaught", &[Value::I32(kind)]);
            assert_eq!(
                on(&mut machine, u64::MAX),
                Exit::Trapped(Trap::UncaughtException)
            );
            assert_eq!(machine.depth(), 5);
            assert_eq!(machine.next_instr().unwrap().name(), "throw");
            let thrown = machine.thrown().unwrap();
            assert_eq!((thrown.tag, thrown.values), (tag, values.clone()));
            let mut other = machine.clone();
            other.load(&machine.save()).unwrap();
            assert_eq!(other.outcome(), machine.outcome());
        }
    }
    for mut machine in tiers(TEXT, Limits::default()) {
        begin(&mut machine, "null", &[]);
        assert_eq!(
            on(&mut machine, u64::MAX),
            Exit::Trapped(Trap::NullException)
        );
        assert_eq!(machine.steps(), 1);
        assert_eq!(machine.thrown(), None);
    }
}

/// Nobody in the program called a handler of an event.
#[test]
fn an_exception_does_not_get_past_a_handler() {
    let text = r#"(module (tag $t (param i32))
        (table funcref (elem $caught $uncaught))
        (global $seen (mut i32) (i32.const 0))
        (func $throws (param i32) (throw $t (local.get 0)))
        (func $caught (param i32)
            (block $h (result i32)
                (try_table (catch $t $h) (call $throws (local.get 0)))
                (unreachable))
            (global.set $seen))
        (func $uncaught (param i32) (call $throws (local.get 0)))
        (func (export "main")
            (block $h (result exnref)
                (try_table (catch_all_ref $h) (nop) (nop) (nop) (return))
                (unreachable))
            (drop)))"#;
    for mut machine in tiers(text, Limits::default()) {
        begin(&mut machine, "main", &[]);
        machine.run(3);
        machine.interrupt(0, &[Value::I32(8)]).unwrap();
        while machine.in_handler() {
            machine.run(machine.steps() + 1);
        }
        assert_eq!(
            (machine.depth(), machine.globals()),
            (1, vec![Value::I32(8)])
        );
        machine.interrupt(1, &[Value::I32(9)]).unwrap();
        assert_eq!(
            machine.run(u64::MAX),
            Exit::Trapped(Trap::UncaughtException)
        );
        assert_eq!(machine.depth(), 3);
    }
}

#[test]
fn a_tag_is_its_instances_and_not_its_type() {
    let mine = r#"(module (tag $t (export "tag") (param i32))
        (func (export "throw") (param i32) (throw $t (local.get 0))))"#;
    let other = r#"(module
        (import "mine" "tag" (tag $theirs (param i32)))
        (import "env" "tag" (tag $made (param i32)))
        (import "mine" "throw" (func $throw (param i32)))
        (tag $own (param i32))
        (func (export "main") (param i32) (result i32)
            (block $theirs (result i32)
                (block $own (result i32)
                    (try_table (catch $own $own) (catch $made $own) (catch $theirs $theirs)
                        (call $throw (local.get 0)))
                    (unreachable))
                (i32.const 1000) (i32.add)))
        (func (export "not") (param i32) (result i32)
            (block $own (result i32)
                (try_table (catch $own $own) (catch $made $own) (call $throw (local.get 0)))
                (unreachable))))"#;
    for stepping in [true, false] {
        let mut machine = Machine::empty(Limits::default());
        machine.use_stepping_tier_only(stepping);
        let mine = machine.instantiate(module(mine), &[]).unwrap();
        let tag = machine.export(mine, "tag").unwrap();
        let throw = machine.export(mine, "throw").unwrap();
        let other = machine
            .instantiate(module(other), &[tag, Extern::Host, throw])
            .unwrap();
        let begin = |machine: &mut Machine, name| {
            let func = machine.instance_module(other).unwrap().exported_func(name);
            let arg = [Value::I32(6)];
            machine.begin_in(other, func.unwrap(), &arg).unwrap();
        };
        begin(&mut machine, "main");
        machine.run(u64::MAX);
        assert_eq!(finished(&machine), [Value::I32(6)]);
        begin(&mut machine, "not");
        assert_eq!(
            machine.run(u64::MAX),
            Exit::Trapped(Trap::UncaughtException)
        );
        assert_eq!(machine.thrown().unwrap().instance, mine);
        let wrong = module(r#"(module (import "mine" "tag" (tag (param i64))))"#);
        for import in [tag, throw] {
            let refused = machine.instantiate(wrong.clone(), &[import]);
            assert_eq!(refused, Err(StartError::Incompatible { import: 0 }));
        }
    }
}

/// Exceptions thrown and let go, or kept in a table.
const MANY: &str = r#"(module (tag $t (param i32)) (tag $cause (param exnref))
    (table $kept (export "kept") 64 exnref)
    (func $caught (param i32) (result exnref)
        (block $h (result i32 exnref)
            (try_table (catch_ref $t $h) (throw $t (local.get 0)))
            (unreachable))
        (return))
    (func $by (param exnref) (result exnref)
        (block $h (result exnref exnref)
            (try_table (catch_ref $cause $h) (throw $cause (local.get 0)))
            (unreachable))
        (return))
    (func (export "drop") (param $n i32)
        (loop $l
            (drop (call $caught (local.get $n)))
            (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
    (func (export "keep") (param $n i32)
        (loop $l
            (table.set $kept (local.get $n) (call $caught (local.get $n)))
            (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
    (func (export "hold") (param $n i32) (local $x exnref)
        (local.set $x (call $by (call $by (call $caught (i32.const -1)))))
        (call $caught (i32.const -2))
        (loop $l (drop (call $caught (local.get $n)))
            (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
        (table.set $kept (i32.const 0) (local.get $x))
        (local.set $x)
        (table.set $kept (i32.const 1) (local.get $x)))
    (func (export "what") (param $n i32) (result i32) (local $x exnref)
        (block $h (result i32)
            (block $cause (result exnref)
                (try_table (catch $t $h) (catch $cause $cause)
                    (throw_ref (table.get $kept (local.get $n))))
                (unreachable))
            (local.set $x)
            (table.set $kept (i32.const 63) (local.get $x))
            (return (i32.add (i32.const 1000) (call 5 (i32.const 63)))))))"#;

fn limited(exception_cells: u32) -> [Machine; 2] {
    let limits = Limits {
        exception_cells,
        ..Limits::default()
    };
    tiers(MANY, limits)
}

fn what(machine: &mut Machine, place: i32) -> Vec<Value> {
    begin(machine, "what", &[Value::I32(place)]);
    machine.run(u64::MAX);
    finished(machine)
}

#[test]
fn the_limit_is_for_what_is_referred_to() {
    // Two cells each: eight fit.
    for mut machine in limited(16) {
        begin(&mut machine, "keep", &[Value::I32(8)]);
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        // They are there once, however often they are thrown.
        let hash = machine.hash();
        begin(&mut machine, "keep", &[Value::I32(8)]);
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        assert_eq!(machine.hash(), hash);
        for place in 1..=8 {
            assert_eq!(what(&mut machine, place), [Value::I32(place)]);
        }
    }
    for mut machine in limited(16) {
        begin(&mut machine, "keep", &[Value::I32(9)]);
        assert_eq!(
            machine.run(u64::MAX),
            Exit::Trapped(Trap::TooManyExceptions)
        );
        assert_eq!(
            machine.table(0)[2..=9]
                .iter()
                .filter(|v| **v != Value::ExnRef(None))
                .count(),
            8
        );
        assert_eq!(machine.thrown().unwrap().values, [Value::I32(1)]);
    }
    // Nothing refers to what is dropped.
    for mut machine in limited(2) {
        begin(&mut machine, "drop", &[Value::I32(1000)]);
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
    }
    for mut machine in limited(1) {
        begin(&mut machine, "drop", &[Value::I32(1)]);
        assert_eq!(
            machine.run(u64::MAX),
            Exit::Trapped(Trap::TooManyExceptions)
        );
    }
}

#[test]
fn what_is_let_go_moves_the_others() {
    let [mut slow, mut fast] = limited(12);
    for machine in [&mut slow, &mut fast] {
        begin(machine, "drop", &[Value::I32(3)]);
        machine.run(u64::MAX);
        begin(machine, "hold", &[Value::I32(50)]);
        let mut steps = machine.steps();
        while machine.run(steps) == Exit::Budget {
            steps += 7;
            let mut other = machine.clone();
            other.load(&machine.save()).unwrap();
            assert_eq!(other.hash(), machine.hash());
        }
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        assert_eq!(what(machine, 0), [Value::I32(1999)]);
        assert_eq!(what(machine, 1), [Value::I32(-2)]);
    }
    assert!(slow.save() == fast.save());
}

#[test]
fn references_do_not_come_from_the_embedder() {
    let text = r#"(module (import "env" "give" (func $give (result exnref)))
        (func (export "take") (param exnref) (drop (call $give))))"#;
    let mut machine = machine(text);
    let func = machine.module().unwrap().exported_func("take").unwrap();
    let refused = machine.begin(func, &[Value::ExnRef(Some(0))]);
    assert_eq!(refused, Err(BeginError::Arguments));
    machine.begin(func, &[Value::ExnRef(None)]).unwrap();
    assert_eq!(machine.run(u64::MAX), Exit::HostCall);
    let refused = machine.answer(&[Value::ExnRef(Some(0))]);
    assert_eq!(refused, Err(AnswerError::Results));
    machine.answer(&[Value::ExnRef(None)]).unwrap();
    assert_eq!(machine.run(u64::MAX), Exit::Finished);
}

#[test]
fn a_breakpoint_where_it_is_caught_is_met() {
    for mut machine in tiers(TEXT, Limits::default()) {
        let labels = machine.module().unwrap().catch_labels();
        machine.set_breakpoints(&labels).unwrap();
        begin(&mut machine, "main", &[Value::I32(4)]);
        let mut met = Vec::new();
        while let Exit::Breakpoint(at) = on(&mut machine, u64::MAX) {
            met.push(at);
        }
        assert_eq!(finished(&machine), [Value::I64(expected(4))]);
        met.sort_unstable();
        met.dedup();
        assert!(met.len() >= labels.len() - 3, "{met:?} of {labels:?}");
    }
}

#[test]
fn modules_break_no_rule_of_exceptions() {
    let at = |text: &str, limits: &Limits| Module::new(&wat::parse_str(text).unwrap(), limits);
    let limits = Limits {
        types: 2,
        ..Limits::default()
    };
    assert!(at("(module (type (func)) (tag) (tag))", &limits).is_ok());
    let error = at("(module (type (func)) (tag) (tag) (tag))", &limits).unwrap_err();
    assert!(matches!(error.cause, LoadCause::Limit(_)), "{error}");
    for (text, kind) in [
        ("(module (func (throw 0)))", InvalidKind::UnknownTag(0)),
        ("(module (tag (result i32)))", InvalidKind::TagResults),
        (
            "(module (tag (param i32)) (func (try_table (catch 0 0))))",
            InvalidKind::CatchLabel,
        ),
        ("(module (func (throw_ref)))", InvalidKind::OperandMissing),
        (
            "(module (func (try_table (catch_all 1))))",
            InvalidKind::UnknownLabel(1),
        ),
        (
            "(module (export \"t\" (tag 0)))",
            InvalidKind::UnknownTag(0),
        ),
    ] {
        let error = at(text, &Limits::default()).unwrap_err();
        assert_eq!(error.cause, LoadCause::Invalid(kind), "{text}");
    }
}

#[test]
fn mutated_states_never_panic() {
    mutated_states_load_or_are_refused(TEXT);
}

#[test]
fn tiers_agree_on_random_programs_that_throw() {
    let [finished, uncaught, caught] = random_programs(300, false);
    assert!(finished > 500 && uncaught > 100 && caught > 50);
}
