//! Lines and UTF-16 units, in which the protocol says places.

use borges_multiverse::language::Span;
use lsp_types::{Position, Range};

/// How many bytes lie between places of which the units before them are known.
const STRIDE: usize = 1024;

/// Where the lines of a text begin, and how many UTF-16 units come before some of its places: any other one is found without
/// walking through a line, however long it is.
#[derive(Debug)]
pub(crate) struct Lines {
    /// Each after `\n`, `\r\n` or a `\r` alone: the protocol's lines are not the languages'.
    starts: Vec<usize>,
    /// The units before every `STRIDE`-th byte, or the character that it is in.
    units: Vec<usize>,
}

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1));
        let mut units = vec![0];
        let (mut at, mut before) = (0, 0);
        while at + STRIDE <= text.len() {
            let (from, to) = (
                text.floor_char_boundary(at),
                text.floor_char_boundary(at + STRIDE),
            );
            before += utf16(&text[from..to]);
            units.push(before);
            at += STRIDE;
        }
        Self {
            starts: starts.collect(),
            units,
        }
    }

    /// The units before a byte of the text.
    fn before(&self, text: &str, offset: usize) -> usize {
        let nth = offset / STRIDE;
        let from = text.floor_char_boundary(nth * STRIDE);
        self.units.get(nth).copied().unwrap_or_default() + utf16(&text[from..offset.max(from)])
    }

    /// The place of a byte; the end of the text if it lies beyond, the start of the character if it lies within one.
    pub(crate) fn position(&self, text: &str, offset: u32) -> Position {
        let offset = text.floor_char_boundary(offset as usize);
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let column = self.before(text, offset) - self.before(text, self.starts[line]);
        // Texts are shorter than 2^32 bytes.
        Position::new(line as u32, column as u32)
    }

    pub(crate) fn range(&self, text: &str, span: Span) -> Range {
        let (start, end) = (
            self.position(text, span.start),
            self.position(text, span.end),
        );
        Range::new(start, end.max(start))
    }

    /// The byte at a place; the end of the line or of the text if it lies beyond, the start of the character if it lies
    /// within one.
    pub(crate) fn offset(&self, text: &str, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line) else {
            return text.len();
        };
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let end = start + text[*start..end].trim_end_matches(['\r', '\n']).len();
        let wanted = self.before(text, *start) + position.character as usize;
        let nth = self.units.partition_point(|units| *units <= wanted) - 1;
        let mut at = text.floor_char_boundary(nth * STRIDE).max(*start);
        if at >= end {
            return end;
        }
        let mut units = self.before(text, at);
        for c in text[at..end].chars() {
            if units + c.len_utf16() > wanted {
                break;
            }
            units += c.len_utf16();
            at += c.len_utf8();
        }
        at
    }
}

fn utf16(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn places_are_counted_in_utf16_units_and_lines_end_as_the_protocol_says() {
        let text = "λμ𝛌x\r\ny\rz\n";
        let lines = Lines::of(text);
        let at = |offset| {
            let Position { line, character } = lines.position(text, offset);
            (line, character)
        };
        let found = [0, 1, 2, 4, 8, 9, 11, 12, 13, 14, 15, 99].map(at);
        let expected = [
            (0, 0),
            (0, 0),
            (0, 1),
            (0, 2),
            (0, 4),
            (0, 5),
            (1, 0),
            (1, 1),
            (2, 0),
            (2, 1),
            (3, 0),
            (3, 0),
        ];
        assert_eq!(found, expected);
        let back = |line, character| lines.offset(text, Position::new(line, character));
        assert_eq!(
            [back(0, 2), back(0, 3), back(0, 4), back(0, 5)],
            [4, 4, 8, 9]
        );
        assert_eq!(
            [back(0, 6), back(0, u32::MAX), back(1, 9), back(2, 7)],
            [9, 9, 12, 14]
        );
        assert_eq!(
            [back(3, 0), back(3, 5), back(4, 0), back(u32::MAX, u32::MAX)],
            [15; 4]
        );
    }

    proptest! {
        #[test]
        fn every_place_leads_back(text in "[a-c\\r\\nλ𝛌]{0,60}", copies in 1..200_usize) {
            let text = text.repeat(copies);
            let lines = Lines::of(&text);
            let naive = |offset: usize| text[..offset].encode_utf16().count();
            for (offset, _) in text.char_indices().step_by(copies.max(1)) {
                prop_assert_eq!(lines.before(&text, offset), naive(offset));
                let position = lines.position(&text, offset as u32);
                let back = lines.offset(&text, position);
                // Within `\r\n` there is no place but the end of the line.
                let inside = text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
                prop_assert_eq!(back, offset - usize::from(inside));
            }
        }
    }
}
