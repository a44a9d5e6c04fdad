//! The terminal face: the `borges` command.

use std::io::ErrorKind;
use std::process::ExitCode;

use borges_cli::args::Cli;
use borges_cli::exit::{Exit, Failure};
use borges_cli::output::Output;
use borges_cli::{action, interrupt, render};
use clap::Parser as _;
use serde_json::json;

fn main() -> ExitCode {
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
    action::tell(&render::error(message, next, &output.error_paint));
}
