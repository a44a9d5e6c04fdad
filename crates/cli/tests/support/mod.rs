//! What several tests need: expectations kept in files (`UPDATE=1 cargo test` rewrites them), programs, boards.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test binary uses a part; a broken test may panic"
)]

pub(crate) mod board;
pub(crate) mod emulator;

use std::fs;
use std::path::{Path, PathBuf};

/// Compares `actual` with the file, or writes it if the variable UPDATE is set.
pub(crate) fn check(path: &Path, actual: &str) {
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, actual).unwrap();
        return;
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    if let Some((number, (want, got))) = expected
        .lines()
        .zip(actual.lines())
        .enumerate()
        .find(|(_, (want, got))| want != got)
    {
        panic!(
            "{}:{}: expected\n  {want}\nbut got\n  {got}\nUPDATE=1 accepts the new text, which is:\n{actual}",
            path.display(),
            number + 1
        );
    }
    assert_eq!(
        expected,
        actual,
        "{}: one is longer; UPDATE=1 accepts the new text",
        path.display()
    );
}

/// A folder beside the tests.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
    crates.ancestors().nth(2).unwrap().to_path_buf()
}

/// Files of a folder with this extension, sorted; at least one.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no test in {}", folder.display());
    files
}

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
