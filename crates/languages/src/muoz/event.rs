//! What happened: the entries of a thread's history.

use std::hash::{Hash, Hasher};

use borges_multiverse::language::Span;

use super::name::{ThreadName, VariableName};
use super::names::Names;
use super::semantics::{MuOz, Rule};
use super::show::{call, declared};
use super::state::{Code, Value};

/// A step that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Who took it.
    pub thread: ThreadName,
    /// How many steps that thread had taken before.
    pub nth: u32,
    /// What it did.
    pub act: Act,
    /// The statement.
    pub span: Span,
    /// What the thread had to do before, this step included.
    pub(super) before: Code,
}

/// What a step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// `skip`.
    Skip,
    /// `<br>`.
    Break,
    /// A passed `assert`.
    Assert,
    /// Bound a variable to a simple value.
    Variable {
        /// The variable.
        name: VariableName,
        /// What it is.
        value: Value,
    },
    /// Declared a procedure.
    Procedure(VariableName),
    /// Made a port.
    Port(VariableName),
    /// Took the first branch of an `if`.
    Then,
    /// Took the second branch.
    Else,
    /// Called a procedure.
    Call {
        /// The procedure.
        procedure: VariableName,
        /// What it was given.
        arguments: Vec<VariableName>,
    },
    /// Created a thread.
    Thread(ThreadName),
    /// Sent a message.
    Send {
        /// To this port.
        port: VariableName,
        /// This variable.
        message: VariableName,
        /// How many messages had been sent to the port before.
        number: u32,
    },
    /// Received a message.
    Receive {
        /// From this port.
        port: VariableName,
        /// The variable that was received.
        message: VariableName,
        /// How it is called from now on.
        variable: VariableName,
        /// What it is.
        value: Value,
        /// How many messages had been received from the port before.
        number: u32,
    },
}

impl Act {
    /// The rule that did it.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        match self {
            Self::Skip => Rule::Skip,
            Self::Break => Rule::Break,
            Self::Assert => Rule::Assert,
            Self::Variable { .. } => Rule::Variable,
            Self::Procedure(_) => Rule::Procedure,
            Self::Port(_) => Rule::Port,
            Self::Then => Rule::Then,
            Self::Else => Rule::Else,
            Self::Call { .. } => Rule::Call,
            Self::Thread(_) => Rule::Thread,
            Self::Send { .. } => Rule::Send,
            Self::Receive { .. } => Rule::Receive,
        }
    }

    /// The variable that it bound.
    #[must_use]
    pub const fn binds(&self) -> Option<&VariableName> {
        match self {
            Self::Variable { name, .. } | Self::Procedure(name) | Self::Port(name) => Some(name),
            Self::Receive { variable, .. } => Some(variable),
            _ => None,
        }
    }

    /// The thread that it created.
    #[must_use]
    pub const fn creates(&self) -> Option<&ThreadName> {
        match self {
            Self::Thread(child) => Some(child),
            _ => None,
        }
    }
}

impl Hash for Event {
    /// By who took it: from one start, that decides all the rest.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.thread.hash(state);
    }
}

impl Event {
    /// The step in words, without who took it.
    #[must_use]
    pub fn show(&self, program: &MuOz, names: &Names) -> String {
        let head = program.head(&self.before, names);
        match &self.act {
            Act::Skip | Act::Break | Act::Assert | Act::Send { .. } => head,
            Act::Variable { name, value } => {
                let (name, value) = (names.show(name), value.show(names));
                match head.split_once(" = ").map(|(_, expression)| expression) {
                    Some(expression) if expression != value => {
                        format!("let {name} = {expression} → {value}")
                    }
                    _ => format!("let {name} = {value}"),
                }
            }
            Act::Procedure(name) | Act::Port(name) => {
                format!("let {} = {}", names.show(name), declared(&head))
            }
            Act::Then => format!("{head}: then"),
            Act::Else => format!("{head}: else"),
            Act::Call {
                procedure,
                arguments,
            } => call(names, procedure, arguments),
            Act::Thread(child) => format!("thread {child}"),
            Act::Receive {
                port,
                message,
                variable,
                value,
                ..
            } => {
                let (variable, port) = (names.show(variable), names.show(port));
                let (message, value) = (names.show(message), value.show(names));
                format!("let {variable} = {{receive {port}}} → {message} = {value}")
            }
        }
    }
}
