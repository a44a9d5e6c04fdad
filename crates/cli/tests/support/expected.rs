//! Expectations kept in files; `UPDATE=1 cargo test` rewrites them. The tests of `commands` read theirs with it, too.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test binary uses a part; a broken test may panic"
)]

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
