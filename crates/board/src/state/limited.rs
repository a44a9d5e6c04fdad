//! What rules and limits look at in a state.

use borges_vm::Value;

use super::{Angle, BoardState, Core, Motor, Pin};
use crate::{Board, Codomain, Limit, LimitBound, Quantity};

/// Where the angle of a motor counts as that has left its limit: farther than any motor turns.
const LOST: Angle = Angle(i64::MAX / 2);

#[cfg(feature = "host")]
impl BoardState {
    /// The same without what is only seen.
    pub(crate) fn without_sights(&self) -> Self {
        BoardState {
            core: crate::Shared::clone(&self.core),
            system: self.system.clone(),
            past: self.past.clone(),
            sights: None,
        }
    }
}

impl Quantity {
    /// What it is in a state; nothing if that is not known (no reading yet).
    pub(crate) fn value(&self, board: &Board, state: &BoardState) -> Option<Value> {
        let int = |v: i64| Some(Value::I64(v));
        match self {
            Quantity::Level(pin) => int(i64::from(state.level(board, *pin))),
            Quantity::Duty(pin) => int(i64::from(state.pin(*pin).duty.unwrap_or(0))),
            Quantity::Mode(pin) => int(i64::from(state.pin(*pin).mode.unwrap_or(0))),
            Quantity::Angle(motor) => int(state.motor(*motor)?.angle.degrees()),
            Quantity::Speed(motor) => int(i64::from(state.motor(*motor)?.speed)),
            Quantity::Tone => int(i64::from(state.tone().unwrap_or(0))),
            Quantity::Reading(call) => call
                .primitives
                .iter()
                .find_map(|id| state.last_reading(*id, &call.args)),
            Quantity::Register(id, key, position) => state
                .register(board, *id, key)?
                .get(usize::from(*position))
                .copied(),
        }
    }
}

impl Core {
    /// Takes over from another state what limits look at.
    pub(super) fn keep_limited(&mut self, board: &Board, from: &Core) {
        for quantity in board.invariants.iter().flat_map(Limit::quantities) {
            self.keep(board, &quantity, from);
        }
    }

    fn keep(&mut self, board: &Board, quantity: &Quantity, from: &Core) {
        match quantity {
            Quantity::Level(pin) | Quantity::Duty(pin) | Quantity::Mode(pin) => {
                let now = from.pins.get(pin).copied().unwrap_or_default();
                let mut kept = self.pins.get(pin).copied().unwrap_or_default();
                match quantity {
                    Quantity::Level(_) => {
                        // What was never written is as good as what it was.
                        let usual = board.high_pins.contains(pin);
                        kept.level = now.level.filter(|level| *level != usual);
                    }
                    Quantity::Duty(_) => kept.duty = now.duty.filter(|duty| *duty != 0),
                    _ => kept.mode = now.mode,
                }
                self.pins
                    .set(*pin, (kept != Pin::default()).then_some(kept));
            }
            Quantity::Angle(motor) | Quantity::Speed(motor) => {
                let at = usize::from(*motor);
                if let (Some(kept), Some(now)) = (self.motors.get_mut(at), from.motors.get(at)) {
                    kept.speed = now.speed;
                    if matches!(quantity, Quantity::Angle(_)) {
                        kept.angle = now.angle;
                    }
                }
            }
            Quantity::Tone => self.tone = from.tone,
            Quantity::Register(id, key, _) => {
                let place = (*id, key.clone());
                let args = from.registers.get(&place).cloned();
                self.registers.set(place, args);
            }
            Quantity::Reading(_) => {}
        }
    }

    /// An angle that has left its limit has done so for good: where it is then makes no difference to the limit, and would
    /// keep a program that turns on and on from ever coming back to a state.
    pub(super) fn forget_lost_angles(&mut self, board: &Board) {
        for limit in &board.invariants {
            let LimitBound::Within(quantity @ Quantity::Angle(motor), values) = &limit.bound else {
                continue;
            };
            let conditions = board.rules.iter().flat_map(|rule| &rule.conditions);
            let mut asked = conditions.map(|condition| &condition.quantity);
            if asked.any(|asked| asked == quantity) {
                continue;
            }
            if let Some(motor) = self.motors.get_mut(usize::from(*motor)) {
                lose(motor, values);
            }
        }
    }
}

fn lose(motor: &mut Motor, values: &Codomain) {
    let contains = |angle: Angle| values.contains(Value::I64(angle.degrees()));
    if !contains(motor.angle) {
        motor.angle = match contains(LOST) {
            true => Angle(-LOST.0),
            false => LOST,
        };
    }
}
