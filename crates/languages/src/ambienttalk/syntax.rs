//! The tree of a program's text.

use borges_multiverse::language::Span;

use crate::text::Kind;

/// The deepest nesting of expressions: what walks the tree may recurse this far.
pub(super) const MAX_DEPTH: u32 = 200;

/// The longest text that is read, in bytes.
pub(super) const MAX_TEXT: usize = 1 << 24;

/// The most arguments of a message, and names in `|…|`.
pub(super) const MAX_ARGUMENTS: usize = 250;

/// A word and its place.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

impl PartialEq for Name {
    /// Equality ignores layout.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// An expression and its place.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
    /// The longest way down to a leaf.
    pub(super) depth: u32,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// A statement, or a part of an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    /// `def x := e` or `def x`.
    Variable { name: Name, value: Option<Expr> },
    /// `def m(x) { … }`.
    Method {
        name: Name,
        params: Vec<Name>,
        body: Vec<Item>,
    },
    /// An expression.
    Expr(Expr),
}

/// What a literal makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum LiteralKind {
    Actor,
    Object,
    Isolate,
    Block,
}

impl LiteralKind {
    /// Whether it sees nothing of what is around it but what it takes in.
    pub(super) const fn is_isolated(self) -> bool {
        matches!(self, Self::Actor | Self::Isolate)
    }

    /// What it makes, for editors.
    pub(super) const fn made(self) -> Kind {
        match self {
            Self::Actor => Kind::Actor,
            Self::Object => Kind::Object,
            Self::Isolate => Kind::Isolate,
            Self::Block => Kind::Block,
        }
    }
}

/// `+`, `-`, `*` and comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Operator {
    pub(super) const fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ExprKind {
    Null,
    True,
    False,
    SelfRef,
    Integer(i64),
    Text(String),
    Name(String),
    Binary(Operator, Box<(Expr, Expr)>),
    /// `-e`
    Negate(Box<Expr>),
    /// `x := e`
    Assign(Name, Box<Expr>),
    /// `e.x := e`
    AssignField(Box<(Expr, Expr)>, Name),
    /// `e.x`
    Field(Box<Expr>, Name),
    /// `m(e)`
    Call(Name, Vec<Expr>),
    /// `e.m(e)`
    Invoke(Box<Expr>, Name, Vec<Expr>),
    /// `e<-m(e)`, with `@FutureMessage` if `two_way`
    Send {
        receiver: Box<Expr>,
        selector: Name,
        arguments: Vec<Expr>,
        two_way: bool,
    },
    /// `when: e becomes: { |x| … }`; the second is a block
    When(Box<(Expr, Expr)>),
    If {
        condition: Box<Expr>,
        then: Vec<Item>,
        otherwise: Option<Vec<Item>>,
    },
    /// `actor: {|x| …}`, `object: {…}`, `isolate: {|x| …}`, `{|x| …}`; `names` are what actors and
    /// isolates take from around them, and the parameters of blocks
    Literal {
        kind: LiteralKind,
        names: Vec<Name>,
        body: Vec<Item>,
    },
    /// `system.println(e)`
    Println(Vec<Expr>),
}
