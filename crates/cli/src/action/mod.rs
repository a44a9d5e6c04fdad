//! The subcommands.

pub mod check;
pub mod repl;

use std::path::Path;

use crate::args::{Action, Cli, Completions, Shell};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Does what the command line asks for.
///
/// # Errors
/// What the user is told.
pub fn perform(cli: &Cli, output: &mut Output) -> Result<Exit, Failure> {
    match &cli.action {
        Action::Repl(options) => repl::repl(options, cli.global.quiet, output),
        Action::Check(options) => check::check(options, output),
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
