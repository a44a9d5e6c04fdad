//! Parsed programs: flat lists, identifiers resolved to their place in the environment.

use std::collections::HashMap;
use std::sync::Arc;

use borges_multiverse::language::Span;

/// An identifier of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Ident(pub(super) u32);

/// The identifiers of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Idents {
    texts: Vec<Box<str>>,
    /// Whether another one may look like this one with a number behind it.
    crowded: Vec<bool>,
}

impl Idents {
    /// The identifiers that have these texts, each once.
    pub(super) fn new(texts: Vec<Box<str>>) -> Self {
        let mut alike: HashMap<&str, u32> = HashMap::new();
        for text in &texts {
            *alike.entry(stem(text)).or_default() += 1;
        }
        let crowded = texts.iter().map(|text| alike[stem(text)] > 1).collect();
        Self { texts, crowded }
    }

    pub(super) fn text(&self, ident: Ident) -> &str {
        &self.texts[ident.0 as usize]
    }

    pub(super) fn is_crowded(&self, ident: Ident) -> bool {
        self.crowded[ident.0 as usize]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Ident, &str)> {
        (0..).map(Ident).zip(self.texts.iter().map(|text| &**text))
    }
}

/// What is left of a name without the number and the quote that may be at its end.
fn stem(name: &str) -> &str {
    let plain = name.trim_end_matches('\'');
    plain.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// A block of statements: the number of its first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Block(pub(super) u32);

/// A use of an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) ident: Ident,
    /// Its place in the environment, counted from the outermost.
    pub(super) level: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operator {
    Plus,
    Minus,
    Times,
    Divide,
}

impl Operator {
    pub(super) const ALL: [Self; 4] = [Self::Plus, Self::Minus, Self::Times, Self::Divide];

    pub(super) const fn sign(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Divide => "/",
        }
    }

    /// How strongly it binds.
    pub(super) const fn strength(self) -> u8 {
        match self {
            Self::Plus | Self::Minus => 1,
            Self::Times | Self::Divide => 2,
        }
    }
}

/// A part of an expression in postfix order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Term {
    Integer(i64),
    Name(Use),
    Apply(Operator),
}

/// An expression in postfix order: evaluating it needs no recursion.
pub(super) type Expr = Box<[Term]>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Less,
    Greater,
    AtMost,
    AtLeast,
}

impl Comparison {
    pub(super) const ALL: [Self; 5] = [
        Self::Equal,
        Self::Less,
        Self::Greater,
        Self::AtMost,
        Self::AtLeast,
    ];

    pub(super) const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::Less => "<",
            Self::Greater => ">",
            Self::AtMost => "<=",
            Self::AtLeast => ">=",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Guard {
    Name(Use),
    Compare {
        left: Expr,
        by: Comparison,
        right: Expr,
    },
}

/// What a `let` binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Boolean(bool),
    Port,
    Procedure {
        parameters: Box<[Ident]>,
        body: Block,
    },
    Expr(Expr),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    Skip,
    Break,
    Assert(Guard),
    If {
        guard: Guard,
        yes: Block,
        no: Block,
    },
    Let {
        name: Ident,
        bound: Bound,
        body: Block,
        /// It stands for a literal that is an argument in the body.
        sugar: bool,
    },
    Receive {
        name: Ident,
        port: Use,
        body: Block,
    },
    Thread(Block),
    Send {
        port: Use,
        message: Use,
    },
    Call {
        procedure: Use,
        arguments: Box<[Use]>,
    },
}

/// A statement in its block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) statement: Statement,
    /// Its block ends with it.
    pub(super) last: bool,
}

/// A parsed program. Equality ignores layout.
///
/// The statements of a block follow each other; inner blocks come before outer ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) lines: Vec<Line>,
    /// For each line, the part of the text that it is chiefly about: all of a short statement, the
    /// head of one with blocks inside.
    pub(super) spans: Vec<Span>,
    pub(super) idents: Arc<Idents>,
    pub(super) main: Block,
    /// Where the lines of the text begin, after the first.
    pub(super) line_starts: Box<[u32]>,
}

impl Program {
    pub(super) fn line(&self, at: u32) -> &Line {
        &self.lines[at as usize]
    }

    pub(super) fn span(&self, at: u32) -> Option<Span> {
        self.spans.get(at as usize).copied()
    }

    pub(super) fn text(&self, ident: Ident) -> &str {
        self.idents.text(ident)
    }

    /// The statements of a block.
    pub(super) fn block(&self, block: Block) -> impl Iterator<Item = &Line> {
        let lines = &self.lines[block.0 as usize..];
        let len = lines.iter().take_while(|line| !line.last).count() + 1;
        lines.iter().take(len)
    }
}

impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        (&self.lines, &self.idents, self.main) == (&other.lines, &other.idents, other.main)
    }
}
