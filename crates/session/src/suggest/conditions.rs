//! Conditions on a device program's states, as expressions of the source.

use std::cell::RefCell;

use borges_board::{Action, BoardState, PrimitiveId, PrimitiveKind};
use borges_concolic::{
    Arithmetic, Comparator, End, Looked, Numbers, Open, Path, Said, Symbolic, Watched,
};
use borges_debuginfo::{
    Binary, DebugInfo, Expression, ExpressionError, ExpressionErrorKind, FramePoint, Holder,
    Number, NumberAt, Piece, Scope, Stopped, Term, Unavailable,
};
use borges_stub::{Call, Program};
use borges_vm::{CodeOffset, FrameView, FuncIdx, Machine, Value};

use super::Subject;
use super::walk::broken;
use crate::program::loaded::{line_begins, or_all};
use crate::scene::{Machines, number_of};

/// What is said of a program's states.
pub(super) struct Conditions<'s> {
    subject: &'s Subject,
    conditions: Vec<Condition>,
    /// So many limits of the board are conditions too, after the others: each holds before a call that breaks it.
    limits: u32,
}

struct Condition {
    expression: Expression,
    /// The calls that it names.
    calls: Vec<PrimitiveId>,
    /// Whether it had a value anywhere; if not, why not.
    known: RefCell<Result<(), String>>,
    /// Why it had none somewhere where it means something.
    unclear: RefCell<Option<String>>,
}

/// So many conditions can be watched at once.
const MOST: usize = 64;

impl<'s> Conditions<'s> {
    /// Conditions as texts.
    ///
    /// # Errors
    /// What is wrong with one: it cannot be read, or names something that there is nowhere in the program.
    pub(super) fn new(subject: &'s Subject, texts: &[String]) -> Result<Self, String> {
        if texts.len() > MOST {
            return Err(format!("at most {MOST} conditions can be watched at once"));
        }
        let module = &subject.program.module;
        let begins = match texts {
            [] => Vec::new(),
            _ => or_all(&line_begins(module, &subject.info), module),
        };
        let all = texts
            .iter()
            .map(|text| Condition::new(subject, text, &begins));
        Ok(Conditions {
            subject,
            conditions: all.collect::<Result<_, String>>()?,
            limits: 0,
        })
    }

    /// These, and all limits of the board.
    ///
    /// # Errors
    /// They are too many at once.
    pub(super) fn with_limits(self) -> Result<Self, String> {
        let limits = self.subject.program.board.invariants.len();
        if self.conditions.len() + limits > MOST {
            return Err(format!(
                "at most {MOST} conditions can be watched at once, with the board's limits"
            ));
        }
        Ok(Conditions {
            limits: limits as u32,
            ..self
        })
    }

    /// The program.
    pub(super) const fn subject(&self) -> &'s Subject {
        self.subject
    }

    /// All but the limits, as they were written.
    pub(super) fn texts(&self) -> Vec<String> {
        let texts = self.conditions.iter();
        texts
            .map(|known| known.expression.text().to_owned())
            .collect()
    }

    /// The numbers of those that are limits of the board.
    pub(super) fn limits(&self) -> std::ops::Range<u32> {
        self.conditions.len() as u32..self.count()
    }

    /// Which limit of the board a condition is, if it is one.
    fn limit(&self, number: u32) -> Option<u32> {
        let limit = number.checked_sub(self.conditions.len() as u32)?;
        (limit < self.limits).then_some(limit)
    }

    /// What the call that comes next would make of what a limit is about.
    pub(super) fn would_be(&self, number: u32, at: (&Machine, &BoardState)) -> Option<String> {
        let broken = broken(&self.subject.program, at, self.limit(number)?)?;
        Some(format!("it would be {}", broken.value))
    }

    /// A run that has come to where a condition holds: if that is a limit, it ends because of it.
    pub(super) fn breaking(&self, number: u32, run: Path) -> Path {
        let at = match run.end {
            End::Stopped(at) => Some(at),
            _ => None,
        };
        match self.limit(number) {
            Some(limit) => Path {
                end: End::Broke(limit, at),
                ..run
            },
            None => run,
        }
    }

    fn breaks(&self, limit: u32, at: (&Machine, &BoardState), looked: &mut Vec<Looked>) -> Said {
        if untold(self.subject, limit).is_some() {
            return Said::Fails;
        }
        let program = &self.subject.program;
        let Some(call) = at.0.pending() else {
            return Said::Fails;
        };
        let id = program.primitive(call.func.0);
        if id.is_none_or(|id| !program.board.may_break(id)) {
            return Said::Fails;
        }
        looked.extend(call.cells.map(Looked::Cell));
        Said::from(broken(program, at, limit).is_some())
    }

    /// A condition as it was written.
    pub(super) fn text(&self, number: u32) -> &str {
        if let Some(limit) = self.limit(number) {
            let limit = self.subject.program.board.invariants.get(limit as usize);
            return limit.map_or("", |limit| &limit.text);
        }
        let condition = self.conditions.get(number as usize);
        condition.map_or("", |condition| condition.expression.text())
    }

    /// Whether a program is looked at before a call: it reads an input, lets time pass, or is one that they name.
    pub(super) fn is_looked_at(&self, call: &Call<'_>) -> bool {
        let board = &self.subject.program.board;
        let Some(primitive) = board.primitive(call.primitive) else {
            return false;
        };
        let lets_time_pass = || {
            let action = board.action(call.primitive, call.args, call.memory);
            matches!(action, Ok(Action::Wait { .. }))
        };
        self.stops_before(call.primitive)
            || match primitive.kind {
                PrimitiveKind::Input => board
                    .check_input(call.primitive, call.args, call.memory.len())
                    .is_ok(),
                _ => lets_time_pass(),
            }
    }

    /// The conditions that had a value nowhere, and why.
    pub(super) fn troubles(&self) -> impl Iterator<Item = (&str, String)> {
        (0..self.count()).filter_map(|number| Some((self.text(number), self.trouble(number)?)))
    }

    /// Why a condition had a value in none of the states, if it had none.
    pub(super) fn trouble(&self, number: u32) -> Option<String> {
        if let Some(limit) = self.limit(number) {
            return untold(self.subject, limit);
        }
        let condition = self.conditions.get(number as usize)?;
        condition.known.borrow().as_ref().err().cloned()
    }

    /// Why a condition means something in none of the states.
    pub(super) fn why_nothing(&self, number: u32) -> String {
        let why = self.trouble(number).filter(|why| !why.is_empty());
        why.unwrap_or_else(|| "nowhere does the program stop where it means something".to_owned())
    }

    /// Forgets what was noted of conditions where they were looked at.
    pub(super) fn forget(&self) {
        for condition in &self.conditions {
            *condition.known.borrow_mut() = Err(String::new());
            *condition.unclear.borrow_mut() = None;
        }
    }

    /// Why it is not known somewhere what a condition comes to.
    pub(super) fn unclear(&self, number: u32) -> String {
        let condition = self.conditions.get(number as usize);
        let unclear = condition.and_then(|condition| condition.unclear.borrow().clone());
        match unclear {
            Some(why) => format!("somewhere nobody knows what it is: {why}"),
            None => {
                "somewhere it depends on more combinations of inputs than were tried".to_owned()
            }
        }
    }
}

/// Why nobody can say whether a limit is broken, if that is so: it is about time, and more of that passes for the program
/// than is followed.
fn untold(subject: &Subject, limit: u32) -> Option<String> {
    let board = &subject.program.board;
    let mut primitives = subject.start.primitives.iter();
    let clock = primitives.find(|id| board.tells_time(**id))?;
    let name = &board.primitive(*clock)?.name;
    board.asks_clocks(limit).then(|| {
        format!(
            "the program calls {name}, and what time passes between its calls is not followed here: 'borges run' and \
             sessions look at it"
        )
    })
}

/// The limits of which nobody can say whether they are broken, and why.
pub(super) fn untold_limits(subject: &Subject) -> impl Iterator<Item = String> {
    let limits = (0..).zip(&subject.program.board.invariants);
    limits.filter_map(|(number, limit)| {
        let why = untold(subject, number)?;
        Some(format!("whether {} is broken: {why}", limit.text))
    })
}

impl Condition {
    fn new(subject: &Subject, text: &str, begins: &[CodeOffset]) -> Result<Self, String> {
        let scene = subject.scene(&subject.start.machine);
        let expression = scene.condition(text, begins);
        let expression = expression.map_err(|error| error.to_string())?;
        let calls = expression.calls().into_iter().map(|(name, arguments)| {
            let board = &subject.program.board;
            let known = |import: u32| {
                let id = subject.program.primitive(import)?;
                let primitive = board.primitive(id)?;
                (*primitive.name == *name).then_some((id, primitive.params.len()))
            };
            let found = (0..subject.start.primitives.len() as u32).find_map(known);
            match found {
                Some((id, takes)) if takes == arguments => Ok(id),
                Some((_, takes)) => Err(format!(
                    "'{text}': {name} takes {takes} argument{}, not {arguments}: it is never called so",
                    if takes == 1 { "" } else { "s" }
                )),
                None => Err(format!(
                    "'{text}': the program calls nothing named {name} of the board: 'borges inspect' lists what it imports"
                )),
            }
        });
        let calls = calls.collect::<Result<_, String>>()?;
        Ok(Condition {
            expression,
            calls,
            known: RefCell::new(Err(String::new())),
            unclear: RefCell::default(),
        })
    }

    /// What somebody finds in the innermost function in which the condition means something.
    ///
    /// # Errors
    /// It means something in none, or its value is not known.
    fn first<T>(
        &self,
        subject: &Subject,
        machine: &Machine,
        looked: &mut Vec<Looked>,
        find: impl Fn(&DebugInfo, FramePoint, &Watching<'_>) -> Result<T, ExpressionError>,
    ) -> Result<T, Said> {
        let watching = Watching {
            program: &subject.program,
            machine,
            looked: RefCell::new(looked),
        };
        for point in subject.scene(machine).stops() {
            let error = match find(&subject.info, point, &watching) {
                Ok(found) => {
                    *self.known.borrow_mut() = Ok(());
                    return Ok(found);
                }
                Err(error) => error,
            };
            if let Err(why) = &mut *self.known.borrow_mut() {
                *why = error.to_string();
            }
            match &error.kind {
                ExpressionErrorKind::UnknownName { .. } => {}
                ExpressionErrorKind::Unavailable(
                    Unavailable::OutsideMemory(_) | Unavailable::NullReference,
                ) => {
                    return Err(Said::Nothing);
                }
                ExpressionErrorKind::Unavailable(_) => {
                    *self.unclear.borrow_mut() = Some(error.to_string());
                    return Err(Said::Unclear);
                }
                _ => return Err(Said::Nothing),
            }
        }
        Err(Said::Nothing)
    }
}

impl Watched for Conditions<'_> {
    fn count(&self) -> u32 {
        self.conditions.len() as u32 + self.limits
    }

    fn holds(
        &self,
        number: u32,
        at @ (machine, _): (&Machine, &BoardState),
        looked: &mut Vec<Looked>,
    ) -> Said {
        if let Some(limit) = self.limit(number) {
            return self.breaks(limit, at, looked);
        }
        let Some(condition) = self.conditions.get(number as usize) else {
            return Said::Nothing;
        };
        let found = condition.first(self.subject, machine, looked, |info, point, watching| {
            info.holds(&condition.expression, point, watching, watching)
        });
        found.map_or_else(|said| said, Said::from)
    }

    fn look(
        &self,
        number: u32,
        at @ (machine, _): (&Machine, &BoardState),
        looked: &mut Vec<Looked>,
    ) -> Said {
        let Some(condition) = self.conditions.get(number as usize) else {
            return self.holds(number, at, looked);
        };
        let found = condition.first(self.subject, machine, looked, |info, point, watching| {
            info.look_at_all(&condition.expression, point, watching, watching);
            info.holds(&condition.expression, point, watching, watching)
        });
        found.map_or_else(|said| said, Said::from)
    }

    fn decide(
        &self,
        number: u32,
        numbers: &mut Numbers<'_>,
        looked: &mut Vec<Looked>,
    ) -> Result<Said, Open> {
        let condition = self.conditions.get(number as usize).ok_or(Open::Unfit)?;
        let machine = numbers.machine();
        let found = condition.first(self.subject, machine, looked, |info, point, watching| {
            info.term(&condition.expression, point, watching, watching)
        });
        let term = match found {
            Ok(term) => term,
            // It may mean something for other values.
            Err(said) if looked.iter().all(|place| numbers.is_known(*place)) => return Ok(said),
            Err(_) => return Err(Open::Unfit),
        };
        // Where it looks must not depend on what is not known.
        if looked.iter().any(|place| !numbers.is_known(*place)) {
            return Err(Open::Unfit);
        }
        let mut terms = Terms { numbers, looked };
        terms.truth(&term).map(Said::from)
    }

    fn stops_before(&self, primitive: PrimitiveId) -> bool {
        let mut conditions = self.conditions.iter();
        self.limits > 0 && self.subject.program.board.may_break(primitive)
            || conditions.any(|condition| condition.calls.contains(&primitive))
    }
}

fn local(view: &FrameView, index: u32) -> Looked {
    Looked::Cell(view.local_cell(index as usize))
}

fn operand(view: &FrameView, index: u32) -> Looked {
    Looked::Cell(view.operand_cell(index as usize))
}

/// What is looked at to read something; nothing of what is computed, was removed, or does not change.
fn looked_at(machine: &Machine, holder: &Holder) -> Option<Looked> {
    Some(match *holder {
        Holder::Memory {
            memory: 0,
            address,
            length,
        } => Looked::Bytes(address, length),
        Holder::Local { frame, index } => local(&machine.frame(frame as usize)?, index),
        Holder::Operand { frame, index } => operand(&machine.frame(frame as usize)?, index),
        Holder::Global(at) => Looked::Global(at),
        // Memories but the first are as they were, whatever comes: no future goes on behind a write to them.
        Holder::Memory { .. } | Holder::Computed(_) | Holder::Removed => return None,
    })
}

/// A machine, and what was looked at of it.
struct Watching<'w> {
    program: &'w Program,
    machine: &'w Machine,
    looked: RefCell<&'w mut Vec<Looked>>,
}

impl Watching<'_> {
    fn note(&self, place: Looked) {
        let mut looked = self.looked.borrow_mut();
        if !looked.contains(&place) {
            looked.push(place);
        }
    }
}

impl Stopped for Watching<'_> {
    fn local(&self, frame: u32, index: u32) -> Option<Value> {
        let view = self.machine.frame(frame as usize)?;
        let value = *view.locals.get(index as usize)?;
        self.note(local(&view, index));
        Some(value)
    }

    fn operand(&self, frame: u32, index: u32) -> Option<Value> {
        let view = self.machine.frame(frame as usize)?;
        let value = *view.operands.get(index as usize)?;
        self.note(operand(&view, index));
        Some(value)
    }

    fn global(&self, index: u32) -> Option<Value> {
        self.note(Looked::Global(index));
        Machines(self.machine).global(index)
    }

    fn memory(&self, memory: u32, address: u32, buffer: &mut [u8]) -> bool {
        if memory == 0 {
            self.note(Looked::Bytes(address, buffer.len() as u32));
        }
        Machines(self.machine).memory(memory, address, buffer)
    }

    fn table(&self, index: u32) -> Option<FuncIdx> {
        Machines(self.machine).table(index)
    }
}

/// Terms of conditions over numbers that inputs decide.
struct Terms<'t, 'n> {
    numbers: &'t mut Numbers<'n>,
    looked: &'t mut Vec<Looked>,
}

impl Terms<'_, '_> {
    fn truth(&mut self, term: &Term) -> Result<bool, Open> {
        let compares = |operator: &Binary| {
            Some(match operator {
                Binary::Equal => (Comparator::Equal, false, true),
                Binary::Unequal => (Comparator::Equal, false, false),
                Binary::Less => (Comparator::Less, false, true),
                Binary::LessOrEqual => (Comparator::LessOrEqual, false, true),
                Binary::Greater => (Comparator::Less, true, true),
                Binary::GreaterOrEqual => (Comparator::LessOrEqual, true, true),
                _ => return None,
            })
        };
        match term {
            Term::Not(inner) => Ok(!self.truth(inner)?),
            Term::Binary(Binary::And, left, right) => Ok(self.truth(left)? && self.truth(right)?),
            Term::Binary(Binary::Or, left, right) => Ok(self.truth(left)? || self.truth(right)?),
            Term::Binary(operator, left, right) if compares(operator).is_some() => {
                let (by, is_turned, expected) = compares(operator).ok_or(Open::Unfit)?;
                let (left, right) = (self.number(left)?, self.number(right)?);
                let (a, b) = if is_turned {
                    (right, left)
                } else {
                    (left, right)
                };
                Ok(self.numbers.compare(by, a, b)? == expected)
            }
            _ => {
                let (number, zero) = (self.number(term)?, self.numbers.number(0)?);
                Ok(!self.numbers.compare(Comparator::Equal, number, zero)?)
            }
        }
    }

    fn number(&mut self, term: &Term) -> Result<Symbolic, Open> {
        let arithmetic = |operator: &Binary| match operator {
            Binary::Add => Some(Arithmetic::Add),
            Binary::Subtract => Some(Arithmetic::Subtract),
            Binary::Multiply => Some(Arithmetic::Multiply),
            _ => None,
        };
        match term {
            Term::Number(value) => self.numbers.number(*value),
            Term::Read(reading) => self.read(reading),
            Term::Binary(operator, left, right) => match arithmetic(operator) {
                Some(by) => {
                    let (left, right) = (self.number(left)?, self.number(right)?);
                    self.numbers.arithmetic(by, left, right)
                }
                None => Err(Open::Unfit),
            },
            Term::Not(_) => {
                let truth = self.truth(term)?;
                self.numbers.number(truth.into())
            }
            Term::Other => Err(Open::Unfit),
        }
    }

    fn read(&mut self, reading: &NumberAt) -> Result<Symbolic, Open> {
        let Piece {
            source,
            offset,
            length,
        } = &reading.piece;
        if let Holder::Memory { memory: 1.., .. } = source {
            let value = reading.value(&Machines(self.numbers.machine()));
            return self.numbers.number(value.ok_or(Open::Unfit)?);
        }
        let place = match looked_at(self.numbers.machine(), source).ok_or(Open::Unfit)? {
            Looked::Bytes(address, _) => Looked::Bytes(address + offset, *length),
            place if *offset == 0 => place,
            _ => return Err(Open::Unfit),
        };
        self.looked.push(place);
        self.numbers.read(place, *length, reading.signed)
    }
}

/// `chip_digital_write(13, 1)` holds before that call.
impl Scope for Watching<'_> {
    fn name(&self, _: &str) -> Option<Number> {
        None
    }

    fn call(&self, name: &str, arguments: &[Number]) -> Option<Number> {
        let no = Some(Number::Int(0));
        let Some(call) = self.machine.pending() else {
            return no;
        };
        let primitive = self.program.primitive(call.func.0);
        let primitive = primitive.and_then(|id| self.program.board.primitive(id));
        if primitive.is_none_or(|primitive| *primitive.name != *name) {
            return no;
        }
        for cell in call.cells.clone() {
            self.note(Looked::Cell(cell));
        }
        let given = call.args.iter().map(|value| number_of(*value));
        Some(Number::Int(given.eq(arguments.iter().copied()).into()))
    }
}
