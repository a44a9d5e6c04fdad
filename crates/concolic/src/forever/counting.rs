//! Counting out many combinations of values at once.

use std::collections::BTreeSet;

use borges_vm::ValType;
use hashbrown::HashSet;

use crate::budget::Budget;
use crate::constraint::Constraint;
use crate::dag::{Dag, Expr};
use crate::lanes::{Compiled, Lanes, WIDTH};
use crate::set::{Set, cell_of, of_whole, value_of, whole};

/// What is made of more expressions than this is as soon evaluated for one combination after the other.
const MOST_STEPS: usize = 128;

/// Some inputs, each with its place, and what is counted out of them.
pub(super) struct Counted<'c> {
    pub(super) inputs: &'c [u32],
    pub(super) domains: &'c [Set],
    pub(super) constraints: &'c [Constraint],
    /// Each with what less than a number is as good as.
    pub(super) columns: &'c [(Expr, Option<i64>)],
}

impl Counted<'_> {
    /// The combinations that the columns have, of so many combinations of inputs. Nothing if the columns are made of too
    /// much, or the budget is spent.
    pub(super) fn rows(
        &self,
        dag: &Dag,
        combinations: u64,
        budget: &Budget<'_>,
    ) -> Option<BTreeSet<Vec<u64>>> {
        let constraints = self.constraints.iter().map(|constraint| constraint.expr);
        let columns = self.columns.iter().map(|(column, _)| *column);
        let roots: Vec<Expr> = constraints.chain(columns).collect();
        let program = Compiled::new(dag, &roots);
        if program.steps.len() > MOST_STEPS {
            return None;
        }
        let mut fills = vec![(Vec::new(), 1); program.inputs.len()];
        let mut stride = 1;
        for (place, domain) in self.inputs.iter().zip(self.domains) {
            let count = domain.count() as u64;
            if let Ok(at) = program.inputs.binary_search(place) {
                let values: Option<Vec<u64>> = (0..count).map(|nth| domain.nth(nth)).collect();
                fills[at] = (values?, stride);
            }
            stride *= count;
        }
        let mut lanes = Lanes::default();
        let mut rows: HashSet<Vec<u64>> = HashSet::new();
        let mut row = Vec::new();
        for from in (0..combinations).step_by(WIDTH) {
            if budget.is_spent() {
                return None;
            }
            let width = (combinations - from).min(WIDTH as u64) as usize;
            lanes.run(&program, width, |at, column| {
                let (values, stride) = &fills[at];
                for (number, cell) in (from..).zip(column) {
                    *cell = values[(number / stride % values.len() as u64) as usize];
                }
            });
            let (conditions, columns) = program.outputs.split_at(self.constraints.len());
            for lane in 0..width {
                let cell = |step: usize| lanes.column(step)[lane];
                let mut holds = self.constraints.iter().zip(conditions);
                if !holds.all(|(constraint, step)| constraint.allowed.contains(cell(*step))) {
                    continue;
                }
                row.clear();
                let columns = self.columns.iter().zip(columns);
                row.extend(
                    columns.map(|((column, floor), step)| {
                        raised(dag.ty(*column), cell(*step), *floor)
                    }),
                );
                if !rows.contains(&row) {
                    rows.insert(row.clone());
                }
            }
        }
        Some(rows.into_iter().collect())
    }
}

/// A cell, or the number that it is as good as if it is less.
pub(super) fn raised(ty: ValType, cell: u64, floor: Option<i64>) -> u64 {
    match (whole(value_of(ty, cell)), floor) {
        (Some(number), Some(floor)) if number < floor => cell_of(of_whole(ty, floor)),
        _ => cell,
    }
}
