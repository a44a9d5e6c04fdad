//! Sets of values, as sorted intervals of cells.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::slice;
use std::sync::Arc;

use borges_board::Codomain;
use borges_vm::{ValType, Value};
use serde::{Deserialize, Serialize, Serializer};

/// A set of cells (bits of values, narrow ones zero-extended): closed intervals in order that do not touch.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Vec<(u64, u64)>")]
pub struct Set(Kept);

/// Most sets are one interval, and there are many of them: what threads would count together is kept by each for itself.
#[derive(Clone, Debug)]
enum Kept {
    None,
    One((u64, u64)),
    Many(Arc<[(u64, u64)]>),
}

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        self.intervals() == other.intervals()
    }
}

impl Eq for Set {}

impl Hash for Set {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.intervals().hash(state);
    }
}

impl PartialOrd for Set {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Set {
    fn cmp(&self, other: &Self) -> Ordering {
        self.intervals().cmp(other.intervals())
    }
}

impl Serialize for Set {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.intervals().serialize(serializer)
    }
}

/// What another process says is no set before it is in order.
impl From<Vec<(u64, u64)>> for Set {
    fn from(intervals: Vec<(u64, u64)>) -> Self {
        Set::of(intervals)
    }
}

impl Set {
    /// No value.
    #[must_use]
    pub fn empty() -> Self {
        Set(Kept::None)
    }

    /// One value.
    #[must_use]
    pub fn single(cell: u64) -> Self {
        Set(Kept::One((cell, cell)))
    }

    /// All cells from `low` to `high`; nothing if they are the wrong way round.
    #[must_use]
    pub fn range(low: u64, high: u64) -> Self {
        if low > high {
            return Self::empty();
        }
        Set(Kept::One((low, high)))
    }

    /// All cells of a type.
    #[must_use]
    pub fn all(ty: ValType) -> Self {
        Self::range(0, greatest(ty))
    }

    /// All cells that are not zero: what counts as true.
    #[must_use]
    pub fn nonzero() -> Self {
        Self::range(1, u64::MAX)
    }

    /// The union of closed intervals in any order.
    #[must_use]
    pub fn of(mut intervals: Vec<(u64, u64)>) -> Self {
        intervals.retain(|(low, high)| low <= high);
        intervals.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::with_capacity(intervals.len());
        for (low, high) in intervals {
            match joined.last_mut() {
                Some((_, end)) if low <= end.saturating_add(1) => *end = (*end).max(high),
                _ => joined.push((low, high)),
            }
        }
        Set::in_order(joined)
    }

    /// Intervals that are in order and do not touch.
    fn in_order(intervals: Vec<(u64, u64)>) -> Self {
        Set(match *intervals {
            [] => Kept::None,
            [one] => Kept::One(one),
            _ => Kept::Many(intervals.into()),
        })
    }

    /// The intervals, in order.
    #[must_use]
    pub fn intervals(&self) -> &[(u64, u64)] {
        match &self.0 {
            Kept::None => &[],
            Kept::One(one) => slice::from_ref(one),
            Kept::Many(all) => all,
        }
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.intervals().is_empty()
    }

    /// How many values there are.
    #[must_use]
    pub fn count(&self) -> u128 {
        self.intervals()
            .iter()
            .map(|(low, high)| u128::from(high - low) + 1)
            .sum()
    }

    /// The only value, if there is exactly one.
    #[must_use]
    pub fn only(&self) -> Option<u64> {
        match *self.intervals() {
            [(low, high)] if low == high => Some(low),
            _ => None,
        }
    }

    /// The least and the greatest cell.
    #[must_use]
    pub fn bounds(&self) -> Option<(u64, u64)> {
        Some((self.intervals().first()?.0, self.intervals().last()?.1))
    }

    /// Whether the cell is in it.
    #[must_use]
    pub fn contains(&self, cell: u64) -> bool {
        let after = self.intervals().partition_point(|(low, _)| *low <= cell);
        after
            .checked_sub(1)
            .and_then(|at| self.intervals().get(at))
            .is_some_and(|(_, high)| cell <= *high)
    }

    /// Whether all of `low..=high` is in it.
    #[must_use]
    pub fn covers(&self, low: u64, high: u64) -> bool {
        let after = self.intervals().partition_point(|(start, _)| *start <= low);
        after
            .checked_sub(1)
            .and_then(|at| self.intervals().get(at))
            .is_some_and(|(_, end)| high <= *end)
    }

    /// Whether any of `low..=high` is in it.
    #[must_use]
    pub fn touches(&self, low: u64, high: u64) -> bool {
        let at = self.intervals().partition_point(|(_, end)| *end < low);
        self.intervals()
            .get(at)
            .is_some_and(|(start, _)| *start <= high)
    }

    /// What is in both.
    #[must_use]
    pub fn intersect(&self, other: &Set) -> Set {
        if let (Kept::One(a), Kept::One(b)) = (&self.0, &other.0) {
            return Set::range(a.0.max(b.0), a.1.min(b.1));
        }
        let (mut a, mut b) = (
            self.intervals().iter().peekable(),
            other.intervals().iter().peekable(),
        );
        let mut both = Vec::new();
        while let (Some(&&(low_a, high_a)), Some(&&(low_b, high_b))) = (a.peek(), b.peek()) {
            let (low, high) = (low_a.max(low_b), high_a.min(high_b));
            if low <= high {
                both.push((low, high));
            }
            if high_a < high_b {
                a.next();
            } else {
                b.next();
            }
        }
        Set::in_order(both)
    }

    /// What is in either.
    #[must_use]
    pub fn union(&self, other: &Set) -> Set {
        let touch = |a: &(u64, u64), b: &(u64, u64)| a.0 <= b.1.saturating_add(1);
        match (&self.0, &other.0) {
            (Kept::None, _) => return other.clone(),
            (_, Kept::None) => return self.clone(),
            (Kept::One(a), Kept::One(b)) if touch(a, b) && touch(b, a) => {
                return Set::range(a.0.min(b.0), a.1.max(b.1));
            }
            (Kept::Many(a), Kept::Many(b)) if Arc::ptr_eq(a, b) => return self.clone(),
            _ => {}
        }
        Set::of(
            self.intervals()
                .iter()
                .chain(other.intervals().iter())
                .copied()
                .collect(),
        )
    }

    /// The cells of a type that are not in it.
    #[must_use]
    pub fn complement(&self, ty: ValType) -> Set {
        let mut rest = Vec::with_capacity(self.intervals().len() + 1);
        let mut from = Some(0);
        for (low, high) in self.intervals().iter() {
            if let Some(start) = from
                && start < *low
            {
                rest.push((start, low - 1));
            }
            from = high.checked_add(1);
        }
        if let Some(start) = from
            && start <= greatest(ty)
        {
            rest.push((start, greatest(ty)));
        }
        Set::in_order(rest)
    }

    /// What is in this one only.
    #[must_use]
    pub fn without(&self, other: &Set) -> Set {
        self.intersect(&other.complement(ValType::I64))
    }

    /// All values, in order.
    pub fn cells(&self) -> impl Iterator<Item = u64> + '_ {
        self.intervals().iter().flat_map(|(low, high)| *low..=*high)
    }

    /// The `n`-th value, from 0.
    #[must_use]
    pub fn nth(&self, mut n: u64) -> Option<u64> {
        for (low, high) in self.intervals().iter() {
            if n <= high - low {
                return Some(low + n);
            }
            n -= high - low + 1;
        }
        None
    }

    /// The whole numbers of a type from one to another, both included.
    pub(crate) fn whole(ty: ValType, low: i64, high: i64) -> Set {
        Set::of_codomain(&Codomain::range(of_whole(ty, low), of_whole(ty, high)))
    }

    /// The values that an input may answer.
    #[must_use]
    pub fn of_codomain(codomain: &Codomain) -> Set {
        let ty = codomain.ty();
        if let Codomain::Full(ty) | Codomain::NotBeforeLast(ty) = codomain {
            return Set::all(*ty);
        }
        let mut intervals = Vec::new();
        for (low, high) in codomain.intervals() {
            let (low, high) = (cell_of(low), cell_of(high));
            let sign = sign_bit(ty);
            match (low & sign != 0, high & sign != 0) {
                _ if sign == 0 => intervals.push((low, high)),
                (false, false) => {
                    intervals.push((low, high));
                    if is_float(ty) && low == 0 {
                        intervals.push((sign, sign));
                    }
                }
                // Negative integers count up, negative floats count down from the largest magnitude.
                (true, true) if is_float(ty) => intervals.push((high, low)),
                (true, true) => intervals.push((low, high)),
                (true, false) if is_float(ty) => intervals.extend([(sign, low), (0, high)]),
                (true, false) => intervals.extend([(low, greatest(ty)), (0, high)]),
                (false, true) => {}
            }
        }
        Set::of(intervals)
    }

    /// The values of a type that these cells are; as a codomain they are in the order of numbers.
    #[must_use]
    pub fn to_codomain(&self, ty: ValType) -> Codomain {
        if *self == Set::all(ty) {
            return Codomain::Full(ty);
        }
        let sign = sign_bit(ty);
        let mut parts = Vec::new();
        for &(low, high) in self.intervals().iter() {
            // Cut where the sign changes: a part is then in order, or in the reverse order.
            let halves = if sign != 0 && low < sign && high >= sign {
                vec![(low, sign - 1), (sign, high)]
            } else {
                vec![(low, high)]
            };
            for (low, high) in halves {
                let ends = (value_of(ty, low), value_of(ty, high));
                parts.push(if is_float(ty) && low & sign != 0 {
                    (ends.1, ends.0)
                } else {
                    ends
                });
            }
        }
        Codomain::union(ty, parts)
    }
}

fn is_float(ty: ValType) -> bool {
    matches!(ty, ValType::F32 | ValType::F64)
}

/// So many combinations of inputs are counted out, unless somebody wants it otherwise.
pub(crate) const MOST_COMBINATIONS: u128 = 1 << 16;

/// How many combinations of values several sets have.
pub(crate) fn combinations<'s>(sets: impl IntoIterator<Item = &'s Set>) -> u128 {
    let counts = sets.into_iter().map(Set::count);
    counts.fold(1, u128::saturating_mul)
}

/// The combination of this number, a value a set: those of the first set change fastest.
pub(crate) fn combination<'s>(
    sets: impl IntoIterator<Item = &'s Set>,
    mut number: u64,
) -> impl Iterator<Item = Option<u64>> {
    sets.into_iter().map(move |set| {
        let count = set.count() as u64;
        let cell = set.nth(number % count);
        number /= count;
        cell
    })
}

/// The greatest cell of a type.
pub(crate) fn greatest(ty: ValType) -> u64 {
    match ty {
        ValType::I32 | ValType::F32 => u64::from(u32::MAX),
        // A vector is never asked for: programs with some are refused.
        ValType::I64 | ValType::F64 | ValType::V128 => u64::MAX,
        ValType::FuncRef | ValType::ExternRef | ValType::ExnRef => u64::from(u32::MAX) + 1,
    }
}

/// The sign bit of a type; none for references.
fn sign_bit(ty: ValType) -> u64 {
    match ty {
        ValType::I32 | ValType::F32 => 1 << 31,
        ValType::I64 | ValType::F64 => 1 << 63,
        ValType::FuncRef | ValType::ExternRef | ValType::V128 | ValType::ExnRef => 0,
    }
}

/// The cell of a value, as the machine has it.
#[must_use]
pub fn cell_of(value: Value) -> u64 {
    let reference = |index: Option<u32>| index.map_or(0, |index| u64::from(index) + 1);
    match value {
        Value::I32(v) => u64::from(v as u32),
        Value::I64(v) => v as u64,
        Value::F32(bits) => u64::from(bits),
        Value::F64(bits) => bits,
        Value::FuncRef(index) | Value::ExternRef(index) | Value::ExnRef(index) => reference(index),
        Value::V128(_) => 0,
    }
}

/// The value of a cell.
#[must_use]
pub fn value_of(ty: ValType, cell: u64) -> Value {
    let reference = cell.checked_sub(1).map(|index| index as u32);
    match ty {
        ValType::I32 => Value::I32(cell as u32 as i32),
        ValType::I64 => Value::I64(cell as i64),
        ValType::F32 => Value::F32(cell as u32),
        ValType::F64 => Value::F64(cell),
        ValType::FuncRef => Value::FuncRef(reference),
        ValType::ExternRef => Value::ExternRef(reference),
        ValType::ExnRef => Value::ExnRef(reference),
        ValType::V128 => Value::default_of(ty),
    }
}

/// A whole number; nothing of another value.
pub(crate) fn whole(value: Value) -> Option<i64> {
    match value {
        Value::I32(number) => Some(number.into()),
        Value::I64(number) => Some(number),
        _ => None,
    }
}

/// A whole number as a value of a type that it fits.
pub(crate) fn of_whole(ty: ValType, number: i64) -> Value {
    match ty {
        ValType::I64 => Value::I64(number),
        _ => Value::I32(number as i32),
    }
}

/// A value of the set that people like to read: zero, a round number, or one at a boundary.
#[must_use]
pub fn nice(set: &Set, ty: ValType) -> Option<u64> {
    let (least, _) = set.bounds()?;
    if set.contains(0) {
        return Some(0);
    }
    if is_float(ty) {
        return Some(nice_float(set, ty).unwrap_or(least));
    }
    let signed = |cell: u64| match value_of(ty, cell) {
        Value::I32(v) => i128::from(v),
        Value::I64(v) => i128::from(v),
        _ => i128::from(cell),
    };
    let mut best: Option<(u32, u128, u64)> = None;
    let mut offer = |cell: u64| {
        let number = signed(cell).unsigned_abs();
        let key = (significant_digits(number), number, cell);
        if best.is_none_or(|best| key < best) {
            best = Some(key);
        }
    };
    for &(low, high) in set.intervals().iter().take(64) {
        offer(low);
        offer(high);
        let mut unit = 1_u64;
        while let Some(next) = unit.checked_mul(10) {
            unit = next;
            if let Some(multiple) = low.div_ceil(unit).checked_mul(unit)
                && multiple <= high
            {
                offer(multiple);
            }
        }
    }
    best.map(|(_, _, cell)| cell)
}

/// A float with few digits.
fn nice_float(set: &Set, ty: ValType) -> Option<u64> {
    let numbers = [
        1.0, -1.0, 10.0, -10.0, 100.0, -100.0, 0.5, -0.5, 2.0, 5.0, 20.0, 50.0, 1000.0, -1000.0,
    ];
    let cell = |number: f64| match ty {
        ValType::F32 => u64::from((number as f32).to_bits()),
        _ => number.to_bits(),
    };
    numbers
        .iter()
        .map(|number| cell(*number))
        .find(|cell| set.contains(*cell))
}

/// Decimal digits up to the last one that is not zero.
fn significant_digits(mut number: u128) -> u32 {
    if number == 0 {
        return 0;
    }
    while number.is_multiple_of(10) {
        number /= 10;
    }
    number.ilog10() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn i32s(low: i32, high: i32) -> Codomain {
        Codomain::range(Value::I32(low), Value::I32(high))
    }

    #[test]
    fn codomains_survive_the_way_there_and_back() {
        let float = |v: f32| Value::F32(v.to_bits());
        for codomain in [
            i32s(0, 4095),
            i32s(-5, 5),
            i32s(-9, -3),
            Codomain::Full(ValType::I64),
            Codomain::range(Value::I64(i64::MIN), Value::I64(-1)),
            Codomain::range(float(-1.5), float(2.5)),
            Codomain::range(float(-3.0), float(-1.0)),
            Codomain::set(ValType::I32, &[Value::I32(-1), Value::I32(7)]),
        ] {
            let set = Set::of_codomain(&codomain);
            assert_eq!(set.to_codomain(codomain.ty()), codomain, "{codomain}");
        }
    }

    #[test]
    fn both_zeros_of_floats_are_in() {
        let set = Set::of_codomain(&Codomain::range(
            Value::F32(0),
            Value::F32(1.0_f32.to_bits()),
        ));
        assert!(set.contains(0) && set.contains(1 << 31));
        assert!(!set.contains((1 << 31) + 1));
    }

    #[test]
    fn complement_and_intersection() {
        let set = Set::of(vec![(0, 9), (20, 29), (10, 10)]);
        assert_eq!(set.intervals(), [(0, 10), (20, 29)]);
        assert_eq!(
            set.complement(ValType::I32).intervals(),
            [(11, 19), (30, u64::from(u32::MAX))]
        );
        assert!(set.intersect(&set.complement(ValType::I32)).is_empty());
        assert_eq!(set.nth(11), Some(20));
        assert!(set.covers(0, 10) && !set.covers(0, 11) && set.touches(11, 20));
    }

    #[test]
    fn nice_values_are_round() {
        let of = |low, high| nice(&Set::range(low, high), ValType::I32);
        assert_eq!(of(0, 99), Some(0));
        assert_eq!(of(100, 4095), Some(100));
        assert_eq!(of(512, 4095), Some(600));
        assert_eq!(of(1, 4095), Some(1));
        assert_eq!(of(0xffff_fff0, 0xffff_ffff), Some(0xffff_ffff));
    }
}
