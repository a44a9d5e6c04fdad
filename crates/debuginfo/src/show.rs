//! Values as text.

use crate::DebugInfo;
use crate::assembly_script::Managed;
use crate::child::{Child, Number};
use crate::place::{Holder, MAX_VALUE_BYTES, Stopped, Unavailable, ValuePlace};
use crate::types::{Encoding, Field, Role, Type, TypeId, Variants};
use crate::variables::Object;
use crate::view::{Misfit, Shape, View};

/// Longest text of a value; longer ones end in `…`.
const MAX_TEXT: usize = 120;

/// Most characters of a string that are shown.
const MAX_STRING: u32 = 64;

/// Most elements of an array that are shown in one line.
const MAX_ELEMENTS: u64 = 16;

/// How deep a line goes.
#[derive(Clone, Copy)]
struct Depth {
    /// Records inside records.
    records: u32,
    /// Wrappers around each other: a list of boxes may close a circle.
    wrappers: u32,
}

impl Depth {
    const WHOLE: Depth = Depth {
        records: 4,
        wrappers: 12,
    };

    fn into_record(self) -> Option<Depth> {
        let records = self.records.checked_sub(1)?;
        Some(Depth { records, ..self })
    }

    fn into_wrapper(self) -> Option<Depth> {
        let wrappers = self.wrappers.checked_sub(1)?;
        Some(Depth { wrappers, ..self })
    }
}

impl DebugInfo {
    /// A type as the source writes it.
    pub fn type_name(&self, ty: TypeId) -> String {
        self.types().name(ty)
    }

    /// A value as one line of text; `<optimized out>` and the like if there is none.
    pub fn show(&self, object: &Object, state: &dyn Stopped) -> String {
        let mut text = String::new();
        self.write(&mut text, object, state, Depth::WHOLE);
        shortened(text)
    }

    fn write(&self, text: &mut String, object: &Object, state: &dyn Stopped, depth: Depth) {
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
        state: &dyn Stopped,
        depth: Depth,
    ) -> Result<(), Unavailable> {
        let Some(ty) = self.types().resolve(object.ty) else {
            return self.write_wasm_value(text, object, state, depth);
        };
        match self.view(object, state, MAX_ELEMENTS) {
            Some(Ok(view)) => return self.write_view(text, &view, state, depth),
            Some(Err(Misfit::Unavailable(why))) => return Err(why),
            Some(Err(misfit)) => {
                self.write_plain(text, ty, object, state, depth)?;
                let is_pointer = matches!(ty, Type::Pointer { .. });
                match misfit {
                    // The address says enough.
                    _ if is_pointer => {}
                    Misfit::Layout => text.push_str(" (raw: its layout is not known)"),
                    Misfit::Type => text.push_str(" (raw: the type behind it is not known)"),
                    _ => text.push_str(" (raw: not initialized, or damaged)"),
                }
                return Ok(());
            }
            None => {}
        }
        self.write_plain(text, ty, object, state, depth)
    }

    /// A value as its type alone tells.
    fn write_plain(
        &self,
        text: &mut String,
        ty: &Type,
        object: &Object,
        state: &dyn Stopped,
        depth: Depth,
    ) -> Result<(), Unavailable> {
        match ty {
            // Rust's unit type.
            Type::Base { name, size: 0, .. } => text.push_str(name),
            Type::Base {
                encoding: Encoding::Unsigned,
                size: 16,
                ..
            } => {
                let bytes = object.place.part(0, 16).read(state)?;
                let bytes = bytes.try_into().map_err(|_| Unavailable::Mismatch)?;
                text.push_str(&u128::from_le_bytes(bytes).to_string());
            }
            Type::Base { encoding, .. } => {
                let number = self
                    .scalar(object, state)?
                    .ok_or(Unavailable::Unsupported)?;
                write_number(text, *encoding, number);
            }
            Type::Enum { values, .. } => {
                let Some(Number::Int(number)) = self.scalar(object, state)? else {
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
                    write_string(text, &self.first_letters(&object.place, state)?);
                } else {
                    self.write_elements(text, object, count, state, depth);
                }
            }
            Type::Record {
                fields, variants, ..
            } => match variants {
                Some(variants) => {
                    self.write_variant(text, object, variants, fields, state, depth)?;
                }
                None => self.write_fields(text, object, fields, state, depth),
            },
            Type::Function | Type::Alias { .. } | Type::Qualified { .. } => {
                return Err(Unavailable::Unsupported);
            }
        }
        Ok(())
    }

    /// A value by what it holds.
    fn write_view(
        &self,
        text: &mut String,
        view: &View<'_>,
        state: &dyn Stopped,
        depth: Depth,
    ) -> Result<(), Unavailable> {
        let Some(inner) = depth.into_wrapper() else {
            text.push('…');
            return Ok(());
        };
        if let Some(label) = &view.label {
            text.push_str(label);
            text.push(' ');
        }
        match &view.shape {
            Shape::Text {
                memory,
                address,
                count,
                unit,
            } => write_string(text, &self.string(*memory, *address, *count, *unit, state)?),
            Shape::Sequence { count, at } => {
                self.write_list(text, ['[', ']'], *count, depth, |text, index, depth| {
                    self.write(text, &self.referred(at(index)?, state), state, depth);
                    Some(())
                });
            }
            Shape::Set { count, at } => {
                self.write_list(text, ['{', '}'], *count, depth, |text, index, depth| {
                    self.write(text, &self.referred(at(index)?, state), state, depth);
                    Some(())
                });
            }
            Shape::Map { count, at } => {
                self.write_list(text, ['{', '}'], *count, depth, |text, index, depth| {
                    let (key, value) = at(index)?;
                    self.write(text, &key, state, depth);
                    text.push_str(": ");
                    self.write(text, &value, state, depth);
                    Some(())
                });
            }
            Shape::Holds(held) => self.write(text, held, state, inner),
            Shape::Tuple(parts) => {
                let count = parts.len() as u64;
                self.write_list(text, ['(', ')'], count, depth, |text, index, depth| {
                    let part = parts.get(index as usize)?.clone();
                    self.write(text, &self.referred(part, state), state, depth);
                    Some(())
                });
            }
            Shape::Nothing(why) => text.push_str(&format!("<{why}>")),
            Shape::Written(written) => text.push_str(written),
        }
        if let Some(note) = &view.note {
            text.push_str(&format!(" ({note})"));
        }
        Ok(())
    }

    /// The first elements of something, between its brackets.
    fn write_list(
        &self,
        text: &mut String,
        [open, close]: [char; 2],
        count: u64,
        depth: Depth,
        element: impl Fn(&mut String, u64, Depth) -> Option<()>,
    ) {
        text.push(open);
        match depth.into_record() {
            None if count > 0 => text.push('…'),
            None => {}
            Some(depth) => {
                for index in 0..count.min(MAX_ELEMENTS) {
                    if text.len() > MAX_TEXT {
                        break;
                    }
                    if index > 0 {
                        text.push_str(", ");
                    }
                    if element(text, index, depth).is_none() {
                        text.push('?');
                    }
                }
                if count > MAX_ELEMENTS {
                    text.push_str(", …");
                }
            }
        }
        text.push(close);
    }

    /// A text in memory, cut if it is long.
    fn string(
        &self,
        memory: u32,
        address: u32,
        count: u64,
        unit: TypeId,
        state: &dyn Stopped,
    ) -> Result<String, Unavailable> {
        let shown = u32::try_from(count).unwrap_or(u32::MAX).min(MAX_STRING);
        let size = self.types().size(unit).unwrap_or(1);
        let place = ValuePlace::memory(memory, address, shown.saturating_mul(size));
        let bytes = place.read(state)?;
        let mut string = decoded(&bytes, size);
        if count > u64::from(shown) {
            // A letter may have been cut in two.
            let whole = string.trim_end_matches(char::REPLACEMENT_CHARACTER).len();
            string.truncate(whole);
            string.push('…');
        }
        Ok(string)
    }

    /// A value that the source says nothing about, as its wasm type has it.
    fn write_wasm_value(
        &self,
        text: &mut String,
        object: &Object,
        state: &dyn Stopped,
        depth: Depth,
    ) -> Result<(), Unavailable> {
        let managed = self.managed(object, state);
        match self.number(object, state)? {
            // Of what is a reference for sure, the address is of no interest.
            Some(Number::Int(0)) if object.ty == TypeId::REFERENCE => text.push_str("null"),
            Some(_) if object.ty == TypeId::REFERENCE && managed.is_some() => {}
            Some(number) if object.ty == TypeId::BOOL => {
                write_number(text, Encoding::Bool, number);
            }
            Some(number) => write_number(text, Encoding::Signed, number),
            None => {
                let bytes = object.place.read(state)?;
                if bytes.is_empty() {
                    return Err(Unavailable::UnknownType);
                }
                for byte in bytes.iter().rev() {
                    text.push_str(&format!("{byte:02x}"));
                }
            }
        }
        let Some(managed) = managed else {
            return Ok(());
        };
        if object.ty != TypeId::REFERENCE {
            text.push_str(" → ");
        }
        match &managed {
            Managed::Text { .. } => {
                if let Some(string) = managed.text(MAX_STRING, state) {
                    write_string(text, &string?);
                }
            }
            Managed::Elements { count, .. } => {
                self.write_elements(text, object, *count, state, depth);
            }
            Managed::TooLarge => return Err(Unavailable::TooLarge),
            Managed::Set(elements) => {
                let count = elements.len() as u64;
                self.write_list(text, ['{', '}'], count, depth, |text, index, depth| {
                    self.write(text, elements.get(index as usize)?, state, depth);
                    Some(())
                });
            }
            Managed::Map(entries) => {
                let count = entries.len() as u64;
                self.write_list(text, ['{', '}'], count, depth, |text, index, depth| {
                    let (key, value) = entries.get(index as usize)?;
                    self.write(text, key, state, depth);
                    text.push_str(": ");
                    self.write(text, value, state, depth);
                    Some(())
                });
            }
            Managed::Record {
                class,
                fields,
                whole,
            } => {
                text.push_str(class);
                text.push(' ');
                self.write_members(text, fields, state, depth);
                if !whole && !text.ends_with("{…}") && text.pop() == Some('}') {
                    text.push_str(if fields.is_empty() { "…}" } else { ", …}" });
                }
            }
        }
        Ok(())
    }

    fn write_pointer(
        &self,
        text: &mut String,
        object: &Object,
        to: TypeId,
        state: &dyn Stopped,
    ) -> Result<(), Unavailable> {
        let Some(Number::Int(address)) = self.scalar(object, state)? else {
            return Err(Unavailable::Unsupported);
        };
        text.push_str(&format!("{address:#x}"));
        if let Some(function) = self.function_pointed_to(to, address, state) {
            text.push_str(&format!(" {function}"));
        }
        let place = ValuePlace::memory(object.place.memory, address as u32, u32::MAX);
        if address != 0
            && self.is_letter(to)
            && let Ok(string) = self.first_letters(&place, state)
        {
            text.push(' ');
            write_string(text, &string);
        }
        Ok(())
    }

    fn write_fields(
        &self,
        text: &mut String,
        object: &Object,
        fields: &[Field],
        state: &dyn Stopped,
        depth: Depth,
    ) {
        // What the compiler put there is among the children, not in the line.
        let written: Vec<Field> = fields
            .iter()
            .filter(|field| field.role != Role::Artificial)
            .cloned()
            .collect();
        self.write_members(text, &self.named_fields(object, &written), state, depth);
    }

    fn write_members(
        &self,
        text: &mut String,
        members: &[Child],
        state: &dyn Stopped,
        depth: Depth,
    ) {
        let Some(depth) = depth.into_record() else {
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
            if !tuple && !member.name.is_empty() {
                text.push_str(&member.name);
                text.push_str(": ");
            }
            let object = self.referred(member.object.clone(), state);
            self.write(text, &object, state, depth);
        }
        text.push(if tuple { ')' } else { '}' });
    }

    fn write_elements(
        &self,
        text: &mut String,
        object: &Object,
        count: u64,
        state: &dyn Stopped,
        depth: Depth,
    ) {
        self.write_list(text, ['[', ']'], count, depth, |text, index, depth| {
            let element = self.element(object, index.into(), state)?;
            self.write(text, &element, state, depth);
            Some(())
        });
    }

    fn write_variant(
        &self,
        text: &mut String,
        object: &Object,
        variants: &Variants,
        fields: &[Field],
        state: &dyn Stopped,
        depth: Depth,
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

    /// The text up to its terminating zero or the end of its place, cut if it is long.
    fn first_letters(
        &self,
        place: &ValuePlace,
        state: &dyn Stopped,
    ) -> Result<String, Unavailable> {
        let (mut text, more) = self.text_at(place, MAX_STRING, state)?;
        if more {
            // A letter may have been cut in two.
            let whole = text.trim_end_matches(char::REPLACEMENT_CHARACTER).len();
            text.truncate(whole);
            text.push('…');
        }
        Ok(text)
    }

    /// At most `most` bytes of the text up to its terminating zero or the end of its place, and whether
    /// there are more.
    fn text_at(
        &self,
        place: &ValuePlace,
        most: u32,
        state: &dyn Stopped,
    ) -> Result<(String, bool), Unavailable> {
        let length = place.length().min(most.saturating_add(1));
        if length == 0 {
            return Err(Unavailable::Unsupported);
        }
        let mut bytes = Vec::new();
        let mut end = None;
        while end.is_none() && (bytes.len() as u32) < length {
            let at = bytes.len() as u32;
            let wanted = (length - at).min(MAX_STRING + 1);
            let read = |length| place.part(at, length).read(state);
            let block = match read(wanted) {
                Ok(block) => block,
                // The text may end near the end of memory.
                Err(error) => match (1..wanted).rev().find_map(|length| read(length).ok()) {
                    Some(block) => block,
                    None if at > 0 => break,
                    None => return Err(error),
                },
            };
            let zero = block.iter().position(|&byte| byte == 0);
            end = zero.map(|zero| bytes.len() + zero);
            bytes.extend(block);
        }
        bytes.truncate(end.unwrap_or(bytes.len()));
        let more = bytes.len() > most as usize;
        bytes.truncate(most as usize);
        Ok((String::from_utf8_lossy(&bytes).into_owned(), more))
    }

    /// Memory read as a number.
    pub(crate) fn memory_object(
        &self,
        memory: u32,
        address: u32,
        bytes: u32,
        float: bool,
    ) -> Object {
        let ty = match (float, bytes) {
            (true, 4) => TypeId::of(borges_vm::ValType::F32),
            (true, _) => TypeId::of(borges_vm::ValType::F64),
            (false, bytes) => TypeId::integer(bytes, false),
        };
        Object::new(ty, ValuePlace::memory(memory, address, bytes))
    }

    /// The text that a value is: a letter array, a pointer to letters, a Rust string; `None` of others.
    ///
    /// # Errors
    /// [`Unavailable`] if it cannot be read as a whole.
    pub(crate) fn text_of(
        &self,
        object: &Object,
        state: &dyn Stopped,
    ) -> Result<Option<String>, Unavailable> {
        let object = &self.unwrapped(object, state);
        let memory = object.place.memory;
        let Some(ty) = self.types().resolve(object.ty) else {
            let managed = self.managed(object, state);
            return managed
                .and_then(|managed| managed.text(u32::MAX / 2, state))
                .transpose();
        };
        let whole = |place: &ValuePlace| match self.text_at(place, MAX_VALUE_BYTES, state)? {
            (text, false) => Ok(Some(text)),
            (_, true) => Err(Unavailable::TooLarge),
        };
        match ty {
            Type::Pointer { to, .. } if self.is_letter(*to) => match self.scalar(object, state)? {
                Some(Number::Int(address)) => match u32::try_from(address) {
                    Ok(address) => whole(&ValuePlace::memory(memory, address, u32::MAX)),
                    Err(_) => Ok(None),
                },
                _ => Ok(None),
            },
            Type::Array { element, .. } if self.is_letter(*element) => whole(&object.place),
            Type::Record { .. } => {
                let Some(Ok(View {
                    shape:
                        Shape::Text {
                            memory,
                            address,
                            count,
                            unit,
                        },
                    ..
                })) = self.view(object, state, 0)
                else {
                    return Ok(None);
                };
                let size = self.types().size(unit).unwrap_or(1);
                let length = u32::try_from(count).ok();
                let length = length.and_then(|length| length.checked_mul(size));
                let length = length.ok_or(Unavailable::TooLarge)?;
                let bytes = ValuePlace::memory(memory, address, length).read(state)?;
                Ok(Some(decoded(&bytes, size)))
            }
            _ => Ok(None),
        }
    }

    /// The object as the debugger's expressions see a wasm thing without a source.
    pub(crate) fn wasm_object(
        &self,
        ty: borges_vm::ValType,
        memory: u32,
        source: Holder,
    ) -> Object {
        let ty = TypeId::of(ty);
        Object::new(
            ty,
            ValuePlace::whole(memory, source, self.types().size(ty).unwrap_or(0)),
        )
    }
}

/// A text of units of 1 (UTF-8), 2 or 4 bytes.
fn decoded(bytes: &[u8], unit: u32) -> String {
    match unit {
        2 => {
            let units = bytes.as_chunks::<2>().0.iter().copied();
            let units: Vec<u16> = units.map(u16::from_le_bytes).collect();
            String::from_utf16_lossy(&units)
        }
        4 => {
            let units = bytes.as_chunks::<4>().0.iter().copied();
            let letters = units.map(|unit| char::from_u32(u32::from_le_bytes(unit)));
            letters
                .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect()
        }
        _ => String::from_utf8_lossy(bytes).into_owned(),
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
        if !text.ends_with('…') {
            text.push('…');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand_made::{Memory, array, field, info, letter, nested, pointer, record, words};

    fn shown(types: Vec<Type>, ty: TypeId, state: &dyn Stopped) -> String {
        let info = info(types);
        let size = info.types().size(ty).unwrap();
        info.show(&Object::new(ty, ValuePlace::memory(0, 0, size)), state)
    }

    #[test]
    fn lines_end_in_an_ellipsis_past_their_longest() {
        for (length, cut) in [(MAX_TEXT, ""), (MAX_TEXT + 1, "…")] {
            let values = vec![(0, "x".repeat(length).into())];
            let named = Type::Enum {
                name: "Long".into(),
                size: 4,
                signed: false,
                underlying: TypeId::WORD,
                values,
            };
            let text = shown(vec![named], TypeId(1), &words([0]));
            assert_eq!(text, "x".repeat(MAX_TEXT) + cut);
        }
    }

    #[test]
    fn strings_end_in_an_ellipsis_past_their_longest() {
        let slice = record(
            "",
            "&str",
            8,
            vec![
                field("data_ptr", TypeId(2), 0),
                field("length", TypeId::WORD, 4),
            ],
        );
        for (length, cut) in [(MAX_STRING, ""), (MAX_STRING + 1, "…")] {
            let letters = "x".repeat(length as usize);
            let quoted = format!("\"{}{cut}\"", "x".repeat(MAX_STRING as usize));
            // One that fills its array, one with a zero behind it, one with its length before it.
            let memory = Memory(letters.clone().into_bytes());
            let types = vec![letter(), array(TypeId(1), length.into())];
            assert_eq!(shown(types, TypeId(2), &memory), quoted);
            let memory = |words: [u32; 2]| {
                let mut bytes = words.map(u32::to_le_bytes).concat();
                bytes.extend(letters.bytes());
                bytes.push(0);
                Memory(bytes)
            };
            let types = vec![letter(), pointer(TypeId(1))];
            let text = shown(types, TypeId(2), &memory([8, 0]));
            assert_eq!(text, format!("0x8 {quoted}"));
            let types = vec![letter(), pointer(TypeId(1)), slice.clone()];
            assert_eq!(shown(types, TypeId(3), &memory([8, length])), quoted);
        }
        // Of a letter that is cut in two, nothing is shown.
        let memory = Memory(("x".repeat(MAX_STRING as usize - 1) + "ß").into_bytes());
        let types = vec![letter(), array(TypeId(1), MAX_STRING as u64 + 1)];
        let quoted = format!("\"{}…\"", "x".repeat(MAX_STRING as usize - 1));
        assert_eq!(shown(types, TypeId(2), &memory), quoted);
    }

    #[test]
    fn texts_are_compared_as_a_whole_or_not_at_all() {
        let info = info([letter(), pointer(TypeId(1))]);
        let object = Object::new(TypeId(2), ValuePlace::memory(0, 0, 4));
        for (length, fits) in [(MAX_VALUE_BYTES, true), (MAX_VALUE_BYTES + 1, false)] {
            let mut bytes = 4u32.to_le_bytes().to_vec();
            bytes.resize(4 + length as usize, b'x');
            let text = String::from_utf8(bytes[4..].to_vec()).unwrap();
            let whole = match fits {
                true => Ok(Some(text)),
                false => Err(Unavailable::TooLarge),
            };
            // One that ends with memory, and one that a zero ends.
            assert_eq!(info.text_of(&object, &Memory(bytes.clone())), whole);
            bytes.extend([0, b'y']);
            assert_eq!(info.text_of(&object, &Memory(bytes)), whole);
        }
    }

    #[test]
    fn arrays_end_in_an_ellipsis_past_their_longest() {
        for (count, cut) in [(MAX_ELEMENTS, ""), (MAX_ELEMENTS + 1, ", …")] {
            let types = vec![array(TypeId::BYTE, count)];
            let elements = ["0"; MAX_ELEMENTS as usize].join(", ");
            let text = shown(types, TypeId(1), &words([0; 8]));
            assert_eq!(text, format!("[{elements}{cut}]"));
        }
    }

    #[test]
    fn what_is_nested_too_deeply_is_an_ellipsis() {
        let Depth { records, wrappers } = Depth::WHOLE;
        let state = words([7]);
        let records_in = |count: u32| nested(count, "app", "Box", |ty| field("a", ty, 0));
        let around = |count: u32, inner: &str| {
            let count = count as usize;
            "{a: ".repeat(count) + inner + &"}".repeat(count)
        };
        for (count, inner) in [(records, "7"), (records + 1, "{…}")] {
            let text = shown(records_in(count), TypeId(1), &state);
            assert_eq!(text, around(records, inner));
        }
        for (count, inner) in [(wrappers, "7"), (wrappers + 1, "…")] {
            let cells = nested(count, "core::cell", "Cell<>", |ty| field("value", ty, 0));
            assert_eq!(shown(cells, TypeId(1), &state), inner);
        }
    }
}
