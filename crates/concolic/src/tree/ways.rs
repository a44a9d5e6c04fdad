//! Ways along paths, asked whether they can be gone after some answers.

use crate::budget::Budget;
use crate::constraint::{Constraint, NO_TIME, Solution};
use crate::dag::Dag;
use crate::decide::Decider;
use crate::path::{Delivered, Path, Read, Way};
use crate::set::Set;

/// Whether the other answers satisfy what does not concern the input at `place`.
pub(super) fn others_fit(
    dag: &Dag,
    decider: &mut Decider,
    way: &Way,
    answers: &[u64],
    place: u32,
) -> bool {
    let fits =
        |(at, (read, cell)): (u32, (&Read, &u64))| at == place || read.domain.contains(*cell);
    if way.reads.len() != answers.len() || !(0..).zip(way.reads.iter().zip(answers)).all(fits) {
        return false;
    }
    decider.holds(
        dag,
        answers,
        |inputs| !inputs.contains(&place),
        &way.constraints,
    )
}

pub(super) fn lie_before(inputs: &[u32], place: u32) -> bool {
    inputs.iter().all(|input| *input < place)
}

/// Whether a way begins with these answers, as far as they decide that.
fn begins(dag: &Dag, decider: &mut Decider, way: &Way, answers: &[u64]) -> bool {
    let place = answers.len() as u32;
    let mut given = way.reads.iter().zip(answers);
    answers.len() <= way.reads.len()
        && given.all(|(read, cell)| read.domain.contains(*cell))
        && decider.holds(
            dag,
            answers,
            |inputs| lie_before(inputs, place),
            &way.constraints,
        )
}

/// What the next input answers on a path that these answers begin, as far as it depends on it alone.
pub(super) fn begun<'p>(
    dag: &Dag,
    decider: &mut Decider,
    path: &'p Path,
    answers: &[u64],
) -> impl Iterator<Item = &'p Set> {
    path.ways.iter().filter_map(move |way| {
        let next = way.reads.get(answers.len())?;
        begins(dag, decider, way, answers).then_some(&next.domain)
    })
}

/// What arrives on a path after so many events, before the input at a place.
pub(super) fn next_event(path: &Path, events: usize, place: usize) -> Option<Delivered> {
    let next = path.events.get(events).copied();
    next.filter(|event| event.place as usize == place)
}

/// Whether a way can be gone on after these answers.
pub(super) fn possible(
    budget: &Budget<'_>,
    dag: &Dag,
    decider: &mut Decider,
    way: &Way,
    prefix: &[u64],
) -> Solution {
    if budget.is_spent() {
        return Solution::Unknown(NO_TIME.into());
    }
    if !begins(dag, decider, way, prefix) {
        return Solution::No;
    }
    let place = prefix.len() as u32;
    let later: Vec<Constraint> = way
        .constraints
        .iter()
        .filter(|constraint| !lie_before(dag.inputs(constraint.expr), place))
        .cloned()
        .collect();
    if later.is_empty() {
        return Solution::Yes(Vec::new());
    }
    let mut values = Vec::new();
    for group in groups(dag, &later, place) {
        let mut places: Vec<u32> = Vec::new();
        for constraint in &group {
            places.extend(dag.inputs(constraint.expr).iter());
        }
        places.sort_unstable();
        places.dedup();
        let variables: Vec<(u32, Set)> = places
            .iter()
            .map(|at| {
                let set = match prefix.get(*at as usize) {
                    Some(cell) => Set::single(*cell),
                    None => way.reads[*at as usize].domain.clone(),
                };
                (*at, set)
            })
            .collect();
        match decider.solve(budget, dag, &variables, &group, &way.model) {
            Solution::Yes(found) => values.extend(found),
            other => return other,
        }
    }
    Solution::Yes(values)
}

/// Constraints in groups that share no input from `place` on.
fn groups(dag: &Dag, constraints: &[Constraint], place: u32) -> Vec<Vec<Constraint>> {
    let mut groups: Vec<(Vec<u32>, Vec<Constraint>)> = Vec::new();
    for constraint in constraints {
        let free = dag.inputs(constraint.expr).iter().copied();
        let mut inputs: Vec<u32> = free.filter(|input| *input >= place).collect();
        let mut members = vec![constraint.clone()];
        groups.retain_mut(|(known, group)| {
            let apart = !known.iter().any(|input| inputs.contains(input));
            if !apart {
                inputs.append(known);
                members.append(group);
            }
            apart
        });
        groups.push((inputs, members));
    }
    groups.into_iter().map(|(_, group)| group).collect()
}
