//! What compilers produced: the examples and the benchmark kernels. They load, run, stop and go on;
//! mutated by the thousand, they are refused with an error that names a place, or run.

use std::path::Path;

use crate::common::{Random, run_anything};
use borges_vm::*;

use crate::smith;

/// Names and bytes of all modules in the repository.
fn modules() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    let mut folders = vec![root.join("examples"), root.join("benches/kernels")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("node_modules") {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "wasm")
            {
                let bytes = std::fs::read(&path).unwrap();
                found.push((path.display().to_string(), bytes));
            }
        }
    }
    found.sort();
    assert!(found.len() > 10);
    found
}

/// The first exported function that takes nothing, begun.
fn begun(module: &Shared<Module>) -> Option<Machine> {
    let mut machine = Machine::new(module.clone(), Limits::default()).ok()?;
    let func = module.exports().find_map(|export| match export.ty {
        ExternType::Func(ty) if ty.params.is_empty() => Some(FuncIdx(export.index)),
        _ => None,
    })?;
    machine.begin(func, &[]).ok()?;
    Some(machine)
}

#[test]
fn every_instruction_has_types_or_cannot_be_reached() {
    for (name, bytes) in modules() {
        let module = Module::new(&bytes, &Limits::default()).unwrap();
        let (mut typed, mut unreachable) = (0, 0);
        for func in module.funcs() {
            // The walk over a function is quadratic: some functions of each module will do.
            if (func.0 as usize).is_multiple_of(1 + module.funcs().count() / 16) {
                for at in module.instr_starts(func) {
                    assert_eq!(module.func_at(at), Some(func), "{name}");
                    match module.types_at(func, at) {
                        Some(_) => typed += 1,
                        None => unreachable += 1,
                    }
                }
            }
        }
        assert!(
            typed > unreachable,
            "{name}: {typed} typed, {unreachable} unreachable"
        );
    }
}

#[test]
fn they_stop_anywhere_and_go_on_elsewhere() {
    let mut random = Random::new(11);
    let mut ran = 0;
    for (name, bytes) in modules() {
        let module = Shared::new(Module::new(&bytes, &Limits::default()).unwrap());
        let Some(mut straight) = begun(&module) else {
            continue;
        };
        let Some(mut stopped) = begun(&module) else {
            continue;
        };
        run_anything(&mut straight, 300_000);
        while stopped.steps() < straight.steps() {
            let rest = straight.steps() - stopped.steps();
            run_anything(&mut stopped, (1 + random.below(60_000)).min(rest));
            let mut fresh = Machine::new(module.clone(), Limits::default()).unwrap();
            fresh.load(&stopped.save()).unwrap();
            stopped = fresh;
        }
        assert!(stopped.save() == straight.save(), "{name}");
        assert_eq!(stopped.hash(), straight.hash(), "{name}");
        ran += 1;
    }
    assert!(ran > 5);
}

#[test]
fn a_thousand_mutations() {
    let mut random = Random::new(12);
    let modules = modules();
    let (mut accepted, mut refused, mut ran) = (0, 0, 0);
    for round in 0..1000 {
        let (name, original) = &modules[round % modules.len()];
        let mut bytes = original.clone();
        random.mutate(&mut bytes);
        let theirs = smith::validate(&bytes);
        match Module::new(&bytes, &Limits::default()) {
            Ok(module) => {
                assert_eq!(theirs, Ok(()), "{name}, round {round}");
                accepted += 1;
                if let Some(mut machine) = begun(&Shared::new(module)) {
                    run_anything(&mut machine, 20_000);
                    ran += 1;
                }
            }
            Err(error) => {
                assert!(theirs.is_err(), "{name}, round {round}: {error}");
                assert!(error.offset.0 as usize <= bytes.len());
                assert!(error.to_string().contains("at byte"), "{error}");
                refused += 1;
            }
        }
    }
    println!("{accepted} accepted, {ran} ran, {refused} refused");
    assert!(accepted > 100 && ran > 20 && refused > 200);
}
