//! Exceptions: what unwinds, in which step, and what is left; references to them, of which equal ones are one.
#![cfg(feature = "exceptions")]
#![allow(clippy::unwrap_used)]

mod common;

use borges_vm::*;
use common::*;

/// Throws over several frames, from handlers, in loops, by reference, past a tail call; values of all widths, references
/// to exceptions as values, in globals and tables.
const TEXT: &str = r#"(module
    (import "env" "number" (func $number (param i32) (result i32)))
    (tag $plain)
    (tag $pair (export "pair") (param i32 i64))
    (tag $wide (param v128 f32))
    (tag $cause (param exnref i32))
    (global $last (mut exnref) (ref.null exn))
    (global $sum (export "sum") (mut i64) (i64.const 0))
    (table $kept 3 exnref)
    (table $f funcref (elem $thrower))
    (type $unary (func (param i32) (result i32)))
    ;; Each kind by its number.
    (func $thrower (type $unary)
        (block $other
            (block $wide
                (block $pair
                    (block $plain
                        (br_table $plain $pair $wide $other (i32.and (local.get 0) (i32.const 3))))
                    (throw $plain))
                (throw $pair (local.get 0) (i64.const -5)))
            (throw $wide (v128.const i32x4 1 2 3 4) (f32.const 0.5)))
        (i32.add (local.get 0) (i32.const 100)))
    (func $deep (param $n i32) (param $kind i32) (result i32) (local f64)
        (i32.const 77)
        (if (result i32) (local.get $n)
            (then (call $deep (i32.sub (local.get $n) (i32.const 1)) (local.get $kind)))
            (else (call_indirect $f (type $unary) (local.get $kind) (i32.const 0))))
        (i32.add))
    (func $turns (param $kind i32) (result i32)
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
    (func (export "null") (throw_ref (global.get $last))))"#;

fn tiers(text: &str, limits: Limits) -> [Machine; 2] {
    [true, false].map(|stepping| {
        let mut machine = Machine::new(module(text), limits).unwrap();
        machine.use_stepping_tier_only(stepping);
        machine
    })
}

/// Runs on to a step; the embedder gives the number that it is asked about.
fn on(machine: &mut Machine, until: u64) -> Exit {
    loop {
        match machine.run(until) {
            Exit::HostCall => {
                let args = machine.pending().unwrap().args;
                machine.answer(&args).unwrap();
            }
            exit => return exit,
        }
    }
}

#[test]
fn all_of_it_comes_to_the_same_in_both_tiers_and_from_any_step() {
    let [mut whole, mut fast] = tiers(TEXT, Limits::default());
    for machine in [&mut whole, &mut fast] {
        begin(machine, "main", &[Value::I32(4)]);
        assert_eq!(on(machine, u64::MAX), Exit::Finished);
    }
    assert!(fast.save() == whole.save());
    // By hand: what the four kinds, the loop, the function's label and the chain give.
    assert_eq!(finished(&whole), [Value::I64(expected(4))]);
    let [mut one, mut other] = tiers(TEXT, Limits::default());
    begin(&mut one, "main", &[Value::I32(4)]);
    let mut snapshots: Vec<Snapshot> = vec![one.snapshot(None)];
    for until in 1..=whole.steps() {
        on(&mut one, until);
        assert_eq!(one.steps(), until);
        let saved = one.save();
        other.load(&saved).unwrap();
        assert!(other.save() == saved && other.hash() == one.hash());
        assert!(other.frames().eq(one.frames()));
        if until % 5 == 0 {
            on(&mut other, u64::MAX);
            assert!(other.save() == whole.save(), "{until}");
        }
        let snapshot = one.snapshot(snapshots.last());
        assert_eq!(snapshot.hash(), one.hash());
        snapshots.push(snapshot);
    }
    // Back one step after the other, by snapshot and by difference.
    let mut moved = one.clone();
    for pair in snapshots.windows(2).rev() {
        let [before, after] = pair else { panic!() };
        assert!(before != after);
        one.restore(before).unwrap();
        assert_eq!((one.hash(), one.steps()), (before.hash(), before.steps()));
        let delta = Delta::between(after, before).unwrap();
        moved
            .apply(&Delta::from_bytes(delta.to_bytes()).unwrap())
            .unwrap();
        assert!(moved.save() == one.save());
        let mut ahead = one.clone();
        on(&mut ahead, after.steps());
        assert_eq!(ahead.hash(), after.hash());
    }
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

/// Whatever the bytes say: an error that leaves the machine as it was, or a state that runs.
#[test]
fn mutated_states_never_panic() {
    let at = |steps| {
        let mut machine = machine(TEXT);
        begin(&mut machine, "main", &[Value::I32(4)]);
        on(&mut machine, steps);
        machine
    };
    let end = at(u64::MAX).steps();
    let mut random = Random::new(5);
    let (mut loaded, mut refused) = (0, std::collections::BTreeMap::<String, u32>::new());
    let states: Vec<Vec<u8>> = (0..40).map(|_| at(random.below(end)).save()).collect();
    let mut other = at(end / 2);
    for round in 0..8000 {
        let mut saved = states[round % states.len()].clone();
        let mut tail = saved.split_off(12);
        // There is no memory: exceptions come last.
        let before = tail.len().saturating_sub(random.below(60) as usize);
        let mut exceptions = tail.split_off(before);
        random.mutate(&mut exceptions);
        saved.extend(tail);
        saved.extend(exceptions);
        let before = other.save();
        match other.load(&saved) {
            Ok(()) => {
                loaded += 1;
                assert_eq!(other.frames().count(), other.depth());
                run_anything(&mut other, 500);
            }
            Err(error) => {
                let text = error.to_string();
                let kind = text.split(char::is_numeric).next().unwrap();
                *refused.entry(kind.into()).or_default() += 1;
                assert!(other.save() == before);
            }
        }
    }
    println!("{loaded} loaded, refused: {refused:#?}");
    assert!(loaded > 300 && refused.len() >= 4, "{loaded} {refused:?}");
    assert!(refused.keys().any(|kind| kind.contains("exception")));
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

/// A text of random functions that throw to each other and end.
struct Writer {
    random: Random,
    blocks: u32,
}

impl Writer {
    fn program(&mut self) -> String {
        let mut text = String::from(
            r#"(module (tag $a (param i32)) (tag $b (param i64 f32)) (tag $c)
            (type $f (func (param i32) (result i32)))
            (table funcref (elem $f0 $f1 $f2 $f3 $f4))
            (global $fuel (mut i32) (i32.const 60))"#,
        );
        for number in 0..5 {
            let body = self.expression(5);
            text += &format!(
                r#"(func $f{number} (export "f{number}") (type $f) (local $y i32) (local $e exnref)
                (global.set $fuel (i32.sub (global.get $fuel) (i32.const 1)))
                (if (i32.lt_s (global.get $fuel) (i32.const 0)) (then (return (local.get 0))))
                {body})"#
            );
        }
        text + ")"
    }

    fn expression(&mut self, depth: u32) -> String {
        let kind = if depth == 0 {
            self.random.below(3)
        } else {
            self.random.below(16)
        };
        let mut inner = || self.expression(depth - 1);
        match kind {
            0 => format!("(i32.const {})", self.random.below(20)),
            1 => "(local.get 0)".into(),
            2 => "(local.get $y)".into(),
            3 => format!("(i32.add {} {})", inner(), inner()),
            4 => format!("(i32.xor {} {})", inner(), inner()),
            5 => format!("(local.tee $y {})", inner()),
            6 => format!(
                "(call $f{} {})",
                self.random.below(5),
                self.expression(depth - 1)
            ),
            7 => {
                let index = inner();
                format!(
                    "(call_indirect (type $f) {} (i32.rem_u {index} (i32.const 5)))",
                    inner()
                )
            }
            8 => {
                let condition = inner();
                let (then, otherwise) = (inner(), inner());
                format!("(if (result i32) {condition} (then {then}) (else {otherwise}))")
            }
            9 => format!(
                "(block (result i32) (if (ref.is_null (local.get $e)) (then) \
                 (else (throw_ref (local.get $e)))) {})",
                inner()
            ),
            10..13 => self.throw(depth - 1),
            _ => self.catch(depth - 1),
        }
    }

    fn throw(&mut self, depth: u32) -> String {
        let (condition, value) = (self.expression(depth), self.expression(depth));
        let thrown = match self.random.below(3) {
            0 => format!("(throw $a {value})"),
            1 => format!("(throw $b (i64.extend_i32_s {value}) (f32.const 1.5))"),
            _ => "(throw $c)".into(),
        };
        let rest = self.expression(depth);
        format!(
            "(block (result i32) (if (i32.and {condition} (i32.const 1)) (then {thrown})) {rest})"
        )
    }

    fn catch(&mut self, depth: u32) -> String {
        self.blocks += 1;
        let n = self.blocks;
        let body = self.expression(depth);
        if self.random.below(4) == 0 {
            return format!(
                "(block $h{n} (result i32) (throw_ref (block $r{n} (result exnref) \
                 (br $h{n} (try_table (result i32) (catch_all_ref $r{n}) {body})))))"
            );
        }
        let clauses = [
            "(catch $a $h",
            "(catch_ref $b $u",
            "(catch $c $c",
            "(catch_all $c",
        ];
        let mut chosen = String::new();
        for _ in 0..self.random.below(4) {
            chosen += &format!("{}{n})", clauses[self.random.below(4) as usize]);
        }
        let after = self.expression(depth);
        format!(
            "(block $h{n} (result i32) (block $u{n} (result i64 f32 exnref) (block $c{n} \
             (br $h{n} (try_table (result i32) {chosen} {body}))) (br $h{n} {after})) \
             (local.set $e) (drop) (br $h{n} (i32.wrap_i64)))"
        )
    }
}

#[test]
fn tiers_agree_on_random_programs_that_throw() {
    let mut random = Random::new(11);
    let (mut uncaught, mut finished, mut caught) = (0, 0, 0);
    for seed in 0..300 {
        let mut writer = Writer {
            random: Random::new(seed),
            blocks: 0,
        };
        let [mut slow, mut fast] = tiers(&writer.program(), Limits::default());
        let mut third = fast.clone();
        // Exact stops that are near are made by the stepping tier.
        let gap = if seed % 2 == 0 { 90 } else { 20_000 };
        let labels = fast.module().unwrap().catch_labels();
        for name in ["f0", "f1", "f2", "f3", "f4"] {
            for machine in [&mut slow, &mut fast] {
                begin(machine, name, &[Value::I32(seed as i32)]);
            }
            loop {
                let until = slow.steps() + 1 + random.below(gap);
                let exits = [&mut slow, &mut fast].map(|machine| machine.run(until));
                assert_eq!(exits[0], exits[1], "{seed} {name}");
                assert!(slow.save() == fast.save(), "{seed} {name} {until}");
                third.load(&fast.save()).unwrap();
                std::mem::swap(&mut third, &mut fast);
                let at = slow.location().map(|at| at.offset);
                caught += u32::from(at.is_some_and(|at| labels.binary_search(&at).is_ok()));
                match exits[0] {
                    Exit::Budget => {}
                    Exit::Finished => break finished += 1,
                    Exit::Trapped(Trap::UncaughtException) => break uncaught += 1,
                    exit => panic!("{seed} {name}: {exit:?}"),
                }
            }
        }
    }
    println!("{finished} finished, {uncaught} did not catch, {caught} stops where one was caught");
    assert!(finished > 500 && uncaught > 100 && caught > 50);
}
