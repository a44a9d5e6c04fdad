//! Presses Pause and Ctrl-C at random moments of every long command of every face, and measures how long it takes until
//! the command has ended and said what it has.
//!
//! With `--time S` it presses nothing, but gives commands a limit and measures how long after it they have ended.
//!
//! Everything is pressed on the real command: a prompt at a (pseudo-)terminal, a page's socket, processes with SIGINT.

mod late;
mod oneshot;
mod page;
mod prompt;
mod rows;

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use rows::{Commands, Row};

const USAGE: &str = "usage: pause [--borges FILE] [--presses N] [--seed N] [--only TEXT] [--time S]
  --borges FILE  the command to press (default: ../target/release/borges)
  --presses N    how often, for each row (default 200)
  --seed N       of the moments (default 1)
  --only TEXT    only rows whose name contains this
  --time S       instead of presses: each command on each program with this limit, in seconds";

/// What must hold: the median and the 99th percentile, in ms.
const MOST: (f64, f64) = (20.0, 100.0);

/// Where this run keeps its files, and what it presses.
pub struct Bench {
    borges: PathBuf,
    folder: PathBuf,
    presses: usize,
    only: String,
    rng: fastrand::Rng,
}

impl Bench {
    /// The command, away from the user's own sessions.
    fn borges(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.borges);
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env("XDG_STATE_HOME", &self.folder)
            .env("BORGES_HISTORY", "")
            .env("TERM", "dumb")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn wants(&self, row: &str) -> bool {
        row.contains(&self.only)
    }

    /// A moment within the first `most` of a command.
    fn moment(&mut self, most: Duration) -> Duration {
        most.mul_f64(self.rng.f64())
    }
}

/// Writes the programs, and records the session that is looked at.
fn prepare(bench: &Bench) -> Result<(), String> {
    let write = |name: &str, bytes: &[u8]| std::fs::write(bench.folder.join(name), bytes).map_err(|e| e.to_string());
    write(
        "recording.wasm",
        include_bytes!("../../session/programs/recording.wasm"),
    )?;
    write("forever.wasm", FOREVER)?;
    write("withdrawals.at", include_bytes!("../programs/withdrawals.at"))?;
    write("table.at", include_bytes!("../../../examples/math-actor/math.at"))?;
    write("endless.oz", include_bytes!("../programs/endless.oz"))?;
    let recorded = bench
        .borges(&["record", "recording.wasm", "--output", "recording.borges"])
        .status();
    match recorded
        .map_err(|e| format!("{}: {e}", bench.borges.display()))?
        .success()
    {
        true => Ok(()),
        false => Err("the recording could not be made".into()),
    }
}

/// `(module (func (export "main") (loop (br 0))))`
const FOREVER: &[u8] = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x07\x08\x01\x04main\0\0\
\x0a\x09\x01\x07\0\x03\x40\x0c\0\x0b\x0b";

fn run() -> Result<bool, String> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/release/borges");
    let (mut borges, mut presses, mut seed, mut only) = (PathBuf::from(default), 200, 1, String::new());
    let mut limit = None;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value\n{USAGE}"))?;
        let number = || {
            value
                .parse::<u64>()
                .map_err(|_| format!("{word} needs a number\n{USAGE}"))
        };
        match word.as_str() {
            "--borges" => borges = PathBuf::from(&value),
            "--presses" => presses = number()? as usize,
            "--seed" => seed = number()?,
            "--only" => only = value,
            "--time" => limit = Some(number()?),
            _ => return Err(format!("unknown: {word}\n{USAGE}")),
        }
    }
    let borges = borges
        .canonicalize()
        .map_err(|e| format!("{}: {e}; build it first: cargo build --release", borges.display()))?;
    let folder = std::env::temp_dir().join(format!("borges-pause-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let mut bench = Bench {
        borges,
        folder,
        presses,
        only,
        rng: fastrand::Rng::with_seed(seed),
    };
    prepare(&bench)?;
    println!(
        "| face | command | presses | median, ms | 99 %, ms | longest, ms | ended before |\n|---|---|---:|---:|---:|---:|---:|"
    );
    let mut kept = true;
    if let Some(limit) = limit {
        late::measure(&bench, limit, &mut |row, most| kept &= row.print(most))?;
    } else {
        let commands = Commands::all(&bench);
        let mut print = |row: Row| kept &= row.print(MOST);
        prompt::press(&mut bench, &commands.prompt, &mut print)?;
        page::press(&mut bench, &commands.page, &mut print)?;
        oneshot::press(&mut bench, &commands.processes, &mut print)?;
    }
    let _left_behind = std::fs::remove_dir_all(&bench.folder);
    Ok(kept)
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!(
                "some commands take longer than {} ms (median) or {} ms (99 %), or end half a second past their limit",
                MOST.0, MOST.1
            );
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
