//! A WebAssembly virtual machine that counts exactly, stops anywhere and can be saved and restored between any two instructions.
#![no_std]

extern crate alloc;

pub mod num;
mod types;
mod value;

pub use types::ValType;
pub use value::{FuncType, Value};
