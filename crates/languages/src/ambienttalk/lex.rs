//! From text to tokens.

use borges_multiverse::language::Span;

use super::error::{ParseError, ParseErrorKind, error};

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

/// Splits `text` into tokens; the last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Span)>, ParseError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at = blank(text, at)?;
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else {
            tokens.push((Token::End, span(at, at)));
            return Ok(tokens);
        };
        let (token, length) = if first.is_ascii_digit() {
            integer(rest, at)?
        } else if first == '"' {
            string(rest, at)?
        } else if first.is_alphabetic() || first == '_' {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let word = rest[..length].to_owned();
            let after = &rest[length..];
            if after.starts_with(':') && !after.starts_with(":=") {
                (Token::Keyword(word), length + 1)
            } else {
                (Token::Name(word), length)
            }
        } else {
            let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
            let Some(sign) = sign else {
                return Err(error(
                    ParseErrorKind::UnknownSign,
                    at,
                    at + first.len_utf8(),
                ));
            };
            (Token::Sign(sign), sign.len())
        };
        tokens.push((token, span(at, at + length)));
        at += length;
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '?'
}

/// Skips blanks and comments.
fn blank(text: &str, mut at: usize) -> Result<usize, ParseError> {
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.starts_with("//") {
            at += trimmed.find('\n').unwrap_or(trimmed.len());
        } else if trimmed.starts_with("/*") {
            let Some(end) = trimmed.find("*/") else {
                return Err(error(ParseErrorKind::OpenComment, at, at + 2));
            };
            at += end + 2;
        } else {
            return Ok(at);
        }
    }
}

fn integer(rest: &str, at: usize) -> Result<(Token, usize), ParseError> {
    let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let number = rest[..length].parse();
    let too_large = rest[..length].bytes().all(|byte| byte.is_ascii_digit());
    let kind = if too_large {
        ParseErrorKind::LargeInteger
    } else {
        ParseErrorKind::BadInteger
    };
    match number {
        Ok(number) => Ok((Token::Integer(number), length)),
        Err(_) => Err(error(kind, at, at + length)),
    }
}

fn string(rest: &str, at: usize) -> Result<(Token, usize), ParseError> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((index, c)) = chars.next() {
        match c {
            '"' => return Ok((Token::Text(text), index + 1)),
            '\\' => match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, c @ ('"' | '\\'))) => text.push(c),
                _ => return Err(error(ParseErrorKind::BadEscape, at + index, at + index + 1)),
            },
            '\n' => break,
            _ => text.push(c),
        }
    }
    Err(error(ParseErrorKind::OpenText, at, at + 1))
}

fn span(start: usize, end: usize) -> Span {
    // Within u32: the parser limits texts.
    Span {
        start: start as u32,
        end: end as u32,
    }
}
