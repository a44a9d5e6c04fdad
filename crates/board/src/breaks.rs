//! Which limits a call breaks.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use borges_vm::Value;

use crate::{
    Action, Board, BoardState, BrokenLimit, Limit, LimitBound, PrimitiveId, PrimitiveKind,
    Quantity, primitive::Op,
};

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

impl Limit {
    fn is_kept(&self, board: &Board, state: &BoardState) -> bool {
        match &self.bound {
            LimitBound::Within(quantity, values) => quantity
                .value(board, state)
                .is_none_or(|value| values.contains(value)),
            LimitBound::NeverBoth(a, b) => !(state.level(board, *a) && state.level(board, *b)),
        }
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

impl Op {
    /// Whether an output may change a quantity; what declared outputs set is no matter of operations.
    fn may_change(self, quantity: &Quantity) -> bool {
        match quantity {
            Quantity::Level(_) => self == Op::DigitalWrite,
            Quantity::Duty(_) => self == Op::AnalogWrite,
            Quantity::Mode(_) => self == Op::PinMode,
            Quantity::Angle(_) => self.drives() || matches!(self, Op::DelayMs | Op::DelayUs),
            Quantity::Speed(_) => self.drives(),
            Quantity::Tone => matches!(self, Op::Tone | Op::NoTone),
            Quantity::Reading(_) | Quantity::Register(..) => false,
        }
    }

    /// Whether it lets a motor turn, or stops it.
    fn drives(self) -> bool {
        matches!(
            self,
            Op::DriveMotor | Op::DriveMotorDegrees | Op::DriveMotorMs | Op::Rotate | Op::StopMotor
        )
    }
}
