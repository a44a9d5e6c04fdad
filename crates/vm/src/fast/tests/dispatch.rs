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
