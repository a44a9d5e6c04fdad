//! Who is about to do what stands on a line of the source.

use borges_multiverse::debug::Arrival;
use borges_multiverse::language::Language;

/// A line of a program's text, as a place where agents halt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLine {
    /// From 1.
    number: u32,
    /// The offsets of its first byte and of the byte after its last.
    bytes: (u32, u32),
}

impl TextLine {
    /// The line that `line 12` names in a text; nothing if the words are others.
    ///
    /// # Errors
    /// [`NoLine`].
    pub fn named(text: &str, spec: &str) -> Result<Option<Self>, NoLine> {
        let number = spec.trim().strip_prefix("line ");
        let Some(number) = number.and_then(|number| number.trim().parse::<u32>().ok()) else {
            return Ok(None);
        };
        let mut from = 0;
        for (nth, line) in (1..).zip(text.split_inclusive('\n')) {
            // Texts of programs are shorter than 2^32 bytes.
            let bytes = (from, from + line.len() as u32);
            if nth == number {
                return Ok(Some(Self { number, bytes }));
            }
            from = bytes.1;
        }
        let lines = text.lines().count();
        Err(NoLine { number, lines })
    }

    /// The agents that can do now what begins on it.
    pub fn agents<L: Language>(&self, program: &L, state: &L::State) -> Vec<L::Agent> {
        let mut choices = Vec::new();
        program.enabled(state, &mut choices);
        let is_here = |choice: &&L::Choice| {
            let span = program.label(state, choice).span;
            span.is_some_and(|span| (self.bytes.0..self.bytes.1).contains(&span.start))
        };
        let here = choices.iter().filter(is_here);
        here.map(|choice| program.agent(state, choice)).collect()
    }

    /// The agents that come to it on an arrival: those that were there before have halted already.
    pub fn arrivals<L: Language>(&self, program: &L, arrival: &Arrival<'_, L>) -> Vec<L::Agent> {
        let mut agents = self.agents(program, arrival.after);
        if let Some((before, _)) = arrival.before {
            let were = self.agents(program, before);
            agents.retain(|agent| !were.contains(agent));
        }
        agents
    }
}

/// A text has no line of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program has no line {number}: it has {lines}, counted from 1")]
pub struct NoLine {
    number: u32,
    lines: usize,
}

impl std::fmt::Display for TextLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}", self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_their_numbers() {
        let text = "ab\n\ncde";
        let bytes =
            |spec: &str| TextLine::named(text, spec).map(|line| line.map(|line| line.bytes));
        assert_eq!(bytes("line 1"), Ok(Some((0, 3))));
        assert_eq!(bytes(" line  2 "), Ok(Some((3, 4))));
        assert_eq!(bytes("line 3"), Ok(Some((4, 7))));
        for others in ["line", "line x", "linear 1", "lines 1", "line -1"] {
            assert_eq!(bytes(others), Ok(None), "{others}");
        }
        for (spec, number) in [("line 0", 0), ("line 4", 4)] {
            assert_eq!(bytes(spec), Err(NoLine { number, lines: 3 }));
        }
    }
}
