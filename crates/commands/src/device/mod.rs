//! Sessions with a program on a device.

mod prompt;
pub mod render;
pub mod table;
mod watches;

pub use prompt::{Backend, SessionPrompt};
pub use table::COMMANDS;
