//! Any bytes behind the name of the program: a state that runs without panic, or an error that
//! leaves the machine as it was.
#![no_main]

#[path = "../../crates/vm/tests/common/mod.rs"]
mod common;

use borges_vm::Value;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut machine = common::medley_machine();
    common::begin(&mut machine, "main", &[Value::I32(3)]);
    let before = machine.save();
    let mut state = before[..12].to_vec();
    state.extend(bytes);
    match machine.load(&state) {
        Ok(()) => {
            assert_eq!(machine.frames().count(), machine.depth());
            common::run_anything(&mut machine, 5000);
        }
        Err(_) => assert!(machine.save() == before),
    }
});
