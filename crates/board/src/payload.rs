//! What calls answer: an input with bytes beside its value, an operating system.

use alloc::vec::Vec;
use core::ops::Deref;

use borges_vm::{Value, Write};
use serde::{Deserialize, Serialize};

use crate::Shared;

/// The bytes that an input puts into a program's memory; mostly none. Cloning it costs a reference count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<u8>", into = "Vec<u8>")]
pub struct Payload(Option<Shared<Vec<u8>>>);

impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Self {
        Self((!bytes.is_empty()).then(|| Shared::new(bytes)))
    }
}

impl From<Payload> for Vec<u8> {
    fn from(payload: Payload) -> Self {
        payload.to_vec()
    }
}

impl Deref for Payload {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], |bytes| bytes)
    }
}

/// What an input yields: what it returns, and the bytes that it brings.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// What a call of the operating system comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum SystemCall {
    /// It returns: a result, if its type has one, and what is written to the program's memory, all of it inside.
    Answers {
        /// The result.
        result: Option<Value>,
        /// What is written.
        writes: Vec<Write>,
    },
    /// The program ends with this code.
    Exits(u32),
    /// The program ends with a trap: a pointer that leads out of its memory.
    Traps,
    /// It wants to know something that somebody has to choose; nothing has happened.
    #[cfg(feature = "host")]
    Wants(borges_wasi::Wants),
}

#[cfg(feature = "host")]
impl SystemCall {
    /// At most so many bytes of standard input are wanted, if that is what somebody has to choose.
    pub fn input_wanted(&self) -> Option<u32> {
        match self {
            SystemCall::Wants(borges_wasi::Wants::Input { at_most }) => Some(*at_most),
            _ => None,
        }
    }
}
