//! Comments and paragraphs, put back into a text that a formatter wrote without them.
//!
//! A formatter prints a syntax tree, which has neither. The words of the text before and after are
//! the same, in the same order (but for brackets and separators that need not stand), so what stood
//! beside a word before can stand beside the same word afterwards.

use borges_multiverse::language::Span;

/// How comments are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comments {
    /// What begins one that ends with its line.
    pub(crate) line: &'static str,
    /// What begins and ends one that ends by itself.
    pub(crate) block: Option<(&'static str, &'static str)>,
}

pub(crate) const C: Comments = Comments {
    line: "//",
    block: Some(("/*", "*/")),
};

/// A text and its words, without those that a formatter may add or leave out.
#[derive(Clone, Copy, Debug)]
struct Words<'t> {
    text: &'t str,
    spans: &'t [Span],
}

/// A comment that has its own lines, or `None` for the word that begins an output line.
struct Above<'t> {
    comment: Option<&'t str>,
    /// Whether a blank line stands before it.
    blank: bool,
}

/// `formatted` with the comments of `source`, where `words` finds the words of a text.
pub(crate) fn with_comments<E>(
    source: &str,
    formatted: &str,
    comments: Comments,
    words: impl Fn(&str) -> Result<Vec<Span>, E>,
) -> Result<String, E> {
    let (from, to) = (words(source)?, words(formatted)?);
    let words = |text, spans| Words { text, spans };
    Ok(keep(words(source, &from), words(formatted, &to), comments))
}

/// `formatted` with the comments of `source`: those behind code at the ends of lines, those on lines
/// of their own above the line of the word that follows; and with its paragraphs.
fn keep(source: Words<'_>, formatted: Words<'_>, comments: Comments) -> String {
    debug_assert_eq!(source.spans.len(), formatted.spans.len());
    let mut above: Vec<Vec<Above<'_>>> = (0..=source.spans.len()).map(|_| Vec::new()).collect();
    let mut behind: Vec<Vec<&str>> = above.iter().map(|_| Vec::new()).collect();
    for word in 0..=source.spans.len() {
        let start = word.checked_sub(1).map_or(0, |last| end(source, last));
        let stop = source
            .spans
            .get(word)
            .map_or(source.text.len(), |s| s.start as usize);
        let gap = source.text.get(start..stop).unwrap_or_default();
        let (beside, own) = gap_comments(gap, word > 0, comments);
        behind[word] = beside;
        above[word] = own;
    }
    let mut out = String::new();
    let mut word = 0;
    let mut offset = 0;
    let mut last_indent = 0;
    for line in formatted.text.split_inclusive('\n') {
        let first = word;
        while word < formatted.spans.len().min(source.spans.len())
            && end(formatted, word) <= offset + line.len()
        {
            word += 1;
        }
        offset += line.len();
        let code = line.trim_end();
        let indent = code.len() - code.trim_start().len();
        // What stood between the words of one line goes above it, but what stood behind its last word.
        let crowded = (first + 1..word).flat_map(|at| &behind[at]);
        let crowded: Vec<&str> = crowded.copied().collect();
        let deep = if closes(code) {
            indent.max(last_indent)
        } else {
            indent
        };
        for (nth, at) in (first..word).enumerate() {
            for above in &above[at] {
                if above.blank && nth == 0 && !out.is_empty() && !opens(&out) {
                    out.push('\n');
                }
                if let Some(comment) = above.comment {
                    push_line(&mut out, deep, comment);
                }
            }
        }
        for comment in crowded {
            push_line(&mut out, deep, comment);
        }
        out.push_str(code);
        if word > first {
            for comment in &behind[word] {
                out.push_str("  ");
                out.push_str(comment);
            }
        }
        out.push('\n');
        last_indent = indent;
    }
    for rest in above.iter().skip(word).flatten() {
        if let Some(comment) = rest.comment {
            if rest.blank && !out.is_empty() {
                out.push('\n');
            }
            push_line(&mut out, 0, comment);
        }
    }
    out
}

fn end(words: Words<'_>, nth: usize) -> usize {
    words.spans.get(nth).map_or(0, |span| span.end as usize)
}

fn push_line(out: &mut String, indent: usize, text: &str) {
    out.extend(std::iter::repeat_n(' ', indent));
    out.push_str(text);
    out.push('\n');
}

/// Whether a line ends a block.
fn closes(line: &str) -> bool {
    let line = line.trim_start();
    ["}", ")", "end", "else"]
        .iter()
        .any(|closer| line.starts_with(closer))
}

/// Whether what was written so far ends with the beginning of a block: no blank line goes there.
fn opens(out: &str) -> bool {
    out.trim_end().ends_with(['{', '|'])
}

/// The comments between two words: those behind the first one's line, and those on lines of their
/// own; last, whether the second one begins a paragraph.
fn gap_comments(gap: &str, after_word: bool, comments: Comments) -> (Vec<&str>, Vec<Above<'_>>) {
    let (mut behind, mut above) = (Vec::new(), Vec::new());
    let mut newlines = 0;
    let mut beside = after_word;
    let mut at = 0;
    while let Some(c) = gap[at..].chars().next() {
        let rest = &gap[at..];
        let block = comments.block.filter(|(open, _)| rest.starts_with(open));
        let length = if let Some((open, close)) = block {
            let inside = &rest[open.len()..];
            let length = inside.find(close).map(|end| end + close.len());
            open.len() + length.unwrap_or(inside.len())
        } else if rest.starts_with(comments.line) {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            if c == '\n' {
                newlines += 1;
                beside = false;
            }
            at += c.len_utf8();
            continue;
        };
        let comment = rest[..length].trim_end();
        if beside {
            behind.push(comment);
        } else {
            above.push(Above {
                comment: Some(comment),
                blank: newlines > 1,
            });
        }
        newlines = 0;
        at += length;
    }
    above.push(Above {
        comment: None,
        blank: newlines > 1,
    });
    (behind, above)
}
