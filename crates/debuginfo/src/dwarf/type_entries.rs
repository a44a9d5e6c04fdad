//! The entries of a unit that describe types.

use std::sync::Arc;

use gimli::{AttributeValue, Reader};

use super::entries::{Context, Entry, LONG_PATH, Unit, is_static, nested, number};
use super::unit::NumberAt;
use super::{Slice, Stop, VariableHome};
use crate::types::{Encoding, Field, Role, Type, TypeId, Variant, Variants};

impl NumberAt<'_> {
    /// A type, if the entry is one.
    pub(super) fn ty(
        &mut self,
        unit: &Unit<'_>,
        entry: &Entry,
        parent: &Context,
    ) -> Result<Context, Stop> {
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
                let pointer = Type::Pointer {
                    name: Some(name).filter(|name| !name.is_empty()),
                    to,
                    reference: entry.tag() != gimli::DW_TAG_pointer_type,
                };
                (pointer, Context::Other)
            }
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
                let path = nested(parent, &name);
                if let Some(owner) = unit.reference(entry, gimli::DW_AT_containing_type) {
                    self.vtable_types.insert(TypeId(at), TypeId(owner));
                }
                // A path that is not written out does not tell which type is meant.
                let tells = |part: &str| !part.is_empty() && part != LONG_PATH;
                if parent_is_named(parent) && path.split("::").all(tells) {
                    self.note_record(at, &path, size, entry);
                }
                let record = record(name, around(parent), size);
                (record, Context::Record(at, path))
            }
            gimli::DW_TAG_enumeration_type => {
                let size = match size {
                    0 => self.dwarf.types.pointer_bytes(),
                    size => size,
                };
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
            gimli::DW_TAG_unspecified_type => (record(name, "".into(), 0), Context::Other),
            _ => return Ok(Context::Other),
        };
        self.dwarf.types.map.insert(at, ty);
        Ok(context)
    }

    /// Keeps what completes declarations: C++ allows one definition of a name, C does not, so that
    /// definitions which differ complete nothing.
    fn note_record(&mut self, at: u32, path: &Arc<str>, size: u32, entry: &Entry) {
        if entry.has_attr(gimli::DW_AT_declaration) {
            self.declared_records.push((at, path.clone()));
            return;
        }
        let defined = self.defined_records.entry(path.clone());
        let known = defined.or_insert((size, Some(at)));
        if known.0 != size {
            known.1 = None;
        }
    }

    /// A member, enumerator, bound or alternative of the type around it.
    pub(super) fn part_of_type(
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
            (gimli::DW_TAG_template_type_parameter, Context::Record(record, _)) => {
                if let Some(Type::Record { arguments, .. }) = self.dwarf.types.map.get_mut(&record)
                {
                    arguments.push(unit.type_of(entry).unwrap_or(TypeId::VOID));
                }
            }
            // What stands for `...` counts like what stands for any other parameter.
            (gimli::DW_TAG_GNU_template_parameter_pack, parent @ Context::Record(..)) => {
                return Ok(parent);
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
        let name = self.name(unit, entry)?;
        let role = match entry.tag() {
            gimli::DW_TAG_inheritance => Role::Base,
            _ if entry.has_attr(gimli::DW_AT_artificial) => Role::Artificial,
            _ => Role::Member,
        };
        let value = |name| entry.attr_value(name).and_then(|v| v.udata_value());
        let location = entry.attr_value(gimli::DW_AT_data_member_location);
        // An expression tells where a virtual base is, by the object's table of functions.
        let computed = matches!(location, Some(AttributeValue::Exprloc(_)));
        let start = match computed {
            true => Field::COMPUTED.into(),
            false => value(gimli::DW_AT_data_member_location).unwrap_or(0),
        };
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
            role,
        }))
    }
}

/// A record of which nothing is known yet but its name and size.
fn record(name: Arc<str>, path: Arc<str>, size: u32) -> Type {
    Type::Record {
        name,
        path,
        size,
        fields: Vec::new(),
        arguments: Vec::new(),
        variants: None,
    }
}

/// The path of what an entry is in.
fn around(parent: &Context) -> Arc<str> {
    match parent {
        Context::Namespace(path) | Context::Record(_, path) => path.clone(),
        _ => "".into(),
    }
}

/// True where a path tells which type is meant: not in functions.
fn parent_is_named(parent: &Context) -> bool {
    matches!(parent, Context::Namespace(_) | Context::Record(..))
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
