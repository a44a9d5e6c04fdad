//! The forward rules.

use std::fmt;

use borges_multiverse::language::Span;

use super::error::ParseError;
use super::name::{ThreadName, VariableName};
use super::parse::parse;
use super::print::{Notation, Pretty};
use super::program::{
    Block, Bound, Comparison, Expr, Guard, Ident, Operator, Program, Statement, Term, Use,
};
use super::state::{Closure, Code, Environment, Frame, Slot, State, Thread, Value, Variable};
use borges_multiverse::list::List;

/// A program of μOz.
#[derive(Clone, Debug, PartialEq)]
pub struct MuOz {
    pub(super) program: Program,
}

/// A rule of the semantics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// `skip`.
    Skip,
    /// `<br>`, where a run stops.
    Break,
    /// `assert` of what is true.
    Assert,
    /// A variable with a simple value.
    Variable,
    /// A procedure.
    Procedure,
    /// A port with an empty queue.
    Port,
    /// `if`, to the first branch.
    Then,
    /// `if`, to the second branch.
    Else,
    /// A procedure call.
    Call,
    /// A new thread.
    Thread,
    /// A message enters a queue.
    Send,
    /// A message leaves a queue and gets a new name.
    Receive,
}

impl Rule {
    /// The rule's names: plain, forward with logging, backward.
    const fn names(self) -> [&'static str; 3] {
        match self {
            Self::Skip => ["R:skp", "R:fw:skp", "R:bk:skp"],
            Self::Break => ["R:brk", "R:fw:brk", "R:bk:brk"],
            Self::Assert => ["R:ast", "R:fw:ast", "R:bk:ast"],
            Self::Variable => ["R:var", "R:fw:var", "R:bk:var"],
            Self::Procedure => ["R:npr", "R:fw:npr", "R:bk:npr"],
            Self::Port => ["R:npt", "R:fw:npt", "R:bk:npt"],
            Self::Then => ["R:if1", "R:fw:if1", "R:bk:if1"],
            Self::Else => ["R:if2", "R:fw:if2", "R:bk:if2"],
            Self::Call => ["R:cal", "R:fw:cal", "R:bk:cal"],
            Self::Thread => ["R:nth", "R:fw:nth", "R:bk:nth"],
            Self::Send => ["R:snd", "R:fw:snd", "R:bk:snd"],
            Self::Receive => ["R:rcv", "R:fw:rcv", "R:bk:rcv"],
        }
    }

    /// The rule of the plain semantics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.names()[0]
    }

    /// The rule that also logs.
    #[must_use]
    pub const fn forward(self) -> &'static str {
        self.names()[1]
    }

    /// The rule that undoes it.
    #[must_use]
    pub const fn backward(self) -> &'static str {
        self.names()[2]
    }
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

/// A step that a thread can take: what changes besides its code.
pub(super) struct Step {
    pub(super) rule: Rule,
    pub(super) change: Change,
    /// What the thread goes on with before the rest of its code.
    enter: Option<Frame>,
}

pub(super) enum Change {
    Nothing,
    /// A variable is bound; with its closure if it is a procedure.
    Bind(Variable),
    Call {
        procedure: VariableName,
        arguments: Vec<VariableName>,
    },
    Spawn {
        body: Frame,
    },
    Send {
        port: VariableName,
        message: Slot,
    },
    Receive {
        port: VariableName,
        message: VariableName,
        variable: Variable,
    },
}

impl MuOz {
    /// Parses a program, in either notation.
    ///
    /// # Errors
    /// [`ParseError`] with the place; [`ParseError::explain`] shows it.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Ok(Self {
            program: parse(text)?,
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
        let enter = |block: Block, environment: &Environment| {
            Some(Frame {
                at: block.0,
                environment: environment.clone(),
            })
        };
        let step = |rule, change, enter| {
            Ok(Ready::Step(Step {
                rule,
                change,
                enter,
            }))
        };
        let ready = match &self.program.line(*at).statement {
            Statement::Skip => step(Rule::Skip, Change::Nothing, None),
            Statement::Break => step(Rule::Break, Change::Nothing, None),
            Statement::Assert(guard) => match holds(guard, environment) {
                Ok(true) => step(Rule::Assert, Change::Nothing, None),
                Ok(false) => Err(Stuck::Assertion),
                Err(stuck) => Err(stuck),
            },
            Statement::If { guard, yes, no } => match holds(guard, environment) {
                Ok(true) => step(Rule::Then, Change::Nothing, enter(*yes, environment)),
                Ok(false) => step(Rule::Else, Change::Nothing, enter(*no, environment)),
                Err(stuck) => Err(stuck),
            },
            Statement::Let {
                name, bound, body, ..
            } => bind(*name, bound, *at, environment).and_then(|(rule, variable)| {
                step(rule, Change::Bind(variable), enter(*body, environment))
            }),
            Statement::Receive { name, port, body } => self
                .receive(state, *name, *port, environment)
                .and_then(|received| match received {
                    Ok(change) => step(Rule::Receive, change, enter(*body, environment)),
                    Err(port) => Ok(Ready::Waits(port)),
                }),
            Statement::Thread(body) => {
                let body = Frame {
                    at: body.0,
                    environment: environment.clone(),
                };
                step(Rule::Thread, Change::Spawn { body }, None)
            }
            Statement::Send { port, message } => slot(environment, *message).and_then(|message| {
                let (port, message) = (port_of(environment, *port)?, message.clone());
                step(Rule::Send, Change::Send { port, message }, None)
            }),
            Statement::Call {
                procedure,
                arguments,
            } => self
                .call(state, *procedure, arguments, environment)
                .and_then(|(change, frame)| step(Rule::Call, change, Some(frame))),
        };
        ready.unwrap_or_else(Ready::Stuck)
    }

    /// The outer error says that the thread is stuck, the inner one that it waits.
    fn receive(
        &self,
        state: &State,
        name: Ident,
        port: Use,
        environment: &Environment,
    ) -> Result<Result<Change, VariableName>, Stuck> {
        let port = port_of(environment, port)?;
        let oldest = state.port(&port).and_then(|port| port.oldest()).cloned();
        let Some(Slot {
            name: message,
            value,
        }) = oldest
        else {
            return Ok(Err(port));
        };
        let variable = Variable {
            ident: name,
            value,
            closure: None,
        };
        Ok(Ok(Change::Receive {
            port,
            message,
            variable,
        }))
    }

    fn call(
        &self,
        state: &State,
        procedure: Use,
        arguments: &[Use],
        environment: &Environment,
    ) -> Result<(Change, Frame), Stuck> {
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
        let procedure = original.clone();
        Ok((
            Change::Call {
                procedure,
                arguments: names,
            },
            frame,
        ))
    }

    /// Takes a thread's step.
    pub(super) fn take(&self, state: &mut State, name: &ThreadName, step: Step) -> Option<()> {
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
        let mut spawned = None;
        let mut opened = None;
        let (mut sent, mut received) = (None, None);
        match step.change {
            Change::Nothing | Change::Call { .. } => {}
            Change::Bind(variable) => {
                let port = step.rule == Rule::Port;
                let bound = add_variable(thread, name, variable, port, &mut enter);
                opened = port.then_some(bound);
            }
            Change::Spawn { body } => {
                thread.children += 1;
                spawned = Some((name.child(thread.children), body));
            }
            Change::Send { port, message } => sent = Some((port, message)),
            Change::Receive { port, variable, .. } => {
                add_variable(thread, name, variable, false, &mut enter);
                received = Some(port);
            }
        }
        thread.code = match enter {
            Some(frame) => code.push(frame),
            None => code,
        };
        if let Some((child, body)) = spawned {
            let code = Code::EMPTY.push(body);
            state.insert_thread(Thread {
                name: child,
                code,
                variables: List::EMPTY,
                children: 0,
            });
        }
        if let Some(port) = opened {
            state.insert_port(port);
        }
        if let Some((port, message)) = sent {
            let port = state.port_mut(&port)?;
            port.sent = port.sent.push(message);
        }
        if let Some(port) = received {
            state.port_mut(&port)?.received += 1;
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

/// The variable that a `let` makes. Ports and procedures get their names when they are bound.
fn bind(
    ident: Ident,
    bound: &Bound,
    line: u32,
    environment: &Environment,
) -> Result<(Rule, Variable), Stuck> {
    let unnamed = VariableName {
        thread: ThreadName::MAIN,
        nth: 0,
    };
    let (rule, value, closure) = match bound {
        Bound::Boolean(value) => (Rule::Variable, Value::Boolean(*value), None),
        Bound::Port => (Rule::Port, Value::Port(unnamed), None),
        Bound::Procedure { body, .. } => {
            let closure = Closure {
                line,
                body: *body,
                environment: environment.clone(),
            };
            (Rule::Procedure, Value::Procedure(unnamed), Some(closure))
        }
        Bound::Expr(expr) => (Rule::Variable, evaluate(expr, environment)?, None),
    };
    Ok((
        rule,
        Variable {
            ident,
            value,
            closure,
        },
    ))
}

/// Gives the thread named `name` one more variable, which the frame that it enters sees.
fn add_variable(
    thread: &mut Thread,
    name: &ThreadName,
    variable: Variable,
    port: bool,
    enter: &mut Option<Frame>,
) -> VariableName {
    let name = VariableName {
        thread: name.clone(),
        nth: thread.variables.len(),
    };
    let value = match (port, &variable.value) {
        (true, _) => Value::Port(name.clone()),
        (_, Value::Procedure(_)) if variable.closure.is_some() => Value::Procedure(name.clone()),
        (_, value) => value.clone(),
    };
    thread.variables = thread.variables.push(Variable {
        value: value.clone(),
        ..variable
    });
    if let Some(frame) = enter {
        frame.environment = frame.environment.push(Slot {
            name: name.clone(),
            value,
        });
    }
    name
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

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
