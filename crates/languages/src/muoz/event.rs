//! What happened: the entries of a thread's history.

use std::hash::{Hash, Hasher};

use borges_multiverse::language::Span;

use super::name::ThreadName;
use super::names::Names;
use super::rule::Act;
use super::semantics::MuOz;
use super::show::{call, declared};
use super::state::Code;

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
