//! Commands with a time limit: how long after it each has ended.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::Bench;
use crate::rows::Row;

/// What must hold: no command ends later than this after its limit, in ms.
const MOST: f64 = 500.0;

/// What takes `--time`: its words before the program, and those behind it.
const COMMANDS: &[(&str, &[&str])] = &[
    ("bugs", &[]),
    ("paths", &["--max-paths", "1000000", "--depth", "100"]),
    ("cover", &[]),
    ("reach", &["trap"]),
    ("why", &["trap"]),
    ("explore", &[]),
];

/// Runs each command on each program with this limit, in seconds. A command that had ended before its limit says nothing,
/// but where it went on past it.
pub fn measure(bench: &Bench, limit: u64, print: &mut dyn FnMut(Row, (f64, f64))) -> Result<(), String> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut programs = programs(&root.join("crates/session/tests/futures_programs"))?;
    for folder in std::fs::read_dir(root.join("examples")).map_err(|e| e.to_string())? {
        programs.extend(self::programs(&folder.map_err(|e| e.to_string())?.path())?);
    }
    programs.sort();
    let seconds = limit.to_string();
    for (command, behind) in COMMANDS {
        let name = format!("{command} --time {limit}");
        if !bench.wants(&name) {
            continue;
        }
        let mut row = Row::new("process", name);
        for program in &programs {
            let program = program.display().to_string();
            let arguments = [&[*command, &program], *behind, &["--time", &seconds]].concat();
            let began = Instant::now();
            bench.borges(&arguments).status().map_err(|e| e.to_string())?;
            let past = began.elapsed().as_secs_f64() - limit as f64;
            if past < 0.0 {
                row.ended += 1;
                continue;
            }
            if past * 1e3 >= MOST {
                eprintln!("{command} {program}: {past:.2} s late");
            }
            row.times.push(past * 1e3);
        }
        print(row, (MOST, MOST));
    }
    Ok(())
}

/// The modules in a folder; none in a file.
fn programs(folder: &Path) -> Result<Vec<PathBuf>, String> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let files = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let files = files.filter_map(|file| file.ok().map(|file| file.path()));
    Ok(files
        .filter(|file| file.extension().is_some_and(|e| e == "wasm"))
        .collect())
}
