//! Values and function types.

use alloc::vec::Vec;
use core::fmt;

use crate::types::ValType;

/// The bytes of a vector, the lowest lane first.
#[cfg(feature = "simd")]
pub use crate::num::Vector;

/// No vector: without SIMD there is none.
#[cfg(not(feature = "simd"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Vector {}

/// A value of a program: an argument, a result, a local.
///
/// Floats are kept as their bits, so that values compare, hash and travel exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Value {
    /// A 32-bit integer.
    I32(i32),
    /// A 64-bit integer.
    I64(i64),
    /// A 32-bit float, as its bits.
    F32(u32),
    /// A 64-bit float, as its bits.
    F64(u64),
    /// A reference to a function by its index, or null.
    FuncRef(Option<u32>),
    /// A reference to something of the embedder, or null.
    ExternRef(Option<u32>),
    /// A vector of 128 bits.
    V128(Vector),
    /// A reference to an exception, by where the machine keeps it, or null. It means nothing outside of the machine.
    ExnRef(Option<u32>),
}

impl Value {
    /// The type of this value.
    pub fn ty(self) -> ValType {
        match self {
            Value::I32(_) => ValType::I32,
            Value::I64(_) => ValType::I64,
            Value::F32(_) => ValType::F32,
            Value::F64(_) => ValType::F64,
            Value::FuncRef(_) => ValType::FuncRef,
            Value::ExternRef(_) => ValType::ExternRef,
            Value::V128(_) => ValType::V128,
            Value::ExnRef(_) => ValType::ExnRef,
        }
    }

    /// The value a local of this type starts with: zero or null.
    pub fn default_of(ty: ValType) -> Value {
        match ty {
            ValType::I32 => Value::I32(0),
            ValType::I64 => Value::I64(0),
            ValType::F32 => Value::F32(0),
            ValType::F64 => Value::F64(0),
            ValType::FuncRef => Value::FuncRef(None),
            ValType::ExternRef => Value::ExternRef(None),
            ValType::V128 => vector([0; 2]),
            ValType::ExnRef => Value::ExnRef(None),
        }
    }
}

/// Values in the 64-bit cells of the machine: narrow numbers are zero-extended; a reference is its
/// index plus one, null is 0, so that a zeroed local is right for every type.
impl Value {
    /// Its cells; those past [`ValType::cells`] mean nothing.
    pub(crate) fn to_cells(self) -> [u64; 2] {
        #[cfg(feature = "simd")]
        if let Value::V128(bytes) = self {
            let bits = u128::from_le_bytes(bytes);
            return [bits as u64, (bits >> 64) as u64];
        }
        [self.to_cell(), 0]
    }

    /// The value that these cells begin with.
    pub(crate) fn from_cells(ty: ValType, cells: &[u64]) -> Option<Value> {
        Some(match (ty, cells) {
            (ValType::V128, [low, high, ..]) if cfg!(feature = "simd") => vector([*low, *high]),
            (_, [cell, ..]) => Value::from_cell(ty, *cell),
            _ => return None,
        })
    }

    /// The values of these types that lie in cells one behind the other.
    pub(crate) fn all_from_cells(types: &[ValType], cells: &[u64]) -> impl Iterator<Item = Value> {
        let mut at = 0;
        types.iter().map_while(move |ty| {
            let value = Value::from_cells(*ty, cells.get(at..)?);
            at += ty.cells();
            value
        })
    }

    /// Writes values to cells one behind the other, and gives how many cells; nothing if there is no room.
    pub(crate) fn write_all(values: &[Value], room: &mut [u64]) -> Option<usize> {
        let mut at = 0;
        for value in values {
            let count = value.ty().cells();
            let slots = room.get_mut(at..at + count)?;
            slots.copy_from_slice(value.to_cells().get(..count)?);
            at += count;
        }
        Some(at)
    }

    /// The cell of a value that takes one.
    pub(crate) fn to_cell(self) -> u64 {
        match self {
            Value::I32(v) => u64::from(v as u32),
            Value::I64(v) => v as u64,
            Value::F32(bits) => u64::from(bits),
            Value::F64(bits) => bits,
            Value::FuncRef(index) | Value::ExternRef(index) | Value::ExnRef(index) => {
                ref_to_cell(index)
            }
            #[cfg(feature = "simd")]
            Value::V128(_) => self.to_cells()[0],
            #[cfg(not(feature = "simd"))]
            Value::V128(none) => match none {},
        }
    }

    pub(crate) fn from_cell(ty: ValType, cell: u64) -> Value {
        match ty {
            ValType::I32 => Value::I32(cell as u32 as i32),
            ValType::I64 => Value::I64(cell as i64),
            ValType::F32 => Value::F32(cell as u32),
            ValType::F64 => Value::F64(cell),
            ValType::FuncRef => Value::FuncRef(ref_from_cell(cell)),
            ValType::ExternRef => Value::ExternRef(ref_from_cell(cell)),
            ValType::V128 => vector([cell, 0]),
            ValType::ExnRef => Value::ExnRef(ref_from_cell(cell)),
        }
    }
}

/// A vector of these halves, the lower one first.
#[cfg(feature = "simd")]
fn vector(halves: [u64; 2]) -> Value {
    let bits = u128::from(halves[0]) | u128::from(halves[1]) << 64;
    Value::V128(bits.to_le_bytes())
}

/// Not asked for: no module has such a type.
#[cfg(not(feature = "simd"))]
fn vector(halves: [u64; 2]) -> Value {
    Value::I64(halves[0] as i64)
}

pub(crate) fn ref_to_cell(index: Option<u32>) -> u64 {
    index.map_or(0, |index| u64::from(index) + 1)
}

pub(crate) fn ref_from_cell(cell: u64) -> Option<u32> {
    cell.checked_sub(1).map(|index| index as u32)
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Value::I32(v) => write!(f, "{v}"),
            Value::I64(v) => write!(f, "{v}"),
            Value::F32(bits) => write!(f, "{:?}", f32::from_bits(bits)),
            Value::F64(bits) => write!(f, "{:?}", f64::from_bits(bits)),
            Value::FuncRef(Some(i)) => write!(f, "func {i}"),
            Value::ExternRef(Some(i)) => write!(f, "extern {i}"),
            #[cfg(feature = "simd")]
            Value::V128(bytes) => {
                f.write_str("i32x4")?;
                bytes.chunks_exact(4).try_for_each(|lane| {
                    let lane = lane
                        .iter()
                        .rev()
                        .fold(0, |all, byte| all << 8 | u32::from(*byte));
                    write!(f, " {lane:#x}")
                })
            }
            #[cfg(not(feature = "simd"))]
            Value::V128(none) => match none {},
            Value::ExnRef(Some(i)) => write!(f, "exception {i}"),
            Value::FuncRef(None) | Value::ExternRef(None) | Value::ExnRef(None) => {
                f.write_str("null")
            }
        }
    }
}

/// The type of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FuncType {
    /// Types of the arguments.
    pub params: Vec<ValType>,
    /// Types of the results.
    pub results: Vec<ValType>,
}

impl fmt::Display for FuncType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_list(f, &self.params)?;
        f.write_str(" -> ")?;
        write_list(f, &self.results)
    }
}

fn write_list(f: &mut fmt::Formatter<'_>, types: &[ValType]) -> fmt::Result {
    f.write_str("(")?;
    for (i, ty) in types.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{ty}")?;
    }
    f.write_str(")")
}
