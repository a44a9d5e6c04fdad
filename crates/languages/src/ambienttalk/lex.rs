//! From text to tokens.

use std::ops::Range;

use borges_multiverse::language::Span;

use super::error::{ParseError, ParseErrorKind};
use crate::source;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Integer(i64),
    Text(String),
    Name(String),
    /// A name with a colon: `when:`.
    Keyword(String),
    Sign(&'static str),
    End,
}

/// Signs, longer ones before those that they begin with.
const SIGNS: [&str; 22] = [
    ":=", "<-", "<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "(", ")", "{", "}", "|", ",", ";",
    ".", "@", "[", "]",
];

/// What is wrong with a token, and where in it.
type Wrong = (ParseErrorKind, Range<usize>);

/// Splits `text` into tokens; the last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Span)>, ParseError> {
    source::tokens(text, Token::End, ParseErrorKind::OpenComment, token)
}

/// As [`tokens`], but lines that cannot be read are passed by from there on; and the first mistake.
pub(super) fn most_tokens(text: &str) -> (Vec<(Token, Span)>, Option<ParseError>) {
    source::most_tokens(text, Token::End, ParseErrorKind::OpenComment, token)
}

/// The token that some text begins with, and its length.
fn token(rest: &str, first: char) -> Result<(Token, usize), Wrong> {
    if first.is_ascii_digit() {
        return integer(rest);
    }
    if first == '"' {
        return string(rest);
    }
    if first.is_alphabetic() || first == '_' {
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let word = rest[..length].to_owned();
        let after = &rest[length..];
        return Ok(if after.starts_with(':') && !after.starts_with(":=") {
            (Token::Keyword(word), length + 1)
        } else {
            (Token::Name(word), length)
        });
    }
    let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
    let unknown = (ParseErrorKind::UnknownSign, 0..first.len_utf8());
    sign.map(|sign| (Token::Sign(sign), sign.len()))
        .ok_or(unknown)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '?'
}

fn integer(rest: &str) -> Result<(Token, usize), Wrong> {
    let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let number = rest[..length].parse();
    let too_large = rest[..length].bytes().all(|byte| byte.is_ascii_digit());
    let kind = if too_large {
        ParseErrorKind::LargeInteger
    } else {
        ParseErrorKind::BadInteger
    };
    let number = number.map_err(|_| (kind, 0..length))?;
    Ok((Token::Integer(number), length))
}

fn string(rest: &str) -> Result<(Token, usize), Wrong> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((index, c)) = chars.next() {
        match c {
            '"' => return Ok((Token::Text(text), index + 1)),
            '\\' => match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, c @ ('"' | '\\'))) => text.push(c),
                _ => return Err((ParseErrorKind::BadEscape, index..index + 1)),
            },
            '\n' => break,
            _ => text.push(c),
        }
    }
    Err((ParseErrorKind::OpenText, 0..1))
}
