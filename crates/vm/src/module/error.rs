//! Why a module cannot be loaded.

use thiserror::Error;

use crate::CodeOffset;
use crate::ValType;
use crate::binary::{Malformed, MalformedKind};
use crate::limits::LimitExceeded;

/// Where and why a module cannot be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{cause} (at byte {offset} of the module)")]
pub struct LoadError {
    /// Where, from the start of the module.
    pub offset: CodeOffset,
    /// Why.
    pub cause: LoadCause,
}

/// Why a module cannot be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LoadCause {
    /// The bytes are not in the binary format.
    #[error("malformed module: {0}")]
    Malformed(MalformedKind),
    /// The module breaks a rule of the standard.
    #[error("invalid module: {0}")]
    Invalid(InvalidKind),
    /// The module is larger than this machine allows.
    #[error("module too large: {0}")]
    Limit(LimitExceeded),
}

impl From<Malformed> for LoadError {
    fn from(malformed: Malformed) -> Self {
        let cause = match malformed.kind {
            MalformedKind::SelectArity => LoadCause::Invalid(InvalidKind::SelectArity),
            kind => LoadCause::Malformed(kind),
        };
        LoadError {
            offset: malformed.offset,
            cause,
        }
    }
}

impl LoadCause {
    pub(crate) fn at(self, at: usize) -> LoadError {
        LoadError {
            offset: CodeOffset(at as u32),
            cause: self,
        }
    }
}

impl From<InvalidKind> for LoadCause {
    fn from(kind: InvalidKind) -> Self {
        LoadCause::Invalid(kind)
    }
}

impl LoadError {
    pub(crate) fn invalid(at: usize, kind: InvalidKind) -> LoadError {
        LoadError {
            offset: CodeOffset(at as u32),
            cause: LoadCause::Invalid(kind),
        }
    }

    pub(crate) fn limit(at: usize, limit: LimitExceeded) -> LoadError {
        LoadError {
            offset: CodeOffset(at as u32),
            cause: LoadCause::Limit(limit),
        }
    }
}

/// The rule of the standard that a module breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum InvalidKind {
    /// An operand has another type than the instruction takes.
    #[error("type mismatch: expected {expected}, found {found}")]
    TypeMismatch {
        /// What the instruction takes.
        expected: ValType,
        /// What is there.
        found: ValType,
    },
    /// An operand is missing.
    #[error("type mismatch: an operand is missing")]
    OperandMissing,
    /// More operands than the block gives are left at its end.
    #[error("type mismatch: values remaining on stack at end of block")]
    OperandsLeft,
    /// A reference is expected and a number found, or the other way round.
    #[error("type mismatch: number and reference")]
    NumberOrReference,
    /// An `if` without `else` that takes other types than it gives.
    #[error("type mismatch: if without else must give what it takes")]
    IfWithoutElse,
    /// A `select` with types that has not exactly one.
    #[error("invalid result arity")]
    SelectArity,
    /// `else` without `if`.
    #[error("else without if")]
    ElseWithoutIf,
    /// Code after the function's last `end`.
    #[error("operators remaining after end of function")]
    CodeAfterEnd,
    /// A tail call of a function that does not give what the calling one gives.
    #[error("type mismatch: a tail call must give what the function gives")]
    TailCallResults,
    /// The labels of a `br_table` take different numbers of values.
    #[error("type mismatch: labels of br_table differ")]
    LabelsDiffer,
    /// No such type.
    #[error("unknown type {0}")]
    UnknownType(u32),
    /// No such function.
    #[error("unknown function {0}")]
    UnknownFunc(u32),
    /// No such table.
    #[error("unknown table {0}")]
    UnknownTable(u32),
    /// No such memory.
    #[error("unknown memory {0}")]
    UnknownMemory(u32),
    /// No such global.
    #[error("unknown global {0}")]
    UnknownGlobal(u32),
    /// No such local.
    #[error("unknown local {0}")]
    UnknownLocal(u32),
    /// No such label.
    #[error("unknown label {0}")]
    UnknownLabel(u32),
    /// No such element segment.
    #[error("unknown elem segment {0}")]
    UnknownElement(u32),
    /// No such data segment.
    #[error("unknown data segment {0}")]
    UnknownData(u32),
    /// No such tag.
    #[cfg(feature = "exceptions")]
    #[error("unknown tag {0}")]
    UnknownTag(u32),
    /// A tag whose type has results.
    #[cfg(feature = "exceptions")]
    #[error("non-empty tag result type")]
    TagResults,
    /// A clause of a `try_table` whose label takes something else.
    #[cfg(feature = "exceptions")]
    #[error("type mismatch: a catch clause must give what its label takes")]
    CatchLabel,
    /// A `catch` or `catch_all` that does not follow a `try` or a `catch`.
    #[cfg(feature = "exceptions")]
    #[error("catch without try")]
    CatchWithoutTry,
    /// A `delegate` that does not follow a `try`.
    #[cfg(feature = "exceptions")]
    #[error("delegate without try")]
    DelegateWithoutTry,
    /// The label of a `rethrow` is no block that caught something.
    #[cfg(feature = "exceptions")]
    #[error("invalid rethrow label")]
    RethrowLabel,
    /// A constant is set.
    #[error("global is immutable")]
    ImmutableGlobal,
    /// `ref.func` of a function that no segment, export or global mentions.
    #[error("undeclared function reference")]
    UndeclaredFunc,
    /// More alignment than the access is wide.
    #[error("alignment must not be larger than natural")]
    Alignment,
    /// An offset of more than 32 bits in a memory whose addresses have no more.
    #[error("offset out of range")]
    Offset,
    /// A lane that the vector does not have.
    #[error("invalid lane index")]
    Lane,
    /// More than one memory, where the machine was built without.
    #[cfg(not(feature = "memories"))]
    #[error("multiple memories")]
    MultipleMemories,
    /// More pages than 4 GiB.
    #[error("memory size must be at most 65536 pages (4 GiB)")]
    MemorySize,
    /// The minimum is above the maximum.
    #[error("size minimum must not be greater than maximum")]
    MinAboveMax,
    /// Two exports of one name.
    #[error("duplicate export name")]
    DuplicateExport,
    /// The start function takes or gives something.
    #[error("start function must take and give nothing")]
    StartFunction,
    /// An instruction that is not constant where a constant is needed.
    #[error("constant expression required")]
    NotConstant,
}
