//! Expressions to values, at a stop.

use borges_vm::Value;

use super::arithmetic::{compare, float, floats, integers, is_true};
use super::names::Known;
use super::{
    Binary, Expression, ExpressionError, ExpressionErrorKind, MAX_ELEMENTS, MemoryKind, Node,
    NodeKind, TypeName, Unary, WasmThing,
};
use crate::DebugInfo;
use crate::child::Number;
use crate::place::{Holder, Piece, Stopped, Unavailable, ValuePlace};
use crate::show::{float_text, write_string};
use crate::types::TypeId;
use crate::variables::{FramePoint, Object};

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
    /// A pointer that a cast or `&` made.
    Pointer {
        /// The type of what it points to.
        to: TypeId,
        /// The memory that it points into; the first is 0.
        memory: u32,
        /// Where that lies.
        address: u32,
    },
    /// Some elements of an array.
    Elements(Vec<Object>),
}

impl Evaluated {
    /// What a watchpoint would have to watch, if this is something of the program.
    pub fn place(&self) -> Option<ValuePlace> {
        match self {
            Evaluated::Object(object) => Some(object.place.clone()),
            Evaluated::Elements(objects) => {
                let pieces = objects
                    .iter()
                    .flat_map(|object| object.place.pieces.clone());
                let memory = objects.first().map_or(0, |object| object.place.memory);
                Some(ValuePlace {
                    memory,
                    pieces: pieces.fold(Vec::new(), joined),
                })
            }
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
        stop: FramePoint,
        state: &dyn Stopped,
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
        stop: FramePoint,
        state: &dyn Stopped,
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
    pub fn show_evaluated(&self, value: &Evaluated, state: &dyn Stopped) -> String {
        match value {
            Evaluated::Number(number) => number.to_string(),
            Evaluated::Text(text) => {
                let mut quoted = String::new();
                write_string(&mut quoted, text);
                quoted
            }
            Evaluated::Object(object) => self.show(object, state),
            Evaluated::Pointer { address, .. } => format!("{address:#x}"),
            Evaluated::Elements(objects) => {
                let shown: Vec<String> = objects
                    .iter()
                    .map(|object| self.show(object, state))
                    .collect();
                format!("[{}]", shown.join(", "))
            }
        }
    }

    /// The result of an expression as a number, if it is one and can be read.
    pub fn number_of(&self, value: &Evaluated, state: &dyn Stopped) -> Option<Number> {
        match value {
            Evaluated::Number(number) => Some(*number),
            Evaluated::Pointer { address, .. } => Some(Number::Int((*address).into())),
            Evaluated::Object(object) => self.number(object, state).ok()?,
            Evaluated::Text(_) | Evaluated::Elements(_) => None,
        }
    }

    /// The type of an expression's result, if it has one.
    pub fn type_of_evaluated(&self, value: &Evaluated) -> Option<String> {
        match value {
            Evaluated::Object(object) => Some(self.type_name(object.ty)),
            Evaluated::Pointer { to, .. } => Some(format!("{} *", self.type_name(*to))),
            Evaluated::Elements(objects) => {
                let first = objects.first().map(|object| self.type_name(object.ty))?;
                Some(format!("{first}[{}]", objects.len()))
            }
            Evaluated::Number(_) | Evaluated::Text(_) => None,
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

/// Bytes of memory that follow each other are one piece.
fn joined(mut pieces: Vec<Piece>, piece: Piece) -> Vec<Piece> {
    if let (
        Some(Piece {
            source:
                Holder::Memory {
                    memory,
                    address,
                    length,
                },
            length: whole,
            ..
        }),
        Holder::Memory {
            memory: other,
            address: next,
            length: more,
        },
    ) = (pieces.last_mut(), &piece.source)
        && memory == other
        && address.checked_add(*length) == Some(*next)
    {
        *length += more;
        *whole = *length;
        return pieces;
    }
    pieces.push(piece);
    pieces
}

pub(super) struct Evaluator<'a> {
    pub(super) info: &'a DebugInfo,
    pub(super) stop: FramePoint,
    pub(super) state: &'a dyn Stopped,
    pub(super) scope: &'a dyn Scope,
}

type Outcome<T> = Result<T, ExpressionError>;

fn error<T>(at: &Node, kind: impl Into<ExpressionErrorKind>) -> Outcome<T> {
    Err(ExpressionError {
        column: at.column,
        kind: kind.into(),
    })
}

impl Evaluator<'_> {
    /// The memory that addresses which the user writes are in: that of the code at the stop.
    fn here(&self) -> u32 {
        self.info.memory_at(self.stop.offset)
    }

    pub(super) fn node(&self, node: &Node) -> Outcome<Evaluated> {
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
            NodeKind::Field(of, field) => self.field(node, of, field),
            NodeKind::Index(of, index) => {
                let of = (&**of, self.node(of)?);
                if let (NodeKind::Text(key), Evaluated::Object(object)) = (&index.kind, &of.1) {
                    if let Some(found) = self.info.element_by_text(object, key, self.state) {
                        return Ok(Evaluated::Object(found));
                    }
                    if self.info.may_hold_more(object, self.state) {
                        return error(index, Unavailable::TooLarge);
                    }
                }
                let at = self.integer(index)?;
                if let Evaluated::Pointer {
                    to,
                    memory,
                    address,
                } = of.1
                {
                    let size = self.size_of_type(node, to, &self.info.type_name(to))?;
                    let address = at
                        .checked_mul(size.into())
                        .map(|by| by + i128::from(address));
                    return match address.map(u32::try_from) {
                        Some(Ok(address)) => self
                            .pointed(node, to, memory, address)
                            .map(Evaluated::Object),
                        _ => error(index, ExpressionErrorKind::Arithmetic),
                    };
                }
                let object = self.as_object(of.0, of.1)?;
                self.element(index, &object, at).map(Evaluated::Object)
            }
            NodeKind::Range(of, from, to) => self.range(node, of, from.as_deref(), to.as_deref()),
            NodeKind::Cast(ty, operand) => self.cast(node, ty, operand),
            NodeKind::SizeOf(operand) => self.size_of(operand),
            NodeKind::SizeOfType(ty) => {
                let size = match ty.pointers {
                    0 => self.size_of_type(node, self.type_id(node, ty)?, &ty.name)?,
                    _ => self.info.types().pointer_bytes(),
                };
                Ok(Evaluated::Number(Number::Int(size.into())))
            }
            NodeKind::Unary(operator, operand) => self.unary(node, *operator, operand),
            NodeKind::Binary(operator, left, right) => self.binary(node, *operator, left, right),
        }
    }

    fn name(&self, node: &Node, name: &str) -> Outcome<Evaluated> {
        match self.known(node, name)? {
            Some(value) => Ok(value),
            None => self.unknown(node, name),
        }
    }

    /// What a name means; nothing if nobody knows it.
    fn known(&self, node: &Node, name: &str) -> Outcome<Option<Evaluated>> {
        let mut locals = self.info.variables_at(self.stop).into_iter();
        let found = locals.rfind(|variable| variable.name == name);
        if found.is_none()
            && let Some(object) = self.info.member_of_this(name, self.stop, self.state)
        {
            return Ok(Some(Evaluated::Object(object)));
        }
        let found = found.or_else(|| self.info.global_named(name, self.stop.offset));
        if let Some(variable) = found {
            return match self.info.locate(&variable, self.stop, self.state) {
                Ok(object) => Ok(Some(Evaluated::Object(object))),
                Err(why) => error(node, why),
            };
        }
        let number = match self.info.types().enumerator(name) {
            Some(value) => Some(Number::Int(value)),
            None => self.scope.name(name),
        };
        Ok(number.map(Evaluated::Number))
    }

    fn unknown<T>(&self, node: &Node, name: &str) -> Outcome<T> {
        let locals = self.info.variables_at(self.stop);
        let globals = self.info.globals();
        let names = locals
            .iter()
            .rev()
            .chain(globals)
            .map(|variable| variable.name.as_str());
        error(
            node,
            ExpressionErrorKind::UnknownName {
                name: name.to_owned(),
                known: Known::near(name, names),
            },
        )
    }

    /// A field of a value; or `Mode.Heat`, the variant of an enum or the global of that name.
    fn field(&self, node: &Node, of: &Node, field: &str) -> Outcome<Evaluated> {
        if let NodeKind::Name(root) = &of.kind
            && let Ok(None) = self.known(of, root)
        {
            for between in [".", "::"] {
                if let Some(value) = self.known(node, &format!("{root}{between}{field}"))? {
                    return Ok(value);
                }
            }
        }
        let object = self.object(of)?;
        if let Some(object) = self.info.member(&object, field, self.state) {
            return Ok(Evaluated::Object(object));
        }
        let object = self.info.target(&object, self.state).unwrap_or(object);
        let children = self
            .info
            .children(&object, self.state, 0, MAX_ELEMENTS as u64);
        let names = children
            .iter()
            .map(|child| child.name.as_str())
            .filter(|name| !name.starts_with(['[', '*']));
        let known = Known::near(field, names);
        let (ty, field) = (self.info.type_name(object.ty), field.to_owned());
        error(node, ExpressionErrorKind::NoField { ty, field, known })
    }

    fn element(&self, at: &Node, object: &Object, index: i128) -> Outcome<Object> {
        match self.info.element(object, index, self.state) {
            Some(element) => Ok(element),
            None if self.info.may_hold_more(object, self.state) => error(at, Unavailable::TooLarge),
            None => {
                let ty = self.info.type_name(object.ty);
                error(at, ExpressionErrorKind::NoElement { ty, index })
            }
        }
    }

    /// `v[2..5]`: elements 2, 3 and 4, as in Rust.
    fn range(
        &self,
        node: &Node,
        of: &Node,
        from: Option<&Node>,
        to: Option<&Node>,
    ) -> Outcome<Evaluated> {
        let object = self.object(of)?;
        let first = from.map_or(Ok(0), |from| self.integer(from))?;
        let end = match to {
            Some(to) => self.integer(to)?,
            None => self.info.child_count(&object, self.state).into(),
        };
        let count = end.checked_sub(first).and_then(|n| usize::try_from(n).ok());
        if count.is_none_or(|count| count > MAX_ELEMENTS) {
            return error(node, ExpressionErrorKind::BadRange(first, end));
        }
        let elements =
            (first..end).map(|index| self.element(to.or(from).unwrap_or(node), &object, index));
        elements.collect::<Outcome<_>>().map(Evaluated::Elements)
    }

    fn type_id(&self, node: &Node, ty: &TypeName) -> Outcome<TypeId> {
        match self.info.type_named(&ty.name) {
            Some(found) => Ok(found),
            None => {
                let known = Known::near(&ty.name, self.info.type_names().into_iter());
                let name = ty.name.clone();
                error(node, ExpressionErrorKind::UnknownType { name, known })
            }
        }
    }

    fn size_of_type(&self, node: &Node, ty: TypeId, name: &str) -> Outcome<u32> {
        match self.info.types().size(ty) {
            Some(size) => Ok(size),
            None => error(node, ExpressionErrorKind::NoSize(name.to_owned())),
        }
    }

    fn size_of(&self, operand: &Node) -> Outcome<Evaluated> {
        if let NodeKind::Name(name) = &operand.kind
            && let Ok(None) = self.known(operand, name)
            && let Some(ty) = self.info.type_named(name)
        {
            let size = self.size_of_type(operand, ty, name)?;
            return Ok(Evaluated::Number(Number::Int(size.into())));
        }
        let value = self.node(operand)?;
        let size = match &value {
            Evaluated::Object(object) => object.place.length(),
            Evaluated::Elements(objects) => objects.iter().map(|o| o.place.length()).sum(),
            Evaluated::Pointer { .. } => self.info.types().pointer_bytes(),
            Evaluated::Number(number) => {
                return error(operand, ExpressionErrorKind::NoSize(number.to_string()));
            }
            Evaluated::Text(text) => text.len() as u32,
        };
        Ok(Evaluated::Number(Number::Int(size.into())))
    }

    /// `(TYPE)x`: wraps integers, cuts floats towards zero, makes pointers and enums of numbers.
    fn cast(&self, node: &Node, ty: &TypeName, operand: &Node) -> Outcome<Evaluated> {
        if ty.name == "bool" && ty.pointers == 0 {
            let truth = is_true(self.number(operand)?);
            return Ok(Evaluated::Number(Number::Int(truth.into())));
        }
        let to = self.type_id(node, ty)?;
        let value = self.node(operand)?;
        let memory = match &value {
            Evaluated::Object(object) => object.place.memory,
            Evaluated::Pointer { memory, .. } => *memory,
            _ => self.here(),
        };
        let number = self.as_number(operand, value)?;
        let whole = match number {
            Number::Int(value) => value,
            // As Rust does; what C leaves open is then the nearest number.
            Number::Float(value) => value as i128,
        };
        match ty.pointers {
            0 => {}
            1 => {
                let address = whole as u32;
                return Ok(Evaluated::Pointer {
                    to,
                    memory,
                    address,
                });
            }
            _ => return error(node, ExpressionErrorKind::NoTarget(ty.to_string())),
        }
        let size = self.size_of_type(node, to, &ty.name)?;
        let bytes = match (self.info.is_float(to), size) {
            (true, 4) => (float(number) as f32).to_le_bytes().to_vec(),
            (true, 8) => float(number).to_le_bytes().to_vec(),
            (false, 1 | 2 | 4 | 8 | 16) if self.info.is_number(to) => {
                // Floats stop at the ends of their new type, integers go round.
                let kept = match number {
                    Number::Float(_) => self.info.nearest(to, whole, size),
                    Number::Int(_) => whole,
                };
                kept.to_le_bytes().into_iter().take(size as usize).collect()
            }
            _ => return error(node, ExpressionErrorKind::NotANumber(ty.to_string())),
        };
        let place = ValuePlace::whole(memory, Holder::Computed(bytes), size);
        Ok(Evaluated::Object(Object::new(to, place)))
    }

    fn wasm(&self, node: &Node, thing: WasmThing, index: u32) -> Outcome<Evaluated> {
        let frame = self.stop.frame;
        let (value, source) = match thing {
            WasmThing::Local => (
                self.state.local(frame, index),
                Holder::Local { frame, index },
            ),
            WasmThing::Operand => (
                self.state.operand(frame, index),
                Holder::Operand { frame, index },
            ),
            WasmThing::Global => (self.state.global(index), Holder::Global(index)),
        };
        let memory = match thing {
            WasmThing::Global => self.info.module.memories.of_global(index),
            WasmThing::Local | WasmThing::Operand => self.here(),
        };
        match value.map(Value::ty) {
            Some(ty) => Ok(Evaluated::Object(self.info.wasm_object(ty, memory, source))),
            None => {
                let word = match thing {
                    WasmThing::Local => "$",
                    WasmThing::Operand => "$stack",
                    WasmThing::Global => "$global",
                };
                self.unknown(node, &format!("{word}{index}"))
            }
        }
    }

    fn memory(&self, kind: MemoryKind, address: &Node) -> Outcome<Evaluated> {
        let value = self.integer(address)?;
        let outside = || Unavailable::OutsideMemory(value as u64);
        let Ok(start) = u32::try_from(value) else {
            return error(address, outside());
        };
        let mut bytes = [0; 8];
        let Some(buffer) = bytes.get_mut(..kind.bytes as usize) else {
            return error(address, outside());
        };
        let memory = self.here();
        if !self.state.memory(memory, start, buffer) {
            return error(address, outside());
        }
        let object = self
            .info
            .memory_object(memory, start, kind.bytes, kind.float);
        Ok(Evaluated::Object(object))
    }

    fn object(&self, node: &Node) -> Outcome<Object> {
        let value = self.node(node)?;
        self.as_object(node, value)
    }

    fn as_object(&self, node: &Node, value: Evaluated) -> Outcome<Object> {
        match value {
            Evaluated::Object(object) => Ok(object),
            // What is asked of a pointer is asked of what it points to.
            Evaluated::Pointer {
                to,
                memory,
                address,
            } => self.pointed(node, to, memory, address),
            value => {
                let text = self.info.show_evaluated(&value, self.state);
                error(node, ExpressionErrorKind::NoTarget(text))
            }
        }
    }

    fn pointed(&self, node: &Node, to: TypeId, memory: u32, address: u32) -> Outcome<Object> {
        let size = self.size_of_type(node, to, &self.info.type_name(to))?;
        Ok(Object::new(to, ValuePlace::memory(memory, address, size)))
    }

    fn unary(&self, node: &Node, operator: Unary, operand: &Node) -> Outcome<Evaluated> {
        let number = match operator {
            Unary::Target => {
                let object = match self.node(operand)? {
                    Evaluated::Pointer {
                        to,
                        memory,
                        address,
                    } => {
                        return self
                            .pointed(operand, to, memory, address)
                            .map(Evaluated::Object);
                    }
                    value => self.as_object(operand, value)?,
                };
                return match self.info.target(&object, self.state) {
                    Some(target) => Ok(Evaluated::Object(target)),
                    None => {
                        let ty = self.info.type_name(object.ty);
                        error(node, ExpressionErrorKind::NoTarget(ty))
                    }
                };
            }
            Unary::Address => {
                let object = self.object(operand)?;
                return match object.place.address() {
                    Some(address) => Ok(Evaluated::Pointer {
                        to: object.ty,
                        memory: object.place.memory,
                        address,
                    }),
                    None => error(node, ExpressionErrorKind::NoAddress),
                };
            }
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
            Evaluated::Object(object) => match self.info.text_of(&object, self.state) {
                Ok(text) => text,
                Err(why) => return error(other, why),
            },
            _ => None,
        };
        match found {
            Some(found) => Ok(Some((found == *text) == wanted)),
            None => error(other, ExpressionErrorKind::NotANumber("this".to_owned())),
        }
    }

    pub(super) fn number(&self, node: &Node) -> Outcome<Number> {
        let value = self.node(node)?;
        self.as_number(node, value)
    }

    fn as_number(&self, node: &Node, value: Evaluated) -> Outcome<Number> {
        match value {
            Evaluated::Number(number) => Ok(number),
            Evaluated::Pointer { address, .. } => Ok(Number::Int(address.into())),
            Evaluated::Text(text) => error(node, ExpressionErrorKind::NotANumber(text)),
            value @ Evaluated::Elements(_) => {
                let text = self.info.show_evaluated(&value, self.state);
                error(node, ExpressionErrorKind::NotANumber(text))
            }
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
