//! Objects of AssemblyScript in memory.
//!
//! AssemblyScript says of a local only its name and wasm type. But its objects have a header in
//! front of them, with a class number and a size; strings have a number of their own, the layout of
//! arrays stands in a table (if the program needs it at run time), and debug builds have accessor
//! functions whose code tells where fields are. So an `i32` that points to such an object is shown
//! as the number that it is *and* as the object.

use std::collections::HashMap;

use borges_vm::{FuncIdx, ValType, Value};
use wasmparser::{MemArg, Operator};

use crate::DebugInfo;
use crate::child::{Child, Number};
use crate::module::ModuleIndex;
use crate::place::{Stopped, Unavailable, ValuePlace};
use crate::types::TypeId;
use crate::variables::Object;
use crate::warning::{DebugPart, Problem, Warnings};

/// The memory that objects lie in. Those of a library with a memory of its own are shown as numbers: its classes have
/// numbers that the program's have too.
const FIRST: u32 = 0;

/// Bytes of the header before an object: block size, two of the collector's, class number, size.
const HEADER_BYTES: u32 = 20;

/// The class number of strings.
const STRING: u32 = 2;

/// Flags of the table of classes.
const VIEW: u32 = 1 << 0;
const ARRAY: u32 = 1 << 1;
const STATIC_ARRAY: u32 = 1 << 2;
const SET: u32 = 1 << 3;
const MAP: u32 = 1 << 4;
/// Where the flags of values begin, and those of keys: five that tell the size, the three below.
const VALUE: u32 = 6;
const KEY: u32 = 15;
const SIGNED: u32 = 1 << 5;
const FLOAT: u32 = 1 << 6;
const MANAGED: u32 = 1 << 8;

/// Entries of a map or set, at the most.
const MAX_ENTRIES: u32 = 1 << 16;

/// Most functions whose code is looked at for classes and fields.
const MAX_FUNCTIONS: usize = 1 << 14;

/// A field, as its accessors read and write it.
#[derive(Clone, Debug)]
struct Field {
    name: String,
    offset: u32,
    ty: TypeId,
}

#[derive(Clone, Debug)]
struct Class {
    name: String,
    size: u32,
    fields: Vec<Field>,
}

/// What a module's code tells of its classes.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    by_number: HashMap<u32, Class>,
    /// The global that holds the address of the table of classes.
    table: Option<u32>,
    /// The module was compiled by AssemblyScript.
    present: bool,
}

/// How an array keeps its elements.
#[derive(Clone, Copy)]
enum Layout {
    /// In the object itself.
    Inline,
    /// Elsewhere, with address and count in the object.
    Array,
    /// Elsewhere, with address and bytes in the object.
    View,
}

/// What a class holds many of.
#[derive(Clone, Copy)]
enum Collection {
    Array(Layout, TypeId),
    Map(TypeId, TypeId),
    Set(TypeId),
}

/// An object that an `i32` points to.
pub(crate) enum Managed<'a> {
    Text {
        address: u32,
        bytes: u32,
    },
    Elements {
        address: u32,
        count: u64,
        ty: TypeId,
        size: u32,
    },
    /// Keys and values, in the order of their insertion.
    Map(Vec<(Object, Object)>),
    Set(Vec<Object>),
    /// A map or set of more entries than are looked at.
    TooLarge,
    Record {
        class: &'a str,
        fields: Vec<Child>,
        /// Whether these are all: an optimizer may have left no code that tells of some.
        whole: bool,
    },
}

/// Keys and, of a map, their values.
type Entries = Vec<(Object, Option<Object>)>;

impl Classes {
    pub(crate) fn read(module: &ModuleIndex, warnings: &mut Warnings) -> Classes {
        let names = &module.names;
        let table = names
            .globals
            .iter()
            .find(|(_, name)| name.ends_with("/__rtti_base"));
        let present = names
            .functions
            .values()
            .any(|name| name.starts_with("~lib/"))
            || names.globals.values().any(|name| name.starts_with("~lib/"));
        let mut classes = Classes {
            by_number: HashMap::new(),
            table: table.map(|(&index, _)| index),
            present,
        };
        if present {
            classes.read_functions(module);
            if names.functions.len() > MAX_FUNCTIONS {
                warnings.push(DebugPart::Names, 0, Problem::TooLarge);
            }
        }
        classes
    }

    fn read_functions(&mut self, module: &ModuleIndex) {
        let mut functions: Vec<(&u32, &String)> = module.names.functions.iter().collect();
        functions.sort();
        let mut fields: HashMap<&str, Vec<Field>> = HashMap::new();
        let mut numbers: Vec<(&str, u32, u32)> = Vec::new();
        for (&index, name) in functions.into_iter().take(MAX_FUNCTIONS) {
            let Some((class, member)) = name.rsplit_once('#') else {
                continue;
            };
            if member == "constructor" {
                let found = allocation(module, FuncIdx(index));
                numbers.extend(found.map(|(size, number)| (class, size, number)));
            }
            let getter = member.strip_prefix("get:");
            let accessed = getter.or(member.strip_prefix("set:"));
            let access = accessed.and_then(|_| access(module, FuncIdx(index)));
            let (Some(field), Some((offset, ty))) = (accessed, access) else {
                continue;
            };
            let known = fields.entry(class).or_default();
            match known.iter_mut().find(|other| other.name == field) {
                None => known.push(Field {
                    name: field.to_owned(),
                    offset,
                    ty,
                }),
                // A getter tells the sign of a small number, a setter does not.
                Some(other) if getter.is_some() => other.ty = ty,
                Some(_) => {}
            }
        }
        for (class, size, number) in numbers {
            let mut fields = fields.get(class).cloned().unwrap_or_default();
            fields.retain(|field| field.offset < size);
            fields.sort_by_key(|field| field.offset);
            let name = crate::functions::readable(class);
            self.by_number.insert(number, Class { name, size, fields });
        }
    }
}

/// Size and class number of the object that a constructor makes: the constants before its call of
/// the allocator.
fn allocation(module: &ModuleIndex, function: FuncIdx) -> Option<(u32, u32)> {
    let mut operators = module.operators(module.body_of(function)?);
    let (mut before, mut last) = (None, None);
    while !operators.eof() {
        let constant = match operators.read().ok()? {
            Operator::I32Const { value } => u32::try_from(value).ok(),
            Operator::Call { function_index } => {
                let name = module.names.functions.get(&function_index);
                if name.is_some_and(|name| name.ends_with("/__new")) {
                    return before.zip(last);
                }
                None
            }
            _ => None,
        };
        before = last;
        last = constant;
    }
    None
}

/// Offset and type of the field that an accessor reads or writes: that of its one memory access.
fn access(module: &ModuleIndex, function: FuncIdx) -> Option<(u32, TypeId)> {
    let mut operators = module.operators(module.body_of(function)?);
    while !operators.eof() {
        let operator = operators.read().ok()?;
        if let Some((memarg, ty)) = memory_access(&operator) {
            return Some((u32::try_from(memarg.offset).ok()?, ty));
        }
        // An accessor that computes anything was written by hand and is no field.
        let plain = matches!(
            operator,
            Operator::LocalGet { .. } | Operator::Nop | Operator::I32Const { .. }
        );
        if !plain {
            return None;
        }
    }
    None
}

fn memory_access<'a>(operator: &'a Operator<'_>) -> Option<(&'a MemArg, TypeId)> {
    Some(match operator {
        Operator::I32Load { memarg } | Operator::I32Store { memarg } => {
            (memarg, TypeId::of(ValType::I32))
        }
        Operator::I64Load { memarg } | Operator::I64Store { memarg } => {
            (memarg, TypeId::of(ValType::I64))
        }
        Operator::F32Load { memarg } | Operator::F32Store { memarg } => {
            (memarg, TypeId::of(ValType::F32))
        }
        Operator::F64Load { memarg } | Operator::F64Store { memarg } => {
            (memarg, TypeId::of(ValType::F64))
        }
        Operator::I32Load8U { memarg } | Operator::I32Store8 { memarg } => {
            (memarg, TypeId::integer(1, false))
        }
        Operator::I32Load16U { memarg } | Operator::I32Store16 { memarg } => {
            (memarg, TypeId::integer(2, false))
        }
        Operator::I32Load8S { memarg } => (memarg, TypeId::integer(1, true)),
        Operator::I32Load16S { memarg } => (memarg, TypeId::integer(2, true)),
        _ => return None,
    })
}

/// The type of a number in memory.
fn number_type(size: u32, signed: bool, float: bool) -> TypeId {
    match (float, size) {
        (true, 4) => TypeId::of(ValType::F32),
        (true, _) => TypeId::of(ValType::F64),
        (false, 4) if signed => TypeId::of(ValType::I32),
        (false, 8) if signed => TypeId::of(ValType::I64),
        (false, size) => TypeId::integer(size, signed),
    }
}

/// The type of an element, by its name; that of a class is a reference.
fn element_type(name: &str) -> TypeId {
    match name {
        "bool" => TypeId::BOOL,
        "i8" | "Int8" => number_type(1, true, false),
        "u8" | "Uint8" | "Uint8Clamped" => number_type(1, false, false),
        "i16" | "Int16" => number_type(2, true, false),
        "u16" | "Uint16" => number_type(2, false, false),
        "i32" | "isize" | "Int32" => number_type(4, true, false),
        "u32" | "usize" | "Uint32" => number_type(4, false, false),
        "i64" | "Int64" => number_type(8, true, false),
        "u64" | "Uint64" => number_type(8, false, false),
        "f32" | "Float32" => number_type(4, true, true),
        "f64" | "Float64" => number_type(8, true, true),
        _ => TypeId::REFERENCE,
    }
}

/// What a class of the library holds many of, by its name.
fn collection(class: &str) -> Option<Collection> {
    let Some((kind, rest)) = class.split_once('<') else {
        let element = class.strip_suffix("Array").map(element_type)?;
        let known = element != TypeId::REFERENCE;
        return known.then_some(Collection::Array(Layout::View, element));
    };
    let argument = rest.strip_suffix('>')?;
    Some(match kind {
        "Array" => Collection::Array(Layout::Array, element_type(argument)),
        "StaticArray" => Collection::Array(Layout::Inline, element_type(argument)),
        "Set" => Collection::Set(element_type(argument)),
        "Map" => {
            let (key, value) = argument.split_at(outer_comma(argument)?);
            Collection::Map(element_type(key), element_type(value.get(1..)?))
        }
        _ => return None,
    })
}

/// Where the comma between two type arguments is: not one that an argument has itself.
fn outer_comma(arguments: &str) -> Option<usize> {
    let mut depth = 0;
    arguments.bytes().position(|byte| {
        match byte {
            b'<' | b'(' => depth += 1,
            b'>' | b')' => depth -= 1,
            _ => {}
        }
        byte == b',' && depth == 0
    })
}

/// The type that five flags of size and three more say.
fn flagged_type(flags: u32) -> Option<TypeId> {
    let power = (flags & 0x1f).checked_ilog2();
    let size = 1 << power.filter(|&power| power <= 3)?;
    Some(match flags & MANAGED != 0 && size == 4 {
        true => TypeId::REFERENCE,
        false => number_type(size, flags & SIGNED != 0, flags & FLOAT != 0),
    })
}

fn word(state: &dyn Stopped, address: u32) -> Option<u32> {
    let mut bytes = [0; 4];
    state
        .memory(FIRST, address, &mut bytes)
        .then_some(u32::from_le_bytes(bytes))
}

impl DebugInfo {
    /// The object that a value points to, if it is an `i32` that can be nothing else.
    pub(crate) fn managed(&self, object: &Object, state: &dyn Stopped) -> Option<Managed<'_>> {
        let may_be = object.ty == TypeId::REFERENCE || object.ty.built_in() == Some(ValType::I32);
        let may_be = may_be && object.place.memory == FIRST;
        if !self.classes.present || !may_be {
            return None;
        }
        let Ok(Some(Number::Int(address))) = self.scalar(object, state) else {
            return None;
        };
        let address = u32::try_from(address)
            .ok()
            .filter(|address| address.is_multiple_of(16))?;
        let header = address.checked_sub(HEADER_BYTES)?;
        let block = word(state, header)? & !3;
        let class = word(state, header + 12)?;
        let size = word(state, header + 16)?;
        // The block holds the rest of the header and the object, rounded up.
        let fits = size
            .checked_add(16)
            .is_some_and(|need| need <= block && block <= need + 16);
        if !fits || !state.memory(FIRST, address.checked_add(size)?.checked_sub(1)?, &mut [0]) {
            return None;
        }
        if class == STRING {
            return size.is_multiple_of(2).then_some(Managed::Text {
                address,
                bytes: size,
            });
        }
        let known = self.classes.by_number.get(&class);
        let by_name = known.and_then(|class| collection(&class.name));
        // The table tells sizes for sure, a name knows truth values besides.
        let by_table = self.by_table(class, state);
        match by_name.or(by_table) {
            Some(Collection::Array(layout, ty)) => self.elements(layout, ty, address, size, state),
            Some(Collection::Map(key, value)) => {
                let Some(entries) = self.entries(address, size, key, Some(value), state)? else {
                    return Some(Managed::TooLarge);
                };
                let pair = |(key, value): (Object, Option<Object>)| Some((key, value?));
                Some(Managed::Map(entries.into_iter().filter_map(pair).collect()))
            }
            Some(Collection::Set(element)) => {
                let Some(entries) = self.entries(address, size, element, None, state)? else {
                    return Some(Managed::TooLarge);
                };
                Some(Managed::Set(
                    entries.into_iter().map(|(key, _)| key).collect(),
                ))
            }
            None => self.record(class, address, size),
        }
    }

    /// The elements of an array.
    fn elements(
        &self,
        layout: Layout,
        ty: TypeId,
        address: u32,
        bytes: u32,
        state: &dyn Stopped,
    ) -> Option<Managed<'_>> {
        let size = self.types().size(ty)?;
        let (start, count) = match layout {
            Layout::Inline => (address, bytes / size),
            Layout::Array => (
                word(state, address.checked_add(4)?)?,
                word(state, address.checked_add(12)?)?,
            ),
            Layout::View => (
                word(state, address.checked_add(4)?)?,
                word(state, address.checked_add(8)?)? / size,
            ),
        };
        Some(Managed::Elements {
            address: start,
            count: count.into(),
            ty,
            size,
        })
    }

    /// The entries of a `Map` or `Set`: an object of six words that points to entries in the order
    /// of their insertion, each with a key, perhaps a value, and a link whose lowest bit is set
    /// where the entry was deleted. `None` inside of too many to be looked at.
    fn entries(
        &self,
        address: u32,
        bytes: u32,
        key: TypeId,
        value: Option<TypeId>,
        state: &dyn Stopped,
    ) -> Option<Option<Entries>> {
        const WORDS: u32 = 6;
        let field = |index: u32| word(state, address.checked_add(4 * index)?);
        let (start, capacity, used, count) = (field(2)?, field(3)?, field(4)?, field(5)?);
        let key_size = self.types().size(key)?;
        let value_size = value.map_or(Some(1), |value| self.types().size(value))?;
        let value_at = key_size.next_multiple_of(value_size);
        let values_end = match value {
            Some(_) => value_at + value_size,
            None => key_size,
        };
        let link_at = values_end.next_multiple_of(4);
        let size = (link_at + 4).next_multiple_of(key_size.max(value_size).max(4));
        let room = word(state, start.checked_sub(4)?)?;
        let fits = used <= capacity && count <= used && capacity.checked_mul(size)? <= room;
        if bytes != 4 * WORDS || !fits {
            return None;
        }
        if used > MAX_ENTRIES {
            return Some(None);
        }
        let mut entries = Vec::new();
        for index in 0..used {
            let at = start.checked_add(index * size)?;
            if word(state, at.checked_add(link_at)?)? & 1 == 0 {
                let key = Object::new(key, ValuePlace::memory(FIRST, at, key_size));
                let value = value.map(|ty| {
                    Object::new(ty, ValuePlace::memory(FIRST, at + value_at, value_size))
                });
                entries.push((key, value));
            }
        }
        (entries.len() == count as usize).then_some(Some(entries))
    }

    fn by_table(&self, class: u32, state: &dyn Stopped) -> Option<Collection> {
        let Some(Value::I32(table)) = state.global(self.classes.table?) else {
            return None;
        };
        let table = table as u32;
        if class >= word(state, table)? {
            return None;
        }
        let flags = word(
            state,
            table.checked_add(4)?.checked_add(class.checked_mul(4)?)?,
        )?;
        let value = || flagged_type(flags >> VALUE);
        let key = || flagged_type(flags >> KEY);
        Some(match () {
            () if flags & STATIC_ARRAY != 0 => Collection::Array(Layout::Inline, value()?),
            () if flags & ARRAY != 0 => Collection::Array(Layout::Array, value()?),
            () if flags & VIEW != 0 => Collection::Array(Layout::View, value()?),
            () if flags & MAP != 0 => Collection::Map(key()?, value()?),
            () if flags & SET != 0 => Collection::Set(value()?),
            () => return None,
        })
    }

    fn record(&self, class: u32, address: u32, size: u32) -> Option<Managed<'_>> {
        let class = self
            .classes
            .by_number
            .get(&class)
            .filter(|class| class.size == size)?;
        let child = |field: &Field| {
            let size = self.types().size(field.ty)?;
            let place = ValuePlace::memory(FIRST, address.checked_add(field.offset)?, size);
            Some(Child {
                name: field.name.clone(),
                object: Object::new(field.ty, place),
            })
        };
        let fields = class.fields.iter().filter_map(child).collect();
        Some(Managed::Record {
            class: &class.name,
            whole: self.fill(&class.fields, size),
            fields,
        })
    }

    /// Whether these fields, in their order, and the gaps before aligned ones are all of an object of this size.
    fn fill(&self, fields: &[Field], size: u32) -> bool {
        let end = fields.iter().try_fold(0_u32, |end, field| {
            let width = self.types().size(field.ty)?;
            let is_next = end.checked_next_multiple_of(width)? == field.offset;
            field.offset.checked_add(width).filter(|_| is_next)
        });
        end == Some(size)
    }
}

impl Managed<'_> {
    /// How many children it has.
    pub(crate) fn count(&self) -> u64 {
        match self {
            Managed::Text { .. } | Managed::TooLarge => 0,
            Managed::Elements { count, .. } => *count,
            Managed::Map(entries) => entries.len() as u64,
            Managed::Set(elements) => elements.len() as u64,
            Managed::Record { fields, .. } => fields.len() as u64,
        }
    }

    /// Element `index` of an array.
    pub(crate) fn element(&self, index: i128) -> Option<Object> {
        if let Managed::Set(elements) = self {
            return elements.get(usize::try_from(index).ok()?).cloned();
        }
        let Managed::Elements {
            address,
            count,
            ty,
            size,
        } = self
        else {
            return None;
        };
        let index = u64::try_from(index).ok().filter(|index| index < count)?;
        let offset = u32::try_from(index).ok()?.checked_mul(*size)?;
        Some(Object::new(
            *ty,
            ValuePlace::memory(FIRST, address.checked_add(offset)?, *size),
        ))
    }

    /// The text of a string, of which at most `most` UTF-16 units; `None` of other objects.
    pub(crate) fn text(
        &self,
        most: u32,
        state: &dyn Stopped,
    ) -> Option<Result<String, Unavailable>> {
        let Managed::Text { address, bytes } = self else {
            return None;
        };
        let read = ValuePlace::memory(FIRST, *address, (*bytes).min(2 * most)).read(state);
        let cut = bytes / 2 > most;
        Some(read.map(|read| {
            let units = read.as_chunks::<2>().0.iter();
            let units: Vec<u16> = units.map(|unit| u16::from_le_bytes(*unit)).collect();
            let mut text = String::from_utf16_lossy(&units);
            if cut {
                text.push('…');
            }
            text
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoSources;
    use crate::hand_made::{info, words};

    #[test]
    fn a_set_of_so_many_entries_is_shown() {
        let mut info = info([]);
        info.classes.present = true;
        let class = Class {
            name: "Set<i32>".to_owned(),
            size: 24,
            fields: Vec::new(),
        };
        info.classes.by_number.insert(7, class);
        for (count, shown) in [(MAX_ENTRIES, true), (MAX_ENTRIES + 1, false)] {
            // The pointer, a set at address 32 behind its header, its entries at 64 behind theirs.
            let (set, entries) = (32, 64);
            let mut memory = vec![set, 0, 0, 40, 0, 0, 7, 24];
            memory.extend([0, 0, entries, count, count, count, 0, 8 * count]);
            // A key, and a link that says that the entry is in use.
            memory.extend([5, 0].repeat(count as usize));
            let object = Object::new(TypeId::REFERENCE, ValuePlace::memory(0, 0, 4));
            let text = info.show(&object, &words(memory));
            match shown {
                true => assert!(text.starts_with("{5, 5, 5,"), "{text}"),
                false => assert_eq!(text, "<too large>"),
            }
        }
    }

    /// Offsets are what the code says, whatever that is.
    #[test]
    fn fields_fill_an_object_or_do_not() {
        let info = info([]);
        let field = |offset| Field {
            name: "x".to_owned(),
            offset,
            ty: TypeId::of(ValType::I32),
        };
        assert!(info.fill(&[field(0), field(4)], 8));
        assert!(!info.fill(&[field(0), field(8)], 12));
        assert!(!info.fill(&[field(u32::MAX - 1)], u32::MAX));
    }

    #[test]
    fn so_many_functions_are_looked_at_for_classes() {
        for (count, known, warned) in [
            (MAX_FUNCTIONS, true, &[][..]),
            (MAX_FUNCTIONS + 1, false, &[&Problem::TooLarge]),
        ] {
            // Functions are looked at in the order of their numbers: the constructor comes last.
            let imports = "(import \"a\" \"b\" (func))".repeat(count - 2);
            let text = format!(
                "(module {imports}
                   (func $~lib/rt/__new (param i32 i32) (result i32) unreachable)
                   (func $Point#constructor
                     (drop (call $~lib/rt/__new (i32.const 8) (i32.const 7)))))"
            );
            let info = DebugInfo::load(&wat::parse_str(text).unwrap(), &NoSources).unwrap();
            assert_eq!(info.classes.by_number.contains_key(&7), known);
            let problems = info.warnings().iter().map(|warning| &warning.problem);
            assert_eq!(problems.collect::<Vec<_>>(), warned);
        }
    }
}
