//! Which operands make an instruction trap.

use borges_vm::num::NumericOp as N;
use borges_vm::{Trap, ValType};

use super::Follower;
use crate::constraint::Constraint;
use crate::dag::Expr;
use crate::set::{Set, greatest};

/// Whether it may trap, by what it is divided by.
pub(super) fn divides(op: N) -> bool {
    matches!(
        op,
        N::I32DivS
            | N::I32DivU
            | N::I32RemS
            | N::I32RemU
            | N::I64DivS
            | N::I64DivU
            | N::I64RemS
            | N::I64RemU
    )
}

/// Whether it may trap, by a float that is no such integer.
pub(super) fn converts(op: N) -> bool {
    matches!(
        op,
        N::I32TruncF32S
            | N::I32TruncF32U
            | N::I32TruncF64S
            | N::I32TruncF64U
            | N::I64TruncF32S
            | N::I64TruncF32U
            | N::I64TruncF64S
            | N::I64TruncF64U
    )
}

impl Follower<'_> {
    pub(super) fn division_traps(&mut self, op: N, a: Expr, b: Expr) -> Vec<(Trap, Constraint)> {
        let mut traps = Vec::new();
        if divides(op) && self.dag.as_const(b).is_none_or(|b| b == 0) {
            let zero = Constraint::new(b, Set::single(0));
            traps.push((Trap::DivideByZero, zero));
        }
        let overflow = match op {
            N::I32DivS => Some((N::I32Eq, ValType::I32)),
            N::I64DivS => Some((N::I64Eq, ValType::I64)),
            _ => None,
        };
        if let Some((equal, ty)) = overflow {
            let all = greatest(ty);
            let least = self.dag.constant(ty, (all >> 1) + 1);
            let minus_one = self.dag.constant(ty, all);
            let a_least = self.dag.binary(equal, a, least);
            let b_minus_one = self.dag.binary(equal, b, minus_one);
            let overflows = self.dag.binary(N::I32And, a_least, b_minus_one);
            if self.dag.as_const(overflows) != Some(0) {
                let one = Constraint::new(overflows, Set::single(1));
                traps.push((Trap::IntegerOverflow, one));
            }
        }
        traps
    }

    pub(super) fn conversion_traps(&mut self, op: N, a: Expr) -> Vec<(Trap, Constraint)> {
        if !converts(op) {
            return Vec::new();
        }
        let ty = op.operands()[0];
        let (sign, infinity) = match ty {
            ValType::F32 => (1_u64 << 31, u64::from(f32::INFINITY.to_bits())),
            _ => (1_u64 << 63, f64::INFINITY.to_bits()),
        };
        // The bits of a float count its magnitude: from some magnitude on, it does not fit.
        let fits = |bits: u64| op.apply(&[bits]).is_ok();
        let first_unfit = |sign: u64| {
            let (mut low, mut high) = (0, infinity);
            while low < high {
                let middle = low + (high - low) / 2;
                if fits(sign | middle) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            low
        };
        let unfit = Set::of(vec![
            (first_unfit(0), infinity),
            (sign | first_unfit(sign), sign | infinity),
        ]);
        let nan = Set::of(vec![
            (infinity + 1, sign - 1),
            (sign | (infinity + 1), greatest(ty)),
        ]);
        vec![
            (Trap::InvalidConversion, Constraint::new(a, nan)),
            (Trap::IntegerOverflow, Constraint::new(a, unfit)),
        ]
    }
}
