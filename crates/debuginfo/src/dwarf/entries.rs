//! The entries of a unit: functions, scopes, variables, types.

use std::ops::Range;
use std::sync::Arc;

use borges_vm::CodeOffset;
use gimli::{AttributeValue, DebuggingInformationEntry, Reader};

use super::ranges::Ranges;
use super::unit::Reading;
use super::{
    GlobalVariable, InlinedCall, LocalVariable, Origin, Scope, Slice, Stop, Subprogram,
    VariableHome,
};
use crate::FileId;
use crate::types::{Encoding, Field, POINTER_BYTES, Type, TypeId, Variant, Variants};

type Entry = DebuggingInformationEntry<Slice>;

/// Longest path of namespaces that is written out.
const MAX_PATH: usize = 256;

/// What an entry's children belong to.
#[derive(Clone)]
enum Context {
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

impl Reading<'_> {
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
            | gimli::DW_TAG_enumerator
            | gimli::DW_TAG_subrange_type
            | gimli::DW_TAG_variant_part
            | gimli::DW_TAG_variant => self.part_of_type(unit, entry, parent),
            _ => self.ty(unit, entry, &parent),
        }
    }

    fn name(&mut self, unit: &Unit<'_>, entry: &Entry) -> Result<Arc<str>, Stop> {
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
        match found {
            // A description with a broken list is only without code.
            Err(Stop::Malformed(error)) => {
                let at = u64::from(unit.offset(entry));
                super::report(self.warnings, crate::Part::DwarfEntries, at, error.into());
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

    fn global(
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
                    super::report(self.warnings, crate::Part::DwarfEntries, at, error.into());
                    VariableHome::Removed
                }
            },
        })
    }

    /// A type, if the entry is one.
    fn ty(&mut self, unit: &Unit<'_>, entry: &Entry, parent: &Context) -> Result<Context, Stop> {
        let at = unit.offset(entry);
        let name = self.name(unit, entry)?;
        let to = unit.type_of(entry).unwrap_or(TypeId::VOID);
        let size = entry
            .attr_value(gimli::DW_AT_byte_size)
            .and_then(|value| u32::try_from(value.udata_value()?).ok())
            .unwrap_or(0);
        let (ty, context) = match entry.tag() {
            gimli::DW_TAG_base_type => {
                let Some(encoding) = encoding(entry, size) else {
                    return Ok(Context::Other);
                };
                (
                    Type::Base {
                        name,
                        encoding,
                        size,
                    },
                    Context::Other,
                )
            }
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type => {
                let name = Some(name).filter(|name| !name.is_empty());
                (Type::Pointer { name, to }, Context::Other)
            }
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
                let path = nested(parent, &name);
                let record = Type::Record {
                    name,
                    size,
                    fields: Vec::new(),
                    variants: None,
                };
                (record, Context::Record(at, path))
            }
            gimli::DW_TAG_enumeration_type => {
                let size = if size == 0 { POINTER_BYTES } else { size };
                let values = Vec::new();
                let ty = Type::Enum {
                    name,
                    size,
                    signed: false,
                    underlying: to,
                    values,
                };
                (ty, Context::Enumeration(at))
            }
            gimli::DW_TAG_array_type => (
                Type::Array {
                    element: to,
                    count: None,
                },
                Context::Array(at),
            ),
            gimli::DW_TAG_typedef => (Type::Alias { name, to }, Context::Other),
            gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type => (Type::Qualified { to }, Context::Other),
            gimli::DW_TAG_subroutine_type => (Type::Function, Context::Other),
            gimli::DW_TAG_unspecified_type => (
                Type::Record {
                    name,
                    size: 0,
                    fields: Vec::new(),
                    variants: None,
                },
                Context::Other,
            ),
            _ => return Ok(Context::Other),
        };
        self.dwarf.types.map.insert(at, ty);
        Ok(context)
    }

    /// A member, enumerator, bound or alternative of the type around it.
    fn part_of_type(
        &mut self,
        unit: &Unit<'_>,
        entry: &Entry,
        parent: Context,
    ) -> Result<Context, Stop> {
        match (entry.tag(), parent) {
            (gimli::DW_TAG_variant_part, Context::Record(record, _)) => {
                if let Some(Type::Record { variants, .. }) = self.dwarf.types.map.get_mut(&record) {
                    variants.get_or_insert_default();
                }
                let discriminant = unit.reference(entry, gimli::DW_AT_discr);
                return Ok(Context::VariantPart {
                    record,
                    discriminant,
                });
            }
            (gimli::DW_TAG_variant, Context::VariantPart { record, .. }) => {
                if let Some(variants) = self.variants(record) {
                    variants.variants.push(Variant {
                        values: discriminants(entry),
                        field: None,
                    });
                }
                return Ok(Context::Variant(record));
            }
            (
                gimli::DW_TAG_member,
                Context::VariantPart {
                    record,
                    discriminant,
                },
            ) => {
                let field = self.field(unit, entry)?;
                if Some(unit.offset(entry)) == discriminant
                    && let Some(variants) = self.variants(record)
                {
                    variants.discriminant = field;
                }
            }
            (gimli::DW_TAG_member, Context::Variant(record)) => {
                let field = self.field(unit, entry)?;
                let variant = self.variants(record).and_then(|v| v.variants.last_mut());
                if let Some(variant) = variant {
                    variant.field = field;
                }
            }
            (gimli::DW_TAG_member, parent @ Context::Record(..)) if is_static(entry) => {
                let name = self.name(unit, entry)?;
                self.global(unit, entry, name, &parent, VariableHome::Removed);
            }
            (gimli::DW_TAG_member | gimli::DW_TAG_inheritance, Context::Record(record, _)) => {
                let field = self.field(unit, entry)?;
                if let Some(Type::Record { fields, .. }) = self.dwarf.types.map.get_mut(&record) {
                    fields.extend(field);
                }
            }
            (gimli::DW_TAG_enumerator, Context::Enumeration(at)) => {
                let name = self.name(unit, entry)?;
                let value = entry.attr_value(gimli::DW_AT_const_value);
                if let Some(value) = value.as_ref().and_then(number)
                    && let Some(Type::Enum { values, signed, .. }) =
                        self.dwarf.types.map.get_mut(&at)
                {
                    *signed |= value < 0;
                    values.push((value, name));
                }
            }
            (gimli::DW_TAG_subrange_type, Context::Array(at)) => {
                let bound = |name| entry.attr_value(name).and_then(|v| number(&v));
                let above = bound(gimli::DW_AT_upper_bound).map(|last| last.saturating_add(1));
                let count = bound(gimli::DW_AT_count).or(above);
                let count = count.and_then(|count| u64::try_from(count).ok());
                self.dimension(at, unit.offset(entry), count);
            }
            _ => {}
        }
        Ok(Context::Other)
    }

    /// Adds a dimension to the array at `at`. All but the first become arrays of their own, known
    /// by the offsets of the entries that give their bounds.
    fn dimension(&mut self, at: u32, bound: u32, count: Option<u64>) {
        let types = &mut self.dwarf.types.map;
        let innermost = self.innermost_arrays.get(&at).copied();
        let known = types.get_mut(&innermost.unwrap_or(at));
        let Some(Type::Array {
            element,
            count: of_known,
        }) = known
        else {
            return;
        };
        if innermost.is_none() {
            *of_known = count;
            self.innermost_arrays.insert(at, at);
        } else {
            let inner = Type::Array {
                element: *element,
                count,
            };
            *element = TypeId(bound);
            types.insert(bound, inner);
            self.innermost_arrays.insert(at, bound);
        }
    }

    fn variants(&mut self, record: u32) -> Option<&mut Variants> {
        match self.dwarf.types.map.get_mut(&record)? {
            Type::Record { variants, .. } => variants.as_mut(),
            _ => None,
        }
    }

    /// A member of a record; none of those that lie elsewhere.
    fn field(&mut self, unit: &Unit<'_>, entry: &Entry) -> Result<Option<Field>, Stop> {
        if is_static(entry) {
            return Ok(None);
        }
        let mut name = self.name(unit, entry)?;
        if entry.tag() == gimli::DW_TAG_inheritance {
            name = "base".into();
        }
        let value = |name| entry.attr_value(name).and_then(|v| v.udata_value());
        let start = value(gimli::DW_AT_data_member_location).unwrap_or(0);
        let width = value(gimli::DW_AT_bit_size);
        let first = value(gimli::DW_AT_data_bit_offset).or_else(|| {
            // Until version 3, bits were counted from the other end of the storage unit.
            let storage = value(gimli::DW_AT_byte_size)?.checked_mul(8)?;
            let bit = value(gimli::DW_AT_bit_offset)?;
            start
                .checked_mul(8)?
                .checked_add(storage)?
                .checked_sub(bit)?
                .checked_sub(width?)
        });
        let (offset, bits) = match (width, first) {
            (Some(width @ 1..=64), first) => {
                let first = first.unwrap_or_else(|| start.saturating_mul(8));
                (first / 8, Some(((first % 8) as u32, width as u32)))
            }
            _ => (start, None),
        };
        let Ok(offset) = u32::try_from(offset) else {
            return Ok(None);
        };
        let ty = unit.type_of(entry).unwrap_or(TypeId::VOID);
        Ok(Some(Field {
            name,
            ty,
            offset,
            bits,
        }))
    }
}

impl Unit<'_> {
    /// The entry's offset in its section.
    fn offset(&self, entry: &Entry) -> u32 {
        self.base.wrapping_add(entry.offset().0 as u32)
    }

    fn reference(&self, entry: &Entry, name: gimli::DwAt) -> Option<u32> {
        match entry.attr_value(name)? {
            AttributeValue::UnitRef(offset) => u32::try_from(offset.0).ok()?.checked_add(self.base),
            AttributeValue::DebugInfoRef(offset) => u32::try_from(offset.0).ok(),
            _ => None,
        }
    }

    fn type_of(&self, entry: &Entry) -> Option<TypeId> {
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
fn is_static(entry: &Entry) -> bool {
    let signs = [
        gimli::DW_AT_external,
        gimli::DW_AT_declaration,
        gimli::DW_AT_const_value,
    ];
    signs.into_iter().any(|name| entry.has_attr(name))
}

/// The path of something called `name` in `parent`.
fn nested(parent: &Context, name: &Arc<str>) -> Arc<str> {
    match parent {
        Context::Namespace(path) | Context::Record(_, path)
            if !path.is_empty() && path.len() <= MAX_PATH =>
        {
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
fn number(value: &AttributeValue<Slice>) -> Option<i128> {
    match value {
        AttributeValue::Sdata(value) => Some(i128::from(*value)),
        AttributeValue::Data16(value) => i128::try_from(*value).ok(),
        value => value.udata_value().map(i128::from),
    }
}

/// The values of the discriminant that choose a variant; none for the default one.
fn discriminants(entry: &Entry) -> Vec<(i128, i128)> {
    if let Some(value) = entry.attr_value(gimli::DW_AT_discr_value) {
        return number(&value)
            .map(|value| (value, value))
            .into_iter()
            .collect();
    }
    let Some(AttributeValue::Block(mut block)) = entry.attr_value(gimli::DW_AT_discr_list) else {
        return Vec::new();
    };
    let mut values = Vec::new();
    let mut next = |block: &mut Slice| -> gimli::Result<()> {
        let range = block.read_u8()? == gimli::DW_DSC_range.0;
        let low = block.read_uleb128()?;
        let high = if range { block.read_uleb128()? } else { low };
        values.push((i128::from(low), i128::from(high)));
        Ok(())
    };
    while !block.is_empty() && next(&mut block).is_ok() {}
    values
}

fn encoding(entry: &Entry, size: u32) -> Option<Encoding> {
    let AttributeValue::Encoding(encoding) = entry.attr_value(gimli::DW_AT_encoding)? else {
        return None;
    };
    Some(match encoding {
        gimli::DW_ATE_boolean => Encoding::Bool,
        gimli::DW_ATE_float => Encoding::Float,
        gimli::DW_ATE_signed => Encoding::Signed,
        gimli::DW_ATE_signed_char if size == 1 => Encoding::Letter { signed: true },
        gimli::DW_ATE_unsigned_char if size == 1 => Encoding::Letter { signed: false },
        gimli::DW_ATE_signed_char => Encoding::Signed,
        gimli::DW_ATE_UTF => Encoding::Scalar,
        _ => Encoding::Unsigned,
    })
}
