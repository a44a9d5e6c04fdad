//! Decides how the fast tier dispatches.

use std::env;

/// LLVM turns the calls that end handlers into jumps on these architectures, when it optimises (for
/// size as well). On others it does not, and the stack would overflow. The workspace has this crate
/// optimised in tests, too.
const TAIL_CALLING: [&str; 2] = ["x86_64", "aarch64"];

/// The same for targets whose names begin so: Thumb with wide branches, as the Cortex-M0 does not have them.
const TAIL_CALLING_THUMB: [&str; 2] = ["thumbv7", "thumbv8m.main"];

/// Targets where inline assembler is stable, among those that a VM is for.
const ASSEMBLING: [&str; 6] = ["x86", "x86_64", "arm", "aarch64", "riscv32", "riscv64"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(borges_tail_calls)");
    println!("cargo::rustc-check-cfg=cfg(borges_dispatch_everywhere)");
    println!("cargo::rustc-check-cfg=cfg(borges_fast)");
    println!("cargo::rustc-check-cfg=cfg(borges_aligned_accesses)");
    let variable = |name| env::var(name).unwrap_or_default();
    let feature = |name: &str| env::var_os(name).is_some();
    // Compiled code is read in pieces of words.
    let little = variable("CARGO_CFG_TARGET_ENDIAN") == "little";
    if !feature("CARGO_FEATURE_FAST") || !little {
        return;
    }
    println!("cargo::rustc-cfg=borges_fast");
    // Of the targets that a VM is for, these cores have no unaligned accesses.
    if variable("TARGET").starts_with("thumbv6m") {
        println!("cargo::rustc-cfg=borges_aligned_accesses");
    }
    let level = variable("OPT_LEVEL");
    if matches!(level.as_str(), "0" | "1") {
        return;
    }
    let arch = variable("CARGO_CFG_TARGET_ARCH");
    let thumb = |name: &&str| variable("TARGET").starts_with(name);
    let jumps = TAIL_CALLING.contains(&arch.as_str()) || TAIL_CALLING_THUMB.iter().any(thumb);
    if jumps && !feature("CARGO_FEATURE_PORTABLE_DISPATCH") {
        println!("cargo::rustc-cfg=borges_tail_calls");
    }
    // When size counts, one dispatch will do.
    if matches!(level.as_str(), "s" | "z") {
        return;
    }
    if ASSEMBLING.contains(&arch.as_str()) {
        println!("cargo::rustc-cfg=borges_dispatch_everywhere");
    }
}
