//! What expressions can be on a path, and whether it can go on under further conditions.

use super::{Explorer, Feasible, MOST_EVALUATED, Narrowed, State};
use crate::constraint::{Constraint, Solution};
use crate::dag::{Dag, Expr};
use crate::range;
use crate::set::{Set, combination, combinations, greatest, nice};

impl Explorer<'_, '_> {
    /// The values that an expression can have on this path (perhaps some more), if they are at most `most`.
    pub(super) fn values(&mut self, state: &State, expr: Expr, most: u64) -> Option<Vec<u64>> {
        let inputs = self.dag.inputs(expr).clone();
        let domains: Option<Vec<&Set>> = inputs
            .iter()
            .map(|place| Some(&state.reads.get(*place as usize)?.domain))
            .collect();
        let domains = domains?;
        let combinations = combinations(domains.iter().copied());
        if combinations <= u128::from(MOST_EVALUATED) {
            let mut values = Vec::new();
            let mut model = state.model.clone();
            for number in 0..combinations as u64 {
                if number % 256 == 255 && self.budget.is_spent() {
                    return None;
                }
                let cells = combination(domains.iter().copied(), number);
                for (place, cell) in inputs.iter().zip(cells) {
                    model[*place as usize] = cell?;
                }
                self.point.reset(&self.dag);
                values.push(self.point.eval(&self.dag, expr, &model));
            }
            values.sort_unstable();
            values.dedup();
            return (values.len() as u64 <= most).then_some(values);
        }
        let (low, high) = self.bounds_of(state, expr);
        (high - low < most).then(|| (low..=high).collect())
    }

    pub(super) fn only_value(&mut self, state: &State, expr: Expr) -> Option<u64> {
        // What was decided of several inputs is in none of their domains.
        let decided = state.constraints.iter().filter(|known| known.expr == expr);
        if let Some(only) = decided.into_iter().find_map(|known| known.allowed.only()) {
            return Some(only);
        }
        match self.values(state, expr, 1)?.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Cells between which an expression lies on this path.
    pub(super) fn bounds_of(&self, state: &State, expr: Expr) -> (u64, u64) {
        let program = crate::lanes::Compiled::new(&self.dag, &[expr]);
        let mut ranges = Vec::new();
        let input = |at: usize| {
            let place = program.inputs[at] as usize;
            let read = &state.reads[place];
            let (low, high) = read.domain.bounds().unwrap_or((0, greatest(read.ty)));
            range::of_cells(read.ty, low, high)
        };
        range::evaluate(&self.dag, &program, input, &mut ranges);
        match program.outputs.first().and_then(|at| ranges.get(*at)) {
            Some(range::Range::Int { unsigned, .. }) => *unsigned,
            _ => (0, greatest(self.dag.ty(expr))),
        }
    }

    /// Whether an expression is certainly in a set.
    pub(super) fn bounds_within(&mut self, state: &State, expr: Expr, set: &Set) -> bool {
        let (low, high) = self.bounds_of(state, expr);
        // What was decided of several inputs is in none of their domains.
        let is_decided = |known: &Constraint| known.expr == expr && known.allowed == *set;
        if set.covers(low, high) || state.constraints.iter().any(is_decided) {
            return true;
        }
        let values = self.values(state, expr, MOST_EVALUATED);
        values.is_some_and(|values| values.iter().all(|cell| set.contains(*cell)))
    }

    /// Whether a path can go on under further conditions.
    pub(super) fn feasible(&mut self, state: &State, new: &[Constraint]) -> Feasible {
        let mut domains: Vec<(u32, Set)> = Vec::new();
        let mut kept: Vec<Constraint> = Vec::new();
        let mut affected: Vec<u32> = Vec::new();
        for constraint in new {
            let inputs = self.dag.inputs(constraint.expr).clone();
            match *inputs {
                [] => {
                    let cell = self.dag.as_const(constraint.expr);
                    let cell = cell.unwrap_or_else(|| {
                        self.point.reset(&self.dag);
                        self.point.eval(&self.dag, constraint.expr, &[])
                    });
                    if !constraint.allowed.contains(cell) {
                        return Feasible::No;
                    }
                }
                [place] => {
                    let known = domains.iter().position(|(at, _)| *at == place);
                    let domain = match known {
                        Some(at) => &domains[at].1,
                        None => &state.reads[place as usize].domain,
                    };
                    let one = std::slice::from_ref(constraint);
                    let refined =
                        self.decider
                            .refine(self.budget, &self.dag, place, domain, one, &[]);
                    affected.push(place);
                    match (refined, known) {
                        (Some(set), _) if set.is_empty() => return Feasible::No,
                        (Some(set), Some(at)) => domains[at].1 = set,
                        (Some(set), None) => domains.push((place, set)),
                        (None, _) => kept.push(constraint.clone()),
                    }
                }
                _ => {
                    affected.extend(inputs.iter());
                    kept.push(constraint.clone());
                }
            }
        }
        let mut model = state.model.clone();
        for (place, domain) in &domains {
            let at = *place as usize;
            if !domain.contains(model[at]) {
                model[at] = nice(domain, state.reads[at].ty).unwrap_or(0);
            }
        }
        match self.related(state, &domains, &kept, &affected, &model) {
            Solution::No => Feasible::No,
            Solution::Unknown(reason) => Feasible::Unknown(reason),
            Solution::Yes(values) => {
                for (place, cell) in values {
                    model[place as usize] = cell;
                }
                Feasible::Yes(Box::new(Narrowed {
                    domains,
                    constraints: kept,
                    model,
                }))
            }
        }
    }

    /// Whether the constraints that relate the affected inputs to others can hold; all others still do.
    pub(super) fn related(
        &mut self,
        state: &State,
        domains: &[(u32, Set)],
        kept: &[Constraint],
        affected: &[u32],
        hint: &[u64],
    ) -> Solution {
        let all: Vec<&Constraint> = state.constraints.iter().chain(kept).collect();
        if all.is_empty() {
            return Solution::Yes(Vec::new());
        }
        let constraints = connected(&self.dag, &all, affected);
        if constraints.is_empty() {
            return Solution::Yes(Vec::new());
        }
        // Most often the values at hand will do.
        self.point.reset(&self.dag);
        let (point, dag) = (&mut self.point, &self.dag);
        let mut holds = |constraint: &Constraint| {
            let cell = point.eval(dag, constraint.expr, hint);
            constraint.allowed.contains(cell)
        };
        if constraints.iter().all(&mut holds) {
            return Solution::Yes(Vec::new());
        }
        let mut places: Vec<u32> = Vec::new();
        for constraint in &constraints {
            places.extend(self.dag.inputs(constraint.expr).iter());
        }
        places.sort_unstable();
        places.dedup();
        let variables: Vec<(u32, Set)> = places
            .into_iter()
            .map(|place| {
                let new = domains.iter().find(|(at, _)| *at == place);
                let set = new.map_or(&state.reads[place as usize].domain, |(_, set)| set);
                (place, set.clone())
            })
            .collect();
        self.decider
            .solve(self.budget, &self.dag, &variables, &constraints, hint)
    }
}

/// Applies a decision to a path.
pub(super) fn narrow(state: &mut State, narrowed: Narrowed) {
    for (place, domain) in narrowed.domains {
        state.reads[place as usize].domain = domain;
    }
    for constraint in narrowed.constraints {
        if !state.constraints.contains(&constraint) {
            state.constraints.push(constraint);
        }
    }
    state.model = narrowed.model;
}

/// Those of the constraints that relate to the affected inputs, directly or through others.
pub(crate) fn connected(dag: &Dag, all: &[&Constraint], affected: &[u32]) -> Vec<Constraint> {
    let mut reached: Vec<u32> = affected.to_vec();
    let mut taken = vec![false; all.len()];
    loop {
        let mut grew = false;
        for (constraint, taken) in all.iter().zip(&mut taken) {
            let inputs = dag.inputs(constraint.expr);
            if !*taken && inputs.iter().any(|place| reached.contains(place)) {
                *taken = true;
                reached.extend(inputs.iter());
                grew = true;
            }
        }
        if !grew {
            break;
        }
        reached.sort_unstable();
        reached.dedup();
    }
    let taken = all.iter().zip(taken).filter(|(_, taken)| *taken);
    taken.map(|(constraint, _)| (*constraint).clone()).collect()
}
