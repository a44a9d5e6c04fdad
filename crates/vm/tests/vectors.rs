//! Vectors of 128 bits: where they lie among cells, what is seen of them, states that have some.
#![cfg(feature = "simd")]

use crate::common::*;
use borges_vm::*;

/// Vectors as locals, operands, globals, arguments, results, chosen, dropped and taken along by branches.
const TEXT: &str = r#"(module
    (import "env" "number" (func $number (param i32) (result i32)))
    (memory 1)
    (global $sum (export "sum") (mut v128) (v128.const i32x4 1 2 3 4))
    (global $after (mut i32) (i32.const 7))
    (type $pair (func (param v128 i32 v128) (result v128 i32)))
    (table funcref (elem $mix))
    (func $mix (type $pair) (local i64 v128 i32)
        (local.set 4 (i32x4.add (local.get 0) (local.get 2)))
        (local.set 5 (i32.const 5))
        (drop (local.get 4))
        (select (local.get 4) (local.get 0) (local.get 1))
        (i32.add (local.get 1) (local.get 5)))
    (func (export "main") (param $n i32) (result i32) (local $v v128) (local $at i32)
        (local.set $v (i32x4.splat (local.get $n)))
        (loop $again
            (i32.const 11)
            (block (param i32) (result v128 i32)
                (drop)
                (local.get $v) (local.get $at) (i32.const 13)
                (global.get $sum) (local.get $at) (local.tee $v (local.get $v))
                (call_indirect (type $pair) (i32.const 0))
                (br_if 0 (i32.and (local.get $at) (i32.const 1)))
                (drop) (drop) (drop))
            (drop)
            (global.set $sum)
            (v128.store offset=3 (i32.shl (local.get $at) (i32.const 4)) (global.get $sum))
            (local.set $v (v128.load32_splat offset=5 (local.get $at)))
            (i8x16.extract_lane_u 3 (local.get $v))
            (call $number)
            (global.set $after)
            (br_if $again (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (local.get $n))))
        (i32x4.extract_lane 2 (global.get $sum))))"#;

fn vectors() -> Machine {
    let mut machine = machine(TEXT);
    begin(&mut machine, "main", &[Value::I32(4)]);
    machine
}

/// Runs on to a step; the embedder adds one.
fn on(machine: &mut Machine, until: u64) {
    while machine.run(until) == Exit::HostCall {
        let args = machine.pending().unwrap().args;
        let [Value::I32(arg)] = args[..] else {
            panic!("{args:?}")
        };
        machine.answer(&[Value::I32(arg + 1)]).unwrap();
    }
}

#[test]
fn states_with_vectors_are_saved_kept_and_gone_back_to_at_any_step() {
    let mut whole = vectors();
    on(&mut whole, u64::MAX);
    assert!(matches!(finished(&whole)[..], [Value::I32(_)]));
    let mut one = vectors();
    one.use_stepping_tier_only(true);
    let mut snapshots = Vec::new();
    for until in 0..=whole.steps() {
        on(&mut one, until);
        // The other tier comes to the same.
        let mut other = vectors();
        on(&mut other, until);
        assert!(other.save() == one.save(), "{until}");
        let mut loaded = vectors();
        loaded.load(&one.save()).unwrap();
        assert!(loaded.frames().eq(one.frames()));
        for (number, frame) in one.frames().enumerate() {
            let locals = (0..).map_while(|local| one.local(number, local));
            assert!(locals.eq(frame.locals.iter().copied()), "{until}");
            // Where a value's cells are is known.
            for (at, local) in frame.locals.iter().enumerate() {
                let cell = one.cells()[frame.local_cell(at)];
                match local {
                    Value::V128(bytes) => assert_eq!(bytes[..8], cell.to_le_bytes()),
                    Value::I32(number) => assert_eq!(u64::from(*number as u32), cell),
                    _ => {}
                }
            }
        }
        on(&mut loaded, u64::MAX);
        assert!(loaded.save() == whole.save(), "{until}");
        snapshots.push(one.snapshot(snapshots.last()));
    }
    for snapshot in snapshots.iter().rev() {
        one.restore(snapshot).unwrap();
        assert_eq!(one.hash(), snapshot.hash());
    }
    on(&mut one, u64::MAX);
    assert!(one.save() == whole.save());
}

#[test]
fn vectors_are_seen_as_lanes() {
    let mut machine = vectors();
    let value = machine.exported_global(InstanceId(0), "sum").unwrap();
    assert_eq!(value.to_string(), "i32x4 0x1 0x2 0x3 0x4");
    assert_eq!(machine.globals().len(), 2);
    assert_eq!(machine.globals()[1], Value::I32(7));
    on(&mut machine, 3);
    let frame = machine.frame(0).unwrap();
    let shown: Vec<String> = frame.locals.iter().map(Value::to_string).collect();
    assert_eq!(shown, ["4", "i32x4 0x4 0x4 0x4 0x4", "0"]);
    assert!(machine.module().unwrap().has_vectors_in(frame.func));
}

#[test]
fn a_store_of_a_vector_is_noticed_by_a_watch() {
    for (start, found) in [(2, false), (3, true), (18, true), (19, false)] {
        let mut machine = machine(
            r#"(module (memory 1) (func (export "store")
                (v128.store offset=1 (i32.const 2) (v128.const i64x2 1 2))))"#,
        );
        machine.set_watches(&[Watch::Memory {
            memory: 0,
            start,
            length: 1,
        }]);
        begin(&mut machine, "store", &[]);
        let exit = machine.run(u64::MAX);
        assert_eq!(matches!(exit, Exit::Watch { .. }), found, "{start}");
    }
}

#[test]
fn cells_of_vectors_count_against_the_limits() {
    let text = "(module (func (export \"f\") (param v128) (local v128 i32)))";
    let bytes = wat::parse_str(text).unwrap();
    for (locals, fits) in [(5, true), (4, false)] {
        let limits = Limits {
            locals,
            ..Limits::default()
        };
        assert_eq!(Module::new(&bytes, &limits).is_ok(), fits);
    }
    for (stack_slots, fits) in [(5, true), (4, false)] {
        let limits = Limits {
            stack_slots,
            ..Limits::default()
        };
        let mut machine = Machine::new(module(text), limits).unwrap();
        begin(&mut machine, "f", &[Value::V128([1; 16])]);
        let ended = machine.run(u64::MAX);
        assert_eq!(ended == Exit::Finished, fits, "{ended:?}");
    }
}

/// Operations on vectors must not need native stack: the fast tier jumps from one to the next.
#[test]
fn a_long_loop_of_vectors_takes_no_stack() {
    let mut machine = machine(
        r#"(module (memory 1) (func (export "main") (param $n i32) (result i32) (local $v v128) (local $w v128)
            (loop $again
                (local.set $v (i32x4.add (local.get $v) (i32x4.splat (local.get $n))))
                (local.set $v (v128.bitselect (local.get $v) (i32x4.neg (local.get $v)) (local.get $v)))
                (local.set $v (i32x4.shl (local.get $v) (i32.const 1)))
                (i8x16.popcnt (local.get $v))
                (local.set $w (local.get $v))
                (local.set $v (i64x2.sub (local.get $w)))
                (local.set $v (i8x16.shuffle 1 0 2 3 4 5 6 7 8 9 10 11 12 13 15 30
                    (local.get $v) (local.get $v)))
                (v128.store (i32.const 0) (local.get $v))
                (v128.store8_lane 3 (i32.const 7) (local.get $v))
                (local.set $v (v128.load16_lane 2 (i32.const 4) (v128.load (i32.const 2))))
                (local.set $v (v128.xor (local.get $v) (v128.load8_splat (i32.const 9))))
                (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
            (i32x4.extract_lane 0 (local.get $v))))"#,
    );
    let run = |machine: &mut Machine, stepping| {
        machine.use_stepping_tier_only(stepping);
        begin(machine, "main", &[Value::I32(100_000)]);
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        finished(machine)
    };
    let mut other = machine.clone();
    assert_eq!(run(&mut machine, false), run(&mut other, true));
}

/// The result of an operation stays where it is when another vector is moved above it.
#[test]
fn a_vector_below_another_is_left_alone() {
    let fresh = machine(
        r#"(module (func (export "main") (param $n i32) (result i32) (local $x v128) (local $y v128)
            (local.set $x (i32x4.splat (i32.const 7)))
            (i32x4.add (i32x4.splat (local.get $n)) (i32x4.splat (local.get $n)))
            (local.set $y (local.get $x))
            (i32x4.extract_lane 1)
            (i32.add (i32.mul (i32.const 100) (i32x4.extract_lane 1 (local.get $y))))))"#,
    );
    for stepping in [false, true] {
        let mut machine = fresh.clone();
        machine.use_stepping_tier_only(stepping);
        begin(&mut machine, "main", &[Value::I32(4)]);
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        assert_eq!(finished(&machine), vec![Value::I32(708)]);
    }
}
