//! Texts of programs, and texts that are almost programs.

use std::path::Path;

use borges_languages::language;
use borges_languages::model::Dialect;
use borges_multiverse::random::Random;

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

/// A text with a few of its words gone, doubled, or written elsewhere, and now and then cut, or with something strange.
pub(crate) fn damaged(text: &str, random: &mut Random) -> String {
    let mut words: Vec<&str> = text
        .split_inclusive(|c: char| !c.is_alphanumeric())
        .collect();
    for _ in 0..=random.below(3) {
        if words.is_empty() {
            break;
        }
        let (at, other) = (random.below(words.len()), random.below(words.len()));
        match random.below(7) {
            0 | 1 => drop(words.remove(at)),
            2 => words.insert(at, words[other]),
            3 => words.swap(at, other),
            4 => words.truncate(at),
            5 => words.insert(
                at,
                ["λ", "𝛌 ", "\"", "/*", "{", "}", ";", " end ", "(", "|", "?"][random.below(11)],
            ),
            _ => words[at] = words[other],
        }
    }
    words.concat()
}
