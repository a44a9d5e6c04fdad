//! Programs of model languages.

pub mod caredeb;
pub mod common;
pub mod questions;
pub mod voyager;
pub mod walk;
