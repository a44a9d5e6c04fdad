//! The subcommands.

pub(crate) mod ask;
pub(crate) mod board;
pub(crate) mod check;
mod claim;
pub(crate) mod dap;
pub(crate) mod debug;
pub(crate) mod devices;
mod examples;
pub(crate) mod explore;
pub(crate) mod flash;
pub(crate) mod format;
pub(crate) mod gdb;
pub(crate) mod import;
pub(crate) mod inspect;
pub(crate) mod lsp;
pub(crate) mod merge;
pub(crate) mod model;
pub(crate) mod paths;
#[cfg(feature = "queue")]
mod queue;
#[cfg(not(feature = "queue"))]
#[path = "no_queue.rs"]
mod queue;
pub(crate) mod record;
pub(crate) mod repl;
pub(crate) mod run;
mod run_model;
mod system;
pub(crate) mod target;
pub(crate) mod test;
mod worker;

use std::io::Write as _;
use std::path::Path;

use borges_session::OpenError;

use crate::args::{Action, Cli, Completions, Manual};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Does what the command line asks for.
pub(crate) fn perform(cli: &Cli, output: &mut Output) -> Result<Exit, Failure> {
    match &cli.action {
        Action::Debug(options) => debug::debug(options, output),
        Action::Gdb(options) => gdb::gdb(options, output),
        Action::Dap(options) => dap::dap(options, output),
        Action::Lsp(_) => lsp::lsp(),
        Action::Repl(options) => repl::repl(options, output),
        Action::Run(options) => match run_model::run(options, output)? {
            Some(exit) => Ok(exit),
            None => run::run(options, output),
        },
        Action::Record(options) => record::record(options, output),
        Action::Replay(options) => record::replay(options, output),
        Action::Import(options) => import::import(options, output),
        Action::Merge(options) => merge::merge(options, output),
        Action::Devices(options) => devices::devices(options, output),
        Action::Flash(options) => flash::flash(options, output),
        Action::Board(options) => board::board(options, output),
        Action::Explore(options) => explore::explore(options, output),
        Action::Worker(options) => match &options.queue {
            Some(address) => queue::work(options, address, output),
            None => worker::worker(options, output),
        },
        Action::Paths(options) => paths::paths(options, output),
        Action::Reach(options) => ask::reach(options, output),
        Action::Bugs(options) => ask::bugs(options, output),
        Action::Why(options) => ask::why(options, output),
        Action::Cover(options) => ask::cover(options, output),
        Action::Test(options) => test::test(options, output),
        Action::Inspect(options) => inspect::inspect(options, output),
        Action::Check(options) => check::check(options, output),
        Action::Format(options) => format::format(options, output),
        Action::Completions(options) => completions(options, output),
        Action::Manual(options) => manual(options, output),
    }
}

fn completions(options: &Completions, output: &mut Output) -> Result<Exit, Failure> {
    use clap::CommandFactory as _;
    let shell = options.shell;
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "borges", &mut script);
    output.text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}

fn manual(options: &Manual, output: &mut Output) -> Result<Exit, Failure> {
    use clap::CommandFactory as _;
    let folder = options.folder.as_path();
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    written.map_err(|error| {
        let path = folder.display();
        Failure::input(format!("{path} cannot be written to: {error}"), "")
    })?;
    let data = serde_json::json!({ "ok": true, "folder": folder });
    output.say(&data, |paint| {
        let page = folder.join("borges.1");
        format!("read them: man {}\n", paint.name(page.display()))
    })?;
    Ok(Exit::Ok)
}

pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| unread(path, &error))
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| unread(path, &error))
}

fn unread(path: &Path, error: &std::io::Error) -> Failure {
    Failure::input(format!("{} cannot be read: {error}", path.display()), "")
}

/// Writes to standard error, where nobody may listen.
pub(crate) fn tell(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Why a program does not open, and what to do.
pub(crate) fn unopened(error: &OpenError) -> Failure {
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

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        unopened(&error)
    }
}

/// Whether a file's name ends in `.extension`.
pub(crate) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Whether a file is an SQLite database, as session files are.
pub(crate) fn is_session(path: &Path) -> bool {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    let mut start = [0; 16];
    std::fs::File::open(path)
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start))
        .is_ok_and(|()| start == MAGIC)
}
