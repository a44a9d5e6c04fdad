//! The formatter: from programs back to text.

use std::borrow::Cow;
use std::fmt::{self, Write};

use borges_multiverse::language::Span;

use super::error::ParseError;
use super::lex::{Token, lex};
use super::names::Names;
use super::parse::parse;
use super::program::{Block, Bound, Guard, Line, Program, Statement, Term, Use};
use super::state::{Environment, Frame};
use crate::layout;

/// How ports are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// `port`, `send`, `receive`, and `;` between statements, as in the released tool.
    #[default]
    Tool,
    /// `NewPort`, `Send`, `Receive`, and statements side by side, as in the paper.
    Paper,
}

impl Notation {
    const fn pick(self, tool: &'static str, paper: &'static str) -> &'static str {
        match self {
            Self::Tool => tool,
            Self::Paper => paper,
        }
    }
}

/// A program in the usual layout and in its own notation, with its comments and paragraphs.
///
/// # Errors
/// [`ParseError`] if the text is no program.
pub fn format(text: &str) -> Result<String, ParseError> {
    let program = parse(text)?;
    let from = words(text)?;
    let spelled = |wanted: &[&str]| {
        let word = |span: &Span| text.get(span.start as usize..span.end as usize);
        from.iter().filter_map(word).any(|w| wanted.contains(&w))
    };
    let paper = spelled(&["NewPort", "Send", "Receive"]) && !spelled(&["port", "send", "receive"]);
    let notation = if paper {
        Notation::Paper
    } else {
        Notation::Tool
    };
    let program = &program;
    let formatted = Pretty { program, notation }.to_string();
    layout::with_comments(text, &formatted, layout::C, words)
}

/// The places of all words but those that may be missing.
fn words(text: &str) -> Result<Vec<Span>, ParseError> {
    let all = lex(text)?.into_iter();
    let words =
        all.filter(|(token, _)| !matches!(token, Token::Word(";" | "(" | ")") | Token::End));
    Ok(words.map(|(_, span)| span).collect())
}

/// A program as text; see [`super::MuOz::pretty`]. Comments are not kept: [`format()`] does.
#[derive(Clone, Copy, Debug)]
pub struct Pretty<'p> {
    pub(super) program: &'p Program,
    pub(super) notation: Notation,
}

impl fmt::Display for Pretty<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let printer = Printer {
            program: self.program,
            notation: self.notation,
            bound: None,
        };
        let mut text = String::new();
        printer.block(self.program.main, 0, &mut text)?;
        f.write_str(text.trim_start_matches('\n'))?;
        f.write_char('\n')
    }
}

/// Writes parts of programs.
#[derive(Clone, Copy)]
pub(super) struct Printer<'p> {
    pub(super) program: &'p Program,
    pub(super) notation: Notation,
    /// In code that runs, what its free identifiers stand for.
    pub(super) bound: Option<(&'p Names, &'p Environment)>,
}

/// Indentation stops here: deep programs must not cost the square of their depth.
const MAX_INDENT: usize = 40;

impl Printer<'_> {
    /// The code that a frame stands for.
    pub(super) fn frame(&self, frame: &Frame, to: &mut String) -> fmt::Result {
        self.block(Block(frame.at), 0, to)
    }

    /// What an identifier is called here.
    fn name(&self, usage: Use) -> Cow<'_, str> {
        let variable = self
            .bound
            .and_then(|(names, environment)| Some(names.show(&environment.get(usage.level)?.name)));
        variable.unwrap_or_else(|| self.program.text(usage.ident).into())
    }

    pub(super) fn block(&self, block: Block, indent: usize, to: &mut String) -> fmt::Result {
        for line in self.program.block(block) {
            self.line(line, indent, to)?;
            if !line.last {
                to.push_str(self.notation.pick(";", ""));
            }
        }
        Ok(())
    }

    fn newline(indent: usize, to: &mut String) {
        to.push('\n');
        to.extend(std::iter::repeat_n(' ', (2 * indent).min(MAX_INDENT)));
    }

    fn end(indent: usize, to: &mut String) -> fmt::Result {
        Self::newline(indent, to);
        to.write_str("end")
    }

    fn line(&self, line: &Line, indent: usize, to: &mut String) -> fmt::Result {
        Self::newline(indent, to);
        self.head(&line.statement, to)?;
        match &line.statement {
            Statement::Skip
            | Statement::Break
            | Statement::Assert(_)
            | Statement::Let { sugar: true, .. }
            | Statement::Send { .. }
            | Statement::Call { .. } => Ok(()),
            Statement::If { yes, no, .. } => {
                to.push_str(" then");
                self.block(*yes, indent + 1, to)?;
                Self::newline(indent, to);
                to.push_str("else");
                self.block(*no, indent + 1, to)?;
                Self::end(indent, to)
            }
            Statement::Thread(body) => {
                self.block(*body, indent + 1, to)?;
                Self::end(indent, to)
            }
            Statement::Let { bound, body, .. } => {
                if let Bound::Procedure { body, .. } = bound {
                    self.block(*body, indent + 1, to)?;
                    Self::end(indent, to)?;
                }
                self.scope(*body, indent, to)
            }
            Statement::Receive { body, .. } => self.scope(*body, indent, to),
        }
    }

    /// The scope of a binding. Bindings one in another stay in one column, their ends on one line.
    fn scope(&self, body: Block, indent: usize, to: &mut String) -> fmt::Result {
        to.push_str(" in");
        let mut lines = self.program.block(body);
        let binds = |line: &&Line| {
            let statement = &line.statement;
            let sugar = matches!(statement, Statement::Let { sugar: true, .. });
            !sugar && matches!(statement, Statement::Let { .. } | Statement::Receive { .. })
        };
        if let Some(line) = lines.next().filter(|line| line.last).filter(binds) {
            self.line(line, indent, to)?;
            to.push_str(" end");
            return Ok(());
        }
        self.block(body, indent + 1, to)?;
        Self::end(indent, to)
    }

    /// A statement without the blocks in it.
    pub(super) fn head(&self, statement: &Statement, to: &mut String) -> fmt::Result {
        let text = |ident| self.program.text(ident);
        match statement {
            Statement::Skip => to.push_str("skip"),
            Statement::Break => to.push_str("<br>"),
            Statement::Assert(guard) => {
                to.push_str("assert ");
                self.guard(guard, to)?;
            }
            Statement::If { guard, .. } => {
                to.push_str("if ");
                self.guard(guard, to)?;
            }
            Statement::Let { sugar: true, .. } => self.sugared(statement, to)?,
            Statement::Let { name, bound, .. } => {
                write!(to, "let {} = ", text(*name))?;
                match bound {
                    Bound::Boolean(value) => write!(to, "{value}")?,
                    Bound::Port => to.push_str(self.notation.pick("port", "NewPort")),
                    Bound::Procedure { parameters, .. } => {
                        let parameters: Vec<_> = parameters.iter().map(|p| text(*p)).collect();
                        write!(to, "proc {{{}}}", parameters.join(" "))?;
                    }
                    Bound::Expr(expr) => to.push_str(&self.expr(expr)),
                }
            }
            Statement::Receive { name, port, .. } => {
                let word = self.notation.pick("receive", "Receive");
                write!(to, "let {} = {{{word} {}}}", text(*name), self.name(*port))?;
            }
            Statement::Thread(_) => to.push_str("thread"),
            Statement::Send { .. } | Statement::Call { .. } => {
                self.braces(statement, &[], to)?;
            }
        }
        Ok(())
    }

    /// A statement with its literal arguments put back.
    fn sugared(&self, statement: &Statement, to: &mut String) -> fmt::Result {
        let mut literals = Vec::new();
        let mut inner = statement;
        while let Statement::Let {
            bound,
            body,
            sugar: true,
            ..
        } = inner
        {
            literals.push(bound);
            inner = &self.program.line(body.0).statement;
        }
        self.braces(inner, &literals, to)
    }

    /// A send or a call. The innermost bindings around it are `literals`.
    fn braces(&self, statement: &Statement, literals: &[&Bound], to: &mut String) -> fmt::Result {
        let (first, arguments) = match statement {
            Statement::Send { port, message } => {
                write!(to, "{{{} ", self.notation.pick("send", "Send"))?;
                (port, std::slice::from_ref(message))
            }
            Statement::Call {
                procedure,
                arguments,
            } => {
                to.push('{');
                (procedure, &arguments[..])
            }
            _ => return Ok(()),
        };
        to.push_str(&self.name(*first));
        // Literals are used in their order, each once; identifiers lie further out.
        let mut literals = literals.iter().peekable();
        let outside = arguments
            .iter()
            .map(|a| a.level)
            .max()
            .map_or(0, |max| max + 1);
        let outside = outside.saturating_sub(literals.len() as u32);
        let many = literals.len() > 0;
        for argument in arguments {
            to.push(' ');
            let literal = if many && argument.level >= outside {
                literals.next()
            } else {
                None
            };
            match literal {
                Some(Bound::Boolean(value)) => write!(to, "{value}")?,
                Some(Bound::Expr(expr)) => to.push_str(&self.expr(expr)),
                _ => to.push_str(&self.name(*argument)),
            }
        }
        to.push('}');
        Ok(())
    }

    pub(super) fn guard(&self, guard: &Guard, to: &mut String) -> fmt::Result {
        match guard {
            Guard::Name(name) => {
                to.push_str(&self.name(*name));
                Ok(())
            }
            Guard::Compare { left, by, right } => {
                write!(
                    to,
                    "({} {} {})",
                    self.expr(left),
                    by.sign(),
                    self.expr(right)
                )
            }
        }
    }

    fn expr(&self, terms: &[Term]) -> String {
        const WHOLE: u8 = u8::MAX;
        let mut stack: Vec<(String, u8)> = Vec::new();
        for term in terms {
            let shown = match term {
                Term::Integer(number) => (number.to_string(), WHOLE),
                Term::Name(name) => (self.name(*name).into_owned(), WHOLE),
                Term::Apply(operator) => {
                    let (right, left) = (stack.pop(), stack.pop());
                    let strength = operator.strength();
                    // Operators are left associative: the right side must bind more strongly.
                    let side = |side: Option<(String, u8)>, least| match side {
                        Some((text, strength)) if strength >= least => text,
                        Some((text, _)) => format!("({text})"),
                        None => String::new(),
                    };
                    let (left, right) = (side(left, strength), side(right, strength + 1));
                    (format!("{left} {} {right}", operator.sign()), strength)
                }
            };
            stack.push(shown);
        }
        stack.pop().map_or_else(String::new, |(text, _)| text)
    }
}
