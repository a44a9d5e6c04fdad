//! The read-eval-print loop: commands from a line editor, a file or standard input.

pub(crate) mod backend;
pub(crate) mod driver;
pub(crate) mod editor;
