//! All tests of this crate in one program, but for those that want one of their own: linked once, and long ones run beside
//! others.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests, outside `#[test]` functions"
)]

mod common;
#[path = "common/graphs.rs"]
mod graphs;
#[path = "common/runs.rs"]
mod runs;
#[path = "common/writer.rs"]
mod writer;

mod claims;
mod clocks;
mod events;
mod examples;
mod fills;
mod forever;
mod heap;
mod inputs;
mod interleaved;
mod limits;
mod prefixes;
mod programs;
mod random;
mod sent;
mod surveyed;
mod system;
mod system_states;
