//! Predicates as text.

use super::{OPERATORS, Operand, Predicate, PredicateError, STANDINGS};
use crate::datum::Datum;

/// The deepest nesting of predicates.
const MAX_DEPTH: usize = 64;

impl Predicate {
    /// Reads a predicate, whatever its names mean.
    pub(super) fn parse(text: &str) -> Result<Self, PredicateError> {
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
        PredicateError::Expected { at, expected }
    }

    fn takes(&mut self, sign: &str) -> bool {
        let takes = self.rest().starts_with(sign);
        self.at += if takes { sign.len() } else { 0 };
        takes
    }

    /// A name, with dots in it.
    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '?' | '\''));
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
        for word in STANDINGS {
            let before = self.at;
            if self.takes_word(word) && self.takes("(") {
                let name = self.word().to_owned();
                self.close()?;
                return Ok(Predicate::Stands(word, name));
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
        let names = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if names && !negative {
            return Ok(Operand::Field(word.to_owned()));
        }
        self.at = before;
        Err(self.wrong("a number, a text, a name such as actor.field, or inbox(actor)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At the deepest nesting and one past it: the predicate itself is one level, and what is in it each time one more.
    #[test]
    fn predicates_nest_64_deep() {
        let nested = |pairs: usize| {
            let text = ["(".repeat(pairs), "x == 1".into(), ")".repeat(pairs)].concat();
            Predicate::parse(&text).map_err(|error| error.to_string())
        };
        assert!(nested(63).is_ok());
        for pairs in [64, 100_000] {
            let error = nested(pairs).expect_err("refused");
            assert!(error.contains("something less nested"), "{error}");
        }
        let negated = ["not ".repeat(100_000), "x == 1".into()].concat();
        assert!(Predicate::parse(&negated).is_ok());
    }
}
