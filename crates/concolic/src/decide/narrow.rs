//! Narrowing what inputs may be by constraints that not all of them are in: three numbers of twelve bits are too many
//! combinations to cut, and often the two that one constraint is about can have few values.

use super::Decider;
use super::search::{Asked, Cut, halves, size_of};
use crate::budget::Budget;
use crate::constraint::{Constraint, Solution};
use crate::dag::Expr;
use crate::lanes::Compiled;
use crate::set::Set;

/// So many groups of constraints are looked at for one question.
const GROUPS: usize = 8;
/// Boxes looked at for each.
const BOXES: u64 = 1 << 14;
/// Boxes looked at before anything else.
const FIRST: u64 = 1 << 7;
/// Boxes looked at before that.
const SOON: u64 = 1 << 10;
/// All points are tried of boxes of so many.
const GRAIN: u128 = 64;

/// The groups of a question: for the open inputs of each constraint, if these are several and not all, the constraints that
/// are about no others.
fn groups(asked: &Asked<'_>) -> Vec<Vec<Constraint>> {
    let open: Vec<bool> = asked.domains.iter().map(|set| set.count() > 1).collect();
    let all = open.iter().filter(|open| **open).count();
    let of = |constraint: &Constraint| -> Vec<usize> {
        let places = asked.dag.inputs(constraint.expr).iter();
        let inputs = places.filter_map(|place| asked.program.inputs.binary_search(place).ok());
        inputs.filter(|at| open[*at]).collect()
    };
    let each: Vec<Vec<usize>> = asked.constraints.iter().map(of).collect();
    let mut known: Vec<&Vec<usize>> = each.iter().collect();
    known.retain(|inputs| (2..all).contains(&inputs.len()));
    known.sort_by_key(|inputs| (inputs.len(), *inputs));
    known.dedup();
    let within = |inputs: &Vec<usize>| {
        let within = each.iter().zip(asked.constraints);
        let within = within.filter(|(of, _)| of.iter().all(|at| inputs.contains(at)));
        within.map(|(_, constraint)| constraint.clone()).collect()
    };
    known.into_iter().take(GROUPS).map(within).collect()
}

/// Whether a box lies in another.
fn is_within(cut: &[(u64, u64)], other: &[(u64, u64)]) -> bool {
    let mut parts = cut.iter().zip(other);
    parts.all(|(part, all)| all.0 <= part.0 && part.1 <= all.1)
}

impl Decider {
    /// As [`Decider::search`], which has all the boxes that it may only where the inputs are narrowed first. Without an
    /// answer, what they may be then, if that is less.
    pub(super) fn search_narrowing(
        &mut self,
        budget: &Budget<'_>,
        asked: &Asked<'_>,
        hint: &[u64],
    ) -> Result<Solution, Option<Vec<Set>>> {
        // What cannot be is mostly soon seen.
        if let Some(answer) = self.search(budget, asked, FIRST) {
            return Ok(answer);
        }
        if let Some(values) = self.climb(budget, asked, hint) {
            return Ok(Solution::Yes(values));
        }
        let groups = groups(asked);
        let soon = match groups.is_empty() {
            true => u64::MAX,
            false => SOON,
        };
        if let Some(answer) = self.search(budget, asked, soon) {
            return Ok(answer);
        }
        if groups.is_empty() || budget.is_spent() {
            return Err(None);
        }
        let mut domains: Vec<Set> = asked.domains.iter().copied().cloned().collect();
        let mut is_less = false;
        for group in groups {
            is_less |= self.narrow(budget, asked, &group, &mut domains);
            if domains.iter().any(Set::is_empty) {
                return Ok(Solution::No);
            }
        }
        let narrowed: Vec<&Set> = domains.iter().collect();
        let asked = Asked {
            domains: &narrowed,
            ..*asked
        };
        let answer = self.search(budget, &asked, u64::MAX);
        answer.ok_or_else(|| is_less.then_some(domains))
    }

    /// Leaves out values that a group of constraints does not allow; whether there are any.
    fn narrow(
        &mut self,
        budget: &Budget<'_>,
        asked: &Asked<'_>,
        group: &[Constraint],
        domains: &mut [Set],
    ) -> bool {
        let roots: Vec<Expr> = group.iter().map(|constraint| constraint.expr).collect();
        let program = Compiled::new(asked.dag, &roots);
        let place = |place: &u32| asked.program.inputs.binary_search(place);
        let inputs = program.inputs.iter().map(place);
        let inputs: Vec<usize> = inputs.collect::<Result<_, _>>().expect("it is about these");
        let known: Vec<&Set> = inputs.iter().map(|at| &domains[*at]).collect();
        let part = Asked {
            dag: asked.dag,
            program: &program,
            domains: &known,
            constraints: group,
        };
        let Some(hull) = self.hull(budget, &part) else {
            return false;
        };
        for (nth, at) in inputs.iter().enumerate() {
            domains[*at] = match &hull {
                Some(hull) => domains[*at].intersect(&Set::range(hull[nth].0, hull[nth].1)),
                None => Set::empty(),
            };
        }
        true
    }

    /// Bounds of all that satisfies the constraints, or that nothing does; nothing at all if they are no less than they
    /// were, or it takes too long.
    fn hull(&mut self, budget: &Budget<'_>, asked: &Asked<'_>) -> Option<Option<Cut>> {
        let (mut inputs, first) = (asked.inputs(), asked.first()?);
        let mut boxes = BOXES;
        let mut hull: Option<Cut> = None;
        let mut stack = vec![first.clone()];
        while let Some(cut) = stack.pop() {
            let is_known = hull.as_ref().is_some_and(|hull| is_within(&cut, hull));
            if is_known || asked.is_outside(&cut) {
                continue;
            }
            boxes = boxes.checked_sub(1).filter(|_| !budget.is_spent())?;
            let mut include = |part: &[(u64, u64)]| {
                let hull = hull.get_or_insert_with(|| part.to_vec());
                for (all, part) in hull.iter_mut().zip(part) {
                    *all = (all.0.min(part.0), all.1.max(part.1));
                }
            };
            match self.look(asked, &inputs, &cut) {
                Some(false) => {}
                Some(true) => include(&cut),
                None if size_of(&cut) <= GRAIN => {
                    let count = size_of(&cut) as usize;
                    self.satisfying(asked, &cut, count, |value| {
                        let point = (0..cut.len()).map(|at| (value(at), value(at)));
                        include(&point.collect::<Cut>());
                        true
                    });
                }
                None => {
                    let at = self.best_cut(asked, &mut inputs, &cut, &mut boxes);
                    let (lower, upper) = halves(&cut, at);
                    stack.extend([upper, lower]);
                }
            }
            if hull.as_ref() == Some(&first) {
                return None;
            }
        }
        Some(hull)
    }
}
