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
