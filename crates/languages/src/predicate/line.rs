//! Who is about to do what stands on a line of the source.

use borges_multiverse::debug::Arrival;

use super::{Named, Predicate, PredicateError};

/// A line of a program's text, as a place where agents halt, perhaps only where a predicate holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLine {
    /// From 1.
    number: u32,
    /// The offsets of its first byte and of the byte after its last.
    bytes: (u32, u32),
    when: Option<Predicate>,
}

impl TextLine {
    /// The line that `line 12` or `line 12 if x == 2` names in a program's text; nothing if the words are others.
    ///
    /// # Errors
    /// [`NoLine`].
    pub fn named(program: &impl Named, text: &str, spec: &str) -> Result<Option<Self>, NoLine> {
        let Some((number, when)) = parts(spec) else {
            return Ok(None);
        };
        let mut line = Self::numbered(text, number)?;
        line.when = when.map(|when| Predicate::of(program, when)).transpose()?;
        Ok(Some(line))
    }

    /// A line of a text.
    ///
    /// # Errors
    /// [`NoLine::Missing`].
    pub fn numbered(text: &str, number: u32) -> Result<Self, NoLine> {
        let mut from = 0;
        for (nth, line) in (1..).zip(text.split_inclusive('\n')) {
            // Texts of programs are shorter than 2^32 bytes.
            let bytes = (from, from + line.len() as u32);
            if nth == number {
                let when = None;
                return Ok(Self {
                    number,
                    bytes,
                    when,
                });
            }
            from = bytes.1;
        }
        let lines = text.lines().count();
        Err(NoLine::Missing { number, lines })
    }

    /// The agents that can do now what begins on it; nobody where its predicate does not hold.
    pub fn agents<L: Named>(&self, program: &L, state: &L::State) -> Vec<L::Agent> {
        let holds = |when: &Predicate| when.holds(program, state);
        if !self.when.as_ref().is_none_or(holds) {
            return Vec::new();
        }
        let mut choices = Vec::new();
        program.enabled(state, &mut choices);
        let is_here = |choice: &&L::Choice| {
            let span = program.label(state, choice).span;
            span.is_some_and(|span| (self.bytes.0..self.bytes.1).contains(&span.start))
        };
        let here = choices.iter().filter(is_here);
        here.map(|choice| program.agent(state, choice)).collect()
    }

    /// The agents that come to it on an arrival: those that were there before have halted already. Where another's step
    /// makes the predicate hold, that is when they come.
    pub fn arrivals<L: Named>(&self, program: &L, arrival: &Arrival<'_, L>) -> Vec<L::Agent> {
        let mut agents = self.agents(program, arrival.after);
        if let Some((before, _)) = arrival.before {
            let were = self.agents(program, before);
            agents.retain(|agent| !were.contains(agent));
        }
        agents
    }
}

/// The number and the predicate of `line 12 if x == 2`; none if the words are others.
fn parts(spec: &str) -> Option<(u32, Option<&str>)> {
    let rest = spec.trim().strip_prefix("line ")?.trim_start();
    let (number, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let when = match rest.trim_start() {
        "" => None,
        "if" => Some(""),
        rest => Some(rest.strip_prefix("if ")?),
    };
    Some((number.parse().ok()?, when))
}

/// Why a line is no place to halt at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoLine {
    /// The text has no line of this number.
    #[error("the program has no line {number}: it has {lines}, counted from 1")]
    Missing {
        /// Which.
        number: u32,
        /// How many there are.
        lines: usize,
    },
    /// What stands behind `if` is no predicate.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
}

impl std::fmt::Display for TextLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}", self.number)?;
        match &self.when {
            Some(when) => write!(f, " if {when}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amb::Amb;

    #[test]
    fn lines_are_found_by_their_numbers() {
        let text = "(+ 1\n\n2)";
        let program = Amb::parse(text).expect("it is a program");
        let named = |spec: &str| TextLine::named(&program, text, spec);
        let bytes = |spec: &str| named(spec).map(|line| line.map(|line| line.bytes));
        assert_eq!(bytes("line 1"), Ok(Some((0, 5))));
        assert_eq!(bytes(" line  2 "), Ok(Some((5, 6))));
        assert_eq!(bytes("line 3"), Ok(Some((6, 8))));
        for others in [
            "line",
            "line x",
            "linear 1",
            "lines 1",
            "line -1",
            "line 1 x",
            "line 1 iffy",
        ] {
            assert_eq!(bytes(others), Ok(None), "{others}");
        }
        for (spec, number) in [("line 0", 0), ("line 4", 4), ("line 4 if x", 4)] {
            assert_eq!(bytes(spec), Err(NoLine::Missing { number, lines: 3 }));
        }
    }

    #[test]
    fn a_line_has_a_predicate_behind_if() {
        let text = "(+ 1 2)";
        let program = Amb::parse(text).expect("it is a program");
        let named = |spec: &str| TextLine::named(&program, text, spec);
        let shown = |spec: &str| named(spec).map(|line| line.map(|line| line.to_string()));
        let told = Ok(Some("line 1 if value == 3".to_owned()));
        assert_eq!(shown("line 1 if  value == 3"), told);
        for wrong in ["line 1 if", "line 1 if ", "line 1 if value =="] {
            assert!(
                matches!(
                    named(wrong),
                    Err(NoLine::Predicate(PredicateError::Expected { .. }))
                ),
                "{wrong}"
            );
        }
        let unknown = named("line 1 if nobody == 1");
        assert!(matches!(
            unknown,
            Err(NoLine::Predicate(PredicateError::Unknown(_)))
        ));
    }
}
