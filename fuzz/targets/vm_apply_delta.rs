//! Any bytes behind the names of program and base: the state that the difference names, or an
//! error that leaves the machine as it was.
#![no_main]

#[path = "../../crates/vm/tests/common/mod.rs"]
mod common;

use borges_vm::{Delta, Value};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((steps, bytes)) = bytes.split_first() else {
        return;
    };
    let mut machine = common::medley_machine();
    common::begin(&mut machine, "main", &[Value::I32(3)]);
    common::drive(&mut machine, u64::from(*steps) * 4);
    let before = machine.save();
    let snapshot = machine.snapshot(None);
    let delta = Delta::between(&snapshot, &snapshot).unwrap();
    let mut delta = delta.to_bytes()[..20].to_vec();
    delta.extend(bytes);
    match machine.apply(&Delta::from_bytes(&delta).unwrap()) {
        Ok(()) => common::run_anything(&mut machine, 5000),
        Err(_) => assert!(machine.save() == before),
    }
});
