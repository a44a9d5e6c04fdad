//! How memory is shown: gdb's `NFU`, a count, a notation and a unit.

use borges_debuginfo::{Format, Number};

use crate::error::CommandError;
use crate::values::whole_characters;

/// Most units in one answer.
const MOST_UNITS: u32 = 4_096;
/// Longest text that is shown of memory.
const LONGEST_TEXT: usize = 256;

/// How memory is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) count: u32,
    /// Nothing for texts that end with a zero.
    format: Option<Format>,
    bytes: u32,
}

impl Layout {
    /// Reads `4xw` or any part of it: one word of four bytes in hexadecimal if nothing is said.
    pub(super) fn read(text: &str) -> Result<Layout, CommandError> {
        let letters = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = &text[..text.len() - letters.len()];
        let count = match digits.is_empty() {
            true => 1,
            false => digits.parse().unwrap_or(u32::MAX),
        };
        if count == 0 || count > MOST_UNITS {
            return Err(CommandError::Invalid(format!(
                "{digits} units: 1 to {MOST_UNITS} can be shown at once"
            )));
        }
        let mut layout = Layout {
            count,
            format: Some(Format::Hexadecimal),
            bytes: 4,
        };
        let mut sized = false;
        for letter in letters.chars() {
            match (letter, Format::of(letter)) {
                ('b', _) => (layout.bytes, sized) = (1, true),
                ('h', _) => (layout.bytes, sized) = (2, true),
                ('w', _) => (layout.bytes, sized) = (4, true),
                ('g', _) => (layout.bytes, sized) = (8, true),
                ('s', _) => layout.format = None,
                ('c', format) if !sized => (layout.format, layout.bytes) = (format, 1),
                (_, Some(format)) => layout.format = Some(format),
                ('i', _) => {
                    let text =
                        "instructions are not in the program's memory: 'disassemble' shows them";
                    return Err(CommandError::Invalid(text.to_owned()));
                }
                (other, None) => {
                    return Err(CommandError::Invalid(format!(
                        "'{other}' is neither a notation (x, d, u, t, o, c, f, s) nor a size (b, h, w, g): for example x/4xw"
                    )));
                }
            }
        }
        Ok(layout)
    }

    /// The unit at an address, and how many bytes it takes; nothing where memory ends.
    pub(super) fn unit(self, memory: &[u8], address: u32) -> Option<(String, u32)> {
        let rest = memory.get(address as usize..)?;
        let Some(format) = self.format else {
            let end = rest
                .iter()
                .take(LONGEST_TEXT + 1)
                .position(|byte| *byte == 0);
            let mut length = end.unwrap_or(rest.len().min(LONGEST_TEXT));
            if end.is_none() {
                length = whole_characters(&rest[..length]);
            }
            if length == 0 && end.is_none() {
                return None;
            }
            let text = String::from_utf8_lossy(&rest[..length]);
            let cut = if end.is_none() { "…" } else { "" };
            let bytes = length as u32 + u32::from(end.is_some());
            return Some((format!("{text:?}{cut}"), bytes));
        };
        let bytes = rest.get(..self.bytes as usize)?;
        let bits = 8 * self.bytes;
        let raw = bytes
            .iter()
            .rev()
            .fold(0_i128, |value, byte| value << 8 | i128::from(*byte));
        let text = format.number(Number::Int(raw), Some(bits));
        let text = match format {
            // As wide as the unit, so that columns are columns.
            Format::Hexadecimal => format!("{raw:#0width$x}", width = 2 + 2 * self.bytes as usize),
            Format::Binary => format!("{raw:#0width$b}", width = 2 + bits as usize),
            _ => text,
        };
        Some((text, self.bytes))
    }

    /// How many units stand on a line.
    pub(super) fn per_line(self) -> u32 {
        match (self.format, self.bytes) {
            (None, _) => 1,
            (Some(Format::Binary), bytes) => (8 / bytes).clamp(1, 4),
            (Some(_), 1 | 2) => 8,
            (Some(_), 4) => 4,
            _ => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_notations_and_sizes() {
        let read = |text: &str| Layout::read(text).map_err(|error| error.to_string());
        let plain = read("").unwrap();
        assert_eq!(
            (plain.count, plain.format, plain.bytes),
            (1, Some(Format::Hexadecimal), 4)
        );
        let four = read("4dh").unwrap();
        assert_eq!(
            (four.count, four.format, four.bytes),
            (4, Some(Format::Signed), 2)
        );
        assert_eq!(read("3c").unwrap().bytes, 1);
        assert_eq!(read("wc").unwrap().bytes, 4);
        assert_eq!(read("4096b").unwrap().count, 4_096);
        assert!(read("4097b").is_err() && read("0x").is_err() && read("99999999999x").is_err());
        assert!(read("2i").unwrap_err().contains("disassemble"));
        assert!(read("2q").unwrap_err().contains("'q'"));
    }

    #[test]
    fn units_end_where_memory_ends() {
        let memory = [1, 2, 3, 0xff, b'h', b'i', 0, b'x'];
        let words = Layout::read("xw").unwrap();
        assert_eq!(words.unit(&memory, 0), Some(("0xff030201".to_owned(), 4)));
        assert_eq!(words.unit(&memory, 4), Some(("0x78006968".to_owned(), 4)));
        assert_eq!(words.unit(&memory, 5), None);
        let texts = Layout::read("s").unwrap();
        assert_eq!(texts.unit(&memory, 4), Some(("\"hi\"".to_owned(), 3)));
        assert_eq!(texts.unit(&memory, 7), Some(("\"x\"…".to_owned(), 1)));
        assert_eq!(texts.unit(&memory, 8), None);
        let longest = |length: usize| {
            let text = [vec![b'x'; length], vec![0, b'y']].concat();
            texts.unit(&text, 0).unwrap()
        };
        assert_eq!(longest(256), (format!("\"{}\"", "x".repeat(256)), 257));
        assert_eq!(longest(257), (format!("\"{}\"…", "x".repeat(256)), 256));
        // No character is cut in two.
        let wide = [vec![b'x'; 255], "ßy".as_bytes().to_vec()].concat();
        let cut = (format!("\"{}\"…", "x".repeat(255)), 255);
        assert_eq!(texts.unit(&wide, 0), Some(cut));
        let signed = Layout::read("db").unwrap();
        assert_eq!(signed.unit(&memory, 3), Some(("-1".to_owned(), 1)));
    }
}
