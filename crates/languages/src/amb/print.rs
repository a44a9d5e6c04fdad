//! From programs to text, without recursion.

use std::fmt::{self, Write};

use borges_multiverse::language::Span;

use super::parse::Words;
use super::{Amb, Expr, ExprId, ParseError, Program};
use crate::{layout, source};

/// The column beyond which nothing is indented.
const MAX_INDENT: usize = 160;

/// A program laid out within a width, operands below each other where they do not fit a line.
#[derive(Clone, Copy, Debug)]
pub struct Pretty<'p> {
    pub(super) program: &'p Program,
    pub(super) width: usize,
}

impl Amb {
    /// The program, laid out within `width` columns.
    #[must_use]
    pub const fn pretty(&self, width: usize) -> Pretty<'_> {
        Pretty {
            program: &self.program,
            width,
        }
    }
}

const WIDTH: usize = 80;

/// A program laid out within 80 columns, with its comments.
///
/// # Errors
/// [`ParseError`] if the text is no program.
pub fn format(text: &str) -> Result<String, ParseError> {
    let formatted = Amb::parse(text)?.pretty(WIDTH).to_string();
    let comments = layout::Comments {
        line: ";",
        block: None,
    };
    layout::with_comments(text, &formatted, comments, |text| Ok(words(text)))
}

/// The places of all parentheses, operators and numbers.
fn words(text: &str) -> Vec<Span> {
    let span = |(start, word): (usize, &str)| source::span(start, start + word.len());
    Words { text, at: 0 }.map(span).collect()
}

/// What is still to be written, last first.
enum Task {
    Expr {
        id: ExprId,
        closing: usize,
    },
    /// A line break and the column at which the next line starts.
    Break(usize),
    /// A parenthesis or a blank.
    Sign(char),
}

impl Program {
    pub(super) fn write(&self, id: ExprId, out: &mut impl Write) -> fmt::Result {
        self.lay_out(id, None, out)
    }

    /// Writes an expression within a width, or, without one, on one line.
    fn lay_out(&self, id: ExprId, width: Option<usize>, out: &mut impl Write) -> fmt::Result {
        let widths = width.map_or_else(Vec::new, |_| self.widths());
        let mut column = 0;
        let mut tasks = vec![Task::Expr { id, closing: 0 }];
        while let Some(task) = tasks.pop() {
            let (id, closing) = match task {
                Task::Expr { id, closing } => (id, closing),
                Task::Sign(sign) => {
                    out.write_char(sign)?;
                    column += 1;
                    continue;
                }
                Task::Break(indent) => {
                    write!(out, "\n{:indent$}", "")?;
                    column = indent;
                    continue;
                }
            };
            let operator = match self.expr(id) {
                Expr::Apply { operator, .. } => operator.name(),
                Expr::Number(number) => {
                    let number = number.to_string();
                    out.write_str(&number)?;
                    column += number.len();
                    continue;
                }
            };
            let broken = width.filter(|width| column + widths[id.0 as usize] + closing > *width);
            write!(out, "({operator}")?;
            column += operator.len() + 1;
            // Deep programs must not drift out of sight, nor cost the square of their depth.
            let indent = broken.map(|width| (column + 1).min(width / 2).min(MAX_INDENT));
            tasks.push(Task::Sign(')'));
            let operands = self.operands(id);
            for (nth, operand) in operands.iter().enumerate().rev() {
                let is_last = nth + 1 == operands.len();
                tasks.push(Task::Expr {
                    id: *operand,
                    closing: if is_last { closing + 1 } else { 0 },
                });
                let indent = indent.filter(|_| nth > 0);
                tasks.push(indent.map_or(Task::Sign(' '), Task::Break));
            }
        }
        Ok(())
    }

    /// The number of characters of each expression on one line.
    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = Vec::with_capacity(self.exprs.len());
        for (id, expr) in self.exprs.iter().enumerate() {
            widths.push(match expr {
                Expr::Number(number) => number.to_string().len(),
                Expr::Apply { operator, .. } => {
                    let operands = self.operands(ExprId(id as u32)).iter();
                    let inner: usize = operands.map(|operand| widths[operand.0 as usize] + 1).sum();
                    inner + operator.name().len() + 2
                }
            });
        }
        widths
    }
}

impl fmt::Display for Pretty<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = self.program;
        program.lay_out(program.root(), Some(self.width), f)
    }
}
