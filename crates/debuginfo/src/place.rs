//! Where values are, and how they are read from a stopped program.

use borges_vm::{FuncIdx, Value};

/// What can be read of a stopped program. Frame 0 is the innermost.
pub trait Stopped {
    /// A local of a frame, parameters first.
    fn local(&self, frame: u32, index: u32) -> Option<Value>;

    /// An entry of a frame's operand stack; 0 is the bottom.
    fn operand(&self, frame: u32, index: u32) -> Option<Value>;

    /// A global of the module, imported ones first.
    fn global(&self, index: u32) -> Option<Value>;

    /// Fills `buffer` from a memory, of which the first is 0; false if a byte of it lies outside, or there is no such
    /// memory.
    fn memory(&self, memory: u32, address: u32, buffer: &mut [u8]) -> bool;

    /// The function at an index of the first table: what a function pointer means. `None` if the
    /// entry is empty, does not exist, or nobody knows.
    fn table(&self, _index: u32) -> Option<FuncIdx> {
        None
    }
}

/// One thing of the machine that holds (a part of) a value: what a watchpoint is set on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// A wasm local of a frame.
    Local {
        /// 0 is the innermost.
        frame: u32,
        /// Parameters come first.
        index: u32,
    },
    /// An entry of a frame's operand stack: a value that is about to be used.
    Operand {
        /// 0 is the innermost.
        frame: u32,
        /// 0 is the bottom.
        index: u32,
    },
    /// A wasm global.
    Global(u32),
    /// Bytes of memory.
    Memory {
        /// Which memory: 0 but for code of a module that was linked with a memory of its own.
        memory: u32,
        /// Of the first byte.
        address: u32,
        /// How many.
        length: u32,
    },
    /// Nowhere: the compiler left only a way to compute it. These are its bytes.
    Computed(Vec<u8>),
    /// Nowhere: this part was removed.
    Removed,
}

/// A part of a value: `length` bytes of a source, from its byte `offset` on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// What holds it.
    pub source: Holder,
    /// In bytes, from the least significant of a local or global; 0 of memory.
    pub offset: u32,
    /// In bytes.
    pub length: u32,
}

/// Where a value is: one piece most of the time, several where the compiler took it apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ValuePlace {
    /// The memory that the value lies in if it lies in one, and that pointers in it point into.
    pub memory: u32,
    /// In the order of the value's bytes.
    pub pieces: Vec<Piece>,
}

/// Why a value cannot be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// The compiler removed the variable, here or altogether.
    #[error("optimized out")]
    Removed,
    /// It lies outside memory: a wild pointer, or broken debug information.
    #[error("address {0:#x} is outside memory")]
    OutsideMemory(u64),
    /// The debug information names a local, global or operand that does not exist here.
    #[error("the debug information does not fit the program here")]
    Mismatch,
    /// The debug information is broken or uses what nobody does for WebAssembly.
    #[error("its location cannot be understood")]
    Unsupported,
    /// A C++ reference that refers to nothing: it is not initialized yet, or the program is wrong.
    #[error("a reference to nothing")]
    NullReference,
    /// No type is given, or one of too many parts to be followed.
    #[error("its type is not known")]
    UnknownType,
    /// It stands for locals that are too many to be listed: from this one on.
    #[error("more locals follow: ${0} and on")]
    Unlisted(u32),
    /// Too large to be read at once.
    #[error("too large")]
    TooLarge,
}

/// Most bytes that are read of one value at once.
pub(crate) const MAX_VALUE_BYTES: u32 = 1 << 16;

impl ValuePlace {
    /// `length` bytes of a memory, of which the first is 0.
    pub fn memory(memory: u32, address: u32, length: u32) -> ValuePlace {
        let source = Holder::Memory {
            memory,
            address,
            length,
        };
        ValuePlace::whole(memory, source, length)
    }

    /// The first `length` bytes of a source, with pointers into `memory`.
    pub(crate) fn whole(memory: u32, source: Holder, length: u32) -> ValuePlace {
        ValuePlace {
            memory,
            pieces: vec![Piece {
                source,
                offset: 0,
                length,
            }],
        }
    }

    /// Its size in bytes.
    pub fn length(&self) -> u32 {
        self.pieces
            .iter()
            .fold(0, |sum, piece| sum.saturating_add(piece.length))
    }

    /// The address in [`Self::memory`], if the value lies there as a whole.
    pub fn address(&self) -> Option<u32> {
        match self.pieces.as_slice() {
            [
                Piece {
                    source: Holder::Memory { address, .. },
                    ..
                },
            ] => Some(*address),
            _ => None,
        }
    }

    /// What a watchpoint on this value has to watch; empty if the machine nowhere holds it.
    pub fn watchable(&self) -> Vec<Holder> {
        let held = |source: &Holder| !matches!(source, Holder::Computed(_) | Holder::Removed);
        self.pieces
            .iter()
            .map(|piece| piece.source.clone())
            .filter(held)
            .collect()
    }

    /// The part of `length` bytes from byte `offset` on, cut short if the value ends before.
    pub(crate) fn part(&self, offset: u32, length: u32) -> ValuePlace {
        let (mut skip, mut left) = (offset, length);
        let mut pieces = Vec::new();
        for piece in &self.pieces {
            if skip >= piece.length {
                skip -= piece.length;
                continue;
            }
            let taken = left.min(piece.length - skip);
            if taken == 0 {
                break;
            }
            pieces.push(match &piece.source {
                Holder::Memory {
                    memory, address, ..
                } => Piece {
                    source: Holder::Memory {
                        memory: *memory,
                        address: address.wrapping_add(skip),
                        length: taken,
                    },
                    offset: 0,
                    length: taken,
                },
                source => Piece {
                    source: source.clone(),
                    offset: piece.offset + skip,
                    length: taken,
                },
            });
            skip = 0;
            left -= taken;
        }
        ValuePlace {
            memory: self.memory,
            pieces,
        }
    }

    /// The value's bytes, least significant first.
    ///
    /// # Errors
    /// [`Unavailable`] if a part of it is nowhere, outside memory, or all is too large.
    pub fn read(&self, state: &dyn Stopped) -> Result<Vec<u8>, Unavailable> {
        if self.length() > MAX_VALUE_BYTES {
            return Err(Unavailable::TooLarge);
        }
        let mut bytes = Vec::with_capacity(self.length() as usize);
        for piece in &self.pieces {
            piece.read(state, &mut bytes)?;
        }
        Ok(bytes)
    }
}

impl Piece {
    pub(crate) fn read(&self, state: &dyn Stopped, bytes: &mut Vec<u8>) -> Result<(), Unavailable> {
        let value = match &self.source {
            Holder::Local { frame, index } => state.local(*frame, *index),
            Holder::Operand { frame, index } => state.operand(*frame, *index),
            Holder::Global(index) => state.global(*index),
            Holder::Memory {
                memory, address, ..
            } => {
                let start = bytes.len();
                bytes.resize(start + self.length as usize, 0);
                let filled = bytes
                    .get_mut(start..)
                    .is_some_and(|buffer| state.memory(*memory, *address, buffer));
                let outside = Unavailable::OutsideMemory(u64::from(*address));
                return if filled { Ok(()) } else { Err(outside) };
            }
            Holder::Computed(computed) => {
                return self.copy(computed, bytes).ok_or(Unavailable::Unsupported);
            }
            Holder::Removed => return Err(Unavailable::Removed),
        };
        let value = value_bytes(value.ok_or(Unavailable::Mismatch)?);
        self.copy(&value, bytes).ok_or(Unavailable::Mismatch)
    }

    fn copy(&self, from: &[u8], to: &mut Vec<u8>) -> Option<()> {
        let start = self.offset as usize;
        to.extend_from_slice(from.get(start..start.checked_add(self.length as usize)?)?);
        Some(())
    }
}

/// A wasm value's bytes, least significant first. A null reference is 0, another one its index + 1.
pub(crate) fn value_bytes(value: Value) -> Vec<u8> {
    match value {
        Value::I32(value) => value.to_le_bytes().to_vec(),
        Value::F32(bits) => bits.to_le_bytes().to_vec(),
        Value::I64(value) => value.to_le_bytes().to_vec(),
        Value::F64(bits) => bits.to_le_bytes().to_vec(),
        Value::FuncRef(index) | Value::ExternRef(index) | Value::ExnRef(index) => index
            .map_or(0, |index| index.wrapping_add(1))
            .to_le_bytes()
            .to_vec(),
        Value::V128(bytes) => bytes.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct OneLocal;

    impl Stopped for OneLocal {
        fn local(&self, _frame: u32, index: u32) -> Option<Value> {
            (index == 0).then_some(Value::I64(0x0807_0605_0403_0201))
        }
        fn operand(&self, _frame: u32, _index: u32) -> Option<Value> {
            None
        }
        fn global(&self, _index: u32) -> Option<Value> {
            None
        }
        fn memory(&self, _memory: u32, address: u32, buffer: &mut [u8]) -> bool {
            buffer.fill(address as u8);
            address < 16
        }
    }

    #[test]
    fn parts_of_a_split_value() {
        let local = Holder::Local { frame: 0, index: 0 };
        let place = ValuePlace {
            memory: 0,
            pieces: vec![
                Piece {
                    source: local.clone(),
                    offset: 0,
                    length: 4,
                },
                Piece {
                    source: Holder::Memory {
                        memory: 0,
                        address: 9,
                        length: 2,
                    },
                    offset: 0,
                    length: 2,
                },
            ],
        };
        assert_eq!(place.read(&OneLocal), Ok(vec![1, 2, 3, 4, 9, 9]));
        let part = place.part(2, 3);
        assert_eq!(part.read(&OneLocal), Ok(vec![3, 4, 9]));
        let memory = Holder::Memory {
            memory: 0,
            address: 9,
            length: 1,
        };
        assert_eq!(part.watchable(), [local, memory]);
        assert_eq!(place.part(5, 9).address(), Some(10));
        assert_eq!(place.part(6, 1).length(), 0);
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let removed = ValuePlace::whole(0, Holder::Removed, 4);
        assert_eq!(removed.read(&OneLocal), Err(Unavailable::Removed));
        let wild = ValuePlace::memory(0, 16, 4);
        assert_eq!(wild.read(&OneLocal), Err(Unavailable::OutsideMemory(16)));
        let largest = ValuePlace::memory(0, 0, MAX_VALUE_BYTES);
        assert_eq!(
            largest.read(&OneLocal),
            Ok(vec![0; MAX_VALUE_BYTES as usize])
        );
        let larger = ValuePlace::memory(0, 0, MAX_VALUE_BYTES + 1);
        assert_eq!(larger.read(&OneLocal), Err(Unavailable::TooLarge));
        let none = ValuePlace::whole(0, Holder::Local { frame: 0, index: 1 }, 4);
        assert_eq!(none.read(&OneLocal), Err(Unavailable::Mismatch));
        let wide = ValuePlace::whole(0, Holder::Local { frame: 0, index: 0 }, 9);
        assert_eq!(wide.read(&OneLocal), Err(Unavailable::Mismatch));
    }
}
