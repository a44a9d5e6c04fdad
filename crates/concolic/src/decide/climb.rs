//! Going from a point that satisfies some conditions to one that satisfies all, by steps that each bring it nearer: of a sum
//! that must lie between two numbers, chance rarely finds one, and cutting boxes takes long.
//!
//! How far a comparison is from coming out otherwise is a distance (B. Korel, *Automated Software Test Data Generation*,
//! IEEE TSE 16(8), 1990).

use borges_vm::ValType;
use borges_vm::num::NumericOp as N;

use super::search::Asked;
use super::{Decider, FIRST_GUESSES, points};
use crate::budget::Budget;
use crate::lanes::{Compiled, Lanes, Step, WIDTH};
use crate::random::Random;
use crate::range::{number, signed_of};
use crate::set::{Set, greatest};
use crate::zone::narrow;

/// So often a step is looked for that brings nothing before that is left to others.
const TRIES: usize = 3;
/// Points looked at in one step that change several inputs.
const MIXED: usize = 64;
/// Values that are tried for an input in one step.
const VALUES: usize = 9;
/// Cells computed for one question.
const CELLS: u64 = 1 << 22;
/// Conditions in conditions are looked at so deep.
const DEPTH: usize = 5;

/// A point, and how far it is from satisfying all: not at all if it does.
struct Place {
    cells: Vec<u64>,
    cost: u64,
    /// The least and the greatest distance of the conditions that do not hold.
    off: (u64, u64),
    /// The inputs on which these depend.
    inputs: Vec<usize>,
}

/// What some inputs become instead.
type Moves = Vec<(usize, u64)>;

impl Decider {
    /// A point that satisfies all constraints, if steps from the best of those that are guessed first lead to one.
    pub(super) fn climb(
        &mut self,
        budget: &Budget<'_>,
        asked: &Asked<'_>,
        hint: &[u64],
    ) -> Option<Vec<(u32, u64)>> {
        let Asked {
            program, domains, ..
        } = asked;
        let mut random = Random::from_seed(0);
        let columns = points(program, domains, hint, FIRST_GUESSES, &mut random)?;
        self.run_points(program, &columns);
        let lane = self.nearest(asked, FIRST_GUESSES);
        let cells = columns.iter().map(|column| column[lane]).collect();
        let mut here = self.place(asked, cells, lane);
        let (mut left, mut tries) = (CELLS, TRIES);
        while tries > 0 && !budget.is_spent() {
            let moves = moves(asked, &here, &mut random);
            left = left.checked_sub((moves.len() * program.steps.len()) as u64)?;
            self.lanes.run(program, moves.len(), |at, column| {
                column.fill(here.cells[at]);
                for (cell, moves) in column.iter_mut().zip(&moves) {
                    let moved = moves.iter().find(|(input, _)| *input == at);
                    *cell = moved.map_or(*cell, |(_, to)| *to);
                }
            });
            let lane = self.nearest(asked, moves.len());
            let mut cells = here.cells.clone();
            for (at, cell) in moves.get(lane)? {
                cells[*at] = *cell;
            }
            let there = self.place(asked, cells, lane);
            if there.cost == 0 {
                return Some(program.inputs.iter().copied().zip(there.cells).collect());
            }
            if there.cost < here.cost {
                (here, tries) = (there, TRIES);
            } else {
                tries -= 1;
            }
        }
        None
    }

    /// The lane that is nearest.
    fn nearest(&self, asked: &Asked<'_>, count: usize) -> usize {
        let cost = |lane: &usize| cost(asked, &self.lanes, *lane);
        (0..count).min_by_key(cost).unwrap_or(0)
    }

    /// What is known of a point that was evaluated in a lane.
    fn place(&self, asked: &Asked<'_>, cells: Vec<u64>, lane: usize) -> Place {
        let mut place = Place {
            cells,
            cost: 0,
            off: (u64::MAX, 1),
            inputs: Vec::new(),
        };
        for (number, constraint) in asked.constraints.iter().enumerate() {
            let off = distance(asked, &self.lanes, number, lane);
            if off == 0 {
                continue;
            }
            place.cost += rank(off);
            let (least, most) = place.off;
            place.off = (least.min(off), most.max(off));
            let inputs = asked.dag.inputs(constraint.expr).iter();
            let at = |input: &u32| asked.program.inputs.binary_search(input).ok();
            place.inputs.extend(inputs.filter_map(at));
        }
        place.inputs.sort_unstable();
        place.inputs.dedup();
        place.inputs.retain(|at| asked.domains[*at].count() > 1);
        place
    }
}

/// How far a lane is from satisfying all, all in all.
fn cost(asked: &Asked<'_>, lanes: &Lanes, lane: usize) -> u64 {
    let constraints = 0..asked.constraints.len();
    let off = constraints.map(|number| distance(asked, lanes, number, lane));
    off.map(rank).sum()
}

/// A distance among others: one condition that is far off is not all that counts. The logarithm, linear between powers of
/// two, so that it is the same on each machine.
fn rank(distance: u64) -> u64 {
    match distance.checked_ilog2() {
        None => 0,
        Some(bits) => {
            let rest = (u128::from(distance) << 16 >> bits) as u64 - (1 << 16);
            (u64::from(bits) + 1) << 16 | rest
        }
    }
}

/// Steps from a point: each input that has a say becomes something else, and several do at once.
fn moves(asked: &Asked<'_>, here: &Place, random: &mut Random) -> Vec<Moves> {
    let mut inputs = here.inputs.clone();
    let room = (WIDTH - MIXED) / VALUES;
    if inputs.len() > room {
        // Each time others.
        let first = random.next() as usize % inputs.len();
        inputs.rotate_left(first);
        inputs.truncate(room);
    }
    let mut all: Vec<Moves> = Vec::new();
    let mut each = Vec::with_capacity(inputs.len());
    for at in inputs {
        let from = all.len();
        let values = values(asked, here, at, random);
        all.extend(values.into_iter().map(|cell| vec![(at, cell)]));
        each.push(from..all.len());
    }
    each.retain(|own| !own.is_empty());
    for nth in 0..MIXED as u64 {
        let mut mixed = Moves::new();
        for own in &each {
            let random = random.next();
            if random.is_multiple_of(2 << (nth % 4)) {
                let number = own.start + (random >> 8) as usize % own.len();
                mixed.push(all[number][0]);
            }
        }
        all.push(mixed);
    }
    all
}

/// What an input can become: by what a condition lacks more or less, the least, the most, and anything.
fn values(asked: &Asked<'_>, here: &Place, at: usize, random: &mut Random) -> Vec<u64> {
    let (set, cell) = (asked.domains[at], here.cells[at]);
    let mask = match set.bounds() {
        Some((_, most)) if most <= greatest(ValType::I32) => greatest(ValType::I32),
        _ => u64::MAX,
    };
    let (near, far) = here.off;
    let by = [near, far, far / 2 + 1];
    let mut values: Vec<u64> = by
        .into_iter()
        .flat_map(|by| [cell.wrapping_add(by) & mask, cell.wrapping_sub(by) & mask])
        .collect();
    let count = u64::try_from(set.count()).unwrap_or(u64::MAX);
    values.extend(set.bounds().into_iter().flat_map(|(low, high)| [low, high]));
    values.extend(set.nth(random.next() % count));
    values.retain(|value| *value != cell && set.contains(*value));
    values.sort_unstable();
    values.dedup();
    values
}

/// How far a constraint is from holding in a lane: nothing if it holds.
fn distance(asked: &Asked<'_>, lanes: &Lanes, number: usize, lane: usize) -> u64 {
    let (constraint, step) = (&asked.constraints[number], asked.program.outputs[number]);
    let allowed = &constraint.allowed;
    let cell = lanes.column(step).get(lane).copied().unwrap_or(0);
    if allowed.contains(cell) {
        return 0;
    }
    let reading = Reading { asked, lanes, lane };
    match (allowed.contains(0), allowed.contains(1)) {
        (no, yes) if no != yes && reading.is_truth(step) => reading.until(step, yes, DEPTH),
        _ => to_set(cell, allowed),
    }
    .max(1)
}

/// How far a cell is from a set.
fn to_set(cell: u64, set: &Set) -> u64 {
    let intervals = set.intervals();
    let after = intervals.partition_point(|(low, _)| *low <= cell);
    let before = after.checked_sub(1).map(|at| intervals[at].1);
    let below = before.map(|high| cell.saturating_sub(high));
    let above = intervals.get(after).map(|(low, _)| low - cell);
    below.into_iter().chain(above).min().unwrap_or(u64::MAX)
}

/// What conditions come to in a lane.
struct Reading<'r> {
    asked: &'r Asked<'r>,
    lanes: &'r Lanes,
    lane: usize,
}

impl Reading<'_> {
    fn program(&self) -> &Compiled {
        self.asked.program
    }

    fn cell(&self, step: usize) -> u64 {
        self.lanes.column(step)[self.lane]
    }

    fn ty(&self, step: usize) -> ValType {
        self.asked.dag.ty(self.program().exprs[step])
    }

    fn is_truth(&self, step: usize) -> bool {
        self.asked.dag.greatest(self.program().exprs[step]) <= 1
    }

    /// How far a truth value is from being this one.
    fn until(&self, step: usize, wanted: bool, depth: usize) -> u64 {
        if (self.cell(step) != 0) == wanted {
            return 0;
        }
        let Some(depth) = depth.checked_sub(1) else {
            return 1;
        };
        let are_truths = |a: usize, b: usize| self.is_truth(a) && self.is_truth(b);
        match self.program().steps[step] {
            Step::Unary(N::I32Eqz | N::I64Eqz, a) => match (self.is_truth(a), wanted) {
                (true, _) => self.until(a, !wanted, depth),
                (false, true) => signed_of(self.ty(a), self.cell(a)).unsigned_abs(),
                (false, false) => 1,
            },
            Step::Binary(op @ (N::I32And | N::I32Or), a, b) if are_truths(a, b) => {
                let (a, b) = (self.until(a, wanted, depth), self.until(b, wanted, depth));
                match (op == N::I32And) == wanted {
                    true => a.saturating_add(b),
                    false => a.min(b),
                }
            }
            Step::Binary(op, a, b) => {
                between(op, self.ty(a), (self.cell(a), self.cell(b)), !wanted)
            }
            Step::Choose(condition, yes, no) if are_truths(yes, no) => {
                // An operand that is not chosen may still be brought there.
                let way = |takes: bool, to: usize| {
                    let chosen = match self.is_truth(condition) {
                        true => self.until(condition, takes, depth),
                        false => u64::from((self.cell(condition) != 0) != takes),
                    };
                    chosen.saturating_add(self.until(to, wanted, depth))
                };
                way(true, yes).min(way(false, no))
            }
            _ => 1,
        }
    }
}

/// How far two numbers are from a comparison coming out otherwise than it does.
fn between(op: N, ty: ValType, (a, b): (u64, u64), holds: bool) -> u64 {
    let apart = |is_signed: bool| match is_signed {
        true => signed_of(ty, a).abs_diff(signed_of(ty, b)),
        false => a.abs_diff(b),
    };
    match narrow(op) {
        // At equal numbers, these do not hold, and the others do.
        N::I32LtS | N::I32GtS => apart(true).saturating_add((!holds).into()),
        N::I32LtU | N::I32GtU => apart(false).saturating_add((!holds).into()),
        N::I32LeS | N::I32GeS => apart(true).saturating_add(holds.into()),
        N::I32LeU | N::I32GeU => apart(false).saturating_add(holds.into()),
        N::I32Eq | N::I32Ne => apart(true).max(1),
        N::F32Lt | N::F32Gt | N::F32Le | N::F32Ge | N::F32Eq => of_floats(ty, a, b),
        N::F64Lt | N::F64Gt | N::F64Le | N::F64Ge | N::F64Eq => of_floats(ty, a, b),
        _ => 1,
    }
}

/// How far floating-point numbers are apart: a whole number that grows with that, as far as it can be told.
fn of_floats(ty: ValType, a: u64, b: u64) -> u64 {
    // What is too large, or no number, becomes the greatest one.
    match (number(ty, a) - number(ty, b)).abs() * 65_536.0 {
        apart if apart.is_nan() => u64::MAX,
        apart => (apart as u64).saturating_add(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::Constraint;
    use crate::dag::{Dag, Expr};
    use crate::zone::{SIGNED, UNSIGNED};

    fn cell(number: i32) -> u64 {
        u64::from(number as u32)
    }

    /// What is asked of some inputs from 0 to 4095.
    fn climbed(dag: &Dag, count: usize, constraints: &[Constraint]) -> Option<Vec<(u32, u64)>> {
        let roots: Vec<Expr> = constraints
            .iter()
            .map(|constraint| constraint.expr)
            .collect();
        let program = Compiled::new(dag, &roots);
        let domain = Set::range(0, 4095);
        let asked = Asked {
            dag,
            program: &program,
            domains: &vec![&domain; count],
            constraints,
        };
        Decider::new(None).climb(&Budget::unlimited(), &asked, &[])
    }

    /// A program that adds readings above a threshold, takes something off for others, and ends when that is too much: so
    /// that it does at the last reading.
    #[test]
    fn a_sum_that_must_lie_between_two_numbers() {
        for count in [25_u32, 26, 30, 40] {
            let mut dag = Dag::default();
            let [bound, least, minus] =
                [100_000, 3000, -100].map(|number| dag.constant(ValType::I32, cell(number)));
            let mut sum = dag.constant(ValType::I32, 0);
            let mut constraints = Vec::new();
            for place in 0..count {
                let reading = dag.input(place, ValType::I32);
                let counts = dag.binary(N::I32GtS, reading, least);
                let more = dag.choose(counts, reading, minus);
                sum = dag.binary(N::I32Add, sum, more);
                let is_over = dag.binary(N::I32GtS, sum, bound);
                let ends = Set::single(u64::from(place + 1 == count));
                constraints.push(Constraint::new(is_over, ends));
            }
            // Before the 25th, it cannot be that much.
            constraints.retain(|constraint| dag.as_const(constraint.expr).is_none());
            let found = climbed(&dag, count as usize, &constraints).expect("there is a way");
            let mut sums = found.iter().scan(0, |sum, (_, reading)| {
                *sum += if *reading > 3000 {
                    *reading as i32
                } else {
                    -100
                };
                Some(*sum)
            });
            assert!(
                sums.by_ref()
                    .take(count as usize - 1)
                    .all(|sum| sum <= 100_000)
            );
            assert!(sums.next().is_some_and(|sum| sum > 100_000), "{count}");
        }
    }

    #[test]
    fn what_no_step_leads_to_is_not_found() {
        let mut dag = Dag::default();
        let [a, b] = [0, 1].map(|place| dag.input(place, ValType::I32));
        let sum = dag.binary(N::I32Add, a, b);
        let most = dag.constant(ValType::I32, 8191);
        let is_over = dag.binary(N::I32GtS, sum, most);
        assert_eq!(
            climbed(&dag, 2, &[Constraint::new(is_over, Set::single(1))]),
            None
        );
    }

    /// Changing a number by less than the distance changes nothing; by that much one way or the other, it does.
    #[test]
    fn a_distance_is_how_far_it_is() {
        for op in SIGNED.into_iter().chain(UNSIGNED) {
            for (a, b) in (100..108).flat_map(|a| (100..108).map(move |b| (a, b))) {
                let (a, b) = match op {
                    // Around zero, too.
                    op if SIGNED.contains(&op) => (a - 104, b - 104),
                    _ => (a, b),
                };
                let holds = |a: i32| op.apply(&[cell(a), cell(b)]) == Ok(1);
                let exact = (1..).find(|by| holds(a - by) != holds(a) || holds(a + by) != holds(a));
                let found = between(op, ValType::I32, (cell(a), cell(b)), holds(a));
                assert_eq!(exact.map(cell), Some(found), "{op:?} {a} {b}");
            }
        }
    }

    #[test]
    fn what_is_further_off_ranks_higher() {
        let mut all: Vec<u64> = (0..64)
            .flat_map(|bits| [1 << bits, (1 << bits) + (1 << bits) / 2])
            .collect();
        all.insert(0, 0);
        all.push(u64::MAX);
        all.dedup();
        let ranks: Vec<u64> = all.iter().map(|distance| rank(*distance)).collect();
        assert!(ranks.is_sorted_by(|a, b| a < b), "{ranks:?}");
    }
}
