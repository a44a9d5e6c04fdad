//! Small programs, each compared with running all its inputs.

use crate::common::{board, check, explore_by, i32s, start_wat};
use borges_concolic::{Bounds, Budget, Explored, Flow, Search, SearchOrder, explore};

fn bounds(inputs: u32) -> Bounds {
    Bounds {
        inputs,
        ..Bounds::default()
    }
}

#[test]
fn an_if() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (func (export "main") (result i32)
                (if (result i32) (i32.gt_s (call $in) (i32.const 99))
                    (then (i32.const 1)) (else (i32.const 2)))))"#,
        board(vec![("in", vec![], i32s(0, 4095))]),
    );
    let explored = check(&start, &bounds(1));
    assert_eq!(explored.paths.len(), 2);
}

#[test]
fn a_switch() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (func (export "main") (local i32)
                (block $d (block $c (block $b (block $a
                    (br_table $a $b $a $c $d (call $in)))
                    (local.set 0 (i32.const 1)) (return))
                    (local.set 0 (i32.const 2)) (return))
                    (local.set 0 (i32.const 3)) (return))
                (unreachable)))"#,
        board(vec![("in", vec![], i32s(-3, 300))]),
    );
    let explored = check(&start, &bounds(1));
    assert_eq!(explored.paths.len(), 4);
}

#[test]
fn functions_in_a_table() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (type $t (func (param i32) (result i32)))
            (table 6 funcref)
            (elem (i32.const 0) $one $two $one $wrong)
            (func $one (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
            (func $two (param i32) (result i32)
                (if (result i32) (i32.and (local.get 0) (i32.const 1))
                    (then (i32.const 5)) (else (i32.const 6))))
            (func $wrong (result i32) (i32.const 9))
            (func (export "main") (result i32)
                (call_indirect (type $t) (call $in) (call $in))))"#,
        board(vec![("in", vec![], i32s(-1, 9))]),
    );
    let explored = check(&start, &bounds(2));
    // one, two odd, two even, a wrong type, null, outside.
    assert_eq!(explored.paths.len(), 6);
}

#[test]
fn tail_calls() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (type $three (func (param i32 i32 i32) (result i32)))
            (type $wrong (func (result i32)))
            (table 6 funcref)
            (elem (i32.const 0) $first $asks $again $none $in)
            (global $seen (mut i32) (i32.const 0))
            (func $first (type $three)
                (if (i32.lt_s (local.get 0) (local.get 1)) (then (return (local.get 2))))
                (global.set $seen (local.get 1))
                (return_call $none))
            (func $none (type $wrong)
                (select (i32.const 70) (i32.const 71) (i32.eq (global.get $seen) (i32.const 2))))
            (func $asks (type $three) (i32.const 6) (return_call $in))
            (func $again (type $three) (local i64)
                (i64.const 1)
                (if (i32.eqz (local.get 0)) (then
                    (return_call_indirect (type $wrong) (i32.const 4))))
                (return_call $first (local.get 2) (local.get 0) (local.get 1)))
            (func $turn (param i32 i32 i32) (result i32)
                (return_call_indirect (type $three)
                    (local.get 1) (local.get 2) (i32.const 1) (local.get 0)))
            (func (export "main") (result i32) (local i32)
                (i32.const 5)
                (call $turn (call $in) (call $in) (call $in))
                (local.set 0)
                (if (i32.eq (local.get 0) (i32.const 71)) (then unreachable))
                (if (i32.gt_s (local.get 0) (i32.const 2)) (then (return (local.get 0))))
                (drop) (local.get 0)))"#,
        board(vec![("in", vec![], i32s(-1, 5))]),
    );
    let explored = check(&start, &bounds(4));
    // 3 of the first, 2 of the second, 5 of the third; two wrong types are one, null, outside.
    assert_eq!(explored.paths.len(), 13);
}

#[test]
fn divisions_trap() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (func (export "main") (result i32)
                (i32.div_s (i32.shl (call $in) (i32.const 28)) (call $in))))"#,
        board(vec![("in", vec![], i32s(-16, 16))]),
    );
    let explored = check(&start, &bounds(2));
    assert_eq!(explored.paths.len(), 3);
}

#[test]
fn memory_keeps_expressions() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32))) (memory 1)
            (func (export "main") (result i32) (local i32)
                (i32.store (i32.const 16) (call $in))
                (i32.store8 (i32.const 17) (call $in))
                (i64.store offset=4 (i32.const 20) (i64.load (i32.const 13)))
                (memory.copy (i32.const 100) (i32.const 10) (i32.const 40))
                (memory.fill (i32.const 114) (i32.load8_u (i32.const 16)) (i32.const 1))
                (local.set 0 (i32.load16_s (i32.const 106)))
                (if (i32.lt_s (local.get 0) (i32.const 0)) (then (return (i32.const 1))))
                (if (i32.eq (i32.load8_s (i32.const 117)) (i32.const -7)) (then (return (i32.const 2))))
                (if (i64.gt_u (i64.load (i32.const 112)) (i64.const 0x10000000000)) (then (return (i32.const 3))))
                (i32.const 4)))"#,
        board(vec![("in", vec![], i32s(-130, 130))]),
    );
    check(&start, &bounds(2));
}

#[test]
fn addresses_depend_on_inputs() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32))) (memory 1 1)
            (data (i32.const 64) "\01\02\03\04\05\06\07\08\09\00\0b\0c\0d\0e\0f\10")
            (func (export "main") (result i32) (local $i i32)
                (local.set $i (call $in))
                (if (i32.eqz (i32.load8_u offset=64 (i32.and (local.get $i) (i32.const 15))))
                    (then (return (i32.const 1))))
                (i32.store offset=70 (i32.and (local.get $i) (i32.const 3)) (call $in))
                (if (i32.gt_u (i32.load16_u (i32.const 71)) (i32.const 0x0807)) (then (return (i32.const 2))))
                (i32.load (i32.mul (local.get $i) (i32.const 600)))))"#,
        board(vec![("in", vec![], i32s(0, 200))]),
    );
    check(&start, &bounds(2));
}

/// A length and an address are looked at one value at a time; what a copied byte decides later depends on no input then,
/// and the paths are still those of all runs, each once.
#[test]
fn copies_of_unknown_lengths() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32))) (memory 1)
            (data (i32.const 64) "\01\02\03\04\05\06\07\08")
            (func (export "main") (result i32) (local $i i32)
                (memory.copy (i32.const 100) (i32.const 64) (i32.and (call $in) (i32.const 7)))
                (memory.copy (i32.add (i32.const 101) (i32.and (call $in) (i32.const 1))) (i32.const 66) (i32.const 2))
                (if (i32.gt_u (i32.load8_u (i32.const 102)) (i32.const 3)) (then (return (i32.const 1))))
                (if (i32.eqz (i32.load8_u (i32.const 104))) (then (return (i32.const 2))))
                (memory.fill (i32.const 100) (i32.const 0) (i32.load8_u (i32.const 103)))
                (if (result i32) (i32.load8_u (i32.const 103)) (then (i32.const 3)) (else (i32.const 4)))))"#,
        board(vec![("in", vec![], i32s(0, 40))]),
    );
    let explored = check(&start, &bounds(2));
    assert!(explored.paths.iter().any(|path| path.ways.len() > 1));
}

#[test]
fn floats_are_exact() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (func (export "main") (result i32) (local $v f32)
                (local.set $v (f32.mul (f32.sub
                    (f32.mul (f32.div (f32.convert_i32_s (call $in)) (f32.const 1024)) (f32.const 5))
                    (f32.const 0.5)) (f32.const 100)))
                (if (f32.lt (local.get $v) (f32.const 22)) (then (return (i32.const 0))))
                (if (f32.lt (local.get $v) (f32.const 24)) (then (return (i32.const 1))))
                (if (f64.ge (f64.sqrt (f64.promote_f32 (local.get $v))) (f64.const 20)) (then (return (i32.const 3))))
                (i32.trunc_f32_u (f32.sub (local.get $v) (f32.const 200)))))"#,
        board(vec![("in", vec![], i32s(0, 4095))]),
    );
    check(&start, &bounds(1));
}

#[test]
fn calls_loops_globals_and_selects() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (global $g (mut i32) (i32.const 0))
            (func $f (param i32 i32) (result i32 i32) (local i32)
                (local.set 2 (local.get 0))
                (select (local.get 1) (local.get 2) (i32.gt_s (local.get 0) (i32.const 3)))
                (local.get 1))
            (func (export "main") (result i32) (local $n i32)
                (loop $l
                    (global.set $g (i32.add (global.get $g) (call $in)))
                    (br_if $l (i32.lt_s (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 3))))
                (call $f (global.get $g) (i32.const 7))
                (if (param i32 i32) (i32.eq (global.get $g) (i32.const 9))
                    (then (if (i32.eq) (then (unreachable))))
                    (else drop drop))
                (block $out (result i32) (br_if $out (i32.const 4) (i32.gt_s (global.get $g) (i32.const 11))))))"#,
        board(vec![("in", vec![], i32s(-2, 5))]),
    );
    check(&start, &bounds(3));
}

#[test]
fn arguments_depend_on_inputs() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (import "env" "chip_digital_read" (func $read (param i32) (result i32)))
            (import "env" "chip_digital_write" (func $write (param i32 i32)))
            (func (export "main") (result i32) (local $pin i32)
                (local.set $pin (i32.mul (call $in) (i32.const 32)))
                (call $write (i32.sub (local.get $pin) (i32.const 32)) (i32.const 1))
                (if (result i32) (call $read (local.get $pin)) (then (i32.const 1)) (else (i32.const 2)))))"#,
        board(vec![("in", vec![], i32s(0, 5))]),
    );
    check(&start, &bounds(2));
}

#[test]
fn memory_grows_by_what_is_read() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32))) (memory 1 4)
            (func (export "main") (result i32)
                (drop (memory.grow (call $in)))
                (memory.fill (i32.const 10) (i32.const 1) (i32.mul (call $in) (i32.const 30000)))
                (i32.load (i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.const 3)))))"#,
        board(vec![("in", vec![], i32s(0, 4))]),
    );
    check(&start, &bounds(2));
}

/// In whatever order, all paths are found; a random order is the same for the same seed.
#[test]
fn every_strategy_finds_every_path() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (func $leaf (param i32)
                (if (i32.eq (local.get 0) (i32.const 4)) (then (unreachable))))
            (func (export "main") (local $n i32)
                (loop $l
                    (if (i32.gt_s (call $in) (i32.const 2))
                        (then (call $leaf (call $in)))
                        (else (if (i32.eqz (call $in)) (then (return)))))
                    (br_if $l (i32.lt_s (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 2))))))"#,
        board(vec![("in", vec![], i32s(0, 5))]),
    );
    let all = check(&start, &bounds(4));
    let outcomes = |explored: &Explored| {
        let paths = explored.paths.iter();
        let paths = paths.map(|path| format!("{:?} {:?}", path.outcomes, path.end));
        paths.collect::<Vec<_>>()
    };
    let sorted = |mut paths: Vec<String>| {
        paths.sort();
        paths
    };
    let expected = sorted(outcomes(&all));
    let target = start.machine.location().expect("it runs").offset;
    for strategy in [
        SearchOrder::DepthFirst,
        SearchOrder::BreadthFirst,
        SearchOrder::CoverageFirst,
        SearchOrder::Towards(vec![target]),
        SearchOrder::Random(1),
        SearchOrder::Random(2),
    ] {
        let explore = || explore_by(&start, &bounds(4), strategy.clone());
        let explored = explore();
        assert!(explored.is_complete(), "{strategy:?}");
        assert_eq!(outcomes(&explored), outcomes(&explore()), "{strategy:?}");
        assert_eq!(sorted(outcomes(&explored)), expected, "{strategy:?}");
    }
}

/// Who hears of the first path and has enough, keeps it; the rest is not silently missing.
#[test]
fn what_was_found_is_kept_when_the_caller_has_enough() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (func (export "main")
                (loop $l (if (i32.gt_s (call $in) (i32.const 2)) (then (br $l)) (else (br $l))))))"#,
        board(vec![("in", vec![], i32s(0, 5))]),
    );
    let mut heard = 0;
    let search = Search {
        bounds: bounds(6),
        ..Search::default()
    };
    let explored = explore(&start, search, &Budget::unlimited(), &mut |_| {
        heard += 1;
        match heard {
            3 => Flow::Stop,
            _ => Flow::Continue,
        }
    });
    assert_eq!(explored.paths.len(), 3);
    assert!(!explored.is_complete());
}
