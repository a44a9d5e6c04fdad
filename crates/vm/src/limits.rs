//! Limits of modules and machines, in units of the machine: never a matter of how much memory the
//! host happens to have, so that a program meets them at the same step everywhere.

use thiserror::Error;

/// What a module may have and a machine may use.
///
/// Two machines that replay each other's runs must have equal limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a module.
    pub module_bytes: u32,
    /// Types of a module; also its tags.
    pub types: u32,
    /// Parameters, and results, of a function type.
    pub arity: u32,
    /// Imports, and exports, of a module.
    pub externs: u32,
    /// Functions of a module, imported ones included.
    pub functions: u32,
    /// Locals of a function, parameters included.
    pub locals: u32,
    /// Values on the operand stack of a function, or of a constant expression.
    pub operands: u32,
    /// Globals of a module.
    pub globals: u32,
    /// Tables of a module.
    pub tables: u32,
    /// Segments of a module, data and elements each; also its custom sections.
    pub segments: u32,
    /// Blocks within each other in a function.
    pub nesting: u32,
    /// Elements of a table: growing past it fails, as the standard allows.
    pub table_elements: u32,
    /// Memories of a module.
    pub memories: u32,
    /// Pages (64 KiB each) of a memory, and of all memories of a machine together: growing past it fails, as the standard
    /// allows.
    pub memory_pages: u32,
    /// Bytes of a memory that really exist, if the machine has less than whole pages. An access
    /// beyond is the trap [`Trap::MemoryNotBacked`](crate::Trap::MemoryNotBacked), here and on
    /// every machine that replays the run.
    pub memory_bytes: u64,
    /// 64-bit cells for locals and operands of all frames.
    pub stack_slots: u32,
    /// Frames within each other.
    pub call_depth: u32,
    /// 64-bit cells for the exceptions that a program has references to: one for the tag of each, and those of its
    /// values. Equal exceptions are one. One more is the trap
    /// [`Trap::TooManyExceptions`](crate::Trap::TooManyExceptions).
    pub exception_cells: u32,
    /// Bytes of code that functions are compiled to, at most, and as much again for compiling: functions
    /// that do not fit run slower. No program can tell, so this one need not be equal anywhere.
    pub code_bytes: u32,
}

impl Limits {
    /// For a host: what compilers and people produce fits.
    pub const fn host() -> Limits {
        Limits {
            module_bytes: 64 << 20,
            types: 1 << 20,
            arity: 1000,
            externs: 100_000,
            functions: 1_000_000,
            locals: 50_000,
            operands: 60_000,
            globals: 1_000_000,
            tables: 100,
            segments: 100_000,
            nesting: 10_000,
            table_elements: 10_000_000,
            memories: 100,
            memory_pages: 1024,
            memory_bytes: u64::MAX,
            stack_slots: 1 << 16,
            call_depth: 4096,
            exception_cells: 1 << 13,
            code_bytes: 64 << 20,
        }
    }

    /// For a microcontroller.
    pub const fn small() -> Limits {
        Limits {
            module_bytes: 256 << 10,
            types: 256,
            arity: 32,
            externs: 256,
            functions: 2048,
            locals: 1024,
            operands: 1024,
            globals: 512,
            tables: 4,
            segments: 512,
            nesting: 256,
            table_elements: 1024,
            memories: 4,
            memory_pages: 1,
            memory_bytes: u64::MAX,
            stack_slots: 1024,
            call_depth: 64,
            exception_cells: 64,
            code_bytes: 16 << 10,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits::host()
    }
}

/// A limit was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{wanted} {what}, but the limit is {limit}")]
pub struct LimitExceeded {
    /// Of what, in the plural.
    pub what: &'static str,
    /// How many the program wants.
    pub wanted: u64,
    /// How many it may have.
    pub limit: u64,
}

/// Checks one limit.
pub(crate) fn within(what: &'static str, wanted: u64, limit: u64) -> Result<(), LimitExceeded> {
    if wanted <= limit {
        Ok(())
    } else {
        Err(LimitExceeded {
            what,
            wanted,
            limit,
        })
    }
}
