//! Messages and traces survive the trip, and hostile ones harm nobody.
#![allow(clippy::unwrap_used)] // A test may give up.

use borges_wire::*;
use proptest::prelude::*;

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i32>().prop_map(Value::I32),
        (0..8192).prop_map(Value::I32),
        any::<i64>().prop_map(Value::I64),
        any::<u32>().prop_map(Value::F32),
        any::<u64>().prop_map(Value::F64),
        any::<Option<u32>>().prop_map(Value::FuncRef),
        any::<Option<u32>>().prop_map(Value::ExternRef),
    ]
}

fn kind() -> impl Strategy<Value = RecordKind> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..300).prop_map(Bytes);
    prop_oneof![
        4 => value().prop_map(RecordKind::Input),
        1 => (value(), bytes()).prop_map(|(value, bytes)| RecordKind::Filled(value, bytes)),
        1 => bytes().prop_map(RecordKind::Captured),
        1 => (any::<u8>(), bytes()).prop_map(|(kind, payload)| RecordKind::Event { kind, payload }),
        1 => Just(RecordKind::Pause),
    ]
}

/// Records in order, with gaps of all sizes.
fn records() -> impl Strategy<Value = (u64, Vec<Record>)> {
    let gap = prop_oneof![0..2u64, 0..20_000u64, 0..1u64 << 40];
    (0..1u64 << 50, prop::collection::vec((gap, kind()), 1..60)).prop_map(|(start, parts)| {
        let mut end = start;
        let records = parts.into_iter().map(|(gap, kind)| {
            let steps = end + gap;
            let call = !matches!(kind, RecordKind::Event { .. } | RecordKind::Pause);
            end = steps + u64::from(call);
            Record { steps, kind }
        });
        (start, records.collect())
    })
}

fn is_truncated(error: TraceError) -> bool {
    matches!(error, TraceError::Truncated { .. })
}

proptest! {
    #[test]
    fn a_trace_comes_out_as_it_went_in(
        (start, records) in records(),
        cuts in prop::collection::vec(any::<bool>(), 60),
    ) {
        let mut encoder = TraceEncoder::new(start, 7);
        let mut batches = Vec::new();
        for (record, &cut) in records.iter().zip(&cuts) {
            encoder.push(record).unwrap();
            if cut {
                batches.extend(encoder.take());
            }
        }
        batches.extend(encoder.take());
        prop_assert_eq!(encoder.take(), None);
        let mut decoded = Vec::new();
        for batch in &batches {
            prop_assert_eq!(batch.first, 7 + decoded.len() as u64);
            for record in TraceDecoder::new(batch.base, &batch.bytes) {
                decoded.push(record.unwrap());
            }
        }
        prop_assert_eq!(encoder.next_record(), 7 + records.len() as u64);
        prop_assert_eq!(decoded, records);
    }

    #[test]
    fn a_cut_trace_says_so((start, records) in records(), cut in 0.0..1.0f64) {
        let mut encoder = TraceEncoder::new(start, 0);
        records.iter().for_each(|record| encoder.push(record).unwrap());
        let waits = encoder.len();
        let bytes: Vec<u8> = encoder.take().unwrap().bytes.into();
        prop_assert_eq!(bytes.len(), waits);
        let cut = (cut * bytes.len() as f64) as usize;
        let mut decoded = 0;
        for record in TraceDecoder::new(start, &bytes[..cut]) {
            match record {
                Ok(record) => prop_assert_eq!(&record, &records[decoded]),
                Err(error) => prop_assert!(is_truncated(error)),
            }
            decoded += 1;
        }
        prop_assert!(decoded <= records.len());
    }

    #[test]
    fn hostile_traces_give_errors_and_equal_traces_are_equal_bytes(
        base in any::<u64>(),
        bytes in prop::collection::vec(prop_oneof![0..9u8, any::<u8>()], 0..200),
    ) {
        let mut decoder = TraceDecoder::new(base, &bytes);
        let decoded: Result<Vec<_>, _> = decoder.by_ref().collect();
        prop_assert!(decoder.next().is_none());
        if let Ok(records) = decoded {
            let mut encoder = TraceEncoder::new(base, 0);
            for record in &records {
                encoder.push(record).unwrap();
            }
            prop_assert_eq!(encoder.take().map(|batch| batch.bytes.0).unwrap_or_default(), bytes);
        }
    }

    #[test]
    fn hostile_messages_give_errors(bytes in prop::collection::vec(prop_oneof![0..20u8, any::<u8>()], 0..200)) {
        // Decoding must not panic; what decodes must encode again.
        if let Ok(message) = ToDevice::from_bytes(&bytes) {
            prop_assert_eq!(ToDevice::from_bytes(&message.to_bytes()), Ok(message));
        }
        if let Ok(message) = ToHost::from_bytes(&bytes) {
            prop_assert_eq!(ToHost::from_bytes(&message.to_bytes()), Ok(message));
        }
    }
}

#[test]
fn a_small_input_takes_four_bytes_at_most() {
    for gap in [0, 1, 126, 127, 16_382] {
        for value in [0, 1, -1, 63, 64, 4095, 8191, -8192] {
            let mut encoder = TraceEncoder::new(1000, 0);
            let kind = RecordKind::Input(Value::I32(value));
            encoder
                .push(&Record {
                    steps: 1000 + gap,
                    kind,
                })
                .unwrap();
            assert!(encoder.len() <= 4, "{gap} {value}: {}", encoder.len());
        }
    }
}

#[test]
fn a_record_before_the_last_one_is_refused() {
    let mut encoder = TraceEncoder::new(10, 0);
    let input = |steps| Record {
        steps,
        kind: RecordKind::Input(Value::I32(1)),
    };
    assert!(encoder.push(&input(9)).is_err());
    encoder.push(&input(10)).unwrap();
    assert!(
        encoder.push(&input(10)).is_err(),
        "the call at 10 takes a step"
    );
    encoder
        .push(&Record {
            steps: 11,
            kind: RecordKind::Pause,
        })
        .unwrap();
    encoder
        .push(&Record {
            steps: 11,
            kind: RecordKind::Pause,
        })
        .unwrap();
    assert!(encoder.push(&input(u64::MAX)).is_err());
    assert_eq!(encoder.next_record(), 3);
}

#[test]
fn a_batch_without_records_says_how_far_the_program_came() {
    let mut encoder = TraceEncoder::new(10, 3);
    assert_eq!(encoder.reach(109, 100), None);
    let batch = encoder.reach(110, 100).unwrap();
    assert_eq!((batch.first, batch.base), (3, 10 + 100));
    assert_eq!(TraceDecoder::new(batch.base, &batch.bytes.0).end(), 110);
    // That is known now.
    assert_eq!(encoder.reach(110, 0), None);
    encoder
        .push(&Record {
            steps: 120,
            kind: RecordKind::Input(Value::I32(1)),
        })
        .unwrap();
    assert_eq!(encoder.reach(1000, 100), None, "the record comes first");
    let batch = encoder.take().unwrap();
    assert_eq!((batch.first, batch.base), (3, 110));
    assert_eq!(encoder.next_record(), 4);
}

#[test]
fn comparisons_need_equal_types() {
    use Comparison::*;
    assert!(Less.holds(Value::I32(-1), Value::I32(0)));
    assert!(!Less.holds(Value::I64(-1), Value::I32(0)));
    assert!(!NotEqual.holds(Value::I64(-1), Value::I32(0)));
    let nan = Value::F32(f32::NAN.to_bits());
    assert!(NotEqual.holds(nan, nan) && !Equal.holds(nan, nan) && !AtMost.holds(nan, nan));
    assert!(Equal.holds(Value::F64(0), Value::F64((-0.0f64).to_bits())));
    assert!(Equal.holds(Value::FuncRef(None), Value::FuncRef(None)));
    assert!(!Less.holds(Value::FuncRef(Some(1)), Value::FuncRef(Some(2))));
}

#[test]
fn a_list_cannot_claim_more_than_the_message_holds() {
    let mut bytes = ToDevice {
        epoch: Epoch(0),
        id: RequestId(0),
        command: Command::SetBreakpoints(vec![1, 2, 3]),
    }
    .to_bytes();
    let length = bytes.len() - 4;
    assert_eq!(bytes[length], 3);
    bytes.splice(length..=length, [0xff, 0xff, 0xff, 0xff, 0x0f]);
    assert_eq!(ToDevice::from_bytes(&bytes), Err(message::DecodeError));
}

#[test]
fn content_hashes_do_not_depend_on_the_chunks() {
    let bytes: Vec<u8> = (0..=255).collect();
    let mut hasher = message::ContentHasher::default();
    bytes.chunks(7).for_each(|chunk| hasher.update(chunk));
    assert_eq!(hasher.finish(), ContentHash::of(&bytes));
    assert_ne!(ContentHash::of(&bytes[1..]), ContentHash::of(&bytes));
}
