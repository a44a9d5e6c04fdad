//! All tests of this crate in one program, but for those that want one of their own: linked once, and long ones run beside
//! others.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests, outside `#[test]` functions"
)]

mod common;
#[path = "common/found.rs"]
mod found;
#[path = "common/threads.rs"]
mod threads;

mod adapt;
mod causality;
mod graph;
mod refine;
mod schedules;
mod survey;
mod survey_among;
mod temporal;
mod tree_drawing;
mod tree_model;
mod undo;
mod walk;
mod workers;
