//! The two tiers held against each other: whole states at random exact stops.
//!
//! One machine runs with the stepping tier alone, the other with both. Both stop at the same random
//! step counts, many times in one run, and must be in the same state each time: frames, operands,
//! memory, globals, tables, step count, and how the program ended.

mod breakpoints;
mod dispatch;
#[cfg(not(miri))]
mod smith;
#[cfg(all(feature = "host", not(miri)))]
mod turns;
#[cfg(all(feature = "simd", not(miri)))]
mod vectors;

use alloc::string::String;
use alloc::vec::Vec;
use std::println;

use super::Function;
use crate::machine::{Exit, Machine, Until};
use crate::{CodeOffset, FuncIdx, Limits, Module, Outcome, Shared, ValType, Value};

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Less than `bound`, which is not 0.
    fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 11) % bound
    }

    /// Between 1 and `most`, all magnitudes alike.
    fn magnitude(&mut self, most: u64) -> u64 {
        let bits = self.below(u64::from(most.ilog2()) + 1);
        1 + self.below(1 << bits)
    }

    fn value(&mut self, ty: ValType) -> Value {
        let bits = match self.below(4) {
            0 => self.below(16),
            1 => self.below(16).wrapping_neg(),
            2 => self.next() >> self.below(64),
            _ => self.next(),
        };
        let float = match self.below(8) {
            0 => f64::NAN,
            1 => f64::NEG_INFINITY,
            2 => -0.0,
            3 => f64::from_bits(bits),
            _ => bits as i64 as f64 / 8.0,
        };
        match ty {
            ValType::I32 => Value::I32(bits as i32),
            ValType::I64 => Value::I64(bits as i64),
            ValType::F32 => Value::F32((float as f32).to_bits()),
            ValType::F64 => Value::F64(float.to_bits()),
            ValType::FuncRef => Value::FuncRef(None),
            ValType::ExnRef => Value::ExnRef(None),
            ValType::V128 => Value::V128((u128::from(bits) << 61).to_le_bytes()),
            ValType::ExternRef => Value::ExternRef((bits % 2 == 0).then_some(bits as u32)),
        }
    }
}

/// The stops that a test makes at least, and what is done for them at most: Miri interprets what we
/// interpret, and gets a thousandth.
const fn quantity(usual: u64) -> u64 {
    if cfg!(miri) {
        usual.div_ceil(1000)
    } else {
        usual
    }
}

/// Answers a call of the embedder with numbers that depend on nothing but the step count.
fn answer(machine: &mut Machine) {
    let mut random = Random::new(machine.steps() + 1);
    let call = machine.pending().unwrap();
    let results: Vec<Value> = call.ty.results.iter().map(|ty| random.value(*ty)).collect();
    machine.answer(&results).unwrap();
}

/// Panics if the machines are not in the same state.
fn compare(stepping: &Machine, both: &Machine, what: &str) {
    let place = || {
        let s = (stepping.steps(), stepping.location(), stepping.depth());
        let b = (both.steps(), both.location(), both.depth());
        std::format!("{what}: stepping alone {s:?}, both tiers {b:?}")
    };
    let (a, b) = (&stepping.state.thread, &both.state.thread);
    assert_eq!(
        (a.steps, a.phase, a.handler),
        (b.steps, b.phase, b.handler),
        "{}",
        place()
    );
    assert_eq!(a.frames, b.frames, "{}", place());
    assert_eq!(a.cells(), b.cells(), "{}", place());
    let (a, b) = (&stepping.state.store, &both.state.store);
    assert_eq!(a.globals, b.globals, "{}", place());
    assert_eq!(a.tables, b.tables, "{}", place());
    assert!(a.memories == b.memories, "memory differs; {}", place());
    assert_eq!(a.progress, b.progress, "{}", place());
    #[cfg(feature = "exceptions")]
    assert_eq!(a.exceptions, b.exceptions, "{}", place());
    assert_eq!(stepping.outcome(), both.outcome(), "{}", place());
}

/// Panics if who is where is not what frames say.
fn check_standing(machine: &Machine, what: &str) {
    let frames = machine.frames().map(|frame| {
        let place = (frame.instance, frame.func, Some(frame.offset));
        (place, frame.is_handler)
    });
    let standing = machine.standing().map(|standing| {
        let offset = machine.place_of(&standing);
        let place = (standing.instance, standing.func, offset);
        (place, standing.is_handler)
    });
    assert!(standing.eq(frames), "{what} at step {}", machine.steps());
}

/// A pair of machines for the same program.
struct Pair {
    stepping: Machine,
    both: Machine,
    name: String,
    stops: u64,
    /// Where breakpoints can be, if there are to be some.
    places: Vec<CodeOffset>,
    hits: u64,
    /// Of these, what was watched and written.
    watched: u64,
    /// The memories of the machine with both tiers at the last stop, where it notes what it writes.
    #[cfg(feature = "noting")]
    memories: Vec<Vec<u8>>,
    /// Blocks that were not noted from one stop to the next.
    #[cfg(feature = "noting")]
    unwritten: u64,
}

impl Pair {
    fn new(bytes: &[u8], limits: Limits, name: &str) -> Option<Pair> {
        let module = Shared::new(Module::new(bytes, &limits).unwrap());
        let mut stepping = Machine::new(module.clone(), limits).ok()?;
        stepping.use_stepping_tier_only(true);
        let both = Machine::new(module, limits).ok()?;
        Some(Pair {
            stepping,
            both,
            name: name.into(),
            stops: 0,
            places: Vec::new(),
            hits: 0,
            watched: 0,
            #[cfg(feature = "noting")]
            memories: Vec::new(),
            #[cfg(feature = "noting")]
            unwritten: 0,
        })
    }

    /// What differs from the last stop was noted.
    #[cfg(feature = "noting")]
    fn check_noted(&mut self, what: &str) {
        use crate::bytes::BLOCK;
        let memories = &self.both.state.store.memories;
        self.memories.resize(memories.len(), Vec::new());
        for (memory, before) in memories.iter().zip(&mut self.memories) {
            let written = memory.bytes.written();
            let blocks = memory.bytes.chunks(BLOCK).zip(before.chunks(BLOCK));
            for (number, (now, before)) in blocks.enumerate() {
                let is_noted = written.has(number);
                assert!(now == before || is_noted, "{what}: block {number}");
                self.unwritten += u64::from(!is_noted);
            }
            before.clear();
            before.extend_from_slice(&memory.bytes);
            written.forget();
        }
    }

    fn machines(&mut self) -> [&mut Machine; 2] {
        [&mut self.stepping, &mut self.both]
    }

    /// Calls a function; compares at stops that are up to `gap` steps apart, until it ends or
    /// `most` steps were made.
    fn call(
        &mut self,
        func: FuncIdx,
        args: &[Value],
        random: &mut Random,
        gap: u64,
        most: u64,
    ) -> Option<Outcome> {
        for machine in self.machines() {
            machine.begin(func, args).unwrap();
        }
        let start = self.both.steps();
        let what = std::format!("{} {func:?} {args:?}", self.name);
        loop {
            let until = (self.both.steps() + random.magnitude(gap)).min(start + most);
            let exits = self.machines().map(|machine| machine.run(until));
            self.stops += 1;
            assert_eq!(exits[0], exits[1], "{what}");
            compare(&self.stepping, &self.both, &what);
            #[cfg(feature = "noting")]
            self.check_noted(&what);
            if self.stops.is_multiple_of(16) {
                check_standing(&self.both, &what);
            }
            match exits[0] {
                Exit::HostCall => self.machines().map(answer),
                Exit::Breakpoint(_) | Exit::Watch { .. } => {
                    self.hits += 1;
                    self.watched += u64::from(matches!(exits[0], Exit::Watch { .. }));
                    if random.below(16) == 0 {
                        self.scatter(random);
                    }
                    continue;
                }
                Exit::Budget if until - start < most => continue,
                Exit::Budget => {
                    // Long enough: on to the next program.
                    for machine in self.machines() {
                        machine.trap(crate::Trap::Host);
                    }
                    return None;
                }
                Exit::Finished | Exit::Trapped(_) => return self.both.outcome().cloned(),
            };
        }
    }
}

#[cfg(not(miri))]
const KERNELS: [(&str, i32, &[u8]); 15] = [
    (
        "fib",
        1,
        include_bytes!("../../../../../benches/kernels/fib.wasm"),
    ),
    (
        "prime",
        3,
        include_bytes!("../../../../../benches/kernels/prime.wasm"),
    ),
    (
        "crc32",
        2,
        include_bytes!("../../../../../benches/kernels/crc32.wasm"),
    ),
    (
        "matmul_f64",
        1,
        include_bytes!("../../../../../benches/kernels/matmul_f64.wasm"),
    ),
    (
        "matmul_f32",
        1,
        include_bytes!("../../../../../benches/kernels/matmul_f32.wasm"),
    ),
    (
        "quicksort",
        1,
        include_bytes!("../../../../../benches/kernels/quicksort.wasm"),
    ),
    (
        "sha256",
        2,
        include_bytes!("../../../../../benches/kernels/sha256.wasm"),
    ),
    (
        "bytes",
        2,
        include_bytes!("../../../../../benches/kernels/bytes.wasm"),
    ),
    (
        "bulk",
        2,
        include_bytes!("../../../../../benches/kernels/bulk.wasm"),
    ),
    (
        "mandelbrot",
        1,
        include_bytes!("../../../../../benches/kernels/mandelbrot.wasm"),
    ),
    (
        "nbody",
        3,
        include_bytes!("../../../../../benches/kernels/nbody.wasm"),
    ),
    (
        "indirect",
        3,
        include_bytes!("../../../../../benches/kernels/indirect.wasm"),
    ),
    (
        "machine",
        3,
        include_bytes!("../../../../../benches/kernels/machine.wasm"),
    ),
    (
        "siphash",
        3,
        include_bytes!("../../../../../benches/kernels/siphash.wasm"),
    ),
    (
        "list",
        2,
        include_bytes!("../../../../../benches/kernels/list.wasm"),
    ),
];

#[cfg(not(miri))] // The tricky functions have all that kernels have, and sooner.
#[test]
fn tiers_agree_on_the_kernels() {
    let mut random = Random::new(1);
    let mut stops = 0;
    for (name, n, bytes) in KERNELS {
        let mut pair = Pair::new(bytes, Limits::default(), name).unwrap();
        let run = pair.both.module().unwrap().exported_func("run").unwrap();
        let outcome = pair.call(
            run,
            &[Value::I32(n)],
            &mut random,
            4096,
            quantity(3_000_000),
        );
        println!(
            "{name}: {} steps, {} stops, {} runs of code, {outcome:?}",
            pair.both.steps(),
            pair.stops,
            pair.both.fast.runs
        );
        assert!(
            pair.both.fast.runs > 100,
            "{name} hardly ran in the fast tier"
        );
        #[cfg(feature = "noting")]
        assert!(pair.unwritten > 0, "{name} is said to write everywhere");
        stops += pair.stops;
    }
    println!("{stops} stops");
    assert!(stops > 20_000);
}

#[test]
fn tiers_agree_on_tricky_functions() {
    let bytes = wat::parse_str(include_str!("tricky.wat")).unwrap();
    let limits = Limits {
        stack_slots: 400,
        call_depth: 100,
        ..Limits::default()
    };
    let mut random = Random::new(2);
    let (mut stops, mut traps, mut runs) = (0, 0, 0);
    for round in 0..quantity(40) {
        let mut pair = Pair::new(&bytes, limits, "tricky").unwrap();
        let module = pair.both.module().unwrap().clone();
        for export in module.exports() {
            let func = FuncIdx(export.index);
            for _ in 0..6 {
                let types = &module.func_type(func).unwrap().params;
                let args: Vec<Value> = types.iter().map(|ty| random.value(*ty)).collect();
                // Now and then without a stop, so that short functions run in the fast tier.
                let gap = if round % 2 == 0 { 1 << 40 } else { 2048 };
                let outcome = pair.call(func, &args, &mut random, gap, quantity(100_000));
                traps += u64::from(matches!(outcome, Some(Outcome::Trapped(_))));
            }
        }
        stops += pair.stops;
        runs += pair.both.fast.runs;
    }
    println!("{stops} stops, {traps} traps, {runs} runs of code");
    assert!(stops > quantity(100_000) && traps >= quantity(100));
    assert!(
        runs > quantity(40) * quantity(500),
        "hardly ran in the fast tier"
    );
}

/// The other tier throws; what catches goes on here.
#[cfg(feature = "exceptions")]
#[test]
fn code_can_be_entered_where_exceptions_are_caught() {
    let bytes = wat::parse_str(include_str!("tricky.wat")).unwrap();
    let limits = Limits::default();
    let module = Shared::new(Module::new(&bytes, &limits).unwrap());
    let mut machine = Machine::new(module.clone(), limits).unwrap();
    for name in ["cleanups", "rounds", "older", "delegated"] {
        let func = module.exported_func(name).unwrap();
        let types = &module.func_type(func).unwrap().params;
        let args: Vec<Value> = types.iter().map(|ty| Value::default_of(*ty)).collect();
        machine.begin(func, &args).unwrap();
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
    }
    let labels = module.catch_labels();
    assert!(labels.len() >= 15, "{}", labels.len());
    for label in labels {
        let at = label.0 as usize;
        assert!(machine.fast.doors.is_open(0, at), "{label}");
    }
}

/// What catches exceptions costs nothing where nothing is thrown.
#[cfg(feature = "exceptions")]
#[test]
fn blocks_that_nothing_is_thrown_in_are_not_left() {
    let text = r#"(module (tag $t (param i32))
        (func $some (param i32) (result i32)
            (if (i32.eqz (local.get 0)) (then (throw $t (local.get 0))))
            (i32.mul (local.get 0) (i32.const 3)))
        (func (export "run") (param $n i32) (result i32) (local $sum i32)
            (loop $l
                (local.get $sum)
                try $c (result i32)
                    try (result i32)
                        (call $some (local.get $n))
                    delegate 0
                catch $t
                catch_all
                    (rethrow $c)
                end
                (local.set $sum (i32.add))
                (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
            (local.get $sum)))"#;
    let bytes = wat::parse_str(text).unwrap();
    let limits = Limits::default();
    let module = Shared::new(Module::new(&bytes, &limits).unwrap());
    let run = module.exported_func("run").unwrap();
    let [mut both, mut stepping] = [(); 2].map(|()| Machine::new(module.clone(), limits).unwrap());
    stepping.use_stepping_tier_only(true);
    for machine in [&mut both, &mut stepping] {
        machine.begin(run, &[Value::I32(1000)]).unwrap();
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
    }
    compare(&stepping, &both, "run");
    assert!(both.fast.runs < 10, "{}", both.fast.runs);
}

/// A function that the code's memory has no room for is executed all the same, and so are the others.
#[test]
fn what_does_not_fit_is_left_to_the_other_tier() {
    let bytes = wat::parse_str(include_str!("tricky.wat")).unwrap();
    let all = |code_bytes| {
        let limits = Limits {
            code_bytes,
            ..Limits::default()
        };
        let module = Module::new(&bytes, &limits).unwrap();
        let run = module.exported_func("all").unwrap();
        let mut machine = Machine::new(Shared::new(module), limits).unwrap();
        machine
            .begin(run, &[Value::I32(7), Value::F64(1.5f64.to_bits())])
            .unwrap();
        while machine.run(u64::MAX) == Exit::HostCall {
            answer(&mut machine);
        }
        let compiled = |function: &&Function| matches!(function, Function::Compiled(_));
        let count = machine.fast.functions.iter().filter(compiled).count();
        (machine.steps(), machine.hash(), count)
    };
    let (steps, hash, most) = all(1 << 20);
    // What all of them need to the byte, and one word less.
    let sizes: Vec<u32> = (1..1 << 12).map(|words| words * 8).collect();
    let needed = sizes[sizes.partition_point(|bytes| all(*bytes).2 < most)];
    assert_eq!(all(needed), (steps, hash, most));
    for code_bytes in [0, 100, 1000, 3000, needed - 1] {
        let (same_steps, same_hash, fewer) = all(code_bytes);
        assert_eq!((steps, hash), (same_steps, same_hash), "{code_bytes} bytes");
        assert!(fewer < most, "{fewer} of {most} in {code_bytes} bytes");
    }
}

/// A frame whose last cell an operation can still name is compiled, one cell more is not, and no program can tell.
#[test]
fn frames_too_large_to_compile_are_left_to_the_other_tier() {
    for (locals, compiled) in [(8190, true), (8191, false)] {
        // One operand beside the locals; the last local is the farthest cell that is named.
        let text = std::format!(
            r#"(module (func (export "f") (result i64) (local{})
                (local.set {last} (i64.const 41))
                (local.set 0 (local.get {last}))
                (local.get 0)))"#,
            " i64".repeat(locals),
            last = locals - 1
        );
        let bytes = wat::parse_str(&text).unwrap();
        let module = Module::new(&bytes, &Limits::default()).unwrap();
        let func = module.exported_func("f").unwrap();
        let mut machine = Machine::new(Shared::new(module), Limits::default()).unwrap();
        machine.begin(func, &[]).unwrap();
        assert_eq!(machine.run(u64::MAX), Exit::Finished);
        let ended = Outcome::Finished(alloc::vec![Value::I64(41)]);
        assert_eq!(machine.outcome(), Some(&ended));
        let is_compiled = matches!(machine.fast.functions.as_slice(), [Function::Compiled(_)]);
        assert_eq!(is_compiled, compiled, "{locals} locals");
    }
}

/// A stop that need not be exact is never more than a function's length behind, and none is missed.
#[test]
fn a_stop_that_need_not_be_exact_comes_soon() {
    for (name, n, bytes) in KERNELS {
        let module = Module::new(bytes, &Limits::default()).unwrap();
        let run = module.exported_func("run").unwrap();
        let mut machine = Machine::new(Shared::new(module), Limits::default()).unwrap();
        machine.begin(run, &[Value::I32(n)]).unwrap();
        let exactly = 40_000 + n as u64 % 7;
        let mut stops = 0;
        while machine.steps() < exactly {
            let about = machine.steps() + 1000;
            if machine.run(Until { exactly, about }) != Exit::Budget {
                break;
            }
            let late = machine.steps().saturating_sub(about);
            assert!(late <= machine.fast.reserve(), "{name}: {late} steps late");
            assert!(machine.steps() <= exactly, "{name}");
            stops += 1;
        }
        assert!(stops <= 41, "{name}: {stops} stops");
    }
}

/// A function as long as interpreters have, with labels everywhere and nowhere: the way to an exact stop stays short.
#[test]
fn the_reserve_does_not_grow_with_functions() {
    let mut random = Random::new(3);
    let mut body = String::new();
    let round = "(local.set 0 (i32.add (i32.mul (local.get 0) (local.get 1)) (i32.const 77)))\n";
    for number in 0..quantity(60) {
        let straight = round.repeat(random.below(200) as usize + 1);
        let jumpy = "(block (br_if 0 (i32.and (local.get 0) (i32.const 2))) (local.set 0 (i32.add (local.get 0) (local.get 1))))\n"
            .repeat(random.below(60) as usize);
        let choice = std::format!(
            "(if (i32.and (local.get 0) (i32.const 4)) (then {straight} (br 0)) (else {jumpy}))\n"
        );
        // An operand that waits across all of it, a loop of two rounds, a way out of the middle.
        body += &std::format!(
            "(local.get 0) (local.set 2 (i32.const 2))
            (block $out {straight}
                (loop $again {choice}
                    (br_if $out (i32.eq (local.get 0) (i32.const {number})))
                    (br_if $again (local.tee 2 (i32.sub (local.get 2) (i32.const 1)))))
                {jumpy})
            (local.set 0 (i32.xor (local.get 0)))\n"
        );
    }
    let text = std::format!(
        r#"(module (func (export "f") (param i32 i32) (result i32) (local i32) {body} (local.get 0)))"#
    );
    let bytes = wat::parse_str(&text).unwrap();
    let mut stops = 0;
    for _ in 0..quantity(200) {
        let mut pair = Pair::new(&bytes, Limits::default(), "long").unwrap();
        let func = pair.both.module().unwrap().exported_func("f").unwrap();
        let args = [ValType::I32; 2].map(|ty| random.value(ty));
        pair.call(func, &args, &mut random, 8192, quantity(10_000));
        let reserve = pair.both.fast.reserve();
        assert!(reserve < 2500, "{reserve} steps");
        stops += pair.stops;
    }
    let module = Module::new(&bytes, &Limits::default()).unwrap();
    let length = module.instrs(FuncIdx(0)).count();
    assert!(cfg!(miri) || length > 20_000, "{length} instructions");
    println!("{stops} stops in a function of {length} instructions");
    assert!(stops > quantity(2000));
}
