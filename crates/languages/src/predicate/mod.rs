//! Expressions over states: what breakpoints, temporal formulas and goals ask, in every language.
//!
//! ```text
//! p ::= p or p | p and p | not p | (p) | v op v | idle(a) | stuck(a) | waits(a) | printed(a, "…")
//! v ::= integer | true | false | null | "text" | name | inbox(q)      op: == = != < <= > >=
//! ```
//!
//! A name is `actor.field` of actors, a variable of μOz, `value` of λ_amb. Actors and threads go by
//! the names that views show, and `inbox` is about an actor, or about a port. What does not exist
//! yet makes every question about it false; what can never exist is refused ([`Predicate::of`]).

mod condition;
mod line;
mod names;
mod parse;

use std::fmt;

pub use condition::{Condition, NoCondition};
pub use line::{NoLine, TextLine};
pub use names::{Kind, Named, Standing, Unknown};
pub(crate) use names::{forwarded, resolve};

use crate::datum::Datum;

/// An expression over states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// One of them holds.
    Or(Box<(Predicate, Predicate)>),
    /// Both hold.
    And(Box<(Predicate, Predicate)>),
    /// It does not hold.
    Not(Box<Predicate>),
    /// A comparison.
    Compare(Operand, &'static str, Operand),
    /// The actor or thread stands so: it is `idle`, or `stuck`, or it `waits`.
    Stands(&'static str, String),
    /// The actor has printed this line.
    Printed(String, String),
}

/// A side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A constant.
    Constant(Datum),
    /// A field of an actor, a variable, the value of an expression: `math.result`, `x`, `value`.
    Field(String),
    /// The number of messages in an actor's inbox, or in a port.
    Inbox(String),
}

/// Why a text is no predicate of a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PredicateError {
    /// Something else must stand there.
    #[error(
        "at character {at} of the predicate, {expected} must stand; for example: math.result == 66 and inbox(math) > 0"
    )]
    Expected {
        /// Where, in characters from 1.
        at: usize,
        /// What.
        expected: &'static str,
    },
    /// It names what the program does not have.
    #[error(transparent)]
    Unknown(#[from] Unknown),
}

/// The nearness of a part that holds: more than any difference of numbers.
const HOLDS: i64 = 100;

/// The longest first; `=` is how states show what `==` asks.
const OPERATORS: [&str; 7] = ["==", "!=", "<=", ">=", "<", ">", "="];

/// How an actor or thread can stand: it has nothing to evaluate, or is done; no rule applies to it, and never will; it
/// waits for a message.
const STANDINGS: [&str; 3] = ["idle", "stuck", "waits"];

impl Predicate {
    /// Parses a predicate about a program.
    ///
    /// # Errors
    /// [`PredicateError`] with the place, or with a name that the program does not have.
    pub fn of(program: &impl Named, text: &str) -> Result<Self, PredicateError> {
        let predicate = Self::parse(text)?;
        predicate.resolve(program)?;
        Ok(predicate)
    }

    /// Whether the program has everything that the predicate names.
    fn resolve(&self, program: &impl Named) -> Result<(), Unknown> {
        self.names()
            .into_iter()
            .try_for_each(|(kind, name)| names::resolve(program, kind, name))
    }

    /// What the predicate names.
    #[must_use]
    pub fn names(&self) -> Vec<(Kind, &str)> {
        match self {
            Self::Or(parts) | Self::And(parts) => {
                let mut names = parts.0.names();
                names.extend(parts.1.names());
                names
            }
            Self::Not(inner) => inner.names(),
            Self::Stands(_, name) | Self::Printed(name, _) => vec![(Kind::Agent, name)],
            Self::Compare(left, _, right) => [left, right]
                .into_iter()
                .filter_map(|operand| match operand {
                    Operand::Constant(_) => None,
                    Operand::Field(name) => Some((Kind::Value, name.as_str())),
                    Operand::Inbox(name) => Some((Kind::Queue, name.as_str())),
                })
                .collect(),
        }
    }

    /// Whether it holds in a state.
    #[must_use]
    pub fn holds<L: Named>(&self, program: &L, state: &L::State) -> bool {
        match self {
            Self::Or(parts) => parts.0.holds(program, state) || parts.1.holds(program, state),
            Self::And(parts) => parts.0.holds(program, state) && parts.1.holds(program, state),
            Self::Not(inner) => !inner.holds(program, state),
            Self::Stands(how, name) => {
                let standing = program.standing(state, name);
                standing.is_some_and(|standing| standing.is(how))
            }
            Self::Printed(name, line) => program.printed(state, name, line),
            Self::Compare(left, operator, right) => {
                let value = |operand: &Operand| operand.value(program, state);
                match (value(left), value(right)) {
                    (Some(left), Some(right)) => compare(&left, operator, &right),
                    _ => false,
                }
            }
        }
    }

    /// How near a state is to one in which it holds: how many of its parts hold, and by how much
    /// numbers miss. It only orders a search.
    pub(crate) fn nearness<L: Named>(&self, program: &L, state: &L::State) -> i64 {
        let holds = i64::from(self.holds(program, state)) * HOLDS;
        match self {
            Self::Or(parts) => {
                let (left, right) = (&parts.0, &parts.1);
                left.nearness(program, state)
                    .max(right.nearness(program, state))
            }
            Self::And(parts) => parts.0.nearness(program, state) + parts.1.nearness(program, state),
            Self::Compare(left, _, right) if holds == 0 => {
                let value = |operand: &Operand| operand.value(program, state);
                match (value(left), value(right)) {
                    (Some(Datum::Integer(a)), Some(Datum::Integer(b))) => {
                        // The fewer digits the difference has, the nearer.
                        i64::from(a.abs_diff(b).leading_zeros())
                    }
                    _ => 0,
                }
            }
            Self::Not(_) | Self::Compare(..) | Self::Stands(..) | Self::Printed(..) => holds,
        }
    }
}

impl Operand {
    fn value<L: Named>(&self, program: &L, state: &L::State) -> Option<Datum> {
        match self {
            Self::Constant(datum) => Some(datum.clone()),
            Self::Inbox(name) => {
                let length = program.queued(state, name)?;
                i64::try_from(length).ok().map(Datum::Integer)
            }
            Self::Field(name) => program.value(state, name),
        }
    }
}

fn compare(left: &Datum, operator: &str, right: &Datum) -> bool {
    match (operator, left, right) {
        ("==" | "=", _, _) => left == right,
        ("!=", _, _) => left != right,
        ("<", Datum::Integer(a), Datum::Integer(b)) => a < b,
        ("<=", Datum::Integer(a), Datum::Integer(b)) => a <= b,
        (">", Datum::Integer(a), Datum::Integer(b)) => a > b,
        (">=", Datum::Integer(a), Datum::Integer(b)) => a >= b,
        _ => false,
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Or(parts) => write!(f, "({} or {})", parts.0, parts.1),
            Self::And(parts) => write!(f, "({} and {})", parts.0, parts.1),
            Self::Not(inner) => write!(f, "not {inner}"),
            Self::Stands(how, name) => write!(f, "{how}({name})"),
            Self::Printed(name, line) => write!(f, "printed({name}, \"{line}\")"),
            Self::Compare(left, operator, right) => write!(f, "{left} {operator} {right}"),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(datum) => datum.fmt(f),
            Self::Field(path) => f.write_str(path),
            Self::Inbox(name) => write!(f, "inbox({name})"),
        }
    }
}
