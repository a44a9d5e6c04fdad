//! The programs of the examples.

use std::path::Path;

use borges_languages::language;
use borges_languages::model::Dialect;

/// The programs of all examples.
pub(crate) fn examples() -> Vec<(&'static dyn Dialect, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut found = Vec::new();
    for folder in std::fs::read_dir(folder).unwrap() {
        let folder = folder.unwrap().path();
        let Ok(files) = std::fs::read_dir(folder) else {
            continue;
        };
        for file in files {
            let file = file.unwrap().path();
            if let Some(dialect) = language::of_path(file.to_str().unwrap()) {
                found.push((dialect, std::fs::read_to_string(file).unwrap()));
            }
        }
    }
    assert!(found.len() > 9, "the examples are elsewhere");
    found
}
