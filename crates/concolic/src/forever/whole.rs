//! Which of the values that a state stands for take a way.
//!
//! A way leads from some values of a state to some of another's. Where each value has such a step, ways in a row are a run
//! of the program; where not, what it asks of the values is what a state is divided by.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::arrived::{Arrived, is_timed};
use super::relation::{Known, Relation};
use super::state::Before;
use crate::budget::Budget;
use crate::clocks::Clock;
use crate::constraint::Constraint;
use crate::dag::{Dag, Expr, Node};
use crate::explore::{AGES, State as Path, Workbench, connected};
use crate::path::Read;
use crate::set::Set;

/// So many combinations of values are counted out to know what a way asks of a state; of more, bounds of differences say
/// it, or nothing.
const MOST_COUNTED: u128 = 1 << 12;

/// What a way asks of the values of the state that it leaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Asks {
    /// Nothing: all of them take it.
    Nothing,
    /// All these conditions on the state's variables.
    These {
        conditions: Vec<Constraint>,
        /// Whoever satisfies them takes the way.
        are_all: bool,
    },
    /// What cannot be said; or something of what is taken for anything, of which nobody knows what it is.
    Something,
}

impl Asks {
    /// The conditions, if they say who takes the way.
    pub(super) fn conditions(&self) -> &[Constraint] {
        match self {
            Asks::These {
                conditions,
                are_all: true,
            } => conditions,
            _ => &[],
        }
    }

    /// The same, as far as they say who takes the way, with other numbers of expressions.
    pub(super) fn renumbered(&self, number: impl Fn(Expr) -> Expr) -> Self {
        let conditions = match self {
            Asks::These {
                conditions,
                are_all: true,
            } => conditions.iter(),
            Asks::Nothing => return Asks::Nothing,
            _ => return Asks::Something,
        };
        Asks::These {
            conditions: conditions
                .map(|known| Constraint::new(number(known.expr), known.allowed.clone()))
                .collect(),
            are_all: true,
        }
    }
}

/// What was decided on a way.
pub(super) struct Decided {
    pub(super) reads: Vec<Read>,
    constraints: Vec<Constraint>,
    pub(super) model: Vec<u64>,
    taints: Vec<u64>,
    is_timed: bool,
}

impl Arrived {
    /// What was decided on the way.
    pub(super) fn decided(self) -> Decided {
        Decided {
            reads: self.reads,
            constraints: self.constraints,
            model: self.model,
            taints: self.taints,
            is_timed: self.is_timed,
        }
    }
}

impl Decided {
    /// On a way of which nothing else is kept.
    pub(super) fn of_stop(dag: &Dag, path: Path, taints: &[u64], clocks: &[Clock]) -> Self {
        Decided {
            is_timed: is_timed(dag, &path, clocks),
            reads: path.reads,
            constraints: path.constraints,
            model: path.model,
            taints: taints.to_vec(),
        }
    }

    /// What the way to a part of what it leads to asks of the state that it leaves. `under` is what has to hold besides for
    /// that part, if that is known.
    pub(super) fn asks(
        &self,
        bench: &mut Workbench,
        before: &Before,
        under: Option<&[Constraint]>,
        budget: &Budget<'_>,
    ) -> Asks {
        let Some(under) = under.filter(|_| !self.is_timed) else {
            return Asks::Something;
        };
        let dag = &mut bench.dag;
        let (mut reads, mut all) = (self.reads.clone(), self.constraints.clone());
        for Constraint { expr, allowed } in under {
            match dag.node(*expr) {
                Node::Input(at) => {
                    let domain = &mut reads[at as usize].domain;
                    *domain = domain.intersect(allowed);
                }
                _ => all.push(Constraint::new(*expr, allowed.clone())),
            }
        }
        let mut new = conditions(dag, before, &reads);
        let is_new = |known: &&Constraint| !before.constraints.contains(known);
        new.extend(all.iter().filter(is_new).cloned());
        let taint = |place: &u32| {
            self.taints
                .get(*place as usize)
                .map_or(0, |taint| taint & !AGES)
        };
        let is_tainted = |new: &Constraint| dag.inputs(new.expr).iter().any(|at| taint(at) != 0);
        // Of fresh values that may be anything, each is in one of the parts, and nobody knows in which.
        let fresh = under.iter().any(is_tainted);
        if fresh || new.iter().any(is_tainted) {
            return Asks::Something;
        }
        let own: Vec<u32> = (0..before.variables.len() as u32).collect();
        let new = connected(dag, &new.iter().collect::<Vec<_>>(), &own);
        if new.is_empty() {
            return Asks::Nothing;
        }
        let columns = touched(dag, before, &new, &all);
        let own_reads: Vec<Read> = before.reads().collect();
        let whole = (&*own_reads, &*before.constraints, &*before.model);
        let whole = projected(bench, whole, &columns, budget);
        let taken = projected(bench, (&reads, &all, &self.model), &columns, budget);
        let same = whole.columns == taken.columns
            && whole.variables == taken.variables
            && whole.constraints == taken.constraints;
        if same {
            return Asks::Nothing;
        }
        let is_own = |new: &&Constraint| {
            let inputs = bench.dag.inputs(new.expr);
            inputs.iter().all(|at| own.contains(at))
        };
        let of_own: Vec<Constraint> = new.iter().filter(is_own).cloned().collect();
        let are_all = of_own.len() == new.len();
        match told(&mut bench.dag, before, &taken, &columns) {
            Some(conditions) if !conditions.is_empty() => Asks::These {
                conditions,
                are_all: true,
            },
            _ if of_own.is_empty() => Asks::Something,
            _ => Asks::These {
                conditions: of_own,
                are_all,
            },
        }
    }
}

/// The state's variables that are related to what is asked of some, by all conditions of a way.
fn touched(dag: &mut Dag, before: &Before, new: &[Constraint], all: &[Constraint]) -> Vec<Expr> {
    let inputs = |of: &[Constraint]| -> Vec<u32> {
        let inputs = of.iter().flat_map(|known| dag.inputs(known.expr).iter());
        inputs.copied().collect()
    };
    let mut touched = inputs(new);
    let related = connected(dag, &all.iter().collect::<Vec<_>>(), &touched);
    touched.extend(inputs(&related));
    touched.retain(|at| (*at as usize) < before.variables.len());
    touched.sort_unstable();
    touched.dedup();
    let variables = touched.into_iter();
    let variables = variables.map(|at| dag.input(at, before.variables[at as usize].0));
    variables.collect()
}

/// What these inputs can be together.
fn projected(
    bench: &mut Workbench,
    (reads, constraints, model): (&[Read], &[Constraint], &[u64]),
    columns: &[Expr],
    budget: &Budget<'_>,
) -> Relation {
    let known = Known {
        reads,
        constraints,
        model,
        taints: &[],
        most: MOST_COUNTED,
        budget,
        bases: 0,
        tells_rows: false,
        floors: &HashMap::new(),
        older: &HashMap::new(),
    };
    Relation::of(&mut bench.dag, &mut bench.point, &known, columns)
}

/// What a relation says of these inputs of a state, and the state does not; nothing if that cannot be said of them.
fn told(
    dag: &mut Dag,
    before: &Before,
    taken: &Relation,
    columns: &[Expr],
) -> Option<Vec<Constraint>> {
    if taken.is_opaque {
        return None;
    }
    let mut conditions = Vec::new();
    for column in columns {
        let is = taken.columns.get(column).copied()?;
        let allowed = match dag.node(is) {
            Node::Const(cell) => Set::single(cell),
            Node::Input(at) => taken.variables[at as usize].1.clone(),
            _ => continue,
        };
        let condition = Constraint::new(*column, allowed);
        if !is_known(dag, before, &condition) {
            conditions.push(condition);
        }
    }
    // A row of combinations is none of the state's variables.
    let is_own = |origin: &Option<Expr>| origin.is_some_and(|origin| columns.contains(&origin));
    if !taken.origins.iter().all(is_own) {
        return None;
    }
    for constraint in &taken.constraints {
        let origins = dag.inputs(constraint.expr).clone();
        let renamed = origins
            .iter()
            .map(|at| Some((*at, taken.origins[*at as usize]?)));
        let renamed = renamed.collect::<Option<_>>()?;
        let expr = dag.renamed(constraint.expr, &renamed, &mut HashMap::new());
        let condition = Constraint::new(expr, constraint.allowed.clone());
        if !before.constraints.contains(&condition) {
            conditions.push(condition);
        }
    }
    Some(conditions)
}

/// Whether a state's own sets say this of one of its variables.
fn is_known(dag: &Dag, before: &Before, condition: &Constraint) -> bool {
    match dag.node(condition.expr) {
        Node::Input(at) => before.variables[at as usize].1 == condition.allowed,
        _ => false,
    }
}

/// What reads say of a state's variables that the state does not.
pub(super) fn conditions(dag: &mut Dag, before: &Before, reads: &[Read]) -> Vec<Constraint> {
    let both = (0..).zip(before.variables.iter().zip(reads));
    let narrowed = both.filter(|(_, ((_, set), read))| read.domain != *set);
    let condition = |(at, (_, read)): (u32, (_, &Read))| {
        Constraint::new(dag.input(at, read.ty), read.domain.clone())
    };
    narrowed.map(condition).collect()
}

/// Ways to one state, of which each is open to some values, may together be open to all.
pub(super) fn together<S: PartialEq>(dag: &Dag, before: &Before, to: &[S], asked: &mut [Asks]) {
    let mut done = vec![false; to.len()];
    for first in 0..to.len() {
        if done[first] {
            continue;
        }
        let same: Vec<usize> = (first..to.len())
            .filter(|at| to[*at] == to[first])
            .collect();
        same.iter().for_each(|at| done[*at] = true);
        let mut lists: Vec<Vec<Constraint>> = Vec::new();
        for at in &same {
            match &asked[*at] {
                Asks::Nothing => lists.push(Vec::new()),
                Asks::These {
                    conditions,
                    are_all: true,
                } => lists.push(conditions.clone()),
                _ => {}
            }
        }
        if same.len() > 1 && cover(dag, before, lists) {
            same.iter().for_each(|at| asked[*at] = Asks::Nothing);
        }
    }
}

/// Whether all values satisfy one of these lists of conditions, as far as that shows when two that differ in one condition
/// are taken for one.
fn cover(dag: &Dag, before: &Before, mut lists: Vec<Vec<Constraint>>) -> bool {
    'again: while !lists.iter().any(Vec::is_empty) {
        for a in 0..lists.len() {
            for b in a + 1..lists.len() {
                if let Some(either) = either(dag, before, &lists[a], &lists[b]) {
                    lists.remove(b);
                    lists[a] = either;
                    continue 'again;
                }
            }
        }
        return false;
    }
    true
}

/// What holds where one of two lists of conditions does, if they differ in one alone.
fn either(
    dag: &Dag,
    before: &Before,
    a: &[Constraint],
    b: &[Constraint],
) -> Option<Vec<Constraint>> {
    let missing = |of: &[Constraint], from: &[Constraint]| {
        let of = of.iter().filter(|condition| !from.contains(condition));
        of.cloned().collect::<Vec<_>>()
    };
    let mut both = a.to_vec();
    match (&*missing(a, b), &*missing(b, a)) {
        // One of them says less.
        ([], _) => {}
        (_, []) => both = b.to_vec(),
        ([ours], [theirs]) if ours.expr == theirs.expr => {
            both.retain(|condition| condition != ours);
            let allowed = ours.allowed.union(&theirs.allowed);
            let all = match dag.node(ours.expr) {
                Node::Input(at) => before.variables[at as usize].1.clone(),
                _ => Set::range(0, dag.greatest(ours.expr)),
            };
            if all.intersect(&allowed) != all {
                both.push(Constraint::new(ours.expr, allowed));
            }
        }
        _ => return None,
    }
    Some(both)
}
