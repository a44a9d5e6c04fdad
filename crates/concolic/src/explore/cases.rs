//! Forks: the ways to go on from an instruction that depends on inputs.

use borges_vm::{CodeOffset, Machine, ValType, Value};

use super::aged::{Aged, FAR_BACK};
use super::{
    Case, Explorer, Feasible, MOST_EVALUATED, MOST_VALUES, Narrowed, SearchOrder, State, Waiting,
    narrow,
};
use crate::constraint::Constraint;
use crate::dag::{Dag, Expr};
use crate::path::Decision;
use crate::set::Set;
use crate::shadow::{Ask, Decided};

/// Addresses of a load that are told apart lie so near to each other: its table has all in between.
const MOST_SPREAD: u64 = 1 << 16;

impl Explorer<'_, '_> {
    /// Goes one way, and lets the other ways wait. What was decided for the way that is gone now, or nothing if the
    /// strategy wants to choose.
    pub(super) fn fork(&mut self, state: &mut State, mut ask: Ask) -> Option<Decided> {
        self.note_unread(state, &ask);
        if let Some(aged) = state.aged.clone() {
            for expr in exprs(&mut ask) {
                *expr = self.plain(state, &aged, *expr);
            }
        }
        let mut ways = Vec::new();
        // Of too many values, one is tried: the others are no cases.
        let mut are_all = !matches!(ask, Ask::Value(_) | Ask::Access { .. });
        for case in self.cases(state, ask.clone()) {
            match self.feasible(state, &case.conditions) {
                Feasible::Yes(narrowed) => ways.push((case, *narrowed)),
                Feasible::No => {}
                Feasible::Unknown(reason) => {
                    are_all = false;
                    self.leave_out(state, &reason);
                }
            }
        }
        if let [(_, only)] = &mut *ways
            && self.is_round
            && are_all
        {
            // What always holds tells no two states apart.
            only.constraints.clear();
        }
        let goes_on = self.strategy == SearchOrder::DepthFirst;
        // The way that the machine's state is on anyway, if there is one.
        let current = ways
            .iter()
            .position(|(_, narrowed)| narrowed.model == state.model)
            .or((!ways.is_empty()).then_some(0));
        let (case, narrowed) = match (current, ways.len()) {
            (None, _) => return None,
            (Some(at), 1) => ways.swap_remove(at),
            (Some(at), _) if goes_on => {
                let first = ways.remove(at);
                self.wait(state, &ask, ways);
                first
            }
            _ => {
                self.wait(state, &ask, ways);
                return None;
            }
        };
        Some(self.take(state, &ask, case, narrowed))
    }

    /// Notes what is read of what was left out of the state that a round goes on from.
    fn note_unread(&mut self, state: &State, ask: &Ask) {
        match ask {
            Ask::Branch(expr)
            | Ask::Switch(expr, _)
            | Ask::Indirect(expr, _)
            | Ask::Access { address: expr, .. }
            | Ask::Value(expr) => self.reads(state, *expr),
            Ask::Traps(traps) => {
                for (_, condition) in traps {
                    self.reads(state, condition.expr);
                }
            }
        }
    }

    /// An expression on which something depends, with what is known of times; if it depends on how long ago one was that is
    /// longer ago than is counted, that is said.
    pub(super) fn plain(&mut self, state: &State, aged: &Aged, expr: Expr) -> Expr {
        if aged.older(&self.dag, state, expr).is_some() {
            self.leave_out_once(FAR_BACK);
        }
        aged.plain(&mut self.dag, expr)
    }

    /// Something depends on this expression.
    pub(super) fn reads(&mut self, state: &State, expr: Expr) {
        self.read.extend(unread(state, &self.dag, expr));
    }

    /// Goes a way; what was decided for it.
    pub(super) fn take(
        &mut self,
        state: &mut State,
        ask: &Ask,
        case: Case,
        narrowed: Narrowed,
    ) -> Decided {
        let changed = narrowed.model != state.model;
        narrow(state, narrowed);
        self.note(state, ask, &case);
        if changed {
            self.patch(state);
        }
        case.decided
    }

    fn note(&self, state: &mut State, ask: &Ask, case: &Case) {
        let at = self.machine.location().map(|location| location.offset);
        let at = at.unwrap_or(CodeOffset(0));
        state.turns += 1;
        // Later branches may tell the values apart and depend on no input themselves.
        if let Some(taken) = case.outcome.or(case.value.map(|value| value as u32)) {
            state.outcomes.push(Decision { at, taken });
            state.indirect = matches!(ask, Ask::Indirect(..)).then_some(at);
        }
    }

    fn wait(&mut self, state: &State, ask: &Ask, ways: Vec<(Case, Narrowed)>) {
        let next = at_next(&self.machine);
        if ways.is_empty() {
            return;
        }
        let snapshot = self.machine.snapshot(self.last_snapshot.as_ref());
        self.last_snapshot = Some(snapshot.clone());
        // The last to wait is the first to be gone on with.
        for (case, narrowed) in ways.into_iter().rev() {
            let mut state = state.clone();
            narrow(&mut state, narrowed);
            self.note(&mut state, ask, &case);
            let next = self.next_of(case.outcome).or(next);
            self.waiting.push_back(Waiting {
                snapshot: snapshot.clone(),
                state,
                decided: Some(case.decided),
                next,
                event: None,
                is_at_call: false,
            });
        }
    }

    /// Where a branch goes.
    pub(super) fn next_of(&self, outcome: Option<u32>) -> Option<CodeOffset> {
        let here = self.machine.location()?.offset;
        let module = self.machine.module()?;
        let range = module.code_range(module.func_at(here)?)?;
        let outcome = outcome?;
        if (range.start.0..range.end.0).contains(&outcome) {
            return Some(CodeOffset(outcome));
        }
        crate::distance::after_branch(module, here, outcome != 0)
    }

    /// The ways to go on. They exclude each other, and one of them is the truth.
    pub(super) fn cases(&mut self, state: &State, ask: Ask) -> Vec<Case> {
        match ask {
            Ask::Branch(condition) => [(1, Set::nonzero()), (0, Set::single(0))]
                .map(|(taken, set)| Case::new(Some(taken), vec![Constraint::new(condition, set)]))
                .into(),
            Ask::Switch(index, targets) => {
                let mut by_target: Vec<(CodeOffset, Vec<(u64, u64)>)> = Vec::new();
                let last = targets.len().saturating_sub(1) as u64;
                for (label, target) in (0..).zip(&targets) {
                    let cells = if label == last {
                        (label, u64::from(u32::MAX))
                    } else {
                        (label, label)
                    };
                    match by_target.iter_mut().find(|(known, _)| known == target) {
                        Some((_, intervals)) => intervals.push(cells),
                        None => by_target.push((*target, vec![cells])),
                    }
                }
                let case = |(target, intervals): (CodeOffset, Vec<(u64, u64)>)| {
                    let set = Constraint::new(index, Set::of(intervals));
                    Case::new(Some(target.0), vec![set])
                };
                by_target.into_iter().map(case).collect()
            }
            Ask::Indirect(index, table) => self.indirect_cases(index, table),
            Ask::Traps(traps) => {
                let mut fine = Vec::new();
                let mut cases = Vec::new();
                for (_, condition) in traps {
                    let ty = self.dag.ty(condition.expr);
                    let otherwise = condition.allowed.complement(ty);
                    fine.push(Constraint::new(condition.expr, otherwise));
                    cases.push(Case::new(None, vec![condition]));
                }
                cases.insert(0, Case::new(None, fine));
                cases
            }
            Ask::Access {
                address,
                last,
                most,
            } => self.access_cases(state, address, last, most),
            Ask::Value(expr) => self.value_cases(state, expr, None),
        }
    }

    pub(super) fn indirect_cases(&mut self, index: Expr, table: u32) -> Vec<Case> {
        let elements = self.machine.table(table);
        let mut by_function: Vec<(u32, Vec<(u64, u64)>)> = Vec::new();
        for (at, element) in (0_u64..).zip(&elements) {
            let function = match element {
                Value::FuncRef(Some(function)) => *function,
                _ => u32::MAX,
            };
            match by_function.iter_mut().find(|(known, _)| *known == function) {
                Some((_, intervals)) => intervals.push((at, at)),
                None => by_function.push((function, vec![(at, at)])),
            }
        }
        let mut cases: Vec<Case> = by_function
            .into_iter()
            .map(|(function, intervals)| {
                let set = Constraint::new(index, Set::of(intervals));
                Case::new(Some(function), vec![set])
            })
            .collect();
        let outside = Set::range(elements.len() as u64, u64::from(u32::MAX));
        let outside = Constraint::new(index, outside);
        cases.push(Case::new(Some(u32::MAX - 1), vec![outside]));
        cases
    }

    pub(super) fn access_cases(
        &mut self,
        state: &State,
        address: Expr,
        last: Option<u64>,
        most: u64,
    ) -> Vec<Case> {
        let inside = last.map_or(Set::empty(), |last| Set::range(0, last));
        let outside = inside.complement(ValType::I32);
        let mut cases = vec![Case::new(None, vec![Constraint::new(address, outside)])];
        let inside = Constraint::new(address, inside);
        let values = self
            .values(state, address, MOST_EVALUATED)
            .map(|mut values| {
                values.retain(|cell| inside.allowed.contains(*cell));
                values
            });
        // What lies between the least and the greatest address is in the table too.
        let spread =
            |values: &Vec<u64>| values.last().zip(values.first()).map_or(0, |(a, b)| a - b);
        match values.filter(|values| values.len() as u64 <= most && spread(values) < MOST_SPREAD) {
            Some(addresses) => cases.insert(
                0,
                Case {
                    decided: Decided::Addresses(addresses),
                    ..Case::new(None, vec![inside])
                },
            ),
            None => {
                let single = self.value_cases(state, address, Some(&inside.allowed));
                cases.extend(single);
            }
        }
        cases
    }

    /// One case for every value that an expression can have; if there are too many, for the one that it has now.
    pub(super) fn value_cases(
        &mut self,
        state: &State,
        expr: Expr,
        within: Option<&Set>,
    ) -> Vec<Case> {
        let fits = |cell: &u64| within.is_none_or(|set| set.contains(*cell));
        let mut values = self
            .values(state, expr, MOST_VALUES as u64)
            .unwrap_or_default();
        values.retain(fits);
        if values.is_empty() {
            self.point.reset(&self.dag);
            let now = self.point.eval(&self.dag, expr, &state.model);
            if fits(&now) {
                values.push(now);
            }
            self.leave_out(
                state,
                "an address, a length or an argument depends on inputs and has too many values: it was explored with \
                 one of them",
            );
        }
        let case = |cell: u64| Case {
            value: Some(cell),
            ..Case::new(None, vec![Constraint::new(expr, Set::single(cell))])
        };
        values.into_iter().map(case).collect()
    }
}

/// What is asked about.
fn exprs(ask: &mut Ask) -> Vec<&mut Expr> {
    match ask {
        Ask::Branch(expr)
        | Ask::Switch(expr, _)
        | Ask::Indirect(expr, _)
        | Ask::Access { address: expr, .. }
        | Ask::Value(expr) => vec![expr],
        Ask::Traps(traps) => {
            let conditions = traps.iter_mut();
            conditions
                .map(|(_, condition)| &mut condition.expr)
                .collect()
        }
    }
}

/// What an expression depends on of what was left out of the state that a round goes on from, by number of the read.
pub(crate) fn unread<'d>(
    state: &State,
    dag: &'d Dag,
    expr: Expr,
) -> impl Iterator<Item = u32> + use<'d> {
    let unread = state.unread.clone();
    let inputs: &[u32] = if unread.is_empty() {
        &[]
    } else {
        dag.inputs(expr)
    };
    inputs.iter().copied().filter(move |at| unread.contains(at))
}

/// The next instruction.
fn at_next(machine: &Machine) -> Option<CodeOffset> {
    machine.location().map(|location| location.offset)
}
