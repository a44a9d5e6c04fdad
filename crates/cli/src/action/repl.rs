//! `borges repl`: a session or a walk, at the prompt or with a script.

use std::path::Path;

use borges_languages::amb::Amb;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::repl::driver::{self, Commands};
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
    if has_extension(path, "amb") {
        let text = super::read_text(path)?;
        return amb(&text, &options.program, options, quiet, output);
    }
    Err(Failure::input(
        format!("'{program}' is no λ_amb expression and no .amb file"),
        "an expression begins with a parenthesis: borges repl '(+ (amb 1 2) 3)'",
    ))
}

/// Whether a file's name ends in `.extension`.
pub fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(extension))
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
