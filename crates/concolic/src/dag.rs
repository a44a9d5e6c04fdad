//! What a value depends on: expressions over inputs, each kept once.

mod cone;
mod renamed;

use std::sync::Arc;

use borges_multiverse::fingerprint::Fingerprint;
use borges_vm::ValType;
use borges_vm::num::NumericOp;
use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, Serialize};

use crate::set::greatest;

pub(crate) use cone::Cone;

/// An expression of a [`Dag`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Expr(pub(crate) u32);

impl Expr {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A table of values, for reads at addresses that are not known: the values of consecutive indices.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LookupTable {
    /// The index of the first.
    pub first: u64,
    /// The values; an index outside yields 0, which no path ever sees.
    pub values: Vec<Expr>,
}

/// How an expression is made. Its operands were made before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Node {
    /// A cell that is known.
    Const(u64),
    /// What the input at this place of the path answered.
    Input(u32),
    /// A numeric instruction of one operand.
    Unary(NumericOp, Expr),
    /// A numeric instruction of two operands.
    Binary(NumericOp, Expr, Expr),
    /// The second if the first is not 0, otherwise the third.
    Choose(Expr, Expr, Expr),
    /// The value of a table at an index.
    Lookup(u32, Expr),
}

impl LookupTable {
    /// The same, with other numbers of its values.
    fn renumbered(&self, number: impl Fn(Expr) -> Expr) -> Self {
        LookupTable {
            first: self.first,
            values: self.values.iter().map(|value| number(*value)).collect(),
        }
    }
}

impl Node {
    /// The same, with other numbers of its operands and of its table.
    fn renumbered(
        self,
        number: impl Fn(Expr) -> Expr,
        table_number: impl FnOnce(u32) -> u32,
    ) -> Self {
        match self {
            Node::Const(_) | Node::Input(_) => self,
            Node::Unary(op, a) => Node::Unary(op, number(a)),
            Node::Binary(op, a, b) => Node::Binary(op, number(a), number(b)),
            Node::Choose(a, b, c) => Node::Choose(number(a), number(b), number(c)),
            Node::Lookup(table, index) => Node::Lookup(table_number(table), number(index)),
        }
    }
}

/// What is known of a node besides how it is made.
#[derive(Clone, Copy, Debug)]
struct Known {
    ty: ValType,
    /// No cell that it can have is greater.
    greatest: u64,
    /// Which inputs it depends on, by the number of the set.
    inputs: u32,
    /// How it is made, whatever was made before it.
    content: Fingerprint,
}

/// All expressions of an exploration. Equal ones are one: comparing them is comparing numbers.
#[derive(Clone, Debug)]
pub struct Dag {
    nodes: Vec<Node>,
    known: Vec<Known>,
    numbers: HashMap<(Node, ValType), Expr>,
    tables: Vec<LookupTable>,
    table_numbers: HashMap<LookupTable, u32>,
    input_sets: Vec<Arc<[u32]>>,
    input_set_numbers: HashMap<Arc<[u32]>, u32>,
    unions: HashMap<(u32, u32), u32>,
    /// The inputs of the lowest places, so many, are bases of sums: [`crate::sum`].
    bases: u32,
}

/// Expressions as they travel from one process to another.
#[derive(Serialize, Deserialize)]
pub(crate) struct SentDag {
    nodes: Vec<(Node, ValType)>,
    tables: Vec<LookupTable>,
}

impl SentDag {
    /// They, and which one each of them is; nothing if one is made of what does not come before it.
    pub(crate) fn arrive(self) -> Option<(Dag, Vec<Expr>)> {
        let mut dag = Dag::default();
        let mut made: Vec<Expr> = Vec::with_capacity(self.nodes.len());
        for (node, ty) in self.nodes {
            let of = |expr: Expr| made.get(expr.index()).copied();
            let expr = match node {
                Node::Const(cell) => dag.constant(ty, cell),
                Node::Input(place) => dag.input(place, ty),
                Node::Unary(op, a) => dag.unary(op, of(a)?),
                Node::Binary(op, a, b) => dag.binary(op, of(a)?, of(b)?),
                Node::Choose(a, b, c) => dag.choose(of(a)?, of(b)?, of(c)?),
                Node::Lookup(table, index) => {
                    let LookupTable { first, values } = self.tables.get(table as usize)?;
                    let values: Option<_> = values.iter().map(|value| of(*value)).collect();
                    let (first, values) = (*first, values?);
                    dag.lookup(LookupTable { first, values }, of(index)?)
                }
            };
            made.push(expr);
        }
        Some((dag, made))
    }
}

impl Default for Dag {
    fn default() -> Self {
        let none: Arc<[u32]> = Arc::from([]);
        let mut dag = Dag {
            nodes: Vec::new(),
            known: Vec::new(),
            numbers: HashMap::new(),
            tables: Vec::new(),
            table_numbers: HashMap::new(),
            input_sets: vec![none.clone()],
            input_set_numbers: HashMap::from([(none, 0)]),
            unions: HashMap::new(),
            bases: 0,
        };
        // Number 0 is nobody's: shadows mark with it what is known.
        dag.constant(ValType::I32, 0);
        dag
    }
}

impl Dag {
    /// Inputs below this place are bases.
    pub(crate) fn bases(&self) -> u32 {
        self.bases
    }

    pub(crate) fn set_bases(&mut self, count: u32) {
        self.bases = count;
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the first one is always there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How it is made.
    #[must_use]
    pub fn node(&self, expr: Expr) -> Node {
        self.nodes
            .get(expr.index())
            .copied()
            .unwrap_or(Node::Const(0))
    }

    /// Its type.
    #[must_use]
    pub fn ty(&self, expr: Expr) -> ValType {
        self.known
            .get(expr.index())
            .map_or(ValType::I32, |known| known.ty)
    }

    /// The inputs that it depends on, in order.
    #[must_use]
    pub fn inputs(&self, expr: Expr) -> &Arc<[u32]> {
        let number = self.known.get(expr.index()).map_or(0, |known| known.inputs);
        &self.input_sets[number as usize]
    }

    /// Its cell, if it is a constant.
    #[must_use]
    pub fn as_const(&self, expr: Expr) -> Option<u64> {
        match self.node(expr) {
            Node::Const(cell) => Some(cell),
            _ => None,
        }
    }

    /// A table.
    #[must_use]
    pub fn table(&self, number: u32) -> &LookupTable {
        &self.tables[number as usize]
    }

    /// A name by content: the same for expressions that are made alike, also in another set, where they have other numbers.
    pub(crate) fn content(&self, expr: Expr) -> Fingerprint {
        let known = self.known.get(expr.index());
        known.map_or_else(Fingerprint::default, |known| known.content)
    }

    fn content_of(&self, node: Node, ty: ValType) -> Fingerprint {
        let of = |expr: Expr| self.content(expr);
        match node {
            Node::Const(cell) => Fingerprint::of(&(0_u8, ty, cell)),
            Node::Input(place) => Fingerprint::of(&(1_u8, ty, place)),
            Node::Unary(op, a) => Fingerprint::of(&(2_u8, op, of(a))),
            Node::Binary(op, a, b) => Fingerprint::of(&(3_u8, op, of(a), of(b))),
            Node::Choose(a, b, c) => Fingerprint::of(&(4_u8, of(a), of(b), of(c))),
            Node::Lookup(table, index) => {
                let LookupTable { first, values } = self.table(table);
                let values: Vec<Fingerprint> = values.iter().copied().map(of).collect();
                Fingerprint::of(&(5_u8, first, values, of(index)))
            }
        }
    }

    /// A known cell.
    pub fn constant(&mut self, ty: ValType, cell: u64) -> Expr {
        self.intern(Node::Const(cell), ty, cell, 0)
    }

    /// The answer of the input at a place of the path.
    pub fn input(&mut self, place: u32, ty: ValType) -> Expr {
        let set = self.input_set(vec![place]);
        self.intern(Node::Input(place), ty, greatest(ty), set)
    }

    /// What an instruction computes; where it would trap, anything.
    pub fn unary(&mut self, op: NumericOp, a: Expr) -> Expr {
        if let Some(cell) = self.as_const(a) {
            return self.constant(op.result(), op.apply(&[cell]).unwrap_or(0));
        }
        if let Some(same) = self.simpler_unary(op, a) {
            return same;
        }
        let most = match op {
            _ if is_test(op) => 1,
            NumericOp::I64ExtendI32U => self.greatest(a),
            NumericOp::I32WrapI64 => self.greatest(a).min(u64::from(u32::MAX)),
            NumericOp::I32Clz | NumericOp::I32Ctz | NumericOp::I32Popcnt => 32,
            NumericOp::I64Clz | NumericOp::I64Ctz | NumericOp::I64Popcnt => 64,
            _ => greatest(op.result()),
        };
        self.intern(Node::Unary(op, a), op.result(), most, self.set_of(a))
    }

    /// What an instruction computes; where it would trap, anything.
    pub fn binary(&mut self, op: NumericOp, a: Expr, b: Expr) -> Expr {
        if let (Some(left), Some(right)) = (self.as_const(a), self.as_const(b)) {
            return self.constant(op.result(), op.apply(&[left, right]).unwrap_or(0));
        }
        if let Some(same) = self.simpler_binary(op, a, b) {
            return same;
        }
        if self.bases != 0
            && (self.has_base(a) || self.has_base(b))
            && let Some(same) = self.without_base(op, a, b)
        {
            return same;
        }
        self.as_it_is(op, a, b)
    }

    /// What an instruction computes, without a look at whether that is simpler otherwise.
    pub(crate) fn as_it_is(&mut self, op: NumericOp, a: Expr, b: Expr) -> Expr {
        let most = match op {
            _ if is_test(op) => 1,
            NumericOp::I32And | NumericOp::I64And => self.greatest(a).min(self.greatest(b)),
            NumericOp::I32ShrU => match self.as_const(b) {
                Some(by) => self.greatest(a) >> (by & 31),
                None => self.greatest(a),
            },
            NumericOp::I64ShrU => match self.as_const(b) {
                Some(by) => self.greatest(a) >> (by & 63),
                None => self.greatest(a),
            },
            _ => greatest(op.result()),
        };
        let inputs = self.union(self.set_of(a), self.set_of(b));
        self.intern(Node::Binary(op, a, b), op.result(), most, inputs)
    }

    /// The sum of two whole numbers of one type.
    pub(crate) fn plus(&mut self, a: Expr, b: Expr) -> Expr {
        let op = match self.ty(a) {
            ValType::I64 => NumericOp::I64Add,
            _ => NumericOp::I32Add,
        };
        self.binary(op, a, b)
    }

    /// The difference of two whole numbers of one type.
    pub(crate) fn minus(&mut self, a: Expr, b: Expr) -> Expr {
        let op = match self.ty(a) {
            ValType::I64 => NumericOp::I64Sub,
            _ => NumericOp::I32Sub,
        };
        self.binary(op, a, b)
    }

    /// `yes` if `condition` is not 0, otherwise `no`.
    pub fn choose(&mut self, condition: Expr, yes: Expr, no: Expr) -> Expr {
        if yes == no {
            return yes;
        }
        if let Some(cell) = self.as_const(condition) {
            return if cell != 0 { yes } else { no };
        }
        if self.as_const(yes) == Some(1)
            && self.as_const(no) == Some(0)
            && self.greatest(condition) <= 1
            && self.ty(yes) == ValType::I32
        {
            return condition;
        }
        let inputs = self.union(self.set_of(yes), self.set_of(no));
        let inputs = self.union(inputs, self.set_of(condition));
        let most = self.greatest(yes).max(self.greatest(no));
        self.intern(Node::Choose(condition, yes, no), self.ty(yes), most, inputs)
    }

    /// The value of a table at `index`.
    pub fn lookup(&mut self, table: LookupTable, index: Expr) -> Expr {
        if let Some(cell) = self.as_const(index)
            && let Some(value) = cell
                .checked_sub(table.first)
                .and_then(|at| table.values.get(at as usize))
        {
            return *value;
        }
        let Some(&first) = table.values.first() else {
            return self.constant(ValType::I32, 0);
        };
        if table.values.iter().all(|value| *value == first) {
            return first;
        }
        let mut inputs = self.set_of(index);
        let mut most = 0;
        for &value in &table.values {
            inputs = self.union(inputs, self.set_of(value));
            most = most.max(self.greatest(value));
        }
        let ty = self.ty(first);
        let number = self.table_number(table);
        self.intern(Node::Lookup(number, index), ty, most, inputs)
    }

    /// All of it as it travels to another process.
    pub(crate) fn sent(&self) -> SentDag {
        SentDag {
            nodes: self
                .nodes
                .iter()
                .zip(&self.known)
                .map(|(node, known)| (*node, known.ty))
                .collect(),
            tables: self.tables.clone(),
        }
    }

    /// The operands of an expression, those of its table included.
    pub(crate) fn operands(&self, expr: Expr, each: &mut impl FnMut(Expr)) {
        self.operands_of(self.node(expr), each);
    }

    fn operands_of(&self, node: Node, each: &mut impl FnMut(Expr)) {
        match node {
            Node::Const(_) | Node::Input(_) => {}
            Node::Unary(_, a) => each(a),
            Node::Binary(_, a, b) => {
                each(a);
                each(b);
            }
            Node::Choose(a, b, c) => {
                each(a);
                each(b);
                each(c);
            }
            Node::Lookup(table, index) => {
                each(index);
                self.table(table).values.iter().copied().for_each(each);
            }
        }
    }

    /// `roots` and all that they are made of, operands before what they make.
    pub(crate) fn cone(&self, roots: &[Expr]) -> Vec<Expr> {
        let mut seen = HashSet::new();
        let mut stack: Vec<Expr> = roots.to_vec();
        while let Some(expr) = stack.pop() {
            if seen.insert(expr) {
                self.operands(expr, &mut |operand| stack.push(operand));
            }
        }
        let mut cone: Vec<Expr> = seen.into_iter().collect();
        // Operands were made first.
        cone.sort_unstable();
        cone
    }

    /// No cell that the expression can have is greater.
    pub(crate) fn greatest(&self, expr: Expr) -> u64 {
        self.known
            .get(expr.index())
            .map_or(u64::MAX, |known| known.greatest)
    }

    fn simpler_unary(&mut self, op: NumericOp, a: Expr) -> Option<Expr> {
        use NumericOp as N;
        match (op, self.node(a)) {
            // Bits there and back.
            (N::I32ReinterpretF32, Node::Unary(N::F32ReinterpretI32, inner))
            | (N::F32ReinterpretI32, Node::Unary(N::I32ReinterpretF32, inner))
            | (N::I64ReinterpretF64, Node::Unary(N::F64ReinterpretI64, inner))
            | (N::F64ReinterpretI64, Node::Unary(N::I64ReinterpretF64, inner))
            | (N::I32WrapI64, Node::Unary(N::I64ExtendI32U | N::I64ExtendI32S, inner)) => {
                Some(inner)
            }
            // Not not.
            (N::I32Eqz, Node::Unary(N::I32Eqz, inner)) if self.greatest(inner) <= 1 => Some(inner),
            (N::I32Extend8S, _) if self.greatest(a) < 0x80 => Some(a),
            (N::I32Extend16S, _) if self.greatest(a) < 0x8000 => Some(a),
            _ => None,
        }
    }

    fn simpler_binary(&mut self, op: NumericOp, a: Expr, b: Expr) -> Option<Expr> {
        use NumericOp as N;
        match (op, self.as_const(a), self.as_const(b)) {
            (
                N::I32Add
                | N::I32Sub
                | N::I32Or
                | N::I32Xor
                | N::I32Shl
                | N::I32ShrS
                | N::I32ShrU
                | N::I64Add
                | N::I64Sub
                | N::I64Or
                | N::I64Xor
                | N::I64Shl
                | N::I64ShrS
                | N::I64ShrU,
                _,
                Some(0),
            ) => Some(a),
            (N::I32Add | N::I32Or | N::I32Xor | N::I64Add | N::I64Or | N::I64Xor, Some(0), _) => {
                Some(b)
            }
            (N::I32Mul | N::I64Mul, _, Some(1)) => Some(a),
            (N::I32Mul | N::I64Mul, Some(1), _) => Some(b),
            (N::I32And | N::I64And | N::I32Mul | N::I64Mul, _, Some(0)) => Some(b),
            (N::I32And | N::I64And | N::I32Mul | N::I64Mul, Some(0), _) => Some(a),
            // A mask that takes nothing away.
            (N::I32And | N::I64And, _, Some(mask))
                if mask.wrapping_add(1).is_power_of_two() && self.greatest(a) <= mask =>
            {
                Some(a)
            }
            (N::I32Ne, _, Some(0)) if self.greatest(a) <= 1 => Some(a),
            (N::I32And | N::I32Or | N::I64And | N::I64Or, ..) if a == b => Some(a),
            _ => None,
        }
    }

    /// An expression of another set, as it is there. `adopted` has those that came from it before.
    pub(crate) fn adopt(
        &mut self,
        from: &Dag,
        expr: Expr,
        adopted: &mut HashMap<Expr, Expr>,
    ) -> Expr {
        let mut stack = vec![expr];
        while let Some(&expr) = stack.last() {
            let before = stack.len();
            if !adopted.contains_key(&expr) {
                from.operands(expr, &mut |operand| {
                    if !adopted.contains_key(&operand) {
                        stack.push(operand);
                    }
                });
            }
            // Operands come before what they make.
            if stack.len() > before {
                continue;
            }
            stack.pop();
            if adopted.contains_key(&expr) {
                continue;
            }
            let node = (from.node(expr), from.ty(expr), from.greatest(expr));
            let ours = self.adopt_node(node, &from.tables, |operand| adopted[&operand]);
            adopted.insert(expr, ours);
        }
        adopted[&expr]
    }

    /// A node of another set, as it is there, with that set's tables; `ours` says what its operands are here.
    fn adopt_node(
        &mut self,
        (node, ty, most): (Node, ValType, u64),
        tables: &[LookupTable],
        ours: impl Fn(Expr) -> Expr,
    ) -> Expr {
        let made = node.renumbered(&ours, |table| {
            self.table_number(tables[table as usize].renumbered(&ours))
        });
        let mut inputs = match made {
            Node::Input(place) => self.input_set(vec![place]),
            _ => 0,
        };
        let mut operands = Vec::new();
        self.operands_of(made, &mut |operand| operands.push(operand));
        for operand in operands {
            let set = self.set_of(operand);
            inputs = self.union(inputs, set);
        }
        self.intern(made, ty, most, inputs)
    }

    fn table_number(&mut self, table: LookupTable) -> u32 {
        let next = self.tables.len() as u32;
        let number = *self.table_numbers.entry(table.clone()).or_insert(next);
        if number == next {
            self.tables.push(table);
        }
        number
    }

    fn set_of(&self, expr: Expr) -> u32 {
        self.known.get(expr.index()).map_or(0, |known| known.inputs)
    }

    fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&number) = self.unions.get(&key) {
            return number;
        }
        let mut both: Vec<u32> = self.input_sets[a as usize].to_vec();
        both.extend_from_slice(&self.input_sets[b as usize]);
        both.sort_unstable();
        both.dedup();
        let number = self.input_set(both);
        self.unions.insert(key, number);
        number
    }

    fn input_set(&mut self, inputs: Vec<u32>) -> u32 {
        let inputs: Arc<[u32]> = inputs.into();
        if let Some(&number) = self.input_set_numbers.get(&inputs) {
            return number;
        }
        let number = self.input_sets.len() as u32;
        self.input_sets.push(inputs.clone());
        self.input_set_numbers.insert(inputs, number);
        number
    }

    fn intern(&mut self, node: Node, ty: ValType, most: u64, inputs: u32) -> Expr {
        let next = Expr(self.nodes.len() as u32);
        let expr = *self.numbers.entry((node, ty)).or_insert(next);
        if expr == next {
            let content = self.content_of(node, ty);
            self.nodes.push(node);
            self.known.push(Known {
                ty,
                greatest: most,
                inputs,
                content,
            });
        }
        expr
    }
}

/// Comparisons and tests, which give 0 or 1.
fn is_test(op: NumericOp) -> bool {
    (0x45..=0x66).contains(&(op as u16))
}
