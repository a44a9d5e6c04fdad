//! Cutting the space of all combinations into boxes until each is decided, or small enough to try all.

use std::cmp::Reverse;

use borges_vm::ValType;

use super::{
    BOXES, CELLS_FOR_ALL, CELLS_FOR_SOME, Decider, FEW, LEAF, input_type, judge, lane_holds,
};
use crate::budget::Budget;
use crate::constraint::{Constraint, Solution};
use crate::dag::Dag;
use crate::lanes::{Compiled, Step, WIDTH};
use crate::range::{self, Range};
use crate::set::{Set, combinations};

/// Inputs of a box that are tried for the next cut, the widest first.
const TRIED: usize = 8;

/// What is asked: for which values of these inputs all constraints hold.
pub(super) struct Asked<'q> {
    pub(super) dag: &'q Dag,
    pub(super) program: &'q Compiled,
    pub(super) domains: &'q [&'q Set],
    pub(super) constraints: &'q [Constraint],
}

/// Bounds of each input.
pub(super) type Cut = Vec<(u64, u64)>;

/// What is known of a question's inputs.
pub(super) struct Inputs {
    types: Vec<ValType>,
    /// The steps that depend on each, where that was asked.
    steps: Vec<Vec<usize>>,
    /// So many steps there are in all of these.
    listed: usize,
}

/// So many steps are listed, of all inputs together, and those of one more.
const LISTED: usize = 1 << 20;

impl Inputs {
    /// The steps that depend on an input, in order.
    fn steps(&mut self, program: &Compiled, at: usize) -> &[usize] {
        if self.steps[at].is_empty() {
            if self.listed > LISTED {
                self.listed = 0;
                self.steps.iter_mut().for_each(Vec::clear);
            }
            let mut depends = vec![false; program.steps.len()];
            for (number, step) in program.steps.iter().enumerate() {
                let mut is_one = matches!(step, Step::Input(input) if *input == at);
                step.operands(|operand| is_one |= depends[operand]);
                depends[number] = is_one;
            }
            let steps = (0..depends.len()).filter(|number| depends[*number]);
            self.steps[at].extend(steps);
            self.listed += self.steps[at].len();
        }
        &self.steps[at]
    }
}

impl Asked<'_> {
    /// Its inputs.
    pub(super) fn inputs(&self) -> Inputs {
        let places = self.program.inputs.iter();
        Inputs {
            types: places
                .map(|place| input_type(self.dag, self.program, *place))
                .collect(),
            steps: vec![Vec::new(); self.program.inputs.len()],
            listed: 0,
        }
    }

    /// The box of all combinations, if there are any.
    pub(super) fn first(&self) -> Option<Cut> {
        self.domains.iter().map(|set| set.bounds()).collect()
    }

    /// Any point of a box that lies in the domains.
    fn point_in(&self, cut: &[(u64, u64)]) -> Option<Vec<(u32, u64)>> {
        let inputs = self.program.inputs.iter().zip(self.domains).zip(cut);
        let values = inputs.map(|((place, domain), (low, high))| {
            let part = domain.intersect(&Set::range(*low, *high));
            part.bounds().map(|(least, _)| (*place, least))
        });
        values.collect()
    }

    /// The steps on which the constraints depend that are not decided with these bounds.
    fn undecided(&self, ranges: &[Range]) -> Vec<bool> {
        let steps = &self.program.steps;
        let mut needed = vec![false; steps.len()];
        for (constraint, output) in self.constraints.iter().zip(&self.program.outputs) {
            let decided = range::decide(
                self.dag.ty(constraint.expr),
                ranges[*output],
                &constraint.allowed,
            );
            needed[*output] |= decided.is_none();
        }
        for (number, step) in steps.iter().enumerate().rev() {
            if needed[number] {
                step.operands(|operand| needed[operand] = true);
            }
        }
        needed
    }

    /// The inputs among some steps.
    fn inputs_of(&self, needed: &[bool]) -> Vec<usize> {
        let steps = self.program.steps.iter().zip(needed);
        let inputs = steps.filter_map(|(step, is_needed)| match step {
            Step::Input(at) if *is_needed => Some(*at),
            _ => None,
        });
        inputs.collect()
    }

    /// Whether no point of a box lies in the domains.
    pub(super) fn is_outside(&self, cut: &[(u64, u64)]) -> bool {
        let mut parts = self.domains.iter().zip(cut);
        parts.any(|(domain, part)| !domain.touches(part.0, part.1))
    }
}

impl Decider {
    /// Values with which all constraints hold, or that there are none; nothing if it takes too long, or more boxes than so
    /// many.
    pub(super) fn search(
        &mut self,
        budget: &Budget<'_>,
        asked: &Asked<'_>,
        most: u64,
    ) -> Option<Solution> {
        let Asked { dag, program, .. } = asked;
        let combinations = combinations(asked.domains.iter().copied());
        let is_of_base = program.inputs.iter().any(|place| *place < dag.bases());
        let (mut cells, mut boxes) = match combinations <= FEW {
            true => (CELLS_FOR_ALL, u64::MAX),
            // What a clock shows goes round: boxes rarely tell.
            false if is_of_base => (CELLS_FOR_SOME, BOXES / 100),
            false => (CELLS_FOR_SOME, BOXES),
        };
        boxes = boxes.min(most);
        let mut inputs = asked.inputs();
        let mut stack = vec![asked.first()?];
        while let Some(cut) = stack.pop() {
            if budget.is_spent() {
                return None;
            }
            if asked.is_outside(&cut) {
                continue;
            }
            let size = size_of(&cut);
            if size <= u128::from(LEAF) {
                let count = size as usize;
                cells = cells.checked_sub((count * program.steps.len()) as u64)?;
                if let Some(values) = self.try_all(asked, &cut, count) {
                    return Some(Solution::Yes(values));
                }
                continue;
            }
            boxes = boxes.checked_sub(1)?;
            match self.look(asked, &inputs, &cut) {
                Some(true) => {
                    if let Some(values) = asked.point_in(&cut) {
                        return Some(Solution::Yes(values));
                    }
                }
                Some(false) => {}
                None => {
                    let at = self.best_cut(asked, &mut inputs, &cut, &mut boxes);
                    let (lower, upper) = halves(&cut, at);
                    stack.extend([upper, lower]);
                }
            }
        }
        Some(Solution::No)
    }

    /// Whether all of a box satisfies all constraints, or none of it does, if that is certain. Afterwards
    /// [`Decider::ranges`] are those of its values.
    pub(super) fn look(
        &mut self,
        asked: &Asked<'_>,
        inputs: &Inputs,
        cut: &[(u64, u64)],
    ) -> Option<bool> {
        let Asked { dag, program, .. } = asked;
        range::evaluate(
            dag,
            program,
            |at| range::of_cells(inputs.types[at], cut[at].0, cut[at].1),
            &mut self.ranges,
        );
        judge(dag, program, asked.constraints, &self.ranges)
    }

    /// The input to cut a box at that was looked at and is not decided: the one whose halves leave the least open of what
    /// the undecided constraints depend on. Cutting the widest would cut inputs that have no say in what is to be refuted.
    pub(super) fn best_cut(
        &mut self,
        asked: &Asked<'_>,
        inputs: &mut Inputs,
        cut: &[(u64, u64)],
        boxes: &mut u64,
    ) -> usize {
        let width = |at: &usize| cut[*at].1 - cut[*at].0;
        let needed = asked.undecided(&self.ranges);
        let mut open: Vec<usize> = asked.inputs_of(&needed);
        open.retain(|at| width(at) > 0);
        if open.is_empty() {
            // Bounds cannot tell even where all values are known.
            open.extend((0..cut.len()).filter(|at| width(at) > 0));
        }
        open.sort_by_key(|at| (Reverse(width(at)), *at));
        let tried = &open[..open.len().min(TRIED)];
        if let [only] = tried {
            return *only;
        }
        *boxes = boxes.saturating_sub(2 * tried.len() as u64);
        let ranges = self.ranges.iter().zip(&needed);
        let ranges = ranges.filter(|(_, is_needed)| **is_needed);
        let bits = ranges.map(|(range, _)| u64::from(range.open_bits())).sum();
        let best = tried.iter().copied().min_by_key(|at| {
            let ty = inputs.types[*at];
            let steps = inputs.steps(asked.program, *at).iter().copied();
            let steps: Vec<usize> = steps.filter(|number| needed[*number]).collect();
            let (low, high) = cut[*at];
            let middle = middle(low, high);
            let lower = self.open_in(asked, &steps, bits, range::of_cells(ty, low, middle));
            let upper = self.open_in(asked, &steps, bits, range::of_cells(ty, middle + 1, high));
            lower + upper
        });
        best.unwrap_or(0)
    }

    /// How much is open of what is needed where one input of the box that was looked at has these bounds, and so many bits
    /// are in all of it: only the steps that depend on that input are looked at again.
    fn open_in(&mut self, asked: &Asked<'_>, steps: &[usize], bits: u64, input: Range) -> u64 {
        let Asked { dag, program, .. } = asked;
        let open = |range: &Range| u64::from(range.open_bits());
        let before: Vec<Range> = steps.iter().map(|number| self.ranges[*number]).collect();
        for number in steps {
            self.ranges[*number] = range::of_step(dag, program, *number, |_| input, &self.ranges);
        }
        let is_decided = judge(dag, program, asked.constraints, &self.ranges).is_some();
        let mut left = bits;
        for (number, before) in steps.iter().zip(before) {
            let range = std::mem::replace(&mut self.ranges[*number], before);
            left = left - open(&before) + open(&range);
        }
        if is_decided { 0 } else { left }
    }

    /// A point of a box, of so many, that satisfies all constraints.
    fn try_all(
        &mut self,
        asked: &Asked<'_>,
        cut: &[(u64, u64)],
        count: usize,
    ) -> Option<Vec<(u32, u64)>> {
        let mut found = None;
        self.satisfying(asked, cut, count, |value| {
            let places = asked.program.inputs.iter().enumerate();
            found = Some(places.map(|(at, place)| (*place, value(at))).collect());
            false
        });
        found
    }

    /// Tells of each point of a box, of so many, that satisfies all constraints, while `each` says to go on: what the inputs
    /// are there.
    pub(super) fn satisfying(
        &mut self,
        asked: &Asked<'_>,
        cut: &[(u64, u64)],
        count: usize,
        mut each: impl FnMut(&dyn Fn(usize) -> u64) -> bool,
    ) {
        let Asked {
            program,
            domains,
            constraints,
            ..
        } = asked;
        let value = |at: usize, mut lane: u64| {
            for (low, high) in cut.iter().take(at) {
                lane /= high - low + 1;
            }
            let (low, high) = cut[at];
            low + lane % (high - low + 1)
        };
        for from in (0..count).step_by(WIDTH) {
            let width = WIDTH.min(count - from);
            self.lanes.run(program, width, |at, column| {
                for (cell, lane) in column.iter_mut().zip(from as u64..) {
                    *cell = value(at, lane);
                }
            });
            for lane in 0..width {
                let here = |at: usize| value(at, (from + lane) as u64);
                let mut inside = domains.iter().enumerate();
                if lane_holds(&self.lanes, program, constraints, lane)
                    && inside.all(|(at, set)| set.contains(here(at)))
                    && !each(&here)
                {
                    return;
                }
            }
        }
    }
}

/// How many points a box has.
pub(super) fn size_of(cut: &[(u64, u64)]) -> u128 {
    let sides = cut.iter().map(|(low, high)| u128::from(high - low) + 1);
    sides.fold(1, u128::saturating_mul)
}

/// The two halves of a box at an input that has at least two values.
pub(super) fn halves(cut: &[(u64, u64)], at: usize) -> (Cut, Cut) {
    let (low, high) = cut[at];
    let middle = middle(low, high);
    let (mut lower, mut upper) = (cut.to_vec(), cut.to_vec());
    lower[at] = (low, middle);
    upper[at] = (middle + 1, high);
    (lower, upper)
}

/// Where bounds are halved: the last value of the lower half.
fn middle(low: u64, high: u64) -> u64 {
    low + (high - low) / 2
}
