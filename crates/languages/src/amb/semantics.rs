//! The reduction rules of λ_amb on a representation that shares what universes have in common.
//!
//! A state is an expression in the middle of its evaluation. Operands to the left of the redex are
//! values, those to its right are still as they stand in the program: so the values suffice, in a
//! list from the redex outwards, and the rest is looked up in the program. One step makes one or
//! two new cells, and universes that fork share all others. Two states are the same expression if
//! and only if their lists are equal, since evaluation from left to right determines the redex.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use borges_multiverse::fingerprint::Fingerprint;
use borges_multiverse::language::{Footprint, Label, Language, Next, Outcome, Span, Verdict};

use super::parse::{ParseError, parse};
use super::{Expr, ExprId, Number, Operator, Pretty, Program};

/// Operands that a label shows before it says "…".
const SHOWN: usize = 8;

/// A program of λ_amb.
#[derive(Clone, Debug, PartialEq)]
pub struct Amb {
    program: Program,
}

/// An expression being evaluated; belongs to one [`Amb`].
#[derive(Clone)]
pub struct State(Arc<Cell>);

/// One operand list that is entered, or one value that was computed (not a literal).
struct Cell {
    item: Item,
    /// The cells further out.
    outer: Option<Arc<Cell>>,
    /// The application whose operands are being evaluated; none around the final value.
    frame: Option<ExprId>,
    /// The first of its operands that is neither a literal nor computed, or their number.
    next: u32,
    /// The digest of this cell and all further out.
    digest: u64,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Item {
    Enter(ExprId),
    Value(Number),
}

/// What is decided in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Choice {
    /// ADD: nothing is left to decide.
    Add,
    /// AMB: the operand with this index, from 0.
    Pick(u32),
}

/// The one who evaluates: λ_amb has no concurrency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Evaluator;

impl fmt::Display for Evaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("evaluator")
    }
}

/// What is left at an end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// The value of the program.
    Number(Number),
    /// The expression in which `(amb)` has nothing to choose from.
    Stuck(String),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Stuck(expression) => write!(f, "nothing to choose in {expression}"),
        }
    }
}

impl Amb {
    /// Parses a program.
    ///
    /// # Errors
    /// [`ParseError`] with the place; [`ParseError::explain`] shows it.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Ok(Self {
            program: parse(text)?,
        })
    }

    /// The program, laid out within `width` columns.
    #[must_use]
    pub const fn pretty(&self, width: usize) -> Pretty<'_> {
        Pretty {
            program: &self.program,
            width,
        }
    }

    /// The place in the source of what is reduced next; none in a value.
    #[must_use]
    pub fn redex_span(&self, state: &State) -> Option<Span> {
        self.program.spans.get(state.0.frame?.0 as usize).copied()
    }

    /// Puts `item` on top and moves on to the next operand that must be evaluated.
    fn settle(&self, outer: Option<Arc<Cell>>, item: Item) -> State {
        let mut cell = self.cell(outer, item);
        while let Some(frame) = cell.frame
            && let Some(operand) = self.program.operands(frame).get(cell.next as usize)
        {
            // `next` never points at a literal.
            cell = self.cell(Some(Arc::new(cell)), Item::Enter(*operand));
        }
        State(Arc::new(cell))
    }

    fn cell(&self, outer: Option<Arc<Cell>>, item: Item) -> Cell {
        let (frame, from) = match (&item, &outer) {
            (Item::Enter(id), _) => (Some(*id), 0),
            (Item::Value(_), Some(outer)) => (outer.frame, outer.next + 1),
            (Item::Value(_), None) => (None, 0),
        };
        let operands = frame.map_or(&[][..], |frame| self.program.operands(frame));
        let literal = |id: &&ExprId| matches!(self.program.expr(**id), Expr::Number(_));
        let skipped = operands
            .iter()
            .skip(from as usize)
            .take_while(literal)
            .count();
        let digest = Fingerprint::of(&(outer.as_ref().map_or(0, |outer| outer.digest), &item)).0;
        // Within u32, as is the number of operands.
        Cell {
            item,
            outer,
            frame,
            next: from + skipped as u32,
            digest,
        }
    }

    /// The application that is reduced next and its cell; none in a value.
    fn redex<'s>(&self, state: &'s State) -> Option<Redex<'s>> {
        let id = state.0.frame?;
        let Expr::Apply {
            operator, count, ..
        } = self.program.expr(id)
        else {
            return None;
        };
        Some(Redex {
            id,
            operator: *operator,
            count: *count,
            top: &state.0,
        })
    }

    /// The values of the redex's operands, last first.
    fn values<'s>(&'s self, redex: &Redex<'s>) -> impl Iterator<Item = &'s Number> + 's {
        let mut cell = redex.top;
        self.program
            .operands(redex.id)
            .iter()
            .rev()
            .filter_map(move |operand| {
                if let Expr::Number(literal) = self.program.expr(*operand) {
                    return Some(literal);
                }
                let Item::Value(value) = &cell.item else {
                    return None;
                };
                cell = cell.outer.as_deref()?;
                Some(value)
            })
    }

    /// The cells around the redex.
    fn around(redex: &Redex<'_>) -> Option<Arc<Cell>> {
        let mut cell = redex.top;
        while let Item::Value(_) = cell.item {
            cell = cell.outer.as_deref()?;
        }
        cell.outer.clone()
    }

    fn value_of(&self, redex: &Redex<'_>, choice: Choice) -> Option<Number> {
        match (redex.operator, choice) {
            (Operator::Plus, Choice::Add) => Some(
                self.values(redex)
                    .fold(Number::ZERO, |sum, value| sum.plus(value)),
            ),
            (Operator::Amb, Choice::Pick(index)) if index < redex.count => {
                let operand = self.program.operands(redex.id).get(index as usize)?;
                match self.program.expr(*operand) {
                    Expr::Number(literal) => Some(literal.clone()),
                    Expr::Apply { .. } => self
                        .values(redex)
                        .nth((redex.count - 1 - index) as usize)
                        .cloned(),
                }
            }
            _ => None,
        }
    }

    fn show_redex(&self, redex: &Redex<'_>) -> String {
        let mut values: Vec<_> = self.values(redex).collect();
        values.reverse();
        let mut text = format!("({}", redex.operator.name());
        for value in values.iter().take(SHOWN) {
            text.push(' ');
            text.push_str(&value.to_string());
        }
        if values.len() > SHOWN {
            text.push_str(" …");
        }
        text.push(')');
        text
    }
}

/// An application all of whose operands are values.
struct Redex<'s> {
    id: ExprId,
    operator: Operator,
    count: u32,
    top: &'s Cell,
}

impl Language for Amb {
    type State = State;
    type Choice = Choice;
    type Agent = Evaluator;
    type Resource = ();
    type Value = Answer;

    fn initial(&self) -> State {
        let root = self.program.root();
        let item = match self.program.expr(root) {
            Expr::Number(number) => Item::Value(number.clone()),
            Expr::Apply { .. } => Item::Enter(root),
        };
        self.settle(None, item)
    }

    fn enabled(&self, state: &State, choices: &mut Vec<Choice>) {
        match self.redex(state) {
            Some(Redex {
                operator: Operator::Plus,
                ..
            }) => choices.push(Choice::Add),
            Some(Redex {
                operator: Operator::Amb,
                count,
                ..
            }) => {
                choices.extend((0..count).map(Choice::Pick));
            }
            None => {}
        }
    }

    fn apply(&self, state: &State, choice: &Choice) -> Option<Next<State>> {
        let redex = self.redex(state)?;
        let value = self.value_of(&redex, *choice)?;
        Some(Next::one(
            self.settle(Self::around(&redex), Item::Value(value)),
        ))
    }

    fn outcome(&self, state: &State) -> Outcome<Answer> {
        match &state.0.item {
            Item::Value(value) if state.0.frame.is_none() => Outcome {
                verdict: Verdict::Finished,
                value: Answer::Number(value.clone()),
            },
            _ => Outcome {
                verdict: Verdict::Stuck,
                value: Answer::Stuck(self.show(state)),
            },
        }
    }

    fn agent(&self, _: &State, _: &Choice) -> Evaluator {
        Evaluator
    }

    fn label(&self, state: &State, choice: &Choice) -> Label {
        let rule = match choice {
            Choice::Add => "ADD",
            Choice::Pick(_) => "AMB",
        };
        let text = self.redex(state).and_then(|redex| {
            Some(format!(
                "{} → {}",
                self.show_redex(&redex),
                self.value_of(&redex, *choice)?
            ))
        });
        let span = self.redex_span(state);
        Label {
            rule,
            text: text.unwrap_or_else(|| "not enabled here".to_owned()),
            span,
        }
    }

    /// Every step changes the one expression.
    fn footprint(&self, _: &State, _: &Choice) -> Footprint<()> {
        Footprint {
            reads: Vec::new(),
            writes: vec![()],
        }
    }

    fn show(&self, state: &State) -> String {
        let mut cells: Vec<_> = state.cells().collect();
        cells.reverse();
        let mut text = String::new();
        // The applications that are entered, each with the first operand not yet written.
        let mut open: Vec<(ExprId, usize)> = Vec::new();
        for cell in cells {
            if let Some((id, written)) = open.last_mut() {
                let literal = |id: &&ExprId| matches!(self.program.expr(**id), Expr::Number(_));
                let operands = self.program.operands(*id).iter().skip(*written);
                for operand in operands.take_while(literal) {
                    text.push(' ');
                    self.show_expr(*operand, &mut text);
                    *written += 1;
                }
                text.push(' ');
                *written += 1;
            }
            match &cell.item {
                Item::Value(value) => text.push_str(&value.to_string()),
                Item::Enter(id) => {
                    if let Expr::Apply { operator, .. } = self.program.expr(*id) {
                        text.push('(');
                        text.push_str(operator.name());
                    }
                    open.push((*id, 0));
                }
            }
        }
        while let Some((id, written)) = open.pop() {
            for operand in self.program.operands(id).iter().skip(written) {
                text.push(' ');
                self.show_expr(*operand, &mut text);
            }
            text.push(')');
        }
        text
    }
}

impl Amb {
    fn show_expr(&self, id: ExprId, text: &mut String) {
        // Writing to a string cannot fail.
        let _ = self.program.write(id, text);
    }
}

impl State {
    /// Its cells from the innermost outwards.
    fn cells(&self) -> impl Iterator<Item = &Cell> {
        std::iter::successors(Some(&*self.0), |cell| cell.outer.as_deref())
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        let (mut a, mut b) = (&self.0, &other.0);
        loop {
            if Arc::ptr_eq(a, b) {
                return true;
            }
            if a.digest != b.digest || a.item != b.item {
                return false;
            }
            match (&a.outer, &b.outer) {
                (Some(outer_a), Some(outer_b)) => (a, b) = (outer_a, outer_b),
                (None, None) => return true,
                _ => return false,
            }
        }
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.0.digest);
    }
}

impl fmt::Debug for State {
    /// The digest: the text needs the program, see [`Language::show`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "State({:016x})", self.0.digest)
    }
}

impl Drop for Cell {
    /// Without recursion: a list may be as long as the program is deep.
    fn drop(&mut self) {
        let mut outer = self.outer.take();
        while let Some(mut cell) = outer.and_then(Arc::into_inner) {
            outer = cell.outer.take();
        }
    }
}
