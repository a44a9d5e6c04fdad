//! Which limits a call breaks.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use borges_vm::Value;

use crate::{
    Action, Board, BoardState, BrokenLimit, Limit, LimitBound, Primitive, PrimitiveId,
    PrimitiveKind, Quantity, duration_text, primitive::Op,
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
        let broken = numbered.filter(|(number, limit)| limit.is_kept(self, *number, state));
        broken
            .filter_map(|(number, limit)| {
                let value = limit.broken(self, &action, (number, state, &after))?;
                Some(BrokenLimit {
                    limit: number,
                    value,
                })
            })
            .collect()
    }

    /// Whether calls of this primitive may break a limit.
    pub fn may_break(&self, id: PrimitiveId) -> bool {
        self.changes_for(id, |limit| !limit.is_of_waiting())
            || self
                .invariants
                .iter()
                .any(|limit| limit.bound.is_of_waiting())
                && self.waits(id)
    }

    /// Whether calls of this primitive may change something that a limit looks at, but for the time.
    pub fn is_limited(&self, id: PrimitiveId) -> bool {
        self.changes_for(id, |_| true)
    }

    fn changes_for(&self, id: PrimitiveId, counts: impl Fn(&LimitBound) -> bool) -> bool {
        let Some(primitive) = self.primitive(id) else {
            return false;
        };
        let may_change = |quantity: Quantity| match quantity {
            Quantity::Register(declared, ..) => declared == id,
            other => primitive.op.may_change(&other),
        };
        let mut limits = self.invariants.iter();
        primitive.kind == PrimitiveKind::Output
            && limits.any(|limit| counts(&limit.bound) && limit.quantities().any(may_change))
    }

    /// Whether the program waits while calls of this primitive are performed.
    fn waits(&self, id: PrimitiveId) -> bool {
        let waits = |primitive: &Primitive| {
            matches!(
                primitive.op,
                Op::DelayMs | Op::DelayUs | Op::DriveMotorMs | Op::DriveMotorDegrees | Op::Rotate
            )
        };
        self.primitive(id).is_some_and(waits)
    }

    /// Whether calls of this primitive say something of the time that has passed, or start a timer.
    pub fn tells_time(&self, id: PrimitiveId) -> bool {
        let is_timer = || {
            let op = self.primitive(id).map(|primitive| primitive.op);
            op == Some(Op::SubscribeTimer)
        };
        self.clock_unit_us(id).is_some() || is_timer()
    }

    /// Whether what a limit asks depends on clocks that the program reads, and on timers; `limit` is its number.
    pub fn asks_clocks(&self, limit: u32) -> bool {
        let limit = self.invariants.get(limit as usize);
        limit.is_some_and(Limit::asks_clocks)
    }

    /// Which limits are broken before anything has happened.
    pub(crate) fn broken_at_start(&self) -> impl Iterator<Item = &Limit> {
        let start = BoardState::lean(self);
        let limits = (0..).zip(&self.invariants);
        let broken = limits.filter(move |(number, limit)| !limit.is_kept(self, *number, &start));
        broken.map(|(_, limit)| limit)
    }
}

impl Limit {
    /// Whether it is about time: how long ago something changed.
    pub(crate) fn is_timed(&self) -> bool {
        self.bound.is_of_waiting() || self.asks_clocks()
    }

    /// Whether a clock that a program reads, or a timer, says something of the time that it asks about; otherwise that is
    /// the time in which the program waits.
    pub(crate) fn asks_clocks(&self) -> bool {
        matches!(self.bound, LimitBound::Apart(..))
    }

    /// Whether this limit, the board's `number`th, is kept in a state. One on changes always is: a call breaks it.
    fn is_kept(&self, board: &Board, number: u32, state: &BoardState) -> bool {
        match &self.bound {
            LimitBound::Within(quantity, values) => quantity
                .value(board, state)
                .is_none_or(|value| values.contains(value)),
            LimitBound::NeverBoth(a, b) => !(state.level(board, *a) && state.level(board, *b)),
            LimitBound::Apart(..) => true,
            LimitBound::HighAtMost(_, most_us) => {
                state.age_us(number).is_none_or(|age| age <= *most_us)
            }
            LimitBound::HighShare(_, share) => {
                let pulses = state.pulses(number);
                pulses.is_none_or(|pulses| pulses.are_within(*share))
            }
        }
    }

    /// The value with which it is broken by an action that leads from a state in which it is kept to another, if it is.
    fn broken(
        &self,
        board: &Board,
        action: &Action<'_>,
        (number, before, state): (u32, &BoardState, &BoardState),
    ) -> Option<String> {
        let (quantity, values) = match &self.bound {
            LimitBound::Within(quantity, values) => (quantity, values),
            LimitBound::NeverBoth(..) => {
                let is_kept = self.is_kept(board, number, state);
                return (!is_kept).then(|| "both high".to_string());
            }
            LimitBound::Apart(quantity, _) => {
                let age = before.age_us(number)?;
                let changes = quantity.value(board, before) != quantity.value(board, state);
                return changes.then(|| format!("changed again after {}", duration_text(age)));
            }
            LimitBound::HighAtMost(..) => {
                let is_kept = self.is_kept(board, number, state);
                let waits_us = state.elapsed_us().saturating_sub(before.elapsed_us());
                let high_us = before.age_us(number).unwrap_or(0).saturating_add(waits_us);
                return (!is_kept).then(|| format!("high for {}", duration_text(high_us)));
            }
            LimitBound::HighShare(_, share) => {
                let is_kept = self.is_kept(board, number, state);
                let pulses = state.pulses(number).filter(|_| !is_kept);
                return pulses.map(|pulses| pulses.told(*share));
            }
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

impl LimitBound {
    /// Whether what breaks it is the time that passes, in which the program waits.
    pub(crate) fn is_of_waiting(&self) -> bool {
        matches!(self, LimitBound::HighAtMost(..) | LimitBound::HighShare(..))
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
