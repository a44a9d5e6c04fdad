//! What was wrong with debug information, and where.
//!
//! Broken debug information never fails a load: the broken part is left out and reported here.

use std::fmt;

/// Most warnings kept; a hostile file can cause any number.
pub const MAX_WARNINGS: usize = 64;

/// The part of a module's debug information that a [`Warning`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DebugPart {
    /// The module itself, outside its debug information.
    Module,
    /// The `name` section.
    Names,
    /// The source map.
    SourceMap,
    /// DWARF's line tables.
    DwarfLines,
    /// DWARF's functions, variables and types.
    DwarfEntries,
    /// A source file.
    Sources,
}

impl fmt::Display for DebugPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DebugPart::Module => "module",
            DebugPart::Names => "name section",
            DebugPart::SourceMap => "source map",
            DebugPart::DwarfLines => ".debug_line",
            DebugPart::DwarfEntries => ".debug_info",
            DebugPart::Sources => "sources",
        })
    }
}

/// Why a part of the debug information was left out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The bytes end early or say something impossible.
    #[error("malformed: {0}")]
    Malformed(String),
    /// DWARF that the reader of DWARF refuses.
    #[error("malformed: {0}")]
    Dwarf(gimli::Error),
    /// A source map that is no JSON, or not of a map's shape.
    #[error("not a source map of version 3: {0}")]
    NotASourceMap(String),
    /// The mappings of a source map end in the middle of a number, or hold a strange character.
    #[error("the mappings are malformed here; the rest of them is ignored")]
    BadMappings,
    /// The module names a source map that nobody could find.
    #[error("{0} was not found: put it beside the module, or build with an embedded map")]
    MissingSourceMap(String),
    /// Of modules that were linked by name, something could not be joined.
    #[error("{0}")]
    NotJoined(String),
    /// More than this program is willing to read.
    #[error("too large: the rest is ignored")]
    TooLarge,
    /// More troubles than are kept.
    #[error("there is more trouble than is listed here")]
    TooMany,
}

/// A part of the debug information that was left out, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Which part.
    pub part: DebugPart,
    /// Byte offset of the trouble in its part: in the module's file for [`DebugPart::Module`] and
    /// [`DebugPart::Names`], in the section or the map's `mappings` otherwise.
    pub offset: u64,
    /// What the trouble is.
    pub problem: Problem,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            // It is about the debug information as a whole.
            Problem::NotJoined(said) => f.write_str(said),
            problem => write!(f, "{} at {:#x}: {problem}", self.part, self.offset),
        }
    }
}

/// Collects warnings, up to [`MAX_WARNINGS`].
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    kept: Vec<Warning>,
    /// The first that found no room: its part and offset.
    left_out: Option<(DebugPart, u64)>,
}

impl Warnings {
    pub(crate) fn push(&mut self, part: DebugPart, offset: u64, problem: Problem) {
        let warning = Warning {
            part,
            offset,
            problem,
        };
        if self.kept.contains(&warning) {
            return;
        }
        if self.kept.len() >= MAX_WARNINGS {
            self.left_out.get_or_insert((part, offset));
            // That reading stopped altogether is worth more than the last of many details.
            if warning.problem != Problem::TooLarge || !self.drop_detail() {
                return;
            }
        }
        self.kept.push(warning);
    }

    /// Makes room for one that is worth more than a detail; false if all are.
    fn drop_detail(&mut self) -> bool {
        let is_detail = |warning: &Warning| warning.problem != Problem::TooLarge;
        let last = self.kept.iter().rposition(is_detail);
        last.map(|last| self.kept.remove(last)).is_some()
    }

    pub(crate) fn malformed(&mut self, part: DebugPart, error: &wasmparser::Error) {
        self.push(
            part,
            error.offset(),
            Problem::Malformed(error.message().to_owned()),
        );
    }

    /// The warnings; where there were too many, the last one says so.
    pub(crate) fn into_vec(mut self) -> Vec<Warning> {
        if let Some((part, offset)) = self.left_out {
            if !self.drop_detail() {
                self.kept.pop();
            }
            self.kept.push(Warning {
                part,
                offset,
                problem: Problem::TooMany,
            });
        }
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `details`, then as many more that stopped reading; the problems that are kept.
    fn problems(details: usize, stops: usize) -> Vec<Problem> {
        let mut warnings = Warnings::default();
        for at in 0..details as u64 {
            warnings.push(DebugPart::SourceMap, at, Problem::BadMappings);
        }
        for at in 0..stops as u64 {
            warnings.push(DebugPart::Sources, at, Problem::TooLarge);
        }
        let kept = warnings.into_vec().into_iter();
        kept.map(|warning| warning.problem).collect()
    }

    #[test]
    fn past_the_most_warnings_the_last_says_that_there_are_more() {
        use Problem::{BadMappings, TooLarge, TooMany};
        let most = MAX_WARNINGS;
        for (details, stops, kept) in [
            (most, 0, vec![(BadMappings, most)]),
            (most + 1, 0, vec![(BadMappings, most - 1), (TooMany, 1)]),
            // One that stopped reading is kept rather than a detail.
            (most - 1, 1, vec![(BadMappings, most - 1), (TooLarge, 1)]),
            (
                most,
                1,
                vec![(BadMappings, most - 2), (TooLarge, 1), (TooMany, 1)],
            ),
            (0, most, vec![(TooLarge, most)]),
            (0, most + 1, vec![(TooLarge, most - 1), (TooMany, 1)]),
        ] {
            let expected: Vec<Problem> = kept
                .into_iter()
                .flat_map(|(problem, count)| vec![problem; count])
                .collect();
            assert_eq!(problems(details, stops), expected, "{details} and {stops}");
        }
    }

    #[test]
    fn the_same_warning_is_kept_once() {
        let mut warnings = Warnings::default();
        for _ in 0..=MAX_WARNINGS {
            warnings.push(DebugPart::Names, 7, Problem::TooLarge);
        }
        assert_eq!(warnings.into_vec().len(), 1);
    }
}
