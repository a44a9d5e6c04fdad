//! What a value holds: its parts, or a number.

use crate::variables::Object;

/// A number, as a condition sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Integers, letters, truth values, enumerators and addresses.
    Int(i128),
    /// Floats.
    Float(f64),
}

/// A part of a value: a field, an element, what it points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// The field's name, `[3]`, or `*`.
    pub name: String,
    /// The part.
    pub object: Object,
}

/// A number from its bytes, least significant first.
pub(crate) fn integer(bytes: &[u8], signed: bool) -> i128 {
    let raw = bytes
        .iter()
        .rev()
        .fold(0u128, |value, &byte| value << 8 | u128::from(byte));
    let unused = 128 - 8 * (bytes.len().clamp(1, 16) as u32);
    if signed {
        (raw << unused) as i128 >> unused
    } else {
        raw as i128
    }
}
