//! Which feature of newer WebAssembly makes a module one that the VM cannot run.
//!
//! The VM only says that it does not know something: a device has no words for more.

use wasmparser::{Parser, Validator, WasmFeatures};

/// A feature that the VM does not have: what it is called, and how to build without it.
struct Feature {
    flag: WasmFeatures,
    name: &'static str,
    instead: &'static str,
}

/// Those that compilers use today; where a module needs several, in this order.
const FEATURES: [Feature; 5] = [
    Feature {
        flag: WasmFeatures::THREADS,
        name: "threads (atomics, shared memory)",
        instead: "clang: no -pthread, -mno-atomics; rustc: -C target-feature=-atomics; asc: --disable threads",
    },
    Feature {
        flag: WasmFeatures::GC,
        name: "garbage collection (structs and arrays)",
        instead: "asc: --disable gc; languages whose objects are these have no other way",
    },
    Feature {
        flag: WasmFeatures::FUNCTION_REFERENCES,
        name: "typed function references",
        instead: "wasm-opt: --disable-gc --disable-reference-types",
    },
    Feature {
        flag: WasmFeatures::CUSTOM_PAGE_SIZES,
        name: "memory pages of another size (custom-page-sizes)",
        instead: "clang: no --page-size",
    },
    Feature {
        flag: WasmFeatures::WIDE_ARITHMETIC,
        name: "128-bit arithmetic (wide-arithmetic)",
        instead: "clang: -mno-wide-arithmetic; rustc: -C target-feature=-wide-arithmetic",
    },
];

/// What the VM has.
const HERE: WasmFeatures = WasmFeatures::WASM2
    .union(WasmFeatures::RELAXED_SIMD)
    .union(WasmFeatures::EXTENDED_CONST)
    .union(WasmFeatures::TAIL_CALL)
    .union(WasmFeatures::EXCEPTIONS)
    .union(WasmFeatures::LEGACY_EXCEPTIONS)
    .union(WasmFeatures::MULTI_MEMORY)
    .union(WasmFeatures::MEMORY64);

/// What a module needs that the VM does not have, and what to do about it; nothing if that is not why it is refused.
pub(crate) fn newer(bytes: &[u8]) -> Option<String> {
    if Parser::is_component(bytes) {
        return Some(
            "this is a component, which wraps modules: build a core module (rustc: --target wasm32-wasip1 for a program \
             of WASI, wasm32-unknown-unknown for one of a board), or take the module out (wasm-tools component unbundle)"
                .to_owned(),
        );
    }
    let is_valid = |features| {
        Validator::new_with_features(features)
            .validate_all(bytes)
            .is_ok()
    };
    let all = FEATURES
        .iter()
        .fold(HERE, |all, feature| all | feature.flag);
    // If all of them do not help, or none is needed, it is something else.
    if !is_valid(all) || is_valid(HERE) {
        return None;
    }
    // One after the other is left out where that does no harm: the rest is needed.
    let mut needed = all;
    for feature in &FEATURES {
        if is_valid(needed & !feature.flag) {
            needed &= !feature.flag;
        }
    }
    let needed = FEATURES
        .iter()
        .filter(|feature| needed.contains(feature.flag));
    let told: Vec<String> = needed
        .map(|feature| format!("{} (build without: {})", feature.name, feature.instead))
        .collect();
    Some(format!(
        "the module uses what came after WebAssembly 2.0: {}",
        told.join("; ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Option<String> {
        newer(&wat::parse_str(text).expect("a module"))
    }

    #[test]
    fn the_feature_is_named_and_nothing_else() {
        for (text, name) in [
            ("(module (memory 1 2 shared))", "threads"),
            ("(module (type (struct (field i32))))", "garbage collection"),
            (
                "(module (type $t (func)) (func (param (ref $t))))",
                "typed function references",
            ),
            ("(module (memory 1 (pagesize 1)))", "custom-page-sizes"),
            (
                "(module (func (param i64 i64) (result i64 i64) (i64.mul_wide_s (local.get 0) (local.get 1))))",
                "wide-arithmetic",
            ),
            ("(component)", "component"),
        ] {
            let told = named(text).unwrap_or_default();
            assert!(told.contains(name), "{text}: {told}");
            let others = FEATURES
                .iter()
                .filter(|other| told.contains(other.name))
                .count();
            assert!(others <= 1, "{text}: {told}");
        }
        let both = "(module (memory 1 1 shared) (type (struct (field i32))))";
        let told = named(both).unwrap_or_default();
        assert!(
            told.contains("threads") && told.contains("garbage collection"),
            "{told}"
        );
    }

    #[test]
    fn what_is_wrong_otherwise_names_no_feature() {
        assert_eq!(named("(module (memory 1))"), None);
        let ours = "(module (global i32 (i32.add (i32.const 1) (i32.const 2))) (func $f (return_call $f)))";
        assert_eq!(named(ours), None);
        assert_eq!(named("(module (func (result i32)))"), None);
        assert_eq!(newer(b"\0asm\x01\0\0\0\x01"), None);
        assert_eq!(newer(b"hello"), None);
    }
}
