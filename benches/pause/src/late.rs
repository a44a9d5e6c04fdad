//! Commands with a time limit: how long after it each has ended.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::Bench;
use crate::rows::Row;

/// What must hold: no command ends later than this after its limit, in ms.
const MOST: f64 = 500.0;

/// What takes `--time`, of device programs: its words before the program, and those behind it.
const OF_DEVICES: &[(&str, &[&str])] = &[
    ("bugs", &[]),
    ("bugs", &["--max-events", "2"]),
    ("paths", &["--max-paths", "1000000", "--max-inputs", "40"]),
    ("cover", &[]),
    ("reach", &["trap"]),
    ("why", &["trap"]),
    ("explore", &[]),
    ("explore", &["--split"]),
    ("check", &["G {1}"]),
];

/// Of programs of model languages.
const OF_MODELS: &[(&str, &[&str])] = &[
    ("explore", &["--states", "30000000"]),
    ("explore", &["--states", "30000000", "--forbid", "race"]),
    ("explore", &["--states", "30000000", "--traces", "--order", "depth"]),
    ("explore", &["--states", "30000000", "--reduction", "dpor"]),
    ("explore", &["--schedule", "pct:3", "--runs", "10000000"]),
    ("check", &["F {1 == 1}", "--states", "30000000"]),
];

/// Runs each command on each program with this limit, in seconds. A command that had ended before its limit says nothing,
/// but where it went on past it.
pub fn measure(bench: &Bench, limit: u64, print: &mut dyn FnMut(Row, (f64, f64))) -> Result<(), String> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut devices = programs(&root.join("crates/session/tests/futures_programs"))?;
    for folder in std::fs::read_dir(root.join("examples")).map_err(|e| e.to_string())? {
        devices.extend(programs(&folder.map_err(|e| e.to_string())?.path())?);
    }
    devices.sort();
    let models = ["withdrawals.at", "table.at", "endless.oz"].map(PathBuf::from);
    let of_devices = OF_DEVICES.iter().map(|row| (row, &devices[..]));
    let of_models = OF_MODELS.iter().map(|row| (row, &models[..]));
    for ((command, behind), programs) in of_devices.chain(of_models) {
        let name = [&[*command], *behind].concat().join(" ");
        if !bench.wants(&name) {
            continue;
        }
        let mut row = Row::new("process", name);
        late(bench, limit, (command, behind), programs, &mut row)?;
        print(row, (MOST, MOST));
    }
    Ok(())
}

/// Runs one command on each program.
fn late(
    bench: &Bench,
    limit: u64,
    (command, behind): (&str, &[&str]),
    programs: &[PathBuf],
    row: &mut Row,
) -> Result<(), String> {
    let seconds = limit.to_string();
    for program in programs {
        let program = program.display().to_string();
        let arguments = [&[command, &program], behind, &["--time", &seconds]].concat();
        let began = Instant::now();
        let status = bench.borges(&arguments).status().map_err(|e| e.to_string())?;
        if status.code() == Some(2) {
            return Err(format!("there is no such command: {}", arguments.join(" ")));
        }
        let past = began.elapsed().as_secs_f64() - limit as f64;
        if past < 0.0 {
            row.ended += 1;
            continue;
        }
        if past * 1e3 >= MOST {
            eprintln!("{}: {past:.2} s late", arguments.join(" "));
        }
        row.times.push(past * 1e3);
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
