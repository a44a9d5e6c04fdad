//! What board and VM say, as the wire carries it.

use alloc::vec::Vec;

use borges_board::{Captured, Event, EventSource, Yield};
use borges_vm::Value;
use borges_wire::{Bytes, RecordKind};

/// The kind of a pin's event in a trace record.
const PIN: u8 = 0;
/// The kind of a timer's event in a trace record.
const TIMER: u8 = 1;

/// A value for the wire.
#[must_use]
pub fn to_wire(value: Value) -> borges_wire::Value {
    match value {
        Value::I32(v) => borges_wire::Value::I32(v),
        Value::I64(v) => borges_wire::Value::I64(v),
        Value::F32(bits) => borges_wire::Value::F32(bits),
        Value::F64(bits) => borges_wire::Value::F64(bits),
        Value::FuncRef(index) => borges_wire::Value::FuncRef(index),
        Value::ExternRef(index) => borges_wire::Value::ExternRef(index),
        // No input is a vector or an exception.
        Value::V128(_) | Value::ExnRef(_) => borges_wire::Value::ExternRef(None),
    }
}

/// A value from the wire.
#[must_use]
pub fn from_wire(value: borges_wire::Value) -> Value {
    match value {
        borges_wire::Value::I32(v) => Value::I32(v),
        borges_wire::Value::I64(v) => Value::I64(v),
        borges_wire::Value::F32(bits) => Value::F32(bits),
        borges_wire::Value::F64(bits) => Value::F64(bits),
        borges_wire::Value::FuncRef(index) => Value::FuncRef(index),
        borges_wire::Value::ExternRef(index) => Value::ExternRef(index),
    }
}

/// The record of an input.
#[must_use]
pub fn encode_input(yielded: &Yield) -> RecordKind {
    let value = to_wire(yielded.value);
    if yielded.bytes.is_empty() {
        RecordKind::Input(value)
    } else {
        RecordKind::Filled(value, Bytes::from(&*yielded.bytes))
    }
}

/// The inverse of [`encode_input`]; nothing for other records.
#[must_use]
pub fn decode_input(record: &RecordKind) -> Option<Yield> {
    match record {
        RecordKind::Input(value) => Some(from_wire(*value).into()),
        RecordKind::Filled(value, bytes) => Some(Yield {
            value: from_wire(*value),
            bytes: bytes.0.clone().into(),
        }),
        _ => None,
    }
}

/// What an output captured, as bytes.
#[must_use]
pub fn encode_captured(captured: &Captured) -> Vec<u8> {
    // Serialising into a growing vector does not fail for types that postcard knows.
    postcard::to_allocvec(captured).unwrap_or_default()
}

/// The inverse of [`encode_captured`]; nothing for bytes that it did not make.
#[must_use]
pub fn decode_captured(bytes: &[u8]) -> Option<Captured> {
    postcard::from_bytes(bytes).ok()
}

/// Kind and payload of an event.
#[must_use]
pub fn encode_event(event: &Event) -> (u8, Bytes) {
    let mut payload = Vec::new();
    let kind = match event.source {
        EventSource::Pin(pin) => {
            payload.push(pin);
            PIN
        }
        EventSource::Timer => TIMER,
    };
    payload.extend_from_slice(&event.handler.to_le_bytes());
    (kind, Bytes(payload))
}

/// The inverse of [`encode_event`]; nothing for what it did not make.
#[must_use]
pub fn decode_event(kind: u8, payload: &[u8]) -> Option<Event> {
    let (source, handler) = match (kind, payload) {
        (PIN, [pin, handler @ ..]) => (EventSource::Pin(*pin), handler),
        (TIMER, handler) => (EventSource::Timer, handler),
        _ => return None,
    };
    let handler = u32::from_le_bytes(handler.try_into().ok()?);
    Some(Event { source, handler })
}
