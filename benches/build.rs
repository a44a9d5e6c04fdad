//! Compiles wasm3 if its sources are there (`./wasm3.sh` fetches them).

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo::rustc-check-cfg=cfg(wasm3)");
    println!("cargo::rerun-if-env-changed=WASM3_DIR");
    println!("cargo::rerun-if-changed=.wasm3");
    let sources = env::var_os("WASM3_DIR").map_or_else(|| PathBuf::from(".wasm3"), PathBuf::from);
    if !sources.join("wasm3.h").exists() {
        println!("cargo::warning=wasm3 is left out: run ./wasm3.sh to fetch its sources");
        return;
    }
    let mut build = cc::Build::new();
    build
        .opt_level(3)
        .flag("-march=native")
        .flag("-fomit-frame-pointer")
        .flag("-fno-stack-protector")
        .define("NDEBUG", None)
        .define("d_m3RecordBacktraces", "0")
        .warnings(false)
        .include(&sources)
        .file("src/engines/wasm3.c");
    for entry in fs::read_dir(&sources).expect("the directory was just found").flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        // The host interfaces (WASI and the like) are not needed and want headers of their own.
        if path.extension().is_some_and(|e| e == "c") && !name.starts_with("m3_api") {
            build.file(path);
        }
    }
    build.compile("wasm3");
    println!("cargo::rerun-if-changed=src/engines/wasm3.c");
    println!("cargo::rustc-cfg=wasm3");
    let compiler = cc::Build::new().get_compiler();
    let version = compiler
        .to_command()
        .arg("-dumpfullversion")
        .output()
        .map(|o| o.stdout)
        .unwrap_or_default();
    println!(
        "cargo::rustc-env=WASM3_COMPILER={} {}",
        compiler.path().display(),
        String::from_utf8_lossy(&version).trim()
    );
}
