//! What a state consists of.

use borges_board::PrimitiveId;
use borges_vm::Value;
use serde::{Deserialize, Serialize};

/// A call before which a program stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct NextCall {
    pub(super) primitive: PrimitiveId,
    pub(super) args: Vec<Value>,
    pub(super) is_input: bool,
}

/// Something that a state consists of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Place {
    /// A cell of the stack.
    Cell(u32),
    /// A global.
    Global(u32),
    /// A byte of the memory: which of its expression's.
    Byte(u32, u8),
    /// The last answer of an input that the board's rules may be about.
    Reading(PrimitiveId, Vec<Value>),
    /// The level of a pin that they may be about.
    Level(u8),
}
