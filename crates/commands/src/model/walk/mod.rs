//! Walking through the multiverse of a model language.

pub mod render;
pub mod table;

pub use table::COMMANDS;
