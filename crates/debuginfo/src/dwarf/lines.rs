//! DWARF's line tables.

use gimli::{ColumnType, DebugLineOffset, Reader, Section};

use super::unit::NumberAt;
use super::{Slice, Stop, report};
use crate::lines::{Row, RowSource};
use crate::sources::{FileId, join};
use crate::warning::{DebugPart, Problem};

impl NumberAt<'_> {
    /// Reads a unit's line table into the rows of the module; returns its files by their numbers.
    pub(super) fn line_table(
        &mut self,
        unit: &gimli::Unit<Slice>,
        at: usize,
    ) -> Vec<Option<FileId>> {
        if let Some(files) = self.line_tables.get(&at) {
            return files.clone();
        }
        let mut files = Vec::new();
        if let Err(stop) = self.read_line_table(unit, at, &mut files) {
            let lines = self.dwarf.sections.debug_line.reader().len();
            // A table that is nowhere is the mistake of the unit that names it.
            let (part, place) = match unit.header.debug_info_offset() {
                Some(entry) if at >= lines => (DebugPart::DwarfEntries, entry.0),
                _ => (DebugPart::DwarfLines, at),
            };
            report(self.warnings, part, place as u64, stop);
        }
        self.line_tables.insert(at, files.clone());
        files
    }

    fn read_line_table(
        &mut self,
        unit: &gimli::Unit<Slice>,
        at: usize,
        files: &mut Vec<Option<FileId>>,
    ) -> Result<(), Stop> {
        let section = self.dwarf.sections.debug_line.reader().clone();
        self.budget.spend(header_bytes(section, at))?;
        let program = self.dwarf.sections.debug_line.program(
            DebugLineOffset(at),
            unit.header.address_size(),
            unit.comp_dir.clone(),
            unit.name.clone(),
        )?;
        let header = program.header();
        // Before version 5, file numbers count from 1.
        if header.version() <= 4 {
            files.push(None);
        }
        for entry in header.file_names() {
            files.push(self.line_file(unit, header, entry)?);
        }
        let mut rows = program.rows();
        while let Some((_, row)) = rows.next_row()? {
            self.budget.spend(1)?;
            let Some(offset) = self.file_offset(row.address()) else {
                continue;
            };
            let file = files.get(row.file_index() as usize).copied().flatten();
            let line = row.line().and_then(|line| u32::try_from(line.get()).ok());
            let source = match (file, line) {
                (Some(file), Some(line)) if !row.end_sequence() => Some(RowSource {
                    file,
                    line,
                    column: match row.column() {
                        ColumnType::LeftEdge => 0,
                        ColumnType::Column(column) => u32::try_from(column.get()).unwrap_or(0),
                    },
                    is_stmt: row.is_stmt(),
                }),
                _ => None,
            };
            self.rows.push(Row {
                offset,
                source,
                prologue_end: row.prologue_end(),
            });
        }
        Ok(())
    }

    /// An address of code as an offset in the module's file; none for code that was thrown away.
    fn file_offset(&self, address: u64) -> Option<u32> {
        let address = u32::try_from(address).ok().filter(|&address| address > 0)?;
        address.checked_add(self.dwarf.code_start)
    }

    fn line_file(
        &mut self,
        unit: &gimli::Unit<Slice>,
        header: &gimli::LineProgramHeader<Slice>,
        entry: &gimli::FileEntry<Slice>,
    ) -> Result<Option<FileId>, Stop> {
        let name = self.text(unit, entry.path_name())?;
        let directory = match entry.directory(header) {
            Some(directory) => self.text(unit, directory)?,
            None => String::new(),
        };
        let base = match &unit.comp_dir {
            Some(directory) => directory.to_string_lossy()?.into_owned(),
            None => String::new(),
        };
        let path = join(&join(&base, &directory), &name);
        let embedded = match entry.source() {
            Some(source) => Some(self.text(unit, source)?).filter(|text| !text.is_empty()),
            None => None,
        };
        let id = self.files.intern(&path, embedded.as_deref(), self.provider);
        if id.is_none() {
            self.warnings.push(DebugPart::Sources, 0, Problem::TooLarge);
        }
        Ok(id)
    }
}

/// Bytes that reading the header of the line table at `at` costs.
fn header_bytes(mut section: Slice, at: usize) -> u64 {
    let length = |section: &mut Slice| -> gimli::Result<u64> {
        section.skip(at)?;
        let (_, format) = section.read_initial_length()?;
        let version = section.read_u16()?;
        if version >= 5 {
            section.skip(2)?;
        }
        Ok(section.read_length(format)? as u64)
    };
    // A header that cannot be read costs nothing more.
    length(&mut section).unwrap_or(0)
}
