//! Texts with a grammar: words, numbers and signs, and errors that point at them.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use borges_vm::{ValType, Value};

/// A longer text is cut where a message quotes it, in characters.
const LONGEST_QUOTE: usize = 60;

/// A plain value, not yet of any type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Int(i64),
    Float(f64),
}

/// Something is wrong in a text, at these bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextError {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) problem: String,
    pub(super) hint: String,
}

pub(super) type Parsed<T> = Result<T, TextError>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    Number,
    Sign,
    Unknown,
}

#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    kind: Kind,
    text: &'a str,
    start: usize,
}

/// A text being read.
#[derive(Clone)]
pub(super) struct Text<'a> {
    source: &'a str,
    tokens: Vec<Token<'a>>,
    next: usize,
}

/// Longest first: `..` before `.`.
const SIGNS: [&str; 14] = [
    "..", "<=", ">=", "!=", "==", "<", ">", "=", "(", ")", ",", "*", ".", ":",
];

impl<'a> Text<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
            let Some(first) = rest.chars().next() else {
                break;
            };
            if first.is_whitespace() {
                at += first.len_utf8();
                continue;
            }
            let (kind, length) = token(rest, first);
            let text = rest.get(..length).unwrap_or(rest);
            tokens.push(Token {
                kind,
                text,
                start: at,
            });
            at += text.len();
        }
        Text {
            source,
            tokens,
            next: 0,
        }
    }

    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.next).copied()
    }

    /// The next word, in lower case, without taking it.
    pub(super) fn peek_word(&self) -> Option<String> {
        self.peek()
            .filter(|t| t.kind == Kind::Word)
            .map(|t| t.text.to_lowercase())
    }

    /// Whether a number comes `ahead` tokens from here.
    pub(super) fn number_ahead(&self, ahead: usize) -> bool {
        self.tokens
            .get(self.next + ahead)
            .is_some_and(|t| t.kind == Kind::Number)
    }

    pub(super) fn at_end(&self) -> bool {
        self.next >= self.tokens.len()
    }

    /// Takes any one of these words or signs if it comes next.
    pub(super) fn take(&mut self, choices: &[&str]) -> bool {
        let found = self.peek().is_some_and(|t| {
            t.kind != Kind::Number && choices.iter().any(|c| t.text.eq_ignore_ascii_case(c))
        });
        self.next += usize::from(found);
        found
    }

    /// Takes these words if all of them come next.
    pub(super) fn take_all(&mut self, words: &[&str]) -> bool {
        let start = self.next;
        let all = words.iter().all(|word| self.take(&[word]));
        if !all {
            self.next = start;
        }
        all
    }

    /// Requires one of these words or signs.
    pub(super) fn expect(&mut self, choices: &[&str], hint: &str) -> Parsed<()> {
        if self.take(choices) {
            Ok(())
        } else {
            Err(self.unexpected(hint))
        }
    }

    /// Takes a name as it is written.
    pub(super) fn name(&mut self, hint: &str) -> Parsed<&'a str> {
        match self.peek() {
            Some(t) if t.kind == Kind::Word => {
                self.next += 1;
                Ok(t.text)
            }
            _ => Err(self.unexpected(hint)),
        }
    }

    /// Takes a number, or one of the words for 0 and 1.
    pub(super) fn number(&mut self, hint: &str) -> Parsed<Number> {
        if self.take(&["high", "on", "pressed"]) {
            return Ok(Number::Int(1));
        }
        if self.take(&["low", "off", "released"]) {
            return Ok(Number::Int(0));
        }
        let Some(token) = self.peek().filter(|t| t.kind == Kind::Number) else {
            return Err(self.unexpected(hint));
        };
        let digits = token.text.replace('_', "");
        let hexadecimal = |digits: &str| {
            let (sign, digits) = digits.strip_prefix('-').map_or((1, digits), |d| (-1, d));
            i64::from_str_radix(digits.strip_prefix("0x")?, 16)
                .ok()
                .map(|n| n * sign)
        };
        let int = digits
            .parse()
            .ok()
            .or_else(|| hexadecimal(&digits))
            .map(Number::Int);
        let float = || {
            digits
                .parse()
                .ok()
                .filter(|f: &f64| f.is_finite())
                .map(Number::Float)
        };
        let number = int
            .or_else(float)
            .ok_or_else(|| self.unexpected("this number cannot be read"))?;
        self.next += 1;
        Ok(number)
    }

    /// Takes a value of a type.
    pub(super) fn value(&mut self, ty: ValType) -> Parsed<Value> {
        let start = self.next;
        let number = self.number(&format!("a number ({ty}) should stand here"))?;
        typed(number, ty).ok_or_else(|| {
            self.next = start;
            self.unexpected(&format!("write a number that fits the type {ty}"))
        })
    }

    /// Takes a small whole number: a pin, a motor.
    pub(super) fn index(&mut self, what: &str, count: u16) -> Parsed<u8> {
        let hint = || match count {
            0 => format!("this board has no {what}s"),
            _ => format!("write a {what} of this board, 0 to {}", count - 1),
        };
        let start = self.next;
        match self.number(&hint())? {
            Number::Int(n) if (0..i64::from(count.min(256))).contains(&n) => Ok(n as u8),
            _ => {
                self.next = start;
                Err(self.unexpected(&hint()))
            }
        }
    }

    /// Requires the end of the text.
    pub(super) fn end(&self, hint: &str) -> Parsed<()> {
        if self.at_end() {
            Ok(())
        } else {
            Err(self.unexpected(hint))
        }
    }

    /// An error at the next token.
    pub(super) fn unexpected(&self, hint: &str) -> TextError {
        let (start, end, problem) = match self.peek() {
            Some(t) => (
                t.start,
                t.start + t.text.len(),
                format!("`{}` cannot stand here", printable(t.text)),
            ),
            None => (
                self.source.len(),
                self.source.len(),
                "the text ends too early".to_string(),
            ),
        };
        TextError {
            start,
            end,
            problem,
            hint: hint.to_string(),
        }
    }

    /// The number of the next token, to point back at it.
    pub(super) fn mark(&self) -> usize {
        self.next
    }

    /// An error about the tokens from `mark` to here.
    pub(super) fn error_since(&self, mark: usize, problem: String, hint: String) -> TextError {
        let start = self.tokens.get(mark).map_or(self.source.len(), |t| t.start);
        let last = self
            .tokens
            .get(self.next.saturating_sub(1))
            .map_or(start, |t| t.start + t.text.len());
        TextError {
            start,
            end: last.max(start),
            problem,
            hint,
        }
    }
}

/// The kind and length of the token that begins here.
fn token(rest: &str, first: char) -> (Kind, usize) {
    let signed = rest.strip_prefix(['-', '+']).unwrap_or(rest);
    let sign_length = rest.len() - signed.len();
    if signed.starts_with(|c: char| c.is_ascii_digit()) {
        return (Kind::Number, sign_length + number_length(signed));
    }
    if first.is_alphabetic() || first == '_' {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        return (Kind::Word, end.unwrap_or(rest.len()));
    }
    match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        Some(sign) => (Kind::Sign, sign.len()),
        None => (Kind::Unknown, first.len_utf8()),
    }
}

/// How far a number reaches: digits, underscores, one point with digits after it, an exponent; or hexadecimal digits.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize, hex: bool| {
        let is_digit = |b: &u8| {
            *b == b'_'
                || if hex {
                    b.is_ascii_hexdigit()
                } else {
                    b.is_ascii_digit()
                }
        };
        from + bytes.iter().skip(from).take_while(|b| is_digit(b)).count()
    };
    if text.starts_with("0x") {
        return digits(2, true);
    }
    let byte = |at: usize| bytes.get(at).copied();
    let mut end = digits(0, false);
    if byte(end) == Some(b'.') && byte(end + 1).is_some_and(|b| b.is_ascii_digit()) {
        end = digits(end + 1, false);
    }
    if matches!(byte(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(byte(end + 1), Some(b'-' | b'+')));
        if byte(end + 1 + sign).is_some_and(|b| b.is_ascii_digit()) {
            end = digits(end + 1 + sign, false);
        }
    }
    end
}

/// A number as a value of a type, if it fits: a whole number also as a float.
pub(super) fn typed(number: Number, ty: ValType) -> Option<Value> {
    Some(match (ty, number) {
        (ValType::I32, Number::Int(n)) => Value::I32(i32::try_from(n).ok()?),
        (ValType::I64, Number::Int(n)) => Value::I64(n),
        (ValType::F32, Number::Int(n)) => Value::F32((n as f32).to_bits()),
        (ValType::F64, Number::Int(n)) => Value::F64((n as f64).to_bits()),
        (ValType::F32, Number::Float(x)) if (x as f32).is_finite() => {
            Value::F32((x as f32).to_bits())
        }
        (ValType::F64, Number::Float(x)) if x.is_finite() => Value::F64(x.to_bits()),
        _ => return None,
    })
}

/// A text for a message: short, and without control characters.
pub(super) fn printable(text: &str) -> String {
    let mut short: String = text
        .chars()
        .take(LONGEST_QUOTE)
        .map(|c| if c.is_control() { '?' } else { c })
        .collect();
    if text.chars().nth(LONGEST_QUOTE).is_some() {
        short.push('…');
    }
    short
}
