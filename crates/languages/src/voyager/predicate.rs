//! Expressions over states: what predicate breakpoints and temporal formulas ask.
//!
//! ```text
//! p ::= p or p | p and p | not p | (p) | v op v | idle(a) | stuck(a) | printed(a, "…")
//! v ::= integer | true | false | null | "text" | actor.field | inbox(a)      op: == != < <= > >=
//! ```
//!
//! Actors go by the names that views show; an actor that does not exist yet makes every question
//! about it false.

use std::fmt;

use crate::ambienttalk::{ActorId, AmbientTalk, Datum, State};

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
    /// The actor has nothing to evaluate.
    Idle(String),
    /// The actor is stuck.
    Stuck(String),
    /// The actor has printed this line.
    Printed(String, String),
}

/// A side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A constant.
    Constant(Datum),
    /// A field of an actor: `math.result`.
    Field(String),
    /// The number of messages in an actor's inbox.
    Inbox(String),
}

/// Why a text is no predicate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "at character {at} of the predicate, {expected} must stand; for example: math.result == 66 and inbox(math) > 0"
)]
pub struct PredicateError {
    /// Where, in characters from 1.
    pub at: usize,
    /// What.
    pub expected: &'static str,
}

/// The deepest nesting of predicates.
const MAX_DEPTH: usize = 64;

/// The nearness of a part that holds: more than any difference of numbers.
const HOLDS: i64 = 100;

const OPERATORS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];

impl Predicate {
    /// Parses a predicate.
    ///
    /// # Errors
    /// [`PredicateError`] with the place.
    pub fn parse(text: &str) -> Result<Self, PredicateError> {
        let mut parser = Parser {
            text,
            at: 0,
            depth: 0,
        };
        let predicate = parser.or()?;
        if parser.rest().is_empty() {
            Ok(predicate)
        } else {
            Err(parser.wrong("and, or, or the end"))
        }
    }

    /// Whether it holds in a state.
    #[must_use]
    pub fn holds(&self, program: &AmbientTalk, state: &State) -> bool {
        let actor = |name: &str| find(program, state, name);
        match self {
            Self::Or(parts) => parts.0.holds(program, state) || parts.1.holds(program, state),
            Self::And(parts) => parts.0.holds(program, state) && parts.1.holds(program, state),
            Self::Not(inner) => !inner.holds(program, state),
            Self::Idle(name) => actor(name).is_some_and(|actor| !program.in_turn(state, actor)),
            Self::Stuck(name) => {
                let view = actor(name).and_then(|actor| program.view(state, actor));
                view.is_some_and(|view| view.stuck.is_some())
            }
            Self::Printed(name, line) => {
                actor(name).is_some_and(|actor| program.output(state, actor).contains(line))
            }
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
    pub(super) fn nearness(&self, program: &AmbientTalk, state: &State) -> i64 {
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
            Self::Not(_)
            | Self::Compare(..)
            | Self::Idle(_)
            | Self::Stuck(_)
            | Self::Printed(..) => holds,
        }
    }
}

impl Operand {
    fn value(&self, program: &AmbientTalk, state: &State) -> Option<Datum> {
        match self {
            Self::Constant(datum) => Some(datum.clone()),
            Self::Inbox(name) => {
                let length = program.inbox_len(state, find(program, state, name)?)?;
                i64::try_from(length).ok().map(Datum::Integer)
            }
            Self::Field(path) => program.actors(state).into_iter().find_map(|actor| {
                let name = program.actor_name(state, actor);
                let field = path.strip_prefix(&name)?.strip_prefix('.')?;
                program.field(state, actor, field)
            }),
        }
    }
}

/// The actor of a name.
pub(super) fn find(program: &AmbientTalk, state: &State, name: &str) -> Option<ActorId> {
    let mut actors = program.actors(state).into_iter();
    actors.find(|actor| actor.to_string() == name || program.actor_name(state, *actor) == name)
}

fn compare(left: &Datum, operator: &str, right: &Datum) -> bool {
    match (operator, left, right) {
        ("==", _, _) => left == right,
        ("!=", _, _) => left != right,
        ("<", Datum::Integer(a), Datum::Integer(b)) => a < b,
        ("<=", Datum::Integer(a), Datum::Integer(b)) => a <= b,
        (">", Datum::Integer(a), Datum::Integer(b)) => a > b,
        (">=", Datum::Integer(a), Datum::Integer(b)) => a >= b,
        _ => false,
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

type Parsed<T> = Result<T, PredicateError>;

impl<'t> Parser<'t> {
    fn rest(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn wrong(&self, expected: &'static str) -> PredicateError {
        let at = self.text[..self.at].chars().count() + 1;
        PredicateError { at, expected }
    }

    fn takes(&mut self, sign: &str) -> bool {
        let takes = self.rest().starts_with(sign);
        self.at += if takes { sign.len() } else { 0 };
        takes
    }

    /// A name, with dots in it.
    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '?'));
        let length = rest.find(ends).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let before = self.at;
        let takes = self.word() == word;
        if !takes {
            self.at = before;
        }
        takes
    }

    fn or(&mut self) -> Parsed<Predicate> {
        if self.depth >= MAX_DEPTH {
            return Err(self.wrong("something less nested"));
        }
        self.depth += 1;
        let mut left = self.and()?;
        while self.takes_word("or") {
            left = Predicate::Or(Box::new((left, self.and()?)));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn and(&mut self) -> Parsed<Predicate> {
        let mut left = self.not()?;
        while self.takes_word("and") {
            left = Predicate::And(Box::new((left, self.not()?)));
        }
        Ok(left)
    }

    fn not(&mut self) -> Parsed<Predicate> {
        let mut negated = false;
        while self.takes_word("not") {
            negated = !negated;
        }
        let inner = self.atom()?;
        Ok(if negated {
            Predicate::Not(Box::new(inner))
        } else {
            inner
        })
    }

    fn atom(&mut self) -> Parsed<Predicate> {
        if self.takes("(") {
            let inner = self.or()?;
            self.close()?;
            return Ok(inner);
        }
        for word in ["idle", "stuck"] {
            let before = self.at;
            if self.takes_word(word) && self.takes("(") {
                let name = self.word().to_owned();
                self.close()?;
                return Ok(if word == "idle" {
                    Predicate::Idle(name)
                } else {
                    Predicate::Stuck(name)
                });
            }
            self.at = before;
        }
        let before = self.at;
        if self.takes_word("printed") && self.takes("(") {
            let name = self.word().to_owned();
            if !self.takes(",") {
                return Err(self.wrong("a comma"));
            }
            let line = self.quoted()?;
            self.close()?;
            return Ok(Predicate::Printed(name, line));
        }
        self.at = before;
        let left = self.operand()?;
        let Some(operator) = OPERATORS.into_iter().find(|operator| self.takes(operator)) else {
            return Err(self.wrong("==, !=, <, <=, > or >="));
        };
        Ok(Predicate::Compare(left, operator, self.operand()?))
    }

    fn close(&mut self) -> Parsed<()> {
        if self.takes(")") {
            Ok(())
        } else {
            Err(self.wrong("a closing parenthesis"))
        }
    }

    fn quoted(&mut self) -> Parsed<String> {
        let rest = self.rest();
        let inner = rest.strip_prefix('"');
        let Some((line, _)) = inner.and_then(|inner| inner.split_once('"')) else {
            return Err(self.wrong("a text in double quotes"));
        };
        self.at += line.len() + 2;
        Ok(line.to_owned())
    }

    fn operand(&mut self) -> Parsed<Operand> {
        if self.rest().starts_with('"') {
            return Ok(Operand::Constant(Datum::Text(self.quoted()?)));
        }
        let negative = self.takes("-");
        let before = self.at;
        let word = self.word();
        if let Ok(number) = word.parse::<i64>() {
            let number = if negative { -number } else { number };
            return Ok(Operand::Constant(Datum::Integer(number)));
        }
        match word {
            "true" => return Ok(Operand::Constant(Datum::Boolean(true))),
            "false" => return Ok(Operand::Constant(Datum::Boolean(false))),
            "null" => return Ok(Operand::Constant(Datum::Null)),
            "inbox" if self.takes("(") => {
                let name = self.word().to_owned();
                self.close()?;
                return Ok(Operand::Inbox(name));
            }
            _ => {}
        }
        if word.contains('.') && !negative {
            return Ok(Operand::Field(word.to_owned()));
        }
        self.at = before;
        Err(self.wrong("a number, a text, actor.field or inbox(actor)"))
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Or(parts) => write!(f, "({} or {})", parts.0, parts.1),
            Self::And(parts) => write!(f, "({} and {})", parts.0, parts.1),
            Self::Not(inner) => write!(f, "not {inner}"),
            Self::Idle(name) => write!(f, "idle({name})"),
            Self::Stuck(name) => write!(f, "stuck({name})"),
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
