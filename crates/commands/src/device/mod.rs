//! Sessions with a program on a device.

pub mod render;
pub mod table;

pub use table::COMMANDS;
