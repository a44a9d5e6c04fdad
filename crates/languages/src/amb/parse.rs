//! From text to programs, without recursion.

use borges_multiverse::language::Span;

use super::{Expr, ExprId, Number, Operator, Program, Shapes};
use crate::source;

/// The longest text that is read, in bytes.
const MAX_TEXT: usize = 1 << 28;

/// The most digits of a number: converting takes the square of their number.
const MAX_DIGITS: usize = 10_000;

/// What is wrong with a program's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
    /// There is no expression.
    #[error("there is nothing to evaluate: write a number, (+ …) or (amb …)")]
    Empty,
    /// A parenthesis is opened and never closed.
    #[error("this parenthesis is never closed")]
    Unclosed,
    /// A parenthesis is closed that was never opened.
    #[error("this parenthesis closes nothing")]
    Unopened,
    /// No operator follows a parenthesis.
    #[error("after ( comes + or amb")]
    NoOperator,
    /// An operator stands where an expression must.
    #[error("an operator stands only right after (")]
    StrayOperator,
    /// A word that means nothing.
    #[error("this is no number (digits, perhaps after a -) and no operator (+ or amb)")]
    UnknownWord,
    /// A number with too many digits.
    #[error("numbers have at most {MAX_DIGITS} digits")]
    LongNumber,
    /// A second expression.
    #[error("a program is a single expression; this stands after its end")]
    Trailing,
    /// The text is too long.
    #[error("programs have at most {MAX_TEXT} bytes")]
    LongText,
}

/// Why a text is no program, and where.
pub type ParseError = source::ParseError<ParseErrorKind>;

/// An expression of which the end is still to come.
struct Open {
    /// The place of its parenthesis.
    start: u32,
    operator: Operator,
    operands: Vec<ExprId>,
}

/// Parses one expression and nothing else.
pub(super) fn parse(text: &str) -> Result<Program, ParseError> {
    if text.len() > MAX_TEXT {
        return Err(ParseError::at(ParseErrorKind::LongText, MAX_TEXT..MAX_TEXT));
    }
    let mut program = Program {
        line_starts: source::line_starts(text),
        ..Program::default()
    };
    let mut open: Vec<Open> = Vec::new();
    let mut words = Words { text, at: 0 };
    let mut done = false;
    while let Some((start, word)) = words.next() {
        let end = start + word.len();
        if done {
            let kind = match word {
                ")" => ParseErrorKind::Unopened,
                _ => ParseErrorKind::Trailing,
            };
            return Err(ParseError::at(kind, start..end));
        }
        let finished = match word {
            "(" => {
                let operator = operator(&mut words, start)?;
                open.push(Open {
                    start: start as u32,
                    operator,
                    operands: Vec::new(),
                });
                continue;
            }
            ")" => {
                let Some(open) = open.pop() else {
                    return Err(ParseError::at(ParseErrorKind::Unopened, start..end));
                };
                program.close(open, end as u32)
            }
            "+" | "amb" => return Err(ParseError::at(ParseErrorKind::StrayOperator, start..end)),
            _ => {
                let number = number(word).map_err(|kind| ParseError::at(kind, start..end))?;
                program.push(Expr::Number(number), source::span(start, end))
            }
        };
        match open.last_mut() {
            Some(open) => open.operands.push(finished),
            None => done = true,
        }
    }
    if let Some(open) = open.last() {
        return Err(unclosed(open.start as usize));
    }
    if !done {
        return Err(ParseError::at(
            ParseErrorKind::Empty,
            text.len()..text.len(),
        ));
    }
    program.shapes = Shapes::of(&program.exprs, &program.operands);
    Ok(program)
}

/// Reads the operator after the parenthesis at `open`.
fn operator(words: &mut Words<'_>, open: usize) -> Result<Operator, ParseError> {
    match words.next() {
        Some((_, "+")) => Ok(Operator::Plus),
        Some((_, "amb")) => Ok(Operator::Amb),
        Some((start, word)) => {
            let place = start..start + word.len();
            Err(ParseError::at(ParseErrorKind::NoOperator, place))
        }
        None => Err(unclosed(open)),
    }
}

fn unclosed(open: usize) -> ParseError {
    ParseError::at(ParseErrorKind::Unclosed, open..open + 1)
}

fn number(word: &str) -> Result<Number, ParseErrorKind> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ParseErrorKind::UnknownWord);
    }
    if digits.len() > MAX_DIGITS {
        return Err(ParseErrorKind::LongNumber);
    }
    word.parse().map_err(|_| ParseErrorKind::UnknownWord)
}

impl source::Fault for ParseErrorKind {}

impl Program {
    fn push(&mut self, expr: Expr, span: Span) -> ExprId {
        let id = ExprId(self.exprs.len() as u32);
        self.exprs.push(expr);
        self.spans.push(span);
        id
    }

    fn close(&mut self, open: Open, end: u32) -> ExprId {
        // Within u32: a text has at most MAX_TEXT operands.
        let first = self.operands.len() as u32;
        let count = open.operands.len() as u32;
        self.operands.extend(open.operands);
        let expr = Expr::Apply {
            operator: open.operator,
            first,
            count,
        };
        let start = open.start;
        self.push(expr, Span { start, end })
    }
}

/// The parentheses and words of a text, with the offsets at which they start.
pub(super) struct Words<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

impl<'t> Iterator for Words<'t> {
    type Item = (usize, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let Some(comment) = trimmed.strip_prefix(';') else {
                break;
            };
            self.at += 1 + comment.find('\n').unwrap_or(comment.len());
        }
        let rest = &self.text[self.at..];
        let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ';');
        let len = match rest.chars().next()? {
            '(' | ')' => 1,
            _ => rest.find(ends).unwrap_or(rest.len()),
        };
        let start = self.at;
        self.at += len;
        Some((start, &rest[..len]))
    }
}
