//! Expressions to values, at a stop.

use borges_vm::Value;

use super::{
    Binary, Expression, ExpressionError, ExpressionErrorKind, MemoryKind, Node, NodeKind, Unary,
    WasmThing,
};
use crate::DebugInfo;
use crate::parts::Number;
use crate::place::{Place, Source, State};
use crate::show::{float_text, write_string};
use crate::variables::{Object, Stop};

/// Names that the embedder knows: arguments of a primitive, pins, counters.
///
/// They are asked for last, so that a program's own names always mean the program's variables.
pub trait Scope {
    /// The value of a name; `None` if it is not known.
    fn name(&self, name: &str) -> Option<Number>;

    /// The value of `name(arguments)`; `None` if it is not known.
    fn call(&self, name: &str, arguments: &[Number]) -> Option<Number>;
}

/// Knows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoScope;

impl Scope for NoScope {
    fn name(&self, _name: &str) -> Option<Number> {
        None
    }
    fn call(&self, _name: &str, _arguments: &[Number]) -> Option<Number> {
        None
    }
}

/// What an expression yields.
#[derive(Clone, Debug, PartialEq)]
pub enum Evaluated {
    /// A number that is nowhere: a sum, a comparison, something of the embedder's.
    Number(Number),
    /// A text of the expression itself.
    Text(String),
    /// Something of the program, with its type and place.
    Object(Object),
}

impl Evaluated {
    /// What a watchpoint would have to watch, if this is something of the program.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Evaluated::Object(object) => Some(&object.place),
            _ => None,
        }
    }
}

impl DebugInfo {
    /// Evaluates an expression at a stop.
    ///
    /// # Errors
    /// [`ExpressionError`] with the column of the part that has no value.
    pub fn evaluate(
        &self,
        expression: &Expression,
        stop: Stop,
        state: &dyn State,
        scope: &dyn Scope,
    ) -> Result<Evaluated, ExpressionError> {
        Evaluator {
            info: self,
            stop,
            state,
            scope,
        }
        .node(&expression.root)
    }

    /// True if an expression is neither zero nor null: what a condition asks.
    ///
    /// # Errors
    /// [`ExpressionError`] if it has no value, or one that is no number.
    pub fn holds(
        &self,
        expression: &Expression,
        stop: Stop,
        state: &dyn State,
        scope: &dyn Scope,
    ) -> Result<bool, ExpressionError> {
        let evaluator = Evaluator {
            info: self,
            stop,
            state,
            scope,
        };
        evaluator.number(&expression.root).map(is_true)
    }

    /// The result of an expression as text.
    pub fn show_evaluated(&self, value: &Evaluated, state: &dyn State) -> String {
        match value {
            Evaluated::Number(number) => number.to_string(),
            Evaluated::Text(text) => {
                let mut quoted = String::new();
                write_string(&mut quoted, text);
                quoted
            }
            Evaluated::Object(object) => self.show(object, state),
        }
    }

    /// The type of an expression's result, if it has one.
    pub fn type_of_evaluated(&self, value: &Evaluated) -> Option<String> {
        match value {
            Evaluated::Object(object) => Some(self.type_name(object.ty)),
            _ => None,
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Int(value) => write!(f, "{value}"),
            Number::Float(value) => f.write_str(&float_text(*value)),
        }
    }
}

struct Evaluator<'a> {
    info: &'a DebugInfo,
    stop: Stop,
    state: &'a dyn State,
    scope: &'a dyn Scope,
}

type Outcome<T> = Result<T, ExpressionError>;

fn error<T>(at: &Node, kind: impl Into<ExpressionErrorKind>) -> Outcome<T> {
    Err(ExpressionError {
        column: at.column,
        kind: kind.into(),
    })
}

impl Evaluator<'_> {
    fn node(&self, node: &Node) -> Outcome<Evaluated> {
        match &node.kind {
            NodeKind::Int(value) => Ok(Evaluated::Number(Number::Int(*value))),
            NodeKind::Float(value) => Ok(Evaluated::Number(Number::Float(*value))),
            NodeKind::Text(text) => Ok(Evaluated::Text(text.clone())),
            NodeKind::Name(name) => self.name(node, name),
            NodeKind::Wasm(thing, index) => self.wasm(node, *thing, *index),
            NodeKind::Memory(kind, address) => self.memory(*kind, address),
            NodeKind::Call(name, arguments) => {
                let arguments: Vec<Number> = arguments
                    .iter()
                    .map(|node| self.number(node))
                    .collect::<Outcome<_>>()?;
                match self.scope.call(name, &arguments) {
                    Some(number) => Ok(Evaluated::Number(number)),
                    None => self.unknown(node, name),
                }
            }
            NodeKind::Field(of, field) => {
                let object = self.object(of)?;
                match self.info.member(&object, field, self.state) {
                    Some(object) => Ok(Evaluated::Object(object)),
                    None => {
                        let ty = self.info.type_name(object.ty);
                        error(
                            node,
                            ExpressionErrorKind::NoField {
                                ty,
                                field: field.clone(),
                            },
                        )
                    }
                }
            }
            NodeKind::Index(of, index) => {
                let object = self.object(of)?;
                if let NodeKind::Text(key) = &index.kind
                    && let Some(found) = self.info.element_by_text(&object, key, self.state)
                {
                    return Ok(Evaluated::Object(found));
                }
                let at = self.integer(index)?;
                match self.info.element(&object, at, self.state) {
                    Some(object) => Ok(Evaluated::Object(object)),
                    None => {
                        let ty = self.info.type_name(object.ty);
                        error(index, ExpressionErrorKind::NoElement { ty, index: at })
                    }
                }
            }
            NodeKind::Unary(operator, operand) => self.unary(node, *operator, operand),
            NodeKind::Binary(operator, left, right) => self.binary(node, *operator, left, right),
        }
    }

    fn name(&self, node: &Node, name: &str) -> Outcome<Evaluated> {
        let mut locals = self.info.variables_at(self.stop).into_iter();
        let found = locals.rfind(|variable| variable.name == name);
        if found.is_none()
            && let Some(object) = self.info.member_of_this(name, self.stop, self.state)
        {
            return Ok(Evaluated::Object(object));
        }
        let found = found.or_else(|| self.info.global_named(name, self.stop.offset));
        if let Some(variable) = found {
            return match self.info.locate(&variable, self.stop, self.state) {
                Ok(object) => Ok(Evaluated::Object(object)),
                Err(why) => error(node, why),
            };
        }
        if let Some(value) = self.info.types().enumerator(name) {
            return Ok(Evaluated::Number(Number::Int(value)));
        }
        match self.scope.name(name) {
            Some(number) => Ok(Evaluated::Number(number)),
            None => self.unknown(node, name),
        }
    }

    fn unknown<T>(&self, node: &Node, name: &str) -> Outcome<T> {
        let locals = self.info.variables_at(self.stop);
        let globals = self.info.globals();
        let names = locals
            .iter()
            .chain(globals)
            .map(|variable| variable.name.as_str());
        let similar = similar(name, names).map(str::to_owned);
        error(
            node,
            ExpressionErrorKind::UnknownName {
                name: name.to_owned(),
                similar,
            },
        )
    }

    fn wasm(&self, node: &Node, thing: WasmThing, index: u32) -> Outcome<Evaluated> {
        let frame = self.stop.frame;
        let (value, source) = match thing {
            WasmThing::Local => (
                self.state.local(frame, index),
                Source::Local { frame, index },
            ),
            WasmThing::Operand => (
                self.state.operand(frame, index),
                Source::Operand { frame, index },
            ),
            WasmThing::Global => (self.state.global(index), Source::Global(index)),
        };
        match value.map(Value::ty) {
            Some(ty) => Ok(Evaluated::Object(self.info.wasm_object(ty, source))),
            None => {
                let word = match thing {
                    WasmThing::Local => "$local",
                    WasmThing::Operand => "$operand",
                    WasmThing::Global => "$global",
                };
                let name = format!("{word}{index}");
                error(
                    node,
                    ExpressionErrorKind::UnknownName {
                        name,
                        similar: None,
                    },
                )
            }
        }
    }

    fn memory(&self, kind: MemoryKind, address: &Node) -> Outcome<Evaluated> {
        let value = self.integer(address)?;
        let outside = || crate::Unavailable::OutsideMemory(value as u64);
        let Ok(start) = u32::try_from(value) else {
            return error(address, outside());
        };
        let mut bytes = [0; 8];
        let Some(buffer) = bytes.get_mut(..kind.bytes as usize) else {
            return error(address, outside());
        };
        if !self.state.memory(start, buffer) {
            return error(address, outside());
        }
        let object = self.info.memory_object(start, kind.bytes, kind.float);
        Ok(Evaluated::Object(object))
    }

    fn object(&self, node: &Node) -> Outcome<Object> {
        match self.node(node)? {
            Evaluated::Object(object) => Ok(object),
            Evaluated::Number(number) => {
                error(node, ExpressionErrorKind::NoTarget(number.to_string()))
            }
            Evaluated::Text(text) => error(node, ExpressionErrorKind::NoTarget(text)),
        }
    }

    fn unary(&self, node: &Node, operator: Unary, operand: &Node) -> Outcome<Evaluated> {
        let number = match operator {
            Unary::Target => {
                let object = self.object(operand)?;
                return match self.info.target(&object, self.state) {
                    Some(target) => Ok(Evaluated::Object(target)),
                    None => {
                        let ty = self.info.type_name(object.ty);
                        error(node, ExpressionErrorKind::NoTarget(ty))
                    }
                };
            }
            Unary::Address => match self.object(operand)?.place.address() {
                Some(address) => Number::Int(address.into()),
                None => return error(node, ExpressionErrorKind::NoAddress),
            },
            Unary::Not => Number::Int((!is_true(self.number(operand)?)).into()),
            Unary::Complement => Number::Int(!self.integer(operand)?),
            Unary::Negate => match self.number(operand)? {
                Number::Float(value) => Number::Float(-value),
                Number::Int(value) => match value.checked_neg() {
                    Some(value) => Number::Int(value),
                    None => return error(node, ExpressionErrorKind::Arithmetic),
                },
            },
        };
        Ok(Evaluated::Number(number))
    }

    fn binary(
        &self,
        node: &Node,
        operator: Binary,
        left: &Node,
        right: &Node,
    ) -> Outcome<Evaluated> {
        let truth = |holds: bool| Ok(Evaluated::Number(Number::Int(holds.into())));
        // The right side of && and || may make no sense when the left one decides: `p && *p`.
        match operator {
            Binary::And => {
                return truth(is_true(self.number(left)?) && is_true(self.number(right)?));
            }
            Binary::Or => {
                return truth(is_true(self.number(left)?) || is_true(self.number(right)?));
            }
            _ => {}
        }
        if let Some(equal) = self.texts_equal(operator, left, right)? {
            return truth(equal);
        }
        let (a, b) = (self.number(left)?, self.number(right)?);
        if let Some(holds) = compare(operator, a, b) {
            return truth(holds);
        }
        let result = match (a, b) {
            (Number::Int(a), Number::Int(b)) => integers(operator, a, b).map(Number::Int),
            (a, b) => match floats(operator, float(a), float(b)) {
                Some(value) => Some(Number::Float(value)),
                None => return error(node, ExpressionErrorKind::NotAnInteger),
            },
        };
        match result {
            Some(number) => Ok(Evaluated::Number(number)),
            None => error(node, ExpressionErrorKind::Arithmetic),
        }
    }

    /// Compares texts, if one side is a text of the expression.
    fn texts_equal(&self, operator: Binary, left: &Node, right: &Node) -> Outcome<Option<bool>> {
        let wanted = match operator {
            Binary::Equal => true,
            Binary::Unequal => false,
            _ => return Ok(None),
        };
        let (text, other) = match (&left.kind, &right.kind) {
            (NodeKind::Text(text), _) => (text, right),
            (_, NodeKind::Text(text)) => (text, left),
            _ => return Ok(None),
        };
        let found = match self.node(other)? {
            Evaluated::Text(text) => Some(text),
            Evaluated::Object(object) => self.info.text_of(&object, self.state),
            Evaluated::Number(_) => None,
        };
        match found {
            Some(found) => Ok(Some((found == *text) == wanted)),
            None => error(other, ExpressionErrorKind::NotANumber("this".to_owned())),
        }
    }

    fn number(&self, node: &Node) -> Outcome<Number> {
        match self.node(node)? {
            Evaluated::Number(number) => Ok(number),
            Evaluated::Text(text) => error(node, ExpressionErrorKind::NotANumber(text)),
            Evaluated::Object(object) => match self.info.number(&object, self.state) {
                Ok(Some(number)) => Ok(number),
                Ok(None) => {
                    let ty = self.info.type_name(object.ty);
                    error(node, ExpressionErrorKind::NotANumber(ty))
                }
                Err(why) => error(node, why),
            },
        }
    }

    fn integer(&self, node: &Node) -> Outcome<i128> {
        match self.number(node)? {
            Number::Int(value) => Ok(value),
            Number::Float(_) => error(node, ExpressionErrorKind::NotAnInteger),
        }
    }
}

fn is_true(number: Number) -> bool {
    match number {
        Number::Int(value) => value != 0,
        Number::Float(value) => value != 0.0,
    }
}

fn float(number: Number) -> f64 {
    match number {
        Number::Int(value) => value as f64,
        Number::Float(value) => value,
    }
}

/// `None` of operators that do not compare.
fn compare(operator: Binary, a: Number, b: Number) -> Option<bool> {
    let order = match (a, b) {
        (Number::Int(a), Number::Int(b)) => Some(a.cmp(&b)),
        (a, b) => float(a).partial_cmp(&float(b)),
    };
    // Not-a-number is unequal to everything and neither less nor greater.
    Some(match operator {
        Binary::Equal => order.is_some_and(|order| order.is_eq()),
        Binary::Unequal => order.is_none_or(|order| order.is_ne()),
        Binary::Less => order.is_some_and(|order| order.is_lt()),
        Binary::LessOrEqual => order.is_some_and(|order| order.is_le()),
        Binary::Greater => order.is_some_and(|order| order.is_gt()),
        Binary::GreaterOrEqual => order.is_some_and(|order| order.is_ge()),
        _ => return None,
    })
}

/// `None` if there is no result.
fn integers(operator: Binary, a: i128, b: i128) -> Option<i128> {
    // A shift by 127 or more keeps nothing but the sign.
    let shift = u32::try_from(b).ok().map(|shift| shift.min(127));
    match operator {
        Binary::Add => a.checked_add(b),
        Binary::Subtract => a.checked_sub(b),
        Binary::Multiply => a.checked_mul(b),
        Binary::Divide => a.checked_div(b),
        Binary::Remainder => a.checked_rem(b),
        Binary::BitAnd => Some(a & b),
        Binary::BitOr => Some(a | b),
        Binary::BitXor => Some(a ^ b),
        Binary::ShiftLeft => {
            let shift = shift?;
            let shifted = a.checked_shl(shift)?;
            (shifted >> shift == a).then_some(shifted)
        }
        Binary::ShiftRight => a.checked_shr(shift?),
        _ => None,
    }
}

/// `None` of operators that floats do not have.
fn floats(operator: Binary, a: f64, b: f64) -> Option<f64> {
    Some(match operator {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        Binary::Divide => a / b,
        Binary::Remainder => a % b,
        _ => return None,
    })
}

/// The known name that is nearest to a wrong one, if it is near enough to be a slip.
fn similar<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = |known: &'a str| Some((distance(name, known)?, known));
    names.filter_map(near).min().map(|(_, known)| known)
}

/// Letters to change, add or remove, if that is no more than a third of them.
fn distance(a: &str, b: &str) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let most = a.len().max(b.len()).div_ceil(3);
    if a.len().abs_diff(b.len()) > most || a.len() > 64 || b.len() > 64 {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (y, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let changed = diagonal + usize::from(!x.eq_ignore_ascii_case(y));
            diagonal = *cell;
            *cell = changed.min(*cell + 1).min(left + 1);
            left = *cell;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().filter(|&distance| distance <= most)
}
