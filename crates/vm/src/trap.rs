//! Why a program ends early.

use crate::num::NumTrap;
use thiserror::Error;

/// Why a program was aborted. The trapping instruction is not counted as a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Trap {
    /// The program executed `unreachable`.
    #[error("unreachable executed")]
    Unreachable,
    /// Integer division or remainder by zero.
    #[error("integer divide by zero")]
    DivideByZero,
    /// An integer result does not fit its type.
    #[error("integer overflow")]
    IntegerOverflow,
    /// A NaN was converted to an integer.
    #[error("invalid conversion to integer")]
    InvalidConversion,
    /// An access outside the memory.
    #[error("out of bounds memory access")]
    MemoryOutOfBounds,
    /// An access inside the memory but beyond the bytes that this machine really has
    /// ([`Limits::memory_bytes`](crate::Limits::memory_bytes)).
    #[error("memory access beyond the bytes that the device has")]
    MemoryNotBacked,
    /// An access outside a table.
    #[error("out of bounds table access")]
    TableOutOfBounds,
    /// `call_indirect` with an index outside the table.
    #[error("undefined element")]
    UndefinedElement,
    /// `call_indirect` of a null reference.
    #[error("uninitialized element")]
    UninitializedElement,
    /// `call_indirect` of a function of another type.
    #[error("indirect call type mismatch")]
    IndirectCallType,
    /// More frames or stack cells than the limits allow.
    #[error("call stack exhausted")]
    StackOverflow,
    /// The embedder refused a call.
    #[error("aborted by the host")]
    Host,
    /// An exception was thrown that nothing on the stack catches.
    #[cfg(feature = "exceptions")]
    #[error("an exception that nobody catches")]
    UncaughtException,
    /// `throw_ref` of a null reference.
    #[cfg(feature = "exceptions")]
    #[error("null exception reference")]
    NullException,
    /// References to more exceptions than [`Limits::exception_cells`](crate::Limits::exception_cells) allows.
    #[cfg(feature = "exceptions")]
    #[error("too many exceptions are referred to")]
    TooManyExceptions,
}

impl From<NumTrap> for Trap {
    fn from(trap: NumTrap) -> Self {
        match trap {
            NumTrap::DivideByZero => Trap::DivideByZero,
            NumTrap::Overflow => Trap::IntegerOverflow,
            NumTrap::InvalidConversion => Trap::InvalidConversion,
        }
    }
}

impl Trap {
    /// All of them; a saved state names one by its place here.
    pub const ALL: &'static [Trap] = &[
        Trap::Unreachable,
        Trap::DivideByZero,
        Trap::IntegerOverflow,
        Trap::InvalidConversion,
        Trap::MemoryOutOfBounds,
        Trap::MemoryNotBacked,
        Trap::TableOutOfBounds,
        Trap::UndefinedElement,
        Trap::UninitializedElement,
        Trap::IndirectCallType,
        Trap::StackOverflow,
        Trap::Host,
        #[cfg(feature = "exceptions")]
        Trap::UncaughtException,
        #[cfg(feature = "exceptions")]
        Trap::NullException,
        #[cfg(feature = "exceptions")]
        Trap::TooManyExceptions,
    ];
}
