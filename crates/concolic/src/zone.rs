//! Integers of which only the differences are bounded: projected exactly, whatever their ranges.
//!
//! A *zone* says of numbers x, y, … that x − y ≤ c for some pairs; a number that is always 0 makes bounds of the numbers
//! themselves. Closed (every bound as tight as the others make it), leaving numbers out is exact over the integers, and
//! equal zones have equal bounds (Bengtsson and Yi, *Timed automata: semantics, algorithms and tools*, 2004).

use borges_vm::ValType;
use borges_vm::num::NumericOp as N;

use crate::constraint::Constraint;
use crate::dag::{Dag, Expr, Node};
use crate::set::{Set, cell_of, greatest, of_whole, value_of, whole};

/// Numbers beyond this might overflow when they are subtracted: a zone does not know of that.
pub(crate) const GREATEST: i64 = 1 << 30;

/// Bounds on the differences of inputs, closed.
pub(crate) struct Zone {
    ty: ValType,
    /// The inputs; behind them, as the last, what is always 0.
    inputs: Vec<u32>,
    /// Those that have one value only.
    known: Vec<(u32, i64)>,
    /// Row by row: the number of the row minus that of the column is at most this, as tight as they make each other.
    bounds: Vec<i64>,
}

/// "The first minus the second is at most this": inputs by their places in a zone.
type Bound = (usize, usize, i64);

/// A number in a zone: the input at a place, minus another one (or 0), and what is added.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Term {
    at: usize,
    minus: usize,
    added: i64,
}

impl Zone {
    /// Of inputs, all of one type, with these constraints; nothing if they say something else than bounds of differences.
    pub(crate) fn of<'c>(
        dag: &Dag,
        inputs: &[(u32, ValType, &Set)],
        constraints: impl IntoIterator<Item = &'c Constraint>,
    ) -> Option<Self> {
        let count = inputs.len() + 1;
        let ty = inputs.first()?.1;
        let only = |(place, ty, set): &(u32, ValType, &Set)| {
            Some((*place, whole(value_of(*ty, set.only()?))?))
        };
        let mut zone = Zone {
            ty,
            known: inputs.iter().filter_map(only).collect(),
            inputs: inputs.iter().map(|(place, ..)| *place).collect(),
            bounds: vec![4 * GREATEST; count * count],
        };
        (0..count).for_each(|at| zone.bounds[at * count + at] = 0);
        for (at, (_, of, set)) in inputs.iter().enumerate() {
            let (low, high) = signed(set, *of).filter(|_| *of == ty)?;
            zone.bound((at, inputs.len(), high));
            zone.bound((inputs.len(), at, -low));
        }
        let mut left: Vec<&Constraint> = constraints.into_iter().collect();
        // A difference that is anything but one number is a bound once it is known to lie on one side of it.
        while !left.is_empty() && !zone.is_empty() {
            let before = left.len();
            let mut later = Vec::new();
            for constraint in left {
                match zone.bounds_of(dag, constraint.expr, &constraint.allowed) {
                    Some(bounds) => bounds.into_iter().for_each(|bound| zone.bound(bound)),
                    None => later.push(constraint),
                }
            }
            left = later;
            if left.len() == before {
                return None;
            }
        }
        Some(zone)
    }

    fn count(&self) -> usize {
        self.inputs.len() + 1
    }

    fn zero(&self) -> usize {
        self.inputs.len()
    }

    fn at(&self, row: usize, column: usize) -> i64 {
        self.bounds[row * self.count() + column]
    }

    /// Adds a bound, and all that follows from it: the bounds stay as tight as they make each other.
    fn bound(&mut self, (first, second, most): Bound) {
        let count = self.count();
        if self.at(first, second) <= most {
            return;
        }
        for row in 0..count {
            let before = self.at(row, first).saturating_add(most);
            for column in 0..count {
                let around = before.saturating_add(self.at(second, column));
                let at = row * count + column;
                self.bounds[at] = self.bounds[at].min(around);
            }
        }
    }

    /// The value of an input that has no other.
    fn only(&self, place: u32) -> Option<i64> {
        let found = self.known.iter().find(|(known, _)| *known == place);
        found.map(|(_, number)| *number)
    }

    /// Whether no numbers satisfy it.
    pub(crate) fn is_empty(&self) -> bool {
        (0..self.count()).any(|at| self.at(at, at) < 0)
    }

    /// Numbers that satisfy it, by place: the least of each. Nothing if it is empty.
    pub(crate) fn least_of_each(&self) -> Option<Vec<(u32, u64)>> {
        let least = |(at, place): (usize, &u32)| {
            (
                *place,
                cell_of(of_whole(self.ty, -self.at(self.zero(), at))),
            )
        };
        (!self.is_empty()).then(|| self.inputs.iter().enumerate().map(least).collect())
    }

    /// What a number is in this zone, if it is a difference of two inputs, or less, and a small number more.
    pub(crate) fn term(&self, dag: &Dag, expr: Expr) -> Option<Term> {
        let small = |number: i64| number.abs() <= GREATEST;
        if dag.ty(expr) != self.ty {
            return None;
        }
        let zero = self.zero();
        let known = |cell: u64| whole(value_of(self.ty, cell));
        let term = match dag.node(expr) {
            Node::Const(cell) => Term {
                at: zero,
                minus: zero,
                added: known(cell)?,
            },
            Node::Input(place) if self.only(place).is_some() => Term {
                at: zero,
                minus: zero,
                added: self.only(place)?,
            },
            Node::Input(place) => Term {
                at: self.inputs.iter().position(|known| *known == place)?,
                minus: zero,
                added: 0,
            },
            Node::Binary(op, a, b) => {
                let (a, b) = (self.term(dag, a)?, self.term(dag, b)?);
                let free = |place: usize, other: usize| match (place == zero, other == zero) {
                    (_, true) => Some(place),
                    (true, false) => Some(other),
                    (false, false) => None,
                };
                let term = match narrow(op) {
                    N::I32Add => Term {
                        at: free(a.at, b.at)?,
                        minus: free(a.minus, b.minus)?,
                        added: a.added + b.added,
                    },
                    N::I32Sub => Term {
                        at: free(a.at, b.minus)?,
                        minus: free(a.minus, b.at)?,
                        added: a.added - b.added,
                    },
                    _ => return None,
                };
                match term.at == term.minus {
                    true => Term {
                        at: zero,
                        minus: zero,
                        ..term
                    },
                    false => term,
                }
            }
            _ => return None,
        };
        small(term.added).then_some(term)
    }

    /// What a condition says, as bounds; nothing if it says something else.
    fn bounds_of(&self, dag: &Dag, expr: Expr, allowed: &Set) -> Option<Vec<Bound>> {
        if let Some(term) = self.term(dag, expr) {
            return self.within(term, allowed);
        }
        let holds = match (allowed.contains(0), allowed.contains(1)) {
            (true, true) => return (dag.greatest(expr) <= 1).then(Vec::new),
            (false, false) => return None,
            (_, holds) => holds,
        };
        // What is more than a truth value must be known to be zero, or anything else.
        let is_truth = dag.greatest(expr) <= 1;
        let (op, a, b) = match dag.node(expr) {
            Node::Unary(N::I32Eqz | N::I64Eqz, inner) => {
                let set = if holds {
                    Set::single(0)
                } else {
                    Set::range(1, greatest(dag.ty(inner)))
                };
                return self.bounds_of(dag, inner, &set);
            }
            Node::Binary(op, a, b) if is_truth => {
                (narrow(op), self.term(dag, a)?, self.term(dag, b)?)
            }
            _ => return None,
        };
        // Computed without a carry, numbers are what their bits say.
        let is_plain = |term: Term| self.range(self.least(term), self.most(term)).is_some();
        if !is_plain(a) || !is_plain(b) {
            return None;
        }
        let is_unsigned = matches!(op, N::I32LtU | N::I32LeU | N::I32GtU | N::I32GeU);
        if is_unsigned && (self.least(a) < 0 || self.least(b) < 0) {
            return None;
        }
        // a + m < b + n: a - b at most n - m - 1.
        let less = |a: Term, b: Term| self.at_most(a, b, -1);
        let at_most = |a: Term, b: Term| self.at_most(a, b, 0);
        let found = match (op, holds) {
            (N::I32LtS | N::I32LtU, true) | (N::I32GeS | N::I32GeU, false) => vec![less(a, b)?],
            (N::I32GtS | N::I32GtU, true) | (N::I32LeS | N::I32LeU, false) => vec![less(b, a)?],
            (N::I32LeS | N::I32LeU, true) | (N::I32GtS | N::I32GtU, false) => vec![at_most(a, b)?],
            (N::I32GeS | N::I32GeU, true) | (N::I32LtS | N::I32LtU, false) => vec![at_most(b, a)?],
            (N::I32Eq, true) | (N::I32Ne, false) => vec![at_most(a, b)?, at_most(b, a)?],
            (N::I32Eq, false) | (N::I32Ne, true) => {
                let (at, minus, most) = at_most(a, b)?;
                let difference = Term {
                    at,
                    minus,
                    added: -most,
                };
                return self.within(difference, &Set::range(1, greatest(self.ty)));
            }
            _ => return None,
        };
        Some(found)
    }

    /// That the first number is at most the second and some more.
    fn at_most(&self, a: Term, b: Term, more: i64) -> Option<Bound> {
        let zero = self.zero();
        let (at, minus) = match (a.minus == zero, b.minus == zero) {
            (true, true) => (a.at, b.at),
            // Of a difference, the other is a known number.
            (false, true) if b.at == zero => (a.at, a.minus),
            (true, false) if a.at == zero => (b.minus, b.at),
            _ => return None,
        };
        Some((at, minus, b.added - a.added + more))
    }

    fn least(&self, term: Term) -> i64 {
        term.added - self.at(term.minus, term.at)
    }

    fn most(&self, term: Term) -> i64 {
        term.added + self.at(term.at, term.minus)
    }

    /// That a number is in a set: bounds, if what is left of the set by the bounds so far has no holes.
    fn within(&self, term: Term, allowed: &Set) -> Option<Vec<Bound>> {
        let (low, high) = (self.least(term), self.most(term));
        if low.abs() > 2 * GREATEST || high.abs() > 2 * GREATEST {
            return None;
        }
        let kept = self.range(low, high)?.intersect(allowed);
        if kept.is_empty() {
            // It cannot be.
            return Some(vec![(term.at, term.at, -1)]);
        }
        let (low, high) = interval(&kept, self.ty)?;
        let Term { at, minus, added } = term;
        Some(vec![(at, minus, high - added), (minus, at, added - low)])
    }

    fn range(&self, low: i64, high: i64) -> Option<Set> {
        let fits = |number: i64| self.ty == ValType::I64 || i32::try_from(number).is_ok();
        (fits(low) && fits(high)).then(|| Set::whole(self.ty, low, high))
    }

    /// The values of a number for which some values of the others satisfy everything, the least and the greatest; none is
    /// below `floor`: what is less counts as that.
    pub(crate) fn values(&self, term: Term, floor: Option<i64>) -> (i64, i64) {
        let at_least = |number: i64| floor.map_or(number, |floor| number.max(floor));
        (at_least(self.least(term)), at_least(self.most(term)))
    }

    /// The differences of two numbers, if the values of the two do not say it all; nothing if this zone does not know them.
    pub(crate) fn differences(
        &self,
        (a, b): (Term, Term),
        floors: (Option<i64>, Option<i64>),
    ) -> Option<Option<Set>> {
        let difference = if a.minus == b.minus {
            (a.at, b.at)
        } else if a.at == b.at {
            (b.minus, a.minus)
        } else {
            return None;
        };
        let added = a.added - b.added;
        let mut low = added - self.at(difference.1, difference.0);
        let mut high = added + self.at(difference.0, difference.1);
        let ((a_low, a_high), (b_low, b_high)) =
            (self.values(a, floors.0), self.values(b, floors.1));
        // What is raised to a floor comes nearer to the other.
        if a_low > self.least(a) {
            high = high.max(a_low - b_low);
        }
        if b_low > self.least(b) {
            low = low.min(a_low - b_low);
        }
        let implied = (a_low - b_high, a_high - b_low);
        let (low, high) = (low.max(implied.0), high.min(implied.1));
        if (low, high) == implied {
            return Some(None);
        }
        Some(Some(self.range(low, high)?))
    }

    /// Numbers between two, as a set.
    pub(crate) fn set(&self, (low, high): (i64, i64)) -> Option<Set> {
        self.range(low, high)
    }
}

/// Whether the values of two variables alone say that their difference is in a set.
pub(crate) fn is_implied(dag: &Dag, variables: &[(ValType, Set)], constraint: &Constraint) -> bool {
    let bounds = |expr: Expr| match dag.node(expr) {
        Node::Input(at) => {
            let (ty, set) = variables.get(at as usize)?;
            Some((*ty, signed(set, *ty)?))
        }
        _ => None,
    };
    let Node::Binary(N::I32Sub | N::I64Sub, a, b) = dag.node(constraint.expr) else {
        return false;
    };
    let Some(((ty, (low, high)), (_, (least, most)))) = bounds(a).zip(bounds(b)) else {
        return false;
    };
    // Differences of small numbers fit.
    let all = Set::whole(ty, low - most, high - least);
    all.intersect(&constraint.allowed) == all
}

/// The instruction of 32 bits that does the same.
pub(crate) fn narrow(op: N) -> N {
    match op {
        N::I64Add => N::I32Add,
        N::I64Sub => N::I32Sub,
        N::I64Eq => N::I32Eq,
        N::I64Ne => N::I32Ne,
        N::I64LtS => N::I32LtS,
        N::I64LtU => N::I32LtU,
        N::I64GtS => N::I32GtS,
        N::I64GtU => N::I32GtU,
        N::I64LeS => N::I32LeS,
        N::I64LeU => N::I32LeU,
        N::I64GeS => N::I32GeS,
        N::I64GeU => N::I32GeU,
        op => op,
    }
}

/// The least and the greatest of a set of small numbers without holes.
fn signed(set: &Set, ty: ValType) -> Option<(i64, i64)> {
    let (low, high) = interval(set, ty)?;
    (low >= -GREATEST && high <= GREATEST).then_some((low, high))
}

fn interval(set: &Set, ty: ValType) -> Option<(i64, i64)> {
    if !matches!(ty, ValType::I32 | ValType::I64) {
        return None;
    }
    match *set.to_codomain(ty).intervals() {
        [(low, high)] => whole(low).zip(whole(high)),
        _ => None,
    }
}

/// The comparisons of numbers with a sign.
#[cfg(test)]
pub(crate) const SIGNED: [N; 6] = [
    N::I32LtS,
    N::I32GtS,
    N::I32LeS,
    N::I32GeS,
    N::I32Eq,
    N::I32Ne,
];
/// The comparisons of numbers without one that are others.
#[cfg(test)]
pub(crate) const UNSIGNED: [N; 4] = [N::I32LtU, N::I32GtU, N::I32LeU, N::I32GeU];

#[cfg(test)]
mod tests {
    use borges_board::Codomain;
    use borges_vm::Value;

    use super::*;
    use crate::lanes::Point;
    use crate::set::cell_of;

    /// Some condition on two of three inputs, or on one and a constant.
    fn condition(random: &mut fastrand::Rng, dag: &mut Dag) -> Constraint {
        let mut term = |dag: &mut Dag| {
            let input = dag.input(random.u32(..3), ValType::I32);
            let constant = dag.constant(ValType::I32, cell_of(Value::I32(random.i32(-2..3))));
            match random.u8(..5) {
                0 => dag.binary(N::I32Add, input, constant),
                1 => dag.binary(N::I32Sub, input, constant),
                2 => constant,
                _ => input,
            }
        };
        let (a, b) = (term(dag), term(dag));
        let mut expr = match random.u8(..8) {
            0 => {
                let low = random.i32(-3..2);
                let range = Codomain::range(Value::I32(low), Value::I32(low + random.i32(0..4)));
                return Constraint::new(dag.binary(N::I32Sub, a, b), Set::of_codomain(&range));
            }
            1 => {
                let other = Set::range(1, u32::MAX.into());
                return Constraint::new(dag.binary(N::I32Sub, a, b), other);
            }
            2 => dag.binary(UNSIGNED[random.usize(..UNSIGNED.len())], a, b),
            _ => dag.binary(SIGNED[random.usize(..SIGNED.len())], a, b),
        };
        if random.u8(..4) == 0 {
            expr = dag.unary(N::I32Eqz, expr);
        }
        let truth = [Set::single(0), Set::nonzero()];
        Constraint::new(expr, truth[random.usize(..2)].clone())
    }

    #[test]
    fn what_is_left_of_a_zone_is_exactly_what_the_others_allow() {
        let mut random = fastrand::Rng::with_seed(3);
        let (mut zones, mut point) = (0, Point::default());
        for _ in 0..4_000 {
            let mut dag = Dag::default();
            let low = random.i32(-2..2);
            let domain = Codomain::range(Value::I32(low), Value::I32(low + 4));
            let domain = Set::of_codomain(&domain);
            let inputs = [0, 1, 2].map(|place| (place, ValType::I32, &domain));
            let count = random.usize(1..4);
            let conditions: Vec<Constraint> = (0..count)
                .map(|_| condition(&mut random, &mut dag))
                .collect();
            let values: Vec<u64> = (low..=low + 4)
                .map(|value| cell_of(Value::I32(value)))
                .collect();
            let mut holds = |model: [u64; 3]| {
                conditions.iter().all(|known| {
                    point.reset(&dag);
                    known.allowed.contains(point.eval(&dag, known.expr, &model))
                })
            };
            let mut pairs = Vec::new();
            for x in &values {
                for y in &values {
                    pairs.push((*x, *y, values.iter().any(|z| holds([*x, *y, *z]))));
                }
            }
            let is_possible = pairs.iter().any(|(.., is_in)| *is_in);
            let Some(zone) = Zone::of(&dag, &inputs, &conditions) else {
                continue;
            };
            zones += 1;
            if !is_possible {
                assert!(zone.is_empty(), "{conditions:?}");
                continue;
            }
            let model = zone.least_of_each().expect("possible");
            assert!(
                holds([0, 1, 2].map(|at: usize| model[at].1)),
                "{model:?} of {conditions:?}"
            );
            let terms = [0, 1].map(|place| {
                let input = dag.input(place, ValType::I32);
                zone.term(&dag, input).expect("an input")
            });
            let [first, second] = terms.map(|term| {
                let set = zone.set(zone.values(term, None));
                set.expect("small numbers")
            });
            let differences = zone.differences((terms[0], terms[1]), (None, None));
            let differences = differences.expect("known");
            for (x, y, is_in) in pairs {
                let difference = u64::from((x as u32).wrapping_sub(y as u32));
                let fits = differences
                    .as_ref()
                    .is_none_or(|set| set.contains(difference));
                let says = first.contains(x) && second.contains(y) && fits;
                assert_eq!(says, is_in, "{} {} of {conditions:?}", x as i32, y as i32);
            }
        }
        assert!(zones > 1_000, "{zones} zones");
    }
}
