//! Words of μOz, with their places.

use borges_multiverse::language::Span;

use super::error::{ParseError, ParseErrorKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Ident(&'t str),
    Integer(i64),
    /// Keywords and signs; both spellings of `port`, `send` and `receive` become one.
    Word(&'static str),
    End,
}

/// Words that are no identifiers, with what they become.
const KEYWORDS: &[(&str, &str)] = &[
    ("skip", "skip"),
    ("if", "if"),
    ("then", "then"),
    ("else", "else"),
    ("end", "end"),
    ("let", "let"),
    ("in", "in"),
    ("thread", "thread"),
    ("proc", "proc"),
    ("port", "port"),
    ("NewPort", "port"),
    ("send", "send"),
    ("Send", "send"),
    ("receive", "receive"),
    ("Receive", "receive"),
    ("assert", "assert"),
    ("true", "true"),
    ("false", "false"),
];

/// Longer signs first.
const SIGNS: &[&str] = &[
    "<br>", "==", "<=", ">=", "<", ">", "=", "+", "-", "*", "/", "(", ")", "{", "}", ";",
];

/// The words of `text`; the last is [`Token::End`].
pub(super) fn lex(text: &str) -> Result<Vec<(Token<'_>, Span)>, ParseError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at = skip_blank(text, at)?;
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else {
            tokens.push((Token::End, span(at, at)));
            return Ok(tokens);
        };
        let (token, len) = if first.is_ascii_digit() {
            integer(rest, at)?
        } else if first.is_alphabetic() || first == '_' {
            let part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
            let len = rest.find(|c| !part(c)).unwrap_or(rest.len());
            let word = &rest[..len];
            let keyword = KEYWORDS.iter().find(|(keyword, _)| *keyword == word);
            (
                keyword.map_or(Token::Ident(word), |(_, word)| Token::Word(word)),
                len,
            )
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Token::Word(sign), sign.len())
        } else {
            let kind = ParseErrorKind::UnknownCharacter;
            return Err(ParseError {
                kind,
                span: span(at, at + first.len_utf8()),
            });
        };
        tokens.push((token, span(at, at + len)));
        at += len;
    }
}

fn integer(rest: &str, at: usize) -> Result<(Token<'_>, usize), ParseError> {
    let len = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let number = rest[..len].parse();
    let kind = ParseErrorKind::LargeNumber;
    let number = number.map_err(|_| ParseError {
        kind,
        span: span(at, at + len),
    })?;
    Ok((Token::Integer(number), len))
}

/// The first place from `at` on that is no blank and no comment.
fn skip_blank(text: &str, mut at: usize) -> Result<usize, ParseError> {
    loop {
        let rest = &text[at..];
        let solid = rest.trim_start();
        at += rest.len() - solid.len();
        if solid.starts_with("//") {
            at += solid.find('\n').unwrap_or(solid.len());
        } else if solid.starts_with("/*") {
            let kind = ParseErrorKind::OpenComment;
            let end = solid.find("*/").ok_or(ParseError {
                kind,
                span: span(at, at + 2),
            })?;
            at += end + 2;
        } else {
            return Ok(at);
        }
    }
}

/// Offsets fit: the length of the text was checked.
pub(super) const fn span(start: usize, end: usize) -> Span {
    Span {
        start: start as u32,
        end: end as u32,
    }
}
