//! Texts that are almost programs.

use borges_multiverse::random::Random;

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
