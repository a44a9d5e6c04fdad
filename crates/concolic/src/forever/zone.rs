//! Integers of which only the differences are bounded: projected exactly, whatever their ranges.
//!
//! A *zone* says of numbers x, y, … that x − y ≤ c for some pairs; a number that is always 0 makes bounds of the numbers
//! themselves. Closed (every bound as tight as the others make it), leaving numbers out is exact over the integers, and
//! equal zones have equal bounds (Bengtsson and Yi, *Timed automata: semantics, algorithms and tools*, 2004).

use borges_board::Codomain;
use borges_vm::num::NumericOp as N;
use borges_vm::{ValType, Value};

use crate::constraint::Constraint;
use crate::dag::{Dag, Expr, Node};
use crate::path::Read;
use crate::set::Set;

/// Numbers beyond this might overflow when they are subtracted: a zone does not know of that.
const GREATEST: i64 = 1 << 30;

/// Bounds on the differences of inputs, closed.
pub(super) struct Zone {
    /// The inputs; behind them, as the last, what is always 0.
    inputs: Vec<u32>,
    /// Row by row: the number of the row minus that of the column is at most this.
    bounds: Vec<i64>,
}

/// "The first minus the second is at most this": inputs by their places in a zone.
type Bound = (usize, usize, i64);

impl Zone {
    /// Of inputs with these constraints; nothing if they say something else than bounds of differences.
    pub(super) fn of(
        dag: &Dag,
        reads: &[Read],
        inputs: &[u32],
        constraints: &[Constraint],
    ) -> Option<Self> {
        let count = inputs.len() + 1;
        let mut zone = Zone {
            inputs: inputs.to_vec(),
            bounds: vec![4 * GREATEST; count * count],
        };
        (0..count).for_each(|at| zone.bounds[at * count + at] = 0);
        for (at, place) in inputs.iter().enumerate() {
            let read = &reads[*place as usize];
            let (low, high) = signed(&read.domain, read.ty)?;
            zone.bound((at, inputs.len(), high));
            zone.bound((inputs.len(), at, -low));
        }
        zone.close();
        let mut left: Vec<&Constraint> = constraints.iter().collect();
        // A difference that is anything but one number is a bound once it is known to lie on one side of it.
        while !left.is_empty() {
            let before = left.len();
            let mut later = Vec::new();
            for constraint in left {
                match zone.bounds_of(dag, constraint.expr, &constraint.allowed) {
                    Some(bounds) => bounds.into_iter().for_each(|bound| zone.bound(bound)),
                    None => later.push(constraint),
                }
                zone.close();
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

    fn at(&self, row: usize, column: usize) -> i64 {
        self.bounds[row * self.count() + column]
    }

    fn bound(&mut self, (row, column, most): Bound) {
        let at = row * self.count() + column;
        self.bounds[at] = self.bounds[at].min(most);
    }

    fn close(&mut self) {
        let count = self.count();
        for by in 0..count {
            for row in 0..count {
                for column in 0..count {
                    let around = self.at(row, by).saturating_add(self.at(by, column));
                    self.bound((row, column, around));
                }
            }
        }
    }

    /// A number: an input by its place in the zone (or 0) and what is added to it.
    fn term(&self, dag: &Dag, expr: Expr) -> Option<(usize, i64)> {
        let number = |expr: Expr| dag.as_const(expr).map(|cell| i64::from(cell as u32 as i32));
        let small = |number: i64| number.abs() <= GREATEST;
        if dag.ty(expr) != ValType::I32 {
            return None;
        }
        if let Some(constant) = number(expr).filter(|constant| small(*constant)) {
            return Some((self.inputs.len(), constant));
        }
        match dag.node(expr) {
            Node::Input(place) => Some((self.inputs.iter().position(|known| *known == place)?, 0)),
            Node::Binary(op @ (N::I32Add | N::I32Sub), a, b) => {
                let (at, added) = self.term(dag, a)?;
                let more = number(b)?;
                let sum = if op == N::I32Add {
                    added + more
                } else {
                    added - more
                };
                small(sum).then_some((at, sum))
            }
            _ => None,
        }
    }

    /// What a condition says, as bounds; nothing if it says something else.
    fn bounds_of(&self, dag: &Dag, expr: Expr, allowed: &Set) -> Option<Vec<Bound>> {
        if let Node::Binary(N::I32Sub, a, b) = dag.node(expr) {
            return self.difference(self.term(dag, a)?, self.term(dag, b)?, allowed);
        }
        let holds = match (allowed.contains(0), allowed.contains(1)) {
            (true, true) => return (dag.greatest(expr) <= 1).then(Vec::new),
            (false, false) => return None,
            (_, holds) => holds,
        };
        // What is more than a truth value must be known to be zero, or anything else.
        let is_truth = dag.greatest(expr) <= 1;
        let (op, a, b) = match dag.node(expr) {
            Node::Unary(N::I32Eqz, inner) => {
                let set = if holds {
                    Set::single(0)
                } else {
                    Set::range(1, u32::MAX.into())
                };
                return self.bounds_of(dag, inner, &set);
            }
            Node::Binary(op, a, b) if is_truth => (op, self.term(dag, a)?, self.term(dag, b)?),
            _ => return None,
        };
        let (x, y) = (a, b);
        // a + m < b + n: a - b at most n - m - 1.
        let less = |(a, m): (usize, i64), (b, n): (usize, i64)| (a, b, n - m - 1);
        let at_most = |(a, m): (usize, i64), (b, n): (usize, i64)| (a, b, n - m);
        let op = match op {
            N::I32LtU | N::I32LeU | N::I32GtU | N::I32GeU
                if self.least(x) < 0 || self.least(y) < 0 =>
            {
                return None;
            }
            N::I32LtU => N::I32LtS,
            N::I32LeU => N::I32LeS,
            N::I32GtU => N::I32GtS,
            N::I32GeU => N::I32GeS,
            op => op,
        };
        Some(match (op, holds) {
            (N::I32LtS, true) | (N::I32GeS, false) => vec![less(x, y)],
            (N::I32GtS, true) | (N::I32LeS, false) => vec![less(y, x)],
            (N::I32LeS, true) | (N::I32GtS, false) => vec![at_most(x, y)],
            (N::I32GeS, true) | (N::I32LtS, false) => vec![at_most(y, x)],
            (N::I32Eq, true) | (N::I32Ne, false) => vec![at_most(x, y), at_most(y, x)],
            (N::I32Eq, false) | (N::I32Ne, true) => {
                let other = Set::range(1, u32::MAX.into());
                return self.difference(x, y, &other);
            }
            _ => return None,
        })
    }

    fn least(&self, (at, added): (usize, i64)) -> i64 {
        added - self.at(self.inputs.len(), at)
    }

    /// That a difference is in a set: bounds, if what is left of the set by the bounds so far has no holes.
    fn difference(
        &self,
        (a, m): (usize, i64),
        (b, n): (usize, i64),
        allowed: &Set,
    ) -> Option<Vec<Bound>> {
        let (low, high) = (m - n - self.at(b, a), self.at(a, b) + m - n);
        if low.abs() > 2 * GREATEST || high.abs() > 2 * GREATEST {
            return None;
        }
        let now = Codomain::range(number(low), number(high));
        let kept = Set::of_codomain(&now).intersect(allowed);
        if kept.is_empty() {
            return None;
        }
        let (low, high) = interval(&kept, ValType::I32)?;
        Some(vec![(a, b, high - m + n), (b, a, m - n - low)])
    }

    /// The values of an input, for which some values of the others satisfy everything.
    pub(super) fn values(&self, place: u32) -> Option<Set> {
        let at = self.inputs.iter().position(|known| *known == place)?;
        let zero = self.inputs.len();
        Some(Set::of_codomain(&Codomain::range(
            number(-self.at(zero, at)),
            number(self.at(at, zero)),
        )))
    }

    /// The differences of two inputs, if the values of the two do not say it all.
    pub(super) fn differences(&self, first: u32, second: u32) -> Option<Set> {
        let position = |place: u32| self.inputs.iter().position(|known| *known == place);
        let (a, b, zero) = (position(first)?, position(second)?, self.inputs.len());
        let (low, high) = (-self.at(b, a), self.at(a, b));
        let implied = (
            -self.at(zero, a) - self.at(b, zero),
            self.at(a, zero) + self.at(zero, b),
        );
        let range = Codomain::range(number(low), number(high));
        ((low, high) != implied).then(|| Set::of_codomain(&range))
    }
}

/// Whether the values of two variables alone say that their difference is in a set.
pub(super) fn is_implied(dag: &Dag, variables: &[(ValType, Set)], constraint: &Constraint) -> bool {
    let bounds = |expr: Expr| match dag.node(expr) {
        Node::Input(at) => {
            let (ty, set) = variables.get(at as usize)?;
            signed(set, *ty)
        }
        _ => None,
    };
    let Node::Binary(N::I32Sub, a, b) = dag.node(constraint.expr) else {
        return false;
    };
    let Some(((low, high), (least, most))) = bounds(a).zip(bounds(b)) else {
        return false;
    };
    let all = Set::of_codomain(&Codomain::range(number(low - most), number(high - least)));
    all.intersect(&constraint.allowed) == all
}

fn number(value: i64) -> Value {
    // Differences of small numbers fit.
    Value::I32(value as i32)
}

/// The least and the greatest of a set of small numbers without holes.
fn signed(set: &Set, ty: ValType) -> Option<(i64, i64)> {
    let (low, high) = interval(set, ty)?;
    (low >= -GREATEST && high <= GREATEST).then_some((low, high))
}

fn interval(set: &Set, ty: ValType) -> Option<(i64, i64)> {
    if ty != ValType::I32 {
        return None;
    }
    match *set.to_codomain(ty).intervals() {
        [(Value::I32(low), Value::I32(high))] => Some((low.into(), high.into())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
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
        let signed = [
            N::I32LtS,
            N::I32GtS,
            N::I32LeS,
            N::I32GeS,
            N::I32Eq,
            N::I32Ne,
        ];
        let unsigned = [N::I32LtU, N::I32GtU, N::I32LeU, N::I32GeU];
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
            2 => dag.binary(unsigned[random.usize(..unsigned.len())], a, b),
            _ => dag.binary(signed[random.usize(..signed.len())], a, b),
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
            let read = Read {
                primitive: borges_board::PrimitiveId(0),
                args: Vec::new(),
                ty: ValType::I32,
                domain: Set::of_codomain(&domain),
                step: 0,
            };
            let reads = vec![read; 3];
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
            // Where nothing is possible, nobody asks.
            let is_possible = pairs.iter().any(|(.., is_in)| *is_in);
            let Some(zone) =
                Zone::of(&dag, &reads, &[0, 1, 2], &conditions).filter(|_| is_possible)
            else {
                continue;
            };
            zones += 1;
            let (first, second) = (
                zone.values(0).expect("known"),
                zone.values(1).expect("known"),
            );
            let differences = zone.differences(0, 1);
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
