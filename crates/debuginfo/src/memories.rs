//! Which memory is whose, where modules with memories of their own became one.

use std::ops::Range;

/// What of a joined module works on another memory than the first; nothing of other modules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memories {
    pub(crate) parts: Vec<Part>,
}

/// A module that became a part of another one.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) memory: u32,
    /// Offsets from where the contents of the section with the code begin.
    pub(crate) code: Range<u32>,
    /// Its units of DWARF, by their order.
    pub(crate) units: Range<u32>,
    pub(crate) globals: Vec<u32>,
}

impl Memories {
    /// The memory of the code at an offset in the section's contents.
    pub(crate) fn of_code(&self, at: u32) -> u32 {
        self.found(|part| part.code.contains(&at))
    }

    /// The memory that the variables of a unit of DWARF lie in.
    pub(crate) fn of_unit(&self, number: u32) -> u32 {
        self.found(|part| part.units.contains(&number))
    }

    /// The memory that addresses in a global are in.
    pub(crate) fn of_global(&self, index: u32) -> u32 {
        self.found(|part| part.globals.contains(&index))
    }

    fn found(&self, is_its: impl Fn(&Part) -> bool) -> u32 {
        let part = self.parts.iter().find(|part| is_its(part));
        part.map_or(0, |part| part.memory)
    }
}
