//! Tokens to expressions. Precedence is that of Rust: other than in C, `&`, `^` and `|` bind tighter
//! than comparisons, so that `flags & 4 == 0` means what it says.

use super::lexer::{Token, TokenKind, tokens};
use super::type_name::{C_WORDS, QUALIFIERS, TypeName, is_built_in};
use super::{
    Binary, ExpressionError, ExpressionErrorKind, MAX_DEPTH, MemoryKind, Node, NodeKind, Unary,
    WasmThing,
};

pub(super) fn parse(text: &str) -> Result<Node, ExpressionError> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        depth: 0,
    };
    let node = parser.binary(0)?;
    match parser.peek() {
        TokenKind::End => Ok(node),
        _ => Err(parser.expected("an operator or the end")),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
}

/// Operators by how tightly they bind, loosest first.
const LEVELS: [&[(&str, Binary)]; 9] = [
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[
        ("==", Binary::Equal),
        ("!=", Binary::Unequal),
        ("<=", Binary::LessOrEqual),
        (">=", Binary::GreaterOrEqual),
        ("<", Binary::Less),
        (">", Binary::Greater),
    ],
    &[("|", Binary::BitOr)],
    &[("^", Binary::BitXor)],
    &[("&", Binary::BitAnd)],
    &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[
        ("*", Binary::Multiply),
        ("/", Binary::Divide),
        ("%", Binary::Remainder),
    ],
];

impl Parser {
    fn peek(&self) -> &TokenKind {
        self.tokens
            .get(self.at)
            .map_or(&TokenKind::End, |token| &token.kind)
    }

    fn column(&self) -> u32 {
        self.tokens
            .get(self.at)
            .or(self.tokens.last())
            .map_or(1, |token| token.column)
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), TokenKind::Sign(found) if *found == sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str, expected: &'static str) -> Result<(), ExpressionError> {
        if self.accept(sign) {
            Ok(())
        } else {
            Err(self.expected(expected))
        }
    }

    fn expected(&self, expected: &'static str) -> ExpressionError {
        let found = match self.peek() {
            TokenKind::Int(value) => value.to_string(),
            TokenKind::Float(value) => value.to_string(),
            TokenKind::Text(text) => format!("{text:?}"),
            TokenKind::Name(name) => name.clone(),
            TokenKind::Sign(sign) => (*sign).to_owned(),
            TokenKind::End => "the end".to_owned(),
        };
        self.error(ExpressionErrorKind::Expected { expected, found })
    }

    fn error(&self, kind: ExpressionErrorKind) -> ExpressionError {
        ExpressionError {
            column: self.column(),
            kind,
        }
    }

    /// Counts one level of nesting while `inner` runs.
    fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Parser) -> Result<T, ExpressionError>,
    ) -> Result<T, ExpressionError> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(ExpressionErrorKind::TooLong));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn binary(&mut self, level: usize) -> Result<Node, ExpressionError> {
        let Some(operators) = LEVELS.get(level) else {
            return self.nested(Parser::converted);
        };
        let mut left = self.binary(level + 1)?;
        let mut length = 0;
        while let Some(&(_, operator)) = operators
            .iter()
            .find(|(sign, _)| *self.peek() == TokenKind::Sign(sign))
        {
            self.at += 1;
            // A long chain is a deep tree: evaluation would recurse as deep.
            length += 1;
            if length > MAX_DEPTH {
                return Err(self.error(ExpressionErrorKind::TooLong));
            }
            let right = self.binary(level + 1)?;
            let column = left.column;
            left = Node {
                column,
                kind: NodeKind::Binary(operator, Box::new(left), Box::new(right)),
            };
        }
        Ok(left)
    }

    /// An operand with the `as TYPE`s behind it.
    fn converted(&mut self) -> Result<Node, ExpressionError> {
        let mut node = self.unary()?;
        let mut length = 0;
        while matches!(self.peek(), TokenKind::Name(name) if name == "as") {
            self.at += 1;
            length += 1;
            if length > MAX_DEPTH {
                return Err(self.error(ExpressionErrorKind::TooLong));
            }
            let around = self.stars(&["*", "&"]);
            let ty = self.type_name().ok_or_else(|| self.expected("a type"))?;
            let ty = TypeName {
                pointers: ty.pointers + around,
                ..ty
            };
            let column = node.column;
            node = Node {
                column,
                kind: NodeKind::Cast(ty, Box::new(node)),
            };
        }
        Ok(node)
    }

    /// `u8`, `unsigned char`, `struct Parser *`; nothing, and nothing taken, if no type can begin here.
    fn type_name(&mut self) -> Option<TypeName> {
        let start = self.at;
        let mut certain = self.words(&QUALIFIERS);
        let Some(mut name) = self.name_if(|_| true) else {
            self.at = start;
            return None;
        };
        if C_WORDS.contains(&name.as_str()) {
            while let Some(word) = self.name_if(|word| C_WORDS.contains(&word)) {
                name = format!("{name} {word}");
            }
            name = in_order(&name);
        }
        certain |= is_built_in(&name);
        let pointers = self.stars(&["*"]);
        Some(TypeName {
            name,
            pointers,
            certain: certain || pointers > 0,
        })
    }

    /// Takes all `signs` that follow, and qualifiers between them; how many signs.
    fn stars(&mut self, signs: &[&str]) -> u32 {
        let mut count = 0;
        loop {
            match signs.iter().any(|sign| self.accept(sign)) {
                true => count += 1,
                false if self.words(&QUALIFIERS) => {}
                false => return count,
            }
        }
    }

    /// Takes all of these words that follow; whether there were any.
    fn words(&mut self, words: &[&str]) -> bool {
        let start = self.at;
        while self.name_if(|word| words.contains(&word)).is_some() {}
        self.at > start
    }

    fn name_if(&mut self, accept: impl Fn(&str) -> bool) -> Option<String> {
        let name = match self.peek() {
            TokenKind::Name(name) if accept(name) => name.clone(),
            _ => return None,
        };
        self.at += 1;
        Some(name)
    }

    /// `(TYPE)` before an operand; nothing, and nothing taken, if this is something else in brackets.
    ///
    /// `(a) - b` is a difference, unless `a` can only be a type.
    fn cast(&mut self) -> Option<TypeName> {
        let start = self.at;
        let ty = self
            .accept("(")
            .then(|| self.type_name())
            .flatten()
            .filter(|_| self.accept(")"));
        let operand = match self.peek() {
            TokenKind::Name(name) => name != "as",
            TokenKind::Int(_) | TokenKind::Float(_) | TokenKind::Text(_) => true,
            TokenKind::Sign("(" | "!" | "~") => true,
            TokenKind::Sign("-" | "*" | "&") => ty.as_ref().is_some_and(|ty| ty.certain),
            _ => false,
        };
        if ty.is_none() || !operand {
            self.at = start;
            return None;
        }
        ty
    }

    /// What stands behind `sizeof`.
    fn size_of(&mut self) -> Result<NodeKind, ExpressionError> {
        let start = self.at;
        let ty = self
            .accept("(")
            .then(|| self.type_name())
            .flatten()
            .filter(|ty| self.accept(")") && ty.certain);
        if let Some(ty) = ty {
            return Ok(NodeKind::SizeOfType(ty));
        }
        self.at = start;
        Ok(NodeKind::SizeOf(Box::new(self.nested(Parser::unary)?)))
    }

    /// What stands in `[…]`: an index, or a range without its last.
    fn index(&mut self, of: Node) -> Result<NodeKind, ExpressionError> {
        let of = Box::new(of);
        let inner = |parser: &mut Parser| parser.nested(|parser| parser.binary(0)).map(Box::new);
        let from = match self.peek() {
            TokenKind::Sign("..") => None,
            _ => Some(inner(self)?),
        };
        let kind = match (from, self.accept("..")) {
            (Some(index), false) => NodeKind::Index(of, index),
            (from, _) => {
                let to = match self.peek() {
                    TokenKind::Sign("]") => None,
                    _ => Some(inner(self)?),
                };
                NodeKind::Range(of, from, to)
            }
        };
        self.expect("]", "]")?;
        Ok(kind)
    }

    fn unary(&mut self) -> Result<Node, ExpressionError> {
        let column = self.column();
        if let Some(ty) = self.cast() {
            let operand = self.nested(Parser::unary)?;
            return Ok(Node {
                column,
                kind: NodeKind::Cast(ty, Box::new(operand)),
            });
        }
        if self.name_if(|name| name == "sizeof").is_some() {
            let kind = self.size_of()?;
            return Ok(Node { column, kind });
        }
        let operators = [
            ("!", Unary::Not),
            ("-", Unary::Negate),
            ("~", Unary::Complement),
            ("*", Unary::Target),
            ("&", Unary::Address),
        ];
        for (sign, operator) in operators {
            if self.accept(sign) {
                let operand = self.nested(Parser::unary)?;
                return Ok(Node {
                    column,
                    kind: NodeKind::Unary(operator, Box::new(operand)),
                });
            }
        }
        let mut node = self.primary()?;
        let mut length = 0;
        loop {
            length += 1;
            if length > MAX_DEPTH {
                return Err(self.error(ExpressionErrorKind::TooLong));
            }
            let column = node.column;
            if self.accept("[") {
                let kind = self.index(node)?;
                node = Node { column, kind };
            } else if self.accept(".") || self.accept("->") {
                // Of what is wrong with a field, the column is that of its name.
                let column = self.column();
                let field = self.field_name()?;
                node = Node {
                    column,
                    kind: NodeKind::Field(Box::new(node), field),
                };
            } else {
                return Ok(node);
            }
        }
    }

    /// A field's name; of a tuple, its number.
    fn field_name(&mut self) -> Result<String, ExpressionError> {
        match self.peek().clone() {
            TokenKind::Name(name) => {
                self.at += 1;
                Ok(name)
            }
            TokenKind::Int(number) => {
                self.at += 1;
                Ok(number.to_string())
            }
            _ => Err(self.expected("a field's name")),
        }
    }

    fn primary(&mut self) -> Result<Node, ExpressionError> {
        let column = self.column();
        let kind = match self.peek().clone() {
            TokenKind::Int(value) => {
                self.at += 1;
                NodeKind::Int(value)
            }
            TokenKind::Float(value) => {
                self.at += 1;
                NodeKind::Float(value)
            }
            TokenKind::Text(text) => {
                self.at += 1;
                NodeKind::Text(text)
            }
            TokenKind::Name(name) => {
                self.at += 1;
                self.named(name)?
            }
            TokenKind::Sign("(") => {
                self.at += 1;
                let inner = self.nested(|parser| parser.binary(0))?;
                self.expect(")", ")")?;
                inner.kind
            }
            _ => return Err(self.expected("a value")),
        };
        Ok(Node { column, kind })
    }

    fn named(&mut self, name: String) -> Result<NodeKind, ExpressionError> {
        let memory = match name.as_str() {
            "mem8" => Some((1, false)),
            "mem16" => Some((2, false)),
            "mem32" => Some((4, false)),
            "mem64" => Some((8, false)),
            "memf32" => Some((4, true)),
            "memf64" => Some((8, true)),
            _ => None,
        };
        if let Some((bytes, float)) = memory
            && self.accept("[")
        {
            let address = self.nested(|parser| parser.binary(0))?;
            self.expect("]", "]")?;
            return Ok(NodeKind::Memory(
                MemoryKind { bytes, float },
                Box::new(address),
            ));
        }
        for (prefix, thing) in WasmThing::PREFIXES {
            if let Some(Ok(index)) = name.strip_prefix(prefix).map(str::parse) {
                return Ok(NodeKind::Wasm(thing, index));
            }
        }
        match name.as_str() {
            "true" => return Ok(NodeKind::Int(1)),
            "false" | "null" => return Ok(NodeKind::Int(0)),
            _ => {}
        }
        if !self.accept("(") {
            return Ok(NodeKind::Name(name));
        }
        let mut arguments = Vec::new();
        if !self.accept(")") {
            loop {
                arguments.push(self.nested(|parser| parser.binary(0))?);
                if self.accept(")") {
                    break;
                }
                self.expect(",", ", or )")?;
            }
        }
        Ok(NodeKind::Call(name, arguments))
    }
}

/// C's words for a type as its table has them: `short unsigned int` is `unsigned short`.
fn in_order(name: &str) -> String {
    let mut words: Vec<&str> = name.split(' ').collect();
    let says_enough = |word: &&str| !matches!(*word, "int" | "signed" | "unsigned");
    if words.iter().any(says_enough) {
        words.retain(|word| *word != "int");
    }
    if words.len() > 1 && !words.contains(&"char") {
        words.retain(|word| *word != "signed");
    }
    words.sort_by_key(|word| !word.ends_with("signed"));
    words.join(" ")
}
