//! The terminal face: the `borges` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    borges_cli::main()
}
