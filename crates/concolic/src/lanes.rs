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
