//! Tests over the example programs.

#![allow(clippy::unwrap_used)]

mod boards;
mod bombs;
mod common;
mod expressions;
mod fixtures;
mod golden;
mod hostile;
mod limits;
mod machine;
mod values;
