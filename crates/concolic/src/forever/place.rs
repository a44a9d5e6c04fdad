//! What a state consists of.

use borges_board::PrimitiveId;
use borges_vm::Value;
use serde::{Deserialize, Serialize};

use crate::dag::Expr;
use crate::explore::State as Path;
use crate::memory::Byte;

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

impl Place {
    /// The place itself, or the first byte of what it is a byte of.
    pub(super) fn word(&self) -> Place {
        match self {
            Place::Byte(at, number) => Place::Byte(at.wrapping_sub(u32::from(*number)), 0),
            place => place.clone(),
        }
    }

    /// Whether it is one of the machine's.
    pub(super) fn is_of_machine(&self) -> bool {
        matches!(self, Place::Cell(_) | Place::Global(_) | Place::Byte(..))
    }

    /// Puts an expression there, on a path that begins.
    pub(super) fn put_on(&self, path: &mut Path, expr: Expr) {
        match self {
            Place::Cell(at) => path.shadow.set_cell(*at as usize, expr),
            Place::Global(at) => path.shadow.set_global(*at, expr),
            Place::Byte(at, number) => {
                let byte = Byte {
                    value: expr,
                    number: *number,
                };
                path.shadow.memory.set(u64::from(*at), Some(byte));
            }
            Place::Reading(id, args) => path.outside.readings.push((*id, args.clone(), expr)),
            Place::Level(pin) => path.outside.levels.push((*pin, expr)),
        }
    }
}
