//! Conditions as terms over the places of a machine: for who knows of them more than one value.

use super::evaluate::Evaluator;
use super::{Binary, Evaluated, Expression, ExpressionError, Node, NodeKind, Scope, Unary};
use crate::DebugInfo;
use crate::child::{Number, integer};
use crate::place::{Piece, Stopped};
use crate::variables::FramePoint;

/// Bytes that are a whole number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberAt {
    /// Which.
    pub piece: Piece,
    /// Whether the highest bit makes it negative.
    pub signed: bool,
}

impl NumberAt {
    /// The number that they are in a state; nothing if they cannot be read there.
    pub fn value(&self, state: &dyn Stopped) -> Option<i128> {
        let mut bytes = Vec::new();
        self.piece.read(state, &mut bytes).ok()?;
        Some(integer(&bytes, self.signed))
    }
}

/// An expression with its names looked up and its addresses computed: whole numbers, mathematical as in all expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A number of the expression, or one that the embedder knows.
    Number(i128),
    /// One of the program.
    Read(NumberAt),
    /// 1 of 0, and 0 of everything else.
    Not(Box<Term>),
    /// Two put together; of [`Binary::And`] and [`Binary::Or`], the second may mean nothing if the first decides.
    Binary(Binary, Box<Term>, Box<Term>),
    /// Something else: a float, a text, a bit field, an error.
    Other,
}

impl DebugInfo {
    /// An expression as a term at a stop. What is read of `state` decides where the term's numbers lie, and what those of
    /// the embedder's are; the numbers themselves are not read.
    ///
    /// # Errors
    /// [`ExpressionError`]: what has no value whatever the numbers are.
    pub fn term(
        &self,
        expression: &Expression,
        stop: FramePoint,
        state: &dyn Stopped,
        scope: &dyn Scope,
    ) -> Result<Term, ExpressionError> {
        Evaluator {
            info: self,
            stop,
            state,
            scope,
        }
        .term(&expression.root)
    }
}

impl DebugInfo {
    /// Reads of `state` what an expression looks at, also what is not evaluated because what stands before it decides:
    /// whoever knows more than one value of that must know of the rest too.
    pub fn look_at_all(
        &self,
        expression: &Expression,
        stop: FramePoint,
        state: &dyn Stopped,
        scope: &dyn Scope,
    ) {
        let evaluator = Evaluator {
            info: self,
            stop,
            state,
            scope,
        };
        for node in expression.root.all() {
            if let NodeKind::Binary(Binary::And | Binary::Or, left, right) = &node.kind {
                // What has no value now may have one where it is evaluated.
                let _ = (evaluator.number(left), evaluator.number(right));
            }
        }
    }
}

impl Evaluator<'_> {
    fn term(&self, node: &Node) -> Result<Term, ExpressionError> {
        Ok(match &node.kind {
            NodeKind::Binary(operator, left, right) => {
                let right = match (operator, self.term(right)) {
                    (Binary::And | Binary::Or, Err(_)) => Term::Other,
                    (_, right) => right?,
                };
                Term::Binary(*operator, Box::new(self.term(left)?), Box::new(right))
            }
            NodeKind::Unary(Unary::Not, operand) => Term::Not(Box::new(self.term(operand)?)),
            NodeKind::Unary(Unary::Negate, operand) => {
                let zero = Box::new(Term::Number(0));
                Term::Binary(Binary::Subtract, zero, Box::new(self.term(operand)?))
            }
            _ => match self.node(node)? {
                Evaluated::Number(Number::Int(value)) => Term::Number(value),
                Evaluated::Pointer { address, .. } => Term::Number(address.into()),
                Evaluated::Object(object) => {
                    let reading = self.info.integer_at(&object, self.state);
                    reading.map_or(Term::Other, Term::Read)
                }
                Evaluated::Number(Number::Float(_))
                | Evaluated::Text(_)
                | Evaluated::Elements(_) => Term::Other,
            },
        })
    }
}
