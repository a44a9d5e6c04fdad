//! A program of a test, as a file.

use std::path::{Path, PathBuf};

/// Writes a module that is given as text into a folder; where it is.
pub(crate) fn written(folder: &Path, text: &str) -> PathBuf {
    let program = folder.join("program.wasm");
    let module = wat::parse_str(text).expect("valid text");
    std::fs::write(&program, module).expect("written");
    program
}
