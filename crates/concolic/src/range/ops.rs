//! The bounds of what each instruction computes.

use borges_vm::ValType;
use borges_vm::num::NumericOp as N;

use super::{
    Range, float, from_exact, from_signed, from_unsigned, from_wrapped, less, most_signed, of_cell,
    signed_of, top, truth, width,
};
use crate::set::greatest;

pub(super) fn unary(op: N, a: Range) -> Range {
    let ty = op.result();
    match (op, a) {
        (N::I32Eqz | N::I64Eqz, Range::Int { unsigned, .. }) => truth(if unsigned.0 > 0 {
            Some(false)
        } else if unsigned.1 == 0 {
            Some(true)
        } else {
            None
        }),
        (N::I32WrapI64, Range::Int { signed, unsigned }) => {
            let exact = |(a, b): (i64, i64)| (i128::from(a), i128::from(b));
            let plain = |(a, b): (u64, u64)| (i128::from(a), i128::from(b));
            from_exact(ty, exact(signed), plain(unsigned))
        }
        (N::I64ExtendI32S, Range::Int { signed, .. }) => from_signed(ty, signed.0, signed.1),
        (N::I64ExtendI32U, Range::Int { unsigned, .. }) => {
            from_unsigned(ty, unsigned.0, unsigned.1)
        }
        (
            N::I32Extend8S | N::I32Extend16S | N::I64Extend8S | N::I64Extend16S | N::I64Extend32S,
            Range::Int { signed, .. },
        ) => {
            let bits = match op {
                N::I32Extend8S | N::I64Extend8S => 7,
                N::I32Extend16S | N::I64Extend16S => 15,
                _ => 31,
            };
            let most = (1_i64 << bits) - 1;
            if signed.0 >= -most - 1 && signed.1 <= most {
                from_signed(ty, signed.0, signed.1)
            } else {
                from_signed(ty, -most - 1, most)
            }
        }
        (N::F32ConvertI32S | N::F64ConvertI32S | N::F32ConvertI64S | N::F64ConvertI64S, a) => {
            match a {
                Range::Int { signed, .. } => convert(op, signed.0 as u64, signed.1 as u64),
                _ => Range::Unknown,
            }
        }
        (N::F32ConvertI32U | N::F64ConvertI32U | N::F32ConvertI64U | N::F64ConvertI64U, a) => {
            match a {
                Range::Int { unsigned, .. } => convert(op, unsigned.0, unsigned.1),
                _ => Range::Unknown,
            }
        }
        (
            N::F32Ceil
            | N::F32Floor
            | N::F32Trunc
            | N::F32Nearest
            | N::F64Ceil
            | N::F64Floor
            | N::F64Trunc
            | N::F64Nearest
            | N::F32Sqrt
            | N::F64Sqrt
            | N::F64PromoteF32
            | N::F32DemoteF64,
            Range::Float(low, high),
        ) => float(at(op, low), Some(at(op, high))),
        (N::F32Neg | N::F64Neg, Range::Float(low, high)) => Range::Float(-high, -low),
        (N::F32Abs | N::F64Abs, Range::Float(low, high)) => {
            if low >= 0.0 {
                Range::Float(low, high)
            } else if high <= 0.0 {
                Range::Float(-high, -low)
            } else {
                Range::Float(0.0, high.max(-low))
            }
        }
        (op, Range::Float(low, high)) if op.operands()[0] != op.result() => {
            to_integer(op, low, high)
        }
        _ => top(ty),
    }
}

/// A conversion of integers to floats, which keeps their order.
fn convert(op: N, low: u64, high: u64) -> Range {
    let mask = greatest(op.operands()[0]);
    let one = |cell: u64| match of_cell(op.result(), op.apply(&[cell & mask]).unwrap_or(0)) {
        Range::Float(value, _) => value,
        _ => f64::NAN,
    };
    float(one(low), Some(one(high)))
}

/// A conversion of floats to integers, which keeps their order where it does not trap.
fn to_integer(op: N, low: f64, high: f64) -> Range {
    let ty = op.result();
    let cell = |v: f64| op.apply(&[cell_of(op.operands()[0], v)]);
    let signed = matches!(
        op,
        N::I32TruncF32S
            | N::I32TruncF64S
            | N::I64TruncF32S
            | N::I64TruncF64S
            | N::I32TruncSatF32S
            | N::I32TruncSatF64S
            | N::I64TruncSatF32S
            | N::I64TruncSatF64S
    );
    let unsigned = matches!(
        op,
        N::I32TruncF32U
            | N::I32TruncF64U
            | N::I64TruncF32U
            | N::I64TruncF64U
            | N::I32TruncSatF32U
            | N::I32TruncSatF64U
            | N::I64TruncSatF32U
            | N::I64TruncSatF64U
    );
    match (cell(low), cell(high)) {
        (Ok(a), Ok(b)) if signed => from_signed(ty, signed_of(ty, a), signed_of(ty, b)),
        (Ok(a), Ok(b)) if unsigned => from_unsigned(ty, a, b),
        _ => top(ty),
    }
}

fn cell_of(ty: ValType, value: f64) -> u64 {
    match ty {
        ValType::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// A float instruction at a point.
fn at(op: N, value: f64) -> f64 {
    let cell = op.apply(&[cell_of(op.operands()[0], value)]).unwrap_or(0);
    number(op.result(), cell)
}

pub(crate) fn number(ty: ValType, cell: u64) -> f64 {
    match ty {
        ValType::F32 => f64::from(f32::from_bits(cell as u32)),
        _ => f64::from_bits(cell),
    }
}

pub(super) fn binary(op: N, a: Range, b: Range) -> Range {
    match (a, b) {
        (
            Range::Int {
                signed: s,
                unsigned: u,
            },
            Range::Int {
                signed: t,
                unsigned: v,
            },
        ) => integers(op, (s, u), (t, v)),
        (Range::Float(a, b), Range::Float(c, d)) => floats(op, (a, b), (c, d)),
        _ if is_comparison(op) => truth(None),
        _ => top(op.result()),
    }
}

fn is_comparison(op: N) -> bool {
    (0x45..=0x66).contains(&(op as u16))
}

type Views = ((i64, i64), (u64, u64));

fn integers(op: N, (s, u): Views, (t, v): Views) -> Range {
    let ty = op.result();
    let not = |known: Option<bool>| known.map(|value| !value);
    let wide = |(a, b): (i64, i64)| (i128::from(a), i128::from(b));
    let plain = |(a, b): (u64, u64)| (i128::from(a), i128::from(b));
    match op {
        N::I32LtS | N::I64LtS => truth(less(s, t)),
        N::I32LtU | N::I64LtU => truth(less(u, v)),
        N::I32GtS | N::I64GtS => truth(less(t, s)),
        N::I32GtU | N::I64GtU => truth(less(v, u)),
        N::I32LeS | N::I64LeS => truth(not(less(t, s))),
        N::I32LeU | N::I64LeU => truth(not(less(v, u))),
        N::I32GeS | N::I64GeS => truth(not(less(s, t))),
        N::I32GeU | N::I64GeU => truth(not(less(u, v))),
        N::I32Eq | N::I64Eq => truth(equal((s, u), (t, v))),
        N::I32Ne | N::I64Ne => truth(not(equal((s, u), (t, v)))),
        N::I32Add | N::I64Add => {
            let add = |a: (i128, i128), b: (i128, i128)| (a.0 + b.0, a.1 + b.1);
            from_wrapped(ty, add(wide(s), wide(t)), add(plain(u), plain(v)))
        }
        N::I32Sub | N::I64Sub => {
            let sub = |a: (i128, i128), b: (i128, i128)| (a.0 - b.1, a.1 - b.0);
            from_wrapped(ty, sub(wide(s), wide(t)), sub(plain(u), plain(v)))
        }
        N::I32Mul | N::I64Mul => {
            let mul = |a: (i128, i128), b: (i128, i128)| {
                let products = [a.0, a.1]
                    .into_iter()
                    .flat_map(|x| [x.saturating_mul(b.0), x.saturating_mul(b.1)]);
                let low = products.clone().min().unwrap_or(i128::MIN);
                (low, products.max().unwrap_or(i128::MAX))
            };
            from_exact(ty, mul(wide(s), wide(t)), mul(plain(u), plain(v)))
        }
        N::I32DivS | N::I64DivS => div_signed(ty, s, t),
        N::I32DivU | N::I64DivU if v.0 > 0 => from_unsigned(ty, u.0 / v.1, u.1 / v.0),
        // Where the divisor is 0 the path has ended.
        N::I32DivU | N::I64DivU => from_unsigned(ty, 0, u.1),
        N::I32RemU | N::I64RemU if v.1 > 0 => {
            if u.1 < v.0 {
                from_unsigned(ty, u.0, u.1)
            } else {
                from_unsigned(ty, 0, u.1.min(v.1 - 1))
            }
        }
        N::I32RemS | N::I64RemS => {
            let most = t.0.unsigned_abs().max(t.1.unsigned_abs()).saturating_sub(1);
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let high = if s.1 > 0 { s.1.min(most) } else { 0 };
            let low = if s.0 < 0 { s.0.max(-most) } else { 0 };
            from_signed(ty, low, high)
        }
        N::I32And | N::I64And => from_unsigned(ty, 0, u.1.min(v.1)),
        N::I32Or | N::I64Or | N::I32Xor | N::I64Xor => {
            let bits = u.1 | v.1;
            let high = bits.checked_ilog2().map_or(0, |top| u64::MAX >> (63 - top));
            let low = if matches!(op, N::I32Or | N::I64Or) {
                u.0.max(v.0)
            } else {
                0
            };
            from_unsigned(ty, low, high)
        }
        N::I32Shl | N::I64Shl if v.0 == v.1 => {
            let by = v.0 & u64::from(width(ty) - 1);
            let shift = |(a, b): (i128, i128)| (a << by, b << by);
            from_exact(ty, shift(wide(s)), shift(plain(u)))
        }
        N::I32ShrU | N::I64ShrU if v.0 == v.1 => {
            let by = v.0 & u64::from(width(ty) - 1);
            from_unsigned(ty, u.0 >> by, u.1 >> by)
        }
        N::I32ShrU | N::I64ShrU => from_unsigned(ty, 0, u.1),
        N::I32ShrS | N::I64ShrS if v.0 == v.1 => {
            let by = v.0 & u64::from(width(ty) - 1);
            from_signed(ty, s.0 >> by, s.1 >> by)
        }
        _ => top(ty),
    }
}

fn equal((s, u): Views, (t, v): Views) -> Option<bool> {
    if u.0 == u.1 && u == v {
        Some(true)
    } else if u.1 < v.0 || v.1 < u.0 || s.1 < t.0 || t.1 < s.0 {
        Some(false)
    } else {
        None
    }
}

fn div_signed(ty: ValType, s: (i64, i64), t: (i64, i64)) -> Range {
    let quotient = |a: i64, b: i64| i128::from(a) / i128::from(b);
    // A divisor of 0 ends the path: what is left is negative or positive.
    let mut bounds: Option<(i128, i128)> = None;
    for divisor in [(t.0, t.1.min(-1)), (t.0.max(1), t.1)] {
        if divisor.0 > divisor.1 {
            continue;
        }
        for a in [s.0, s.1] {
            for b in [divisor.0, divisor.1] {
                let q = quotient(a, b);
                bounds = Some(bounds.map_or((q, q), |(low, high)| (low.min(q), high.max(q))));
            }
        }
        if s.0 <= 0 && s.1 >= 0 {
            bounds = bounds.map(|(low, high)| (low.min(0), high.max(0)));
        }
    }
    match bounds {
        Some((low, high)) => {
            let high = high.min(i128::from(most_signed(ty)));
            from_signed(ty, low as i64, high as i64)
        }
        None => top(ty),
    }
}

fn floats(op: N, a: (f64, f64), b: (f64, f64)) -> Range {
    let not = |known: Option<bool>| known.map(|value| !value);
    match op {
        N::F32Lt | N::F64Lt => truth(less(a, b)),
        N::F32Gt | N::F64Gt => truth(less(b, a)),
        N::F32Le | N::F64Le => truth(not(less(b, a))),
        N::F32Ge | N::F64Ge => truth(not(less(a, b))),
        N::F32Eq | N::F64Eq => truth(float_equal(a, b)),
        N::F32Ne | N::F64Ne => truth(not(float_equal(a, b))),
        N::F32Add
        | N::F64Add
        | N::F32Sub
        | N::F64Sub
        | N::F32Mul
        | N::F64Mul
        | N::F32Div
        | N::F64Div
        | N::F32Min
        | N::F64Min
        | N::F32Max
        | N::F64Max => {
            if matches!(op, N::F32Div | N::F64Div) && b.0 <= 0.0 && b.1 >= 0.0 {
                return Range::Unknown;
            }
            // Each is monotone in both operands on either side of zero, so the corners have the extremes.
            let ty = op.result();
            let mut bounds = (f64::INFINITY, f64::NEG_INFINITY);
            for x in [a.0, a.1] {
                for y in [b.0, b.1] {
                    let cells = [cell_of(ty, x), cell_of(ty, y)];
                    let value = number(ty, op.apply(&cells).unwrap_or(0));
                    if value.is_nan() {
                        return Range::Unknown;
                    }
                    bounds = (bounds.0.min(value), bounds.1.max(value));
                }
            }
            // Between corners that are no NaN, infinity times zero may still hide.
            let infinite = |v: (f64, f64)| v.0.is_infinite() || v.1.is_infinite();
            if infinite(a) || infinite(b) {
                return Range::Unknown;
            }
            Range::Float(bounds.0, bounds.1)
        }
        _ => top(op.result()),
    }
}

fn float_equal(a: (f64, f64), b: (f64, f64)) -> Option<bool> {
    if a.0 == a.1 && b.0 == b.1 && a.0 == b.0 {
        Some(true)
    } else if a.1 < b.0 || b.1 < a.0 {
        Some(false)
    } else {
        None
    }
}
