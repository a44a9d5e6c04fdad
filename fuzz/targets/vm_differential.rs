//! A generated module: equal results, traps, memories, globals and tables in this machine, in this
//! machine stopped and saved at random steps, and in another interpreter.
#![no_main]

#[path = "../../crates/vm/tests/common/mod.rs"]
mod common;
#[path = "../../crates/vm/tests/smith/mod.rs"]
mod smith;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let seed = bytes
        .iter()
        .fold(1u64, |seed, byte| seed.rotate_left(5) ^ u64::from(*byte));
    smith::compare::compare(bytes, seed, &mut smith::compare::Compared::default());
});
