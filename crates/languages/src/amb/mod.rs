//! λ_amb: `e ::= n | (+ e …) | (amb e …)`.
//!
//! The rules are those of *Multiverse Debugging* (ECOOP 2019) as its authors' own model executes them:
//!
//! - ADD: `(+ v …)` becomes the sum; `(+)` is 0. Operands of `+` are evaluated from left to right.
//! - AMB: `(amb e …)` becomes any of its operands *as it stands*, unevaluated (McCarthy's reading):
//!   `(amb 3 (amb))` can be 3. `(amb)` has no operand: it is stuck, and no value.
//!
//! Decisions: numbers are integers without bounds, as in the calculus (machine words while they
//! fit); a choice between equal operands is still a choice, so `(amb 1 1)` has two edges to one
//! state; states are expressions, wherever in the text their parts stand, so `(amb (+ 1 2) (+ 1 2))`
//! has too; `;` starts a comment.
//!
//! ```
//! use borges_languages::amb::Amb;
//! use borges_multiverse::graph::{Exploration, Limits, Strategy};
//!
//! let program = Amb::parse("(+ (amb 1 2) (amb 3 4))")?;
//! let mut exploration = Exploration::new(&program, Strategy::BreadthFirst);
//! exploration.run(&Limits::default(), |_| true);
//! let graph = exploration.graph();
//! assert_eq!((graph.len(), graph.edge_count(), graph.ends().count()), (10, 10, 3));
//! # Ok::<(), borges_languages::amb::ParseError>(())
//! ```
//!
//! [`borges_multiverse::adapt::Stepping`] over it is D_amb, its debugger; `--debugger` of the command line explores and walks it.

mod gloss;
mod names;
mod number;
mod parse;
mod print;
mod semantics;
mod shape;

pub(crate) use gloss::gloss;
pub use number::Number;
pub use parse::{ParseError, ParseErrorKind};
pub use print::{Pretty, format};
pub use semantics::{Amb, Answer, Choice, Evaluator, State, Stuck};

use borges_multiverse::language::Span;

use shape::Shapes;

/// An expression of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct ExprId(u32);

/// What an expression applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Operator {
    Plus,
    Amb,
}

impl Operator {
    const fn name(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Amb => "amb",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Expr {
    Number(Number),
    /// Operands `first..first + count` of the program's list.
    Apply {
        operator: Operator,
        first: u32,
        count: u32,
    },
}

/// A parsed program.
///
/// Expressions lie in one list, operands before what applies them and the whole program last, so
/// that nothing needs recursion however deep a program nests. Equality ignores layout.
#[derive(Clone, Debug, Default)]
struct Program {
    exprs: Vec<Expr>,
    spans: Vec<Span>,
    /// Where the lines of the text begin.
    line_starts: Box<[u32]>,
    operands: Vec<ExprId>,
    shapes: Shapes,
}

impl Program {
    fn root(&self) -> ExprId {
        // The parser never makes an empty program, nor one of 2^32 expressions.
        ExprId(self.exprs.len() as u32 - 1)
    }

    fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// The number of the list of operands of `id` from `nth` on ([`Shapes`]).
    fn rest(&self, id: ExprId, nth: u32) -> u32 {
        match self.expr(id) {
            Expr::Apply { first, count, .. } if nth < *count => {
                self.shapes.list((*first + nth) as usize)
            }
            _ => Shapes::EMPTY,
        }
    }

    fn operands(&self, id: ExprId) -> &[ExprId] {
        match self.expr(id) {
            Expr::Number(_) => &[],
            Expr::Apply { first, count, .. } => {
                &self.operands[*first as usize..*first as usize + *count as usize]
            }
        }
    }
}

impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        self.exprs == other.exprs && self.operands == other.operands
    }
}
