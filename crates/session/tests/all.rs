//! All tests of this crate in one program, but for those that want one of their own: linked once, and long ones run beside
//! others.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests, outside `#[test]` functions"
)]

#[path = "support/asking.rs"]
mod asking;
mod hostile_queue;
mod support;
#[path = "support/written.rs"]
mod written;

mod board_limits;
mod bugs;
mod cable;
mod claims;
mod cores;
mod device_surveys;
mod entries;
mod expand;
mod files;
mod fills;
mod futures;
mod headless;
mod hostile;
mod imports;
mod laws;
mod limits;
mod networks;
mod opening;
mod pause;
mod picture;
mod played;
mod running;
mod same;
mod smoke;
mod states;
mod wasi;
mod wasi_errors;
mod wasi_files;
mod wasi_paths;
mod wasi_states;
mod wire;
