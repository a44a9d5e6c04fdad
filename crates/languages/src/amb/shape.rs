//! Which expressions are equal.

use std::collections::HashMap;

use super::{Expr, ExprId, Number, Operator};

/// Numbers for expressions and for lists of operands: equal ones have equal numbers, wherever in the
/// program they stand.
#[derive(Clone, Debug, Default)]
pub(super) struct Shapes {
    /// Of each expression.
    exprs: Vec<u32>,
    /// Of the list that begins with each operand; [`Shapes::EMPTY`] is that of no operands.
    lists: Vec<u32>,
}

/// What is numbered. Numbers are given in order, so what has parts is made of smaller ones.
#[derive(PartialEq, Eq, Hash)]
enum Shape {
    Number(Number),
    /// An operator and the list of its operands.
    Apply(Operator, u32),
    /// An expression and the list after it.
    List(u32, u32),
}

impl Shapes {
    /// The list without operands.
    pub(super) const EMPTY: u32 = 0;

    /// Numbers all expressions; operands come before what applies them.
    pub(super) fn of(exprs: &[Expr], operands: &[ExprId]) -> Self {
        let mut known = HashMap::new();
        let mut number = |shape| {
            // Within u32, as are expressions and operands together. 0 is the empty list.
            let next = known.len() as u32 + 1;
            *known.entry(shape).or_insert(next)
        };
        let mut shapes = Self {
            exprs: Vec::with_capacity(exprs.len()),
            lists: vec![Self::EMPTY; operands.len()],
        };
        for expr in exprs {
            let shape = match expr {
                Expr::Number(value) => Shape::Number(value.clone()),
                Expr::Apply {
                    operator,
                    first,
                    count,
                } => {
                    let mut list = Self::EMPTY;
                    for at in (*first as usize..(*first + *count) as usize).rev() {
                        list = number(Shape::List(shapes.expr(operands[at]), list));
                        shapes.lists[at] = list;
                    }
                    Shape::Apply(*operator, list)
                }
            };
            let shape = number(shape);
            shapes.exprs.push(shape);
        }
        shapes
    }

    /// The number of an expression.
    pub(super) fn expr(&self, id: ExprId) -> u32 {
        self.exprs[id.0 as usize]
    }

    /// The number of the list that begins with operand `at` of the program's list.
    pub(super) fn list(&self, at: usize) -> u32 {
        self.lists[at]
    }
}
