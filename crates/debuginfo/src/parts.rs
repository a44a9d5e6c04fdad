//! What values are made of: numbers, fields, elements, what pointers point to.

use crate::DebugInfo;
use crate::assembly_script::Managed;
use crate::place::{Place, State, Unavailable};
use crate::types::{Encoding, Field, POINTER_BYTES, Type, TypeId, Variants};
use crate::variables::Object;

/// Types that Rust wraps around a pointer, at the most.
const MAX_WRAPPERS: usize = 8;

/// A number, as a condition sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Integers, letters, truth values, enumerators and addresses.
    Int(i128),
    /// Floats.
    Float(f64),
}

/// A part of a value: a field, an element, what it points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// The field's name, `[3]`, or `*`.
    pub name: String,
    /// The part.
    pub object: Object,
}

/// A Rust slice or string: where its elements are and how many there are.
pub(crate) struct Run {
    pub(crate) element: TypeId,
    pub(crate) address: u32,
    pub(crate) count: u64,
    pub(crate) is_text: bool,
}

impl DebugInfo {
    /// The alternative that a Rust enum has now.
    pub(crate) fn variant<'a>(
        &self,
        object: &Object,
        variants: &'a Variants,
        state: &dyn State,
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

    /// The value as a number, if its type is one; `None` of records and arrays.
    ///
    /// # Errors
    /// [`Unavailable`] if it cannot be read.
    pub fn number(
        &self,
        object: &Object,
        state: &dyn State,
    ) -> Result<Option<Number>, Unavailable> {
        use borges_vm::ValType;
        let (encoding, size) = match self.types().resolve(object.ty) {
            Some(Type::Base { encoding, size, .. }) => (*encoding, *size),
            Some(Type::Enum {
                size, signed: true, ..
            }) => (Encoding::Signed, *size),
            Some(Type::Enum {
                size,
                signed: false,
                ..
            }) => (Encoding::Unsigned, *size),
            Some(Type::Pointer { .. }) => (Encoding::Unsigned, POINTER_BYTES),
            Some(_) => return Ok(None),
            None => match object.ty.built_in() {
                Some(ValType::I32) => (Encoding::Signed, 4),
                Some(ValType::I64) => (Encoding::Signed, 8),
                Some(ValType::F32) => (Encoding::Float, 4),
                Some(ValType::F64) => (Encoding::Float, 8),
                Some(ValType::FuncRef | ValType::ExternRef) => (Encoding::Unsigned, 4),
                None => match object.ty.as_integer() {
                    Some((bytes, true)) => (Encoding::Signed, bytes),
                    Some((bytes, false)) => (Encoding::Unsigned, bytes),
                    None => return Ok(None),
                },
            },
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
        let signed = matches!(
            encoding,
            Encoding::Signed | Encoding::Letter { signed: true }
        );
        Ok(Some(Number::Int(integer(&bytes, signed))))
    }

    /// How many children a value has: fields, elements, or what it points to.
    pub fn child_count(&self, object: &Object, state: &dyn State) -> u64 {
        match self.types().resolve(object.ty) {
            Some(Type::Array { count, .. }) => count.unwrap_or(0),
            Some(Type::Pointer { .. }) => u64::from(self.target(object, state).is_some()),
            Some(Type::Record { .. }) => match self.run(object, state) {
                Some(run) => run.count,
                None => self.members(object, state).len() as u64,
            },
            Some(_) => 0,
            None => self
                .managed(object, state)
                .map_or(0, |managed| managed.count()),
        }
    }

    /// The children of a value from number `from` on, at most `count`.
    ///
    /// A pointer's child is what it points to: reading a list costs one step a pointer, never more.
    pub fn children(
        &self,
        object: &Object,
        state: &dyn State,
        from: u64,
        count: u64,
    ) -> Vec<Child> {
        let until = from
            .saturating_add(count)
            .min(self.child_count(object, state));
        match self.types().resolve(object.ty) {
            Some(Type::Pointer { .. }) => {
                let target = self
                    .target(object, state)
                    .filter(|_| from == 0 && count > 0);
                let child = |object| Child {
                    name: "*".to_owned(),
                    object,
                };
                target.map(child).into_iter().collect()
            }
            None | Some(Type::Record { .. }) if self.has_members(object, state) => {
                let members = self.members(object, state);
                let range = usize::try_from(from).unwrap_or(usize::MAX)..until as usize;
                members.get(range).unwrap_or(&[]).to_vec()
            }
            _ => (from..until)
                .map_while(|index| {
                    let object = self.element(object, index.into(), state)?;
                    Some(Child {
                        name: format!("[{index}]"),
                        object,
                    })
                })
                .collect(),
        }
    }

    fn has_members(&self, object: &Object, state: &dyn State) -> bool {
        match self.types().resolve(object.ty) {
            Some(_) => self.run(object, state).is_none(),
            None => matches!(self.managed(object, state), Some(Managed::Record { .. })),
        }
    }

    /// The fields of a record; of a Rust enum, those of the alternative that it has.
    fn members(&self, object: &Object, state: &dyn State) -> Vec<Child> {
        let Some(ty) = self.types().resolve(object.ty) else {
            return match self.managed(object, state) {
                Some(Managed::Record { fields, .. }) => fields,
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

    pub(crate) fn named_fields(&self, object: &Object, fields: &[Field]) -> Vec<Child> {
        let child = |field: &Field| Child {
            name: field
                .name
                .strip_prefix("__")
                .unwrap_or(&field.name)
                .to_owned(),
            object: self.field(object, field),
        };
        fields.iter().map(child).collect()
    }

    /// A field of a record by its name; of what a pointer points to, too.
    pub(crate) fn member(&self, object: &Object, name: &str, state: &dyn State) -> Option<Object> {
        let pointed = match self.types().resolve(object.ty) {
            Some(Type::Pointer { .. }) => Some(self.target(object, state)?),
            _ => None,
        };
        let object = pointed.as_ref().unwrap_or(object);
        let members = self.members(object, state);
        members
            .into_iter()
            .find(|member| member.name == name)
            .map(|member| member.object)
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

    /// What a pointer points to; `None` of null, and of pointers to nothing known.
    pub(crate) fn target(&self, object: &Object, state: &dyn State) -> Option<Object> {
        self.offset_target(object, 0, state)
    }

    /// An element of an array, of a slice, or behind a pointer (there also a negative one).
    pub(crate) fn element(
        &self,
        object: &Object,
        index: i128,
        state: &dyn State,
    ) -> Option<Object> {
        match self.types().resolve(object.ty) {
            None => self.managed(object, state)?.element(index),
            Some(Type::Pointer { .. }) => self.offset_target(object, index, state),
            Some(Type::Array { element, count }) => {
                let index = u64::try_from(index).ok()?;
                let inside = count.is_none_or(|count| index < count);
                let size = self.types().size(*element)?;
                let offset = u32::try_from(index).ok()?.checked_mul(size)?;
                inside.then(|| Object::new(*element, object.place.part(offset, size)))
            }
            Some(_) => {
                let run = self.run(object, state)?;
                let index = u64::try_from(index)
                    .ok()
                    .filter(|&index| index < run.count)?;
                let size = self.types().size(run.element)?;
                let offset = u32::try_from(index).ok()?.checked_mul(size)?;
                let address = run.address.checked_add(offset)?;
                Some(Object::new(run.element, Place::memory(address, size)))
            }
        }
    }

    fn offset_target(&self, object: &Object, index: i128, state: &dyn State) -> Option<Object> {
        let Type::Pointer { to, .. } = self.types().resolve(object.ty)? else {
            return None;
        };
        let Number::Int(address) = self.number(object, state).ok()?? else {
            return None;
        };
        let size = self.types().size(*to).filter(|&size| size > 0)?;
        let address = address.checked_add(index.checked_mul(i128::from(size))?)?;
        let address = u32::try_from(address).ok().filter(|_| address != 0)?;
        Some(Object::new(*to, Place::memory(address, size)))
    }

    /// Reads a record as a Rust slice, `&str`, `Vec` or `String`, by the names of its fields.
    pub(crate) fn run(&self, object: &Object, state: &dyn State) -> Option<Run> {
        let types = self.types();
        let Type::Record { name, fields, .. } = types.resolve(object.ty)? else {
            return None;
        };
        let number = |object: &Object| match self.number(object, state) {
            Ok(Some(Number::Int(number))) => Some(number),
            _ => None,
        };
        let named = |wanted: &str| fields.iter().find(|field| &*field.name == wanted);
        if let (Some(data), Some(length), 2) = (named("data_ptr"), named("length"), fields.len()) {
            let Type::Pointer { to, .. } = types.resolve(data.ty)? else {
                return None;
            };
            return Some(Run {
                element: *to,
                address: number(&self.field(object, data))?.try_into().ok()?,
                count: number(&self.field(object, length))?.try_into().ok()?,
                is_text: &**name == "&str" || &**name == "&mut str",
            });
        }
        if &**name == "String" {
            let vector = self.field(object, named("vec")?);
            return Some(Run {
                is_text: true,
                ..self.run(&vector, state)?
            });
        }
        let (buffer, length) = (named("buf")?, named("len")?);
        if !name.starts_with("Vec<") {
            return None;
        }
        let pointer = self.first_pointer(self.field(object, buffer))?;
        let Type::Pointer { to, .. } = types.resolve(pointer.ty)? else {
            return None;
        };
        Some(Run {
            element: *to,
            address: number(&pointer)?.try_into().ok()?,
            count: number(&self.field(object, length))?.try_into().ok()?,
            is_text: false,
        })
    }

    /// The pointer in a buffer: Rust wraps it into `Unique` and `NonNull`.
    fn first_pointer(&self, mut object: Object) -> Option<Object> {
        for _ in 0..MAX_WRAPPERS {
            match self.types().resolve(object.ty)? {
                Type::Pointer { .. } => return Some(object),
                Type::Record { fields, .. } => {
                    let pointer = |field: &&Field| {
                        matches!(&*field.name, "inner" | "ptr" | "pointer" | "__0")
                    };
                    object = self.field(&object, fields.iter().find(pointer)?);
                }
                _ => return None,
            }
        }
        None
    }
}

/// A number from its bytes, least significant first.
fn integer(bytes: &[u8], signed: bool) -> i128 {
    let raw = bytes
        .iter()
        .rev()
        .fold(0u128, |value, &byte| value << 8 | u128::from(byte));
    let unused = 128 - 8 * (bytes.len().clamp(1, 16) as u32);
    if signed {
        (raw << unused) as i128 >> unused
    } else {
        raw as i128
    }
}
