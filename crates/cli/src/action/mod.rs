//! The subcommands.

pub mod ask;
pub mod board;
pub mod check;
mod claim;
pub mod debug;
pub mod devices;
pub mod explore;
pub mod flash;
pub mod format;
pub mod import;
pub mod inspect;
pub mod model;
pub mod paths;
pub mod record;
pub mod repl;
pub mod run;
mod run_model;
mod system;
pub mod target;
pub mod test;

use std::io::Write as _;
use std::path::Path;

use borges_session::OpenError;

use crate::args::{Action, Cli, Completions, Shell};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Does what the command line asks for.
///
/// # Errors
/// What the user is told.
pub fn perform(cli: &Cli, output: &mut Output) -> Result<Exit, Failure> {
    match &cli.action {
        Action::Debug(options) => debug::debug(options, output),
        Action::Repl(options) => repl::repl(options, cli.global.quiet, output),
        Action::Run(options) => match run_model::run(options, output)? {
            Some(exit) => Ok(exit),
            None => run::run(options, cli.global.quiet, output),
        },
        Action::Record(options) => record::record(options, cli.global.quiet, output),
        Action::Replay(options) => record::replay(options, cli.global.quiet, output),
        Action::Import(options) => import::import(options, cli.global.quiet, output),
        Action::Devices(options) => devices::devices(options, output),
        Action::Flash(options) => flash::flash(options, output),
        Action::Board(options) => board::board(options, output),
        Action::Explore(options) => explore::explore(options, cli.global.quiet, output),
        Action::Paths(options) => paths::paths(options, cli.global.quiet, output),
        Action::Reach(options) => ask::reach(options, cli.global.quiet, output),
        Action::Bugs(options) => ask::bugs(options, cli.global.quiet, output),
        Action::Why(options) => ask::why(options, cli.global.quiet, output),
        Action::Cover(options) => ask::cover(options, cli.global.quiet, output),
        Action::Test(options) => test::test(options, output),
        Action::Inspect(options) => inspect::inspect(options, output),
        Action::Check(options) => check::check(options, cli.global.quiet, output),
        Action::Format(options) => format::format(options, output),
        Action::Completions(options) => completions(options, output),
    }
}

fn completions(options: &Completions, output: &mut Output) -> Result<Exit, Failure> {
    use clap::CommandFactory as _;
    use clap_complete::{Shell as Kind, generate};
    let shell = match options.shell {
        Shell::Bash => Kind::Bash,
        Shell::Elvish => Kind::Elvish,
        Shell::Fish => Kind::Fish,
        Shell::Powershell => Kind::PowerShell,
        Shell::Zsh => Kind::Zsh,
    };
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "borges", &mut script);
    output.text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}

/// Reads a text file.
///
/// # Errors
/// A message with the file's name.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::input(format!("{} cannot be read: {error}", path.display()), ""))
}

/// Writes to standard error, where nobody may listen.
pub fn tell(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Why a program does not open, and what to do.
pub fn unopened(error: &OpenError) -> Failure {
    let next = match error {
        OpenError::File { path, .. } if has_extension(path, "ts") || has_extension(path, "c") => {
            "give the compiled .wasm file, not its source"
        }
        OpenError::Module { .. } => {
            "'borges inspect' and 'borges repl' need a WebAssembly module (.wasm)"
        }
        error if error.is_about_entries() => {
            "--entry NAME calls one; several are called in their order: --entry 'at = alloc(5)' --entry 'parse(at, 5)'"
        }
        _ => "",
    };
    Failure::input(error, next)
}

/// Whether a file's name ends in `.extension`.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Whether a file is an SQLite database, as session files are.
pub fn is_session(path: &Path) -> bool {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    let mut start = [0; 16];
    std::fs::File::open(path)
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start))
        .is_ok_and(|()| start == MAGIC)
}
