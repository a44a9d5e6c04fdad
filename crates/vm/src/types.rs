//! Types of values.

#[cfg(borges_fast)]
use alloc::borrow::Cow;

/// Where something is in a memory or a table, or how much of it: as many bits as the widest here have.
#[cfg(feature = "memory64")]
pub type Offset = u64;
/// Where something is in a memory or a table, or how much of it.
#[cfg(not(feature = "memory64"))]
pub type Offset = u32;

/// Cells of values of these types.
pub(crate) fn cells_of(types: &[ValType]) -> usize {
    if cfg!(not(feature = "simd")) {
        return types.len();
    }
    types.iter().map(|ty| ty.cells()).sum()
}

/// The type of each cell of such values, by what they are the cells of.
pub(crate) fn each_cell(types: &[ValType]) -> impl Iterator<Item = &ValType> {
    #[cfg(not(feature = "simd"))]
    return types.iter();
    #[cfg(feature = "simd")]
    types
        .iter()
        .flat_map(|ty| core::iter::repeat_n(ty, ty.cells()))
}

/// The types of the cells of such values: a vector is two halves.
#[cfg(borges_fast)]
pub(crate) fn in_cells(types: &[ValType]) -> Cow<'_, [ValType]> {
    if cfg!(not(feature = "simd")) || cells_of(types) == types.len() {
        return Cow::Borrowed(types);
    }
    let cells = types.iter().flat_map(|ty| match ty {
        ValType::V128 => core::iter::repeat_n(ValType::I64, 2),
        ty => core::iter::repeat_n(*ty, 1),
    });
    Cow::Owned(cells.collect())
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ValType {
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
    /// Reference to a function, or null.
    FuncRef,
    /// Reference to something of the embedder, or null.
    ExternRef,
    /// Vector of 128 bits.
    V128,
    /// Reference to an exception, or null.
    ExnRef,
}

impl ValType {
    /// True of references to functions, to things of the embedder and to exceptions.
    pub const fn is_reference(self) -> bool {
        matches!(
            self,
            ValType::FuncRef | ValType::ExternRef | ValType::ExnRef
        )
    }

    /// Cells that a value takes: a vector two, the lower half first.
    pub const fn cells(self) -> usize {
        if cfg!(feature = "simd") && matches!(self, ValType::V128) {
            2
        } else {
            1
        }
    }

    /// True if `cell` is how the machine keeps a value of this type: narrow numbers zero-extended,
    /// references as null or an index.
    pub(crate) const fn fits(self, cell: u64) -> bool {
        match self {
            ValType::I64 | ValType::F64 | ValType::V128 => true,
            ValType::I32 | ValType::F32 => cell >> 32 == 0,
            ValType::FuncRef | ValType::ExternRef | ValType::ExnRef => cell <= 1 << 32,
        }
    }
}

impl core::fmt::Display for ValType {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            ValType::I32 => "i32",
            ValType::I64 => "i64",
            ValType::F32 => "f32",
            ValType::F64 => "f64",
            ValType::FuncRef => "funcref",
            ValType::ExternRef => "externref",
            ValType::V128 => "v128",
            ValType::ExnRef => "exnref",
        })
    }
}
