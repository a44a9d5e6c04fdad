//! Rules: what outputs and earlier readings say about inputs.
//!
//! A rule bounds every value that a debugger puts in place of a reading: mocks, suggestions, explored choices.

use alloc::{string::String, vec::Vec};

use borges_vm::Value;

use crate::codomain::is_nan;
use crate::{Codomain, PrimitiveId};

/// "While all these hold, that holds."
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The rule as it was written.
    pub text: String,
    /// What must hold for the rule to speak.
    pub conditions: Vec<RuleCondition>,
    /// What it says then.
    pub claims: Vec<RuleClaim>,
}

/// "This quantity is one of these values."
#[derive(Clone, Debug, PartialEq)]
pub struct RuleCondition {
    /// What is looked at.
    pub quantity: Quantity,
    /// The values that it must have; of the quantity's type (i64 for what is no reading).
    pub values: Codomain,
}

/// Something of the environment that the model knows.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// The level written to a pin, 0 or 1.
    Level(u8),
    /// The duty written to a pin, 0 to 255.
    Duty(u8),
    /// The mode of a pin.
    Mode(u8),
    /// The angle of a motor in degrees.
    Angle(u8),
    /// The speed of a motor.
    Speed(u8),
    /// The tone that sounds in Hz, 0 if none.
    Tone,
    /// The last reading of an input.
    Reading(InputCall),
    /// The state that a declared output set: the primitive, its key, and which position of its state.
    Register(PrimitiveId, Vec<Value>, u8),
}

/// An input with arguments: `color_sensor(0)`. Several primitives if the name has several types.
#[derive(Clone, Debug, PartialEq)]
pub struct InputCall {
    /// The primitives that this may be.
    pub primitives: Vec<PrimitiveId>,
    /// The arguments.
    pub args: Vec<Value>,
}

impl InputCall {
    /// Whether a call of `id` with `args` is meant.
    pub fn is(&self, id: PrimitiveId, args: &[Value]) -> bool {
        self.args == args && self.primitives.contains(&id)
    }
}

/// What a rule says about an input.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleClaim {
    /// The input.
    pub call: InputCall,
    /// What it may answer.
    pub bound: Bound,
}

/// How a claim bounds an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// Only these values.
    Within(Codomain),
    /// At most this far from the last reading.
    ChangeAtMost(Value),
    /// Not below the last reading.
    NeverFalls,
    /// Not above the last reading.
    NeverRises,
}

impl Bound {
    /// Whether the last reading must be remembered for it.
    pub(crate) fn needs_last_reading(&self) -> bool {
        !matches!(self, Bound::Within(_))
    }

    /// What is left of `codomain`, given the last reading. Without one, a bound on changes says nothing.
    pub(crate) fn narrow(&self, codomain: Codomain, last: Option<Value>) -> Codomain {
        let last = last.filter(|v| !is_nan(*v));
        let (least, greatest) = match codomain.intervals().as_slice() {
            [(lo, _), .., (_, hi)] | [(lo, hi)] => (*lo, *hi),
            [] => return codomain,
        };
        let allowed = match (self, last) {
            (Bound::Within(values), _) => values.clone(),
            (Bound::ChangeAtMost(step), Some(last)) => {
                Codomain::range(minus(last, *step), plus(last, *step))
            }
            (Bound::NeverFalls, Some(last)) => Codomain::range(last, greatest),
            (Bound::NeverRises, Some(last)) => Codomain::range(least, last),
            (_, None) => return codomain,
        };
        codomain.intersect(&allowed)
    }
}

impl Quantity {
    pub(crate) fn is_reading_of(&self, id: PrimitiveId, args: &[Value]) -> bool {
        matches!(self, Quantity::Reading(call) if call.is(id, args))
    }
}

fn plus(value: Value, step: Value) -> Value {
    match (value, step) {
        (Value::I32(v), Value::I32(s)) => Value::I32(v.saturating_add(s)),
        (Value::I64(v), Value::I64(s)) => Value::I64(v.saturating_add(s)),
        (Value::F32(v), Value::F32(s)) => {
            Value::F32((f32::from_bits(v) + f32::from_bits(s)).to_bits())
        }
        (Value::F64(v), Value::F64(s)) => {
            Value::F64((f64::from_bits(v) + f64::from_bits(s)).to_bits())
        }
        _ => value,
    }
}

fn minus(value: Value, step: Value) -> Value {
    match (value, step) {
        (Value::I32(v), Value::I32(s)) => Value::I32(v.saturating_sub(s)),
        (Value::I64(v), Value::I64(s)) => Value::I64(v.saturating_sub(s)),
        (Value::F32(v), Value::F32(s)) => {
            Value::F32((f32::from_bits(v) - f32::from_bits(s)).to_bits())
        }
        (Value::F64(v), Value::F64(s)) => {
            Value::F64((f64::from_bits(v) - f64::from_bits(s)).to_bits())
        }
        _ => value,
    }
}
