//! What tests of whole sessions share: random programs and boards, a plain run to compare with, random commands.
//!
//! Everything follows from a seed, and a failure names it.

#![allow(dead_code, unreachable_pub)] // not every test uses all of it
#![allow(clippy::unwrap_used)] // helpers of tests, not tests themselves

pub mod board;
pub mod oracle;
pub mod program;
pub mod scenario;
pub mod seeds;
pub mod walk;
