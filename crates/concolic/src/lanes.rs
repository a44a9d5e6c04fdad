//! Evaluates expressions for many inputs at once.
//!
//! What an instruction computes is [`borges_vm::num`]'s business; here it is applied to columns of cells.

use std::sync::Arc;

use borges_vm::num::{self, Number, NumericOp};
use borges_vm::numeric_ops;
use hashbrown::HashMap;

use crate::dag::{Dag, Expr, Node};

/// One value of the program.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Const(u64),
    /// A column of [`Compiled::inputs`].
    Input(usize),
    Unary(NumericOp, usize),
    Binary(NumericOp, usize, usize),
    Choose(usize, usize, usize),
    /// Values of consecutive indices from the first on, and the index.
    Lookup(u64, Arc<[usize]>, usize),
}

impl Step {
    /// Tells of each step that this one depends on.
    pub(crate) fn operands(&self, mut each: impl FnMut(usize)) {
        match self {
            Step::Const(_) | Step::Input(_) => {}
            Step::Unary(_, a) => each(*a),
            Step::Binary(_, a, b) => [a, b].into_iter().for_each(|at| each(*at)),
            Step::Choose(a, b, c) => [a, b, c].into_iter().for_each(|at| each(*at)),
            Step::Lookup(_, values, index) => values.iter().chain([index]).for_each(|at| each(*at)),
        }
    }
}

/// Expressions, ready to be evaluated again and again.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub(crate) steps: Vec<Step>,
    /// The expression of every step.
    pub(crate) exprs: Vec<Expr>,
    /// The places of the inputs, in order.
    pub(crate) inputs: Vec<u32>,
    /// The steps of the expressions that were asked for.
    pub(crate) outputs: Vec<usize>,
}

impl Compiled {
    pub(crate) fn new(dag: &Dag, roots: &[Expr]) -> Self {
        let cone = dag.cone(roots);
        let number: HashMap<Expr, usize> = cone.iter().copied().zip(0..).collect();
        let at = |expr: &Expr| number.get(expr).copied().unwrap_or(0);
        let mut inputs: Vec<u32> = cone
            .iter()
            .filter_map(|expr| match dag.node(*expr) {
                Node::Input(place) => Some(place),
                _ => None,
            })
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        let steps = cone.iter().map(|expr| match dag.node(*expr) {
            Node::Const(cell) => Step::Const(cell),
            Node::Input(place) => Step::Input(inputs.binary_search(&place).unwrap_or(0)),
            Node::Unary(op, a) => Step::Unary(op, at(&a)),
            Node::Binary(op, a, b) => Step::Binary(op, at(&a), at(&b)),
            Node::Choose(a, b, c) => Step::Choose(at(&a), at(&b), at(&c)),
            Node::Lookup(table, index) => {
                let table = dag.table(table);
                let values = table.values.iter().map(at).collect();
                Step::Lookup(table.first, values, at(&index))
            }
        });
        let steps = steps.collect();
        let outputs = roots.iter().map(at).collect();
        Compiled {
            steps,
            exprs: cone,
            inputs,
            outputs,
        }
    }
}

impl Compiled {
    /// The same where some inputs are known: what follows from these alone is computed once, and what has no say is left
    /// out. The inputs are counted as before.
    pub(crate) fn knowing(&self, known: impl Fn(usize) -> Option<u64>) -> Self {
        let mut values: Vec<Option<u64>> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let of = |at: &usize| values[*at];
            values.push(match step {
                Step::Const(cell) => Some(*cell),
                Step::Input(at) => known(*at),
                Step::Unary(op, a) => of(a).map(|a| op.apply(&[a]).unwrap_or(0)),
                Step::Binary(op, a, b) => {
                    let cells = of(a).zip(of(b));
                    cells.map(|(a, b)| op.apply(&[a, b]).unwrap_or(0))
                }
                Step::Choose(a, b, c) => of(a).and_then(|a| of(if a != 0 { b } else { c })),
                Step::Lookup(first, values, index) => of(index).and_then(|index| {
                    let chosen = values.get(index.wrapping_sub(*first) as usize);
                    chosen.map_or(Some(0), of)
                }),
            });
        }
        let mut needed = vec![false; self.steps.len()];
        for output in &self.outputs {
            needed[*output] = true;
        }
        for (number, step) in self.steps.iter().enumerate().rev() {
            if needed[number] && values[number].is_none() {
                step.operands(|operand| needed[operand] = true);
            }
        }
        let mut numbers = vec![0; self.steps.len()];
        let (mut steps, mut exprs) = (Vec::new(), Vec::new());
        for number in (0..needed.len()).filter(|number| needed[*number]) {
            let at = |old: &usize| numbers[*old];
            let step = match (values[number], &self.steps[number]) {
                (Some(cell), _) => Step::Const(cell),
                (None, Step::Unary(op, a)) => Step::Unary(*op, at(a)),
                (None, Step::Binary(op, a, b)) => Step::Binary(*op, at(a), at(b)),
                (None, Step::Choose(a, b, c)) => Step::Choose(at(a), at(b), at(c)),
                (None, Step::Lookup(first, values, index)) => {
                    Step::Lookup(*first, values.iter().map(at).collect(), at(index))
                }
                (None, other) => other.clone(),
            };
            numbers[number] = steps.len();
            steps.push(step);
            exprs.push(self.exprs[number]);
        }
        Compiled {
            steps,
            exprs,
            inputs: self.inputs.clone(),
            outputs: self.outputs.iter().map(|output| numbers[*output]).collect(),
        }
    }
}

/// Columns of values, kept to save allocations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes {
    columns: Vec<Vec<u64>>,
}

/// Cells evaluated at once: the columns of a small program stay in the processor's cache.
pub(crate) const WIDTH: usize = 1024;

impl Lanes {
    /// Evaluates all steps for `count` lanes (at most [`WIDTH`]); `input` fills the column of an input.
    pub(crate) fn run(
        &mut self,
        program: &Compiled,
        count: usize,
        mut input: impl FnMut(usize, &mut [u64]),
    ) {
        if self.columns.len() < program.steps.len() {
            self.columns.resize_with(program.steps.len(), Vec::new);
        }
        for (number, step) in program.steps.iter().enumerate() {
            let (before, rest) = self.columns.split_at_mut(number);
            let Some(out) = rest.first_mut() else {
                return;
            };
            out.resize(WIDTH.max(count), 0);
            let out = &mut out[..count];
            let column = |at: usize| &before[at][..count];
            match step {
                Step::Const(cell) => out.fill(*cell),
                Step::Input(at) => input(*at, out),
                Step::Unary(op, a) => apply(*op, column(*a), column(*a), out),
                Step::Binary(op, a, b) => apply(*op, column(*a), column(*b), out),
                Step::Choose(a, b, c) => {
                    let (condition, yes, no) = (column(*a), column(*b), column(*c));
                    for lane in 0..count {
                        out[lane] = if condition[lane] != 0 {
                            yes[lane]
                        } else {
                            no[lane]
                        };
                    }
                }
                Step::Lookup(first, values, index) => {
                    let index = column(*index);
                    for lane in 0..count {
                        let at = index[lane].wrapping_sub(*first) as usize;
                        out[lane] = values.get(at).map_or(0, |value| before[*value][lane]);
                    }
                }
            }
        }
    }

    /// The column of a step after [`Lanes::run`].
    pub(crate) fn column(&self, step: usize) -> &[u64] {
        self.columns.get(step).map_or(&[], Vec::as_slice)
    }
}

macro_rules! lane {
    (total $function:ident ($a:ident) $result:ident $left:ident $right:ident $out:ident) => {{
        for (out, a) in $out.iter_mut().zip($left) {
            let result = num::$function(<$a as Number>::from_cell(*a));
            *out = <$result as Number>::to_cell(result);
        }
    }};
    (traps $function:ident ($a:ident) $result:ident $left:ident $right:ident $out:ident) => {{
        for (out, a) in $out.iter_mut().zip($left) {
            let result = num::$function(<$a as Number>::from_cell(*a));
            *out = result.map_or(0, <$result as Number>::to_cell);
        }
    }};
    (total $function:ident ($a:ident, $b:ident) $result:ident $left:ident $right:ident $out:ident) => {{
        for ((out, a), b) in $out.iter_mut().zip($left).zip($right) {
            let (a, b) = (<$a as Number>::from_cell(*a), <$b as Number>::from_cell(*b));
            *out = <$result as Number>::to_cell(num::$function(a, b));
        }
    }};
    (traps $function:ident ($a:ident, $b:ident) $result:ident $left:ident $right:ident $out:ident) => {{
        for ((out, a), b) in $out.iter_mut().zip($left).zip($right) {
            let (a, b) = (<$a as Number>::from_cell(*a), <$b as Number>::from_cell(*b));
            *out = num::$function(a, b).map_or(0, <$result as Number>::to_cell);
        }
    }};
}

macro_rules! kernels {
    ($($code:literal $variant:ident $function:ident $text:literal ($($operand:ident),+) -> $result:ident $kind:ident;)*) => {
        /// Applies an instruction to columns. A lane in which it traps yields 0: the conditions of a path say where an
        /// instruction does not trap, and lanes outside them count for nothing.
        fn apply(op: NumericOp, left: &[u64], right: &[u64], out: &mut [u64]) {
            match op {
                $(NumericOp::$variant => lane!($kind $function ($($operand),+) $result left right out),)*
            }
        }
    };
}

numeric_ops!(kernels);

/// Evaluates single expressions for one model, each node once a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Point {
    cells: Vec<u64>,
    /// The generation in which a cell was computed.
    stamps: Vec<u32>,
    generation: u32,
    stack: Vec<Expr>,
}

impl Point {
    /// Forgets the last model.
    pub(crate) fn reset(&mut self, dag: &Dag) {
        if self.generation == u32::MAX {
            self.stamps.clear();
            self.generation = 0;
        }
        self.generation += 1;
        self.cells.resize(dag.len(), 0);
        self.stamps.resize(dag.len(), 0);
    }

    /// The cell of `expr` where the inputs answer `model`, the same as at the last [`Point::reset`].
    pub(crate) fn eval(&mut self, dag: &Dag, expr: Expr, model: &[u64]) -> u64 {
        if self.cells.len() < dag.len() {
            self.cells.resize(dag.len(), 0);
            self.stamps.resize(dag.len(), 0);
        }
        self.stack.clear();
        self.stack.push(expr);
        while let Some(&top) = self.stack.last() {
            if self.stamps[top.index()] == self.generation {
                self.stack.pop();
                continue;
            }
            // Of choices and tables, only what is chosen is looked at.
            let known = |expr: Expr| {
                let is_known = self.stamps[expr.index()] == self.generation;
                is_known.then(|| self.cells[expr.index()]).ok_or(expr)
            };
            let value = match dag.node(top) {
                Node::Const(cell) => Ok(cell),
                Node::Input(place) => Ok(model.get(place as usize).copied().unwrap_or(0)),
                Node::Unary(op, a) => known(a).map(|a| op.apply(&[a]).unwrap_or(0)),
                Node::Binary(op, a, b) => known(a)
                    .and_then(|a| Ok([a, known(b)?]))
                    .map(|cells| op.apply(&cells).unwrap_or(0)),
                Node::Choose(a, b, c) => known(a).and_then(|a| known(if a == 0 { c } else { b })),
                Node::Lookup(table, index) => known(index).and_then(|index| {
                    let table = dag.table(table);
                    let at = index.wrapping_sub(table.first) as usize;
                    table.values.get(at).map_or(Ok(0), |value| known(*value))
                }),
            };
            let value = match value {
                Ok(value) => value,
                Err(first) => {
                    self.stack.push(first);
                    continue;
                }
            };
            self.stack.pop();
            self.cells[top.index()] = value;
            self.stamps[top.index()] = self.generation;
        }
        self.cells[expr.index()]
    }
}

#[cfg(test)]
mod tests {
    use borges_vm::ValType;
    use borges_vm::num::NumericOp as N;

    use super::*;
    use crate::dag::LookupTable;

    /// An expression over three inputs, of everything that there is.
    fn expression(random: &mut fastrand::Rng, dag: &mut Dag) -> Expr {
        let mut known: Vec<Expr> = (0..3).map(|place| dag.input(place, ValType::I32)).collect();
        known.push(dag.constant(ValType::I32, random.u64(0..4)));
        for _ in 0..random.usize(1..12) {
            let mut any = || *random.choice(&known).expect("there are some");
            let (a, b, c) = (any(), any(), any());
            let ops = [N::I32Add, N::I32Sub, N::I32LtS, N::I32DivU, N::I32And];
            known.push(match random.usize(0..8) {
                0 => dag.unary(N::I32Eqz, a),
                1 => dag.choose(a, b, c),
                2 => {
                    let values = [a, b, c].into();
                    dag.lookup(LookupTable { first: 1, values }, b)
                }
                nth => dag.binary(ops[nth - 3], a, b),
            });
        }
        *known.last().expect("there are some")
    }

    #[test]
    fn knowing_an_input_changes_nothing() {
        let mut random = fastrand::Rng::with_seed(11);
        for _ in 0..2000 {
            let mut dag = Dag::default();
            let roots = [(); 2].map(|()| expression(&mut random, &mut dag));
            let whole = Compiled::new(&dag, &roots);
            let given: Vec<Option<u64>> = (0..whole.inputs.len())
                .map(|_| random.bool().then(|| random.u64(0..5)))
                .collect();
            let short = whole.knowing(|at| given[at]);
            assert!(short.steps.len() <= whole.steps.len());
            let asks = |step: &Step| matches!(step, Step::Input(at) if given[*at].is_some());
            assert!(!short.steps.iter().any(asks));
            let any: Vec<[u64; 8]> = given
                .iter()
                .map(|_| [(); 8].map(|()| random.u64(0..6)))
                .collect();
            let mut outputs = [&whole, &short].map(|program| {
                let mut lanes = Lanes::default();
                lanes.run(program, 8, |at, column| match given[at] {
                    Some(cell) => column.fill(cell),
                    None => column.copy_from_slice(&any[at]),
                });
                let column = |output: &usize| lanes.column(*output)[..8].to_vec();
                program.outputs.iter().map(column).collect::<Vec<_>>()
            });
            assert_eq!(std::mem::take(&mut outputs[0]), outputs[1]);
        }
    }
}
