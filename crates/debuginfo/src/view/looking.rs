//! How rows of the table find their way: by names of fields, with every step checked.

use super::Misfit;
use crate::DebugInfo;
use crate::child::Number;
use crate::place::{Stopped, ValuePlace};
use crate::types::{Field, POINTER_BYTES, Role, Type, TypeId};
use crate::variables::Object;

/// Records around a pointer or number, at the most.
const MAX_COATS: usize = 12;

/// Deepest nesting of bases and unnamed members.
const MAX_BASES: u32 = 16;

/// Most records that are looked at for one field: a hostile record may have itself as base, twice.
const MAX_RECORDS: u32 = 1 << 10;

/// What a row looks at a value with.
#[derive(Clone, Copy)]
pub(crate) struct Looking<'a> {
    pub(crate) info: &'a DebugInfo,
    pub(crate) state: &'a dyn Stopped,
    /// The memory that the value's pointers point into.
    pub(crate) memory: u32,
    /// Elements that are asked for.
    pub(crate) need: u64,
}

impl<'a> Looking<'a> {
    /// The fields of a record.
    pub(super) fn fields(self, object: &Object) -> Result<&'a [Field], Misfit> {
        match self.info.types().resolve(object.ty) {
            Some(Type::Record { fields, .. }) => Ok(fields),
            _ => Err(Misfit::Layout),
        }
    }

    /// A type that a template parameter of a record stands for.
    pub(super) fn argument(self, object: &Object, index: usize) -> Result<TypeId, Misfit> {
        self.arguments(object)?
            .get(index)
            .copied()
            .ok_or(Misfit::Layout)
    }

    pub(super) fn arguments(self, object: &Object) -> Result<&'a [TypeId], Misfit> {
        match self.info.types().resolve(object.ty) {
            Some(Type::Record { arguments, .. }) => Ok(arguments),
            _ => Err(Misfit::Layout),
        }
    }

    /// The name of a record, or of a pointer that has one.
    pub(super) fn name(self, object: &Object) -> Result<&'a str, Misfit> {
        match self.info.types().resolve(object.ty) {
            Some(
                Type::Record { name, .. }
                | Type::Pointer {
                    name: Some(name), ..
                },
            ) => Ok(name),
            _ => Err(Misfit::Layout),
        }
    }

    /// A field by its name, in the record or in what it takes over from bases and unnamed members.
    pub(super) fn field(self, object: &Object, name: &str) -> Result<Object, Misfit> {
        self.info.field_named(object, name).ok_or(Misfit::Layout)
    }

    /// The first of these fields that there is: libraries rename them.
    pub(super) fn field_of(self, object: &Object, names: &[&str]) -> Result<Object, Misfit> {
        names
            .iter()
            .find_map(|name| self.field(object, name).ok())
            .ok_or(Misfit::Layout)
    }

    /// A field of a field of a field.
    pub(super) fn path(self, object: &Object, names: &[&str]) -> Result<Object, Misfit> {
        names
            .iter()
            .try_fold(object.clone(), |object, name| self.field(&object, name))
    }

    /// What is inside records of which all bytes are one field: libraries wrap pointers and numbers
    /// into several of them.
    pub(super) fn uncoated(self, object: &Object) -> Result<Object, Misfit> {
        let types = self.info.types();
        let mut object = object.clone();
        for _ in 0..MAX_COATS {
            let Some(Type::Record { fields, size, .. }) = types.resolve(object.ty) else {
                return Ok(object);
            };
            let mut inner = fields
                .iter()
                .filter(|field| types.size(field.ty).is_none_or(|bytes| bytes > 0));
            match (inner.next(), inner.next()) {
                (Some(field), None) if types.size(field.ty) == Some(*size) => {
                    object = self.info.field(&object, field);
                }
                _ => return Ok(object),
            }
        }
        Err(Misfit::Layout)
    }

    /// A number, perhaps inside records.
    pub(super) fn number(self, object: &Object) -> Result<i128, Misfit> {
        let object = self.uncoated(object)?;
        match self.info.scalar(&object, self.state)? {
            Some(Number::Int(number)) => Ok(number),
            _ => Err(Misfit::Layout),
        }
    }

    /// A size, count or index.
    pub(super) fn count(self, object: &Object) -> Result<u64, Misfit> {
        u64::try_from(self.number(object)?).map_err(|_| Misfit::Content)
    }

    /// The address in a pointer, perhaps inside records, and the type that it points to.
    pub(super) fn pointer(self, object: &Object) -> Result<(u32, TypeId), Misfit> {
        let object = self.uncoated(object)?;
        let Some(Type::Pointer { to, .. }) = self.info.types().resolve(object.ty) else {
            return Err(Misfit::Layout);
        };
        Ok((self.address(&object)?, *to))
    }

    /// A pointer's address.
    pub(super) fn address(self, pointer: &Object) -> Result<u32, Misfit> {
        match self.info.scalar(pointer, self.state)? {
            Some(Number::Int(address)) => u32::try_from(address).map_err(|_| Misfit::Content),
            _ => Err(Misfit::Layout),
        }
    }

    /// The bytes that a value of the type takes.
    pub(super) fn size(self, ty: TypeId) -> Result<u32, Misfit> {
        self.info.types().size(ty).ok_or(Misfit::Layout)
    }

    /// Bytes of memory.
    pub(super) fn place(self, address: u32, length: u32) -> ValuePlace {
        ValuePlace::memory(self.memory, address, length)
    }

    /// A value in memory.
    pub(super) fn object_at(self, address: u32, ty: TypeId) -> Result<Object, Misfit> {
        Ok(Object::new(ty, self.place(address, self.size(ty)?)))
    }

    /// A 32-bit word of memory.
    pub(super) fn word(self, address: u32) -> Result<u32, Misfit> {
        let bytes = self.place(address, POINTER_BYTES).read(self.state)?;
        let bytes = bytes.try_into().map_err(|_| Misfit::Layout)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Fails unless the elements can lie in memory.
    pub(super) fn all_in_memory(self, address: u32, count: u64, size: u32) -> Result<(), Misfit> {
        let bytes = count.checked_mul(size.into()).ok_or(Misfit::Content)?;
        let Some(before_last) = bytes.checked_sub(1) else {
            return Ok(());
        };
        let last = u64::from(address) + before_last;
        let last = u32::try_from(last).map_err(|_| Misfit::Content)?;
        match self.state.memory(self.memory, last, &mut [0]) {
            true => Ok(()),
            false => Err(Misfit::Content),
        }
    }
}

impl DebugInfo {
    /// A field by its name as the debug information has it. What comes from bases and unnamed
    /// members is the record's own, unless two of them have it.
    pub(crate) fn field_named(&self, object: &Object, name: &str) -> Option<Object> {
        let mut records = 0;
        let found = self.field_within(object, name, MAX_BASES, &mut records);
        // Of what was not looked at, something could have the same name.
        found.filter(|_| records <= MAX_RECORDS)
    }

    fn field_within(
        &self,
        object: &Object,
        name: &str,
        depth: u32,
        records: &mut u32,
    ) -> Option<Object> {
        let depth = depth.checked_sub(1)?;
        *records += 1;
        if *records > MAX_RECORDS {
            return None;
        }
        let Some(Type::Record { fields, .. }) = self.types().resolve(object.ty) else {
            return None;
        };
        let own = |field: &&Field| *field.name == *name && field.role != Role::Base;
        if let Some(field) = fields.iter().find(own) {
            return Some(self.field(object, field));
        }
        let mut found = None;
        for field in fields {
            if field.role != Role::Base && !field.name.is_empty() {
                continue;
            }
            let lender = self.field(object, field);
            if let Some(lent) = self.field_within(&lender, name, depth, records)
                && found.replace(lent).is_some()
            {
                return None;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand_made::{base, field, info, nested, record, words};

    #[test]
    fn numbers_are_found_inside_so_many_records() {
        let state = words([7]);
        for (records, number) in [(MAX_COATS - 1, Ok(7)), (MAX_COATS, Err(Misfit::Layout))] {
            let info = info(nested(records as u32, "app", "Coat", |ty| {
                field("a", ty, 0)
            }));
            let (info, state) = (&info, &state);
            let looking = Looking {
                memory: 0,
                info,
                state,
                need: 0,
            };
            let object = Object::new(TypeId(1), ValuePlace::memory(0, 0, 4));
            assert_eq!(looking.number(&object), number);
        }
    }

    #[test]
    fn fields_are_found_in_bases_so_deep() {
        for (depth, found) in [(MAX_BASES, true), (MAX_BASES + 1, false)] {
            let mut info = info(nested(depth, "app", "Base", |ty| base(ty, 0)));
            let last = record("app", "Base", 4, vec![field("x", TypeId::WORD, 0)]);
            info.no_types.map.insert(depth, last);
            let object = Object::new(TypeId(1), ValuePlace::memory(0, 0, 4));
            assert_eq!(info.field_named(&object, "x").is_some(), found);
        }
    }

    #[test]
    fn fields_are_looked_for_in_so_many_records() {
        // The record itself, others without the field, and one that has it: first or last.
        for (all, found) in [(MAX_RECORDS, true), (MAX_RECORDS + 1, false)] {
            for first in [true, false] {
                let mut bases = vec![base(TypeId(2), 0); all as usize - 2];
                let at = if first { 0 } else { bases.len() };
                bases.insert(at, base(TypeId(3), 0));
                let info = info([
                    record("app", "Whole", 4, bases),
                    record("app", "Empty", 0, Vec::new()),
                    record("app", "Base", 4, vec![field("x", TypeId::WORD, 0)]),
                ]);
                let object = Object::new(TypeId(1), ValuePlace::memory(0, 0, 4));
                assert_eq!(info.field_named(&object, "x").is_some(), found);
            }
        }
    }
}
