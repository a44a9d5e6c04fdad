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
use crate::module::ModuleIndex;
use crate::parts::{Child, Number};
use crate::place::{Place, State};
use crate::types::TypeId;
use crate::variables::Object;

/// Bytes of the header before an object: block size, two of the collector's, class number, size.
const HEADER_BYTES: u32 = 20;

/// The class number of strings.
const STRING: u32 = 2;

/// Flags of the table of classes.
const VIEW: u32 = 1 << 0;
const ARRAY: u32 = 1 << 1;
const STATIC_ARRAY: u32 = 1 << 2;
const SIGNED: u32 = 1 << 11;
const FLOAT: u32 = 1 << 12;

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
    Record {
        class: &'a str,
        fields: Vec<Child>,
    },
}

impl Classes {
    pub(crate) fn read(module: &ModuleIndex) -> Classes {
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
        (false, 4) => TypeId::of(ValType::I32),
        (false, 8) => TypeId::of(ValType::I64),
        (false, size) => TypeId::integer(size, signed),
    }
}

/// Layout and element type of an array class, by its name.
fn array_of(class: &str) -> Option<(Layout, TypeId)> {
    let number = |name: &str| {
        Some(match name {
            "i8" | "Int8" => number_type(1, true, false),
            "u8" | "bool" | "Uint8" | "Uint8Clamped" => number_type(1, false, false),
            "i16" | "Int16" => number_type(2, true, false),
            "u16" | "Uint16" => number_type(2, false, false),
            "i32" | "u32" | "isize" | "usize" | "Int32" | "Uint32" => number_type(4, true, false),
            "i64" | "u64" | "Int64" | "Uint64" => number_type(8, true, false),
            "f32" | "Float32" => number_type(4, true, true),
            "f64" | "Float64" => number_type(8, true, true),
            _ => return None,
        })
    };
    if let Some((kind, rest)) = class.split_once('<') {
        let layout = match kind {
            "Array" => Layout::Array,
            "StaticArray" => Layout::Inline,
            _ => return None,
        };
        let element = rest.strip_suffix('>')?;
        // Elements of other types are references.
        return Some((layout, number(element).unwrap_or(TypeId::of(ValType::I32))));
    }
    Some((Layout::View, number(class.strip_suffix("Array")?)?))
}

fn word(state: &dyn State, address: u32) -> Option<u32> {
    let mut bytes = [0; 4];
    state
        .memory(address, &mut bytes)
        .then_some(u32::from_le_bytes(bytes))
}

impl DebugInfo {
    /// The object that a value points to, if it is an `i32` that can be nothing else.
    pub(crate) fn managed(&self, object: &Object, state: &dyn State) -> Option<Managed<'_>> {
        if !self.classes.present || object.ty.built_in() != Some(ValType::I32) {
            return None;
        }
        let Ok(Some(Number::Int(address))) = self.number(object, state) else {
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
        if !fits || !state.memory(address.checked_add(size)?.checked_sub(1)?, &mut [0]) {
            return None;
        }
        if class == STRING {
            return size.is_multiple_of(2).then_some(Managed::Text {
                address,
                bytes: size,
            });
        }
        self.elements(class, address, size, state)
            .or_else(|| self.record(class, address, size))
    }

    /// An array, by the table of classes or, if the program has none, by its class's name.
    fn elements(
        &self,
        class: u32,
        address: u32,
        bytes: u32,
        state: &dyn State,
    ) -> Option<Managed<'_>> {
        let (layout, ty) = self.by_table(class, state).or_else(|| {
            let class = self.classes.by_number.get(&class)?;
            array_of(&class.name)
        })?;
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

    fn by_table(&self, class: u32, state: &dyn State) -> Option<(Layout, TypeId)> {
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
        let layout = match () {
            () if flags & STATIC_ARRAY != 0 => Layout::Inline,
            () if flags & ARRAY != 0 => Layout::Array,
            () if flags & VIEW != 0 => Layout::View,
            () => return None,
        };
        // Bits 6 to 10: the element's size as a power of two, one bit each.
        let power = (flags >> 6 & 0x1f).checked_ilog2();
        let size = 1 << power.filter(|&power| power <= 3)?;
        Some((
            layout,
            number_type(size, flags & SIGNED != 0, flags & FLOAT != 0),
        ))
    }

    fn record(&self, class: u32, address: u32, size: u32) -> Option<Managed<'_>> {
        let class = self
            .classes
            .by_number
            .get(&class)
            .filter(|class| class.size == size)?;
        let child = |field: &Field| {
            let size = self.types().size(field.ty)?;
            let place = Place::memory(address.checked_add(field.offset)?, size);
            Some(Child {
                name: field.name.clone(),
                object: Object::new(field.ty, place),
            })
        };
        let fields = class.fields.iter().filter_map(child).collect();
        Some(Managed::Record {
            class: &class.name,
            fields,
        })
    }
}

impl Managed<'_> {
    /// How many children it has.
    pub(crate) fn count(&self) -> u64 {
        match self {
            Managed::Text { .. } => 0,
            Managed::Elements { count, .. } => *count,
            Managed::Record { fields, .. } => fields.len() as u64,
        }
    }

    /// Element `index` of an array.
    pub(crate) fn element(&self, index: i128) -> Option<Object> {
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
            Place::memory(address.checked_add(offset)?, *size),
        ))
    }

    /// The text of a string of at most `most` UTF-16 units; `None` of other objects.
    pub(crate) fn text(&self, most: u32, state: &dyn State) -> Option<String> {
        let Managed::Text { address, bytes } = self else {
            return None;
        };
        let cut = bytes / 2 > most;
        let read = Place::memory(*address, (*bytes).min(2 * most))
            .read(state)
            .ok()?;
        let units: Vec<u16> = read
            .as_chunks::<2>()
            .0
            .iter()
            .map(|unit| u16::from_le_bytes(*unit))
            .collect();
        let mut text = String::from_utf16_lossy(&units);
        if cut {
            text.push('…');
        }
        Some(text)
    }
}
