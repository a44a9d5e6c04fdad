//! How operations reach one another.

use super::*;

/// Endless, but for the step count.
const SPIN: &str = r#"(module
    (func $leaf (param i32) (result i32) (i32.xor (local.get 0) (i32.const 85)))
    (func (export "run") (result i32)
        (local $i i32)
        (loop $again
            (local.set $i (i32.add (call $leaf (local.get $i)) (i32.const 1)))
            (br_if $again (i32.ne (local.get $i) (i32.const 0x7fffffff))))
        (local.get $i)))"#;

/// If a handler called the next one instead of jumping there, this would overflow the stack.
#[test]
fn a_hundred_million_operations_run_on_a_small_stack() {
    let steps = if cfg!(debug_assertions) {
        10_000_000
    } else {
        200_000_000
    };
    let run = move || {
        let module = Module::new(&wat::parse_str(SPIN).unwrap(), &Limits::default()).unwrap();
        let mut machine = Machine::new(Shared::new(module), Limits::default()).unwrap();
        let run = machine.module().unwrap().exported_func("run").unwrap();
        machine.begin(run, &[]).unwrap();
        assert_eq!(machine.run(steps), Exit::Budget);
        assert_eq!(machine.steps(), steps);
        assert_eq!(
            machine.fast.runs, 3,
            "entered, and once more for each function compiled"
        );
    };
    let thread = std::thread::Builder::new().stack_size(64 << 10).spawn(run);
    thread.unwrap().join().unwrap();
}

/// Prints the operations of a kernel: `DUMP=crc32 cargo test -p borges-vm --lib dump -- --nocapture`
/// (in a build without tail calls, where operations begin with their number).
#[test]
fn dump() {
    let Ok(wanted) = std::env::var("DUMP") else {
        return;
    };
    for (name, n, bytes) in KERNELS {
        if name != wanted {
            continue;
        }
        let mut pair = Pair::new(bytes, Limits::default(), name).unwrap();
        let run = pair.both.module().unwrap().exported_func("run").unwrap();
        pair.both.begin(run, &[Value::I32(n)]).unwrap();
        pair.both.run(u64::MAX);
        for (address, function) in pair.both.fast.functions.iter().enumerate() {
            let super::super::Function::Compiled(compiled) = function else {
                continue;
            };
            println!(
                "function {address}: {} instructions, {} words",
                compiled.instructions,
                compiled.code.len()
            );
            let mut at = 0;
            while let Some(word) = compiled.code.get(at) {
                let (name, words) = super::super::op::NAMES[*word as usize];
                let halves = compiled.code.get(at + 1).copied().unwrap_or(0);
                let words = words
                    + if name.starts_with("TableOp") {
                        2 * ((halves >> 32) as usize + 1)
                    } else {
                        0
                    };
                let halves = [0, 16, 32, 48].map(|shift| (halves >> shift) as u16);
                let rest: Vec<i64> = compiled.code[at + 2..(at + words).max(at + 2)]
                    .iter()
                    .map(|w| *w as i64)
                    .collect();
                println!("{at:5} {} {halves:?} {rest:?}", name.replace("\n", ""));
                at += words;
            }
        }
    }
}
