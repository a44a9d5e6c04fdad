//! Any bytes: a module or an error that names a place, as another validator decides; a module that
//! loads also runs without panic.
#![no_main]

#[path = "../../crates/vm/tests/common/mod.rs"]
mod common;
#[path = "../../crates/vm/tests/smith/mod.rs"]
mod smith;

use borges_vm::{LoadCause, LoadError, Machine, Module, Shared, Value};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = smith::compare::limits();
    let ours = Module::new(bytes, &limits);
    let theirs = smith::validate(bytes);
    match (ours, theirs) {
        (
            Err(LoadError {
                cause: LoadCause::Limit(_),
                ..
            }),
            _,
        )
        | (Err(_), Err(_)) => {}
        (Ok(module), Ok(())) => run(Shared::new(module)),
        (ours, theirs) => panic!("{:?} and {theirs:?}", ours.map(|_| ())),
    }
});

fn run(module: Shared<Module>) {
    let Ok(mut machine) = Machine::new(module.clone(), borges_vm::Limits::small()) else {
        return;
    };
    for export in module.exports() {
        let borges_vm::ExternType::Func(ty) = export.ty else {
            continue;
        };
        let args: Vec<Value> = ty.params.iter().map(|ty| Value::default_of(*ty)).collect();
        if machine
            .begin(borges_vm::FuncIdx(export.index), &args)
            .is_ok()
        {
            common::run_anything(&mut machine, 10_000);
            machine.trap(borges_vm::Trap::Host);
        }
    }
}
