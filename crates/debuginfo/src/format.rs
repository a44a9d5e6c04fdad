//! Values in another notation than their type's own: what `print/x` and `x/4xw` show.

use std::fmt::Write as _;

use crate::DebugInfo;
use crate::child::Number;
use crate::expression::Evaluated;
use crate::place::Stopped;
use crate::show::float_text;
use crate::variables::Object;

/// A notation for numbers. Expressions read what it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `x`: the bits, in hexadecimal.
    Hexadecimal,
    /// `d`: the bits as a signed number.
    Signed,
    /// `u`: the bits as an unsigned number.
    Unsigned,
    /// `t`: the bits, in binary.
    Binary,
    /// `o`: the bits, in octal.
    Octal,
    /// `c`: the number and the letter that it is.
    Letter,
    /// `f`: the bits as a float of their width.
    Float,
}

/// Every format with its letter: gdb's.
const LETTERS: [(char, Format); 7] = [
    ('x', Format::Hexadecimal),
    ('d', Format::Signed),
    ('u', Format::Unsigned),
    ('t', Format::Binary),
    ('o', Format::Octal),
    ('c', Format::Letter),
    ('f', Format::Float),
];

/// Most elements or fields of one value that are written in a format.
const MAX_PARTS: u64 = 64;

/// Records inside records that are written in a format.
const MAX_DEPTH: u32 = 4;

impl Format {
    /// The format that a letter means.
    pub fn of(letter: char) -> Option<Format> {
        let found = LETTERS.iter().find(|(known, _)| *known == letter);
        found.map(|(_, format)| *format)
    }

    /// A number of so many bits in this notation; `None` bits of one that was computed.
    pub fn number(self, number: Number, bits: Option<u32>) -> String {
        let (raw, bits) = match number {
            Number::Int(value) => (value, bits.unwrap_or_else(|| width_of(value))),
            Number::Float(value) if bits == Some(32) => (i128::from((value as f32).to_bits()), 32),
            Number::Float(value) => (i128::from(value.to_bits()), 64),
        };
        let unused = 128 - bits.clamp(1, 128);
        let unsigned = (raw as u128) << unused >> unused;
        let signed = raw << unused >> unused;
        match self {
            Format::Hexadecimal => format!("{unsigned:#x}"),
            Format::Binary => format!("{unsigned:#b}"),
            Format::Octal => format!("{unsigned:#o}"),
            Format::Signed => signed.to_string(),
            Format::Unsigned => unsigned.to_string(),
            Format::Letter => match u32::try_from(unsigned).ok().and_then(char::from_u32) {
                Some(letter) => format!("{signed} {letter:?}"),
                None => signed.to_string(),
            },
            Format::Float => match (number, bits) {
                (Number::Float(value), _) => float_text(value),
                (_, 32) => float_text(f32::from_bits(unsigned as u32).into()),
                (_, 64) => float_text(f64::from_bits(unsigned as u64)),
                _ => float_text(signed as f64),
            },
        }
    }
}

/// The bits of a number that has no type: as many as the narrowest common type that holds it.
fn width_of(value: i128) -> u32 {
    let needed = match value {
        0.. => 128 - value.leading_zeros(),
        _ => 129 - value.leading_ones(),
    };
    [32, 64]
        .into_iter()
        .find(|bits| needed <= *bits)
        .unwrap_or(128)
}

impl DebugInfo {
    /// The result of an expression with its numbers in another notation; texts stay as they are.
    pub fn show_as(&self, value: &Evaluated, format: Format, state: &dyn Stopped) -> String {
        match value {
            Evaluated::Number(number) => format.number(*number, None),
            Evaluated::Pointer { address, .. } => {
                format.number(Number::Int((*address).into()), Some(32))
            }
            Evaluated::Text(_) => self.show_evaluated(value, state),
            Evaluated::Object(object) => self.object_as(object, format, state, MAX_DEPTH),
            Evaluated::Elements(objects) => {
                let parts = objects.iter();
                let parts = parts.map(|object| self.object_as(object, format, state, MAX_DEPTH));
                format!("[{}]", parts.collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn object_as(
        &self,
        object: &Object,
        format: Format,
        state: &dyn Stopped,
        depth: u32,
    ) -> String {
        match self.number(object, state) {
            Ok(Some(number)) => {
                let bits = match object.bits {
                    Some((_, width)) => width,
                    None => object.place.length().saturating_mul(8),
                };
                return format.number(number, Some(bits));
            }
            Ok(None) => {}
            Err(why) => return format!("<{why}>"),
        }
        let Some(depth) = depth.checked_sub(1) else {
            return "{…}".to_owned();
        };
        let parts = self.children(object, state, 0, MAX_PARTS);
        let elements = parts.iter().all(|part| part.name.starts_with('['));
        let (open, close) = if elements { ('[', ']') } else { ('{', '}') };
        let mut text = String::from(open);
        for (number, part) in parts.iter().enumerate() {
            let between = if number > 0 { ", " } else { "" };
            let name = if elements { "" } else { part.name.as_str() };
            let colon = if elements { "" } else { ": " };
            let value = self.object_as(&part.object, format, state, depth);
            let _ = write!(text, "{between}{name}{colon}{value}");
        }
        if self.child_count(object, state) > MAX_PARTS {
            text.push_str(", …");
        }
        text.push(close);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand_made::{array, field, info, nested, words};
    use crate::place::ValuePlace;
    use crate::types::{Type, TypeId};

    #[test]
    fn numbers_in_every_notation() {
        for (letter, value, bits, text) in [
            ('x', -1, Some(8), "0xff"),
            ('x', 255, None, "0xff"),
            ('x', -1, None, "0xffffffff"),
            ('x', -1 << 40, None, "0xffffff0000000000"),
            ('x', i128::MIN, None, "0x80000000000000000000000000000000"),
            ('d', 255, Some(8), "-1"),
            ('u', -1, Some(16), "65535"),
            ('t', 5, Some(8), "0b101"),
            ('o', 8, Some(32), "0o10"),
            ('c', 65, Some(8), "65 'A'"),
            ('c', 10, Some(8), "10 '\\n'"),
            ('c', -1, Some(32), "-1"),
            ('f', 0x3fc0_0000, Some(32), "1.5"),
            ('f', 3, Some(8), "3.0"),
        ] {
            let format = Format::of(letter).unwrap();
            assert_eq!(
                format.number(Number::Int(value), bits),
                text,
                "{letter} {value}"
            );
        }
        let half = Number::Float(0.5);
        assert_eq!(Format::Hexadecimal.number(half, Some(32)), "0x3f000000");
        assert_eq!(Format::Hexadecimal.number(half, None), "0x3fe0000000000000");
        assert_eq!(Format::Float.number(half, Some(32)), "0.5");
        assert_eq!(Format::of('i'), None);
    }

    fn shown(types: Vec<Type>, words_in_memory: usize) -> String {
        let info = info(types);
        let size = info.types().size(TypeId(1)).unwrap();
        let object = Object::new(TypeId(1), ValuePlace::memory(0, 0, size));
        let value = Evaluated::Object(object);
        info.show_as(
            &value,
            Format::Hexadecimal,
            &words(vec![7; words_in_memory]),
        )
    }

    #[test]
    fn parts_past_the_most_are_an_ellipsis() {
        let all = ["0x7"; MAX_PARTS as usize].join(", ");
        for (count, cut) in [(MAX_PARTS, ""), (MAX_PARTS + 1, ", …")] {
            let text = shown(vec![array(TypeId::WORD, count)], count as usize);
            assert_eq!(text, format!("[{all}{cut}]"));
        }
    }

    #[test]
    fn records_past_the_deepest_are_an_ellipsis() {
        for (count, inner) in [(MAX_DEPTH, "0x7"), (MAX_DEPTH + 1, "{…}")] {
            let text = shown(nested(count, "app", "Box", |ty| field("a", ty, 0)), 1);
            let depth = MAX_DEPTH as usize;
            assert_eq!(text, "{a: ".repeat(depth) + inner + &"}".repeat(depth));
        }
    }
}
