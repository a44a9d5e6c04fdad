//! The section of a joined module that says which source maps there are, where code went since they were written, and what
//! of the debug information could not be joined.

use gimli::LittleEndian;
use gimli::write::{EndianVec, Writer};
use wasmparser::BinaryReader;

use super::{CodeMap, JoinedPart, SECTION};
use crate::module::ModuleIndex;
use crate::warning::{DebugPart, Problem, Warnings};

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
pub(super) fn section(parts: &[JoinedPart<'_>], missing: &[String]) -> Option<Vec<u8>> {
    let with_maps: Vec<(&JoinedPart<'_>, &[u8])> = parts
        .iter()
        // DWARF says more; of two line tables, one must not contradict the other.
        .filter(|part| part.custom(".debug_line").is_none())
        .filter_map(|part| Some((part, part.custom("sourceMappingURL")?)))
        .collect();
    if with_maps.is_empty() && missing.is_empty() {
        return None;
    }
    let mut section = EndianVec::new(LittleEndian);
    // Writing to memory cannot fail.
    let written = write(&mut section, &with_maps, missing);
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

/// The source maps of a joined module; none of another one.
pub(crate) fn moved(module: &ModuleIndex, warnings: &mut Warnings) -> Vec<Moved> {
    let Some(section) = module.custom(SECTION) else {
        return Vec::new();
    };
    let mut maps = Vec::new();
    if let Err(error) = read(section, &mut maps, warnings) {
        warnings.malformed(DebugPart::Module, &error);
    }
    maps
}

fn read(section: &[u8], maps: &mut Vec<Moved>, warnings: &mut Warnings) -> wasmparser::Result<()> {
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
        maps.push(map);
    }
    Ok(())
}
