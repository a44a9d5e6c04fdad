//! All tests of this crate in one program, but for those that want one of their own: linked once, and long ones run beside
//! others.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests, outside `#[test]` functions"
)]

mod common;
mod smith;
#[cfg(feature = "exceptions")]
#[macro_use]
mod throwing;

mod debugging;
mod differential;
mod exceptions;
mod far;
mod host;
mod limits;
mod linking;
mod memories;
mod older_exceptions;
mod real_modules;
mod running;
mod states;
mod tail_calls;
mod vectors;
