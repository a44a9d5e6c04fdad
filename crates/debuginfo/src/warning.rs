//! What was wrong with debug information, and where.
//!
//! Broken debug information never fails a load: the broken part is left out and reported here.

use std::fmt;

/// Most warnings kept; a hostile file can cause any number.
pub const MAX_WARNINGS: usize = 64;

/// The part of a module's debug information that a [`Warning`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
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

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Module => "module",
            Part::Names => "name section",
            Part::SourceMap => "source map",
            Part::DwarfLines => ".debug_line",
            Part::DwarfEntries => ".debug_info",
            Part::Sources => "sources",
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
    /// More than this program is willing to read.
    #[error("too large: the rest is ignored")]
    TooLarge,
}

/// A part of the debug information that was left out, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Which part.
    pub part: Part,
    /// Byte offset of the trouble in its part: in the module's file for [`Part::Module`] and
    /// [`Part::Names`], in the section or the map's `mappings` otherwise.
    pub offset: u64,
    /// What the trouble is.
    pub problem: Problem,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:#x}: {}", self.part, self.offset, self.problem)
    }
}

/// Collects warnings, up to [`MAX_WARNINGS`].
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    kept: Vec<Warning>,
}

impl Warnings {
    pub(crate) fn push(&mut self, part: Part, offset: u64, problem: Problem) {
        let warning = Warning {
            part,
            offset,
            problem,
        };
        if self.kept.contains(&warning) {
            return;
        }
        if self.kept.len() < MAX_WARNINGS {
            self.kept.push(warning);
        } else if warning.problem == Problem::TooLarge {
            // That reading stopped altogether is worth more than the last of many details.
            self.kept.pop();
            self.kept.push(warning);
        }
    }

    pub(crate) fn malformed(&mut self, part: Part, error: &wasmparser::Error) {
        self.push(
            part,
            error.offset(),
            Problem::Malformed(error.message().to_owned()),
        );
    }

    pub(crate) fn into_vec(self) -> Vec<Warning> {
        self.kept
    }
}
