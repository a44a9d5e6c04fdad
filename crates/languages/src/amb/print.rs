//! From programs to text, without recursion.

use std::fmt::{self, Write};

use borges_multiverse::language::Span;

use super::parse::Words;
use super::{Amb, Expr, ExprId, ParseError, Program};
use crate::layout;

/// The column beyond which nothing is indented.
const MAX_INDENT: usize = 160;

/// A program laid out within a width, operands below each other where they do not fit a line.
#[derive(Clone, Copy, Debug)]
pub struct Pretty<'p> {
    pub(super) program: &'p Program,
    pub(super) width: usize,
}

/// The width of [`format`].
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
    let span = |(start, word): (usize, &str)| Span {
        start: start as u32,
        end: (start + word.len()) as u32,
    };
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
    Space,
    Close,
}

impl Program {
    /// Writes an expression on one line.
    pub(super) fn write(&self, id: ExprId, out: &mut impl Write) -> fmt::Result {
        let mut tasks = vec![Task::Expr { id, closing: 0 }];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Close => out.write_char(')')?,
                Task::Space | Task::Break(_) => out.write_char(' ')?,
                Task::Expr { id, .. } => match self.expr(id) {
                    Expr::Number(number) => write!(out, "{number}")?,
                    Expr::Apply { operator, .. } => {
                        write!(out, "({}", operator.name())?;
                        tasks.push(Task::Close);
                        for operand in self.operands(id).iter().rev() {
                            tasks.push(Task::Expr {
                                id: *operand,
                                closing: 0,
                            });
                            tasks.push(Task::Space);
                        }
                    }
                },
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
        let widths = self.program.widths();
        let mut column = 0;
        let mut tasks = vec![Task::Expr {
            id: self.program.root(),
            closing: 0,
        }];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Close => {
                    f.write_char(')')?;
                    column += 1;
                }
                Task::Space => {
                    f.write_char(' ')?;
                    column += 1;
                }
                Task::Break(indent) => {
                    write!(f, "\n{:indent$}", "")?;
                    column = indent;
                }
                Task::Expr { id, closing } => {
                    let width = widths[id.0 as usize];
                    let Expr::Apply { operator, .. } = self.program.expr(id) else {
                        self.program.write(id, f)?;
                        column += width;
                        continue;
                    };
                    if column + width + closing <= self.width {
                        self.program.write(id, f)?;
                        column += width;
                        continue;
                    }
                    write!(f, "({}", operator.name())?;
                    column += operator.name().len() + 1;
                    // Deep programs must not drift out of sight, nor cost the square of their depth.
                    let indent = (column + 1).min(self.width / 2).min(MAX_INDENT);
                    tasks.push(Task::Close);
                    let operands = self.program.operands(id);
                    for (nth, operand) in operands.iter().enumerate().rev() {
                        let closing = if nth + 1 == operands.len() {
                            closing + 1
                        } else {
                            0
                        };
                        tasks.push(Task::Expr {
                            id: *operand,
                            closing,
                        });
                        tasks.push(if nth == 0 {
                            Task::Space
                        } else {
                            Task::Break(indent)
                        });
                    }
                }
            }
        }
        Ok(())
    }
}
