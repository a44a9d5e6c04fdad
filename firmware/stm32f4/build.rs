//! Says where the chip's memory is.

fn main() {
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("Cargo says where the package is");
    println!("cargo::rustc-link-search={here}");
    // Functions that came out equal are kept once.
    println!("cargo::rustc-link-arg-bins=--icf=all");
    println!("cargo::rerun-if-changed=memory.x");
}
