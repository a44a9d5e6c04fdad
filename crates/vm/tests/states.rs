//! States: saved, loaded, hashed, kept, moved; and bytes that are no states.

use crate::common::*;
use borges_vm::*;

/// The medley begun, run for some steps.
fn medley(steps: u64) -> Machine {
    let mut machine = medley_machine();
    begin(&mut machine, "main", &[Value::I32(6)]);
    drive(&mut machine, steps);
    machine
}

fn end() -> (u64, Machine) {
    let machine = medley(u64::MAX);
    assert!(machine.outcome().is_some());
    (machine.steps(), machine)
}

#[test]
fn a_state_saved_at_any_step_goes_on_in_another_machine() {
    let (steps, whole) = end();
    let mut one = medley_machine();
    begin(&mut one, "main", &[Value::I32(6)]);
    for until in 0..=steps {
        drive(&mut one, until);
        assert_eq!(one.steps(), until);
        let mut other = medley_machine();
        let saved = one.save();
        other.load(&saved).unwrap();
        assert!(other.save() == saved);
        assert_eq!(other.hash(), one.hash());
        assert_eq!(other.steps(), one.steps());
        assert_eq!(other.location(), one.location());
        assert!(other.frames().eq(one.frames()));
        stands_where_frames_are(&one);
        for (number, frame) in one.frames().enumerate() {
            let locals = (0..).map_while(|local| one.local(number, local));
            assert!(locals.eq(frame.locals));
        }
        assert_eq!(one.local(one.depth(), 0), None);
        if until % 7 == 0 {
            drive(&mut other, u64::MAX);
            assert_eq!(other.outcome(), whole.outcome());
            assert_eq!(other.hash(), whole.hash());
            assert_eq!(other.steps(), steps);
        }
    }
}

#[test]
fn the_hash_ignores_the_step_count_and_nothing_else() {
    let mut machine = machine(
        r#"(module (memory 1) (global $g (mut i32) (i32.const 0))
            (func (export "loop") (loop (br 0)))
            (func (export "store") (i32.store8 (i32.const 65535) (i32.const 1)))
            (func (export "set") (global.set $g (i32.const 1))))"#,
    );
    begin(&mut machine, "loop", &[]);
    machine.run(1);
    let once = machine.hash();
    machine.run(2);
    assert_eq!(machine.steps(), 2);
    assert_eq!(machine.hash(), once);
    machine.trap(Trap::Host);
    let mut hashes = vec![once, machine.hash()];
    for name in ["store", "set"] {
        begin(&mut machine, name, &[]);
        hashes.push(machine.hash());
        machine.run(u64::MAX);
        hashes.push(machine.hash());
    }
    machine.memory_mut()[4096] = 1;
    hashes.push(machine.hash());
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), 7);
}

#[test]
fn states_with_a_handler_or_a_start_function_or_a_trap_are_restored() {
    let mut handled = medley(100);
    handled.interrupt(3, &[Value::I32(9)]).unwrap();
    for steps in 100..106 {
        drive(&mut handled, steps);
        let mut other = medley_machine();
        other.load(&handled.save()).unwrap();
        assert_eq!(other.in_handler(), handled.in_handler());
        drive(&mut other, u64::MAX);
        let mut rest = handled.clone();
        drive(&mut rest, u64::MAX);
        assert_eq!(other.save(), rest.save());
    }
    let text = r#"(module
        (import "env" "input" (func $input (param i32) (result i32)))
        (import "env" "start" (func $start))
        (start $start)
        (func (export "main") (param i32) (result i32)
            (i32.div_u (i32.const 1) (call $input (local.get 0)))))"#;
    let mut started = machine(text);
    begin(&mut started, "main", &[Value::I32(3)]);
    loop {
        let mut other = machine(text);
        other.load(&started.save()).unwrap();
        assert_eq!(other.hash(), started.hash());
        assert_eq!(other.pending().is_some(), started.pending().is_some());
        let until = started.steps() + 1;
        match started.run(until) {
            Exit::HostCall => {
                let zero = started
                    .pending()
                    .unwrap()
                    .ty
                    .results
                    .iter()
                    .map(|_| Value::I32(0));
                let zero: Vec<_> = zero.collect();
                started.answer(&zero).unwrap();
            }
            Exit::Budget => {}
            exit => break assert_eq!(exit, Exit::Trapped(Trap::DivideByZero)),
        }
    }
    let mut other = machine(text);
    other.load(&started.save()).unwrap();
    assert_eq!(other.outcome(), Some(&Outcome::Trapped(Trap::DivideByZero)));
    assert_eq!(other.location(), started.location());
}

#[test]
fn a_state_belongs_to_its_program() {
    let saved = medley(50).save();
    let mut other = machine("(module)");
    assert_eq!(other.load(&saved), Err(StateError::OtherProgram));
    assert_eq!(other.load(b"nonsense"), Err(StateError::Version));
    let small = Limits {
        call_depth: 2,
        ..Limits::default()
    };
    let mut machine = Machine::new(module(MEDLEY), small).unwrap();
    let deep = (0..400)
        .map(medley)
        .find(|machine| machine.depth() > 2)
        .unwrap();
    assert!(matches!(
        machine.load(&deep.save()),
        Err(StateError::Limit(_))
    ));
}

/// Whatever the bytes say: an error that leaves the machine as it was, or a state that runs.
#[test]
fn mutated_states_never_panic() {
    let (steps, _) = end();
    let mut random = Random::new(1);
    let (mut loaded, mut refused) = (0, std::collections::BTreeMap::<String, u32>::new());
    for _ in 0..4000 {
        let mut saved = medley(random.below(steps)).save();
        // Behind what names the program: the rest is refused at once.
        let mut tail = saved.split_off(12);
        if random.below(4) > 0 {
            // The part before the memory has more to get wrong.
            let memory = tail.split_off(tail.len().min(200));
            random.mutate(&mut tail);
            tail.extend(memory);
        } else {
            random.mutate(&mut tail);
        }
        saved.extend(tail);
        let mut other = medley(random.below(steps));
        let before = other.save();
        match other.load(&saved) {
            Ok(()) => {
                loaded += 1;
                assert_eq!(other.frames().count(), other.depth());
                run_anything(&mut other, 3000);
            }
            Err(error) => {
                let text = error.to_string();
                assert!(!text.is_empty());
                *refused
                    .entry(text.split(char::is_numeric).next().unwrap().into())
                    .or_default() += 1;
                assert!(other.save() == before);
            }
        }
    }
    println!("{loaded} loaded, refused: {refused:#?}");
    // The mutations must reach both the states that are valid and most of the checks.
    assert!(loaded > 500 && refused.len() >= 8);
}

#[test]
fn snapshots_restore_and_share() {
    let (steps, whole) = end();
    let mut one = medley(0);
    let mut snapshots: Vec<Snapshot> = Vec::new();
    for until in (0..steps).step_by(10) {
        drive(&mut one, until);
        let snapshot = one.snapshot(snapshots.last());
        assert_eq!(snapshot.hash(), one.hash());
        assert_eq!(snapshot.steps(), until);
        snapshots.push(snapshot);
    }
    // 33 blocks at the end; between two snapshots few change.
    let kept: usize = snapshots.iter().map(Snapshot::bytes_unshared).sum();
    assert!(kept < snapshots.len() * 6000 + (3 << 16), "{kept}");
    let mut random = Random::new(2);
    let mut other = medley_machine();
    for _ in 0..100 {
        let snapshot = &snapshots[random.below(snapshots.len() as u64) as usize];
        other.restore(snapshot).unwrap();
        assert_eq!(other.hash(), snapshot.hash());
        assert_eq!(other.save(), medley(snapshot.steps()).save());
        drive(&mut other, snapshot.steps() + random.below(200));
    }
    other.restore(&snapshots[3]).unwrap();
    drive(&mut other, u64::MAX);
    assert_eq!(other.save(), whole.save());
    assert_eq!(
        snapshots[40].memory(0, 4090, 10),
        &medley(400).memory()[4090..4100]
    );
    assert_eq!(
        machine("(module)").restore(&snapshots[0]),
        Err(StateError::OtherProgram)
    );
}

/// The pieces that a snapshot has and another has not, with their sizes.
fn pieces_beside(snapshot: &Snapshot, other: &Snapshot) -> Vec<usize> {
    let pieces = |snapshot: &Snapshot| {
        let mut all = std::collections::BTreeMap::new();
        snapshot.for_each_piece(&mut |address, bytes| all.insert(address, bytes).is_none());
        all
    };
    let known = pieces(other);
    let mut own = pieces(snapshot);
    own.retain(|address, _| !known.contains_key(address));
    own.into_values().collect()
}

#[test]
fn a_thread_or_a_store_that_did_not_change_is_shared() {
    let text = r#"(module (memory 2)
        (func $down (param $left i32) (param $kind i32) (local $count i64)
            (if (local.get $left) (then
                (call $down (i32.sub (local.get $left) (i32.const 1)) (local.get $kind))
                (return)))
            (loop $on
                (if (i32.eqz (local.get $kind)) (then
                    (i64.store (i32.const 8) (i64.add (i64.load (i32.const 8)) (i64.const 1)))
                    (br $on)))
                (if (i32.eq (local.get $kind) (i32.const 1)) (then
                    (local.set $count (i64.add (local.get $count) (i64.const 1)))
                    (br $on)))
                (br $on)))
        (func (export "main") (param i32 i32) (call $down (local.get 0) (local.get 1))))"#;
    let depth = 900;
    let stack = depth * 4 * 8;
    for (kind, most) in [(0, 8192), (1, 3 * stack), (2, 200)] {
        let mut machine = machine(text);
        begin(
            &mut machine,
            "main",
            &[Value::I32(depth as i32), Value::I32(kind)],
        );
        // Into the loop, and around it once: after that many steps it is there again.
        while machine.depth() < depth + 2 {
            machine.run(machine.steps() + 1);
        }
        machine.run(machine.steps() + 40);
        while !machine.frame(0).unwrap().operands.is_empty() {
            machine.run(machine.steps() + 1);
        }
        let (here, start) = (machine.location(), machine.steps());
        let around = |machine: &mut Machine| {
            machine.run(machine.steps() + 1);
            while machine.location() != here {
                machine.run(machine.steps() + 1);
            }
        };
        let mut kept = vec![(machine.snapshot(None), machine.save())];
        for _ in 0..10 {
            around(&mut machine);
            let snapshot = machine.snapshot(kept.last().map(|(snapshot, _)| snapshot));
            kept.push((snapshot, machine.save()));
        }
        assert!(machine.steps() > start + 50);
        for pair in kept.windows(2) {
            let [(before, _), (snapshot, _)] = pair else {
                panic!()
            };
            let new = pieces_beside(snapshot, before);
            // All but who holds both: only the thread, which is large, or some of the store, which is not, or nothing.
            let large = new.iter().filter(|bytes| **bytes > stack).count();
            assert_eq!(large, usize::from(kind == 1), "{new:?}");
            assert!(
                kind == 0 || new.len() == [0, 2, 1][kind as usize],
                "{new:?}"
            );
            assert!(new.iter().sum::<usize>() < most, "{new:?}");
            assert!(snapshot.bytes_unshared() < most);
            assert_eq!(before == snapshot, kind == 2);
        }
        for (snapshot, saved) in kept.iter().rev() {
            machine.restore(snapshot).unwrap();
            assert!(machine.save() == *saved);
        }
    }
}

/// Two stacks take turns on one store: each call of `turn` ends one. All that they leave in memory and globals is what they
/// leave one after the other, each goes on where it was, and none of the memory is copied for it.
#[test]
fn several_stacks_take_turns_on_one_store() {
    let text = r#"(module (import "host" "turn" (func $turn)) (memory 16) (global $sum (mut i32) (i32.const 0))
        (func (export "main") (param $left i32) (param $by i32)
            (loop $on
                (global.set $sum (i32.add (global.get $sum) (local.get $by)))
                (i32.store (local.get $by) (i32.add (i32.load (local.get $by)) (i32.const 1)))
                (call $turn)
                (br_if $on (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))))"#;
    let mut machine = machine(text);
    let idle = machine.snapshot(None);
    let (counts, by) = ([3, 5], [4, 8192]);
    let mut stacks = Vec::new();
    for (count, by) in counts.into_iter().zip(by) {
        machine.restore(&idle).unwrap();
        begin(&mut machine, "main", &[Value::I32(count), Value::I32(by)]);
        stacks.push(machine.snapshot(Some(&idle)));
    }
    let mut store = idle.clone();
    let mut random = Random::new(7);
    let mut left = counts;
    while left != [-1, -1] {
        let who = random.below(2) as usize;
        if left[who] < 0 {
            continue;
        }
        let here = store.with_stack(&stacks[who]).unwrap();
        let new: usize = pieces_beside(&here, &store).into_iter().sum();
        assert!(new < 512, "{new}");
        machine.restore(&here).unwrap();
        if machine.pending().is_some() {
            machine.answer(&[]).unwrap();
        }
        machine.run(u64::MAX);
        left[who] -= 1;
        assert_eq!(machine.pending().is_some(), left[who] >= 0);
        stacks[who] = machine.snapshot(Some(&here));
        store = stacks[who].clone();
        let done = [0, 1].map(|who| counts[who] - left[who].max(0));
        assert_eq!(
            machine.globals(),
            [Value::I32(done[0] * by[0] + done[1] * by[1])]
        );
        for (done, by) in done.into_iter().zip(by) {
            let bytes = machine.memory()[by as usize..][..4].try_into().unwrap();
            assert_eq!(i32::from_le_bytes(bytes), done);
        }
    }
    let other = crate::common::machine("(module)").snapshot(None);
    assert!(store.with_stack(&other).is_none());
}

#[test]
fn differences_lead_from_any_state_to_any_other() {
    let (steps, _) = end();
    let mut random = Random::new(3);
    let (mut most, mut total) = (0, 0);
    for round in 0..200 {
        let mut from = medley(random.below(steps + 1));
        let mut to = medley(random.below(steps + 1));
        if round % 4 == 0 {
            let _ = to.interrupt(3, &[Value::I32(1)]);
        }
        stands_where_frames_are(&to);
        let delta = Delta::between(&from.snapshot(None), &to.snapshot(None)).unwrap();
        let delta = Delta::from_bytes(delta.to_bytes()).unwrap();
        (most, total) = (
            delta.to_bytes().len().max(most),
            total + delta.to_bytes().len(),
        );
        from.apply(&delta).unwrap();
        assert_eq!(from.save(), to.save());
        assert_eq!(from.hash(), to.hash());
        // It starts from another state.
        if delta != Delta::between(&to.snapshot(None), &to.snapshot(None)).unwrap() {
            assert!(matches!(from.apply(&delta), Err(StateError::WrongBase)));
        }
    }
    println!(
        "differences of {} bytes on average, {most} at most",
        total / 200
    );
    assert!(most < 1000);
}

/// A difference is applied wholly or not at all.
#[test]
fn mutated_differences_never_panic_and_change_nothing() {
    let (steps, _) = end();
    let mut random = Random::new(4);
    let mut refused = std::collections::BTreeMap::<String, u32>::new();
    for _ in 0..3000 {
        let mut from = medley(random.below(steps + 1));
        let to = medley(random.below(steps + 1));
        let delta = Delta::between(&from.snapshot(None), &to.snapshot(None)).unwrap();
        let mut bytes = delta.to_bytes().to_vec();
        // Past what names program, base and result.
        let mut tail = bytes.split_off(28);
        random.mutate(&mut tail);
        bytes.extend(tail);
        let before = from.save();
        match from.apply(&Delta::from_bytes(&bytes).unwrap()) {
            // Only the step count is not part of the hash.
            Ok(()) => assert_eq!(from.hash(), to.hash()),
            Err(error) => {
                *refused
                    .entry(
                        error
                            .to_string()
                            .split(char::is_numeric)
                            .next()
                            .unwrap()
                            .into(),
                    )
                    .or_default() += 1;
                assert!(from.save() == before);
            }
        }
    }
    println!("{refused:#?}");
    assert!(refused.len() >= 6);
}

/// The formats and the hash must not change unnoticed: other machines rely on them.
#[test]
fn golden_bytes() {
    // A memory with an `x` at 5, a table, a global -1, and a function that calls itself:
    // (func (export "main") (param f32) (local i32)
    //     (local.set 1 (i32.const 300)) (call 0 (local.get 0)))
    let bytes: Vec<u8> = (0..GOLDEN_MODULE.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&GOLDEN_MODULE[at..at + 2], 16).unwrap())
        .collect();
    let module = Shared::new(Module::new(&bytes, &Limits::default()).unwrap());
    let mut machine = Machine::new(module, Limits::default()).unwrap();
    let first = machine.snapshot(None);
    begin(&mut machine, "main", &[Value::F32(1.0f32.to_bits())]);
    machine.run(6);
    let saved = machine.save();
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    // Behind it: the first block of memory with its tag, and 15 tags of blocks of zeros.
    let memory = saved.len() - 15 - 4097;
    assert_eq!(hex(&saved[..memory]), GOLDEN_STATE);
    let delta = Delta::between(&first, &machine.snapshot(Some(&first))).unwrap();
    assert_eq!(hex(delta.to_bytes()), GOLDEN_DELTA);
    assert_eq!(machine.hash().to_string(), GOLDEN_HASH);
}

const GOLDEN_MODULE: &str = "0061736d0100000001050160017d000302010004040170000105030100010606017e01427f0b070801046d61696e00000a0f010d01017f41ac022101200010000b0b07010041050b0178";
const GOLDEN_STATE: &str = "426f53011212fc9b62f27d81060201000002004000003c0204808080fc03ac02808080fc03ac0201ffffffffffffffffff0101010001010001010101";
const GOLDEN_DELTA: &str = "426f44011212fc9b62f27d819fcba346df1122aac639493677a3117806020100000002004000003c0204010004808080fc03ac02808080fc03ac0201000100000100";
const GOLDEN_HASH: &str = "7811a377364939c6";
