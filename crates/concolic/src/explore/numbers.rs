//! Conditions computed with numbers that depend on inputs, where they are mathematical: they do not wrap.

use borges_vm::num::NumericOp as N;
use borges_vm::{Machine, ValType};

use crate::constraint::Constraint;
use crate::dag::{Dag, Expr};
use crate::set::Set;
use crate::shadow::{Bytes, KNOWN, Shadow};

/// Something that a condition looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Looked {
    /// A cell of the stack: its place in [`Machine::cells`].
    Cell(usize),
    /// A global.
    Global(u32),
    /// Bytes of memory: the first, and how many.
    Bytes(u32, u32),
}

/// A whole number that may depend on inputs.
#[derive(Clone, Copy, Debug)]
pub struct Symbolic {
    /// Of 32 bits if its bounds are those of a signed or an unsigned number of so many, else of 64 and signed.
    expr: Expr,
    low: i128,
    high: i128,
}

/// Why a condition has no truth yet.
#[derive(Clone, Debug, PartialEq)]
pub enum Open {
    /// Whether this holds must be decided first.
    Asks(Constraint),
    /// It is no matter of such numbers.
    Unfit,
}

/// How two numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparator {
    /// Equal.
    Equal,
    /// The first is less.
    Less,
    /// The first is less, or they are equal.
    LessOrEqual,
}

/// What numbers are put together by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
}

/// A state of which some numbers depend on inputs.
pub struct Numbers<'n> {
    pub(super) dag: &'n mut Dag,
    pub(super) shadow: &'n Shadow,
    pub(super) machine: &'n Machine,
    /// What was decided already.
    pub(super) decided: &'n [(Constraint, bool)],
}

const SIGNED: (i128, i128) = (i32::MIN as i128, i32::MAX as i128);
const UNSIGNED: (i128, i128) = (0, u32::MAX as i128);
const LONG: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);

fn within((low, high): (i128, i128), (least, most): (i128, i128)) -> bool {
    least <= low && high <= most
}

impl<'n> Numbers<'n> {
    /// The machine, where what depends on inputs has one of its values.
    #[must_use]
    pub fn machine(&self) -> &'n Machine {
        self.machine
    }

    /// Whether something is known, or depends on no input.
    #[must_use]
    pub fn is_known(&self, looked: Looked) -> bool {
        match looked {
            Looked::Cell(at) => self.shadow.cell(at) == KNOWN,
            Looked::Global(at) => self.shadow.global(at) == KNOWN,
            Looked::Bytes(at, count) => {
                let (at, count) = (u64::from(at), u64::from(count));
                self.shadow.memory.within(at, count).is_empty()
            }
        }
    }

    /// A number that depends on nothing.
    ///
    /// # Errors
    /// [`Open::Unfit`]: it has more than 64 bits.
    pub fn number(&mut self, value: i128) -> Result<Symbolic, Open> {
        let bounds = (value, value);
        let expr = match bounds {
            _ if within(bounds, SIGNED) || within(bounds, UNSIGNED) => {
                self.dag.constant(ValType::I32, u64::from(value as u32))
            }
            _ if within(bounds, LONG) => self.dag.constant(ValType::I64, value as u64),
            _ => return Err(Open::Unfit),
        };
        Ok(Symbolic {
            expr,
            low: value,
            high: value,
        })
    }

    /// The number that some bytes are: of a cell or global, `count` of them from the lowest on.
    ///
    /// # Errors
    /// [`Open::Unfit`]: there is none, it is none, or it may have more than 64 bits.
    pub fn read(&mut self, place: Looked, count: u32, signed: bool) -> Result<Symbolic, Open> {
        let expr = match place {
            Looked::Bytes(at, _) => {
                let memory = self.machine.memory();
                let end = u64::from(at) + u64::from(count);
                if end > memory.len() as u64 || !matches!(count, 1 | 2 | 4 | 8) {
                    return Err(Open::Unfit);
                }
                let mut bytes = Bytes {
                    dag: self.dag,
                    memory: &self.shadow.memory,
                };
                bytes.raw(at.into(), count.into(), memory)
            }
            Looked::Cell(at) => {
                let cell = self.machine.cells().get(at).copied();
                let ty = if count == 8 {
                    ValType::I64
                } else {
                    ValType::I32
                };
                self.whole(self.shadow.cell(at), ty, cell)?
            }
            Looked::Global(at) => {
                let value = self.machine.globals().get(at as usize).copied();
                let value = value.ok_or(Open::Unfit)?;
                let cell = crate::set::cell_of(value);
                self.whole(self.shadow.global(at), value.ty(), Some(cell))?
            }
        };
        let expr = match (self.dag.ty(expr), count, place) {
            (_, _, Looked::Bytes(..)) | (ValType::I32, 4, _) | (ValType::I64, 8, _) => expr,
            (ValType::I32, 1 | 2, _) => {
                let mask = self.dag.constant(ValType::I32, (1 << (8 * count)) - 1);
                self.dag.binary(N::I32And, expr, mask)
            }
            _ => return Err(Open::Unfit),
        };
        let bits = 8 * count.min(8);
        let expr = match (signed, count) {
            (true, 1) => self.dag.unary(N::I32Extend8S, expr),
            (true, 2) => self.dag.unary(N::I32Extend16S, expr),
            _ => expr,
        };
        let (low, high) = match signed {
            true => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
            false => (
                0,
                i128::from(self.dag.greatest(expr)).min((1_i128 << bits) - 1),
            ),
        };
        if let Some(cell) = self.dag.as_const(expr) {
            let value = match (signed, self.dag.ty(expr)) {
                (true, ValType::I64) => i128::from(cell as i64),
                (true, _) => i128::from(cell as u32 as i32),
                (false, _) => i128::from(cell),
            };
            return self.number(value);
        }
        match within((low, high), LONG) || bits <= 32 {
            true => Ok(Symbolic { expr, low, high }),
            false => Err(Open::Unfit),
        }
    }

    fn whole(&mut self, expr: Expr, ty: ValType, cell: Option<u64>) -> Result<Expr, Open> {
        match (ty, cell) {
            (ValType::I32 | ValType::I64, Some(cell)) if expr == KNOWN => {
                Ok(self.dag.constant(ty, cell))
            }
            (ValType::I32 | ValType::I64, Some(_)) => Ok(expr),
            _ => Err(Open::Unfit),
        }
    }

    /// Two numbers put together.
    ///
    /// # Errors
    /// [`Open::Unfit`]: the result may have more than 64 bits.
    pub fn arithmetic(
        &mut self,
        by: Arithmetic,
        a: Symbolic,
        b: Symbolic,
    ) -> Result<Symbolic, Open> {
        let ends = |of: fn(i128, i128) -> Option<i128>| {
            let all = [
                (a.low, b.low),
                (a.low, b.high),
                (a.high, b.low),
                (a.high, b.high),
            ];
            let all: Option<Vec<i128>> = all.iter().map(|(a, b)| of(*a, *b)).collect();
            let all = all?;
            Some((*all.iter().min()?, *all.iter().max()?))
        };
        let bounds = match by {
            Arithmetic::Add => ends(i128::checked_add),
            Arithmetic::Subtract => ends(i128::checked_sub),
            Arithmetic::Multiply => ends(i128::checked_mul),
        };
        let bounds = bounds
            .filter(|bounds| within(*bounds, LONG))
            .ok_or(Open::Unfit)?;
        let is_short = (within(bounds, SIGNED) || within(bounds, UNSIGNED))
            && [a, b].iter().all(|of| self.dag.ty(of.expr) == ValType::I32);
        let op = match (by, is_short) {
            (Arithmetic::Add, true) => N::I32Add,
            (Arithmetic::Subtract, true) => N::I32Sub,
            (Arithmetic::Multiply, true) => N::I32Mul,
            (Arithmetic::Add, false) => N::I64Add,
            (Arithmetic::Subtract, false) => N::I64Sub,
            (Arithmetic::Multiply, false) => N::I64Mul,
        };
        let (x, y) = match is_short {
            true => (a.expr, b.expr),
            false => (self.long(a), self.long(b)),
        };
        let expr = self.dag.binary(op, x, y);
        let (low, high) = bounds;
        Ok(Symbolic { expr, low, high })
    }

    fn long(&mut self, number: Symbolic) -> Expr {
        match self.dag.ty(number.expr) {
            ValType::I32 if number.low < 0 => self.dag.unary(N::I64ExtendI32S, number.expr),
            ValType::I32 => self.dag.unary(N::I64ExtendI32U, number.expr),
            _ => number.expr,
        }
    }

    /// Whether a comparison holds.
    ///
    /// # Errors
    /// [`Open::Asks`]: that depends on inputs.
    pub fn compare(&mut self, by: Comparator, a: Symbolic, b: Symbolic) -> Result<bool, Open> {
        // What the bounds say needs no question.
        let known = match by {
            Comparator::Equal if a.high < b.low || b.high < a.low => Some(false),
            Comparator::Less if a.high < b.low => Some(true),
            Comparator::Less if a.low >= b.high => Some(false),
            Comparator::LessOrEqual if a.high <= b.low => Some(true),
            Comparator::LessOrEqual if a.low > b.high => Some(false),
            _ => None,
        };
        if let Some(known) = known {
            return Ok(known);
        }
        let asked = if b.low == b.high {
            let (low, high) = match by {
                Comparator::Equal => (b.low, b.low),
                Comparator::Less => (a.low, b.low - 1),
                Comparator::LessOrEqual => (a.low, b.low),
            };
            self.lies_within(a, low, high)
        } else if a.low == a.high {
            let (low, high) = match by {
                Comparator::Equal => (a.low, a.low),
                Comparator::Less => (a.low + 1, b.high),
                Comparator::LessOrEqual => (a.low, b.high),
            };
            self.lies_within(b, low, high)
        } else {
            Constraint::new(self.test(by, a, b), Set::nonzero())
        };
        if let Some(cell) = self.dag.as_const(asked.expr) {
            return Ok(asked.allowed.contains(cell));
        }
        let decided = self.decided.iter().find(|(known, _)| *known == asked);
        decided.map(|(_, holds)| *holds).ok_or(Open::Asks(asked))
    }

    /// That a number lies between two others: on the number itself, so that what is known of it is one set.
    fn lies_within(&self, number: Symbolic, low: i128, high: i128) -> Constraint {
        let (low, high) = (low.max(number.low), high.min(number.high));
        let all = i128::from(crate::set::greatest(self.dag.ty(number.expr))) + 1;
        let cells = |low: i128, high: i128| (low <= high).then_some((low as u64, high as u64));
        let negative = cells(low + all, high.min(-1) + all).filter(|_| low < 0);
        let others = cells(low.max(0), high);
        let cells = negative.into_iter().chain(others).collect();
        Constraint::new(number.expr, Set::of(cells))
    }

    fn test(&mut self, by: Comparator, a: Symbolic, b: Symbolic) -> Expr {
        let both = (a.low.min(b.low), a.high.max(b.high));
        let are_short = [a, b].iter().all(|of| self.dag.ty(of.expr) == ValType::I32);
        let (ops, x, y) = match are_short {
            true if within(both, SIGNED) => ([N::I32Eq, N::I32LtS, N::I32LeS], a.expr, b.expr),
            true if within(both, UNSIGNED) => ([N::I32Eq, N::I32LtU, N::I32LeU], a.expr, b.expr),
            _ => ([N::I64Eq, N::I64LtS, N::I64LeS], self.long(a), self.long(b)),
        };
        let op = match by {
            Comparator::Equal => ops[0],
            Comparator::Less => ops[1],
            Comparator::LessOrEqual => ops[2],
        };
        self.dag.binary(op, x, y)
    }
}
