//! Programs of model languages.

pub mod caredeb;
pub mod common;
pub mod questions;
pub mod voyager;
pub mod walk;

use crate::cursor::{Cursor, Misread};

/// A number that must be there and fits 32 bits.
fn number(cursor: &mut Cursor<'_>, what: &str) -> Result<u32, Misread> {
    if cursor.is_done() {
        return Err(cursor.missing(what));
    }
    let word = cursor.peek();
    let value = cursor.number(what)?;
    u32::try_from(value).map_err(|_| match word {
        Some(word) => Misread::of(word, "this number is too large"),
        None => cursor.missing(what),
    })
}
