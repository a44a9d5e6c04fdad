//! From text to programs.
//!
//! By recursive descent, with a limit on how deeply scopes nest.

mod forgive;

use borges_multiverse::language::Span;
use std::collections::HashMap;
use std::sync::Arc;

use super::error::{MAX_DEPTH, MAX_TEXT, ParseError, ParseErrorKind};
use super::lex::{Token, lex};
use super::program::{
    Block, Bound, Comparison, Expr, Guard, Ident, Idents, Line, Operator, Program, Statement, Term,
    Use,
};
use crate::source;
use crate::text::{Forgiving, Kind, MeaningId};

pub(super) use forgive::notes;

/// What identifiers that stand for a literal argument are called.
const LITERAL: &str = "arg";

type Parsed<T> = Result<T, ParseError>;

impl source::Fault for ParseErrorKind {
    fn opener(&self, text: &str, at: Span) -> Option<Span> {
        let Self::Expected(_) = self else {
            return None;
        };
        let opens = |token: &_| {
            matches!(
                token,
                Token::Word("if" | "let" | "thread" | "proc" | "{" | "(")
            )
        };
        let closes = |token: &_| matches!(token, Token::Word("end" | "}" | ")"));
        source::still_open(text, at, &lex(text).ok()?, opens, closes)
    }
}

/// Parses a program.
pub(super) fn parse(text: &str) -> Parsed<Program> {
    if text.len() > MAX_TEXT {
        return Err(ParseError::at(ParseErrorKind::LongText, MAX_TEXT..MAX_TEXT));
    }
    let mut parser = Parser::new(lex(text)?);
    parser.program.line_starts = source::line_starts(text);
    parser.program.main = parser.whole()?;
    Ok(Program {
        idents: Arc::new(Idents::new(parser.idents)),
        ..parser.program
    })
}

/// Where the value of a `let` comes from.
enum Source {
    Port(Use),
    Bound(Bound),
}

struct Parser<'t> {
    tokens: Vec<(Token<'t>, Span)>,
    at: usize,
    depth: u32,
    /// The identifiers in scope, the outermost first.
    scope: Vec<Ident>,
    /// If it goes on after mistakes: what they are, and what it notes.
    forgiving: Option<Forgiving<ParseErrorKind>>,
    /// What these identifiers mean, for the notes.
    bound: Vec<MeaningId>,
    numbers: HashMap<&'t str, Ident>,
    idents: Vec<Box<str>>,
    program: Program,
}

impl<'t> Parser<'t> {
    fn new(tokens: Vec<(Token<'t>, Span)>) -> Self {
        Self {
            tokens,
            at: 0,
            depth: 0,
            scope: Vec::new(),
            forgiving: None,
            bound: Vec::new(),
            numbers: HashMap::new(),
            idents: Vec::new(),
            program: Program::default(),
        }
    }

    /// All that there is.
    fn whole(&mut self) -> Parsed<Block> {
        let block = self.block()?;
        match self.peek() {
            Token::End => Ok(block),
            _ => Err(self.error(ParseErrorKind::Trailing)),
        }
    }

    fn peek(&self) -> Token<'t> {
        self.tokens[self.at].0
    }

    fn here(&self) -> Span {
        self.tokens[self.at].1
    }

    fn error(&self, kind: ParseErrorKind) -> ParseError {
        ParseError {
            kind,
            span: self.here(),
        }
    }

    fn expected<T>(&self, what: &'static str) -> Parsed<T> {
        Err(self.error(ParseErrorKind::Expected(what)))
    }

    /// Goes on to the next word; never past the end.
    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn accept(&mut self, word: &'static str) -> bool {
        let accepted = self.peek() == Token::Word(word);
        if accepted {
            self.advance();
        }
        accepted
    }

    fn expect(&mut self, word: &'static str) -> Parsed<()> {
        if self.accept(word) {
            Ok(())
        } else {
            self.expected(word)
        }
    }

    /// The place from `start` to the last word that was read.
    fn since(&self, start: Span) -> Span {
        let end = self
            .at
            .checked_sub(1)
            .map_or(start.end, |last| self.tokens[last].1.end);
        Span {
            start: start.start,
            end,
        }
    }

    fn nest<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(ParseErrorKind::TooDeep));
        }
        self.depth += 1;
        let parsed = inside(self);
        self.depth -= 1;
        parsed
    }

    fn intern(&mut self, name: &'t str) -> Ident {
        let idents = &mut self.idents;
        *self.numbers.entry(name).or_insert_with(|| {
            idents.push(name.into());
            // Within u32, as is the length of the text.
            Ident(idents.len() as u32 - 1)
        })
    }

    /// A new identifier, not yet in scope.
    fn binder(&mut self) -> Parsed<Ident> {
        let Token::Ident(name) = self.peek() else {
            return self.expected("an identifier");
        };
        self.advance();
        Ok(self.intern(name))
    }

    /// A bound identifier.
    fn usage(&mut self, what: &'static str) -> Parsed<Use> {
        let Token::Ident(name) = self.peek() else {
            return self.expected(what);
        };
        let ident = self.numbers.get(name).copied();
        let bound = |ident: Ident| self.scope.iter().rposition(|other| *other == ident);
        let usage = ident.and_then(|ident| {
            Some(Use {
                ident,
                level: bound(ident)? as u32,
            })
        });
        let here = self.here();
        let usage = match usage {
            Some(usage) => {
                let meaning = self.bound.get(usage.level as usize).copied();
                if let (Some(forgiving), Some(meaning)) = (&mut self.forgiving, meaning) {
                    forgiving.notes.uses.push((here, meaning));
                }
                usage
            }
            None => {
                Forgiving::take(
                    &mut self.forgiving,
                    ParseError {
                        kind: ParseErrorKind::Unbound,
                        span: here,
                    },
                )?;
                let ident = self.intern(name);
                Use { ident, level: 0 }
            }
        };
        self.advance();
        Ok(usage)
    }

    /// Puts a block into the program.
    fn emit(&mut self, lines: Vec<(Statement, Span)>) -> Block {
        let block = Block(self.program.lines.len() as u32);
        let last = lines.len().saturating_sub(1);
        for (nth, (statement, span)) in lines.into_iter().enumerate() {
            self.program.lines.push(Line {
                statement,
                last: nth == last,
            });
            self.program.spans.push(span);
        }
        block
    }

    /// Statements up to a word that ends a block.
    fn block(&mut self) -> Parsed<Block> {
        self.nest(|parser| {
            let mut lines = Vec::new();
            let inside = parser.word_depth();
            loop {
                match parser.statement() {
                    Ok(line) => lines.push(line),
                    Err(fault) => {
                        parser.forgive(fault)?;
                        parser.skip(inside, &[";", "else"]);
                    }
                }
                let separated = parser.accept(";");
                match parser.peek() {
                    Token::End | Token::Word("end" | "else") => return Ok(parser.emit(lines)),
                    Token::Word("skip" | "<br>" | "assert" | "if" | "let" | "thread" | "{") => {}
                    _ if separated => {}
                    Token::Ident(_) | Token::Integer(_) | Token::Word(_) => {
                        let kind = ParseErrorKind::Expected("; or the end of the block");
                        let fault = parser.error(kind);
                        parser.forgive(fault)?;
                        parser.skip(inside, &[";", "else"]);
                        parser.accept(";");
                    }
                }
            }
        })
    }

    fn statement(&mut self) -> Parsed<(Statement, Span)> {
        let start = self.here();
        let word = self.peek();
        if let Token::Word("skip" | "<br>" | "assert" | "if" | "let" | "thread" | "{") = word {
            self.advance();
        }
        let statement = match word {
            Token::Word("skip") => Statement::Skip,
            Token::Word("<br>") => Statement::Break,
            Token::Word("assert") => Statement::Assert(self.guard()?),
            Token::Word("if") => {
                let inside = self.word_depth();
                let guard = match self.guard() {
                    Ok(guard) => guard,
                    Err(fault) => {
                        self.forgive(fault)?;
                        self.skip(inside, &["then", ";"]);
                        Guard::Name(Use {
                            ident: Ident(0),
                            level: 0,
                        })
                    }
                };
                let head = self.since(start);
                self.expect("then")?;
                let yes = self.block()?;
                if self.peek() == Token::Word("end") {
                    return self.expected("else (write else skip if there is nothing to do)");
                }
                self.expect("else")?;
                let no = self.block()?;
                self.close()?;
                return Ok((Statement::If { guard, yes, no }, head));
            }
            Token::Word("let") => return self.binding(start),
            Token::Word("thread") => {
                let head = self.since(start);
                let thread = self.note(Kind::Thread, start, start);
                let body = self.block()?;
                self.close()?;
                let whole = self.since(start);
                self.notes(|notes| notes.meaning(thread).whole = whole);
                return Ok((Statement::Thread(body), head));
            }
            Token::Word("{") => return self.braces(start),
            Token::Ident(_) => return self.expected("a statement (a call is written {name …})"),
            _ => return self.expected("a statement"),
        };
        Ok((statement, self.since(start)))
    }

    fn binding(&mut self, start: Span) -> Parsed<(Statement, Span)> {
        let inside = self.word_depth();
        let here = self.here();
        let name = self.binder()?;
        let meaning = self.note(Kind::Variable, here, start);
        let (bound, head) = match self.bound(name, meaning, start) {
            Ok(read) => read,
            Err(fault) => {
                self.forgive(fault)?;
                self.skip(inside, &["in", ";", "else"]);
                (Source::Bound(Bound::Boolean(false)), start)
            }
        };
        let body = self.scoped(name, meaning)?;
        let statement = match bound {
            Source::Port(port) => Statement::Receive { name, port, body },
            Source::Bound(bound) => Statement::Let {
                name,
                bound,
                body,
                sugar: false,
            },
        };
        Ok((statement, head))
    }

    /// What a `let` binds, and the place of all before `in`, or, of a procedure, before its body.
    fn bound(&mut self, name: Ident, meaning: MeaningId, start: Span) -> Parsed<(Source, Span)> {
        self.expect("=")?;
        let bound = match self.peek() {
            Token::Word("{") => {
                self.advance();
                self.expect("receive")?;
                let port = self.usage("the port to receive from")?;
                self.expect("}")?;
                self.learn(meaning, Kind::Received);
                return Ok((Source::Port(port), self.since(start)));
            }
            Token::Word("true") => self.boolean(true),
            Token::Word("false") => self.boolean(false),
            Token::Word("port") => {
                self.advance();
                self.learn(meaning, Kind::Port);
                Bound::Port
            }
            Token::Word("proc") => {
                self.advance();
                self.learn(meaning, Kind::Procedure);
                let (bound, head) = self.procedure(name, meaning, start)?;
                return Ok((Source::Bound(bound), head));
            }
            Token::Ident(_) | Token::Integer(_) | Token::Word("(") => Bound::Expr(self.expr()?),
            _ => {
                let what = "what to bind: a number, true, false, port, proc {…} … end, \
                            an expression or {receive …}";
                return self.expected(what);
            }
        };
        if let Token::Word("==" | "<" | ">" | "<=" | ">=") = self.peek() {
            return self.expected("in (comparisons stand only after if and assert)");
        }
        Ok((Source::Bound(bound), self.since(start)))
    }

    fn boolean(&mut self, value: bool) -> Bound {
        self.advance();
        Bound::Boolean(value)
    }

    /// `in L end` with `name` in scope.
    fn scoped(&mut self, name: Ident, meaning: MeaningId) -> Parsed<Block> {
        let whole = self.end_of_last();
        self.expect("in")?;
        self.notes(|notes| notes.meaning(meaning).whole.end = whole);
        self.see(meaning);
        let body = self.within(&[(name, meaning)]);
        self.end_of_sight(&[meaning]);
        let body = body?;
        self.close()?;
        Ok(body)
    }

    /// What follows `proc`; the procedure knows its own `name`.
    fn procedure(&mut self, name: Ident, meaning: MeaningId, start: Span) -> Parsed<(Bound, Span)> {
        self.expect("{")?;
        let mut inside = vec![(name, meaning)];
        while !self.accept("}") {
            let here = self.here();
            if let Token::End | Token::Word(_) = self.peek() {
                return self.expected("a parameter or }");
            }
            let parameter = self.binder()?;
            if inside[1..].iter().any(|(other, _)| *other == parameter) {
                let kind = ParseErrorKind::DoubleParameter;
                self.forgive(ParseError { kind, span: here })?;
            }
            inside.push((parameter, self.note(Kind::Parameter, here, here)));
        }
        let head = self.since(start);
        for (_, meaning) in &inside {
            self.see(*meaning);
        }
        let body = self.within(&inside);
        let meanings: Vec<_> = inside.iter().map(|(_, meaning)| *meaning).collect();
        self.end_of_sight(&meanings);
        let body = body?;
        self.close()?;
        let parameters = inside[1..]
            .iter()
            .map(|(parameter, _)| *parameter)
            .collect();
        Ok((Bound::Procedure { parameters, body }, head))
    }

    /// A block in which more is in scope.
    fn within(&mut self, more: &[(Ident, MeaningId)]) -> Parsed<Block> {
        let outside = self.scope.len();
        self.scope.extend(more.iter().map(|(ident, _)| *ident));
        self.bound.extend(more.iter().map(|(_, meaning)| *meaning));
        let body = self.block();
        self.scope.truncate(outside);
        self.bound.truncate(outside);
        body
    }

    /// A send or a call, after `{`.
    fn braces(&mut self, start: Span) -> Parsed<(Statement, Span)> {
        if self.peek() == Token::Word("receive") {
            return self
                .expected("send or a procedure ({receive …} stands in let x = {receive …} in)");
        }
        let send = self.accept("send");
        let first = self.usage(if send {
            "the port to send to"
        } else {
            "send or a procedure"
        })?;
        let mut literals = Vec::new();
        let mut arguments = Vec::new();
        while !self.accept("}") {
            arguments.push(self.argument(&mut literals)?);
            if send && self.peek() != Token::Word("}") {
                return self.expected("} (a message is a single identifier or literal)");
            }
        }
        let head = self.since(start);
        let statement = match (&arguments[..], send) {
            ([message], true) => Statement::Send {
                port: first,
                message: *message,
            },
            (_, true) => {
                return Err(ParseError {
                    kind: ParseErrorKind::Expected("the message: {send port message}"),
                    span: self.tokens[self.at.saturating_sub(1)].1,
                });
            }
            (_, false) => Statement::Call {
                procedure: first,
                arguments: arguments.into(),
            },
        };
        // Literals are bound around the statement, the first outermost.
        let wrapped = literals.into_iter().rev().fold(statement, |inner, bound| {
            let body = self.emit(vec![(inner, head)]);
            let name = self.intern(LITERAL);
            Statement::Let {
                name,
                bound,
                body,
                sugar: true,
            }
        });
        Ok((wrapped, head))
    }

    /// An argument; literals will have scopes of their own around all that is in scope here.
    fn argument(&mut self, literals: &mut Vec<Bound>) -> Parsed<Use> {
        let literal = match self.peek() {
            Token::Integer(number) => Bound::Expr([Term::Integer(number)].into()),
            Token::Word("true") => Bound::Boolean(true),
            Token::Word("false") => Bound::Boolean(false),
            _ => return self.usage("an identifier, a literal or }"),
        };
        self.advance();
        let level = self.scope.len() + literals.len();
        literals.push(literal);
        let ident = self.intern(LITERAL);
        // Within u32, as is the number of words.
        Ok(Use {
            ident,
            level: level as u32,
        })
    }

    /// `x` or `(E op E)`; the parentheses may be left out.
    fn guard(&mut self) -> Parsed<Guard> {
        let open = self.opens_comparison();
        if open {
            self.advance();
        }
        let left = self.expr()?;
        let mut all = Comparison::ALL.into_iter();
        let Some(by) = all.find(|by| self.peek() == Token::Word(by.sign())) else {
            let [Term::Name(name)] = left[..] else {
                return self.expected("a comparison: ==, <, >, <= or >=");
            };
            if open {
                self.expect(")")?;
            }
            return Ok(Guard::Name(name));
        };
        self.advance();
        let right = self.expr()?;
        if open {
            self.expect(")")?;
        }
        Ok(Guard::Compare { left, by, right })
    }

    /// Whether the parenthesis here holds a comparison, not only its left side.
    fn opens_comparison(&self) -> bool {
        if self.peek() != Token::Word("(") {
            return false;
        }
        let mut depth = 0_u32;
        for (nth, (token, _)) in self.tokens[self.at..].iter().enumerate() {
            match token {
                Token::Word("(") => depth += 1,
                Token::Word(")") if depth == 1 => {
                    let after = self.tokens.get(self.at + nth + 1).map(|(token, _)| *token);
                    let goes_on = matches!(
                        after,
                        Some(Token::Word(
                            "==" | "<" | ">" | "<=" | ">=" | "+" | "-" | "*" | "/"
                        ))
                    );
                    return !goes_on;
                }
                Token::Word(")") => depth -= 1,
                Token::Word("==" | "<" | ">" | "<=" | ">=") if depth == 1 => return true,
                Token::Word("then" | "end" | ";") | Token::End => return true,
                _ => {}
            }
        }
        true
    }

    fn expr(&mut self) -> Parsed<Expr> {
        let mut terms = Vec::new();
        self.operands(0, &mut terms)?;
        Ok(terms.into())
    }

    /// An expression of operators that bind more strongly than `strength`.
    fn operands(&mut self, strength: u8, terms: &mut Vec<Term>) -> Parsed<()> {
        self.operand(terms)?;
        loop {
            let mut all = Operator::ALL.into_iter();
            let operator = all.find(|operator| self.peek() == Token::Word(operator.sign()));
            let stronger = operator.filter(|operator| operator.strength() > strength);
            let Some(operator) = stronger else {
                return Ok(());
            };
            self.advance();
            self.operands(operator.strength(), terms)?;
            terms.push(Term::Apply(operator));
        }
    }

    fn operand(&mut self, terms: &mut Vec<Term>) -> Parsed<()> {
        match self.peek() {
            Token::Integer(number) => {
                self.advance();
                terms.push(Term::Integer(number));
            }
            Token::Ident(_) => terms.push(Term::Name(self.usage("an identifier")?)),
            Token::Word("(") => {
                self.advance();
                self.nest(|parser| parser.operands(0, terms))?;
                self.expect(")")?;
            }
            Token::Word("-") => return self.expected("a number (write 0 - 5 for minus five)"),
            _ => return self.expected("a number, an identifier or ("),
        }
        Ok(())
    }
}
