//! A small expression language for conditions and watches.
//!
//! It reads like C and Rust: names of variables, `.`, `->`, `[i]`, `[i..j]` (without the one at `j`), `*p`, `&x`,
//! casts (`(u8)x`, `x as u8`, `(struct P *)a`), `sizeof`, arithmetic, comparisons and logic. Names are
//! looked up among the variables of the stop (innermost first), then the program's variables, then
//! enumerators (`HEAT`, `Mode::Heat`, `Mode.Heat`), then whatever the embedder's [`Scope`] knows. Below
//! the source there are `$0` (local 0 of the function, parameters first; also `$local0`), `$stack0` (the
//! bottom of its operand stack; also `$operand0`) and `$global1`, and memory as `mem8[a]`, `mem16[a]`,
//! `mem32[a]`, `mem64[a]` (unsigned) and `memf32[a]`, `memf64[a]`.
//!
//! Integers are mathematical: they do not wrap, and a `u8` of 255 plus 1 is 256. So a comparison
//! means what it says, whatever the types; a result that needs more than 127 bits is an error. Only a
//! cast to an integer type wraps.

mod arithmetic;
mod evaluate;
mod lexer;
mod mentions;
mod names;
mod parser;
mod term;
mod type_name;

pub use evaluate::{Evaluated, NoScope, Scope};
pub use names::Known;
pub use term::{NumberAt, Term};

use type_name::TypeName;

use std::fmt;

use crate::place::Unavailable;

/// Most elements of a range.
const MAX_ELEMENTS: usize = 256;

/// Longest text of an expression, in bytes.
const MAX_TEXT: usize = 4096;

/// Deepest nesting of an expression.
const MAX_DEPTH: u32 = 64;

/// An expression, ready to be evaluated any number of times.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    root: Node,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// [`ExpressionError`] with the column where it stops making sense.
    pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
        if text.len() > MAX_TEXT {
            return Err(ExpressionError {
                column: 1,
                kind: ExpressionErrorKind::TooLong,
            });
        }
        let root = parser::parse(text)?;
        Ok(Expression {
            text: text.to_owned(),
            root,
        })
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What is wrong with an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {kind}")]
pub struct ExpressionError {
    /// In characters from 1.
    pub column: u32,
    /// What is wrong there.
    pub kind: ExpressionErrorKind,
}

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionErrorKind {
    /// A character that no expression has.
    #[error("{0:?} means nothing here")]
    StrangeCharacter(char),
    /// A number, letter or string that does not end or is too large.
    #[error("this number, letter or text cannot be read")]
    BadLiteral,
    /// Something else was expected.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What could have come.
        expected: &'static str,
        /// What came.
        found: String,
    },
    /// Longer or deeper than anybody writes.
    #[error("the expression is too long or too deeply nested")]
    TooLong,
    /// No variable has this name here.
    #[error("{name} is not known here{known}")]
    UnknownName {
        /// The name.
        name: String,
        /// Names that are known.
        known: Known,
    },
    /// No type has this name.
    #[error("there is no type {name}{known}")]
    UnknownType {
        /// The name.
        name: String,
        /// Types that there are.
        known: Known,
    },
    /// The value has no such field.
    #[error("{ty} has no field {field}{known}")]
    NoField {
        /// The value's type.
        ty: String,
        /// The field.
        field: String,
        /// Fields that it has.
        known: Known,
    },
    /// No value of the program has such a field.
    #[error("nothing in this program has a field {field}{known}")]
    UnknownField {
        /// The field.
        field: String,
        /// Fields that there are.
        known: Known,
    },
    /// The value has no such element.
    #[error("{ty} has no element {index}")]
    NoElement {
        /// The value's type.
        ty: String,
        /// The element.
        index: i128,
    },
    /// A range that ends before it begins, or is longer than anybody reads.
    #[error("a range holds {MAX_ELEMENTS} elements at most and ends behind its start: {0}..{1}")]
    BadRange(i128, i128),
    /// A number that was computed, or a type that the compiler only mentions.
    #[error("{0} has no size")]
    NoSize(String),
    /// Not a pointer, or null.
    #[error("{0} points to nothing")]
    NoTarget(String),
    /// The value is not in memory.
    #[error("this has no address")]
    NoAddress,
    /// A record or array where a number is needed.
    #[error("{0} is not a number")]
    NotANumber(String),
    /// A float or text where an integer is needed.
    #[error("this needs an integer")]
    NotAnInteger,
    /// Division by zero, or a number beyond 127 bits.
    #[error("division by zero or overflow")]
    Arithmetic,
    /// The value cannot be read.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// A node of an expression, with the column of its first character.
#[derive(Clone, Debug, PartialEq)]
struct Node {
    column: u32,
    kind: NodeKind,
}

#[derive(Clone, Debug, PartialEq)]
enum NodeKind {
    Int(i128),
    Float(f64),
    Text(String),
    Name(String),
    /// `$0` and its like.
    Wasm(WasmThing, u32),
    /// `mem32[address]`.
    Memory(MemoryKind, Box<Node>),
    Call(String, Vec<Node>),
    Field(Box<Node>, String),
    Index(Box<Node>, Box<Node>),
    /// `a[from..to]`; either end may be left out.
    Range(Box<Node>, Option<Box<Node>>, Option<Box<Node>>),
    Cast(TypeName, Box<Node>),
    /// Of a value or, if the node is a name that no variable has, a type.
    SizeOf(Box<Node>),
    SizeOfType(TypeName),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum WasmThing {
    Local,
    Global,
    Operand,
}

impl WasmThing {
    /// The prefixes that name them.
    const PREFIXES: [(&str, WasmThing); 5] = [
        ("$stack", WasmThing::Operand),
        ("$operand", WasmThing::Operand),
        ("$global", WasmThing::Global),
        ("$local", WasmThing::Local),
        // The shortest last: it begins all others.
        ("$", WasmThing::Local),
    ];
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct MemoryKind {
    bytes: u32,
    float: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Unary {
    Not,
    Negate,
    Complement,
    Target,
    Address,
}

/// What an expression puts two values together by.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "operators of C")]
pub enum Binary {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}
