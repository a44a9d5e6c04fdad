//! Voyager: the multiverse debugger for actors.

pub mod render;
pub mod table;

pub use table::COMMANDS;
