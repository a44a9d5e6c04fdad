//! Two threads take turns on one store: nothing of one is in the other's, in both tiers.

use super::*;
use crate::Snapshot;
use crate::machine::Thread;

/// Adds to a word of the memory what is left to count, a call deeper each time; gives the sum of what was there in between.
const PROGRAM: &str = r#"(module (memory 1) (global $calls (mut i32) (i32.const 0))
    (func $count (export "count") (param $at i32) (param $left i32) (result i64)
        (if (i32.eqz (local.get $left)) (then (return (i64.const 0))))
        (i64.store (local.get $at)
            (i64.add (i64.load (local.get $at)) (i64.extend_i32_u (local.get $left))))
        (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
        (if (i32.eqz (i32.rem_u (local.get $left) (i32.const 64)))
            (then (drop (memory.grow (i32.const 1)))))
        (i64.add (i64.load (local.get $at))
            (call $count (local.get $at) (i32.sub (local.get $left) (i32.const 1))))))"#;

/// How far each counts.
const COUNT: i32 = 200;

/// Lets the other thread run.
fn turn(machine: &mut Machine, other: &mut Thread) {
    core::mem::swap(&mut machine.state.thread, other);
    machine.forget_reported();
    machine.settle();
}

fn begin(machine: &mut Machine, at: i32) {
    let count = machine.module().unwrap().exported_func("count").unwrap();
    let args = [Value::I32(at), Value::I32(COUNT)];
    machine.begin(count, &args).unwrap();
}

fn pieces(snapshot: &Snapshot) -> Vec<usize> {
    let mut pieces = Vec::new();
    snapshot.for_each_piece(&mut |address, _| {
        pieces.push(address);
        true
    });
    pieces
}

#[test]
fn threads_take_turns_on_one_store() {
    let bytes = wat::parse_str(PROGRAM).unwrap();
    let limits = Limits {
        stack_slots: 4096,
        ..Limits::default()
    };
    let mut random = Random::new(17);
    for round in 0..quantity(20) {
        let mut pair = Pair::new(&bytes, limits, "turns").unwrap();
        let mut others = pair.machines().map(|machine| {
            begin(machine, 0);
            let mut other = Thread::new(&limits);
            turn(machine, &mut other);
            begin(machine, 8);
            other
        });
        let mut turns = 0;
        let mut ended = 0;
        while ended < 2 {
            let was_over = pair.both.outcome().is_some();
            let until = pair.both.steps() + random.magnitude(200);
            let exits = pair.machines().map(|machine| machine.run(until));
            assert_eq!(exits[0], exits[1]);
            compare(&pair.stepping, &pair.both, "turns");
            if exits[0] == Exit::Finished {
                // The word grows by what is left to count; each time it is added up as it is then.
                let words = (1..=i64::from(COUNT)).rev().scan(0, |word, left| {
                    *word += left;
                    Some(*word)
                });
                let outcome = Outcome::Finished(alloc::vec![Value::I64(words.sum())]);
                assert_eq!(pair.both.outcome(), Some(&outcome));
                ended += usize::from(!was_over);
            } else if round % 2 == 0 {
                // Back, as if it had gone another way in between.
                let kept = pair.both.snapshot(None);
                pair.both.run(until + 77);
                pair.both.restore(&kept).unwrap();
            }
            let before = pair.both.snapshot(None);
            for (machine, other) in pair.machines().into_iter().zip(&mut others) {
                turn(machine, other);
            }
            compare(&pair.stepping, &pair.both, "turns");
            // Only whose turn it is is new; at their ends they are alike.
            let after = pair.both.snapshot(Some(&before));
            let known = pieces(&before);
            let new = pieces(&after);
            let new = new.iter().filter(|piece| !known.contains(piece));
            assert_eq!(new.count(), 1 + usize::from(ended < 2));
            turns += 1;
        }
        assert!(turns > 4);
        // Memory that one takes is there for the other.
        assert_eq!(
            pair.both.memory_bytes() >> 16,
            1 + 2 * (COUNT as usize / 64)
        );
    }
}
