//! What an input may answer in a state: its codomain, as rules and what has happened narrow it.

use alloc::vec::Vec;

use borges_vm::{ValType, Value};

use crate::{Board, BoardState, Bound, Codomain, PrimitiveId, Rule, Sampling, primitive::Op};

/// The mode in which a colour sensor tells colours, 0 to 7.
const COLOUR_MODE: i32 = 2;

impl Board {
    /// What an input may answer in this state: its codomain, narrowed by the rules that apply.
    ///
    /// A debugger accepts a mock only if it is in here. The result is empty if rules contradict each other.
    pub fn codomain_at(&self, id: PrimitiveId, args: &[Value], state: &BoardState) -> Codomain {
        let mut codomain = self.codomain(id, args);
        match self.primitive(id).map(|p| p.op) {
            Some(Op::ColorSensor | Op::ReadUartSensor) if self.tells_colours(args, state) => {
                codomain = codomain.intersect(&Codomain::range(Value::I32(0), Value::I32(7)));
            }
            _ => {}
        }
        if let Codomain::NotBeforeLast(ty) = codomain {
            codomain = self.clock_codomain(id, ty, args, state);
        }
        for rule in &self.rules {
            let mut claims = rule
                .claims
                .iter()
                .filter(|c| c.call.is(id, args))
                .peekable();
            if claims.peek().is_some() && rule.applies(self, state) {
                codomain = claims.fold(codomain, |codomain, claim| {
                    claim.bound.narrow(codomain, state.last_reading(id, args))
                });
            }
        }
        codomain
    }

    /// Values that stand for all that an input may answer in this state: all of them if they are no more than `enough`,
    /// otherwise as the board's sampling says.
    pub fn representatives(
        &self,
        id: PrimitiveId,
        args: &[Value],
        state: &BoardState,
        enough: u64,
    ) -> Vec<Value> {
        let sampling = self
            .samplings
            .iter()
            .find(|(calls, _)| calls.include(id, args));
        let codomain = self.codomain_at(id, args, state);
        sampling
            .map_or(&Sampling::Boundaries, |(_, sampling)| sampling)
            .values(&codomain, enough)
    }

    /// What a clock shows at the earliest.
    fn clock_codomain(
        &self,
        id: PrimitiveId,
        ty: ValType,
        args: &[Value],
        state: &BoardState,
    ) -> Codomain {
        let Some(unit_us) = self.clock_unit_us(id) else {
            let last = state.last_reading(id, args);
            return Bound::NeverFalls.narrow(Codomain::Full(ty), last);
        };
        let floor = state.clock_floor_us() / unit_us;
        if ty == ValType::I64 {
            return match i64::try_from(floor) {
                Ok(floor) => Codomain::range(Value::I64(floor), Value::I64(i64::MAX)),
                Err(_) => Codomain::Full(ty),
            };
        }
        // A 32-bit clock counts unsigned and wraps: after 25 days `millis` reads as negative. In the second half of its
        // range it may have wrapped by the next reading, and nothing can be said.
        let latest = floor.max(state.elapsed_us() / unit_us);
        match (i32::try_from(floor), i32::try_from(latest)) {
            (Ok(floor), Ok(_)) => {
                let (first_half, second_half) = ((floor, i32::MAX), (i32::MIN, -1));
                let typed = |(lo, hi)| (Value::I32(lo), Value::I32(hi));
                Codomain::union(ty, [first_half, second_half].map(typed))
            }
            _ => Codomain::Full(ty),
        }
    }

    fn tells_colours(&self, args: &[Value], state: &BoardState) -> bool {
        match args {
            [Value::I32(port)] => self
                .port(*port)
                .is_ok_and(|p| state.sensor_mode(p) == Some(COLOUR_MODE)),
            _ => false,
        }
    }
}

impl Rule {
    /// Whether all conditions hold. A condition on something unknown (no reading yet) does not.
    pub fn applies(&self, board: &Board, state: &BoardState) -> bool {
        self.conditions.iter().all(|c| {
            c.quantity
                .value(board, state)
                .is_some_and(|v| c.values.contains(v))
        })
    }
}
