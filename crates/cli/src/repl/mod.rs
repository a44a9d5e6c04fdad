//! The read-eval-print loop: commands from a line editor, a file or standard input.

pub mod backend;
pub mod driver;
pub mod editor;
