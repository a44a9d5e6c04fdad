//! Which memory is whose, where modules with memories of their own became one.

use std::ops::Range;

use gimli::LittleEndian;
use gimli::write::{EndianVec, Writer};
use wasmparser::BinaryReader;

use super::JoinedPart;

/// What of a joined module works on another memory than the first; nothing of other modules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memories {
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
struct Part {
    memory: u32,
    /// Offsets from where the contents of the section with the code begin.
    code: Range<u32>,
    /// Its units of DWARF, by their order.
    units: Range<u32>,
    globals: Vec<u32>,
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

/// Whether nothing has to be said: all work on the first memory.
pub(super) fn is_one(parts: &[JoinedPart<'_>]) -> bool {
    parts.iter().all(|part| part.memory == 0)
}

/// Writes what [`read`] reads; `units` are the numbers of the parts' units of DWARF.
pub(super) fn write(
    section: &mut EndianVec<LittleEndian>,
    parts: &[JoinedPart<'_>],
    units: &[Range<u32>],
) -> gimli::write::Result<()> {
    let others = || parts.iter().zip(units).filter(|(part, _)| part.memory != 0);
    section.write_uleb128(others().count() as u64)?;
    for (part, units) in others() {
        let moved = &part.code.moved;
        let code = moved.first().zip(moved.last());
        let code = code.map_or(0..0, |((_, first), (_, last))| *first..*last);
        let numbers = [part.memory, code.start, code.end, units.start, units.end];
        for number in numbers.iter().chain(&[part.globals.len() as u32]) {
            section.write_uleb128((*number).into())?;
        }
        for global in &part.globals {
            section.write_uleb128((*global).into())?;
        }
    }
    Ok(())
}

pub(super) fn read(
    reader: &mut BinaryReader<'_>,
    memories: &mut Memories,
) -> wasmparser::Result<()> {
    for _ in 0..reader.read_var_u32()? {
        let mut part = Part {
            memory: reader.read_var_u32()?,
            code: reader.read_var_u32()?..reader.read_var_u32()?,
            units: reader.read_var_u32()?..reader.read_var_u32()?,
            globals: Vec::new(),
        };
        for _ in 0..reader.read_var_u32()? {
            part.globals.push(reader.read_var_u32()?);
        }
        memories.parts.push(part);
    }
    Ok(())
}
