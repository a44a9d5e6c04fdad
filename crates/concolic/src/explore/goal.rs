//! Stops with a condition: whether some inputs that lead there satisfy it.

use super::{Accepts, Explorer, State};
use crate::constraint::Solution;
use crate::set::{Set, combination};

/// So many combinations of inputs are all tried, and so many values of one.
const MOST_TRIED: u128 = 1 << 14;
/// So many times the other inputs are found that a value of one needs.
const MOST_SOLVED: u32 = 1 << 11;
/// So many combinations are tried of more.
const SAMPLES: u64 = 512;

impl Explorer<'_, '_> {
    /// Whether the path ends at the stop where it stands. If so, its model is one that the condition accepts.
    pub(super) fn stops_here(&mut self, state: &mut State) -> bool {
        if self.follows_prefix() {
            return false;
        }
        let Some(accepts) = self.accepts.take() else {
            return true;
        };
        let is_followed = self.followed.is_some();
        let found = accepts(&self.machine) || !is_followed && self.accepts_other(state, accepts);
        self.accepts = Some(accepts);
        found
    }

    /// Tries other inputs that lead here: all combinations if they are few, otherwise all values of each input, and
    /// samples.
    fn accepts_other(&mut self, state: &mut State, accepts: Accepts<'_>) -> bool {
        let places = self.inputs_in_state(state);
        let domains: Vec<(u32, Set)> = places
            .iter()
            .map(|place| (*place, state.reads[*place as usize].domain.clone()))
            .collect();
        let combinations = domains.iter().fold(1_u128, |all, (_, domain)| {
            all.saturating_mul(domain.count())
        });
        let first = state.model.clone();
        let found = if combinations <= MOST_TRIED {
            self.tries_all(state, &domains, combinations as u64, accepts)
        } else {
            let found = self.tries_each(state, &domains, accepts)
                || self.tries_samples(state, &domains, accepts);
            if !found {
                let reason = format!(
                    "the condition was tried with {SAMPLES} of the combinations of inputs that lead here, and with \
                     values of each, and never held"
                );
                state.model.clone_from(&first);
                self.leave_out(state, &reason);
            }
            found
        };
        if !found {
            state.model = first;
            self.patch(state);
        }
        found
    }

    fn tries_all(
        &mut self,
        state: &mut State,
        domains: &[(u32, Set)],
        combinations: u64,
        accepts: Accepts<'_>,
    ) -> bool {
        for number in 0..combinations {
            if self.budget.is_spent() {
                return false;
            }
            let cells = combination(domains.iter().map(|(_, domain)| domain), number);
            for ((place, _), cell) in domains.iter().zip(cells) {
                if let Some(cell) = cell {
                    state.model[*place as usize] = cell;
                }
            }
            if self.leads_here(state) && self.is_accepted(state, accepts) {
                return true;
            }
        }
        false
    }

    /// Each input with its values, the others as they are, or as they must be then.
    fn tries_each(
        &mut self,
        state: &mut State,
        domains: &[(u32, Set)],
        accepts: Accepts<'_>,
    ) -> bool {
        let first = state.model.clone();
        let mut solved = 0;
        for (place, domain) in domains {
            for cell in domain.cells().take(MOST_TRIED as usize) {
                if self.budget.is_spent() {
                    return false;
                }
                state.model.clone_from(&first);
                state.model[*place as usize] = cell;
                if !self.leads_here(state) {
                    solved += 1;
                    if solved > MOST_SOLVED {
                        continue;
                    }
                    let fixed = [(*place, Set::single(cell))];
                    // Solvers are too slow for so many questions.
                    let solver = self.decider.solver.take();
                    let answer = self.related(state, &fixed, &[], &[*place], &state.model);
                    self.decider.solver = solver;
                    let Solution::Yes(values) = answer else {
                        continue;
                    };
                    for (place, cell) in values {
                        state.model[place as usize] = cell;
                    }
                }
                if self.is_accepted(state, accepts) {
                    return true;
                }
            }
        }
        false
    }

    fn tries_samples(
        &mut self,
        state: &mut State,
        domains: &[(u32, Set)],
        accepts: Accepts<'_>,
    ) -> bool {
        (0..SAMPLES).any(|_| {
            for (place, domain) in domains {
                if let Some(cell) = self.sample(domain) {
                    state.model[*place as usize] = cell;
                }
            }
            !self.budget.is_spent() && self.leads_here(state) && self.is_accepted(state, accepts)
        })
    }

    /// Whether the state's model leads to where the machine stands.
    fn leads_here(&mut self, state: &State) -> bool {
        let constraints = &state.constraints;
        self.decider
            .holds(&self.dag, &state.model, |_| true, constraints)
    }

    /// Whether the condition holds for the state's model.
    fn is_accepted(&mut self, state: &State, accepts: Accepts<'_>) -> bool {
        self.patch(state);
        accepts(&self.machine)
    }

    /// A value of a domain. Limits are where conditions most often change.
    fn sample(&mut self, domain: &Set) -> Option<u64> {
        let random = self.random.next();
        let count = u64::try_from(domain.count()).unwrap_or(u64::MAX);
        domain.nth(match random % 4 {
            0 => 0,
            1 => count.checked_sub(1)?,
            _ => (random >> 2).checked_rem(count)?,
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
