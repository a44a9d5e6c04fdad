//! Types as expressions name them.

use borges_vm::ValType;

use crate::DebugInfo;
use crate::types::{Encoding, Type, TypeId};

/// A type in a cast or behind `sizeof`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TypeName {
    /// Without pointers and qualifiers: `u8`, `unsigned char`, `Parser`.
    pub(super) name: String,
    /// How many pointers are around it.
    pub(super) pointers: u32,
    /// It cannot be the name of a variable.
    pub(super) certain: bool,
}

impl std::fmt::Display for TypeName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)?;
        (0..self.pointers).try_for_each(|_| f.write_str("*"))
    }
}

/// Words that say nothing about a type's layout.
pub(super) const QUALIFIERS: [&str; 7] = [
    "const", "volatile", "mut", "struct", "enum", "union", "class",
];

/// Words that C strings together.
pub(super) const C_WORDS: [&str; 8] = [
    "unsigned", "signed", "long", "short", "int", "char", "double", "float",
];

/// Types that every expression knows, as 32-bit targets have them: bytes, and how they are read.
const BUILT_IN: [(&str, u32, NumberAt); 34] = {
    use NumberAt::{Float, Signed, Unsigned};
    [
        ("u8", 1, Unsigned),
        ("i8", 1, Signed),
        ("u16", 2, Unsigned),
        ("i16", 2, Signed),
        ("u32", 4, Unsigned),
        ("i32", 4, Signed),
        ("u64", 8, Unsigned),
        ("i64", 8, Signed),
        ("usize", 4, Unsigned),
        ("isize", 4, Signed),
        ("f32", 4, Float),
        ("f64", 8, Float),
        ("float", 4, Float),
        ("double", 8, Float),
        ("char", 1, Signed),
        ("signed char", 1, Signed),
        ("unsigned char", 1, Unsigned),
        ("short", 2, Signed),
        ("unsigned short", 2, Unsigned),
        ("int", 4, Signed),
        ("signed", 4, Signed),
        ("unsigned", 4, Unsigned),
        ("unsigned int", 4, Unsigned),
        ("long", 4, Signed),
        ("unsigned long", 4, Unsigned),
        ("long long", 8, Signed),
        ("unsigned long long", 8, Unsigned),
        ("int8_t", 1, Signed),
        ("uint8_t", 1, Unsigned),
        ("int16_t", 2, Signed),
        ("uint16_t", 2, Unsigned),
        ("int32_t", 4, Signed),
        ("uint32_t", 4, Unsigned),
        ("size_t", 4, Unsigned),
    ]
};

#[derive(Clone, Copy)]
enum NumberAt {
    Signed,
    Unsigned,
    Float,
}

/// True of names that every expression knows.
pub(super) fn is_built_in(name: &str) -> bool {
    BUILT_IN.iter().any(|(known, ..)| *known == name)
}

impl DebugInfo {
    /// The type of this name: of the program, else one that every expression knows. Pointers around
    /// it are not looked at.
    pub(super) fn type_named(&self, name: &str) -> Option<TypeId> {
        self.program_type(name).or_else(|| {
            let &(_, bytes, reading) = BUILT_IN.iter().find(|(known, ..)| *known == name)?;
            Some(match (reading, bytes) {
                (NumberAt::Float, 4) => TypeId::of(ValType::F32),
                (NumberAt::Float, _) => TypeId::of(ValType::F64),
                (NumberAt::Signed, bytes) => TypeId::integer(bytes, true),
                (NumberAt::Unsigned, bytes) => TypeId::integer(bytes, false),
            })
        })
    }

    /// The program's type of this name; one with a size before one that is only mentioned.
    fn program_type(&self, name: &str) -> Option<TypeId> {
        let last = name.rsplit("::").next().unwrap_or(name);
        let found = |name: &str| {
            let ids = self
                .types()
                .map
                .iter()
                .filter(|(_, ty)| name_of(ty) == Some(name));
            // The map has no order: the first description counts, in every process.
            ids.map(|(id, _)| TypeId(*id))
                .min_by_key(|id| (self.types().size(*id).unwrap_or(0) == 0, id.0))
        };
        found(name).or_else(|| (last != name).then(|| found(last))?)
    }

    /// True of integers, truth values, letters and enums: types that a cast makes of a number's bytes.
    pub(super) fn is_number(&self, ty: TypeId) -> bool {
        match self.types().resolve(ty) {
            Some(Type::Base { size, .. } | Type::Enum { size, .. }) => *size > 0,
            Some(Type::Pointer { .. }) => true,
            Some(_) => false,
            None => ty.as_integer().is_some() || ty.built_in().is_some(),
        }
    }

    pub(super) fn is_float(&self, ty: TypeId) -> bool {
        match self.types().resolve(ty) {
            Some(Type::Base { encoding, .. }) => *encoding == Encoding::Float,
            _ => matches!(ty.built_in(), Some(ValType::F32 | ValType::F64)),
        }
    }

    /// The number of an integer type that is nearest to `value`.
    pub(super) fn nearest(&self, ty: TypeId, value: i128, size: u32) -> i128 {
        let signed = self
            .encoding(ty)
            .is_some_and(|(encoding, _)| encoding.is_signed());
        let bits = (8 * size).min(126);
        match signed {
            true => value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            false => value.clamp(0, (1 << bits) - 1),
        }
    }

    /// The names of the program's types, for who mistyped one.
    pub(super) fn type_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.types().map.values().filter_map(name_of).collect();
        names.sort_unstable();
        names
    }
}

fn name_of(ty: &Type) -> Option<&str> {
    match ty {
        Type::Base { name, .. }
        | Type::Record { name, .. }
        | Type::Enum { name, .. }
        | Type::Alias { name, .. } => Some(name),
        _ => None,
    }
}
