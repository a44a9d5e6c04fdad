//! The reduction rules of λ_amb on a representation that shares what universes have in common.
//!
//! A state is an expression in the middle of its evaluation. Operands of `+` to the left of the redex
//! are values, those to its right are still as they stand in the program: so it is a list from the
//! redex outwards of values and of applications that are entered, and the rest is looked up in the
//! program. One step makes a few new cells, and universes that fork share all others. Two states are
//! equal if and only if they are the same expression: cells compare what is written, never where in
//! the program it is written ([`super::shape`]). The place that a state tells for its redex is on the
//! way by which this state was made.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use borges_multiverse::fingerprint::Fingerprint;
use borges_multiverse::language::{Footprint, Label, Language, Next, Outcome, Span, Verdict};

use super::parse::{ParseError, parse};
use super::{Expr, ExprId, Number, Operator, Program, Shapes};
use crate::source;

/// Operands that a label shows before it says "…".
const SHOWN: usize = 8;

/// Bytes of an operand that a label shows before it says "…".
const LENGTH: usize = 40;

/// A program of λ_amb.
#[derive(Clone, Debug, PartialEq)]
pub struct Amb {
    pub(super) program: Program,
}

/// An expression being evaluated; belongs to one [`Amb`].
#[derive(Clone)]
pub struct State(Arc<Cell>);

/// One value, or one application that is entered.
struct Cell {
    item: Item,
    /// The cells further out.
    outer: Option<Arc<Cell>>,
    /// The sum whose operand stands here or comes next; none around the final value.
    frame: Option<ExprId>,
    /// How many of its operands have values.
    next: u32,
    /// What of the sum around an application that is entered comes after it (a shape).
    rest: u32,
    /// The digest of this cell and all further out.
    digest: u64,
}

#[derive(Clone)]
enum Item {
    /// A sum; its operands that have values lie on top.
    Open(ExprId),
    /// A choice, with its shape. Always on top.
    Choose(ExprId, u32),
    /// An operand's value, literal or computed.
    Value(Number),
}

impl Item {
    /// What it is, wherever it stands.
    const fn key(&self) -> (u8, u32, Option<&Number>) {
        match self {
            Self::Open(_) => (0, 0, None),
            Self::Choose(_, shape) => (1, *shape, None),
            Self::Value(number) => (2, 0, Some(number)),
        }
    }
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
    /// `(amb)` has nothing to choose from.
    Stuck(Stuck),
}

/// An expression in which `(amb)` has nothing to choose from. As with states, it does not matter to equality where in the
/// program it is written.
#[derive(Clone, Debug)]
pub struct Stuck {
    /// The expression.
    pub expression: String,
    /// The line of the `(amb)`, from 1, on the way by which this state was made.
    pub line: u32,
}

impl PartialEq for Stuck {
    fn eq(&self, other: &Self) -> bool {
        self.expression == other.expression
    }
}

impl Eq for Stuck {}

impl Hash for Stuck {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.expression.hash(hasher);
    }
}

impl PartialOrd for Stuck {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Stuck {
    fn cmp(&self, other: &Self) -> Ordering {
        self.expression.cmp(&other.expression)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Stuck(Stuck { expression, line }) => {
                write!(f, "nothing to choose in {expression}, line {line}")
            }
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

    /// The place in the source of what is reduced next; none in a value.
    #[must_use]
    pub fn redex_span(&self, state: &State) -> Option<Span> {
        let (Redex::Sum(id) | Redex::Choice(id)) = redex(state)?;
        self.program.spans.get(id.0 as usize).copied()
    }

    /// Puts an expression on top of `outer` and moves on to what is reduced next.
    fn settle(&self, outer: Option<Arc<Cell>>, expr: ExprId) -> State {
        self.go_on(outer, self.item(expr))
    }

    fn item(&self, id: ExprId) -> Item {
        match self.program.expr(id) {
            Expr::Number(number) => Item::Value(number.clone()),
            Expr::Apply { operator, .. } => match operator {
                Operator::Plus => Item::Open(id),
                Operator::Amb => Item::Choose(id, self.program.shapes.expr(id)),
            },
        }
    }

    /// As [`Amb::settle`], with what is put on top.
    fn go_on(&self, outer: Option<Arc<Cell>>, item: Item) -> State {
        let mut cell = self.cell(outer, item);
        while let Some(frame) = cell.frame
            && let Some(operand) = self.program.operands(frame).get(cell.next as usize)
        {
            let item = self.item(*operand);
            cell = self.cell(Some(Arc::new(cell)), item);
        }
        State(Arc::new(cell))
    }

    fn cell(&self, outer: Option<Arc<Cell>>, item: Item) -> Cell {
        let around = outer.as_ref().map(|outer| (outer.frame, outer.next));
        let (around, nth) = around.unwrap_or((None, 0));
        let (frame, next) = match &item {
            Item::Open(id) => (Some(*id), 0),
            Item::Choose(..) => (None, 0),
            Item::Value(_) => (around, nth + 1),
        };
        let rest = match (&item, around) {
            (Item::Open(_) | Item::Choose(..), Some(around)) => self.program.rest(around, nth + 1),
            _ => Shapes::EMPTY,
        };
        let key = (item.key(), rest);
        let digest = Fingerprint::of(&(outer.as_ref().map_or(0, |outer| outer.digest), key)).0;
        Cell {
            item,
            outer,
            frame,
            next,
            rest,
            digest,
        }
    }

    /// What a choice becomes; none if it has no such operand.
    fn picked(&self, redex: ExprId, index: u32) -> Option<ExprId> {
        let operands = self.program.operands(redex);
        operands.get(index as usize).copied()
    }

    /// The step in words.
    fn told(&self, state: &State, choice: Choice) -> Option<String> {
        Some(match (redex(state)?, choice) {
            (Redex::Sum(_), Choice::Add) => {
                let (values, _) = operands(state);
                let shown = values.iter().rev().take(SHOWN);
                let shown: String = shown.map(|value| format!(" {value}")).collect();
                let more = if values.len() > SHOWN { " …" } else { "" };
                format!("(+{shown}{more}) → {}", sum(&values))
            }
            (Redex::Choice(id), Choice::Pick(index)) => {
                let picked = self.picked(id, index)?;
                let operands = self.program.operands(id);
                let shown = operands.iter().take(SHOWN).map(|id| self.in_short(*id));
                let shown: String = shown.map(|operand| format!(" {operand}")).collect();
                let more = if operands.len() > SHOWN { " …" } else { "" };
                format!("(amb{shown}{more}) → {}", self.in_short(picked))
            }
            _ => return None,
        })
    }

    /// An expression, cut where it is long. Numbers are shown in full.
    fn in_short(&self, id: ExprId) -> String {
        if let Expr::Number(number) = self.program.expr(id) {
            return number.to_string();
        }
        let mut short = Short {
            text: String::new(),
            left: LENGTH,
        };
        match self.program.write(id, &mut short) {
            Ok(()) => short.text,
            Err(_) => short.text + "…",
        }
    }
}

/// What is reduced next.
#[derive(Clone, Copy)]
enum Redex {
    /// A sum all of whose operands have values.
    Sum(ExprId),
    /// A choice.
    Choice(ExprId),
}

/// What is reduced next; none in a value.
fn redex(state: &State) -> Option<Redex> {
    match state.0.item {
        Item::Choose(id, _) => Some(Redex::Choice(id)),
        _ => state.0.frame.map(Redex::Sum),
    }
}

/// The values of the sum that is reduced next, last first, and the cells around it.
fn operands(state: &State) -> (Vec<&Number>, Option<Arc<Cell>>) {
    let mut values = Vec::new();
    let mut cell = &*state.0;
    while let Item::Value(value) = &cell.item {
        values.push(value);
        match cell.outer.as_deref() {
            Some(outer) => cell = outer,
            None => return (values, None),
        }
    }
    (values, cell.outer.clone())
}

fn sum(values: &[&Number]) -> Number {
    let sum = |sum: Number, value: &&Number| sum.plus(value);
    values.iter().fold(Number::ZERO, sum)
}

/// A text with room for so many more bytes.
struct Short {
    text: String,
    left: usize,
}

impl fmt::Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // What the program writes at once is a parenthesis, an operator or a number: all ASCII.
        let fits = text.len().min(self.left);
        self.text.push_str(text.get(..fits).unwrap_or_default());
        self.left -= fits;
        if fits == text.len() {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}

impl Language for Amb {
    type State = State;
    type Choice = Choice;
    type Agent = Evaluator;
    type Resource = ();
    type Value = Answer;

    fn initial(&self) -> State {
        self.settle(None, self.program.root())
    }

    fn enabled(&self, state: &State, choices: &mut Vec<Choice>) {
        match redex(state) {
            Some(Redex::Sum(_)) => choices.push(Choice::Add),
            Some(Redex::Choice(id)) => {
                // Within u32, as is the number of operands.
                let count = self.program.operands(id).len() as u32;
                choices.extend((0..count).map(Choice::Pick));
            }
            None => {}
        }
    }

    fn apply(&self, state: &State, choice: &Choice) -> Option<Next<State>> {
        Some(Next::one(match (redex(state)?, *choice) {
            (Redex::Sum(_), Choice::Add) => {
                let (values, around) = operands(state);
                self.go_on(around, Item::Value(sum(&values)))
            }
            (Redex::Choice(id), Choice::Pick(index)) => {
                self.settle(state.0.outer.clone(), self.picked(id, index)?)
            }
            _ => return None,
        }))
    }

    fn outcome(&self, state: &State) -> Outcome<Answer> {
        match &state.0.item {
            Item::Value(value) if state.0.frame.is_none() => Outcome {
                verdicts: Verdict::Finished.into(),
                value: Answer::Number(value.clone()),
            },
            _ => Outcome {
                verdicts: Verdict::Stuck.into(),
                value: Answer::Stuck(Stuck {
                    expression: self.show(state),
                    line: self
                        .redex_span(state)
                        .map_or(0, |span| source::line_of(&self.program.line_starts, span)),
                }),
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
        let text = self.told(state, *choice);
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
        // The sums that are entered, each with the number of operands that are written.
        let mut open: Vec<(ExprId, usize)> = Vec::new();
        for cell in cells {
            if let Some((_, written)) = open.last_mut() {
                text.push(' ');
                *written += 1;
            }
            match &cell.item {
                Item::Value(value) => text.push_str(&value.to_string()),
                Item::Choose(id, _) => self.show_expr(*id, &mut text),
                Item::Open(id) => {
                    text.push_str("(+");
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
            if a.digest != b.digest || a.rest != b.rest || a.item.key() != b.item.key() {
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
