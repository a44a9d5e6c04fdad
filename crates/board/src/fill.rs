//! Inputs that put bytes into the program's memory: what a bus, a UART or a network received.

use crate::Codomain;

/// Where an input puts bytes, and which.
#[derive(Clone, Debug, PartialEq)]
pub struct Fills {
    /// Position of the argument that is the address.
    pub address: u8,
    /// How many bytes there are.
    pub length: FillLength,
    /// What each byte may be: a set of `i32` within 0 to 255.
    pub bytes: Codomain,
}

/// How many bytes an input puts into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum FillLength {
    /// Always so many.
    Fixed(u32),
    /// As many as the argument at this position says.
    Argument(u8),
    /// As many as it returns; none if that is negative. The argument at this position says how many there is room for:
    /// it returns no more.
    Result(u8),
}
