//! What can be wrong with a text.

use super::syntax::{MAX_ARGUMENTS, MAX_DEPTH, MAX_TEXT};
use crate::source;

/// What is wrong with a program's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
    /// Something else must stand here.
    #[error("{0} must stand here")]
    Expected(&'static str),
    /// An expression must stand here.
    #[error("an expression must stand here")]
    NoExpression,
    /// Two statements on end.
    #[error("a ; must separate statements")]
    NoSeparator,
    /// A sign that means nothing.
    #[error("this sign means nothing here")]
    UnknownSign,
    /// A comment without an end.
    #[error("this comment is never closed: write */")]
    OpenComment,
    /// A text without an end.
    #[error("this text is not closed on its line: write \"")]
    OpenText,
    /// A backslash before something else.
    #[error("after \\ in a text comes n, \" or \\")]
    BadEscape,
    /// An integer of more than 63 bits.
    #[error("integers reach from -9223372036854775808 to 9223372036854775807")]
    LargeInteger,
    /// Digits with letters.
    #[error("this is neither an integer nor a name")]
    BadInteger,
    /// A keyword that does not exist.
    #[error(
        "there is no keyword {0}: ; known are actor:, object:, isolate:, when: … becomes:, if: … then: … else:"
    )]
    UnknownKeyword(String),
    /// Something of `system` that does not exist.
    #[error("system only has println(…)")]
    System,
    /// An annotation that does not exist.
    #[error("the only annotation of a message is @FutureMessage")]
    Annotation,
    /// An assignment to something else than a variable or field.
    #[error("only a variable or a field can be assigned to")]
    NoPlace,
    /// Nested too deep.
    #[error("expressions nest at most {MAX_DEPTH} deep")]
    Deep,
    /// Too many arguments.
    #[error("at most {MAX_ARGUMENTS} of them")]
    ManyArguments,
    /// The text is too long.
    #[error("programs have at most {MAX_TEXT} bytes")]
    LongText,
    /// A name that is not defined where it is used.
    #[error("nothing here is called {0}")]
    UnknownName(String),
    /// A name that lies outside an actor or isolate.
    #[error("{0} lies outside this {1}, which sees nothing around it: take it in with {{|{0}| …}}")]
    Outside(String, &'static str),
    /// A name that is defined twice.
    #[error("{0} is defined twice here")]
    Twice(String),
    /// A method used as a value.
    #[error("{0} is a method: call it with {0}(…)")]
    Method(String),
    /// A method definition where only statements can be.
    #[error("methods are defined in the body of an object, actor or isolate")]
    StrayMethod,
    /// An assignment to a variable that a block has captured.
    #[error(
        "{0} is taken into a block or object by value, so it cannot be assigned to: make it a field"
    )]
    Captured(String),
    /// A number of arguments that does not fit.
    #[error("{name} takes {takes} arguments, here are {given}")]
    Arity {
        /// Of what.
        name: String,
        /// How many it takes.
        takes: usize,
        /// How many are given.
        given: usize,
    },
}

/// Why a text is no program, and where.
pub type ParseError = source::ParseError<ParseErrorKind>;
