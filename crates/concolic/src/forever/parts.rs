//! States that are reached in parts: by conditions that are watched, by values where they are few, and by what tells the
//! values of a state apart later.

use hashbrown::HashMap;

use super::compared::{Origins, Settled};
use super::state::{Before, DeviceState, Stands};
use super::whole::conditions;
use super::{Device, MOST_COVERING};
use crate::constraint::Constraint;
use crate::dag::{Dag, Expr};
use crate::explore::{SystemChoices, Waiting, Workbench};
use crate::path::Unexplored;

/// A state that a way leads to, or a part of one.
pub(super) struct Part {
    pub(super) state: DeviceState,
    /// What its variables are on the way, as far as that can be said.
    origins: Vec<Option<Expr>>,
    /// What has to hold on the way for it to come here and not to another part; nothing if that cannot be said.
    pub(super) under: Option<Vec<Constraint>>,
    /// As of [`Settled`].
    pub(super) is_aged: bool,
}

impl From<Settled> for Part {
    fn from(settled: Settled) -> Self {
        Part {
            state: settled.state,
            origins: settled.origins,
            under: Some(Vec::new()),
            is_aged: settled.is_aged,
        }
    }
}

impl Part {
    /// A state without values.
    pub(super) fn whole(state: DeviceState) -> Self {
        Part {
            state,
            origins: Vec::new(),
            under: Some(Vec::new()),
            is_aged: false,
        }
    }

    /// An expression over the state's variables as one of the way.
    fn on_the_way(&self, dag: &mut Dag, expr: Expr) -> Option<Expr> {
        let inputs = dag.inputs(expr).clone();
        let renamed = inputs.iter().map(|at| {
            let origin = self.origins.get(*at as usize).copied().flatten();
            Some((*at, origin?))
        });
        let renamed = renamed.collect::<Option<_>>()?;
        Some(dag.renamed(expr, &renamed, &mut HashMap::new()))
    }
}

impl Device<'_> {
    /// What has been reached, apart by the conditions that are watched and by values where they are few; and as states are
    /// divided. That comes after the way to it was forgotten: what is known of its values then is little and simple.
    pub(super) fn parts(
        &self,
        mut bench: Workbench,
        part: Part,
        left_out: &mut Vec<Unexplored>,
    ) -> (Workbench, Vec<Part>) {
        let mut parts = Vec::new();
        let is_one = self.watched.is_none() && !self.is_split;
        let stop = (!is_one)
            .then(|| part.stop(&mut bench, self.start.choices))
            .flatten();
        match stop {
            None => parts.push(part),
            Some(stop) => {
                let (stops, mut unexplored);
                (bench, (stops, unexplored)) =
                    self.rounds(self.budget(), true, |rounds| bench.parted(rounds, stop));
                left_out.append(&mut unexplored);
                for stop in stops {
                    parts.push(self.part(&mut bench, &part, stop));
                }
            }
        }
        if self.divided.borrow().is_empty() {
            return (bench, parts);
        }
        let mut undivided = Vec::new();
        'parts: while let Some(part) = parts.pop() {
            for condition in self.divides(&bench.dag, &part.state) {
                let two;
                (bench, two) = self.divided_by(bench, &part, &condition);
                if let Some(two) = two {
                    parts.extend(two);
                    continue 'parts;
                }
            }
            undivided.push(part);
        }
        (bench, undivided)
    }

    /// A part of a part.
    fn part(&self, bench: &mut Workbench, of: &Part, stop: Waiting) -> Part {
        let Stands::Before(before) = &of.state.0.stands else {
            return Part::whole(of.state.clone());
        };
        self.note_influence(
            &bench.dag,
            &stop.state.reads,
            &stop.state.constraints,
            Some(before),
        );
        let mut told = conditions(&mut bench.dag, before, &stop.state.reads);
        let constraints = stop.state.constraints.iter();
        told.extend(
            constraints
                .filter(|new| !before.constraints.contains(new))
                .cloned(),
        );
        let arrived = {
            let compared = self.compared(self.budget());
            let from = Origins {
                taints: &before.taints,
                before: None,
            };
            let arrived = compared.arrival(bench, stop, from);
            compared.settled(bench, &arrived)
        };
        let mut under = of.under.clone();
        for Constraint { expr, allowed } in told {
            let expr = of.on_the_way(&mut bench.dag, expr);
            under = under.zip(expr).map(|(mut under, expr)| {
                under.push(Constraint::new(expr, allowed));
                under
            });
        }
        let mut origin = |origin: Option<Expr>| of.on_the_way(&mut bench.dag, origin?);
        Part {
            state: arrived.state,
            origins: arrived.origins.into_iter().map(&mut origin).collect(),
            under,
            is_aged: of.is_aged || arrived.is_aged,
        }
    }

    /// By what a state may have to be divided: it is one that is, or a part of such.
    fn divides(&self, dag: &Dag, state: &DeviceState) -> Vec<Constraint> {
        let divided = self.divided.borrow();
        if self.known.borrow().contains(state) {
            return divided.get(state).cloned().into_iter().collect();
        }
        let mut conditions = Vec::new();
        let wider = self.wider.borrow();
        let Stands::Before(before) = &state.0.stands else {
            return conditions;
        };
        let here = wider.get(&before.place()).map_or(&[][..], Vec::as_slice);
        for known in here.iter().rev().take(MOST_COVERING) {
            let Stands::Before(wider) = &known.0.stands else {
                continue;
            };
            if known.truths() == state.truths() && wider.covers(before, dag) {
                match divided.get(known) {
                    Some(condition) => conditions.push(condition.clone()),
                    None => break,
                }
            }
        }
        conditions
    }

    /// A state as the two that it is under a condition and under its opposite; nothing if one of them is none.
    fn divided_by(
        &self,
        mut bench: Workbench,
        part: &Part,
        condition: &Constraint,
    ) -> (Workbench, Option<[Part; 2]>) {
        let opposite = condition.allowed.complement(bench.dag.ty(condition.expr));
        let mut two = Vec::new();
        for allowed in [condition.allowed.clone(), opposite] {
            let Some(stop) = part.stop(&mut bench, self.start.choices) else {
                break;
            };
            let condition = Constraint::new(condition.expr, allowed);
            let found;
            (bench, found) = self.rounds(self.budget(), true, |rounds| {
                bench.under(rounds, (stop, condition))
            });
            let Some(stop) = found else { break };
            two.push(self.part(&mut bench, part, stop));
        }
        (bench, two.try_into().ok())
    }

    /// Divides the states that some of their values leave on ways of their own, as far as it is known by what, for another
    /// exploration: what leads to one leads to its parts then. False if there are none (any more), or the exploration says
    /// that it came to nothing: all is then as it was.
    // A state's hash is made once; what it notes later is no part of it.
    #[allow(clippy::mutable_key_type)]
    pub fn divide(&self, explore: impl FnOnce() -> bool) -> bool {
        let before = self.divided.borrow().clone();
        let (is_cut, unexplored) = (self.is_cut(), self.unexplored());
        for (state, condition) in self.dividing.take() {
            self.divided.borrow_mut().entry(state).or_insert(condition);
        }
        if self.divided.borrow().len() > before.len() && explore() {
            return true;
        }
        self.divided.replace(before);
        self.is_cut.set(is_cut);
        self.unexplored.replace(unexplored);
        false
    }
}

impl Part {
    /// The state as a path that has come there.
    fn stop(&self, bench: &mut Workbench, choices: SystemChoices) -> Option<Waiting> {
        let Stands::Before(before) = &self.state.0.stands else {
            return None;
        };
        let before: &Before = before;
        let mut path = self.state.path(choices)?;
        before.follow_aged(&mut path, &mut bench.dag);
        let snapshot = before.with_left_out(&mut bench.machine);
        Some(Waiting::at(snapshot, path, !before.is_moment()))
    }
}
