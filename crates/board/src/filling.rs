//! What inputs put into the program's memory, call by call.

use alloc::{string::String, vec::Vec};

use borges_vm::{ValType, Value, Write};

use crate::{
    Board, Codomain, FillLength, Fills, Payload, PrimitiveId, PrimitiveKind, Refusal, Yield,
};

/// Why an input cannot bring what somebody says it does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// It returns a value and nothing else.
    #[error("it returns a value and brings no bytes")]
    NoBytes,
    /// A byte that it never brings.
    #[error("its bytes are {allowed}, and {byte} is none of them")]
    Byte {
        /// The byte.
        byte: u8,
        /// What there may be.
        allowed: String,
    },
    /// More bytes than it brings with this result.
    #[error("it brings {most} bytes then, and these are {given}")]
    Length {
        /// So many it brings.
        most: usize,
        /// So many were said.
        given: usize,
    },
}

/// What one call of such an input may put where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filling<'a> {
    fills: &'a Fills,
    /// Where the bytes begin.
    pub(crate) address: u32,
    /// There is room for so many.
    pub(crate) room: u32,
}

impl Filling<'_> {
    /// How many bytes come with this result.
    pub(crate) fn length(&self, value: Value) -> usize {
        let length = match (self.fills.length, value) {
            (FillLength::Result(_), Value::I32(n)) => u32::try_from(n).unwrap_or(0),
            (FillLength::Result(_), Value::I64(n)) => {
                u32::try_from(n.clamp(0, i64::from(u32::MAX))).unwrap_or(0)
            }
            (FillLength::Result(_), _) => 0,
            _ => self.room,
        };
        length.min(self.room) as usize
    }

    /// The nearest byte that there may be.
    fn nearest(&self, byte: u8) -> u8 {
        match self.fills.bytes.nearest(Value::I32(byte.into())) {
            Some(Value::I32(byte)) => byte as u8,
            _ => 0,
        }
    }

    /// The bytes brought in order: as many as the result says, each one that there may be.
    pub(crate) fn fitted(&self, value: Value, mut bytes: Vec<u8>) -> Payload {
        bytes.resize(self.length(value), 0);
        for byte in &mut bytes {
            *byte = self.nearest(*byte);
        }
        bytes.into()
    }

    /// Whether an input can bring these bytes with this result.
    pub(crate) fn holds(&self, value: Value, bytes: &[u8]) -> bool {
        bytes.len() == self.length(value) && bytes.iter().all(|byte| self.nearest(*byte) == *byte)
    }
}

impl Board {
    /// Where a call puts bytes, if it does.
    pub(crate) fn filling(&self, id: PrimitiveId, args: &[Value]) -> Option<Filling<'_>> {
        let fills = self.primitive(id)?.fills.as_deref()?;
        let number = |position: u8| match args.get(usize::from(position)) {
            Some(Value::I32(n)) => *n as u32,
            _ => 0,
        };
        Some(Filling {
            fills,
            address: number(fills.address),
            room: match fills.length {
                FillLength::Fixed(length) => length,
                FillLength::Argument(position) | FillLength::Result(position) => number(position),
            },
        })
    }

    /// Whether the room that a call gives an input lies within the program's memory of so many bytes.
    pub(crate) fn check_filling(
        &self,
        id: PrimitiveId,
        args: &[Value],
        memory: usize,
    ) -> Result<(), Refusal> {
        let Some(filling) = self.filling(id, args) else {
            return Ok(());
        };
        let end = u64::from(filling.address) + u64::from(filling.room);
        if end > memory as u64 {
            return Err(Refusal::RoomOutsideMemory {
                address: filling.address,
                length: filling.room,
            });
        }
        Ok(())
    }

    /// Whether an input puts bytes into the program's memory.
    pub fn fills(&self, id: PrimitiveId) -> bool {
        self.primitive(id)
            .is_some_and(|primitive| primitive.fills.is_some())
    }

    /// Whether the value that an input returns says how many bytes it puts into the program's memory.
    pub fn counts_bytes(&self, id: PrimitiveId) -> bool {
        let fills = self.primitive(id).and_then(|found| found.fills.as_deref());
        fills.is_some_and(|fills| matches!(fills.length, FillLength::Result(_)))
    }

    /// How many bytes an input puts into the program's memory when it returns this, and what each of them may be.
    pub fn bytes_with(&self, id: PrimitiveId, args: &[Value], value: Value) -> (usize, Codomain) {
        match self.filling(id, args) {
            Some(filling) => (filling.length(value), filling.fills.bytes.clone()),
            None => (0, Codomain::Full(ValType::I32)),
        }
    }

    /// Whether this can stand in for what a primitive yields, as far as its type goes.
    pub fn can_be_mocked(&self, id: PrimitiveId, yielded: &Yield) -> bool {
        let Some(primitive) = self.primitive(id) else {
            return false;
        };
        match primitive.kind {
            PrimitiveKind::Input => Some(yielded.value.ty()) == primitive.result,
            #[cfg(feature = "host")]
            PrimitiveKind::System => {
                *yielded == crate::choice::unmocked() || self.may_choose(id, yielded)
            }
            _ => false,
        }
    }

    /// Whether an input can yield this there, as far as its bytes go; the result is held against the codomain.
    pub fn brings(&self, id: PrimitiveId, args: &[Value], yielded: &Yield) -> bool {
        match self.filling(id, args) {
            Some(filling) => filling.holds(yielded.value, &yielded.bytes),
            None => yielded.bytes.is_empty(),
        }
    }

    /// What an input yields of which somebody says the result, the bytes, or both. Where the result is not said, it is the
    /// number of bytes if it counts them, else the one nearest to zero; bytes that are not said are zeros, or what is
    /// nearest to that. Without all arguments the call is not known, and any number of bytes will do.
    ///
    /// # Errors
    /// [`Misfit`]; whether the result is in the codomain is not looked at.
    pub fn yielding(
        &self,
        id: PrimitiveId,
        args: &[Value],
        value: Option<Value>,
        bytes: Option<Vec<u8>>,
    ) -> Result<Yield, Misfit> {
        let primitive = self.primitive(id).ok_or(Misfit::NoBytes)?;
        let codomain = self.codomain(id, args);
        let (bytes, said) = (bytes.unwrap_or_default(), value);
        let Some(fills) = &primitive.fills else {
            return match said {
                Some(value) if bytes.is_empty() => Ok(value.into()),
                _ => Err(Misfit::NoBytes),
            };
        };
        let zero = Value::default_of(codomain.ty());
        let value = match (said, fills.length, zero) {
            (Some(value), ..) => value,
            (None, FillLength::Result(_), Value::I64(_)) => Value::I64(bytes.len() as i64),
            (None, FillLength::Result(_), _) => Value::I32(bytes.len() as i32),
            _ => codomain.nearest(zero).unwrap_or(zero),
        };
        let other = |byte: &&u8| !fills.bytes.contains(Value::I32((**byte).into()));
        if let Some(byte) = bytes.iter().find(other) {
            return Err(Misfit::Byte {
                byte: *byte,
                allowed: fills.bytes.describe(),
            });
        }
        if !primitive.accepts(args) {
            let bytes = bytes.into();
            return Ok(Yield { value, bytes });
        }
        let given = bytes.len();
        let yielded = self.with_bytes(id, args, value, bytes);
        match yielded.bytes.len() {
            most if most < given => Err(Misfit::Length { most, given }),
            _ => Ok(yielded),
        }
    }

    /// What an input yields with this result if its bytes begin with these: as many as the result says, zeros (or what is
    /// nearest to zero) behind.
    pub fn with_bytes(
        &self,
        id: PrimitiveId,
        args: &[Value],
        value: Value,
        bytes: Vec<u8>,
    ) -> Yield {
        let bytes = match self.filling(id, args) {
            Some(filling) => filling.fitted(value, bytes),
            None => Payload::default(),
        };
        Yield { value, bytes }
    }

    /// What an input that yields this writes to the program's memory. Where it writes was checked
    /// ([`Board::check_input`]).
    pub fn writes(&self, id: PrimitiveId, args: &[Value], yielded: &Yield) -> Vec<Write> {
        let filling = self.filling(id, args).filter(|_| !yielded.bytes.is_empty());
        let write = filling.map(|filling| Write {
            address: filling.address,
            bytes: yielded.bytes.to_vec(),
        });
        write.into_iter().collect()
    }

    /// What is left of a codomain when there is room for so many bytes only.
    pub(crate) fn within_room(
        &self,
        id: PrimitiveId,
        args: &[Value],
        codomain: Codomain,
    ) -> Codomain {
        let fills = self
            .primitive(id)
            .and_then(|primitive| primitive.fills.as_deref());
        let (Some(FillLength::Result(_)), Some(filling)) =
            (fills.map(|fills| fills.length), self.filling(id, args))
        else {
            return codomain;
        };
        let most = i64::from(filling.room);
        codomain.intersect(&match codomain.ty() {
            ValType::I64 => Codomain::range(Value::I64(i64::MIN), Value::I64(most)),
            _ => {
                let most = i32::try_from(most).unwrap_or(i32::MAX);
                Codomain::range(Value::I32(i32::MIN), Value::I32(most))
            }
        })
    }
}
