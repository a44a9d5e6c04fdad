//! What the tests of this crate share.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::sync::OnceLock;

use borges_vm::*;

/// A module in the text format, loaded.
pub fn module(text: &str) -> Shared<Module> {
    let bytes = wat::parse_str(text).unwrap();
    Shared::new(Module::new(&bytes, &Limits::default()).unwrap())
}

/// A machine with an instance of it.
pub fn machine(text: &str) -> Machine {
    Machine::new(module(text), Limits::default()).unwrap()
}

/// A machine with an instance of [`MEDLEY`], which is parsed but once.
pub fn medley_machine() -> Machine {
    static MODULE: OnceLock<Shared<Module>> = OnceLock::new();
    let module = MODULE.get_or_init(|| module(MEDLEY));
    // Small, for tests that make thousands.
    Machine::new(
        module.clone(),
        Limits {
            stack_slots: 512,
            ..Limits::default()
        },
    )
    .unwrap()
}

/// Begins an exported function.
pub fn begin(machine: &mut Machine, name: &str, args: &[Value]) {
    let func = machine.module().unwrap().exported_func(name).unwrap();
    machine.begin(func, args).unwrap();
}

/// The results of a program that ended well.
pub fn finished(machine: &Machine) -> Vec<Value> {
    match machine.outcome() {
        Some(Outcome::Finished(values)) => values.clone(),
        other => panic!("{other:?}"),
    }
}

/// Numbers that look random and are the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Less than `bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 11) % bound
    }

    /// One to four bytes set, cut off, put in or taken out.
    pub fn mutate(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(3) {
            if bytes.is_empty() {
                return;
            }
            let at = self.below(bytes.len() as u64) as usize;
            match self.below(8) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, self.next() as u8),
                2 => drop(bytes.remove(at)),
                3 => bytes[at] ^= 1 << self.below(8),
                4 => bytes[at] = bytes[at].wrapping_add(1),
                5 => bytes[at] = bytes[at].wrapping_sub(1),
                _ => bytes[at] = self.next() as u8,
            }
        }
    }
}

/// A program that uses a bit of everything: recursion, memory, globals, a table that it changes,
/// floats, references, multi-value blocks, calls of the embedder, segments that are dropped.
pub const MEDLEY: &str = r#"(module
    (import "env" "input" (func $input (param i32) (result i32)))
    (import "env" "output" (func $output (param i32 f64)))
    (type $binary (func (param i32 i32) (result i32)))
    (memory 1 3)
    (data (i32.const 16) "hello")
    (data $later "\01\02\03\04\05\06\07\08")
    (table $t 4 8 funcref)
    (table $e 2 externref)
    (elem (table $t) (i32.const 0) func $add $mul)
    (elem $more funcref (ref.func $fib) (ref.null func))
    (global $sum (mut i64) (i64.const 0))
    (global $ref (mut externref) (ref.null extern))
    (global $pi f32 (f32.const 3.14))
    (func $add (type $binary) (i32.add (local.get 0) (local.get 1)))
    (func $mul (type $binary) (i32.mul (local.get 0) (local.get 1)))
    (func $fib (param i32) (result i32)
        (if (result i32) (i32.lt_u (local.get 0) (i32.const 2))
            (then (local.get 0))
            (else (i32.add
                (call $fib (i32.sub (local.get 0) (i32.const 1)))
                (call $fib (i32.sub (local.get 0) (i32.const 2)))))))
    (func $handler (export "handler") (param i32) (result i32)
        (global.set $sum (i64.add (global.get $sum) (i64.extend_i32_u (local.get 0))))
        (i32.const 1))
    (elem (table $t) (i32.const 3) func $handler)
    (func $swap (param i32 f64) (result f64 i32) (local.get 1) (local.get 0))
    (func (export "main") (param $n i32) (result i32 i64)
        (local $i i32) (local $f f64) (local $r externref) (local $c funcref)
        (memory.init $later (i32.const 100) (i32.const 2) (i32.const 4))
        (data.drop $later)
        (table.init $t $more (i32.const 2) (i32.const 0) (i32.const 1))
        (elem.drop $more)
        (drop (memory.grow (i32.const 1)))
        (loop $again
            (i32.store offset=4096
                (i32.mul (local.get $i) (i32.const 4))
                (call_indirect $t (type $binary)
                    (call $input (local.get $i))
                    (i32.load8_u offset=16 (i32.and (local.get $i) (i32.const 3)))
                    (i32.and (local.get $i) (i32.const 1))))
            (local.set $f (f64.add (f64.sqrt (f64.convert_i32_u (local.get $i))) (local.get $f)))
            (call $output (local.get $i) (local.get $f))
            (call $swap (local.get $i) (local.get $f))
            (drop) (drop)
            (global.set $sum (i64.add (global.get $sum)
                (i64.extend_i32_s (call $fib (i32.and (local.get $i) (i32.const 7))))))
            (local.set $c (table.get $t (i32.and (local.get $i) (i32.const 3))))
            (if (ref.is_null (local.get $c)) (then (table.set $t (i32.const 1) (ref.func $mul))))
            (memory.copy (i32.const 70000) (i32.const 4096) (i32.const 64))
            (br_if $again (i32.lt_u
                (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
        (i32.load (i32.const 70004))
        (global.get $sum)))"#;

/// The embedder of [`MEDLEY`]: answers one call.
pub fn answer(machine: &mut Machine) {
    let call = machine.pending().unwrap();
    let results = match (call.func.0, call.args.as_slice()) {
        (0, [Value::I32(i)]) => vec![Value::I32(i.wrapping_mul(7))],
        _ => vec![],
    };
    machine.answer(&results).unwrap();
}

/// Runs to `until` steps or the end, answering calls.
pub fn drive(machine: &mut Machine, until: u64) -> Exit {
    loop {
        match machine.run(until) {
            Exit::HostCall => answer(machine),
            exit => return exit,
        }
    }
}

/// Runs a machine that may be in any valid state for some steps, answering calls with zeros.
pub fn run_anything(machine: &mut Machine, steps: u64) {
    let until = machine.steps().saturating_add(steps);
    while machine.run(until) == Exit::HostCall {
        let results = machine.pending().unwrap().ty.results.clone();
        let results: Vec<_> = results.into_iter().map(Value::default_of).collect();
        machine.answer(&results).unwrap();
    }
}

/// A machine for each tier alone: the stepping one, and both.
pub fn tiers(text: &str, limits: Limits) -> [Machine; 2] {
    [true, false].map(|stepping| {
        let mut machine = Machine::new(module(text), limits).unwrap();
        machine.use_stepping_tier_only(stepping);
        machine
    })
}

/// Runs on to a step; the embedder gives the number that it is asked about.
pub fn on(machine: &mut Machine, until: u64) -> Exit {
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

/// Who is where says of all functions on the stack what frames say, and nothing else.
pub fn stands_where_frames_are(machine: &Machine) {
    let frames: Vec<FrameView> = machine.frames().collect();
    assert_eq!(machine.standing().count(), frames.len());
    for (number, (standing, frame)) in machine.standing().zip(&frames).enumerate() {
        let waits = number > 0 && !frames[number - 1].is_handler;
        let module = machine.instance_module(frame.instance).unwrap();
        let mut starts = module.instr_starts(frame.func);
        let next = match waits {
            true => starts.find(|start| *start > frame.offset).unwrap(),
            false => frame.offset,
        };
        let wanted = Activation {
            instance: frame.instance,
            func: frame.func,
            next,
            waits,
            is_handler: frame.is_handler,
        };
        assert_eq!(standing, wanted);
        assert_eq!(machine.place_of(&standing), Some(frame.offset));
    }
    let mut inwards: Vec<Activation> = machine.standing().rev().collect();
    inwards.reverse();
    assert!(machine.standing().eq(inwards));
}

/// Runs `main` of a program with an argument of 4; the machine, and what it gives.
pub fn main_of_four(text: &str) -> (Machine, i64) {
    let mut machine = machine(text);
    begin(&mut machine, "main", &[Value::I32(4)]);
    assert_eq!(on(&mut machine, u64::MAX), Exit::Finished);
    let [Value::I64(sum)] = finished(&machine)[..] else {
        panic!()
    };
    (machine, sum)
}

/// Runs `main` of a program with an argument of 4: in both tiers, from any step on, and back over each.
pub fn comes_to_the_same_from_any_step(text: &str, expected: i64) {
    let [mut whole, mut fast] = tiers(text, Limits::default());
    for machine in [&mut whole, &mut fast] {
        begin(machine, "main", &[Value::I32(4)]);
        assert_eq!(on(machine, u64::MAX), Exit::Finished);
    }
    assert!(fast.save() == whole.save());
    assert_eq!(finished(&whole), [Value::I64(expected)]);
    let [mut one, mut other] = tiers(text, Limits::default());
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
