//! What values are made of: numbers, fields, elements, what pointers point to.

use std::ops::Range;

use crate::DebugInfo;
use crate::assembly_script::Managed;
use crate::child::{Child, Number, integer};
use crate::expression::NumberAt;
use crate::place::{Stopped, Unavailable, ValuePlace};
use crate::types::{Encoding, Field, POINTER_BYTES, Role, Type, TypeId, Variants};
use crate::variables::Object;
use crate::view::{MAX_WRAPPERS, Shape, View};

/// Entries of a map among which a key is looked for, at the most.
const MAX_ENTRIES: u64 = 1 << 16;

impl DebugInfo {
    /// The alternative that a Rust enum has now.
    pub(crate) fn variant<'a>(
        &self,
        object: &Object,
        variants: &'a Variants,
        state: &dyn Stopped,
    ) -> Result<Option<&'a Field>, Unavailable> {
        let chosen = match &variants.discriminant {
            None => variants.variants.first(),
            Some(discriminant) => {
                let size = self.types().size(discriminant.ty).unwrap_or(0).min(16);
                let bytes = object.place.part(discriminant.offset, size).read(state)?;
                // The debug information writes the same bits signed or unsigned.
                let (unsigned, signed) = (integer(&bytes, false), integer(&bytes, true));
                let holds = |&(low, high): &(i128, i128)| {
                    (low..=high).contains(&unsigned) || (low..=high).contains(&signed)
                };
                let by_value = variants
                    .variants
                    .iter()
                    .find(|variant| variant.values.iter().any(holds));
                by_value.or_else(|| variants.variants.iter().find(|v| v.values.is_empty()))
            }
        };
        Ok(chosen.and_then(|variant| variant.field.as_ref()))
    }

    /// The value as a number, if it is one: of a wrapper, that of what it holds; `None` of records
    /// and arrays.
    ///
    /// # Errors
    /// [`Unavailable`] if it cannot be read.
    pub fn number(
        &self,
        object: &Object,
        state: &dyn Stopped,
    ) -> Result<Option<Number>, Unavailable> {
        let inner = self.unwrapped(object, state);
        match self.types().resolve(inner.ty) {
            // What could be reached is behind the reference already.
            Some(Type::Pointer {
                reference: true, ..
            }) => match self.scalar(&inner, state)? {
                Some(Number::Int(0)) => Err(Unavailable::NullReference),
                Some(Number::Int(address)) => Err(Unavailable::OutsideMemory(address as u64)),
                _ => Err(Unavailable::Unsupported),
            },
            _ => self.scalar(&inner, state),
        }
    }

    /// Which bytes of the machine are a number's: of a whole number that lies in one piece and is no bit field. What it takes
    /// to find them is read from the state.
    pub(crate) fn integer_at(&self, object: &Object, state: &dyn Stopped) -> Option<NumberAt> {
        let inner = self.unwrapped(object, state);
        let reference = matches!(
            self.types().resolve(inner.ty),
            Some(Type::Pointer {
                reference: true,
                ..
            })
        );
        let (encoding, size) = self.encoding(inner.ty)?;
        let [piece] = inner.place.pieces.as_slice() else {
            return None;
        };
        let is_whole = inner.bits.is_none() && piece.length == size && !reference;
        (is_whole && encoding != Encoding::Float).then(|| NumberAt {
            piece: piece.clone(),
            signed: encoding.is_signed(),
        })
    }

    /// What the bytes of a number mean, and how many there are; nothing of what is no number.
    pub(crate) fn encoding(&self, ty: TypeId) -> Option<(Encoding, u32)> {
        use borges_vm::ValType;
        Some(match self.types().resolve(ty) {
            Some(Type::Base { encoding, size, .. }) => (*encoding, *size),
            Some(Type::Enum {
                size, signed: true, ..
            }) => (Encoding::Signed, *size),
            Some(Type::Enum {
                size,
                signed: false,
                ..
            }) => (Encoding::Unsigned, *size),
            Some(Type::Pointer { .. }) => (Encoding::Unsigned, self.types().pointer_bytes()),
            Some(_) => return None,
            None => match ty.built_in() {
                Some(ValType::I32) => (Encoding::Signed, 4),
                Some(ValType::I64) => (Encoding::Signed, 8),
                Some(ValType::F32) => (Encoding::Float, 4),
                Some(ValType::F64) => (Encoding::Float, 8),
                Some(ValType::FuncRef | ValType::ExternRef | ValType::ExnRef) => {
                    (Encoding::Unsigned, 4)
                }
                Some(ValType::V128) => return None,
                None if ty == TypeId::BOOL => (Encoding::Bool, 1),
                None if ty == TypeId::REFERENCE => (Encoding::Unsigned, POINTER_BYTES),
                None => match ty.as_integer()? {
                    (bytes, true) => (Encoding::Signed, bytes),
                    (bytes, false) => (Encoding::Unsigned, bytes),
                },
            },
        })
    }

    /// The number that a value's own bytes are; of a pointer, the address.
    pub(crate) fn scalar(
        &self,
        object: &Object,
        state: &dyn Stopped,
    ) -> Result<Option<Number>, Unavailable> {
        let Some((encoding, size)) = self.encoding(object.ty) else {
            return Ok(None);
        };
        if let Some((first, width)) = object.bits {
            let bytes = object
                .place
                .part(0, (first + width).div_ceil(8))
                .read(state)?;
            let raw = integer(&bytes, false) >> first & ((1 << width) - 1);
            let negative = encoding == Encoding::Signed && raw >> (width - 1) & 1 == 1;
            return Ok(Some(Number::Int(if negative {
                raw - (1 << width)
            } else {
                raw
            })));
        }
        let bytes = object.place.part(0, size.min(16)).read(state)?;
        if bytes.is_empty() || bytes.len() < size.min(16) as usize {
            return Err(Unavailable::Mismatch);
        }
        if encoding == Encoding::Float {
            let float = match *bytes.as_slice() {
                [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
                [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
                _ => return Ok(None),
            };
            return Ok(Some(Number::Float(float)));
        }
        let signed = encoding.is_signed();
        let number = integer(&bytes, signed);
        // Half of the unsigned 128-bit numbers are more than a number can be here.
        match signed || number >= 0 {
            true => Ok(Some(Number::Int(number))),
            false => Err(Unavailable::TooLarge),
        }
    }

    /// How many children a value has: what it holds, fields, elements, or what it points to.
    pub fn child_count(&self, object: &Object, state: &dyn Stopped) -> u64 {
        self.child_count_within(object, state, MAX_WRAPPERS)
    }

    fn child_count_within(&self, object: &Object, state: &dyn Stopped, wrappers: usize) -> u64 {
        // Behind the last wrapper that is looked through, the next one is shown by its fields.
        if let Some(wrappers) = wrappers.checked_sub(1)
            && let Some(Ok(view)) = self.view(object, state, 0)
        {
            let own = match &view.shape {
                Shape::Text { count, .. }
                | Shape::Sequence { count, .. }
                | Shape::Set { count, .. }
                | Shape::Map { count, .. } => *count,
                Shape::Holds(held) => self.child_count_within(held, state, wrappers),
                Shape::Tuple(parts) => parts.len() as u64,
                Shape::Nothing(_) | Shape::Written(_) => self.members(object, state).len() as u64,
            };
            return own.saturating_add(view.more.len() as u64);
        }
        match self.types().resolve(object.ty) {
            Some(Type::Array { count, .. }) => count.unwrap_or(0),
            Some(Type::Pointer { .. }) => u64::from(self.target(object, state).is_some()),
            Some(Type::Record { .. }) => self.members(object, state).len() as u64,
            Some(_) => 0,
            None => self
                .managed(object, state)
                .map_or(0, |managed| managed.count()),
        }
    }

    /// The children of a value from number `from` on, at most `count`.
    ///
    /// A pointer's child is what it points to: reading a list costs one step a pointer, never more.
    /// A wrapper's children are those of what it holds, and what else the wrapper keeps.
    pub fn children(
        &self,
        object: &Object,
        state: &dyn Stopped,
        from: u64,
        count: u64,
    ) -> Vec<Child> {
        let range = from..from.saturating_add(count);
        let children = self.children_within(object, state, range, MAX_WRAPPERS);
        let referred = |child: Child| Child {
            name: child.name,
            object: self.referred(child.object, state),
        };
        children.into_iter().map(referred).collect()
    }

    fn children_within(
        &self,
        object: &Object,
        state: &dyn Stopped,
        range: Range<u64>,
        wrappers: usize,
    ) -> Vec<Child> {
        let Range { start, end } = range;
        let until = end.min(self.child_count_within(object, state, wrappers));
        let numbered = |at: &dyn Fn(u64) -> Option<Object>| -> Vec<Child> {
            let child = |index| {
                Some(Child {
                    name: format!("[{index}]"),
                    object: at(index)?,
                })
            };
            (start..until).map_while(child).collect()
        };
        let picked = |children: Vec<Child>| -> Vec<Child> {
            let range = usize::try_from(start).unwrap_or(usize::MAX)..until as usize;
            children.get(range).unwrap_or(&[]).to_vec()
        };
        if let Some(inner) = wrappers.checked_sub(1)
            && let Some(Ok(view)) = self.view(object, state, until)
        {
            return match view.shape {
                Shape::Text { .. } => numbered(&|index| self.element(object, index.into(), state)),
                Shape::Sequence { at, .. } | Shape::Set { at, .. } => numbered(&at),
                Shape::Map { at, .. } => {
                    let child = |index| {
                        let (key, value) = at(index)?;
                        Some(Child {
                            name: format!("[{}]", self.show(&key, state)),
                            object: value,
                        })
                    };
                    (start..until).map_while(child).collect()
                }
                Shape::Holds(held) => {
                    let count = self.child_count_within(&held, state, inner);
                    let mut children =
                        self.children_within(&held, state, start..until.min(count), inner);
                    let more = view.more.into_iter().zip(count..until);
                    children.extend(more.filter(|(_, at)| *at >= start).map(|(child, _)| child));
                    children
                }
                Shape::Tuple(parts) => picked(
                    parts
                        .into_iter()
                        .enumerate()
                        .map(|(index, object)| Child {
                            name: index.to_string(),
                            object,
                        })
                        .collect(),
                ),
                Shape::Nothing(_) | Shape::Written(_) => picked(self.members(object, state)),
            };
        }
        match self.types().resolve(object.ty) {
            Some(Type::Pointer { .. }) => {
                let target = self.target(object, state).map(|object| Child {
                    name: "*".to_owned(),
                    object,
                });
                picked(target.into_iter().collect())
            }
            Some(Type::Record { .. }) => picked(self.members(object, state)),
            None if self.has_members(object, state) => picked(self.members(object, state)),
            _ => numbered(&|index| self.element(object, index.into(), state)),
        }
    }

    fn has_members(&self, object: &Object, state: &dyn Stopped) -> bool {
        matches!(
            self.managed(object, state),
            Some(Managed::Record { .. } | Managed::Map(_))
        )
    }

    /// The fields of a record; of a Rust enum, those of the alternative that it has.
    fn members(&self, object: &Object, state: &dyn Stopped) -> Vec<Child> {
        let Some(ty) = self.types().resolve(object.ty) else {
            return match self.managed(object, state) {
                Some(Managed::Record { fields, .. }) => fields,
                Some(Managed::Map(entries)) => {
                    let child = |(key, object): (Object, Object)| Child {
                        name: format!("[{}]", self.show(&key, state)),
                        object,
                    };
                    entries.into_iter().map(child).collect()
                }
                _ => Vec::new(),
            };
        };
        let Type::Record {
            fields, variants, ..
        } = ty
        else {
            return Vec::new();
        };
        if let Some(variants) = variants
            && let Ok(Some(field)) = self.variant(object, variants, state)
        {
            let payload = self.field(object, field);
            return match self.types().resolve(payload.ty) {
                Some(Type::Record { fields, .. }) => self.named_fields(&payload, fields),
                _ => Vec::new(),
            };
        }
        self.named_fields(object, fields)
    }

    /// Fields with the names that people know them by: a base class is called by its type, and what
    /// has no name is a part of the record.
    pub(crate) fn named_fields(&self, object: &Object, fields: &[Field]) -> Vec<Child> {
        let child = |field: &Field| Child {
            name: match field.role {
                Role::Base => self.type_name(field.ty),
                _ => readable_field(&field.name).to_owned(),
            },
            object: self.field(object, field),
        };
        fields.iter().map(child).collect()
    }

    /// A field of a record by its name; of what a pointer points to or a wrapper holds, too.
    pub(crate) fn member(
        &self,
        object: &Object,
        name: &str,
        state: &dyn Stopped,
    ) -> Option<Object> {
        let mut object = object.clone();
        let mut pointers = 0;
        for _ in 0..MAX_WRAPPERS {
            if let Some(found) = self.own_member(&object, name, state) {
                return Some(self.referred(found, state));
            }
            object = match self.held(&object, state) {
                Some(held) => held,
                // As in C, one pointer may stand before a field's name, not two.
                None if pointers > 0 => return None,
                None => {
                    pointers += 1;
                    self.target(&object, state)?
                }
            };
        }
        None
    }

    fn own_member(&self, object: &Object, name: &str, state: &dyn Stopped) -> Option<Object> {
        if let Some(Ok(view)) = self.view(object, state, 0) {
            let more = view.more.into_iter().find(|child| child.name == name);
            let part = match view.shape {
                Shape::Tuple(parts) => name.parse().ok().and_then(|index: usize| {
                    let mut parts = parts.into_iter();
                    parts.nth(index)
                }),
                _ => None,
            };
            if let Some(found) = more.map(|child| child.object).or(part) {
                return Some(found);
            }
        }
        let members = self.members(object, state);
        let named = members.into_iter().find(|member| member.name == name);
        named
            .map(|member| member.object)
            .or_else(|| self.field_named(object, name))
    }

    pub(crate) fn field(&self, object: &Object, field: &Field) -> Object {
        let size = match field.bits {
            Some((first, width)) => (first + width).div_ceil(8),
            None => self.types().size(field.ty).unwrap_or(0),
        };
        let place = object.place.part(field.offset, size);
        Object {
            ty: field.ty,
            place,
            bits: field.bits,
        }
    }

    /// What a pointer points to or a wrapper holds; `None` of null, and of pointers to nothing known.
    pub(crate) fn target(&self, object: &Object, state: &dyn Stopped) -> Option<Object> {
        let held = self.held(object, state);
        held.or_else(|| self.offset_target(object, 0, state))
            .map(|found| self.referred(found, state))
    }

    /// What a C++ reference refers to, and any other value itself: whoever names a reference means
    /// what it refers to. A reference that cannot be followed stays what it is.
    pub(crate) fn referred(&self, object: Object, state: &dyn Stopped) -> Object {
        match self.types().resolve(object.ty) {
            Some(Type::Pointer {
                reference: true, ..
            }) => self.offset_target(&object, 0, state).unwrap_or(object),
            _ => object,
        }
    }

    /// An element of a container, or behind a pointer (there also a negative one). Of a map, the
    /// value of a key that is a number.
    pub(crate) fn element(
        &self,
        object: &Object,
        index: i128,
        state: &dyn Stopped,
    ) -> Option<Object> {
        let object = self.unwrapped(object, state);
        let found = match self.view(&object, state, need_for(index)) {
            Some(Ok(view)) => self.element_of_view(&view.shape, index, state)?,
            _ => self.plain_element(&object, index, state)?,
        };
        Some(self.referred(found, state))
    }

    fn element_of_view(
        &self,
        shape: &Shape<'_>,
        index: i128,
        state: &dyn Stopped,
    ) -> Option<Object> {
        let inside = |count: u64| u64::try_from(index).ok().filter(|&index| index < count);
        match shape {
            Shape::Text {
                memory,
                address,
                count,
                unit,
            } => {
                let size = self.types().size(*unit)?;
                let offset = u32::try_from(inside(*count)?).ok()?.checked_mul(size)?;
                let place = ValuePlace::memory(*memory, address.checked_add(offset)?, size);
                Some(Object::new(*unit, place))
            }
            Shape::Sequence { count, at } | Shape::Set { count, at } => at(inside(*count)?),
            Shape::Map { count, at } => (0..*count).map_while(at).find_map(|(key, value)| {
                let key = self.number(&key, state).ok()??;
                (key == Number::Int(index)).then_some(value)
            }),
            Shape::Tuple(_) | Shape::Holds(_) | Shape::Nothing(_) | Shape::Written(_) => None,
        }
    }

    /// The value that a map has for a text.
    pub(crate) fn element_by_text(
        &self,
        object: &Object,
        key: &str,
        state: &dyn Stopped,
    ) -> Option<Object> {
        let object = self.unwrapped(object, state);
        let is_key = |found: &Object| {
            let text = self.text_of(found, state);
            text.is_ok_and(|text| text.as_deref() == Some(key))
        };
        if let Some(Managed::Map(entries)) = self.managed(&object, state) {
            let found = entries.into_iter().find(|(found, _)| is_key(found))?;
            return Some(found.1);
        }
        let Ok(View {
            shape: Shape::Map { count, at },
            ..
        }) = self.view(&object, state, MAX_ENTRIES)?
        else {
            return None;
        };
        let found = (0..count).map_while(at).find(|(found, _)| is_key(found));
        found.map(|(_, value)| self.referred(value, state))
    }

    /// True of a map with so many entries that a key which was not found may be there all the same.
    pub(crate) fn may_hold_more(&self, object: &Object, state: &dyn Stopped) -> bool {
        let object = self.unwrapped(object, state);
        if let Some(Managed::TooLarge) = self.managed(&object, state) {
            return true;
        }
        let view = self.view(&object, state, 0);
        let shape = view.and_then(Result::ok).map(|view| view.shape);
        matches!(shape, Some(Shape::Map { count, .. }) if count > MAX_ENTRIES)
    }

    fn plain_element(&self, object: &Object, index: i128, state: &dyn Stopped) -> Option<Object> {
        match self.types().resolve(object.ty) {
            None => match self.managed(object, state)? {
                Managed::Map(entries) => {
                    let is_key = |key: &Object| {
                        self.scalar(key, state) == Ok(Some(Number::Int(index)))
                            && key.ty != TypeId::REFERENCE
                    };
                    let found = entries.into_iter().find(|(key, _)| is_key(key))?;
                    Some(found.1)
                }
                managed => managed.element(index),
            },
            Some(Type::Pointer { .. }) => self.offset_target(object, index, state),
            Some(Type::Array { element, count }) => {
                let index = u64::try_from(index).ok()?;
                let inside = count.is_none_or(|count| index < count);
                let size = self.types().size(*element)?;
                let offset = u32::try_from(index).ok()?.checked_mul(size)?;
                inside.then(|| Object::new(*element, object.place.part(offset, size)))
            }
            Some(_) => None,
        }
    }

    fn offset_target(&self, object: &Object, index: i128, state: &dyn Stopped) -> Option<Object> {
        let Type::Pointer { to, .. } = self.types().resolve(object.ty)? else {
            return None;
        };
        let Number::Int(address) = self.scalar(object, state).ok()?? else {
            return None;
        };
        let size = self.types().size(*to).filter(|&size| size > 0)?;
        let address = address.checked_add(index.checked_mul(i128::from(size))?)?;
        let address = u32::try_from(address).ok().filter(|_| address != 0)?;
        let place = ValuePlace::memory(object.place.memory, address, size);
        Some(Object::new(*to, place))
    }
}

/// A field's name without what rustc puts before it: tuples have fields called `__0`, closures keep
/// `_ref__x` of a borrowed `x`.
fn readable_field(name: &str) -> &str {
    let stripped = name.strip_prefix("_ref__").or(name.strip_prefix("__"));
    stripped.unwrap_or(name)
}

/// How many elements must be found to know the one with this index. A map's may be anywhere.
fn need_for(index: i128) -> u64 {
    u64::try_from(index)
        .unwrap_or(0)
        .saturating_add(1)
        .max(MAX_ENTRIES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand_made::{
        Memory, array, field, info, letter, nested, of_types, pointer, record, words,
    };
    use crate::{Expression, FramePoint, NoScope};
    use borges_vm::CodeOffset;

    /// Cells around each other, of which the last holds a word.
    fn cells(count: usize) -> DebugInfo {
        let value = |ty| field("value", ty, 0);
        info(nested(count as u32, "core::cell", "Cell<>", value))
    }

    #[test]
    fn wrappers_are_looked_through_up_to_a_depth() {
        let state = words([7]);
        let object = Object::new(TypeId(1), ValuePlace::memory(0, 0, 4));
        // What is behind them is found; beyond, the next wrapper is shown by its fields.
        for (count, number, children) in [
            (MAX_WRAPPERS, Some(Number::Int(7)), &[][..]),
            (MAX_WRAPPERS + 1, None, &["value"]),
        ] {
            let info = cells(count);
            assert_eq!(info.number(&object, &state), Ok(number));
            assert_eq!(info.child_count(&object, &state), children.len() as u64);
            let found = info.children(&object, &state, 0, 9);
            let names: Vec<&str> = found.iter().map(|child| child.name.as_str()).collect();
            assert_eq!(names, children);
            for child in found {
                assert_eq!(info.number(&child.object, &state), Ok(Some(Number::Int(7))));
            }
        }
        // A field is no wrapper: `value` is the field of the outermost one.
        for (count, found) in [(MAX_WRAPPERS, true), (MAX_WRAPPERS + 1, false)] {
            let mut types = cells(count).no_types.map;
            let Some(Type::Record {
                name, path, fields, ..
            }) = types.get_mut(&(count as u32))
            else {
                panic!("the innermost is a record");
            };
            (*name, *path) = ("Point".into(), "app".into());
            *fields = vec![field("x", TypeId::WORD, 0)];
            let mut info = info([]);
            info.no_types.map = types;
            assert_eq!(info.member(&object, "x", &state).is_some(), found);
        }
    }

    /// A `HashMap` at address 0 whose last entry has these bytes for a key, and all others have zeros.
    fn hash_map(key: TypeId, last_key: [u8; 4], count: u64) -> (DebugInfo, Memory) {
        let map = vec![field("table", TypeId(2), 0)];
        let table = vec![
            field("ctrl", TypeId(4), 0),
            field("bucket_mask", TypeId::WORD, 4),
            field("items", TypeId::WORD, 8),
        ];
        let pair = vec![field("__0", key, 0), field("__1", TypeId::WORD, 4)];
        let info = info([
            record("std::collections::hash::map", "HashMap", 12, map),
            of_types(record("", "RawTable", 12, table), &[TypeId(3)]),
            record("", "(K, u32)", 8, pair),
            pointer(TypeId::BYTE),
            letter(),
            array(TypeId(5), 4),
        ]);
        let (count, buckets) = (count as usize, count.next_power_of_two() as usize);
        let control = 12 + 8 * buckets;
        let head = [control, buckets - 1, count].map(|number| number as u32);
        let mut memory: Vec<u8> = head.into_iter().flat_map(u32::to_le_bytes).collect();
        // Entries lie before the control bytes, the last one first.
        memory.resize(control, 0);
        let last = control - 8 * count;
        memory[last..last + 4].copy_from_slice(&last_key);
        memory[last + 4] = 42;
        // What is full has a control byte without its highest bit.
        memory.resize(control + count, 0);
        memory.resize(control + buckets, 0xff);
        (info, Memory(memory))
    }

    #[test]
    fn keys_are_looked_for_among_so_many_entries() {
        let stop = FramePoint {
            frame: 0,
            offset: CodeOffset(0),
            inlined: 0,
        };
        for (key, bytes, text) in [
            (TypeId::WORD, [7, 0, 0, 0], "(*(HashMap *)0)[7]"),
            (TypeId(6), *b"key\0", "(*(HashMap *)0)[\"key\"]"),
        ] {
            let expression = Expression::parse(text).unwrap();
            for (count, value) in [
                (MAX_ENTRIES, "42"),
                (MAX_ENTRIES + 1, "column 17: too large"),
            ] {
                let (info, state) = hash_map(key, bytes, count);
                let found = match info.evaluate(&expression, stop, &state, &NoScope) {
                    Ok(found) => info.show_evaluated(&found, &state),
                    Err(error) => error.to_string(),
                };
                assert_eq!(found, value, "{text} of {count}");
            }
        }
    }
}
