//! What a value lies between, when the inputs lie between bounds.
mod ops;

use borges_vm::ValType;

use crate::dag::Dag;
use crate::lanes::{Compiled, Step};
use crate::set::{Set, greatest};

pub(crate) use ops::number;
use ops::{binary, unary};

/// Bounds of a value. Every value that the cell can have is within them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Range {
    /// An integer: as signed, and as unsigned.
    Int {
        signed: (i64, i64),
        unsigned: (u64, u64),
    },
    /// A float that is no NaN.
    Float(f64, f64),
    /// A float of which nothing is known.
    Unknown,
}

impl Range {
    /// About how many bits are not known of the value.
    pub(crate) fn open_bits(self) -> u32 {
        let bits = |width: u64| u64::BITS - width.leading_zeros();
        match self {
            Range::Int { signed, unsigned } => {
                bits(signed.0.abs_diff(signed.1)).min(bits(unsigned.0.abs_diff(unsigned.1)))
            }
            Range::Float(low, high) => bits(ordered(low).abs_diff(ordered(high))),
            Range::Unknown => u64::BITS,
        }
    }
}

/// A number for each float, in their order.
fn ordered(float: f64) -> i64 {
    let bits = float.to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

/// How many bits an integer has.
fn width(ty: ValType) -> u32 {
    if greatest(ty) == u64::MAX { 64 } else { 32 }
}

/// The signed number that a cell is.
pub(crate) fn signed_of(ty: ValType, cell: u64) -> i64 {
    if width(ty) == 32 {
        i64::from(cell as u32 as i32)
    } else {
        cell as i64
    }
}

fn least_signed(ty: ValType) -> i64 {
    if width(ty) == 32 {
        i64::from(i32::MIN)
    } else {
        i64::MIN
    }
}

fn most_signed(ty: ValType) -> i64 {
    if width(ty) == 32 {
        i64::from(i32::MAX)
    } else {
        i64::MAX
    }
}

/// Nothing is known of it.
fn top(ty: ValType) -> Range {
    match ty {
        ValType::F32 | ValType::F64 => Range::Unknown,
        _ => Range::Int {
            signed: (least_signed(ty), most_signed(ty)),
            unsigned: (0, greatest(ty)),
        },
    }
}

/// From the unsigned bounds alone.
fn from_unsigned(ty: ValType, low: u64, high: u64) -> Range {
    let sign = most_signed(ty) as u64;
    let signed = if high <= sign || low > sign {
        (signed_of(ty, low), signed_of(ty, high))
    } else {
        (least_signed(ty), most_signed(ty))
    };
    Range::Int {
        signed,
        unsigned: (low, high),
    }
}

/// From the signed bounds alone.
fn from_signed(ty: ValType, low: i64, high: i64) -> Range {
    let cell = |v: i64| v as u64 & greatest(ty);
    let unsigned = if low >= 0 || high < 0 {
        (cell(low), cell(high))
    } else {
        (0, greatest(ty))
    };
    Range::Int {
        signed: (low, high),
        unsigned,
    }
}

/// From exact results in both views; a view that does not fit its type says nothing.
fn from_exact(ty: ValType, signed: (i128, i128), unsigned: (i128, i128)) -> Range {
    let fits_signed =
        signed.0 >= i128::from(least_signed(ty)) && signed.1 <= i128::from(most_signed(ty));
    let fits_unsigned = unsigned.0 >= 0 && unsigned.1 <= i128::from(greatest(ty));
    match (fits_signed, fits_unsigned) {
        (true, true) => both(
            from_signed(ty, signed.0 as i64, signed.1 as i64),
            from_unsigned(ty, unsigned.0 as u64, unsigned.1 as u64),
        ),
        (true, false) => from_signed(ty, signed.0 as i64, signed.1 as i64),
        (false, true) => from_unsigned(ty, unsigned.0 as u64, unsigned.1 as u64),
        (false, false) => top(ty),
    }
}

/// From exact results of an addition or a subtraction: as far as both ends have left the type's numbers in the same way, the
/// cells are what is left of them.
fn from_wrapped(ty: ValType, signed: (i128, i128), unsigned: (i128, i128)) -> Range {
    let (size, half) = (1_i128 << width(ty), 1_i128 << (width(ty) - 1));
    let round = |(low, high): (i128, i128), least: i128| {
        let times = (low - least).div_euclid(size);
        match times == (high - least).div_euclid(size) {
            true => (low - times * size, high - times * size),
            false => (low, high),
        }
    };
    from_exact(ty, round(signed, -half), round(unsigned, 0))
}

/// What holds if both hold.
fn both(a: Range, b: Range) -> Range {
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
        ) => Range::Int {
            signed: (s.0.max(t.0), s.1.min(t.1)),
            unsigned: (u.0.max(v.0), u.1.min(v.1)),
        },
        (a, _) => a,
    }
}

/// What holds if either holds.
fn either(a: Range, b: Range) -> Range {
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
        ) => Range::Int {
            signed: (s.0.min(t.0), s.1.max(t.1)),
            unsigned: (u.0.min(v.0), u.1.max(v.1)),
        },
        (Range::Float(a, b), Range::Float(c, d)) => Range::Float(a.min(c), b.max(d)),
        _ => Range::Unknown,
    }
}

fn truth(known: Option<bool>) -> Range {
    match known {
        Some(value) => from_unsigned(ValType::I32, value.into(), value.into()),
        None => from_unsigned(ValType::I32, 0, 1),
    }
}

/// Whether `a < b`, if that is certain.
fn less<T: PartialOrd>(a: (T, T), b: (T, T)) -> Option<bool> {
    if a.1 < b.0 {
        Some(true)
    } else if a.0 >= b.1 {
        Some(false)
    } else {
        None
    }
}

/// The bounds of a single cell.
fn of_cell(ty: ValType, cell: u64) -> Range {
    match ty {
        ValType::F32 => float(f64::from(f32::from_bits(cell as u32)), None),
        ValType::F64 => float(f64::from_bits(cell), None),
        _ => from_unsigned(ty, cell, cell),
    }
}

fn float(low: f64, high: Option<f64>) -> Range {
    let high = high.unwrap_or(low);
    if low.is_nan() || high.is_nan() {
        Range::Unknown
    } else {
        Range::Float(low, high)
    }
}

/// The bounds of an input whose cells are `low..=high`.
pub(crate) fn of_cells(ty: ValType, low: u64, high: u64) -> Range {
    if low == high {
        return of_cell(ty, low);
    }
    match ty {
        ValType::F32 | ValType::F64 => {
            let sign = most_signed(ty) as u64;
            let (a, b) = (of_cell(ty, low), of_cell(ty, high));
            match (a, b) {
                // Positive floats are in the order of their bits, negative ones in the reverse order.
                (Range::Float(a, _), Range::Float(b, _)) if high <= sign => Range::Float(a, b),
                (Range::Float(a, _), Range::Float(b, _)) if low > sign => Range::Float(b, a),
                _ => Range::Unknown,
            }
        }
        _ => from_unsigned(ty, low, high),
    }
}

/// Whether all values (`Some(true)`), none (`Some(false)`) or maybe some within the bounds are allowed.
pub(crate) fn decide(ty: ValType, range: Range, allowed: &Set) -> Option<bool> {
    match range {
        Range::Int { signed, unsigned } => {
            if allowed.covers(unsigned.0, unsigned.1) {
                return Some(true);
            }
            if !allowed.touches(unsigned.0, unsigned.1) {
                return Some(false);
            }
            // The signed view may be the narrower one: two intervals of cells.
            if signed.0 < 0 && signed.1 >= 0 {
                let cell = |v: i64| v as u64 & greatest(ty);
                let (negative, positive) = ((cell(signed.0), greatest(ty)), (0, cell(signed.1)));
                let covers = |part: (u64, u64)| allowed.covers(part.0, part.1);
                let touches = |part: (u64, u64)| allowed.touches(part.0, part.1);
                if covers(negative) && covers(positive) {
                    return Some(true);
                }
                if !touches(negative) && !touches(positive) {
                    return Some(false);
                }
            }
            None
        }
        Range::Float(low, high) => {
            // Only where the sign is one: the order of bits is that of numbers then.
            let bits = |v: f64| match ty {
                ValType::F32 => u64::from((v as f32).to_bits()),
                _ => v.to_bits(),
            };
            let (low, high) = if low > 0.0 {
                (bits(low), bits(high))
            } else if high < 0.0 {
                (bits(high), bits(low))
            } else {
                return None;
            };
            if allowed.covers(low, high) {
                Some(true)
            } else if allowed.touches(low, high) {
                None
            } else {
                Some(false)
            }
        }
        Range::Unknown => None,
    }
}

/// The bounds of every step of a program, given those of its inputs.
pub(crate) fn evaluate(
    dag: &Dag,
    program: &Compiled,
    input: impl Fn(usize) -> Range,
    ranges: &mut Vec<Range>,
) {
    ranges.clear();
    for number in 0..program.steps.len() {
        let range = of_step(dag, program, number, &input, ranges);
        ranges.push(range);
    }
}

/// The bounds of one step of a program, given those of its inputs and of the steps before.
pub(crate) fn of_step(
    dag: &Dag,
    program: &Compiled,
    number: usize,
    input: impl Fn(usize) -> Range,
    ranges: &[Range],
) -> Range {
    let expr = program.exprs[number];
    let ty = dag.ty(expr);
    let range = match &program.steps[number] {
        Step::Const(cell) => of_cell(ty, *cell),
        Step::Input(at) => input(*at),
        Step::Unary(op, a) => unary(*op, ranges[*a]),
        Step::Binary(op, a, b) => binary(*op, ranges[*a], ranges[*b]),
        Step::Choose(a, b, c) => match ranges[*a] {
            Range::Int { unsigned, .. } if unsigned.0 > 0 => ranges[*b],
            Range::Int {
                unsigned: (0, 0), ..
            } => ranges[*c],
            _ => either(ranges[*b], ranges[*c]),
        },
        Step::Lookup(first, values, index) => lookup(ty, *first, values, ranges[*index], ranges),
    };
    // What the construction of the expression tells.
    match range {
        Range::Int { unsigned, .. } if unsigned.1 > dag.greatest(expr) => {
            both(range, from_unsigned(ty, 0, dag.greatest(expr)))
        }
        range => range,
    }
}

fn lookup(ty: ValType, first: u64, values: &[usize], index: Range, ranges: &[Range]) -> Range {
    let Range::Int {
        unsigned: (low, high),
        ..
    } = index
    else {
        return top(ty);
    };
    let from = low.saturating_sub(first).min(values.len() as u64) as usize;
    let to = high.saturating_sub(first).min(values.len() as u64 - 1) as usize;
    // Indices outside are no part of any path.
    let found = values.get(from..=to).unwrap_or_default().iter();
    found
        .map(|value| ranges[*value])
        .reduce(either)
        .unwrap_or(top(ty))
}

#[cfg(test)]
mod tests {
    use borges_vm::num::NumericOp as N;

    use super::*;
    use crate::lanes::Lanes;

    /// Every instruction on random boxes: what it computes inside the box lies within the bounds.
    #[test]
    fn bounds_hold_what_instructions_compute() {
        let mut random = fastrand::Rng::with_seed(7);
        for &op in N::ALL {
            for _ in 0..60 {
                let mut dag = Dag::default();
                let types = op.operands();
                let inputs: Vec<_> = (0..types.len())
                    .map(|place| dag.input(place as u32, types[place]))
                    .collect();
                let expr = match inputs.as_slice() {
                    [a] => dag.unary(op, *a),
                    [a, b] => dag.binary(op, *a, *b),
                    _ => unreachable!("instructions have one or two operands"),
                };
                let boxes: Vec<(u64, u64)> = types
                    .iter()
                    .map(|ty| {
                        let a = interesting(&mut random, *ty);
                        let b = match random.u8(0..3) {
                            0 => a,
                            1 => a.saturating_add(random.u64(0..5000)).min(greatest(*ty)),
                            _ => interesting(&mut random, *ty),
                        };
                        (a.min(b), a.max(b))
                    })
                    .collect();
                let program = Compiled::new(&dag, &[expr]);
                let mut ranges = Vec::new();
                evaluate(
                    &dag,
                    &program,
                    |at| of_cells(types[at], boxes[at].0, boxes[at].1),
                    &mut ranges,
                );
                let range = ranges[program.outputs[0]];
                let mut lanes = Lanes::default();
                lanes.run(&program, 64, |at, column| {
                    let (low, high) = boxes[at];
                    column.fill_with(|| random.u64(low..=high));
                });
                let mut columns = Vec::new();
                for (at, step) in program.steps.iter().enumerate() {
                    if let Step::Input(input) = step {
                        columns.push((*input, at));
                    }
                }
                for lane in 0..64 {
                    let cell = lanes.column(program.outputs[0])[lane];
                    let arguments: Vec<u64> = columns
                        .iter()
                        .map(|(_, at)| lanes.column(*at)[lane])
                        .collect();
                    if op.apply(&arguments).is_err() {
                        continue;
                    }
                    let ty = op.result();
                    let inside = match range {
                        Range::Int { signed, unsigned } => {
                            let v = signed_of(ty, cell);
                            signed.0 <= v
                                && v <= signed.1
                                && unsigned.0 <= cell
                                && cell <= unsigned.1
                        }
                        Range::Float(low, high) => {
                            let v = number(ty, cell);
                            low <= v && v <= high
                        }
                        Range::Unknown => true,
                    };
                    assert!(
                        inside,
                        "{} of {arguments:x?} in {boxes:x?} is {cell:x}, not in {range:?}",
                        op.name()
                    );
                }
            }
        }
    }

    fn interesting(random: &mut fastrand::Rng, ty: ValType) -> u64 {
        let cell = match random.u8(0..6) {
            0 => random.u64(0..300),
            1 => greatest(ty) - random.u64(0..300),
            2 => (greatest(ty) >> 1).wrapping_add(random.u64(0..3)),
            3 if ty == ValType::F32 => u64::from((random.f32() * 1000.0 - 500.0).to_bits()),
            3 if ty == ValType::F64 => (random.f64() * 1000.0 - 500.0).to_bits(),
            _ => random.u64(..),
        };
        cell & greatest(ty)
    }
}
