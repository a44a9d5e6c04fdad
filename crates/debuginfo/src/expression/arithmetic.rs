//! Operators on numbers.

use super::Binary;
use crate::child::Number;

pub(super) fn is_true(number: Number) -> bool {
    match number {
        Number::Int(value) => value != 0,
        Number::Float(value) => value != 0.0,
    }
}

pub(super) fn float(number: Number) -> f64 {
    match number {
        Number::Int(value) => value as f64,
        Number::Float(value) => value,
    }
}

/// `None` of operators that do not compare.
pub(super) fn compare(operator: Binary, a: Number, b: Number) -> Option<bool> {
    let order = match (a, b) {
        (Number::Int(a), Number::Int(b)) => Some(a.cmp(&b)),
        (a, b) => float(a).partial_cmp(&float(b)),
    };
    // Not-a-number is unequal to everything and neither less nor greater.
    Some(match operator {
        Binary::Equal => order.is_some_and(|order| order.is_eq()),
        Binary::Unequal => order.is_none_or(|order| order.is_ne()),
        Binary::Less => order.is_some_and(|order| order.is_lt()),
        Binary::LessOrEqual => order.is_some_and(|order| order.is_le()),
        Binary::Greater => order.is_some_and(|order| order.is_gt()),
        Binary::GreaterOrEqual => order.is_some_and(|order| order.is_ge()),
        _ => return None,
    })
}

/// `None` if there is no result.
pub(super) fn integers(operator: Binary, a: i128, b: i128) -> Option<i128> {
    let shift = u32::try_from(b).ok();
    match operator {
        Binary::Add => a.checked_add(b),
        Binary::Subtract => a.checked_sub(b),
        Binary::Multiply => a.checked_mul(b),
        Binary::Divide => a.checked_div(b),
        Binary::Remainder => a.checked_rem(b),
        Binary::BitAnd => Some(a & b),
        Binary::BitOr => Some(a | b),
        Binary::BitXor => Some(a ^ b),
        Binary::ShiftLeft => {
            let shift = shift?;
            if a == 0 {
                return Some(0);
            }
            let shifted = a.checked_shl(shift)?;
            (shifted >> shift == a).then_some(shifted)
        }
        // A shift by 127 or more keeps nothing but the sign.
        Binary::ShiftRight => a.checked_shr(shift?.min(127)),
        _ => None,
    }
}

/// `None` of operators that floats do not have.
pub(super) fn floats(operator: Binary, a: f64, b: f64) -> Option<f64> {
    Some(match operator {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        Binary::Divide => a / b,
        Binary::Remainder => a % b,
        _ => return None,
    })
}
