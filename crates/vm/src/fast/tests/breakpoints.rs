//! Breakpoints and watches in code: the tiers stop at the same ones, and code is left for those only.

use super::*;
use crate::Watch;
use crate::binary::Instr;
use crate::{Extern, InstanceId};

impl Pair {
    /// From now on with breakpoints.
    pub(super) fn debugged(mut self) -> Pair {
        let module = self.both.module().unwrap();
        let instrs = module.funcs().flat_map(|func| module.instrs(func));
        self.places = instrs.map(|(at, _)| at).collect();
        self
    }

    /// Sets breakpoints anew: none, a few, or many; and watches, mostly of nothing.
    pub(super) fn scatter(&mut self, random: &mut Random) {
        let rarely = random.magnitude(1 << 9);
        let mut chosen = self.places.clone();
        chosen.retain(|_| random.below(rarely) == 0);
        if random.below(8) == 0 {
            chosen.clear();
        }
        let watches = match random.below(3) {
            0 => watches(random),
            _ => Vec::new(),
        };
        for machine in self.machines() {
            machine.set_breakpoints(&chosen).unwrap();
            machine.set_watches(&watches);
        }
    }
}

/// Some watches, mostly where programs write: near the beginning of memory, of the first globals and locals.
fn watches(random: &mut Random) -> Vec<Watch> {
    let count = 1 + random.below(3);
    let watch = |_| match random.below(3) {
        0 => Watch::Memory {
            memory: u32::from(random.below(4) == 0),
            start: random.magnitude(1 << 17) as u32,
            length: 1 + random.magnitude(40) as u32,
        },
        1 => Watch::Global(random.below(4) as u32),
        _ => Watch::Local {
            frame: random.below(3) as u32,
            local: random.below(6) as u32,
        },
    };
    (0..count).map(watch).collect()
}

/// On a small native stack, as handlers that went on by calls would need much.
#[test]
fn tiers_stop_at_the_same_breakpoints_of_tricky_functions() {
    let run = || {
        let bytes = wat::parse_str(include_str!("tricky.wat")).unwrap();
        let limits = Limits {
            stack_slots: 400,
            call_depth: 100,
            ..Limits::default()
        };
        let mut random = Random::new(4);
        let (mut hits, mut watched, mut traps, mut runs) = (0, 0, 0, 0);
        for round in 0..quantity(40) {
            let mut pair = Pair::new(&bytes, limits, "tricky").unwrap().debugged();
            let module = pair.both.module().unwrap().clone();
            for export in module.exports() {
                let func = FuncIdx(export.index);
                for _ in 0..3 {
                    pair.scatter(&mut random);
                    let types = &module.func_type(func).unwrap().params;
                    let args: Vec<Value> = types.iter().map(|ty| random.value(*ty)).collect();
                    let gap = if round % 4 > 0 { 1 << 40 } else { 2048 };
                    let outcome = pair.call(func, &args, &mut random, gap, quantity(30_000));
                    traps += u64::from(matches!(outcome, Some(Outcome::Trapped(_))));
                }
            }
            hits += pair.hits;
            watched += pair.watched;
            runs += pair.both.fast.runs;
        }
        assert!(watched > quantity(500), "{watched} watches");
        println!("{hits} hits, {watched} of them watches, {traps} traps, {runs} runs of code");
        assert!(hits > quantity(30_000) && traps >= quantity(100));
        assert!(runs > hits, "hardly ran in the fast tier");
    };
    let thread = std::thread::Builder::new().stack_size(512 << 10);
    thread.spawn(run).unwrap().join().unwrap();
}

/// Who stops now and then on the way, wherever it costs nothing, comes to the same breakpoints.
#[test]
fn stops_that_need_not_be_exact_miss_no_breakpoint() {
    let bytes = wat::parse_str(include_str!("tricky.wat")).unwrap();
    let mut random = Random::new(5);
    let mut hits = 0;
    for _ in 0..quantity(8) {
        let mut pair = Pair::new(&bytes, Limits::default(), "tricky")
            .unwrap()
            .debugged();
        let module = pair.both.module().unwrap().clone();
        for export in module.exports() {
            let func = FuncIdx(export.index);
            pair.scatter(&mut random);
            let types = &module.func_type(func).unwrap().params;
            let args: Vec<Value> = types.iter().map(|ty| random.value(*ty)).collect();
            for machine in pair.machines() {
                machine.begin(func, &args).unwrap();
            }
            let exactly = pair.both.steps() + quantity(20_000);
            loop {
                let exits = [
                    pair.stepping.run(exactly),
                    loop {
                        let about = pair.both.steps() + random.magnitude(1000);
                        let exit = pair.both.run(Until { exactly, about });
                        if exit != Exit::Budget || pair.both.steps() >= exactly {
                            break exit;
                        }
                    },
                ];
                assert_eq!(exits[0], exits[1]);
                compare(&pair.stepping, &pair.both, "about");
                match exits[0] {
                    Exit::HostCall => pair.machines().into_iter().for_each(answer),
                    Exit::Breakpoint(_) | Exit::Watch { .. } => hits += 1,
                    _ => break,
                }
            }
            for machine in pair.machines() {
                machine.trap(crate::Trap::Host);
            }
        }
    }
    println!("{hits} hits");
    assert!(hits > quantity(10_000));
}

const HOT: &str = r#"(module
    (func (export "run") (param $n i32) (result i32) (local $sum i32)
        (loop $again
            (if (i32.eq (local.get $n) (i32.const 77)) (then (nop)))
            (local.set $sum (i32.add (local.get $sum) (i32.mul (local.get $n) (i32.const 3))))
            (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
        (local.get $sum)))"#;

/// Code is entered once for the start, once for each hit, and for what the exact way of counting steps needs: nothing else.
#[test]
fn a_hot_function_with_breakpoints_stays_in_the_fast_tier() {
    let module =
        Shared::new(Module::new(&wat::parse_str(HOT).unwrap(), &Limits::default()).unwrap());
    let run = module.exported_func("run").unwrap();
    let place = |wanted: fn(&Instr<'_>) -> bool| {
        let mut instrs = module.instrs(run);
        instrs.find(|(_, instr)| wanted(instr)).unwrap().0
    };
    let rare = place(|instr| matches!(instr, Instr::Nop));
    let each = place(|instr| matches!(instr, Instr::LocalSet(_)));
    // Where code can be entered without the breakpoint, too.
    let head = place(|instr| matches!(instr, Instr::LocalGet(_)));
    for (breakpoint, hits) in [(rare, 1), (each, 1000), (head, 1000)] {
        let mut machine = Machine::new(module.clone(), Limits::default()).unwrap();
        machine.set_breakpoints(&[breakpoint]).unwrap();
        machine.begin(run, &[Value::I32(1000)]).unwrap();
        for _ in 0..hits {
            assert_eq!(machine.run(u64::MAX), Exit::Breakpoint(breakpoint));
        }
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        let sum = Outcome::Finished(alloc::vec![Value::I32(3 * 1000 * 1001 / 2)]);
        assert_eq!(machine.outcome(), Some(&sum));
        assert_eq!(machine.fast.runs, hits + 1);
    }
}

/// Code that is forgotten leaves its place to what comes instead, and is whole again once it was run without breakpoints.
#[test]
fn breakpoints_that_come_and_go_leave_nothing_behind() {
    let limits = Limits::default();
    let module = Shared::new(Module::new(&wat::parse_str(HOT).unwrap(), &limits).unwrap());
    let run = module.exported_func("run").unwrap();
    let [mut machine, mut fresh] = [(); 2].map(|()| Machine::new(module.clone(), limits).unwrap());
    // But for the first instruction: whoever begins there does not come from code.
    let instrs = module.instrs(run).skip(1);
    let places: Vec<CodeOffset> = instrs.map(|(at, _)| at).collect();
    let start = module.body(run.0).unwrap().start;
    let mut hits = 0;
    for count in 0..2 * places.len() {
        let some = &places[count.saturating_sub(places.len())..count.min(places.len())];
        machine.set_breakpoints(some).unwrap();
        // It may be compiled, or has still to be.
        assert!(machine.fast.doors.is_open(0, start as usize) || count == 0);
        machine.begin(run, &[Value::I32(100)]).unwrap();
        loop {
            match machine.run(u64::MAX) {
                Exit::Breakpoint(_) | Exit::Watch { .. } => hits += 1,
                Exit::Finished => break,
                exit => panic!("{exit:?}"),
            }
        }
    }
    assert!(hits >= 100 * places.len(), "{hits} hits");
    // Taken away and set again: nothing is compiled for it.
    let left = |machine: &Machine| {
        let Some(Function::Compiled(compiled)) = machine.fast.functions.first() else {
            panic!("it is not compiled");
        };
        (
            compiled.code.clone(),
            compiled.points.clone(),
            machine.fast.room,
            machine.fast.ranges.len(),
            machine.fast.doors.0.clone(),
            machine.fast.breakpoints.clone(),
        )
    };
    let before = left(&machine);
    let last = &places[places.len() - 1..];
    assert_eq!(machine.fast.breakpoints, [last[0].0]);
    machine.set_breakpoints(&[]).unwrap();
    machine.set_breakpoints(last).unwrap();
    assert_eq!(left(&machine), before);
    machine.set_breakpoints(&[]).unwrap();
    for machine in [&mut machine, &mut fresh] {
        machine.begin(run, &[Value::I32(100)]).unwrap();
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
    }
    assert_ne!(left(&machine), before);
    assert!(machine.fast.breakpoints.is_empty());
    // The last of them was met at the very end: the next call compiles it.
    machine.begin(run, &[Value::I32(100)]).unwrap();
    assert_eq!(machine.run(u64::MAX), Exit::Finished);
    assert_eq!(left(&machine), left(&fresh));
    // Those that no code came to do not add up.
    for place in places {
        machine.set_breakpoints(&[place]).unwrap();
        assert_eq!(machine.fast.breakpoints, [place.0]);
    }
}

/// A breakpoint is in the first instance only, also where another has the same code; a clone has it, too.
#[test]
fn breakpoints_are_those_of_the_first_instance() {
    let text = r#"(module (import "env" "tick" (func $tick))
        (func (export "run") (param $n i32)
            (loop $again
                (call $tick)
                (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))"#;
    let limits = Limits::default();
    let module = Shared::new(Module::new(&wat::parse_str(text).unwrap(), &limits).unwrap());
    let run = module.exported_func("run").unwrap();
    let mut plain = Machine::empty(limits);
    let instances = [(); 2].map(|()| plain.instantiate(module.clone(), &[Extern::Host]).unwrap());
    let mut machine = plain.clone();
    let places = module.instrs(run).filter(|(_, instr)| {
        matches!(instr, Instr::Call(_) | Instr::LocalTee(_)) // Left anyway, and not.
    });
    let places: Vec<CodeOffset> = places.map(|(at, _)| at).collect();
    machine.set_breakpoints(&places).unwrap();
    let hits = |machine: &mut Machine, instance: InstanceId| {
        let mut hits = 0;
        machine.begin_in(instance, run, &[Value::I32(10)]).unwrap();
        loop {
            match machine.run(u64::MAX) {
                Exit::HostCall => answer(machine),
                Exit::Breakpoint(_) => hits += 1,
                exit => break assert_eq!(exit, Exit::Finished),
            }
        }
        hits
    };
    assert_eq!(hits(&mut plain, instances[1]), 0);
    assert_eq!(hits(&mut machine, instances[1]), 0);
    assert_eq!(machine.fast.runs, plain.fast.runs);
    for machine in [&mut machine.clone(), &mut machine] {
        assert_eq!(hits(machine, instances[0]), 20);
    }
}
