//! Tests over the example programs.

#![allow(clippy::unwrap_used)]

mod common;
mod expressions;
mod golden;
mod hostile;
