//! Runs the preview 1 tests of a checkout of the public suite: `suite FOLDER`, where FOLDER has `tests/rust/testsuite`.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code)]

#[path = "../tests/disk/mod.rs"]
mod disk;
#[path = "../tests/embedding/mod.rs"]
mod embedding;

use borges_wasi::{Chosen, Output, Setup, Wants, World};
use std::path::{Path, PathBuf};
use std::{env, fs, process};

fn main() {
    let Some(folder) = env::args().nth(1) else {
        eprintln!("usage: suite FOLDER");
        process::exit(2);
    };
    let mut passed = 0;
    let mut missed = Vec::new();
    for wasm in programs(Path::new(&folder)) {
        match check(&wasm) {
            Ok(()) => passed += 1,
            Err(reason) => missed.push((wasm, reason)),
        }
    }
    for (wasm, reason) in &missed {
        println!("missed: {}: {reason}", wasm.display());
    }
    println!("passed {passed} of {}", passed + missed.len());
    process::exit(i32::from(!missed.is_empty() || passed == 0));
}

/// The programs of all languages.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for language in ["assemblyscript", "c", "rust"] {
        let programs = folder.join(format!("tests/{language}/testsuite/wasm32-wasip1"));
        let Ok(entries) = fs::read_dir(&programs) else {
            eprintln!("no folder {}", programs.display());
            continue;
        };
        found.extend(entries.map(|entry| entry.unwrap().path()).filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "wasm")
        }));
    }
    found.sort();
    found
}

/// Runs one program and compares what it leaves with what stands beside it.
fn check(wasm: &Path) -> Result<(), String> {
    let config = fs::read_to_string(wasm.with_extension("json")).unwrap_or("{}".to_string());
    let config: serde_json::Value =
        serde_json::from_str(&config).map_err(|error| error.to_string())?;
    let strings = |name: &str| {
        config[name]
            .as_array()
            .into_iter()
            .flatten()
            .map(|item| item.as_str().unwrap_or("").to_string())
    };
    let mut setup = Setup {
        arguments: [wasm.file_name().unwrap().to_string_lossy().to_string()]
            .into_iter()
            .chain(strings("args"))
            .collect(),
        ..Setup::default()
    };
    if let Some(variables) = config["env"].as_object() {
        let pairs = variables
            .iter()
            .map(|(name, value)| (name.clone(), value.as_str().unwrap_or("").to_string()));
        setup.environment = pairs.collect();
    }
    if let Some(root) = config["root"].as_str() {
        setup.folders = vec![("/".to_string(), disk::read(&wasm.with_file_name(root)))];
    }
    let mut world = World::new(&setup).map_err(|error| error.to_string())?;
    let ended = embedding::run(
        &fs::read(wasm).unwrap(),
        &mut world,
        |world, wants| match wants {
            // Time goes on.
            Wants::Time { .. } => Chosen::Later(1000),
            wants => world.usual(wants),
        },
    )?;
    let text = |output| String::from_utf8_lossy(&world.output(output).to_vec()).to_string();
    let code = config["exit_code"].as_u64().unwrap_or(0) as u32;
    if ended != embedding::Ended::Exit(code) {
        let said = text(Output::Error);
        return Err(format!(
            "{ended:?} instead of {code}: {}",
            said.lines().take(3).collect::<Vec<_>>().join(" ")
        ));
    }
    match config["stdout"].as_str() {
        Some(wanted) if wanted != text(Output::Standard) => {
            Err(format!("wrote {:?}", text(Output::Standard)))
        }
        _ => Ok(()),
    }
}
