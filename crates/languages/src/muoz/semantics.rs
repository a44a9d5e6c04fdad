//! The forward rules.

use borges_multiverse::language::Span;

use super::error::ParseError;
use super::name::{ThreadName, VariableName};
use super::names::KnownNames;
use super::parse::parse;
use super::print::{Notation, Pretty};
use super::program::{
    Block, Bound, Comparison, Expr, Guard, Ident, Operator, Program, Statement, Term, Use,
};
use super::rule::Act;
use super::state::{
    Closure, Code, Environment, Frame, Slot, Stage, State, Thread, Value, Variable,
};
use borges_multiverse::list::List;

/// A program of μOz.
#[derive(Clone, Debug, PartialEq)]
pub struct MuOz {
    pub(super) program: Program,
    pub(super) known: KnownNames,
}

/// Why no rule applies to a thread, now or ever.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stuck {
    /// An assertion that is false.
    Assertion,
    /// Something other than a port is sent to or received from.
    NoPort(VariableName),
    /// Something other than a procedure is called.
    NoProcedure(VariableName),
    /// A condition is neither true nor false.
    NoBoolean(VariableName),
    /// Arithmetic, or a comparison of order, with something else than integers.
    NoInteger(VariableName),
    /// Two values that cannot be equal or unequal: of different kinds, or procedures.
    Incomparable,
    /// A call with too many or too few arguments.
    Arguments {
        /// How many the procedure takes.
        takes: u32,
        /// How many it is given.
        given: u32,
    },
    /// An identifier without a variable; programs that were parsed have none.
    Unbound,
    /// A division by zero.
    DivisionByZero,
    /// A result beyond 64 bits.
    Overflow,
}

/// What a thread can do in a state.
pub(super) enum Ready {
    /// It has done all.
    Done,
    /// This step.
    Step(Step),
    /// Nothing until a message comes to this port.
    Waits(VariableName),
    /// Nothing, ever.
    Stuck(Stuck),
}

/// A step that a thread can take, and what it needs besides what it does.
pub(super) struct Step {
    pub(super) act: Act,
    /// The variable that it binds.
    pub(super) bound: Option<Variable>,
    /// The value of the message that it sends.
    sent: Option<Value>,
    /// What the thread, or the one that it creates, goes on with before the rest of its code.
    enter: Option<Frame>,
}

impl MuOz {
    /// Parses a program, in either notation.
    ///
    /// # Errors
    /// [`ParseError`] with the place; [`ParseError::explain`] shows it.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Ok(Self {
            program: parse(text)?,
            known: KnownNames::default(),
        })
    }

    /// The program, laid out anew.
    #[must_use]
    pub const fn pretty(&self, notation: Notation) -> Pretty<'_> {
        Pretty {
            program: &self.program,
            notation,
        }
    }

    /// The place of the statement that a thread executes next; none if it is done.
    #[must_use]
    pub fn next_span(&self, state: &State, thread: &ThreadName) -> Option<Span> {
        self.program.span(state.thread(thread)?.code.top()?.at)
    }

    /// Why no rule will ever apply to a thread; none if one does, or may once a message comes.
    #[must_use]
    pub fn stuck(&self, state: &State, thread: &ThreadName) -> Option<Stuck> {
        match self.ready(state, state.thread(thread)?) {
            Ready::Stuck(stuck) => Some(stuck),
            _ => None,
        }
    }

    /// The port on whose empty queue a thread waits.
    #[must_use]
    pub fn waits_on(&self, state: &State, thread: &ThreadName) -> Option<VariableName> {
        match self.ready(state, state.thread(thread)?) {
            Ready::Waits(port) => Some(port),
            _ => None,
        }
    }

    /// What a thread can do.
    pub(super) fn ready(&self, state: &State, thread: &Thread) -> Ready {
        let Some(Frame { at, environment }) = thread.code.top() else {
            return Ready::Done;
        };
        let enter = |block: Block| {
            Some(Frame {
                at: block.0,
                environment: environment.clone(),
            })
        };
        let fresh = || VariableName {
            thread: thread.name.clone(),
            nth: thread.variables.len(),
        };
        let step = |act, bound, enter| {
            let sent = None;
            Ready::Step(Step {
                act,
                bound,
                sent,
                enter,
            })
        };
        let ready = match &self.program.line(*at).statement {
            Statement::Skip => Ok(step(Act::Skip, None, None)),
            Statement::Break => Ok(step(Act::Break, None, None)),
            Statement::Assert(guard) => match holds(guard, environment) {
                Ok(true) => Ok(step(Act::Assert, None, None)),
                Ok(false) => Err(Stuck::Assertion),
                Err(stuck) => Err(stuck),
            },
            Statement::If { guard, yes, no } => {
                holds(guard, environment).map(|holds| match holds {
                    true => step(Act::Then, None, enter(*yes)),
                    false => step(Act::Else, None, enter(*no)),
                })
            }
            Statement::Let {
                name, bound, body, ..
            } => bind(*name, bound, *at, environment, fresh())
                .map(|(act, variable)| step(act, Some(variable), enter(*body))),
            Statement::Receive { name, port, body } => port_of(environment, *port).map(|port| {
                match receive(state, *name, &port, fresh()) {
                    Some((act, variable)) => step(act, Some(variable), enter(*body)),
                    None => Ready::Waits(port),
                }
            }),
            Statement::Thread(body) => {
                let child = thread.name.child(thread.children + 1);
                Ok(step(Act::Thread(child), None, enter(*body)))
            }
            Statement::Send { port, message } => send(state, *port, *message, environment),
            Statement::Call {
                procedure,
                arguments,
            } => self
                .call(state, *procedure, arguments, environment)
                .map(|(act, frame)| step(act, None, Some(frame))),
        };
        ready.unwrap_or_else(Ready::Stuck)
    }

    fn call(
        &self,
        state: &State,
        procedure: Use,
        arguments: &[Use],
        environment: &Environment,
    ) -> Result<(Act, Frame), Stuck> {
        let callee = slot(environment, procedure)?;
        let no_procedure = || Stuck::NoProcedure(callee.name.clone());
        let Value::Procedure(original) = &callee.value else {
            return Err(no_procedure());
        };
        let closure = state
            .variable(original)
            .and_then(|variable| variable.closure.as_ref());
        let closure = closure.ok_or_else(no_procedure)?;
        let given = arguments.len() as u32;
        let takes = match &self.program.line(closure.line).statement {
            Statement::Let {
                bound: Bound::Procedure { parameters, .. },
                ..
            } => parameters.len(),
            _ => return Err(no_procedure()),
        } as u32;
        if takes != given {
            return Err(Stuck::Arguments { takes, given });
        }
        let itself = Slot {
            name: original.clone(),
            value: callee.value.clone(),
        };
        let mut inside = closure.environment.push(itself);
        let mut names = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let argument = slot(environment, *argument)?;
            names.push(argument.name.clone());
            inside = inside.push(argument.clone());
        }
        let frame = Frame {
            at: closure.body.0,
            environment: inside,
        };
        let act = Act::Call {
            procedure: original.clone(),
            arguments: names,
        };
        Ok((act, frame))
    }

    /// Takes a thread's step.
    pub(super) fn take(&self, state: &mut impl Stage, name: &ThreadName, step: Step) -> Option<()> {
        let thread = state.thread_mut(name)?;
        let Frame { at, environment } = thread.code.top()?;
        let mut code = thread.code.below();
        if !self.program.line(*at).last {
            code = code.push(Frame {
                at: at + 1,
                environment: environment.clone(),
            });
        }
        let mut enter = step.enter;
        if let (Some(variable), Some(name)) = (step.bound, step.act.binds()) {
            if let Some(frame) = &mut enter {
                frame.environment = frame.environment.push(Slot {
                    name: name.clone(),
                    value: variable.value.clone(),
                });
            }
            thread.variables = thread.variables.push(variable);
        }
        let body = step.act.creates().and_then(|_| enter.take());
        thread.code = match enter {
            Some(frame) => code.push(frame),
            None => code,
        };
        match step.act {
            Act::Thread(name) => {
                thread.children += 1;
                state.insert_thread(Thread {
                    name,
                    code: Code::EMPTY.push(body?),
                    variables: List::EMPTY,
                    children: 0,
                });
            }
            Act::Port(port) => state.insert_port(port),
            Act::Send { port, message, .. } => {
                let (name, value) = (message, step.sent?);
                let port = state.port_mut(&port)?;
                port.sent = port.sent.push(Slot { name, value });
            }
            Act::Receive { port, .. } => state.port_mut(&port)?.received += 1,
            _ => {}
        }
        Some(())
    }
}

/// The variable that a use denotes. The parser resolved it, so it is there.
fn slot(environment: &Environment, usage: Use) -> Result<&Slot, Stuck> {
    environment.get(usage.level).ok_or(Stuck::Unbound)
}

fn port_of(environment: &Environment, usage: Use) -> Result<VariableName, Stuck> {
    let slot = slot(environment, usage)?;
    match &slot.value {
        Value::Port(port) => Ok(port.clone()),
        _ => Err(Stuck::NoPort(slot.name.clone())),
    }
}

fn send(state: &State, port: Use, message: Use, environment: &Environment) -> Result<Ready, Stuck> {
    let sent = slot(environment, message)?.clone();
    let port = port_of(environment, port)?;
    let act = Act::Send {
        number: state.port(&port).map_or(0, |port| port.sent.len()),
        message: sent.name,
        port,
    };
    Ok(Ready::Step(Step {
        act,
        bound: None,
        sent: Some(sent.value),
        enter: None,
    }))
}

/// What is received, as the variable called `name`; none if nothing waits.
fn receive(
    state: &State,
    ident: Ident,
    port: &VariableName,
    name: VariableName,
) -> Option<(Act, Variable)> {
    let queue = state.port(port)?;
    let Slot {
        name: message,
        value,
    } = queue.oldest()?.clone();
    let act = Act::Receive {
        port: port.clone(),
        message,
        variable: name,
        value: value.clone(),
        number: queue.received,
    };
    let closure = None;
    Some((
        act,
        Variable {
            ident,
            value,
            closure,
        },
    ))
}

/// The variable that a `let` makes, which is called `name`.
fn bind(
    ident: Ident,
    bound: &Bound,
    line: u32,
    environment: &Environment,
    name: VariableName,
) -> Result<(Act, Variable), Stuck> {
    let mut closure = None;
    let value = match bound {
        Bound::Boolean(value) => Value::Boolean(*value),
        Bound::Port => Value::Port(name.clone()),
        Bound::Procedure { body, .. } => {
            closure = Some(Closure {
                line,
                body: *body,
                environment: environment.clone(),
            });
            Value::Procedure(name.clone())
        }
        Bound::Expr(expr) => evaluate(expr, environment)?,
    };
    let act = match bound {
        Bound::Port => Act::Port(name),
        Bound::Procedure { .. } => Act::Procedure(name),
        Bound::Boolean(_) | Bound::Expr(_) => Act::Variable {
            name,
            value: value.clone(),
        },
    };
    Ok((
        act,
        Variable {
            ident,
            value,
            closure,
        },
    ))
}

fn holds(guard: &Guard, environment: &Environment) -> Result<bool, Stuck> {
    match guard {
        Guard::Name(name) => {
            let slot = slot(environment, *name)?;
            match slot.value {
                Value::Boolean(value) => Ok(value),
                _ => Err(Stuck::NoBoolean(slot.name.clone())),
            }
        }
        Guard::Compare { left, by, right } => {
            let values = (evaluate(left, environment)?, evaluate(right, environment)?);
            match (by, &values) {
                (_, (Value::Integer(a), Value::Integer(b))) => Ok(match by {
                    Comparison::Equal => a == b,
                    Comparison::Less => a < b,
                    Comparison::Greater => a > b,
                    Comparison::AtMost => a <= b,
                    Comparison::AtLeast => a >= b,
                }),
                (Comparison::Equal, (Value::Boolean(a), Value::Boolean(b))) => Ok(a == b),
                (Comparison::Equal, (Value::Port(a), Value::Port(b))) => Ok(a == b),
                _ => Err(Stuck::Incomparable),
            }
        }
    }
}

fn evaluate(expr: &Expr, environment: &Environment) -> Result<Value, Stuck> {
    // An identifier alone may have any value.
    if let [Term::Name(name)] = expr[..] {
        return Ok(slot(environment, name)?.value.clone());
    }
    let mut stack: Vec<i64> = Vec::new();
    for term in expr {
        let number = match term {
            Term::Integer(number) => *number,
            Term::Name(name) => {
                let slot = slot(environment, *name)?;
                let Value::Integer(number) = slot.value else {
                    return Err(Stuck::NoInteger(slot.name.clone()));
                };
                number
            }
            Term::Apply(operator) => {
                let (b, a) = (stack.pop().unwrap_or(0), stack.pop().unwrap_or(0));
                match operator {
                    Operator::Plus => a.checked_add(b),
                    Operator::Minus => a.checked_sub(b),
                    Operator::Times => a.checked_mul(b),
                    Operator::Divide if b == 0 => return Err(Stuck::DivisionByZero),
                    Operator::Divide => a.checked_div(b),
                }
                .ok_or(Stuck::Overflow)?
            }
        };
        stack.push(number);
    }
    Ok(Value::Integer(stack.pop().unwrap_or(0)))
}
