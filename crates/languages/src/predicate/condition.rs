//! What halts a program in a language without a catalogue of breakpoints: a predicate, a line, or a text.

use borges_multiverse::debug::Arrival;

use super::{Kind, Named, NoLine, Predicate, PredicateError, TextLine, Unknown, names};

/// A predicate that begins to hold, a line that an agent comes to, or a text that a state, or the step to it, begins to
/// mention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition(What);

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Predicate(Predicate),
    Line(TextLine),
    Text(String),
}

/// Why a text is no condition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCondition {
    /// It says nothing.
    #[error("a breakpoint needs a text, for example 'when x == 2'")]
    Empty,
    /// It names what the program does not have.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// It names a line that there is not, or what is said of it is wrong.
    #[error(transparent)]
    Line(#[from] NoLine),
}

impl Condition {
    /// Reads `x == 2`, `when x == 2`, or a text of which the program has all words.
    ///
    /// # Errors
    /// [`NoCondition`].
    pub fn parse(program: &impl Named, spec: &str) -> Result<Self, NoCondition> {
        let spec = spec.trim();
        let text = spec.strip_prefix("when ").unwrap_or(spec).trim();
        if matches!(text, "" | "when") {
            return Err(NoCondition::Empty);
        }
        match Predicate::of(program, text) {
            Ok(predicate) => return Ok(Self(What::Predicate(predicate))),
            Err(PredicateError::Unknown(unknown)) => return Err(unknown.into()),
            Err(PredicateError::Expected { .. }) => {}
        }
        for word in words(text) {
            names::resolve(program, Kind::Word, word)?;
        }
        Ok(Self(What::Text(text.to_owned())))
    }

    /// Reads what [`Self::parse`] does, or `line 12` of the program's text, also with `if x == 2` behind it.
    ///
    /// # Errors
    /// [`NoCondition`].
    pub fn about(program: &impl Named, text: &str, spec: &str) -> Result<Self, NoCondition> {
        match TextLine::named(program, text, spec)? {
            Some(line) => Ok(Self(What::Line(line))),
            None => Self::parse(program, spec),
        }
    }

    /// Whether it begins to hold, or the step that led to a state mentions the text.
    pub fn halts<L: Named>(&self, program: &L, arrival: &Arrival<'_, L>) -> bool {
        if let What::Line(line) = &self.0 {
            return !line.arrivals(program, arrival).is_empty();
        }
        let held = |(before, _)| self.holds(program, before);
        self.steps(program, arrival.before)
            || self.holds(program, arrival.after) && !arrival.before.is_some_and(held)
    }

    /// At whom it halts on an arrival: who comes to the line, or nobody, where it is about the state as a whole; empty if
    /// it does not halt.
    pub(crate) fn hits<L: Named>(
        &self,
        program: &L,
        arrival: &Arrival<'_, L>,
    ) -> Vec<Option<L::Agent>> {
        match &self.0 {
            What::Line(line) => {
                let agents = line.arrivals(program, arrival);
                agents.into_iter().map(Some).collect()
            }
            What::Predicate(_) | What::Text(_) => {
                let halts = self.halts(program, arrival);
                halts.then_some(None).into_iter().collect()
            }
        }
    }

    /// Whether it is true of a state, or the step to it mentions the text.
    pub fn fits<L: Named>(
        &self,
        program: &L,
        arrived: Option<(&L::State, &L::Choice)>,
        state: &L::State,
    ) -> bool {
        self.steps(program, arrived) || self.holds(program, state)
    }

    /// Whether a step mentions the text.
    fn steps<L: Named>(&self, program: &L, arrived: Option<(&L::State, &L::Choice)>) -> bool {
        match (&self.0, arrived) {
            (What::Text(text), Some((before, choice))) => {
                let label = program.label(before, choice);
                mentions(label.rule, text) || mentions(&label.text, text)
            }
            _ => false,
        }
    }

    /// Whether it is true of a state.
    pub fn holds<L: Named>(&self, program: &L, state: &L::State) -> bool {
        match &self.0 {
            What::Predicate(predicate) => predicate.holds(program, state),
            What::Line(line) => !line.agents(program, state).is_empty(),
            What::Text(text) => mentions(&program.show(state), text),
        }
    }

    /// How near a state is: how much of the predicate holds, or how much of the text, from its
    /// beginning, the state and its next steps mention. It only orders a search.
    pub(crate) fn nearness<L: Named>(&self, program: &L, state: &L::State) -> i64 {
        let text = match &self.0 {
            What::Predicate(predicate) => return predicate.nearness(program, state),
            What::Line(_) => return i64::from(self.holds(program, state)),
            What::Text(text) => text,
        };
        let mut choices = Vec::new();
        program.enabled(state, &mut choices);
        let steps = choices.iter().map(|choice| {
            let label = program.label(state, choice);
            mentioned(label.rule, text).max(mentioned(&label.text, text))
        });
        let steps = steps.max().unwrap_or(0);
        steps.max(mentioned(&program.show(state), text))
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            What::Predicate(predicate) => predicate.fmt(f),
            What::Line(line) => line.fmt(f),
            What::Text(text) => f.write_str(text),
        }
    }
}

const fn is_of_word(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '\'' | '?') || !c.is_ascii()
}

/// The words of a text; numbers are none.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c| !is_of_word(c));
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Whether a text contains another, in whole words: 3 is no part of 31.
fn mentions(text: &str, wanted: &str) -> bool {
    text.match_indices(wanted).any(|(at, _)| {
        let ends = |inside: Option<char>, outside: Option<char>| {
            !(inside.is_some_and(is_of_word) && outside.is_some_and(is_of_word))
        };
        let (before, after) = (&text[..at], &text[at + wanted.len()..]);
        ends(wanted.chars().next(), before.chars().next_back())
            && ends(wanted.chars().next_back(), after.chars().next())
    })
}

fn mentioned(text: &str, wanted: &str) -> i64 {
    let ends = wanted.char_indices().map(|(at, c)| at + c.len_utf8());
    let fits = ends.take_while(|end| text.contains(&wanted[..*end]));
    fits.last().unwrap_or(0) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_mentioned() {
        assert!(mentions("x = 3, y = 4", "x = 3"));
        assert!(mentions("(+ 2 4)", "(+ 2 4)"));
        assert!(!mentions("x = 31", "x = 3"));
        assert!(!mentions("max = 3", "x = 3"));
        assert!(!mentions("x = 3'", "x = 3"));
    }
}
