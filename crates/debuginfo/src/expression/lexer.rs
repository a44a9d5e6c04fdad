//! Text to tokens.

use super::{ExpressionError, ExpressionErrorKind};

/// A token, with the column of its first character.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) column: u32,
    pub(super) kind: TokenKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    Int(i128),
    Float(f64),
    Text(String),
    /// A name, also one with `::` in it or a `$` before it.
    Name(String),
    /// An operator or bracket.
    Sign(&'static str),
    End,
}

/// Longer ones first, so that `<=` is not read as `<`.
const SIGNS: [&str; 32] = [
    "..", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "->", "<", ">", "+", "-", "*", "/", "%",
    "&", "|", "^", "!", "~", "(", ")", "[", "]", ".", ",", "?", ":", "=", ";",
];

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, ExpressionError> {
    let mut lexer = Lexer {
        rest: text,
        column: 1,
    };
    let mut tokens = Vec::new();
    loop {
        let space = lexer.rest.len() - lexer.rest.trim_start().len();
        lexer.take(space);
        let column = lexer.column;
        let kind = lexer
            .token()
            .map_err(|kind| ExpressionError { column, kind })?;
        let end = kind == TokenKind::End;
        tokens.push(Token { column, kind });
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    column: u32,
}

impl<'a> Lexer<'a> {
    /// Takes `bytes` bytes of the text, which end between two characters.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.column += taken.chars().count() as u32;
        self.rest = rest;
        taken
    }

    fn token(&mut self) -> Result<TokenKind, ExpressionErrorKind> {
        let Some(first) = self.rest.chars().next() else {
            return Ok(TokenKind::End);
        };
        if first.is_ascii_digit() {
            return self.number();
        }
        if first.is_alphabetic() || first == '_' || first == '$' {
            return Ok(self.name());
        }
        if first == '\'' || first == '"' {
            return self.quoted(first);
        }
        let sign = SIGNS.into_iter().find(|sign| self.rest.starts_with(sign));
        let sign = sign.ok_or(ExpressionErrorKind::StrangeCharacter(first))?;
        self.take(sign.len());
        Ok(TokenKind::Sign(sign))
    }

    fn name(&mut self) -> TokenKind {
        let part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let mut end = 0;
        loop {
            let rest = self.rest.get(end..).unwrap_or("");
            end += rest.find(|c| !part(c)).unwrap_or(rest.len());
            // `a::b` is one name, `a:` is not.
            let after = self.rest.get(end..).unwrap_or("").strip_prefix("::");
            match after.and_then(|after| after.chars().next()) {
                Some(next) if part(next) => end += 2,
                _ => break,
            }
        }
        TokenKind::Name(self.take(end).to_owned())
    }

    fn number(&mut self) -> Result<TokenKind, ExpressionErrorKind> {
        let bad = ExpressionErrorKind::BadLiteral;
        for (prefix, radix) in [("0x", 16), ("0X", 16), ("0b", 2), ("0o", 8)] {
            if let Some(digits) = self.rest.strip_prefix(prefix) {
                let end = digits.find(|c: char| !c.is_alphanumeric() && c != '_');
                let digits = self.take(prefix.len() + end.unwrap_or(digits.len()));
                let digits = digits.get(prefix.len()..).unwrap_or("").replace('_', "");
                return match u64::from_str_radix(&digits, radix) {
                    Ok(value) => Ok(TokenKind::Int(value.into())),
                    Err(_) => Err(bad),
                };
            }
        }
        let mut end = 0;
        let mut float = false;
        let mut previous = ' ';
        for (at, c) in self.rest.char_indices() {
            // `2..5` is a range, not a float.
            if self
                .rest
                .get(at..)
                .is_some_and(|rest| rest.starts_with(".."))
            {
                break;
            }
            let sign_of_exponent = (c == '+' || c == '-') && matches!(previous, 'e' | 'E');
            float |= c == '.' || matches!(c, 'e' | 'E');
            if !c.is_alphanumeric() && c != '_' && c != '.' && !sign_of_exponent {
                break;
            }
            end = at + c.len_utf8();
            previous = c;
        }
        let digits = self.take(end).replace('_', "");
        if float {
            digits.parse().map(TokenKind::Float).map_err(|_| bad)
        } else {
            digits
                .parse::<u64>()
                .map(|value| TokenKind::Int(value.into()))
                .map_err(|_| bad)
        }
    }

    /// A letter, which is a number, or a text.
    fn quoted(&mut self, quote: char) -> Result<TokenKind, ExpressionErrorKind> {
        let bad = ExpressionErrorKind::BadLiteral;
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        let end = loop {
            let (at, c) = chars.next().ok_or(bad.clone())?;
            match c {
                c if c == quote => break at + 1,
                '\\' => {
                    let (_, escaped) = chars.next().ok_or(bad.clone())?;
                    text.push(match escaped {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        '0' => '\0',
                        other => other,
                    });
                }
                c => text.push(c),
            }
        };
        self.take(end);
        if quote == '"' {
            return Ok(TokenKind::Text(text));
        }
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => Ok(TokenKind::Int(u32::from(letter).into())),
            _ => Err(bad),
        }
    }
}
