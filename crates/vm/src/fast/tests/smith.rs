//! The tiers on generated modules.

use super::*;
use wasm_smith::Config;

/// Modules import functions only.
const IMPORTS: &str = r#"(module
    (import "env" "a" (func (param i32) (result i32)))
    (import "env" "b" (func (param i64 f32) (result f64)))
    (import "env" "c" (func (param f64 i32 i64)))
    (import "env" "d" (func (result i64 i32))))"#;

fn generate(random: &mut Random, bytes: &mut Vec<u8>) -> Option<Vec<u8>> {
    bytes.clear();
    let words = 100 + random.below(900);
    bytes.extend((0..words).flat_map(|_| random.next().to_le_bytes()));
    let config = Config {
        available_imports: Some(wat::parse_str(IMPORTS).unwrap()),
        max_imports: 4,
        min_funcs: 1,
        max_funcs: 8,
        max_instructions: 400,
        max_memories: if cfg!(feature = "memories") { 3 } else { 1 },
        max_memory32_bytes: 1 << 18,
        max_table_elements: 64,
        max_tables: 3,
        export_everything: true,
        allow_start_export: true,
        // Without traps programs run longer.
        disallow_traps: random.below(3) > 0,
        canonicalize_nans: false,
        exceptions_enabled: cfg!(feature = "exceptions") && random.below(2) == 0,
        extended_const_enabled: true,
        gc_enabled: false,
        memory64_enabled: cfg!(feature = "memory64") && random.below(3) == 0,
        max_memory64_bytes: 1 << 18,
        relaxed_simd_enabled: true,
        simd_enabled: true,
        tail_call_enabled: true,
        threads_enabled: false,
        wide_arithmetic_enabled: false,
        compact_imports_enabled: false,
        ..Config::default()
    };
    let mut unstructured = arbitrary::Unstructured::new(bytes);
    Some(
        wasm_smith::Module::new(config, &mut unstructured)
            .ok()?
            .to_bytes(),
    )
}

/// Whether something catches exceptions.
fn has_clauses(module: &Module) -> bool {
    #[cfg(feature = "exceptions")]
    return !module.catch_labels().is_empty();
    #[cfg(not(feature = "exceptions"))]
    false
}

/// What came of holding the tiers against each other.
#[derive(Debug, Default)]
struct Held {
    stops: u64,
    hits: u64,
    watched: u64,
    modules: u64,
    runs: u64,
    finished: u64,
    trapped: u64,
    /// Modules that catch exceptions.
    throwing: u64,
}

/// Holds the tiers against each other in so many modules and at so many stops, at least.
fn hold(seed: u64, stops: u64, modules: u64, with_breakpoints: bool) -> Held {
    let limits = Limits {
        memory_pages: 12,
        stack_slots: 2000,
        call_depth: 200,
        ..Limits::default()
    };
    let mut random = Random::new(seed);
    let mut bytes = Vec::new();
    let mut held = Held::default();
    while held.stops < stops || held.modules < modules {
        let Some(wasm) = generate(&mut random, &mut bytes) else {
            continue;
        };
        let name = std::format!("module {}", held.modules);
        let Some(mut pair) = Pair::new(&wasm, limits, &name) else {
            continue;
        };
        held.modules += 1;
        if with_breakpoints {
            pair = pair.debugged();
        }
        let module = pair.both.module().unwrap().clone();
        for func in module.funcs().skip(module.imported_funcs() as usize) {
            let types = &module.func_type(func).unwrap().params;
            let args: Vec<Value> = types.iter().map(|ty| random.value(*ty)).collect();
            let gap = if random.below(4) == 0 { 1 << 40 } else { 2048 };
            if with_breakpoints {
                pair.scatter(&mut random);
            }
            match pair.call(func, &args, &mut random, gap, 5_000) {
                Some(Outcome::Finished(_)) => held.finished += 1,
                Some(Outcome::Trapped(_)) => held.trapped += 1,
                Some(Outcome::Exited(_)) | None => {}
            }
        }
        held.throwing += u64::from(has_clauses(&module));
        held.runs += pair.both.fast.runs;
        held.stops += pair.stops;
        held.hits += pair.hits;
        held.watched += pair.watched;
    }
    println!("{held:?}");
    assert!(held.runs > 10_000 && held.finished > 500 && held.trapped > 100);
    assert!(cfg!(not(feature = "exceptions")) || held.throwing > 100);
    held
}

#[test]
fn tiers_agree_on_generated_modules() {
    let held = hold(3, 60_000, 1500, false);
    assert_eq!(held.hits, 0);
}

#[test]
fn tiers_stop_at_the_same_breakpoints_of_generated_modules() {
    let held = hold(6, 60_000, 700, true);
    assert!(held.hits > 10_000 && held.watched > 100);
}
