//! Says where the chip's memory is.

fn main() {
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("Cargo says where the package is");
    println!("cargo::rustc-link-search={here}");
    println!("cargo::rerun-if-changed=memory.x");
}
