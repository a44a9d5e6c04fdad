//! Whatever an entry holds comes back.

use borges_store::*;
use proptest::prelude::*;

use super::add_program;

fn value() -> impl Strategy<Value = KeptValue> {
    let special = [
        f64::NAN,
        -f64::NAN,
        -0.0,
        0.0,
        f64::INFINITY,
        f64::MIN_POSITIVE,
        1e-310,
        0.1,
    ];
    prop_oneof![
        any::<i32>().prop_map(KeptValue::I32),
        any::<i64>().prop_map(KeptValue::I64),
        any::<u32>().prop_map(KeptValue::F32),
        any::<u64>().prop_map(KeptValue::F64),
        prop::sample::select(special.to_vec()).prop_map(|x| KeptValue::F64(x.to_bits())),
        prop::sample::select(special.to_vec()).prop_map(|x| KeptValue::F32((x as f32).to_bits())),
        any::<f32>().prop_map(|x| KeptValue::F32(x.to_bits())),
        any::<f64>().prop_map(|x| KeptValue::F64(x.to_bits())),
        any::<Option<u32>>().prop_map(KeptValue::FuncRef),
        any::<Option<u32>>().prop_map(KeptValue::ExternRef),
    ]
}

fn entry() -> impl Strategy<Value = KeptEntry> {
    let kind = prop_oneof![
        Just(EntryKind::Input),
        Just(EntryKind::Output),
        Just(EntryKind::Event)
    ];
    let arguments = prop::collection::vec(value(), 0..4);
    let data = prop::collection::vec(any::<u8>(), 0..20);
    (
        0..1u64 << 62,
        kind,
        any::<u16>(),
        arguments,
        prop::option::of(value()),
        data,
        any::<bool>(),
    )
        .prop_map(
            |(steps, kind, subject, arguments, value, data, mocked)| KeptEntry {
                steps,
                kind,
                subject,
                arguments,
                value,
                data,
                mocked,
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_entries_come_back_bit_for_bit(
        mut entries in prop::collection::vec(entry(), 1..50),
        cuts in prop::collection::vec(1..20usize, 50),
    ) {
        entries.sort_by_key(|entry| entry.steps);
        let store = Store::in_memory().unwrap();
        let upload = add_program(&store);
        let mut rest = entries.as_slice();
        for cut in cuts {
            let (now, later) = rest.split_at(cut.min(rest.len()));
            store.append(upload, 0, now).unwrap();
            if cut % 3 == 0 {
                store.flush().unwrap();
            }
            rest = later;
        }
        prop_assert_eq!(store.entries(upload, 0, 0..u32::MAX).unwrap(), entries);
    }
}
