//! The debug information of several modules that become one: each module's, moved to where its code went.
//!
//! A [`CodeMap`] says where that is, instruction by instruction, because numbers written anew may be shorter. DWARF is
//! written anew with it, so that every reader of DWARF understands the joined module. A source map lies in a file of its
//! own, which nobody writes to: the joined module says in a section which maps there are, and where code went since.

mod dwarf;
mod maps;
mod memories;

pub(crate) use maps::Joined;

use dwarf::Missing;

/// The name of the section with what only this crate reads: source maps, memories, and what could not be joined.
const SECTION: &str = "borges.joined";

/// Where the code of a module went. Offsets count from where the contents of the section with the code begin, as DWARF's
/// addresses do.
#[derive(Clone, Debug, Default)]
pub struct CodeMap {
    /// In ascending order of both: bodies, instructions, ends of bodies.
    moved: Vec<(u32, u32)>,
}

impl CodeMap {
    /// Notes the next place in the old code, and where it is now.
    pub fn add(&mut self, old: u32, new: u32) {
        if self.moved.last().is_none_or(|(last, _)| *last < old) {
            self.moved.push((old, new));
        }
    }

    /// Where code went; `None` behind all code. What is inside of an instruction goes where the instruction goes.
    fn at(&self, old: u64) -> Option<u64> {
        let (first, last) = (self.moved.first()?, self.moved.last()?);
        let old = u32::try_from(old).ok().filter(|old| *old <= last.0)?;
        if old < first.0 {
            // The section's beginning, from which some addresses count.
            return Some(0);
        }
        let after = self.moved.partition_point(|(known, _)| *known <= old);
        let (known, new) = *self.moved.get(after.checked_sub(1)?)?;
        let next = self.moved.get(after).map_or(new, |(_, next)| *next);
        Some(new.saturating_add(old - known).min(next).into())
    }
}

/// One of the modules that become one.
#[derive(Debug)]
pub struct JoinedPart<'p> {
    /// What it is called; nothing of the first, the program.
    pub name: Option<&'p str>,
    /// Its custom sections.
    pub customs: &'p [(&'p str, &'p [u8])],
    /// Where the contents of its section with the code begin in its file.
    pub code_start: u32,
    /// Where its code went.
    pub code: &'p CodeMap,
    /// The new number of each of its globals.
    pub globals: Vec<u32>,
    /// The joined module's number of the memory that its variables lie in.
    pub memory: u32,
}

impl<'p> JoinedPart<'p> {
    fn custom(&self, name: &str) -> Option<&'p [u8]> {
        let found = self.customs.iter().find(|(known, _)| *known == name);
        found.map(|(_, data)| *data)
    }

    /// It in messages.
    fn called(&self) -> String {
        match self.name {
            Some(name) => format!("'{name}'"),
            None => "the program".to_owned(),
        }
    }
}

/// The sections of the joined module that have to do with its source.
#[must_use]
pub fn joined_sections(parts: &[JoinedPart<'_>]) -> Vec<(String, Vec<u8>)> {
    let dwarf::OfAll {
        mut sections,
        units,
        missing,
    } = dwarf::joined(parts);
    let missing: Vec<String> = missing.iter().map(Missing::to_string).collect();
    if let Some(section) = maps::section(parts, &units, &missing) {
        sections.push((SECTION.to_owned(), section));
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_goes_with_the_instruction_that_it_is_of() {
        let mut map = CodeMap::default();
        for (old, new) in [(2, 4), (3, 5), (9, 7), (12, 10), (12, 99)] {
            map.add(old, new);
        }
        let at = |old| map.at(old);
        assert_eq!([0, 1, 2, 3, 12].map(at), [0, 0, 4, 5, 10].map(Some));
        // A long instruction that became a short one, and one past all code.
        assert_eq!([4, 5, 8, 9, 10].map(at), [6, 7, 7, 7, 8].map(Some));
        assert_eq!([13, u64::from(u32::MAX), u64::MAX].map(at), [None; 3]);
        assert_eq!(CodeMap::default().at(0), None);
    }
}
