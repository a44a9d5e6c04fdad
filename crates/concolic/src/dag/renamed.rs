//! Expressions over other inputs.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::{Dag, Expr, LookupTable, Node};

impl Dag {
    /// The same expression over other inputs; `done` are those that were renamed before.
    pub(crate) fn renamed(
        &mut self,
        root: Expr,
        inputs: &BTreeMap<u32, Expr>,
        done: &mut HashMap<Expr, Expr>,
    ) -> Expr {
        for expr in self.cone(&[root]) {
            if done.contains_key(&expr) {
                continue;
            }
            let new = |expr: Expr| done.get(&expr).copied().unwrap_or(expr);
            let ty = self.ty(expr);
            let same = match self.node(expr) {
                Node::Const(cell) => self.constant(ty, cell),
                Node::Input(place) => inputs.get(&place).copied().unwrap_or(expr),
                Node::Unary(op, a) => self.unary(op, new(a)),
                Node::Binary(op, a, b) => self.binary(op, new(a), new(b)),
                Node::Choose(a, b, c) => self.choose(new(a), new(b), new(c)),
                Node::Lookup(table, index) => {
                    let table = self.table(table).clone();
                    let values = table.values.iter().map(|value| new(*value)).collect();
                    self.lookup(LookupTable { values, ..table }, new(index))
                }
            };
            done.insert(expr, same);
        }
        done.get(&root).copied().unwrap_or(root)
    }
}
