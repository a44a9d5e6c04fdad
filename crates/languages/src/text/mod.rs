//! What the words of a program's text mean, for editors: one table, whatever the language.
//!
//! No language is read twice over for this. Its own parser, told to go on after a mistake (`Forgiving`), notes what it
//! binds and what it resolves (`Notes`); the words are those of its lexer.
//!
//! # Invariants
//! - A text is a program if and only if its [`Gloss`] has no faults, and else the first of them is the error that the
//!   language gives for it (`tests/gloss.rs`).
//! - Words follow one another as in the text, and each name leads to what the language resolves it to.

mod gloss;
mod meaning;
mod notes;

pub use gloss::{Explained, Gloss, Lexeme, Sense};
pub use meaning::{Kind, Meaning, MeaningId};
pub(crate) use notes::{Forgiving, Notes};
