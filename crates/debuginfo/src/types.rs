//! Types of the source language, as far as debug information tells.

use std::collections::HashMap;
use std::sync::Arc;

use borges_vm::ValType;

/// A type; what it is, [`crate::DebugInfo`] knows.
///
/// The number is the offset of DWARF's description of the type, which is unique; types that need no
/// description have numbers from the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeId(pub(crate) u32);

impl TypeId {
    /// No type: of functions that return nothing, and of pointers to anything.
    pub(crate) const VOID: TypeId = TypeId(0);
    const BUILT_IN: u32 = u32::MAX - 31;
    const INTEGERS: u32 = Self::BUILT_IN + 8;

    /// The type of a wasm value that the source says nothing about.
    pub(crate) fn of(ty: ValType) -> TypeId {
        TypeId(Self::BUILT_IN + ty as u32)
    }

    /// Memory of 1, 2, 4 or 8 bytes read as an integer.
    pub(crate) fn integer(bytes: u32, signed: bool) -> TypeId {
        TypeId(Self::INTEGERS + 2 * bytes.clamp(1, 8) + u32::from(signed))
    }

    /// A truth value of a language that says nothing else of its types.
    pub(crate) const BOOL: TypeId = TypeId(Self::INTEGERS + 18);
    /// A reference to an object of AssemblyScript.
    pub(crate) const REFERENCE: TypeId = TypeId(Self::INTEGERS + 19);
    /// A byte as a number.
    pub(crate) const BYTE: TypeId = TypeId(Self::INTEGERS + 2);
    /// Rust's `usize` and C's `size_t`.
    pub(crate) const WORD: TypeId = TypeId(Self::INTEGERS + 2 * POINTER_BYTES);

    /// Size and sign of memory that is read as an integer.
    pub(crate) fn as_integer(self) -> Option<(u32, bool)> {
        let number = self.0.checked_sub(Self::INTEGERS)?;
        (2..18)
            .contains(&number)
            .then_some((number / 2, number % 2 == 1))
    }

    /// The wasm type that this stands for.
    pub(crate) fn built_in(self) -> Option<ValType> {
        let types = [
            ValType::I32,
            ValType::I64,
            ValType::F32,
            ValType::F64,
            ValType::FuncRef,
            ValType::ExternRef,
            ValType::V128,
            ValType::ExnRef,
        ];
        let index = self.0.checked_sub(Self::BUILT_IN)?;
        types.into_iter().find(|&ty| ty as u32 == index)
    }
}

/// How a number is to be read from its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Bool,
    Signed,
    Unsigned,
    Float,
    /// C's `char` and its relatives: a small number that is often a letter.
    Letter {
        signed: bool,
    },
    /// A Unicode scalar value.
    Scalar,
}

impl Encoding {
    /// Whether the highest bit makes a number negative.
    pub(crate) const fn is_signed(self) -> bool {
        matches!(self, Encoding::Signed | Encoding::Letter { signed: true })
    }
}

/// A member of a record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: Arc<str>,
    pub(crate) ty: TypeId,
    /// In bytes from the record's start.
    pub(crate) offset: u32,
    /// Of a bit field: its first bit from `offset` on, counted from the least significant, and its
    /// width.
    pub(crate) bits: Option<(u32, u32)>,
    pub(crate) role: Role,
}

impl Field {
    /// The offset of a part that a record finds by computing (a virtual base): no value has it.
    pub(crate) const COMPUTED: u32 = u32::MAX;
}

/// What a member is to its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Written by the programmer.
    Member,
    /// A base class.
    Base,
    /// Made by the compiler, as a pointer to virtual functions.
    Artificial,
}

/// One alternative of a Rust enum.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variant {
    /// Ranges of the discriminant, both ends included; empty for the default.
    pub(crate) values: Vec<(i128, i128)>,
    pub(crate) field: Option<Field>,
}

/// The alternatives of a Rust enum, and the field that tells them apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Variants {
    pub(crate) discriminant: Option<Field>,
    pub(crate) variants: Vec<Variant>,
}

/// What a type is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    Base {
        name: Arc<str>,
        encoding: Encoding,
        size: u32,
    },
    Pointer {
        name: Option<Arc<str>>,
        to: TypeId,
        /// C++'s `&` and `&&`. Rust's references are pointers whose names begin with `&`.
        reference: bool,
    },
    Record {
        name: Arc<str>,
        /// The namespaces and records around it, as `alloc::vec`.
        path: Arc<str>,
        size: u32,
        fields: Vec<Field>,
        /// What its template parameters stand for, if they are types.
        arguments: Vec<TypeId>,
        variants: Option<Variants>,
    },
    Enum {
        name: Arc<str>,
        size: u32,
        signed: bool,
        /// The type that its numbers have, if known.
        underlying: TypeId,
        values: Vec<(i128, Arc<str>)>,
    },
    Array {
        element: TypeId,
        count: Option<u64>,
    },
    Alias {
        name: Arc<str>,
        to: TypeId,
    },
    /// `const` and the like: the same type with another word before it.
    Qualified {
        to: TypeId,
    },
    Function,
}

/// Bytes of pointers into a memory whose addresses have 32 bits, which is what the shapes of libraries' types are known for.
pub(crate) const POINTER_BYTES: u32 = 4;

/// Longest chain of aliases and qualifiers that is followed; a hostile one may go in a circle.
const MAX_ALIASES: usize = 32;

/// All types of a module.
#[derive(Debug, Default)]
pub(crate) struct Types {
    pub(crate) map: HashMap<u32, Type>,
    /// The types that Rust's tables of virtual functions belong to, by the tables' memories and addresses.
    pub(crate) vtables: HashMap<(u32, u32), TypeId>,
    /// Records of C++'s library by what they are an instance of: the name before `<` and the first
    /// argument. Only those that no other record leads to ([`Types::index_nodes`]).
    nodes: HashMap<(&'static str, TypeId), TypeId>,
    /// True if pointers have 64 bits, as into a memory whose addresses have.
    has_far_pointers: bool,
}

/// Templates of libc++ whose instances are found by their first argument only.
const NODES: [&str; 4] = [
    "__tree_node",
    "__hash_node",
    "__list_node",
    "__forward_list_node",
];

impl Types {
    /// Notes the bytes of an address in a unit.
    pub(crate) fn note_addresses(&mut self, bytes: u8) {
        self.has_far_pointers |= bytes == 8;
    }

    /// Bytes of pointers.
    pub(crate) fn pointer_bytes(&self) -> u32 {
        if self.has_far_pointers {
            2 * POINTER_BYTES
        } else {
            POINTER_BYTES
        }
    }

    /// Gives the values of enums the sign that their underlying types have: compilers write the
    /// same bits with or without one.
    pub(crate) fn settle_enums(&mut self) {
        let sign = |types: &Types, id: TypeId| match types.resolve(id) {
            Some(Type::Base { encoding, .. }) => Some(*encoding == Encoding::Signed),
            _ => None,
        };
        let enums = self.map.iter().filter_map(|(&at, ty)| match ty {
            Type::Enum { underlying, .. } => Some((at, sign(self, *underlying)?)),
            _ => None,
        });
        for (at, is_signed) in enums.collect::<Vec<_>>() {
            if let Some(Type::Enum {
                signed,
                size,
                values,
                ..
            }) = self.map.get_mut(&at)
            {
                *signed = is_signed;
                let unused = 128 - 8 * (*size).clamp(1, 16);
                for (value, _) in values {
                    let raw = *value << unused;
                    *value = if is_signed {
                        raw >> unused
                    } else {
                        (raw as u128 >> unused) as i128
                    };
                }
            }
        }
    }

    /// Notes which records are nodes of C++'s trees, tables and lists.
    pub(crate) fn index_nodes(&mut self) {
        for (&at, ty) in &self.map {
            let Type::Record {
                name,
                size: 1..,
                arguments,
                ..
            } = ty
            else {
                continue;
            };
            let stem = name.split('<').next().unwrap_or(name);
            let node = NODES.iter().find(|node| **node == stem);
            if let (Some(node), Some(&held)) = (node, arguments.first()) {
                self.nodes.insert((node, held), TypeId(at));
            }
        }
    }

    /// The instance of a node template of libc++ that holds `held`.
    pub(crate) fn node(&self, template: &'static str, held: TypeId) -> Option<TypeId> {
        self.nodes.get(&(template, held)).copied()
    }

    /// The type without its aliases and qualifiers.
    pub(crate) fn bare(&self, mut id: TypeId) -> TypeId {
        for _ in 0..MAX_ALIASES {
            match self.map.get(&id.0) {
                Some(Type::Alias { to, .. } | Type::Qualified { to }) => id = *to,
                _ => break,
            }
        }
        id
    }

    /// What a type is behind its aliases and qualifiers.
    pub(crate) fn resolve(&self, mut id: TypeId) -> Option<&Type> {
        for _ in 0..MAX_ALIASES {
            match self.map.get(&id.0)? {
                Type::Alias { to, .. } | Type::Qualified { to } => id = *to,
                ty => return Some(ty),
            }
        }
        None
    }

    /// Bytes that a value takes; `None` if unknown or larger than memory.
    pub(crate) fn size(&self, id: TypeId) -> Option<u32> {
        self.size_within(id, MAX_ALIASES)
    }

    fn size_within(&self, id: TypeId, depth: usize) -> Option<u32> {
        let depth = depth.checked_sub(1)?;
        if let Some(ty) = id.built_in() {
            return match ty {
                ValType::I64 | ValType::F64 => Some(8),
                ValType::V128 => Some(16),
                _ => Some(4),
            };
        }
        if let Some((bytes, _)) = id.as_integer() {
            return Some(bytes);
        }
        match id {
            TypeId::BOOL => return Some(1),
            TypeId::REFERENCE => return Some(POINTER_BYTES),
            _ => {}
        }
        match self.resolve(id)? {
            Type::Base { size, .. } | Type::Record { size, .. } | Type::Enum { size, .. } => {
                Some(*size)
            }
            Type::Pointer { .. } => Some(self.pointer_bytes()),
            Type::Array { element, count } => {
                let element = self.size_within(*element, depth)?;
                u32::try_from((*count)?).ok()?.checked_mul(element)
            }
            Type::Alias { .. } | Type::Qualified { .. } | Type::Function => None,
        }
    }

    /// The names of all parts that values have: fields, bases, alternatives; some of them several times.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &str> {
        let records = self.map.values().filter_map(|ty| match ty {
            Type::Record {
                fields, variants, ..
            } => Some((fields, variants)),
            _ => None,
        });
        records.flat_map(|(fields, variants)| {
            let variants = variants.iter().flat_map(|all| &all.variants);
            let alternatives = variants.filter_map(|one| one.field.as_ref());
            fields.iter().chain(alternatives).map(|field| &*field.name)
        })
    }

    /// Whether an enumerator has this name.
    pub(crate) fn has_enumerator(&self, wanted: &str) -> bool {
        self.map.values().any(|ty| match ty {
            Type::Enum { values, .. } => values.iter().any(|(_, name)| **name == *wanted),
            _ => false,
        })
    }

    /// The value of an enumerator, if all that have this name agree.
    pub(crate) fn enumerator(&self, name: &str) -> Option<i128> {
        // Rust's are called by their enum, C's are not.
        let (of, last) = name.rsplit_once("::").unwrap_or(("", name));
        let of = of.rsplit("::").next().unwrap_or(of);
        let mut found = None;
        for ty in self.map.values() {
            let Type::Enum { name, values, .. } = ty else {
                continue;
            };
            if !of.is_empty() && **name != *of {
                continue;
            }
            for (value, _) in values.iter().filter(|(_, known)| **known == *last) {
                if found.is_some_and(|found| found != *value) {
                    return None;
                }
                found = Some(*value);
            }
        }
        found
    }

    /// The type as the source writes it.
    pub(crate) fn name(&self, id: TypeId) -> String {
        self.name_within(id, MAX_ALIASES)
    }

    fn name_within(&self, id: TypeId, depth: usize) -> String {
        if let Some(ty) = id.built_in() {
            return ty.to_string();
        }
        if let Some((bytes, signed)) = id.as_integer() {
            return format!("{}{}", if signed { 'i' } else { 'u' }, 8 * bytes);
        }
        match id {
            TypeId::VOID => return "void".to_owned(),
            TypeId::BOOL => return "bool".to_owned(),
            TypeId::REFERENCE => return "reference".to_owned(),
            _ => {}
        }
        let (Some(ty), Some(depth)) = (self.map.get(&id.0), depth.checked_sub(1)) else {
            return "?".to_owned();
        };
        match ty {
            Type::Base { name, .. }
            | Type::Record { name, .. }
            | Type::Enum { name, .. }
            | Type::Alias { name, .. }
            | Type::Pointer {
                name: Some(name), ..
            } => match name.as_ref() {
                "" => "(anonymous)".to_owned(),
                name => name.to_owned(),
            },
            Type::Pointer {
                name: None,
                to,
                reference,
            } => {
                let to = self.name_within(*to, depth);
                let space = if to.ends_with('*') { "" } else { " " };
                let sign = if *reference { '&' } else { '*' };
                format!("{to}{space}{sign}")
            }
            Type::Array { .. } => {
                // The outermost dimension comes first: `u8[2][3]` holds two arrays of three.
                let (mut counts, mut element, mut left) = (String::new(), id, depth + 1);
                while let (
                    Some(Type::Array {
                        element: inner,
                        count,
                    }),
                    1..,
                ) = (self.map.get(&element.0), left)
                {
                    let count = count.map_or(String::new(), |count| count.to_string());
                    counts.push_str(&format!("[{count}]"));
                    element = *inner;
                    left -= 1;
                }
                format!("{}{counts}", self.name_within(element, left))
            }
            Type::Qualified { to } => self.name_within(*to, depth),
            Type::Function => "function".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand_made::{alias, array, info, pointer, words};
    use crate::place::ValuePlace;
    use crate::variables::Object;

    #[test]
    fn circles_end() {
        let mut types = Types::default();
        types.map.insert(
            1,
            Type::Alias {
                name: "a".into(),
                to: TypeId(2),
            },
        );
        types.map.insert(2, Type::Qualified { to: TypeId(1) });
        types.map.insert(
            3,
            Type::Pointer {
                name: None,
                to: TypeId(3),
                reference: false,
            },
        );
        types.map.insert(
            4,
            Type::Array {
                element: TypeId(4),
                count: Some(2),
            },
        );
        types.map.insert(5, Type::Qualified { to: TypeId(5) });
        assert_eq!(types.resolve(TypeId(1)), None);
        assert_eq!(types.size(TypeId(2)), None);
        assert_eq!(types.size(TypeId(4)), None);
        assert_eq!(types.size(TypeId(3)), Some(4));
        assert!(types.name(TypeId(3)).starts_with("? *"));
        assert_eq!(types.name(TypeId(5)), "?");
    }

    #[test]
    fn huge_arrays_have_no_size() {
        let mut types = Types::default();
        let element = TypeId::of(ValType::I64);
        types.map.insert(
            1,
            Type::Array {
                element,
                count: Some(1 << 29),
            },
        );
        types.map.insert(
            2,
            Type::Array {
                element: TypeId(4),
                count: Some(3),
            },
        );
        types.map.insert(
            4,
            Type::Array {
                element,
                count: Some(2),
            },
        );
        types.map.insert(
            3,
            Type::Array {
                element,
                count: None,
            },
        );
        assert_eq!(types.size(TypeId(1)), None);
        assert_eq!(types.size(TypeId(2)), Some(48));
        assert_eq!(types.size(TypeId(3)), None);
        assert_eq!(types.name(TypeId(2)), "i64[3][2]");
    }

    /// `count` types, each made of the next one's number; the last is made of a word.
    fn chain(count: usize, link: impl Fn(TypeId) -> Type) -> Types {
        let next = (2..).map(TypeId).take(count - 1);
        info(next.chain([TypeId::WORD]).map(link)).no_types
    }

    #[test]
    fn aliases_are_followed_so_far() {
        let to_pointer = |count| {
            let mut types = chain(count, alias);
            types.map.insert(count as u32, pointer(TypeId::VOID));
            types
        };
        for (count, size) in [(MAX_ALIASES, Some(4)), (MAX_ALIASES + 1, None)] {
            let types = to_pointer(count);
            assert_eq!(types.resolve(TypeId(1)).is_some(), size.is_some());
            assert_eq!(types.size(TypeId(1)), size);
            let mut info = info([]);
            info.no_types = types;
            let object = Object::new(TypeId(1), ValuePlace::memory(0, 0, size.unwrap_or(0)));
            let text = if size.is_some() {
                "0x7"
            } else {
                "<its type is not known>"
            };
            assert_eq!(info.show(&object, &words([7])), text);
        }
        // Taking them off needs one step less than looking behind them.
        for (count, last) in [(MAX_ALIASES + 1, true), (MAX_ALIASES + 2, false)] {
            let bare = to_pointer(count).bare(TypeId(1));
            assert_eq!(bare == TypeId(count as u32), last);
        }
    }

    #[test]
    fn types_inside_types_are_named_and_measured_so_far() {
        let array = |element| array(element, 1);
        for (count, size) in [(MAX_ALIASES - 1, Some(4)), (MAX_ALIASES, None)] {
            assert_eq!(chain(count, array).size(TypeId(1)), size);
        }
        for (count, innermost) in [(MAX_ALIASES, "u32"), (MAX_ALIASES + 1, "?")] {
            let stars = "*".repeat(MAX_ALIASES);
            let name = chain(count, pointer).name(TypeId(1));
            assert_eq!(name, format!("{innermost} {stars}"));
            let counts = "[1]".repeat(MAX_ALIASES);
            let name = chain(count, array).name(TypeId(1));
            assert_eq!(name, format!("{innermost}{counts}"));
        }
    }
}
