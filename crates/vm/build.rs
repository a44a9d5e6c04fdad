//! Decides how the fast tier dispatches.

use std::env;

/// LLVM turns the calls that end handlers into jumps on these targets, when it optimises. On
/// others (Thumb without wide branches, for one) it does not, and the stack would overflow.
const TAIL_CALLING: [&str; 2] = ["x86_64", "aarch64"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(borges_tail_calls)");
    println!("cargo::rustc-check-cfg=cfg(borges_fast)");
    let variable = |name| env::var(name).unwrap_or_default();
    let feature = |name: &str| env::var_os(name).is_some();
    // Compiled code is read in pieces of words.
    let little = variable("CARGO_CFG_TARGET_ENDIAN") == "little";
    if !feature("CARGO_FEATURE_FAST") || !little {
        return;
    }
    println!("cargo::rustc-cfg=borges_fast");
    let optimised = matches!(variable("OPT_LEVEL").as_str(), "2" | "3");
    let tail_calling = TAIL_CALLING.contains(&variable("CARGO_CFG_TARGET_ARCH").as_str());
    if optimised && tail_calling && !feature("CARGO_FEATURE_PORTABLE_DISPATCH") {
        println!("cargo::rustc-cfg=borges_tail_calls");
    }
}
