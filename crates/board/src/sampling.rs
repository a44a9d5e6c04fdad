//! Sampling: which values stand for an input whose codomain is too large to try them all.

use alloc::vec::Vec;

use borges_vm::{ValType, Value};

use crate::codomain::is_nan;
use crate::{Codomain, GOLDEN, mix};

/// How to pick representative values of a codomain.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Sampling {
    /// Both ends of every interval, their neighbours, zero and one, and the middle.
    #[default]
    Boundaries,
    /// So many values at equal distances, both ends included.
    Evenly(u32),
    /// The powers of two within, of both signs, and zero.
    PowersOfTwo,
    /// So many random values, from a seed.
    Random {
        /// How many.
        count: u32,
        /// The seed.
        seed: u64,
    },
    /// These values, as far as they are in the codomain.
    Values(Vec<Value>),
}

/// No more values than this, whatever a board file asks for.
const MOST: u64 = 1 << 16;

impl Sampling {
    /// The values that stand for `codomain`: in it, ascending, each once. If there are no more than `enough` values at
    /// all, these are all of them.
    pub fn values(&self, codomain: &Codomain, enough: u64) -> Vec<Value> {
        let ty = codomain.ty();
        let count = codomain.count();
        if count.is_some_and(|count| count <= enough.min(MOST)) {
            return codomain.values().collect();
        }
        let candidates = match self {
            Sampling::Boundaries => boundaries(codomain),
            Sampling::Evenly(n) => evenly(codomain, u64::from(*n).min(MOST)),
            Sampling::PowersOfTwo => powers_of_two(ty),
            Sampling::Random { count, seed } => {
                random(codomain, u64::from(*count).min(MOST), *seed)
            }
            Sampling::Values(values) => values.clone(),
        };
        let mut inside: Vec<Value> = candidates
            .into_iter()
            .filter(|v| codomain.contains(*v))
            .collect();
        if inside.is_empty() {
            inside.extend(codomain.nth(0));
        }
        // Through the set and back: in order, without doubles. NaN, which no interval contains, goes last.
        let distinct = Codomain::set(ty, &inside);
        let mut values: Vec<Value> = distinct.values().take(inside.len()).collect();
        values.extend(inside.iter().find(|value| is_nan(**value)));
        values
    }
}

fn boundaries(codomain: &Codomain) -> Vec<Value> {
    let ty = codomain.ty();
    let mut values = Vec::new();
    for (lo, hi) in codomain.intervals() {
        let part = Codomain::range(lo, hi);
        let last = part
            .count()
            .map_or(u64::MAX, |count| count.saturating_sub(1));
        let places = [0, 1, last / 2 + last % 2, last.saturating_sub(1), last];
        values.extend(places.iter().filter_map(|n| part.nth(*n)));
    }
    values.extend([-1, 0, 1].map(|n| small(ty, n)));
    values
}

fn evenly(codomain: &Codomain, n: u64) -> Vec<Value> {
    let last = codomain.count().map_or(u64::MAX, |c| c.saturating_sub(1));
    let gaps = n.saturating_sub(1).max(1);
    (0..n)
        .filter_map(|i| codomain.nth((u128::from(last) * u128::from(i) / u128::from(gaps)) as u64))
        .collect()
}

fn powers_of_two(ty: ValType) -> Vec<Value> {
    let mut values = Vec::from([small(ty, 0)]);
    // The least number of a type is a power of two of which the positive one is too large for it.
    let powers = (0..64).flat_map(|bit| [1_i128 << bit, -(1_i128 << bit)]);
    values.extend(powers.filter_map(|power| match ty {
        ValType::I32 => i32::try_from(power).ok().map(Value::I32),
        ValType::I64 => i64::try_from(power).ok().map(Value::I64),
        ValType::F32 => Some(Value::F32((power as f32).to_bits())),
        ValType::F64 => Some(Value::F64((power as f64).to_bits())),
        ValType::FuncRef | ValType::ExternRef | ValType::V128 | ValType::ExnRef => None,
    }));
    values
}

fn random(codomain: &Codomain, n: u64, seed: u64) -> Vec<Value> {
    let count = codomain.count().unwrap_or(u64::MAX).max(1);
    (0..n)
        .filter_map(|i| codomain.nth(mix(seed.wrapping_add(i.wrapping_mul(GOLDEN))) % count))
        .collect()
}

fn small(ty: ValType, n: i32) -> Value {
    match ty {
        ValType::I32 => Value::I32(n),
        ValType::I64 => Value::I64(i64::from(n)),
        ValType::F32 => Value::F32((n as f32).to_bits()),
        ValType::F64 => Value::F64(f64::from(n).to_bits()),
        ValType::FuncRef => Value::FuncRef(None),
        ValType::ExternRef => Value::ExternRef(None),
        ValType::V128 | ValType::ExnRef => Value::default_of(ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(values: Vec<Value>) -> Vec<i64> {
        values
            .into_iter()
            .map(|v| match v {
                Value::I32(v) => i64::from(v),
                Value::I64(v) => v,
                other => panic!("{other}"),
            })
            .collect()
    }

    #[test]
    fn small_codomains_are_tried_in_full() {
        let dice = Codomain::range(Value::I32(1), Value::I32(6));
        assert_eq!(
            ints(Sampling::Boundaries.values(&dice, 16)),
            [1, 2, 3, 4, 5, 6]
        );
    }

    #[test]
    fn large_ones_by_strategy() {
        let analog = Codomain::range(Value::I32(0), Value::I32(4095));
        let check =
            |s: Sampling, expected: &[i64]| assert_eq!(ints(s.values(&analog, 16)), expected);
        check(Sampling::Boundaries, &[0, 1, 2048, 4094, 4095]);
        check(Sampling::Evenly(4), &[0, 1365, 2730, 4095]);
        check(Sampling::Evenly(1), &[0]);
        check(
            Sampling::PowersOfTwo,
            &[0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048],
        );
        check(
            Sampling::Values(Vec::from([9, 5, 5, 5000].map(Value::I32))),
            &[5, 9],
        );
        check(Sampling::Values(Vec::new()), &[0]);
        check(Sampling::Evenly(0), &[0]);
    }

    #[test]
    fn the_least_number_is_a_power_of_two() {
        let all = |ty| ints(Sampling::PowersOfTwo.values(&Codomain::Full(ty), 16));
        let (narrow, wide) = (all(ValType::I32), all(ValType::I64));
        assert_eq!((narrow.len(), wide.len()), (64, 128));
        assert_eq!((narrow[0], narrow[63]), (i64::from(i32::MIN), 1_i64 << 30));
        assert_eq!((wide[0], wide[127]), (i64::MIN, 1 << 62));
    }

    #[test]
    fn every_type_and_strategy_stays_inside() {
        let one = |v: f64| Value::F64(v.to_bits());
        let codomains = [
            Codomain::Full(ValType::I32),
            Codomain::Full(ValType::I64),
            Codomain::Full(ValType::F32),
            Codomain::Full(ValType::F64),
            Codomain::Full(ValType::FuncRef),
            Codomain::range(one(-20.0), one(160.0)),
            Codomain::set(ValType::I64, &[Value::I64(i64::MIN), Value::I64(7)]).complement(),
            Codomain::nothing(ValType::I32),
        ];
        let random = Sampling::Random { count: 50, seed: 3 };
        for codomain in codomains {
            for sampling in [
                Sampling::Boundaries,
                Sampling::Evenly(9),
                Sampling::PowersOfTwo,
                random.clone(),
            ] {
                let values = sampling.values(&codomain, 4);
                assert!(
                    values.iter().all(|v| codomain.contains(*v)),
                    "{codomain}: {values:?}"
                );
                assert_eq!(values.is_empty(), codomain.is_empty());
                assert_eq!(values, sampling.values(&codomain, 4), "the same every time");
            }
        }
    }
}
