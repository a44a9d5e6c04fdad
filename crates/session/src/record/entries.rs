//! Entries as the session file keeps them.

use borges_board::PrimitiveId;
use borges_stub::{decode_captured, decode_event, encode_captured, encode_event};
use borges_vm::Value;

use crate::history::FreshEntry;
use crate::history::entry::{Entry, EntryKind};

pub(super) fn to_stored(fresh: &FreshEntry) -> borges_store::KeptEntry {
    let (kind, subject, value, data, mocked) = match &fresh.entry.kind {
        EntryKind::Input {
            primitive,
            value,
            bytes,
            mocked,
        } => (
            borges_store::EntryKind::Input,
            primitive.0,
            Some(stored_value(*value)),
            bytes.to_vec(),
            *mocked,
        ),
        EntryKind::Output { primitive, .. } => (
            borges_store::EntryKind::Output,
            primitive.0,
            None,
            captured_data(&fresh.entry),
            false,
        ),
        EntryKind::Event(event) => {
            let (kind, payload) = encode_event(event);
            (
                borges_store::EntryKind::Event,
                u16::from(kind),
                None,
                payload.0,
                false,
            )
        }
    };
    let arguments = fresh
        .args
        .iter()
        .map(|value| stored_value(*value))
        .collect();
    borges_store::KeptEntry {
        steps: fresh.entry.step,
        kind,
        subject,
        arguments,
        value,
        data,
        mocked,
    }
}

/// What an output captured, if it did; nothing of others.
pub(super) fn captured_data(entry: &Entry) -> Vec<u8> {
    match &entry.kind {
        EntryKind::Output { captured, .. } if !captured.is_nothing() => encode_captured(captured),
        _ => Vec::new(),
    }
}

/// Nothing if no session writes such an entry: the file is damaged.
pub(super) fn from_stored(entry: &borges_store::KeptEntry) -> Option<Entry> {
    let primitive = PrimitiveId(entry.subject);
    let kind = match entry.kind {
        borges_store::EntryKind::Input => EntryKind::Input {
            primitive,
            value: value_of(entry.value?),
            bytes: entry.data.clone().into(),
            mocked: entry.mocked,
        },
        borges_store::EntryKind::Output if entry.data.is_empty() => EntryKind::Output {
            primitive,
            captured: borges_board::Captured::default(),
        },
        borges_store::EntryKind::Output => EntryKind::Output {
            primitive,
            captured: decode_captured(&entry.data)?,
        },
        borges_store::EntryKind::Event => EntryKind::Event(decode_event(
            u8::try_from(entry.subject).ok()?,
            &entry.data,
        )?),
    };
    // A call is retired by its answer, so it cannot have happened at step 0.
    (entry.steps > 0 || matches!(kind, EntryKind::Event(_))).then_some(Entry {
        step: entry.steps,
        kind,
    })
}

fn stored_value(value: Value) -> borges_store::KeptValue {
    match value {
        Value::I32(v) => borges_store::KeptValue::I32(v),
        Value::I64(v) => borges_store::KeptValue::I64(v),
        Value::F32(bits) => borges_store::KeptValue::F32(bits),
        Value::F64(bits) => borges_store::KeptValue::F64(bits),
        Value::FuncRef(index) => borges_store::KeptValue::FuncRef(index),
        Value::ExternRef(index) => borges_store::KeptValue::ExternRef(index),
        // No input is a vector or an exception.
        Value::V128(_) | Value::ExnRef(_) => borges_store::KeptValue::ExternRef(None),
    }
}

fn value_of(value: borges_store::KeptValue) -> Value {
    match value {
        borges_store::KeptValue::I32(v) => Value::I32(v),
        borges_store::KeptValue::I64(v) => Value::I64(v),
        borges_store::KeptValue::F32(bits) => Value::F32(bits),
        borges_store::KeptValue::F64(bits) => Value::F64(bits),
        borges_store::KeptValue::FuncRef(index) => Value::FuncRef(index),
        borges_store::KeptValue::ExternRef(index) => Value::ExternRef(index),
    }
}
