//! NumberAt of whole units.

use std::collections::HashMap;
use std::sync::Arc;

use gimli::{Abbreviations, AttributeValue, DebugAbbrevOffset, Reader, Section, UnitHeader};

use super::{Budget, Dwarf, Slice, Stop, VariableHome, report};
use crate::FileId;
use crate::lines::Row;
use crate::module::ModuleIndex;
use crate::sources::{Files, SourceProvider};
use crate::types::{Type, TypeId};
use crate::warning::{DebugPart, Warnings};

/// What reading needs and collects.
pub(super) struct NumberAt<'a> {
    pub(super) dwarf: Dwarf,
    pub(super) module: &'a ModuleIndex,
    pub(super) provider: &'a dyn SourceProvider,
    pub(super) files: &'a mut Files,
    pub(super) warnings: &'a mut Warnings,
    pub(super) budget: Budget,
    pub(super) rows: Vec<Row>,
    /// Files of the line tables read so far, by the tables' offsets.
    pub(super) line_tables: HashMap<usize, Vec<Option<FileId>>>,
    abbreviations: HashMap<usize, Arc<Abbreviations>>,
    /// Descriptions of local variables that take something from another description: subprogram,
    /// scope, variable, the other description.
    pub(super) borrowers: Vec<(usize, u32, u32, u32)>,
    /// Of every array type read, the array of its innermost dimension.
    pub(super) innermost_arrays: HashMap<u32, u32>,
    /// Types of tables of virtual functions, and the types that have those tables.
    pub(super) vtable_types: HashMap<TypeId, TypeId>,
    /// Records that a unit only declares, with their paths.
    pub(super) declared_records: Vec<(u32, Arc<str>)>,
    /// Sizes of records and the records themselves, by their paths; none if definitions differ.
    pub(super) defined_records: HashMap<Arc<str>, (u32, Option<u32>)>,
}

impl<'a> NumberAt<'a> {
    pub(super) fn new(
        dwarf: Dwarf,
        module: &'a ModuleIndex,
        provider: &'a dyn SourceProvider,
        files: &'a mut Files,
        warnings: &'a mut Warnings,
        budget: Budget,
    ) -> NumberAt<'a> {
        NumberAt {
            dwarf,
            module,
            provider,
            files,
            warnings,
            budget,
            rows: Vec::new(),
            line_tables: HashMap::new(),
            abbreviations: HashMap::new(),
            borrowers: Vec::new(),
            innermost_arrays: HashMap::new(),
            vtable_types: HashMap::new(),
            declared_records: Vec::new(),
            defined_records: HashMap::new(),
        }
    }

    pub(super) fn all_units(&mut self) {
        let mut headers = self.dwarf.sections.units();
        for number in 0.. {
            let header = match headers.next() {
                Ok(Some(header)) => header,
                Ok(None) => return,
                Err(error) => {
                    // Units are chained by their lengths: behind a broken one nothing can be found.
                    report(self.warnings, DebugPart::DwarfEntries, 0, error.into());
                    return;
                }
            };
            let at = header.debug_info_offset().map_or(0, |offset| offset.0);
            if let Err(stop) = self.unit(header, at, number) {
                report(self.warnings, DebugPart::DwarfEntries, at as u64, stop);
                if stop == Stop::Budget {
                    return;
                }
            }
        }
    }

    fn unit(&mut self, header: UnitHeader<Slice>, at: usize, number: u32) -> Result<(), Stop> {
        self.budget.spend(16)?;
        let abbreviations = self.abbreviations(header.debug_abbrev_offset())?;
        let (unit, line_table) = self.root(header, abbreviations)?;
        let files = match line_table {
            Some(at) => self.line_table(&unit, at),
            None => Vec::new(),
        };
        self.dwarf.types.note_addresses(unit.header.address_size());
        let done = self.entries(&unit, at as u32, &files);
        // Also of a unit that breaks off, what came before is used.
        self.dwarf.units.push(unit);
        let memory = self.module.memories.of_unit(number);
        self.dwarf.unit_memories.push(memory);
        done
    }

    /// The abbreviations at an offset; many units may share them.
    fn abbreviations(&mut self, at: DebugAbbrevOffset) -> Result<Arc<Abbreviations>, Stop> {
        if let Some(known) = self.abbreviations.get(&at.0) {
            return Ok(known.clone());
        }
        let section = self.dwarf.sections.debug_abbrev.reader().clone();
        self.budget.spend(abbreviation_bytes(section, at.0))?;
        let read = Arc::new(self.dwarf.sections.debug_abbrev.abbreviations(at)?);
        self.abbreviations.insert(at.0, read.clone());
        Ok(read)
    }

    /// Reads a unit's own description: its bases, and the offset of its line table.
    ///
    /// gimli can do so too, but then a broken line table takes the whole unit along.
    fn root(
        &mut self,
        header: UnitHeader<Slice>,
        abbreviations: Arc<Abbreviations>,
    ) -> Result<(gimli::Unit<Slice>, Option<usize>), Stop> {
        let encoding = header.encoding();
        let kind = self.dwarf.sections.file_type;
        let mut unit = gimli::Unit {
            header,
            abbreviations,
            name: None,
            comp_dir: None,
            low_pc: 0,
            str_offsets_base: gimli::DebugStrOffsetsBase::default_for_encoding_and_file(
                encoding, kind,
            ),
            addr_base: gimli::DebugAddrBase(0),
            loclists_base: gimli::DebugLocListsBase::default_for_encoding_and_file(encoding, kind),
            rnglists_base: gimli::DebugRngListsBase::default_for_encoding_and_file(encoding, kind),
            line_program: None,
            dwo_id: None,
        };
        let root = unit.entry(unit.header.root_offset())?;
        for attribute in root.attrs() {
            match attribute.value() {
                AttributeValue::DebugStrOffsetsBase(base) => unit.str_offsets_base = base,
                AttributeValue::DebugAddrBase(base) => unit.addr_base = base,
                AttributeValue::DebugLocListsBase(base) => unit.loclists_base = base,
                AttributeValue::DebugRngListsBase(base) => unit.rnglists_base = base,
                _ => {}
            }
        }
        // Strings and addresses may come before the bases that they need.
        let string = |unit: &gimli::Unit<Slice>, name| {
            let value = root.attr_value(name)?;
            self.dwarf.sections.attr_string(unit, value).ok()
        };
        unit.name = string(&unit, gimli::DW_AT_name);
        unit.comp_dir = string(&unit, gimli::DW_AT_comp_dir);
        if let Some(low) = root.attr_value(gimli::DW_AT_low_pc)
            && let Some(address) = self.dwarf.sections.attr_address(&unit, low)?
        {
            unit.low_pc = address;
        }
        let line_table = match root.attr_value(gimli::DW_AT_stmt_list) {
            Some(AttributeValue::DebugLineRef(offset)) => Some(offset.0),
            _ => None,
        };
        Ok((unit, line_table))
    }

    /// A string of the unit; empty if it is none.
    pub(super) fn text(
        &mut self,
        unit: &gimli::Unit<Slice>,
        value: AttributeValue<Slice>,
    ) -> Result<String, Stop> {
        let Ok(text) = self.dwarf.sections.attr_string(unit, value) else {
            return Ok(String::new());
        };
        self.budget.spend(text.len() as u64)?;
        Ok(text.to_string_lossy()?.into_owned())
    }

    /// Gives variables what they take from other descriptions, now that all are known.
    pub(super) fn finish(mut self) -> (Dwarf, Vec<Row>) {
        self.dwarf.types.settle_enums();
        self.complete_records();
        self.dwarf.types.index_nodes();
        self.name_globals();
        self.note_vtables();
        if let Err(stop) = self.lend() {
            report(self.warnings, DebugPart::DwarfEntries, 0, stop);
        }
        if let Err(stop) = self.add_removed_parameters() {
            report(self.warnings, DebugPart::DwarfEntries, 0, stop);
        }
        (self.dwarf, self.rows)
    }

    fn name_globals(&mut self) {
        let mut globals = std::mem::take(&mut self.dwarf.globals);
        globals.retain_mut(|global| {
            let path = self
                .dwarf
                .origin(global.entry, |origin| origin.path.clone());
            let ty = self.dwarf.origin(global.entry, |origin| origin.ty);
            global.ty = ty.unwrap_or(TypeId::VOID);
            path.map(|path| global.path = path).is_some()
        });
        self.dwarf.globals = globals;
    }

    /// Lets records that one unit only declares be what another one defines.
    fn complete_records(&mut self) {
        for (declared, path) in std::mem::take(&mut self.declared_records) {
            if let Some(&(_, Some(defined))) = self.defined_records.get(&path) {
                let to = TypeId(defined);
                self.dwarf
                    .types
                    .map
                    .insert(declared, Type::Qualified { to });
            }
        }
    }

    /// Notes where Rust's tables of virtual functions lie; they are no variables of the program.
    fn note_vtables(&mut self) {
        let Dwarf {
            sections,
            units,
            unit_memories,
            globals,
            types,
            ..
        } = &mut self.dwarf;
        globals.retain(|global| {
            let Some(&owner) = self.vtable_types.get(&global.ty) else {
                return true;
            };
            let address = match (&global.home, units.get(global.unit)) {
                (VariableHome::Expression(expression), Some(unit)) => {
                    fixed_address(sections, unit, expression)
                }
                _ => None,
            };
            let memory = unit_memories.get(global.unit).copied().unwrap_or_default();
            types
                .vtables
                .extend(address.map(|address| ((memory, address), owner)));
            false
        });
    }

    fn lend(&mut self) -> Result<(), Stop> {
        for (subprogram, scope, variable, origin) in std::mem::take(&mut self.borrowers) {
            self.budget.spend(4)?;
            let name = self.dwarf.origin(origin, |origin| origin.name.clone());
            let ty = self.dwarf.origin(origin, |origin| origin.ty);
            let line = self
                .dwarf
                .origin(origin, |origin| Some(origin.line).filter(|&l| l > 0));
            let variable = self
                .dwarf
                .subprograms
                .get_mut(subprogram)
                .and_then(|(_, subprogram)| subprogram.scopes.get_mut(scope as usize))
                .and_then(|scope| scope.variables.get_mut(variable as usize));
            let Some(variable) = variable else { continue };
            if let Some(name) = name.filter(|_| variable.name.is_empty()) {
                variable.name = name;
            }
            if let Some(ty) = ty.filter(|_| variable.ty == TypeId::VOID) {
                variable.ty = ty;
            }
            if let Some(line) = line.filter(|_| variable.line == 0) {
                variable.line = line;
            }
        }
        Ok(())
    }

    /// Compilers leave out parameters of inlined calls that they removed: a user who looks for them
    /// should be told so.
    fn add_removed_parameters(&mut self) -> Result<(), Stop> {
        let mut subprograms = std::mem::take(&mut self.dwarf.subprograms);
        let mut done = Ok(());
        'all: for (_, subprogram) in &mut subprograms {
            for scope in &mut subprogram.scopes {
                done = self.removed_parameters(scope);
                if done.is_err() {
                    break 'all;
                }
            }
        }
        self.dwarf.subprograms = subprograms;
        done
    }

    fn removed_parameters(&mut self, scope: &mut super::Scope) -> Result<(), Stop> {
        let Some(call) = &scope.inlined else {
            return Ok(());
        };
        let Some(origin) = self.dwarf.origins.get(&call.origin) else {
            return Ok(());
        };
        let mut missing = Vec::new();
        for parameter in &origin.parameters {
            let Some(described) = self.dwarf.origins.get(parameter) else {
                continue;
            };
            let Some(name) = &described.name else {
                continue;
            };
            self.budget
                .spend((1 + scope.variables.len() + name.len()) as u64)?;
            if !scope
                .variables
                .iter()
                .any(|v| v.parameter && v.name == *name)
            {
                missing.push(super::LocalVariable {
                    name: name.clone(),
                    ty: described.ty.unwrap_or(TypeId::VOID),
                    parameter: true,
                    line: described.line,
                    home: VariableHome::Removed,
                });
            }
        }
        scope.variables.extend(missing);
        Ok(())
    }
}

/// The address that an expression is, if it is nothing but that.
fn fixed_address(
    sections: &gimli::Dwarf<Slice>,
    unit: &gimli::Unit<Slice>,
    expression: &Slice,
) -> Option<u32> {
    let mut operations = gimli::Expression(expression.clone()).operations(unit.encoding());
    let address = match operations.next().ok()?? {
        gimli::Operation::Address { address } => address,
        gimli::Operation::AddressIndex { index } => sections.address(unit, index).ok()?,
        _ => return None,
    };
    match operations.next() {
        Ok(None) => u32::try_from(address).ok(),
        _ => None,
    }
}

/// Bytes of the table of abbreviations at `at`.
fn abbreviation_bytes(mut section: Slice, at: usize) -> u64 {
    let all = section.len() as u64;
    let walk = |section: &mut Slice| -> gimli::Result<()> {
        section.skip(at)?;
        while section.read_uleb128()? != 0 {
            section.read_uleb128()?;
            section.read_u8()?;
            loop {
                let name = section.read_uleb128()?;
                let form = section.read_uleb128()?;
                if form == u64::from(gimli::DW_FORM_implicit_const.0) {
                    section.read_sleb128()?;
                }
                if name == 0 && form == 0 {
                    break;
                }
            }
        }
        Ok(())
    };
    // A table that breaks off costs what lies before the break.
    let _ = walk(&mut section);
    all - section.len() as u64
}
