//! The read-eval-print loop: commands from a line editor, a file or standard input.

pub mod arguments;
pub mod backend;
pub mod cursor;
pub mod driver;
pub mod editor;
pub mod help;
pub mod interpreter;
pub mod session;
pub mod spec;
pub mod table;
mod watches;
