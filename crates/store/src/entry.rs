//! Entries of the multiverse as they are kept.

use std::fmt::Write as _;
use std::hash::Hasher as _;

use fnv::FnvHasher;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};

/// A value of the program. Floats are bits, so that every NaN comes back as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeptValue {
    /// 32-bit integer.
    I32(i32),
    /// 64-bit integer.
    I64(i64),
    /// The bits of a 32-bit float.
    F32(u32),
    /// The bits of a 64-bit float.
    F64(u64),
    /// A function's index, or null.
    FuncRef(Option<u32>),
    /// A reference of the embedder, or null.
    ExternRef(Option<u32>),
}

/// What kind of thing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// An input returned a value.
    Input,
    /// An output was performed.
    Output,
    /// An event arrived.
    Event,
}

/// One thing that entered or left the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeptEntry {
    /// The program's step count once it has happened.
    pub steps: u64,
    /// What kind of thing.
    pub kind: EntryKind,
    /// The number of the primitive, or the kind of event.
    pub subject: u16,
    /// The arguments of the call.
    pub arguments: Vec<KeptValue>,
    /// What the call returned.
    pub value: Option<KeptValue>,
    /// What an output captured, or an event's payload.
    pub data: Vec<u8>,
    /// The value came from a mock.
    pub mocked: bool,
}

/// 64-bit FNV-1a, continued from `state`: names programs on the wire, and was the checksum of older files.
pub(crate) fn checksum(state: u64, bytes: &[u8]) -> u64 {
    let mut hasher = FnvHasher::with_key(state);
    hasher.write(bytes);
    hasher.finish()
}

/// Where a checksum begins.
pub(crate) const CHECKSUM_START: u64 = 0xcbf2_9ce4_8422_2325;

impl EntryKind {
    pub(crate) fn number(self) -> i64 {
        match self {
            Self::Input => 0,
            Self::Output => 1,
            Self::Event => 2,
        }
    }

    pub(crate) fn from_number(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::Input),
            1 => Some(Self::Output),
            2 => Some(Self::Event),
            _ => None,
        }
    }
}

impl KeptEntry {
    /// The letters of the arguments, `>`, and the letter of the value; nothing in the common case
    /// that all are 32-bit integers.
    pub(crate) fn types(&self) -> Option<String> {
        let is_i32 = |value: &KeptValue| matches!(value, KeptValue::I32(_));
        if self.arguments.iter().chain(&self.value).all(is_i32) {
            return None;
        }
        let letter = |value: &KeptValue| value.letter_and_bits().0;
        let mut types: String = self.arguments.iter().map(letter).collect();
        types.push('>');
        types.extend(self.value.iter().map(letter));
        Some(types)
    }

    /// The arguments as a JSON array; nothing if there are none.
    pub(crate) fn arguments_json(&self) -> Option<String> {
        if self.arguments.is_empty() {
            return None;
        }
        let mut text = String::from("[");
        for (i, value) in self.arguments.iter().enumerate() {
            if i > 0 {
                text.push(',');
            }
            value.write_json(&mut text);
        }
        text.push(']');
        Some(text)
    }

    /// The inverse of the columns `types`, `arguments` and `value`; `None` if they do not fit.
    pub(crate) fn values_from_columns(
        types: Option<&str>,
        arguments: Option<&str>,
        value: ValueRef<'_>,
    ) -> Option<(Vec<KeptValue>, Option<KeptValue>)> {
        let inner = match arguments {
            None => "",
            Some(text) => text.strip_prefix('[')?.strip_suffix(']')?,
        };
        let tokens = || inner.split(',').filter(|token| !token.is_empty());
        let Some(types) = types else {
            let arguments = tokens()
                .map(|token| KeptValue::from_json('i', token))
                .collect::<Option<_>>()?;
            let value = match value {
                ValueRef::Null => None,
                other => Some(KeptValue::from_column('i', other)?),
            };
            return Some((arguments, value));
        };
        let (argument_letters, value_letter) = types.split_once('>')?;
        let letters = argument_letters.chars();
        if letters.clone().count() != tokens().count() {
            return None;
        }
        let arguments = letters
            .zip(tokens())
            .map(|(letter, token)| KeptValue::from_json(letter, token))
            .collect::<Option<_>>()?;
        let mut value_letters = value_letter.chars();
        let value = match (value_letters.next(), value_letters.next()) {
            (None, _) => None,
            (Some(letter), None) => Some(KeptValue::from_column(letter, value)?),
            _ => return None,
        };
        Some((arguments, value))
    }
}

impl KeptValue {
    pub(crate) fn letter_and_bits(self) -> (char, u64) {
        let reference = |index: Option<u32>| index.map_or(u64::MAX, u64::from);
        match self {
            Self::I32(value) => ('i', value as u32 as u64),
            Self::I64(value) => ('I', value as u64),
            Self::F32(bits) => ('f', bits.into()),
            Self::F64(bits) => ('F', bits),
            Self::FuncRef(index) => ('r', reference(index)),
            Self::ExternRef(index) => ('e', reference(index)),
        }
    }

    fn write_json(self, text: &mut String) {
        // Writing into a string cannot fail.
        let _ = match self {
            Self::I32(value) => write!(text, "{value}"),
            Self::I64(value) => write!(text, "{value}"),
            Self::F32(bits) if f32::from_bits(bits).is_finite() => {
                write!(text, "{:?}", f32::from_bits(bits))
            }
            Self::F32(bits) => write!(text, "\"{bits:08x}\""),
            Self::F64(bits) if f64::from_bits(bits).is_finite() => {
                write!(text, "{:?}", f64::from_bits(bits))
            }
            Self::F64(bits) => write!(text, "\"{bits:016x}\""),
            Self::FuncRef(Some(index)) | Self::ExternRef(Some(index)) => write!(text, "{index}"),
            Self::FuncRef(None) | Self::ExternRef(None) => write!(text, "null"),
        };
    }

    fn from_json(letter: char, token: &str) -> Option<Self> {
        let bits = || token.strip_prefix('"')?.strip_suffix('"');
        let reference = || match token {
            "null" => Some(None),
            index => index.parse().ok().map(Some),
        };
        Some(match letter {
            'i' => Self::I32(token.parse().ok()?),
            'I' => Self::I64(token.parse().ok()?),
            'f' => Self::F32(match bits() {
                Some(bits) => u32::from_str_radix(bits, 16).ok()?,
                None => token.parse::<f32>().ok()?.to_bits(),
            }),
            'F' => Self::F64(match bits() {
                Some(bits) => u64::from_str_radix(bits, 16).ok()?,
                None => token.parse::<f64>().ok()?.to_bits(),
            }),
            'r' => Self::FuncRef(reference()?),
            'e' => Self::ExternRef(reference()?),
            _ => return None,
        })
    }

    fn from_column(letter: char, column: ValueRef<'_>) -> Option<Self> {
        let reference = || match column {
            ValueRef::Null => Some(None),
            ValueRef::Integer(index) => u32::try_from(index).ok().map(Some),
            _ => None,
        };
        Some(match (letter, column) {
            ('i', ValueRef::Integer(value)) => Self::I32(value.try_into().ok()?),
            ('I', ValueRef::Integer(value)) => Self::I64(value),
            ('f', ValueRef::Real(value)) => Self::F32((value as f32).to_bits()),
            ('f', ValueRef::Blob(bytes)) => Self::F32(u32::from_le_bytes(bytes.try_into().ok()?)),
            ('F', ValueRef::Real(value)) => Self::F64(value.to_bits()),
            ('F', ValueRef::Blob(bytes)) => Self::F64(u64::from_le_bytes(bytes.try_into().ok()?)),
            ('r', _) => Self::FuncRef(reference()?),
            ('e', _) => Self::ExternRef(reference()?),
            _ => return None,
        })
    }
}

impl ToSql for KeptValue {
    /// As SQL's own number where that is exact. SQLite has no NaN and no -0.0: those are the bits,
    /// least significant byte first.
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let exact = |value: f64| value.is_finite() && (value != 0.0 || value.is_sign_positive());
        Ok(match *self {
            Self::I32(value) => value.into(),
            Self::I64(value) => value.into(),
            Self::F32(bits) if exact(f32::from_bits(bits).into()) => {
                f64::from(f32::from_bits(bits)).into()
            }
            Self::F32(bits) => ToSqlOutput::Owned(bits.to_le_bytes().to_vec().into()),
            Self::F64(bits) if exact(f64::from_bits(bits)) => f64::from_bits(bits).into(),
            Self::F64(bits) => ToSqlOutput::Owned(bits.to_le_bytes().to_vec().into()),
            Self::FuncRef(index) | Self::ExternRef(index) => match index {
                Some(index) => index.into(),
                None => rusqlite::types::Null.into(),
            },
        })
    }
}
