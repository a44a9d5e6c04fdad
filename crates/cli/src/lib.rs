//! The terminal face of Borges: the `borges` command.
//!
//! Everything the command does goes through [`borges_session`] (device programs) or
//! [`borges_multiverse`] and [`borges_languages`] (model languages); this crate reads what is typed and
//! draws what comes back.

#![forbid(unsafe_code)]

mod action;
mod args;
mod exit;
mod flash;
mod interrupt;
mod output;
mod repl;
mod terminal;

use std::io::ErrorKind;
use std::process::ExitCode;

use borges_commands::message;
use clap::Parser as _;
use serde_json::json;

use args::Cli;
use exit::{Exit, Failure};
use output::Output;

/// The `borges` command, with the languages that were added ([`borges_languages::model::language::add`]).
#[must_use]
pub fn main() -> ExitCode {
    borges_session::network::add();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let exit = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Ok
            };
            // A reader of the help that went away is no failure.
            let _ = error.print();
            return exit.into();
        }
    };
    interrupt::install();
    let mut output = Output::new(&cli.global);
    match action::perform(&cli, &mut output) {
        Ok(exit) => exit.into(),
        Err(failure) => tell(&failure, &cli, &mut output).into(),
    }
}

/// Says why the command cannot go on: on standard error, with `--json` as an object on standard output too.
fn tell(failure: &Failure, cli: &Cli, output: &mut Output) -> Exit {
    match failure {
        // `borges … | head` has got what it wanted.
        Failure::Output(error) if error.kind() == ErrorKind::BrokenPipe => Exit::Ok,
        Failure::Output(error) => {
            complain(
                output,
                &format!("the output cannot be written: {error}"),
                "",
            );
            Exit::Device
        }
        Failure::Told {
            exit,
            message,
            next,
        } => {
            if cli.global.json {
                let object = json!({ "ok": false, "error": { "message": message, "next": next } });
                let _ = output.json(&object);
            } else {
                complain(output, message, next);
            }
            *exit
        }
    }
}

fn complain(output: &Output, message: &str, next: &str) {
    action::tell(&message::error(message, next, &output.error_paint));
}
