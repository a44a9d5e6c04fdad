//! Each kernel once, on the VM alone.
#![no_std]
#![no_main]

extern crate alloc;

mod emulated;

use borges_vm::{Exit, Limits, Machine, Module, Outcome, Shared, Value};

use crate::emulated::{begin, end, result};

/// A kernel's bytes.
macro_rules! kernel {
    ($name:literal) => {
        include_bytes!(concat!("../../../benches/kernels/", $name, ".wasm"))
    };
}

/// The kernels, which do their work once: the same as in `wasm3.c`.
const KERNELS: [&[u8]; 7] = [
    kernel!("fib"),
    kernel!("prime"),
    kernel!("crc32"),
    kernel!("quicksort"),
    kernel!("sha256"),
    kernel!("indirect"),
    kernel!("machine"),
];

#[cortex_m_rt::entry]
fn main() -> ! {
    emulated::start();
    KERNELS.into_iter().for_each(run);
    emulated::stop()
}

fn run(bytes: &[u8]) {
    let limits = Limits::small();
    let module = Module::new(bytes, &limits).expect("the kernel is a module");
    let run = module.exported_func("run").expect("a kernel exports it");
    let mut machine = Machine::new(Shared::new(module), limits).expect("the kernel fits");
    machine
        .begin(run, &[Value::I32(1)])
        .expect("it takes a number");
    begin();
    let exit = machine.run(u64::MAX);
    end(true);
    assert_eq!(exit, Exit::Finished, "the kernel ends");
    let Some(Outcome::Finished(results)) = machine.outcome() else {
        panic!("a kernel has a checksum");
    };
    let Some(Value::I32(sum)) = results.first() else {
        panic!("a checksum is an i32");
    };
    result(*sum as u32, machine.steps());
}
