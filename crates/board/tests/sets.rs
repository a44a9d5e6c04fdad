//! Codomains as sets of numbers: floats by size, zeros alike, and what is no number in none.

#![cfg(feature = "host")]

use borges_board::{Board, BoardState, Codomain};
use borges_vm::{ValType, Value};

fn f32s(v: f32) -> Value {
    Value::F32(v.to_bits())
}

fn f64s(v: f64) -> Value {
    Value::F64(v.to_bits())
}

/// The numbers as values of each type that has them.
fn as_values(numbers: &[f64]) -> Vec<(ValType, Vec<Value>)> {
    let all = |value: fn(f64) -> Value| numbers.iter().copied().map(value).collect();
    vec![
        (ValType::I32, all(|v| Value::I32(v as i32))),
        (ValType::I64, all(|v| Value::I64(v as i64))),
        (ValType::F32, all(|v| f32s(v as f32))),
        (ValType::F64, all(f64s)),
    ]
}

const NUMBERS: [f64; 9] = [-2e9, -1000.0, -3.0, -1.0, 0.0, 1.0, 3.0, 1000.0, 2e9];

#[test]
fn sets_are_of_what_lies_between_and_beside() {
    for (ty, values) in as_values(&NUMBERS) {
        for (low, min) in values.iter().enumerate() {
            for (high, max) in values.iter().enumerate() {
                let range = Codomain::range(*min, *max);
                assert_eq!(range.ty(), ty);
                assert_eq!(range.is_empty(), low > high, "{range}");
                let negative = Codomain::range(values[0], values[3]);
                let ends = Codomain::set(ty, &[*min, *max]);
                for (at, value) in values.iter().enumerate() {
                    let within = (low..=high).contains(&at);
                    assert_eq!(range.contains(*value), within, "{value} in {range}");
                    assert_eq!(ends.contains(*value), at == low || at == high, "{ends}");
                    let both = range.intersect(&negative);
                    assert_eq!(
                        both.contains(*value),
                        within && at <= 3,
                        "{value} in {both}"
                    );
                    // What is nearest is the value itself, or the end on its side.
                    let nearest = (low <= high).then(|| values[at.clamp(low, high)]);
                    assert_eq!(range.nearest(*value), nearest, "{value} to {range}");
                }
            }
        }
        let all = Codomain::range(values[0], values[8]);
        assert!(!all.contains(Value::FuncRef(None)), "of another type");
    }
}

#[test]
fn zeros_are_alike_and_what_is_no_number_is_in_no_range() {
    for (zeros, nan, infinities) in [
        (
            [f32s(0.0), f32s(-0.0)],
            f32s(f32::NAN),
            [f32s(f32::NEG_INFINITY), f32s(f32::INFINITY)],
        ),
        (
            [f64s(0.0), f64s(-0.0)],
            f64s(f64::NAN),
            [f64s(f64::NEG_INFINITY), f64s(f64::INFINITY)],
        ),
    ] {
        let ty = nan.ty();
        let everything = Codomain::range(infinities[0], infinities[1]);
        let any = Codomain::Full(ty);
        assert!(any.contains(nan) && !everything.contains(nan));
        for value in zeros.into_iter().chain(infinities) {
            assert!(everything.contains(value) && any.contains(value), "{value}");
            assert!(!Codomain::range(zeros[0], nan).contains(nan), "{value}");
        }
        for zero in zeros {
            assert!(Codomain::set(ty, &zeros[..1]).contains(zero), "{zero}");
            assert!(
                Codomain::range(infinities[0], zeros[1]).contains(zero),
                "{zero}"
            );
        }
        // Neighbours of zero on both sides are there, in order.
        let (small, least): (Vec<Value>, _) = match ty {
            ValType::F32 => (
                vec![
                    f32s(-f32::from_bits(2)),
                    f32s(-f32::from_bits(1)),
                    f32s(0.0),
                    f32s(f32::from_bits(1)),
                ],
                f32s(-f32::from_bits(2)),
            ),
            _ => (
                vec![
                    f64s(-f64::from_bits(2)),
                    f64s(-f64::from_bits(1)),
                    f64s(0.0),
                    f64s(f64::from_bits(1)),
                ],
                f64s(-f64::from_bits(2)),
            ),
        };
        let around = Codomain::range(least, small[3]);
        assert_eq!(around.values().collect::<Vec<_>>(), small, "{around}");
        assert_eq!(around.count(), Some(4));
    }
}

#[test]
fn readings_change_by_at_most_so_much_in_every_type() {
    for (ty, by) in [
        ("i32", "1000"),
        ("i64", "1000"),
        ("f32", "1000.0"),
        ("f64", "1000.0"),
    ] {
        let text = format!(
            "rules = [\"readings of x() change by at most {by} between two reads\"]\n[[primitive]]\nname = \"x\"\nresult = \"{ty}\"\nkind = \"input\"\ncodomain = \"any\""
        );
        let board = Board::parse("board.toml", &text).unwrap_or_else(|error| panic!("{error}"));
        let id = board.named("env", "x").next().expect("it is declared");
        let mut state = BoardState::new(&board);
        let (_, values) = as_values(&[-1000.0, 0.0, 1.0, 999.0, 1000.0, 1001.0, 2001.0])
            .into_iter()
            .find(|(other, _)| other.to_string() == ty)
            .expect("each is a type of numbers");
        assert!(
            values
                .iter()
                .all(|v| board.codomain_at(id, &[], &state).contains(*v))
        );
        state.observe(&board, id, &[], values[4]);
        let codomain = board.codomain_at(id, &[], &state);
        let within = values.iter().map(|v| codomain.contains(*v));
        assert_eq!(
            within.collect::<Vec<_>>(),
            [false, true, true, true, true, true, false],
            "{codomain}"
        );
    }
}
