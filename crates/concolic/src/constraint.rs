//! What is asked about inputs, and what the answer can be.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::dag::Expr;
use crate::set::Set;

/// "This expression has one of these values."
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Constraint {
    /// The expression.
    pub expr: Expr,
    /// The cells that it may have.
    pub allowed: Set,
}

impl Constraint {
    pub(crate) fn new(expr: Expr, allowed: Set) -> Self {
        Constraint { expr, allowed }
    }
}

/// Whether some values of the inputs satisfy some constraints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solution {
    /// These do, by place; inputs that are not named may have any value of their domain.
    Yes(Vec<(u32, u64)>),
    /// None do.
    No,
    /// Nobody found out, for this reason.
    Unknown(Arc<str>),
}

/// What is said when the time ends before a question is answered.
pub(crate) const NO_TIME: &str = "the time was up before it was decided";
