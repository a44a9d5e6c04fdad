//! Stops with a condition: whether some inputs that lead there satisfy it.

use super::{Explorer, State};
use crate::set::Set;

/// So many combinations of inputs are all tried, and so many values of one.
const MOST_TRIED: u128 = 1 << 14;
/// So many combinations are tried of more.
const SAMPLES: u64 = 512;

impl Explorer<'_> {
    /// Whether the path ends at the stop where it stands. If so, its model is one that the condition accepts.
    pub(super) fn stops_here(&mut self, state: &mut State) -> bool {
        let Some(accepts) = self.accepts.take() else {
            return true;
        };
        let found = accepts(&self.machine) || self.accepts_other(state, accepts);
        self.accepts = Some(accepts);
        found
    }

    /// Tries other inputs that lead here: all combinations if they are few, otherwise all values of each input with the
    /// others as they are, and samples.
    fn accepts_other(&mut self, state: &mut State, accepts: super::Accepts<'_>) -> bool {
        let places = self.inputs_in_state(state);
        let domains: Vec<Set> = places
            .iter()
            .map(|place| state.reads[*place as usize].domain.clone())
            .collect();
        let combinations = domains
            .iter()
            .fold(1_u128, |all, domain| all.saturating_mul(domain.count()));
        let first = state.model.clone();
        if combinations <= MOST_TRIED {
            for attempt in 0..combinations as u64 {
                let mut rest = attempt;
                for (place, domain) in places.iter().zip(&domains) {
                    let count = domain.count() as u64;
                    if let Some(cell) = domain.nth(rest % count) {
                        state.model[*place as usize] = cell;
                    }
                    rest /= count;
                }
                if self.accepts_model(state, accepts) {
                    return true;
                }
            }
        } else {
            for (place, domain) in places.iter().zip(&domains) {
                for cell in domain.cells().take(MOST_TRIED as usize) {
                    state.model[*place as usize] = cell;
                    if self.accepts_model(state, accepts) {
                        return true;
                    }
                }
                state.model.clone_from(&first);
            }
            for _ in 0..SAMPLES {
                for (place, domain) in places.iter().zip(&domains) {
                    if let Some(cell) = self.sample(domain) {
                        state.model[*place as usize] = cell;
                    }
                }
                if self.accepts_model(state, accepts) {
                    return true;
                }
            }
            let reason = format!(
                "the condition was tried with {SAMPLES} of the combinations of inputs that lead here, and with every \
                 value of each (up to {MOST_TRIED}), and never held"
            );
            self.leave_out(state, &reason);
        }
        state.model = first;
        self.patch(state);
        false
    }

    /// Whether the state's model leads here, and the condition holds then.
    fn accepts_model(&mut self, state: &State, accepts: super::Accepts<'_>) -> bool {
        let constraints = &state.constraints;
        let leads_here = self
            .decider
            .holds(&self.dag, &state.model, |_| true, constraints);
        if !leads_here {
            return false;
        }
        self.patch(state);
        accepts(&self.machine)
    }

    /// A value of a domain. Limits are where conditions most often change.
    fn sample(&mut self, domain: &Set) -> Option<u64> {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let count = u64::try_from(domain.count()).unwrap_or(u64::MAX);
        domain.nth(match self.random % 4 {
            0 => 0,
            1 => count.checked_sub(1)?,
            _ => (self.random >> 2).checked_rem(count)?,
        })
    }

    /// The inputs that anything in the program's state depends on.
    fn inputs_in_state(&self, state: &State) -> Vec<u32> {
        let top = self.machine.cells().len();
        let cells = state.shadow.cells_in_use(top).map(|(_, expr)| expr);
        let globals = state.shadow.globals().map(|(_, expr)| expr);
        let bytes = state.shadow.memory.bytes().map(|(_, byte)| byte.value);
        let mut places: Vec<u32> = cells
            .chain(globals)
            .chain(bytes)
            .flat_map(|expr| self.dag.inputs(expr).iter().copied())
            .collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}
