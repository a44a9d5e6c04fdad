//! Which calls of an input somebody means.

use alloc::vec::Vec;

use borges_vm::Value;

use crate::PrimitiveId;

/// Calls of an input: `color_sensor(0)`, or `color_sensor` of whatever port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calls {
    /// The primitives that are meant: several if the name has several types.
    pub primitives: Vec<PrimitiveId>,
    /// The arguments; `None` where any will do. An empty list stands for all arguments.
    pub args: Vec<Option<Value>>,
}

impl Calls {
    /// Whether a call of `id` with `args` is meant.
    pub fn include(&self, id: PrimitiveId, args: &[Value]) -> bool {
        let fits = |(pattern, arg): (&Option<Value>, &Value)| pattern.is_none_or(|p| p == *arg);
        self.primitives.contains(&id)
            && (self.args.is_empty()
                || self.args.len() == args.len() && self.args.iter().zip(args).all(fits))
    }
}
