//! `borges repl`: a session or a walk, at the prompt or with a script.

use std::path::Path;

use borges_languages::amb::Amb;
use borges_session::{Options, Session, contents};

use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::repl::driver::{self, Commands};
use crate::repl::session::SessionRepl;
use crate::walk::WalkRepl;

/// Debugs a program.
///
/// # Errors
/// What the user is told.
pub fn repl(options: &args::Repl, quiet: bool, output: &mut Output) -> Result<Exit, Failure> {
    let program = options.program.trim();
    if program.starts_with('(') {
        return amb(program, program, options, quiet, output);
    }
    let path = Path::new(&options.program);
    if super::has_extension(path, "amb") {
        let text = super::read_text(path)?;
        return amb(&text, &options.program, options, quiet, output);
    }
    let session = open(path, options)?;
    let primitives = contents::of_program(session.program_path(), options.start.board.as_deref())
        .map(|contents| {
            contents
                .imports
                .into_iter()
                .map(|import| import.name)
                .collect()
        })
        .unwrap_or_default();
    let commands = Commands::of(options)?;
    let repl = SessionRepl::new(session, primitives, quiet);
    driver::run(repl, commands, options.keep_going, output)
}

/// A new session, or one that is in a file already.
fn open(path: &Path, options: &args::Repl) -> Result<Session, Failure> {
    if !path.exists() {
        return Err(Failure::input(
            format!("there is no file {}", path.display()),
            "give a WebAssembly module, a session file, or a λ_amb expression in parentheses",
        ));
    }
    if super::is_session(path) {
        return super::record::resume(path);
    }
    if let Some(file) = options.session.as_deref().filter(|file| file.exists()) {
        return go_on(file, path);
    }
    let device =
        match &options.device {
            None => None,
            Some(address) => Some(address.parse().map_err(
                |error: borges_session::AddressError| {
                    Failure::usage(error.to_string(), "see `borges repl --help`")
                },
            )?),
        };
    let session = Options {
        device,
        board: options.start.board.clone(),
        entry: options.start.entry.clone(),
        session_file: options.session.clone(),
        seed: options.start.seed,
        ..Options::new(path)
    };
    Session::open(session).map_err(|error| super::unopened(&error))
}

/// Goes on with the session in `file`, which must be one of `program`.
fn go_on(file: &Path, program: &Path) -> Result<Session, Failure> {
    let session = super::record::resume(file)?;
    let kept = session.program_path();
    let same = match (kept.canonicalize(), program.canonicalize()) {
        (Ok(kept), Ok(program)) => kept == program,
        _ => kept == program,
    };
    if same {
        return Ok(session);
    }
    Err(Failure::usage(
        format!("{} keeps a session with {}", file.display(), kept.display()),
        "give another file to --session, or leave the program out: borges repl FILE",
    ))
}

fn amb(
    text: &str,
    name: &str,
    options: &args::Repl,
    quiet: bool,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let program = parse_amb(text)?;
    let commands = Commands::of(options)?;
    let walk = WalkRepl::new(program, text.to_string(), name.to_string(), quiet);
    driver::run(walk, commands, options.keep_going, output)
}

/// Parses λ_amb.
///
/// # Errors
/// The place of the mistake, shown.
pub fn parse_amb(text: &str) -> Result<Amb, Failure> {
    Amb::parse(text).map_err(|error| {
        Failure::input(
            format!(
                "this is no λ_amb program\n{}",
                error.explain(text).trim_end()
            ),
            "expressions are numbers, (+ …) and (amb …)",
        )
    })
}
