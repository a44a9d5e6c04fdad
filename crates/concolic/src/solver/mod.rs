//! Solvers: who answers what trying values cannot.

mod process;
mod smtlib;
#[cfg(feature = "z3")]
mod z3;

use std::time::Duration;

use borges_vm::ValType;

pub use process::ProcessSolver;
#[cfg(feature = "z3")]
pub use z3::Z3Solver;

use crate::budget::Budget;
use crate::constraint::{Constraint, Solution};
use crate::dag::Dag;
use crate::set::Set;

/// An input in a question.
#[derive(Clone, Copy, Debug)]
pub struct SolverInput<'a> {
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
    pub variables: &'a [SolverInput<'a>],
    /// What must hold.
    pub constraints: &'a [Constraint],
}

/// Answers questions. Its answers are evaluated before they are believed, so that a broken one does no harm.
pub trait Solver: Send {
    /// Its name, for people.
    fn name(&self) -> &str;

    /// Answers a question, within limits of time and memory of its own, and never longer than the budget lasts.
    fn check(&mut self, query: &Query<'_>, budget: &Budget<'_>) -> Solution;
}

/// The solver of this name: `none`, `z3` (in process if it is built in), `bitwuzla`, `cvc5`; without a name, the best
/// that there is.
///
/// # Errors
/// There is no such solver here, in words.
pub fn named(name: Option<&str>, timeout: Duration) -> Result<Option<Box<dyn Solver>>, String> {
    match name {
        None => Ok(best(timeout)),
        Some("none") => Ok(None),
        #[cfg(feature = "z3")]
        Some("z3") => Ok(Some(Box::new(Z3Solver::new(timeout)))),
        Some(name) => match ProcessSolver::on_path(name, timeout) {
            Some(solver) => Ok(Some(Box::new(solver))),
            None => Err(format!(
                "there is no solver '{name}' here: known are none, z3, bitwuzla and cvc5, the last two if they are on \
                 the path"
            )),
        },
    }
}

/// The best solver that there is: Z3 if it is built in, otherwise one on the path, otherwise none.
#[must_use]
pub fn best(timeout: Duration) -> Option<Box<dyn Solver>> {
    #[cfg(feature = "z3")]
    return Some(Box::new(Z3Solver::new(timeout)));
    #[cfg(not(feature = "z3"))]
    ProcessSolver::find(timeout).map(|solver| Box::new(solver) as Box<dyn Solver>)
}
