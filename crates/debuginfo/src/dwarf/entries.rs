//! The entries of a unit: functions, scopes, variables.

use std::ops::Range;
use std::sync::Arc;

use borges_vm::CodeOffset;
use gimli::{AttributeValue, DebuggingInformationEntry, Reader};

use super::ranges::{MAX_RANGES, Ranges};
use super::unit::NumberAt;
use super::{
    GlobalVariable, InlinedCall, LocalVariable, Origin, Scope, Slice, Stop, Subprogram,
    VariableHome,
};
use crate::FileId;
use crate::types::TypeId;
use crate::warning::{DebugPart, Problem};

pub(super) type Entry = DebuggingInformationEntry<Slice>;

/// Longest path of namespaces that is written out, in bytes.
const MAX_PATH: usize = 256;

/// What stands for a longer path.
pub(super) const LONG_PATH: &str = "…";

/// What an entry's children belong to.
#[derive(Clone)]
pub(super) enum Context {
    /// Nothing in particular, or something that is not read.
    Other,
    /// A namespace, with its path.
    Namespace(Arc<str>),
    /// A record type, and its path.
    Record(u32, Arc<str>),
    /// The alternatives of a record, told apart by the member at this offset.
    VariantPart {
        record: u32,
        discriminant: Option<u32>,
    },
    /// One alternative.
    Variant(u32),
    Enumeration(u32),
    Array(u32),
    /// A scope of a function that has code.
    Scope {
        subprogram: usize,
        scope: u32,
    },
    /// A function without code of its own, by its description.
    Abstract(u32),
}

/// One unit while its entries are read.
pub(super) struct Unit<'a> {
    unit: &'a gimli::Unit<Slice>,
    /// Offset of the unit in its section.
    base: u32,
    index: usize,
    files: &'a [Option<FileId>],
}

impl NumberAt<'_> {
    pub(super) fn entries(
        &mut self,
        unit: &gimli::Unit<Slice>,
        base: u32,
        files: &[Option<FileId>],
    ) -> Result<(), Stop> {
        let unit = Unit {
            unit,
            base,
            index: self.dwarf.units.len(),
            files,
        };
        let mut entries = unit.unit.entries_raw(None)?;
        let mut entry = Entry::null();
        let mut contexts: Vec<Context> = Vec::new();
        while !entries.is_empty() {
            if !entries.read_entry(&mut entry)? {
                self.budget.spend(1)?;
                continue;
            }
            self.budget.spend(1 + entry.attrs().len() as u64)?;
            contexts.truncate(usize::try_from(entry.depth()).unwrap_or(0));
            let parent = contexts.last().cloned().unwrap_or(Context::Other);
            let context = self.entry(&unit, &entry, parent)?;
            if entry.has_children() {
                contexts.push(context);
            }
        }
        Ok(())
    }

    fn entry(&mut self, unit: &Unit<'_>, entry: &Entry, parent: Context) -> Result<Context, Stop> {
        match entry.tag() {
            gimli::DW_TAG_compile_unit | gimli::DW_TAG_partial_unit => {
                let language = entry.attr_value(gimli::DW_AT_language);
                if language == Some(AttributeValue::Language(gimli::DW_LANG_Rust)) {
                    self.dwarf.rust_units.insert(unit.index);
                }
                Ok(Context::Namespace("".into()))
            }
            gimli::DW_TAG_namespace | gimli::DW_TAG_module => {
                let name = self.name(unit, entry)?;
                Ok(Context::Namespace(nested(&parent, &name)))
            }
            gimli::DW_TAG_subprogram => self.subprogram(unit, entry, &parent),
            gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine => {
                self.scope(unit, entry, parent)
            }
            gimli::DW_TAG_formal_parameter | gimli::DW_TAG_variable => {
                self.variable(unit, entry, &parent)?;
                Ok(Context::Other)
            }
            gimli::DW_TAG_member
            | gimli::DW_TAG_inheritance
            | gimli::DW_TAG_template_type_parameter
            | gimli::DW_TAG_GNU_template_parameter_pack
            | gimli::DW_TAG_enumerator
            | gimli::DW_TAG_subrange_type
            | gimli::DW_TAG_variant_part
            | gimli::DW_TAG_variant => self.part_of_type(unit, entry, parent),
            _ => self.ty(unit, entry, &parent),
        }
    }

    pub(super) fn name(&mut self, unit: &Unit<'_>, entry: &Entry) -> Result<Arc<str>, Stop> {
        match entry.attr_value(gimli::DW_AT_name) {
            Some(value) => Ok(self.text(unit.unit, value)?.into()),
            None => Ok("".into()),
        }
    }

    fn ranges(&mut self, unit: &Unit<'_>, entry: &Entry) -> Result<Vec<Range<u32>>, Stop> {
        let reader = Ranges {
            dwarf: &self.dwarf.sections,
            unit: unit.unit,
            code_start: self.dwarf.code_start,
        };
        let found = reader.of(entry, &mut self.budget);
        let at = u64::from(unit.offset(entry));
        match found {
            Ok(mut ranges) if ranges.len() > MAX_RANGES => {
                self.warnings
                    .push(DebugPart::DwarfEntries, at, Problem::TooLarge);
                ranges.truncate(MAX_RANGES);
                Ok(ranges)
            }
            // A description with a broken list is only without code.
            Err(Stop::Malformed(error)) => {
                super::report(self.warnings, DebugPart::DwarfEntries, at, error.into());
                Ok(Vec::new())
            }
            found => found,
        }
    }

    fn subprogram(
        &mut self,
        unit: &Unit<'_>,
        entry: &Entry,
        parent: &Context,
    ) -> Result<Context, Stop> {
        let at = unit.offset(entry);
        let name = self.name(unit, entry)?;
        let path = (!name.is_empty()).then(|| nested(parent, &name));
        self.dwarf.origins.insert(
            at,
            Origin {
                name: Some(name).filter(|name| !name.is_empty()),
                path,
                ty: unit.type_of(entry),
                line: line(entry, gimli::DW_AT_decl_line),
                origin: unit.origin(entry),
                parameters: Vec::new(),
            },
        );
        let ranges = self.ranges(unit, entry)?;
        // All code of a description lies in the one function where it begins.
        let first = ranges.iter().map(|range| range.start).min();
        let function = first.and_then(|first| self.module.function_at(CodeOffset(first)));
        let body = function.and_then(|function| self.module.body_of(function));
        let (Some(function), Some(body)) = (function, body) else {
            return Ok(Context::Abstract(at));
        };
        let frame_base = match entry.attr_value(gimli::DW_AT_frame_base) {
            Some(AttributeValue::Exprloc(expression)) => Some(expression.0),
            _ => None,
        };
        let scope = Scope {
            ranges,
            parent: None,
            inlined: None,
            variables: Vec::new(),
        };
        let subprogram = Subprogram {
            function,
            entry: at,
            unit: unit.index,
            frame_base,
            scopes: vec![scope],
        };
        self.dwarf
            .subprograms
            .push((body.range.clone(), subprogram));
        Ok(Context::Scope {
            subprogram: self.dwarf.subprograms.len() - 1,
            scope: 0,
        })
    }

    fn scope(&mut self, unit: &Unit<'_>, entry: &Entry, parent: Context) -> Result<Context, Stop> {
        let Context::Scope {
            subprogram,
            scope: outer,
        } = parent
        else {
            // A block of an abstract function declares variables of that function.
            return Ok(parent);
        };
        let is_call = entry.tag() == gimli::DW_TAG_inlined_subroutine;
        let ranges = self.ranges(unit, entry)?;
        if ranges.is_empty() {
            // Of a block nobody knows the limits of, the function's are taken.
            return Ok(if is_call { Context::Other } else { parent });
        }
        let inlined = is_call.then(|| InlinedCall {
            origin: unit.origin(entry).unwrap_or(0),
            file: unit.file(entry, gimli::DW_AT_call_file),
            line: line(entry, gimli::DW_AT_call_line),
            column: line(entry, gimli::DW_AT_call_column),
        });
        let Some((_, owner)) = self.dwarf.subprograms.get_mut(subprogram) else {
            return Ok(Context::Other);
        };
        let scope = owner.scopes.len() as u32;
        owner.scopes.push(Scope {
            ranges,
            parent: Some(outer),
            inlined,
            variables: Vec::new(),
        });
        Ok(Context::Scope { subprogram, scope })
    }

    fn variable(&mut self, unit: &Unit<'_>, entry: &Entry, parent: &Context) -> Result<(), Stop> {
        let name = self.name(unit, entry)?;
        let parameter = entry.tag() == gimli::DW_TAG_formal_parameter;
        let origin = unit.origin(entry);
        let ty = unit.type_of(entry);
        let decl_line = line(entry, gimli::DW_AT_decl_line);
        let home = self.home(unit, entry)?;
        match parent {
            Context::Scope { subprogram, scope } => {
                let Some((_, owner)) = self.dwarf.subprograms.get_mut(*subprogram) else {
                    return Ok(());
                };
                let Some(owner) = owner.scopes.get_mut(*scope as usize) else {
                    return Ok(());
                };
                if let Some(origin) = origin {
                    let variable = owner.variables.len() as u32;
                    self.borrowers.push((*subprogram, *scope, variable, origin));
                }
                owner.variables.push(LocalVariable {
                    name,
                    ty: ty.unwrap_or(TypeId::VOID),
                    parameter,
                    line: decl_line,
                    home,
                });
            }
            Context::Abstract(function) => {
                let at = unit.offset(entry);
                if parameter && let Some(function) = self.dwarf.origins.get_mut(function) {
                    function.parameters.push(at);
                }
                let name = Some(name).filter(|name| !name.is_empty());
                let described = Origin {
                    name,
                    ty,
                    line: decl_line,
                    origin,
                    ..Origin::default()
                };
                self.dwarf.origins.insert(at, described);
            }
            Context::Namespace(_) | Context::Record(..) if !parameter => {
                self.global(unit, entry, name, parent, home);
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn global(
        &mut self,
        unit: &Unit<'_>,
        entry: &Entry,
        name: Arc<str>,
        parent: &Context,
        home: VariableHome,
    ) {
        let at = unit.offset(entry);
        let path = (!name.is_empty()).then(|| nested(parent, &name));
        let described = Origin {
            name: Some(name).filter(|name| !name.is_empty()),
            path,
            ty: unit.type_of(entry),
            line: line(entry, gimli::DW_AT_decl_line),
            origin: unit.origin(entry),
            parameters: Vec::new(),
        };
        self.dwarf.origins.insert(at, described);
        if matches!(home, VariableHome::Removed) {
            return;
        }
        // Name and type may stand in a declaration further on: they come when all are known.
        self.dwarf.globals.push(GlobalVariable {
            entry: at,
            path: "".into(),
            ty: TypeId::VOID,
            unit: unit.index,
            file: unit.file(entry, gimli::DW_AT_decl_file),
            home,
        });
    }

    fn home(&mut self, unit: &Unit<'_>, entry: &Entry) -> Result<VariableHome, Stop> {
        if let Some(value) = entry.attr_value(gimli::DW_AT_const_value) {
            return Ok(number(&value).map_or(VariableHome::Removed, VariableHome::Constant));
        }
        Ok(match entry.attr_value(gimli::DW_AT_location) {
            None => VariableHome::Removed,
            Some(AttributeValue::Exprloc(expression)) if expression.0.is_empty() => {
                VariableHome::Removed
            }
            Some(AttributeValue::Exprloc(expression)) => VariableHome::Expression(expression.0),
            Some(value) => match self.dwarf.sections.attr_locations_offset(unit.unit, value) {
                Ok(Some(offset)) => VariableHome::List(offset.0),
                Ok(None) => VariableHome::Removed,
                Err(error) => {
                    let at = u64::from(unit.offset(entry));
                    super::report(self.warnings, DebugPart::DwarfEntries, at, error.into());
                    VariableHome::Removed
                }
            },
        })
    }
}

impl Unit<'_> {
    /// The entry's offset in its section.
    pub(super) fn offset(&self, entry: &Entry) -> u32 {
        self.base.wrapping_add(entry.offset().0 as u32)
    }

    pub(super) fn reference(&self, entry: &Entry, name: gimli::DwAt) -> Option<u32> {
        match entry.attr_value(name)? {
            AttributeValue::UnitRef(offset) => u32::try_from(offset.0).ok()?.checked_add(self.base),
            AttributeValue::DebugInfoRef(offset) => u32::try_from(offset.0).ok(),
            _ => None,
        }
    }

    pub(super) fn type_of(&self, entry: &Entry) -> Option<TypeId> {
        self.reference(entry, gimli::DW_AT_type).map(TypeId)
    }

    /// The description that this one completes.
    fn origin(&self, entry: &Entry) -> Option<u32> {
        self.reference(entry, gimli::DW_AT_abstract_origin)
            .or_else(|| self.reference(entry, gimli::DW_AT_specification))
    }

    fn file(&self, entry: &Entry, name: gimli::DwAt) -> Option<FileId> {
        let index = match entry.attr_value(name)? {
            AttributeValue::FileIndex(index) => index,
            value => value.udata_value()?,
        };
        self.files
            .get(usize::try_from(index).ok()?)
            .copied()
            .flatten()
    }
}

/// True of a member that lies elsewhere.
pub(super) fn is_static(entry: &Entry) -> bool {
    let signs = [
        gimli::DW_AT_external,
        gimli::DW_AT_declaration,
        gimli::DW_AT_const_value,
    ];
    signs.into_iter().any(|name| entry.has_attr(name))
}

/// The path of something called `name` in `parent`.
pub(super) fn nested(parent: &Context, name: &Arc<str>) -> Arc<str> {
    match parent {
        Context::Namespace(path) | Context::Record(_, path) if !path.is_empty() => {
            let path = if path.len() > MAX_PATH {
                LONG_PATH
            } else {
                path
            };
            format!("{path}::{name}").into()
        }
        _ => name.clone(),
    }
}

/// A line or column; 0 if there is none.
fn line(entry: &Entry, name: gimli::DwAt) -> u32 {
    let value = entry.attr_value(name).and_then(|value| value.udata_value());
    value
        .and_then(|value| u32::try_from(value).ok())
        .unwrap_or(0)
}

/// A constant. Forms that do not say their sign are taken as unsigned.
pub(super) fn number(value: &AttributeValue<Slice>) -> Option<i128> {
    match value {
        AttributeValue::Sdata(value) => Some(i128::from(*value)),
        AttributeValue::Data16(value) => i128::try_from(*value).ok(),
        value => value.udata_value().map(i128::from),
    }
}
