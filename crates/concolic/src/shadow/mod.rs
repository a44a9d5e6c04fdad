//! The shadow of a machine's state: for every cell, global and byte, the expression that it is.
//!
//! The machine executes; the shadow follows. What an instruction computes is taken from the machine ([`Dag`] nodes are
//! its numeric instructions); what it moves, the machine tells ([`Site`]).

mod access;
mod bytes;
mod follow;
mod touched;
mod traps;

use borges_vm::{CodeOffset, Trap};
use hashbrown::HashMap;

use crate::code::Code;
use crate::constraint::Constraint;
use crate::coverage::Coverage;
use crate::dag::{Dag, Expr};
use crate::memory::Memory;
use crate::path::{Cut, Read};
use crate::touch::Marks;

pub(crate) use bytes::Bytes;
pub use touched::Touched;
pub(crate) use touched::{Touches, Touching};

/// The expression of everything that is known: the machine has its value.
pub(crate) const KNOWN: Expr = Expr(0);

/// For every place of the state, the expression that it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shadow {
    cells: Vec<Expr>,
    globals: Vec<Expr>,
    pub(crate) memory: Memory,
    /// How often every loop was begun again, if somebody counts.
    pub(crate) rounds: HashMap<CodeOffset, u32>,
    /// What all branches so far come to, those that depend on no input included: where instructions were executed for
    /// one value at a time, later branches may tell the values apart.
    pub(crate) trail: u128,
}

/// Odd, with bits all over: two trails that differ do not meet again by chance.
const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

impl Shadow {
    /// Adds a branch (or a function that begins) to the trail.
    #[inline]
    fn note_branch(&mut self, instr: usize, taken: u32) {
        let branch = (instr as u128) << 32 | u128::from(taken);
        self.trail = (self.trail.rotate_left(64) ^ branch).wrapping_mul(MULTIPLIER);
    }

    /// Adds a call of a primitive to the trail: one that a table leads to has no instructions that would be there.
    pub(crate) fn note_call(&mut self, func: u32) {
        self.note_branch(usize::MAX, func);
    }

    /// Adds to the trail what was decided at a call: runs with more bytes, or with an error, have other inputs, and are no
    /// ways along one path.
    pub(crate) fn note_decided(&mut self, number: u32) {
        self.note_branch(usize::MAX - 1, number);
    }

    #[inline]
    pub(crate) fn cell(&self, at: usize) -> Expr {
        self.cells.get(at).copied().unwrap_or(KNOWN)
    }

    #[inline]
    pub(crate) fn set_cell(&mut self, at: usize, expr: Expr) {
        if self.cells.len() <= at {
            if expr == KNOWN {
                return;
            }
            self.cells.resize(at + 1, KNOWN);
        }
        self.cells[at] = expr;
    }

    pub(crate) fn forget_cells(&mut self, from: usize, to: usize) {
        let to = to.min(self.cells.len());
        if let Some(cells) = self.cells.get_mut(from..to) {
            cells.fill(KNOWN);
        }
    }

    /// The cells below `top` that depend on inputs.
    pub(crate) fn cells_in_use(&self, top: usize) -> impl Iterator<Item = (usize, Expr)> + '_ {
        let cells = self.cells.iter().copied().enumerate().take(top);
        cells.filter(|(_, expr)| *expr != KNOWN)
    }

    /// The globals that depend on inputs.
    pub(crate) fn globals(&self) -> impl Iterator<Item = (u32, Expr)> + '_ {
        let globals = (0..).zip(self.globals.iter().copied());
        globals.filter(|(_, expr)| *expr != KNOWN)
    }

    pub(crate) fn global(&self, index: u32) -> Expr {
        self.globals.get(index as usize).copied().unwrap_or(KNOWN)
    }

    pub(crate) fn set_global(&mut self, index: u32, expr: Expr) {
        let at = index as usize;
        if self.globals.len() <= at {
            if expr == KNOWN {
                return;
            }
            self.globals.resize(at + 1, KNOWN);
        }
        self.globals[at] = expr;
    }

    /// Moves cells down, as branches and returns do.
    fn move_cells(&mut self, from: usize, to: usize, count: usize) {
        for at in 0..count {
            let expr = self.cell(from + at);
            self.set_cell(to + at, expr);
        }
    }
}

/// What has to be decided before an instruction that depends on inputs can be executed.
#[derive(Clone, Debug)]
pub(crate) enum Ask {
    /// Whether a condition is zero: `if`, `br_if` (and `select`, if asked for).
    Branch(Expr),
    /// Which label: the target of every label, the default last.
    Switch(Expr, Vec<CodeOffset>),
    /// Which function of a table.
    Indirect(Expr, u32),
    /// Whether it traps: one condition for every trap; they exclude each other.
    Traps(Vec<(Trap, Constraint)>),
    /// Whether the address is one from which the access stays inside the memory, and which it can be then.
    Access {
        address: Expr,
        /// The greatest one inside, if there is any.
        last: Option<u64>,
        /// So many addresses can be told apart.
        most: u64,
    },
    /// Which value: the instruction is executed for one at a time.
    Value(Expr),
}

/// What was decided.
#[derive(Clone, Debug)]
pub(crate) enum Decided {
    /// The machine's state is such that the instruction does the right thing.
    Go,
    /// The addresses that an access can have, in order.
    Addresses(Vec<u64>),
}

/// Why the machine was stopped.
#[derive(Clone, Debug)]
pub(crate) enum Stopped {
    Ask(Ask),
    /// At a place where exploration stops.
    Place,
    /// At what cuts the path off: a loop was begun too often, or there are vectors.
    Cut(Cut),
    /// Events may arrive here.
    Moment,
}

/// Follows the machine from instruction to instruction.
pub(crate) struct Follower<'f> {
    pub(crate) code: &'f Code,
    pub(crate) dag: &'f mut Dag,
    pub(crate) shadow: &'f mut Shadow,
    pub(crate) coverage: &'f mut Coverage,
    /// The place to stop at that the machine stands at is none this time.
    pub(crate) passes_stop: bool,
    pub(crate) most_rounds: Option<u32>,
    pub(crate) selects_fork: bool,
    /// What was read, where a choice fork too that depends on more values together than can be counted out.
    pub(crate) reads: Option<&'f [Read]>,
    /// For the next instruction alone.
    pub(crate) decided: Option<Decided>,
    /// The instructions after which events may arrive, by number, if any may.
    pub(crate) touching: Option<&'f [Touching]>,
    /// The bytes that handlers touch, where that is known.
    pub(crate) assumed: Option<&'f Touched>,
    /// What the handler that runs touches.
    pub(crate) touched: Option<&'f mut Touched>,
    /// Before the next instruction, events may arrive.
    pub(crate) is_moment: bool,
    /// What is touched, if somebody wants to know.
    pub(crate) marks: Option<&'f mut Marks>,
    /// Why it stopped.
    pub(crate) stopped: Option<Stopped>,
}
