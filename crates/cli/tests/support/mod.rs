//! What several tests need: expectations kept in files, programs, boards.

#![allow(
    dead_code,
    unused_imports,
    clippy::unwrap_used,
    reason = "each test binary uses a part; a broken test may panic"
)]

pub(crate) mod board;
pub(crate) mod emulator;
mod expected;

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use expected::{check, files, folder, root};

/// An example program.
pub(crate) fn example(name: &str) -> PathBuf {
    let folder = root().join("examples").join(name);
    folder.join(name).with_extension("wasm")
}

/// A file of a test's own, which is not there yet.
pub(crate) fn fresh(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _was_there = fs::remove_file(&path);
    path
}

/// A program in the text format, as a file.
pub(crate) fn program(name: &str, text: &str) -> PathBuf {
    let path = fresh(name);
    fs::write(&path, wat::parse_str(text).unwrap()).unwrap();
    path
}
