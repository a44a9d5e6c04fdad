//! Voyager: the multiverse debugger for actors.

mod prompt;
mod render;
mod table;

pub use prompt::VoyagerPrompt;
pub use table::COMMANDS;
