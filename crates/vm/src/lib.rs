//! A WebAssembly virtual machine that counts exactly, stops anywhere and can be saved and restored between any two instructions.
#![no_std]

pub mod num;
mod types;

pub use types::ValType;
