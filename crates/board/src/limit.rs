//! Limits: what must be so whatever a program does with its outputs.
//!
//! A limit is an invariant of the board's model. It is looked at before an output is performed, so that whoever asks can
//! stop there, and only the call that breaks it counts: one that was broken before is not broken again.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use borges_vm::Value;

use crate::{Action, Board, BoardState, Codomain, PrimitiveId, PrimitiveKind, Quantity};

/// A limit of a board, such as "motor 0 stays within 0..300".
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The limit as it was written.
    pub text: String,
    /// What must be so.
    pub bound: LimitBound,
}

/// What must be so.
#[derive(Clone, Debug, PartialEq)]
pub enum LimitBound {
    /// This quantity has one of these values, which are of its type (i64 for what no output was declared for). It is no
    /// reading; of an angle they are one range.
    Within(Quantity, Codomain),
    /// These two pins are never high at once: the levels that were written to them.
    NeverBoth(u8, u8),
}

/// A limit that a call breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenLimit {
    /// Its number in [`Board::invariants`].
    pub limit: u32,
    /// What the quantity would be then, or both levels.
    pub value: String,
}

impl Limit {
    fn is_kept(&self, board: &Board, state: &BoardState) -> bool {
        match &self.bound {
            LimitBound::Within(quantity, values) => quantity
                .value(board, state)
                .is_none_or(|value| values.contains(value)),
            LimitBound::NeverBoth(a, b) => !(state.level(board, *a) && state.level(board, *b)),
        }
    }

    /// What it looks at.
    pub fn quantities(&self) -> impl Iterator<Item = Quantity> {
        let (first, second) = match &self.bound {
            LimitBound::Within(quantity, _) => (quantity.clone(), None),
            LimitBound::NeverBoth(a, b) => (Quantity::Level(*a), Some(Quantity::Level(*b))),
        };
        core::iter::once(first).chain(second)
    }

    /// The value with which it is broken by an action that led to a state, if it is.
    fn broken(&self, board: &Board, action: &Action<'_>, state: &BoardState) -> Option<String> {
        let LimitBound::Within(quantity, values) = &self.bound else {
            return (!self.is_kept(board, state)).then(|| "both high".to_string());
        };
        // Such a drive is over when the call returns.
        if let (
            Quantity::Speed(limited),
            Action::MotorFor { motor, speed, .. } | Action::MotorTurn { motor, speed, .. },
        ) = (quantity, action)
            && limited == motor
            && !values.contains(Value::I64((*speed).into()))
        {
            return Some(speed.to_string());
        }
        let value = quantity.value(board, state);
        value
            .filter(|value| !values.contains(*value))
            .map(|value| value.to_string())
    }
}

impl Board {
    /// The limits that an output breaks if it is performed in a state, one after the other: those that are kept before it.
    /// Nothing if the board refuses the call.
    pub fn breaks(
        &self,
        state: &BoardState,
        (id, args): (PrimitiveId, &[Value]),
        memory: &[u8],
    ) -> Vec<BrokenLimit> {
        if !self.may_break(id) {
            return Vec::new();
        }
        let Ok(action) = self.action(id, args, memory) else {
            return Vec::new();
        };
        let mut after = state.without_sights();
        after.perform(self, &action);
        let numbered = (0..).zip(&self.invariants);
        let broken = numbered.filter(|(_, limit)| limit.is_kept(self, state));
        broken
            .filter_map(|(number, limit)| {
                let value = limit.broken(self, &action, &after)?;
                Some(BrokenLimit {
                    limit: number,
                    value,
                })
            })
            .collect()
    }

    /// Whether calls of this primitive may change something for which there is a limit.
    pub fn may_break(&self, id: PrimitiveId) -> bool {
        let Some(primitive) = self.primitive(id) else {
            return false;
        };
        let limited = || self.invariants.iter().flat_map(Limit::quantities);
        primitive.kind == PrimitiveKind::Output
            && limited().any(|quantity| match quantity {
                Quantity::Register(declared, ..) => declared == id,
                other => primitive.op.may_change(&other),
            })
    }

    /// Which limits are broken before anything has happened.
    #[cfg(feature = "host")]
    pub(crate) fn broken_at_start(&self) -> impl Iterator<Item = &Limit> {
        let start = BoardState::lean(self);
        let limits = self.invariants.iter();
        limits.filter(move |limit| !limit.is_kept(self, &start))
    }
}
