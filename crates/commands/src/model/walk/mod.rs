//! Walking through the multiverse of a model language.

mod prompt;
mod render;
mod table;

pub use prompt::WalkPrompt;
pub use table::COMMANDS;
