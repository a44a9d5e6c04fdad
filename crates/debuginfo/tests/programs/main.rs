//! Tests over the example programs.

#![allow(clippy::unwrap_used)]

mod boards;
mod common;
mod expressions;
mod golden;
mod hostile;
mod machine;
