//! What the values of a state can be together, without the history that led to it.
//!
//! The live cells of a state are expressions over what was read on the way. Cells that depend on the same inputs, directly
//! or through conditions, are a *component*, and of each component only the combinations of values matter. Where they can
//! be counted out, one fresh variable stands for all of it, and the past is projected away exactly: two states with the
//! same combinations are one, however they came about. Where not, the expressions themselves are kept over variables with
//! new numbers: exact as well, but equal only to what came about in the same way.

use std::collections::{BTreeMap, BTreeSet};

use borges_vm::ValType;
use borges_vm::num::NumericOp as N;
use hashbrown::HashMap;

use super::counting::{Counted, raised};
use super::{demanded, sums};
use crate::budget::Budget;
use crate::constraint::Constraint;
use crate::dag::{Dag, Expr, LookupTable, Node};
use crate::explore::{AGES, Older};
use crate::lanes::Point;
use crate::path::Read;
use crate::set::{Set, combination, combinations};
use crate::zone::{Term, Zone};

/// Of so many rows of combinations, which one it is is told as an expression.
const MOST_TOLD: usize = 64;
/// From so many on, they are counted out together.
const MANY_COMBINATIONS: u128 = 1 << 10;
/// So many low bits of an input that may be anything are counted out.
const MOST_BITS: u32 = 16;

/// Expressions over variables, and what is known of the variables.
#[derive(Debug, Default)]
pub(super) struct Relation {
    /// What every expression of the path has become; a known value is a constant.
    pub(super) columns: HashMap<Expr, Expr>,
    /// The variables: their types and values.
    pub(super) variables: Vec<(ValType, Set)>,
    /// What each of them is on the path; nothing of one that stands for a row of many combinations.
    pub(super) origins: Vec<Option<Expr>>,
    /// What relates several variables.
    pub(super) constraints: Vec<Constraint>,
    /// Values that satisfy everything.
    pub(super) model: Vec<u64>,
    /// Which of the words that are taken for anything each variable comes from.
    pub(super) taints: Vec<u64>,
    /// Constraints were kept as they came about.
    pub(super) is_opaque: bool,
    /// Rows are told as expressions of the path.
    tells_rows: bool,
}

/// What a path knows of its inputs.
pub(super) struct Known<'k> {
    pub(super) reads: &'k [Read],
    pub(super) constraints: &'k [Constraint],
    pub(super) model: &'k [u64],
    /// Which of the words that are taken for anything each comes from; none of those that are missing.
    pub(super) taints: &'k [u64],
    /// So many combinations are counted out.
    pub(super) most: u128,
    /// Once it is spent, nothing more is counted out.
    pub(super) budget: &'k Budget<'k>,
    /// The inputs of the lowest places that may be anything in every state, and belong to it.
    pub(super) bases: u32,
    /// Somebody wants to know what a row of combinations is on the path.
    pub(super) tells_rows: bool,
    /// Of these expressions, what is less than a number is as good as that number.
    pub(super) floors: &'k HashMap<Expr, i64>,
    /// What these columns are where times are longer ago than is counted.
    pub(super) older: &'k HashMap<Expr, Older>,
}

impl Known<'_> {
    fn floor(&self, column: Expr) -> Option<i64> {
        self.floors.get(&column).copied()
    }
}

/// Inputs and the live expressions over them that depend on each other.
struct Component {
    inputs: Vec<u32>,
    columns: Vec<Expr>,
    constraints: Vec<Constraint>,
}

impl Relation {
    /// Of live expressions, in an order that the state alone determines.
    pub(super) fn of(dag: &mut Dag, point: &mut Point, known: &Known<'_>, live: &[Expr]) -> Self {
        let mut relation = Relation {
            tells_rows: known.tells_rows,
            ..Relation::default()
        };
        for place in 0..known.bases {
            let (ty, taint) = (known.reads[place as usize].ty, known.taints[place as usize]);
            let origin = dag.input(place, ty);
            let now = known.model[place as usize];
            relation.variable(dag, Some(origin), (ty, Set::all(ty)), now);
            relation.taints.push(taint);
        }
        for component in components(dag, known, live) {
            let is_time = |column: &Expr| known.floors.contains_key(column);
            let are_times = component.columns.iter().any(is_time);
            // Of times, bounds say it all; they count in thousands.
            if !(are_times && relation.add_zone(dag, known, &component)) {
                match relation.counted_out(dag, point, known, &component) {
                    Some(rows) => relation.add_rows(dag, &component, &rows),
                    None if !are_times && relation.add_zone(dag, known, &component) => {}
                    None => relation.add_expressions(dag, known, &component),
                }
            }
            relation.taint(dag, known, &component);
        }
        relation
    }

    /// The variables of a component come from whatever its inputs come from.
    fn taint(&mut self, dag: &Dag, known: &Known<'_>, component: &Component) {
        let taint = |place: &u32| known.taints.get(*place as usize).copied().unwrap_or(0);
        let inputs = component.inputs.iter();
        let taint = inputs.map(taint).fold(0, |all, one| all | one);
        self.taints.resize(self.variables.len(), taint & !AGES);
        for column in &component.columns {
            let Some((older, is)) = known.older.get(column).zip(self.columns.get(column)) else {
                continue;
            };
            let mark = match dag.node(*is) {
                Node::Input(_) => older.mark(),
                _ => Older::Anything.mark(),
            };
            for at in dag.inputs(*is).iter() {
                self.taints[*at as usize] |= mark;
            }
        }
    }

    /// All combinations of values that the columns can have, if they are few enough.
    fn counted_out(
        &self,
        dag: &Dag,
        point: &mut Point,
        known: &Known<'_>,
        component: &Component,
    ) -> Option<Rows> {
        let domains: Vec<Set> = component
            .inputs
            .iter()
            .map(|at| known.reads[*at as usize].domain.clone())
            .collect();
        if let ([_], [column], []) = (
            &*component.inputs,
            &*component.columns,
            &*component.constraints,
        ) && matches!(dag.node(*column), Node::Input(_))
        {
            return Some(Rows::Set(domains[0].clone()));
        }
        if let Some(set) = added_up(dag, known, component) {
            // The values at hand are among them.
            return (!set.is_empty()).then_some(Rows::Set(set));
        }
        let domains = only_what_matters(dag, known, component, domains);
        let combinations = combinations(&domains);
        if combinations > known.most {
            return None;
        }
        if combinations >= MANY_COMBINATIONS {
            let columns = component.columns.iter();
            let columns: Vec<_> = columns
                .map(|column| (*column, known.floor(*column)))
                .collect();
            let counted = Counted {
                inputs: &component.inputs,
                domains: &domains,
                constraints: &component.constraints,
                columns: &columns,
            };
            if let Some(rows) = counted.rows(dag, combinations as u64, known.budget) {
                return (!rows.is_empty()).then_some(Rows::Listed(rows));
            }
        }
        let mut model = known.model.to_vec();
        let mut rows = BTreeSet::new();
        for number in 0..combinations as u64 {
            if number % 256 == 255 && known.budget.is_spent() {
                return None;
            }
            let cells = combination(&domains, number);
            for (place, cell) in component.inputs.iter().zip(cells) {
                model[*place as usize] = cell?;
            }
            point.reset(dag);
            let mut holds = |constraint: &Constraint| {
                constraint
                    .allowed
                    .contains(point.eval(dag, constraint.expr, &model))
            };
            if component.constraints.iter().all(&mut holds) {
                let row: Vec<u64> = component
                    .columns
                    .iter()
                    .map(|column| {
                        let cell = point.eval(dag, *column, &model);
                        raised(dag.ty(*column), cell, known.floor(*column))
                    })
                    .collect();
                rows.insert(row);
            }
        }
        // The values at hand are one of them.
        (!rows.is_empty()).then_some(Rows::Listed(rows))
    }

    fn variable(
        &mut self,
        dag: &mut Dag,
        origin: Option<Expr>,
        (ty, values): (ValType, Set),
        now: u64,
    ) -> Expr {
        let number = self.variables.len() as u32;
        self.origins.push(origin);
        self.variables.push((ty, values));
        self.model.push(now);
        dag.input(number, ty)
    }

    /// A component as one variable; as several, or none, where its columns have nothing to do with each other.
    fn add_rows(&mut self, dag: &mut Dag, component: &Component, rows: &Rows) {
        let rows = match rows {
            Rows::Set(set) => return self.add_set(dag, component.columns[0], set.clone()),
            Rows::Listed(rows) => rows,
        };
        let mut values: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); component.columns.len()];
        for row in rows {
            values.iter_mut().zip(row).for_each(|(values, cell)| {
                values.insert(*cell);
            });
        }
        let product = values.iter().fold(1_u128, |all, values| {
            all.saturating_mul(values.len() as u128)
        });
        if product == rows.len() as u128 {
            for (column, values) in component.columns.iter().zip(values) {
                let set = Set::of(values.into_iter().map(|cell| (cell, cell)).collect());
                self.add_set(dag, *column, set);
            }
            return;
        }
        let which = Set::range(0, rows.len() as u64 - 1);
        let are_whole = component
            .columns
            .iter()
            .all(|column| matches!(dag.ty(*column), ValType::I32 | ValType::I64));
        let is_told = self.tells_rows && are_whole && rows.len() <= MOST_TOLD;
        let origin = is_told.then(|| number_of(dag, &component.columns, rows));
        let row = self.variable(dag, origin, (ValType::I32, which), 0);
        for (number, column) in component.columns.iter().enumerate() {
            let ty = dag.ty(*column);
            let cells = rows
                .iter()
                .map(|row| dag.constant(ty, row[number]))
                .collect();
            let table = LookupTable {
                first: 0,
                values: cells,
            };
            let value = dag.lookup(table, row);
            self.columns.insert(*column, value);
        }
    }

    fn add_set(&mut self, dag: &mut Dag, column: Expr, set: Set) {
        let ty = dag.ty(column);
        let value = match (set.only(), set.bounds()) {
            (Some(only), _) => dag.constant(ty, only),
            (None, bounds) => {
                let least = bounds.map_or(0, |(least, _)| least);
                self.variable(dag, Some(column), (ty, set), least)
            }
        };
        self.columns.insert(column, value);
    }

    /// A component of which only differences are bounded, without what nothing live depends on; false if it is none.
    fn add_zone(&mut self, dag: &mut Dag, known: &Known<'_>, component: &Component) -> bool {
        let inputs: Vec<(u32, ValType, &Set)> = component
            .inputs
            .iter()
            .map(|place| {
                let read = &known.reads[*place as usize];
                (*place, read.ty, &read.domain)
            })
            .collect();
        let zone = Zone::of(dag, &inputs, &component.constraints).filter(|zone| !zone.is_empty());
        let Some(columns) = zone.and_then(|zone| Bounded::of(dag, &zone, known, component)) else {
            return false;
        };
        let mut variables = Vec::new();
        for (column, values) in component.columns.iter().zip(columns.values) {
            let now = columns.now[variables.len()];
            let value = match values.only() {
                Some(only) => dag.constant(columns.ty, only),
                None => self.variable(dag, Some(*column), (columns.ty, values), now),
            };
            self.columns.insert(*column, value);
            variables.push(value);
        }
        for (at, to, differences) in columns.differences {
            let difference = dag.minus(variables[at], variables[to]);
            self.constraints
                .push(Constraint::new(difference, differences));
        }
        true
    }

    /// A component as it is, over variables with new numbers.
    fn add_expressions(&mut self, dag: &mut Dag, known: &Known<'_>, component: &Component) {
        let mut renamed: BTreeMap<u32, Expr> = BTreeMap::new();
        for place in &component.inputs {
            let read = &known.reads[*place as usize];
            let origin = dag.input(*place, read.ty);
            let now = known.model[*place as usize];
            let fresh = self.variable(dag, Some(origin), (read.ty, read.domain.clone()), now);
            renamed.insert(*place, fresh);
        }
        self.is_opaque |= !component.constraints.is_empty();
        let mut done = HashMap::new();
        for column in &component.columns {
            let value = dag.renamed(*column, &renamed, &mut done);
            self.columns.insert(*column, value);
        }
        for constraint in &component.constraints {
            let expr = dag.renamed(constraint.expr, &renamed, &mut done);
            let constraint = Constraint::new(expr, constraint.allowed.clone());
            if !self.constraints.contains(&constraint) {
                self.constraints.push(constraint);
            }
        }
    }
}

/// Which of these rows the columns have, as an expression.
fn number_of(dag: &mut Dag, columns: &[Expr], rows: &BTreeSet<Vec<u64>>) -> Expr {
    let mut found = dag.constant(ValType::I32, 0);
    for (number, row) in (0..).zip(rows).skip(1) {
        let mut is_row = dag.constant(ValType::I32, 1);
        for (column, cell) in columns.iter().zip(row) {
            let ty = dag.ty(*column);
            let cell = dag.constant(ty, *cell);
            let same = match ty {
                ValType::I64 => dag.binary(N::I64Eq, *column, cell),
                _ => dag.binary(N::I32Eq, *column, cell),
            };
            is_row = dag.binary(N::I32And, is_row, same);
        }
        let number = dag.constant(ValType::I32, number);
        found = dag.choose(is_row, number, found);
    }
    found
}

/// The values of a component's only column, if it is a sum of inputs: however many these have, nothing is counted out.
fn added_up(dag: &Dag, known: &Known<'_>, component: &Component) -> Option<Set> {
    let [column] = component.columns[..] else {
        return None;
    };
    let is_plain = component.inputs.len() > 1 && known.floor(column).is_none();
    let inputs = component.inputs.iter();
    let inputs = inputs.map(|place| (*place, known.reads[*place as usize].domain.clone()));
    let added = || {
        let inputs: Vec<_> = inputs.collect();
        sums::values(dag, &inputs, column, &component.constraints, known.budget)
    };
    is_plain.then(added).flatten()
}

/// Of inputs that may be anything, and of which only low bits matter: the values of these bits alone.
fn only_what_matters(
    dag: &Dag,
    known: &Known<'_>,
    component: &Component,
    mut domains: Vec<Set>,
) -> Vec<Set> {
    let constraints = component
        .constraints
        .iter()
        .map(|constraint| constraint.expr);
    let roots: Vec<Expr> = component
        .columns
        .iter()
        .copied()
        .chain(constraints)
        .collect();
    let bits = demanded::bits(dag, &roots);
    for (place, domain) in component.inputs.iter().zip(&mut domains) {
        let read = &known.reads[*place as usize];
        let matter = bits.get(place).copied().unwrap_or(0);
        if matter <= MOST_BITS && read.domain == Set::all(read.ty) {
            *domain = Set::range(0, (1 << matter) - 1);
        }
    }
    domains
}

/// The columns of a component of which only differences are bounded.
struct Bounded {
    ty: ValType,
    /// Their values, one by one; and those at hand.
    values: Vec<Set>,
    now: Vec<u64>,
    /// The differences of the first and the second of two, where their values do not say it all.
    differences: Vec<(usize, usize, Set)>,
}

impl Bounded {
    /// Nothing if some column is no difference of inputs, or two of them are not known together.
    fn of(dag: &Dag, zone: &Zone, known: &Known<'_>, component: &Component) -> Option<Self> {
        let columns = &component.columns;
        let terms: Option<Vec<Term>> = columns.iter().map(|of| zone.term(dag, *of)).collect();
        let terms = terms?;
        let floors: Vec<Option<i64>> = columns.iter().map(|of| known.floor(*of)).collect();
        let mut bounded = Bounded {
            ty: dag.ty(*columns.first()?),
            values: Vec::new(),
            now: Vec::new(),
            differences: Vec::new(),
        };
        let mut point = Point::default();
        for (at, (term, floor)) in terms.iter().zip(&floors).enumerate() {
            bounded.values.push(zone.set(zone.values(*term, *floor))?);
            point.reset(dag);
            let cell = point.eval(dag, columns[at], known.model);
            bounded.now.push(raised(bounded.ty, cell, *floor));
            for (to, (other, other_floor)) in terms.iter().zip(&floors).enumerate().skip(at + 1) {
                let differences = zone.differences((*term, *other), (*floor, *other_floor))?;
                let differences = differences.map(|differences| (at, to, differences));
                bounded.differences.extend(differences);
            }
        }
        Some(bounded)
    }
}

/// The combinations that some columns can have.
enum Rows {
    /// Of a single one.
    Set(Set),
    Listed(BTreeSet<Vec<u64>>),
}

/// Groups what depends on each other, in the order of the live expressions; what nothing live depends on is left out.
fn components(dag: &Dag, known: &Known<'_>, live: &[Expr]) -> Vec<Component> {
    let mut group: Vec<u32> = (0..known.reads.len() as u32).collect();
    fn find(group: &mut [u32], mut at: u32) -> u32 {
        while group[at as usize] != at {
            group[at as usize] = group[group[at as usize] as usize];
            at = group[at as usize];
        }
        at
    }
    let constrained = known.constraints.iter().map(|constraint| constraint.expr);
    for expr in live.iter().copied().chain(constrained) {
        let inputs = dag.inputs(expr).clone();
        for pair in inputs.windows(2) {
            let (a, b) = (find(&mut group, pair[0]), find(&mut group, pair[1]));
            group[a.max(b) as usize] = a.min(b);
        }
    }
    let mut found: Vec<(u32, Component)> = Vec::new();
    for expr in live {
        let Some(&first) = dag.inputs(*expr).first() else {
            continue;
        };
        let root = find(&mut group, first);
        match found.iter_mut().find(|(known, _)| *known == root) {
            Some((_, component)) if component.columns.contains(expr) => {}
            Some((_, component)) => component.columns.push(*expr),
            None => found.push((
                root,
                Component {
                    inputs: Vec::new(),
                    columns: vec![*expr],
                    constraints: Vec::new(),
                },
            )),
        }
    }
    for (root, component) in &mut found {
        // In the order in which the columns need them: that of the path tells states apart that are equal.
        let needed = component
            .columns
            .iter()
            .flat_map(|column| dag.inputs(*column).iter());
        let mut inputs: Vec<u32> = Vec::new();
        for input in needed.copied().chain(0..known.reads.len() as u32) {
            if find(&mut group, input) == *root && !inputs.contains(&input) {
                inputs.push(input);
            }
        }
        component.inputs = inputs;
        for constraint in known.constraints {
            if let Some(&first) = dag.inputs(constraint.expr).first()
                && find(&mut group, first) == *root
            {
                component.constraints.push(constraint.clone());
            }
        }
    }
    found.into_iter().map(|(_, component)| component).collect()
}
