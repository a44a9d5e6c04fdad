//! Formulas as text.

use super::{Claim, Fairness, Formula};

/// Why a text is no formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormulaError<E> {
    /// Something else must stand there.
    #[error(
        "at character {at} of the formula, {expected} must stand; for example: G (p -> F q), with predicates in braces where they have operators of formulas in them: {{a && b}}"
    )]
    Expected {
        /// Where, in characters from 1.
        at: usize,
        /// What.
        expected: &'static str,
    },
    /// A predicate is wrong.
    #[error("in the predicate at character {at} of the formula: {error}")]
    Atom {
        /// Where it begins, in characters from 1.
        at: usize,
        /// What is wrong.
        error: E,
    },
}

/// The deepest nesting.
const MAX_DEPTH: usize = 64;

impl<A> Formula<A> {
    /// Parses `!p`, `X p`, `F p`, `G p`, `p & q`, `p | q`, `p -> q`, `p U q`, `p R q`, `true`,
    /// `false`, parentheses, and predicates, which `atom` reads. From tight to loose: prefixes, `U`
    /// and `R`, `&`, `|`, `->`; all but `&` and `|` group to the right. A predicate stands in
    /// braces, or without if it has none of these operators outside its own parentheses.
    ///
    /// # Errors
    /// [`FormulaError`] with the place.
    pub fn parse<E>(
        text: &str,
        atom: impl FnMut(&str) -> Result<A, E>,
    ) -> Result<Self, FormulaError<E>>
    where
        A: Clone,
    {
        Parser::new(text, atom).whole()
    }
}

impl<A> Claim<A> {
    /// Parses a formula ([`Formula::parse`]); about weakly fair runs only if the word `fair` stands
    /// before it.
    ///
    /// # Errors
    /// [`FormulaError`] with the place.
    pub fn parse<E>(
        text: &str,
        atom: impl FnMut(&str) -> Result<A, E>,
    ) -> Result<Self, FormulaError<E>>
    where
        A: Clone,
    {
        let mut parser = Parser::new(text, atom);
        let fair = parser.takes("fair");
        Ok(Self {
            fairness: if fair { Fairness::Weak } else { Fairness::None },
            formula: parser.whole()?,
        })
    }
}

struct Parser<'t, F> {
    text: &'t str,
    at: usize,
    depth: usize,
    atom: F,
}

impl<'t, F> Parser<'t, F> {
    const fn new(text: &'t str, atom: F) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            atom,
        }
    }

    fn rest(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn place(&self) -> usize {
        self.text[..self.at].chars().count() + 1
    }

    fn wrong<E>(&self, expected: &'static str) -> FormulaError<E> {
        FormulaError::Expected {
            at: self.place(),
            expected,
        }
    }

    /// A sign, or a word if nothing is glued to it.
    fn takes(&mut self, sign: &str) -> bool {
        let Some(after) = self.rest().strip_prefix(sign) else {
            return false;
        };
        let is_word = sign.ends_with(char::is_alphabetic);
        if is_word && after.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_') {
            return false;
        }
        self.at += sign.len();
        true
    }

    /// A formula and nothing after it.
    fn whole<A: Clone, E>(&mut self) -> Result<Formula<A>, FormulaError<E>>
    where
        F: FnMut(&str) -> Result<A, E>,
    {
        let formula = self.implication()?;
        if self.rest().is_empty() {
            Ok(formula)
        } else {
            Err(self.wrong("an operator or the end"))
        }
    }

    fn implication<A: Clone, E>(&mut self) -> Result<Formula<A>, FormulaError<E>>
    where
        F: FnMut(&str) -> Result<A, E>,
    {
        if self.depth >= MAX_DEPTH {
            return Err(self.wrong("something less nested"));
        }
        self.depth += 1;
        let left = self.disjunction()?;
        let formula = if self.takes("->") {
            left.implies(self.implication()?)
        } else {
            left
        };
        self.depth -= 1;
        Ok(formula)
    }

    fn disjunction<A: Clone, E>(&mut self) -> Result<Formula<A>, FormulaError<E>>
    where
        F: FnMut(&str) -> Result<A, E>,
    {
        let mut left = self.conjunction()?;
        while self.takes("||") || self.takes("|") {
            left = left.or(self.conjunction()?);
        }
        Ok(left)
    }

    fn conjunction<A: Clone, E>(&mut self) -> Result<Formula<A>, FormulaError<E>>
    where
        F: FnMut(&str) -> Result<A, E>,
    {
        let mut left = self.until()?;
        while self.takes("&&") || self.takes("&") {
            left = left.and(self.until()?);
        }
        Ok(left)
    }

    fn until<A: Clone, E>(&mut self) -> Result<Formula<A>, FormulaError<E>>
    where
        F: FnMut(&str) -> Result<A, E>,
    {
        let left = self.prefix()?;
        if self.takes("U") {
            return Ok(left.until(self.nested(Self::until)?));
        }
        if self.takes("R") {
            let right: Formula<A> = self.nested(Self::until)?;
            return Ok(left.negated().until(right.negated()).negated());
        }
        Ok(left)
    }

    fn nested<T, E>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, FormulaError<E>>,
    ) -> Result<T, FormulaError<E>> {
        if self.depth >= MAX_DEPTH {
            return Err(self.wrong("something less nested"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn prefix<A: Clone, E>(&mut self) -> Result<Formula<A>, FormulaError<E>>
    where
        F: FnMut(&str) -> Result<A, E>,
    {
        if self.takes("!") {
            return Ok(self.nested(Self::prefix)?.negated());
        }
        if self.takes("X") {
            return Ok(self.nested(Self::prefix)?.next());
        }
        if self.takes("F") {
            return Ok(self.nested(Self::prefix)?.eventually());
        }
        if self.takes("G") {
            return Ok(self.nested(Self::prefix)?.always());
        }
        if self.takes("true") {
            return Ok(Formula::Constant(true));
        }
        if self.takes("false") {
            return Ok(Formula::Constant(false));
        }
        if self.takes("(") {
            let inner = self.implication()?;
            if !self.takes(")") {
                return Err(self.wrong("a closing parenthesis"));
            }
            return Ok(inner);
        }
        let rest = self.rest();
        let (inner, length) = match rest.strip_prefix('{') {
            Some(inner) => match inner.split_once('}') {
                Some((inner, _)) => (inner, inner.len() + 2),
                None => return Err(self.wrong("a closing brace after the predicate")),
            },
            None => match bare(rest) {
                "" => {
                    return Err(self.wrong("a predicate, !, X, F, G, true, false or a parenthesis"));
                }
                inner => (inner, inner.len()),
            },
        };
        let at = self.place();
        self.at += length;
        let atom = (self.atom)(inner).map_err(|error| FormulaError::Atom { at, error })?;
        Ok(Formula::Atom(atom))
    }
}

/// The predicate without braces that a text begins with: up to an operator of formulas, or a parenthesis that closes what
/// was opened before it.
fn bare(text: &str) -> &str {
    let mut open = 0_u32;
    let mut before = ' ';
    for (at, sign) in text.char_indices() {
        let rest = &text[at..];
        let is_word = |word: &str| {
            let after = rest.strip_prefix(word).and_then(|rest| rest.chars().next());
            before.is_whitespace()
                && after.is_some_and(|after| after.is_whitespace() || after == '(')
        };
        match sign {
            '(' | '[' => open += 1,
            ')' | ']' if open > 0 => open -= 1,
            ')' | ']' | '{' | '}' => return text[..at].trim_end(),
            '&' | '|' if open == 0 => return text[..at].trim_end(),
            '-' if open == 0 && rest.starts_with("->") => return text[..at].trim_end(),
            'U' | 'R' if open == 0 && at > 0 && is_word(&rest[..1]) => {
                return text[..at].trim_end();
            }
            _ => {}
        }
        before = sign;
    }
    text.trim_end()
}
