//! Words of μOz, with their places.

use std::ops::Range;

use borges_multiverse::language::Span;

use super::error::{ParseError, ParseErrorKind};
use crate::source;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Ident(&'t str),
    Integer(i64),
    /// Keywords and signs; both spellings of `port`, `send` and `receive` become one.
    Word(&'static str),
    End,
}

/// Words that are no identifiers.
const KEYWORDS: [&str; 15] = [
    "skip", "if", "then", "else", "end", "let", "in", "thread", "proc", "port", "send", "receive",
    "assert", "true", "false",
];

/// How the paper spells some of them.
const PAPER: [(&str, &str); 3] = [
    ("NewPort", "port"),
    ("Send", "send"),
    ("Receive", "receive"),
];

/// Longer signs first.
const SIGNS: &[&str] = &[
    "<br>", "==", "<=", ">=", "<", ">", "=", "+", "-", "*", "/", "(", ")", "{", "}", ";",
];

/// The words of `text`; the last is [`Token::End`].
pub(super) fn lex(text: &str) -> Result<Vec<(Token<'_>, Span)>, ParseError> {
    source::tokens(text, Token::End, ParseErrorKind::OpenComment, token)
}

/// As [`lex`], but lines that cannot be read are passed by from there on; and the first mistake.
pub(super) fn lex_most(text: &str) -> (Vec<(Token<'_>, Span)>, Option<ParseError>) {
    source::most_tokens(text, Token::End, ParseErrorKind::OpenComment, token)
}

/// The word that some text begins with, and its length.
fn token(rest: &str, first: char) -> Result<(Token<'_>, usize), (ParseErrorKind, Range<usize>)> {
    if first.is_ascii_digit() {
        let length = rest.find(|c: char| !c.is_ascii_digit());
        let length = length.unwrap_or(rest.len());
        let wrong = |_| (ParseErrorKind::LargeNumber, 0..length);
        let number = rest[..length].parse().map_err(wrong)?;
        return Ok((Token::Integer(number), length));
    }
    if first.is_alphabetic() || first == '_' {
        let part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let word = &rest[..rest.find(|c| !part(c)).unwrap_or(rest.len())];
        let token = keyword(word).map_or(Token::Ident(word), Token::Word);
        return Ok((token, word.len()));
    }
    let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
    let unknown = (ParseErrorKind::UnknownCharacter, 0..first.len_utf8());
    sign.map(|sign| (Token::Word(sign), sign.len()))
        .ok_or(unknown)
}

fn keyword(word: &str) -> Option<&'static str> {
    let other = PAPER.iter().find(|(paper, _)| *paper == word);
    let word = other.map_or(word, |(_, tool)| *tool);
    KEYWORDS.into_iter().find(|keyword| *keyword == word)
}
