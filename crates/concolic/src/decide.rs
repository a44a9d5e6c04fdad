//! Whether conditions can hold: exact sets of values first, a solver for the rest.

use borges_vm::ValType;

use crate::budget::Budget;
use crate::constraint::{Constraint, NO_TIME, Solution};
use crate::dag::{Dag, Expr, Node};
use crate::lanes::{Compiled, Lanes, Point, WIDTH};
use crate::random::Random;
use crate::range::{self, Range};
use crate::set::Set;
use crate::solver::{Query, Solver, SolverInput};
use crate::zone::Zone;
use memo::Memo;
use search::Asked;

mod climb;
mod memo;
mod narrow;
mod search;

/// What deciding has cost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Effort {
    /// Questions answered by evaluation.
    pub evaluated: u64,
    /// Questions that were answered before.
    pub reused: u64,
    /// Questions put to a solver.
    pub solver_queries: u64,
    /// Questions that nobody could answer.
    pub unknown: u64,
}

impl Effort {
    /// What was done since it was so much.
    pub(crate) fn since(self, before: Self) -> Self {
        Effort {
            evaluated: self.evaluated - before.evaluated,
            reused: self.reused - before.reused,
            solver_queries: self.solver_queries - before.solver_queries,
            unknown: self.unknown - before.unknown,
        }
    }

    /// Both.
    pub(crate) fn plus(self, other: Self) -> Self {
        Effort {
            evaluated: self.evaluated + other.evaluated,
            reused: self.reused + other.reused,
            solver_queries: self.solver_queries + other.solver_queries,
            unknown: self.unknown + other.unknown,
        }
    }
}

/// Sets larger than this are not enumerated but cut into intervals.
const ENUMERATED: u128 = 1 << 16;
/// Leaves of the search: so many points are evaluated rather than cut further.
const LEAF: u64 = 2048;
/// How many intervals a set may come to have.
const MOST_INTERVALS: usize = 1 << 15;
/// Cells computed for one question, if all combinations are few enough to try them all.
const CELLS_FOR_ALL: u64 = 1 << 31;
/// Cells computed for one question otherwise.
const CELLS_FOR_SOME: u64 = 1 << 26;
/// Combinations that are few enough to try them all.
const FEW: u128 = 1 << 24;
/// Boxes looked at for one question.
const BOXES: u64 = 100_000;

/// A question: the domains of its inputs in order of their places, and the constraints.
type Question = (Vec<(u32, Set)>, Vec<Constraint>);

/// What a set is cut down by: constraints, and what the other inputs in them answer, by place.
type Narrowing = (Set, Vec<Constraint>, Vec<(u32, u64)>);

/// Answers whether constraints can hold.
pub struct Decider {
    /// What answers the questions that are left; `None`: nobody.
    pub solver: Option<Box<dyn Solver>>,
    /// What it cost.
    pub effort: Effort,
    lanes: Lanes,
    point: Point,
    ranges: Vec<Range>,
    refined: Memo<Narrowing, Option<Set>>,
    answered: Memo<Question, Solution>,
}

impl Decider {
    /// A decider with a solver, or none.
    #[must_use]
    pub fn new(solver: Option<Box<dyn Solver>>) -> Self {
        Decider {
            solver,
            effort: Effort::default(),
            lanes: Lanes::default(),
            point: Point::default(),
            ranges: Vec::new(),
            refined: Memo::new(),
            answered: Memo::new(),
        }
    }

    /// Another one with a solver, or none, for questions about the same expressions: what either has answered, both know.
    pub(crate) fn beside(&self, solver: Option<Box<dyn Solver>>) -> Self {
        Decider {
            refined: self.refined.shared(),
            answered: self.answered.shared(),
            ..Decider::new(solver)
        }
    }

    /// The values of the input at `place` for which all constraints hold, exactly; the other inputs are `fixed`, by
    /// place. `None` if it takes too long.
    pub(crate) fn refine(
        &mut self,
        budget: &Budget<'_>,
        dag: &Dag,
        place: u32,
        domain: &Set,
        constraints: &[Constraint],
        fixed: &[u64],
    ) -> Option<Set> {
        if constraints.is_empty() || domain.is_empty() {
            return Some(domain.clone());
        }
        let inputs = constraints
            .iter()
            .flat_map(|constraint| dag.inputs(constraint.expr).iter());
        let others = inputs.filter(|input| **input != place);
        let cell = |input: u32| fixed.get(input as usize).copied().unwrap_or(0);
        let others = others.map(|input| (*input, cell(*input))).collect();
        let key = (domain.clone(), constraints.to_vec(), others);
        if let Some(found) = self.refined.answer(&key) {
            self.effort.reused += 1;
            return found;
        }
        if budget.is_spent() {
            return None;
        }
        self.effort.evaluated += 1;
        let found = self.refine_anew(budget, dag, place, domain, constraints, fixed);
        if found.is_some() || !budget.is_spent() {
            self.refined.keep(key, found.clone());
        }
        found
    }

    fn refine_anew(
        &mut self,
        budget: &Budget<'_>,
        dag: &Dag,
        place: u32,
        domain: &Set,
        constraints: &[Constraint],
        fixed: &[u64],
    ) -> Option<Set> {
        let roots: Vec<Expr> = constraints.iter().map(|c| c.expr).collect();
        let program = Compiled::new(dag, &roots);
        let ty = input_type(dag, &program, place);
        // No input but this one is left in it.
        let program = program.knowing(|at| {
            let other = Some(program.inputs[at]).filter(|other| *other != place);
            other.map(|other| fixed.get(other as usize).copied().unwrap_or(0))
        });
        // Counted once: that takes a look at each interval.
        let is_enumerated = domain.count() <= ENUMERATED;
        let mut cells = if is_enumerated {
            u64::MAX
        } else {
            CELLS_FOR_SOME
        };
        let mut boxes = BOXES;
        let mut kept: Vec<(u64, u64)> = Vec::new();
        let mut stack: Vec<(u64, u64)> = domain.intervals().iter().rev().copied().collect();
        while let Some((low, high)) = stack.pop() {
            if budget.is_spent() {
                return None;
            }
            if high - low < LEAF {
                let count = (high - low + 1) as usize;
                for from in (0..count).step_by(WIDTH) {
                    let width = WIDTH.min(count - from);
                    let start = low + from as u64;
                    self.lanes.run(&program, width, |_, column| {
                        column.iter_mut().zip(start..).for_each(|(c, v)| *c = v);
                    });
                    keep_lanes(
                        &self.lanes,
                        &program,
                        constraints,
                        (start, width),
                        &mut kept,
                    );
                }
                let cost = (count * program.steps.len()) as u64;
                cells = cells.checked_sub(cost)?;
            } else {
                boxes = boxes.checked_sub(1)?;
                let input = range::of_cells(ty, low, high);
                range::evaluate(dag, &program, |_| input, &mut self.ranges);
                match judge(dag, &program, constraints, &self.ranges) {
                    Some(true) => push(&mut kept, low, high),
                    Some(false) => {}
                    None => {
                        let middle = low + (high - low) / 2;
                        stack.extend([(middle + 1, high), (low, middle)]);
                    }
                }
            }
            if kept.len() > MOST_INTERVALS && !is_enumerated {
                return None;
            }
        }
        Some(Set::of(kept))
    }

    /// Whether the given answers satisfy those constraints whose inputs are `relevant`.
    pub(crate) fn holds(
        &mut self,
        dag: &Dag,
        answers: &[u64],
        relevant: impl Fn(&[u32]) -> bool,
        constraints: &[Constraint],
    ) -> bool {
        self.point.reset(dag);
        constraints.iter().all(|constraint| {
            !relevant(dag.inputs(constraint.expr))
                || constraint
                    .allowed
                    .contains(self.point.eval(dag, constraint.expr, answers))
        })
    }

    /// Whether values of these inputs satisfy all constraints, which depend on no others. `hint` is tried first.
    pub(crate) fn solve(
        &mut self,
        budget: &Budget<'_>,
        dag: &Dag,
        variables: &[(u32, Set)],
        constraints: &[Constraint],
        hint: &[u64],
    ) -> Solution {
        if variables.iter().any(|(_, domain)| domain.is_empty()) {
            return Solution::No;
        }
        let question = (variables.to_vec(), constraints.to_vec());
        if let Some(answer) = self.answered.answer(&question) {
            self.effort.reused += 1;
            return answer;
        }
        if budget.is_spent() {
            return Solution::Unknown(NO_TIME.into());
        }
        let answer = self.solve_anew(budget, dag, variables, constraints, hint);
        // Another time there may be a solver, or time.
        let is_final = self.solver.is_some() && !budget.is_spent();
        if is_final || !matches!(answer, Solution::Unknown(_)) {
            self.answered.keep(question, answer.clone());
        }
        answer
    }

    fn solve_anew(
        &mut self,
        budget: &Budget<'_>,
        dag: &Dag,
        variables: &[(u32, Set)],
        constraints: &[Constraint],
        hint: &[u64],
    ) -> Solution {
        let roots: Vec<Expr> = constraints.iter().map(|c| c.expr).collect();
        let program = Compiled::new(dag, &roots);
        let domains: Vec<&Set> = program
            .inputs
            .iter()
            .map(|place| {
                let found = variables.iter().find(|(at, _)| at == place);
                &found
                    .expect("constraints depend on the given inputs only")
                    .1
            })
            .collect();
        self.effort.evaluated += 1;
        // How much time passes is best as little as it can be; other values are better simple.
        let are_times = dag.bases() > 0;
        let differing = || by_differences(dag, &program, &domains, constraints);
        if let Some(answer) = are_times.then(differing).flatten() {
            return answer;
        }
        let short = match domains.iter().any(|domain| domain.only().is_some()) {
            true => Some(program.knowing(|at| domains[at].only())),
            false => None,
        };
        let short = short.as_ref().unwrap_or(&program);
        if let Some(values) = self.guess(short, &domains, constraints, hint) {
            return Solution::Yes(values);
        }
        if let Some(answer) = (!are_times).then(differing).flatten() {
            return answer;
        }
        let asked = Asked {
            dag,
            program: short,
            domains: &domains,
            constraints,
        };
        let narrowed = match self.search_narrowing(budget, &asked, hint) {
            Ok(answer) => return answer,
            Err(narrowed) => narrowed,
        };
        let domains = narrowed
            .as_ref()
            .map_or(domains, |domains| domains.iter().collect());
        if budget.is_spent() {
            self.effort.unknown += 1;
            return Solution::Unknown(NO_TIME.into());
        }
        self.by_solver(budget, dag, &program, &domains, constraints)
    }

    /// What a solver says, if there is one.
    fn by_solver(
        &mut self,
        budget: &Budget<'_>,
        dag: &Dag,
        program: &Compiled,
        domains: &[&Set],
        constraints: &[Constraint],
    ) -> Solution {
        let Some(solver) = &mut self.solver else {
            self.effort.unknown += 1;
            return Solution::Unknown(NO_SOLVER.into());
        };
        self.effort.solver_queries += 1;
        let variables: Vec<SolverInput<'_>> = program
            .inputs
            .iter()
            .zip(domains)
            .map(|(place, domain)| SolverInput {
                place: *place,
                ty: input_type(dag, program, *place),
                domain,
            })
            .collect();
        let query = Query {
            dag,
            variables: &variables,
            constraints,
        };
        let answer = solver.check(&query, budget);
        match answer {
            // A solver is believed only if evaluation agrees.
            Solution::Yes(values) => {
                let cell = |at: usize| {
                    let place = program.inputs[at];
                    values.iter().find(|(p, _)| *p == place).map_or(0, |v| v.1)
                };
                let columns: Vec<u64> = (0..program.inputs.len()).map(cell).collect();
                let inside = columns.iter().zip(domains).all(|(v, set)| set.contains(*v));
                self.lanes
                    .run(program, 1, |at, column| column.fill(columns[at]));
                if inside && lane_holds(&self.lanes, program, constraints, 0) {
                    return Solution::Yes(program.inputs.iter().copied().zip(columns).collect());
                }
                self.effort.unknown += 1;
                Solution::Unknown("the solver's answer does not hold when it is evaluated".into())
            }
            Solution::Unknown(reason) => {
                self.effort.unknown += 1;
                Solution::Unknown(reason)
            }
            Solution::No => Solution::No,
        }
    }

    /// Tries points, a few of them first.
    fn guess(
        &mut self,
        program: &Compiled,
        domains: &[&Set],
        constraints: &[Constraint],
        hint: &[u64],
    ) -> Option<Vec<(u32, u64)>> {
        // An answer does not depend on what was asked before, and so not on who asks.
        let mut random = Random::from_seed(0);
        for count in [FIRST_GUESSES, GUESSES] {
            let columns = points(program, domains, hint, count, &mut random)?;
            self.run_points(program, &columns);
            let holds = |lane: &usize| lane_holds(&self.lanes, program, constraints, *lane);
            if let Some(lane) = (0..count).find(holds) {
                let columns = program.inputs.iter().zip(&columns);
                return Some(
                    columns
                        .map(|(place, column)| (*place, column[lane]))
                        .collect(),
                );
            }
        }
        None
    }

    /// Evaluates points, given by inputs.
    fn run_points(&mut self, program: &Compiled, columns: &[Vec<u64>]) {
        let count = columns.first().map_or(1, Vec::len);
        self.lanes.run(program, count, |at, column| {
            column.copy_from_slice(&columns[at]);
        });
    }
}

/// So many points, by inputs: the hint, corners and random ones.
fn points(
    program: &Compiled,
    domains: &[&Set],
    hint: &[u64],
    count: usize,
    random: &mut Random,
) -> Option<Vec<Vec<u64>>> {
    let column = |(place, domain): (&u32, &&Set)| {
        let values = u64::try_from(domain.count()).unwrap_or(u64::MAX);
        let (least, most) = domain.bounds()?;
        let hinted = hint.get(*place as usize).copied();
        let hinted = hinted
            .filter(|cell| domain.contains(*cell))
            .unwrap_or(least);
        let cell = |lane: usize| {
            let random = random.next();
            match (lane, random % 8) {
                (0, _) => Some(hinted),
                (_, 0) => Some(least),
                (_, 1) => Some(most),
                (_, 2 | 3) => Some(hinted),
                (_, 4) => domain.nth((random >> 8) % values.min(16)),
                _ => domain.nth((random >> 3) % values),
            }
        };
        (0..count).map(cell).collect()
    };
    program.inputs.iter().zip(domains).map(column).collect()
}

/// What is said when there is no solver.
pub(crate) const NO_SOLVER: &str = "too many combinations to try all, and no solver is there: build with the feature \
    'z3' (needs libz3-dev), or put bitwuzla, cvc5 or z3 on the path";

/// Conditions that bound nothing but differences of inputs are decided at once.
fn by_differences(
    dag: &Dag,
    program: &Compiled,
    domains: &[&Set],
    constraints: &[Constraint],
) -> Option<Solution> {
    if !(2..=MOST_DIFFERING).contains(&domains.len()) {
        return None;
    }
    let inputs = program.inputs.iter().zip(domains);
    let inputs: Vec<(u32, ValType, &Set)> = inputs
        .map(|(place, domain)| (*place, input_type(dag, program, *place), *domain))
        .collect();
    let zone = Zone::of(dag, &inputs, constraints)?;
    Some(zone.least_of_each().map_or(Solution::No, Solution::Yes))
}

/// So many inputs at most are decided by their differences: each condition takes the square of their number.
const MOST_DIFFERING: usize = 256;

/// Points that are tried before anything else: these soon answer most of what has an answer.
const FIRST_GUESSES: usize = 32;
/// Points that are tried then.
const GUESSES: usize = 480;

/// The type of an input of a program.
fn input_type(dag: &Dag, program: &Compiled, place: u32) -> ValType {
    let found = program
        .exprs
        .iter()
        .find(|expr| dag.node(**expr) == Node::Input(place));
    found.map_or(ValType::I32, |expr| dag.ty(*expr))
}

/// Whether a lane satisfies all constraints.
fn lane_holds(lanes: &Lanes, program: &Compiled, constraints: &[Constraint], lane: usize) -> bool {
    constraints
        .iter()
        .zip(&program.outputs)
        .all(|(constraint, output)| {
            let cell = lanes.column(*output).get(lane);
            cell.is_some_and(|cell| constraint.allowed.contains(*cell))
        })
}

/// Keeps the values, counted from `start`, whose lanes satisfy all constraints.
fn keep_lanes(
    lanes: &Lanes,
    program: &Compiled,
    constraints: &[Constraint],
    (start, width): (u64, usize),
    kept: &mut Vec<(u64, u64)>,
) {
    for lane in 0..width {
        if lane_holds(lanes, program, constraints, lane) {
            let value = start + lane as u64;
            push(kept, value, value);
        }
    }
}

/// Adds an interval that lies behind all others.
fn push(kept: &mut Vec<(u64, u64)>, low: u64, high: u64) {
    match kept.last_mut() {
        Some((_, end)) if end.checked_add(1) == Some(low) => *end = high,
        _ => kept.push((low, high)),
    }
}

/// Whether all points of a box satisfy all constraints, or none does, if that is certain.
fn judge(
    dag: &Dag,
    program: &Compiled,
    constraints: &[Constraint],
    ranges: &[Range],
) -> Option<bool> {
    let mut all = true;
    for (constraint, output) in constraints.iter().zip(&program.outputs) {
        let ty = dag.ty(constraint.expr);
        match range::decide(ty, ranges[*output], &constraint.allowed) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = false,
        }
    }
    all.then_some(true)
}

#[cfg(test)]
mod tests;
