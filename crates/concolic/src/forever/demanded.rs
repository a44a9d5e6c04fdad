//! Which bits of its inputs an expression depends on.

use borges_vm::ValType;
use borges_vm::num::NumericOp as N;
use hashbrown::HashMap;

use crate::dag::{Dag, Expr, Node};

/// For every input of these expressions, how many of its low bits they depend on at most; the others may be anything.
pub(super) fn bits(dag: &Dag, roots: &[Expr]) -> HashMap<u32, u32> {
    let mut demanded: HashMap<Expr, u32> = HashMap::new();
    for root in roots {
        demand(&mut demanded, *root, width(dag.ty(*root)));
    }
    let mut inputs = HashMap::new();
    // What expressions are made of was made before them.
    for expr in dag.cone(roots).into_iter().rev() {
        let bits = demanded.get(&expr).copied().unwrap_or(0);
        match dag.node(expr) {
            Node::Const(_) => {}
            Node::Input(place) => {
                inputs.insert(place, bits);
            }
            Node::Unary(op, a) => demand(&mut demanded, a, of_unary(op, bits, width(dag.ty(a)))),
            Node::Binary(op, a, b) => {
                let constant = dag.as_const(b);
                let (left, right) = of_binary(op, bits, width(dag.ty(a)), constant);
                demand(&mut demanded, a, left);
                demand(&mut demanded, b, right);
            }
            Node::Choose(condition, yes, no) => {
                demand(&mut demanded, condition, width(dag.ty(condition)));
                demand(&mut demanded, yes, bits);
                demand(&mut demanded, no, bits);
            }
            Node::Lookup(..) => dag.operands(expr, &mut |operand| {
                demand(&mut demanded, operand, width(dag.ty(operand)));
            }),
        }
    }
    inputs
}

fn demand(demanded: &mut HashMap<Expr, u32>, expr: Expr, bits: u32) {
    let known = demanded.entry(expr).or_insert(0);
    *known = bits.max(*known);
}

fn width(ty: ValType) -> u32 {
    match ty {
        ValType::I32 | ValType::F32 => 32,
        _ => 64,
    }
}

/// The bits of its operand that so many low bits of a result depend on.
fn of_unary(op: N, bits: u32, width: u32) -> u32 {
    match op {
        N::I32WrapI64 | N::I64ExtendI32U | N::I64ExtendI32S => bits.min(32),
        N::I32Extend8S | N::I64Extend8S => bits.min(8),
        N::I32Extend16S | N::I64Extend16S => bits.min(16),
        N::I64Extend32S => bits.min(32),
        _ => width,
    }
}

/// The same of both operands, the second of which may be a constant.
fn of_binary(op: N, bits: u32, width: u32, constant: Option<u64>) -> (u32, u32) {
    match (op, constant) {
        (N::I32And | N::I64And, Some(mask)) => (bits.min(64 - mask.leading_zeros()), bits),
        (
            N::I32And
            | N::I64And
            | N::I32Or
            | N::I64Or
            | N::I32Xor
            | N::I64Xor
            | N::I32Add
            | N::I64Add
            | N::I32Sub
            | N::I64Sub
            | N::I32Mul
            | N::I64Mul,
            _,
        ) => (bits, bits),
        (N::I32Shl | N::I64Shl, Some(by)) => {
            (bits.saturating_sub((by % u64::from(width)) as u32), width)
        }
        (N::I32ShrU | N::I64ShrU, Some(by)) => {
            ((bits + (by % u64::from(width)) as u32).min(width), width)
        }
        _ => (width, width),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changing_other_bits_changes_nothing() {
        let mut rng = fastrand::Rng::with_seed(7);
        let ops = [
            N::I32And,
            N::I32Or,
            N::I32Xor,
            N::I32Add,
            N::I32Sub,
            N::I32Mul,
            N::I32Shl,
            N::I32ShrU,
            N::I32ShrS,
            N::I32LtS,
            N::I32Eq,
            N::I32DivU,
        ];
        let (mut few, mut point) = (0, crate::lanes::Point::default());
        for _ in 0..2_000 {
            let mut dag = Dag::default();
            let mut exprs = vec![dag.input(0, ValType::I32), dag.input(1, ValType::I32)];
            for constant in [0xff, 3, 0xf0f0, 17] {
                exprs.push(dag.constant(ValType::I32, constant));
            }
            for _ in 0..rng.usize(1..7) {
                let (a, b) = (
                    exprs[rng.usize(..exprs.len())],
                    exprs[rng.usize(..exprs.len())],
                );
                let made = match rng.u8(..8) {
                    0 => dag.unary(N::I32Extend8S, a),
                    1 => dag.choose(a, b, exprs[rng.usize(..exprs.len())]),
                    _ => dag.binary(ops[rng.usize(..ops.len())], a, b),
                };
                exprs.push(made);
            }
            let root = exprs[exprs.len() - 1];
            let matter = bits(&dag, &[root]);
            few += u32::from(matter.values().any(|bits| *bits < 32));
            for _ in 0..20 {
                let model = [rng.u32(..), rng.u32(..)].map(u64::from);
                let mut other = model;
                for (place, cell) in other.iter_mut().enumerate() {
                    let kept = matter.get(&(place as u32)).copied().unwrap_or(0);
                    let mask = (1_u64 << kept) - 1;
                    *cell = *cell & mask | u64::from(rng.u32(..)) & !mask & 0xffff_ffff;
                }
                let mut eval = |model: &[u64]| {
                    point.reset(&dag);
                    point.eval(&dag, root, model)
                };
                assert_eq!(eval(&model), eval(&other), "{model:?} {other:?} {matter:?}");
            }
        }
        assert!(few > 100, "nothing to see: {few}");
    }
}
