//! Says where the chip's memory is.

fn main() {
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("Cargo says where the package is");
    let target = std::env::var("TARGET").expect("Cargo says for what it builds");
    let chip = if target.starts_with("thumbv7em") {
        "stm32f4"
    } else {
        "pico"
    };
    println!("cargo::rustc-link-search={here}/{chip}");
    println!("cargo::rerun-if-changed={chip}/memory.x");
}
