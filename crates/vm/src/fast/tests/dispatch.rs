//! How operations reach one another.

use super::*;
#[cfg(not(any(borges_tail_calls, miri)))]
use crate::fast::op::WORDS;

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
    let steps = if cfg!(miri) {
        2_000
    } else if cfg!(debug_assertions) {
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

/// Compiled code is operations from end to end: each as long as its type says, and every point where
/// code can be entered is the beginning of one, also with a breakpoint at every other instruction. (Only
/// a build without tail calls has the numbers to tell them by.)
#[cfg(not(any(borges_tail_calls, miri)))]
#[test]
fn code_is_operations_from_end_to_end() {
    let mut operations = 0;
    let twice = KERNELS
        .iter()
        .flat_map(|kernel| [(kernel, 1), (kernel, 2000)]);
    for ((name, n, bytes), stops) in twice {
        let module = Module::new(bytes, &Limits::default()).unwrap();
        let run = module.exported_func("run").unwrap();
        let places = module.funcs().flat_map(|func| module.instrs(func));
        let places: Vec<_> = places.step_by(2).map(|(at, _)| at).collect();
        let mut machine = Machine::new(Shared::new(module), Limits::default()).unwrap();
        if stops > 1 {
            machine.set_breakpoints(&places).unwrap();
        }
        machine.begin(run, &[Value::I32(*n)]).unwrap();
        for _ in 0..stops {
            machine.run(1_000_000);
        }
        for function in &machine.fast.functions {
            let Function::Compiled(compiled) = function else {
                continue;
            };
            let (mut starts, mut at) = (Vec::new(), 0);
            while at < compiled.code.len() {
                starts.push(at);
                at += words_at(&compiled.code[at..]);
            }
            assert_eq!(at, compiled.code.len(), "{name}: the last operation is cut");
            for point in &compiled.points {
                let start = starts.binary_search(&(point.at as usize));
                // Behind the last operation there may be an end that nothing reaches.
                assert!(
                    start.is_ok() || point.at as usize == at,
                    "{name}: {point:?}"
                );
            }
            operations += starts.len();
        }
    }
    assert!(operations > 1000);
}

/// How many words the operation is that these words begin with.
#[cfg(not(any(borges_tail_calls, miri)))]
fn words_at(code: &[u64]) -> usize {
    let (name, words) = WORDS[code[0] as usize];
    if name.starts_with("TableOp") {
        // Distance and delta of each label follow.
        words + 2 * ((code[1] >> 32) as usize + 1)
    } else {
        words
    }
}
