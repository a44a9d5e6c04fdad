//! Who is about to do what stands on a line of the source.

use borges_multiverse::debug::Arrival;
use borges_multiverse::language::Language;

/// A line of a program's text, as a place where agents halt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    number: u32,
    /// The offsets of its first byte and of the byte after its last.
    bytes: (u32, u32),
}

impl Line {
    /// The line that `line 12` names in a text; nothing if the words are others, or there is no such line.
    #[must_use]
    pub fn named(text: &str, spec: &str) -> Option<Self> {
        let number: u32 = spec.trim().strip_prefix("line ")?.trim().parse().ok()?;
        let nth = usize::try_from(number.checked_sub(1)?).ok()?;
        let mut from = 0;
        for line in text.split_inclusive('\n').take(nth) {
            from += line.len();
        }
        let line = text.split_inclusive('\n').nth(nth)?;
        // Texts of programs are shorter than 2^32 bytes.
        let bytes = (from as u32, (from + line.len()) as u32);
        Some(Self { number, bytes })
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

impl std::fmt::Display for Line {
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
        let bytes = |spec: &str| Line::named(text, spec).map(|line| line.bytes);
        assert_eq!(bytes("line 1"), Some((0, 3)));
        assert_eq!(bytes(" line  2 "), Some((3, 4)));
        assert_eq!(bytes("line 3"), Some((4, 7)));
        for none in [
            "line 0", "line 4", "line", "line x", "linear 1", "lines 1", "line -1",
        ] {
            assert_eq!(bytes(none), None, "{none}");
        }
    }
}
