//! Generated modules, and the engines that they are compared with.

pub(crate) mod compare;

use arbitrary::Unstructured;
use borges_vm::{Machine, Trap, ValType, Value};
use wasmi::{Engine, Extern, Instance, Linker, Nullable, Store, Val};

use crate::common::Random;
use compare::{Ended, answer_to};

/// The functions that generated modules may import.
const IMPORTS: &str = r#"(module
    (import "env" "f0" (func))
    (import "env" "f1" (func (param i32) (result i32)))
    (import "env" "f2" (func (param i64 f64) (result f64)))
    (import "env" "f3" (func (param f32) (result i64 f32)))
    (import "env" "f4" (func (result i32))))"#;

/// Bytes to generate a module from.
pub(crate) fn random_bytes(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed.wrapping_add(1));
    let length = 500 + random.below(4000);
    (0..length).map(|_| random.next() as u8).collect()
}

/// A module that ends, of about a hundred instructions a function, with vectors or without; `None` if the generator ran
/// out of bytes.
pub(crate) fn generate(bytes: &[u8], vectors: bool) -> Option<Vec<u8>> {
    let config = wasm_smith::Config {
        available_imports: Some(wat::parse_str(IMPORTS).unwrap()),
        export_everything: true,
        max_exports: 40,
        max_funcs: 12,
        max_instructions: 150,
        max_tables: 3,
        max_table_elements: 200,
        table_max_size_required: true,
        // Several take their time to be made and saved.
        max_memories: if bytes.len().is_multiple_of(4) { 3 } else { 1 },
        max_memory32_bytes: 5 << 16,
        memory_max_size_required: true,
        min_funcs: 1,
        acquire_release_atomics_enabled: false,
        compact_imports_enabled: false,
        custom_page_sizes_enabled: false,
        exceptions_enabled: false,
        extended_const_enabled: true,
        gc_enabled: false,
        // Of every second one of them memories and tables may have addresses of 64 bits.
        memory64_enabled: bytes.len().is_multiple_of(2),
        max_memory64_bytes: 5 << 16,
        relaxed_simd_enabled: vectors,
        shared_everything_threads_enabled: false,
        simd_enabled: vectors,
        tail_call_enabled: true,
        threads_enabled: false,
        wide_arithmetic_enabled: false,
        ..wasm_smith::Config::default()
    };
    let mut module = wasm_smith::Module::new(config, &mut Unstructured::new(bytes)).ok()?;
    module.ensure_termination(2000).ok()?;
    Some(module.to_bytes())
}

/// What wasmparser says of the WebAssembly that is ours.
pub(crate) fn validate(bytes: &[u8]) -> Result<(), String> {
    use wasmparser::WasmFeatures;
    let features = WasmFeatures::WASM2
        | WasmFeatures::RELAXED_SIMD
        | WasmFeatures::EXTENDED_CONST
        | WasmFeatures::TAIL_CALL
        | WasmFeatures::EXCEPTIONS
        | WasmFeatures::LEGACY_EXCEPTIONS
        | WasmFeatures::MULTI_MEMORY
        | WasmFeatures::MEMORY64;
    let mut validator = wasmparser::Validator::new_with_features(features);
    validator
        .validate_all(bytes)
        .map(|_| ())
        .map_err(|error| error.to_string())
}

/// A module in wasmi.
pub(crate) struct Reference {
    store: Store<u64>,
    instance: Instance,
}

impl Reference {
    /// Instantiates it and runs its start function; an error is the trap, if it is one.
    pub(crate) fn new(bytes: &[u8]) -> Result<Reference, Option<Trap>> {
        let mut config = wasmi::Config::default();
        config
            .set_max_recursion_depth(20_000)
            .set_max_stack_height(64 << 20);
        let engine = Engine::new(&config);
        let module = wasmi::Module::new(&engine, bytes).unwrap();
        let mut store = Store::new(&engine, 0u64);
        let mut linker = Linker::new(&engine);
        for (number, import) in module.imports().enumerate() {
            let Some(ty) = import.ty().func().cloned() else {
                continue;
            };
            let results: Vec<ValType> = ty.results().iter().map(|ty| ty_of(*ty)).collect();
            linker.allow_shadowing(true);
            linker
                .func_new(
                    import.module(),
                    import.name(),
                    ty,
                    move |mut caller, args, out| {
                        let args: Vec<Value> = args.iter().map(value).collect();
                        let calls = caller.data_mut();
                        let answer = answer_to(number as u32, &args, &results, *calls);
                        *calls += 1;
                        for (slot, value) in out.iter_mut().zip(answer) {
                            *slot = val(value);
                        }
                        Ok(())
                    },
                )
                .unwrap();
        }
        match linker.instantiate_and_start(&mut store, &module) {
            Ok(instance) => Ok(Reference { store, instance }),
            Err(error) => Err(error.as_trap_code().map(trap)),
        }
    }

    pub(crate) fn call(&mut self, name: &str, args: &[Value]) -> Ended {
        let func = self.instance.get_func(&self.store, name).unwrap();
        let mut results: Vec<Val> = func
            .ty(&self.store)
            .results()
            .iter()
            .map(|ty| Val::default_for_ty(*ty))
            .collect();
        let args: Vec<Val> = args.iter().copied().map(val).collect();
        match func.call(&mut self.store, &args, &mut results) {
            Ok(()) => Ended::Values(results.iter().map(value).collect()),
            Err(error) => match error.as_trap_code() {
                Some(code) => Ended::Trap(trap(code)),
                None => panic!("{error}"),
            },
        }
    }

    /// Compares memory, exported globals and tables.
    pub(crate) fn compare_state(&mut self, machine: &Machine, context: &str) {
        let exports: Vec<_> = self
            .instance
            .exports(&self.store)
            .map(|export| (export.name().to_owned(), export.into_extern()))
            .collect();
        let module = machine.module().unwrap();
        let index = |name: &str| {
            let mut exports = module.exports();
            exports.find(|export| export.name == name).unwrap().index
        };
        for (name, found) in exports {
            match found {
                Extern::Memory(memory) => {
                    assert!(
                        Some(memory.data(&self.store)) == machine.memory_at(index(&name)),
                        "memory, {context}"
                    );
                }
                Extern::Global(global) => {
                    let ours = machine
                        .exported_global(borges_vm::InstanceId(0), &name)
                        .unwrap();
                    assert_eq!(
                        null_or_not(ours),
                        value(&global.get(&self.store)),
                        "{context}"
                    );
                }
                Extern::Table(table) => {
                    let ours = machine.table(index(&name));
                    assert_eq!(
                        ours.len() as u64,
                        table.size(&self.store),
                        "table, {context}"
                    );
                    for (at, ours) in ours.into_iter().enumerate() {
                        let theirs = Val::from(table.get(&self.store, at as u64).unwrap());
                        assert_eq!(null_or_not(ours), value(&theirs), "table, {context}");
                    }
                }
                Extern::Func(_) => {}
            }
        }
    }
}

/// References to functions cannot be compared but for being null.
fn null_or_not(value: Value) -> Value {
    match value {
        Value::FuncRef(func) => Value::FuncRef(func.map(|_| 0)),
        other => other,
    }
}

fn value(val: &Val) -> Value {
    match val {
        Val::I32(v) => Value::I32(*v),
        Val::I64(v) => Value::I64(*v),
        Val::F32(v) => Value::F32(v.to_bits()),
        Val::F64(v) => Value::F64(v.to_bits()),
        Val::FuncRef(Nullable::Null) => Value::FuncRef(None),
        Val::FuncRef(_) => Value::FuncRef(Some(0)),
        Val::ExternRef(Nullable::Null) => Value::ExternRef(None),
        Val::V128(v) => Value::V128(v.as_u128().to_le_bytes()),
        other => panic!("{other:?}"),
    }
}

fn val(value: Value) -> Val {
    match value {
        Value::I32(v) => Val::I32(v),
        Value::I64(v) => Val::I64(v),
        Value::F32(bits) => Val::F32(wasmi::F32::from_bits(bits)),
        Value::F64(bits) => Val::F64(wasmi::F64::from_bits(bits)),
        Value::FuncRef(_) => Val::FuncRef(Nullable::Null),
        Value::ExternRef(_) => Val::ExternRef(Nullable::Null),
        Value::V128(bytes) => Val::V128(u128::from_le_bytes(bytes).into()),
        Value::ExnRef(_) => unreachable!("modules that are compared have no exceptions"),
    }
}

fn ty_of(ty: wasmi::ValType) -> ValType {
    match ty {
        wasmi::ValType::I32 => ValType::I32,
        wasmi::ValType::I64 => ValType::I64,
        wasmi::ValType::F32 => ValType::F32,
        wasmi::ValType::F64 => ValType::F64,
        wasmi::ValType::FuncRef => ValType::FuncRef,
        wasmi::ValType::ExternRef => ValType::ExternRef,
        wasmi::ValType::V128 => ValType::V128,
    }
}

fn trap(code: wasmi::TrapCode) -> Trap {
    use wasmi::TrapCode;
    match code {
        TrapCode::UnreachableCodeReached => Trap::Unreachable,
        TrapCode::MemoryOutOfBounds => Trap::MemoryOutOfBounds,
        TrapCode::TableOutOfBounds => Trap::TableOutOfBounds,
        TrapCode::IndirectCallToNull => Trap::UninitializedElement,
        TrapCode::IntegerDivisionByZero => Trap::DivideByZero,
        TrapCode::IntegerOverflow => Trap::IntegerOverflow,
        TrapCode::BadConversionToInteger => Trap::InvalidConversion,
        TrapCode::StackOverflow => Trap::StackOverflow,
        TrapCode::BadSignature => Trap::IndirectCallType,
        other => panic!("{other:?}"),
    }
}
