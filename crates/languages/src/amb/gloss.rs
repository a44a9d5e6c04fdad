//! What editors are told about a text of λ_amb.

use super::parse::{Words, parse};
use crate::source;
use crate::text::{Explained, Gloss, Notes, Sense};

/// The words of λ_amb.
const EXPLAINED: &[Explained] = &[
    (
        "+",
        "`(+ e …)` is the sum of its operands, which are evaluated from left to right; `(+)` is 0.",
    ),
    (
        "amb",
        "`(amb e …)` becomes any of its operands, as it stands; `(amb)` is stuck.",
    ),
];

/// Reads a text, a program or not.
pub(crate) fn gloss(text: &str) -> Gloss {
    let words = Words { text, at: 0 }.map(|(start, word)| {
        let sense = match word {
            "(" | ")" | "+" => Sense::Sign,
            "amb" => Sense::Keyword,
            _ => Sense::Number,
        };
        (source::span(start, start + word.len()), sense)
    });
    Gloss::new(words, Notes::default(), EXPLAINED).with_faults(parse(text).err())
}
