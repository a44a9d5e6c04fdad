//! Temporal breakpoints: linear temporal logic over predicates of states.
//!
//! A formula speaks about a run: from some state on, to an end or for ever. [`may`] asks for one
//! run of the program that fulfils it, [`must`] whether all do; both answer with a witness, a
//! finite run or a *lasso* (a way to a cycle, and the cycle).
//!
//! On a run that ends, `X p` is false in the last state, `G p` looks at the states that there are,
//! and `F p` must be fulfilled among them.
//!
//! A scheduler that never lets somebody act who could makes most promises of liveness false. So one
//! may ask about fair runs only ([`Fairness`]); every witness is then a fair run.
//!
//! ```
//! use borges_multiverse::temporal::Formula;
//!
//! let formula = Formula::parse("G ({request} -> F {answer})", |atom| Ok::<_, ()>(atom.to_owned()));
//! assert_eq!(formula.unwrap().to_string(), "G (!{request} | F {answer})");
//! ```

mod check;
mod parse;
mod steps;

use std::fmt;

pub use check::{Run, Truth, may, must};
pub use parse::FormulaError;
pub use steps::{may_take, must_take};

/// Which runs count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fairness {
    /// All of them.
    #[default]
    None,
    /// The weakly fair ones: an agent that can act in every universe from some point on does act
    /// again. Every run that ends is fair.
    Weak,
}

/// A formula, and the runs that it is about. As text: a formula, perhaps after the word `fair`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim<A> {
    /// Which runs count.
    pub fairness: Fairness,
    /// What is said about them.
    pub formula: Formula<A>,
}

/// A formula alone is about all runs.
impl<A> From<Formula<A>> for Claim<A> {
    fn from(formula: Formula<A>) -> Self {
        Self {
            fairness: Fairness::None,
            formula,
        }
    }
}

/// A formula over atoms `A` (predicates of states).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula<A> {
    /// Always true (or false).
    Constant(bool),
    /// A predicate of the present state.
    Atom(A),
    /// Not.
    Not(Box<Formula<A>>),
    /// Both.
    And(Box<(Formula<A>, Formula<A>)>),
    /// One of them.
    Or(Box<(Formula<A>, Formula<A>)>),
    /// In the next state; there must be one.
    Next(Box<Formula<A>>),
    /// The first until the second, which must come.
    Until(Box<(Formula<A>, Formula<A>)>),
}

impl<A> Formula<A> {
    /// The opposite.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    /// Both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::And(Box::new((self, other)))
    }

    /// One of them.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::Or(Box::new((self, other)))
    }

    /// In the next state.
    #[must_use]
    pub fn next(self) -> Self {
        Self::Next(Box::new(self))
    }

    /// This until `other`.
    #[must_use]
    pub fn until(self, other: Self) -> Self {
        Self::Until(Box::new((self, other)))
    }

    /// At some time.
    #[must_use]
    pub fn eventually(self) -> Self {
        Self::Constant(true).until(self)
    }

    /// At all times.
    #[must_use]
    pub fn always(self) -> Self {
        self.negated().eventually().negated()
    }

    /// If this, then `other`.
    #[must_use]
    pub fn implies(self, other: Self) -> Self {
        self.negated().or(other)
    }
}

impl<A: fmt::Display> fmt::Display for Formula<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => value.fmt(f),
            Self::Atom(atom) => write!(f, "{{{atom}}}"),
            Self::Not(inner) => match &**inner {
                Self::Until(parts) if matches!(parts.0, Self::Constant(true)) => {
                    write!(f, "G ")?;
                    negation(&parts.1, f)
                }
                _ => negation(inner, f),
            },
            Self::And(parts) => write!(f, "({} & {})", parts.0, parts.1),
            Self::Or(parts) => write!(f, "({} | {})", parts.0, parts.1),
            Self::Next(inner) => write!(f, "X {inner}"),
            Self::Until(parts) if matches!(parts.0, Self::Constant(true)) => {
                write!(f, "F {}", parts.1)
            }
            Self::Until(parts) => write!(f, "({} U {})", parts.0, parts.1),
        }
    }
}

fn negation<A: fmt::Display>(inner: &Formula<A>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match inner {
        Formula::Not(inner) => write!(f, "{inner}"),
        other => write!(f, "!{other}"),
    }
}
