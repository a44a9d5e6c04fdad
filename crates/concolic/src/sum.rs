//! Sums in normal form: what stands on both sides of a difference is gone.
//!
//! Only sums with a *base* in them are brought into it: with what a clock showed first, that is. Differences of two times
//! then depend on what has passed between them, and on nothing else.

use borges_vm::ValType;
use borges_vm::num::NumericOp as N;

use crate::dag::{Dag, Expr, Node};
use crate::set::greatest;

/// A sum of this many different things is left as it is.
const MOST_TERMS: usize = 16;

/// Expressions, how often each of them is added (modulo the range of the type), and a constant.
#[derive(Clone, Debug)]
pub(crate) struct Sum {
    ty: ValType,
    terms: Vec<(Expr, u64)>,
    constant: u64,
}

impl Sum {
    fn add(&mut self, expr: Expr, times: u64) {
        match self.terms.iter_mut().find(|(known, _)| *known == expr) {
            Some((_, known)) => *known = known.wrapping_add(times) & greatest(self.ty),
            None => self.terms.push((expr, times & greatest(self.ty))),
        }
        self.terms.retain(|(_, times)| *times != 0);
    }

    /// This and so many times another.
    pub(crate) fn plus(mut self, other: &Sum, times: i64) -> Self {
        let times = times as u64;
        for (expr, often) in &other.terms {
            self.add(*expr, often.wrapping_mul(times));
        }
        let constant = other.constant.wrapping_mul(times);
        self.constant = self.constant.wrapping_add(constant) & greatest(self.ty);
        self
    }

    /// What is added, each with how often.
    pub(crate) fn terms(&self) -> &[(Expr, u64)] {
        &self.terms
    }

    /// What is added besides.
    pub(crate) fn constant(&self) -> u64 {
        self.constant
    }

    /// A known number, as a sum.
    pub(crate) fn number(ty: ValType, number: i64) -> Self {
        Sum {
            ty,
            terms: Vec::new(),
            constant: number as u64 & greatest(ty),
        }
    }
}

impl Dag {
    /// Whether an expression depends on a base.
    pub(crate) fn has_base(&self, expr: Expr) -> bool {
        // Inputs are in order.
        let first = self.inputs(expr).first();
        first.is_some_and(|place| *place < self.bases())
    }

    /// An expression as a sum; nothing if it has too many parts.
    pub(crate) fn sum_of(&self, expr: Expr) -> Option<Sum> {
        let ty = self.ty(expr);
        let mut sum = Sum::number(ty, 0);
        let mut left = vec![(expr, 1_i64)];
        while let Some((expr, sign)) = left.pop() {
            if sum.terms.len() + left.len() > MOST_TERMS {
                return None;
            }
            match self.node(expr) {
                Node::Const(cell) => {
                    let number = Sum {
                        ty,
                        terms: Vec::new(),
                        constant: cell,
                    };
                    sum = sum.plus(&number, sign);
                }
                Node::Binary(N::I32Add | N::I64Add, a, b) => left.extend([(a, sign), (b, sign)]),
                Node::Binary(N::I32Sub | N::I64Sub, a, b) => left.extend([(a, sign), (b, -sign)]),
                _ => sum.add(expr, sign as u64),
            }
        }
        Some(sum)
    }

    /// A sum as an expression: bases first, then what is added, what is taken away, and the constant.
    pub(crate) fn of_sum(&mut self, sum: &Sum) -> Expr {
        let (add, sub, times) = match sum.ty {
            ValType::I64 => (N::I64Add, N::I64Sub, N::I64Mul),
            _ => (N::I32Add, N::I32Sub, N::I32Mul),
        };
        let is_minus = |often: u64| often > greatest(sum.ty) / 2;
        let mut terms = sum.terms.clone();
        // Whatever was made before: equal states are to be known by that also in another process.
        terms.sort_by_cached_key(|(expr, often)| {
            let (inputs, content) = (self.inputs(*expr).clone(), self.content(*expr));
            (!self.has_base(*expr), is_minus(*often), inputs, content)
        });
        let mut all: Option<Expr> = None;
        for (expr, often) in terms {
            let minus = is_minus(often);
            let often = if minus {
                often.wrapping_neg() & greatest(sum.ty)
            } else {
                often
            };
            let often = self.constant(sum.ty, often);
            let term = self.binary(times, expr, often);
            all = Some(match (all, minus) {
                (Some(before), true) => self.as_it_is(sub, before, term),
                (Some(before), false) => self.as_it_is(add, before, term),
                (None, false) => term,
                (None, true) => {
                    let zero = self.constant(sum.ty, 0);
                    self.as_it_is(sub, zero, term)
                }
            });
        }
        let constant = self.constant(sum.ty, sum.constant);
        match all {
            Some(all) if sum.constant != 0 => self.as_it_is(add, all, constant),
            Some(all) => all,
            None => constant,
        }
    }

    /// What an instruction makes of operands of which one depends on a base, if that is simpler.
    pub(crate) fn without_base(&mut self, op: N, a: Expr, b: Expr) -> Option<Expr> {
        let times = match op {
            N::I32Add | N::I64Add => 1,
            N::I32Sub | N::I64Sub | N::I32Eq | N::I64Eq | N::I32Ne | N::I64Ne => -1,
            _ => return None,
        };
        let sum = self.sum_of(a)?.plus(&self.sum_of(b)?, times);
        if matches!(op, N::I32Add | N::I64Add | N::I32Sub | N::I64Sub) {
            return Some(self.of_sum(&sum));
        }
        // Two times are equal if nothing lies between them.
        let difference = self.of_sum(&sum);
        if self.has_base(difference) {
            return None;
        }
        let zero = self.constant(sum.ty, 0);
        Some(self.binary(op, difference, zero))
    }

    /// What a sum is besides one base, and which: nothing if it is something else than a base and what has nothing to do
    /// with any.
    pub(crate) fn since_base(&self, expr: Expr) -> Option<(u32, Sum)> {
        let mut sum = self.sum_of(expr)?;
        let is_based = |(expr, _): &(Expr, u64)| self.has_base(*expr);
        let at = sum.terms.iter().position(is_based)?;
        let (base, times) = sum.terms.remove(at);
        match self.node(base) {
            Node::Input(place) if times == 1 && !sum.terms.iter().any(is_based) => {
                Some((place, sum))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Point;

    #[test]
    fn sums_in_normal_form_have_the_values_that_they_had() {
        let mut random = fastrand::Rng::with_seed(9);
        let (mut plain, mut normal) = (Dag::default(), Dag::default());
        normal.set_bases(1);
        let (mut point, mut other) = (Point::default(), Point::default());
        let mut gone = 0;
        for _ in 0..8_000 {
            let ops = [
                N::I32Add,
                N::I32Sub,
                N::I32Add,
                N::I32Sub,
                N::I32Eq,
                N::I32Ne,
                N::I32LtU,
            ];
            let leaf = |dag: &mut Dag, which: u32| match which {
                0..4 => dag.input(which, ValType::I32),
                _ => dag.constant(
                    ValType::I32,
                    u64::from(which - 4).wrapping_mul(0x2000_0001) & 0xffff_ffff,
                ),
            };
            let first = random.u32(..8);
            let (mut a, mut b) = (leaf(&mut plain, first), leaf(&mut normal, first));
            for _ in 0..random.usize(1..7) {
                let (op, next, before) = (
                    ops[random.usize(..ops.len())],
                    random.u32(..8),
                    random.bool(),
                );
                let (x, y) = (leaf(&mut plain, next), leaf(&mut normal, next));
                let ordered = |old: Expr, new: Expr| if before { (new, old) } else { (old, new) };
                let ((p, q), (r, s)) = (ordered(a, x), ordered(b, y));
                (a, b) = (plain.binary(op, p, q), normal.binary(op, r, s));
            }
            gone += u32::from(plain.inputs(a).contains(&0) && !normal.has_base(b));
            for _ in 0..8 {
                let model: Vec<u64> = (0..4).map(|_| random.u32(..).into()).collect();
                point.reset(&plain);
                other.reset(&normal);
                let values = (
                    point.eval(&plain, a, &model),
                    other.eval(&normal, b, &model),
                );
                assert_eq!(
                    values.0,
                    values.1,
                    "{:?} and {:?}",
                    plain.node(a),
                    normal.node(b)
                );
            }
        }
        assert!(gone > 100, "a base was gone from {gone} expressions");
    }
}
