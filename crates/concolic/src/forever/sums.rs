//! What a sum of numbers that have nothing to do with each other can be: too many combinations to count out, and few
//! intervals to add. What is added may be an input, or something that is made of few: a choice between a reading and a
//! number, say.

use borges_vm::ValType;
use borges_vm::num::NumericOp as N;

use super::counting::Counted;
use crate::budget::Budget;
use crate::constraint::Constraint;
use crate::dag::{Dag, Expr, Node};
use crate::set::{Set, combinations, greatest};
use crate::sum::Sum;
use crate::zone::narrow;

/// So many pairs of intervals are added.
const MOST_PAIRS: usize = 1 << 12;

/// Of what is added, so many combinations of inputs are counted out.
const MOST_COUNTED: u128 = 1 << 16;

/// What is added or taken away, and what is asked of its inputs alone.
struct Part {
    term: Expr,
    times: u64,
    constraints: Vec<Constraint>,
}

/// The values that a sum has of which no two parts depend on one input, each added or taken away once, exactly; inputs by
/// their places, with their domains. Nothing if it is something else, or a constraint is about something else than the sum
/// itself, one of its parts or a single input.
pub(super) fn values(
    dag: &Dag,
    inputs: &[(u32, Set)],
    column: Expr,
    constraints: &[Constraint],
    budget: &Budget<'_>,
) -> Option<Set> {
    let ty = dag.ty(column);
    if !matches!(ty, ValType::I32 | ValType::I64) {
        return None;
    }
    let sum = dag.sum_of(column)?;
    let mut parts = parts(dag, &sum)?;
    let mut domains = inputs.to_vec();
    let mut allowed = Set::all(ty);
    for constraint in constraints {
        let is_within = |part: &&mut Part| {
            let all = dag.inputs(part.term);
            let mut own = dag.inputs(constraint.expr).iter();
            own.all(|place| all.contains(place))
        };
        let about = about(dag, constraint.expr, &constraint.allowed);
        if let Some((place, values)) = about.as_ref().and_then(|about| of_one(dag, about)) {
            let (_, domain) = domains.iter_mut().find(|(known, _)| *known == place)?;
            *domain = domain.intersect(&values);
        } else if let Some(part) = parts.iter_mut().find(is_within) {
            part.constraints.push(constraint.clone());
        } else {
            let (about, values) = about?;
            let difference = |sign: i64| {
                let rest = about.clone().plus(&sum, -sign);
                rest.terms().is_empty().then(|| rest.constant())
            };
            // It is the sum, or what is missing from it, and so much more.
            let without = |more: u64| moved(ty, &values, more.wrapping_neg());
            let of_sum = match difference(1) {
                Some(more) => without(more),
                None => opposite(ty, &without(difference(-1)?)),
            };
            allowed = allowed.intersect(&of_sum);
        }
    }
    if domains.iter().any(|(_, domain)| domain.is_empty()) {
        return Some(Set::empty());
    }
    let mut all = Set::single(sum.constant());
    for part in parts {
        let values = signed(ty, &part.values(dag, &domains, budget)?, part.times)?;
        all = added(ty, &all, &values)?;
    }
    Some(all.intersect(&allowed))
}

/// What a sum adds; nothing if two of these depend on one input.
fn parts(dag: &Dag, sum: &Sum) -> Option<Vec<Part>> {
    let mut seen: Vec<u32> = Vec::new();
    let mut parts = Vec::new();
    for (term, times) in sum.terms() {
        let own = dag.inputs(*term);
        if own.iter().any(|place| seen.contains(place)) {
            return None;
        }
        seen.extend(own.iter());
        parts.push(Part {
            term: *term,
            times: *times,
            constraints: Vec::new(),
        });
    }
    Some(parts)
}

impl Part {
    /// Its values: the domain of an input, or counted out.
    fn values(&self, dag: &Dag, domains: &[(u32, Set)], budget: &Budget<'_>) -> Option<Set> {
        let domain = |place: &u32| {
            let found = domains.iter().find(|(known, _)| known == place);
            found.map(|(_, domain)| domain.clone())
        };
        if let (Node::Input(place), []) = (dag.node(self.term), &*self.constraints) {
            return domain(&place);
        }
        let inputs = dag.inputs(self.term);
        let domains: Vec<Set> = inputs.iter().map(domain).collect::<Option<_>>()?;
        let combinations = combinations(&domains);
        if combinations > MOST_COUNTED {
            return None;
        }
        let counted = Counted {
            inputs,
            domains: &domains,
            constraints: &self.constraints,
            columns: &[(self.term, None)],
        };
        let rows = counted.rows(dag, combinations as u64, budget)?;
        let cells = rows.into_iter().flatten();
        Some(Set::of(cells.map(|cell| (cell, cell)).collect()))
    }
}

/// What is asked of a single input, if nothing else is.
fn of_one(dag: &Dag, (about, values): &(Sum, Set)) -> Option<(u32, Set)> {
    let [(input, times)] = about.terms() else {
        return None;
    };
    let Node::Input(place) = dag.node(*input) else {
        return None;
    };
    let ty = dag.ty(*input);
    let values = moved(ty, values, about.constant().wrapping_neg());
    Some((place, signed(ty, &values, *times)?))
}

/// What a constraint is about, as a sum, and the values that this may have.
fn about(dag: &Dag, expr: Expr, allowed: &Set) -> Option<(Sum, Set)> {
    let truth = || match (allowed.contains(0), allowed.contains(1)) {
        (false, true) => Some(true),
        (true, false) => Some(false),
        _ => None,
    };
    match dag.node(expr) {
        Node::Unary(N::I32Eqz | N::I64Eqz, a) => {
            let zero = Set::single(0);
            let values = match truth()? {
                true => zero,
                false => zero.complement(dag.ty(a)),
            };
            about(dag, a, &values)
        }
        Node::Binary(op, a, b) => {
            let Some((a, values)) = compared(dag, op, a, b) else {
                return Some((dag.sum_of(expr)?, allowed.clone()));
            };
            let values = match truth()? {
                true => values,
                false => values.complement(dag.ty(a)),
            };
            about(dag, a, &values)
        }
        _ => Some((dag.sum_of(expr)?, allowed.clone())),
    }
}

/// Of a comparison with a number, what is compared with it, and the values with which that comes true.
fn compared(dag: &Dag, op: N, a: Expr, b: Expr) -> Option<(Expr, Set)> {
    match (dag.as_const(a), dag.as_const(b)) {
        (_, Some(cell)) => Some((a, fulfilling(op, dag.ty(a), cell)?)),
        (Some(cell), None) => Some((b, fulfilling(turned(op), dag.ty(b), cell)?)),
        (None, None) => None,
    }
}

/// A comparison, of 32 bits, with its operands in the other order.
fn turned(op: N) -> N {
    match narrow(op) {
        N::I32LtS => N::I32GtS,
        N::I32GtS => N::I32LtS,
        N::I32LeS => N::I32GeS,
        N::I32GeS => N::I32LeS,
        N::I32LtU => N::I32GtU,
        N::I32GtU => N::I32LtU,
        N::I32LeU => N::I32GeU,
        N::I32GeU => N::I32LeU,
        other => other,
    }
}

/// The cells that compare so with a cell of their type; nothing of what compares nothing.
fn fulfilling(op: N, ty: ValType, cell: u64) -> Option<Set> {
    // Signed numbers are in the order of their cells once half of the range is added.
    let half = greatest(ty) / 2 + 1;
    let up_to = |is_signed: bool| match is_signed {
        true => moved(
            ty,
            &Set::range(0, cell.wrapping_add(half) & greatest(ty)),
            half,
        ),
        false => Set::range(0, cell),
    };
    let only = Set::single(cell);
    let all = Set::all(ty);
    Some(match narrow(op) {
        N::I32Eq => only,
        N::I32Ne => all.without(&only),
        N::I32LeS => up_to(true),
        N::I32LtS => up_to(true).without(&only),
        N::I32GtS => all.without(&up_to(true)),
        N::I32GeS => all.without(&up_to(true)).union(&only),
        N::I32LeU => up_to(false),
        N::I32LtU => up_to(false).without(&only),
        N::I32GtU => all.without(&up_to(false)),
        N::I32GeU => all.without(&up_to(false)).union(&only),
        _ => return None,
    })
}

/// A set of numbers, or of those with the other sign; nothing if they are added more than once.
fn signed(ty: ValType, set: &Set, times: u64) -> Option<Set> {
    match times {
        1 => Some(set.clone()),
        times if times == greatest(ty) => Some(opposite(ty, set)),
        _ => None,
    }
}

/// The numbers from one on, so many more than that, modulo the range of the type.
fn arc(ty: ValType, from: u64, more: u64) -> [(u64, u64); 2] {
    let most = greatest(ty);
    let from = from & most;
    match more <= most - from {
        // The second is none.
        true => [(from, from + more), (1, 0)],
        false => [(from, most), (0, more - (most - from) - 1)],
    }
}

/// What is taken from 0.
fn opposite(ty: ValType, set: &Set) -> Set {
    let intervals = set.intervals().iter();
    let arcs = intervals.flat_map(|(low, high)| arc(ty, high.wrapping_neg(), high - low));
    Set::of(arcs.collect())
}

/// All numbers with so much added.
fn moved(ty: ValType, set: &Set, by: u64) -> Set {
    let intervals = set.intervals().iter();
    let arcs = intervals.flat_map(|(low, high)| arc(ty, low.wrapping_add(by), high - low));
    Set::of(arcs.collect())
}

/// All sums of two; nothing if they are in too many pieces.
fn added(ty: ValType, a: &Set, b: &Set) -> Option<Set> {
    let (ours, theirs) = (a.intervals(), b.intervals());
    if ours.len() * theirs.len() > MOST_PAIRS {
        return None;
    }
    let mut arcs = Vec::with_capacity(2 * ours.len() * theirs.len());
    for (low, high) in ours {
        for (other_low, other_high) in theirs {
            let more = (high - low).checked_add(other_high - other_low);
            match more.filter(|more| *more < greatest(ty)) {
                Some(more) => arcs.extend(arc(ty, low.wrapping_add(*other_low), more)),
                None => return Some(Set::all(ty)),
            }
        }
    }
    Some(Set::of(arcs))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::lanes::Point;

    const COMPARISONS: [N; 11] = [
        N::I32Eq,
        N::I32Ne,
        N::I32LtS,
        N::I32LtU,
        N::I32GtS,
        N::I32GtU,
        N::I32LeS,
        N::I32LeU,
        N::I32GeS,
        N::I32GeU,
        N::I32Sub,
    ];

    /// Some numbers, mostly about 0 or where signs change.
    fn number(random: &mut fastrand::Rng) -> u64 {
        let about = [0, 0, 0x7fff_ffff, 0x8000_0000][random.usize(..4)];
        u64::from(u32::wrapping_add(about, random.u32(..12)).wrapping_sub(6))
    }

    fn domain(random: &mut fastrand::Rng) -> Set {
        let mut one = || {
            let low = number(random);
            (low, (low + random.u64(..5)).min(greatest(ValType::I32)))
        };
        Set::of(vec![one(), one()])
    }

    #[test]
    fn sums_have_the_values_that_counting_finds() {
        let mut random = fastrand::Rng::with_seed(15);
        let budget = Budget::unlimited();
        let (mut known, mut empty) = (0, 0);
        for _ in 0..6_000 {
            let mut dag = Dag::default();
            let ty = ValType::I32;
            let all: Vec<Expr> = (0..3).map(|place| dag.input(place, ty)).collect();
            let mut column = match random.u32(..3) {
                0 => all[0],
                1 => {
                    let zero = dag.constant(ty, 0);
                    dag.binary(N::I32Sub, zero, all[0])
                }
                // As compilers make it of a branch with little in it.
                _ => {
                    let [bound, other] = [0; 2].map(|_| dag.constant(ty, number(&mut random)));
                    let is_more = dag.binary(N::I32GtS, all[0], bound);
                    dag.choose(is_more, all[0], other)
                }
            };
            for term in &all[1..random.usize(2..4)] {
                let op = [N::I32Add, N::I32Sub][random.usize(..2)];
                column = dag.binary(op, column, *term);
            }
            let added = dag.constant(ty, number(&mut random));
            column = dag.binary(N::I32Add, column, added);
            let inputs: Vec<(u32, Set)> =
                (0..3).map(|place| (place, domain(&mut random))).collect();
            let mut constraints = Vec::new();
            for _ in 0..random.usize(..3) {
                let about = [column, all[random.usize(..3)]][random.usize(..2)];
                let with = dag.constant(ty, number(&mut random));
                let (a, b) = [(about, with), (with, about)][random.usize(..2)];
                let op = COMPARISONS[random.usize(..COMPARISONS.len())];
                let mut asked = dag.binary(op, a, b);
                let allowed = match op {
                    N::I32Sub => domain(&mut random).union(&Set::range(0, 0x7fff_ffff)),
                    _ => [Set::single(0), Set::nonzero()][random.usize(..2)].clone(),
                };
                if op != N::I32Sub && random.bool() {
                    asked = dag.unary(N::I32Eqz, asked);
                }
                if !dag.inputs(asked).is_empty() {
                    constraints.push(Constraint::new(asked, allowed));
                }
            }
            let Some(found) = values(&dag, &inputs, column, &constraints, &budget) else {
                continue;
            };
            let mut point = Point::default();
            let mut counted = BTreeSet::new();
            for a in inputs[0].1.cells() {
                for b in inputs[1].1.cells() {
                    for c in inputs[2].1.cells() {
                        point.reset(&dag);
                        let model = [a, b, c];
                        let mut holds = |known: &Constraint| {
                            known.allowed.contains(point.eval(&dag, known.expr, &model))
                        };
                        if constraints.iter().all(&mut holds) {
                            counted.insert(point.eval(&dag, column, &model));
                        }
                    }
                }
            }
            known += 1;
            empty += u32::from(counted.is_empty());
            let counted = Set::of(counted.into_iter().map(|cell| (cell, cell)).collect());
            assert_eq!(found, counted, "{:?} {constraints:?}", dag.node(column));
        }
        assert!(known > 5_000 && empty > 100, "{known} {empty}");
    }

    #[test]
    fn what_is_added_twice_or_related_otherwise_is_left_to_others() {
        let mut dag = Dag::default();
        let ty = ValType::I32;
        let (a, b) = (dag.input(0, ty), dag.input(1, ty));
        let inputs = [0, 1].map(|place| (place, Set::range(0, 9)));
        let budget = Budget::unlimited();
        let values = |dag: &Dag, column: Expr, constraints: &[Constraint]| {
            values(dag, &inputs, column, constraints, &budget)
        };
        let sum = dag.binary(N::I32Add, a, b);
        assert_eq!(values(&dag, sum, &[]), Some(Set::range(0, 18)));
        let twice = dag.binary(N::I32Add, sum, b);
        assert_eq!(values(&dag, twice, &[]), None);
        let product = dag.binary(N::I32Mul, a, b);
        let odd = dag.binary(N::I32Add, product, a);
        assert_eq!(values(&dag, odd, &[]), None);
        let odd_one = Constraint::new(product, Set::single(0));
        assert_eq!(values(&dag, sum, &[odd_one]), None);
        let difference = dag.binary(N::I32Sub, a, b);
        let other = Constraint::new(difference, Set::single(0));
        assert_eq!(values(&dag, sum, &[other]), None);
    }
}
