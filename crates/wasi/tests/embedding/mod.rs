//! The smallest embedding: a machine and a world.

use borges_vm::{Exit, Limits, Machine, Module, Outcome, Shared, Trap, Value, Write};
use borges_wasi::{Called, Chosen, Preview, Wants, WasiImport, World};

/// How a program ended.
#[derive(Debug, PartialEq)]
pub enum Ended {
    /// With a code; 0 if its entry returned.
    Exit(u32),
    /// With a trap.
    Trapped(String),
}

/// Runs a program's `_start` over a world until it ends; `choose` answers what the world wants to know.
pub fn run(
    wasm: &[u8],
    world: &mut World,
    choose: impl FnMut(&World, &Wants) -> Chosen,
) -> Result<Ended, String> {
    run_from(wasm, world, choose, &mut |_, _| None)
}

/// The same; `look` sees every call before it is answered, and may choose something for it.
pub fn run_from(
    wasm: &[u8],
    world: &mut World,
    mut choose: impl FnMut(&World, &Wants) -> Chosen,
    look: &mut dyn FnMut(&World, WasiImport) -> Option<Chosen>,
) -> Result<Ended, String> {
    let module =
        Shared::new(Module::new(wasm, &Limits::default()).map_err(|error| error.to_string())?);
    let imports: Vec<_> = module
        .imports()
        .map(|import| {
            WasiImport::find(import.module, import.name)
                .ok_or_else(|| format!("no import {}.{}", import.module, import.name))
        })
        .collect::<Result<_, _>>()?;
    let start = module.exported_func("_start").ok_or("no _start")?;
    let mut machine = Machine::new(module, Limits::default()).map_err(|error| error.to_string())?;
    machine
        .begin(start, &[])
        .map_err(|error| error.to_string())?;
    loop {
        match machine.run(u64::MAX) {
            Exit::HostCall => {}
            Exit::Finished => {
                assert_eq!(machine.outcome(), Some(&Outcome::Finished(Vec::new())));
                return Ok(Ended::Exit(0));
            }
            exit => return Ok(Ended::Trapped(format!("{exit:?}"))),
        }
        let pending = machine.pending().ok_or("no call")?;
        let import = imports[pending.func.0 as usize];
        let args: Vec<u64> = pending.args.iter().map(|value| cell(*value)).collect();
        let mut chosen = look(world, import);
        let answer = loop {
            let called = world.call(import, &args, &machine.memory(), chosen.as_ref());
            match called.map_err(|misuse| misuse.to_string())? {
                Called::Answer(answer) => break answer,
                Called::Exit(code) => {
                    machine.exit(code);
                    return Ok(Ended::Exit(code));
                }
                Called::Trap(pointer) => {
                    machine.trap(Trap::Host);
                    return Ok(Ended::Trapped(pointer.to_string()));
                }
                Called::Wants(wants) => chosen = Some(choose(world, &wants)),
            }
        };
        let writes = answer.writes.into_iter().map(|write| Write {
            address: write.address,
            bytes: write.bytes,
        });
        let result = Value::I32(i32::from(answer.errno.code()));
        machine
            .answer_with(&[result], &writes.collect::<Vec<_>>())
            .map_err(|error| error.to_string())?;
    }
}

fn cell(value: Value) -> u64 {
    match value {
        Value::I32(number) => u64::from(number as u32),
        Value::I64(number) => number as u64,
        _ => 0,
    }
}

/// True if every import of WASI that a module has is called with the types it has here.
pub fn types_agree(wasm: &[u8]) -> bool {
    use borges_vm::{ExternType, ValType};
    use borges_wasi::WasmType;
    let same = |ours: &[WasmType], theirs: &[ValType]| {
        ours.len() == theirs.len()
            && ours.iter().zip(theirs).all(|pair| {
                matches!(
                    pair,
                    (WasmType::I32, ValType::I32) | (WasmType::I64, ValType::I64)
                )
            })
    };
    let module = Module::new(wasm, &Limits::default()).unwrap();
    module.imports().all(
        |import| match (WasiImport::find(import.module, import.name), import.ty) {
            (
                Some(WasiImport {
                    preview: Preview::One,
                    function,
                }),
                ExternType::Func(ty),
            ) => same(function.params(), &ty.params) && same(function.results(), &ty.results),
            _ => false,
        },
    )
}
