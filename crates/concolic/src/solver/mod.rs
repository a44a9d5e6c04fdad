//! Solvers: who answers what trying values cannot.

use borges_vm::ValType;

use crate::dag::Dag;
use crate::decide::{Answer, Constraint};
use crate::set::Set;

/// An input in a question.
#[derive(Clone, Copy, Debug)]
pub struct Variable<'a> {
    /// Its place in the path.
    pub place: u32,
    /// Its type.
    pub ty: ValType,
    /// What it may be.
    pub domain: &'a Set,
}

/// A question: are there values for which all constraints hold?
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Where the expressions are.
    pub dag: &'a Dag,
    /// The inputs that the constraints depend on, in order of their places.
    pub variables: &'a [Variable<'a>],
    /// What must hold.
    pub constraints: &'a [Constraint],
}

/// Answers questions. Its answers are evaluated before they are believed, so that a broken one does no harm.
pub trait Solver {
    /// Its name, for people.
    fn name(&self) -> &str;

    /// Answers a question, within limits of time and memory of its own.
    fn check(&mut self, query: &Query<'_>) -> Answer;
}
