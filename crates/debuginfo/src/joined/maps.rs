//! The section of a joined module that says which source maps there are, where code went since they were written, what of
//! the debug information could not be joined, and which memory is whose.

use std::ops::Range;

use gimli::LittleEndian;
use gimli::write::{EndianVec, Writer};
use wasmparser::BinaryReader;

use super::memories;
use super::{CodeMap, JoinedPart, SECTION};
use crate::memories::Memories;
use crate::module::ModuleIndex;
use crate::warning::{DebugPart, Problem, Warnings};

/// What a joined module says of its debug information; nothing of another one.
#[derive(Default)]
pub(crate) struct Joined {
    pub(crate) maps: Vec<Moved>,
    pub(crate) memories: Memories,
}

/// A source map, and where the code went that it is about.
pub(crate) struct Moved {
    pub(crate) url: String,
    /// Where the contents of the section with the code began in the map's module.
    code_start: u32,
    code: CodeMap,
}

impl Moved {
    /// The offset in the joined module's file of what was at one in the map's module; `module` is the joined one.
    pub(crate) fn offset(&self, module: &ModuleIndex, old: i64) -> Option<u32> {
        let old = u64::try_from(old).ok()?;
        let new = self.code.at(old.checked_sub(self.code_start.into())?)?;
        u32::try_from(new).ok()?.checked_add(module.code_start)
    }
}

/// The section, if there is something to say.
pub(super) fn section(
    parts: &[JoinedPart<'_>],
    units: &[Range<u32>],
    missing: &[String],
) -> Option<Vec<u8>> {
    let with_maps: Vec<(&JoinedPart<'_>, &[u8])> = parts
        .iter()
        // DWARF says more; of two line tables, one must not contradict the other.
        .filter(|part| part.custom(".debug_line").is_none())
        .filter_map(|part| Some((part, part.custom("sourceMappingURL")?)))
        .collect();
    if with_maps.is_empty() && missing.is_empty() && memories::is_one(parts) {
        return None;
    }
    let mut section = EndianVec::new(LittleEndian);
    // Writing to memory cannot fail.
    let written = write(&mut section, &with_maps, missing);
    let written = written.and_then(|()| memories::write(&mut section, parts, units));
    written.is_ok().then(|| section.into_vec())
}

fn write(
    section: &mut EndianVec<LittleEndian>,
    with_maps: &[(&JoinedPart<'_>, &[u8])],
    missing: &[String],
) -> gimli::write::Result<()> {
    section.write_uleb128(missing.len() as u64)?;
    for said in missing {
        section.write_uleb128(said.len() as u64)?;
        section.write(said.as_bytes())?;
    }
    section.write_uleb128(with_maps.len() as u64)?;
    for (part, url) in with_maps {
        section.write(url)?;
        section.write_uleb128(part.code_start.into())?;
        section.write_uleb128(part.code.moved.len() as u64)?;
        let (mut old, mut new) = (0, 0);
        for (next_old, next_new) in &part.code.moved {
            section.write_uleb128(u64::from(next_old - old))?;
            section.write_uleb128(u64::from(next_new - new))?;
            (old, new) = (*next_old, *next_new);
        }
    }
    Ok(())
}

impl Joined {
    /// What the module's section says.
    pub(crate) fn read(module: &ModuleIndex, warnings: &mut Warnings) -> Joined {
        let mut joined = Joined::default();
        if let Some(section) = module.custom(SECTION)
            && let Err(error) = read(section, &mut joined, warnings)
        {
            warnings.malformed(DebugPart::Module, &error);
        }
        joined
    }
}

fn read(section: &[u8], joined: &mut Joined, warnings: &mut Warnings) -> wasmparser::Result<()> {
    let mut reader = BinaryReader::new(section, 0);
    for _ in 0..reader.read_var_u32()? {
        let at = reader.original_position();
        let said = reader.read_unlimited_string()?.to_owned();
        warnings.push(DebugPart::Module, at, Problem::NotJoined(said));
    }
    for _ in 0..reader.read_var_u32()? {
        let mut map = Moved {
            url: reader.read_unlimited_string()?.to_owned(),
            code_start: reader.read_var_u32()?,
            code: CodeMap::default(),
        };
        let (mut old, mut new) = (0_u32, 0_u32);
        for _ in 0..reader.read_var_u32()? {
            old = old.saturating_add(reader.read_var_u32()?);
            new = new.saturating_add(reader.read_var_u32()?);
            map.code.add(old, new);
        }
        joined.maps.push(map);
    }
    memories::read(&mut reader, &mut joined.memories)
}
