//! What can be wrong with a program's text.

use crate::source;

/// The longest text that is read, in bytes.
pub(super) const MAX_TEXT: usize = 1 << 28;

/// How deeply scopes and parentheses nest at most.
pub(super) const MAX_DEPTH: u32 = 1_000;

/// What is wrong with a program's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
    /// A character that starts nothing.
    #[error("this character means nothing here")]
    UnknownCharacter,
    /// A comment without its end.
    #[error("this comment is never closed: write */")]
    OpenComment,
    /// An integer beyond 64 bits.
    #[error("integers go up to {}", i64::MAX)]
    LargeNumber,
    /// Something else should come here.
    #[error("here should come {0}")]
    Expected(&'static str),
    /// An identifier that no scope around binds.
    #[error("nothing of this name is bound here: bind it by let, or as a parameter")]
    Unbound,
    /// Two parameters of one name.
    #[error("another parameter has this name")]
    DoubleParameter,
    /// The scopes nest too deeply.
    #[error("scopes and parentheses nest at most {MAX_DEPTH} deep")]
    TooDeep,
    /// The text is too long.
    #[error("programs have at most {MAX_TEXT} bytes")]
    LongText,
    /// Text after the program.
    #[error("the program ended before this: an end too many?")]
    Trailing,
}

impl ParseErrorKind {
    /// Whether the text is right but for a name: then what comes after the mistake is read as it was meant.
    pub(super) const fn is_about_names(self) -> bool {
        matches!(self, Self::Unbound | Self::DoubleParameter)
    }
}

/// Why a text is no program, and where.
pub type ParseError = source::ParseError<ParseErrorKind>;
