//! From tokens to a tree.

use std::cmp::Ordering;

use borges_multiverse::language::Span;

use super::error::{ParseError, ParseErrorKind};
use super::lex::{Token, tokens};
use super::syntax::{
    Expr, ExprKind, Item, LiteralKind, MAX_ARGUMENTS, MAX_DEPTH, MAX_TEXT, Name, Operator,
};
use crate::source;
use crate::text::Forgiving;

/// Parses a program: the body of the main actor.
pub(super) fn parse(text: &str) -> Result<Vec<Item>, ParseError> {
    if text.len() > MAX_TEXT {
        return Err(ParseError::at(ParseErrorKind::LongText, 0..0));
    }
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        nesting: 0,
        level: 0,
        forgiving: None,
    };
    let items = parser.items()?;
    match parser.peek() {
        Token::End => Ok(items),
        _ => Err(parser.wrong(ParseErrorKind::NoSeparator)),
    }
}

/// Reads as much as can be read of what is perhaps no program, and says where the mistakes are. Those after the first may be
/// consequences of it.
pub(super) fn parse_most(tokens: &[(Token, Span)]) -> (Vec<Item>, Vec<ParseError>) {
    let opens = |token: &_| matches!(token, Token::Sign("{"));
    let closes = |token: &_| matches!(token, Token::Sign("}"));
    let mut parser = Parser {
        forgiving: Some(Forgiving::new(tokens, opens, closes)),
        tokens: tokens.to_vec(),
        at: 0,
        nesting: 0,
        level: 0,
    };
    let mut all = Vec::new();
    loop {
        let fault = match parser.items() {
            Ok(items) => {
                all.extend(items);
                match parser.peek() {
                    Token::End => break,
                    _ => parser.wrong(ParseErrorKind::NoSeparator),
                }
            }
            Err(fault) => fault,
        };
        // Behind a brace too many it goes on.
        if *parser.peek() == Token::End || parser.forgive(fault).is_err() {
            break;
        }
        parser.at += 1;
    }
    let faults = parser.forgiving.map_or_else(Vec::new, |all| all.faults);
    (all, faults)
}

struct Parser {
    tokens: Vec<(Token, Span)>,
    at: usize,
    /// How deep the parser itself has recursed.
    nesting: u32,
    /// How deep in braces the statements are that it reads, if it is forgiving.
    level: u32,
    /// If it goes on after mistakes: what they are.
    forgiving: Option<Forgiving<ParseErrorKind>>,
}

type Parsed<T> = Result<T, ParseError>;

impl Parser {
    fn peek(&self) -> &Token {
        // The last token is End, and nothing moves beyond it.
        &self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// The end of what was read so far.
    fn end(&self) -> u32 {
        self.at
            .checked_sub(1)
            .map_or(0, |last| self.tokens[last].1.end)
    }

    fn wrong(&self, kind: ParseErrorKind) -> ParseError {
        ParseError {
            kind,
            span: self.span(),
        }
    }

    fn is(&self, sign: &'static str) -> bool {
        *self.peek() == Token::Sign(sign)
    }

    fn takes(&mut self, sign: &'static str) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, sign: &'static str) -> Parsed<()> {
        if self.takes(sign) {
            Ok(())
        } else {
            Err(self.wrong(ParseErrorKind::Expected(sign)))
        }
    }

    fn name(&mut self) -> Parsed<Name> {
        let span = self.span();
        match self.peek().clone() {
            Token::Name(text) if !is_reserved(&text) => {
                self.at += 1;
                Ok(Name { text, span })
            }
            _ => Err(self.wrong(ParseErrorKind::Expected("a name"))),
        }
    }

    fn keyword(&mut self, word: &'static str, shown: &'static str) -> Parsed<()> {
        if matches!(self.peek(), Token::Keyword(found) if found == word) {
            self.at += 1;
            return Ok(());
        }
        Err(self.wrong(ParseErrorKind::Expected(shown)))
    }

    /// Guards against recursion without end.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_DEPTH {
            return Err(self.wrong(ParseErrorKind::Deep));
        }
        self.nesting += 1;
        let parsed = parse(self);
        self.nesting -= 1;
        parsed
    }

    /// The expression that began at `start` and ends here, over `parts`.
    fn expr(
        &self,
        kind: ExprKind,
        start: u32,
        parts: impl IntoIterator<Item = u32>,
    ) -> Parsed<Expr> {
        let depth = 1 + parts.into_iter().max().unwrap_or(0);
        let span = Span {
            start,
            end: self.end(),
        };
        if depth > MAX_DEPTH {
            let kind = ParseErrorKind::Deep;
            return Err(ParseError { kind, span });
        }
        Ok(Expr { kind, span, depth })
    }

    /// Statements up to a closing brace or the end.
    fn items(&mut self) -> Parsed<Vec<Item>> {
        let around = self.level;
        self.level = self.depth();
        let items = self.items_here();
        self.level = around;
        items
    }

    fn items_here(&mut self) -> Parsed<Vec<Item>> {
        let mut items = Vec::new();
        loop {
            while self.takes(";") {}
            if self.is("}") || *self.peek() == Token::End {
                return Ok(items);
            }
            match self.item() {
                Ok(item) => items.push(item),
                Err(fault) => {
                    self.forgive(fault)?;
                    self.skip();
                    continue;
                }
            }
            let braced = self.tokens[self.at - 1].0 == Token::Sign("}");
            if !braced && !self.is(";") && !self.is("}") && *self.peek() != Token::End {
                self.forgive(self.wrong(ParseErrorKind::NoSeparator))?;
            }
        }
    }

    /// Takes a mistake, if it is forgiving.
    fn forgive(&mut self, fault: ParseError) -> Parsed<()> {
        Forgiving::take(&mut self.forgiving, fault)
    }

    /// How deep in braces the word here is; a parser that does not forgive need not know.
    fn depth(&self) -> u32 {
        let forgiving = self.forgiving.as_ref();
        forgiving.map_or(0, |forgiving| forgiving.depths[self.at])
    }

    /// Goes on to the end of the statement that was not understood.
    fn skip(&mut self) {
        while *self.peek() != Token::End {
            let ends = match self.depth().cmp(&self.level) {
                Ordering::Greater => false,
                Ordering::Equal => self.is(";") || self.is("}"),
                Ordering::Less => true,
            };
            if ends {
                return;
            }
            self.at += 1;
        }
    }

    /// `}`; a forgiving parser takes the end of the text for it.
    fn close(&mut self) -> Parsed<()> {
        match self.expect("}") {
            Err(fault) if *self.peek() == Token::End => self.forgive(fault),
            closed => closed,
        }
    }

    fn item(&mut self) -> Parsed<Item> {
        if !matches!(self.peek(), Token::Name(word) if word == "def") {
            return self.expression().map(Item::Expr);
        }
        self.at += 1;
        let name = self.name()?;
        if self.takes("(") {
            let params = self.names(")")?;
            let body = self.nested(Self::braces)?;
            return Ok(Item::Method { name, params, body });
        }
        let value = if self.takes(":=") {
            match self.expression() {
                Ok(value) => Some(value),
                // The variable is there all the same.
                Err(fault) => {
                    self.forgive(fault)?;
                    self.skip();
                    None
                }
            }
        } else {
            None
        };
        Ok(Item::Variable { name, value })
    }

    /// Names up to `close`, with or without commas.
    fn names(&mut self, close: &'static str) -> Parsed<Vec<Name>> {
        let mut names = Vec::new();
        while !self.takes(close) {
            if names.len() >= MAX_ARGUMENTS {
                return Err(self.wrong(ParseErrorKind::ManyArguments));
            }
            names.push(self.name()?);
            if !self.takes(",") && close == ")" && !self.is(")") {
                return Err(self.wrong(ParseErrorKind::Expected(", or )")));
            }
        }
        Ok(names)
    }

    fn braces(&mut self) -> Parsed<Vec<Item>> {
        self.expect("{")?;
        let items = self.items()?;
        self.close()?;
        Ok(items)
    }

    /// `{|x| …}`
    fn block(&mut self) -> Parsed<(Vec<Name>, Vec<Item>)> {
        self.nested(|parser| {
            parser.expect("{")?;
            let names = if parser.takes("|") {
                parser.names("|")?
            } else {
                Vec::new()
            };
            let items = parser.items()?;
            parser.close()?;
            Ok((names, items))
        })
    }

    fn expression(&mut self) -> Parsed<Expr> {
        self.nested(Self::assignment)
    }

    fn assignment(&mut self) -> Parsed<Expr> {
        let start = self.span().start;
        let place = self.comparison()?;
        if !self.is(":=") {
            return Ok(place);
        }
        let (kind, span) = (place.kind, place.span);
        if !matches!(kind, ExprKind::Name(_) | ExprKind::Field(..)) {
            let kind = ParseErrorKind::NoPlace;
            return Err(ParseError { kind, span });
        }
        self.at += 1;
        let value = self.expression()?;
        let depths = [place.depth, value.depth];
        let kind = match kind {
            ExprKind::Field(receiver, name) => {
                ExprKind::AssignField(Box::new((*receiver, value)), name)
            }
            ExprKind::Name(text) => ExprKind::Assign(Name { text, span }, Box::new(value)),
            other => other,
        };
        self.expr(kind, start, depths)
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let operators = [
            Operator::Equal,
            Operator::Unequal,
            Operator::LessEqual,
            Operator::GreaterEqual,
            Operator::Less,
            Operator::Greater,
        ];
        let start = self.span().start;
        let left = self.chain(&[Operator::Add, Operator::Subtract])?;
        let Some(operator) = operators.into_iter().find(|o| self.takes(o.symbol())) else {
            return Ok(left);
        };
        let right = self.chain(&[Operator::Add, Operator::Subtract])?;
        let depths = [left.depth, right.depth];
        let kind = ExprKind::Binary(operator, Box::new((left, right)));
        self.expr(kind, start, depths)
    }

    /// Sums or products, from left to right.
    fn chain(&mut self, operators: &[Operator]) -> Parsed<Expr> {
        let product = operators == [Operator::Multiply];
        let operand = |parser: &mut Self| {
            if product {
                parser.unary()
            } else {
                parser.chain(&[Operator::Multiply])
            }
        };
        let start = self.span().start;
        let mut left = operand(self)?;
        while let Some(operator) = operators.iter().find(|o| self.takes(o.symbol())) {
            let right = operand(self)?;
            let depths = [left.depth, right.depth];
            let kind = ExprKind::Binary(*operator, Box::new((left, right)));
            left = self.expr(kind, start, depths)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span().start;
        if !self.takes("-") {
            return self.sends();
        }
        let operand = self.nested(Self::unary)?;
        let depth = operand.depth;
        let kind = match operand.kind {
            ExprKind::Integer(number) if number > 0 => ExprKind::Integer(-number),
            _ => ExprKind::Negate(Box::new(operand)),
        };
        self.expr(kind, start, [depth])
    }

    /// Messages: `e<-m(e)@FutureMessage`.
    fn sends(&mut self) -> Parsed<Expr> {
        let start = self.span().start;
        let mut receiver = self.postfix()?;
        while self.takes("<-") {
            let selector = self.name()?;
            self.expect("(")?;
            let arguments = self.arguments()?;
            let two_way = self.takes("@");
            if two_way {
                match self.peek() {
                    Token::Name(word) if word == "FutureMessage" => self.at += 1,
                    _ => return Err(self.wrong(ParseErrorKind::Annotation)),
                }
            }
            let depths: Vec<_> = depths(&arguments).chain([receiver.depth]).collect();
            let kind = ExprKind::Send {
                receiver: Box::new(receiver),
                selector,
                arguments,
                two_way,
            };
            receiver = self.expr(kind, start, depths)?;
        }
        Ok(receiver)
    }

    /// Arguments up to the closing parenthesis.
    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut arguments = Vec::new();
        while !self.takes(")") {
            if arguments.len() >= MAX_ARGUMENTS {
                return Err(self.wrong(ParseErrorKind::ManyArguments));
            }
            arguments.push(self.expression()?);
            if !self.takes(",") && !self.is(")") {
                return Err(self.wrong(ParseErrorKind::Expected(", or )")));
            }
        }
        Ok(arguments)
    }

    /// Fields and calls: `e.x`, `e.m(e)`.
    fn postfix(&mut self) -> Parsed<Expr> {
        let start = self.span().start;
        let mut expr = self.primary()?;
        while self.takes(".") {
            let name = self.name()?;
            if self.takes("(") {
                let arguments = self.arguments()?;
                let depths: Vec<_> = depths(&arguments).chain([expr.depth]).collect();
                let kind = ExprKind::Invoke(Box::new(expr), name, arguments);
                expr = self.expr(kind, start, depths)?;
            } else {
                let depth = expr.depth;
                expr = self.expr(ExprKind::Field(Box::new(expr), name), start, [depth])?;
            }
        }
        Ok(expr)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let Span { start, end } = self.span();
        match self.peek().clone() {
            Token::Integer(number) => {
                self.at += 1;
                self.expr(ExprKind::Integer(number), start, [])
            }
            Token::Text(text) => {
                self.at += 1;
                self.expr(ExprKind::Text(text), start, [])
            }
            Token::Name(word) => self.word(word),
            Token::Keyword(word) => {
                self.at += 1;
                self.keyword_expression(&word, Span { start, end })
            }
            Token::Sign("(") => {
                self.at += 1;
                let mut inner = self.expression()?;
                self.expect(")")?;
                inner.span = Span {
                    start,
                    end: self.end(),
                };
                Ok(inner)
            }
            Token::Sign("{") => {
                let (names, body) = self.block()?;
                self.literal(LiteralKind::Block, names, body, start)
            }
            _ => Err(self.wrong(ParseErrorKind::NoExpression)),
        }
    }

    fn word(&mut self, word: String) -> Parsed<Expr> {
        let Span { start, .. } = self.span();
        let constant = match word.as_str() {
            "null" => Some(ExprKind::Null),
            "true" => Some(ExprKind::True),
            "false" => Some(ExprKind::False),
            "self" => Some(ExprKind::SelfRef),
            _ => None,
        };
        if let Some(kind) = constant {
            self.at += 1;
            return self.expr(kind, start, []);
        }
        if word == "system" {
            self.at += 1;
            let println =
                matches!(self.tokens.get(self.at + 1), Some((Token::Name(n), _)) if n == "println");
            if !self.takes(".") || !println {
                return Err(self.wrong(ParseErrorKind::System));
            }
            self.at += 1;
            self.expect("(")?;
            let arguments = self.arguments()?;
            let depths: Vec<_> = depths(&arguments).collect();
            return self.expr(ExprKind::Println(arguments), start, depths);
        }
        if word == "def" {
            return Err(self.wrong(ParseErrorKind::NoExpression));
        }
        let name = self.name()?;
        if self.takes("(") {
            let arguments = self.arguments()?;
            let depths: Vec<_> = depths(&arguments).collect();
            return self.expr(ExprKind::Call(name, arguments), start, depths);
        }
        self.expr(ExprKind::Name(name.text), start, [])
    }

    fn keyword_expression(&mut self, word: &str, span: Span) -> Parsed<Expr> {
        let kind = match word {
            "actor" => LiteralKind::Actor,
            "object" => LiteralKind::Object,
            "isolate" => LiteralKind::Isolate,
            "when" => return self.when(span.start),
            "if" => return self.conditional(span.start),
            _ => {
                let kind = ParseErrorKind::UnknownKeyword(word.to_owned());
                return Err(ParseError { kind, span });
            }
        };
        let (names, body) = self.block()?;
        if kind == LiteralKind::Object
            && let Some(name) = names.first()
        {
            // An object sees what is around it anyway.
            let (kind, span) = (
                ParseErrorKind::Expected("no |…|, as objects see what is around them,"),
                name.span,
            );
            return Err(ParseError { kind, span });
        }
        self.literal(kind, names, body, span.start)
    }

    fn literal(
        &mut self,
        kind: LiteralKind,
        names: Vec<Name>,
        body: Vec<Item>,
        start: u32,
    ) -> Parsed<Expr> {
        let depth = item_depth(&body);
        self.expr(ExprKind::Literal { kind, names, body }, start, [depth])
    }

    fn when(&mut self, start: u32) -> Parsed<Expr> {
        let future = self.nested(Self::comparison)?;
        self.keyword("becomes", "becomes: {|x| …}")?;
        let Span { start: open, .. } = self.span();
        let (names, body) = self.block()?;
        if names.len() > 1 {
            let kind = ParseErrorKind::Expected("one name at most");
            let span = names[1].span;
            return Err(ParseError { kind, span });
        }
        let block = self.literal(LiteralKind::Block, names, body, open)?;
        let depths = [future.depth, block.depth];
        self.expr(ExprKind::When(Box::new((future, block))), start, depths)
    }

    fn conditional(&mut self, start: u32) -> Parsed<Expr> {
        let condition = self.nested(Self::comparison)?;
        self.keyword("then", "then: {…}")?;
        let then = self.nested(Self::braces)?;
        let otherwise = if matches!(self.peek(), Token::Keyword(word) if word == "else") {
            self.at += 1;
            Some(self.nested(Self::braces)?)
        } else {
            None
        };
        let depths = [
            condition.depth,
            item_depth(&then),
            otherwise.as_deref().map_or(0, item_depth),
        ];
        let kind = ExprKind::If {
            condition: Box::new(condition),
            then,
            otherwise,
        };
        self.expr(kind, start, depths)
    }
}

pub(super) fn is_reserved(word: &str) -> bool {
    matches!(word, "def" | "self" | "null" | "true" | "false" | "system")
}

fn depths(exprs: &[Expr]) -> impl Iterator<Item = u32> + '_ {
    exprs.iter().map(|expr| expr.depth)
}

fn item_depth(items: &[Item]) -> u32 {
    let depth = |item: &Item| match item {
        Item::Variable { value, .. } => value.as_ref().map_or(0, |value| value.depth),
        Item::Method { body, .. } => 1 + item_depth(body),
        Item::Expr(expr) => expr.depth,
    };
    items.iter().map(depth).max().unwrap_or(0)
}

impl source::Fault for ParseErrorKind {
    fn opener(&self, text: &str, at: Span) -> Option<Span> {
        let (Self::Expected(_) | Self::NoExpression | Self::NoSeparator) = self else {
            return None;
        };
        let opens = |token: &_| matches!(token, Token::Sign("{" | "("));
        let closes = |token: &_| matches!(token, Token::Sign("}" | ")"));
        source::still_open(text, at, &tokens(text).ok()?, opens, closes)
    }
}
