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

/// Whether a way begins with these answers, as far as they decide that; it is known of so many of them.
fn begins(dag: &Dag, decider: &mut Decider, way: &Way, answers: &[u64], known: usize) -> bool {
    let place = answers.len() as u32;
    let mut given = way.reads.iter().zip(answers).skip(known);
    answers.len() <= way.reads.len()
        && given.all(|(read, cell)| read.domain.contains(*cell))
        && decider.holds(
            dag,
            answers,
            |inputs| is_open(inputs, known) && lie_before(inputs, place),
            &way.constraints,
        )
}

/// Whether it is not decided by so many answers what these inputs come to.
fn is_open(inputs: &[u32], known: usize) -> bool {
    inputs
        .last()
        .map_or(known == 0, |last| *last as usize >= known)
}

/// So many of the answers that begin a path are known to begin each of its ways.
fn known_of_each(path: &Path, known: usize) -> usize {
    match path.ways.len() {
        1 => known,
        _ => 0,
    }
}

/// What the next input answers on a path that these answers begin, as far as it depends on it alone. So many of them are
/// known to begin the path.
pub(super) fn begun<'p>(
    dag: &Dag,
    decider: &mut Decider,
    path: &'p Path,
    answers: &[u64],
    known: usize,
) -> impl Iterator<Item = &'p Set> {
    let known = known_of_each(path, known);
    path.ways.iter().filter_map(move |way| {
        let next = way.reads.get(answers.len())?;
        begins(dag, decider, way, answers, known).then_some(&next.domain)
    })
}

/// Whether a path can be gone on after these answers, of which all but the last are known to begin it.
pub(super) fn goes_on(
    budget: &Budget<'_>,
    dag: &Dag,
    decider: &mut Decider,
    path: &Path,
    prefix: &[u64],
) -> bool {
    let known = known_of_each(path, prefix.len().saturating_sub(1));
    path.ways.iter().any(|way| {
        if budget.is_spent() || !begins(dag, decider, way, prefix, known) {
            return false;
        }
        // The answers that the way was found with mostly go with these too.
        let rest = way.model.get(prefix.len()..).unwrap_or_default();
        let answers = [prefix, rest].concat();
        let is_later = |inputs: &[u32]| is_open(inputs, prefix.len());
        decider.holds(dag, &answers, is_later, &way.constraints)
            || matches!(
                solved(budget, dag, decider, way, prefix, Asked::WhatPrefixDecides),
                Solution::Yes(_)
            )
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
    match begins(dag, decider, way, prefix, 0) {
        true => solved(budget, dag, decider, way, prefix, Asked::Everything),
        false => Solution::No,
    }
}

/// What is asked of what is left of a way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Answers to all that depends on several inputs.
    Everything,
    /// Whether there are any: what does not depend on the answers before has some, which the way was found with.
    WhatPrefixDecides,
}

/// Answers to what is left of a way that these begin, if there are any.
fn solved(
    budget: &Budget<'_>,
    dag: &Dag,
    decider: &mut Decider,
    way: &Way,
    prefix: &[u64],
    asked: Asked,
) -> Solution {
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
        let depends = places.first().is_some_and(|first| *first < place);
        if asked == Asked::WhatPrefixDecides && !depends {
            continue;
        }
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
