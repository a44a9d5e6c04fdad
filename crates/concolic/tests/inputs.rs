//! Inputs of every type, of several primitives, with and without arguments; memory, globals and tables that depend on
//! them. Each program is compared with running all its inputs.

use crate::common::{board, check, explore, i32s, start_wat};
use borges_board::{Board, Codomain};
use borges_concolic::{Bounds, End, Explored};
use borges_vm::{Trap, ValType, Value};

fn bounds(inputs: u32) -> Bounds {
    Bounds {
        inputs,
        ..Bounds::default()
    }
}

fn i64s(low: i64, high: i64) -> Codomain {
    Codomain::range(Value::I64(low), Value::I64(high))
}

fn f32s(values: &[f32]) -> Codomain {
    let values: Vec<Value> = values.iter().map(|v| Value::F32(v.to_bits())).collect();
    Codomain::set(ValType::F32, &values)
}

fn f64s(values: &[f64]) -> Codomain {
    let values: Vec<Value> = values.iter().map(|v| Value::F64(v.to_bits())).collect();
    Codomain::set(ValType::F64, &values)
}

/// An input of each type, one without and one with arguments.
fn all_types() -> Board {
    board(vec![
        ("i", vec![], i32s(-20, 20)),
        ("l", vec![], i64s(-3_000_000_000, -2_999_999_980)),
        (
            "f",
            vec![],
            f32s(&[-1.5, -0.0, 0.25, 3.0, 1e30, f32::INFINITY]),
        ),
        ("d", vec![], f64s(&[-1e300, -0.5, 0.1, 2.5, 9.007e15])),
        ("at", vec![ValType::I32], i32s(0, 30)),
    ])
}

const IMPORTS: &str = r#"(import "env" "i" (func $i (result i32)))
    (import "env" "l" (func $l (result i64)))
    (import "env" "f" (func $f (result f32)))
    (import "env" "d" (func $d (result f64)))
    (import "env" "at" (func $at (param i32) (result i32)))"#;

/// Compares a program with all its runs.
fn checked(inputs: u32, body: &str) -> Explored {
    let start = start_wat(&format!("(module {IMPORTS} {body})"), all_types());
    check(&start, &bounds(inputs))
}

/// The paths that end in this trap.
fn traps(explored: &Explored, trap: Trap) -> usize {
    let ends = explored.paths.iter();
    ends.filter(|path| matches!(path.end, End::Trapped(now, _) if now == trap))
        .count()
}

#[test]
fn inputs_of_every_type() {
    for (condition, paths) in [
        ("(i32.lt_s (call $i) (i32.const -7))", 2),
        ("(i64.gt_s (call $l) (i64.const -2999999990))", 2),
        (
            "(i64.eqz (i64.and (call $l) (i64.const 0x8000000000000000)))",
            1,
        ),
        ("(f32.lt (call $f) (f32.const 0.25))", 2),
        ("(f32.eq (call $f) (f32.const 0))", 2),
        ("(f64.ge (f64.mul (call $d) (f64.const 3)) (call $d))", 2),
        (
            "(f64.gt (f64.promote_f32 (call $f)) (f64.convert_i64_s (i64.add (call $l) (i64.const 3000000000))))",
            2,
        ),
    ] {
        let body = format!(
            "(func (export \"main\") (result i32) (if (result i32) {condition} (then (i32.const 1)) (else (i32.const 2))))"
        );
        assert_eq!(checked(2, &body).paths.len(), paths, "{condition}");
    }
}

#[test]
fn conversions_of_inputs_trap_or_saturate() {
    let explored = checked(
        1,
        r#"(func (export "main") (result i32) (i32.trunc_f32_s (call $f)))"#,
    );
    assert_eq!(explored.paths.len(), 2);
    assert_eq!(traps(&explored, Trap::IntegerOverflow), 1);
    let explored = checked(
        1,
        r#"(func (export "main") (result i64) (i64.trunc_f64_u (call $d)))"#,
    );
    assert_eq!(explored.paths.len(), 2);
    let explored = checked(
        1,
        r#"(func (export "main") (result i32)
            (if (result i32) (i64.eqz (i64.trunc_sat_f64_u (call $d))) (then (i32.const 1)) (else (i32.const 2))))"#,
    );
    assert_eq!(explored.paths.len(), 2);
}

/// Which primitive, and with which arguments, may itself depend on inputs: an input is known by its place on the path.
#[test]
fn inputs_are_known_by_their_place() {
    let explored = checked(
        3,
        r#"(func (export "main") (result i32)
            (if (result i32) (i32.gt_s (call $i) (i32.const 0))
                (then (i64.lt_s (call $l) (i64.const -2999999999)))
                (else (i32.gt_s (call $at (i32.const 3)) (call $at (i32.const 4)))))
            (if (result i32) (then (i32.const 1)) (else (i32.const 2))))"#,
    );
    assert_eq!(explored.paths.len(), 4);
    let kinds = |path: usize| {
        let reads = explored.paths[path].ways[0].reads.iter();
        reads
            .map(|read| (read.ty, read.args.to_vec()))
            .collect::<Vec<_>>()
    };
    let places: std::collections::BTreeSet<_> = (0..4).map(kinds).collect();
    let [a, b] = [Value::I32(3), Value::I32(4)].map(|pin| (ValType::I32, vec![pin]));
    let expected = [
        vec![(ValType::I32, vec![]), (ValType::I64, vec![])],
        vec![(ValType::I32, vec![]), a, b],
    ];
    assert_eq!(places, expected.into_iter().collect());
}

/// The state of a loop over several inputs, kept in globals of all types.
#[test]
fn globals_of_every_type_keep_expressions() {
    let explored = checked(
        3,
        r#"(global $a (mut i32) (i32.const 0)) (global $b (mut i64) (i64.const 0))
        (global $c (mut f32) (f32.const 0)) (global $d (mut f64) (f64.const 0))
        (func (export "main") (result i32)
            (global.set $a (call $i)) (global.set $b (call $l)) (global.set $c (call $f))
            (global.set $d (f64.add (f64.promote_f32 (global.get $c)) (f64.convert_i32_s (global.get $a))))
            (if (f64.gt (global.get $d) (f64.const 4)) (then (return (i32.const 1))))
            (if (i64.eq (i64.rem_s (global.get $b) (i64.const 7)) (i64.extend_i32_s (global.get $a)))
                (then (unreachable)))
            (i32.const 0))"#,
    );
    assert_eq!(explored.paths.len(), 3);
    assert_eq!(traps(&explored, Trap::Unreachable), 1);
}

/// Every load and store, at addresses that depend on an input, of values that do.
#[test]
fn accesses_of_every_width_at_addresses_that_are_read() {
    for (ty, store, load) in [
        ("i32", "store", "load"),
        ("i32", "store8", "load8_s"),
        ("i32", "store8", "load8_u"),
        ("i32", "store16", "load16_s"),
        ("i32", "store16", "load16_u"),
        ("i64", "store", "load"),
        ("i64", "store8", "load8_s"),
        ("i64", "store8", "load8_u"),
        ("i64", "store16", "load16_s"),
        ("i64", "store16", "load16_u"),
        ("i64", "store32", "load32_s"),
        ("i64", "store32", "load32_u"),
        ("f32", "store", "load"),
        ("f64", "store", "load"),
    ] {
        let (value, holds) = match ty {
            // No byte and no half is negative without its sign.
            "i32" if load.ends_with('u') => ("(call $i)", "(i32.gt_s (i32.const 140))"),
            "i64" if load.ends_with('u') => {
                ("(i64.extend_i32_s (call $i))", "(i64.gt_s (i64.const 140))")
            }
            "i32" => (
                "(i32.mul (call $i) (i32.const 1001))",
                "(i32.lt_s (i32.const -77))",
            ),
            "i64" => (
                "(i64.mul (i64.extend_i32_s (call $i)) (i64.const 0x100000123))",
                "(i64.lt_s (i64.const -77))",
            ),
            "f32" => (
                "(f32.div (f32.convert_i32_s (call $i)) (f32.const 3))",
                "(f32.lt (f32.const -1))",
            ),
            _ => (
                "(f64.div (f64.convert_i32_s (call $i)) (f64.const 3))",
                "(f64.lt (f64.const -1))",
            ),
        };
        let holds = holds.trim_start_matches('(').trim_end_matches(')');
        let (compare, constant) = holds
            .split_once(" (")
            .expect("an instruction and a constant");
        let body = format!(
            r#"(memory 1 1)
            (data (i32.const 100) "\01\02\03\04\05\86\07\08\09\0a\0b\8c\0d\0e\0f\10\11\12\93\14\15\16\17\18")
            (func (export "main") (result i32) (local $at i32)
                (local.set $at (call $at (i32.const 1)))
                ({ty}.{store} offset=100 (i32.and (local.get $at) (i32.const 7)) {value})
                (if (result i32) ({compare} ({ty}.{load} offset=101 (i32.rem_u (local.get $at) (i32.const 5))) ({constant}))
                    (then (i32.const 1)) (else (i32.const 2))))"#
        );
        let explored = checked(2, &body);
        assert_eq!(explored.paths.len(), 2, "{ty}.{store}, {ty}.{load}");
    }
}

/// Past the end of the memory every access traps.
#[test]
fn addresses_outside_trap() {
    let explored = checked(
        2,
        r#"(memory 1 1)
        (func (export "main") (result i64) (local $at i32)
            (local.set $at (i32.mul (call $at (i32.const 0)) (i32.const 3276)))
            (i64.store (local.get $at) (i64.const 5))
            (i64.load8_u (i32.add (local.get $at) (i32.mul (call $i) (i32.const 3000)))))"#,
    );
    assert_eq!(traps(&explored, Trap::MemoryOutOfBounds), 2);
}

#[test]
fn blocks_of_memory_move_by_what_is_read() {
    let explored = checked(
        3,
        r#"(memory 1 1) (data $d "\01\02\03\04\05\06\07\08")
        (func (export "main") (result i32)
            (memory.init $d (i32.const 8) (i32.const 0) (i32.and (call $at (i32.const 0)) (i32.const 15)))
            (memory.copy (i32.const 32) (call $at (i32.const 1)) (i32.const 8))
            (memory.fill (i32.const 34) (call $i) (i32.const 2))
            (if (result i32) (i32.eq (i32.load8_u (i32.const 33)) (i32.const 4)) (then (i32.const 1))
                (else (i32.lt_s (i32.load16_s (i32.const 34)) (i32.const 0))
                    (if (result i32) (then (i32.const 2)) (else (i32.const 3))))))"#,
    );
    assert_eq!(traps(&explored, Trap::MemoryOutOfBounds), 1);
    assert_eq!(explored.paths.len(), 4);
}

#[test]
fn tables_are_changed_by_what_is_read() {
    let explored = checked(
        3,
        r#"(type $t (func (result i32)))
        (table $t 4 8 funcref)
        (elem (i32.const 0) $one $two $one $two) (elem declare func $three)
        (func $one (result i32) (i32.const 1))
        (func $two (result i32) (i32.const 2))
        (func $three (result i32) (if (result i32) (call $i) (then (i32.const 3)) (else (i32.const 4))))
        (func (export "main") (result i32)
            (table.set $t (i32.and (call $at (i32.const 0)) (i32.const 3)) (ref.func $three))
            (drop (table.grow $t (ref.null func) (i32.and (call $i) (i32.const 1))))
            (call_indirect $t (type $t) (i32.const 2)))"#,
    );
    // The old function, or the new one, which reads.
    assert_eq!(explored.paths.len(), 3);
}

/// What was executed for one value at a time may be told apart by a branch later on.
#[test]
fn branches_on_what_was_tried_value_by_value_are_told_apart() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32))) (memory 1 4)
            (func (export "main") (result i32)
                (drop (memory.grow (call $in)))
                (if (result i32) (i32.gt_u (memory.size) (i32.const 2)) (then (i32.const 1)) (else (i32.const 2)))))"#,
        board(vec![("in", vec![], i32s(0, 3))]),
    );
    assert_eq!(check(&start, &bounds(1)).paths.len(), 2);
}

#[test]
fn a_table_is_looked_up_by_what_is_read() {
    let bytes: String = (0..256)
        .map(|n: u32| format!("\\{:02x}", n.wrapping_mul(167) & 0xff))
        .collect();
    let start = start_wat(
        &format!(
            r#"(module (import "env" "in" (func $in (result i32))) (memory 1 1) (data (i32.const 512) "{bytes}")
            (func (export "main")
                (if (i32.eq (i32.load8_u offset=512 (i32.load8_u offset=512 (i32.and (call $in) (i32.const 0xff))))
                    (i32.const 0x5d)) (then (unreachable)))))"#
        ),
        board(vec![("in", vec![], i32s(0, 1023))]),
    );
    let explored = check(&start, &bounds(1));
    assert_eq!(explored.paths.len(), 2);
    assert_eq!(traps(&explored, Trap::Unreachable), 1);
}

/// States are functions, and the next one is a table entry that an input chooses: the trap needs four inputs in order.
#[test]
fn a_state_machine_of_functions_in_a_table() {
    let start = start_wat(
        r#"(module (import "env" "in" (func $in (result i32)))
            (type $s (func (param i32) (result i32)))
            (table funcref (elem $idle $armed $firing $broken))
            (func $idle (type $s) (i32.eq (local.get 0) (i32.const 5)))
            (func $armed (type $s)
                (select (i32.const 2) (i32.const 0) (i32.gt_s (local.get 0) (i32.const 6))))
            (func $firing (type $s)
                (if (i32.eqz (local.get 0)) (then (return (i32.const 3))))
                (i32.const 1))
            (func $broken (type $s) (unreachable))
            (func (export "main") (local $state i32)
                (loop $again
                    (local.set $state (call_indirect (type $s) (call $in) (local.get $state)))
                    (br $again))))"#,
        board(vec![("in", vec![], i32s(0, 7))]),
    );
    let explored = check(&start, &bounds(4));
    assert_eq!(traps(&explored, Trap::Unreachable), 1);
    assert_eq!(traps(&check(&start, &bounds(3)), Trap::Unreachable), 0);
}

/// Codomains that no one can run through: the paths are known from the text.
#[test]
fn whole_types_as_inputs() {
    for (ty, condition) in [
        (
            "i32",
            "(i32.eq (i32.sub (i32.const 0x5a5a5a5a) (call $in)) (i32.const 7))",
        ),
        (
            "i64",
            "(i64.eq (i64.add (call $in) (i64.const 0x123456789abc)) (i64.const 5))",
        ),
        (
            "f32",
            "(f32.eq (f32.add (call $in) (f32.const 1)) (f32.const 1.5))",
        ),
        ("f64", "(f64.eq (call $in) (f64.const 2.5e100))"),
    ] {
        let full = match ty {
            "i32" => ValType::I32,
            "i64" => ValType::I64,
            "f32" => ValType::F32,
            _ => ValType::F64,
        };
        let start = start_wat(
            &format!(
                r#"(module (import "env" "in" (func $in (result {ty})))
                (func (export "main") (if {condition} (then (unreachable)))))"#
            ),
            board(vec![("in", vec![], Codomain::Full(full))]),
        );
        let explored = explore(&start, &bounds(1));
        assert_eq!(explored.unexplored, [], "{ty}");
        assert_eq!(explored.paths.len(), 2, "{ty}");
        assert_eq!(traps(&explored, Trap::Unreachable), 1, "{ty}");
    }
}
