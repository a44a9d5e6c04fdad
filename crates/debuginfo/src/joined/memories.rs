//! How the joined module says which memory is whose.

use std::ops::Range;

use gimli::LittleEndian;
use gimli::write::{EndianVec, Writer};
use wasmparser::BinaryReader;

use super::JoinedPart;
use crate::memories::{Memories, Part};

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
