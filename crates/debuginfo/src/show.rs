//! Values as text, and what they are made of.

use crate::DebugInfo;
use crate::assembly_script::Managed;
use crate::place::{Place, Source, State, Unavailable};
use crate::types::{Encoding, Field, POINTER_BYTES, Type, TypeId, Variants};
use crate::variables::Object;

/// Longest text of a value; longer ones end in `…`.
const MAX_TEXT: usize = 120;

/// Most characters of a string that are shown.
const MAX_STRING: u32 = 64;

/// Most elements of an array that are shown in one line.
const MAX_ELEMENTS: u64 = 16;

/// Records inside records that are shown in one line.
const MAX_DEPTH: u32 = 4;

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
struct Run {
    element: TypeId,
    address: u32,
    count: u64,
    is_text: bool,
}

impl DebugInfo {
    /// A type as the source writes it.
    pub fn type_name(&self, ty: TypeId) -> String {
        self.types().name(ty)
    }

    /// A value as one line of text; `<optimized out>` and the like if there is none.
    pub fn show(&self, object: &Object, state: &dyn State) -> String {
        let mut text = String::new();
        self.write(&mut text, object, state, MAX_DEPTH);
        shortened(text)
    }

    fn write(&self, text: &mut String, object: &Object, state: &dyn State, depth: u32) {
        if text.len() > MAX_TEXT {
            return;
        }
        if let Err(why) = self.try_write(text, object, state, depth) {
            text.push_str(&format!("<{why}>"));
        }
    }

    fn try_write(
        &self,
        text: &mut String,
        object: &Object,
        state: &dyn State,
        depth: u32,
    ) -> Result<(), Unavailable> {
        let Some(ty) = self.types().resolve(object.ty) else {
            return self.write_wasm_value(text, object, state, depth);
        };
        match ty {
            // Rust's unit type.
            Type::Base { name, size: 0, .. } => text.push_str(name),
            Type::Base { encoding, .. } => {
                let number = self
                    .number(object, state)?
                    .ok_or(Unavailable::Unsupported)?;
                write_number(text, *encoding, number);
            }
            Type::Enum { values, .. } => {
                let Some(Number::Int(number)) = self.number(object, state)? else {
                    return Err(Unavailable::Unsupported);
                };
                match values.iter().find(|(value, _)| *value == number) {
                    Some((_, name)) => text.push_str(name),
                    None => text.push_str(&number.to_string()),
                }
            }
            Type::Pointer { to, .. } => self.write_pointer(text, object, *to, state)?,
            Type::Array { element, .. } => {
                let count = self.child_count(object, state);
                if self.is_letter(*element) {
                    let address = object.place.clone();
                    write_string(text, &self.text_at(&address, state)?);
                } else {
                    self.write_elements(text, object, count, state, depth);
                }
            }
            Type::Record {
                fields, variants, ..
            } => match self.run(object, state) {
                Some(run) if run.is_text => {
                    let length = u32::try_from(run.count).unwrap_or(u32::MAX).min(MAX_STRING);
                    let mut string = Place::memory(run.address, length).read(state)?;
                    if run.count > u64::from(length) {
                        string.extend_from_slice("…".as_bytes());
                    }
                    write_string(text, &String::from_utf8_lossy(&string));
                }
                Some(run) => self.write_elements(text, object, run.count, state, depth),
                None => match variants {
                    Some(variants) => {
                        self.write_variant(text, object, variants, fields, state, depth)?;
                    }
                    None => self.write_fields(text, object, fields, state, depth),
                },
            },
            Type::Function | Type::Alias { .. } | Type::Qualified { .. } => {
                return Err(Unavailable::Unsupported);
            }
        }
        Ok(())
    }

    /// A value that the source says nothing about, as its wasm type has it.
    fn write_wasm_value(
        &self,
        text: &mut String,
        object: &Object,
        state: &dyn State,
        depth: u32,
    ) -> Result<(), Unavailable> {
        match self.number(object, state)? {
            Some(number) => write_number(text, Encoding::Signed, number),
            None => {
                for byte in object.place.read(state)?.iter().rev() {
                    text.push_str(&format!("{byte:02x}"));
                }
            }
        }
        let Some(managed) = self.managed(object, state) else {
            return Ok(());
        };
        text.push_str(" → ");
        match &managed {
            Managed::Text { .. } => {
                write_string(text, &managed.text(MAX_STRING, state).unwrap_or_default());
            }
            Managed::Elements { count, .. } => {
                self.write_elements(text, object, *count, state, depth);
            }
            Managed::Record { class, fields, .. } => {
                text.push_str(class);
                text.push(' ');
                self.write_members(text, fields, state, depth);
            }
        }
        Ok(())
    }

    fn write_pointer(
        &self,
        text: &mut String,
        object: &Object,
        to: TypeId,
        state: &dyn State,
    ) -> Result<(), Unavailable> {
        let Some(Number::Int(address)) = self.number(object, state)? else {
            return Err(Unavailable::Unsupported);
        };
        text.push_str(&format!("{address:#x}"));
        if address != 0 && self.is_letter(to) {
            let place = Place::memory(address as u32, MAX_STRING);
            if let Ok(string) = self.text_at(&place, state) {
                text.push(' ');
                write_string(text, &string);
            }
        }
        Ok(())
    }

    fn write_fields(
        &self,
        text: &mut String,
        object: &Object,
        fields: &[Field],
        state: &dyn State,
        depth: u32,
    ) {
        self.write_members(text, &self.named_fields(object, fields), state, depth);
    }

    fn write_members(&self, text: &mut String, members: &[Child], state: &dyn State, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            text.push_str("{…}");
            return;
        };
        // The fields of a tuple have numbers for names.
        let tuple = !members.is_empty() && members.iter().all(|member| is_number(&member.name));
        text.push(if tuple { '(' } else { '{' });
        for (i, member) in members.iter().enumerate() {
            if text.len() > MAX_TEXT {
                break;
            }
            if i > 0 {
                text.push_str(", ");
            }
            if !tuple {
                text.push_str(&member.name);
                text.push_str(": ");
            }
            self.write(text, &member.object, state, depth);
        }
        text.push(if tuple { ')' } else { '}' });
    }

    fn write_elements(
        &self,
        text: &mut String,
        object: &Object,
        count: u64,
        state: &dyn State,
        depth: u32,
    ) {
        let Some(depth) = depth.checked_sub(1) else {
            text.push_str("[…]");
            return;
        };
        text.push('[');
        for (i, child) in self
            .children(object, state, 0, MAX_ELEMENTS)
            .iter()
            .enumerate()
        {
            if i > 0 {
                text.push_str(", ");
            }
            self.write(text, &child.object, state, depth);
        }
        text.push_str(if count > MAX_ELEMENTS { ", …]" } else { "]" });
    }

    fn write_variant(
        &self,
        text: &mut String,
        object: &Object,
        variants: &Variants,
        fields: &[Field],
        state: &dyn State,
        depth: u32,
    ) -> Result<(), Unavailable> {
        let Some(field) = self.variant(object, variants, state)? else {
            // An enum of which the debug information knows no alternative.
            self.write_fields(text, object, fields, state, depth);
            return Ok(());
        };
        text.push_str(&field.name);
        let payload = self.field(object, field);
        if let Some(Type::Record { fields, .. }) = self.types().resolve(payload.ty)
            && !fields.is_empty()
        {
            let fields = self.named_fields(&payload, fields);
            if !fields.iter().all(|field| is_number(&field.name)) {
                text.push(' ');
            }
            self.write_members(text, &fields, state, depth);
        }
        Ok(())
    }

    /// The alternative that a Rust enum has now.
    fn variant<'a>(
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

    fn named_fields(&self, object: &Object, fields: &[Field]) -> Vec<Child> {
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

    fn field(&self, object: &Object, field: &Field) -> Object {
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
    fn run(&self, object: &Object, state: &dyn State) -> Option<Run> {
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

    fn is_letter(&self, ty: TypeId) -> bool {
        let ty = self.types().resolve(ty);
        matches!(
            ty,
            Some(Type::Base {
                encoding: Encoding::Letter { signed: true },
                ..
            })
        )
    }

    /// The text up to its terminating zero, or as much as there is.
    fn text_at(&self, place: &Place, state: &dyn State) -> Result<String, Unavailable> {
        let longest = place.part(0, MAX_STRING);
        let mut bytes = match longest.read(state) {
            Ok(bytes) => bytes,
            // The text may end near the end of memory.
            Err(error) => (1..MAX_STRING)
                .rev()
                .find_map(|length| place.part(0, length).read(state).ok())
                .ok_or(error)?,
        };
        let end = bytes.iter().position(|&byte| byte == 0);
        let cut = end.is_none() && bytes.len() as u32 == MAX_STRING;
        bytes.truncate(end.unwrap_or(bytes.len()));
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if cut {
            text.push('…');
        }
        Ok(text)
    }

    /// Memory read as a number.
    pub(crate) fn memory_object(&self, address: u32, bytes: u32, float: bool) -> Object {
        let ty = match (float, bytes) {
            (true, 4) => TypeId::of(borges_vm::ValType::F32),
            (true, _) => TypeId::of(borges_vm::ValType::F64),
            (false, bytes) => TypeId::integer(bytes, false),
        };
        Object::new(ty, Place::memory(address, bytes))
    }

    /// The text that a value is: a letter array, a pointer to letters, a Rust string.
    pub(crate) fn text_of(&self, object: &Object, state: &dyn State) -> Option<String> {
        let Some(ty) = self.types().resolve(object.ty) else {
            return self.managed(object, state)?.text(u32::MAX / 2, state);
        };
        match ty {
            Type::Pointer { to, .. } if self.is_letter(*to) => {
                let Ok(Some(Number::Int(address))) = self.number(object, state) else {
                    return None;
                };
                let place = Place::memory(u32::try_from(address).ok()?, MAX_STRING);
                self.text_at(&place, state).ok()
            }
            Type::Array { element, .. } if self.is_letter(*element) => {
                self.text_at(&object.place, state).ok()
            }
            Type::Record { .. } => {
                let run = self.run(object, state).filter(|run| run.is_text)?;
                let length = u32::try_from(run.count).ok()?;
                let bytes = Place::memory(run.address, length).read(state).ok()?;
                String::from_utf8(bytes).ok()
            }
            _ => None,
        }
    }

    /// The object as the debugger's expressions see a wasm thing without a source.
    pub(crate) fn wasm_object(&self, ty: borges_vm::ValType, source: Source) -> Object {
        let ty = TypeId::of(ty);
        Object::new(ty, Place::whole(source, self.types().size(ty).unwrap_or(0)))
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

fn write_number(text: &mut String, encoding: Encoding, number: Number) {
    match (encoding, number) {
        (_, Number::Float(float)) => text.push_str(&float_text(float)),
        (Encoding::Bool, Number::Int(0)) => text.push_str("false"),
        (Encoding::Bool, Number::Int(1)) => text.push_str("true"),
        (Encoding::Scalar, Number::Int(code)) => {
            match u32::try_from(code).ok().and_then(char::from_u32) {
                Some(letter) => text.push_str(&format!("{letter:?}")),
                None => text.push_str(&format!("{code:#x}")),
            }
        }
        (Encoding::Letter { .. }, Number::Int(code)) => {
            text.push_str(&code.to_string());
            if (0x20..0x7f).contains(&code) {
                text.push_str(&format!(" {:?}", char::from(code as u8)));
            }
        }
        (_, Number::Int(number)) => text.push_str(&number.to_string()),
    }
}

/// The shortest text that says which float it is. A 32-bit float was widened exactly, so that the
/// shorter text of its own width is the right one.
pub(crate) fn float_text(float: f64) -> String {
    let narrow = float as f32;
    if f64::from(narrow) == float {
        format!("{narrow:?}")
    } else {
        format!("{float:?}")
    }
}

pub(crate) fn write_string(text: &mut String, string: &str) {
    text.push_str(&format!("{string:?}"));
}

/// True of the names of a tuple's fields.
fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

fn shortened(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT)
            .rev()
            .find(|&end| text.is_char_boundary(end))
            .unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}
