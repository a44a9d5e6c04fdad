//! Some expressions, cut out of a set for another one.

use borges_vm::ValType;
use serde::{Deserialize, Serialize};

use super::{Dag, Expr, LookupTable, Node};

/// Some expressions and all that they are made of, numbered among themselves, for another set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Nodes")]
pub(crate) struct Cone {
    /// Each with its type and the greatest cell that it can have; operands come before what they make.
    nodes: Box<[(Node, ValType, u64)]>,
    tables: Box<[LookupTable]>,
}

/// The same, before it is looked at.
#[derive(Deserialize)]
struct Nodes {
    nodes: Box<[(Node, ValType, u64)]>,
    tables: Box<[LookupTable]>,
}

impl TryFrom<Nodes> for Cone {
    type Error = &'static str;

    fn try_from(Nodes { nodes, tables }: Nodes) -> Result<Self, Self::Error> {
        let cone = Cone { nodes, tables };
        let all = 0..cone.nodes.len();
        match all.into_iter().all(|at| cone.makes_sense(at)) {
            true => Ok(cone),
            false => Err("an expression is made of what there is not"),
        }
    }
}

/// The expressions that were cut out, in their order: each has its place there as its number.
pub(crate) struct Numbering(Vec<Expr>);

impl Numbering {
    /// The number of one of them.
    pub(crate) fn of(&self, expr: Expr) -> Expr {
        let at = self.0.binary_search(&expr);
        Expr(at.expect("it was cut out") as u32)
    }
}

impl Cone {
    /// Whether one of its expressions is made of what comes before it, as many as it takes.
    fn makes_sense(&self, at: usize) -> bool {
        let are_before = |operands: &[Expr]| operands.iter().all(|expr| expr.index() < at);
        match self.nodes[at].0 {
            Node::Const(_) | Node::Input(_) => true,
            Node::Unary(op, a) => op.operands().len() == 1 && are_before(&[a]),
            Node::Binary(op, a, b) => op.operands().len() == 2 && are_before(&[a, b]),
            Node::Choose(a, b, c) => are_before(&[a, b, c]),
            Node::Lookup(table, index) => {
                let table = self.tables.get(table as usize);
                let values = table.map_or(&[][..], |table| &table.values);
                !values.is_empty() && are_before(values) && are_before(&[index])
            }
        }
    }

    /// Whether it has all expressions of these numbers, and none that is made of an input from that place on.
    pub(crate) fn is_for(&self, mut exprs: impl Iterator<Item = Expr>, inputs: usize) -> bool {
        let is_known = |(node, ..): &(Node, ValType, u64)| match node {
            Node::Input(place) => (*place as usize) < inputs,
            _ => true,
        };
        self.nodes.iter().all(is_known) && exprs.all(|expr| expr.index() < self.nodes.len())
    }
}

impl Dag {
    /// These expressions for another set, and which numbers they have there.
    pub(crate) fn cut_out(&self, roots: &[Expr]) -> (Cone, Numbering) {
        let all = self.cone(roots);
        let numbering = Numbering(all);
        let number = |expr: Expr| numbering.of(expr);
        let mut tables = Vec::new();
        let nodes = numbering.0.iter().map(|expr| {
            let node = self.node(*expr).renumbered(number, |table| {
                tables.push(self.table(table).renumbered(number));
                tables.len() as u32 - 1
            });
            (node, self.ty(*expr), self.greatest(*expr))
        });
        let nodes = nodes.collect();
        let cone = Cone {
            nodes,
            tables: tables.into(),
        };
        (cone, numbering)
    }

    /// What was cut out of another set, as it is there: which expression each number is here.
    pub(crate) fn take_in(&mut self, cone: &Cone) -> Vec<Expr> {
        let mut made: Vec<Expr> = Vec::with_capacity(cone.nodes.len());
        for node in &cone.nodes {
            let ours = self.adopt_node(*node, &cone.tables, |operand| made[operand.index()]);
            made.push(ours);
        }
        made
    }
}
