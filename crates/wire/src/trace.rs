//! The trace: what was nondeterministic, packed.
//!
//! A batch of records stands for itself: it comes with the step count that its first distance
//! refers to ([`Batch::base`]).
//!
//! # Format
//!
//! An input of a 32-bit integer, the common case, is two variable-length integers (7 bits a byte,
//! shortest form): the number of steps from the end of the previous record to the end of this call
//! (which is at least 1, as the call itself is a step), and the value with its sign folded in.
//! Everything else begins with a 0, which no distance is:
//!
//! | after the 0 | then |
//! |---|---|
//! | 1 input, i64 | distance, value with its sign folded in |
//! | 2 input, f32 | distance, 4 bytes, least significant first |
//! | 3 input, f64 | distance, 8 bytes |
//! | 4 input, funcref | distance, 0 for null or index + 1 |
//! | 5 input, externref | distance, the same |
//! | 6 captured | distance, length, bytes |
//! | 7 event | gap, kind (one byte), length, bytes |
//! | 8 pause | gap |
//!
//! A *distance* counts to the end of a call, which takes one step; a *gap* counts to a moment
//! between two instructions and may be 0.

use alloc::vec::Vec;

use crate::{Bytes, Value, varint};

const ESCAPE: u8 = 0;
const INPUT_I64: u8 = 1;
const INPUT_F32: u8 = 2;
const INPUT_F64: u8 = 3;
const INPUT_FUNC_REF: u8 = 4;
const INPUT_EXTERN_REF: u8 = 5;
const CAPTURED: u8 = 6;
const EVENT: u8 = 7;
const PAUSE: u8 = 8;
const INPUT_FILLED: u8 = 9;
/// Stands for an `i32` inside [`INPUT_FILLED`], where the other types have the numbers of their own records.
const PLAIN: u8 = 0;

/// One entry of the trace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// The program's step count when it happened. For a call: when the program asked, so that the
    /// call itself is the next step.
    pub steps: u64,
    /// What happened.
    pub kind: RecordKind,
}

/// What a record tells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// An input returned a value.
    Input(Value),
    /// An input returned a value and brought bytes, which were put into the program's memory.
    Filled(Value, Bytes),
    /// An output captured something that the host cannot derive.
    Captured(Bytes),
    /// An event arrived before the next instruction.
    Event {
        /// What kind, as the board numbers them.
        kind: u8,
        /// What the board says about it.
        payload: Bytes,
    },
    /// The program was paused here and went on.
    Pause,
}

impl RecordKind {
    /// How many steps the thing itself takes.
    fn own_steps(&self) -> u64 {
        match self {
            Self::Input(_) | Self::Filled(..) | Self::Captured(_) => 1,
            Self::Event { .. } | Self::Pause => 0,
        }
    }
}

/// A record that does not follow the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a trace record lies before the end of the previous one")]
pub struct OutOfOrder;

/// Packs records into batches.
#[derive(Clone, Debug)]
pub struct TraceEncoder {
    first: u64,
    base: u64,
    /// The step count at the end of the last record.
    end: u64,
    records: u64,
    bytes: Vec<u8>,
}

/// A packed piece of the trace: the fields of [`Report::Trace`](crate::Report::Trace).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The number of the first record.
    pub first: u64,
    /// The step count that the first distance refers to.
    pub base: u64,
    /// The records.
    pub bytes: Bytes,
}

impl TraceEncoder {
    /// Starts at a moment of the program: its step count, and the number of its next record.
    pub fn new(steps: u64, next_record: u64) -> Self {
        Self {
            first: next_record,
            base: steps,
            end: steps,
            records: 0,
            bytes: Vec::new(),
        }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// [`OutOfOrder`] if `record` happened before the end of the last one; nothing is added then.
    pub fn push(&mut self, record: &Record) -> Result<(), OutOfOrder> {
        let own = record.kind.own_steps();
        let end = record.steps.checked_add(own).ok_or(OutOfOrder)?;
        let gap = record.steps.checked_sub(self.end).ok_or(OutOfOrder)?;
        let out = &mut self.bytes;
        let mut head = |kind| {
            out.extend_from_slice(&[ESCAPE, kind]);
            varint::write(out, gap + own);
        };
        match &record.kind {
            RecordKind::Input(value) => {
                match tag(*value) {
                    // By far the most: a record without a tag.
                    PLAIN => varint::write(out, gap + own),
                    tag => head(tag),
                }
                write_value(out, *value);
            }
            RecordKind::Filled(value, bytes) => {
                head(INPUT_FILLED);
                out.push(tag(*value));
                write_value(out, *value);
                write_bytes(out, bytes);
            }
            RecordKind::Captured(bytes) => {
                head(CAPTURED);
                write_bytes(out, bytes);
            }
            RecordKind::Event { kind, payload } => {
                head(EVENT);
                out.push(*kind);
                write_bytes(out, payload);
            }
            RecordKind::Pause => head(PAUSE),
        }
        self.end = end;
        self.records += 1;
        Ok(())
    }

    /// How many bytes wait.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The number that the next record gets.
    pub fn next_record(&self) -> u64 {
        self.first + self.records
    }

    /// A batch without a record, which says that the program came to `steps`; `None` if records wait, or if that is less
    /// than `least` steps further than what was said before.
    pub fn reach(&mut self, steps: u64, least: u64) -> Option<Batch> {
        if !self.bytes.is_empty() || steps.saturating_sub(self.end) < least.max(1) {
            return None;
        }
        *self = Self::new(steps, self.next_record());
        Some(Batch {
            first: self.first,
            base: steps,
            bytes: Bytes(Vec::new()),
        })
    }

    /// Takes what waits; `None` if nothing does.
    pub fn take(&mut self) -> Option<Batch> {
        if self.bytes.is_empty() {
            return None;
        }
        let batch = Batch {
            first: self.first,
            base: self.base,
            bytes: Bytes(core::mem::take(&mut self.bytes)),
        };
        *self = Self::new(self.end, self.next_record());
        Some(batch)
    }
}

/// The number of a value's type.
fn tag(value: Value) -> u8 {
    match value {
        Value::I32(_) => PLAIN,
        Value::I64(_) => INPUT_I64,
        Value::F32(_) => INPUT_F32,
        Value::F64(_) => INPUT_F64,
        Value::FuncRef(_) => INPUT_FUNC_REF,
        Value::ExternRef(_) => INPUT_EXTERN_REF,
    }
}

fn write_value(out: &mut Vec<u8>, value: Value) {
    match value {
        // Folded as 32 bits, so that a value never takes more than five bytes.
        Value::I32(value) => varint::write(out, varint::zigzag(i64::from(value))),
        Value::I64(value) => varint::write(out, varint::zigzag(value)),
        Value::F32(bits) => out.extend_from_slice(&bits.to_le_bytes()),
        Value::F64(bits) => out.extend_from_slice(&bits.to_le_bytes()),
        Value::FuncRef(reference) | Value::ExternRef(reference) => {
            varint::write(out, reference.map_or(0, |index| u64::from(index) + 1));
        }
    }
}

fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    varint::write(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Why a batch cannot be read, and where (in bytes from its start).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// The batch ends inside a record.
    #[error("the trace ends inside the record at byte {at}")]
    Truncated {
        /// Start of the record.
        at: usize,
    },
    /// A number too long, out of range, or not in its shortest form.
    #[error("bad number in the trace record at byte {at}")]
    BadNumber {
        /// Start of the record.
        at: usize,
    },
    /// An unknown kind of record.
    #[error("unknown kind of trace record at byte {at}")]
    UnknownKind {
        /// Start of the record.
        at: usize,
    },
}

/// Unpacks a batch. Hostile bytes give an error, after which nothing follows.
///
/// It allocates at most the length of the batch, one record at a time.
#[derive(Clone, Debug)]
pub struct TraceDecoder<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The step count at the end of the last record.
    end: u64,
}

impl<'a> TraceDecoder<'a> {
    /// Reads packed records whose first distance refers to `base`.
    pub fn new(base: u64, bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            end: base,
        }
    }

    /// The step count at the end of the last record that was read.
    pub fn end(&self) -> u64 {
        self.end
    }

    fn record(&mut self) -> Result<Record, TraceError> {
        let at = self.at;
        let mut reader = Reader {
            bytes: self.bytes.get(at..).unwrap_or_default(),
            at,
        };
        let (distance, kind) = if reader.bytes.first() == Some(&ESCAPE) {
            reader.take(1)?;
            let tag = reader.byte()?;
            let distance = reader.number()?;
            (distance, reader.escaped(tag)?)
        } else {
            let distance = reader.number()?;
            (distance, RecordKind::Input(reader.value(PLAIN)?))
        };
        let bad = TraceError::BadNumber { at };
        let gap = distance.checked_sub(kind.own_steps()).ok_or(bad)?;
        let end = self.end.checked_add(distance).ok_or(bad)?;
        let steps = self.end + gap;
        self.end = end;
        self.at = self.bytes.len() - reader.bytes.len();
        Ok(Record { steps, kind })
    }
}

impl Iterator for TraceDecoder<'_> {
    type Item = Result<Record, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let record = self.record();
        if record.is_err() {
            self.at = self.bytes.len();
        }
        Some(record)
    }
}

/// The rest of a batch while one record is read.
struct Reader<'a> {
    bytes: &'a [u8],
    /// Start of the record, for errors.
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], TraceError> {
        let (taken, rest) = self
            .bytes
            .split_at_checked(length)
            .ok_or(TraceError::Truncated { at: self.at })?;
        self.bytes = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], TraceError> {
        self.take(N)?
            .try_into()
            .map_err(|_| TraceError::Truncated { at: self.at })
    }

    fn byte(&mut self) -> Result<u8, TraceError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    fn number(&mut self) -> Result<u64, TraceError> {
        let (number, length) = varint::read(self.bytes).ok_or_else(|| {
            // All bytes say that more follow, and there could be more: the end is missing.
            let cut = self.bytes.len() < 10 && self.bytes.iter().all(|byte| byte & 0x80 != 0);
            if cut {
                TraceError::Truncated { at: self.at }
            } else {
                TraceError::BadNumber { at: self.at }
            }
        })?;
        self.take(length)?;
        Ok(number)
    }

    fn reference(&mut self) -> Result<Option<u32>, TraceError> {
        match self.number()? {
            0 => Ok(None),
            n => u32::try_from(n - 1)
                .map(Some)
                .map_err(|_| TraceError::BadNumber { at: self.at }),
        }
    }

    fn string(&mut self) -> Result<Bytes, TraceError> {
        let length = self.number()?;
        let length = usize::try_from(length).map_err(|_| TraceError::Truncated { at: self.at })?;
        Ok(Bytes::from(self.take(length)?))
    }

    /// A value whose type has this number.
    fn value(&mut self, tag: u8) -> Result<Value, TraceError> {
        Ok(match tag {
            PLAIN => {
                let value = i32::try_from(varint::unzigzag(self.number()?));
                Value::I32(value.map_err(|_| TraceError::BadNumber { at: self.at })?)
            }
            INPUT_I64 => Value::I64(varint::unzigzag(self.number()?)),
            INPUT_F32 => Value::F32(u32::from_le_bytes(self.array()?)),
            INPUT_F64 => Value::F64(u64::from_le_bytes(self.array()?)),
            INPUT_FUNC_REF => Value::FuncRef(self.reference()?),
            INPUT_EXTERN_REF => Value::ExternRef(self.reference()?),
            _ => return Err(TraceError::UnknownKind { at: self.at }),
        })
    }

    fn escaped(&mut self, tag: u8) -> Result<RecordKind, TraceError> {
        Ok(match tag {
            INPUT_I64..=INPUT_EXTERN_REF => RecordKind::Input(self.value(tag)?),
            INPUT_FILLED => {
                let tag = self.byte()?;
                RecordKind::Filled(self.value(tag)?, self.string()?)
            }
            CAPTURED => RecordKind::Captured(self.string()?),
            EVENT => RecordKind::Event {
                kind: self.byte()?,
                payload: self.string()?,
            },
            PAUSE => RecordKind::Pause,
            _ => return Err(TraceError::UnknownKind { at: self.at }),
        })
    }
}
