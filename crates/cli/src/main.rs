//! The terminal face: the `borges` command.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// States go from thread to thread and are freed where they were not made, in their millions: this one takes that lightly.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    borges_cli::main()
}
