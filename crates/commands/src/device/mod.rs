//! Sessions with a program on a device.

mod backend;
mod host_file;
mod prompt;
pub mod render;
pub mod table;
mod watches;

pub use backend::Backend;
pub use prompt::SessionPrompt;
pub use table::COMMANDS;
