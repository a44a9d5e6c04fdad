//! Bytes that an input brings beside its value.

use alloc::vec::Vec;
use core::ops::Deref;

use borges_vm::Value;

use crate::Shared;

/// The bytes that an input puts into a program's memory; mostly none. Cloning it costs a reference count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Payload(Option<Shared<Vec<u8>>>);

impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Self {
        Self((!bytes.is_empty()).then(|| Shared::new(bytes)))
    }
}

impl Deref for Payload {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], |bytes| bytes)
    }
}

/// What an input yields: what it returns, and the bytes that it brings.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Yield {
    /// What it returns.
    pub value: Value,
    /// What it puts into the program's memory.
    pub bytes: Payload,
}

impl From<Value> for Yield {
    fn from(value: Value) -> Self {
        Self {
            value,
            bytes: Payload::default(),
        }
    }
}
