//! Types and memory made by hand, for tests of what no compiler writes.

use borges_vm::Value;

use crate::module::ModuleIndex;
use crate::types::{Encoding, Field, Role, Type, TypeId};
use crate::warning::Warnings;
use crate::{DebugInfo, NoSources, Stopped};

/// Only memory, from address 0 on.
pub(crate) struct Memory(pub(crate) Vec<u8>);

impl Stopped for Memory {
    fn local(&self, _frame: u32, _index: u32) -> Option<Value> {
        None
    }
    fn operand(&self, _frame: u32, _index: u32) -> Option<Value> {
        None
    }
    fn global(&self, _index: u32) -> Option<Value> {
        None
    }
    fn memory(&self, _memory: u32, address: u32, buffer: &mut [u8]) -> bool {
        let start = address as usize;
        let bytes = self.0.get(start..start.saturating_add(buffer.len()));
        if let Some(bytes) = bytes {
            buffer.copy_from_slice(bytes);
        }
        bytes.is_some()
    }
}

/// Memory that holds these words.
pub(crate) fn words(words: impl IntoIterator<Item = u32>) -> Memory {
    Memory(words.into_iter().flat_map(u32::to_le_bytes).collect())
}

/// A program without code that has these types, numbered from 1.
pub(crate) fn info(types: impl IntoIterator<Item = Type>) -> DebugInfo {
    let mut info = DebugInfo::load(b"\0asm\x01\0\0\0", &NoSources).unwrap();
    info.no_types.map = (1..).zip(types).collect();
    info.no_types.index_nodes();
    info
}

/// A module of one function with this code.
pub(crate) fn module(code: &str) -> ModuleIndex {
    module_of(&format!("(module (func {code}))"))
}

pub(crate) fn module_of(text: &str) -> ModuleIndex {
    let wasm = wat::parse_str(text).unwrap();
    ModuleIndex::read(&wasm, &mut Warnings::default()).unwrap()
}

/// C's `char`.
pub(crate) fn letter() -> Type {
    Type::Base {
        name: "char".into(),
        encoding: Encoding::Letter { signed: true },
        size: 1,
    }
}

pub(crate) fn array(element: TypeId, count: u64) -> Type {
    let count = Some(count);
    Type::Array { element, count }
}

pub(crate) fn pointer(to: TypeId) -> Type {
    Type::Pointer {
        name: None,
        to,
        reference: false,
    }
}

pub(crate) fn alias(to: TypeId) -> Type {
    let name = "alias".into();
    Type::Alias { name, to }
}

pub(crate) fn field(name: &str, ty: TypeId, offset: u32) -> Field {
    Field {
        name: name.into(),
        ty,
        offset,
        bits: None,
        role: Role::Member,
    }
}

pub(crate) fn base(ty: TypeId, offset: u32) -> Field {
    let role = Role::Base;
    Field {
        role,
        ..field("", ty, offset)
    }
}

/// A record that lies in `path`.
pub(crate) fn record(path: &str, name: &str, size: u32, fields: Vec<Field>) -> Type {
    Type::Record {
        name: name.into(),
        path: path.into(),
        size,
        fields,
        arguments: Vec::new(),
        variants: None,
    }
}

/// The record, as the instance of its template for these types.
pub(crate) fn of_types(record: Type, types: &[TypeId]) -> Type {
    match record {
        Type::Record {
            name,
            path,
            size,
            fields,
            variants,
            ..
        } => Type::Record {
            name,
            path,
            size,
            fields,
            arguments: types.to_vec(),
            variants,
        },
        other => other,
    }
}

/// `count` records around each other: the first holds the second, and the last a word. Each is called
/// `name`, lies in `path` and has its one field from what `field` makes of the type that it holds.
pub(crate) fn nested(
    count: u32,
    path: &str,
    name: &str,
    field: impl Fn(TypeId) -> Field,
) -> Vec<Type> {
    let inner = |number| match number == count {
        true => TypeId::WORD,
        false => TypeId(number + 1),
    };
    let records = (1..=count).map(|number| record(path, name, 4, vec![field(inner(number))]));
    records.collect()
}
