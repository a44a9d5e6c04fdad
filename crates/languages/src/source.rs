//! Places in source texts, as people name and see them.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use borges_multiverse::language::Span;

/// A place in a text, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column in characters.
    pub column: u32,
}

/// Why a text is no program, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError<K> {
    /// What is wrong.
    pub kind: K,
    /// Where.
    pub span: Span,
}

/// A place of a text. Texts of programs are shorter than 2^32 bytes.
pub(crate) const fn span(start: usize, end: usize) -> Span {
    Span {
        start: start as u32,
        end: end as u32,
    }
}

/// What is wrong with the word that is read, and where in the rest of the text.
type Wrong<K> = (K, Range<usize>);

/// The words of a text with comments as in C, each with its place; the last is `end`. `read` is given the rest of the text
/// and its first character, and says how long the word is; `open_comment` is what is wrong where a comment has no end.
pub(crate) fn tokens<'t, T, K>(
    text: &'t str,
    end: T,
    open_comment: K,
    read: impl Fn(&'t str, char) -> Result<(T, usize), Wrong<K>>,
) -> Result<Vec<(T, Span)>, ParseError<K>> {
    let mut tokens = Vec::new();
    let at = push_tokens(text, 0, &mut tokens, open_comment, read)?;
    tokens.push((end, span(at, at)));
    Ok(tokens)
}

/// As [`tokens`], but a line with something that is no word is passed by from there on, and so is a comment without an end;
/// and the first mistake.
pub(crate) fn most_tokens<'t, T, K: Clone>(
    text: &'t str,
    end: T,
    open_comment: K,
    read: impl Fn(&'t str, char) -> Result<(T, usize), Wrong<K>>,
) -> (Vec<(T, Span)>, Option<ParseError<K>>) {
    let (mut tokens, mut first, mut at) = (Vec::new(), None, 0);
    while let Err(fault) = push_tokens(text, at, &mut tokens, open_comment.clone(), &read) {
        let from = fault.span.start as usize;
        let is_comment = text[from..].starts_with("/*");
        let line = text[from..].find('\n').filter(|_| !is_comment);
        at = line.map_or(text.len(), |length| from + length);
        first.get_or_insert(fault);
    }
    tokens.push((end, span(text.len(), text.len())));
    (tokens, first)
}

/// Reads the words from a place on, and says where the text ends after the last.
fn push_tokens<'t, T, K>(
    text: &'t str,
    mut at: usize,
    tokens: &mut Vec<(T, Span)>,
    open_comment: K,
    read: impl Fn(&'t str, char) -> Result<(T, usize), Wrong<K>>,
) -> Result<usize, ParseError<K>> {
    loop {
        let rest = text[at..].trim_start();
        at = text.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            return Ok(at);
        };
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            let Some(length) = rest.find("*/") else {
                return Err(ParseError::at(open_comment, at..at + 2));
            };
            at += length + 2;
        } else {
            let (token, length) = read(rest, first)
                .map_err(|(kind, place)| ParseError::at(kind, at + place.start..at + place.end))?;
            tokens.push((token, span(at, at + length)));
            at += length;
        }
    }
}

/// What is open at a place, if the text ends there: the last word that opens something which is not closed.
pub(crate) fn still_open<T>(
    text: &str,
    at: Span,
    tokens: &[(T, Span)],
    opens: impl Fn(&T) -> bool,
    closes: impl Fn(&T) -> bool,
) -> Option<Span> {
    if !text.get(at.start as usize..)?.trim().is_empty() {
        return None;
    }
    let mut stack = Vec::new();
    for (token, span) in tokens {
        if opens(token) {
            stack.push(*span);
        } else if closes(token) {
            stack.pop();
        }
    }
    stack.pop()
}

/// What can be wrong with a text.
pub trait Fault: fmt::Debug + fmt::Display + Send + Sync {
    /// What is open at the place, if the text ends there and something must close it first.
    fn opener(&self, text: &str, at: Span) -> Option<Span> {
        let _ = (text, at);
        None
    }
}

/// What is wrong in words, for a language that has no kinds of mistakes.
impl Fault for String {}

impl<K: Fault + ?Sized> Fault for Arc<K> {
    fn opener(&self, text: &str, at: Span) -> Option<Span> {
        (**self).opener(text, at)
    }
}

impl<K> ParseError<K> {
    pub(crate) fn at(kind: K, place: Range<usize>) -> Self {
        let span = span(place.start, place.end);
        Self { kind, span }
    }
}

impl<K: Fault> ParseError<K> {
    /// The error with its line, column and a caret under the place, and the place of what was never
    /// closed; `text` is what was parsed.
    #[must_use]
    pub fn explain(&self, text: &str) -> String {
        let at = |span: Span, what: &dyn fmt::Display| {
            let Position { line, column } = position(text, span.start);
            format!("{line}:{column}: {what}\n{}", underline(text, span))
        };
        let opener = self.kind.opener(text, self.span);
        let open = opener.map(|opener| at(opener, &"this is still open"));
        at(self.span, &self.kind) + &open.unwrap_or_default()
    }
}

/// Where the lines of a text begin, after the first.
pub(crate) fn line_starts(text: &str) -> Box<[u32]> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    // Texts of programs are shorter than 2^32 bytes.
    ends.map(|(at, _)| at as u32 + 1).collect()
}

/// The line of a place, from 1.
pub(crate) fn line_of(starts: &[u32], span: Span) -> u32 {
    starts.partition_point(|start| *start <= span.start) as u32 + 1
}

impl<K: fmt::Display> fmt::Display for ParseError<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl<K: fmt::Debug + fmt::Display> std::error::Error for ParseError<K> {}

/// Characters of a line that an excerpt shows at most.
const EXCERPT: usize = 96;

/// The position of byte `offset` of `text`; the end of the text if it lies beyond, the start of
/// the character if it lies within one.
#[must_use]
pub fn position(text: &str, offset: u32) -> Position {
    let before = &text[..text.floor_char_boundary(offset as usize)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).saturating_add(1);
    Position {
        line: count(before.bytes().filter(|byte| *byte == b'\n').count()),
        column: count(before[line_start..].chars().count()),
    }
}

/// Shows the line of `text` on which `span` starts, with the span underlined.
///
/// ```
/// use borges_languages::source::underline;
/// use borges_multiverse::language::Span;
///
/// let shown = underline("(+ 1\n   what)", Span { start: 8, end: 12 });
/// assert_eq!(shown, "2 |    what)\n  |    ^^^^\n");
/// ```
#[must_use]
pub fn underline(text: &str, span: Span) -> String {
    let start = text.floor_char_boundary(span.start as usize);
    let end = text.floor_char_boundary(span.end as usize).max(start);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let line = text[line_start..line_end].trim_end_matches('\r');

    let before = text[line_start..start].chars().count();
    let marked = text[start..end.min(line_end)].chars().count().max(1);
    // A long line is shown from a little before the span on.
    let skipped = if line.chars().count() > EXCERPT {
        before.saturating_sub(EXCERPT / 2)
    } else {
        0
    };
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut shown: String = line
        .chars()
        .skip(skipped)
        .take(EXCERPT)
        .map(plain)
        .collect();
    if skipped > 0 {
        shown = format!("…{}", shown.chars().skip(1).collect::<String>());
    }
    if line.chars().count() > skipped + EXCERPT {
        shown.push('…');
    }
    let number = position(text, span.start).line.to_string();
    let margin = " ".repeat(number.len());
    let indent = " ".repeat(before - skipped);
    let carets = "^".repeat(marked.min(EXCERPT.saturating_sub(before - skipped).max(1)));
    format!("{number} | {shown}\n{margin} | {indent}{carets}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, start: u32, end: u32, expected: &str) {
        assert_eq!(underline(text, Span { start, end }), expected);
    }

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let at = |offset| {
            let Position { line, column } = position("aé\nb", offset);
            (line, column)
        };
        assert_eq!(
            [at(0), at(1), at(2), at(3), at(4), at(5)],
            [(1, 1), (1, 2), (1, 2), (1, 3), (2, 1), (2, 2)]
        );
        assert_eq!(at(u32::MAX), (2, 2));
    }

    #[test]
    fn underlines_stay_on_one_line_and_within_it() {
        check("ab\ncd", 1, 5, "1 | ab\n  |  ^\n");
        check("ab\r\ncd", 3, 3, "1 | ab\n  |    ^\n");
        check("", 0, 0, "1 | \n  | ^\n");
        check("a\tb\u{7}", 2, 4, "1 | a b \n  |   ^^\n");
        check("ab", 7, 9, "1 | ab\n  |   ^\n");
    }

    #[test]
    fn long_lines_are_shown_around_the_span() {
        let text = "x".repeat(500) + "Y" + &"x".repeat(500);
        let shown = underline(
            &text,
            Span {
                start: 500,
                end: 501,
            },
        );
        let (first, second) = shown.split_once('\n').unwrap();
        assert!(
            first.starts_with("1 | …x") && first.ends_with("x…"),
            "{first}"
        );
        assert_eq!(first.chars().position(|c| c == 'Y'), second.find('^'));
    }
}
