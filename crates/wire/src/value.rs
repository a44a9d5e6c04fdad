//! Values as they travel.

use serde::{Deserialize, Serialize};

/// A value of the program.
///
/// A mirror of the VM's type with a format of its own: the wire stays the same when the VM changes. Floats are bits, so
/// that every NaN arrives as it left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Value {
    /// 32-bit integer.
    I32(i32),
    /// 64-bit integer.
    I64(i64),
    /// The bits of a 32-bit float.
    F32(u32),
    /// The bits of a 64-bit float.
    F64(u64),
    /// A function's index, or null.
    FuncRef(Option<u32>),
    /// A reference of the embedder, or null.
    ExternRef(Option<u32>),
}
