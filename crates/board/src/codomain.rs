//! Codomains: the sets of values that an input may answer.

use alloc::{collections::BinaryHeap, string::String, vec::Vec};
use core::fmt;

use borges_vm::{ValType, Value};

/// The set of values that an input may answer. Integers count as signed; a float range has no NaN in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Codomain {
    /// Every value of the type.
    Full(ValType),
    /// All values from `min` to `max`, both included.
    Range {
        /// The least value.
        min: Value,
        /// The greatest value.
        max: Value,
    },
    /// All values in any of these closed intervals, which are in order and do not touch. None at all: no value fits.
    Union(ValType, Vec<(Value, Value)>),
    /// A clock: no value before the last reading. [`crate::Board::codomain_at`] turns it into a range.
    NotBeforeLast(ValType),
}

impl Codomain {
    /// The values from `min` to `max`; of two types, or the wrong way round: nothing.
    pub fn range(min: Value, max: Value) -> Self {
        if min.ty() != max.ty() {
            return Self::nothing(min.ty());
        }
        Self::from_keys(min.ty(), Vec::from([(key(min), key(max))]))
    }

    /// Exactly these values. Those that have another type than `ty` are left out.
    pub fn set(ty: ValType, values: &[Value]) -> Self {
        let keys = values
            .iter()
            .filter(|v| v.ty() == ty)
            .map(|v| (key(*v), key(*v)))
            .collect();
        Self::from_keys(ty, keys)
    }

    /// The values that are in any of these closed intervals; those of another type than `ty` are left out.
    pub fn union(ty: ValType, intervals: impl IntoIterator<Item = (Value, Value)>) -> Self {
        let typed = intervals
            .into_iter()
            .filter(|(lo, hi)| lo.ty() == ty && hi.ty() == ty);
        Self::from_keys(ty, typed.map(|(lo, hi)| (key(lo), key(hi))).collect())
    }

    /// No value at all: what contradicting rules leave.
    pub fn nothing(ty: ValType) -> Self {
        Codomain::Union(ty, Vec::new())
    }

    /// The type of the values.
    pub fn ty(&self) -> ValType {
        match self {
            Codomain::Full(ty) | Codomain::Union(ty, _) | Codomain::NotBeforeLast(ty) => *ty,
            Codomain::Range { min, .. } => min.ty(),
        }
    }

    /// Whether `value` is one of the values.
    pub fn contains(&self, value: Value) -> bool {
        if value.ty() != self.ty() {
            return false;
        }
        match self {
            Codomain::Full(_) | Codomain::NotBeforeLast(_) => true,
            Codomain::Range { min, max } => (key(*min)..=key(*max)).contains(&key(value)),
            Codomain::Union(_, parts) => {
                let k = key(value);
                parts
                    .iter()
                    .any(|(lo, hi)| (key(*lo)..=key(*hi)).contains(&k))
            }
        }
    }

    /// Whether no value fits.
    pub fn is_empty(&self) -> bool {
        self.keys().is_empty()
    }

    /// The closed intervals that make up the set, in order. For floats NaN is in none of them.
    pub fn intervals(&self) -> Vec<(Value, Value)> {
        let ty = self.ty();
        self.keys()
            .into_iter()
            .map(|(lo, hi)| (unkey(ty, lo), unkey(ty, hi)))
            .collect()
    }

    /// How many values there are (a float's -0 and 0 count as one, NaN is not counted); `None` if more than 2^63.
    pub fn count(&self) -> Option<u64> {
        let total: i128 = self
            .keys()
            .iter()
            .map(|(lo, hi)| i128::from(*hi) - i128::from(*lo) + 1)
            .sum();
        i64::try_from(total).ok().map(i64::unsigned_abs)
    }

    /// The values that are in both sets. Of sets of different types: nothing.
    #[must_use]
    pub fn intersect(&self, other: &Codomain) -> Codomain {
        let ty = self.ty();
        if other.ty() != ty {
            return Self::nothing(ty);
        }
        if let Codomain::Full(_) = self {
            return other.clone();
        }
        if let Codomain::Full(_) = other {
            return self.clone();
        }
        let theirs = other.keys();
        let mut both = Vec::new();
        for (lo, hi) in self.keys() {
            both.extend(theirs.iter().map(|(l, h)| (lo.max(*l), hi.min(*h))));
        }
        Self::from_keys(ty, both)
    }

    /// The values of the type that are not in this set.
    #[must_use]
    pub fn complement(&self) -> Codomain {
        let ty = self.ty();
        let (least, greatest) = key_bounds(ty);
        let mut rest = Vec::new();
        let mut from = Some(least);
        for (lo, hi) in self.keys() {
            if let Some(f) = from.filter(|f| *f < lo) {
                rest.push((f, lo - 1));
            }
            from = (hi < greatest).then(|| hi + 1);
        }
        rest.extend(from.map(|f| (f, greatest)));
        Self::from_keys(ty, rest)
    }

    /// The value of the set that is nearest to `value` (of the same type), or the first one; `None` if the set is empty.
    pub fn nearest(&self, value: Value) -> Option<Value> {
        if self.contains(value) {
            return Some(value);
        }
        let ty = self.ty();
        let keys = self.keys();
        if value.ty() != ty {
            return keys.first().map(|(lo, _)| unkey(ty, *lo));
        }
        let k = key(value);
        keys.iter()
            .map(|(lo, hi)| k.clamp(*lo, *hi))
            .min_by_key(|candidate| i128::from(*candidate).abs_diff(i128::from(k)))
            .map(|nearest| unkey(ty, nearest))
    }

    /// The `n`-th value in order, from 0.
    pub fn nth(&self, mut n: u64) -> Option<Value> {
        for (lo, hi) in self.keys() {
            let size = i128::from(hi) - i128::from(lo) + 1;
            if i128::from(n) < size {
                return Some(unkey(self.ty(), lo.wrapping_add(n as i64)));
            }
            n -= size as u64;
        }
        None
    }

    /// The values in order, each once.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        let ty = self.ty();
        let keys = self.keys().into_iter();
        keys.flat_map(|(lo, hi)| lo..=hi)
            .map(move |key| unkey(ty, key))
    }

    /// Says the set in words: `0..4095`, `0 or 1`, `any i32`.
    pub fn describe(&self) -> String {
        alloc::format!("{self}")
    }

    fn keys(&self) -> Vec<(i64, i64)> {
        match self {
            Codomain::Full(ty) | Codomain::NotBeforeLast(ty) => Vec::from([key_bounds(*ty)]),
            Codomain::Range { min, max } if key(*min) <= key(*max) => {
                Vec::from([(key(*min), key(*max))])
            }
            Codomain::Range { .. } => Vec::new(),
            Codomain::Union(_, parts) => {
                parts.iter().map(|(lo, hi)| (key(*lo), key(*hi))).collect()
            }
        }
    }

    /// Sorts, joins what touches, drops what is empty, and picks the simplest form.
    fn from_keys(ty: ValType, mut parts: Vec<(i64, i64)>) -> Self {
        let (least, greatest) = key_bounds(ty);
        parts.retain_mut(|(lo, hi)| {
            *lo = (*lo).max(least);
            *hi = (*hi).min(greatest);
            lo <= hi
        });
        let mut joined: Vec<(i64, i64)> = Vec::new();
        // A heap sorts with a tenth of the code of `sort`: devices have this, too.
        for (lo, hi) in BinaryHeap::from(parts).into_sorted_vec() {
            match joined.last_mut() {
                Some((_, end)) if lo <= end.saturating_add(1) => *end = (*end).max(hi),
                _ => joined.push((lo, hi)),
            }
        }
        match joined.as_slice() {
            // A float range of everything still has no NaN in it: not the same as `Full`.
            [(lo, hi)] if (*lo, *hi) == (least, greatest) && !is_float(ty) => Codomain::Full(ty),
            [(lo, hi)] => Codomain::Range {
                min: unkey(ty, *lo),
                max: unkey(ty, *hi),
            },
            _ => Codomain::Union(
                ty,
                joined
                    .iter()
                    .map(|(lo, hi)| (unkey(ty, *lo), unkey(ty, *hi)))
                    .collect(),
            ),
        }
    }
}

impl fmt::Display for Codomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Codomain::Full(ty) => write!(f, "any {ty}"),
            Codomain::NotBeforeLast(_) => f.write_str("not before the last reading"),
            Codomain::Range { .. } | Codomain::Union(..) => {
                let parts = self.intervals();
                if parts.is_empty() {
                    return f.write_str("no value");
                }
                let adjacent = |lo: &Value, hi: &Value| {
                    key(*hi).wrapping_sub(key(*lo)) == 1 && !is_float(self.ty())
                };
                let mut words: Vec<String> = Vec::new();
                for (lo, hi) in &parts {
                    if lo == hi {
                        words.push(alloc::format!("{lo}"));
                    } else if adjacent(lo, hi) {
                        words.push(alloc::format!("{lo}"));
                        words.push(alloc::format!("{hi}"));
                    } else {
                        words.push(alloc::format!("{lo}..{hi}"));
                    }
                }
                let last = words.pop().unwrap_or_default();
                if words.is_empty() {
                    f.write_str(&last)
                } else {
                    write!(f, "{} or {last}", words.join(", "))
                }
            }
        }
    }
}

fn is_float(ty: ValType) -> bool {
    matches!(ty, ValType::F32 | ValType::F64)
}

/// An integer that orders values of one type as they should: floats by size, with -0 as 0, and NaN past infinity.
fn key(value: Value) -> i64 {
    match value {
        Value::I32(v) => i64::from(v),
        Value::I64(v) => v,
        Value::F32(bits) if f32::from_bits(bits).is_nan() => i64::MAX,
        Value::F64(bits) if f64::from_bits(bits).is_nan() => i64::MAX,
        // Both zeros get key 0; the rest of a float's bits, as sign and magnitude, are already in order.
        Value::F32(bits) => {
            let magnitude = i64::from(bits & 0x7fff_ffff);
            if bits >> 31 == 0 {
                magnitude
            } else {
                -magnitude
            }
        }
        Value::F64(bits) => {
            let magnitude = (bits & (u64::MAX >> 1)) as i64;
            if bits >> 63 == 0 {
                magnitude
            } else {
                -magnitude
            }
        }
        Value::FuncRef(None) | Value::ExternRef(None) => -1,
        Value::FuncRef(Some(i)) | Value::ExternRef(Some(i)) => i64::from(i),
        // No input is a vector or an exception: they all count as one.
        Value::V128(_) | Value::ExnRef(_) => 0,
    }
}

fn unkey(ty: ValType, key: i64) -> Value {
    let reference = u32::try_from(key).ok();
    match ty {
        ValType::I32 => Value::I32(key as i32),
        ValType::I64 => Value::I64(key),
        ValType::F32 => Value::F32(if key < 0 {
            1 << 31 | key.unsigned_abs() as u32
        } else {
            key as u32
        }),
        ValType::F64 => Value::F64(if key < 0 {
            1 << 63 | key.unsigned_abs()
        } else {
            key as u64
        }),
        ValType::FuncRef => Value::FuncRef(reference),
        ValType::ExternRef => Value::ExternRef(reference),
        ValType::V128 | ValType::ExnRef => Value::default_of(ty),
    }
}

/// The keys of the least and the greatest value of a type (infinities for floats).
fn key_bounds(ty: ValType) -> (i64, i64) {
    match ty {
        ValType::I32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        ValType::I64 => (i64::MIN, i64::MAX),
        ValType::F32 => (
            key(Value::F32(f32::NEG_INFINITY.to_bits())),
            key(Value::F32(f32::INFINITY.to_bits())),
        ),
        ValType::F64 => (
            key(Value::F64(f64::NEG_INFINITY.to_bits())),
            key(Value::F64(f64::INFINITY.to_bits())),
        ),
        ValType::FuncRef | ValType::ExternRef => (-1, i64::from(u32::MAX)),
        ValType::V128 | ValType::ExnRef => (0, 0),
    }
}

/// Whether a value is a float that is no number, which no interval contains.
pub(crate) fn is_nan(value: Value) -> bool {
    match value {
        Value::F32(bits) => f32::from_bits(bits).is_nan(),
        Value::F64(bits) => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn i(v: i32) -> Value {
        Value::I32(v)
    }

    fn f(v: f32) -> Value {
        Value::F32(v.to_bits())
    }

    #[test]
    fn words() {
        let check = |c: Codomain, words: &str| assert_eq!(c.describe(), words);
        check(Codomain::range(i(0), i(4095)), "0..4095");
        check(Codomain::range(i(0), i(1)), "0 or 1");
        check(
            Codomain::set(ValType::I32, &[i(7), i(1), i(3)]),
            "1, 3 or 7",
        );
        check(
            Codomain::set(ValType::I32, &[i(5), i(4), i(9), i(6)]),
            "4..6 or 9",
        );
        check(Codomain::range(i(1), i(0)), "no value");
        check(Codomain::range(i(i32::MIN), i(i32::MAX)), "any i32");
        check(Codomain::range(f(-0.5), f(1.0)), "-0.5..1.0");
    }

    #[test]
    fn floats_compare_by_size() {
        let c = Codomain::range(f(-1.0), f(2.0));
        for inside in [-1.0, -0.0, 0.0, f32::MIN_POSITIVE, 2.0] {
            assert!(c.contains(f(inside)), "{inside}");
        }
        for outside in [-1.000_1, 2.000_1, f32::INFINITY, f32::NAN, -f32::NAN] {
            assert!(!c.contains(f(outside)), "{outside}");
        }
        let all = Codomain::range(f(f32::NEG_INFINITY), f(f32::INFINITY));
        assert!(all.contains(f(f32::INFINITY)) && !all.contains(f(f32::NAN)));
        assert!(Codomain::Full(ValType::F32).contains(f(f32::NAN)));
    }

    #[test]
    fn nearest_is_the_closer_side() {
        let c = Codomain::set(ValType::I32, &[i(0), i(10), i(20)]);
        assert_eq!(c.nearest(i(14)), Some(i(10)));
        assert_eq!(c.nearest(i(16)), Some(i(20)));
        assert_eq!(c.nearest(i(-5)), Some(i(0)));
        assert_eq!(
            c.nearest(Value::I64(3)),
            Some(i(0)),
            "another type: the first value"
        );
        assert_eq!(Codomain::nothing(ValType::I32).nearest(i(0)), None);
    }

    #[test]
    fn extremes_do_not_overflow() {
        let all = Codomain::range(Value::I64(i64::MIN), Value::I64(i64::MAX));
        assert_eq!(all, Codomain::Full(ValType::I64));
        assert_eq!(all.count(), None);
        assert!(all.complement().is_empty());
        assert_eq!(all.nth(0), Some(Value::I64(i64::MIN)));
        assert_eq!(all.nth(u64::MAX), Some(Value::I64(i64::MAX)));
        let most = Codomain::set(ValType::I64, &[Value::I64(0)]).complement();
        assert!(!most.contains(Value::I64(0)) && most.contains(Value::I64(i64::MAX)));
        assert_eq!(most.nearest(Value::I64(0)), Some(Value::I64(-1)));
    }

    /// Set operations agree with membership, value by value.
    #[test]
    fn set_laws_on_small_sets() {
        let sets: Vec<Codomain> = (0..64u32)
            .map(|bits| {
                let members: Vec<Value> = (0..6).filter(|b| bits >> b & 1 == 1).map(i).collect();
                Codomain::set(ValType::I32, &members)
            })
            .collect();
        for (bits, a) in sets.iter().enumerate() {
            assert_eq!(a.count(), Some(u64::from((bits as u32).count_ones())));
            assert_eq!(a.complement().complement(), *a);
            assert_eq!(
                (0..).map_while(|n| a.nth(n)).count(),
                bits.count_ones() as usize
            );
            for b in &sets {
                let both = a.intersect(b);
                for v in (-1..8).map(i) {
                    assert_eq!(both.contains(v), a.contains(v) && b.contains(v));
                    assert_eq!(a.complement().contains(v), !a.contains(v));
                }
            }
        }
    }
}
