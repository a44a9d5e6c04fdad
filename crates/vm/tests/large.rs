//! Snapshots of large memories: what was not written is not looked at, and nobody can tell.
#![cfg(feature = "host")]
#![allow(clippy::unwrap_used, missing_docs)]

use borges_vm::{Exit, Limits, Machine, Module, Shared, Snapshot, Value, Write};

/// Writes in every way that a program has: stores of its own and bulk instructions, in both tiers, data that is dropped
/// later, growing, answers that write.
const PROGRAM: &str = r#"(module
    (import "env" "ask" (func $ask (param i32) (result i32)))
    (memory 20 64)
    (data $some "some bytes that are written by memory.init")
    (func $next (param i32) (result i32)
        (i32.add (i32.mul (local.get 0) (i32.const 1664525)) (i32.const 1013904223)))
    (func $place (param i32) (result i32)
        (i32.rem_u (i32.shr_u (local.get 0) (i32.const 4))
            (i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.const 20000))))
    (func (export "main") (param $x i32) (result i32) (local $at i32) (local $kind i32) (local $n i32)
        (loop $again
            (local.set $x (call $next (local.get $x)))
            (local.set $at (call $place (local.get $x)))
            (local.set $kind (i32.rem_u (i32.shr_u (local.get $x) (i32.const 20)) (i32.const 64)))
            (if (i32.eq (local.get $kind) (i32.const 0)) (then
                (memory.fill (local.get $at) (local.get $x) (i32.and (local.get $x) (i32.const 0x3fff)))))
            (if (i32.eq (local.get $kind) (i32.const 1)) (then
                (memory.copy (local.get $at) (call $place (call $next (local.get $x))) (i32.const 9000))))
            (if (i32.eq (local.get $kind) (i32.const 2)) (then
                (if (i32.eqz (i32.and (local.get $n) (i32.const 1))) (then (drop (memory.grow (i32.const 1)))))))
            (if (i32.eq (local.get $kind) (i32.const 3)) (then
                (if (i32.lt_u (local.get $n) (i32.const 3000))
                    (then (memory.init $some (local.get $at) (i32.const 0) (i32.const 30)))
                    (else (data.drop $some)))))
            (if (i32.eq (local.get $kind) (i32.const 4)) (then
                (i32.store (local.get $at) (call $ask (local.get $at)))))
            (if (i32.eq (local.get $kind) (i32.const 5)) (then
                (i64.store (local.get $at) (i64.extend_i32_u (local.get $x)))))
            (if (i32.eq (local.get $kind) (i32.const 6)) (then
                (v128.store offset=4085 (local.get $at) (i32x4.splat (local.get $x)))))
            (local.set $n (i32.add (local.get $n) (i32.const 1)))
            (br_if $again (i32.lt_u (local.get $n) (i32.const 100000))))
        (local.get $x)))"#;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn machine(seed: i32, stepping_only: bool) -> Machine {
    machine_with(seed, stepping_only, PROGRAM, Limits::default())
}

fn machine_with(seed: i32, stepping_only: bool, program: &str, limits: Limits) -> Machine {
    let bytes = wat::parse_str(program).unwrap();
    let module = Module::new(&bytes, &limits).unwrap();
    let main = module.exported_func("main").unwrap();
    let mut machine = Machine::new(Shared::new(module), limits).unwrap();
    machine.use_stepping_tier_only(stepping_only);
    machine.begin(main, &[Value::I32(seed)]).unwrap();
    machine
}

/// Runs so many steps; what is asked is answered with bytes as well.
fn run(machine: &mut Machine, steps: u64) {
    let until = machine.steps() + steps;
    while machine.steps() < until {
        match machine.run(until) {
            Exit::HostCall => {
                let [Value::I32(at)] = machine.pending().unwrap().args[..] else {
                    panic!("one argument")
                };
                let address = ((at as u32 + 5000) % machine.memory().len() as u32) & !0xfff;
                let bytes = vec![at as u8; 3000];
                let writes = [Write { address, bytes }];
                machine.answer_with(&[Value::I32(at)], &writes).unwrap();
            }
            Exit::Budget => {}
            exit => panic!("{exit:?}"),
        }
    }
}

/// A machine that is kept and restored, and beside each snapshot all of its memory, which nobody shares.
struct Bench {
    machine: Machine,
    kept: Vec<(Snapshot, Vec<u8>)>,
}

impl Bench {
    fn keep(&mut self, previous: Option<usize>) {
        let before = previous.and_then(|number| self.kept.get(number));
        let snapshot = self.machine.snapshot(before.map(|(snapshot, _)| snapshot));
        let memory = self.machine.memory().to_vec();
        assert!(snapshot.memory(0, 0, memory.len()) == memory);
        assert_eq!(snapshot.hash(), self.machine.hash());
        let alone = self.machine.clone().snapshot(None);
        assert!(snapshot == alone);
        let pieces = before.map(|(before, _)| snapshot.differing_words(before).len() * 4);
        assert!(snapshot.bytes_unshared() >= pieces.unwrap_or(memory.len()));
        self.kept.push((snapshot, memory));
    }

    fn restore(&mut self, number: usize) {
        let (snapshot, memory) = &self.kept[number];
        self.machine.restore(snapshot).unwrap();
        assert!(self.machine.memory() == memory);
        assert_eq!(self.machine.steps(), snapshot.steps());
    }

    /// Goes on as a machine does that has nothing from before.
    fn run(&mut self, steps: u64) {
        let mut other = self.machine.clone();
        run(&mut other, steps);
        run(&mut self.machine, steps);
        assert!(self.machine.memory() == other.memory());
        assert_eq!(self.machine.hash(), other.hash());
    }
}

#[test]
fn what_differs_is_all_that_is_kept_and_restored() {
    for seed in 1..13_u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        // Of memories that the system watches and of those that it does not; half of them end within a block.
        let pages = if seed % 4 < 2 { 20 } else { 3 };
        let program = PROGRAM.replace("memory 20", &format!("memory {pages}"));
        let mut limits = Limits::default();
        if seed % 2 == 0 {
            limits.memory_pages = pages + 2;
            limits.memory_bytes = (u64::from(pages + 2) << 16) - 1000;
        }
        let machine = machine_with(seed as i32, seed % 3 == 0, &program, limits);
        let mut bench = Bench {
            machine,
            kept: Vec::new(),
        };
        for _ in 0..60 {
            let kept = bench.kept.len() as u64;
            match random.below(9) {
                0..3 => {
                    let steps = random.below(40_000);
                    bench.run(steps);
                }
                // With the last one, with any, with none.
                3 => bench.keep(bench.kept.len().checked_sub(1)),
                4 => bench.keep(Some(random.below(kept + 1) as usize)),
                5 if kept < 8 => bench.keep(None),
                6 => {
                    // Whoever writes, and however.
                    let memory = bench.machine.memory_mut();
                    let at = random.below(memory.len() as u64) as usize;
                    memory[at] = memory[at].wrapping_add(1);
                }
                // So much that another memory may be gone on with.
                7 => {
                    let memory = bench.machine.memory_mut();
                    let at = random.below(1 << 17) as usize;
                    memory[at..].fill(random.below(256) as u8);
                }
                _ if kept > 0 => bench.restore(random.below(kept) as usize),
                _ => {}
            }
            if bench.kept.len() > 12 {
                bench.kept.remove(random.below(12) as usize);
            }
        }
        let grown = bench
            .kept
            .iter()
            .any(|(_, memory)| memory.len() > (pages as usize) << 16);
        assert!(grown, "it never grew");
    }
}

/// Machines come and go, and the system's memory with them: none takes another's pages for its own.
#[test]
fn machines_side_by_side_do_not_disturb_each_other() {
    let mut random = Random(7);
    let mut benches: Vec<Bench> = Vec::new();
    for round in 0..60 {
        if benches.len() < 2 + round % 3 {
            let machine = match benches.last() {
                Some(bench) if round % 2 == 0 => bench.machine.clone(),
                _ => machine(round as i32, false),
            };
            benches.push(Bench {
                machine,
                kept: Vec::new(),
            });
        }
        for bench in &mut benches {
            run(&mut bench.machine, 10_000);
            bench.keep(bench.kept.len().checked_sub(1));
        }
        for bench in &mut benches {
            let kept = bench.kept.len() as u64;
            bench.restore(random.below(kept) as usize);
        }
        if random.below(4) == 0 {
            let gone = random.below(benches.len() as u64) as usize;
            benches.swap_remove(gone);
        }
        for bench in &mut benches {
            let more = bench.kept.len().saturating_sub(5);
            bench.kept.drain(..more);
        }
    }
}
