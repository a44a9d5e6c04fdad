//! Why a text is no program, and why an order was refused.

use std::fmt;
use std::sync::Arc;

use borges_multiverse::language::Span;
use borges_multiverse::temporal::FormulaError;

use crate::predicate::NoCondition;
use crate::source::{Fault, ParseError};

/// Why a text is no program, and where.
#[derive(Clone, Debug)]
pub struct ModelError(ParseError<Arc<dyn Fault>>);

impl<K: Fault + 'static> From<ParseError<K>> for ModelError {
    fn from(ParseError { kind, span }: ParseError<K>) -> Self {
        let kind: Arc<dyn Fault> = Arc::new(kind);
        Self(ParseError { kind, span })
    }
}

impl ModelError {
    /// The error with its line, column and a caret under the place; `text` is what was parsed.
    #[must_use]
    pub fn explain(&self, text: &str) -> String {
        self.0.explain(text)
    }

    /// The mistake itself.
    #[must_use]
    pub fn fault(&self) -> &ParseError<Arc<dyn Fault>> {
        &self.0
    }

    /// The place of the mistake.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ModelError {}

/// Why an order was refused; nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The language has no such breakpoint: why, for people.
    #[error("{0}")]
    Breakpoint(String),
    /// The step makes no sense here.
    #[error("the actor cannot step {0} here{1}")]
    NotHere(&'static str, &'static str),
    /// No such universe.
    #[error("there is no universe {0}; there are {1}, from 0")]
    NoUniverse(u32, u32),
    /// No such edge.
    #[error("there is no edge {0}")]
    NoEdge(u32),
    /// No such agent, or it cannot act.
    #[error("'{0}' cannot act in this universe; these can: {1}")]
    NoAgent(String, String),
    /// No such step.
    #[error("there is no step '{0}'; known are {1}")]
    NoStep(String, String),
    /// The universe is not paused.
    #[error("the universe is not paused: pause it, or choose one that is")]
    NotPaused,
    /// The universe does not run.
    #[error("the universe does not run")]
    NotRunning,
    /// No such breakpoint.
    #[error("there is no breakpoint {0}")]
    NoBreakpoint(u32),
    /// Nothing says where to go.
    #[error("set a breakpoint first: the search goes toward it")]
    NoLead,
    /// The breakpoint says nothing, or names what there is not.
    #[error(transparent)]
    NoCondition(#[from] NoCondition),
    /// A name that no state of the program has.
    #[error("no state of this program has {0}: whatever is asked about it would be about nothing")]
    Never(String),
    /// A name that no state has that is known.
    #[error(
        "none of the {1} states that were explored has {0}: explore more of them, or ask about something else"
    )]
    NotYet(String, u64),
    /// The formula is wrong.
    #[error("{0}")]
    Formula(String),
    /// The new text is no program.
    #[error("{text}")]
    Program {
        /// The error with its place.
        text: String,
        /// The place.
        span: Option<Span>,
    },
}

impl Refused {
    pub(crate) fn formula<E: std::fmt::Display>(error: &FormulaError<E>) -> Self {
        Self::Formula(error.to_string())
    }

    pub(crate) fn program(error: &ModelError, text: &str) -> Self {
        Self::Program {
            text: error.explain(text),
            span: Some(error.span()),
        }
    }
}
